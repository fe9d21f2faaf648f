// Pointer, wheel and keys on the map.

import type { Camera } from "./camera";
import type { MapView } from "./mapview";
import { hit, type Hit, type Item } from "./scene";

const PAN = 60;
const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export class Hands {
  private drag: { x: number; y: number; moved: boolean; camera: Camera } | null = null;
  private readonly stops: (() => void)[] = [];

  constructor(
    private readonly map: MapView,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.on("pointerdown", (e) => this.down(e));
    this.on("pointermove", (e) => this.move(e));
    this.on("pointerup", (e) => this.up(e));
    this.on("pointercancel", () => (this.drag = null));
    this.on("pointerleave", () => map.hover(null, 0, 0));
    this.on("dblclick", (e) => this.double(e));
    this.on("wheel", (e) => this.wheel(e), { passive: false });
    this.on("keydown", (e) => this.key(e));
    this.on("focus", () => map.draw());
    this.on("blur", () => map.draw());
  }

  release(): void {
    for (const stop of this.stops) stop();
  }

  private on<K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options?: AddEventListenerOptions,
  ): void {
    this.canvas.addEventListener(type, listener, options);
    this.stops.push(() => this.canvas.removeEventListener(type, listener, options));
  }

  private at(event: MouseEvent): { x: number; y: number; hit: Hit | null } {
    const rect = this.canvas.getBoundingClientRect();
    const x = event.clientX - rect.left;
    const y = event.clientY - rect.top;
    const place = this.map.viewport.toMap(x, y);
    return { x, y, hit: this.map.scene && hit(this.map.scene, place.x, place.y) };
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 && event.button !== 1) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.map.viewport.stop();
    this.drag = { x: event.clientX, y: event.clientY, moved: false, camera: { ...this.map.viewport.camera } };
  }

  private move(event: PointerEvent): void {
    const { drag, map } = this;
    if (!drag) {
      const found = this.at(event);
      this.canvas.style.cursor = found.hit ? "pointer" : "grab";
      map.hover(found.hit, found.x, found.y);
      return;
    }
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    drag.moved = true;
    this.canvas.style.cursor = "grabbing";
    map.viewport.pan(dx, dy, drag.camera);
    map.hover(null, 0, 0);
    map.draw();
  }

  private up(event: PointerEvent): void {
    const { drag, map } = this;
    this.drag = null;
    if (!drag || drag.moved) return;
    const { hit: found } = this.at(event);
    if (!found) map.select(-1);
    else if (found.toggle && (found.item.open || map.expandable(found.item.card.node))) map.toggle(found.item.card.node);
    else map.select(found.row ? found.row.node : found.item.card.node);
  }

  private double(event: MouseEvent): void {
    const { hit: found } = this.at(event);
    if (found && !found.row && !found.toggle) toggle(this.map, found.item.card.node);
  }

  private wheel(event: WheelEvent): void {
    // In a notebook the wheel scrolls the page; the map takes it once it has been clicked, and pinches always.
    if (!event.ctrlKey && !event.metaKey && !this.map.focused) return;
    event.preventDefault();
    const { x, y } = this.at(event);
    const step = Math.max(-120, Math.min(120, event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY));
    this.map.zoom(Math.exp(-step * (event.ctrlKey ? 0.01 : 0.0022)), x, y);
  }

  private key(event: KeyboardEvent): void {
    const { map } = this;
    if (event.ctrlKey || event.metaKey || event.altKey || !map.scene) return;
    const { key } = event;
    const arrow = ARROWS[key];
    if (arrow && event.shiftKey) {
      map.viewport.pan(-arrow[0] * PAN, -arrow[1] * PAN);
      map.draw();
    } else if (arrow) this.step(arrow);
    else if (key === "+" || key === "=") map.zoom(1.25);
    else if (key === "-") map.zoom(0.8);
    else if (key === "0") map.fit();
    else if (key === "Enter" || key === " ") toggle(map, map.selectedNode);
    else if (key === "Escape") map.select(-1);
    else if (!map.show(key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** To the nearest box in a direction; to the first one where nothing is selected. */
  private step([dx, dy]: [number, number]): void {
    const { map } = this;
    const items = map.scene!.items;
    const now = map.scene!.byNode.get(map.selectedNode);
    let best: Item | null = now ? null : (items[0] ?? null);
    let least = Infinity;
    for (const item of now ? items : []) {
      if (item === now) continue;
      const x = item.x + item.w / 2 - now!.x - now!.w / 2;
      const y = item.y + Math.min(20, item.h / 2) - now!.y - Math.min(20, now!.h / 2);
      const along = x * dx + y * dy;
      const across = Math.abs(x * dy) + Math.abs(y * dx);
      if (along < 6 || across > along * 2.5) continue;
      const far = along + across * 1.5;
      if (far < least) [least, best] = [far, item];
    }
    if (best) map.visit(best);
  }
}

/** Opens or closes what can be. */
function toggle(map: MapView, node: number): void {
  if (node > 0 && (map.scene?.byNode.get(node)?.open || map.expandable(node))) map.toggle(node);
}
