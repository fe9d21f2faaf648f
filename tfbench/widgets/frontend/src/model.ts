// The page's copy of one graph: operations, variables, live statistics, and who listens. One model serves all
// views of one widget. Nothing here knows about drawing.

import { Hierarchy } from "./hierarchy";
import { meant, shownOps, type Rule } from "./showing";
import { readFilters, readMaps, readOrder, readPlacement, type FiltersAnswer, type MapsAnswer, type OrderAnswer, type PlacementAnswer } from "./answers";
import type { GraphInfo, Message, Op, Stats, Variable } from "./protocol";
import { readControl, type Command, type Control } from "./stepper";
import { closeness, matcher } from "./text";
import { bytes, readHistory, readRows, readStats } from "./protocol";

/** Points a sparkline keeps. */
export const HISTORY = 120;

export interface EdgeTable {
  source: Int32Array;
  target: Int32Array;
  /** output index of the source; -1 for a control edge */
  output: Int32Array;
  kind: Uint8Array;
}

export const DATA = 0;
export const CONTROL = 1;
export const REFERENCE = 2;

export type Topic = "control" | "graph" | "shown" | "stats" | "status" | "selection" | "tab" | "query" | "answer";

export class Model {
  ops: Op[] = [];
  variables: Variable[] = [];
  graph: GraphInfo = { name: "", version: 0, session: false };
  /** variable index -> what it holds now */
  stats = new Map<number, Stats>();
  history = new Map<number, number[]>();
  runs = 0;
  status = "";
  state: "waiting" | "idle" | "live" | "closed" = "waiting";
  edges: EdgeTable = { source: new Int32Array(0), target: new Int32Array(0), output: new Int32Array(0), kind: new Uint8Array(0) };
  /** edge indices leaving and entering each op */
  out: number[][] = [];
  into: number[][] = [];
  private byName = new Map<string, number>();
  private variableOfOp = new Map<number, number>();
  private takers = new Set<(form: "svg" | "html", content: ArrayBuffer, error: string) => void>();
  private listeners = new Map<Topic, Set<() => void>>();

  private hierarchy: Hierarchy | null = null;
  private found: { query: string; ops: number[] } | null = null;

  /** What is chosen: an operation's name, or a scope's path with a slash at its end; '' for nothing. */
  selected = "";
  tab = "";
  query = "";

  /** The operation whose run the Order view shows; '' for none. */
  fetch = "";
  /** What the kernel last said of it, and of where operations run; null while it is asked. */
  order: OrderAnswer | null = null;
  placement: PlacementAnswer | null = null;
  filters: FiltersAnswer | null = null;
  maps: MapsAnswer | null = null;
  /** how often the user has given a feed */
  feeds = 0;
  /** Asks the kernel; whoever connects the model says how. */
  ask: (what: "order" | "placement" | "filters" | "maps" | "export", fetch: string, more?: { image: number }) => void = () => {};

  /** The run that is held or stepped through, and what runs; null without a session. */
  control: Control | null = null;
  /** What an operation gave in that run. */
  said: { op: string; said: string[] } | null = null;
  /** A command was not heard: the kernel lets no message in while it is busy. */
  unheard = false;
  command: (what: Command, op?: string) => void = () => {};
  interrupt: () => void = () => {};

  /** What the map leaves out and how it groups. */
  rules: Rule[] = [];
  private view: { tree: Hierarchy; count: number } | null = null;

  /** The tree of scopes of the graph as it is now. */
  get tree(): Hierarchy {
    return (this.hierarchy ??= new Hierarchy(this.ops));
  }

  /** The tree that map and outline show: without what the rules hide, with the groups that they ask for. */
  get shown(): Hierarchy {
    return this.look().tree;
  }

  /** How many operations the rules leave on the map. */
  get shownCount(): number {
    return this.look().count;
  }

