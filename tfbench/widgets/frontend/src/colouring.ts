// Which colour a node of the map gets, and the legend that says so. A closed scope of several categories shows
// its mix as a bar.

import type { Group, Hierarchy } from "./hierarchy";
import type { Model } from "./model";
import { CATEGORIES } from "./theme";
import { shorten } from "./text";

export type ColourBy = "scope" | "type" | "device";

export interface Colouring {
  by: ColourBy;
  /** category of a node; -1: none of the named ones */
  of(node: number): number;
  /** share of each category among the node's operations, largest first */
  mix(node: number): { category: number; share: number }[];
  legend: { category: number; label: string; title: string }[];
}

/** share of all operations from which on a scope is looked into */
const DOMINANT = 0.75;
/** share of one category from which on a scope has its colour */
const MOSTLY = 0.6;

const FAMILIES: [string, RegExp][] = [
  ["variables", /^(Variable|VarHandle|Assign|Scatter|ReadVariable|ResourceScatter|IsVariable|VarIsInit|CountUpTo|(Resource|Sparse|ResourceSparse)?Apply)/],
  ["inputs, constants", /^(Placeholder|Const$|Iterator|OneShot|Queue|FIFO|.*Dataset|Read|Decode)/],
  ["layers", /(Conv|MatMul|Pool|BiasAdd|Relu|Elu|Selu|Softmax|Softplus|Softsign|LRN|BatchNorm|LSTM|GRU|Dilation|L2Loss|Xent|CrossEntropy|Dropout)/],
  ["random", /(Random|Multinomial|Truncated|Shuffle)/],
  ["shapes, arrays", /^(Reshape|Shape|Rank|Size$|ExpandDims|Squeeze|Transpose|Concat|Pack|Unpack|Split|Slice|StridedSlice|Pad|Gather|Tile|Fill|Zeros|Ones|Range|OneHot|Where|Reverse|Broadcast|Cast|Identity|ListDiff|TopK|InvertPerm)/],
  ["control", /^(NoOp|Switch|Merge|Ref(Switch|Merge)|Enter|Exit|NextIteration|LoopCond|ControlTrigger|Assert|Print|StopGradient|Barrier|.*Summary)/],
  ["arithmetic", /./],
];

export function familyOf(type: string): number {
  return FAMILIES.findIndex(([, pattern]) => pattern.test(type));
}

/** `shown` is the tree whose nodes are coloured; the colours come from the whole graph, so hiding a part changes none. */
export function colouring(model: Model, shown: Hierarchy, by: ColourBy): Colouring {
  const { ops, tree } = model;
  let ofOp: (op: number) => number;
  let names: string[];
  let titles: string[];
  if (by === "scope") {
    const top = new Int32Array(ops.length).fill(-1);
    // Scopes take the colours, largest first; lone operations at the root stay neutral.
    const scopes: Group[] = [];
    const collect = (node: number): void => {
      for (const child of tree.nodes[node]!.children) {
        const group = tree.nodes[child]!;
        if (group.kind === "series") collect(child);
        else if (group.kind === "scope") scopes.push(group);
      }
    };
    collect(0);
    // A scope that holds nearly everything says nothing by its colour: those inside it get theirs.
    for (;;) {
      const most = scopes.reduce<Group | null>((best, group) => (best && best.total >= group.total ? best : group), null);
      if (!most || most.total < DOMINANT * ops.length) break;
      const node = tree.find(most.id);
      const before = scopes.length;
      scopes.splice(scopes.indexOf(most), 1);
      collect(node);
      if (scopes.length < before) {
        scopes.push(most);
        break;
      }
    }
    const kept = [...scopes].sort((a, b) => b.total - a.total).slice(0, CATEGORIES);
    const coloured = scopes.filter((group) => kept.includes(group)).sort((a, b) => a.first - b.first);
    coloured.forEach((group, i) => {
      for (const op of tree.operations(tree.find(group.id))) top[op] = i;
    });
    names = coloured.map((group) => shorten(group.label, 18));
    titles = coloured.map((group) => shorten(group.id, 200));
    ofOp = (op) => top[op]!;
  } else if (by === "type") {
    const family = ops.map((op) => familyOf(op.type));
    const used = FAMILIES.map((_, i) => family.includes(i));
    names = FAMILIES.map(([name], i) => (used[i] ? name : ""));
    titles = names;
    ofOp = (op) => family[op]!;
  } else {
    const devices = [...new Set(ops.map((op) => op.device))].filter(Boolean).sort();
    const place = new Map(devices.slice(0, CATEGORIES).map((device, i) => [device, i]));
    names = devices.slice(0, CATEGORIES).map((device) => shorten(device.replace(/^\/device:/, "/"), 22));
    titles = devices;
    ofOp = (op) => place.get(ops[op]!.device) ?? -1;
  }
  const mixes = new Map<number, { category: number; share: number }[]>();
  const mix = (node: number): { category: number; share: number }[] => {
    const known = mixes.get(node);
    if (known) return known;
    const counts = new Map<number, number>();
    const members = shown.operations(node);
    for (const op of members) counts.set(ofOp(op), (counts.get(ofOp(op)) ?? 0) + 1);
    const made = [...counts]
      .map(([category, n]) => ({ category, share: n / members.length }))
      .sort((a, b) => b.share - a.share || a.category - b.category);
    mixes.set(node, made);
    return made;
  };
  const legend = names.flatMap((label, category) => (label ? [{ category, label, title: titles[category]! }] : []));
  return {
    by,
    of: (node) => {
      const group = shown.nodes[node]!;
      if (group.kind === "op" || group.kind === "variable" || group.kind === "bundle") return ofOp(group.op);
      const [most] = mix(node);
      return most && most.share >= MOSTLY ? most.category : -1;
    },
    mix,
    legend,
  };
}
