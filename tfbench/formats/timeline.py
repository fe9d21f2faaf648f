"""`timeline.Timeline`: step statistics as a Chrome trace, as TensorFlow 1 programs write it."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["Timeline"]

_LABEL = re.compile(r"(?P<name>\S+) = (?P<op>\w+)\((?P<inputs>.*)\)$")


class Timeline:
    """`Timeline(run_metadata.step_stats).generate_chrome_trace_format()` is the text of a Chrome-trace file."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._step_stats = step_stats

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """The trace as JSON: a process for each device, a lane for what overlaps, arrows from makers to takers."""
        events: list[dict[str, Any]] = []
        made: dict[str, tuple[int, int, int]] = {}
        flows = 0
        for process, stats in enumerate(self._step_stats.dev_stats):
            events.append(
                {"name": "process_name", "ph": "M", "pid": process, "args": {"name": f"{stats.device} Compute"}}
            )
        for process, stats in enumerate(self._step_stats.dev_stats):
            lanes: list[int] = []
            for node in sorted(stats.node_stats, key=lambda node: node.all_start_micros):
                start, duration = node.all_start_micros, node.op_end_rel_micros - node.op_start_rel_micros
                lane = next((i for i, end in enumerate(lanes) if end <= start), len(lanes))
                lanes[lane : lane + 1] = [start + node.all_end_rel_micros]
                name, op, inputs = _parsed(node)
                arguments = {"name": name, "op": op, **{f"input{i}": text for i, text in enumerate(inputs)}}
                events.append(
                    {
                        "ph": "X", "cat": "Op", "name": op, "pid": process, "tid": lane, "ts": start, "dur": duration,
                        "args": arguments,
                    }
                )  # fmt: skip
                made[name] = (process, lane, start + duration)
                for text in inputs if show_dataflow else ():
                    maker = made.get(text.lstrip("^").partition(":")[0])
                    if maker is None:
                        continue
                    events.append(_flow("s", text, maker[0], maker[1], maker[2], flows))
                    events.append(_flow("t", text, process, lane, start, flows))
                    flows += 1
        return json.dumps({"traceEvents": events}, indent=4)


def _parsed(node: Any) -> tuple[str, str, list[str]]:
    found = _LABEL.match(node.timeline_label)
    if found is None:
        return node.node_name, node.node_name, []
    return found["name"], found["op"], [text for text in found["inputs"].split(", ") if text]


def _flow(phase: str, name: str, process: int, lane: int, when: int, number: int) -> dict[str, Any]:
    return {
        "ph": phase, "cat": "DataFlow", "name": name, "pid": process, "tid": lane, "ts": when, "id": number,
    }  # fmt: skip
