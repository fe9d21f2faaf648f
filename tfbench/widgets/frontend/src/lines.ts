// The lines of the map: links, what stands for them from far away, and the arcs of edges that have no line of their own.

import type { Point } from "./boxes";
import type { Paint } from "./draw";
import type { LinkInfo } from "./plan";
import { rowPlace, type Line } from "./scene";
import { css, mix, type Rgb, type Theme } from "./theme";

export function lineSeen(line: Line, seen: (x: number, y: number, w: number, h: number) => boolean): boolean {
  let left = Infinity;
  let right = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  for (const { x, y } of line.points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return seen(left - 2, top - 2, right - left + 4, bottom - top + 4);
}

/** Lines from far away: straight, one stroke for each kind, and none where there would be no length to see. */
export function drawThin(ctx: CanvasRenderingContext2D, lines: Line[], p: Paint): void {
  for (const kind of ["control", "data", "reference"] as const) {
    ctx.beginPath();
    for (const { points, link } of lines) {
      const last = points[points.length - 1]!;
      if (link.kind !== kind || Math.hypot(last.x - points[0]!.x, last.y - points[0]!.y) * p.camera.scale < 3) continue;
      ctx.moveTo(points[0]!.x, points[0]!.y);
      for (const point of points) ctx.lineTo(point.x, point.y);
    }
    ctx.strokeStyle = css(lineColour(kind, p.theme), p.bright ? 0.3 : 1);
    ctx.lineWidth = 1 / p.camera.scale / 2;
    ctx.stroke();
  }
}

export function lineColour(kind: LinkInfo["kind"], theme: Theme): Rgb {
  if (kind === "reference") return theme.variable;
  return mix(theme.fg2, theme.bg, kind === "control" ? 0.15 : 0.3);
}

function stroke(ctx: CanvasRenderingContext2D, link: LinkInfo, p: Paint, lit: boolean): void {
  const colour = lit ? p.theme.accent : lineColour(link.kind, p.theme);
  const thin = 1 / Math.min(1, Math.max(p.camera.scale, 0.35));
  ctx.strokeStyle = css(colour, p.bright && !lit ? 0.3 : 1);
  ctx.lineWidth = (1.15 + Math.min(2.2, Math.log2(link.edges.length) * 0.45) + (lit ? 0.7 : 0)) * thin;
  ctx.setLineDash(link.kind === "control" ? [4 * thin, 4 * thin] : []);
}

export function drawLine(ctx: CanvasRenderingContext2D, line: Line, p: Paint, lit: boolean): void {
  stroke(ctx, line.link, p, lit);
  const { points } = line;
  const last = points.length - 1;
  const tip = points[last]!;
  const end = line.arrow ? { x: tip.x, y: tip.y - 5 } : tip;
  ctx.beginPath();
  ctx.moveTo(points[0]!.x, points[0]!.y);
  for (let i = 1; i <= last; i++) {
    const a = points[i - 1]!;
    const b = i === last ? end : points[i]!;
    const middle = (a.y + b.y) / 2;
    ctx.bezierCurveTo(a.x, middle, b.x, middle, b.x, b.y);
  }
  ctx.stroke();
  ctx.setLineDash([]);
  if (line.arrow && p.camera.scale > 0.25) arrow(ctx, tip, 0, 1, ctx.strokeStyle as string);
}

function arrow(ctx: CanvasRenderingContext2D, tip: Point, dx: number, dy: number, colour: string): void {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(tip.x, tip.y);
  ctx.lineTo(tip.x - 7 * dx - 3.6 * dy, tip.y - 7 * dy - 3.6 * dx);
  ctx.lineTo(tip.x - 7 * dx + 3.6 * dy, tip.y - 7 * dy + 3.6 * dx);
  ctx.fill();
}

/** An edge that has no line of its own, drawn over the map while it matters. */
export function drawArc(ctx: CanvasRenderingContext2D, link: LinkInfo, p: Paint): void {
  const source = p.scene.byNode.get(link.from);
  const target = p.scene.byNode.get(link.to);
  if (!target) return;
  if (!source) return;
  stroke(ctx, link, p, true);
  const to = rowPlace(target, link.from);
  const right = source.x + source.w / 2 > target.x + target.w / 2;
  const side = right ? 1 : -1;
  if (right) to.x = target.x + target.w;
  // Beside each other: from flank to flank. Above each other: out below, in from the side.
  const beside = right ? source.x > to.x + 8 : source.x + source.w < to.x - 8;
  const reach = Math.max(24, Math.abs(to.x - source.x - source.w / 2) * 0.4);
  ctx.beginPath();
  if (beside) {
    const x = right ? source.x : source.x + source.w;
    const y = source.y + source.h / 2;
    const pull = Math.max(14, Math.abs(to.x - x) / 2);
    ctx.moveTo(x, y);
    ctx.bezierCurveTo(x - side * pull, y, to.x + side * pull, to.y, to.x + side * 5, to.y);
  } else {
    const x = source.x + source.w / 2;
    const y = source.y + source.h;
    ctx.moveTo(x, y);
    ctx.bezierCurveTo(x, y + 36, to.x + side * reach, to.y, to.x + side * 5, to.y);
  }
  ctx.stroke();
  ctx.setLineDash([]);
  arrow(ctx, to, -side, 0, ctx.strokeStyle as string);
}
