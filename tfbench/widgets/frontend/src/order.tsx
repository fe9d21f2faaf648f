// The Order view: what a fetch runs, step by step, with a lane for each device. The kernel is asked for the schedule;
// what a step waits for is in the graph that the page has.

import { useEffect } from "preact/hooks";
import type { OrderAnswer } from "./answers";
import { useModel } from "./hooks";
import type { Model } from "./model";
import { CONTROL } from "./model";
import { Rows } from "./rows";
import { count, matcher, said, shorten, visible } from "./text";
import { registerView, type ViewProps } from "./views";

/** So many names are said of what a step waits for. */
const FEW = 6;

function OrderPane({ model }: ViewProps) {
  useModel(model, "graph", "selection", "query", "answer", "control");
  const chosen = model.find(model.selected);
  const answer = model.order;

  // The first operation that is chosen is the first fetch; a changed graph is asked about again.
  useEffect(() => {
    if (!model.fetch && chosen >= 0) model.fetchOrder(model.selected);
  }, [chosen]);
  useEffect(() => {
    if (model.fetch && model.find(model.fetch) >= 0) model.fetchOrder(model.fetch);
  }, [model.graph.version]);

  if (!model.fetch) {
    return (
      <div class="tfb-empty" data-testid="tfb-order-empty">
        <strong>What does a fetch run?</strong>
        <span>Choose an operation, in the map or by the search: this view lists what runs when it is fetched, in order.</span>
      </div>
    );
  }
  const other = chosen >= 0 && model.selected !== model.fetch;
  return (
    <div class="tfb-order">
      <div class="tfb-order-bar">
        <span>
          fetch <b title={visible(model.fetch.slice(0, 400))}>{shorten(model.fetch, 48)}</b>
        </span>
        {other && (
          <button type="button" class="tfb-more" onClick={() => model.fetchOrder(model.selected)} data-testid="tfb-order-fetch">
            fetch {shorten(model.selected, 36)} instead
          </button>
        )}
        {answer && !answer.error && <Slider model={model} answer={answer} />}
      </div>
      {!answer ? (
        <div class="tfb-empty">
          <span>asking the kernel …</span>
        </div>
      ) : answer.error ? (
        <div class="tfb-empty" role="alert">
          <strong>This cannot be run</strong>
          <span>{said(answer.error)}</span>
        </div>
      ) : (
        <Steps model={model} answer={answer} />
      )}
      {answer && !answer.error && <Reason model={model} answer={answer} />}
    </div>
  );
}

/** The step of the chosen operation, or -1 where it does not run. */
function currentStep(model: Model, answer: OrderAnswer): number {
  const chosen = model.find(model.selected);
  return chosen < 0 ? -1 : answer.steps.findIndex((step) => step.op === chosen);
}

function Slider({ model, answer }: { model: Model; answer: OrderAnswer }) {
  const at = currentStep(model, answer);
  const select = (row: number): void => model.select(model.ops[answer.steps[row]!.op]!.name);
  return (
    <label class="tfb-order-slider">
      step {at < 0 ? "–" : at + 1} of {answer.steps.length}
      <input
        type="range"
        min={1}
        max={answer.steps.length}
        value={at < 0 ? 1 : at + 1}
        aria-label="Step"
        onInput={(event) => select(Number(event.currentTarget.value) - 1)}
        data-testid="tfb-order-slider"
      />
    </label>
  );
}

function Steps({ model, answer }: { model: Model; answer: OrderAnswer }) {
  const fits = model.query.trim() ? matcher(model.query) : null;
  const loops = answer.steps.some((step) => step.loop);
  const lanes = answer.devices.length;
  const control = model.control?.order === model.fetch ? model.control : null;
  const mark = (op: number, name: string): string =>
    (control?.breakpoints.includes(name) ? "● " : "") + (op === control?.at ? "▶ " : control?.done.has(op) ? "✓ " : "");
  const template = `${control ? 68 : 52}px minmax(160px, 1fr) 130px ${loops ? "110px " : ""}${"84px ".repeat(lanes)}`.trim();
  return (
    <Rows
      label={`Steps of ${model.fetch}`}
      count={answer.steps.length}
      current={currentStep(model, answer)}
      choose={(row) => model.select(model.ops[answer.steps[row]!.op]!.name)}
      template={template}
      testid="tfb-steps"
      titles={["Step", "Operation", "Type", ...(loops ? ["Runs"] : []), ...answer.devices.map((device) => shorten(device.replace(/^\/device:/, ""), 12))]}
      cells={(row) => {
        const step = answer.steps[row]!;
        const op = model.ops[step.op]!;
        const look = fits && !fits(op.name, op.type, op.device) ? "tfb-faint tfb-op-name" : "tfb-op-name";
        const runs = { is: step.runs, look: "tfb-faint", tip: step.loop && `in the loop ${step.loop}` };
        return [
          { is: `${mark(step.op, op.name)}${row + 1}`, look: step.op === control?.at ? "tfb-next" : "tfb-faint" },
          { is: shorten(op.name, 60), look, tip: op.name },
          { is: shorten(op.type, 22) },
          ...(loops ? [runs] : []),
          ...answer.devices.map((device, lane) => ({
            is: lane === step.device && <i aria-label={`on ${device}`} />,
            look: `tfb-lane${lane === step.device ? " tfb-lane-here" : ""}`,
          })),
        ];
      }}
    />
  );
}

/** Why the chosen step stands where it does. */
function Reason({ model, answer }: { model: Model; answer: OrderAnswer }) {
  const at = currentStep(model, answer);
  const chosen = model.find(model.selected);
  if (chosen < 0) return null;
  if (at < 0) {
    return (
      <p class="tfb-order-why" data-testid="tfb-order-why">
        <b>{shorten(model.selected, 48)}</b> does not run: nothing that this fetch needs takes its value or waits for it.
      </p>
    );
  }
  const data: string[] = [];
  const control: string[] = [];
  for (const edge of model.into[chosen] ?? []) {
    const name = model.ops[model.edges.source[edge]!]!.name;
    (model.edges.kind[edge] === CONTROL ? control : data).push(name);
  }
  const next = answer.steps[at + 1];
  const say = (names: string[]): string => {
    const distinct = [...new Set(names)];
    const more = distinct.length - FEW;
    return distinct.slice(0, FEW).map((name) => shorten(name, 32)).join(", ") + (more > 0 ? ` and ${count(more, "other")}` : "");
  };
  return (
    <p class="tfb-order-why" data-testid="tfb-order-why">
      Step {at + 1}, <b>{shorten(model.selected, 48)}</b>:{" "}
      {data.length || control.length ? (
        <>
          {data.length > 0 && <>takes {say(data)}</>}
          {data.length > 0 && control.length > 0 && "; "}
          {control.length > 0 && <>waits for {say(control)} (control)</>}
        </>
      ) : (
        "waits for nothing"
      )}
      .{next && <> Next: {shorten(model.ops[next.op]!.name, 40)}.</>}
    </p>
  );
}

registerView({ id: "order", title: "Order", order: 40, component: OrderPane });
