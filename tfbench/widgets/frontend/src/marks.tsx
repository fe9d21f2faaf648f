// Small pictures of values: a sparkline over updates, a histogram.

import { numberText } from "./text";

export function Sparkline({ values, width = 84, height = 18 }: { values: number[]; width?: number; height?: number }) {
  if (values.length < 2) return <span class="tfb-faint">{values.length ? "·" : ""}</span>;
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  const span = high - low || 1;
  const x = (i: number): string => ((i / (values.length - 1)) * (width - 6) + 2).toFixed(1);
  const y = (v: number): string => (high === low ? height / 2 : height - 2 - ((v - low) / span) * (height - 4)).toFixed(1);
  const path = values.map((v, i) => `${i ? "L" : "M"}${x(i)} ${y(v)}`).join("");
  const last = values[values.length - 1]!;
  return (
    <svg
      class="tfb-spark"
      width={width}
      height={height}
      role="img"
      aria-label={`mean over the last ${values.length} updates seen, from ${numberText(values[0]!)} to ${numberText(last)}`}
    >
      <title>{`mean over the last ${values.length} updates seen: ${numberText(values[0]!)} → ${numberText(last)}, range ${numberText(low)} to ${numberText(high)}`}</title>
      <path d={path} />
      <circle cx={x(values.length - 1)} cy={y(last)} r="1.8" />
    </svg>
  );
}

interface HistogramProps {
  counts: ArrayLike<number>;
  low: number;
  high: number;
  width?: number;
  height?: number;
}

export function Histogram({ counts, low, high, width = 72, height = 18 }: HistogramProps) {
  const bars = Array.from(counts);
  const most = Math.max(...bars, 1);
  const step = width / Math.max(bars.length, 1);
  if (!bars.some((n) => n > 0)) return null;
  // A single value is one bar in the middle, not a wall.
  const single = low === high;
  return (
    <svg class="tfb-hist" width={width} height={height} role="img" aria-label={`histogram from ${numberText(low)} to ${numberText(high)}`}>
      <title>{`${numberText(low)} to ${numberText(high)}`}</title>
      {single ? (
        <rect x={width / 2 - 1.5} y={1} width={3} height={height - 1} />
      ) : (
        bars.map((n, i) => {
          const h = n ? Math.max(1, (n / most) * (height - 1)) : 0;
          return <rect key={i} x={i * step} y={height - h} width={Math.max(step - 0.6, 0.6)} height={h} />;
        })
      )}
    </svg>
  );
}
