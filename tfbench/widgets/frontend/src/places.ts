// Where an operation or a scope is on the map, and which box shows it.

import type { Hierarchy } from "./hierarchy";
import type { Model } from "./model";
import { rowPlace, type Scene } from "./scene";

/** Itself, its row on a card, or the closed scope it is in; null where it is hidden. */
export function placeOf(scene: Scene, tree: Hierarchy, name: string): { x: number; y: number } | null {
  let node = tree.find(name);
  const host = scene.byNode.get(scene.plan.hosted.get(node) ?? -1);
  if (host) return { x: host.x + host.w / 2, y: rowPlace(host, node).y };
  for (; node >= 0; node = tree.nodes[node]!.parent) {
    const item = scene.byNode.get(node);
    if (item) return { x: item.x + item.w / 2, y: item.open ? item.y + 15 : item.y + Math.min(item.h / 2, 16) };
  }
  return null;
}

/** The node that shows `name`, or -1. */
export function nodeShowing(scene: Scene, tree: Hierarchy, model: Model, name: string): number {
  const op = model.find(name);
  if (op >= 0) {
    const leaf = tree.leaf[op]!;
    return scene.plan.hosted.has(leaf) ? leaf : (scene.plan.visible[op] ?? -1);
  }
  for (let node = tree.find(name); node >= 0; node = tree.nodes[node]!.parent) if (scene.byNode.has(node)) return node;
  return -1;
}
