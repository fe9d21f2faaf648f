"""The notebook's graphs: cells, replay, the current graph and its session.

The package can be called: `tfbench.bench()` is the bench of this program, made at the first call.
"""

from __future__ import annotations

import sys
from types import ModuleType

from tfbench.bench.bench import Bench
from tfbench.bench.cells import Cell
from tfbench.bench.default_graph import provide_session
from tfbench.bench.result import CellResult
from tfbench.engine import devices

_the_bench: list[Bench] = []


def the_bench() -> Bench:
    """The bench of this program. Its current graph is the default graph, and its session the default session."""
    if not _the_bench:
        _the_bench.append(Bench())
        provide_session(_the_bench[0].default_session)
        if _adopt_devices not in devices.switched:
            devices.switched.append(_adopt_devices)
    return _the_bench[0]


def _adopt_devices() -> None:
    for bench in _the_bench:
        bench.adopt_devices()


class _Callable(ModuleType):
    """A module that is also a function: `tfbench.bench` is this package, `tfbench.bench()` the bench."""

    def __call__(self) -> Bench:
        return the_bench()


sys.modules[__name__].__class__ = _Callable
