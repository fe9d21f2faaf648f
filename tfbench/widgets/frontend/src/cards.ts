// The cards of the map: what a box says, and the rows on it that stand for edges without a line.

import type { Group, Hierarchy } from "./hierarchy";
import { VARIABLE_TYPES } from "./hierarchy";
import type { Model } from "./model";
import { count, outputText, shapeText, shorten } from "./text";

export type Mode = "read" | "write" | "control" | "constant" | "hub";

export interface Row {
  /** the node that the row stands for; -1: a note */
  node: number;
  mode: Mode;
  label: string;
  detail: string;
}

export interface Card {
  node: number;
  shape: "card" | "pill" | "group";
  title: string;
  subtitle: string;
  rows: Row[];
  w: number;
  h: number;
}

/** Widths of a text in the map's fonts. */
export type Measure = (text: string, font: "title" | "small") => number;

export const CARD = { padX: 11, padY: 7, title: 16, line: 15, rowGap: 5 };
const MAX_ROWS = 4;
const LABEL = 30;

export class Cards {
  readonly all = new Map<number, Card>();
  /** closed cards that can be opened; of those, the scopes (drawn as a stack) */
  readonly expandable = new Set<number>();
  readonly stacks = new Set<number>();
  private readonly rows = new Map<number, Row[]>();
  /** edges that a card only counts */
  private readonly notes = new Map<number, { variables: number; inputs: number }>();

  constructor(
    private readonly model: Model,
    private readonly tree: Hierarchy,
    private readonly measure: Measure,
  ) {}

  private group(node: number): Group {
    return this.tree.nodes[node]!;
  }

  /** A row on `to`'s card that stands for what comes from `from`. */
  addRow(from: number, to: number, mode: Mode): void {
    const row = this.rowFor(from, mode, this.group(to).parent);
    const rows = this.rows.get(to);
    if (!rows) this.rows.set(to, [row]);
    else if (!rows.some((r) => r.node === row.node && r.mode === row.mode)) rows.push(row);
  }

  /** One more of what `node`'s card only counts. */
  addNote(node: number, what: "variables" | "inputs"): void {
    let note = this.notes.get(node);
    if (!note) this.notes.set(node, (note = { variables: 0, inputs: 0 }));
    note[what]++;
  }

  /** `near`: the scope that the row is read in. */
  private rowFor(node: number, mode: Mode, near: number): Row {
    const group = this.group(node);
    const op = group.op < 0 ? undefined : this.model.ops[group.op];
    let detail = "";
    if (mode === "constant" && op) detail = constantText(op.attrs, op.outputs);
    else if (isVariable(this.model, this.tree, node)) detail = variableShape(this.model, group.op);
    const away = group.parent !== near && group.parent !== 0 && mode !== "constant";
    const label = away ? `${this.group(group.parent).label}/${group.label}` : group.label;
    return { node, mode, label, detail };
  }

  /** Makes the card of a node. */
  make(node: number, open: boolean): Card {
    const group = this.group(node);
    const pill = !open && isVariable(this.model, this.tree, node);
    const title = shorten(group.label, LABEL);
    if (open) {
      const subtitle = count(group.total, "op");
      const w = this.measure(title, "title") + this.measure(subtitle, "small") + 58;
      return this.keep({ node, shape: "group", title, subtitle, rows: [], w, h: 0 });
    }
    if (pill) {
      const subtitle = variableShape(this.model, group.op);
      const w = this.measure(title, "title") + this.measure(subtitle, "small") + 46;
      return this.keep({ node, shape: "pill", title, subtitle, rows: [], w, h: 26 });
    }
    const subtitle = this.subtitle(group);
    const rows = [...this.inner(group), ...(this.rows.get(node) ?? [])];
    const shown = rows.length > MAX_ROWS ? rows.slice(0, MAX_ROWS - 1) : rows;
    if (rows.length > shown.length) {
      shown.push({ node: -1, mode: "hub", label: `+ ${rows.length - shown.length} more`, detail: "" });
    }
    const note = this.notes.get(node);
    const say = (label: string): number => shown.push({ node: -1, mode: "control", label, detail: "" });
    if (note?.variables) say(`waits for ${count(note.variables, "variable")}`);
    if (note?.inputs) say(`and ${count(note.inputs, "input")}`);
    let w = Math.max(this.measure(title, "title") + (group.children.length ? 18 : 0), this.measure(subtitle, "small"));
    for (const row of shown) {
      row.label = shorten(row.label, LABEL - 4);
      row.detail = shorten(row.detail, 22);
      const gap = row.detail ? 10 : 0;
      w = Math.max(w, 14 + this.measure(row.label, "small") + gap + this.measure(row.detail, "small"));
    }
    const lines = (subtitle ? CARD.line : 0) + (shown.length ? CARD.rowGap + shown.length * CARD.line : 0);
    return this.keep({
      node,
      shape: "card",
      title,
      subtitle,
      rows: shown,
      w: Math.max(72, Math.ceil(w) + 2 * CARD.padX),
      h: 2 * CARD.padY + CARD.title + lines,
    });
  }

  /** A bundle's own constants, written like the rows that come from outside. */
  private inner(group: Group): Row[] {
    if (group.kind !== "bundle") return [];
    return group.children
      .filter((child) => this.model.ops[this.group(child).op]!.type === "Const")
      .map((child) => this.rowFor(child, "constant", group.parent));
  }

  private subtitle(group: Group): string {
    if (group.kind === "scope" || group.kind === "series") {
      const parts = [count(group.total, "op")];
      if (group.variables) parts.push(count(group.variables, "variable"));
      return parts.join(" · ");
    }
    const op = this.model.ops[group.op]!;
    const same = op.type.toLowerCase().replace(/v\d$/, "") === group.label.toLowerCase().replace(/_\d+$/, "");
    const output = op.outputs[0];
    const shape = !output || output.shape === null ? "" : shapeText(output.shape);
    if (same) return shape || (op.outputs.length ? outputText(output) : "no output");
    return shape ? `${shorten(op.type, 26)} · ${shape}` : shorten(op.type, 34);
  }

  private keep(card: Card): Card {
    const { children, kind } = this.group(card.node);
    if (card.shape !== "group" && children.length) {
      this.expandable.add(card.node);
      if (kind === "scope" || kind === "series") this.stacks.add(card.node);
    }
    this.all.set(card.node, card);
    return card;
  }
}

export function isVariable(model: Model, tree: Hierarchy, node: number): boolean {
  const { kind, op, parent } = tree.nodes[node]!;
  if (kind === "variable") return true;
  return kind === "op" && VARIABLE_TYPES.has(model.ops[op]!.type) && tree.nodes[parent]!.kind !== "variable";
}

function variableShape(model: Model, op: number): string {
  const variable = model.variables[model.variableOf(op)];
  if (variable) return shapeText(variable.shape);
  return shapeText(model.ops[op]?.outputs[0]?.shape ?? null);
}

function constantText(attrs: [string, string][], outputs: { dtype: string; shape: number[] | null }[]): string {
  const value = attrs.find(([key]) => key === "value")?.[1];
  return value ?? outputText(outputs[0]);
}
