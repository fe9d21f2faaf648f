// How wide texts are in the map's fonts, measured once each.

import { FONT } from "./draw";
import type { Measure } from "./cards";

/** Beyond so many texts it starts over. */
const KEPT = 20_000;

/** `family` is asked for when something is measured: the page's fonts are known only then. */
export function textWidths(family: () => string): Measure {
  const widths = new Map<string, number>();
  let ctx: CanvasRenderingContext2D | null = null;
  return (text, font) => {
    const key = font[0]! + text;
    const known = widths.get(key);
    if (known !== undefined) return known;
    ctx ??= document.createElement("canvas").getContext("2d")!;
    ctx.font = font === "title" ? `${FONT.title} ${FONT.size}px ${family()}` : `${FONT.small}px ${family()}`;
    const width = Math.ceil(ctx.measureText(text).width);
    if (widths.size > KEPT) widths.clear();
    widths.set(key, width);
    return width;
  };
}
