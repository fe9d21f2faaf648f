"""Rows added to, or taken from, the rows of an array that indices name, one after another as they come."""

from __future__ import annotations

from typing import Any

from tfbench.engine.compiled.sources import Loops

Array = Any


def add_rows(kind: str, index: str, subtract: bool) -> Loops:
    """`rows[places[i]] += values[i]`, or `-=`.

    Places have been checked; one that is out of range all the same (another thread has written to them since) is passed
    over: nothing is ever written elsewhere.
    """

    def loops(rows: Array, places: Array, values: Array) -> None:
        for i in range(places.shape[0]):
            place = places[i]
            if place < 0 or place >= rows.shape[0]:
                continue
            for k in range(rows.shape[1]):
                if subtract:
                    rows[place, k] -= values[i, k]
                else:
                    rows[place, k] += values[i, k]

    return Loops(loops, [f"{kind}[2]", f"{index}[1]", f"{kind}[2]"])
