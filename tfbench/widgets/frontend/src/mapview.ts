// The map's own state and hands: camera, open scopes, pointer and keys. It draws on a canvas and tells the panel
// around it what it shows; selection and search belong to the model.

import { colouring, type Colouring, type ColourBy } from "./colouring";
import { FONT, paint, type Camera } from "./draw";
import { Layouter } from "./layouter";
import type { Model } from "./model";
import { planMap, type Measure } from "./plan";
import { compose, hit, rowPlace, type Hit, type Item, type Scene } from "./scene";
import { outputText, shorten } from "./text";
import { readTheme, watchTheme, type Theme } from "./theme";

/** The map opens scopes by itself while no more boxes than this are in sight; more where there is hardly one yet. */
const AUTO_OPEN = 26;
const AUTO_OPEN_FIRST = 64;
const HARDLY_ANY = 8;
const MIN_SCALE = 0.02;
const MAX_SCALE = 3;
/** The first view shows everything unless that is smaller than this; then it keeps text readable instead. */
const SMALL = 0.7;
const READABLE = 0.8;
const MOVE_MS = 200;
/** height that the legend covers */
const LEGEND = 56;

export interface Tip {
  x: number;
  y: number;
  title: string;
  lines: string[];
}

export class MapView {
  colourBy: ColourBy = "scope";
  colours: Colouring | null = null;
  scene: Scene | null = null;
  tip: Tip | null = null;
  busy = false;
  /** the panel redraws its own parts (legend, tip, buttons) */
  changed: () => void = () => {};
  announce: (text: string) => void = () => {};

  private readonly open = new Set<string>();
  private readonly known = new Set<string>();
  private camera: Camera = { x: 0, y: 0, scale: 1 };
  private fresh = true;
  /** somebody moved the camera, opened something or chose something: it is theirs now */
  private touched = false;
  private canvas: HTMLCanvasElement | null = null;
  private theme: Theme | null = null;
  private width = 0;
  private height = 0;
  private hovered = -1;
  private lit = new Set<number>();
  private bright: Set<number> | null = null;
  private frame = 0;
  private from = new Map<number, { x: number; y: number; w: number; h: number }>();
  private movedAt = 0;
  private glide: { from: Camera; to: Camera; at: number } | null = null;
  private readonly layouter = new Layouter();
  private readonly stops: (() => void)[] = [];
  private detachers: (() => void)[] = [];
  private fromHere = false;
  private measurer: CanvasRenderingContext2D | null = null;
  private readonly widths = new Map<string, number>();

  constructor(private readonly model: Model) {
    this.stops.push(
      model.on("graph", () => this.graphChanged()),
      model.on("selection", () => this.selectionChanged()),
      model.on("query", () => this.queryChanged()),
    );
  }

  close(): void {
    this.detach();
    for (const stop of this.stops) stop();
    this.layouter.close();
  }

  // -- the canvas --------------------------------------------------------------------------------------------

  attach(canvas: HTMLCanvasElement): void {
    this.canvas = canvas;
    this.theme = null; // it may have changed while another view was in front
    const on = <K extends keyof HTMLElementEventMap>(
      type: K,
      listener: (event: HTMLElementEventMap[K]) => void,
      options?: AddEventListenerOptions,
    ): void => {
      canvas.addEventListener(type, listener, options);
      this.detachers.push(() => canvas.removeEventListener(type, listener, options));
    };
    on("pointerdown", (e) => this.pointerDown(e));
    on("pointermove", (e) => this.pointerMove(e));
    on("pointerup", (e) => this.pointerUp(e));
    on("pointercancel", () => (this.drag = null));
    on("pointerleave", () => this.hover(null, 0, 0));
    on("dblclick", (e) => this.doubleClick(e));
    on("wheel", (e) => this.wheel(e), { passive: false });
    on("keydown", (e) => this.key(e));
    on("focus", () => this.draw());
    on("blur", () => this.draw());
    // The first render may come before the page has laid the panel out: size is only ever read from here.
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(canvas);
    this.detachers.push(() => observer.disconnect());
    this.detachers.push(
      watchTheme(() => {
        this.theme = null;
        this.draw();
        this.changed();
      }),
    );
    this.resize();
    if (!this.scene) this.graphChanged();
  }

