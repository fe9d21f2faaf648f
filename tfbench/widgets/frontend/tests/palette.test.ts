// Colours that name things must be told apart by everybody: with Machado's matrices for the three kinds of colour
// blindness, any two categories stay further apart than a difference that is seen at a glance (CIE 1976, about 10).

import assert from "node:assert/strict";
import { test } from "node:test";
import { diverging, sequential } from "../src/shades";
import { DARK, LIGHT } from "../src/theme";

type Triple = [number, number, number];

const SIGHTS: Record<string, Triple[]> = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const apply = (matrix: Triple[], v: number[]): number[] => matrix.map((row) => row.reduce((sum, m, i) => sum + m * v[i]!, 0));

function linear(rgb: number[]): number[] {
  return rgb.map((byte) => byte / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
}

const hex = (colour: string): number[] => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

function lab(rgb: number[], sight: Triple[]): number[] {
  const seen = apply(sight, linear(rgb)).map((c) => Math.min(1, Math.max(0, c)));
  const xyz = apply([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]], seen);
  const [x, y, z] = [xyz[0]! / 0.95047, xyz[1]!, xyz[2]! / 1.08883].map((c) => (c > 0.008856 ? Math.cbrt(c) : 7.787 * c + 16 / 116));
  return [116 * y! - 16, 500 * (x! - y!), 200 * (y! - z!)];
}

const apart = (a: number[], b: number[]): number => Math.hypot(...a.map((c, i) => c - b[i]!));

for (const [name, palette] of Object.entries({ LIGHT, DARK })) {
  for (const [sight, matrix] of Object.entries(SIGHTS)) {
    test(`${name}: any two categories, ${sight}`, () => {
      palette.forEach((a, i) => {
        for (const b of palette.slice(i + 1)) {
          const far = apart(lab(hex(a), matrix), lab(hex(b), matrix));
          assert.ok(far > 20, `${a} and ${b} are ${far.toFixed(1)} apart`);
        }
      });
    });
  }
}

test("the shades of values: below and above zero for everybody, dark to bright without colour", () => {
  for (const matrix of Object.values(SIGHTS)) {
    assert.ok(apart(lab(diverging(-1), matrix), lab(diverging(1), matrix)) > 40);
    const bright = [0, 0.25, 0.5, 0.75, 1].map((value) => lab(sequential(value), matrix)[0]!);
    bright.slice(1).forEach((value, i) => assert.ok(value > bright[i]! + 5));
  }
});
