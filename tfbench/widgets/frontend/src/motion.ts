// Boxes on their way from an old scene to a new one.

import { ease, reducedMotion } from "./camera";
import type { Item } from "./scene";

const MOVE_MS = 200;

export interface Spot {
  x: number;
  y: number;
  w: number;
  h: number;
}

export class Motion {
  /** where the boxes of both scenes were, by node of the new tree */
  from = new Map<number, Spot>();
  private since = 0;

  /** Starts the way of `after`'s boxes from where `before` had them, shifted by what the camera moved. */
  start(before: Map<string, Item>, after: Map<string, Item>, dx: number, dy: number): void {
    this.from = new Map();
    if (reducedMotion()) return;
    for (const [id, item] of after) {
      const old = before.get(id);
      if (old) this.from.set(item.card.node, { x: old.x - dx, y: old.y - dy, w: old.w, h: old.h });
    }
    this.since = performance.now();
  }

  stop(): void {
    this.from = new Map();
    this.since = 0;
  }

  /** How far along they are, 0 to 1. */
  at(now: number): number {
    const moved = this.since ? Math.min(1, (now - this.since) / MOVE_MS) : 1;
    if (moved === 1) this.since = 0;
    return ease(moved);
  }
}
