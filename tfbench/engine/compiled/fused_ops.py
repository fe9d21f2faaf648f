"""What elementwise ops make of single numbers, for fused loops (`fused`): the formulas of their NumPy kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbench.engine.compiled.fused_math import Emitter, Number, literal

Expression = Callable[..., Number]


def _one(a: Number) -> Number:
    return literal(1, a.kind)


def _zero(a: Number) -> Number:
    return literal(0, a.kind)


def _relu(emit: Emitter, x: Number) -> Number:
    # A negative zero becomes a positive one, and NaN stays.
    return emit.select(emit.compare("le", x, _zero(x)), _zero(x), x)


def _relu6(emit: Emitter, x: Number) -> Number:
    six = literal(6, x.kind)
    x = _relu(emit, x)
    return emit.select(emit.compare("gt", x, six), six, x)


def _where(emit: Emitter, dy: Number, condition: Number) -> Number:
    # Multiplied, not chosen: an infinite gradient of a clipped feature is NaN.
    return emit.multiply(dy, emit.cast(condition, dy.kind))


def _relu_grad(emit: Emitter, dy: Number, x: Number) -> Number:
    return _where(emit, dy, emit.compare("gt", x, _zero(x)))


def _relu6_grad(emit: Emitter, dy: Number, x: Number) -> Number:
    inside = emit.logical("and", emit.compare("gt", x, _zero(x)), emit.compare("lt", x, literal(6, x.kind)))
    return _where(emit, dy, inside)


def _sigmoid(emit: Emitter, x: Number) -> Number:
    return emit.divide(_one(x), emit.add(emit.function("exp", emit.negative(x)), _one(x)))


def _sigmoid_grad(emit: Emitter, y: Number, dy: Number) -> Number:
    return emit.multiply(emit.multiply(dy, y), emit.subtract(_one(y), y))


def _tanh_grad(emit: Emitter, y: Number, dy: Number) -> Number:
    return emit.multiply(dy, emit.subtract(_one(y), emit.multiply(y, y)))


def _squared_difference(emit: Emitter, a: Number, b: Number) -> Number:
    difference = emit.subtract(a, b)
    return emit.multiply(difference, difference)


def _unless_zero(emit: Emitter, tested: Number, value: Number) -> Number:
    return emit.select(emit.compare("eq", tested, _zero(tested)), _zero(value), value)


def _rsqrt_grad(emit: Emitter, y: Number, dy: Number) -> Number:
    halved = emit.multiply(dy, literal(-0.5, dy.kind))
    return _unless_zero(emit, dy, emit.multiply(emit.multiply(emit.multiply(halved, y), y), y))


def _power(emit: Emitter, x: Number, exponent: float) -> Number:
    if exponent == 2:
        return emit.multiply(x, x)
    if exponent == 3:
        return emit.multiply(emit.multiply(x, x), x)
    return x


#: powers that are products
POWERS = (1.0, 2.0, 3.0)

#: op type -> its value from those of its inputs, all of one kind
ARITHMETIC: dict[str, Expression] = {
    "Add": Emitter.add,
    "AddV2": Emitter.add,
    "BiasAdd": Emitter.add,
    "BiasAddV1": Emitter.add,
    "Maximum": Emitter.maximum,
    "Minimum": Emitter.minimum,
    "Mul": Emitter.multiply,
    "Neg": Emitter.negative,
    "Square": lambda emit, x: emit.multiply(x, x),
    "SquaredDifference": _squared_difference,
    "Sub": Emitter.subtract,
}

#: the same, of floating-point numbers alone
FLOATING: dict[str, Expression] = {
    "Abs": lambda emit, x: emit.intrinsic("fabs", x),
    "Ceil": lambda emit, x: emit.intrinsic("ceil", x),
    "Div": Emitter.divide,
    "DivNoNan": lambda emit, a, b: _unless_zero(emit, b, emit.divide(a, b)),
    "Exp": lambda emit, x: emit.function("exp", x),
    "Floor": lambda emit, x: emit.intrinsic("floor", x),
    "InvGrad": lambda emit, y, dy: _unless_zero(emit, dy, emit.multiply(emit.multiply(emit.negative(dy), y), y)),
    "Inv": lambda emit, x: emit.divide(_one(x), x),
    "Log": lambda emit, x: emit.function("log", x),
    "RealDiv": Emitter.divide,
    "Reciprocal": lambda emit, x: emit.divide(_one(x), x),
    "ReciprocalGrad": lambda emit, y, dy: _unless_zero(emit, dy, emit.multiply(emit.multiply(emit.negative(dy), y), y)),
    "Relu": _relu,
    "Relu6": _relu6,
    "Relu6Grad": _relu6_grad,
    "ReluGrad": _relu_grad,
    "Rsqrt": lambda emit, x: emit.divide(_one(x), emit.intrinsic("sqrt", x)),
    "RsqrtGrad": _rsqrt_grad,
    "Sigmoid": _sigmoid,
    "SigmoidGrad": _sigmoid_grad,
    "Sqrt": lambda emit, x: emit.intrinsic("sqrt", x),
    "SqrtGrad": lambda emit, y, dy: _unless_zero(emit, dy, emit.divide(emit.multiply(dy, literal(0.5, dy.kind)), y)),
    "Tanh": lambda emit, x: emit.function("tanh", x),
    "TanhGrad": _tanh_grad,
}

#: op type -> how it compares
COMPARISONS = {
    "Equal": "eq",
    "Greater": "gt",
    "GreaterEqual": "ge",
    "Less": "lt",
    "LessEqual": "le",
    "NotEqual": "ne",
}
LOGICAL = {"LogicalAnd": "and", "LogicalOr": "or"}


def expression(emit: Emitter, type: str, operands: Sequence[Number], kind: str, attrs: dict[str, Any]) -> Number:
    """What the elementwise op `type` makes of its operands; `kind` is that of its result."""
    if type in ARITHMETIC or type in FLOATING:
        found: Expression = ARITHMETIC.get(type) or FLOATING[type]
        return found(emit, *operands)
    if type in COMPARISONS:
        return emit.compare(COMPARISONS[type], *operands)
    if type in LOGICAL:
        return emit.logical(LOGICAL[type], *operands)
    if type == "LogicalNot":
        return emit.logical("xor", operands[0], literal(1, "b1"))
    if type in ("Select", "SelectV2"):
        return emit.select(*operands)
    if type == "Cast":
        return emit.cast(operands[0], kind)
    if type == "AddN":
        total = operands[0]
        for operand in operands[1:]:
            total = emit.add(total, operand)
        return total
    if type == "LeakyRelu":
        x = operands[0]
        scaled = emit.multiply(x, literal(attrs["alpha"], kind))
        return emit.select(emit.compare("gt", x, _zero(x)), x, scaled)
    if type == "Pow":
        return _power(emit, operands[0], attrs["exponent"])
    if type in ("ZerosLike", "OnesLike"):
        return literal(type == "OnesLike", kind)
    return operands[0]  # Identity and what else hands a value on


#: ops that `expression` knows
ELEMENTWISE = frozenset(
    {*ARITHMETIC, *FLOATING, *COMPARISONS, *LOGICAL, "LogicalNot", "Select", "SelectV2", "Cast", "AddN", "LeakyRelu"}
    | {"Pow", "ZerosLike", "OnesLike"}
)
