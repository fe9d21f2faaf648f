"""conv2d forward on the shapes of the CIFAR model, a residual network and the image filter of the tour.

Input and filter are variables and the fetch is the operation, so nothing is fed and nothing copied out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from benchmarks.case import Case, Suite, session

SHAPES = [
    # name, input, filter, stride
    ("CIFAR conv1: 5x5, 3→64, 24x24, batch 128", (128, 24, 24, 3), (5, 5, 3, 64), 1),
    ("CIFAR conv2: 5x5, 64→64, 12x12, batch 128", (128, 12, 12, 64), (5, 5, 64, 64), 1),
    ("3x3, 64→64, 32x32, batch 32", (32, 32, 32, 64), (3, 3, 64, 64), 1),
    ("1x1, 64→256, 32x32, batch 32", (32, 32, 32, 64), (1, 1, 64, 256), 1),
    ("7x7 stride 2, 3→64, 224x224, batch 1", (1, 224, 224, 3), (7, 7, 3, 64), 2),
    ("image filter: 5x5, 32→32, 32x32, batch 64", (64, 32, 32, 32), (5, 5, 32, 32), 1),
]


def _make(shape: tuple[int, ...], filter: tuple[int, ...], stride: int) -> Callable[[Any, int], Callable[[], object]]:
    def make(tf: Any, threads: int) -> Callable[[], object]:
        import numpy as np

        rng = np.random.default_rng(0)
        x = tf.Variable(rng.standard_normal(shape).astype(np.float32))
        w = tf.Variable(rng.standard_normal(filter).astype(np.float32))
        y = tf.nn.conv2d(x, w, strides=[1, stride, stride, 1], padding="SAME")
        running = session(tf, threads)
        running.run([x.initializer, w.initializer])
        call: Callable[[], object] = running.make_callable(y.op)
        return call

    return make


def _flops(shape: tuple[int, ...], filter: tuple[int, ...], stride: int) -> float:
    images, height, width, _ = shape
    return 2.0 * images * math.ceil(height / stride) * math.ceil(width / stride) * math.prod(filter)


SUITE = Suite(
    "conv2d forward",
    [
        Case(name, _make(shape, filter, stride), target=1.4, work=_flops(shape, filter, stride), unit="FLOP")
        for name, shape, filter, stride in SHAPES
    ],
    mean_target=1.0,
    note=(
        "CPU time of one call. The targets were set against TensorFlow's own kernels; the last column says for each of "
        "the two rivals whether they are met. TensorFlow switches oneDNN on by itself where the processor has AVX-512 "
        "VNNI or newer; its kernels then come close to what the cores can do at most, further than the matrix product "
        "of OpenBLAS, on which NumPy alone stands."
    ),
)
