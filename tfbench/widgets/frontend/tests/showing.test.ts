import assert from "node:assert/strict";
import { test } from "node:test";
import { reasons } from "../src/naming";
import { meant, readRules, ruleText, type Rule } from "../src/showing";
import { solve } from "../src/layout";
import { planMap } from "../src/plan";
import { compose } from "../src/scene";
import { layers, measure, modelOf, variable } from "./graphs";

type Net = ReturnType<typeof modelOf>;

const names = (model: Net, ops: Iterable<number>): string[] => [...ops].map((op) => model.ops[op]!.name).sort();
const shown = (model: Net): string[] => model.ops.filter((_, i) => model.shown.leaf[i]! >= 0).map((op) => op.name);

test("what a rule means: a scope, a type, a search, a neighbourhood, what a fetch needs", () => {
  const model = modelOf(layers());
  const of = (by: Rule["by"], what: string[], steps?: number): string[] =>
    names(model, meant(model, { do: "focus", by, what, ...(steps === undefined ? {} : { steps }) }));
  assert.deepEqual(of("name", ["b"]), ["b/MatMul", "b/Relu"]);
  assert.deepEqual(of("name", ["b/Relu"]), ["b/Relu"]);
  assert.deepEqual(of("type", ["Assign", "Relu"]), ["a/w/Assign", "b/Relu"]);
  assert.deepEqual(of("search", ["type:matmul scope:a"]), ["a/MatMul"]);
  assert.deepEqual(of("search", ["/^b\\/.*u$/"]), ["b/Relu"]);
  assert.deepEqual(of("near", ["b/Relu"], 1), ["b/MatMul", "b/Relu", "update"]);
  // With its read comes the variable.
  assert.deepEqual(of("near", ["a/MatMul"], 1), ["a/MatMul", "a/add", "a/w", "a/w/read", "x"]);
  assert.deepEqual(of("needed", ["a/add"]), ["a/MatMul", "a/add", "a/add/y", "a/w", "a/w/read", "x"]);
  assert.deepEqual(of("name", ["a/"]).length, 7);
});

test("rules that add up, and what they hide", () => {
  const model = modelOf(layers());
  model.setRules([
    { do: "focus", by: "name", what: ["a"] },
    { do: "focus", by: "name", what: ["x"] },
    { do: "hide", by: "type", what: ["Const"] },
  ]);
  assert.deepEqual(shown(model), ["x", "a/w", "a/w/Assign", "a/w/read", "a/MatMul", "a/add"]);
  assert.equal(model.shownCount, 6);
  assert.equal(model.tree.find("b/") >= 0, true, "the whole tree stays");
  model.setRules([]);
  assert.equal(model.shown, model.tree);
});

test("a map of a part: hidden operations have no box, no line and no row", () => {
  const model = modelOf(layers());
  model.setRules([{ do: "hide", by: "name", what: ["a/w"] }]);
  const plan = planMap(model, model.shown, new Set(), measure);
  const scene = compose(plan, solve(plan.problem));
  assert.equal(plan.visible[model.find("a/w")], -1);
  assert.ok(scene.items.every((item) => !model.shown.nodes[item.card.node]!.id.startsWith("a/w")));
  assert.ok([...plan.cards.values()].every((card) => card.rows.every((row) => !row.label.includes("w"))));
});

test("a group is a box in the innermost scope around its members", () => {
  const model = modelOf([...layers(), { name: "net/one/op" }, { name: "net/two/op" }, { name: "net/three/op" }]);
  model.setRules([
    { do: "group", by: "name", what: ["net/one", "net/two"], name: "pair" },
    { do: "group", by: "search", what: ["type:matmul"], name: "products" },
  ]);
  const tree = model.shown;
  const pair = tree.find("net/pair/");
  assert.deepEqual(tree.nodes[pair]!.children.map((c) => tree.nodes[c]!.id), ["net/one/", "net/two/"]);
  assert.equal(tree.nodes[pair]!.total, 2);
  assert.equal(tree.nodes[pair]!.depth, 2);
  const products = tree.find("products/");
  assert.deepEqual(tree.nodes[products]!.children.map((c) => tree.nodes[c]!.label), ["a/MatMul", "b/MatMul"]);
  assert.equal(tree.nodes[0]!.total, model.ops.length);
  assert.equal(model.ruleOfGroup("net/pair/")!.name, "pair");
  assert.equal(model.ruleOfGroup("net/"), undefined);
  const plan = planMap(model, tree, new Set([products]), measure);
  const scene = compose(plan, solve(plan.problem));
  assert.ok(scene.byNode.get(products)!.open);
});

test("groups whose names are taken, and whole graphs, are no trouble", () => {
  const model = modelOf([{ name: "a/op" }, { name: "b/op" }]);
  model.setRules([{ do: "group", by: "search", what: ["*"], name: "a" }]);
  assert.deepEqual(model.shown.nodes[0]!.children.map((c) => model.shown.nodes[c]!.id), ["a (group)/"]);
  model.setRules([{ do: "group", by: "search", what: ["nothing"], name: "none" }]);
  assert.equal(model.shown.find("none/"), -1);
});

test("a scope without its box", () => {
  const model = modelOf([{ name: "t/a/op" }, { name: "t/b" }, { name: "c" }]);
  model.setRules([{ do: "dissolve", by: "name", what: ["t"] }]);
  assert.deepEqual(model.shown.nodes[0]!.children.map((c) => model.shown.nodes[c]!.label), ["t/a", "t/b", "c"]);
});

test("a variable whose buffer is hidden is an ordinary scope", () => {
  const model = modelOf([...variable("v"), { name: "use", inputs: ["v/read"] }]);
  model.setRules([{ do: "hide", by: "type", what: ["VariableV2"] }]);
  assert.equal(model.shown.nodes[model.shown.find("v/")]!.kind, "scope");
  planMap(model, model.shown, new Set(), measure);
});

test("a trait may hold anything", () => {
  const good = { do: "hide", by: "type", what: ["Const"] };
  assert.deepEqual(readRules([good, null, 3, {}, { do: "hide", by: "type", what: "Const" }, { ...good, do: "eval" }, { ...good, what: [1] }]), [good]);
  assert.deepEqual(readRules("rules"), []);
  assert.equal(ruleText({ do: "focus", by: "near", what: ["a"], steps: 1 }), "only: within 1 step of a");
});

test("why a name has a number", () => {
  const model = modelOf([
    ...variable("conv/w"),
    { name: "conv/MatMul", type: "MatMul", inputs: ["conv/w/read"] },
    { name: "conv_1/MatMul", type: "MatMul", inputs: ["conv/w/read"] },
    { name: "add", type: "AddV2" },
    { name: "add_1", type: "AddV2" },
    { name: "late_1" },
    { name: "late" },
    { name: "block/op" },
    { name: "block_1/op" },
  ]);
  model.variables[0]!.read_by = ["conv/MatMul", "conv_1/MatMul"];
  assert.match(reasons(model, "conv_1/MatMul").join(), /variable scope conv was opened again.*\(conv\/w\), operations go to conv_1\//);
  assert.match(reasons(model, "conv_1/").join(), /opened again/);
  assert.match(reasons(model, "add_1").join(), /the name add was taken by an earlier operation \(AddV2\)/);
  assert.match(reasons(model, "block_1/op").join(), /a scope block\/ was there already/);
  assert.deepEqual(reasons(model, "late_1"), [], "somebody chose that name");
  assert.deepEqual(reasons(model, "conv/MatMul"), []);
  assert.deepEqual(reasons(model, ""), []);
});
