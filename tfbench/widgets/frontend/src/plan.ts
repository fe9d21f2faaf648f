// What the map shows for a set of open scopes: one card per visible node, the links between them, and the layout
// problem that places it all. A picture of a TensorFlow graph with every edge drawn is a hairball, so edges that
// say little by their line are taken out and written on the card of the op that uses them ("rows"):
//   * a variable is a pill in its scope and a row on each reader and writer;
//   * a constant is a row on its only users, with its value;
//   * what feeds or collects from many boxes of a large scope is a row, too.
// Those edges are drawn when one of their ends is pointed at or selected.

import type { Box, Problem } from "./boxes";
import { Cards, isVariable, type Card, type Measure, type Mode } from "./cards";
import type { Group, Hierarchy } from "./hierarchy";
import { CONTROL, REFERENCE, type Model } from "./model";

export interface LinkInfo {
  from: number;
  to: number;
  edges: number[];
  /** any of the edges carries data, a reference, only control */
  kind: "data" | "reference" | "control";
}

export interface ContainerInfo {
  links: LinkInfo[];
  inputs: LinkInfo[];
  outputs: LinkInfo[];
}

export interface Plan {
  problem: Problem;
  cards: Map<number, Card>;
  containers: Map<number, ContainerInfo>;
  /** op index -> visible node; -1: the op is hidden */
  visible: Int32Array;
  /** constants shown only as a row -> the node whose card has it */
  hosted: Map<number, number>;
  /** edges that are not part of a drawn line, by visible ends */
  extracted: LinkInfo[];
  /** closed cards that can be opened; of those, the scopes (drawn as a stack) */
  expandable: Set<number>;
  stacks: Set<number>;
}

const HUB_BOXES = 15;
const HUB_DEGREE = 6;

export function planMap(model: Model, tree: Hierarchy, open: Set<number>, measure: Measure): Plan {
  return new Planner(model, tree, open, measure).run();
}

interface Pair extends LinkInfo {
  mode: Mode;
}

class Planner {
  private readonly visible: Int32Array;
  private readonly cards: Cards;
  private readonly hosted = new Map<number, number>();
  private readonly extracted: LinkInfo[] = [];
  private readonly containers = new Map<number, ContainerInfo>();
  private readonly links = new Map<number, Map<string, LinkInfo>>();
  private readonly linked = new Set<number>();

  constructor(
    private readonly model: Model,
    private readonly tree: Hierarchy,
    private readonly open: Set<number>,
    measure: Measure,
  ) {
    this.cards = new Cards(model, tree, measure);
    this.visible = new Int32Array(model.ops.length).fill(-1);
  }

  run(): Plan {
    this.assign(0);
    const pairs = this.pairs();
    const drawn = this.withoutHubs(this.withoutConstants(this.withoutVariables(pairs)));
    for (const pair of drawn) this.route(pair);
    const problem = this.problem(0);
    const { containers, visible, hosted, extracted } = this;
    const { all: cards, expandable, stacks } = this.cards;
    return { problem, cards, containers, visible, hosted, extracted, expandable, stacks };
  }

  private group(node: number): Group {
    return this.tree.nodes[node]!;
  }

  private isOpen(node: number): boolean {
    return node === 0 || (this.open.has(node) && this.group(node).children.length > 0);
  }

  /** Every operation belongs to the outermost closed node above it. */
  private assign(node: number): void {
    const pending = [node];
    while (pending.length) {
      const next = pending.pop()!;
      if (this.isOpen(next)) pending.push(...this.group(next).children);
      else for (const op of this.tree.operations(next)) this.visible[op] = next;
    }
  }

  private pairs(): Map<number, Pair> {
    const { source, target, kind } = this.model.edges;
    const size = this.tree.nodes.length;
    const pairs = new Map<number, Pair>();
    for (let e = 0; e < source.length; e++) {
      const from = this.visible[source[e]!]!;
      const to = this.visible[target[e]!]!;
      if (from === to || from < 0 || to < 0) continue;
      const what = kind[e] === CONTROL ? "control" : kind[e] === REFERENCE ? "reference" : "data";
      // A variable's write and its reads are told apart: the same two cards may be joined by both.
      const mode = this.modeOf(e, from);
      const key = (from * size + to) * 3 + (mode === "write" ? 1 : mode === "control" ? 2 : 0);
      const pair = pairs.get(key);
      if (!pair) pairs.set(key, { from, to, edges: [e], kind: what, mode });
      else {
        pair.edges.push(e);
        if (what !== "control" && pair.kind !== "reference") pair.kind = what;
      }
    }
    return pairs;
  }

  private modeOf(e: number, from: number): Mode {
    const { kind, target } = this.model.edges;
    if (kind[e] === CONTROL) return "control";
    if (!this.isVariable(from) || kind[e] !== REFERENCE) return "read";
    const user = target[e]!;
    return isWriter(this.model.ops[user]!.type) && this.model.into[user]![0] === e ? "write" : "read";
  }

  private isVariable(node: number): boolean {
    return isVariable(this.model, this.tree, node);
  }

  private extract(pair: Pair, mode: Mode | null): void {
    this.extracted.push(pair);
    if (mode === null || this.isOpen(pair.to)) return;
    this.cards.addRow(pair.from, pair.to, mode);
  }

