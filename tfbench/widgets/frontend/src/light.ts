// What stands out on the map: the edges of what is chosen or pointed at, and what a search found.

import type { Hierarchy } from "./hierarchy";
import type { Model } from "./model";
import type { Scene } from "./scene";

/** what holds more operations than this is not lit edge by edge */
const MOST = 4000;

/** The edges that leave or enter `nodes`; open scopes have none of their own. */
export function litEdges(model: Model, tree: Hierarchy, scene: Scene | null, nodes: number[]): Set<number> {
  const lit = new Set<number>();
  const { edges, out, into } = model;
  for (const node of nodes) {
    if (node <= 0 || !scene || scene.byNode.get(node)?.open) continue;
    const ops = tree.operations(node);
    if (ops.length > MOST) continue;
    const inside = new Set(ops);
    for (const op of ops) {
      for (const e of out[op] ?? []) if (!inside.has(edges.target[e]!)) lit.add(e);
      for (const e of into[op] ?? []) if (!inside.has(edges.source[e]!)) lit.add(e);
    }
  }
  return lit;
}

/** The nodes that a search leaves bright: what fits, and all above it. Null: there is no search. */
export function brightNodes(model: Model, tree: Hierarchy, scene: Scene | null): Set<number> | null {
  const matches = model.matches();
  if (!matches || !scene) return null;
  const bright = new Set<number>();
  for (const op of matches) for (let node = tree.leaf[op] ?? -1; node > 0; node = tree.nodes[node]!.parent) bright.add(node);
  for (const [node, host] of scene.plan.hosted) if (bright.has(node)) bright.add(host);
  return bright;
}
