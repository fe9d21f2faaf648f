"""Where a run is to wait: before an operation, where it comes into a scope, behind the first NaN or infinity.

Only a run that is observed looks at them (`stepping`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfbench.engine.resources import VariableBuffer
from tfbench.value_stats import value_stats

#: the breakpoint that stands for the first NaN or infinity
NAN = "nan"


class Halt(NamedTuple):
    """Why a run waits. `op` is the operation that is next; of `nan`, the one that made it."""

    #: "begin", "asked", "step", "to", "op", "scope" or "nan"
    kind: str
    #: the breakpoint: the name of an operation, a scope with a slash at its end, or "nan"; '' where there is none
    breakpoint: str = ""
    op: Any = None
    iterations: tuple[int, ...] = ()
    #: values that the operation took and gave, of `nan`
    inputs: Sequence[Any] = ()
    outputs: Sequence[Any] = ()

    def __str__(self) -> str:
        if self.kind == "nan":
            return nan_text(self)
        return {
            "begin": "nothing has run yet",
            "asked": "it was told to wait",
            "step": "one step was run",
            "to": "this is where it was to run to",
            "op": f"breakpoint at {self.breakpoint}",
            "scope": f"breakpoint at scope {self.breakpoint}",
        }[self.kind]


class Breakpoints:
    """A set of names: operations (`loss`), scopes (`tower/`), and `nan`. Iterates in the order in which they came."""

    def __init__(self, names: Iterable[Any] = (), meant: Callable[[Any], str] = str) -> None:
        #: the name that something stands for; raises where it is none
        self._meant = meant
        self._names: dict[str, None] = {}
        self.ops: frozenset[str] = frozenset()
        self.scopes: tuple[str, ...] = ()
        #: whether a NaN or an infinity is one
        self.nan = False
        #: operations that have been reported for NaN; a second report would say nothing new
        self.reported: set[Any] = set()
        #: counts the changes, for whoever shows them
        self.version = 0
        for name in names:
            self.add(name)

    def add(self, breakpoint: Any) -> None:
        """Adds a breakpoint. Adding `nan` again has NaNs reported again that have been."""
        name = self._meant(breakpoint)
        self._change({**self._names, name: None})
        if name == NAN:
            self.reported.clear()

    def remove(self, name: str) -> None:
        """Takes a breakpoint away; KeyError if there is none of that name."""
        names = dict(self._names)
        if name not in names:
            raise KeyError(f"there is no breakpoint {name!r}; there are {', '.join(names) or 'none'}")
        del names[name]
        self._change(names)

    def clear(self) -> None:
        """Takes all away."""
        self._change({})

    def _change(self, names: dict[str, None]) -> None:
        self._names = names
        self.nan = NAN in names
        self.scopes = tuple(name for name in names if name.endswith("/"))
        self.ops = frozenset(name for name in names if name != NAN and not name.endswith("/"))
        self.version += 1

    def before(self, name: str, last: str) -> tuple[str, str] | None:
        """The kind and name of the breakpoint that holds before the operation `name`; `last` ran before it."""
        if name in self.ops:
            return "op", name
        for scope in self.scopes:
            # Coming in counts, not each of the operations inside.
            if name.startswith(scope) and not last.startswith(scope):
                return "scope", scope
        return None

    def after(self, op: Any, inputs: Sequence[Any], outputs: Sequence[Any], iterations: tuple[int, ...]) -> Halt | None:
        """Whether a NaN or infinity came up in `op`: where its inputs have none, or as the first one of all."""
        if not self.nan or op in self.reported or not any(map(broken, outputs)):
            return None
        if self.reported and any(map(broken, inputs)):
            return None
        self.reported.add(op)
        return Halt("nan", NAN, op, iterations, inputs, outputs)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"Breakpoints({', '.join(map(repr, self._names))})"


def array_of(value: Any) -> Any:
    """The array or number behind what a slot holds; None where there is none (handles, dead values)."""
    if isinstance(value, VariableBuffer):
        value = value.array
    if hasattr(value, "__cuda_array_interface__"):
        value = value.get()
    return value if isinstance(value, (np.ndarray, np.generic)) else None


def broken(value: Any) -> bool:
    """Whether a value has a NaN or an infinity in it."""
    array = array_of(value)
    if array is None or array.dtype.kind not in "fcV":
        return False
    try:
        return not np.isfinite(array).all()
    except TypeError:
        return False


def nan_text(halt: Halt) -> str:
    """Which operation made the first NaN, where it was made itself, and what it took."""
    op = halt.op
    place = f", made in {op.source}" if op.source is not None else ""
    gave = ", ".join(_counts(value) for value in halt.outputs if broken(value))
    lines = [f"{op.name} ({op.type}{place}) gave {gave}"]
    if halt.iterations:
        lines[0] += f" in iteration {', '.join(map(str, halt.iterations))}"
    for tensor, value in zip(op.inputs, halt.inputs):
        lines.append(f"  took {tensor.name}: {statistics(value)}")
    return "\n".join(lines)


def _counts(value: Any) -> str:
    stats = value_stats(array_of(value))
    if stats is None:
        return "something that is no number"
    parts = [f"{n} {word}" for n, word in ((stats.nans, "NaN"), (stats.infs, "infinite")) if n]
    return f"{' and '.join(parts)} of {stats.size}" if parts else "a NaN or an infinity"


def statistics(value: Any) -> str:
    """One value in a few words: a number as it is, an array by its statistics; the same for the same value."""
    array = array_of(value)
    if array is None:
        return "nothing" if value is None else f"a {type(value).__name__}"
    kind = "string" if array.dtype == object else array.dtype.name
    if array.ndim == 0:
        item = array[()]
        return _cut(repr(item)) if array.dtype == object else f"{item!s}"
    shape = "×".join(map(str, array.shape))
    stats = None if array.dtype == object else value_stats(array)
    if array.size <= _FEW and array.ndim == 1:
        return f"{kind} {_few(array)}"
    if stats is None or not stats.size:
        return f"{kind} {shape}"
    bad = "".join(f", {n} {word}" for n, word in ((stats.nans, "NaN"), (stats.infs, "infinite")) if n)
    if stats.mean is None:
        return f"{kind} {shape}{bad}"
    return (
        f"{kind} {shape}: mean {stats.mean:.4g}, spread {stats.std:.4g}, from {stats.low:.4g} to {stats.high:.4g}{bad}"
    )


_FEW = 6


def _few(array: Any) -> str:
    if array.dtype == object:
        return f"[{', '.join(_cut(repr(item)) for item in array)}]"
    return f"[{', '.join(f'{item:.4g}' if array.dtype.kind == 'f' else str(item) for item in array.tolist())}]"


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:26]}…{text[-13:]}"
