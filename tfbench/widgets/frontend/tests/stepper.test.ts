import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../src/model";
import type { Op } from "../src/protocol";
import { makeId, sendPast, type ControlMessage } from "../src/stepper";

const op = (name: string): Op => ({ name, type: "T", device: "", attrs: [], outputs: [], source: null, inputs: new Int32Array(0), control: new Int32Array(0) });

const control = (more: Partial<ControlMessage>): ControlMessage => ({
  v: 1, kind: "control", seq: 3, what: "loop", state: "free", at: -1, iterations: [], why: "", order: "", breakpoints: [], heard: "", error: "", ...more,
});

const done = (...ops: number[]): ArrayBuffer[] => [new Int32Array(ops).buffer];

function model(): { model: Model; asked: string[][] } {
  const found = new Model();
  const asked: string[][] = [];
  found.ask = (what, fetch) => asked.push([what, fetch]);
  found.load([op("a"), op("b"), op("c")], []);
  return { model: found, asked };
}

test("the selection and the order follow the run that waits", () => {
  const { model: m, asked } = model();
  m.apply(control({ state: "held", at: 1, order: "(the run)" }), done(0));
  assert.equal(m.selected, "b");
  assert.deepEqual(asked, [["order", "(the run)"]]);
  assert.deepEqual([...m.control!.done], [0]);
  // Somebody looks at another operation: a message that brings nothing new leaves it chosen.
  m.select("a");
  m.apply(control({ state: "held", at: 1, order: "(the run)", breakpoints: ["c"] }), done(0));
  assert.equal(m.selected, "a");
  assert.equal(asked.length, 1);
  // The same operation again, in the next iteration of a loop, is a step.
  m.apply(control({ state: "held", at: 1, order: "(the run)" }), done(0, 2));
  assert.equal(m.selected, "b");
});

test("a run between two steps, or over, chooses nothing", () => {
  const { model: m, asked } = model();
  m.select("c");
  m.apply(control({ state: "held" }), done());
  assert.equal(m.selected, "c");
  assert.deepEqual(asked, []);
});

test("what is heard ends the offer to interrupt", () => {
  const { model: m } = model();
  m.unheard = true;
  m.apply(control({ heard: "x" }), done());
  assert.equal(m.unheard, false);
});

test("a message past a busy kernel names the panel; without a channel it does not leave", () => {
  const sent: Record<string, any>[] = [];
  const kernel = { clientId: "me", username: "somebody", sendControlMessage: (message: unknown) => sent.push(message as Record<string, unknown>) };
  assert.equal(sendPast(kernel, "panel-1", { kind: "command" }), true);
  assert.deepEqual(sent[0]!.content, { kind: "command", panel: "panel-1" });
  assert.equal(sent[0]!.channel, "control");
  assert.equal(sent[0]!.header.msg_type, "tfbench_command");
  assert.equal(sendPast(kernel, "", {}), false);
  assert.equal(sendPast(null, "panel-1", {}), false);
  assert.equal(sendPast({ clientId: "", username: "" }, "panel-1", {}), false);
  const failing = { clientId: "", username: "", sendControlMessage: () => { throw new Error("closed"); } };
  assert.equal(sendPast(failing, "panel-1", {}), false);
});

test("no two ids are the same", () => {
  assert.equal(new Set(Array.from({ length: 1000 }, makeId)).size, 1000);
});
