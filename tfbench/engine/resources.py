"""What lives from run to run in a session: variables' buffers and other state, by container and name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, TypeVar

import numpy as np

from tfbench import errors
from tfbench.engine.dtypes import DType

Array = np.ndarray[Any, Any]
R = TypeVar("R", bound="Resource")

#: op types that hold the buffer of a reference variable, and those that hold any variable's
REFERENCE_VARIABLES = frozenset({"VariableV2", "Variable"})
VARIABLE_TYPES = REFERENCE_VARIABLES | {"VarHandleOp"}


def variable_key(op: Any) -> tuple[str, str]:
    """Container and name that a session keeps the variable of `op` under."""
    attrs = op.attrs
    return attrs.get("container") or "", attrs.get("shared_name") or op.name


#: what to do about a variable without a value; of `tf.metrics`' variables people forget that they are local
INITIALIZE = (
    "run its initializer first (tf.global_variables_initializer(), and tf.local_variables_initializer() for local "
    "variables, such as those of tf.metrics)."
)


class Resource:
    """What an op keeps in its session from run to run. Base class: nothing that could be put back, nobody waits."""

    __slots__ = ()

    def snapshot(self) -> Any:
        """What `restore` takes: a copy of the state, which what happens next does not change."""
        return None

    def restore(self, saved: Any) -> None:
        """Makes the state what it was when `snapshot` gave `saved`, which stays as it is and may come again."""

    def cancel_waiting(self) -> None:
        """Ends all waiting for it: the session is being closed."""


class VariableBuffer(Resource):
    """A variable's memory in one session.

    `array` is None until the variable is initialised. A reference variable is written in place, so whoever
    holds `array` sees the new values (`v/read` aliases); a resource variable's `array` is replaced. `shape` is what
    a reference variable was declared with, () where that is unknown: what its first value has to fit. `xp` is the array
    module of its memory: CuPy where `device` is a GPU's (None: the host's).
    """

    __slots__ = ("array", "device", "dtype", "lock", "name", "shape", "updates", "xp")

    def __init__(self, name: str, dtype: DType, shape: tuple[int, ...] = ()) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.array: Array | None = None
        self.device: Any = None
        self.xp: Any = np
        #: writes so far; inspectors follow it
        self.updates = 0
        self.lock = threading.RLock()

    def read(self) -> Array:
        """The buffer itself.

        Raises:
          FailedPreconditionError: if the variable is not initialised.
        """
        array = self.array
        if array is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"Attempting to use uninitialized value {self.name}: {INITIALIZE}",
            )
        return array

    def assign(self, value: Array) -> None:
        """Sets the value: in place where the shape stays, so that aliases see it."""
        array = self.array
        if array is not None and array.shape == getattr(value, "shape", ()):
            array[...] = value
        else:
            self.array = self.xp.array(value, order="C")
        self.updates += 1

    def replace(self, value: Array) -> None:
        """Sets the value in new memory: what was read before stays as it was."""
        self.array = value
        self.updates += 1

    def settle(self, device: Any) -> None:
        """Makes this the memory of a GPU, or (None) the host's, and brings the value along.

        Raises:
          MemoryError: if the GPU has no room for it; it then stays where it is.
        """
        if device is self.device or (device is not None and device == self.device):
            return
        array = self.array
        if array is not None:
            if self.device is not None:
                array = self.device.fetched(array)
            if device is not None:
                array = device.brought(array)
            self.array = array
        self.device = device
        self.xp = np if device is None else device.xp

    def host(self) -> Array | None:
        """The value in the host's memory, to be looked at: the buffer itself where it is there, else a copy."""
        array = self.array
        return array if array is None or self.device is None else self.device.fetched(array)

    def restore(self, saved: Any) -> None:
        """Makes `saved` the value again, itself and no copy; the memory may have become another one meanwhile."""
        if saved is not None and isinstance(saved, np.ndarray) is not (self.device is None):
            saved = saved.get() if self.device is None else self.device.brought(saved)
        self.array = saved

    def snapshot(self) -> Array | None:
        """A copy of the value, in the same memory."""
        array = self.array
        if array is None:
            return None
        return array.copy() if self.device is None else self.device.copied(array)


class ResourceStore:
    """All state of one session."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str], Resource] = {}
        self._lock = threading.Lock()
        #: the session is closed: nobody may wait for anything of it any more
        self.cancelled = False
        self._private = count()

    def get(self, container: str, name: str, make: Callable[[], R]) -> R:
        """The resource called `name` in `container`; made on first use."""
        key = (container, name)
        with self._lock:
            found: Any = self._items.get(key)
            if found is None:
                found = self._items[key] = make()
            return found

    def private_name(self, name: str) -> str:
        """What the next resource is called that belongs to one node, `name`, alone."""
        return f"_{next(self._private)}_{name}"

    def cancel(self) -> None:
        """Ends all waiting for resources: for a place in a queue, for a gradient."""
        self.cancelled = True
        for _, item in self.items():
            item.cancel_waiting()

    def find(self, container: str, name: str) -> Any:
        """The resource, or None."""
        return self._items.get((container, name))

    def remove(self, container: str, name: str) -> None:
        """Forgets a resource; plans that are bound to it must be compiled again."""
        self._items.pop((container, name), None)

    def clear(self, containers: list[str] | None = None) -> None:
        """Forgets everything in these containers (default: in all)."""
        with self._lock:
            for key in list(self._items):
                if not containers or key[0] in containers:
                    del self._items[key]

    def items(self) -> Iterator[tuple[tuple[str, str], Resource]]:
        return iter(list(self._items.items()))

    def variables(self) -> dict[str, VariableBuffer]:
        """Variable buffers by name."""
        return {key[1]: value for key, value in self.items() if isinstance(value, VariableBuffer)}

    def snapshot(self) -> dict[tuple[str, str], Any]:
        """All resources, each with its own snapshot, for `restore`."""
        return {key: (item, item.snapshot()) for key, item in self.items()}

    def restore(self, saved: dict[tuple[str, str], Any]) -> None:
        """Puts every resource back to what `snapshot` saw; those made since are forgotten."""
        with self._lock:
            for key in list(self._items):
                if key not in saved:
                    del self._items[key]
            for key, (item, state) in saved.items():
                self._items[key] = item
                item.restore(state)
