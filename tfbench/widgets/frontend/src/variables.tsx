// The Variables view: the registry as a table, grouped by scope, with live values. Only the rows in sight exist
// in the page, so that thousands of variables repaint at the rate the kernel sends them.

import { useEffect, useMemo, useState } from "preact/hooks";
import { useModel, useSize } from "./hooks";
import { Histogram, Sparkline } from "./marks";
import type { Model } from "./model";
import type { Variable } from "./protocol";
import { bytesText, count, matcher, numberText, shapeText, shorten, visible } from "./text";
import { registerView, type ViewProps } from "./views";

const ROW = 28;
const NAME_WIDTH = 160;

interface ScopeRow {
  kind: "scope";
  path: string;
  label: string;
  depth: number;
  variables: number;
  bytes: number;
  unknown: boolean;
}

interface VariableRow {
  kind: "variable";
  index: number;
  label: string;
  depth: number;
}

type Row = ScopeRow | VariableRow;

interface Column {
  id: string;
  title: string;
  help: string;
  width: number;
  live: boolean;
  /** the lowest are shown first where the table is narrow */
  rank: number;
}

const COLUMNS: Column[] = [
  { id: "shape", title: "Shape", help: "static shape", width: 108, live: false, rank: 1 },
  { id: "dtype", title: "Type", help: "dtype", width: 68, live: false, rank: 10 },
  { id: "size", title: "Size", help: "bytes of the value", width: 66, live: false, rank: 4 },
  { id: "state", title: "State", help: "initialized or not in this session", width: 62, live: true, rank: 2 },
  { id: "mean", title: "Mean", help: "mean of the finite elements", width: 82, live: true, rank: 3 },
  { id: "std", title: "Spread", help: "standard deviation", width: 76, live: true, rank: 8 },
  { id: "range", title: "Min … max", help: "smallest and largest finite element", width: 122, live: true, rank: 11 },
  { id: "nan", title: "NaN", help: "NaN and infinite elements", width: 46, live: true, rank: 9 },
  { id: "spark", title: "Trend", help: "mean over updates, one point per look, newest at the right", width: 100, live: true, rank: 5 },
  { id: "hist", title: "Histogram", help: "distribution now", width: 84, live: true, rank: 6 },
  { id: "device", title: "Device", help: "device asked for", width: 92, live: false, rank: 12 },
  { id: "shared", title: "Shared", help: "later get_variable calls that returned it", width: 62, live: false, rank: 7 },
];

/** As many columns as fit, the most telling ones first, in their own order. */
function fitting(width: number, model: Model): Column[] {
  const shared = model.variables.some((v) => v.shared_with.length);
  const devices = model.variables.some((v) => v.device);
  let left = width - NAME_WIDTH;
  const kept = new Set<Column>();
  for (const column of [...COLUMNS].sort((a, b) => a.rank - b.rank)) {
    if (column.live && !model.graph.session) continue;
    if ((column.id === "shared" && !shared) || (column.id === "device" && !devices)) continue;
    if (column.width > left) continue;
    left -= column.width;
    kept.add(column);
  }
  return COLUMNS.filter((column) => kept.has(column));
}

