"""Work in the background that nobody is to notice: pieces, rests, imports, and forks meanwhile."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tfbench.engine.compiled import gently, tier
from tfbench.engine.compiled.gently import Ended, Gently

ROOT = Path(__file__).resolve().parents[3]


class _Recorder(threading.Event):
    """An event that only says how long it would have been waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.rests: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.rests.append(timeout)
        return self.is_set()


def _spin(seconds: float) -> str:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return "done"


def _package(folder: Path, name: str, **modules: str) -> None:
    (folder / name).mkdir()
    for module, text in modules.items():
        (folder / name / f"{module}.py").write_text(text)


def test_a_rest_is_as_long_as_the_piece_was_and_more() -> None:
    ended = _Recorder()
    assert Gently(lambda: False, ended).do(_spin, 0.02) == "done"
    (rest,) = ended.rests
    assert rest >= gently.REST * 0.02


def test_what_it_waits_for_is_no_work() -> None:
    ended = _Recorder()
    Gently(lambda: False, ended).do(time.sleep, 0.1)
    assert ended.rests[0] < gently.REST * 0.05


def test_who_is_waited_for_does_not_rest() -> None:
    ended = _Recorder()
    Gently(lambda: True, ended).do(_spin, 0.001)
    assert ended.rests == []


def test_an_error_is_passed_on_and_locks_nothing() -> None:
    one = Gently(lambda: False, _Recorder())
    with pytest.raises(ZeroDivisionError):
        one.do(lambda: 1 / 0)
    assert one.do(lambda: 1) == 1


def test_at_the_end_a_rest_ends_and_nothing_more_is_begun() -> None:
    ended = threading.Event()
    one = Gently(lambda: False, ended)
    threading.Timer(0.1, ended.set).start()
    began = time.monotonic()
    one.do(_spin, 3.0 / gently.REST)
    assert time.monotonic() - began < 2.5
    with pytest.raises(Ended):
        one.do(_spin, 0)


def test_modules_are_imported_and_those_not_there_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "gentle_one.py").write_text("x = 1")
    ended = _Recorder()
    Gently(lambda: False, ended).modules(["sys", "gentle_nowhere", "gentle_one"])
    assert sys.modules.pop("gentle_one").x == 1
    assert len(ended.rests) == 2  # `sys` has been there


def test_a_package_is_imported_with_rests_between_its_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    spin = "import time\nend = time.thread_time() + 0.01\nwhile time.thread_time() < end: pass\n"
    _package(tmp_path, "gentle_parts", __init__=f"{spin}from gentle_parts import a, b", a=spin, b=spin)
    ended = _Recorder()
    made = Gently(lambda: False, ended).package("gentle_parts")
    assert made.b.end > made.a.end > made.end
    assert len(ended.rests) == 3
    assert all(gently.REST * 0.01 <= rest < gently.REST * 0.02 for rest in ended.rests)
    finder: Any = sys.path_importer_cache[str(tmp_path / "gentle_parts")]
    assert type(finder).__name__ == "FileFinder"  # nobody else meets ours


