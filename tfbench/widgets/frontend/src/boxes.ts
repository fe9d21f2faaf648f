// What the layout is asked and what it answers: plain data that goes to the worker and back.

/** Height of an open scope's title line, and the space around its contents. */
export const HEADER = 30;
export const PAD = 14;

export interface Box {
  id: string;
  w: number;
  h: number;
  /** an open scope: its size comes from its own layout */
  open?: Problem;
}

export interface Link {
  from: string;
  to: string;
  weight: number;
}

export interface Problem {
  /** laid out by their links */
  boxes: Box[];
  links: Link[];
  /** the same, by key of what is beyond the border */
  inputs: { port: string; to: string }[];
  outputs: { port: string; from: string }[];
  /** boxes without links: packed above (variables) and below (the rest) */
  above: Box[];
  below: Box[];
}

export interface Point {
  x: number;
  y: number;
}

export interface Placed {
  id: string;
  /** top left, relative to the container's content */
  x: number;
  y: number;
  w: number;
  h: number;
  open?: Result;
}

export interface Result {
  w: number;
  h: number;
  /** x of the middle of the first rank; null where nothing is linked */
  axis: number | null;
  boxes: Placed[];
  /** same order as the problem's links, inputs and outputs */
  links: Point[][];
  inputs: Point[][];
  outputs: Point[][];
  /** x of each port, relative to the container's outer left edge */
  ports: Record<string, number>;
}
