"""Python's operators on tensors: which op each builds, and how the nodes are called.

An operator opens the name scope `add`, `mul`, `truediv`, …; a Python value on its right becomes the constant
`add/y`, one on its left `add/x`. Comparisons have no scope of their own and are called like their op.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.comparison import logical_xor
from tfbench.engine.ops.math_binary import add, div, truediv
from tfbench.engine.ops.matmul import matmul
from tfbench.engine.tensor import OPERATORS, Tensor

__all__: list[str] = []  # what this file does is fill OPERATORS

#: builds the node(s); the name is a plain one or a scope that is open already ('add/')
Function = Callable[[Any, Any, str], Tensor]

#: what never knows better than a tensor how to combine with it
_PLAIN = (Tensor, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)


def _direct(type: str) -> Function:
    op_def = lookup(type)

    def build(x: Any, y: Any, name: str) -> Tensor:
        return op_def(x, y, name=name)

    return build


def _multiply(x: Any, y: Any, name: str) -> Tensor:
    mul = lookup("Mul")
    if x._dtype.base_dtype is not dtypes.bool and not (isinstance(y, Tensor) and y._dtype.base_dtype is dtypes.bool):
        return mul(x, y, name=name)
    # Booleans are multiplied as numbers.
    with name_scope(name) as scope:
        cast = lookup("Cast")
        product = mul(cast(x, DstT=dtypes.int32), cast(y, DstT=dtypes.int32), name=scope)
        return cast(product, DstT=dtypes.bool)


def _logical_or_bitwise(logical: Function, bitwise: str) -> Function:
    """`&`, `|`, `^`: logical on booleans; on integers bitwise, under the op's own name in the operator's scope."""
    op_def = lookup(bitwise)

    def build(x: Any, y: Any, name: str) -> Tensor:
        with name_scope(name) as scope:
            if x._dtype.base_dtype is dtypes.bool:
                return logical(x, y, scope)
            return op_def(x, y)

    return build


def _install(word: str, function: Function) -> None:
    def forward(x: Any, y: Any) -> Any:
        if not isinstance(x, Tensor):
            x = convert_to_tensor(x)
        if isinstance(y, Tensor):
            return function(x, y, word)
        own = getattr(type(y), f"__r{word}__", None)
        if own is not None and getattr(type(y), "decides_operators", False):
            return own(y, x)  # sparse tensors combine with tensors in their own way
        try:
            with name_scope(None, word, [x, y]) as scope:
                return function(x, y, scope)
        except (TypeError, ValueError) as error:
            # The other operand may know how to combine with a tensor; if it does not, the first error says more.
            result: Any = NotImplemented
            if own is not None and not isinstance(y, _PLAIN) and not hasattr(y, "_as_graph_element"):
                try:
                    result = own(y, x)
                except (TypeError, ValueError):
                    raise error from None
            if result is NotImplemented:
                raise
            return result

    def reflected(y: Any, x: Any) -> Any:
        if not isinstance(y, Tensor):
            y = convert_to_tensor(y)
        with name_scope(None, word, [x, y]) as scope:
            return function(convert_to_tensor(x, dtype=y._dtype.base_dtype, name="x"), y, scope)

    OPERATORS[word] = forward
    OPERATORS["r" + word] = reflected


def _install_comparison(word: str, type: str) -> None:
    op_def = lookup(type)

    def compare(x: Any, y: Any) -> Any:
        return op_def(x if isinstance(x, Tensor) else convert_to_tensor(x), y)

    OPERATORS[word] = compare


def _invert(x: Any) -> Any:
    x = convert_to_tensor(x)
    return lookup("LogicalNot" if x._dtype.base_dtype is dtypes.bool else "Invert")(x)


def _matmul(x: Any, y: Any, name: str) -> Tensor:
    return matmul(x, y, name=name)


_install("add", add)
_install("sub", _direct("Sub"))
_install("mul", _multiply)
_install("truediv", truediv)
_install("div", div)
_install("floordiv", _direct("FloorDiv"))
_install("mod", _direct("FloorMod"))
_install("pow", _direct("Pow"))
_install("matmul", _matmul)
_install("and", _logical_or_bitwise(_direct("LogicalAnd"), "BitwiseAnd"))
_install("or", _logical_or_bitwise(_direct("LogicalOr"), "BitwiseOr"))
_install("xor", _logical_or_bitwise(logical_xor, "BitwiseXor"))
_install_comparison("lt", "Less")
_install_comparison("le", "LessEqual")
_install_comparison("gt", "Greater")
_install_comparison("ge", "GreaterEqual")
OPERATORS["invert"] = _invert
