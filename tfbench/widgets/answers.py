"""What the page asks the kernel beside the graph itself.

In which order does a fetch run, where does everything run, what do the kernels of a convolution look like, what do they
make of an image? A question is `{kind: "ask", what, fetch}`, with `image` for maps; what is exported is a form, svg or
html. The answer names the question; an error is an answer too, in words. Operations are said by their index in the
snapshot that the page has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.explain.known_variables import variable_buffer
from tfbench.explain.order import Order, order
from tfbench.explain.placement import placement
from tfbench.snapshot import Snapshot
from tfbench.widgets.feature_maps import Fed, feature_maps
from tfbench.widgets.protocol import Packet, Table, text

#: what the page may ask
QUESTIONS = ("order", "placement", "filters", "maps", "export")

#: so many output and input channels of a convolution are sent
OUTPUTS, INPUTS = 96, 16

#: when an op in a loop runs; the page knows the same list
_PARTS = ("", "enter", "test", "body", "exit")


def answer(
    what: str,
    fetch: str,
    graph: Any,
    session: Any,
    snapshot: Snapshot,
    *,
    image: int = 0,
    fed: Fed | None = None,
    live: bool = False,
    export: Callable[[str], str] | None = None,
) -> Packet:
    """The answer to one question about `graph`; never raises: what goes wrong is said in the answer.

    `fed` is the feed that the user gave for feature maps; `live` says that a loop runs; `export` makes files.
    """
    content: dict[str, Any] = {"kind": what, "fetch": text(fetch)}
    try:
        places = {info.name: i for i, info in enumerate(snapshot.ops)}
        if what == "order":
            more, buffers = _order(fetch, graph, session, places)
        elif what == "placement":
            more, buffers = _placement(fetch, graph, session, places)
        elif what == "export":
            if export is None:
                raise ValueError("This panel makes no files.")
            more, buffers = {}, [export(fetch).encode("utf-8", "replace")]
        elif what == "maps":
            more, buffers = feature_maps(fetch, image, session, fed, live)
        else:
            more, buffers = _filters(fetch, graph, session)
    except Exception as error:
        more, buffers = {"error": text(f"{type(error).__name__}: {error}")}, []
    return Packet({**content, **more}, buffers)


def _order(fetch: str, graph: Any, session: Any, places: dict[str, int]) -> tuple[dict[str, Any], list[bytes]]:
    return order_table(order(graph.get_operation_by_name(fetch), session), places)


def order_table(steps: Order, places: dict[str, int]) -> tuple[dict[str, Any], list[bytes]]:
    """An order as the page reads it: header and buffers."""
    devices, loops = Table(), Table()
    cells = [
        (places[step.op], devices[step.device], loops[step.loop], _PARTS.index(step.part))
        for step in steps
        if step.op in places
    ]
    header = {"count": len(cells), "devices": _texts(devices), "loops": _texts(loops)}
    return header, [np.array(cells, np.int32).tobytes()]


def _placement(fetch: str, graph: Any, session: Any, places: dict[str, int]) -> tuple[dict[str, Any], list[bytes]]:
    found = placement(graph.get_operation_by_name(fetch) if fetch else None, None if fetch else graph, session)
    devices, reasons = Table(), Table()
    simulated = set()
    cells = []
    for row in found.ops:
        number = devices[row.assigned]
        if row.simulated:
            simulated.add(number)
        if row.op in places:
            reason = f"{row.reason}: {row.detail}" if row.detail else row.reason
            cells.append((places[row.op], number, reasons[reason]))
    transfers = [
        [text(row.tensor), devices[row.source], devices[row.destination], row.bytes] for row in found.transfers
    ]
    header = {
        "count": len(cells),
        "devices": _texts(devices),
        "simulated": sorted(simulated),
        "reasons": _texts(reasons),
        "transfers": transfers,
    }
    return header, [np.array(cells, np.int32).tobytes()]


def _filters(fetch: str, graph: Any, session: Any) -> tuple[dict[str, Any], list[bytes]]:
    """The kernels of a variable [height, width, inputs, outputs], as tiles [inputs, outputs, height, width]."""
    if session is None:
        raise ValueError("There is no session here: inspect(session) shows values.")
    op = graph.get_operation_by_name(fetch)
    buffer = variable_buffer(session, op)
    value = None if buffer is None else buffer.host()
    if value is None:
        raise ValueError(f"{fetch} is not initialized in this session.")
    if value.ndim != 4 or value.dtype.kind not in "fiu":
        raise ValueError(f"{fetch} has shape {value.shape} and type {value.dtype.name}; kernels have four axes.")
    tiles = np.ascontiguousarray(value[:, :, :INPUTS, :OUTPUTS].transpose(2, 3, 0, 1), np.float32)
    finite = np.isfinite(value)
    header = {
        "shape": list(value.shape),
        "tiles": list(tiles.shape),
        # One scale for all kernels, those too that are not sent.
        "limit": float(np.abs(value[finite]).max()) if finite.any() else 0.0,
        "broken": int(value.size - np.count_nonzero(finite)),
    }
    return header, [tiles.tobytes()]


def _texts(table: Table) -> list[str]:
    return [text(name) for name in table]
