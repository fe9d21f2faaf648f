// The rules of what the map shows, each a chip that can be taken away.

import { useModel } from "./hooks";
import type { Model } from "./model";
import { ruleText, type Rule } from "./showing";
import { count, shorten } from "./text";

export function Chips({ model }: { model: Model }) {
  useModel(model, "shown", "graph", "selection");
  const { rules, shownCount, ops } = model;
  if (!rules.length) return null;
  const remove = (rule: Rule): void => model.setRules(model.rules.filter((other) => other !== rule));
  const widen = (rule: Rule, by: number): void =>
    model.setRules(model.rules.map((other) => (other === rule ? { ...rule, steps: Math.max(0, (rule.steps ?? 1) + by) } : other)));
  const partial = shownCount < ops.length;
  const chosen = model.find(model.selected);
  const hidden = chosen >= 0 && model.shown.leaf[chosen]! < 0;
  return (
    <div class="tfb-chips" role="group" aria-label="What the map shows" data-testid="tfb-chips">
      {partial && (
        <span class="tfb-faint" role="status">
          {shownCount.toLocaleString("en")} of {count(ops.length, "op")}
        </span>
      )}
      {rules.map((rule) => (
        <span key={JSON.stringify({ ...rule, steps: 0 })} class="tfb-chip">
          {rule.by === "near" &&
            [-1, 1].map((by) => (
              <button type="button" key={by} title={by < 0 ? "One step less" : "One step more"} aria-label={by < 0 ? "One step less" : "One step more"} onClick={() => widen(rule, by)}>
                {by < 0 ? "−" : "+"}
              </button>
            ))}
          <button type="button" title="Take this away" aria-label={`${ruleText(rule)}: take this away`} onClick={() => remove(rule)}>
            {ruleText(rule)} <span aria-hidden="true">×</span>
          </button>
        </span>
      ))}
      {hidden && <span class="tfb-warn">{shorten(model.selected, 30)} is hidden</span>}
      {rules.length > 1 && (
        <button type="button" class="tfb-more" onClick={() => model.setRules([])} data-testid="tfb-show-all">
          show everything
        </button>
      )}
    </div>
  );
}
