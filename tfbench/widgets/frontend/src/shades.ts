// The colours of values: readable for colour-blind people, and in black and white.

/** Orange below zero, purple above, as matplotlib's PuOr. */
const LOW = [179, 88, 6];
const ZERO = [247, 247, 247];
const HIGH = [84, 39, 136];

/** For -1 to 1. */
export function diverging(value: number): number[] {
  const end = value < 0 ? LOW : HIGH;
  return ZERO.map((zero, i) => Math.round(zero + Math.abs(value) * (end[i]! - zero)));
}

/** From matplotlib's viridis, every quarter. */
const STOPS = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];

/** For 0 to 1: dark to bright. */
export function sequential(value: number): number[] {
  const at = Math.min(0.9999, Math.max(0, value)) * (STOPS.length - 1);
  const from = STOPS[Math.floor(at)]!;
  const to = STOPS[Math.floor(at) + 1]!;
  return from.map((start, i) => Math.round(start + (at % 1) * (to[i]! - start)));
}
