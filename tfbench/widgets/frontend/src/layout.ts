// Where the boxes of one container go. A Problem describes an open scope and, inside it, the open scopes below;
// `solve` lays out the innermost first, so every run of dagre sees one scope's children and nothing else. Results
// are cached by content: opening one scope lays out that scope and its ancestors again, not its siblings.
//
// Edges that leave a scope meet its border at a port. A port is a sliver-sized node of the inner layout, kept in
// the first (in) or last (out) rank; the outer layout draws its edge to that place, so that the line continues.

import { Graph, layout as dagre } from "@dagrejs/dagre";
import { HEADER, PAD, type Box, type Link, type Placed, type Point, type Problem, type Result } from "./boxes";

const RANK_GAP = 26;
const NODE_GAP = 20;
const PACK_GAP = 10;
const SECTION_GAP = 18;
/** More links than this in one container are laid out in plain layers: dagre's ordering grows too slow. */
const MAX_LINKS = 500;

const cache = new Map<string, Result>();
const CACHE = 400;

/** Lays out a problem; the same problem gives the same result, object and all. */
export function solve(problem: Problem): Result {
  const key = JSON.stringify(problem);
  const known = cache.get(key);
  if (known) return known;
  const result = place(problem);
  if (cache.size >= CACHE) cache.delete(cache.keys().next().value!);
  cache.set(key, result);
  return result;
}

function place(problem: Problem): Result {
  const inner = new Map<string, Result>();
  const sized = (box: Box): Box => {
    if (!box.open) return box;
    const result = solve(box.open);
    inner.set(box.id, result);
    return { id: box.id, w: Math.max(box.w, result.w + 2 * PAD), h: result.h + HEADER + PAD };
  };
  const boxes = problem.boxes.map(sized);
  const flow = arrange(boxes, problem);
  // The flow in the middle, variables to its left, what is linked to nothing to its right: lines stay clear of both.
  const beside = boxes.length > 0;
  const packed = (list: Box[]): Part => (beside ? columns(list.map(sized), Math.max(flow.h, 150)) : rows(list.map(sized)));
  const above = packed(problem.above);
  const below = packed(problem.below);
  const parts = [above, flow, below].filter((part) => part.at.length);
  const placed: Placed[] = [];
  const sum = (sizes: number[]): number => sizes.reduce((a, n) => a + n + SECTION_GAP, -SECTION_GAP);
  const w = beside ? sum(parts.map((part) => part.w)) : Math.max(0, ...parts.map((part) => part.w));
  const h = beside ? Math.max(0, ...parts.map((part) => part.h)) : Math.max(0, sum(parts.map((part) => part.h)));
  let at0 = 0;
  let dx = 0;
  for (const part of parts) {
    const x = beside ? at0 : (w - part.w) / 2;
    const y = beside ? 0 : at0;
    if (part === flow) dx = x;
    for (const box of part.at) placed.push({ ...box, x: box.x + x, y: box.y + y });
    at0 += (beside ? part.w : part.h) + SECTION_GAP;
  }
  for (const box of placed) {
    const result = inner.get(box.id);
    if (result) box.open = result;
  }
  const shift = (points: Point[]): Point[] => points.map((p) => ({ x: p.x + dx, y: p.y }));
  const at = new Map(placed.map((box) => [box.id, box]));
  const innerPort = (id: string, side: "in" | "out", key: string): number | undefined => {
    const box = at.get(id)!;
    const result = inner.get(id);
    const x = result?.ports[`${side}:${key}`];
    if (x === undefined) return undefined;
    return box.x + x + (box.w - 2 * PAD - result!.w) / 2;
  };
  const ends = (points: Point[], from: string | null, to: string | null, outKey: string, inKey: string): Point[] => {
    const line = shift(points);
    if (from !== null) {
      const box = at.get(from)!;
      line[0] = { x: innerPort(from, "out", outKey) ?? box.x + box.w / 2, y: box.y + box.h };
    }
    if (to !== null) {
      const box = at.get(to)!;
      line[line.length - 1] = { x: innerPort(to, "in", inKey) ?? box.x + box.w / 2, y: box.y };
    }
    return line;
  };
  const links = problem.links.map((link, i) => ends(flow.links[i]!, link.from, link.to, link.to, link.from));
  const ports: Record<string, number> = {};
  const inputs = problem.inputs.map((link, i) => {
    const line = ends(flow.inputs[i]!, null, link.to, "", link.port);
    line[0] = { x: line[0]!.x, y: -HEADER };
    ports[`in:${link.port}`] = line[0].x + PAD;
    return line;
  });
  const outputs = problem.outputs.map((link, i) => {
    const line = ends(flow.outputs[i]!, link.from, null, link.port, "");
    line[line.length - 1] = { x: line[line.length - 1]!.x, y: h + PAD };
    ports[`out:${link.port}`] = line[line.length - 1]!.x + PAD;
    return line;
  });
  const axis = boxes.length ? dx + flow.axis : null;
  return { w, h, axis, boxes: placed, links, inputs, outputs, ports };
}

