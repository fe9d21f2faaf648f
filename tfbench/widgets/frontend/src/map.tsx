// The Map view: canvas, its buttons, colour choice and legend, and the outline beside it.

import type { ComponentChildren } from "preact";
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { Chips } from "./chips";
import type { ColourBy } from "./colouring";
import { useModel, useSize } from "./hooks";
import { Save } from "./saving";
import { Outline } from "./tree";
import { category, css } from "./theme";
import type { MapView } from "./mapview";
import { registerView, type ViewProps } from "./views";

const COLOURS: [ColourBy, string][] = [
  ["scope", "Scope"],
  ["type", "Type"],
  ["device", "Device"],
];

function MapPane({ model, map, announce }: ViewProps) {
  useModel(model, "graph", "shown");
  const [, again] = useReducer((n: number) => n + 1, 0);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [frame, size] = useSize<HTMLDivElement>();
  useEffect(() => {
    map.changed = () => again(undefined);
    map.announce = announce;
    map.attach(canvas.current!);
    again(undefined);
    return () => {
      map.changed = () => {};
      map.detach();
    };
  }, [map]);
  const empty = !model.ops.length;
  // Beside the map where there is room for both, until somebody says otherwise.
  const [wanted, setWanted] = useState<boolean | null>(null);
  const outline = !empty && (wanted ?? size.w >= 620);
  return (
    <div class="tfb-map" ref={frame}>
      {outline && <Outline model={model} />}
      <div class="tfb-canvas">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label="Graph map. Arrow keys move between boxes, Enter opens or closes a scope, Escape lets go, slash searches, plus and minus zoom, 0 shows everything; f shows the neighbours of what is chosen, n what it needs, h hides it, a shows all again. The outline lists the same scopes and operations."
          data-testid="tfb-map"
        />
        {!empty && (
          <button
            type="button"
            class="tfb-outline-switch"
            title={outline ? "Hide the outline" : "Show the outline"}
            aria-label="Outline"
            aria-pressed={outline}
            onClick={() => setWanted(!outline)}
            data-testid="tfb-outline-switch"
          >
            ☰
          </button>
        )}
        {!empty && (
          <Tools map={map}>
            <Save model={model} map={map} announce={announce} />
          </Tools>
        )}
        {!empty && <Legend map={map} />}
        {!empty && <Chips model={model} />}
        {!empty && !model.shownCount && (
          <div class="tfb-empty tfb-empty-shown">
            <strong>Nothing is left to show</strong>
            <span>What the map is focused on is hidden, or no longer in the graph.</span>
            <button type="button" class="tfb-more" onClick={() => model.setRules([])}>
              Show everything
            </button>
          </div>
        )}
        {map.busy && (
          <div class="tfb-busy" role="status">
            Laying out…
          </div>
        )}
        {map.tip && <Tip map={map} />}
        {empty && <Empty waiting={model.state === "waiting"} />}
      </div>
    </div>
  );
}

function Empty({ waiting }: { waiting: boolean }) {
  return (
    <div class="tfb-empty" data-testid="tfb-empty">
      <svg viewBox="0 0 64 44" width="72" aria-hidden="true">
        <path d="M18 12 V22 M18 22 C18 30 46 22 46 32 M46 12 C46 26 46 22 46 32" />
        <rect x="6" y="3" width="24" height="10" rx="3" />
        <rect x="34" y="3" width="24" height="10" rx="3" />
        <rect x="34" y="32" width="24" height="10" rx="3" />
      </svg>
      <strong>{waiting ? "Waiting for the kernel…" : "This graph is empty"}</strong>
      <span>
        {waiting ? (
          "If it was restarted, run the cell again."
        ) : (
          <>
            Add operations in a <code>%%graph</code> cell: they appear here.
          </>
        )}
      </span>
    </div>
  );
}

function Tools({ map, children }: { map: MapView; children: ComponentChildren }) {
  const button = (label: string, title: string, act: () => void, id: string) => (
    <button type="button" title={title} aria-label={title} onClick={act} data-testid={`tfb-${id}`}>
      {label}
    </button>
  );
  return (
    <div class="tfb-tools">
      {button("+", "Zoom in (+)", () => map.zoom(1.3), "zoom-in")}
      {button("−", "Zoom out (−)", () => map.zoom(1 / 1.3), "zoom-out")}
      {button("⤢", "Show everything (0)", () => map.fit(), "fit")}
      {map.allOpen
        ? button("⊟", "Close all scopes", () => map.toggleAll(), "open-all")
        : button("⊞", "Open all scopes", () => map.toggleAll(), "open-all")}
      {children}
    </div>
  );
}

function Legend({ map }: { map: MapView }) {
  const theme = map.getTheme();
  const { legend } = map.colouring();
  return (
    <div class="tfb-legend" data-testid="tfb-legend">
      <label>
        Colour
        <select
          value={map.colourBy}
          onChange={(e) => map.setColour((e.currentTarget as HTMLSelectElement).value as ColourBy)}
          data-testid="tfb-colour"
        >
          {COLOURS.map(([id, title]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <ul>
        {legend.map(({ category: index, label, title }) => (
          <li key={label} title={title}>
            <i style={{ background: css(category(theme, index)) }} />
            {label}
          </li>
        ))}
        {map.colourBy === "device" && (
          <li title="no device was asked for">
            <i style={{ background: css(category(theme, -1)) }} />
            none asked
          </li>
        )}
      </ul>
      <ul>
        <li title="a tensor">
          <svg width="22" height="6" aria-hidden="true">
            <path d="M0 3 H22" class="tfb-line-data" />
          </svg>
          data
        </li>
        <li title="runs after, no tensor">
          <svg width="22" height="6" aria-hidden="true">
            <path d="M0 3 H22" class="tfb-line-control" />
          </svg>
          control
        </li>
        <li title="the variable's buffer itself">
          <svg width="22" height="6" aria-hidden="true">
            <path d="M0 3 H22" class="tfb-line-reference" />
          </svg>
          reference
        </li>
        <li title="● reads the variable, ◀ writes it">
          <b class="tfb-var">●</b> reads <b class="tfb-var">◀</b> writes
        </li>
      </ul>
    </div>
  );
}

function Tip({ map }: { map: MapView }) {
  const tip = map.tip!;
  const { width, height } = map.viewport;
  const right = tip.x > width / 2;
  const below = tip.y < height / 2;
  const style = {
    ...(right ? { right: `${width - tip.x + 10}px` } : { left: `${tip.x + 14}px` }),
    ...(below ? { top: `${tip.y + 16}px` } : { bottom: `${height - tip.y + 10}px` }),
  };
  return (
    <div class="tfb-tip" style={style} aria-hidden="true" data-testid="tfb-tip">
      <b>{tip.title}</b>
      {tip.lines.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </div>
  );
}

registerView({ id: "map", title: "Map", order: 10, component: MapPane });
