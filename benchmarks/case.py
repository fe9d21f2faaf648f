"""What is measured: a case makes a function to call, from a module with the TensorFlow 1.x API.

The same source runs on both sides. Nothing here imports NumPy or either library: the parent process only needs the
names, the workers do the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Case:
    """One line of a table.

    `make(tf, threads)` sets up and returns the function that is timed; `work` is how many things one call does (ops
    built, floating-point operations), `unit` what they are. `target` is the largest ratio to TensorFlow that is
    good, `fast` the same for tfbench with its extra `fast`.
    With `staged`, what `make` returns is called first each time, and only what that returns is timed.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[Any, int], Callable[[], Any]],
        *,
        target: float | None = None,
        fast: float | None = None,
        work: float = 1,
        unit: str = "",
        staged: bool = False,
    ) -> None:
        self.name = name
        self.fast = fast
        self.make = make
        self.staged = staged
        self.target = target
        self.work = work
        self.unit = unit


class ProcessCase:
    """One line about whole processes: a program that is started again for every measurement.

    `program` sees the library as `tf`; `metric` is what the target is about: "wall", "cpu" or "rss".
    """

    def __init__(self, name: str, program: str, *, metric: str, target: float | None = None) -> None:
        self.name = name
        self.program = program
        self.metric = metric
        self.target = target


class Suite:
    """A table: what it shows, its cases, and the limit for their geometric mean, if there is one."""

    def __init__(
        self, title: str, cases: list[Case] | list[ProcessCase], *, mean_target: float | None = None, note: str = ""
    ) -> None:
        self.title = title
        self.cases = cases
        self.mean_target = mean_target
        self.note = note


def session(tf: Any, threads: int) -> Any:
    """A session that computes with so many threads."""
    config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1)
    return tf.Session(config=config)
