// The map and the panel as files: a picture of the map as it is open now, made here; SVG and HTML, made by the kernel.

import { useEffect, useRef, useState } from "preact/hooks";
import type { MapView } from "./mapview";
import type { Model } from "./model";

const TYPES = { svg: "image/svg+xml", html: "text/html" };

export type Form = keyof typeof TYPES;

/** Hands a file to the browser. */
function download(model: Model, form: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = `${(model.graph.name || "graph").replace(/[^\w.-]+/g, "_").slice(0, 60)}.${form}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function Save({ model, map, announce }: { model: Model; map: MapView; announce: (text: string) => void }) {
  const [open, setOpen] = useState(false);
  const [trouble, setTrouble] = useState("");
  const root = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      model.onExport((form, content, error) => {
        setTrouble(error);
        if (error) return;
        download(model, form, new Blob([content], { type: TYPES[form] }));
        announce(`saved as ${form}`);
      }),
    [model],
  );
  const item = (label: string, title: string, act: () => void, id: string) => (
    <button
      type="button"
      role="menuitem"
      title={title}
      onClick={() => {
        setOpen(false);
        act();
      }}
      data-testid={`tfb-save-${id}`}
    >
      {label}
    </button>
  );
  const png = async (): Promise<void> => {
    const picture = await map.picture();
    if (picture) download(model, "png", picture);
  };
  const away = (event: FocusEvent): void => {
    if (!root.current?.contains(event.relatedTarget as Node | null)) setOpen(false);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key === "Escape") setOpen(false);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const items = [...root.current!.querySelectorAll<HTMLElement>('[role="menuitem"]')];
      const at = items.indexOf(event.target as HTMLElement) + (event.key === "ArrowDown" ? 1 : -1);
      items[(at + items.length) % items.length]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="tfb-save" ref={root} onFocusOut={away} onKeyDown={key}>
      <button type="button" title="Save the map as a file" aria-label="Save the map as a file" aria-haspopup="menu" aria-expanded={open} onClick={() => setOpen(!open)} data-testid="tfb-save">
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <path d="M7 1.5 V9 M4 6.2 L7 9.2 L10 6.2 M2 12 H12" />
        </svg>
      </button>
      {open && (
        <div role="menu" class="tfb-menu">
          {item("PNG, as it is open now", "A picture of the whole map with the scopes that are open", () => void png(), "png")}
          {item("SVG, an overview", "As panel.to_svg(path)", () => model.ask("export", "svg"), "svg")}
          {item("HTML, everything", "One page without scripts, as panel.to_html(path)", () => model.ask("export", "html"), "html")}
        </div>
      )}
      {trouble && (
        <div role="alert" class="tfb-menu tfb-bad">
          {trouble}
        </div>
      )}
    </div>
  );
}
