// Feature maps: what a layer makes of one image of the last batch, as thumbnails that the kernel sends.

import { useEffect, useRef } from "preact/hooks";
import type { MapsAnswer } from "./answers";
import { useSize } from "./hooks";
import type { Model } from "./model";
import { count, numberText, shorten } from "./text";
import { diverging, sequential } from "./shades";

const GAP = 4;
const PADDING = 10;
/** A tile is about so many pixels wide; one alone, so many. */
const TILE = 72;
const SINGLE = 320;

interface Props {
  model: Model;
  fetch: string;
  image: number;
  channel: number | null;
  setImage: (image: number) => void;
  setChannel: (channel: number | null) => void;
}

export function Maps({ model, fetch, image, channel, setImage, setChannel }: Props) {
  // Asked when something is chosen, not while a loop runs by: a look costs a run.
  const look = (): void => model.ask("maps", fetch, { image });
  useEffect(look, [fetch, image, model.graph.version, model.feeds]);
  const answer = model.maps?.fetch === fetch ? model.maps : null;
  const images = answer?.shape[0] ?? 0;
  const shown = answer?.tiles[0] ?? 0;
  return (
    <>
      <div class="tfb-order-bar">
        {images > 1 && (
          <label class="tfb-order-slider">
            image {answer!.image} of {images}
            <input type="range" min={0} max={images - 1} value={answer!.image} aria-label="Image" onInput={(e) => setImage(Number(e.currentTarget.value))} data-testid="tfb-maps-image" />
          </label>
        )}
        {shown > 1 && (
          <label class="tfb-order-slider">
            {channel === null ? "all channels" : `channel ${channel}`}
            <input
              type="range"
              min={-1}
              max={shown - 1}
              value={channel ?? -1}
              aria-label="Channel; leftmost: all"
              onInput={(e) => setChannel(Number(e.currentTarget.value) < 0 ? null : Number(e.currentTarget.value))}
              data-testid="tfb-maps-channel"
            />
          </label>
        )}
        <button type="button" class="tfb-more" title="Run it again with the feed that is the last one now" onClick={look} data-testid="tfb-maps-again">
          look again
        </button>
      </div>
      {!answer ? (
        <div class="tfb-filters">
          <span class="tfb-faint">asking the kernel …</span>
        </div>
      ) : answer.error ? (
        <div class="tfb-filters" role="alert" data-testid="tfb-maps-error">
          <p class="tfb-none">{shorten(answer.error.replace(/^ValueError: /, ""), 400)}</p>
        </div>
      ) : (
        <Planes answer={answer} channel={channel} choose={(one) => setChannel(one === channel ? null : one)} />
      )}
      {answer && !answer.error && (
        <p class="tfb-order-why" data-testid="tfb-maps-scale">
          {caption(answer, peak(answer, channel))}
        </p>
      )}
    </>
  );
}

/** How far a channel that is looked at alone goes, as a part of the common limit: its own scale. 1 for all channels. */
function peak(answer: MapsAnswer, channel: number | null): number {
  const [channels, high, wide] = answer.tiles as [number, number, number];
  if (channel === null || channel >= channels) return 1;
  const shades = answer.values.subarray(channel * high * wide, (channel + 1) * high * wide);
  return shades.reduce((most, code) => Math.max(most, code && Math.abs(level(code, answer.signed))), 0) || 1;
}

/** What a shade stands for, as a part of the limit. */
function level(code: number, signed: boolean): number {
  return signed ? (code - 128) / 127 : (code - 1) / 254;
}

