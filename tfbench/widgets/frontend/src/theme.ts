// Colours. The surfaces come from the page (Jupyter's CSS variables, VS Code's, or our own defaults in the style
// sheet), so the panel is at home in light and dark themes; the categories stay
// apart for colour-blind readers, too (tests/palette.test.ts computes how far), with a second list for dark surfaces.

export type Rgb = [number, number, number];

export interface Theme {
  dark: boolean;
  bg: Rgb;
  surface: Rgb;
  fg: Rgb;
  fg2: Rgb;
  border: Rgb;
  accent: Rgb;
  variable: Rgb;
  font: string;
  mono: string;
}

export const LIGHT = ["#5cb3b1", "#782f40", "#a5a0f1", "#bea712", "#642f7f", "#46670d", "#e7906d", "#335ee7"];
export const DARK = ["#74f6da", "#b88c82", "#93c7f9", "#f4d75a", "#ce6aa9", "#c3db92", "#de7147", "#8a83f9"];

export const CATEGORIES = LIGHT.length;

let probe: CanvasRenderingContext2D | null = null;

const parsed = new Map<string, Rgb>();

/** Any CSS colour as numbers, through the browser's own parser; each is asked once, for painting asks thousands of times. */
export function parse(color: string, fallback: Rgb): Rgb {
  const key = `${color} ${fallback.join()}`;
  let found = parsed.get(key);
  if (!found) {
    if (parsed.size > 1000) parsed.clear();
    parsed.set(key, (found = ask(color, fallback)));
  }
  return found;
}

function ask(color: string, fallback: Rgb): Rgb {
  probe ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!probe || !color.trim() || !CSS.supports("color", color.trim())) return fallback;
  probe.canvas.width = probe.canvas.height = 1;
  probe.fillStyle = `rgb(${fallback.join(",")})`;
  probe.fillRect(0, 0, 1, 1);
  probe.fillStyle = color.trim();
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
  return [r!, g!, b!];
}

export function readTheme(element: Element): Theme {
  const style = getComputedStyle(element);
  const value = (name: string): string => style.getPropertyValue(name);
  const bg = parse(value("--tfb-bg"), [255, 255, 255]);
  const dark = luminance(bg) < 0.4;
  const fg = parse(value("--tfb-fg"), dark ? [230, 230, 230] : [30, 30, 30]);
  return {
    dark,
    bg,
    surface: parse(value("--tfb-surface"), bg),
    fg: over(value("--tfb-fg"), bg, fg),
    fg2: over(value("--tfb-fg2"), bg, mix(fg, bg, 0.35)),
    border: parse(value("--tfb-border"), mix(fg, bg, 0.8)),
    accent: parse(value("--tfb-accent"), [25, 118, 210]),
    variable: dark ? [240, 168, 80] : [196, 106, 16],
    font: value("--tfb-font") || "sans-serif",
    mono: value("--tfb-mono") || "monospace",
  };
}

/** A translucent colour as it looks on `bg`. */
function over(color: string, bg: Rgb, fallback: Rgb): Rgb {
  return color.trim() ? parse(color, bg) : fallback;
}

export function category(theme: Theme, index: number): Rgb {
  if (index < 0) return mix(theme.fg2, theme.bg, 0.35);
  return parse((theme.dark ? DARK : LIGHT)[index % CATEGORIES]!, theme.fg2);
}

/** `a` with `amount` of `b`. */
export function mix(a: Rgb, b: Rgb, amount: number): Rgb {
  return [0, 1, 2].map((i) => Math.round(a[i]! * (1 - amount) + b[i]! * amount)) as Rgb;
}

export function css(color: Rgb, alpha = 1): string {
  return alpha === 1 ? `rgb(${color.join(" ")})` : `rgb(${color.join(" ")} / ${alpha})`;
}

export function luminance([r, g, b]: Rgb): number {
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}

/** Calls back when the page's theme changes. Returns how to stop. */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  const options = { attributes: true, attributeFilter: ["class", "style", "data-jp-theme-light", "data-jp-theme-name"] };
  observer.observe(document.body, options);
  observer.observe(document.documentElement, options);
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", changed);
  };
}
