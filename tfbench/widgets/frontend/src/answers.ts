// Answers of the kernel to what a view asks: in which order a fetch runs, and where everything runs.
// `widgets/answers.py` is the other half.

import { bytes } from "./protocol";

/** When an op in a loop runs, by the number in the message. */
const PARTS = ["once", "once, to enter", "N + 1 times", "N times", "once, to leave"] as const;

export interface Step {
  op: number;
  device: number;
  /** the innermost loop's name, or '' */
  loop: string;
  runs: string;
}

export interface OrderAnswer {
  fetch: string;
  error: string;
  steps: Step[];
  devices: string[];
}

export interface Placed {
  op: number;
  device: number;
  reason: string;
}

export interface Transfer {
  tensor: string;
  source: number;
  destination: number;
  /** null: not known before the run */
  bytes: number | null;
}

export interface PlacementAnswer {
  fetch: string;
  error: string;
  ops: Placed[];
  transfers: Transfer[];
  devices: string[];
  simulated: boolean[];
}

export interface OrderMessage {
  v: number;
  kind: "order";
  seq: number;
  fetch: string;
  error?: string;
  count?: number;
  devices?: string[];
  loops?: string[];
}

export interface PlacementMessage {
  v: number;
  kind: "placement";
  seq: number;
  fetch: string;
  error?: string;
  count?: number;
  devices?: string[];
  simulated?: number[];
  reasons?: string[];
  transfers?: [string, number, number, number | null][];
}

export interface FiltersAnswer {
  fetch: string;
  error: string;
  /** of the whole variable: height, width, inputs, outputs */
  shape: number[];
  /** inputs, outputs, height, width of what was sent */
  tiles: number[];
  values: Float32Array;
  /** the largest absolute value of all kernels */
  limit: number;
  /** NaN and infinite elements */
  broken: number;
}

export interface FiltersMessage {
  v: number;
  kind: "filters";
  seq: number;
  fetch: string;
  error?: string;
  shape?: number[];
  tiles?: number[];
  limit?: number;
  broken?: number;
}

export interface MapsAnswer {
  fetch: string;
  error: string;
  /** of the whole value */
  shape: number[];
  image: number;
  channels: number;
  /** channels, height, width of what was sent; a byte each: 0 is NaN or infinite */
  tiles: number[];
  values: Uint8Array;
  signed: boolean;
  limit: number;
  broken: number;
  dead: number;
  random: boolean;
  /** in words: what was fed */
  fed: string;
  /** planes, height, width of the fed image; empty: there is none */
  picture: number[];
  pixels: Uint8Array;
}

export type MapsMessage = Partial<Omit<MapsAnswer, "values" | "pixels">> & { v: number; kind: "maps"; seq: number; fetch: string };

export function readMaps(message: MapsMessage, buffers: (DataView | ArrayBuffer)[]): MapsAnswer {
  const values = buffers[0] ? new Uint8Array(bytes(buffers[0])) : new Uint8Array(0);
  const pixels = buffers[1] ? new Uint8Array(bytes(buffers[1])) : new Uint8Array(0);
  const { fetch, error = "", shape = [], tiles = [0, 0, 0], picture = [], fed = "" } = message;
  const { image = 0, channels = 0, limit = 0, broken = 0, dead = 0, signed = false, random = false } = message;
  if (values.length !== tiles.reduce((product, size) => product * size, 1)) throw new Error("maps do not match their sizes");
  return { fetch, error, shape, image, channels, tiles, values, signed, limit, broken, dead, random, fed, picture, pixels };
}

function table(buffers: (DataView | ArrayBuffer)[], count: number, width: number): Int32Array {
  const cells = buffers[0] ? new Int32Array(bytes(buffers[0])) : new Int32Array(0);
  if (cells.length !== count * width) throw new Error("rows do not match their count");
  return cells;
}

export function readOrder(message: OrderMessage, buffers: (DataView | ArrayBuffer)[]): OrderAnswer {
  const count = message.count ?? 0;
  const cells = table(buffers, count, 4);
  const steps: Step[] = [];
  for (let i = 0; i < count; i++) {
    const [op, device, loop, part] = cells.subarray(4 * i, 4 * i + 4);
    steps.push({ op: op!, device: device!, loop: message.loops![loop!]!, runs: PARTS[part!]! });
  }
  return { fetch: message.fetch, error: message.error ?? "", steps, devices: message.devices ?? [] };
}

export function readPlacement(message: PlacementMessage, buffers: (DataView | ArrayBuffer)[]): PlacementAnswer {
  const count = message.count ?? 0;
  const cells = table(buffers, count, 3);
  const ops: Placed[] = [];
  for (let i = 0; i < count; i++) {
    const [op, device, reason] = cells.subarray(3 * i, 3 * i + 3);
    ops.push({ op: op!, device: device!, reason: message.reasons![reason!]! });
  }
  const simulated = new Set(message.simulated ?? []);
  return {
    fetch: message.fetch,
    error: message.error ?? "",
    ops,
    transfers: (message.transfers ?? []).map(([tensor, source, destination, size]) => ({ tensor, source, destination, bytes: size })),
    devices: message.devices ?? [],
    simulated: (message.devices ?? []).map((_, i) => simulated.has(i)),
  };
}

export function readFilters(message: FiltersMessage, buffers: (DataView | ArrayBuffer)[]): FiltersAnswer {
  const { fetch, error = "", shape = [], tiles = [0, 0, 0, 0], limit = 0, broken = 0 } = message;
  const values = buffers[0] ? new Float32Array(bytes(buffers[0])) : new Float32Array(0);
  if (values.length !== tiles.reduce((product, size) => product * size, 1)) throw new Error("tiles do not match their sizes");
  return { fetch, error, shape, tiles, values, limit, broken };
}
