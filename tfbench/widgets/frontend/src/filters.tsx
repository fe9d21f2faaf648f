// The Filters view: the kernels of a convolution as tiles, on one scale, so that a weak kernel looks weak, following the
// values while a loop trains them; and what layers make of an image. Both are chosen here or by a click on the map.

import { useEffect, useRef, useState } from "preact/hooks";
import type { FiltersAnswer } from "./answers";
import { useModel, useSize } from "./hooks";
import { Maps } from "./maps";
import type { Model } from "./model";
import type { Op } from "./protocol";
import { diverging } from "./shades";
import { numberText, shapeText, shorten } from "./text";
import { registerView, type ViewProps } from "./views";

const GAP = 4;
const PADDING = 10;
/** A tile is at least so many pixels wide. */
const SMALLEST = 22;
/** So many layers are offered; others by a click on the map. */
const MOST = 200;

const LAYERS = /^(Conv\d|DepthwiseConv|MaxPool|AvgPool|Relu|Elu|Selu|LeakyRelu|Softplus|Softsign|Tanh$|Sigmoid$|BiasAdd$|FusedBatchNorm|LRN$)/;

function isNumber(dtype: string): boolean {
  return /^(b?float|half|u?int)/.test(dtype);
}

/** Whether an operation's output may be feature maps: [images, height, width, channels]. */
function hasMaps(op: Op): boolean {
  const output = op.outputs[0];
  return output?.shape?.length === 4 && isNumber(output.dtype) && !output.dtype.endsWith("_ref");
}

/** The layers that are offered: those that people look at, outside of what trains them. */
function layersOf(model: Model): Op[] {
  return model.ops.filter((op) => LAYERS.test(op.type) && !/(^|\/)gradients(_\d+)?\//.test(op.name) && hasMaps(op)).slice(0, MOST);
}

function FiltersPane({ model }: ViewProps) {
  useModel(model, "graph", "selection", "answer", "stats");
  const [wanted, setWanted] = useState("");
  const [image, setImage] = useState(0);
  const [channel, setChannel] = useState<number | null>(null);
  const kernels = model.variables.filter(({ shape, dtype }) => shape?.length === 4 && isNumber(dtype));
  const layers = layersOf(model);
  const may = (name: string): boolean => kernels.some((v) => v.name === name) || (model.find(name) >= 0 && hasMaps(model.ops[model.find(name)]!));
  const fallback = kernels[0]?.name ?? layers[0]?.name ?? "";
  const chosen = may(model.selected) ? model.selected : may(wanted) ? wanted : fallback;
  const kernel = kernels.find(({ name }) => name === chosen);
  const other = chosen && !kernel && !layers.some(({ name }) => name === chosen);
  useEffect(() => setWanted(chosen), [chosen]);

  if (!chosen) {
    return (
      <div class="tfb-empty" data-testid="tfb-filters-empty">
        <strong>No kernels and no feature maps here</strong>
        <span>
          A variable of four axes (height, width, inputs, outputs) is one of a convolution, a tensor of four (images, height, width, channels) holds
          feature maps; this graph has neither.
        </span>
      </div>
    );
  }
  return (
    <div class="tfb-order">
      <div class="tfb-order-bar">
        <select aria-label="Kernels or feature maps" value={chosen} onChange={(e) => model.select(e.currentTarget.value)} data-testid="tfb-filters-variable">
          <optgroup label="Kernels">
            {kernels.map(({ name, shape }) => (
              <option key={name} value={name}>
                {shorten(name, 48)} {shapeText(shape)}
              </option>
            ))}
          </optgroup>
          <optgroup label="Feature maps">
            {layers.map((op) => (
              <option key={op.name} value={op.name}>
                {shorten(op.name, 48)} {shapeText(op.outputs[0]!.shape)}
              </option>
            ))}
            {other && <option value={chosen}>{shorten(chosen, 60)}</option>}
          </optgroup>
        </select>
        {!kernel && <span class="tfb-faint">{model.ops[model.find(chosen)]!.type}</span>}
      </div>
      {kernel ? (
        <Kernels model={model} name={kernel.name} />
      ) : (
        <Maps model={model} fetch={chosen} image={image} channel={channel} setImage={setImage} setChannel={setChannel} />
      )}
    </div>
  );
}

function Kernels({ model, name }: { model: Model; name: string }) {
  const [input, setInput] = useState(0);
  const stats = model.stats.get(model.variables.findIndex((variable) => variable.name === name));
  // New numbers come with the statistics, at a bounded rate.
  useEffect(() => model.ask("filters", name), [name, stats, model.graph.version]);
  const answer = model.filters?.fetch === name ? model.filters : null;
  const inputs = answer?.tiles[0] ?? 0;
  const colour = answer?.shape[2] === 3;
  return (
    <>
      {answer && !answer.error && !colour && inputs > 1 && (
        <div class="tfb-order-bar">
          <label class="tfb-order-slider">
            input channel {Math.min(input, inputs - 1)}
            <input type="range" min={0} max={inputs - 1} value={input} aria-label="Input channel" onInput={(e) => setInput(Number(e.currentTarget.value))} />
          </label>
        </div>
      )}
      {answer?.error ? (
        <div class="tfb-filters" role="alert">
          <p class="tfb-none">{shorten(answer.error, 300)}</p>
        </div>
      ) : (
        answer && <Tiles answer={answer} input={Math.min(input, inputs - 1)} colour={colour} />
      )}
      {answer && !answer.error && (
        <p class="tfb-order-why" data-testid="tfb-filters-scale">
          {caption(answer, colour)}
        </p>
      )}
    </>
  );
}

function caption(answer: FiltersAnswer, colour: boolean): string {
  const [, , , outputs] = answer.shape as [number, number, number, number];
  const limit = numberText(answer.limit);
  const shown = answer.tiles[1]! < outputs ? `${answer.tiles[1]} of ${outputs} filters. ` : "";
  const scale = colour
    ? `Three inputs are shown as colour: mid-grey is 0, black −${limit}, white +${limit}.`
    : `One scale for all: −${limit} orange, 0 white, +${limit} purple.`;
  return `${shown}${scale}${answer.broken ? ` ${answer.broken} elements are NaN or infinite (red).` : ""}`;
}

function Tiles({ answer, input, colour }: { answer: FiltersAnswer; input: number; colour: boolean }) {
  const [frame, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = size.w - 2 * PADDING;
  const [, outputs, high, wide] = answer.tiles as [number, number, number, number];
  const zoom = Math.max(1, Math.ceil(SMALLEST / wide), Math.min(Math.max(12, Math.floor(72 / wide)), Math.floor(width / (Math.min(outputs, 8) * (wide + 1)))));
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
  return `rgb(${diverging(parts[0]!).join(",")})`;
}

registerView({ id: "filters", title: "Filters", order: 50, component: FiltersPane });
