// Paints a scene. Only what is in sight, and only as much detail as the zoom can show.

import type { Camera } from "./camera";
import type { Colouring } from "./colouring";
import { CARD } from "./cards";
import { drawArc, drawLine, drawThin, lineSeen } from "./lines";
import { rowTop, type Item, type Line, type Scene } from "./scene";
import { category, css, mix, type Theme } from "./theme";

export interface Paint {
  scene: Scene;
  theme: Theme;
  colours: Colouring;
  camera: Camera;
  width: number;
  height: number;
  ratio: number;
  /** visible nodes */
  selected: number;
  hovered: number;
  /** visible nodes that a search leaves bright; null: all */
  bright: Set<number> | null;
  /** edges of the selected and hovered operations */
  lit: Set<number>;
  focus: boolean;
  /** 0…1 while boxes move to new places, and where they come from */
  moved: number;
  from: Map<number, { x: number; y: number; w: number; h: number }>;
}

/** Below this zoom a card is a spot of its colour, and a line has no bends. */
const FAR = 0.18;

export const FONT = { title: 600, size: 12.5, small: 11 };

export function paint(ctx: CanvasRenderingContext2D, p: Paint): void {
  const { camera, ratio, theme, scene } = p;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = css(theme.bg);
  ctx.fillRect(0, 0, p.width, p.height);
  ctx.setTransform(ratio * camera.scale, 0, 0, ratio * camera.scale, ratio * camera.x, ratio * camera.y);
  const view = {
    left: -camera.x / camera.scale,
    top: -camera.y / camera.scale,
    right: (p.width - camera.x) / camera.scale,
    bottom: (p.height - camera.y) / camera.scale,
  };
  const seen = (x: number, y: number, w: number, h: number): boolean =>
    x < view.right && y < view.bottom && x + w > view.left && y + h > view.top;
  const place = (item: Item): Item => {
    const old = p.moved < 1 ? p.from.get(item.card.node) : undefined;
    if (!old) return item;
    const t = p.moved;
    const at = (a: number, b: number): number => a + (b - a) * t;
    return { ...item, x: at(old.x, item.x), y: at(old.y, item.y), w: at(old.w, item.w), h: at(old.h, item.h) };
  };
  const items = scene.items.map(place);
  // Open scopes lie under the lines, everything else above.
  for (const item of items) if (item.open && seen(item.x, item.y, item.w, item.h)) drawGroup(ctx, item, p);
  ctx.globalAlpha = p.moved < 1 ? p.moved * p.moved : 1;
  const bright: Line[] = [];
  const far = camera.scale < FAR;
  const thin: Line[] = [];
  for (const line of scene.lines) {
    if (!lineSeen(line, seen)) continue;
    if (p.lit.size && line.link.edges.some((e) => p.lit.has(e))) bright.push(line);
    else if (far) thin.push(line);
    else drawLine(ctx, line, p, false);
  }
  if (far) drawThin(ctx, thin, p);
  for (const line of bright) drawLine(ctx, line, p, true);
  ctx.globalAlpha = 1;
  const cards = items.filter((item) => !item.open && seen(item.x, item.y, item.w, item.h));
  if (far) drawSpots(ctx, cards, p);
  else for (const item of cards) drawCard(ctx, item, p);
  if (p.moved === 1) for (const link of scene.plan.extracted) if (link.edges.some((e) => p.lit.has(e))) drawArc(ctx, link, p);
}

/** Cards from far away: spots of their colour, one fill for each. */
function drawSpots(ctx: CanvasRenderingContext2D, cards: Item[], p: Paint): void {
  const spots = new Map<number, Item[]>();
  for (const item of cards) {
    // Categories begin at -1; dimmed ones get keys of their own.
    const key = 2 * (p.colours.of(item.card.node) + 1) + (dim(p, item.card.node) < 1 ? 1 : 0);
    const list = spots.get(key);
    if (list) list.push(item);
    else spots.set(key, [item]);
  }
  for (const [key, list] of spots) {
    ctx.globalAlpha = key % 2 ? 0.25 : 1;
    ctx.fillStyle = css(mix(category(p.theme, (key >> 1) - 1), p.theme.bg, 0.4));
    ctx.beginPath();
    for (const item of list) ctx.rect(item.x, item.y, item.w, item.h);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
  const chosen = cards.find((item) => item.card.node === p.selected);
  if (chosen) outline(ctx, chosen, p, 7);
}

function box(ctx: CanvasRenderingContext2D, x: number, y: number, w: number, h: number, r: number): void {
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, Math.min(r, w / 2, h / 2));
}

function dim(p: Paint, node: number): number {
  return p.bright && !p.bright.has(node) ? 0.25 : 1;
}

