// The map's state: which scopes are open, the scene, what is lit. It lays out, draws on a canvas, and tells the panel
// around it what it shows; selection and search belong to the model, camera and hands have files of their own.

import { Viewport } from "./camera";
import { colouring, type Colouring, type ColourBy } from "./colouring";
import { paint, type Paint } from "./draw";
import { Hands } from "./hands";
import type { Hierarchy } from "./hierarchy";
import { Layouter } from "./layouter";
import { brightNodes, litEdges } from "./light";
import type { Model } from "./model";
import { Motion } from "./motion";
import { OpenScopes } from "./openscopes";
import { nodeShowing, placeOf } from "./places";
import { planMap } from "./plan";
import { compose, type Hit, type Item, type Scene } from "./scene";
import { readTheme, watchTheme, type Theme } from "./theme";
import { describe, type Tip } from "./tips";
import { textWidths } from "./widths";

/** height of two rows of chips */
const CHIPS = 54;

/** Pixels of a saved picture, each way, at most. */
const LARGEST = 8000;

export class MapView {
  readonly viewport = new Viewport();
  colourBy: ColourBy = "scope";
  scene: Scene | null = null;
  tip: Tip | null = null;
  busy = false;
  /** the panel redraws its own parts (legend, tip, buttons) */
  changed: () => void = () => {};
  announce: (text: string) => void = () => {};

  private drawn: Hierarchy | null = null;
  private colours: Colouring | null = null;
  private readonly open = new OpenScopes();
  private fresh = true;
  private stale = true;
  private canvas: HTMLCanvasElement | null = null;
  private theme: Theme | null = null;
  private hovered = -1;
  private lit = new Set<number>();
  private bright: Set<number> | null = null;
  private frame = 0;
  private readonly motion = new Motion();
  /** items by the id of their node: ids outlive a change of the graph */
  private places = new Map<string, Item>();
  private pendingReveal: string | null = null;
  private readonly layouter = new Layouter();
  private readonly stops: (() => void)[] = [];
  private detachers: (() => void)[] = [];
  private fromHere = false;
  private readonly measure = textWidths(() => this.getTheme().font);

  constructor(private readonly model: Model) {
    this.stops.push(
      model.on("graph", () => this.graphChanged()),
      model.on("shown", () => this.shownChanged()),
      model.on("selection", () => this.selectionChanged()),
      model.on("query", () => this.queryChanged()),
    );
  }

  /** The tree whose nodes the scene has; until a new scene is laid out, not the model's newest. */
  get tree(): Hierarchy {
    return (this.drawn ??= this.model.shown);
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
    const hands = new Hands(this, canvas);
    // The first render may come before the page has laid the panel out: size is only ever read from here.
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(canvas);
    const unwatch = watchTheme(() => {
      this.theme = null;
      this.draw();
      this.changed();
    });
    this.detachers = [() => hands.release(), () => observer.disconnect(), unwatch];
    this.resize();
    if (this.stale) this.graphChanged();
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
    if (!canvas?.clientWidth || !canvas.clientHeight) return;
    this.viewport.resize(canvas.clientWidth, canvas.clientHeight);
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    if (this.fresh) this.home();
    this.paintNow();
  }

  getTheme(): Theme {
    return (this.theme ??= readTheme(this.canvas ?? document.documentElement));
  }

  /** Whether keys go to the map. The focused element may be inside a shadow tree. */
  get focused(): boolean {
    const root = this.canvas?.getRootNode() as Document | ShadowRoot | undefined;
    return root !== undefined && root.activeElement === this.canvas;
  }

  // -- what is shown -----------------------------------------------------------------------------------------

  setColour(by: ColourBy): void {
    this.colourBy = by;
    this.colours = null;
    this.draw();
    this.changed();
  }

  colouring(): Colouring {
    return (this.colours ??= colouring(this.model, this.tree, this.colourBy));
  }

  private graphChanged(): void {
    const { shown, selected } = this.model;
    this.hovered = -1;
    this.open.welcome(shown);
    const node = this.scene || !selected ? -1 : shown.find(selected);
    if (node >= 0) this.open.reveal(shown, node);
    void this.layout(null);
  }

  /** Another part of the graph is shown: it is looked at from its beginning. */
  private shownChanged(): void {
    this.fresh = true;
    this.graphChanged();
  }

