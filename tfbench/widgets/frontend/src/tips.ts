// What the map says about the box that is pointed at.

import type { Hierarchy } from "./hierarchy";
import type { Model } from "./model";
import { outputText, shorten } from "./text";

export interface Tip {
  x: number;
  y: number;
  title: string;
  lines: string[];
}

export function describe(model: Model, tree: Hierarchy, node: number, x = 0, y = 0): Tip {
  const { ops } = model;
  const group = tree.nodes[node]!;
  const lines: string[] = [];
  if (group.kind === "scope" || group.kind === "series") {
    lines.push(`${group.total} operations${group.variables ? `, ${group.variables} variables` : ""}`);
  } else {
    const op = ops[group.op]!;
    lines.push(op.outputs.length ? `${op.type} → ${op.outputs.slice(0, 3).map(outputText).join(", ")}` : op.type);
    if (op.device) lines.push(shorten(op.device, 60));
  }
  return { x, y, title: shorten(tree.selectionOf(node, ops), 90), lines };
}
