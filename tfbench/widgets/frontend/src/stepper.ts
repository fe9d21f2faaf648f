// The run that is held, or stepped through: where it is, what has run, and the commands that act on it.
// `widgets/stepping.py` is the other half.

import { bytes } from "./protocol";

export interface ControlMessage {
  v: number;
  kind: "control";
  seq: number;
  /** a loop in the session, or a run that the panel was given to step through */
  what: "loop" | "step";
  state: "free" | "asked" | "running" | "held" | "over";
  /** the operation that is next, or -1 */
  at: number;
  iterations: number[];
  why: string;
  /** what the Order view asks for to see the steps of this run; '' where there are none to see */
  order: string;
  breakpoints: string[];
  /** the last command that was heard */
  heard: string;
  error: string;
}

export interface ValueMessage {
  v: number;
  kind: "value";
  seq: number;
  op: string;
  said: string[];
}

export type Command = "pause" | "go" | "step" | "to" | "stop" | "break" | "value";

export interface Control extends ControlMessage {
  /** operations that have run in this run */
  done: Set<number>;
}

export function readControl(message: ControlMessage, buffers: (DataView | ArrayBuffer)[]): Control {
  return { ...message, done: new Set(new Int32Array(bytes(buffers[0]!))) };
}

/** The parts of Jupyter's kernel connection that are used; other front ends have none. */
export interface Kernel {
  clientId: string;
  username: string;
  sendControlMessage?(message: unknown): unknown;
  interrupt?(): Promise<void>;
}

let count = 0;

export const makeId = (): string => `${Date.now().toString(36)}-${count++}-${Math.random().toString(36).slice(2, 8)}`;

/** Sends a message to a panel past a kernel that is busy. Whether it left. */
export function sendPast(kernel: Kernel | null | undefined, panel: unknown, content: object): boolean {
  if (!panel || !kernel?.sendControlMessage) return false;
  try {
    const header = { date: new Date().toISOString(), msg_id: makeId(), msg_type: "tfbench_command", session: kernel.clientId, username: kernel.username, version: "5.3" };
    kernel.sendControlMessage({ header, parent_header: {}, metadata: {}, content: { ...content, panel }, buffers: [], channel: "control" });
    return true;
  } catch {
    return false;
  }
}