function VariablesPane({ model }: ViewProps) {
  useModel(model, "graph", "selection", "query", "stats");
  const [closed, setClosed] = useState<Set<string>>(() => new Set());
  const [scroller, size] = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const rows = useMemo(() => tableRows(model.variables, closed, model.query), [model.variables, closed, model.query]);
  const shownColumns = fitting(size.w, model);
  const template = `minmax(${NAME_WIDTH}px, 1fr) ${shownColumns.map((c) => `${c.width}px`).join(" ")}`;
  const current = useMemo(() => rows.findIndex((row) => isCurrent(row, model)), [rows, model.selected]);

  useEffect(() => {
    const element = scroller.current;
    if (!element || current < 0) return;
    const y = current * ROW;
    const inner = element.clientHeight - ROW;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW > element.scrollTop + inner) element.scrollTop = y + ROW - inner;
  }, [model.selected]);

  if (!model.variables.length) {
    return (
      <div class="tfb-empty" data-testid="tfb-empty">
        <b class="tfb-var tfb-big" aria-hidden="true">
          ●
        </b>
        <strong>No variables yet</strong>
        <span>
          <code>tf.get_variable("weights", [3, 3])</code> or <code>tf.Variable(0.0)</code> makes one.
        </span>
      </div>
    );
  }

  const toggle = (path: string): void => {
    const next = new Set(closed);
    if (!next.delete(path)) next.add(path);
    setClosed(next);
  };
  const choose = (row: Row | undefined): void => {
    if (row) model.select(row.kind === "scope" ? `${row.path}/` : model.variables[row.index]!.name);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Keys may come faster than the page is drawn: where we are is asked of the model.
    const current = rows.findIndex((candidate) => isCurrent(candidate, model));
    const row = rows[current];
    const page = Math.max(1, Math.floor(size.h / ROW) - 2);
    const to = (i: number): void => choose(rows[Math.max(0, Math.min(rows.length - 1, i))]);
    if (event.key === "ArrowDown") to(current + 1);
    else if (event.key === "ArrowUp") to(current - 1);
    else if (event.key === "PageDown") to(current + page);
    else if (event.key === "PageUp") to(current - page);
    else if (event.key === "Home") to(0);
    else if (event.key === "End") to(rows.length - 1);
    else if (row?.kind === "scope" && (event.key === "Enter" || event.key === " ")) toggle(row.path);
    else if (row?.kind === "scope" && event.key === "ArrowRight" && closed.has(row.path)) toggle(row.path);
    else if (row?.kind === "scope" && event.key === "ArrowLeft" && !closed.has(row.path)) toggle(row.path);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const first = Math.max(0, Math.floor(top / ROW) - 4);
  const shown = rows.slice(first, first + Math.ceil(size.h / ROW) + 8);
  return (
    <div class="tfb-table" ref={scroller} onScroll={(e) => setTop(e.currentTarget.scrollTop)} data-testid="tfb-variables">
      <div
        role="treegrid"
        aria-label="Variables"
        aria-rowcount={rows.length + 1}
        tabIndex={0}
        aria-activedescendant={current < 0 ? undefined : `tfb-var-${current}`}
        onKeyDown={key}
      >
        <div role="row" class="tfb-head" style={{ gridTemplateColumns: template }}>
          <span role="columnheader">Variable</span>
          {shownColumns.map((c) => (
            <span role="columnheader" key={c.id} title={c.help} class={`tfb-c-${c.id}`}>
              {c.title}
            </span>
          ))}
        </div>
        <div class="tfb-rows" style={{ height: `${rows.length * ROW}px` }}>
          {shown.map((row, i) => (
            <TableRow
              // A row that scrolls out lends its elements to one that scrolls in.
              key={(first + i) % shown.length}
              place={first + i}
              row={row}
              model={model}
              columns={shownColumns}
              template={template}
              selected={first + i === current}
              open={row.kind === "scope" && !closed.has(row.path)}
              choose={() => choose(row)}
              toggle={() => row.kind === "scope" && toggle(row.path)}
            />
          ))}
        </div>
      </div>
      {!rows.length && <p class="tfb-none">No variable fits the search.</p>}
    </div>
  );
}

interface RowProps {
  row: Row;
  place: number;
  model: Model;
  columns: Column[];
  template: string;
  selected: boolean;
  open: boolean;
  choose: () => void;
  toggle: () => void;
}

function TableRow({ row, place, model, columns, template, selected, open, choose, toggle }: RowProps) {
  const common = {
    id: `tfb-var-${place}`,
    role: "row" as const,
    "aria-rowindex": place + 2,
    "aria-level": row.depth + 1,
    "aria-selected": selected,
    onClick: choose,
    style: { top: `${place * ROW}px`, gridTemplateColumns: template },
  };
  const indent = { paddingLeft: `${8 + row.depth * 14}px` };
  if (row.kind === "scope") {
    return (
      <div {...common} aria-expanded={open} class={`tfb-row tfb-scope-row${selected ? " tfb-selected" : ""}`} onDblClick={toggle}>
        <span role="gridcell" style={{ ...indent, gridColumn: "1 / -1" }} title={visible(row.path.slice(0, 400))}>
          <button
            type="button"
            tabIndex={-1}
            class={`tfb-twist${open ? " tfb-open" : ""}`}
            aria-label={open ? "Close" : "Open"}
            onClick={(e) => {
              e.stopPropagation();
              toggle();
            }}
          />
          <span class="tfb-scope-name">{shorten(row.label, 60)}</span>
          <span class="tfb-faint">
            {count(row.variables, "variable")} · {row.unknown ? "≥ " : ""}
            {bytesText(row.bytes)}
          </span>
        </span>
      </div>
    );
  }
  const variable = model.variables[row.index]!;
  return (
    <div {...common} class={`tfb-row${selected ? " tfb-selected" : ""}`} data-name={variable.name}>
      <span role="gridcell" style={indent} title={visible(variable.name.slice(0, 400))} class="tfb-c-name">
        <b class={`tfb-var${variable.trainable ? "" : " tfb-hollow"}`} title={variable.trainable ? "trainable" : "not trainable"}>
          {variable.trainable ? "●" : "○"}
        </b>
        <span class="tfb-op-name">{shorten(row.label, 60)}</span>
      </span>
      {columns.map((c) => (
        <span role="gridcell" key={c.id} class={`tfb-c-${c.id}`}>
          <Cell id={c.id} variable={variable} index={row.index} model={model} />
        </span>
      ))}
    </div>
  );
}