function caption(answer: MapsAnswer, part: number): string {
  const limit = numberText(answer.limit * part);
  const scale = part < 1 ? "A scale of its own" : "One scale for all";
  const parts = [`From ${answer.fed}.`];
  if (answer.tiles[0]! < answer.channels) parts.push(`${answer.tiles[0]} of ${answer.channels} channels.`);
  parts.push(answer.signed ? `${scale}: −${limit} orange, 0 white, +${limit} purple.` : `${scale}: 0 dark, ${limit} bright.`);
  if (answer.dead) parts.push(`${count(answer.dead, "channel is", "channels are")} zero everywhere.`);
  if (answer.broken) parts.push(`${count(answer.broken, "element is", "elements are")} NaN or infinite (red).`);
  if (answer.random) parts.push("Random numbers on the way (dropout?) are drawn anew at each look.");
  return parts.join(" ");
}

function Planes({ answer, channel, choose }: { answer: MapsAnswer; channel: number | null; choose: (channel: number) => void }) {
  const [frame, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [channels, high, wide] = answer.tiles as [number, number, number];
  const list = channel !== null && channel < channels ? [channel] : Array.from({ length: channels }, (_, i) => i);
  const zoom = Math.max(1, Math.round((list.length === 1 ? SINGLE : TILE) / Math.max(high, wide)));
  const width = size.w - 2 * PADDING - (answer.picture.length ? 120 : 0);
  const columns = Math.max(1, Math.min(list.length, Math.floor((width + GAP) / (wide * zoom + GAP))));
  const rows = Math.ceil(list.length / columns);
  const part = peak(answer, channel);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || width <= 0) return;
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    list.forEach((plane, i) => {
      const shades = answer.values.subarray(plane * high * wide, (plane + 1) * high * wide);
      const left = (i % columns) * (wide * zoom + GAP);
      const top = Math.floor(i / columns) * (high * zoom + GAP);
      paintPlane(context, shades, high, wide, left, top, zoom, answer.signed, part);
    });
  });
  const pick = (event: MouseEvent): void => {
    const rect = canvas.current!.getBoundingClientRect();
    const column = Math.floor((event.clientX - rect.left) / (wide * zoom + GAP));
    const row = Math.floor((event.clientY - rect.top) / (high * zoom + GAP));
    const plane = list[row * columns + column];
    if (column < columns && plane !== undefined) choose(plane);
  };
  return (
    <div class="tfb-filters tfb-maps" ref={frame}>
      {answer.picture.length > 0 && <Fed answer={answer} />}
      <canvas
        ref={canvas}
        width={columns * (wide * zoom + GAP)}
        height={rows * (high * zoom + GAP)}
        role="img"
        aria-label={`${list.length === 1 ? `channel ${list[0]}` : `${channels} channels`} of ${shorten(answer.fetch, 60)}, ${high} by ${wide}`}
        title="Click a channel to see it alone, again to see all"
        onClick={pick}
        data-testid="tfb-maps"
      />
    </div>
  );
}

function paintPlane(context: CanvasRenderingContext2D, shades: Uint8Array, high: number, wide: number, left: number, top: number, zoom: number, signed: boolean, part: number): void {
  const image = new ImageData(wide, high);
  shades.forEach((code, i) => {
    const [r, g, b] = code === 0 ? [221, 0, 0] : (signed ? diverging : sequential)(level(code, signed) / part);
    image.data.set([r!, g!, b!, 255], 4 * i);
  });
  const small = new OffscreenCanvas(wide, high);
  small.getContext("2d")!.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, left, top, wide * zoom, high * zoom);
}

/** The image that was fed. */
function Fed({ answer }: { answer: MapsAnswer }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [planes, high, wide] = answer.picture as [number, number, number];
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const image = new ImageData(wide, high);
    for (let i = 0; i < high * wide; i++) {
      const at = (plane: number): number => answer.pixels[Math.min(plane, planes - 1) * high * wide + i]!;
      image.data.set([at(0), at(1), at(2), 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
  }, [answer]);
  return (
    <figure>
      <canvas ref={canvas} width={wide} height={high} role="img" aria-label={`the fed image ${answer.image}`} data-testid="tfb-maps-fed" />
      <figcaption class="tfb-faint">fed</figcaption>
    </figure>
  );
}
