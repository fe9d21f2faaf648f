// Sends layout problems to the worker. Only the newest matters: while one is being solved, a later one replaces
// whatever was waiting.

import packed from "inline-worker:./worker.ts";
import type { Problem, Result } from "./boxes";

/** The worker's source: in the bundle it is deflated, and five letters are four bytes (`build.mjs`). */
function unpacked(): Promise<string> {
  const [length, text] = packed.split(" ") as [string, string];
  const words = new DataView(new ArrayBuffer((text.length / 5) * 4));
  for (let at = 0; at < text.length; at += 5) {
    let word = 0;
    for (let i = 0; i < 5; i++) {
      const code = text.charCodeAt(at + i);
      word = word * 85 + code - (code < 92 ? 40 : 41);
    }
    words.setUint32((at / 5) * 4, word);
  }
  const data = new Uint8Array(words.buffer, 0, Number(length));
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

type Solve = (problem: Problem) => Promise<Result>;

export class Layouter {
  private solve: Promise<Solve> | null = null;
  private worker: Worker | null = null;
  private running = false;
  private waiting: { problem: Problem; done: (result: Result | null) => void } | null = null;

  /** The layout, or null where a later request took its place. */
  request(problem: Problem): Promise<Result | null> {
    return new Promise((done) => {
      this.waiting?.done(null);
      this.waiting = { problem, done };
      if (!this.running) void this.next();
    });
  }

  close(): void {
    this.waiting?.done(null);
    this.waiting = null;
    this.worker?.terminate();
    this.worker = null;
    this.solve = null;
  }

  private async next(): Promise<void> {
    const job = this.waiting;
    if (!job) return;
    this.waiting = null;
    this.running = true;
    try {
      this.solve ??= this.start();
      job.done(await (await this.solve)(job.problem));
    } catch (error) {
      console.error("tfbench: layout failed", error);
      job.done(null);
    }
    this.running = false;
    if (this.waiting) void this.next();
  }

  private async start(): Promise<Solve> {
    const url = URL.createObjectURL(new Blob([await unpacked()], { type: "text/javascript" }));
    try {
      return await this.inWorker(url);
    } catch {
      const here = (await import(/* @vite-ignore */ url)) as { solve: (problem: Problem) => Result };
      return (problem) => Promise.resolve(here.solve(problem));
    } finally {
      URL.revokeObjectURL(url);
    }
  }

  private inWorker(url: string): Promise<Solve> {
    const worker = new Worker(url, { type: "module" });
    const pending = new Map<number, { yes: (r: Result) => void; no: (e: Error) => void }>();
    let id = 0;
    worker.onmessage = ({ data }: MessageEvent<{ id: number; result?: Result; error?: string }>) => {
      const job = pending.get(data.id);
      pending.delete(data.id);
      if (data.result) job?.yes(data.result);
      else job?.no(new Error(data.error));
    };
    const solve: Solve = (problem) =>
      new Promise((yes, no) => {
        pending.set(++id, { yes, no });
        worker.postMessage({ id, problem });
      });
    // A first, empty problem tells whether the worker starts at all.
    return new Promise((yes, no) => {
      worker.onerror = (event) => {
        no(new Error(event.message));
        for (const job of pending.values()) job.no(new Error(event.message));
        pending.clear();
      };
      solve({ boxes: [], links: [], inputs: [], outputs: [], above: [], below: [] }).then(() => {
        this.worker = worker;
        yes(solve);
      }, no);
    });
  }
}
