"""NumPy first, machine code later: when it is made, what can go wrong, and that nobody notices."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfbench.engine.compiled import background, cache, tier

pytestmark = pytest.mark.skipif(not tier.installed(), reason="the extra `fast` is not installed")

SAMPLES = "tests.engine.compiled.samples"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty disk cache, and no kernels from other tests."""
    monkeypatch.setenv("TFBENCH_CACHE_DIR", str(tmp_path / "cache"))
    tier.kernel.cache_clear()
    yield
    tier.kernel.cache_clear()


def _settled(kernel: tier.Kernel) -> tier.Kernel:
    """The kernel when what it has asked for has been dealt with."""
    assert kernel.done.wait(60)
    return kernel


def _program(text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", text],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


# -- when --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["f4", "f8", "i4", "i8"])
def test_waiting_gives_the_function(kind: str) -> None:
    with tier.using(tier.WAIT):
        scale = tier.kernel(SAMPLES, "scale", kind, 3).ready(1)
    assert scale is not None
    x = np.arange(12).reshape(4, 3).astype(kind)
    out = np.zeros_like(x)
    scale(x, out, 1, 3)
    np.testing.assert_array_equal(out, [[0, 0, 0], [9, 12, 15], [18, 21, 24], [0, 0, 0]])


def test_numbers_are_arguments_and_constants() -> None:
    with tier.using(tier.WAIT):
        two, half = (tier.kernel(SAMPLES, "add", number).ready(1) for number in (2.0, 0.5))
    x = np.zeros(3)
    two(x, 10.0)
    half(x, 10.0)
    np.testing.assert_array_equal(x, [25, 25, 25])


def test_in_the_background_only_after_enough_work() -> None:
    with tier.using(tier.BACKGROUND):
        kernel = tier.kernel(SAMPLES, "scale", "f4", 2)
        assert kernel.ready(tier.LOOK) is None
        assert not kernel.done.is_set()
        assert kernel.ready(1) is None  # this was enough to look for it: there is none
        assert _settled(kernel).run is None
        assert kernel.ready(1) is None
        assert kernel.ready(tier.WORTH) is None  # and this to have it made
        assert _settled(kernel).run is not None
        assert kernel.ready(1) is kernel.run


def test_what_is_on_disk_needs_less_work() -> None:
    with tier.using(tier.WAIT):
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None
    tier.kernel.cache_clear()
    with tier.using(tier.BACKGROUND):
        kernel = tier.kernel(SAMPLES, "scale", "f4", 2)
        kernel.ready(tier.LOOK + 1)
        assert _settled(kernel).run is not None


def test_what_is_asked_for_again_before_it_is_there_is_loaded_once() -> None:
    with tier.using(tier.WAIT):
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None
    tier.kernel.cache_clear()
    with tier.using(tier.BACKGROUND):
        kernel = tier.kernel(SAMPLES, "scale", "f4", 2)
        kernel.ready(tier.LOOK + 1)
        kernel.ready(tier.WORTH)  # now it is to be made; it may not have been looked for yet
        first = _settled(kernel).run
        assert first is not None
        marker = tier.kernel(SAMPLES, "add", 3.0)  # what comes last is dealt with last, if it costs least
        marker.ready(tier.WORTH + 1)
        marker.ready(tier.WORTH + 1)
        _settled(marker)
        assert kernel.run is first


def test_an_attempt_needs_nothing_else_to_live() -> None:
    with tier.using(tier.WAIT):
        kernel = tier.kernel(SAMPLES, "scale", "f4", 2)
        run: Any = kernel.ready(1)
        attempt = run.attempt
        kernel.run = None
        tier.kernel.cache_clear()
        del kernel, run
        gc.collect()
        assert tier.kernel(SAMPLES, "scale", "f4", 5).ready(1) is not None  # where the other's code was, perhaps
    x, out = np.arange(6, dtype=np.float32).reshape(3, 2), np.zeros((3, 2), np.float32)
    for _ in range(100):
        assert attempt(x, out, 0, 3) == 0
    np.testing.assert_array_equal(out, 2 * x)


def test_switched_off_nothing_is_asked_for() -> None:
    with tier.using(tier.OFF):
        kernel = tier.kernel(SAMPLES, "scale", "f4", 2)
        assert kernel.ready(10 * tier.WORTH) is None
        assert not kernel.done.is_set()
    with tier.using(tier.WAIT):
        assert kernel.ready(1) is not None
    with tier.using(tier.OFF):
        assert kernel.ready(1) is None


@pytest.mark.parametrize(
    ("said", "mode"), [("0", tier.OFF), ("1", tier.BACKGROUND), ("wait", tier.WAIT), ("WAIT ", tier.WAIT)]
)
def test_what_the_variable_says(said: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBENCH_FAST", said)
    monkeypatch.setattr(tier, "_mode", "")
    assert tier.mode() == mode


def test_without_the_extra_it_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBENCH_FAST", "wait")
    monkeypatch.setattr(tier, "_mode", "")
    monkeypatch.setattr(tier, "installed", lambda: False)
    assert tier.mode() == tier.OFF
    assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is None


def test_all_who_wait_get_it() -> None:
    kernel = tier.kernel(SAMPLES, "scale", "f8", 7)
    got: list[Any] = []
    with tier.using(tier.WAIT):
        threads = [threading.Thread(target=lambda: got.append(kernel.ready(1))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert got == [kernel.run] * 4
    assert kernel.run is not None


# -- arguments ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((2, 3), np.float64),
        np.zeros(6, np.float32),
        np.zeros((3, 2), np.float32).T,
        np.zeros((2, 6), np.float32)[:, ::2],
        np.zeros((2, 3), ">f4"),
    ],
    ids=["type", "rank", "transposed", "strided", "byte order"],
)
def test_other_arrays_are_refused(wrong: Any) -> None:
    with tier.using(tier.WAIT):
        scale = tier.kernel(SAMPLES, "scale", "f4", 2).ready(1)
    with pytest.raises(TypeError, match="f4"):
        scale(wrong, np.zeros((2, 3), np.float32), 0, 2)


# -- what goes wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (4,), (2, 0, 3), (2, 3, 4)])
def test_arrays_with_any_axes(shape: tuple[int, ...]) -> None:
    with tier.using(tier.WAIT):
        shift: Any = tier.kernel(SAMPLES, "shift").ready(1)
    x, y = np.zeros(shape, np.float32), np.full(shape, 3, np.float32)
    for by in (np.float32(2), np.array(2, np.float32)):
        shift(x, by, y)
    np.testing.assert_array_equal(x, np.full(shape, 12))
    if not shape:
        shift(x, np.float32(2), np.float32(4))
        assert x == 20


def test_an_attempt_says_what_does_not_fit() -> None:
    with tier.using(tier.WAIT):
        shift: Any = tier.kernel(SAMPLES, "shift").ready(1)
    x, two = np.zeros((2, 3), np.float32), np.float32(2)
    assert shift.attempt(x, two, x) == 0
    for number, given in [
        (1, (x.astype(np.float64), two, x)),
        (1, (two, two, two)),
        (1, (None, two, x)),
        (1, (x.T, two, x.T)),
        (2, (x, 2.0, x)),
        (2, (x, np.float64(2), x)),
        (2, (x, np.ones(1, np.float32), x)),
        (2, (x, np.array(2.0), x)),
        (3, (x, two, x.T)),
        (3, (x, two, two)),
        (3, (x, two, x.reshape(-1))),
        (3, (x, two, x.reshape(3, 2))),
        (3, (x, two, x[:1])),
    ]:
        assert shift.attempt(*given) == number
        with pytest.raises(TypeError, match=f"argument {number} is"):
            shift(*given)
    np.testing.assert_array_equal(x, 0)


@pytest.mark.parametrize(
    ("maker", "reason"),
    [("raises", "must not raise"), ("nonsense", "expected"), ("unknown", "not_there"), ("missing", "no attribute")],
)
def test_what_cannot_be_compiled_stays_numpy(maker: str, reason: str, caplog: pytest.LogCaptureFixture) -> None:
    with tier.using(tier.WAIT), caplog.at_level(logging.WARNING, "tfbench"):
        kernel = tier.kernel(SAMPLES, maker)
        for _ in range(3):
            assert kernel.ready(1) is None
        assert reason in (kernel.error or "")
        assert len(caplog.records) == 1
        assert maker in caplog.text
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None  # the next one is not hurt


def test_a_process_that_ends_is_started_again(tmp_path: Path) -> None:
    with tier.using(tier.WAIT):
        assert tier.kernel(SAMPLES, "dies_once", str(tmp_path / "marker")).ready(1) is not None


def test_a_process_that_always_ends_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    with tier.using(tier.WAIT):
        kernel = tier.kernel(SAMPLES, "dies")
        assert kernel.ready(1) is None
        assert "without an answer" in (kernel.error or "")
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None


def test_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(background, "background", background.Background())
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with tier.using(tier.WAIT):
        kernel = tier.kernel(SAMPLES, "scale", "f4", 2)
        assert kernel.ready(1) is None
    assert "nowhere" in (kernel.error or "")


@pytest.mark.parametrize("damage", [b"", b"x" * 200, None], ids=["empty", "other", "cut"])
def test_a_damaged_cache_is_made_again(damage: bytes | None) -> None:
    place = cache.folder()
    assert place is not None
    with tier.using(tier.WAIT):
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None
        (path,) = place.iterdir()
        whole = path.read_bytes()
        path.write_bytes(whole[:-9] if damage is None else damage)
        tier.kernel.cache_clear()
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None
    assert len(path.read_bytes()) == len(whole)


def test_no_place_for_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TFBENCH_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with tier.using(tier.WAIT):
        assert tier.kernel(SAMPLES, "scale", "f4", 2).ready(1) is not None
    monkeypatch.delenv("TFBENCH_CACHE_DIR")
    monkeypatch.setattr(Path, "home", _no_home)
    assert cache.folder() is None
    assert cache.read("anything") is None


def _no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_old_entries_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "KEPT", 3)
    place = cache.folder()
    assert place is not None
    for number in range(5):
        cache.write(place, f"kernel{number}", cache.Compiled("f", ("f4[1]",), bytes(number)))
        os.utime(place / f"kernel{number}", (number, number))
    assert sorted(path.name for path in place.iterdir()) == ["kernel2", "kernel3", "kernel4"]
    found = cache.read("kernel3")
    assert found is not None
    assert (found.name, found.arguments, found.image) == ("f", ("f4[1]",), bytes(3))


def test_ctrl_c_while_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = tier.kernel(SAMPLES, "scale", "f4", 11)
    with tier.using(tier.WAIT):
        monkeypatch.setattr(kernel.done, "wait", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            kernel.ready(1)
        monkeypatch.undo()
        assert kernel.ready(1) is not None


def _interrupted(timeout: float | None = None) -> bool:
    raise KeyboardInterrupt


# -- processes ---------------------------------------------------------------------------------------------------------


def test_nothing_is_loaded_before_it_pays() -> None:
    made = _program(
        "import sys, numpy as np, tfbench as tf\n"
        "x = tf.constant(np.ones((1, 8, 8, 4), np.float32))\n"
        "y = tf.nn.conv2d(x, tf.ones([3, 3, 4, 4]), [1, 1, 1, 1], 'SAME')\n"
        "with tf.Session() as session: session.run(y)\n"
        "print([name for name in ('numba', 'llvmlite', 'subprocess') if name in sys.modules])\n",
        TFBENCH_FAST="1",
    )
    assert (made.stdout, made.stderr) == ("[]\n", "")


def test_numba_stays_out_of_this_process() -> None:
    made = _program(
        "import sys\nfrom tfbench.engine.compiled import tier\n"
        f"print(tier.kernel({SAMPLES!r}, 'scale', 'f4', 2).ready(1) is not None, 'numba' in sys.modules)\n",
        TFBENCH_FAST="wait",
    )
    assert (made.stdout, made.stderr) == ("True False\n", "")


def test_the_end_waits_for_nothing() -> None:
    began = time.monotonic()
    made = _program(
        "import time\nfrom tfbench.engine.compiled import tier\n"
        f"tier.kernel({SAMPLES!r}, 'slow').ready(2 * tier.WORTH)\n"
        f"kernel = tier.kernel({SAMPLES!r}, 'slow')\n"
        "while not kernel.done.is_set(): time.sleep(0.01)\n"
        "kernel.ready(1)\n"
        "time.sleep(1)\n",
        TFBENCH_FAST="1",
    )
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    assert time.monotonic() - began < 30


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_process_compiles_for_itself() -> None:
    made = _program(
        "import os\nfrom tfbench.engine.compiled import tier\n"
        f"assert tier.kernel({SAMPLES!r}, 'scale', 'f4', 2).ready(1)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        f"    os._exit(0 if tier.kernel({SAMPLES!r}, 'scale', 'f4', 3).ready(1) else 9)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n",
        TFBENCH_FAST="wait",
    )
    assert (made.stdout, made.stderr) == ("0\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_process_runs_what_it_inherits() -> None:
    made = _program(
        "import gc, os\nimport numpy as np\nfrom tfbench.engine.compiled import tier\n"
        f"run = tier.kernel({SAMPLES!r}, 'scale', 'f4', 2).ready(1)\n"
        "x = np.ones((3, 2), np.float32)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    gc.collect()\n"
        "    out = np.zeros_like(x)\n"
        "    run(x, out, 0, 3)\n"
        "    os._exit(0 if out.sum() == 12 else 9)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n",
        TFBENCH_FAST="wait",
    )
    assert (made.stdout, made.stderr) == ("0\n", "")


def test_sources_that_have_changed_since(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(cache, "sources_digest", lambda: "those of yesterday")
    monkeypatch.setattr(background, "background", background.Background())
    with tier.using(tier.WAIT):
        kernel = tier.kernel(SAMPLES, "scale", "f4", 2)
        assert kernel.ready(1) is None
    assert "changed on disk since the program began" in (kernel.error or "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's here")
def test_ctrl_c_leaves_the_compiling_process_alone() -> None:
    made = _program(
        "import os, signal\nfrom tfbench.engine.compiled import tier, background\n"
        f"tier.kernel({SAMPLES!r}, 'scale', 'f4', 2).ready(1)\n"
        "process = background.background._compiler._process\n"
        "print(os.getpgid(process.pid) == process.pid)\n"
        "os.kill(process.pid, signal.SIGINT)\n"
        f"print(tier.kernel({SAMPLES!r}, 'scale', 'f4', 3).ready(1) is not None)\n"
        "print(process is background.background._compiler._process)\n",
        TFBENCH_FAST="wait",
    )
    assert (made.stdout, made.stderr) == ("True\nTrue\nTrue\n", "")


def test_what_costs_most_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    own = background.Background()
    monkeypatch.setattr(background, "background", own)
    order: list[Any] = []
    begun, go_on = threading.Event(), threading.Event()

    def handle(kernel: tier.Kernel, compiles: bool) -> None:
        order.append(kernel.parameters[0])
        begun.set()
        go_on.wait(60)

    monkeypatch.setattr(own, "_handle", handle)
    with tier.using(tier.BACKGROUND):
        kernels = [tier.kernel(SAMPLES, "add", number) for number in (1, 2, 3, 4)]
        kernels[0].ready(2 * tier.LOOK)
        assert begun.wait(60)  # the others come while the first is made
        for kernel, cost in zip(kernels[1:], (2, 9, 5)):
            kernel.ready(cost * tier.LOOK)
        go_on.set()
        for kernel in kernels:
            _settled(kernel)
    assert order == [1, 3, 4, 2]
    own.close()
