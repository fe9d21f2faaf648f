"""The iterator that `get_next` asks, a resource of a session.

What it has given and somebody may want again (a bench that undoes a cell) is a chain of cells: each holds an element
and the next cell, which is made when it is first asked for. To remember where an iterator is, one keeps its cell, and
the elements live as long as somebody does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from tfbench import errors
from tfbench.engine.dtypes import type_word
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.datasets.base import Context, Dataset, Element
from tfbench.engine.resources import Resource

#: [element or the error in its place, next cell or None]
_Cell = list[Any]


class IteratorResource(Resource):
    """An iterator in a session: not initialised, or somewhere in a data set.

    `start`, where it is given, makes the data set when the first element is asked for.
    """

    __slots__ = ("_cell", "_lock", "_source", "_start", "handle", "op", "signature")

    def __init__(self, op: Any, handle: bytes, signature: Any, start: Callable[[], Dataset] | None = None) -> None:
        self.op = op
        self.handle = handle
        #: (types, shapes) of the components
        self.signature = signature
        self._start = start
        self._source: Iterator[Element] | None = None
        self._cell: _Cell = [None, None]
        self._lock = threading.Lock()

    def initialize(self, dataset: Dataset) -> None:
        """Goes to the beginning of `dataset`."""
        source = dataset.iterate(Context())
        with self._lock:
            self._source = source
            self._cell = [None, None]

    def get_next(self) -> Element:
        """The next element.

        Raises:
          OutOfRangeError: at the end, now and from then on.
          FailedPreconditionError: if it was not initialised.
        """
        with self._lock:
            following = self._cell[1]
            if following is None:
                following = self._cell[1] = [self._pull(), None]
            self._cell = following
            element = following[0]
        if type(element) is not tuple:
            raise element
        return element

    def _pull(self) -> Element | errors.OpError:
        source = self._source
        if source is None:
            source = self._begin()
        try:
            return source.__next__()
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None
        except errors.OpError as error:
            # The element that could not be computed has its place in the order, too.
            return error

    def _begin(self) -> Iterator[Element]:
        if self._start is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                "initializer operation for this iterator before getting the next element.",
            )
        source = self._source = self._start().iterate(Context())
        return source

    def snapshot(self) -> Any:
        """Where the iterator is, for `restore`."""
        return self._source, self._cell

    def restore(self, state: Any) -> None:
        with self._lock:
            self._source, self._cell = state


def check_signature(wanted: Any, found: Any) -> None:
    """Refuses to use an iterator over elements of other types or shapes.

    Raises:
      InvalidArgumentError: saying which component differs.
    """
    (wanted_types, wanted_shapes), (types, shapes) = wanted, found
    if not wanted_types:
        return
    if len(types) != len(wanted_types):
        raise invalid(f"Number of components does not match: expected {len(wanted_types)} types but got {len(types)}.")
    for i, (one, other) in enumerate(zip(wanted_types, types, strict=True)):
        if one != other:
            raise invalid(f"Data type mismatch at component {i}: expected {type_word(one)} but got {type_word(other)}.")
    for i, (one, other) in enumerate(zip(wanted_shapes, shapes, strict=False)):
        if not one.is_compatible_with(other):
            raise invalid(f"Incompatible shapes at component {i}: expected {one} but got {other}.")
