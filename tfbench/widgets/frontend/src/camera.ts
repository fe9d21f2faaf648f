// Where the map looks: pan, zoom, and the way from one place to another. Knows sizes, not graphs.

export interface Camera {
  x: number;
  y: number;
  scale: number;
}

interface Size {
  w: number;
  h: number;
  /** x of the middle of the first rank; null where nothing is linked */
  axis: number | null;
}

const MIN_SCALE = 0.02;
const MAX_SCALE = 3;
/** The first view shows everything unless that is smaller than this; then it keeps text readable instead. */
const SMALL = 0.7;
const READABLE = 0.8;
const MARGIN = 24;
/** height that the legend covers */
const LEGEND = 56;
const GLIDE_MS = 260;

export class Viewport {
  camera: Camera = { x: 0, y: 0, scale: 1 };
  width = 0;
  height = 0;
  /** height that something covers above */
  above = 0;
  /** somebody moved the camera, opened something or chose something: it is theirs now */
  touched = false;
  private glide: { from: Camera; to: Camera; at: number } | null = null;

  get gliding(): boolean {
    return this.glide !== null;
  }

  resize(width: number, height: number): void {
    // Keep the middle in the middle.
    if (this.width) this.camera.x += (width - this.width) / 2;
    this.width = width;
    this.height = height;
  }

  /** From the window to the map. */
  toMap(x: number, y: number): { x: number; y: number } {
    const { camera } = this;
    return { x: (x - camera.x) / camera.scale, y: (y - camera.y) / camera.scale };
  }

  toWindow(x: number, y: number): { x: number; y: number } {
    const { camera } = this;
    return { x: x * camera.scale + camera.x, y: y * camera.scale + camera.y };
  }

  /** Everything in sight. */
  whole(size: Size): Camera {
    const height = this.height - (this.height > 300 ? LEGEND : 0) - this.above;
    const fit = Math.min((this.width - 2 * MARGIN) / size.w, (height - 2 * MARGIN) / size.h, 1.1);
    const scale = Math.max(MIN_SCALE, fit);
    return { scale, x: (this.width - size.w * scale) / 2, y: this.above + (height - size.h * scale) / 2 };
  }

  /** Everything, or where that would be too small to read, the beginning. */
  start(size: Size): Camera {
    const whole = this.whole(size);
    if (whole.scale >= SMALL) return whole;
    const scale = READABLE;
    const fitsAcross = size.w * scale <= this.width - 40;
    // Too wide a picture is entered where its flow begins, or at its corner.
    const middle = size.axis === null ? 52 : this.width / 2 - size.axis * scale;
    return { scale, x: fitsAcross ? (this.width - size.w * scale) / 2 : middle, y: this.above + MARGIN };
  }

  jump(to: Camera): void {
    this.camera = to;
    this.glide = null;
  }

  go(to: Camera): void {
    if (reducedMotion()) this.jump(to);
    else this.glide = { from: { ...this.camera }, to, at: performance.now() };
  }

  stop(): void {
    this.glide = null;
  }

  pan(dx: number, dy: number, from: Camera = this.camera): void {
    this.touched = true;
    this.camera = { ...from, x: from.x + dx, y: from.y + dy };
  }

  /** Zooms with the point (x, y) of the window held. */
  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const { camera } = this;
    const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, camera.scale * factor));
    const k = scale / camera.scale;
    this.touched = true;
    this.jump({ scale, x: x - (x - camera.x) * k, y: y - (y - camera.y) * k });
  }

  /** Brings a place of the map into the middle, if it is not well in sight already. */
  centre(place: { x: number; y: number }): void {
    const { x, y } = this.toWindow(place.x, place.y);
    const inside = x > 40 && x < this.width - 40 && y > 40 && y < this.height - 40;
    this.touched = true;
    if (inside && this.camera.scale >= 0.4) return;
    const scale = Math.max(this.camera.scale, READABLE);
    this.go({ scale, x: this.width / 2 - place.x * scale, y: this.height / 2 - place.y * scale });
  }

  /** Moves on along the way; true when it has just arrived. */
  advance(now: number): boolean {
    if (!this.glide) return false;
    const { from, to, at } = this.glide;
    const t = Math.min(1, (now - at) / GLIDE_MS);
    const k = ease(t);
    this.camera = {
      x: from.x + (to.x - from.x) * k,
      y: from.y + (to.y - from.y) * k,
      scale: from.scale + (to.scale - from.scale) * k,
    };
    if (t === 1) this.glide = null;
    return t === 1;
  }
}

export function ease(t: number): number {
  return t >= 1 ? 1 : 1 - (1 - t) ** 3;
}

export function reducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