interface Flow {
  w: number;
  h: number;
  /** where its first boxes are */
  axis: number;
  at: Placed[];
  links: Point[][];
  inputs: Point[][];
  outputs: Point[][];
}

function arrange(boxes: Box[], problem: Problem): Flow {
  if (!boxes.length) {
    return { w: 0, h: 0, axis: 0, at: [], links: [], inputs: problem.inputs.map(() => []), outputs: problem.outputs.map(() => []) };
  }
  const count = problem.links.length + problem.inputs.length + problem.outputs.length;
  if (count <= MAX_LINKS) {
    try {
      return withDagre(boxes, problem);
    } catch {
      // A layout that fails must not take the map with it: plain layers always work.
    }
  }
  return inLayers(boxes, problem);
}

function withDagre(boxes: Box[], problem: Problem): Flow {
  const graph = new Graph({});
  graph.setGraph({ rankdir: "TB", nodesep: NODE_GAP, ranksep: RANK_GAP, edgesep: 10, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(box.id, { width: box.w, height: box.h });
  for (const link of problem.links) graph.setEdge(link.from, link.to, { weight: link.weight, minlen: 1 });
  const depth = ranks(boxes, problem.links, false);
  const height = ranks(boxes, problem.links, true);
  for (const { port, to } of problem.inputs) {
    graph.setNode(`in:${port}`, { width: 2, height: 0 });
    graph.setEdge(`in:${port}`, to, { weight: 1, minlen: 1 + depth.get(to)! });
  }
  for (const { port, from } of problem.outputs) {
    graph.setNode(`out:${port}`, { width: 2, height: 0 });
    graph.setEdge(from, `out:${port}`, { weight: 1, minlen: 1 + height.get(from)! });
  }
  dagre(graph);
  const at = boxes.map((box) => {
    const node = graph.node(box.id);
    return { id: box.id, x: node.x - box.w / 2, y: node.y - box.h / 2, w: box.w, h: box.h };
  });
  const line = (from: string, to: string): Point[] => {
    const points = (graph.edge(from, to).points as Point[]).map(({ x, y }) => ({ x, y }));
    // The bends next to the ends aim at the middles of the boxes; ours end at ports, and curve by themselves.
    return points.length < 3 ? points : [points[0]!, ...points.slice(2, -2), points[points.length - 1]!];
  };
  const flow = {
    w: 0,
    h: 0,
    axis: 0,
    at,
    links: problem.links.map((link) => line(link.from, link.to)),
    inputs: problem.inputs.map(({ port, to }) => {
      const points = line(`in:${port}`, to);
      points[0]!.x = graph.node(`in:${port}`).x;
      return points;
    }),
    outputs: problem.outputs.map(({ port, from }) => {
      const points = line(from, `out:${port}`);
      points[points.length - 1]!.x = graph.node(`out:${port}`).x;
      return points;
    }),
  };
  return readingOrder(crop(flow));
}

/** Of a layout and its mirror image, the one in which earlier boxes are more often on the left. */
function readingOrder(flow: Flow): Flow {
  let score = 0;
  flow.at.forEach((a, i) => {
    for (const b of flow.at.slice(i + 1)) {
      if (a.y < b.y + b.h && b.y < a.y + a.h) score += Math.sign(b.x + b.w / 2 - a.x - a.w / 2);
    }
  });
  if (score >= 0) return flow;
  for (const box of flow.at) box.x = flow.w - box.x - box.w;
  for (const point of [...flow.links, ...flow.inputs, ...flow.outputs].flat()) point.x = flow.w - point.x;
  flow.axis = flow.w - flow.axis;
  return flow;
}

/** Ranks that only ports occupied are taken off again: the border is where the ports are drawn. */
function crop(flow: Flow): Flow {
  const every = [...flow.links, ...flow.inputs, ...flow.outputs];
  const xs = [...flow.at.flatMap((b) => [b.x, b.x + b.w]), ...every.flat().map((p) => p.x)];
  const left = Math.min(...xs);
  const first = Math.min(...flow.at.map((b) => b.y));
  for (const box of flow.at) {
    box.x -= left;
    box.y -= first;
  }
  for (const points of every)
    for (const point of points) {
      point.x -= left;
      point.y -= first;
    }
  flow.w = Math.max(...xs) - left;
  flow.h = Math.max(...flow.at.map((b) => b.y + b.h));
  flow.axis = top(flow.at);
  return flow;
}

/** The middle of the boxes in the first rank. */
function top(at: Placed[]): number {
  const first = at.filter((box) => box.y < 1);
  return first.reduce((sum, box) => sum + box.x + box.w / 2, 0) / Math.max(1, first.length);
}

/** Longest path from a source (or, reversed, to a sink), along links that point forward in creation order. */
function ranks(boxes: Box[], links: Link[], reversed: boolean): Map<string, number> {
  const order = new Map(boxes.map((box, i) => [box.id, i]));
  const rank = new Map(boxes.map((box) => [box.id, 0]));
  const forward = links.filter((link) => order.get(link.from)! < order.get(link.to)!);
  if (reversed) {
    forward.sort((a, b) => order.get(b.to)! - order.get(a.to)!);
    for (const { from, to } of forward) rank.set(from, Math.max(rank.get(from)!, rank.get(to)! + 1));
  } else {
    forward.sort((a, b) => order.get(a.from)! - order.get(b.from)!);
    for (const { from, to } of forward) rank.set(to, Math.max(rank.get(to)!, rank.get(from)! + 1));
  }
  return rank;
}

/** Longest-path layers, each a row. Straight links. */
function inLayers(boxes: Box[], problem: Problem): Flow {
  const layer = ranks(boxes, problem.links, false);
  const layers: Box[][] = [];
  for (const box of boxes) (layers[layer.get(box.id)!] ??= []).push(box);
  const filled = layers.filter((row) => row?.length);
  const width = (row: Box[]): number => row.reduce((sum, box) => sum + box.w + NODE_GAP, -NODE_GAP);
  const w = Math.max(...filled.map(width));
  const at: Placed[] = [];
  let y = 0;
  for (const row of filled) {
    let x = (w - width(row)) / 2;
    for (const box of row) {
      at.push({ id: box.id, x, y, w: box.w, h: box.h });
      x += box.w + NODE_GAP;
    }
    y += Math.max(...row.map((box) => box.h)) + RANK_GAP;
  }
  const h = y - RANK_GAP;
  const centre = new Map(at.map((box) => [box.id, box.x + box.w / 2]));
  const straight = (from: string | null, to: string | null): Point[] => [
    { x: centre.get(from ?? to!)!, y: 0 },
    { x: centre.get(to ?? from!)!, y: h },
  ];
  return {
    w,
    h,
    axis: top(at),
    at,
    links: problem.links.map((link) => straight(link.from, link.to)),
    inputs: problem.inputs.map((link) => straight(null, link.to)),
    outputs: problem.outputs.map((link) => straight(link.from, null)),
  };
}

interface Part {
  w: number;
  h: number;
  at: Placed[];
}

/** Rows of boxes, wrapped so that the whole is wider than high. */
function rows(boxes: Box[]): Part {
  const area = boxes.reduce((sum, box) => sum + (box.w + PACK_GAP) * (box.h + PACK_GAP), 0);
  const limit = Math.max(420, Math.sqrt(area * 1.8));
  const turned = columns(boxes.map((box) => ({ ...box, w: box.h, h: box.w })), limit);
  return { w: turned.h, h: turned.w, at: turned.at.map((box) => ({ ...box, x: box.y, y: box.x, w: box.h, h: box.w })) };
}

/** Columns of boxes, left aligned, wrapped at `limit`. */
function columns(boxes: Box[], limit: number): Part {
  const at: Placed[] = [];
  let x = 0;
  let y = 0;
  let width = 0;
  let height = 0;
  for (const box of boxes) {
    if (y > 0 && y + box.h > limit) {
      x += width + PACK_GAP;
      y = width = 0;
    }
    at.push({ id: box.id, x, y, w: box.w, h: box.h });
    width = Math.max(width, box.w);
    y += box.h + PACK_GAP;
    height = Math.max(height, y - PACK_GAP);
  }
  return { w: x + width, h: height, at };
}
