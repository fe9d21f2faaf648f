import assert from "node:assert/strict";
import { test } from "node:test";
import { layers, modelOf, variable } from "./graphs";

const labels = (model: ReturnType<typeof modelOf>, id: string): string[] => {
  const { nodes } = model.tree;
  return nodes[model.tree.find(id)]!.children.map((child) => `${nodes[child]!.kind} ${nodes[child]!.label}`);
};

test("scopes, variables and bundles, in creation order", () => {
  const model = modelOf(layers());
  assert.deepEqual(labels(model, ""), ["op x", "scope a", "scope b", "op rate", "op update", "op init"]);
  assert.deepEqual(labels(model, "a/"), ["variable w", "op MatMul", "bundle add"]);
  assert.deepEqual(labels(model, "a/w/"), ["op init", "op w", "op Assign", "op read"]);
  const { tree } = model;
  const a = tree.nodes[tree.find("a/")]!;
  assert.equal(a.total, 7);
  assert.equal(a.variables, 1);
  assert.deepEqual(tree.operations(tree.find("a/add/")).sort(), [6, 7]);
});

test("an operation is found under its name, a scope under its path with a slash", () => {
  const { tree, ops } = modelOf(layers());
  assert.equal(tree.nodes[tree.find("a/w")]!.kind, "op");
  assert.equal(tree.nodes[tree.find("a/w/")]!.kind, "variable");
  assert.equal(tree.standFor(tree.find("a/w")), tree.find("a/w/"));
  assert.equal(tree.standFor(tree.find("a/w/read")), tree.find("a/w/read"));
  assert.equal(tree.selectionOf(tree.find("a/w/"), ops), "a/w");
  assert.equal(tree.selectionOf(tree.find("a/"), ops), "a/");
  assert.equal(tree.find("nope"), -1);
  assert.equal(tree.find("constructor"), -1);
});

test("a large scope named after an op stays a scope", () => {
  const model = modelOf([{ name: "train" }, ...Array.from({ length: 9 }, (_, i) => ({ name: `train/op${i}` }))]);
  assert.deepEqual(labels(model, ""), ["scope train"]);
});

test("no box holds more than a screenful, whatever the graph", () => {
  for (const make of [
    (i: number) => `add_${i}`,
    (i: number) => `x${i}`,
    (i: number) => `block_${i}/op`,
    (i: number) => `${"abcdefgh"[i % 8]}_${i}`,
  ]) {
    const model = modelOf(Array.from({ length: 5000 }, (_, i) => ({ name: make(i) })));
    const { nodes } = model.tree;
    assert.ok(Math.max(...nodes.map((n) => n.children.length)) <= 64, make(1));
    assert.equal(nodes[0]!.total, 5000);
    assert.equal(model.tree.operations(0).length, 5000);
    assert.equal(new Set(nodes.map((n) => n.id)).size, nodes.length, "ids are unique");
    for (const node of nodes) for (const child of node.children) assert.equal(nodes[nodes[child]!.parent], node);
  }
});

test("many variables fold as well", () => {
  const model = modelOf(Array.from({ length: 300 }, (_, i) => variable(`v_${i}`)).flat());
  assert.ok(model.tree.nodes[0]!.children.length <= 64);
  assert.equal(model.tree.nodes[0]!.variables, 300);
});

test("ten thousand levels are cut", () => {
  const model = modelOf([{ name: "a/".repeat(10_000) + "op" }]);
  assert.equal(Math.max(...model.tree.nodes.map((n) => n.depth)), 65);
});
