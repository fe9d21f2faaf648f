"""A run's record in the Chrome trace format: a process for each device, an event for each step, arrows between them."""

from __future__ import annotations

from typing import Any

from tfbench.engine.trace import Executed, Recorder


def chrome_trace(recorder: Recorder) -> dict[str, Any]:
    """What a Chrome-trace file holds, as plain data. Times are microseconds since the run began."""
    events: list[dict[str, Any]] = []
    for number, device in enumerate(recorder.devices):
        mark = " (simulated)" if device.simulated else ""
        events.append(_named("process_name", number, f"{device.name}{mark}"))
    for entry in recorder.executed:
        if entry.transfer is None:
            events.append(_event(entry.op.name, entry.op.type, "Op", entry.device, entry, _inputs(entry)))
            continue
        transfer = entry.transfer
        sizes = {"tensor": transfer.name, "bytes": entry.bytes}
        name = f"{transfer.op.name}/_{2 * transfer.number}"
        events.append(_event(name, "_Send", "Transfer", transfer.source, entry, sizes))
        for phase, device, when in (("s", transfer.source, entry.start), ("t", transfer.destination, entry.end)):
            events.append(
                {
                    "ph": phase, "cat": "DataFlow", "name": transfer.name, "pid": device, "tid": 0, "ts": when / 1000,
                    "id": transfer.number,
                }
            )  # fmt: skip
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def _named(kind: str, process: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": process, "args": {"name": name}}


def _event(name: str, kind: str, category: str, process: int, entry: Executed, more: dict[str, Any]) -> dict[str, Any]:
    return {
        "ph": "X", "cat": category, "name": kind, "pid": process, "tid": 0, "ts": entry.start / 1000,
        "dur": (entry.end - entry.start) / 1000, "args": {"name": name, "op": kind, **more},
    }  # fmt: skip


def _inputs(entry: Executed) -> dict[str, Any]:
    found: dict[str, Any] = {f"input{i}": tensor.name for i, tensor in enumerate(entry.op._inputs)}
    if entry.iterations:
        found["iteration"] = list(entry.iterations)
    return found
