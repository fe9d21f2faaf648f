"""A process with pipes, started without the GIL.

Where this is POSIX, `posix_spawn` is called through ctypes. Python's own ways (`subprocess`, `os.posix_spawn`) keep the
GIL until the new process has begun, and on a busy machine it has to wait for a core before it does: for 16 ms, or 80,
where seven programs share one.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Any

#: of <spawn.h>: the same on Linux and macOS
_SETPGROUP = 2


class Process:
    """A process of ours: its number, and the ends of its pipes."""

    def __init__(self, pid: int, stdin: int, stdout: int) -> None:
        self.pid = pid
        self.stdin = open(stdin, "wb", buffering=0)  # noqa: SIM115 (its owner closes it)
        self.stdout = open(stdout, "rb")  # noqa: SIM115
        self.returncode: int | None = None

    def kill(self) -> None:
        """Ends it, if it has not been waited for."""
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Waits for its end."""
        if self.returncode is None:
            try:
                self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            except ChildProcessError:  # somebody else has waited for all children
                self.returncode = 0
        return self.returncode


def spawn(command: list[str], behind: bool) -> Any:
    """A `Process`, or what `subprocess` makes, with pipes as standard input and output.

    In a group of its own: Ctrl-C in a terminal goes to all processes of the foreground group. `behind`: Windows is to
    run it behind others; elsewhere a process sees to this itself. OSError if it cannot be started.
    """
    if os.name == "posix":
        theirs, ours = os.pipe()
        mine, its = os.pipe()
        try:
            if min(theirs, ours, mine, its) > 2:
                return Process(_posix_spawn(command, theirs, its), os.dup(ours), os.dup(mine))
        finally:
            for descriptor in (theirs, ours, mine, its):
                os.close(descriptor)
    return _popen(command, behind)


def _posix_spawn(command: list[str], stdin: int, stdout: int) -> int:
    library = ctypes.CDLL(None)
    # Both are structures or pointers, of at most some hundred bytes.
    actions, attributes = ((ctypes.c_uint64 * 128)() for _ in range(2))
    library.posix_spawn_file_actions_init(actions)
    library.posix_spawnattr_init(attributes)
    try:
        library.posix_spawn_file_actions_adddup2(actions, stdin, 0)
        library.posix_spawn_file_actions_adddup2(actions, stdout, 1)
        library.posix_spawn_file_actions_addopen(actions, 2, os.fsencode(os.devnull), os.O_WRONLY, 0)
        library.posix_spawnattr_setpgroup(attributes, 0)
        library.posix_spawnattr_setflags(attributes, ctypes.c_short(_SETPGROUP))
        number = ctypes.c_int()
        environment = [name + b"=" + value for name, value in os.environb.items()]
        failed = library.posix_spawn(
            ctypes.byref(number),
            os.fsencode(command[0]),
            actions,
            attributes,
            _strings([os.fsencode(word) for word in command]),
            _strings(environment),
        )
    finally:
        library.posix_spawn_file_actions_destroy(actions)
        library.posix_spawnattr_destroy(attributes)
    if failed:
        raise OSError(failed, os.strerror(failed), command[0])
    return number.value


def _strings(values: list[bytes]) -> Any:
    return (ctypes.c_char_p * (len(values) + 1))(*values, None)


def _popen(command: list[str], behind: bool) -> Any:
    import subprocess

    apart: dict[str, Any] = {"process_group": 0}
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | (subprocess.BELOW_NORMAL_PRIORITY_CLASS if behind else 0)
        apart = {"creationflags": flags}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **apart)
