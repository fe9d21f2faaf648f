"""Everything that needs a GPU, in under five minutes: the tests marked `gpu`, then what a GPU is worth.

    python -m benchmarks.gpu [--no-tests] [--no-save] [--seconds 280]

On a machine without a GPU it says why there is none and measures nothing (exit status 2). With one, tests come first
(status 1 if one fails); then each case runs on the GPU and on the CPU, their results are compared, and their times set
against each other, against TensorFlow's where TensorFlow is installed and sees the GPU, and against PyTorch's, too. A
case takes what one of its share of the time allows; what did not fit is said to be left out.

A time is that of `Session.run` with the values fetched, so it holds what it takes to ask for the work, to do it and to
bring the result back. The median counts; the samples are kept in `results/gpu-NAME.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"

#: exit statuses
PASSED, FAILED, NO_GPU = 0, 1, 2

Run = Callable[[], Any]


# -- cases: a module with the TensorFlow 1 API, an open session -> a function that runs once, and returns a value ------


def _one_by_one(run: Run) -> Run:
    """`run`, with a kernel for each operation: `tfbench.engine.fusion` asks when a plan is run a second time."""

    def alone() -> Any:
        os.environ["TFBENCH_FUSE"] = "0"
        try:
            return run()
        finally:
            del os.environ["TFBENCH_FUSE"]

    return alone


def add_chain(tf: Any, session: Any) -> Run:
    """What an operation costs to ask for: 200 additions, one after another, of 10 numbers."""
    return _one_by_one(fused_chain(tf, session))


def fused_chain(tf: Any, session: Any) -> Run:
    """The same 200 additions, in as few launches as there are groups."""
    x = tf.placeholder(tf.float32, [10])
    y = x
    for _ in range(200):
        y = y + 1.0
    return lambda: session.run(y, {x: [1.0] * 10})


def elementwise(tf: Any, session: Any) -> Run:
    """Ten elementwise operations on 16 million numbers that are there already."""
    v = tf.Variable(tf.ones([1 << 24]))
    y = v
    for _ in range(5):
        y = tf.sqrt(y * 1.0001 + 1.0)
    total = tf.reduce_sum(y) / float(1 << 24)
    session.run(tf.global_variables_initializer())
    return lambda: session.run(total)


def elementwise_one_by_one(tf: Any, session: Any) -> Run:
    """The same, each of them through memory."""
    return _one_by_one(elementwise(tf, session))


def product(tf: Any, session: Any) -> Run:
    """The product of two matrices of 4096 x 4096."""
    a = tf.Variable(tf.fill([4096, 4096], 0.01))
    total = tf.reduce_mean(tf.matmul(a, a))
    session.run(tf.global_variables_initializer())
    return lambda: session.run(total)


def there_and_back(tf: Any, session: Any) -> Run:
    """64 MiB to the GPU, an operation, and back."""
    import numpy as np

    x = tf.placeholder(tf.float32, [1 << 24])
    y = tf.negative(x)
    given = np.ones(1 << 24, np.float32)
    return lambda: session.run(y, {x: given})[0]


def _dense(tf: Any, x: Any, name: str, size: int, seed: int) -> Any:
    rows = int(x.shape[-1])
    w = tf.get_variable(f"{name}_w", [rows, size], initializer=tf.truncated_normal_initializer(0, 0.05, seed=seed))
    b = tf.get_variable(f"{name}_b", [size], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def perceptron(tf: Any, session: Any) -> Run:
    """A training step of a 784-1024-1024-10 network, batch 256, Adam."""
    import numpy as np

    x, y = tf.placeholder(tf.float32, [256, 784]), tf.placeholder(tf.int64, [256])
    hidden = tf.nn.relu(_dense(tf, x, "a", 1024, 1))
    hidden = tf.nn.relu(_dense(tf, hidden, "b", 1024, 2))
    logits = _dense(tf, hidden, "c", 10, 3)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    step = tf.train.AdamOptimizer(0.0001).minimize(loss)
    session.run(tf.global_variables_initializer())
    rng = np.random.default_rng(1)
    feeds = {x: rng.random((256, 784), np.float32), y: rng.integers(0, 10, 256)}
    return lambda: session.run([loss, step], feeds)[0]


def cifar(tf: Any, session: Any) -> Run:
    """A training step of two 5x5 convolutions, pooling and two dense layers on 128 images of 32 x 32."""
    import numpy as np

    x, y = tf.placeholder(tf.float32, [128, 32, 32, 3]), tf.placeholder(tf.int64, [128])
    images = x
    for number, (before, after) in enumerate([(3, 64), (64, 64)]):
        w = tf.get_variable(
            f"k{number}", [5, 5, before, after], initializer=tf.truncated_normal_initializer(0, 0.05, seed=number)
        )
        images = tf.nn.relu(tf.nn.conv2d(images, w, [1, 1, 1, 1], "SAME"))
        images = tf.nn.max_pool(images, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
    hidden = tf.nn.relu(_dense(tf, tf.reshape(images, [128, 4096]), "a", 384, 7))
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=_dense(tf, hidden, "b", 10, 8))
    )
    step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    session.run(tf.global_variables_initializer())
    rng = np.random.default_rng(1)
    feeds = {x: rng.random((128, 32, 32, 3), np.float32), y: rng.integers(0, 10, 128)}
    return lambda: session.run([loss, step], feeds)[0]


def recurrent(tf: Any, session: Any) -> Run:
    """An LSTM of 256 units over 20 steps of 64 rows, and its gradient: a loop."""
    import numpy as np

    x = tf.placeholder(tf.float32, [64, 20, 128])
    w = tf.get_variable("w", [384, 1024], initializer=tf.truncated_normal_initializer(0, 0.05, seed=1))

    def body(i: Any, state: Any, h: Any) -> Any:
        gates = tf.matmul(tf.concat([tf.gather(by_time, i), h], 1), w)
        a, b, c, d = tf.split(gates, 4, 1)
        state = state * tf.sigmoid(a) + tf.sigmoid(b) * tf.tanh(c)
        return i + 1, state, tf.tanh(state) * tf.sigmoid(d)

    by_time = tf.transpose(x, [1, 0, 2])
    zero = tf.zeros([64, 256])
    *_, last = tf.while_loop(lambda i, *_: i < 20, body, [tf.constant(0), zero, zero])
    (slope,) = tf.gradients(tf.reduce_sum(last), [w])
    total = tf.reduce_mean(tf.abs(slope))
    session.run(tf.global_variables_initializer())
    given = np.random.default_rng(1).random((64, 20, 128), np.float32)
    return lambda: session.run(total, {x: given})


CASES = (
    add_chain, fused_chain, elementwise, elementwise_one_by_one, product, there_and_back, perceptron, cifar, recurrent
)  # fmt: skip


# -- the same in PyTorch, where it is two lines -----------------------------------------------------------------------


def _torch_product(torch: Any) -> Run:
    a = torch.full((4096, 4096), 0.01, device="cuda")
    return lambda: (a @ a).mean().item()


def _torch_elementwise(torch: Any) -> Run:
    v = torch.ones(1 << 24, device="cuda")

    def run() -> Any:
        y = v
        for _ in range(5):
            y = (y * 1.0001 + 1.0).sqrt()
        return y.sum().item() / (1 << 24)

    return run


def _torch_there_and_back(torch: Any) -> Run:
    given = torch.ones(1 << 24)
    return lambda: (-given.cuda()).cpu()[0].item()


TORCH: dict[str, Callable[[Any], Run]] = {
    "product": _torch_product,
    "elementwise": _torch_elementwise,
    "there_and_back": _torch_there_and_back,
}


# -- measuring --------------------------------------------------------------------------------------------------------


def timed(run: Run, seconds: float) -> tuple[list[float], Any]:
    """Milliseconds of each run, and the value of the third, until the time is over: five runs at least."""
    values = [run() for _ in range(3)]
    samples: list[float] = []
    ends = time.perf_counter() + seconds
    while len(samples) < 5 or (time.perf_counter() < ends and len(samples) < 200):
        began = time.perf_counter()
        run()
        samples.append((time.perf_counter() - began) * 1e3)
        if time.perf_counter() > ends + 4 * seconds:
            break
    return samples, values[-1]


def measure(tf: Any, case: Callable[[Any, Any], Run], device: str, seconds: float) -> tuple[list[float], Any]:
    """A case on one kind of device, in a graph and a session of its own."""
    config = tf.ConfigProto(allow_soft_placement=True, **({"device_count": {"GPU": 0}} if device == "CPU" else {}))
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        with tf.Session(config=config) as session:
            return timed(case(tf, session), seconds)


def tensorflow() -> Any:
    """`tensorflow.compat.v1` where it is installed and sees a GPU, else None."""
    if find_spec("tensorflow") is None:
        return None
    import tensorflow.compat.v1 as v1

    v1.disable_v2_behavior()
    v1.disable_resource_variables()
    return v1 if v1.test.is_gpu_available() else None


def torch() -> Any:
    """PyTorch where it is installed and sees a GPU, else None."""
    if find_spec("torch") is None:
        return None
    import torch

    return torch if torch.cuda.is_available() else None


def compare(seconds: float) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of the table, and what went wrong."""
    import tfbench as tf

    theirs, other = tensorflow(), torch()
    ends = time.perf_counter() + seconds
    rows, wrong = [], []
    for number, case in enumerate(CASES):
        left = ends - time.perf_counter()
        if left < 2:
            wrong.append(f"{case.__name__}: left out, there was no time left")
            continue
        # Made of up to four measurements, each with its warming up.
        share = left / (len(CASES) - number) / 8
        row: dict[str, Any] = {"case": case.__name__, "what": (case.__doc__ or "").strip()}
        try:
            row["gpu"], value = measure(tf, case, "GPU", share)
            row["cpu"], right = measure(tf, case, "CPU", share)
            row["difference"] = abs(float(value) - float(right)) if _is_number(value) else _largest(value, right)
            if not row["difference"] <= 1e-3 * max(1.0, abs(float(_mean(right)))):
                wrong.append(f"{case.__name__}: the GPU's value differs from the CPU's by {row['difference']:.3g}")
            if theirs is not None:
                row["tensorflow"], _ = measure(theirs, case, "GPU", share)
            if other is not None and case.__name__ in TORCH:
                row["torch"], _ = timed(TORCH[case.__name__](other), share)
        except Exception as error:  # the other cases are worth measuring all the same
            wrong.append(f"{case.__name__}: {type(error).__name__}: {str(error).partition(chr(10))[0]}")
        rows.append(row)
    return rows, wrong


