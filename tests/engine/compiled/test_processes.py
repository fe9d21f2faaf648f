"""The thread and the process that get machine code, and what may happen to them: ends, forks, no core, no disk."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.engine.compiled.test_tier import ROOT, SAMPLES, _own_cache, _program
from tfbench.engine.compiled import background, cache, compiler, priority, tier
from tfbench.engine.compiled.spawn import spawn

pytestmark = pytest.mark.skipif(not tier.installed(), reason="the extra `fast` is not installed")

assert _own_cache  # a fixture: an empty disk cache for each test

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks are POSIX's here")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says so")


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A thread and a process of this test's own."""
    made = background.Background()
    monkeypatch.setattr(background, "background", made)
    yield made
    made.close()


def _gone(pid: int) -> bool:
    """Whether there is no such process any more (or only what its parent has not asked about yet)."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _wait(condition: Any, seconds: float = 30.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


# -- the end -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.1, 0.3, 0.6, 1.0, 2.0])
def test_the_end_comes_at_any_moment(seconds: float) -> None:
    """While the thread starts, imports, loads LLVM, starts the process, waits for it, links."""
    made = _program(
        "import time\nfrom tfbench.engine.compiled import tier\n"
        f"kernels = [tier.kernel({SAMPLES!r}, 'scale', 'f4', factor) for factor in range(9)]\n"
        "for _ in range(2):\n"
        "    for kernel in kernels: kernel.ready(2 * tier.WORTH)\n"
        f"time.sleep({seconds})\n"
        "for kernel in kernels: kernel.ready(2 * tier.WORTH)\n"
        "began = time.monotonic()\n"
        "import atexit\n"
        "atexit._run_exitfuncs()\n"
        "print(time.monotonic() - began < 5)\n",
        TFBENCH_FAST="1",
    )
    assert (made.returncode, made.stdout, made.stderr) == (0, "True\n", "")


@linux
@pytest.mark.parametrize("sign", ["SIGKILL", "SIGTERM"])
def test_the_process_ends_with_the_program(sign: str) -> None:
    """Even where a child of the program lives on, which has taken over the ends of its pipes."""
    program = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os, sys, time\nfrom tfbench.engine.compiled import tier, background\n"
            f"tier.kernel({SAMPLES!r}, 'scale', 'f4', 2).ready(1)\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    time.sleep(60)\n"
            "    os._exit(0)\n"
            "print(background.background._compiler._process.pid, child, flush=True)\n"
            "time.sleep(60)\n",
        ],
        cwd=ROOT,
        env={**os.environ, "TFBENCH_FAST": "wait"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    worker, child = map(int, program.stdout.readline().split())
    try:
        assert not _gone(worker)
        program.send_signal(getattr(signal, sign))
        program.wait(30)
        assert _wait(lambda: _gone(worker))
        assert not _gone(child)
    finally:
        program.stdout.close()
        os.kill(child, signal.SIGKILL)


# -- forks -------------------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8])
def test_a_fork_at_any_moment(seconds: float) -> None:
    """The child imports what the thread imported just then, and gets a kernel by itself."""
    made = _program(
        "import os, signal, sys, time\nfrom tfbench.engine.compiled import tier\n"
        f"kernel = tier.kernel({SAMPLES!r}, 'scale', 'f4', 2)\n"
        "for _ in range(2): kernel.ready(2 * tier.WORTH)\n"
        f"time.sleep({seconds})\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    signal.alarm(50)\n"
        "    import json, tempfile, zipfile, subprocess, hashlib, llvmlite.binding, importlib.resources\n"
        "    with tier.using(tier.WAIT):\n"
        "        os._exit(0 if kernel.ready(1) is not None else 9)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n",
        TFBENCH_FAST="1",
    )
    assert (made.stdout, made.stderr) == ("0\n", "")


@posix
def test_a_child_leaves_the_parents_process_alone() -> None:
    made = _program(
        "import gc, os\nfrom tfbench.engine.compiled import tier, background\n"
        f"assert tier.kernel({SAMPLES!r}, 'scale', 'f4', 2).ready(1)\n"
        "before = background.background._compiler._process\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    del before\n"
        "    gc.collect()\n"
        "    background.background.close()\n"
        "    os._exit(0)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
        f"assert tier.kernel({SAMPLES!r}, 'scale', 'f4', 3).ready(1)\n"
        "print(background.background._compiler._process is before, before.returncode)\n",
        TFBENCH_FAST="wait",
        PYTHONWARNINGS="error",
    )
    assert (made.stdout, made.stderr) == ("True None\n", "")


# -- the process -------------------------------------------------------------------------------------------------------


def test_half_an_answer_is_none(own: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    begun: list[Any] = []

    def half(command: list[str], behind: bool) -> Any:
        text = "import sys; sys.stdin.readline(); print('{\"compiled\": \"AAAA', end='')"
        begun.append(spawn([command[0], "-c", text] if not begun else command, behind))
        return begun[-1]

    monkeypatch.setattr(compiler, "spawn", half)
    with tier.using(tier.WAIT):
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None
    assert len(begun) == 2


def test_it_ends_when_there_is_nothing_to_compile(own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "IDLE", 0.1)
    with tier.using(tier.WAIT):
        for factor in (2, 3):
            assert tier.kernel(SAMPLES, "scale", "f4", factor).ready(1) is not None
            assert _wait(lambda: not own._compiler.running)


@linux
def test_it_is_as_modest_as_it_can_be_unless_somebody_waits(own: Any) -> None:
    with tier.using(tier.BACKGROUND):
        kernel = tier.kernel(SAMPLES, "slow")
        for _ in range(2):
            kernel.ready(2 * tier.WORTH)
            assert _wait(lambda: own._compiler is not None)
            assert _wait(lambda: own._compiler.running or kernel.done.is_set())
        assert _wait(lambda: own._compiler.running)
        process = own._compiler._process
        assert _wait(lambda: os.sched_getscheduler(process.pid) == os.SCHED_IDLE)
        own._compiler.kill()
        assert _wait(lambda: own._compiler.running and own._compiler._process is not process)
        own._compiler.kill()  # the second time: it is given up
        assert kernel.done.wait(60)
    with tier.using(tier.WAIT):
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None
        process = own._compiler._process
        assert os.sched_getscheduler(process.pid) == os.SCHED_OTHER
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == os.getpriority(os.PRIO_PROCESS, 0)


@linux
def test_where_it_gets_no_core_a_less_modest_one_takes_over(own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_LOOK", 0.2)
    monkeypatch.setattr(compiler, "_SHARE", 99.0)  # more than there can be
    with tier.using(tier.BACKGROUND):
        kernel = tier.kernel(SAMPLES, "scale", "f4", 2)
        for _ in range(2):
            kernel.ready(2 * tier.WORTH)
            assert kernel.done.wait(60)
        assert kernel.run is not None
        assert own._compiler._level == priority.MODEST
        nice = os.getpriority(os.PRIO_PROCESS, own._compiler._process.pid)
        assert nice == min(19, os.getpriority(os.PRIO_PROCESS, 0) + priority._NICE)


def test_what_the_system_refuses_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse, raising=False)
    monkeypatch.setattr(os, "nice", refuse, raising=False)
    for level in (priority.EQUAL, priority.MODEST, priority.IDLE):
        priority.lower(level)


@posix
def test_a_process_is_spawned_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPAWNED", "täglich")
    text = (
        "import os, sys\n"
        "print(os.getpgid(0) == os.getpid(), os.environ['SPAWNED'], sys.stdin.read(), flush=True)\n"
        "print('nobody reads this', file=sys.stderr)\n"
    )
    process = spawn([sys.executable, "-X", "utf8", "-c", text], behind=True)
    process.stdin.write(b"hello")
    process.stdin.close()
    assert process.stdout.read().decode() == "True täglich hello\n"
    process.stdout.close()
    assert process.wait() == process.wait() == 0
    process.kill()  # nothing is there to end


@linux
def test_it_keeps_no_file_of_the_program_open(own: Any) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    with tier.using(tier.WAIT):
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None
    assert own._compiler.running
    os.close(writing)
    assert os.read(reading, 1) == b""  # nobody else could write
    os.close(reading)


@posix
def test_children_that_somebody_else_has_waited_for() -> None:
    process = spawn([sys.executable, "-c", ""], behind=False)
    os.waitpid(process.pid, 0)
    assert process.wait() == 0
    process.stdin.close()
    process.stdout.close()


def test_a_program_that_is_not_there() -> None:
    before = len(os.listdir("/dev/fd")) if os.path.exists("/dev/fd") else 0
    with pytest.raises(FileNotFoundError, match="/nowhere/python"):
        spawn(["/nowhere/python"], behind=False)
    assert before == (len(os.listdir("/dev/fd")) if before else 0)


@posix
def test_without_standard_streams() -> None:
    """The pipes then get their numbers."""
    made = _program(
        "import os\nfrom tfbench.engine.compiled import tier\n"
        "kept = os.dup(1)\n"
        "for number in (0, 1, 2): os.close(number)\n"
        f"os.write(kept, b'yes' if tier.kernel({SAMPLES!r}, 'scale', 'f4', 2).ready(1) else b'no')\n",
        TFBENCH_FAST="wait",
    )
    assert made.stdout == "yes"


# -- the cache ---------------------------------------------------------------------------------------------------------


def test_several_programs_with_one_cache() -> None:
    text = (
        "from tfbench.engine.compiled import tier\n"
        f"print(all(tier.kernel({SAMPLES!r}, 'scale', 'f4', factor).ready(1) for factor in range(4)))\n"
    )
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", text],
            cwd=ROOT,
            env={**os.environ, "TFBENCH_FAST": "wait"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert [program.communicate(timeout=100) for program in programs] == [("True\n", "")] * 3
    place = cache.folder()
    assert place is not None
    names = [path.name for path in place.iterdir()]
    assert len(names) == 4
    assert all(cache.read(name) is not None for name in names)


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache.write(tmp_path, "kernel", cache.Compiled("f", (), b"code"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_or_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(cache.tempfile, "mkstemp", refuse)
    cache.write(tmp_path, "kernel", cache.Compiled("f", (), b"code"))
    monkeypatch.setattr(Path, "mkdir", refuse)
    cache.write(tmp_path / "new", "kernel", cache.Compiled("f", (), b"code"))
    assert list(tmp_path.iterdir()) == []


def test_what_ended_processes_left_goes(tmp_path: Path) -> None:
    (tmp_path / "new-old").touch()
    os.utime(tmp_path / "new-old", (1, 1))
    (tmp_path / "new-young").touch()
    cache.write(tmp_path, "kernel", cache.Compiled("f", (), b"code"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kernel", "new-young"]


@posix
def test_what_belongs_to_another_user_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBENCH_CACHE_DIR", str(tmp_path))
    cache.write(tmp_path, "kernel", cache.Compiled("f", (), b"code"))
    assert cache.read("kernel") is not None
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert cache.read("kernel") is None


def test_damaged_machine_code_stays_numpy(own: Any, caplog: pytest.LogCaptureFixture) -> None:
    """The digest is right, what it is of is no object file."""
    place = cache.folder()
    assert place is not None
    with tier.using(tier.WAIT):
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None
        (path,) = place.iterdir()
        cache.write(place, path.name, cache.Compiled("tfbench_kernel", ("f4[2]",), b"no object file"))
        tier.kernel.cache_clear()
        kernel = tier.kernel(SAMPLES, "scale", "f4", 2)
        assert kernel.ready(1) is None
        assert kernel.error
        assert tier.kernel(SAMPLES, "scale", "f4", 3).ready(1) is not None