  /** Plans and lays out; `anchor`, a node's id, keeps its place on the screen. Waits until the map is in front. */
  private async layout(anchor: string | null): Promise<void> {
    this.stale = this.canvas === null;
    if (this.stale) return;
    const { model } = this;
    const tree = model.shown;
    const plan = planMap(model, tree, this.open.nodes(tree), this.measure);
    this.setBusy(true);
    const result = await this.layouter.request(plan.problem);
    if (!result) return;
    this.setBusy(false);
    if (model.shown !== tree) return;
    this.drawn = tree;
    this.viewport.above = model.rules.length ? CHIPS : 0;
    this.colours = null;
    this.replace(compose(plan, result), anchor);
    this.relight();
    this.queryChanged();
    this.changed();
    if (this.pendingReveal !== null) {
      const name = this.pendingReveal;
      this.pendingReveal = null;
      this.centre(name);
    }
  }

  /** A new scene in the place of the old one: boxes that both have move, the anchor stays where it was. */
  private replace(scene: Scene, anchor: string | null): void {
    const { tree } = this;
    const before = this.places;
    const after = new Map(scene.items.map((item) => [tree.nodes[item.card.node]!.id, item]));
    this.scene = scene;
    this.places = after;
    if (this.fresh) {
      this.home();
      this.motion.stop();
      return;
    }
    let dx = 0;
    let dy = 0;
    const was = anchor === null ? undefined : before.get(anchor);
    const is = anchor === null ? undefined : after.get(anchor);
    if (was && is) {
      dx = was.x + was.w / 2 - is.x - is.w / 2;
      dy = was.y - is.y;
      const { camera } = this.viewport;
      camera.x += dx * camera.scale;
      camera.y += dy * camera.scale;
    } else if (anchor === null && !this.viewport.touched) {
      // The graph grew and nobody has chosen what to look at: keep showing it from its beginning.
      if (scene.items.length) this.viewport.go(this.viewport.start(scene));
    }
    this.motion.start(before, after, dx, dy);
  }

  private setBusy(busy: boolean): void {
    if (busy === this.busy) return;
    this.busy = busy;
    // Only a layout that takes its time deserves a word.
    if (busy) setTimeout(() => this.busy && this.changed(), 400);
    else this.changed();
  }

  /** Opens or closes a scope. */
  toggle(node: number): void {
    const { id } = this.tree.nodes[node]!;
    this.viewport.touched = true;
    this.open.toggle(id);
    void this.layout(id);
  }

  /** Opens every scope, or closes all. */
  toggleAll(): void {
    this.open.toggleAll(this.model.shown);
    this.fresh = true;
    void this.layout(null);
  }

  get allOpen(): boolean {
    return this.open.all(this.model.shown);
  }

  /** Whether opening a closed card would show something. */
  expandable(node: number): boolean {
    return this.scene?.plan.expandable.has(node) ?? false;
  }

  // -- where one looks ---------------------------------------------------------------------------------------

  private home(): void {
    if (!this.viewport.width || !this.scene?.items.length) return;
    this.fresh = false;
    const { viewport } = this;
    viewport.jump(viewport.start(this.scene));
    // What is chosen is in sight: also when it was chosen before there was a map, or before another part was shown.
    const { selected } = this.model;
    const place = selected && this.placeOf(selected);
    if (place) viewport.centre(place);
  }

  fit(): void {
    if (!this.scene) return;
    this.viewport.touched = true;
    this.viewport.go(this.viewport.whole(this.scene));
    this.draw();
  }

  zoom(factor: number, x?: number, y?: number): void {
    this.viewport.zoom(factor, x, y);
    this.draw();
    this.changed();
  }

  private centre(name: string): void {
    const place = this.placeOf(name);
    if (place) this.viewport.centre(place);
    this.draw();
  }

  private placeOf(name: string): { x: number; y: number } | null {
    return this.scene && placeOf(this.scene, this.tree, name);
  }

  /** For tests and for tools: where `name` is, in the window's coordinates. */
  locate(name: string): { x: number; y: number; visible: boolean } | null {
    const place = this.placeOf(name);
    if (!place || !this.canvas) return null;
    const rect = this.canvas.getBoundingClientRect();
    const { x, y } = this.viewport.toWindow(place.x, place.y);
    const visible = x >= 0 && y >= 0 && x <= rect.width && y <= rect.height;
    return { x: x + rect.left, y: y + rect.top, visible };
  }

  /** Nothing is being laid out, moved or painted. */
  get settled(): boolean {
    return !this.busy && !this.viewport.gliding && !this.frame;
  }

  // -- selection and search ----------------------------------------------------------------------------------

  /** Chooses what a node stands for; -1: nothing. */
  select(node: number): void {
    this.fromHere = true;
    this.model.select(node < 0 ? "" : this.tree.selectionOf(node, this.model.ops));
    this.fromHere = false;
  }