  private withoutVariables(pairs: Map<number, Pair>): Pair[] {
    const kept: Pair[] = [];
    for (const pair of pairs.values()) {
      if (this.isVariable(pair.from)) {
        if (this.isVariable(pair.to)) this.extract(pair, null);
        else if (pair.mode === "control") {
          this.extract(pair, null);
          this.cards.addNote(pair.to, "variables");
        } else this.extract(pair, pair.mode);
      } else if (this.isVariable(pair.to)) this.extract(pair, null);
      else kept.push(pair);
    }
    return kept;
  }

  private withoutConstants(pairs: Pair[]): Pair[] {
    const users = new Map<number, Pair[]>();
    for (const pair of pairs) {
      const { kind, op } = this.group(pair.from);
      if (kind !== "op") continue;
      const { type, inputs, control } = this.model.ops[op]!;
      if (type !== "Const" || inputs.length || control.length) continue;
      const list = users.get(pair.from);
      if (list) list.push(pair);
      else users.set(pair.from, [pair]);
    }
    const gone = new Set<Pair>();
    for (const [node, list] of users) {
      const home = this.group(node).parent;
      const near = list.every((p) => this.group(p.to).parent === home && !this.isOpen(p.to) && p.kind !== "control");
      if (!near || list.length > 3) continue;
      this.hosted.set(node, list[0]!.to);
      for (const pair of list) {
        gone.add(pair);
        this.extract(pair, "constant");
      }
    }
    return pairs.filter((pair) => !gone.has(pair));
  }

  private withoutHubs(pairs: Pair[]): Pair[] {
    const out = new Map<number, Set<number>>();
    const into = new Map<number, Set<number>>();
    const boxes = new Map<number, Set<number>>();
    const ends = pairs.map((pair) => this.ends(pair));
    const note = (map: Map<number, Set<number>>, key: number, value: number): void => {
      const set = map.get(key);
      if (set) set.add(value);
      else map.set(key, new Set([value]));
    };
    for (const { container, from, to } of ends) {
      note(out, from, to);
      note(into, to, from);
      note(boxes, container, from);
      note(boxes, container, to);
    }
    return pairs.filter((pair, i) => {
      const { container, from, to } = ends[i]!;
      if (boxes.get(container)!.size < HUB_BOXES) return true;
      if (out.get(from)!.size >= HUB_DEGREE) {
        this.extract(pair, "hub");
        return false;
      }
      if (into.get(to)!.size >= HUB_DEGREE) {
        this.extract(pair, null);
        this.cards.addNote(pair.to, "inputs");
        return false;
      }
      return true;
    });
  }

  /** The innermost open container of both ends, and its children that they are in. */
  private ends(pair: LinkInfo): { container: number; from: number; to: number; a: number[]; b: number[] } {
    const a = this.tree.path(pair.from);
    const b = this.tree.path(pair.to);
    let i = 0;
    while (a[i] === b[i] && i < a.length && i < b.length) i++;
    return { container: a[i - 1]!, from: a[i]!, to: b[i]!, a: a.slice(i), b: b.slice(i) };
  }

  private route(pair: Pair): void {
    const { container, from, to, a, b } = this.ends(pair);
    this.link(container, "link", from, to, pair);
    for (let i = 0; i + 1 < a.length; i++) this.link(a[i]!, "output", a[i + 1]!, to, pair);
    for (let i = 0; i + 1 < b.length; i++) this.link(b[i]!, "input", from, b[i + 1]!, pair);
  }

  private link(container: number, side: "link" | "input" | "output", from: number, to: number, pair: Pair): void {
    let known = this.links.get(container);
    if (!known) this.links.set(container, (known = new Map()));
    const key = `${side} ${from} ${to}`;
    const info = known.get(key);
    if (info) {
      info.edges.push(...pair.edges);
      if (pair.kind !== "control" && info.kind !== "reference") info.kind = pair.kind;
    } else known.set(key, { from, to, edges: [...pair.edges], kind: pair.kind });
    if (side !== "input") this.linked.add(from);
    if (side !== "output") this.linked.add(to);
  }

  private problem(container: number): Problem {
    const id = (node: number): string => String(node);
    const info: ContainerInfo = { links: [], inputs: [], outputs: [] };
    const problem: Problem = { boxes: [], links: [], inputs: [], outputs: [], above: [], below: [] };
    for (const child of this.group(container).children) {
      if (this.hosted.has(child)) continue;
      const card = this.cards.make(child, this.isOpen(child));
      const box: Box = { id: id(child), w: card.w, h: card.h };
      if (this.isOpen(child)) box.open = this.problem(child);
      if (this.linked.has(child)) problem.boxes.push(box);
      else if (this.isVariable(child) && !this.isOpen(child)) problem.above.push(box);
      else problem.below.push(box);
    }
    for (const [key, link] of this.links.get(container) ?? []) {
      const weight = link.kind === "control" ? 1 : 2;
      if (key.startsWith("link")) {
        info.links.push(link);
        problem.links.push({ from: id(link.from), to: id(link.to), weight });
      } else if (key.startsWith("input")) {
        info.inputs.push(link);
        problem.inputs.push({ port: id(link.from), to: id(link.to) });
      } else {
        info.outputs.push(link);
        problem.outputs.push({ port: id(link.to), from: id(link.from) });
      }
    }
    this.containers.set(container, info);
    return problem;
  }
}

export function isWriter(type: string): boolean {
  return /^(Assign|Scatter|Apply|SparseApply|Resource(Apply|SparseApply|Scatter|CountUpTo|StridedSliceAssign)|CountUpTo|StridedSliceAssign)/.test(type);
}