  private look(): { tree: Hierarchy; count: number } {
    if (this.view) return this.view;
    const { rules, ops } = this;
    if (!rules.length) return (this.view = { tree: this.tree, count: ops.length });
    const shown = shownOps(this, rules);
    const groups = rules.filter((rule) => rule.do === "group").map((rule) => ({ name: rule.name || "group", ops: meant(this, rule) }));
    const dissolved = rules.filter((rule) => rule.do === "dissolve").flatMap((rule) => rule.what.map((name) => `${name}/`));
    const count = shown ? shown.reduce((sum, one) => sum + one, 0) : ops.length;
    return (this.view = { tree: new Hierarchy(ops, shown, groups, dissolved), count });
  }

  /** The rule that a box of the map was made by. */
  ruleOfGroup(id: string): Rule | undefined {
    return id ? this.rules.filter((rule) => rule.do === "group")[this.shown.groups.indexOf(id)] : undefined;
  }

  setRules(rules: Rule[]): void {
    if (JSON.stringify(rules) === JSON.stringify(this.rules)) return;
    this.rules = rules;
    this.view = null;
    this.emit("shown");
  }

  /** One rule more; the same rule again changes nothing. */
  addRule(rule: Rule): void {
    const text = JSON.stringify(rule);
    this.setRules([...this.rules.filter((old) => JSON.stringify(old) !== text), rule]);
  }

  on(topic: Topic, listener: () => void): () => void {
    let set = this.listeners.get(topic);
    if (!set) this.listeners.set(topic, (set = new Set()));
    set.add(listener);
    return () => set.delete(listener);
  }

  /** `take` gets the files that the kernel makes. */
  onExport(take: (form: "svg" | "html", content: ArrayBuffer, error: string) => void): () => void {
    this.takers.add(take);
    return () => this.takers.delete(take);
  }

  emit(topic: Topic): void {
    for (const listener of [...(this.listeners.get(topic) ?? [])]) listener();
  }

  select(name: string): void {
    if (name === this.selected) return;
    this.selected = name;
    this.emit("selection");
  }

  /** Operations that the search fits; null while there is no search. */
  matches(): number[] | null {
    if (!this.query.trim()) return null;
    if (this.found?.query !== this.query) {
      const fits = matcher(this.query);
      const ops: number[] = [];
      this.ops.forEach((op, i) => fits(op.name, op.type, op.device) && ops.push(i));
      const near = new Map(ops.map((op) => [op, closeness(this.query, this.ops[op]!.name)]));
      ops.sort((a, b) => near.get(a)! - near.get(b)! || a - b);
      this.found = { query: this.query, ops };
    }
    return this.found.ops;
  }

  search(query: string): void {
    if (query === this.query) return;
    this.query = query;
    this.emit("query");
  }

  show(tab: string): void {
    if (tab === this.tab) return;
    this.tab = tab;
    this.emit("tab");
  }

  /** Asks in which order `fetch` runs. */
  fetchOrder(fetch: string): void {
    if (fetch !== this.fetch) this.order = null;
    this.fetch = fetch;
    this.ask("order", fetch);
    this.emit("answer");
  }

  find(name: string): number {
    return this.byName.get(name) ?? -1;
  }

  /** The index in `variables` of the variable whose buffer op `op` is, or -1. */
  variableOf(op: number): number {
    return this.variableOfOp.get(op) ?? -1;
  }

