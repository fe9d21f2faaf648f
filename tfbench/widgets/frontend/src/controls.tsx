// Pause, Continue, Step, To here, Stop and breakpoints; why a run waits; and what the chosen operation gave in it.

import { useEffect } from "preact/hooks";
import { useModel } from "./hooks";
import type { Model } from "./model";
import type { Command } from "./stepper";
import { shorten, tailText, visible } from "./text";

export function Controls({ model }: { model: Model }) {
  useModel(model, "control", "selection");
  const { control } = model;
  if (!control) return null;
  const { state, breakpoints } = control;
  const held = state === "held";
  const chosen = model.selected;
  const button = (what: Command, label: string, tip: string, op = "", on?: boolean) => (
    <button type="button" class="tfb-more" title={tip} aria-pressed={on} onClick={() => model.command(what, op)} data-testid={`tfb-do-${what}${op === "nan" ? "-nan" : ""}`}>
      {label}
    </button>
  );
  return (
    <div class="tfb-controls" role="toolbar" aria-label="What runs">
      {held && button("step", "Step", "Run one operation")}
      {held && model.find(chosen) >= 0 && button("to", "To here", `Run until ${visible(chosen.slice(0, 200))} is next`, chosen)}
      {held && button("go", control.what === "step" ? "Finish" : "Continue", "Go on to the next breakpoint, or for good")}
      {!held && state !== "asked" && button("pause", "Pause", "Hold before the next run")}
      {state === "asked" && <span>pausing …</span>}
      {button("stop", "Stop", "End it between two steps; variables stay whole")}
      {chosen && (held || breakpoints.length > 0) && button("break", `Break at ${shorten(tailText(chosen, 20), 20)}`, "Wait whenever this is next", chosen, breakpoints.includes(chosen))}
      {button("break", "Break at NaN", "Wait behind the first NaN or infinity; runs go step by step then", "nan", breakpoints.includes("nan"))}
    </div>
  );
}

/** Why a run waits, and what was not heard. */
export function Notice({ model }: { model: Model }) {
  useModel(model, "control");
  const { control } = model;
  if (!control) return null;
  const { state, why, error, at, iterations, breakpoints } = control;
  const others = breakpoints.filter((name) => name !== "nan" && name !== model.selected);
  const lines = (state === "held" || state === "over" ? why : "").split("\n");
  const next = state === "held" && (at >= 0 ? `Next: ${shorten(model.ops[at]?.name ?? "", 60)}${iterations.map((n) => `, iteration ${n}`).join("")}` : control.what === "loop" ? "Paused between two runs" : "At the end");
  if (!next && !lines[0] && !error && !model.unheard && !others.length) return null;
  return (
    <div class="tfb-halt" role="alert" data-testid="tfb-halt">
      {next && <b>{next}</b>}
      {lines.map((line, i) => (
        <span key={i}>{shorten(line, 240)}</span>
      ))}
      {error && <span class="tfb-bad">{shorten(error, 240)}</span>}
      {others.length > 0 && (
        <span>
          Breakpoints:
          {others.map((name) => (
            <button type="button" key={name} class="tfb-more" title="Take it away" onClick={() => model.command("break", name)}>
              {shorten(name, 40)} ×
            </button>
          ))}
        </span>
      )}
      {model.unheard && (
        <span>
          The kernel is busy and has not heard it yet.{" "}
          <button type="button" class="tfb-more" onClick={() => model.interrupt()} data-testid="tfb-interrupt">
            Interrupt the kernel
          </button>
        </span>
      )}
    </div>
  );
}

/** What the chosen operation gave in the run that waits. */
export function StepValue({ model, op, index }: { model: Model; op: string; index: number }) {
  useModel(model, "control");
  const ran = model.control?.done.has(index) ?? false;
  const moves = model.control?.done.size;
  useEffect(() => {
    if (ran) model.command("value", op);
  }, [op, ran, moves]);
  if (!ran || model.said?.op !== op) return null;
  return (
    <section class="tfb-values" data-testid="tfb-step-value">
      <h4>In this run</h4>
      {model.said.said.map((text, i) => (
        <div key={i}>{shorten(text, 200)}</div>
      ))}
    </section>
  );
}
