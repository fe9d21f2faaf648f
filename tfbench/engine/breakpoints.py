"""Where a run is to wait: before an operation, where it comes into a scope, behind the first NaN or infinity.

Only a run that is observed looks at them (`stepping`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tfbench.engine.value_text import array_of, broken, value_text
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


def nan_text(halt: Halt) -> str:
    """Which operation made the first NaN, where it was made itself, and what it took."""
    op = halt.op
    place = f", made in {op.source}" if op.source is not None else ""
    gave = ", ".join(_counts(value) for value in halt.outputs if broken(value))
    lines = [f"{op.name} ({op.type}{place}) gave {gave}"]
    if halt.iterations:
        lines[0] += f" in iteration {', '.join(map(str, halt.iterations))}"
    for tensor, value in zip(op.inputs, halt.inputs):
        lines.append(f"  took {tensor.name}: {value_text(value)}")
    return "\n".join(lines)


def _counts(value: Any) -> str:
    stats = value_stats(array_of(value))
    if stats is None:
        return "something that is no number"
    parts = [f"{n} {word}" for n, word in ((stats.nans, "NaN"), (stats.infs, "infinite")) if n]
    return f"{' and '.join(parts)} of {stats.size}" if parts else "a NaN or an infinity"
