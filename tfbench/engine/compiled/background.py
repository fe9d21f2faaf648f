"""The thread that gets machine code, from the disk cache or from a process that compiles, and puts it in place.

The thread and the process are started when the first kernel is asked for. The process ends when there has been nothing
to compile for `IDLE` seconds, and with this process, however that ends (its standard input is then closed). Whatever
goes wrong here becomes `Kernel.error` and a line in the log: no exception leaves the thread.

Nobody is to notice this thread, so it does all `gently`, and this module imports next to nothing: a step of the
program's thread imports it.
"""

from __future__ import annotations

import _thread
import atexit
import os
import sys
import threading
from importlib import import_module
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.gently import Gently

if TYPE_CHECKING:
    from tfbench.engine.compiled.compiler import Compiler
    from tfbench.engine.compiled.native import Engine

#: Seconds after which an idle process is ended. A new one imports Numba again, which takes longer than many a kernel.
IDLE = 20.0

#: What this thread needs of Python's library, in the order in which each takes little: none of them brings many others.
#: (Not `logging`: its hooks for forks must not come while one waits.)
_LIBRARY = (
    "json",
    *(("ast", "dis", "tokenize", "inspect") if sys.version_info >= (3, 12) else ()),  # importlib.resources has them
    "urllib.parse",
    "pathlib",
    "bz2",
    "lzma",
    "shutil",
    "random",
    "tempfile",
    "importlib.resources",
    "zipfile",
    "importlib.readers",
    "string",
    "hashlib",
    "signal",
    "selectors",
)


class Background:
    """The queue of kernels that are wanted, and the thread that serves it."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[tier.Kernel, bool] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._started = False
        self._ending = threading.Event()
        self._ended = threading.Event()
        self._gently = Gently(_hurried, self._ending)
        self._compiler: Compiler | None = None
        self._engine: Engine | None = None
        self._sources = self._world = ""
        #: the thread's numbers, Python's and the system's, once there is one
        self.thread = self.native = 0

    def submit(self, kernel: tier.Kernel, compiles: bool) -> None:
        """Has `kernel` looked for in the cache and, if `compiles`, made where it is not there."""
        with self._lock:
            if not self._started and not self._ending.is_set():
                self._started = True
                # Not threading.Thread: its start waits until the thread runs, which takes its time on a busy machine.
                self.thread = _thread.start_new_thread(self._serve, ())
                atexit.register(self.close)
        self._queue.put((kernel, compiles))

    def close(self) -> None:
        """At the interpreter's exit: nothing more is begun, and nobody waits long."""
        self._ending.set()
        self._queue.put(None)
        if self._compiler is not None:
            self._compiler.kill()
        if self._started:
            self._ended.wait(1.0)

    def disown(self) -> None:
        """In a child of this process, which has no such thread."""
        if self._compiler is not None:
            self._compiler.disown()

    def _serve(self) -> None:
        wanted: list[tuple[tier.Kernel, bool]] = []
        self.native = threading.get_native_id()
        try:
            while True:
                compiler = self._compiler
                try:
                    while not (wanted and self._queue.empty()):
                        item = self._queue.get(timeout=IDLE if compiler is not None and compiler.running else None)
                        if item is None or self._ending.is_set():
                            return
                        wanted.append(item)
                except Empty:
                    if compiler is not None:
                        compiler.close()
                    continue
                kernel, compiles = wanted.pop(max(range(len(wanted)), key=lambda position: wanted[position][0].work))
                try:
                    self._handle(kernel, compiles)
                except BaseException as error:
                    kernel.error = f"{type(error).__name__}: {error}"
                    if not self._ending.is_set():
                        self._say(kernel)
                finally:
                    kernel.done.set()
                    del kernel
        finally:
            if self._compiler is not None:
                self._compiler.close()
            self._ended.set()

    def _say(self, kernel: tier.Kernel) -> None:
        log = import_module("logging").getLogger("tfbench")
        log.warning("The kernel %s is not compiled and stays NumPy's: %s", kernel.label, kernel.error)

    def _handle(self, kernel: tier.Kernel, compiles: bool) -> None:
        if kernel.run is not None:  # it was found when it was looked for, and had been asked for again by then
            return
        if self._engine is None:
            self._engine = self._prepare()
        do = self._gently.do
        cache: Any = import_module("tfbench.engine.compiled.cache")
        name = do(cache.key, self._world, [kernel.module, kernel.maker, list(kernel.parameters)])
        found = do(cache.read, name)
        if found is None and compiles:
            assert self._compiler is not None
            place = cache.folder()
            request = {
                "kernel": [kernel.module, kernel.maker, list(kernel.parameters)],
                "sources": self._sources,
                "file": None if place is None else [str(place), name],
            }
            found = self._compiler.compile(request, _hurried)
        if found is not None:
            kernel.run = do(self._engine.load, found)

    def _prepare(self) -> Engine:
        """What is needed before the first kernel: much to import, and LLVM."""
        do = self._gently.do
        self._gently.modules(_LIBRARY)
        cache, compiler, native = (
            do(import_module, f"tfbench.engine.compiled.{name}") for name in ("cache", "compiler", "native")
        )
        engine: Engine = native.Engine(self._gently)
        self._sources = do(cache.sources_digest)
        self._world = "\n".join((do(engine.processor), do(versions, engine.llvm), self._sources))
        self._compiler = compiler.Compiler(self._gently)
        return engine


def _hurried() -> bool:
    """Whether somebody waits for kernels."""
    return tier.mode() == tier.WAIT


def versions(llvm: Any) -> str:
    """The versions of all that has a part in the machine code; Numba's is read from its files: it is not imported."""
    import numpy

    llvmlite = import_module("llvmlite")
    return "\n".join((sys.version, numpy.__version__, llvmlite.__version__, str(llvm.llvm_version_info), _numba()))


def _numba() -> str:
    spec = find_spec("numba")
    origin = spec.origin if spec is not None else None
    if origin is None:
        return "?"
    try:
        with open(os.path.join(os.path.dirname(origin), "_version.py"), encoding="utf-8") as file:
            return file.read()
    except OSError:
        return str(import_module("importlib.metadata").version("numba"))


background = Background()


def _after_fork() -> None:
    """A child has none of the parent's threads, and the compiling process is the parent's."""
    global background
    before, background = background, Background()
    before.disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
