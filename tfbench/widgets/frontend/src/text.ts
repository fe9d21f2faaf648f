// Numbers, shapes and names as a person reads them. Names are data: they are shortened here and only ever reach
// the page as text.

import type { Output, Source } from "./protocol";

export const ELLIPSIS = "…";

/** At most `limit` characters on one line, the middle cut out; control characters are made visible. */
export function shorten(text: string, limit: number): string {
  const clean = visible(text.length > 4 * limit ? text.slice(0, 2 * limit) + text.slice(-2 * limit) : text);
  if (clean.length <= limit) return clean;
  const tail = Math.floor(limit / 3);
  return clean.slice(0, limit - tail - 1) + ELLIPSIS + clean.slice(clean.length - tail);
}

export function visible(text: string): string {
  // Controls, line and paragraph separators, and the characters that reorder or hide text.
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, (c) =>
    c === "\n" ? "\\n" : c === "\t" ? "\\t" : c === "\r" ? "\\r" : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What an error says: whole, in its own lines. */
export function said(text: string): string {
  return text.slice(0, 2000).trim().split(/\n+/).map(visible).join("\n");
}

/** A name for a narrow place: its last parts, because the first ones are those of its neighbours, too. */
export function tailText(name: string, limit: number): string {
  if (name.length <= limit) return visible(name);
  const from = name.indexOf("/", name.length - limit + 1);
  return from < 0 ? shorten(name, limit) : ELLIPSIS + visible(name.slice(from));
}

export function shapeText(shape: number[] | null): string {
  if (shape === null) return "unknown shape";
  if (!shape.length) return "scalar";
  return shape.map((n) => (n < 0 ? "?" : String(n))).join("×");
}

export function outputText(output: Output | undefined): string {
  if (!output) return "";
  return `${output.dtype.replace(/_ref$/, "")} ${shapeText(output.shape)}`;
}

export function bytesText(bytes: number | null): string {
  if (bytes === null) return "–";
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = -1;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function numberText(value: number): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text: string;
  if (Number.isInteger(value) && size < 1e6) text = String(value);
  else if (size >= 1e5 || size < 1e-3) text = value.toExponential(2).replace("e+", "e");
  else text = value.toPrecision(3);
  return text.replace("-", "−").replace("e-", "e−");
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

export function sourceText(source: Source | null): string {
  if (!source) return "";
  const { caller } = source;
  return caller ? `${lineText(source)}, called from ${lineText(caller, source)}` : lineText(source);
}

/** A line of code; in the same cell or file as `near`, the line alone. */
function lineText(source: Source, near?: Source): string {
  if (near && near.cell === source.cell && near.file === source.file) return `line ${source.line ?? "?"}`;
  if (source.cell !== null) return `cell ${shorten(source.cell, 16)}, line ${source.line ?? "?"}`;
  // A plain cell is compiled under a made-up file name that tells nobody anything.
  if (/ipykernel_\d+[\\/]\d+\.py$|^<ipython-input/.test(source.file ?? "")) return `a notebook cell, line ${source.line ?? "?"}`;
  const file = (source.file ?? "").split(/[\\/]/).pop() ?? "";
  return `${shorten(file, 40)}:${source.line ?? "?"}`;
}

/** A regular expression between slashes, or null; what is no regular expression fits nothing. */
function expression(text: string): RegExp | null {
  const [, inner] = /^\/(.+)\/$/s.exec(text) ?? [];
  if (inner === undefined) return null;
  try {
    return new RegExp(inner, "is");
  } catch {
    return /(?!)/;
  }
}

/**
 * Whether `query` fits: words that must all hold, with `*` wildcards or as /regular expressions/; `type:`, `scope:`,
 * `name:` and `device:` say where to look. `../showing.py` reads queries the same way.
 */
export function matcher(query: string): (name: string, type: string, device: string) => boolean {
  const tests = query
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      const [, prefix, text] = /^(?:(type|device|scope|name):)?(.*)$/is.exec(word)!;
      const field = prefix?.toLowerCase();
      const glob = text!.includes("*");
      const pattern = text!
        .toLowerCase()
        .replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*+/g, ".*");
      // A scope is meant from its beginning, with all that is in it.
      const whole = field === "scope" ? `^${pattern.replace(/\/$/, "")}/` : glob ? `^${pattern}$` : pattern;
      return { field, regex: expression(text!) ?? new RegExp(whole, "s") };
    });
  return (name, type, device) =>
    tests.every(({ field, regex }) => {
      if (field === "type") return regex.test(type.toLowerCase());
      if (field === "name" || field === "scope") return regex.test(name.toLowerCase());
      if (field === "device") return regex.test(device.toLowerCase());
      return regex.test(name.toLowerCase()) || regex.test(type.toLowerCase());
    });
}

/** What a search lists first: the very name, then names whose last part it is, then the others in their order. */
export function closeness(query: string, name: string): number {
  const wanted = query.trim().toLowerCase();
  const found = name.toLowerCase();
  return found === wanted ? 0 : found.endsWith(`/${wanted}`) ? 1 : 2;
}
