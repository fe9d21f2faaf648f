"""Variables made by the function of a `map_fn`, `scan` or RNN: each is read once where it is used, not once a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tfbench.engine.tensor import OPERATORS
from tfbench.variable_scope.stack import get_variable_scope


@contextmanager
def cached_reads() -> Iterator[None]:
    """In the block, variables of the current scope are cached where they are, unless the scope says otherwise."""
    scope = get_variable_scope()
    if scope.caching_device is not None:
        yield
        return
    scope.set_caching_device(lambda op: op.device)
    try:
        yield
    finally:
        scope.set_caching_device(None)


OPERATORS["cached_reads"] = cached_reads