  detach(): void {
    for (const stop of this.detachers) stop();
    this.detachers = [];
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.canvas = null;
  }

  private resize(): void {
    const { canvas } = this;
    if (!canvas) return;
    const { clientWidth, clientHeight } = canvas;
    if (!clientWidth || !clientHeight) return;
    const first = this.width === 0;
    if (!first && !this.fresh) {
      // Keep the middle in the middle.
      this.camera.x += (clientWidth - this.width) / 2;
    }
    this.width = clientWidth;
    this.height = clientHeight;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(clientWidth * ratio);
    canvas.height = Math.round(clientHeight * ratio);
    if (this.fresh && this.scene) this.home();
    this.paintNow();
  }

  getTheme(): Theme {
    return (this.theme ??= readTheme(this.canvas ?? document.documentElement));
  }

  private measure: Measure = (text, font) => {
    const key = font[0]! + text;
    const known = this.widths.get(key);
    if (known !== undefined) return known;
    this.measurer ??= document.createElement("canvas").getContext("2d");
    const ctx = this.measurer!;
    const family = this.getTheme().font;
    ctx.font = font === "title" ? `${FONT.title} ${FONT.size}px ${family}` : `${FONT.small}px ${family}`;
    const width = Math.ceil(ctx.measureText(text).width);
    if (this.widths.size > 20_000) this.widths.clear();
    this.widths.set(key, width);
    return width;
  };

  // -- what is shown -----------------------------------------------------------------------------------------

  setColour(by: ColourBy): void {
    this.colourBy = by;
    this.colours = null;
    this.draw();
    this.changed();
  }

  legend(): Colouring {
    return this.getColours();
  }

  size(): { w: number; h: number } {
    return { w: this.width, h: this.height };
  }

  private getColours(): Colouring {
    return (this.colours ??= colouring(this.model, this.model.tree, this.colourBy));
  }

  private graphChanged(): void {
    this.colours = null;
    this.hovered = -1;
    this.autoOpen();
    void this.layout(null);
  }

  /** New scopes open while the picture stays small; what a person closed stays closed. */
  private autoOpen(): void {
    const { tree } = this.model;
    const openable = (node: number): boolean => tree.nodes[node]!.kind === "scope";
    let shown = 0;
    const queue: number[] = [...tree.nodes[0]!.children];
    shown = queue.length;
    const later: number[] = [];
    while (queue.length) {
      const node = queue.shift()!;
      const { id, children } = tree.nodes[node]!;
      if (!openable(node)) continue;
      if (this.open.has(id)) {
        shown += children.length;
        queue.push(...children);
      } else if (!this.known.has(id)) later.push(node);
    }
    while (later.length) {
      const node = later.shift()!;
      const { id, children } = tree.nodes[node]!;
      if (shown + children.length - 1 > (shown < HARDLY_ANY ? AUTO_OPEN_FIRST : AUTO_OPEN)) continue;
      this.open.add(id);
      shown += children.length - 1;
      later.push(...children.filter(openable));
    }
    for (const group of tree.nodes) if (group.kind === "scope") this.known.add(group.id);
  }

  /** Plans and lays out; `anchor` keeps its place on the screen. */
  private async layout(anchor: string | null): Promise<void> {
    const { model } = this;
    const { tree } = model;
    const open = new Set<number>();
    for (const id of this.open) {
      const node = tree.find(id);
      if (node >= 0) open.add(node);
    }
    const plan = planMap(model, tree, open, this.measure);
    this.setBusy(true);
    const result = await this.layouter.request(plan.problem);
    if (!result) return;
    this.setBusy(false);
    if (model.tree !== tree) return;
    const old = this.scene;
    const scene = compose(plan, result);
    const before = anchor !== null && old ? this.itemOf(old, anchor) : null;
    this.from = new Map();
    if (old && !this.fresh && !reducedMotion()) {
      const ids = new Map(old.items.map((item) => [this.idIn(old, item), item]));
      for (const item of scene.items) {
        const was = ids.get(tree.nodes[item.card.node]!.id);
        if (was) this.from.set(item.card.node, was);
      }
    }
    this.scene = scene;
    this.ids = new Map(scene.items.map((item) => [item, tree.nodes[item.card.node]!.id]));
    this.movedAt = this.from.size ? performance.now() : 0;
    if (this.fresh) this.home();
    else if (anchor === null && !this.touched) {
      // The graph grew and nobody has chosen what to look at: keep showing it from its beginning.
      const camera = this.homeCamera();
      if (camera) this.moveTo(camera);
    } else if (before) {
      const after = this.itemOf(scene, anchor!);
      if (after) {
        const { scale } = this.camera;
        const dx = (before.x + before.w / 2 - after.x - after.w / 2) * scale;
        const dy = (before.y - after.y) * scale;
        this.camera.x += dx;
        this.camera.y += dy;
        for (const place of this.from.values()) {
          place.x -= dx / scale;
          place.y -= dy / scale;
        }
      }
    }
    this.relight();
    this.queryChanged();
    this.changed();
    if (this.pendingReveal !== null) {
      const name = this.pendingReveal;
      this.pendingReveal = null;
      this.centre(name);
    }
  }

