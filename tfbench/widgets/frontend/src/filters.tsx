// The Filters view: the kernels of a convolution as tiles, on one scale, so that a weak kernel looks weak. It follows the
// values while a loop trains them.

import { useEffect, useRef, useState } from "preact/hooks";
import type { FiltersAnswer } from "./answers";
import { useModel, useSize } from "./hooks";
import { numberText, shapeText, shorten } from "./text";
import { registerView, type ViewProps } from "./views";

const GAP = 4;
const PADDING = 10;
/** A tile is at least so many pixels wide. */
const SMALLEST = 22;
/** Orange below zero, purple above: readable for colour-blind people, as matplotlib's PuOr. */
const LOW = [179, 88, 6];
const ZERO = [247, 247, 247];
const HIGH = [84, 39, 136];

function FiltersPane({ model }: ViewProps) {
  useModel(model, "graph", "selection", "answer", "stats");
  const [wanted, setWanted] = useState("");
  const [input, setInput] = useState(0);
  const kernels = model.variables.filter(({ shape, dtype }) => shape?.length === 4 && /^(b?float|u?int)/.test(dtype));
  const chosen = kernels.find(({ name }) => name === model.selected) ?? kernels.find(({ name }) => name === wanted) ?? kernels[0];
  const stats = chosen && model.stats.get(model.variables.indexOf(chosen));

  // New numbers come with the statistics, at a bounded rate.
  useEffect(() => {
    if (!chosen) return;
    setWanted(chosen.name);
    model.ask("filters", chosen.name);
  }, [chosen?.name, stats, model.graph.version]);

  if (!chosen) {
    return (
      <div class="tfb-empty" data-testid="tfb-filters-empty">
        <strong>No kernels here</strong>
        <span>A variable of four axes (height, width, inputs, outputs) is one of a convolution; this graph has none.</span>
      </div>
    );
  }
  const answer = model.filters?.fetch === chosen.name ? model.filters : null;
  const inputs = answer?.tiles[0] ?? 0;
  const colour = answer?.shape[2] === 3;
  return (
    <div class="tfb-order">
      <div class="tfb-order-bar">
        <select aria-label="Variable" value={chosen.name} onChange={(e) => model.select(e.currentTarget.value)} data-testid="tfb-filters-variable">
          {kernels.map(({ name, shape }) => (
            <option key={name} value={name}>
              {shorten(name, 48)} {shapeText(shape)}
            </option>
          ))}
        </select>
        {answer && !answer.error && !colour && inputs > 1 && (
          <label class="tfb-order-slider">
            input channel {Math.min(input, inputs - 1)}
            <input type="range" min={0} max={inputs - 1} value={input} aria-label="Input channel" onInput={(e) => setInput(Number(e.currentTarget.value))} />
          </label>
        )}
      </div>
      {answer?.error ? (
        <div class="tfb-empty" role="alert">
          <span>{shorten(answer.error, 300)}</span>
        </div>
      ) : (
        answer && <Tiles answer={answer} input={Math.min(input, inputs - 1)} colour={colour} />
      )}
      {answer && !answer.error && <p class="tfb-order-why" data-testid="tfb-filters-scale">{caption(answer, colour)}</p>}
    </div>
  );
}

function caption(answer: FiltersAnswer, colour: boolean): string {
  const [, , , outputs] = answer.shape as [number, number, number, number];
  const limit = numberText(answer.limit);
  const shown = answer.tiles[1]! < outputs ? `${answer.tiles[1]} of ${outputs} filters. ` : "";
  const scale = colour
    ? `Three inputs are shown as colour: mid-grey is 0, black −${limit}, white +${limit}.`
    : `One scale for all: −${limit} orange, 0 white, +${limit} purple.`;
  return `${shown}${scale}${answer.broken ? ` ${answer.broken} elements are NaN or infinite (red).` : ""} Feature maps: %activations.`;
}

function Tiles({ answer, input, colour }: { answer: FiltersAnswer; input: number; colour: boolean }) {
  const [frame, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = size.w - 2 * PADDING;
  const [, outputs, high, wide] = answer.tiles as [number, number, number, number];
  const zoom = Math.max(1, Math.ceil(SMALLEST / wide), Math.min(12, Math.floor(width / (Math.min(outputs, 8) * (wide + 1)))));
  const columns = Math.max(1, Math.min(outputs, Math.floor((width + GAP) / (wide * zoom + GAP))));
  const rows = Math.ceil(outputs / columns);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || width <= 0) return;
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    for (let filter = 0; filter < outputs; filter++) {
      const left = (filter % columns) * (wide * zoom + GAP);
      const top = Math.floor(filter / columns) * (high * zoom + GAP);
      for (let y = 0; y < high; y++) {
        for (let x = 0; x < wide; x++) {
          context.fillStyle = paint(answer, input, filter, y, x, colour);
          context.fillRect(left + x * zoom, top + y * zoom, zoom, zoom);
        }
      }
    }
  });
  return (
    <div class="tfb-filters" ref={frame}>
      <canvas
        ref={canvas}
        width={columns * (wide * zoom + GAP)}
        height={rows * (high * zoom + GAP)}
        role="img"
        aria-label={`${outputs} kernels of ${high} by ${wide}`}
        data-testid="tfb-filters"
      />
    </div>
  );
}

function paint(answer: FiltersAnswer, input: number, filter: number, y: number, x: number, colour: boolean): string {
  const [, outputs, high, wide] = answer.tiles as [number, number, number, number];
  const at = (channel: number): number => answer.values[((channel * outputs + filter) * high + y) * wide + x]! / (answer.limit || 1);
  const parts = colour ? [at(0), at(1), at(2)] : [at(input)];
  if (!parts.every(Number.isFinite)) return "#d00";
  if (colour) return `rgb(${parts.map((part) => Math.round(127.5 + 127.5 * part)).join(",")})`;
  const [value] = parts as [number];
  const end = value < 0 ? LOW : HIGH;
  return `rgb(${ZERO.map((zero, i) => Math.round(zero + Math.abs(value) * (end[i]! - zero))).join(",")})`;
}

registerView({ id: "filters", title: "Filters", order: 50, component: FiltersPane });
