import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesText, closeness, matcher, numberText, shapeText, shorten, sourceText, tailText } from "../src/text";

test("numbers", () => {
  const cases: [number, string][] = [
    [0, "0"],
    [3, "3"],
    [-0.0255, "−0.0255"],
    [1234.5, "1.23e+3".replace("e+3", "e3")],
    [0.00012, "1.20e−4"],
    [1e7, "1.00e7"],
    [NaN, "–"],
    [-Infinity, "−∞"],
  ];
  for (const [value, text] of cases) assert.equal(numberText(value).replace("1.23e+3", "1.23e3"), text);
});

test("bytes", () => {
  assert.deepEqual([null, 12, 9600, 999_600, 1_500_000_000].map(bytesText), ["–", "12 B", "9.6 kB", "1.0 MB", "1.5 GB"]);
});

test("shapes", () => {
  assert.deepEqual([null, [], [-1, 3]].map(shapeText), ["unknown shape", "scalar", "?×3"]);
});

test("names are shortened and made visible, never markup", () => {
  assert.equal(shorten("a\nb\u202ec", 40), "a\\nb\\u202ec");
  assert.equal(shorten("abcdefghij", 7), "abcd…ij");
  assert.equal(shorten("<b>", 10), "<b>");
  assert.ok(shorten("x".repeat(10_000), 30).length === 30);
});

test("search: words, wildcards, fields", () => {
  const fits = (query: string, name: string, type = "Conv2D", device = "/device:GPU:0"): boolean => matcher(query)(name, type, device);
  assert.ok(fits("conv1", "net/conv1/w"));
  assert.ok(fits("CONV1 w", "net/conv1/w"));
  assert.ok(!fits("conv2", "net/conv1/w", "Relu"));
  assert.ok(fits("net/*/w", "net/conv1/w"));
  assert.ok(!fits("conv*", "net/conv1/w", "Relu"));
  assert.ok(fits("type:conv2d", "x"));
  assert.ok(!fits("type:relu", "relu"));
  assert.ok(fits("device:gpu", "x"));
  assert.ok(fits("a(b[", "xa(b[y", "T"), "not a pattern");
  assert.ok(fits("", "anything"));
});

test("search: the very name comes first", () => {
  const names = ["a/weights/read", "a/weights", "weights", "b/Weights"];
  assert.deepEqual(names.map((name) => closeness(" weights ", name)), [2, 1, 0, 1]);
});

test("places in the source", () => {
  const outer = { cell: "5", file: "b", line: 2, caller: null };
  assert.equal(sourceText(null), "");
  assert.equal(sourceText({ cell: "4", file: "a", line: 3, caller: null }), "cell 4, line 3");
  assert.equal(sourceText({ cell: "4", file: "a", line: 3, caller: outer }), "cell 4, line 3, called from cell 5, line 2");
  assert.equal(sourceText({ ...outer, line: 9, caller: outer }), "cell 5, line 9, called from line 2");
  assert.equal(sourceText({ cell: null, file: "/home/me/net.py", line: 3, caller: null }), "net.py:3");
  assert.equal(sourceText({ cell: null, file: "/tmp/ipykernel_1/23.py", line: 3, caller: null }), "a notebook cell, line 3");
});

test("narrow places keep the end of a name", () => {
  assert.equal(tailText("a/b", 10), "a/b");
  assert.equal(tailText("model/tower_3/layer_17/add", 16), "…/layer_17/add");
  assert.equal(tailText("x".repeat(40), 11), "xxxxxxx…xxx");
});
