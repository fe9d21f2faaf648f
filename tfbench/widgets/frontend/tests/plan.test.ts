import assert from "node:assert/strict";
import { test } from "node:test";
import { solve } from "../src/layout";
import { planMap } from "../src/plan";
import { compose, hit, rowPlace } from "../src/scene";
import { layers, measure, modelOf, opened, variable } from "./graphs";

const plan = (model: ReturnType<typeof modelOf>, ...ids: string[]) => planMap(model, model.tree, opened(model, ...ids), measure);

test("closed scopes: lines between what is visible, sharing as a row", () => {
  const model = modelOf(layers());
  const { tree } = model;
  const made = plan(model);
  const name = (node: number): string => tree.nodes[node]!.id;
  const links = made.containers.get(0)!.links.map((l) => `${name(l.from)}→${name(l.to)}`);
  assert.deepEqual(links.sort(), ["a/→b/", "a/→init", "a/→update", "b/→update", "x→a/"]);
  // The variable is inside the closed scope `a`; what leaves it goes with the scope's own line.
  assert.equal(made.containers.get(0)!.links.find((l) => name(l.from) === "a/")!.edges.length, 2);
});

test("an open scope: its variable is a pill, and a row on each user", () => {
  const model = modelOf(layers());
  const { tree } = model;
  const made = plan(model, "a/", "b/");
  const card = (id: string) => made.cards.get(tree.find(id))!;
  assert.equal(card("a/w/").shape, "pill");
  assert.deepEqual(card("a/MatMul").rows.map((r) => [r.mode, r.label, r.detail]), [["read", "w", "2"]]);
  assert.deepEqual(card("b/MatMul").rows.map((r) => [r.mode, r.label, r.detail]), [["read", "a/w", "2"]]);
  assert.deepEqual(card("a/add/").rows.map((r) => [r.mode, r.label, r.detail]), [["constant", "y", "2"]]);
  assert.deepEqual(card("update").rows.map((r) => [r.mode, r.label]), [["write", "a/w"], ["constant", "rate"]]);
  assert.equal(card("init").rows[0]!.mode, "control");
  assert.deepEqual(made.problem.below.map((b) => tree.nodes[Number(b.id)]!.id), ["init"]);
});

test("a constant is hosted by its user and has no box", () => {
  const model = modelOf(layers());
  const made = plan(model);
  assert.equal(made.hosted.get(model.tree.find("rate")), model.tree.find("update"));
  const boxes = [...made.problem.boxes, ...made.problem.above, ...made.problem.below];
  assert.ok(!boxes.some((box) => box.id === String(model.tree.find("rate"))));
});

test("an open variable shows its inside with reference edges", () => {
  const model = modelOf(layers());
  const made = plan(model, "a/", "a/w/");
  const inside = made.containers.get(model.tree.find("a/w/"))!;
  assert.deepEqual(inside.links.map((l) => l.kind).sort(), ["reference", "reference"]);
  assert.deepEqual(made.cards.get(model.tree.find("a/w/Assign"))!.rows.map((r) => r.label), ["init"]);
});

test("every operation is somewhere, and every line ends at a box", () => {
  const model = modelOf([...layers(), ...variable("deep/er/v"), { name: "deep/er/use", inputs: ["deep/er/v/read", "x"] }]);
  for (const ids of [[], ["a/"], ["a/", "b/", "a/w/", "a/add/"], ["deep/", "deep/er/"]]) {
    const made = plan(model, ...ids);
    const scene = compose(made, solve(made.problem));
    model.ops.forEach((_, op) => {
      const node = made.visible[op]!;
      assert.ok(scene.byNode.has(node) || made.hosted.has(node), model.ops[op]!.name);
    });
    for (const line of scene.lines) {
      assert.ok(line.points.length >= 2);
      assert.ok(line.points.every((p) => Number.isFinite(p.x) && Number.isFinite(p.y)));
    }
  }
});

