// The outline: the same scopes and operations as the map, as a tree that a keyboard or a screen reader can walk.
// Only the rows in sight are in the page.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useModel, useSize } from "./hooks";
import type { Group } from "./hierarchy";
import type { Model } from "./model";
import { shapeText, shorten, visible } from "./text";

const ROW = 24;

interface TreeRow {
  node: number;
  depth: number;
  group: Group;
}

export function Outline({ model }: { model: Model }) {
  useModel(model, "graph", "shown", "selection", "query");
  const { shown: tree } = model;
  const [open, setOpen] = useState<Set<string>>(() => new Set());
  const [scroller, size] = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const matches = model.matches();
  const bright = useMemo(() => {
    if (!matches) return null;
    const set = new Set<number>();
    for (const op of matches) for (let n = tree.leaf[op]!; n > 0; n = tree.nodes[n]!.parent) set.add(n);
    return set;
  }, [matches, tree]);
  const rows = useMemo(() => flatten(tree.nodes, open, bright), [tree, open, bright]);
  const selected = tree.standFor(tree.find(model.selected));
  const current = Math.max(0, rows.findIndex((row) => row.node === selected));

  useEffect(() => {
    // What is chosen elsewhere is opened and scrolled to here.
    if (selected < 0) return;
    const missing = tree.path(tree.standFor(selected)).slice(1, -1).map((n) => tree.nodes[n]!.id).filter((id) => !open.has(id));
    if (missing.length) setOpen(new Set([...open, ...missing]));
  }, [model.selected, tree]);
  useEffect(() => {
    const element = scroller.current;
    if (!element || selected < 0) return;
    const y = current * ROW;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW > element.scrollTop + element.clientHeight) element.scrollTop = y + ROW - element.clientHeight;
  }, [model.selected, rows]);

  const toggle = (id: string): void => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const choose = (row: TreeRow | undefined): void => {
    if (row) model.select(tree.selectionOf(row.node, model.ops));
  };
  const list = useRef<HTMLDivElement>(null);
  const key = (event: KeyboardEvent): void => {
    // Keys may come faster than the page is drawn: where we are is asked of the model.
    const selected = tree.standFor(tree.find(model.selected));
    const current = Math.max(0, rows.findIndex((candidate) => candidate.node === selected));
    const row = rows[current];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const { group } = row;
    const isOpen = open.has(group.id) || bright !== null;
    switch (event.key) {
      case "ArrowDown":
        choose(selected < 0 ? rows[0] : rows[current + 1]);
        break;
      case "ArrowUp":
        choose(rows[current - 1]);
        break;
      case "Home":
        choose(rows[0]);
        break;
      case "End":
        choose(rows[rows.length - 1]);
        break;
      case "ArrowRight":
        if (group.children.length && !isOpen) toggle(group.id);
        else if (group.children.length) choose(rows[current + 1]);
        break;
      case "ArrowLeft":
        if (group.children.length && isOpen) toggle(group.id);
        else choose(rows.find((r) => r.node === group.parent));
        break;
      case "Enter":
      case " ":
        if (group.children.length) toggle(group.id);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const first = Math.max(0, Math.floor(top / ROW) - 4);
  const shown = rows.slice(first, first + Math.ceil(size.h / ROW) + 8);
  return (
    <div
      class="tfb-outline"
      ref={scroller}
      onScroll={(e) => setTop(e.currentTarget.scrollTop)}
      data-testid="tfb-outline"
    >
      <div
        role="tree"
        aria-label="Scopes and operations"
        tabIndex={0}
        ref={list}
        aria-activedescendant={selected < 0 ? undefined : `tfb-row-${rows[current]?.node}`}
        onKeyDown={key}
        style={{ height: `${rows.length * ROW}px` }}
      >
        {shown.map((row, i) => (
          <TreeItem
            key={row.node}
            row={row}
            top={(first + i) * ROW}
            open={open.has(row.group.id) || (bright !== null && row.group.children.length > 0)}
            selected={row.node === selected}
            side={side(model, row.group)}
            choose={() => choose(row)}
            toggle={() => toggle(row.group.id)}
          />
        ))}
      </div>
      {!rows.length && <p class="tfb-none">No operation fits the search.</p>}
    </div>
  );
}

/** What a row says on its right: how much a scope holds, a variable's shape, an operation's type. */
function side(model: Model, group: Group): string {
  if (group.kind === "scope" || group.kind === "series") return group.total.toLocaleString("en");
  const variable = model.variables[model.variableOf(group.op)];
  if (variable && group.kind === "variable") return shapeText(variable.shape);
  const { type } = model.ops[group.op]!;
  return type === group.label ? "" : shorten(type, 20);
}

interface ItemProps {
  row: TreeRow;
  top: number;
  open: boolean;
  selected: boolean;
  side: string;
  choose: () => void;
  toggle: () => void;
}

function TreeItem({ row, top, open, selected, side, choose, toggle }: ItemProps) {
  const { group, depth, node } = row;
  const folder = group.children.length > 0;
  return (
    <div
      id={`tfb-row-${node}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={folder ? open : undefined}
      aria-selected={selected}
      class={`tfb-item${selected ? " tfb-selected" : ""}`}
      style={{ top: `${top}px`, paddingLeft: `${6 + depth * 13}px` }}
      title={visible(group.id.slice(0, 400))}
      onClick={choose}
      onDblClick={() => folder && toggle()}
    >
      {folder ? (
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
      ) : (
        <span class="tfb-twist-none" />
      )}
      {group.kind === "variable" && <b class="tfb-var" aria-hidden="true">●</b>}
      <span class={group.kind === "scope" || group.kind === "series" ? "tfb-scope-name" : "tfb-op-name"}>{shorten(group.label, 40)}</span>
      <span class="tfb-side">{side}</span>
    </div>
  );
}

function flatten(nodes: Group[], open: Set<string>, bright: Set<number> | null): TreeRow[] {
  const rows: TreeRow[] = [];
  const pending: [number, number][] = [];
  const push = (node: number, depth: number): void => {
    const { children, op, kind } = nodes[node]!;
    for (let i = children.length - 1; i >= 0; i--) {
      const child = children[i]!;
      // The op that a variable or bundle is named after has its group's row.
      const self = kind !== "scope" && kind !== "series" && nodes[child]!.op === op;
      if (!self && (!bright || bright.has(child))) pending.push([child, depth]);
    }
  };
  push(0, 0);
  while (pending.length) {
    const [node, depth] = pending.pop()!;
    const group = nodes[node]!;
    rows.push({ node, depth, group });
    if (group.children.length && (bright ? true : open.has(group.id))) push(node, depth + 1);
  }
  return rows;
}