  private ids = new Map<Item, string>();
  private pendingReveal: string | null = null;

  private idIn(_scene: Scene, item: Item): string {
    return this.ids.get(item) ?? "";
  }

  private itemOf(scene: Scene, id: string): Item | null {
    return scene.items.find((item) => (scene === this.scene ? this.ids.get(item) : null) === id) ?? null;
  }

  private setBusy(busy: boolean): void {
    if (busy === this.busy) return;
    this.busy = busy;
    // Only a layout that takes its time deserves a word.
    if (busy) setTimeout(() => this.busy && this.changed(), 400);
    else this.changed();
  }

  toggle(id: string): void {
    this.touched = true;
    if (this.open.has(id)) this.open.delete(id);
    else this.open.add(id);
    void this.layout(id);
  }

  /** Opens every scope above the picture's size limit, or closes all. */
  toggleAll(): void {
    const { tree } = this.model;
    const scopes = tree.nodes.filter((group) => group.kind === "scope" && group.id);
    const closed = scopes.filter((group) => !this.open.has(group.id));
    if (closed.length) for (const group of scopes) this.open.add(group.id);
    else this.open.clear();
    this.fresh = true;
    void this.layout(null);
  }

  get allOpen(): boolean {
    return this.model.tree.nodes.every((group) => group.kind !== "scope" || !group.id || this.open.has(group.id));
  }

  // -- camera ------------------------------------------------------------------------------------------------

  private fitted(): Camera {
    const scene = this.scene!;
    const margin = 24;
    const height = this.height - (this.height > 300 ? LEGEND : 0);
    const scale = Math.min((this.width - 2 * margin) / scene.w, (height - 2 * margin) / scene.h, 1.1);
    const kept = Math.max(MIN_SCALE, scale);
    return { scale: kept, x: (this.width - scene.w * kept) / 2, y: (height - scene.h * kept) / 2 };
  }

  private home(): void {
    const camera = this.homeCamera();
    if (!camera) return;
    this.fresh = false;
    this.camera = camera;
    this.glide = null;
  }

  private homeCamera(): Camera | null {
    if (!this.width || !this.scene?.items.length) return null;
    const fitted = this.fitted();
    if (fitted.scale >= SMALL) return fitted;
    const scale = READABLE;
    const { w, axis } = this.scene;
    const fitsAcross = w * scale <= this.width - 40;
    // Too wide a picture is entered where its flow begins, or at its corner.
    const x = fitsAcross ? (this.width - w * scale) / 2 : axis === null ? 52 : this.width / 2 - axis * scale;
    return { scale, x, y: 24 };
  }