@pytest.mark.parametrize(
    ("name", "error"), [("gentle_broken", ZeroDivisionError), ("gentle_nowhere", ModuleNotFoundError)]
)
def test_a_package_that_cannot_be_imported(
    name: str, error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    _package(tmp_path, "gentle_broken", __init__="from gentle_broken import a", a="1 / 0")
    one = Gently(lambda: False, _Recorder())
    with pytest.raises(error):
        one.package(name)
    assert type(sys.path_importer_cache.get(str(tmp_path / "gentle_broken"))).__name__ in ("FileFinder", "NoneType")
    assert one.do(lambda: 1) == 1


def test_other_threads_meet_no_rests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    begun, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr(sys, "gentle_test", (begun, go_on), raising=False)
    _package(
        tmp_path,
        "gentle_shared",
        __init__="import sys\nbegun, go_on = sys.gentle_test\nbegun.set(); go_on.wait(60)\nfrom gentle_shared import a",
        a="",
    )
    ended = _Recorder()
    thread = threading.Thread(target=Gently(lambda: False, ended).package, args=("gentle_shared",))
    thread.start()
    assert begun.wait(60)
    finder: Any = sys.path_importer_cache[str(tmp_path / "gentle_shared")]
    assert finder.find_spec("gentle_shared.a") is not None
    finder.invalidate_caches()
    assert ended.rests == []
    go_on.set()
    thread.join(60)
    assert len(ended.rests) == 2


@pytest.mark.skipif(os.name != "posix", reason="dlopen is POSIX's")
def test_a_library_that_is_not_there_is_left_to_who_needs_it(tmp_path: Path) -> None:
    Gently(lambda: False, _Recorder()).load_library(str(tmp_path / "nothing.so"))


# -- forks -------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_waits_until_the_piece_is_done() -> None:
    done = _run(
        "import os, sys, threading, time\n"
        "from tfbench.engine.compiled.gently import Gently\n"
        "begun, half = threading.Event(), []\n"
        "def piece():\n"
        "    half.append(1); begun.set(); time.sleep(0.5); half.append(2)\n"
        "one = Gently(lambda: False, threading.Event())\n"
        "thread = threading.Thread(target=one.do, args=(piece,))\n"
        "thread.start(); begun.wait()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    ok = half == [1, 2] and Gently(lambda: True, threading.Event()).do(lambda: 7) == 7\n"
        "    os._exit(0 if ok else 9)\n"
        "thread.join()\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), one.do(lambda: 8))\n"
    )
    assert (done.stdout, done.stderr) == ("0 8\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_does_not_wait_for_ever() -> None:
    done = _run(
        "import os, threading, time\n"
        "from tfbench.engine.compiled import gently\n"
        "gently._PATIENCE = 0.2\n"
        "begun, go_on = threading.Event(), threading.Event()\n"
        "def piece(): begun.set(); go_on.wait(60)\n"
        "one = gently.Gently(lambda: False, threading.Event())\n"
        "thread = threading.Thread(target=one.do, args=(piece,))\n"
        "thread.start(); begun.wait()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(gently.Gently(lambda: True, threading.Event()).do(lambda: 7))\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "go_on.set(); thread.join()\n"
        "print(one.do(lambda: 8))\n"
    )
    assert (done.stdout, done.stderr) == ("7\n8\n", "")


def _run(text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", text],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


# -- what the thread imports -------------------------------------------------------------------------------------------


def test_the_list_of_the_library_is_complete() -> None:
    """What is not on it would be imported within another module, without a rest."""
    if not tier.installed():
        pytest.skip("the extra `fast` is not installed")
    done = _run(
        "import sys, numpy, threading\n"
        "from tfbench.engine.compiled import background\n"
        "one = background.Background()\n"
        "one._gently._hurried = lambda: True\n"
        "one._gently.modules(background._LIBRARY)\n"
        "before = set(sys.modules)\n"
        "one._prepare()\n"
        "print([name for name in sorted(set(sys.modules) - before) if name.split('.')[0] in sys.stdlib_module_names])\n"
    )
    assert done.stderr == ""
    small = {"base64", "_locale", "_string", "atexit", "importlib.resources._itertools"}
    assert set(ast.literal_eval(done.stdout)) <= small


def test_the_program_itself_imports_next_to_nothing() -> None:
    done = _run(
        "import sys, numpy, tfbench as tf\n"
        "with tf.Session() as session: session.run(tf.constant(1.0) + 1.0)\n"
        "import _thread; _thread.start_new_thread = lambda *arguments: 1\n"
        "from tfbench.engine.compiled import tier\n"
        "tier.installed = lambda: True\n"
        "kernel = tier.kernel('m', 'f')\n"
        "before = set(sys.modules)\n"
        "kernel.ready(2 * tier.WORTH)\n"
        "print(len(tier._pending), sorted(set(sys.modules) - before))\n",
        TFBENCH_FAST="1",
    )
    assert done.stderr == ""
    count, _, names = done.stdout.partition(" ")
    ours = {"tfbench.engine.compiled.background", "tfbench.engine.compiled.gently"}
    assert count == "1"
    assert ours <= set(ast.literal_eval(names)) <= ours | {"atexit"}
