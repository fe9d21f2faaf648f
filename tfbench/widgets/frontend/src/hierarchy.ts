// The tree that the map opens and closes: name scopes, and three kinds of folding on top of them so that no
// box ever holds more children than a person can read or a layout can afford:
//   (before these, what the person groups, or wants to see without its box: `grouping.ts`)
//   * a variable and what TensorFlow makes around it (Initializer, Assign, read) is one node;
//   * an op and the constants named after it (`Reshape`, `Reshape/shape`) is one node, a "bundle";
//   * long runs of equal names (`add`, `add_1`, …) become a series, and what is still too long is cut in ranges.

import { regroup } from "./grouping";
import type { Op } from "./protocol";

/** Boxes that a person asked for: these operations in one of that name. */
export interface Grouping {
  name: string;
  ops: Set<number>;
}

export type Kind = "scope" | "op" | "variable" | "bundle" | "series";

export interface Group {
  id: string;
  label: string;
  kind: Kind;
  parent: number;
  children: number[];
  /** the operation itself (kind op), or the one that gave the group its name; -1: none */
  op: number;
  /** operations below, itself included */
  total: number;
  variables: number;
  depth: number;
  /** the first of its operations */
  first: number;
}

export const VARIABLE_TYPES = new Set(["VariableV2", "Variable", "VarHandleOp", "AutoReloadVariable"]);

/** Names are cut into this many scopes at most, as in the kernel. */
const MAX_DEPTH = 64;
/** A box with more children than this is folded further. */
const MAX_CHILDREN = 64;
const MIN_SERIES = 5;
const RANGE = 32;
const BUNDLE = 6;

export class Hierarchy {
  readonly nodes: Group[] = [];
  /** operation index -> its leaf */
  readonly leaf: Int32Array;
  /** the ids of the groups that were asked for, '' for one without members */
  readonly groups: string[] = [];
  private readonly ids = new Map<string, number>();

  /** `shown`: whether an operation is in the tree at all; null: every one. `dissolved`: ids of scopes without a box. */
  constructor(ops: Op[], shown: Uint8Array | null = null, groups: Grouping[] = [], dissolved: string[] = []) {
    this.leaf = new Int32Array(ops.length).fill(-1);
    this.add("", "", "scope", -1, -1);
    const scopes = new Map<string, number>([["", 0]]);
    const named = new Map(ops.map((op, i) => [op.name, i]));
    const shownOp = (op: number): number => (op >= 0 && shown && !shown[op] ? -1 : op);
    const own = ops.map((op, i) => {
      if (shown && !shown[i]) return null;
      let at = -1;
      let node = 0;
      for (let depth = 0; depth < MAX_DEPTH; depth++) {
        const next = op.name.indexOf("/", at + 1);
        if (next < 0) break;
        const path = op.name.slice(0, next);
        let child = scopes.get(path);
        if (child === undefined) {
          child = this.add(`${path}/`, path.slice(at + 1), "scope", node, shownOp(named.get(path) ?? -1));
          scopes.set(path, child);
        }
        node = child;
        at = next;
      }
      return { node, label: op.name.slice(at + 1) };
    });
    ops.forEach((op, i) => {
      const place = own[i];
      if (!place) return;
      // The op that a scope is named after lives in it.
      const scope = scopes.get(op.name) ?? place.node;
      this.leaf[i] = this.add(op.name, place.label, "op", scope, i);
    });
    if (groups.length || dissolved.length) this.groups = regroup(this.nodes, this.ids, groups, dissolved);
    this.count(ops);
    for (const node of this.nodes) {
      if (node.kind !== "scope" || node.op < 0) continue;
      if (VARIABLE_TYPES.has(ops[node.op]!.type)) node.kind = "variable";
      else if (node.total <= BUNDLE && node.children.every((c) => this.nodes[c]!.kind === "op")) node.kind = "bundle";
    }
    for (let i = 0, n = this.nodes.length; i < n; i++) this.fold(i);
    for (const index of this.downwards()) for (const child of this.nodes[index]!.children) this.nodes[child]!.depth = this.nodes[index]!.depth + 1;
  }

  find(id: string): number {
    return this.ids.get(id) ?? -1;
  }

  /** What selecting `node` selects: an operation's name where it stands for one, else its own id. */
  selectionOf(node: number, ops: Op[]): string {
    const { kind, op, id } = this.nodes[node]!;
    return kind === "scope" || kind === "series" ? id : ops[op]!.name;
  }

  /** The variable or bundle that is named after an operation; any other node stands for itself. */
  standFor(node: number): number {
    const group = this.nodes[node];
    const parent = group && this.nodes[group.parent];
    const named = parent && parent.op === group.op && (parent.kind === "variable" || parent.kind === "bundle");
    return named ? group.parent : node;
  }

