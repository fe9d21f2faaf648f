// A long list of which only the rows in sight exist in the page. Arrow keys move the choice.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSize } from "./hooks";
import { visible } from "./text";

export const ROW = 26;

export interface Cell {
  /** what it shows */
  is: ComponentChildren;
  look?: string;
  tip?: string;
}

interface RowsProps {
  label: string;
  count: number;
  /** the chosen row, or -1 */
  current: number;
  choose: (row: number) => void;
  titles: string[];
  cells: (row: number) => Cell[];
  template: string;
  testid: string;
}

export function Rows({ label, count, current, choose, titles, cells, template, testid }: RowsProps) {
  const [scroller, size] = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);

  useEffect(() => {
    const element = scroller.current;
    if (!element || current < 0) return;
    const y = current * ROW;
    const inner = element.clientHeight - ROW;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW > element.scrollTop + inner) element.scrollTop = y + ROW - inner;
  }, [current]);

  const key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(size.h / ROW) - 2);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count };
    const step = steps[event.key];
    if (step === undefined || !count) return;
    choose(Math.max(0, Math.min(count - 1, current + step)));
    event.preventDefault();
    event.stopPropagation();
  };

  const first = Math.max(0, Math.floor(top / ROW) - 4);
  const shown = Array.from({ length: Math.max(0, Math.min(count - first, Math.ceil(size.h / ROW) + 8)) }, (_, i) => first + i);
  const id = (row: number): string => `${testid}-${row}`;
  return (
    <div class="tfb-table" ref={scroller} onScroll={(e) => setTop(e.currentTarget.scrollTop)} data-testid={testid}>
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        tabIndex={0}
        aria-activedescendant={current < 0 ? undefined : id(current)}
        onKeyDown={key}
      >
        <div role="row" class="tfb-head" style={{ gridTemplateColumns: template }}>
          {titles.map((title) => (
            <span role="columnheader" key={title}>
              {title}
            </span>
          ))}
        </div>
        <div class="tfb-rows" style={{ height: `${count * ROW}px` }}>
          {shown.map((row) => (
            <div
              // A row that scrolls out lends its elements to one that scrolls in.
              key={row % shown.length}
              id={id(row)}
              role="row"
              aria-rowindex={row + 2}
              aria-selected={row === current}
              class={`tfb-row${row === current ? " tfb-selected" : ""}`}
              style={{ top: `${row * ROW}px`, height: `${ROW}px`, gridTemplateColumns: template }}
              onClick={() => choose(row)}
              data-row={row}
            >
              {cells(row).map(({ is, look, tip }, i) => (
                <span role="gridcell" key={i} class={look} title={tip && visible(tip.slice(0, 400))}>
                  {is}
                </span>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