  /** Chooses a box by key: brings it into sight and says what it is. */
  visit(item: Item): void {
    const { node } = item.card;
    this.select(node);
    this.centre(this.model.selected);
    const { title, lines } = describe(this.model, this.tree, node);
    const state = item.open ? ", open" : this.expandable(node) ? ", closed" : "";
    this.announce(`${title}, ${lines.join(", ")}${state}`);
  }

  /** Shows another part of the graph, by a key on what is chosen; whether the key means anything. */
  show(key: string): boolean {
    const { model } = this;
    const what = [model.selected.replace(/\/$/, "")];
    if (key === "a") model.setRules([]);
    else if (!model.selected) return false;
    else if (key === "f") model.addRule({ do: "focus", by: "near", what, steps: 2 });
    else if (key === "n") model.addRule({ do: "focus", by: "needed", what });
    else if (key === "h") model.addRule({ do: "hide", by: "name", what });
    else return false;
    this.announce(`${model.shownCount} of ${model.ops.length} operations are shown`);
    return true;
  }

  private selectionChanged(): void {
    this.relight();
    const { selected } = this.model;
    if (!this.fromHere && selected) this.reveal(selected);
    this.draw();
  }

  /** Opens what hides `name`, then brings it into sight. */
  private reveal(name: string): void {
    const tree = this.model.shown;
    const node = tree.find(name);
    if (node < 0) return;
    if (this.open.reveal(tree, node) || this.stale) {
      this.pendingReveal = name;
      void this.layout(null);
    } else this.centre(name);
  }

  /** The node on the map that shows what is selected, or -1. */
  get selectedNode(): number {
    const { scene, model, tree } = this;
    return scene && model.selected ? nodeShowing(scene, tree, model, model.selected) : -1;
  }

  private relight(): void {
    const { tree } = this;
    const { selected } = this.model;
    // A selected variable is its whole group: the edges of its read count as its own.
    const chosen = selected ? tree.standFor(tree.find(selected)) : -1;
    this.lit = litEdges(this.model, this.tree, this.scene, [chosen, this.hovered]);
    this.draw();
  }

  private queryChanged(): void {
    this.bright = brightNodes(this.model, this.tree, this.scene);
    this.draw();
  }

  hover(found: Hit | null, x: number, y: number): void {
    const node = !found ? -1 : found.row ? found.row.node : found.item.card.node;
    const same = node === this.hovered;
    this.hovered = node;
    this.tip = node >= 0 ? describe(this.model, this.tree, node, x, y) : null;
    if (!same) this.relight();
    if (!same || this.tip) this.changed();
  }

  // -- painting ----------------------------------------------------------------------------------------------

  draw(): void {
    if (!this.frame && this.canvas) this.frame = requestAnimationFrame(() => this.paintNow());
  }

  private paintNow(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { viewport } = this;
    const ctx = this.canvas?.getContext("2d", { alpha: false });
    if (!ctx || !this.scene || !viewport.width) return;
    const now = performance.now();
    if (viewport.advance(now)) this.changed();
    const moved = this.motion.at(now);
    const { camera, width, height } = viewport;
    paint(ctx, { ...this.look(), camera, width, height, ratio: window.devicePixelRatio || 1, moved });
    if (viewport.gliding || moved < 1) this.draw();
  }

  /** What is painted, apart from where one looks. */
  private look(): Omit<Paint, "camera" | "width" | "height" | "ratio" | "moved"> {
    return {
      scene: this.scene!,
      theme: this.getTheme(),
      colours: this.colouring(),
      selected: this.selectedNode,
      hovered: this.hovered,
      bright: this.bright,
      lit: this.lit,
      focus: this.focused,
      from: this.motion.from,
    };
  }

  /** The whole map as it is open now, as a PNG; null where there is none. */
  picture(): Promise<Blob | null> {
    const { scene } = this;
    if (!scene?.items.length) return Promise.resolve(null);
    const margin = 16;
    const size = { w: scene.w + 2 * margin, h: scene.h + 2 * margin };
    const ratio = Math.min(2, LARGEST / Math.max(size.w, size.h));
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(size.w * ratio);
    canvas.height = Math.ceil(size.h * ratio);
    const camera = { x: margin, y: margin, scale: 1 };
    paint(canvas.getContext("2d", { alpha: false })!, { ...this.look(), camera, width: size.w, height: size.h, ratio, moved: 1, hovered: -1 });
    return new Promise((done) => canvas.toBlob(done));
  }
}
