"""The process that compiles, seen from the program: started when there is something to compile, asked, ended.

It is as modest as the system has it (`priority`): it gets what no other process wants, so that training with all cores
does not notice it. Where it gets next to nothing that way, it is ended, and a less modest one takes its place. Where
somebody waits for the result (TFBENCH_FAST=wait), it is a process like any other.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import selectors
import sys
import time
from collections.abc import Callable
from typing import Any

from tfbench.engine.compiled.cache import Compiled
from tfbench.engine.compiled.gently import Gently
from tfbench.engine.compiled.priority import EQUAL, IDLE, MODEST
from tfbench.engine.compiled.spawn import spawn

#: So often it is seen to whether the process gets on, that is, has had this part of a core. (All that a CIFAR-10 model
#: needs takes ten seconds of one.)
_LOOK, _SHARE = 3.0, 0.1


class Compiler:
    """At most one process. One thread uses it; any may call `kill`, and a child of this process `disown`."""

    def __init__(self, gently: Gently) -> None:
        self._gently = gently
        #: as `spawn` makes it
        self._process: Any = None
        self._level = IDLE
        self._modesty = IDLE

    @property
    def running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None

    def compile(self, request: dict[str, Any], hurried: Callable[[], bool]) -> Compiled:
        """Machine code for a request as `worker` describes it; RuntimeError says why there is none."""
        line = self._gently.do(json.dumps, request).encode() + b"\n"
        failures = 0
        while True:
            answer = self._ask(line, hurried())
            if answer:
                break
            self.close()
            if answer is None:
                self._modesty = MODEST
                continue
            failures += 1
            if failures == 2:  # what killed the first one may have been meant for others (memory, Ctrl-C)
                raise RuntimeError("the process that compiles ended without an answer")
        compiled: Compiled = self._gently.do(_read, answer)
        return compiled

    def _ask(self, line: bytes, hurried: bool) -> bytes | None:
        """The answer; nothing if the process has ended, None if it does not get on."""
        wanted = EQUAL if hurried else self._modesty
        if self._process is not None and self._level > wanted:
            self.close()
        process = self._process or self._gently.do(self._start, wanted)
        try:
            process.stdin.write(line)
            process.stdin.flush()
            if self._level == IDLE and os.name == "posix" and not _gets_on(process):
                return None
            answer = process.stdout.readline()
            return answer if answer.endswith(b"\n") else b""
        except (OSError, ValueError):
            return b""

    def _start(self, level: int) -> Any:
        # Not -m: the process has to find the same packages, however this one has found them.
        # What files the program leaves open to the processes that it starts, is not for this one.
        program = (
            f"import os, sys; os.closerange(3, 65536); sys.path[:] = {sys.path!r}; "
            f"from {__package__}.priority import lower; lower({level}); "
            f"from {__package__}.worker import main; main()"
        )
        self._process = spawn([sys.executable, "-c", program], level != EQUAL)
        self._level = level
        return self._process

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()

    def kill(self) -> None:
        """Ends the process; whoever waits for its answer learns that it has ended."""
        process = self._process
        if process is not None:
            with contextlib.suppress(OSError):
                process.kill()

    def disown(self) -> None:
        """In a child of this process: what compiles is the parent's, and has to notice when the parent ends."""
        process = self._process
        if process is None:
            return
        process.returncode = 0  # nothing to wait for
        nothing = os.open(os.devnull, os.O_RDWR)
        for pipe in (process.stdin, process.stdout):
            # The files stay open, elsewhere: a buffer may be locked, and its end is written when it is freed.
            os.dup2(nothing, pipe.fileno(), inheritable=False)
        os.close(nothing)


def _read(answer: bytes) -> Compiled:
    reply = json.loads(answer)
    if "error" in reply:
        raise RuntimeError(reply["error"])
    return Compiled.unpack(base64.b64decode(reply["compiled"]))


def _gets_on(process: Any) -> bool:
    """Waits for something to read: True. False as soon as the process has had no part of the processor to speak of."""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        before = _used(process)
        while not selector.select(_LOOK):
            after = _used(process)
            if before is not None and after is not None and after - before < _SHARE * _LOOK:
                return False
            before = after
    return True


def _used(process: Any) -> float | None:
    """The seconds of CPU time that a process has used; None where that is not known, or it has ended."""
    try:
        return time.clock_gettime(~process.pid << 3 | 2)  # how Linux numbers the clocks of processes
    except (OSError, AttributeError):
        return None