function drawGroup(ctx: CanvasRenderingContext2D, item: Item, p: Paint): void {
  const { theme, camera } = p;
  const colour = category(theme, p.colours.of(item.card.node));
  const selected = item.card.node === p.selected;
  ctx.fillStyle = css(mix(colour, theme.bg, theme.dark ? 0.88 : 0.94));
  box(ctx, item.x, item.y, item.w, item.h, 10);
  ctx.fill();
  ctx.strokeStyle = css(selected ? theme.accent : mix(colour, theme.bg, item.card.node === p.hovered ? 0.3 : 0.6));
  ctx.lineWidth = (selected ? 2 : 1) / Math.min(1, camera.scale);
  ctx.stroke();
  if (camera.scale < 0.22) return;
  ctx.globalAlpha = dim(p, item.card.node);
  chevron(ctx, item.x + 15, item.y + 16, true, css(theme.fg2));
  ctx.textBaseline = "alphabetic";
  ctx.fillStyle = css(mix(colour, theme.fg, 0.45));
  ctx.font = `${FONT.title} ${FONT.size}px ${theme.font}`;
  ctx.fillText(item.card.title, item.x + 26, item.y + 20);
  if (camera.scale >= 0.45) {
    const end = item.x + 26 + ctx.measureText(item.card.title).width + 8;
    ctx.font = `${FONT.small}px ${theme.font}`;
    ctx.fillStyle = css(theme.fg2);
    ctx.fillText(item.card.subtitle, end, item.y + 20);
  }
  ctx.globalAlpha = 1;
}

function chevron(ctx: CanvasRenderingContext2D, x: number, y: number, down: boolean, colour: string): void {
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.6;
  ctx.lineCap = "round";
  ctx.lineJoin = "round";
  ctx.beginPath();
  if (down) {
    ctx.moveTo(x - 4, y - 2);
    ctx.lineTo(x, y + 2);
    ctx.lineTo(x + 4, y - 2);
  } else {
    ctx.moveTo(x - 2, y - 4);
    ctx.lineTo(x + 2, y);
    ctx.lineTo(x - 2, y + 4);
  }
  ctx.stroke();
  ctx.lineCap = "butt";
}

function drawCard(ctx: CanvasRenderingContext2D, item: Item, p: Paint): void {
  const { theme, camera, colours } = p;
  const { card } = item;
  const { node } = card;
  const pill = card.shape === "pill";
  const colour = category(theme, colours.of(node));
  const selected = node === p.selected;
  const hovered = node === p.hovered;
  ctx.globalAlpha = dim(p, node);
  const fill = mix(colour, theme.surface, theme.dark ? 0.8 : 0.87);
  const edge = mix(colour, theme.bg, hovered ? 0.1 : 0.45);
  const radius = pill ? item.h / 2 : 7;
  if (isStack(card.shape, card.node, p)) {
    ctx.fillStyle = css(mix(colour, theme.bg, theme.dark ? 0.72 : 0.78));
    ctx.strokeStyle = css(mix(colour, theme.bg, 0.55));
    ctx.lineWidth = 1;
    box(ctx, item.x + 4, item.y + 4, item.w, item.h, radius);
    ctx.fill();
    ctx.stroke();
  }
  ctx.fillStyle = css(fill);
  box(ctx, item.x, item.y, item.w, item.h, radius);
  ctx.fill();
  ctx.strokeStyle = css(edge);
  ctx.lineWidth = 1.1;
  ctx.stroke();
  if (selected) outline(ctx, item, p, radius);
  if (camera.scale < 0.3) {
    ctx.globalAlpha = 1;
    return;
  }
  ctx.textBaseline = "alphabetic";
  const text = css(theme.fg);
  const muted = css(theme.fg2);
  if (pill) {
    dot(ctx, item.x + 14, item.y + item.h / 2, 3.6, css(theme.variable));
    ctx.font = `${FONT.title} ${FONT.size}px ${theme.font}`;
    ctx.fillStyle = text;
    ctx.fillText(card.title, item.x + 23, item.y + item.h / 2 + 4.2);
    const end = item.x + 23 + ctx.measureText(card.title).width + 8;
    ctx.font = `${FONT.small}px ${theme.font}`;
    ctx.fillStyle = muted;
    ctx.fillText(card.subtitle, end, item.y + item.h / 2 + 4);
    ctx.globalAlpha = 1;
    return;
  }
  const left = item.x + CARD.padX;
  let y = item.y + CARD.padY + 12;
  ctx.font = `${FONT.title} ${FONT.size}px ${theme.font}`;
  ctx.fillStyle = text;
  ctx.fillText(card.title, left, y);
  if (isExpandable(p, node)) chevron(ctx, item.x + item.w - 13, item.y + 15, false, muted);
  if (camera.scale >= 0.4) {
    if (card.subtitle) {
      y += CARD.line;
      ctx.font = `${FONT.small}px ${theme.font}`;
      ctx.fillStyle = muted;
      ctx.fillText(card.subtitle, left, y);
    }
    drawRows(ctx, item, p);
  }
  mixBar(ctx, item, p);
  ctx.globalAlpha = 1;
}

