"""The page's half of the protocol, in Python: what `frontend/src/protocol.ts` and `model.ts` do with messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.widgets.protocol import VERSION


class Page:
    """Applies messages as the page does, and holds what it would show. `send` is what a Publisher is given."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.ops: list[dict[str, Any] | None] = []
        self.variables: list[dict[str, Any]] = []
        self.graph: dict[str, Any] = {}
        self.stats: dict[int, dict[str, Any]] = {}
        self.history: dict[int, list[float]] = {}
        self.state = "waiting"
        #: where the run that is held or stepped through is, and what has run of it
        self.control: dict[str, Any] = {}
        self.done: list[str] = []
        self.said: tuple[str, list[str]] = ("", [])
        self.text = ""
        self.last = 0
        #: "order" and "placement" -> the message and its table
        self.answers: dict[str, tuple[dict[str, Any], Any]] = {}

    def send(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        assert content["v"] == VERSION
        assert content["seq"] == self.last + 1, "a message is missing"
        self.last = content["seq"]
        self.messages.append(content)
        getattr(self, f"on_{content['kind']}")(content, buffers)

    @property
    def kinds(self) -> list[str]:
        return [message["kind"] for message in self.messages]

    def on_snapshot(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.ops = []
        self.stats = {}
        self.on_delta(content, buffers)

    def on_delta(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        for index, op in read_rows(content["rows"], buffers):
            while len(self.ops) <= index:
                self.ops.append(None)
            self.ops[index] = op
        del self.ops[content["total"] :]
        assert None not in self.ops
        self.variables = content.get("variables", self.variables)
        self.graph = content["graph"]

    def on_order(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.answers[content["kind"]] = (content, np.frombuffer(buffers[0], np.int32) if buffers else None)

    on_placement = on_order

    def on_filters(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        tiles = np.frombuffer(buffers[0], np.float32).reshape(content["tiles"]) if buffers else None
        self.answers["filters"] = (content, tiles)

    def on_maps(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        tiles = np.frombuffer(buffers[0], np.uint8).reshape(content["tiles"]) if buffers else None
        self.answers["maps"] = (content, tiles)

    def on_anybody(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        pass

    def on_fed(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.answers.pop("maps", None)

    def on_stats(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        count, bins = content["count"], content["bins"]
        at = np.frombuffer(buffers[0], np.int32)
        numbers = np.frombuffer(buffers[1], np.float64).reshape(count, 6)
        flags = np.frombuffer(buffers[2], np.uint8)
        bars = np.frombuffer(buffers[3], np.uint32).reshape(count, bins)
        if content["history"]:
            past = np.frombuffer(buffers[4], np.float64).reshape(count, content["history"])
            for row, index in enumerate(at.tolist()):
                self.history[index] = [value for value in past[row].tolist() if value == value]
        for row, index in enumerate(at.tolist()):
            mean, std, low, high, nans, infs = numbers[row].tolist()
            self.stats[index] = {
                "initialized": bool(flags[row] & 1),
                "sampled": bool(flags[row] & 2),
                "has": bool(flags[row] & 4),
                "mean": mean,
                "std": std,
                "low": low,
                "high": high,
                "nans": nans,
                "infs": infs,
                "histogram": bars[row].tolist(),
            }
            if flags[row] & 4 and mean == mean:
                self.history.setdefault(index, []).append(mean)

    def on_control(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.control = content
        self.done = [self.ops[index]["name"] for index in np.frombuffer(buffers[0], np.int32)]

    def on_value(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.said = (content["op"], content["said"])

    def on_status(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.state, self.text = content["state"], content["text"]

    def value(self, name: str) -> dict[str, Any]:
        """What is shown of a variable's value."""
        index = [variable["name"] for variable in self.variables].index(name)
        return self.stats[index]


def read_rows(header: dict[str, Any], buffers: list[bytes]) -> list[tuple[int, dict[str, Any]]]:
    """The operations of a snapshot or delta."""
    columns = np.frombuffer(buffers[0], np.int32).reshape(header["count"], 11).tolist()
    edges = np.frombuffer(buffers[1], np.int32).tolist()
    rows = []
    at = 0
    for name, (index, type_, device, attrs, outputs, *places, inputs, control) in zip(
        header["names"], columns, strict=True
    ):
        data = edges[at : at + 2 * inputs]
        waits = edges[at + 2 * inputs : at + 2 * inputs + control]
        at += 2 * inputs + control
        rows.append(
            (
                index,
                {
                    "name": name,
                    "type": header["types"][type_],
                    "device": header["devices"][device],
                    "attrs": header["attrs"][attrs],
                    "outputs": header["outputs"][outputs],
                    "source": read_place(header, *places),
                    "inputs": list(zip(data[::2], data[1::2], strict=True)),
                    "control": waits,
                },
            )
        )
    assert at == len(edges)
    return rows


def read_place(header: dict[str, Any], source: int, line: int, caller: int = -1, caller_line: int = -1) -> Any:
    """A line of the user's code, with the one that called it."""
    if source < 0:
        return None
    outer = read_place(header, caller, caller_line)
    return (*header["sources"][source], None if line < 0 else line, outer)
