// The panel around the views: title, tabs, search, status. A view that fails says so in its own place and leaves
// the rest working.

import { Component, type ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Controls, Notice } from "./controls";
import { Detail } from "./detail";
import { useModel, useSize } from "./hooks";
import type { MapView } from "./mapview";
import type { Model } from "./model";
import { Search } from "./search";
import { count, shorten } from "./text";
import { views } from "./views";

export function Panel({ model, map }: { model: Model; map: MapView }) {
  useModel(model, "tab", "graph", "status");
  const [frame, size] = useSize<HTMLDivElement>();
  const speech = useRef<HTMLDivElement>(null);
  const all = views();
  const current = all.find((view) => view.id === model.tab) ?? all[0]!;
  const View = current.component;
  const announce = (text: string): void => {
    if (speech.current) speech.current.textContent = text;
  };
  const tabKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const next = all[(all.indexOf(current) + step + all.length) % all.length]!;
    model.show(next.id);
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  // Keys that no part of the panel has taken.
  const key = (event: KeyboardEvent): void => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target as HTMLElement).matches("input, select, textarea")) return;
    frame.current?.querySelector<HTMLElement>('[data-testid="tfb-search"]')?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class={`tfb-panel${size.w < 720 ? " tfb-narrow" : ""}`} ref={frame} onKeyDown={key} data-testid="tfb-panel" data-tab={current.id}>
      <div class="tfb-bar-top">
        <div class="tfb-title">
          <strong title={shorten(model.graph.name, 400)}>{shorten(model.graph.name || "graph", 28)}</strong>
          <Summary model={model} />
        </div>
        <div class="tfb-tabs" role="tablist" aria-label="Views" onKeyDown={tabKey}>
          {all.map((view) => (
            <button
              key={view.id}
              type="button"
              role="tab"
              data-tab={view.id}
              aria-selected={view === current}
              tabIndex={view === current ? 0 : -1}
              onClick={() => model.show(view.id)}
              data-testid={`tfb-tab-${view.id}`}
            >
              {view.title}
            </button>
          ))}
        </div>
        <Search model={model} />
      </div>
      <div class="tfb-body">
        <div class="tfb-view" role="tabpanel" aria-label={current.title}>
          <Guard key={current.id} name={current.title} model={model}>
            <View model={model} map={map} announce={announce} />
          </Guard>
        </div>
        {model.ops.length > 0 && (
          <Guard key="detail" name="Details" model={model}>
            <Detail model={model} />
          </Guard>
        )}
      </div>
      <Notice model={model} />
      <Status model={model} />
      <div class="tfb-speech" aria-live="polite" ref={speech} />
    </div>
  );
}

function Summary({ model }: { model: Model }) {
  if (!model.ops.length) return null;
  const parts = [count(model.ops.length, "op")];
  if (model.variables.length) parts.push(count(model.variables.length, "variable"));
  return <span data-testid="tfb-summary">{parts.join(" · ")}</span>;
}

function Status({ model }: { model: Model }) {
  useModel(model, "stats", "control");
  const held = model.control?.state === "held";
  const label = held ? "waiting for you" : { waiting: "waiting for the kernel", idle: "up to date", live: "live", closed: "kernel gone: this is the last state seen" }[model.state];
  return (
    <div class={`tfb-status tfb-${held ? "held" : model.state}`} role="status" data-testid="tfb-status">
      <i aria-hidden="true" />
      <span>{label}</span>
      {model.runs > 0 && <span data-testid="tfb-runs">{count(model.runs, "run")}</span>}
      {model.status && <span>{shorten(model.status, 120)}</span>}
      {model.state !== "closed" && <Controls model={model} />}
    </div>
  );
}

class Guard extends Component<{ name: string; model: Model; children: ComponentChildren }, { failed: string }> {
  override state = { failed: "" };

  override componentDidCatch(error: unknown): void {
    console.error("tfbench:", error);
    this.props.model.forget();
    this.setState({ failed: String(error) });
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div class="tfb-empty" role="alert">
        <strong>{this.props.name} could not be shown</strong>
        <span>{shorten(this.state.failed, 300)}</span>
        <button type="button" class="tfb-more" onClick={() => this.setState({ failed: "" })}>
          Try again
        </button>
      </div>
    );
  }
}
