// What kernel and page say to each other. Small durable state (selected, tab) lives in traits; everything here
// is a custom message {v, kind, seq, …} with binary buffers. The kernel numbers its messages; when the page
// misses one it asks for a whole snapshot and ignores differences until it has it.

import type { FiltersMessage, MapsMessage, OrderMessage, PlacementMessage } from "./answers";
import type { ControlMessage, ValueMessage } from "./stepper";

export const VERSION = 1;

export interface Output {
  dtype: string;
  /** null: unknown rank; -1: unknown size */
  shape: number[] | null;
}

export interface Source {
  cell: string | null;
  file: string | null;
  line: number | null;
  /** the outermost line that led there, where that is another one */
  caller: Source | null;
}

export interface Op {
  name: string;
  type: string;
  device: string;
  attrs: [string, string][];
  outputs: Output[];
  source: Source | null;
  /** pairs: producing op, output index */
  inputs: Int32Array;
  control: Int32Array;
}

export interface Variable {
  name: string;
  op: number;
  shape: number[] | null;
  dtype: string;
  device: string;
  trainable: boolean;
  collections: string[];
  initialized: boolean | null;
  bytes: number | null;
  created_at: Source | null;
  shared_with: Source[];
  read_by: string[];
  written_by: string[];
}

export interface Stats {
  initialized: boolean;
  sampled: boolean;
  mean: number;
  std: number;
  low: number;
  high: number;
  nans: number;
  infs: number;
  /** false: initialized but without numbers (strings) */
  has: boolean;
  histogram: Uint32Array;
}

export interface GraphInfo {
  name: string;
  version: number;
  session: boolean;
}

/** Columns of the int32 matrix that comes with a block of operations. */
const COLUMNS = 11;

export interface RowsHeader {
  count: number;
  names: string[];
  types: string[];
  devices: string[];
  attrs: [string, string][][];
  outputs: [string, number[] | null][][];
  sources: [string | null, string | null][];
}

export interface SnapshotMessage {
  v: number;
  kind: "snapshot" | "delta";
  seq: number;
  graph: GraphInfo;
  /** number of operations after this message */
  total: number;
  rows: RowsHeader;
  /** absent: unchanged */
  variables?: Variable[];
}

export interface StatsMessage {
  v: number;
  kind: "stats";
  seq: number;
  runs: number;
  count: number;
  bins: number;
  /** values per variable in the history buffer; 0: none */
  history: number;
}

export interface StatusMessage {
  v: number;
  kind: "status";
  seq: number;
  state: "idle" | "live" | "closed";
  runs: number;
  text: string;
}

/** What feature maps are made of has changed. */
export interface FedMessage {
  v: number;
  kind: "fed";
  seq: number;
}

/** Is there a view of this panel in any window? */
export interface AnybodyMessage {
  v: number;
  kind: "anybody";
  seq: number;
}

/** A file that the kernel made. */
export interface ExportMessage {
  v: number;
  kind: "export";
  seq: number;
  fetch: "svg" | "html";
  error?: string;
}

export type Message = AnybodyMessage | ControlMessage | ValueMessage | ExportMessage | FedMessage | MapsMessage | SnapshotMessage | StatsMessage | StatusMessage | OrderMessage | PlacementMessage | FiltersMessage;

/** A typed array over a message buffer, copied: buffers are DataViews at any alignment. */
export function bytes(view: DataView | ArrayBuffer): ArrayBuffer {
  if (view instanceof ArrayBuffer) return view;
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) as ArrayBuffer;
}

/** The operations of a snapshot or delta, with the index that each has in the graph. */
export function readRows(header: RowsHeader, buffers: (DataView | ArrayBuffer)[]): [number, Op][] {
  const columns = new Int32Array(bytes(buffers[0]!));
  const edges = new Int32Array(bytes(buffers[1]!));
  if (columns.length !== header.count * COLUMNS) throw new Error("operation columns do not match their count");
  const outputs = header.outputs.map((list) => list.map(([dtype, shape]) => ({ dtype, shape })));
  const rows: [number, Op][] = [];
  let at = 0;
  for (let row = 0; row < header.count; row++) {
    const c = (i: number): number => columns[row * COLUMNS + i]!;
    const inputs = edges.subarray(at, (at += 2 * c(9)));
    const control = edges.subarray(at, (at += c(10)));
    rows.push([
      c(0),
      {
        name: header.names[row]!,
        type: header.types[c(1)]!,
        device: header.devices[c(2)]!,
        attrs: header.attrs[c(3)]!,
        outputs: outputs[c(4)]!,
        source: readPlace(header, c(5), c(6), readPlace(header, c(7), c(8), null)),
        inputs,
        control,
      },
    ]);
  }
  if (at !== edges.length) throw new Error("edges do not match their counts");
  return rows;
}

function readPlace(header: RowsHeader, source: number, line: number, caller: Source | null): Source | null {
  if (source < 0) return null;
  const [cell, file] = header.sources[source]!;
  return { cell, file, line: line < 0 ? null : line, caller };
}

const NUMBERS = 6;

/** Variable index -> statistics. */
export function readStats(message: StatsMessage, buffers: (DataView | ArrayBuffer)[]): Map<number, Stats> {
  const at = new Int32Array(bytes(buffers[0]!));
  const numbers = new Float64Array(bytes(buffers[1]!));
  const flags = new Uint8Array(bytes(buffers[2]!));
  const histogram = new Uint32Array(bytes(buffers[3]!));
  const found = new Map<number, Stats>();
  for (let i = 0; i < message.count; i++) {
    const n = (k: number): number => numbers[i * NUMBERS + k]!;
    const flag = flags[i]!;
    found.set(at[i]!, {
      initialized: (flag & 1) !== 0,
      sampled: (flag & 2) !== 0,
      has: (flag & 4) !== 0,
      mean: n(0),
      std: n(1),
      low: n(2),
      high: n(3),
      nans: n(4),
      infs: n(5),
      histogram: histogram.subarray(i * message.bins, (i + 1) * message.bins),
    });
  }
  return found;
}

/** Variable index -> earlier means, oldest first. */
export function readHistory(message: StatsMessage, buffers: (DataView | ArrayBuffer)[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  if (!message.history) return found;
  const at = new Int32Array(bytes(buffers[0]!));
  const means = new Float64Array(bytes(buffers[4]!));
  for (let i = 0; i < message.count; i++) {
    const row = means.subarray(i * message.history, (i + 1) * message.history);
    found.set(at[i]!, Array.from(row).filter((value) => !Number.isNaN(value)));
  }
  return found;
}

/** Checks the order of messages and asks for a snapshot where one is missing. */
export class Sequence {
  private last = -1;
  private waiting = true;

  constructor(private readonly request: () => void) {}

  /** Whether `message` may be applied. */
  accept(message: { v: number; kind: string; seq: number }): boolean {
    if (message.v !== VERSION) return false;
    if (message.kind === "snapshot") {
      this.waiting = false;
      this.last = message.seq;
      return true;
    }
    if (this.waiting) return false;
    if (message.seq <= this.last) return false;
    if (message.seq !== this.last + 1) {
      this.waiting = true;
      this.request();
      return false;
    }
    this.last = message.seq;
    return true;
  }
}