  fit(): void {
    if (!this.scene) return;
    this.touched = true;
    this.moveTo(this.fitted());
  }

  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const { camera } = this;
    const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, camera.scale * factor));
    const k = scale / camera.scale;
    this.camera = { scale, x: x - (x - camera.x) * k, y: y - (y - camera.y) * k };
    this.glide = null;
    this.touched = true;
    this.draw();
    this.changed();
  }

  private moveTo(to: Camera): void {
    if (reducedMotion()) {
      this.camera = to;
      this.glide = null;
    } else this.glide = { from: { ...this.camera }, to, at: performance.now() };
    this.draw();
  }

  /** Brings an operation or scope into the middle, if it is not well in sight already. */
  private centre(name: string): void {
    const place = this.placeOf(name);
    if (!place) return;
    const { camera } = this;
    const scale = Math.max(camera.scale, READABLE);
    const x = place.x * camera.scale + camera.x;
    const y = place.y * camera.scale + camera.y;
    const inside = x > 40 && x < this.width - 40 && y > 40 && y < this.height - 40;
    this.touched = true;
    if (inside && camera.scale >= 0.4) return;
    this.moveTo({ scale, x: this.width / 2 - place.x * scale, y: this.height / 2 - place.y * scale });
  }

  /** Where an operation or scope is on the map: itself, its row on a card, or the closed scope it is in. */
  private placeOf(name: string): { x: number; y: number } | null {
    const { scene } = this;
    if (!scene) return null;
    const { tree } = this.model;
    let node = tree.find(name);
    const host = scene.plan.hosted.get(node);
    if (host !== undefined) {
      const item = scene.byNode.get(host);
      if (item) return { x: item.x + item.w / 2, y: rowPlace(item, node).y };
    }
    for (; node >= 0; node = tree.nodes[node]!.parent) {
      const item = scene.byNode.get(node);
      if (item) return { x: item.x + item.w / 2, y: item.open ? item.y + 15 : item.y + Math.min(item.h / 2, 16) };
    }
    return null;
  }

  /** For tests and for tools: where `name` is, in the window's coordinates. */
  locate(name: string): { x: number; y: number; visible: boolean } | null {
    const place = this.placeOf(name);
    if (!place || !this.canvas) return null;
    const { camera } = this;
    const rect = this.canvas.getBoundingClientRect();
    const x = place.x * camera.scale + camera.x;
    const y = place.y * camera.scale + camera.y;
    const visible = x >= 0 && y >= 0 && x <= rect.width && y <= rect.height;
    return { x: x + rect.left, y: y + rect.top, visible };
  }

  get scale(): number {
    return this.camera.scale;
  }

  /** No animation is under way. */
  get settled(): boolean {
    return !this.busy && !this.glide && !this.frame;
  }

  // -- selection and search ----------------------------------------------------------------------------------

  private select(name: string): void {
    this.fromHere = true;
    this.model.select(name);
    this.fromHere = false;
  }

  private selectionChanged(): void {
    this.relight();
    const { selected } = this.model;
    if (!this.fromHere && selected) this.reveal(selected);
    this.draw();
  }

  /** Opens what hides `name`, then brings it into sight. */
  private reveal(name: string): void {
    const { tree } = this.model;
    const node = tree.find(name);
    if (node < 0) return;
    let changed = false;
    for (let up = tree.nodes[tree.standFor(node)]!.parent; up > 0; up = tree.nodes[up]!.parent) {
      const { id } = tree.nodes[up]!;
      if (this.open.has(id)) continue;
      this.open.add(id);
      changed = true;
    }
    if (changed) {
      this.pendingReveal = name;
      void this.layout(null);
    } else this.centre(name);
  }

  private visibleOf(name: string): number {
    const { scene } = this;
    if (!scene || !name) return -1;
    const op = this.model.find(name);
    if (op >= 0) {
      const leaf = this.model.tree.leaf[op]!;
      return scene.plan.hosted.has(leaf) ? leaf : scene.plan.visible[op]!;
    }
    for (let node = this.model.tree.find(name); node >= 0; node = this.model.tree.nodes[node]!.parent) {
      if (scene.byNode.has(node)) return node;
    }
    return -1;
  }

  private relight(): void {
    const lit = new Set<number>();
    const light = (ops: number[]): void => {
      if (ops.length > 4000) return;
      const inside = new Set(ops);
      const { source, target } = this.model.edges;
      for (const op of ops) {
        for (const e of this.model.out[op]!) if (!inside.has(target[e]!)) lit.add(e);
        for (const e of this.model.into[op]!) if (!inside.has(source[e]!)) lit.add(e);
      }
    };
    const { tree, selected } = this.model;
    const node = selected ? tree.find(selected) : -1;
    if (node >= 0 && this.scene && !this.scene.byNode.get(node)?.open) {
      // A selected variable is its whole group: the edges of its read count as its own.
      light(tree.operations(tree.standFor(node)));
    }
    if (this.hovered > 0 && !this.scene?.byNode.get(this.hovered)?.open) light(tree.operations(this.hovered));
    this.lit = lit;
    this.draw();
  }

  private queryChanged(): void {
    const matches = this.model.matches();
    if (!matches || !this.scene) this.bright = null;
    else {
      this.bright = new Set();
      for (const op of matches) {
        for (let node = this.model.tree.leaf[op]!; node > 0; node = this.model.tree.nodes[node]!.parent) this.bright.add(node);
      }
      for (const [node, host] of this.scene.plan.hosted) if (this.bright.has(node)) this.bright.add(host);
    }
    this.draw();
  }

  // -- pointer and keys --------------------------------------------------------------------------------------

  private drag: { x: number; y: number; moved: boolean; camera: Camera } | null = null;

  private at(event: MouseEvent): { x: number; y: number; hit: Hit | null } {
    const rect = this.canvas!.getBoundingClientRect();
    const x = event.clientX - rect.left;
    const y = event.clientY - rect.top;
    const { camera, scene } = this;
    return { x, y, hit: scene && hit(scene, (x - camera.x) / camera.scale, (y - camera.y) / camera.scale) };
  }

  private pointerDown(event: PointerEvent): void {
    if (event.button !== 0 && event.button !== 1) return;
    this.canvas!.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, y: event.clientY, moved: false, camera: { ...this.camera } };
    this.glide = null;
  }

  private pointerMove(event: PointerEvent): void {
    const { drag } = this;
    if (drag) {
      const dx = event.clientX - drag.x;
      const dy = event.clientY - drag.y;
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      drag.moved = true;
      this.touched = true;
      this.camera = { ...drag.camera, x: drag.camera.x + dx, y: drag.camera.y + dy };
      this.canvas!.style.cursor = "grabbing";
      this.hover(null, 0, 0);
      this.draw();
      return;
    }
    const found = this.at(event);
    this.canvas!.style.cursor = found.hit ? "pointer" : "grab";
    this.hover(found.hit, found.x, found.y);
  }

  private pointerUp(event: PointerEvent): void {
    const { drag } = this;
    this.drag = null;
    if (!drag || drag.moved) return;
    const { hit: found } = this.at(event);
    if (!found) {
      this.select("");
      return;
    }
    const { tree, ops } = this.model;
    if (found.toggle && (found.item.open || this.scene!.plan.expandable.has(found.item.card.node))) {
      this.toggle(tree.nodes[found.item.card.node]!.id);
      return;
    }
    this.select(tree.selectionOf(found.row ? found.row.node : found.item.card.node, ops));
  }

  private doubleClick(event: MouseEvent): void {
    const { hit: found } = this.at(event);
    if (!found || found.row || found.toggle) return;
    const group = this.model.tree.nodes[found.item.card.node]!;
    if (group.children.length) this.toggle(group.id);
  }

  private wheel(event: WheelEvent): void {
    // In a notebook the wheel scrolls the page; the map takes it once it has been clicked, and pinches always.
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== this.canvas && !this.hasFocus()) return;
    event.preventDefault();
    const { x, y } = this.at(event);
    const step = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    this.zoom(Math.exp(-Math.max(-120, Math.min(120, step)) * (event.ctrlKey ? 0.01 : 0.0022)), x, y);
  }

  /** The focused element may be inside a shadow tree. */
  private hasFocus(): boolean {
    const root = this.canvas!.getRootNode() as Document | ShadowRoot;
    return root.activeElement === this.canvas;
  }

  private hover(found: Hit | null, x: number, y: number): void {
    const node = !found ? -1 : found.row ? found.row.node : found.item.card.node;
    const tip = found && node >= 0 ? this.describe(node, x, y) : null;
    const same = node === this.hovered;
    this.hovered = node;
    this.tip = tip;
    if (!same) this.relight();
    if (!same || tip) this.changed();
  }

  private describe(node: number, x: number, y: number): Tip {
    const { tree, ops } = this.model;
    const group = tree.nodes[node]!;
    const lines: string[] = [];
    if (group.kind === "scope" || group.kind === "series") {
      lines.push(`${group.total} operations${group.variables ? `, ${group.variables} variables` : ""}`);
    } else {
      const op = ops[group.op]!;
      lines.push(op.outputs.length ? `${op.type} → ${op.outputs.slice(0, 3).map(outputText).join(", ")}` : op.type);
      if (op.device) lines.push(shorten(op.device, 60));
    }
    return { x, y, title: shorten(tree.selectionOf(node, ops), 90), lines };
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.scene) return;
    const pan = 60;
    const { key } = event;
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const arrow = arrows[key];
    if (arrow && event.shiftKey) {
      this.touched = true;
      this.camera = { ...this.camera, x: this.camera.x - arrow[0] * pan, y: this.camera.y - arrow[1] * pan };
      this.draw();
    } else if (arrow) this.step(arrow);
    else if (key === "+" || key === "=") this.zoom(1.25);
    else if (key === "-") this.zoom(0.8);
    else if (key === "0") this.fit();
    else if (key === "Enter" || key === " ") this.toggleSelected();
    else if (key === "Escape") this.select("");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  toggleSelected(): void {
    const { tree } = this.model;
    const node = this.visibleOf(this.model.selected);
    if (node > 0 && tree.nodes[node]!.children.length) this.toggle(tree.nodes[node]!.id);
  }

  /** The nearest box in a direction; the first one where nothing is selected. */
  private step([dx, dy]: [number, number]): void {
    const { scene } = this;
    const { tree, ops } = this.model;
    const now = scene!.byNode.get(this.visibleOf(this.model.selected));
    let best: Item | null = now ? null : (scene!.items[0] ?? null);
    let least = Infinity;
    for (const item of now ? scene!.items : []) {
      if (item === now) continue;
      const x = item.x + item.w / 2 - now!.x - now!.w / 2;
      const y = item.y + Math.min(20, item.h / 2) - now!.y - Math.min(20, now!.h / 2);
      const along = x * dx + y * dy;
      const across = Math.abs(x * dy) + Math.abs(y * dx);
      if (along < 6 || across > along * 2.5) continue;
      const far = along + across * 1.5;
      if (far < least) [least, best] = [far, item];
    }
    if (!best) return;
    const name = tree.selectionOf(best.card.node, ops);
    this.select(name);
    this.centre(name);
    const { title, lines } = this.describe(best.card.node, 0, 0);
    this.announce(`${title}, ${lines.join(", ")}${scene!.plan.expandable.has(best.card.node) ? ", closed" : best.open ? ", open" : ""}`);
  }

  // -- painting ----------------------------------------------------------------------------------------------

  draw(): void {
    if (!this.frame && this.canvas) this.frame = requestAnimationFrame(() => this.paintNow());
  }

  private paintNow(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const ctx = this.canvas?.getContext("2d", { alpha: false });
    if (!ctx || !this.scene || !this.width) return;
    const now = performance.now();
    if (this.glide) {
      const t = Math.min(1, (now - this.glide.at) / (MOVE_MS * 1.3));
      const k = ease(t);
      const { from, to } = this.glide;
      this.camera = {
        x: from.x + (to.x - from.x) * k,
        y: from.y + (to.y - from.y) * k,
        scale: from.scale + (to.scale - from.scale) * k,
      };
      if (t === 1) {
        this.glide = null;
        this.changed();
      }
    }
    const moved = this.movedAt ? Math.min(1, (now - this.movedAt) / MOVE_MS) : 1;
    if (moved === 1) this.movedAt = 0;
    paint(ctx, {
      scene: this.scene,
      theme: this.getTheme(),
      colours: this.getColours(),
      camera: this.camera,
      width: this.width,
      height: this.height,
      ratio: window.devicePixelRatio || 1,
      selected: this.visibleOf(this.model.selected),
      hovered: this.hovered,
      bright: this.bright,
      lit: this.lit,
      focus: this.hasFocus(),
      moved: ease(moved),
      from: this.from,
    });
    if (this.glide || moved < 1) this.draw();
  }
}

function ease(t: number): number {
  return t >= 1 ? 1 : 1 - (1 - t) ** 3;
}

function reducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
