"""NumPy first, machine code when it pays: kernels of the extra `fast`.

**To add a kernel.** Write its loops in a module of this package (`loops_pool.py`, say; only the compiling process
imports those, so they may import Numba at the top), with a *maker*: a function of plain parameters (strings, numbers)
that returns `sources.Loops(function, arguments)`::

    def scale(kind: str, factor: int) -> Loops:
        def loops(x, out, first, last):
            for i in range(first, last):
                for c in range(x.shape[1]):
                    out[i, c] = x[i, c] * factor  # a constant to the compiler
        return Loops(loops, [f"{kind}[2]", f"{kind}[2]", "i8", "i8"])

and ask for it where the NumPy kernel is called::

    scaled = tier.kernel("loops_pool", "scale", x.dtype.char, 3).ready(2 * x.nbytes)
    if scaled is not None:
        blocks.run(np, parts, lambda part: scaled(x, out, part * n // parts, (part + 1) * n // parts))
        return out

`kernel` is one look into a dictionary and may be called each time. `ready` gets what the call would cost, in bytes that
NumPy has to move (that decides whether compiling pays), and returns the function or None. The function wants
C-contiguous arrays of exactly the declared types and raises TypeError for others; it lets the GIL go, and neither sees
nor sets floating-point warnings. Loops cannot allocate: memory for intermediate results is an argument
(`threads.scratch`). How work is split between threads must not change results, here as with NumPy.

**What happens.** A kernel counts the work that it is asked for. After `LOOK` bytes a thread in the background looks for
machine code in the disk cache (`cache`); if there is none, after `WORTH` bytes that thread has a process compile it
(`worker`). Then the function is put in its place, between two calls: nobody waits. From then on the same inputs give
the same bits in every run; against NumPy, the last bits may differ, so they may change at the moment of the swap.

The variable TFBENCH_FAST says what is done: `0` - nothing; `1`, the default - the above; `wait` - the first call that
asks for a kernel waits until it is compiled (for tests and benchmarks, and for runs that must be the same from their
first step). Without llvmlite and Numba, nothing is done. A kernel that cannot be compiled stays NumPy's, with a warning
in the log `tfbench`. Tests use `with tier.using("wait")`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

Run = Callable[..., None]

#: After so many bytes of work it pays to look for machine code, and to make it.
LOOK, WORTH = 32 << 20, 512 << 20

#: What TFBENCH_FAST says.
OFF, BACKGROUND, WAIT = "0", "1", "wait"

#: characters of a kernel's parameters that its label has at most
_LABEL = 200

_mode = ""


def mode() -> str:
    """OFF, BACKGROUND or WAIT: what TFBENCH_FAST said when this was first asked; OFF without the extra."""
    global _mode
    if not _mode:
        asked = os.environ.get("TFBENCH_FAST", BACKGROUND).strip().lower()
        _mode = OFF if asked == OFF or not installed() else WAIT if asked == WAIT else BACKGROUND
    return _mode


def installed() -> bool:
    """Whether llvmlite and Numba are there. They are not imported."""
    from importlib.util import find_spec

    return find_spec("llvmlite") is not None and find_spec("numba") is not None


@contextmanager
def using(wanted: str) -> Iterator[None]:
    """Context: as if TFBENCH_FAST said `wanted`."""
    global _mode
    before = mode()
    _mode = wanted
    try:
        yield
    finally:
        _mode = before


class Kernel:
    """A kernel that may have been compiled. `kernel()` makes them, one for each name and parameters."""

    __slots__ = ("_threshold", "done", "error", "maker", "module", "parameters", "run", "work")

    def __init__(self, module: str, maker: str, parameters: tuple[Any, ...]) -> None:
        self.module = module
        self.maker = maker
        self.parameters = parameters
        #: the compiled function, once there is one
        self.run: Run | None = None
        #: why there will be none
        self.error: str | None = None
        #: whether what was asked for has been dealt with
        self.done = threading.Event()
        self._threshold: float = LOOK
        #: what the calls so far have cost; what has cost most is compiled first
        self.work = 0

    def ready(self, work: int) -> Run | None:
        """The compiled function, or None if NumPy has to do it this time; `work` as the module says."""
        if self.run is not None:
            return None if _mode == OFF else self.run
        self.work += work
        if self.work > self._threshold or _mode != BACKGROUND:
            return self._ask()
        return None

    def _ask(self) -> Run | None:
        now = mode()
        if now == OFF or self.error is not None:
            return None
        if now == WAIT:
            if self._threshold is not _ASKED:
                self._submit(_ASKED, compiles=True)
            self.done.wait()
        elif self.work > self._threshold:
            looked = self._threshold == WORTH
            self._submit(_ASKED if looked else WORTH, compiles=looked)
        return self.run

    def _submit(self, threshold: float, compiles: bool) -> None:
        from tfbench.engine.compiled import background  # only a kernel that pays loads it

        self._threshold = threshold
        self.done.clear()
        _pending.append(self)
        background.background.submit(self, compiles)

    @property
    def label(self) -> str:
        """The name and the parameters, which can be a whole program: no more of it than says which."""
        text = ", ".join(map(repr, self.parameters))
        return f"{self.module}.{self.maker}({text if len(text) <= _LABEL else text[:_LABEL] + '…'})"

    def __repr__(self) -> str:
        state = "compiled" if self.run else f"failed, {self.error}" if self.error else "not compiled"
        return f"<Kernel {self.label}: {state}>"


#: the threshold of a kernel that has been asked for: nothing more to do
_ASKED = float("inf")

#: kernels that have been asked for
_pending: list[Kernel] = []


@cache
def kernel(module: str, maker: str, *parameters: Any) -> Kernel:
    """The kernel that `maker` of `tfbench.engine.compiled.MODULE` makes of these strings and numbers."""
    return Kernel(module, maker, parameters)


def _after_fork() -> None:
    """In a child: what the parent's thread was about to do is not done here."""
    for one in _pending:
        one.done = threading.Event()  # the thread may have been about to set it
        if one.run is None and one.error is None:
            one._threshold = LOOK
    _pending.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
