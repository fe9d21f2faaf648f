// A plan and its layout, flattened to absolute places: what is drawn and what can be hit.

import { HEADER, PAD, type Point, type Result } from "./boxes";
import { CARD, type Card, type Row } from "./cards";
import type { LinkInfo, Plan } from "./plan";

export interface Item {
  card: Card;
  x: number;
  y: number;
  w: number;
  h: number;
  open: boolean;
  depth: number;
}

export interface Line {
  points: Point[];
  link: LinkInfo;
  /** the last point is the target itself, not a border that the line goes on behind */
  arrow: boolean;
}

export interface Scene {
  plan: Plan;
  items: Item[];
  byNode: Map<number, Item>;
  lines: Line[];
  w: number;
  h: number;
  axis: number | null;
}

export function compose(plan: Plan, result: Result): Scene {
  const scene: Scene = { plan, items: [], byNode: new Map(), lines: [], w: result.w, h: result.h, axis: result.axis };
  fill(scene, 0, result, 0, 0, 0);
  return scene;
}

function fill(scene: Scene, container: number, result: Result, x: number, y: number, depth: number): void {
  const info = scene.plan.containers.get(container)!;
  const opened: [number, Result, Item][] = [];
  for (const box of result.boxes) {
    const node = Number(box.id);
    const card = scene.plan.cards.get(node)!;
    const item: Item = { card, x: x + box.x, y: y + box.y, w: box.w, h: box.h, open: card.shape === "group", depth };
    scene.items.push(item);
    scene.byNode.set(node, item);
    if (box.open) opened.push([node, box.open, item]);
  }
  const add = (lines: Point[][], links: LinkInfo[], side: "link" | "input" | "output"): void => {
    links.forEach((link, i) => {
      const points = lines[i]!.map((p) => ({ x: p.x + x, y: p.y + y }));
      const end = side === "output" ? undefined : scene.byNode.get(link.to);
      if (points.length > 1) scene.lines.push({ points, link, arrow: end !== undefined && !end.open });
    });
  };
  add(result.links, info.links, "link");
  add(result.inputs, info.inputs, "input");
  add(result.outputs, info.outputs, "output");
  for (const [node, inner, item] of opened) {
    const dx = (item.w - 2 * PAD - inner.w) / 2;
    fill(scene, node, inner, item.x + PAD + dx, item.y + HEADER, depth + 1);
  }
}

export interface Hit {
  item: Item;
  row: Row | null;
  /** on the part that opens or closes the scope */
  toggle: boolean;
}

/** What is at a place: the innermost item, and the row of its card. */
export function hit(scene: Scene, x: number, y: number): Hit | null {
  for (let i = scene.items.length - 1; i >= 0; i--) {
    const item = scene.items[i]!;
    if (x < item.x || x > item.x + item.w || y < item.y || y > item.y + item.h) continue;
    if (item.open && y > item.y + HEADER) {
      // The inside of an open scope belongs to its children; the empty part is the scope's.
      return { item, row: null, toggle: false };
    }
    const toggle = item.open ? x < item.x + 28 : item.card.shape === "card" && x > item.x + item.w - 24 && y < item.y + 28;
    return { item, row: rowAt(item, y), toggle };
  }
  return null;
}

export function rowTop(item: Item): number {
  return item.y + CARD.padY + CARD.title + (item.card.subtitle ? CARD.line : 0) + CARD.rowGap;
}

function rowAt(item: Item, y: number): Row | null {
  if (!item.card.rows.length) return null;
  const index = Math.floor((y - rowTop(item)) / CARD.line);
  const row = item.card.rows[index];
  return row && row.node >= 0 ? row : null;
}

/** Where a row's edge arrives: the left end of the line of text. */
export function rowPlace(item: Item, node: number): Point {
  const index = item.card.rows.findIndex((row) => row.node === node);
  if (index < 0) return { x: item.x, y: item.y + item.h / 2 };
  return { x: item.x, y: rowTop(item) + (index + 0.5) * CARD.line };
}
