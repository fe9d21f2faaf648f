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

/** The width and height of an element, followed; it may come later than the component. */
export function useSize<T extends HTMLElement>(): [{ current: T | null }, { w: number; h: number }] {
  const ref = useRef<T>(null);
  const [size, setSize] = useState({ w: 0, h: 0 });
  const watched = useRef<{ element: T | null; observer: ResizeObserver | null }>({ element: null, observer: null });
  useEffect(() => {
    const element = ref.current;
    if (element === watched.current.element) return;
    watched.current.observer?.disconnect();
    const observer = new ResizeObserver(() => {
      if (!element) return;
      const { clientWidth: w, clientHeight: h } = element;
      setSize((old) => (old.w === w && old.h === h ? old : { w, h }));
    });
    if (element) observer.observe(element);
    watched.current = { element, observer };
  });
  useEffect(() => () => watched.current.observer?.disconnect(), []);
  return [ref, size];
}