/** Whether a closed card holds something that opening would show. */
function isExpandable(p: Paint, node: number): boolean {
  return p.scene.plan.expandable.has(node);
}

function isStack(shape: string, node: number, p: Paint): boolean {
  return shape === "card" && p.scene.plan.stacks.has(node);
}

function drawRows(ctx: CanvasRenderingContext2D, item: Item, p: Paint): void {
  const { theme } = p;
  const { rows } = item.card;
  if (!rows.length) return;
  const left = item.x + CARD.padX;
  const right = item.x + item.w - CARD.padX;
  let y = rowTop(item);
  ctx.strokeStyle = css(mix(theme.border, theme.bg, 0.2), 0.8);
  ctx.lineWidth = 0.8;
  ctx.beginPath();
  ctx.moveTo(item.x + 1, y - 1.5);
  ctx.lineTo(item.x + item.w - 1, y - 1.5);
  ctx.stroke();
  for (const row of rows) {
    const middle = y + CARD.line / 2;
    const base = middle + 3.8;
    const lit = row.node >= 0 && (row.node === p.selected || row.node === p.hovered);
    if (lit) {
      ctx.fillStyle = css(theme.accent, 0.16);
      box(ctx, item.x + 4, y + 0.5, item.w - 8, CARD.line - 1, 3);
      ctx.fill();
    }
    mark(ctx, left + 3.5, middle, row.mode, row.node, theme);
    ctx.font = `${FONT.small}px ${theme.font}`;
    ctx.fillStyle = css(row.node < 0 ? theme.fg2 : mix(theme.fg, theme.fg2, 0.3));
    ctx.fillText(row.label, left + 13, base);
    if (row.detail) {
      ctx.fillStyle = css(theme.fg2);
      ctx.textAlign = "right";
      ctx.fillText(row.detail, right, base);
      ctx.textAlign = "left";
    }
    y += CARD.line;
  }
}

/** ● reads a variable, ▶ writes it, ◦ a constant, ┄ order only, ◆ from a busy node. */
function mark(ctx: CanvasRenderingContext2D, x: number, y: number, mode: string, node: number, theme: Theme): void {
  const strong = css(theme.variable);
  const weak = css(theme.fg2);
  if (node < 0) return;
  if (mode === "read") dot(ctx, x, y, 3.2, strong);
  else if (mode === "write") {
    ctx.fillStyle = strong;
    ctx.beginPath();
    ctx.moveTo(x + 4, y - 4);
    ctx.lineTo(x - 3.5, y);
    ctx.lineTo(x + 4, y + 4);
    ctx.fill();
  } else if (mode === "constant") {
    ctx.strokeStyle = weak;
    ctx.lineWidth = 1.2;
    ctx.beginPath();
    ctx.arc(x, y, 2.8, 0, 7);
    ctx.stroke();
  } else {
    ctx.fillStyle = weak;
    ctx.beginPath();
    ctx.moveTo(x - 3.5, y);
    ctx.lineTo(x, y - 3.5);
    ctx.lineTo(x + 3.5, y);
    ctx.lineTo(x, y + 3.5);
    ctx.fill();
  }
}

function dot(ctx: CanvasRenderingContext2D, x: number, y: number, r: number, colour: string): void {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 7);
  ctx.fill();
}

function mixBar(ctx: CanvasRenderingContext2D, item: Item, p: Paint): void {
  if (!p.scene.plan.stacks.has(item.card.node)) return;
  const shares = p.colours.mix(item.card.node);
  if (shares.length < 2) return;
  ctx.save();
  box(ctx, item.x, item.y, item.w, item.h, 7);
  ctx.clip();
  let x = item.x;
  for (const { category: index, share } of shares) {
    ctx.fillStyle = css(category(p.theme, index));
    ctx.fillRect(x, item.y + item.h - 3, item.w * share, 3);
    x += item.w * share;
  }
  ctx.restore();
}

function outline(ctx: CanvasRenderingContext2D, item: Item, p: Paint, radius: number): void {
  ctx.strokeStyle = css(p.theme.accent, p.focus ? 1 : 0.75);
  ctx.lineWidth = 2.2 / Math.min(1, p.camera.scale);
  box(ctx, item.x - 2.5, item.y - 2.5, item.w + 5, item.h + 5, radius + 2.5);
  ctx.stroke();
}