function Cell({ id, variable, index, model }: { id: string; variable: Variable; index: number; model: Model }) {
  const stats = model.stats.get(index);
  const known = stats?.has && !Number.isNaN(stats.mean) ? stats : undefined;
  switch (id) {
    case "shape":
      return <>{shapeText(variable.shape)}</>;
    case "dtype":
      return <>{variable.dtype}</>;
    case "size":
      return <>{bytesText(variable.bytes)}</>;
    case "state":
      if (variable.initialized === null) return <span class="tfb-faint">–</span>;
      return variable.initialized ? <span class="tfb-ok">ready</span> : <span class="tfb-warn">not set</span>;
    case "mean":
      return <span title={known?.sampled ? "from a sample of the elements" : undefined}>{known ? `${known.sampled ? "≈ " : ""}${numberText(known.mean)}` : ""}</span>;
    case "std":
      return <>{known ? numberText(known.std) : ""}</>;
    case "range":
      return <>{known ? `${numberText(known.low)} … ${numberText(known.high)}` : ""}</>;
    case "nan": {
      if (!stats?.has) return null;
      const bad = stats.nans + stats.infs;
      return bad ? (
        <span class="tfb-bad" title={`${stats.nans} NaN, ${stats.infs} infinite${stats.sampled ? " in the sample" : ""}`}>
          {bad.toLocaleString("en")}
        </span>
      ) : (
        <span class="tfb-faint">0</span>
      );
    }
    case "spark":
      return <Sparkline values={model.history.get(index) ?? []} />;
    case "hist":
      return known ? <Histogram counts={known.histogram} low={known.low} high={known.high} /> : null;
    case "device":
      return <span title={visible(variable.device)}>{shorten(variable.device.replace(/^\/device:/, "/"), 14)}</span>;
    case "shared":
      return variable.shared_with.length ? (
        <span class="tfb-shared" title={`returned again by ${count(variable.shared_with.length, "later call")}`}>
          ×{variable.shared_with.length + 1}
        </span>
      ) : null;
    default:
      return null;
  }
}

function isCurrent(row: Row, model: Model): boolean {
  return row.kind === "scope" ? `${row.path}/` === model.selected : model.variables[row.index]!.name === model.selected;
}

interface Branch {
  path: string;
  label: string;
  scopes: Map<string, Branch>;
  rows: (Branch | number)[];
  variables: number;
  bytes: number;
  unknown: boolean;
}

/** Scope rows and variable rows, in creation order; a scope of one child and no more is folded into it. */
function tableRows(variables: Variable[], closed: Set<string>, query: string): Row[] {
  const branch = (path: string, label: string): Branch => ({ path, label, scopes: new Map(), rows: [], variables: 0, bytes: 0, unknown: false });
  const root = branch("", "");
  const fits = matcher(query);
  variables.forEach((variable, index) => {
    if (query.trim() && !fits(variable.name, variable.dtype, variable.device)) return;
    const parts = variable.name.split("/").slice(0, 64);
    let node = root;
    let path = "";
    for (const part of parts.slice(0, -1)) {
      path = path ? `${path}/${part}` : part;
      let child = node.scopes.get(part);
      if (!child) {
        child = branch(path, part);
        node.scopes.set(part, child);
        node.rows.push(child);
      }
      node = child;
      node.variables++;
      node.bytes += variable.bytes ?? 0;
      node.unknown ||= variable.bytes === null;
    }
    node.rows.push(index);
  });
  const rows: Row[] = [];
  const walk = (node: Branch, depth: number): void => {
    for (const child of node.rows) {
      if (typeof child === "number") {
        const name = variables[child]!.name;
        rows.push({ kind: "variable", index: child, label: name.slice(node.path ? node.path.length + 1 : 0), depth });
        continue;
      }
      let scope = child;
      let label = scope.label;
      while (scope.rows.length === 1 && typeof scope.rows[0] !== "number") {
        scope = scope.rows[0] as Branch;
        label += `/${scope.label}`;
      }
      const { path, variables: n, bytes, unknown } = scope;
      rows.push({ kind: "scope", path, label, depth, variables: n, bytes, unknown });
      if (!closed.has(path) || query.trim()) walk(scope, depth + 1);
    }
  };
  walk(root, 0);
  return rows;
}

registerView({ id: "variables", title: "Variables", order: 20, component: VariablesPane });