def _is_number(value: Any) -> bool:
    return getattr(value, "ndim", 0) == 0


def _mean(value: Any) -> Any:
    return value if _is_number(value) else abs(value).mean()


def _largest(value: Any, right: Any) -> float:
    return float(abs(value - right).max())


def table(rows: list[dict[str, Any]]) -> str:
    """The rows in Markdown: medians in milliseconds, and how many times as long the others take."""
    lines = [
        "| case | GPU ms | CPU ms | CPU/GPU | TensorFlow ms | ratio | PyTorch ms | ratio | difference |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        middle = {side: statistics.median(row[side]) for side in ("gpu", "cpu", "tensorflow", "torch") if side in row}
        gpu = middle.get("gpu")

        def cell(side: str, over: bool, middle: Any = middle, gpu: Any = gpu) -> str:
            if side not in middle or gpu is None:
                return ""
            return f"{(middle[side] / gpu if side == 'cpu' else gpu / middle[side]) if over else middle[side]:.3g}"

        cells = [row["case"], f"{gpu:.3g}" if gpu is not None else "failed"]
        for side in ("cpu", "tensorflow", "torch"):
            cells += [cell(side, False), cell(side, True)]
        cells.append(f"{row['difference']:.1g}" if "difference" in row else "")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def run_tests(seconds: float) -> tuple[bool, str]:
    """The tests marked `gpu`: whether they passed, and pytest's last line."""
    if find_spec("pytest") is None:
        return False, "pytest is not installed: the tests that need a GPU were not run"
    command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider", "tests"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return False, f"the tests took more than {seconds:.0f} s and were ended"
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-2000:], sep="\n")
    lines = (done.stdout.strip() or done.stderr.strip()).splitlines()
    return done.returncode == 0, lines[-1] if lines else f"pytest ended with {done.returncode}"


