"""Expressions of C for elementwise ops: what the ops' own kernels give, for everything that a float can be.

All expressions are compiled at once, as loops of one library.
"""

from __future__ import annotations

import ctypes
import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.engine.ops.sampling import declared
from tests.gpu import host_cuda, strict_cupy
from tfbench.engine.binding import bind
from tfbench.engine.devices import Device
from tfbench.engine.kernels import fused_device
from tfbench.engine.resources import ResourceStore

GPU = Device("GPU", 0, strict_cupy)  # type: ignore[arg-type]

REGISTRY = declared()

#: functions of a library: CUDA's, NumPy's and the host's C library may differ in the last bits
LIBRARY = {"Exp", "Expm1", "Log", "Log1p", "Pow", "Sigmoid", "Tanh"}
#: what is the larger of 0 and -0 is nobody's business
ZEROS = {"Maximum", "Minimum", "Relu", "Relu6"}
#: ops that are handed on, without a kernel
MOVES = {"Identity", "StopGradient"}
#: of a truth and two numbers, of two truths, of one, of two
CHOICES, LOGIC = {"Select", "SelectV2"}, {"LogicalAnd", "LogicalOr", "LogicalNot"}

NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.3, -0.7, 2.5, 6.0, 7.0, -40.0, 1e-30, -1e30, 3e38, np.inf, -np.inf, np.nan]

#: op type, and the type of its inputs and its result
CASES = [
    *((type, kind) for type in fused_device.EXPRESSIONS for kind in ("float32", "float64") if type not in LOGIC),
    *((type, "bool") for type in sorted(LOGIC | CHOICES | {"Equal", "NotEqual"})),
    *((type, kind) for type in ("Less", "GreaterEqual", "Equal") for kind in ("int32", "int64")),
    *(("Cast", f"{one}>{two}") for one in fused_device.OPERANDS for two in fused_device.RESULTS if one != two),
]  # fmt: skip
CASES = [case for case in CASES if case not in (("Cast", "float32"), ("Cast", "float64"))]


@cache
def case(type: str, kind: str) -> tuple[list[Any], Any, str]:
    """The operands, each with each; the op's own function of arrays; the type of its result."""
    kind, _, result = kind.partition(">")
    numbers = [False, True] if kind == "bool" else [0, 1, -1, 7, 2**31 - 1] if kind[0] == "i" else NUMBERS
    attrs = {"DstT": tf.as_dtype(result)} if result else {}
    count = len(REGISTRY[type].inputs)
    kinds = ["bool", kind, kind] if type in CHOICES else [kind] * count
    columns = zip(*itertools.product(*[[False, True] if one == "bool" else numbers for one in kinds]), strict=True)
    with np.errstate(all="ignore"):
        operands = [np.array(column).astype(one) for column, one in zip(columns, kinds, strict=True)]
    if type in ("BiasAdd", "BiasAddV1"):
        operands = [operands[0].reshape(len(numbers), -1), np.array(numbers, kind)]
    with tf.Graph().as_default():
        op = REGISTRY[type].node(*[tf.placeholder(one.dtype, one.shape) for one in operands], **attrs)
    function = (lambda x: x) if type in MOVES else bind(op, GPU, ResourceStore())
    return operands, function, op.outputs[0].dtype.name


def made(type: str, kind: str) -> Any:
    """The stand-in's kernel for an op alone."""
    operands, _, result = case(type, kind)
    body = fused_device.statements([(type, [f"x{i}" for i in range(len(operands))], result)])
    return fused_device.kernel(strict_cupy, [one.dtype.name for one in operands], result, body)


@cache
def library() -> Any:
    """All of them, as functions `loop0`, `loop1`, …"""
    return host_cuda.load(
        "".join(
            f'extern "C" void loop{index}(long long n, void** p) {{ for (long long i = 0; i < n; ++i) {{\n'
            f"{made(*one).body}\n}} }}\n"
            for index, one in enumerate(CASES)
        )
    )


@pytest.mark.skipif(host_cuda.compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("index", range(len(CASES)), ids=lambda index: "-".join(CASES[index]))
def test_an_expression_is_its_kernel(index: int) -> None:
    type, kind = CASES[index]
    operands, function, result = case(type, kind)
    wanted = function(*[strict_cupy.array(one) for one in operands]).get()
    assert wanted.dtype == result
    plain = [np.ascontiguousarray(one) for one in np.broadcast_arrays(*operands)]
    found = np.empty(plain[0].shape, result)
    pointers = (ctypes.c_void_p * (len(plain) + 1))(*[one.ctypes.data for one in [*plain, found]])
    getattr(library(), f"loop{index}")(ctypes.c_longlong(found.size), pointers)
    if type in LIBRARY:
        limit = np.finfo(result)
        np.testing.assert_allclose(found, wanted, rtol=8 * limit.eps, atol=8 * limit.tiny)
        return
    np.testing.assert_array_equal(found, wanted)
    if result != "bool" and type not in ZEROS:
        numbers = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(wanted[numbers]))


def test_every_expression_is_of_an_op() -> None:
    for type, expression in fused_device.EXPRESSIONS.items():
        count = len(REGISTRY[type].inputs)
        assert all(f"{{{index}}}" in expression for index in range(count))
        assert f"{{{count}}}" not in expression
        assert type in MOVES or "GPU" in REGISTRY[type].kernels


def test_a_body_is_a_line_of_statements() -> None:
    members = [("Mul", ["x0", "x0"], "float32"), ("Greater", ["t0", "x1"], "bool"), ("Cast", ["t1"], "float64")]
    assert fused_device.statements(members) == (
        "const float t0 = x0 * x0; const bool t1 = t0 > x1; y = double(t1);"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.1), "float(0.10000000149011612)"),
        (np.float64(0.1), "double(0.1)"),
        (np.float32(-0.0), "float(-0.0)"),
        (np.float32(1e-45), "float(1.401298464324817e-45)"),
        (np.float32(np.inf), None),
        (np.float64(-np.inf), None),
        (np.float32(np.nan), None),
        (np.int32(1), None),
        (np.bool_(True), None),
        (np.float16(1), None),
    ],
)
def test_a_number_is_a_literal(value: Any, text: str | None) -> None:
    assert fused_device.literal(np.array(value)) == text
    assert text is None or type(value)(float(text.partition("(")[2][:-1])) == value


def test_a_kernel_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused_device, "_kernels", {})

    class Module:
        made = 0

        def ElementwiseKernel(self, *words: str, options: Any) -> Any:
            assert words == ("float32 x0, bool x1", "float32 y", "y = x0;", "tfbench_fused")
            assert options == ("--fmad=false",)
            self.made += 1
            return object()

    module = Module()
    one, two = (fused_device.kernel(module, ["float32", "bool"], "float32", "y = x0;") for _ in range(2))
    assert one is two
    assert module.made == 1
