// What can be done with what is chosen, on the map: look at it alone, at what is around it, at what it needs; leave it
// out; group. The same as `panel.focus`, `.hide` and `.group` in Python.

import { useState } from "preact/hooks";
import { useModel } from "./hooks";
import type { Model } from "./model";
import type { Rule } from "./showing";
import { shorten } from "./text";

const STEPS = 2;

export function Actions({ model }: { model: Model }) {
  useModel(model, "shown", "selection");
  const [naming, setNaming] = useState(false);
  const { selected } = model;
  if (!selected) return null;
  const op = model.ops[model.find(selected)];
  const name = selected.replace(/\/$/, "");
  const own = model.ruleOfGroup(selected);
  const add = (rule: Rule): void => {
    model.addRule(rule);
    model.show("map");
  };
  const button = (label: string, title: string, rule: Rule, id: string) => (
    <button type="button" class="tfb-more" title={title} onClick={() => add(rule)} data-testid={`tfb-do-${id}`}>
      {label}
    </button>
  );
  if (own) {
    return (
      <div class="tfb-actions">
        <button type="button" class="tfb-more" onClick={() => model.setRules(model.rules.filter((rule) => rule !== own))} data-testid="tfb-do-ungroup">
          ungroup
        </button>
      </div>
    );
  }
  const what = [name];
  return (
    <div class="tfb-actions" role="group" aria-label="On the map">
      {!op && button("only this", "The map shows this scope alone", { do: "focus", by: "name", what }, "only")}
      {op && button("neighbours", `The map shows what is within ${STEPS} steps (f)`, { do: "focus", by: "near", what, steps: STEPS }, "near")}
      {button("what it needs", "The map shows what has to run for it (n)", { do: "focus", by: "needed", what }, "needed")}
      {button("hide", "Leave it out of the map (h)", { do: "hide", by: "name", what }, "hide")}
      {op && button(`hide all ${shorten(op.type, 16)}`, "Leave out every operation of this type", { do: "hide", by: "type", what: [op.type] }, "hide-type")}
      {!op && button("no box", "Show what is in this scope without its box", { do: "dissolve", by: "name", what }, "dissolve")}
      <button type="button" class="tfb-more" aria-expanded={naming} onClick={() => setNaming(!naming)} data-testid="tfb-do-group">
        group …
      </button>
      {naming && <GroupForm model={model} name={name} done={() => setNaming(false)} />}
    </div>
  );
}

function GroupForm({ model, name, done }: { model: Model; name: string; done: () => void }) {
  const [pattern, setPattern] = useState(`${name.replace(/_?\d+$/, "")}*`);
  const [label, setLabel] = useState(`${(name.split("/").pop() ?? "group").replace(/_?\d+$/, "")}s`);
  const make = (event: Event): void => {
    event.preventDefault();
    if (!pattern.trim() || !label.trim()) return;
    model.addRule({ do: "group", by: "search", what: [pattern.trim()], name: label.trim().replace(/\//g, " ") });
    model.show("map");
    done();
  };
  const field = (title: string, value: string, set: (text: string) => void, id: string) => (
    <label>
      {title}
      <input value={value} spellcheck={false} onInput={(e) => set(e.currentTarget.value)} onKeyDown={(e) => e.stopPropagation()} data-testid={`tfb-group-${id}`} />
    </label>
  );
  return (
    <form class="tfb-form" onSubmit={make}>
      {field("One box for all that a search finds", pattern, setPattern, "what")}
      {field("called", label, setLabel, "name")}
      <button type="submit" class="tfb-more" data-testid="tfb-group-make">
        make it
      </button>
    </form>
  );
}
