"""The oracle for races: runs a small graph in every order that its edges allow, with the engine's own kernels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

import tfbench as tf
from tfbench import errors
from tfbench.engine.assemble import assemble
from tfbench.engine.fetches import FetchList
from tfbench.engine.graph import Operation
from tfbench.engine.hooks import StepObserver
from tfbench.engine.interpret import Interpreter
from tfbench.engine.plan import fetched
from tfbench.engine.prune import dependencies, needed_operations
from tfbench.engine.resources import VariableBuffer

FAILS = "fails"


class TooMany(Exception):
    """There are more orders than are worth running."""


def legal_orders(needed: set[Operation], most: int, fed: Collection[Any] = ()) -> Iterator[list[Operation]]:
    """Every order in which each op comes after what it takes and waits for; ops without either come first.

    Raises:
      TooMany: after `most` of them.
    """
    ops = sorted(needed, key=lambda op: op._id)
    before = {op: set(dependencies(op, set(fed))) for op in ops}
    sources = [op for op in ops if not before[op]]
    rest = [op for op in ops if before[op]]
    order: list[Operation] = []
    done = set(sources)
    given = 0

    def extend() -> Iterator[list[Operation]]:
        nonlocal given
        if len(order) == len(rest):
            given += 1
            if given > most:
                raise TooMany
            yield [*sources, *order]
        for op in rest:
            if op not in done and before[op] <= done:
                order.append(op)
                done.add(op)
                yield from extend()
                order.pop()
                done.remove(op)

    yield from extend()


def outcomes(fetches: Any, start: dict[str, Any], most: int = 3000, feeds: dict[Any, Any] | None = None) -> list[Any]:
    """The different outcomes that the legal orders have: fetched values and variables afterwards, or `FAILS`.

    Args:
      start: values of variables before the run; those that are not in it have none.
      feeds: values that are fed.

    Raises:
      TooMany: if there are more than `most` legal orders.
    """
    graph = tf.get_default_graph()
    nest = FetchList(graph, fetches)
    feeds = feeds or {}
    needed = needed_operations(nest.tensors, nest.operations, set(feeds))
    session = tf.Session(graph=graph)
    found: list[Any] = []
    for order in legal_orders(needed, most, set(feeds)):
        outcome = _run(session, nest, order, start, feeds)
        if not any(_same(outcome, other) for other in found):
            found.append(outcome)
    return found


def _run(
    session: Any, nest: FetchList, order: Sequence[Operation], start: dict[str, Any], feeds: dict[Any, Any]
) -> Any:
    session.resources.clear()
    placement = session.look_at_placement(nest.tensors, nest.operations, list(feeds))
    program = assemble(order, nest.tensors, list(feeds), placement, session.device_set, session.resources)
    for name, value in start.items():
        buffer = session.resources.find("", name)
        if buffer is not None:
            buffer.array = np.array(value)
    values = program.begin()
    for tensor, value in feeds.items():
        values[program.slots[tensor]] = np.asarray(value)
    try:
        Interpreter(program, values, StepObserver()).run(program.steps)
        results = [fetched(values[program.slots[tensor]], False) for tensor in nest.tensors]
    except errors.OpError:
        return FAILS
    left = {key[1]: item.array for key, item in session.resources.items() if isinstance(item, VariableBuffer)}
    return results, left


def _same(one: Any, other: Any) -> bool:
    if one is FAILS or other is FAILS:
        return one is other
    return _equal(one[0], other[0]) and _equal(
        [one[1][k] for k in sorted(one[1])], [other[1][k] for k in sorted(one[1])]
    )


def _equal(ones: Sequence[Any], others: Sequence[Any]) -> bool:
    """Numbers up to rounding: additions commute but for that."""
    return all(
        (one is None) == (other is None)
        and (one is None or (np.shape(one) == np.shape(other) and np.allclose(one, other, rtol=1e-9, atol=1e-12)))
        for one, other in zip(ones, others, strict=True)
    )
