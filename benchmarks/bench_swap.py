"""Whether anybody notices that compiled kernels are swapped in: `python -m benchmarks swap`, or this module by itself.

A process trains the CIFAR-10 model, in small batches so that a step is short, and notes of each step how long it took,
how much of that its thread computed (`time.thread_time`), and how long the thread could have run but had no core
(Linux counts that: /proc/thread-self/schedstat). For the rest it was *held*: it waited for the GIL, a lock or a disk.
Nothing of this kind is part of a step that is computed with one thread; so what a step is held by us, is at most that,
and at most the time that our thread in the background has worked meanwhile, or had no core while it may have had the
GIL. (A virtual machine that is not run for a while shows as held, too, in any of the ways.)

Being without a core does, and no counter tells whether other programs were there or our process that compiles. So
four ways are run in turns: without compiled kernels; with an empty cache; with a full one; and with an empty one and
the process that compiles stopped half of the time, a third of a second here and there: what steps then lack a core for
while it runs, beyond what they do while it is stopped, it has taken from them.

`--load N` has N processes compute beside it all. Full garbage collections are kept out: every program has some.
Exit status 1: a step was held for too long.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from benchmarks import harness

#: a step may be held by us for so many milliseconds: a fifth of one, and nothing that anybody sees
MOST = 2.0

#: the ways that are compared: what the table calls them, and TFBENCH_FAST
_WAYS = {
    "off": ("off", "0"),
    "cold": ("empty cache", "1"),
    "warm": ("full cache", "1"),
    "turns": ("empty cache, stopped in turns", "1"),
}

#: seconds after which a process stops in any case
_LONGEST = 120.0
#: seconds for which the process that compiles runs, and is stopped
_TURN = 0.33


# -- the process that trains -------------------------------------------------------------------------------------------


class _Clock:
    """In milliseconds: wall time, what the calling thread has computed, how long it was without a core; and for how
    long the thread in the background has computed or been without a core: for longer it cannot have held anybody."""

    def __init__(self) -> None:
        self._own = _schedstat("thread-self")
        self._thread: tuple[int, Any] | None = None

    def read(self) -> tuple[float, float, float, float]:
        return time.perf_counter() * 1e3, time.thread_time() * 1e3, _waited(self._own), sum(self.background())

    def background(self) -> tuple[float, float]:
        if self._thread is None:
            module = sys.modules.get("tfbench.engine.compiled.background")
            found = module.background if module is not None else None
            if found is None or not found.native:
                return 0.0, 0.0
            self._thread = time.pthread_getcpuclockid(found.thread), _schedstat(f"self/task/{found.native}")
        clock, file = self._thread
        return time.clock_gettime(clock) * 1e3, _waited(file)


def _schedstat(thread: str) -> Any:
    try:
        return open(f"/proc/{thread}/schedstat", "rb", buffering=0)
    except OSError:
        return None  # not Linux: what was without a core counts as held


def _waited(file: Any) -> float:
    if file is None:
        return 0.0
    file.seek(0)
    return int(file.read().split()[1]) / 1e6


class _Turns:
    """Stops the process that compiles, and has it go on, in turns."""

    def __init__(self) -> None:
        self.stopped = False
        self._next = 0.0

    def turn(self) -> None:
        from tfbench.engine.compiled.background import background

        process = background._compiler and background._compiler._process
        if process is not None and time.monotonic() > self._next:
            self.stopped = not self.stopped
            os.kill(process.pid, signal.SIGSTOP if self.stopped else signal.SIGCONT)
            self._next = time.monotonic() + _TURN
        elif process is None:
            self.stopped = False


def _train(seconds: float, threads: int, batch: int, turns: _Turns | None) -> dict[str, Any]:
    import numpy as np

    import tfbench as tf
    from benchmarks.case import session
    from examples import cifar10
    from tfbench.engine.compiled import tier

    rng = np.random.default_rng(0)
    images = tf.constant(rng.normal(size=(batch, 24, 24, 3)).astype(np.float32))
    labels = tf.constant(rng.integers(0, 10, batch).astype(np.int32))
    step, loss, _ = cifar10.train(tf, images, labels, ["/cpu:0"])
    sess = session(tf, threads)
    sess.run(tf.global_variables_initializer())
    call = sess.make_callable([step, loss])
    with tier.using(tier.OFF):
        for _ in range(5):
            call()
    gc.collect()
    gc.freeze()
    clock = _Clock()
    kernels: dict[int, Any] = {}
    steps: list[list[float]] = []
    wished = swapped = 0
    settled = True
    begun = time.perf_counter()
    while True:
        then = clock.read()
        call()
        wall, computed, waited, background = (a - b for a, b in zip(clock.read(), then, strict=True))
        new = tier._pending[wished:]
        wished += len(new)
        kernels.update((id(kernel), kernel) for kernel in new)
        there = sum(kernel.run is not None for kernel in kernels.values())
        now = time.perf_counter() - begun
        held = max(0.0, wall - computed - waited)  # clocks differ by some microseconds
        stopped = turns is not None and turns.stopped
        waiting = not settled
        settled = all(kernel.done.is_set() for kernel in kernels.values())
        waiting = waiting or not settled or there > swapped
        steps.append([wall, computed, waited, held, background, stopped, waiting, now])
        swapped = there
        if now > _LONGEST or (now > seconds and settled):
            break
        if turns is not None and kernels:
            turns.turn()
    errors = [kernel.error for kernel in kernels.values() if kernel.error]
    return {"steps": steps, "swapped": swapped, "errors": errors, "background": clock.background()[0]}


# -- the parent --------------------------------------------------------------------------------------------------------


def _run(way: str, folder: str, options: argparse.Namespace, seconds: float) -> dict[str, Any]:
    name, fast = _WAYS[way]
    one = harness.Implementation(name, "tfbench", sys.executable, TFBENCH_FAST=fast, TFBENCH_CACHE_DIR=folder)
    numbers = [str(seconds), str(options.threads), str(options.batch), way]
    made = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_swap", "--child", *numbers],
        cwd=harness.ROOT,
        env=one.env(options.threads),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    result: dict[str, Any] = json.loads(made.stdout)
    if result["errors"]:
        raise RuntimeError(f"Kernels were not compiled: {result['errors']}")
    return result


@contextlib.contextmanager
def _load(count: int) -> Iterator[None]:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def figures(result: dict[str, Any]) -> dict[str, float]:
    """What one run says of the steps that something was done for (of all, if nothing is)."""
    steps = result["steps"]
    part = [step for step in steps if step[6]] or steps
    wall, computed, waited, held = ([step[column] for step in part] for column in range(4))
    ours = [min(step[3], step[4]) for step in part]
    running, stopped = ([step[2] for step in part if step[5] == flag] for flag in (False, True))
    return {
        "steps": len(part),
        "a step, the first 50, median": statistics.median(wall[:50]),
        "a step, the last 100 of all, median": statistics.median(step[0] for step in steps[-100:]),
        "a step, 99th percentile": _percentile(wall, 0.99),
        "a step, longest": max(wall),
        "its thread computed, longest": max(computed),
        "held, 99th percentile": _percentile(held, 0.99),
        "held, longest": max(held),
        "held by us, longest": max(ours),
        "held by us, all steps together": sum(ours),
        "without a core, mean": statistics.mean(running or [0.0]),
        "without a core, mean while stopped": statistics.mean(stopped or [0.0]),
        "without a core, 99th percentile": _percentile(waited, 0.99),
        "without a core, longest": max(waited),
        "kernels swapped in": result["swapped"],
        "seconds while some were made": sum(wall) / 1e3 if result["swapped"] else 0.0,
        "seconds until the last was in place": max((step[7] for step in steps if step[6]), default=0.0),
        "computed by the thread in the background": result["background"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_swap", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--child", nargs=4, metavar=("SECONDS", "THREADS", "BATCH", "WAY"), help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each way (default: 3)")
    parser.add_argument("--seconds", type=float, default=15.0, help="the least that a process trains (default: 15)")
    parser.add_argument("--threads", type=int, default=1, help="threads to compute with (default: 1)")
    parser.add_argument("--batch", type=int, default=8, help="images of a step (default: 8)")
    parser.add_argument("--load", type=int, default=0, help="processes that compute beside it (default: 0)")
    options = parser.parse_args()
    if options.child:
        seconds, threads, batch, way = options.child
        made = _train(float(seconds), int(threads), int(batch), _Turns() if way == "turns" else None)
        print(json.dumps(made))
        return
    found: dict[str, list[dict[str, float]]] = {way: [] for way in _WAYS}
    with _load(options.load):
        for number in range(options.rounds):
            lasts = options.seconds
            with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
                for way, place in (("cold", folder), ("off", folder), ("warm", folder), ("turns", other)):
                    found[way].append(figures(_run(way, place, options, lasts if way == "off" else options.seconds)))
                    if way == "cold":  # as long without kernels
                        lasts = max(lasts, found[way][-1]["seconds until the last was in place"])
            print(f"  round {number + 1}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    beside = f", {options.load} processes beside it" if options.load else ""
    count = f"{options.threads} thread{'s' if options.threads > 1 else ''}"
    print(f"\n### Swapping compiled kernels in (CIFAR-10 model, batch of {options.batch}, {count}{beside})\n")
    print("Milliseconds, of the steps while kernels were made or loaded: the median of the runs, and the largest.\n")
    print("| | " + " | ".join(name for name, _ in _WAYS.values()) + " |")
    print("|---|" + "---|" * len(_WAYS))
    for name in found["off"][0]:
        cells = ([run[name] for run in found[way]] for way in _WAYS)
        print(f"| {name} | " + " | ".join(f"{statistics.median(v):.3g} ({max(v):.3g})" for v in cells) + " |")
    held = max(run["held by us, longest"] for runs in found.values() for run in runs)
    late = options.threads == 1 and held > MOST
    if options.threads == 1:
        print(f"\nHeld by us for {held:.2f} ms at most; up to {MOST} ms are good: {'MISSED' if late else 'met'}.")
    sys.exit(1 if late else 0)


if __name__ == "__main__":
    main()
