// Boxes that a person asks for, and scopes that they do not want a box for. Works on the tree as names give it, before
// anything is counted or folded.

import type { Group, Grouping } from "./hierarchy";

/** Moves what `groups` and `dissolved` say. Gives the ids of the groups, '' for none. */
export function regroup(nodes: Group[], ids: Map<string, number>, groups: Grouping[], dissolved: string[]): string[] {
  for (const id of dissolved) dissolve(nodes, ids.get(id) ?? -1);
  const made = groups.map(({ name, ops }) => {
    const members = topmost(nodes, ops);
    return members.length ? wrap(nodes, ids, name, members) : "";
  });
  const pending = [0];
  while (pending.length) {
    const node = nodes[pending.pop()!]!;
    // What lost all its children to a group is gone.
    node.children = node.children.filter((child) => holdsAny(nodes, child));
    pending.push(...node.children);
  }
  return made;
}

function dissolve(nodes: Group[], index: number): void {
  const node = nodes[index];
  if (!node || node.parent < 0) return;
  const parent = nodes[node.parent]!;
  const at = parent.children.indexOf(index);
  parent.children.splice(at, 1, ...node.children);
  for (const child of node.children) {
    nodes[child]!.parent = node.parent;
    nodes[child]!.label = `${node.label}/${nodes[child]!.label}`;
  }
  node.children = [];
}

/** The highest nodes all of whose operations are in `ops`, in order. */
function topmost(nodes: Group[], ops: Set<number>): number[] {
  const whole = new Map<number, boolean>();
  const visit = (index: number): boolean => {
    const { kind, op, children } = nodes[index]!;
    const all = kind === "op" ? ops.has(op) : children.map(visit).every(Boolean) && children.length > 0;
    whole.set(index, all);
    return all;
  };
  visit(0);
  const found: number[] = [];
  const collect = (index: number): void => {
    for (const child of nodes[index]!.children) {
      if (whole.get(child)) found.push(child);
      else collect(child);
    }
  };
  collect(0);
  return found;
}

function wrap(nodes: Group[], ids: Map<string, number>, name: string, members: number[]): string {
  const home = members.map((member) => above(nodes, nodes[member]!.parent)).reduce(common);
  const parent = home[home.length - 1]!;
  let id = `${nodes[parent]!.id}${name}/`;
  while (ids.has(id)) id = `${id.slice(0, -1)} (group)/`;
  const index = nodes.length;
  nodes.push({ id, label: name, kind: "scope", parent, children: members, op: -1, total: 0, variables: 0, depth: 0, first: Infinity });
  ids.set(id, index);
  for (const member of members) {
    const old = nodes[nodes[member]!.parent]!;
    old.children = old.children.filter((child) => child !== member);
    // Out of its scope, a name needs the rest of its path.
    const { id: path } = nodes[member]!;
    if (nodes[member]!.parent !== parent) nodes[member]!.label = path.slice(nodes[parent]!.id.length).replace(/\/$/, "");
    nodes[member]!.parent = index;
  }
  nodes[parent]!.children.push(index);
  return id;
}

/** From the root down to a node. */
function above(nodes: Group[], node: number): number[] {
  const found: number[] = [];
  for (let n = node; n >= 0; n = nodes[n]!.parent) found.unshift(n);
  return found;
}

function common(a: number[], b: number[]): number[] {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return a.slice(0, i);
}

function holdsAny(nodes: Group[], index: number): boolean {
  const { kind, children } = nodes[index]!;
  return kind === "op" || children.some((child) => holdsAny(nodes, child));
}
