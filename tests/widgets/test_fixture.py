"""The messages that the page's own tests read are what the kernel writes now.

`python -m tests.widgets.test_fixture` writes them anew after a change of the protocol.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.widgets.fake_graph import FakeGraph, FakeSession
from tfbench.snapshot import take
from tfbench.value_stats import value_stats
from tfbench.widgets.protocol import graph_packet, stats_packet, status_packet

FILE = Path(__file__).parents[2] / "tfbench/widgets/frontend/tests/fixtures/messages.json"


def messages() -> list[dict[str, Any]]:
    graph = FakeGraph()
    graph.cell = "3"
    session = FakeSession(graph)
    x = graph.op("Placeholder", "x", (), [("float32", (None, 4))]).outputs[0]
    w = graph.variable("net/w", (4, 2))
    y = graph.op("MatMul", "net/y", [x, w.read], [("float32", (None, 2))])
    graph.op("Identity", "net/w/again", [w.read], [("float32", None)])
    first = take(graph, session, name="tiny <b>")
    graph.op("NoOp", "late", (), (), control=[y], device="/device:CPU:0")
    second = take(graph, session, name="tiny <b>")
    session.assign("net/w", [1.0, 2.0, 3.0, 4.0, 2.5, 2.5, 2.5, np.nan])
    values = {0: value_stats(session.buffers["net/w"].array)}
    packets = [
        graph_packet(first, None, session=True),
        graph_packet(second, first, session=True),
        stats_packet(values, 12, {0: [0.5, 1.5]}),
        status_packet("live", 12, "cell 3 ran"),
    ]
    return [
        {
            "content": {"v": 1, "seq": i + 1, **packet.content},
            "buffers": [base64.b64encode(buffer).decode() for buffer in packet.buffers],
        }
        for i, packet in enumerate(packets)
        if packet is not None
    ]


def test_the_pages_tests_read_what_the_kernel_writes() -> None:
    assert json.loads(FILE.read_text()) == messages()


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(messages(), indent=1) + "\n")