  apply(message: Message, buffers: (DataView | ArrayBuffer)[]): void {
    switch (message.kind) {
      case "snapshot":
      case "delta": {
        if (message.kind === "snapshot") {
          this.ops = [];
          this.variables = [];
          this.stats.clear();
          this.history.clear();
        }
        const ops = [...this.ops];
        for (const [index, op] of readRows(message.rows, buffers)) ops[index] = op;
        ops.length = message.total;
        this.graph = message.graph;
        if (this.state === "waiting" || this.state === "closed") this.state = "idle";
        this.load(ops, message.variables ?? this.variables);
        break;
      }
      case "stats": {
        this.runs = message.runs;
        for (const [index, past] of readHistory(message, buffers)) this.history.set(index, past);
        for (const [index, stats] of readStats(message, buffers)) {
          this.stats.set(index, stats);
          const variable = this.variables[index];
          if (variable) variable.initialized = stats.initialized;
          if (!stats.has || Number.isNaN(stats.mean)) continue;
          let past = this.history.get(index);
          if (!past) this.history.set(index, (past = []));
          past.push(stats.mean);
          if (past.length > HISTORY) past.splice(0, past.length - HISTORY);
        }
        this.emit("stats");
        break;
      }
      case "order":
        // An answer to an earlier question is no longer wanted.
        if (message.fetch !== this.fetch) break;
        this.order = readOrder(message, buffers);
        this.emit("answer");
        break;
      case "placement":
        this.placement = readPlacement(message, buffers);
        this.emit("answer");
        break;
      case "filters":
        this.filters = readFilters(message, buffers);
        this.emit("answer");
        break;
      case "maps":
        this.maps = readMaps(message, buffers);
        this.emit("answer");
        break;
      case "export":
        for (const take of this.takers) take(message.fetch, buffers[0] ? bytes(buffers[0]) : new ArrayBuffer(0), message.error ?? "");
        break;
      case "control": {
        const before = this.control;
        const now = (this.control = readControl(message, buffers));
        this.unheard = false;
        this.emit("control");
        const op = this.ops[now.at];
        if (now.order && now.order !== before?.order) this.fetchOrder(now.order);
        if (op && (now.at !== before?.at || now.done.size !== before.done.size)) this.select(op.name);
        break;
      }
      case "value":
        this.said = message;
        this.emit("control");
        break;
      case "fed":
        this.feeds++;
        this.emit("answer");
        break;
      case "status":
        this.state = message.state;
        this.runs = message.runs;
        this.status = message.text;
        this.emit("status");
        break;
    }
  }

  /** Drops what the kernel answered: a view that could not be drawn with it asks again. */
  forget(): void {
    this.order = this.placement = this.filters = this.maps = null;
  }

  /** Nobody answers any more; what was last seen stays. */
  lost(): void {
    if (this.state !== "waiting") this.state = "closed";
    this.emit("status");
  }

  /** Takes a graph's operations and variables. */
  load(ops: Op[], variables: Variable[]): void {
    this.ops = ops;
    if (variables !== this.variables) this.setVariables(variables);
    this.index();
    this.emit("graph");
  }

  /** Statistics follow their variable by name when the list changes. */
  private setVariables(variables: Variable[]): void {
    const place = new Map(variables.map((v, i) => [v.name, i]));
    const stats = new Map<number, Stats>();
    const history = new Map<number, number[]>();
    this.variables.forEach((variable, i) => {
      const now = place.get(variable.name);
      if (now === undefined) return;
      const s = this.stats.get(i);
      const h = this.history.get(i);
      if (s) stats.set(now, s);
      if (h) history.set(now, h);
    });
    this.variables = variables;
    this.stats = stats;
    this.history = history;
  }

  private index(): void {
    const { ops } = this;
    this.hierarchy = null;
    this.view = null;
    this.found = null;
    this.byName = new Map(ops.map((op, i) => [op.name, i]));
    this.variableOfOp = new Map(this.variables.map((v, i) => [v.op, i]));
    let count = 0;
    for (const op of ops) count += op.inputs.length / 2 + op.control.length;
    const source = new Int32Array(count);
    const target = new Int32Array(count);
    const output = new Int32Array(count);
    const kind = new Uint8Array(count);
    this.out = ops.map(() => []);
    this.into = ops.map(() => []);
    let e = 0;
    const add = (from: number, to: number, slot: number, what: number): void => {
      source[e] = from;
      target[e] = to;
      output[e] = slot;
      kind[e] = what;
      this.out[from]?.push(e);
      this.into[to]?.push(e);
      e++;
    };
    ops.forEach((op, i) => {
      for (let k = 0; k < op.inputs.length; k += 2) {
        const from = op.inputs[k]!;
        const slot = op.inputs[k + 1]!;
        const dtype = ops[from]?.outputs[slot]?.dtype ?? "";
        add(from, i, slot, dtype.endsWith("_ref") || dtype === "resource" ? REFERENCE : DATA);
      }
      for (const from of op.control) add(from, i, -1, CONTROL);
    });
    this.edges = { source, target, output, kind };
  }
}
