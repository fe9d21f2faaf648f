import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Model } from "../src/model";
import { bytes, Sequence, type Message } from "../src/protocol";

interface Recorded {
  content: Message;
  buffers: string[];
}

/** Messages that the kernel's own code wrote; tests/widgets/test_fixture.py keeps them true. */
const recorded = JSON.parse(readFileSync("tests/fixtures/messages.json", "utf8")) as Recorded[];

function deliver(model: Model, message: Recorded): void {
  // Buffers arrive as views at odd offsets into a larger buffer.
  const buffers = message.buffers.map((code) => {
    const data = Buffer.from(code, "base64");
    const room = new Uint8Array(data.length + 3);
    room.set(data, 3);
    return new DataView(room.buffer, 3, data.length);
  });
  model.apply(message.content, buffers);
}

test("the kernel's snapshot, delta, values and status", () => {
  const model = new Model();
  const seen: string[] = [];
  for (const topic of ["graph", "stats", "status"] as const) model.on(topic, () => seen.push(topic));
  deliver(model, recorded[0]!);
  assert.equal(model.graph.name, "tiny <b>");
  assert.deepEqual(model.ops.map((op) => op.name).slice(-2), ["net/y", "net/w/again"]);
  const y = model.ops[model.find("net/y")]!;
  assert.deepEqual([...y.inputs], [model.find("x"), 0, model.find("net/w/read"), 0]);
  assert.deepEqual(y.outputs, [{ dtype: "float32", shape: [-1, 2] }]);
  assert.deepEqual(y.source, { cell: "3", file: "<3>", line: 7, caller: null });
  assert.equal(model.variables[0]!.name, "net/w");
  assert.equal(model.variableOf(model.find("net/w")), 0);
  assert.equal(model.variables[0]!.initialized, false);
  deliver(model, recorded[1]!);
  assert.deepEqual(model.ops.at(-1)!.name, "late");
  assert.deepEqual([...model.ops.at(-1)!.control], [model.find("net/y")]);
  deliver(model, recorded[2]!);
  const stats = model.stats.get(0)!;
  assert.equal(stats.mean, 2.5);
  assert.equal(stats.nans, 1);
  assert.ok(model.variables[0]!.initialized);
  assert.deepEqual(model.history.get(0), [0.5, 1.5, 2.5]);
  assert.equal(stats.histogram.reduce((a, n) => a + n, 0), 7);
  deliver(model, recorded[3]!);
  assert.equal(model.state, "live");
  assert.equal(model.runs, 12);
  assert.deepEqual(seen, ["graph", "graph", "stats", "status"]);
});

test("values follow their variable when the list changes", () => {
  const model = new Model();
  deliver(model, recorded[0]!);
  deliver(model, recorded[2]!);
  const moved = structuredClone(recorded[1]!);
  const before = model.variables[0]!;
  (moved.content as { variables: unknown }).variables = [{ ...before, name: "new" }, before];
  deliver(model, moved);
  assert.equal(model.stats.get(0), undefined);
  assert.equal(model.stats.get(1)!.mean, 2.5);
});

test("a gap asks for a snapshot once, and nothing is applied until it comes", () => {
  let asked = 0;
  const sequence = new Sequence(() => asked++);
  const message = (kind: string, seq: number, v = 1) => ({ v, kind, seq });
  assert.equal(sequence.accept(message("delta", 3)), false, "before the first snapshot");
  assert.equal(sequence.accept(message("snapshot", 4)), true);
  assert.equal(sequence.accept(message("delta", 5)), true);
  assert.equal(sequence.accept(message("delta", 5)), false, "twice");
  assert.equal(sequence.accept(message("stats", 8)), false);
  assert.equal(sequence.accept(message("stats", 9)), false);
  assert.equal(asked, 1);
  assert.equal(sequence.accept(message("snapshot", 10)), true);
  assert.equal(sequence.accept(message("stats", 11)), true);
  assert.equal(sequence.accept(message("stats", 12, 2)), false, "another version");
});

test("broken rows are refused", () => {
  const model = new Model();
  const broken = structuredClone(recorded[0]!);
  broken.buffers[0] = broken.buffers[0]!.slice(0, 48);
  assert.throws(() => deliver(model, broken), /columns/);
});

test("buffers are copied to aligned arrays", () => {
  const room = new Uint8Array([9, 1, 0, 0, 0]);
  assert.deepEqual([...new Int32Array(bytes(new DataView(room.buffer, 1, 4)))], [1]);
});
