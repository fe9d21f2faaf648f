"""What devices cost: placing and cutting a large graph, a transfer in a cached plan, two towers at once.

`python -m benchmarks devices`. TensorFlow has no simulated devices, so this measures tfbench alone, against the
project's own targets.

* Placement and partition: CPU time for graphs of 5,000 to 20,000 operations on two GPUs; the second number says
  whether it grows as they do.
* A transfer: a cached plan with and without devices, wall time, less the time of the copies alone.
* Two towers: the CPU time of both in one thread, over that of the slower thread where each has its own, which is what
  two free cores make of it; and the wall time of both, which also says what else the machine had to do.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks import harness


def measure() -> list[dict[str, Any]]:
    """The rows of the table: what was found, and the target."""
    import tfbench as tf

    with tf.simulate_devices(gpu=2):
        return [*_placement(tf), _transfers(tf), _towers(tf)]


def _placement(tf: Any) -> list[dict[str, Any]]:
    from tfbench.engine.devices import local_devices
    from tfbench.engine.partition import partition
    from tfbench.engine.placer import Placer

    times = {}
    for size in (5_000, 10_000, 20_000):
        graph = _layers(tf, size)

        def once(graph: Any = graph) -> float:
            began = time.process_time()
            placement = Placer(local_devices()).place(graph)
            partition(graph.get_operations(), placement)
            return time.process_time() - began

        times[size] = statistics.median(once() for _ in range(9))
    growth = (times[20_000] / 20_000) / (times[5_000] / 5_000)
    return [
        _row("placement and partition, 10,000 ops", times[10_000], 0.3, "s"),
        _row("the same per op, 20,000 ops over 5,000", growth, 1.5, ""),
    ]


def _layers(tf: Any, size: int) -> Any:
    graph = tf.Graph()
    with graph.as_default():
        x, number = tf.placeholder(tf.float32, [None, 4]), 0
        while len(graph.get_operations()) < size:
            with tf.device(f"/gpu:{number % 2}"), tf.variable_scope(f"layer{number}"):
                weights = tf.get_variable("weights", [4, 4])
                x = tf.nn.relu(tf.matmul(x, weights) + 1.0)
                tf.assign(weights, weights * 0.5)
            number += 1
    return graph


def _transfers(tf: Any, count: int = 20) -> dict[str, Any]:
    import numpy as np

    with tf.Graph().as_default():
        with tf.device("/gpu:0"):
            x = tf.placeholder(tf.float32, [4])
            there = [x + float(i) for i in range(count)]
        with tf.device("/gpu:1"):
            total = tf.add_n([y * 2.0 for y in there])
        value = np.ones(4, np.float32)
        one = tf.ConfigProto(device_count={"GPU": 0}, allow_soft_placement=True)
        calls = [tf.Session(config=config).make_callable(total, [x]) for config in (None, one)]
    copies = _best(lambda: [value.copy() for _ in range(count)])
    across, alone = (_best(lambda call=call: call(value)) for call in calls)
    return _row("a transfer, beyond the copy", max(0.0, (across - alone - copies) / count) * 1e6, 10, "µs")


def _best(function: Callable[[], Any], bursts: int = 30, calls: int = 100) -> float:
    """The best mean time of a call."""
    for _ in range(calls):
        function()
    times = []
    for _ in range(bursts):
        began = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - began) / calls)
    return min(times)


def _towers(tf: Any) -> dict[str, Any]:
    from tfbench.engine.parallel import Chooser, Parallel

    with tf.Graph().as_default():
        losses = []
        for i in range(2):
            with tf.device(f"/gpu:{i}"):
                x = tf.random_uniform([16, 32, 32, 16], seed=i)
                for _ in range(4):
                    x = tf.nn.relu(tf.nn.conv2d(x, tf.fill([3, 3, 16, 16], 0.01), [1, 1, 1, 1], "SAME"))
                losses.append(tf.reduce_mean(x))
        with tf.device("/cpu:0"):
            total = tf.add_n(losses)
        session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1))
        spent: list[float] = []
        run_one, in_threads = Parallel._run_one, Chooser.in_threads

        def timed(self: Any, *arguments: Any) -> Any:
            began = time.thread_time()
            result = run_one(self, *arguments)
            spent.append(time.thread_time() - began)
            return result

        found: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
        try:
            # A session takes whichever way is faster; here both are timed, and the CPU time of each thread.
            Parallel._run_one = timed  # type: ignore[method-assign]
            for threads in [False, True] * 12:
                Chooser.in_threads = lambda self, threads=threads: threads  # type: ignore[method-assign,misc]
                spent.clear()
                began, cpu = time.perf_counter(), time.thread_time()
                session.run(total)
                wall, cpu = time.perf_counter() - began, time.thread_time() - cpu
                found[threads].append((max(spent) if threads and spent else cpu, wall))
        finally:
            Parallel._run_one, Chooser.in_threads = run_one, in_threads  # type: ignore[method-assign]
    medians = {
        threads: [statistics.median(times) for times in zip(*runs[4:], strict=True)] for threads, runs in found.items()
    }
    row = _row("two towers: one thread over two", medians[False][0] / medians[True][0], 1.6, "", at_least=True)
    row["wall"] = medians[False][1] / medians[True][1]
    return row


def _row(name: str, found: float, target: float, unit: str, at_least: bool = False) -> dict[str, Any]:
    return {"name": name, "found": found, "target": target, "unit": unit, "at_least": at_least}


def table(rows: list[dict[str, Any]]) -> str:
    """The results as a Markdown table."""
    lines = ["|  | found | target |  |", "|---|---|---|---|"]
    for row in rows:
        good = row["found"] >= row["target"] if row["at_least"] else row["found"] <= row["target"]
        unit = f" {row['unit']}" if row["unit"] else ""
        wall = f" (wall time: {row['wall']:.2f})" if "wall" in row else ""
        sign = "≥" if row["at_least"] else "≤"
        found = f"{harness.number(row['found'])}{unit}{wall}"
        lines.append(f"| {row['name']} | {found} | {sign} {row['target']:g}{unit} | {'yes' if good else '**no**'} |")
    return "\n".join(lines)


def main(save: bool = True) -> None:
    rows = measure()
    print(f"\n### Devices\n\n{table(rows)}")
    if save:
        path = harness.RESULTS / "devices-1.json"
        path.write_text(json.dumps({"machine": harness.machine(), "cases": rows}, indent=1) + "\n")
        print(f"\nsamples: {path.relative_to(harness.ROOT)}")


if __name__ == "__main__":
    main(save="--no-save" not in sys.argv)
