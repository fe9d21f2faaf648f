"""Elementwise ops as expressions of C, and several of them as one kernel for a GPU.

Computed one by one, a chain of such ops reads and writes the GPU's memory once an op; as one kernel, once. An op's
expression does what its kernel does, in the same order and type, with nothing fused into one rounding, so the numbers
are those of the separate kernels; CUDA's own exp, log, tanh and pow may differ in the last bit. Broadcasting, strides
and the result's memory are CuPy's business (`ElementwiseKernel`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: no product is fused with a sum: their results are rounded one by one, as in kernels of their own
OPTIONS = ("--fmad=false",)

#: types that are computed with -> C's
RESULTS = {"float32": "float", "float64": "double", "bool": "bool"}
#: types that are read: of whole numbers there are comparisons and casts
OPERANDS = {**RESULTS, "int32": "int", "int64": "long long"}

_MAXIMUM = "({0} != {0} ? {0} : {1} != {1} ? {1} : fmax{f}({0}, {1}))"
_MINIMUM = "({0} != {0} ? {0} : {1} != {1} ? {1} : fmin{f}({0}, {1}))"

#: op type -> its expression. {0}, {1}, {2} are its inputs, {T} is the type of its result, {f} the suffix of that type's
#: functions.
EXPRESSIONS = {
    "Abs": "fabs{f}({0})",
    "Add": "{0} + {1}",
    "AddV2": "{0} + {1}",
    "BiasAdd": "{0} + {1}",
    "BiasAddV1": "{0} + {1}",
    "Cast": "{T}({0})",
    "Ceil": "ceil{f}({0})",
    "Div": "{0} / {1}",
    "DivNoNan": "({1} == {T}(0) ? {T}(0) : {0} / {1})",
    "Equal": "{0} == {1}",
    "Exp": "exp{f}({0})",
    "Expm1": "expm1{f}({0})",
    "Floor": "floor{f}({0})",
    "Greater": "{0} > {1}",
    "GreaterEqual": "{0} >= {1}",
    "Identity": "{0}",
    "Inv": "{T}(1) / {0}",
    "InvGrad": "({1} == {T}(0) ? {T}(0) : -{1} * {0} * {0})",
    "Less": "{0} < {1}",
    "LessEqual": "{0} <= {1}",
    "Log": "log{f}({0})",
    "Log1p": "log1p{f}({0})",
    "LogicalAnd": "{0} && {1}",
    "LogicalNot": "!{0}",
    "LogicalOr": "{0} || {1}",
    "Maximum": _MAXIMUM,
    "Minimum": _MINIMUM,
    "Mul": "{0} * {1}",
    "Neg": "-{0}",
    "NotEqual": "{0} != {1}",
    "Pow": "pow{f}({0}, {1})",
    "RealDiv": "{0} / {1}",
    "Reciprocal": "{T}(1) / {0}",
    "ReciprocalGrad": "({1} == {T}(0) ? {T}(0) : -{1} * {0} * {0})",
    "Relu": "({0} != {0} ? {0} : fmax{f}({0}, {T}(0)))",
    "Relu6": "({0} != {0} ? {0} : fmin{f}(fmax{f}({0}, {T}(0)), {T}(6)))",
    # Multiplied, not chosen: an infinite gradient of a clipped feature is NaN.
    "ReluGrad": "{0} * {T}({1} > {T}(0))",
    "Relu6Grad": "{0} * {T}({1} > {T}(0) && {1} < {T}(6))",
    "Rsqrt": "{T}(1) / sqrt{f}({0})",
    "RsqrtGrad": "({1} == {T}(0) ? {T}(0) : {1} * {T}(-0.5) * {0} * {0} * {0})",
    "Select": "({0} ? {1} : {2})",
    "SelectV2": "({0} ? {1} : {2})",
    "Sigmoid": "{T}(1) / (exp{f}(-{0}) + {T}(1))",
    "SigmoidGrad": "{1} * {0} * ({T}(1) - {0})",
    "Sqrt": "sqrt{f}({0})",
    "SqrtGrad": "({1} == {T}(0) ? {T}(0) : {1} * {T}(0.5) / {0})",
    "Square": "{0} * {0}",
    "SquaredDifference": "({0} - {1}) * ({0} - {1})",
    "StopGradient": "{0}",
    "Sub": "{0} - {1}",
    "Tanh": "tanh{f}({0})",
    "TanhGrad": "{1} * ({T}(1) - {0} * {0})",
}

#: (array module, types, statements) -> compiled kernel
_kernels: dict[Any, Any] = {}


def expression(type: str, operands: Sequence[str], result: str) -> str:
    """What the op `type` makes of these variables, as C; `result` is the type (NumPy's name) of what it makes."""
    suffix = "f" if result == "float32" else ""
    return EXPRESSIONS[type].format(*operands, T=RESULTS[result], f=suffix)


def literal(value: Any) -> str | None:
    """A number of NumPy's as C has it; None for whole numbers, truths, and what is infinite or no number."""
    number, kind = value.item(), value.dtype.name
    if kind not in ("float32", "float64") or number != number or number in (float("inf"), -float("inf")):
        return None
    return f"{RESULTS[kind]}({number!r})"


def statements(members: Sequence[tuple[str, Sequence[str], str]]) -> str:
    """The body of a kernel, from each op's type, its operands and its result's type.

    An operand is an input (`x0`, `x1`, …), what an op before it makes (`t0`, `t1`, …) or a literal. The kernel's
    result, `y`, is that of the last op.
    """
    *inner, (type, operands, result) = members
    lines = [
        f"const {RESULTS[made]} t{index} = {expression(name, taken, made)};"
        for index, (name, taken, made) in enumerate(inner)
    ]
    return " ".join([*lines, f"y = {expression(type, operands, result)};"])


def kernel(xp: Any, inputs: Sequence[str], result: str, body: str) -> Any:
    """The function of a device's arrays of these types (NumPy's names) that computes `body` for each element."""
    key = id(xp), tuple(inputs), result, body
    found = _kernels.get(key)
    if found is None:
        takes = ", ".join(f"{kind} x{index}" for index, kind in enumerate(inputs))
        found = _kernels[key] = xp.ElementwiseKernel(takes, f"{result} y", body, "tfbench_fused", options=OPTIONS)
    return found
