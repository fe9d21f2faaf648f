// The card about what is chosen: an operation, a variable with its values, a scope, or the whole graph.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Actions } from "./actions";
import { StepValue } from "./controls";
import { useModel } from "./hooks";
import type { Hierarchy } from "./hierarchy";
import { Histogram, Sparkline } from "./marks";
import { CONTROL, type Model } from "./model";
import { reasons } from "./naming";
import type { Op, Variable } from "./protocol";
import { bytesText, count, numberText, outputText, shapeText, shorten, sourceText, tailText, visible } from "./text";

const LONG = 12;

export function Detail({ model }: { model: Model }) {
  useModel(model, "selection", "graph", "shown", "stats");
  const top = useRef<HTMLElement>(null);
  useEffect(() => {
    if (top.current) top.current.scrollTop = 0;
  }, [model.selected]);
  const op = model.find(model.selected);
  // A group that the person made is in the map's tree alone.
  const tree = model.tree.find(model.selected) >= 0 ? model.tree : model.shown;
  const node = tree.find(model.selected);
  const chosen = op >= 0 || node > 0;
  return (
    <aside class="tfb-detail" aria-label="Details" ref={top} data-testid="tfb-detail">
      {op >= 0 ? <OpCard model={model} index={op} /> : chosen ? <ScopeCard model={model} tree={tree} node={node} /> : <GraphCard model={model} />}
    </aside>
  );
}

function Heading({ model, kicker, name }: { model: Model; kicker: string; name: string }) {
  const cut = name.lastIndexOf("/", name.length - 2);
  return (
    <header>
      <div class="tfb-kicker">
        <span>{kicker}</span>
        {model.selected && (
          <button type="button" aria-label="Close the details" title="Close (Esc)" onClick={() => model.select("")}>
            ×
          </button>
        )}
      </div>
      <h3 title={visible(name.slice(0, 10_000))}>
        {cut > 0 && <span class="tfb-faint">{shorten(name.slice(0, cut + 1), 160)}</span>}
        {shorten(name.slice(cut + 1), 160)}
      </h3>
      <Actions model={model} />
      <Naming model={model} />
    </header>
  );
}

