import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "../src/boxes";
import { solve } from "../src/layout";
import { planMap } from "../src/plan";
import { measure, modelOf, opened, type Sketch } from "./graphs";

const empty = (): Problem => ({ boxes: [], links: [], inputs: [], outputs: [], above: [], below: [] });

/** Milliseconds of this process's own: what else the machine does is not the layout's fault. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

test("nothing to lay out", () => {
  assert.deepEqual(solve(empty()).boxes, []);
  assert.equal(solve(empty()).h, 0);
});

test("the same problem gives the same result, from the cache", () => {
  const problem = (): Problem => ({
    ...empty(),
    boxes: [{ id: "1", w: 50, h: 20 }, { id: "2", w: 80, h: 30 }],
    links: [{ from: "1", to: "2", weight: 2 }],
  });
  assert.equal(solve(problem()), solve(problem()));
});

test("a chain is straight and points down", () => {
  const boxes = [1, 2, 3].map((i) => ({ id: String(i), w: 40 + 20 * i, h: 20 }));
  const made = solve({ ...empty(), boxes, links: [{ from: "1", to: "2", weight: 2 }, { from: "2", to: "3", weight: 2 }] });
  const centres = made.boxes.map((b) => b.x + b.w / 2);
  assert.ok(Math.max(...centres) - Math.min(...centres) < 0.5);
  assert.ok(made.boxes[0]!.y < made.boxes[1]!.y && made.boxes[1]!.y < made.boxes[2]!.y);
  for (const line of made.links) assert.ok(line[0]!.y < line.at(-1)!.y);
});

test("links in a circle are laid out, too", () => {
  const boxes = ["1", "2"].map((id) => ({ id, w: 40, h: 20 }));
  const made = solve({ ...empty(), boxes, links: [{ from: "1", to: "2", weight: 2 }, { from: "2", to: "1", weight: 2 }] });
  assert.equal(made.links.length, 2);
});

test("too many links for dagre still give a picture", () => {
  const boxes = Array.from({ length: 60 }, (_, i) => ({ id: String(i), w: 30, h: 20 }));
  const links = boxes.flatMap((a, i) => boxes.slice(i + 1, i + 16).map((b) => ({ from: a.id, to: b.id, weight: 1 })));
  const start = cpu();
  const made = solve({ ...empty(), boxes, links });
  assert.ok(cpu() - start < 1000);
  assert.equal(made.links.length, links.length);
});

/** Layers in scopes in towers, with gradients: 10,000 operations. */
function tower(): Sketch[] {
  const ops: Sketch[] = [];
  for (let t = 0; t < 10; t++) {
    let last: string | null = null;
    for (let l = 0; l < 40; l++) {
      for (let k = 0; k < 12; k++) {
        const name: string = `tower_${t}/layer_${l}/op_${k}`;
        ops.push({ name, type: "Add", inputs: last ? [last] : [] });
        last = name;
      }
      ops.push({ name: `tower_${t}/gradients/layer_${l}_grad`, type: "Mul", inputs: [last!] });
    }
  }
  while (ops.length < 10_000) ops.push({ name: `misc/x_${ops.length}`, type: "Const" });
  return ops;
}

test("ten thousand operations: collapsed at once, two levels open soon", () => {
  const model = modelOf(tower());
  const time = (ids: string[]): number => {
    const start = cpu();
    solve(planMap(model, model.tree, opened(model, ...ids), measure).problem);
    return cpu() - start;
  };
  assert.ok(time([]) < 500);
  assert.ok(time(["tower_0/", "tower_1/", "tower_0/layer_3/"]) < 1500);
});
