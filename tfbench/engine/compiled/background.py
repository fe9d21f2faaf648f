"""The thread that gets machine code, from the disk cache or from a process that compiles, and puts it in place.

The thread and the process are started when the first kernel is asked for. The process ends when there has been nothing
to compile for `IDLE` seconds, and with this process, however that ends (its standard input is then closed). Whatever
goes wrong here becomes `Kernel.error` and a line in the log: no exception leaves the thread.
"""

from __future__ import annotations

import atexit
import base64
import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
from importlib import metadata
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from tfbench.engine.compiled import cache
from tfbench.engine.compiled.cache import Compiled
from tfbench.engine.compiled.native import Engine

if TYPE_CHECKING:
    from tfbench.engine.compiled.tier import Kernel

#: Seconds after which an idle process is ended.
IDLE = 5.0

#: A digest of the sources that this process runs.
SOURCES = cache.sources_digest()

_log = logging.getLogger("tfbench")


class Compiler:
    """The process that compiles, started when it is needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    @property
    def running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None

    def compile(self, request: list[Any]) -> Compiled:
        """Machine code for `[module, maker, parameters]`; RuntimeError says why there is none."""
        line = json.dumps(request) + "\n"
        for _ in range(2):  # what killed the process the first time may have been meant for others (memory, Ctrl-C)
            answer = self._ask(line)
            if answer:
                break
            self.close()
        else:
            raise RuntimeError("the process that compiles ended without an answer")
        reply = json.loads(answer)
        if "error" in reply:
            raise RuntimeError(reply["error"])
        if reply["sources"] != SOURCES:
            # How a kernel is called may have changed, too: its code and the caller here must be of one version.
            raise RuntimeError("tfbench has been changed on disk since this process began; restart it")
        return Compiled.unpack(base64.b64decode(reply["compiled"]))

    def _ask(self, line: str) -> str:
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line)
            process.stdin.flush()
            return process.stdout.readline()
        except (OSError, ValueError):
            return ""

    def _start(self) -> subprocess.Popen[str]:
        # Not -m: the process has to find the same packages, however this one has found them.
        program = f"import sys; sys.path[:] = {sys.path!r}; from {__package__}.worker import main; main()"
        # A group of its own: Ctrl-C in a terminal goes to all processes of the foreground group.
        apart: dict[str, Any] = (
            {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
            if sys.platform == "win32"
            else {"process_group": 0}
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            **apart,
        )
        return self._process

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class Background:
    """The queue of kernels that are wanted, and the thread that serves it."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[Kernel, bool] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._compiler = Compiler()
        self._engine: Engine | None = None
        self._world = ""
        self._ending = False

    def submit(self, kernel: Kernel, compiles: bool) -> None:
        """Has `kernel` looked for in the cache and, if `compiles`, made where it is not there."""
        with self._lock:
            if self._thread is None and not self._ending:
                self._thread = threading.Thread(target=self._serve, name="tfbench-compiled", daemon=True)
                self._thread.start()
                atexit.register(self.close)
        self._queue.put((kernel, compiles))

    def close(self) -> None:
        """At the interpreter's exit: nothing more is begun, and nobody waits long."""
        self._ending = True
        self._queue.put(None)
        process = self._compiler._process
        if process is not None:
            with contextlib.suppress(OSError):
                process.kill()
        if self._thread is not None:
            self._thread.join(1.0)

    def _serve(self) -> None:
        wanted: list[tuple[Kernel, bool]] = []
        while True:
            try:
                while not (wanted and self._queue.empty()):
                    item = self._queue.get(timeout=IDLE if self._compiler.running else None)
                    if item is None or self._ending:
                        self._compiler.close()
                        return
                    wanted.append(item)
            except Empty:
                self._compiler.close()
                continue
            kernel, compiles = wanted.pop(max(range(len(wanted)), key=lambda position: wanted[position][0].work))
            try:
                self._handle(kernel, compiles)
            except BaseException as error:
                kernel.error = f"{type(error).__name__}: {error}"
                if not self._ending:
                    _log.warning("The kernel %s is not compiled and stays NumPy's: %s", kernel.label, kernel.error)
            finally:
                kernel.done.set()
                del kernel

    def _handle(self, kernel: Kernel, compiles: bool) -> None:
        if self._engine is None:
            engine = Engine()
            self._world = "\n".join((engine.processor(), versions(), SOURCES))
            self._engine = engine
        request = [kernel.module, kernel.maker, list(kernel.parameters)]
        name = cache.key(self._world, request)
        found = cache.read(name)
        if found is not None:
            kernel.run = self._engine.load(found)
        elif compiles:
            made = self._compiler.compile(request)
            kernel.run = self._engine.load(made)
            cache.write(name, made)


def versions() -> str:
    """The versions of all that has a part in the machine code."""
    names = ("tfbench", "numba", "llvmlite", "numpy")
    found = [sys.version]
    for name in names:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"{name} ?")
    return "\n".join(found)


background = Background()


def _after_fork() -> None:
    """A child has none of the parent's threads, and the compiling process is the parent's."""
    global background
    background = Background()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