/** Why the name of what is chosen has a number. */
function Naming({ model }: { model: Model }) {
  const said = useMemo(() => reasons(model, model.selected), [model.selected, model.ops]);
  if (!said.length) return null;
  return (
    <ul class="tfb-naming" aria-label="Why the name has a number" data-testid="tfb-naming">
      {said.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  );
}

function Facts({ rows }: { rows: [string, ComponentChildren][] }) {
  const shown = rows.filter(([, value]) => value !== "" && value !== null && value !== undefined);
  if (!shown.length) return null;
  return (
    <dl>
      {shown.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Section({ title, children, n }: { title: string; n?: number; children: ComponentChildren }) {
  return (
    <section>
      <h4>
        {title}
        {n !== undefined && n > 1 && <span class="tfb-faint"> {n}</span>}
      </h4>
      {children}
    </section>
  );
}

function OpLink({ model, name, side }: { model: Model; name: string; side?: string }) {
  // A name that ends in its type says it already, and needs the room.
  const kind = side && !name.endsWith(side) ? side : "";
  return (
    <li>
      <button type="button" class="tfb-link" title={visible(name.slice(0, 10_000))} onClick={() => model.select(name)}>
        {tailText(name, kind ? Math.max(18, 38 - kind.length) : 44)}
      </button>
      {kind && <span class="tfb-side">{kind}</span>}
    </li>
  );
}

/** A list that opens: a hub may have thousands of consumers. */
function LinkList({ model, items }: { model: Model; items: { name: string; side?: string }[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? items.slice(0, 500) : items.slice(0, LONG);
  return (
    <ul class="tfb-links">
      {shown.map(({ name, side }, i) => (
        <OpLink key={`${i} ${name}`} model={model} name={name} side={side ?? ""} />
      ))}
      {items.length > shown.length && (
        <li>
          {all ? (
            <span class="tfb-faint">and {items.length - shown.length} more</span>
          ) : (
            <button type="button" class="tfb-more" onClick={() => setAll(true)}>
              {items.length - shown.length} more
            </button>
          )}
        </li>
      )}
    </ul>
  );
}

function OpCard({ model, index }: { model: Model; index: number }) {
  const op = model.ops[index]!;
  const variable = model.variables[model.variableOf(index)];
  return (
    <>
      <Heading model={model} kicker={variable ? "Variable" : op.type} name={op.name} />
      {variable && <Values model={model} variable={variable} />}
      <StepValue model={model} op={op.name} index={index} />
      <Facts rows={variable ? variableFacts(op, variable) : opFacts(op)} />
      {variable ? <Sharing model={model} variable={variable} /> : <Inputs model={model} op={op} />}
      <Outputs model={model} index={index} op={op} quiet={variable !== undefined} />
      <Attributes op={op} />
    </>
  );
}

function opFacts(op: Op): [string, ComponentChildren][] {
  return [
    ["Device asked", op.device ? visible(op.device) : <span class="tfb-faint">none</span>],
    ["Made in", sourceText(op.source)],
  ];
}

function variableFacts(op: Op, variable: Variable): [string, ComponentChildren][] {
  const { collections } = variable;
  return [
    ["Shape", shapeText(variable.shape)],
    ["Type", `${variable.dtype}${op.type === "VarHandleOp" ? ", resource" : ""}`],
    ["Size", bytesText(variable.bytes)],
    ["Trainable", variable.trainable ? "yes" : "no"],
    ["Device asked", op.device ? visible(op.device) : <span class="tfb-faint">none</span>],
    ["Made in", sourceText(variable.created_at)],
    ["Collections", collections.map((name) => shorten(name, 40)).join(", ")],
  ];
}

function Values({ model, variable }: { model: Model; variable: Variable }) {
  const index = model.variableOf(variable.op);
  const stats = model.stats.get(index);
  const past = model.history.get(index) ?? [];
  if (variable.initialized === null) return null;
  if (!variable.initialized) {
    return (
      <p class="tfb-note tfb-warn">
        Not initialized in this session. Run its initializer, or <code>%init</code>.
      </p>
    );
  }
  if (!stats?.has) return null;
  const bad = stats.nans + stats.infs;
  return (
    <section class="tfb-values" data-testid="tfb-values">
      {!Number.isNaN(stats.mean) && (
        <>
          <Histogram counts={stats.histogram} low={stats.low} high={stats.high} width={220} height={44} />
          <div class="tfb-axis">
            <span>{numberText(stats.low)}</span>
            <span>{numberText(stats.high)}</span>
          </div>
          <Facts
            rows={[
              ["Mean", `${stats.sampled ? "≈ " : ""}${numberText(stats.mean)}`],
              ["Spread", numberText(stats.std)],
            ]}
          />
        </>
      )}
      {bad > 0 && (
        <p class="tfb-note tfb-bad">
          {stats.nans > 0 && count(stats.nans, "NaN element")}
          {stats.nans > 0 && stats.infs > 0 && ", "}
          {stats.infs > 0 && count(stats.infs, "infinite element")}
        </p>
      )}
      {past.length > 1 && (
        <div class="tfb-trend">
          <span>Mean over updates</span>
          <Sparkline values={past} width={120} height={22} />
        </div>
      )}
      {stats.sampled && <p class="tfb-faint tfb-fine">From a sample of the elements.</p>}
    </section>
  );
}

function Sharing({ model, variable }: { model: Model; variable: Variable }) {
  const list = (names: string[]): { name: string; side: string }[] =>
    names.map((name) => ({ name, side: shorten(model.ops[model.find(name)]?.type ?? "", 22) }));
  return (
    <>
      {variable.shared_with.length > 0 && (
        <Section title="Shared with" n={variable.shared_with.length}>
          <ul class="tfb-plain">
            {variable.shared_with.slice(0, 20).map((source, i) => (
              <li key={i}>{sourceText(source)}</li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Read by" n={variable.read_by.length}>
        {variable.read_by.length ? <LinkList model={model} items={list(variable.read_by)} /> : <p class="tfb-faint">nothing in this graph</p>}
      </Section>
      <Section title="Written by" n={variable.written_by.length}>
        {variable.written_by.length ? <LinkList model={model} items={list(variable.written_by)} /> : <p class="tfb-faint">nothing: it cannot be initialized</p>}
      </Section>
    </>
  );
}

function Inputs({ model, op }: { model: Model; op: Op }) {
  const data: { name: string; side: string }[] = [];
  for (let i = 0; i < op.inputs.length; i += 2) {
    const from = model.ops[op.inputs[i]!];
    const slot = op.inputs[i + 1]!;
    if (from) data.push({ name: from.name, side: `${slot ? `:${slot} ` : ""}${outputText(from.outputs[slot])}` });
  }
  const control = [...op.control].flatMap((i) => (model.ops[i] ? [{ name: model.ops[i]!.name, side: model.ops[i]!.type }] : []));
  return (
    <>
      {data.length > 0 && (
        <Section title="Inputs" n={data.length}>
          <LinkList model={model} items={data} />
        </Section>
      )}
      {control.length > 0 && (
        <Section title="Waits for" n={control.length}>
          <LinkList model={model} items={control} />
        </Section>
      )}
    </>
  );
}

function Outputs({ model, index, op, quiet }: { model: Model; index: number; op: Op; quiet: boolean }) {
  const { target, kind, output } = model.edges;
  const users = model.out[index] ?? [];
  const data = users.filter((e) => kind[e] !== CONTROL);
  const control = users.filter((e) => kind[e] === CONTROL);
  const item = (e: number): { name: string; side: string } => {
    const to = model.ops[target[e]!]!;
    return { name: to.name, side: `${output[e]! > 0 ? `:${output[e]} → ` : ""}${shorten(to.type, 22)}` };
  };
  return (
    <>
      {!quiet && op.outputs.length > 0 && (
        <Section title={op.outputs.length > 1 ? "Outputs" : "Output"} n={op.outputs.length}>
          <ul class="tfb-plain">
            {op.outputs.slice(0, 16).map((out, i) => (
              <li key={i}>
                <code>:{i}</code> {outputText(out)}
                {out.dtype.endsWith("_ref") && <span class="tfb-faint"> reference</span>}
              </li>
            ))}
            {op.outputs.length > 16 && <li class="tfb-faint">{op.outputs.length - 16} more</li>}
          </ul>
        </Section>
      )}
      {!quiet && data.length > 0 && (
        <Section title="Used by" n={data.length}>
          <LinkList model={model} items={data.map(item)} />
        </Section>
      )}
      {control.length > 0 && (
        <Section title="Runs before" n={control.length}>
          <LinkList model={model} items={control.map(item)} />
        </Section>
      )}
    </>
  );
}

function Attributes({ op }: { op: Op }) {
  if (!op.attrs.length) return null;
  return (
    <Section title="Attributes">
      <table class="tfb-attrs">
        <tbody>
          {op.attrs.map(([key, value]) => (
            <tr key={key}>
              <th scope="row">{shorten(key, 40)}</th>
              <td>{visible(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function typeCounts(model: Model, ops: Iterable<number>): [string, number][] {
  const counts = new Map<string, number>();
  for (const op of ops) counts.set(model.ops[op]!.type, (counts.get(model.ops[op]!.type) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function Types({ model, counts }: { model: Model; counts: [string, number][] }) {
  return (
    <Section title="Operation types" n={counts.length}>
      <ul class="tfb-bars">
        {counts.slice(0, 10).map(([type, n]) => (
          <li key={type}>
            <button type="button" class="tfb-link" title="Search for this type" onClick={() => model.search(`type:${type}`)}>
              {shorten(type, 26)}
            </button>
            <span class="tfb-bar" style={{ width: `${Math.max(2, (n / counts[0]![1]) * 60)}px` }} />
            <span class="tfb-side">{n}</span>
          </li>
        ))}
        {counts.length > 10 && <li class="tfb-faint">and {counts.length - 10} more types</li>}
      </ul>
    </Section>
  );
}

function ScopeCard({ model, tree, node }: { model: Model; tree: Hierarchy; node: number }) {
  const group = tree.nodes[node]!;
  const ops = tree.operations(node);
  const inside = new Set(ops);
  const { source, target } = model.edges;
  const from = new Map<number, number>();
  const to = new Map<number, number>();
  for (const op of ops) {
    for (const e of model.into[op]!) if (!inside.has(source[e]!)) from.set(source[e]!, e);
    for (const e of model.out[op]!) if (!inside.has(target[e]!)) to.set(target[e]!, e);
  }
  const own = model.variables.filter((v) => inside.has(v.op));
  const bytes = own.reduce((sum, v) => sum + (v.bytes ?? 0), 0);
  const item = (op: number): { name: string; side: string } => ({ name: model.ops[op]!.name, side: shorten(model.ops[op]!.type, 22) });
  return (
    <>
      <Heading model={model} kicker={group.kind === "series" ? "Series" : "Scope"} name={group.id} />
      <Facts
        rows={[
          ["Operations", group.total],
          ["Variables", own.length ? `${own.length}, ${bytesText(bytes)}` : ""],
        ]}
      />
      {own.length > 0 && (
        <Section title="Variables" n={own.length}>
          <LinkList model={model} items={own.map((v) => ({ name: v.name, side: shapeText(v.shape) }))} />
        </Section>
      )}
      {from.size > 0 && (
        <Section title="Takes from" n={from.size}>
          <LinkList model={model} items={[...from.keys()].map(item)} />
        </Section>
      )}
      {to.size > 0 && (
        <Section title="Gives to" n={to.size}>
          <LinkList model={model} items={[...to.keys()].map(item)} />
        </Section>
      )}
      <Types model={model} counts={typeCounts(model, ops)} />
    </>
  );
}

function GraphCard({ model }: { model: Model }) {
  const { ops, variables } = model;
  const devices = new Map<string, number>();
  for (const op of ops) devices.set(op.device, (devices.get(op.device) ?? 0) + 1);
  const bytes = variables.reduce((sum, v) => sum + (v.bytes ?? 0), 0);
  const unset = variables.filter((v) => v.initialized === false);
  return (
    <>
      <Heading model={model} kicker="Graph" name={model.graph.name || "graph"} />
      <Facts
        rows={[
          ["Operations", ops.length.toLocaleString("en")],
          ["Variables", variables.length ? `${variables.length}, ${bytesText(bytes)}` : "none"],
          ["Trainable", variables.length ? String(variables.filter((v) => v.trainable).length) : ""],
        ]}
      />
      {unset.length > 0 && (
        <Section title="Not initialized" n={unset.length}>
          <LinkList model={model} items={unset.map((v) => ({ name: v.name, side: shapeText(v.shape) }))} />
        </Section>
      )}
      <Types model={model} counts={typeCounts(model, ops.keys())} />
      {devices.size > 0 && !(devices.size === 1 && devices.has("")) && (
        <Section title="Devices asked">
          <ul class="tfb-plain">
            {[...devices].sort().map(([device, n]) => (
              <li key={device}>
                {device ? shorten(device, 40) : <span class="tfb-faint">none</span>} <span class="tfb-side">{n}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <p class="tfb-faint tfb-fine">Choose a box, a row or a search result to see what it is.</p>
    </>
  );
}
