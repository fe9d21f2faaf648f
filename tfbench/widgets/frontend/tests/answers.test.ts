import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrderMessage, PlacementMessage } from "../src/answers";
import { Model } from "../src/model";

function table(...cells: number[]): ArrayBuffer[] {
  return [new Int32Array(cells).buffer];
}

test("an order: steps with devices, loops and how often they run", () => {
  const model = new Model();
  const asked: string[][] = [];
  model.ask = (what, fetch) => asked.push([what, fetch]);
  model.fetchOrder("y");
  assert.deepEqual(asked, [["order", "y"]]);
  assert.equal(model.order, null);
  const message: OrderMessage = { v: 1, kind: "order", seq: 2, fetch: "y", count: 2, devices: ["/device:CPU:0", "/device:GPU:0"], loops: ["", "while"] };
  model.apply(message, table(4, 0, 0, 0, 5, 1, 1, 3));
  assert.deepEqual(model.order!.steps, [
    { op: 4, device: 0, loop: "", runs: "once" },
    { op: 5, device: 1, loop: "while", runs: "N times" },
  ]);
});

test("an answer to an earlier question is not shown", () => {
  const model = new Model();
  model.fetchOrder("y");
  model.fetchOrder("z");
  model.apply({ v: 1, kind: "order", seq: 2, fetch: "y", count: 0, devices: [], loops: [] }, table());
  assert.equal(model.order, null);
});

test("an error is an answer", () => {
  const model = new Model();
  model.fetchOrder("y");
  model.apply({ v: 1, kind: "order", seq: 2, fetch: "y", error: "ValueError: no" }, []);
  assert.equal(model.order!.error, "ValueError: no");
  assert.deepEqual(model.order!.steps, []);
});

test("a placement: reasons, transfers, which devices are simulated", () => {
  const model = new Model();
  let told = 0;
  model.on("answer", () => told++);
  const message: PlacementMessage = {
    v: 1, kind: "placement", seq: 2, fetch: "", count: 1, devices: ["/device:CPU:0", "/device:GPU:0"], simulated: [1],
    reasons: ["asked"], transfers: [["a:0", 0, 1, null]],
  };
  model.apply(message, table(0, 1, 0));
  assert.equal(told, 1);
  assert.deepEqual(model.placement!.ops, [{ op: 0, device: 1, reason: "asked" }]);
  assert.deepEqual(model.placement!.simulated, [false, true]);
  assert.deepEqual(model.placement!.transfers, [{ tensor: "a:0", source: 0, destination: 1, bytes: null }]);
});

test("a table that does not fit its count is refused", () => {
  const model = new Model();
  model.fetchOrder("y");
  assert.throws(() => model.apply({ v: 1, kind: "order", seq: 2, fetch: "y", count: 3, devices: [], loops: [] }, table(1, 2)));
});
