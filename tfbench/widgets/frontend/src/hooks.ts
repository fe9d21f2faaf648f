import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Model, Topic } from "./model";

/** Renders again when the model says that one of `topics` changed, at most once a frame. */
export function useModel(model: Model, ...topics: Topic[]): void {
  const [, again] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    let frame = 0;
    const soon = (): void => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        again(undefined);
      });
    };
    const stops = topics.map((topic) => model.on(topic, soon));
    return () => {
      for (const stop of stops) stop();
      cancelAnimationFrame(frame);
    };
  }, [model]);
}

/** The width and height of an element, followed. */
export function useSize<T extends HTMLElement>(): [{ current: T | null }, { w: number; h: number }] {
  const ref = useRef<T>(null);
  const [size, setSize] = useState({ w: 0, h: 0 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      setSize((old) =>
        old.w === element.clientWidth && old.h === element.clientHeight
          ? old
          : { w: element.clientWidth, h: element.clientHeight },
      );
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}
