// The Devices view: where each operation runs and why, and what is copied between devices.

import { useEffect, useState } from "preact/hooks";
import type { PlacementAnswer } from "./answers";
import { useModel } from "./hooks";
import type { Model } from "./model";
import { Rows } from "./rows";
import { bytesText, count, matcher, said, shorten } from "./text";
import { registerView, type ViewProps } from "./views";

function DevicesPane({ model }: ViewProps) {
  useModel(model, "graph", "selection", "query", "answer");
  const [device, setDevice] = useState<number | null>(null);
  useEffect(() => {
    if (model.ops.length) model.ask("placement", "");
  }, [model.graph.version]);

  const answer = model.placement;
  if (!model.ops.length) {
    return (
      <div class="tfb-empty">
        <strong>No operations yet</strong>
      </div>
    );
  }
  if (!answer) {
    return (
      <div class="tfb-empty">
        <span>asking the kernel …</span>
      </div>
    );
  }
  if (answer.error) {
    return (
      <div class="tfb-empty" role="alert" data-testid="tfb-devices-error">
        <strong>The graph cannot be placed</strong>
        <span>{said(answer.error)}</span>
      </div>
    );
  }
  return (
    <div class="tfb-devices">
      <Lanes answer={answer} chosen={device} choose={setDevice} />
      <Placement model={model} answer={answer} device={device} />
      <Transfers model={model} answer={answer} />
    </div>
  );
}

/** One bar a device, as long as its share of the operations. */
function Lanes({ answer, chosen, choose }: { answer: PlacementAnswer; chosen: number | null; choose: (device: number | null) => void }) {
  const totals = answer.devices.map(() => 0);
  for (const placed of answer.ops) totals[placed.device]!++;
  const most = Math.max(1, ...totals);
  return (
    <ul class="tfb-lanes" aria-label="Devices">
      {answer.devices.map((name, i) => (
        <li key={name}>
          <button
            type="button"
            aria-pressed={chosen === i}
            class={chosen === i ? "tfb-on" : ""}
            onClick={() => choose(chosen === i ? null : i)}
            data-testid={`tfb-device-${i}`}
          >
            <span>{shorten(name, 40)}</span>
            {answer.simulated[i] && <em>simulated</em>}
            <i aria-hidden="true" style={{ width: `${Math.max(2, (100 * totals[i]!) / most)}px` }} />
            <span class="tfb-faint">{count(totals[i]!, "op")}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Placement({ model, answer, device }: { model: Model; answer: PlacementAnswer; device: number | null }) {
  const fits = matcher(model.query);
  const rows = answer.ops.filter(({ op, device: own }) => {
    if (device !== null && own !== device) return false;
    const info = model.ops[op];
    return info !== undefined && (!model.query.trim() || fits(info.name, info.type, info.device));
  });
  const chosen = model.find(model.selected);
  return (
    <Rows
      label="Placement"
      count={rows.length}
      current={rows.findIndex((row) => row.op === chosen)}
      choose={(row) => model.select(model.ops[rows[row]!.op]!.name)}
      template="minmax(160px, 1.6fr) 112px 112px minmax(110px, 0.6fr)"
      testid="tfb-placement"
      titles={["Operation", "Asked for", "Runs on", "Why"]}
      cells={(row) => {
        const { op, device: own, reason } = rows[row]!;
        const info = model.ops[op]!;
        return [
          { is: shorten(info.name, 60), look: "tfb-op-name", tip: info.name },
          { is: shorten(info.device, 20) || "–", look: "tfb-faint", tip: info.device },
          { is: shorten(answer.devices[own]!, 20) },
          { is: shorten(reason, 48), look: "tfb-faint", tip: reason },
        ];
      }}
    />
  );
}

function Transfers({ model, answer }: { model: Model; answer: PlacementAnswer }) {
  if (!answer.transfers.length) {
    return answer.devices.length > 1 ? <p class="tfb-none">Nothing is copied between devices.</p> : null;
  }
  const known = answer.transfers.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  const unknown = answer.transfers.filter(({ bytes }) => bytes === null).length;
  return (
    <details class="tfb-transfers" open data-testid="tfb-transfers">
      <summary>
        {count(answer.transfers.length, "transfer")} a run, {unknown ? "≥ " : ""}
        {bytesText(known)}
      </summary>
      <ul>
        {answer.transfers.slice(0, 200).map(({ tensor, source, destination, bytes }) => (
          <li key={`${tensor}>${destination}`}>
            <button type="button" class="tfb-link" onClick={() => model.select(tensor.replace(/^\^/, "").replace(/:\d+$/, ""))}>
              {shorten(tensor, 48)}
            </button>
            <span>
              {shorten(answer.devices[source]!, 20)} → {shorten(answer.devices[destination]!, 20)}
            </span>
            <span class="tfb-faint">{bytes === null ? "size known when it runs" : bytesText(bytes)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

registerView({ id: "devices", title: "Devices", order: 30, component: DevicesPane });