def main(arguments: list[str] | None = None) -> int:
    """Runs it all; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--no-tests", action="store_true", help="measure only")
    parser.add_argument("--no-save", action="store_true", help="print only")
    parser.add_argument("--seconds", type=float, default=280.0, help="for all of it (default: 280)")
    options = parser.parse_args(arguments)
    began = time.perf_counter()

    import tfbench as tf

    with tf.Session(graph=tf.Graph()) as session:
        gpus = session.device_set.gpus
        if not gpus:
            print(f"There is no GPU here, so nothing was tested or measured. {session.device_set.no_gpu}.")
            return NO_GPU
        description = gpus[0].description
    print(f"GPU: {description}\n")
    passed, tests = True, "not run"
    if not options.no_tests:
        passed, tests = run_tests(options.seconds * 0.5)
        print(f"Tests marked gpu: {tests}\n")
    rows, wrong = compare(options.seconds - (time.perf_counter() - began) - 5)
    print(table(rows))
    for line in wrong:
        print(f"* {line}")
    if not options.no_save:
        name = re.sub(r"\W+", "-", description.partition("name: ")[2].partition(",")[0]).strip("-") or "unknown"
        found = {"gpu": description, "tests": tests, "rows": rows, "wrong": wrong}
        (RESULTS / f"gpu-{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"\n{time.perf_counter() - began:.0f} s")
    return PASSED if passed and not wrong else FAILED


if __name__ == "__main__":
    sys.exit(main())
