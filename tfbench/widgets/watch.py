"""The live table of `%watch`: an anywidget of its own, small, whose page half is `static/watch.js`.

A message is the whole table, curves included (they are bounded), so a page that comes later, or misses one, needs no
more than the next. They are sent by the session's follower, at most ten times a second.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import anywidget

from tfbench.engine.hooks import unhook, weakly
from tfbench.explain.watch import Watch, WatchRow
from tfbench.widgets.protocol import VERSION, text

_STATIC = Path(__file__).parent / "static"


class WatchPanel(anywidget.AnyWidget):
    """Shows a Watch as it goes on."""

    _esm = _STATIC / "watch.js"
    _css = _STATIC / "inspector.css"

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch
        self._listening = False
        self._listener = weakly(self._tell)
        watch.listeners.append(self._listener)
        self.on_msg(self._received)

    def _received(self, _: Any, content: Any, buffers: Any) -> None:
        if isinstance(content, dict) and content.get("v") == VERSION and content.get("kind") == "hello":
            self._listening = True
            self._tell()

    def _tell(self) -> None:
        if self._listening:
            watch = self.watch
            state = "no longer watched" if watch.stopped else f"live: {watch.tap.runs} runs"
            self.send({"v": VERSION, "rows": [_row(row) for row in watch.known], "state": state})

    def close(self) -> None:
        """Ends the live view; the Watch goes on."""
        unhook((self.watch.listeners, self._listener))
        super().close()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = ({}, {}) if bundle is None else bundle
        data["text/plain"], data["text/html"] = str(self.watch), self.watch.rows._repr_html_()
        return data, metadata


def _row(row: WatchRow) -> dict[str, Any]:
    stats = row.stats
    found = None
    if stats is not None and stats.mean is not None:
        found = {
            "mean": stats.mean,
            "std": stats.std,
            "low": stats.low,
            "high": stats.high,
            "bad": stats.nans + stats.infs,
            "histogram": list(stats.histogram),
        }
    # JSON has no NaN.
    curve = [value if math.isfinite(value) else None for value in row.curve]
    return {"name": text(row.name), "now": text(row.now), "seen": row.seen, "curve": curve, "stats": found}