  /** From the root down to `node`, both included. */
  path(node: number): number[] {
    const found: number[] = [];
    for (let n = node; n >= 0; n = this.nodes[n]!.parent) found.push(n);
    return found.reverse();
  }

  /** Operation indices below `node`. */
  operations(node: number): number[] {
    const found: number[] = [];
    const pending = [node];
    while (pending.length) {
      const group = this.nodes[pending.pop()!]!;
      if (group.kind === "op") found.push(group.op);
      else for (let i = group.children.length - 1; i >= 0; i--) pending.push(group.children[i]!);
    }
    return found;
  }

  private add(id: string, label: string, kind: Kind, parent: number, op: number): number {
    const index = this.nodes.length;
    this.nodes.push({ id, label, kind, parent, children: [], op, total: 0, variables: 0, depth: 0, first: Infinity });
    this.ids.set(id, index);
    this.nodes[parent]?.children.push(index);
    return index;
  }

  /** All nodes, each before those in it. */
  private downwards(): number[] {
    const found = [0];
    for (let i = 0; i < found.length; i++) for (const child of this.nodes[found[i]!]!.children) found.push(child);
    return found;
  }

  private count(ops: Op[]): void {
    for (const index of this.downwards().reverse()) {
      const node = this.nodes[index]!;
      if (node.kind === "op") {
        node.total = 1;
        node.variables = VARIABLE_TYPES.has(ops[node.op]!.type) ? 1 : 0;
        node.first = node.op;
      }
      const above = this.nodes[node.parent];
      if (!above) continue;
      above.total += node.total;
      above.variables += node.variables;
      above.first = Math.min(above.first, node.first);
    }
    // Children in the order in which their first operations were made.
    for (const node of this.nodes) node.children.sort((a, b) => this.nodes[a]!.first - this.nodes[b]!.first);
  }

  /** Series first, then ranges, until no more than MAX_CHILDREN are left. */
  private fold(index: number): void {
    const node = this.nodes[index]!;
    if (node.children.length <= MAX_CHILDREN) return;
    const series = new Map<string, number[]>();
    for (const child of node.children) {
      const { kind, label } = this.nodes[child]!;
      const key = `${kind === "scope" ? "scope" : "op"} ${label.replace(/_\d+$/, "")}`;
      const members = series.get(key);
      if (members) members.push(child);
      else series.set(key, [child]);
    }
    const kept: number[] = [];
    const done = new Set<string>();
    for (const child of node.children) {
      const { kind, label } = this.nodes[child]!;
      const base = label.replace(/_\d+$/, "");
      const key = `${kind === "scope" ? "scope" : "op"} ${base}`;
      const members = series.get(key)!;
      if (members.length < MIN_SERIES) kept.push(child);
      else if (!done.has(key)) {
        done.add(key);
        kept.push(this.wrap(index, members, `${node.id}${base} [${kind === "scope" ? "scopes" : "ops"}]/`, `${base} … ×${members.length}`));
      }
    }
    node.children = this.ranges(index, kept);
    for (const child of [...node.children]) if (this.nodes[child]!.kind === "series") this.fold2(child);
  }

  /** Cuts the members of a series, and of its ranges, down to size. */
  private fold2(index: number): void {
    const node = this.nodes[index]!;
    node.children = this.ranges(index, node.children);
    for (const child of node.children) if (this.nodes[child]!.kind === "series") this.fold2(child);
  }

  private ranges(parent: number, children: number[]): number[] {
    if (children.length <= MAX_CHILDREN) return children;
    let size = RANGE;
    while (children.length / size > MAX_CHILDREN) size *= RANGE;
    const made: number[] = [];
    for (let at = 0; at < children.length; at += size) {
      const part = children.slice(at, at + size);
      if (part.length === 1) {
        made.push(part[0]!);
        continue;
      }
      const first = this.nodes[part[0]!]!;
      const last = this.nodes[part[part.length - 1]!]!;
      const id = `${this.nodes[parent]!.id}[${at}] ${first.label}/`;
      made.push(this.wrap(parent, part, id, `${first.label} – ${last.label}`));
    }
    return made;
  }

  private wrap(parent: number, children: number[], id: string, label: string): number {
    const index = this.nodes.length;
    const node: Group = { id, label, kind: "series", parent, children, op: -1, total: 0, variables: 0, depth: 0, first: Infinity };
    this.nodes.push(node);
    this.ids.set(id, index);
    for (const child of children) {
      this.nodes[child]!.parent = index;
      node.total += this.nodes[child]!.total;
      node.variables += this.nodes[child]!.variables;
      node.first = Math.min(node.first, this.nodes[child]!.first);
    }
    return index;
  }
}
