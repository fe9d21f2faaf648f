// A module of its own, for `%watch`: a small live table of tensors. The kernel sends whole curves, so the page keeps no
// history and misses nothing. `widgets/watch.py` is the other half.

import { render } from "preact";
import { Histogram, Sparkline } from "./marks";
import { numberText, shorten, visible } from "./text";
import { readTheme, watchTheme } from "./theme";

interface Row {
  name: string;
  now: string;
  seen: number;
  /** null: not a number */
  curve: (number | null)[];
  /** null: no statistics */
  stats: { mean: number; std: number; low: number; high: number; bad: number; histogram: number[] } | null;
}

interface State {
  rows: Row[];
  /** "live", or why it is over */
  state: string;
}

interface Host {
  on(event: string, callback: (...args: never[]) => void): void;
  off(event: string, callback: (...args: never[]) => void): void;
  send(content: unknown): void;
}

function Table({ rows, state }: State) {
  return (
    <div class="tfb-watch" data-testid="tfb-watch">
      <table>
        <thead>
          <tr>
            {["Tensor", "Now", "Mean", "Spread", "Min … max", "NaN", "Curve", "Histogram"].map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} data-name={row.name}>
              <th scope="row" title={visible(row.name.slice(0, 400))}>
                {shorten(row.name, 40)}
              </th>
              <td title={`${row.seen} values seen`}>{shorten(row.now.replace(/: mean.*/, ""), 44)}</td>
              <td>{row.stats ? numberText(row.stats.mean) : ""}</td>
              <td>{row.stats ? numberText(row.stats.std) : ""}</td>
              <td>{row.stats ? `${numberText(row.stats.low)} … ${numberText(row.stats.high)}` : ""}</td>
              <td class={row.stats?.bad ? "tfb-bad" : "tfb-faint"}>{row.stats ? row.stats.bad : ""}</td>
              <td>
                <Sparkline values={row.curve.filter((v) => v !== null)} width={150} height={24} />
              </td>
              <td>{row.stats && <Histogram counts={row.stats.histogram} low={row.stats.low} high={row.stats.high} height={24} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="tfb-faint" role="status">
        {state}
      </div>
    </div>
  );
}

export default function watch() {
  let last: State = { rows: [], state: "waiting for the kernel" };
  const views = new Set<() => void>();
  return {
    initialize({ model: host }: { model: Host }) {
      const receive = (message: State & { v: number }): void => {
        if (message.v !== 1) return;
        last = message;
        for (const view of views) view();
      };
      host.on("msg:custom", receive as never);
      host.send({ v: 1, kind: "hello" });
      return () => host.off("msg:custom", receive as never);
    },
    render({ el }: { el: HTMLElement }) {
      const root = document.createElement("div");
      root.className = "tfb";
      el.appendChild(root);
      const dress = (): void => void root.classList.toggle("tfb-dark", readTheme(root).dark);
      dress();
      const stop = watchTheme(dress);
      const view = (): void => render(<Table {...last} />, root);
      views.add(view);
      view();
      return () => {
        stop();
        views.delete(view);
        render(null, root);
      };
    },
  };
}
