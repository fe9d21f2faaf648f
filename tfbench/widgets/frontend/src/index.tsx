// Entry: an anywidget module. One model per widget, however many views of it are on the page.

import { render } from "preact";
import "./devices";
import "./filters";
import "./map";
import "./order";
import "./style.css";
import "./variables";
import { MapView } from "./mapview";
import { Model } from "./model";
import { Panel } from "./panel";
import { readRules } from "./showing";
import { readTheme, watchTheme } from "./theme";
import { Sequence, VERSION, type Message } from "./protocol";
import { makeId, sendPast, type Kernel } from "./stepper";

/** The part of anywidget's model that is used. */
interface Host {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: (...args: never[]) => void): void;
  off(event: string, callback: (...args: never[]) => void): void;
  send(content: unknown): void;
  /** Jupyter's own; it knows the kernel */
  widget_manager?: { kernel?: Kernel | null };
}

const SUPPRESS = "data-lm-suppress-shortcuts";

/** How long a command may go unheard before the panel says so. */
const UNHEARD_MS = 2500;

/** How long to wait for the kernel's first answer before asking again. */
const RETRY_MS = [1500, 4000, 10_000];

/** After so long without a view of it on the page, a widget asks for no more messages. */
const LEAVE_MS = 2000;

export default function inspector() {
  const model = new Model();
  let ask = (_kind: string): void => {};
  /** how many views the page has; whether the kernel was told that there is none */
  let views = 0;
  let left = false;
  return {
    initialize({ model: host }: { model: Host }) {
      const tell = (content: unknown): void => {
        try {
          host.send(content);
        } catch {
          // Between two kernels nothing can be sent; when there is one again, everything is asked anew.
        }
      };
      ask = (kind: string): void => tell({ v: VERSION, kind });
      const past = (content: object): boolean => sendPast(host.widget_manager?.kernel, host.get("panel"), content);
      model.ask = (what, fetch, more) => {
        const content = { v: VERSION, kind: "ask", what, fetch, ...more };
        // A cell whose loop is held keeps the kernel busy.
        const busy = model.control?.what === "loop" && model.control.state === "held";
        if (!busy || !past(content)) tell(content);
      };
      model.command = (what, op = "") => {
        const id = makeId();
        const content = { v: VERSION, kind: "command", id, what, op };
        past(content);
        tell(content);
        setTimeout(() => {
          if (!heard.has(id)) {
            model.unheard = true;
            model.emit("control");
          }
        }, UNHEARD_MS);
      };
      const heard = new Set<string>();
      model.interrupt = () => void host.widget_manager?.kernel?.interrupt?.();
      const sequence = new Sequence(() => ask("resync"));
      const receive = (message: Message, buffers: DataView[]): void => {
        if (message.kind === "control") heard.add(message.heard);
        if (!sequence.accept(message)) return;
        // Another window has closed its last view.
        if (message.kind === "anybody") return left ? undefined : ask("here");
        try {
          model.apply(message, buffers);
        } catch (error) {
          console.error("tfbench: message not understood", error);
          ask("resync");
        }
      };
      const pull = (): void => {
        model.select(String(host.get("selected") ?? ""));
        model.show(String(host.get("tab") ?? ""));
        model.setRules(readRules(host.get("rules")));
      };
      const push = (name: "selected" | "tab" | "rules"): void => {
        if (JSON.stringify(host.get(name)) === JSON.stringify(model[name])) return;
        host.set(name, model[name]);
        host.save_changes();
      };
      host.on("msg:custom", receive as never);
      host.on("change:selected", pull as never);
      host.on("change:tab", pull as never);
      host.on("change:rules", pull as never);
      // The kernel was restarted, or found again: an answer makes the panel live.
      const moved = (): void => {
        model.lost();
        ask("hello");
      };
      host.on("comm_live_update", moved as never);
      const stops = [model.on("selection", () => push("selected")), model.on("tab", () => push("tab")), model.on("shown", () => push("rules"))];
      pull();
      ask("hello");
      const retries = RETRY_MS.map((delay) => setTimeout(() => model.state === "waiting" && (past({ v: VERSION, kind: "hello" }), ask("hello")), delay));
      return () => {
        for (const retry of retries) clearTimeout(retry);
        for (const stop of stops) stop();
        host.off("msg:custom", receive as never);
        host.off("change:selected", pull as never);
        host.off("change:tab", pull as never);
        host.off("change:rules", pull as never);
        host.off("comm_live_update", moved as never);
      };
    },
    render({ el }: { el: HTMLElement }) {
      views++;
      if (left) ask("hello");
      left = false;
      const root = document.createElement("div");
      root.className = "tfb";
      el.appendChild(root);
      // Jupyter's single-key shortcuts (d d deletes a cell) match the focused element itself, so it is the one
      // that has to carry the mark that keeps them away.
      root.addEventListener("focusin", (event) => (event.target as HTMLElement).setAttribute(SUPPRESS, "true"));
      const map = new MapView(model);
      const dress = (): void => void root.classList.toggle("tfb-dark", readTheme(root).dark);
      dress();
      const stop = watchTheme(dress);
      render(<Panel model={model} map={map} />, root);
      const hooks = { locate: (name: string) => map.locate(name), settled: () => map.settled, scale: () => map.viewport.camera.scale };
      Object.assign(root, { tfbench: hooks });
      return () => {
        stop();
        render(null, root);
        map.close();
        views--;
        setTimeout(() => {
          if (views || left) return;
          left = true;
          ask("bye");
        }, LEAVE_MS);
      };
    },
  };
}
