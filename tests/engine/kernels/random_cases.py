"""What is recorded about TensorFlow's random ops, and compared: shared by the recorder and the tests.

A case is (op, dtype, graph seed, op seed, shape, arguments), each drawn in three runs of one session.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import os

import numpy as np

FACTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "random_facts.json")
RUNS = 3

#: sizes around the widths of groups, and some that TensorFlow divides among threads
_SHAPES = [(), (1,), (2,), (3,), (5,), (2, 3), (7, 1, 3), (0, 4), (129,), (1021, 37)]
_LARGE = [(400001,)]
_SEEDS = [(None, 1), (1, 2), (0, 0), (-7, 3), (2**31 + 5, -2), (123456789012, 987654321098), (42, None)]

_LOGITS = {
    "two": [[0.0, 1.0]],
    "four": [[1.0, -2.0, 0.5, 3.0], [0.0, 0.0, 0.0, 0.0], [-1e30, 5.0, 5.0, 1e-3]],
    "never": [[float("-inf"), 0.0, 1.0], [float("nan"), 2.0, float("inf")], [float("-inf")] * 3],
}
_ALPHAS = [0.0, 0.01, 0.3, 0.999, 1.0, 1.001, 2.5, 10.0, 1000.0]
_RATES = [0.0, 0.01, 0.5, 3.0, 9.99, 10.0, 10.5, 33.0, 250.0, 1e5, 2e9]
#: mean, deviation, lower and upper bound; "all" has a row for each
_BOUNDS = {
    "both": (0.0, 1.0, -2.0, 2.0),
    "near": (0.0, 1.0, -0.5, 0.5),
    "above": (0.0, 1.0, 3.0, float("inf")),
    "below": (0.0, 1.0, float("-inf"), -2.5),
    "side": (1.0, 2.0, 5.0, 6.0),
    "narrow": (-3.0, 0.5, -3.2, -3.1),
    "half": (0.0, 1.0, 0.0, float("inf")),
}
_BOUNDS["all"] = tuple(zip(*_BOUNDS.values()))


class Case:
    """One random op as it is made and run; `arguments` are what the op takes beside its shape."""

    def __init__(self, op, dtype, seeds, shape, arguments=(), threads=1):
        self.op, self.dtype, self.seeds, self.shape = op, dtype, seeds, tuple(shape)
        self.arguments, self.threads = arguments, threads

    @property
    def name(self):
        parts = [self.op, self.dtype, "x".join(map(str, self.shape)) or "scalar", "{},{}".format(*self.seeds)]
        parts += [str(argument) for argument in self.arguments]
        return " ".join(parts + ([f"{self.threads} threads"] if self.threads > 1 else []))


def cases():
    """All cases in a fixed order."""
    made = []
    for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
        for dtype in ("float32", "float64", "float16"):
            seeds = itertools.cycle(_SEEDS)
            made += [Case(op, dtype, next(seeds), shape) for shape in _SHAPES + _LARGE]
    ranges = {
        "int32": [(0, 10), (-5, 2), (-(2**31), 2**31 - 1), (0, 2**30 + 1), (7, 8), (0, 2**31 - 1)],
        "int64": [(0, 10), (-5, 2), (-(2**63), 2**63 - 1), (0, 2**40 + 1), (7, 8), (0, 2**62)],
    }
    for dtype, pairs in ranges.items():
        seeds = itertools.cycle(_SEEDS)
        made += [Case("RandomUniformInt", dtype, next(seeds), (2, 7), pair) for pair in pairs]
        made += [Case("RandomUniformInt", dtype, next(seeds), shape, (-3, 1000)) for shape in _SHAPES + _LARGE]
    seeds = itertools.cycle(_SEEDS)
    made += [Case("RandomShuffle", "int32", next(seeds), (n,)) for n in (0, 1, 2, 3, 4, 5, 6, 9, 100, 10007)]
    made += [Case("RandomShuffle", "float64", next(seeds), shape) for shape in ((5, 2), (1, 4), (6, 0), (3, 2, 2))]
    for dtype in ("float32", "float64", "float16"):
        for key in sorted(_LOGITS):
            made += [Case("Multinomial", dtype, next(seeds), (n,), (key,)) for n in (0, 1, 2, 3, 4, 7, 1001)]
    for threads, size in itertools.product((1, 2, 4), ("300x10", "64x3000", "7x600", "2000x3")):
        made += [Case("Multinomial", "float32", next(seeds), (n,), (size,), threads) for n in (1, 50)]
    for dtype in ("float32", "float64", "float16"):
        made += [Case("RandomGamma", dtype, next(seeds), shape) for shape in ((), (1,), (2, 3), (0,), (1500,))]
        made += [Case("RandomPoissonV2", dtype, next(seeds), shape, ("float32",)) for shape in ((), (3,), (0,), (700,))]
        for out in ("float16", "float64", "int32", "int64"):
            made.append(Case("RandomPoissonV2", dtype, next(seeds), (5, 2), (out,)))
        for key in _BOUNDS:
            shapes = [(len(_BOUNDS) - 1, 11)] if key == "all" else [(1,), (250,), (3, 41)]
            made += [Case("ParameterizedTruncatedNormal", dtype, next(seeds), shape, (key,)) for shape in shapes]
    return made


def value_of(case):
    """The tensor that the op takes beside its shape: what is shuffled, logits, or the distributions' parameters."""
    if case.op == "RandomShuffle":
        return np.arange(int(np.prod(case.shape)), dtype=case.dtype).reshape(case.shape)
    if case.op == "Multinomial":
        key = case.arguments[0]
        if key in _LOGITS:
            with np.errstate(over="ignore"):
                return np.array(_LOGITS[key], "float64").astype(case.dtype)
        rows, categories = map(int, key.split("x"))
        cells = np.arange(rows * categories, dtype=np.int64)
        return (cells * 2654435761 % 1000003 / 100000.0 - 5.0).reshape(rows, categories).astype(case.dtype)
    if case.op == "RandomGamma":
        return np.array(_ALPHAS, case.dtype)
    if case.op == "ParameterizedTruncatedNormal":
        return [np.array(parameter, case.dtype) for parameter in _BOUNDS[case.arguments[0]]]
    rates = _RATES[:9] if "float16" in (case.dtype, case.arguments[0]) else _RATES
    return np.array(rates[:-1] if case.arguments[0] == "int32" else rates, case.dtype)


def digest(array):
    """A checksum of the bits, the shape and the type of an array. Any NaN is the same NaN."""
    array = np.ascontiguousarray(array)
    if array.dtype.kind == "f":
        array = np.where(array == array, array, np.array(float("nan"), array.dtype))
    text = f"{array.dtype.name} {list(array.shape)} "
    return hashlib.sha256(text.encode() + array.astype(array.dtype.newbyteorder("<")).tobytes()).hexdigest()[:16]


def first(array):
    """The first few numbers, readable."""
    return [repr(value) for value in np.asarray(array).reshape(-1)[:4].tolist()]


def c_library():
    """A checksum of the C library's float64 functions: numbers made with another one may differ in the last bit."""
    sample = [(i + 0.5) * 6.25 / 4096 for i in range(4096)]
    made = [function(x) for function in (math.log, math.sin, math.cos) for x in sample]
    made += [math.log1p(-x / 6.3) for x in sample] + [math.pow(x / 6.3, 1 / (x + 0.01)) for x in sample]
    return hashlib.sha256(np.array(made, "<f8").tobytes()).hexdigest()[:16]