test("lines go on through the border of an open scope at the same place", () => {
  const model = modelOf(layers());
  const { tree } = model;
  const made = plan(model, "a/", "b/");
  const scene = compose(made, solve(made.problem));
  const a = tree.find("a/");
  const b = tree.find("b/");
  const outer = scene.lines.find((l) => l.link.from === a && l.link.to === b)!;
  const out = scene.lines.find((l) => l.link.from === tree.find("a/add/") && l.link.to === b)!;
  const into = scene.lines.find((l) => l.link.from === a && l.link.to === tree.find("b/MatMul"))!;
  const near = (p: { x: number; y: number }, q: { x: number; y: number }): void =>
    assert.ok(Math.hypot(p.x - q.x, p.y - q.y) < 0.01, JSON.stringify([p, q]));
  near(out.points.at(-1)!, outer.points[0]!);
  near(outer.points.at(-1)!, into.points[0]!);
});

test("boxes of one container never overlap and stay inside it", () => {
  const model = modelOf([...layers(), ...variable("a/v"), ...variable("a/u"), { name: "a/lonely" }]);
  const made = plan(model, "a/", "b/");
  const scene = compose(made, solve(made.problem));
  for (const one of scene.items) {
    for (const other of scene.items) {
      if (one === other || model.tree.path(other.card.node).includes(one.card.node)) continue;
      if (model.tree.path(one.card.node).includes(other.card.node)) {
        assert.ok(one.x >= other.x && one.x + one.w <= other.x + other.w + 0.01);
        assert.ok(one.y >= other.y && one.y + one.h <= other.y + other.h + 0.01);
        continue;
      }
      const apart = one.x + one.w <= other.x + 0.01 || other.x + other.w <= one.x + 0.01;
      const above = one.y + one.h <= other.y + 0.01 || other.y + other.h <= one.y + 0.01;
      assert.ok(apart || above, `${model.tree.nodes[one.card.node]!.id} over ${model.tree.nodes[other.card.node]!.id}`);
    }
  }
});

test("what is hit: a row, a card, a header, nothing", () => {
  const model = modelOf(layers());
  const { tree } = model;
  const made = plan(model, "a/");
  const scene = compose(made, solve(made.problem));
  const card = scene.byNode.get(tree.find("a/MatMul"))!;
  const row = rowPlace(card, tree.find("a/w/"));
  assert.equal(hit(scene, row.x + 20, row.y)!.row!.node, tree.find("a/w/"));
  assert.equal(hit(scene, card.x + 5, card.y + 5)!.item, card);
  assert.equal(hit(scene, card.x + 5, card.y + 5)!.row, null);
  const group = scene.byNode.get(tree.find("a/"))!;
  assert.ok(hit(scene, group.x + 12, group.y + 12)!.toggle);
  assert.equal(hit(scene, -500, -500), null);
});

test("busy nodes of a large scope lose their lines to rows", () => {
  const many = Array.from({ length: 20 }, (_, i) => ({ name: `op${i}`, type: "Tanh", inputs: i ? ["hub", `op${i - 1}`] : ["hub"] }));
  const model = modelOf([{ name: "hub", type: "Sigmoid" }, ...many, { name: "end", type: "AddN", inputs: many.map((m) => m.name) }]);
  const { tree } = model;
  const made = plan(model);
  const links = made.containers.get(0)!.links;
  assert.ok(!links.some((l) => l.from === tree.find("hub")));
  assert.ok(!links.some((l) => l.to === tree.find("end")));
  assert.equal(made.cards.get(tree.find("op3"))!.rows[0]!.label, "hub");
  assert.equal(made.cards.get(tree.find("end"))!.rows.at(-1)!.node, -1);
  assert.equal(made.extracted.length, 40);
});

test("long names are cut on cards", () => {
  const name = `<b>${"n".repeat(10_000)}`;
  const model = modelOf([{ name }]);
  const card = [...plan(model).cards.values()][0]!;
  assert.ok(card.title.length <= 30);
  assert.ok(card.w < 400);
});
