"""`Print`, and tensors' values as TensorFlow prints them in messages: `[[1 2 3...]...]`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, op
from tfbench.engine.resources import Resource
from tfbench.engine.tensor import Tensor

__all__ = ["Print"]

_print = op(
    "Print",
    "input: T, data: U",
    "output: T",
    "T: type; U: list(type) >= 0; message: string = ''; first_n: int = -1; summarize: int = 3",
    stateful=True,
    aliases=True,
)


@_print.shape
def _print_shape(node: Operation, x: Any, *data: Any) -> Any:
    return [x]


@_print.bind(CPU)
def _print_bind(context: Any) -> Any:
    attrs = context.attrs
    message, first_n, summarize = attrs["message"], attrs["first_n"], attrs["summarize"]
    counter = context.resources.get("", f"print counter of {context.op.name}", _Counter)

    def run(x: Any, *data: Any) -> Any:
        if first_n < 0 or counter.count < first_n:
            counter.count += 1
            print(message + "".join(f"[{summary(array, summarize)}]" for array in data), file=sys.stderr, flush=True)
        return x

    return run


class _Counter(Resource):
    """How often a Print op of a session has printed."""

    def __init__(self) -> None:
        self.count = 0

    def snapshot(self) -> int:
        return self.count

    def restore(self, state: int) -> None:
        self.count = state


@_print.gradient
def _print_gradient(node: Operation, dy: Any) -> Any:
    return [dy, *[None] * (len(node.inputs) - 1)]


def summary(array: Any, limit: int) -> str:
    """Up to `limit` elements of an array as text, nested by brackets; negative: all of them."""
    array = np.asarray(array)
    if array.ndim == 0:
        return _element(array[()])
    if array.size == 0:
        return ""
    left = [array.size if limit < 0 else limit]
    if array.ndim == 1:
        return _row(array, left)
    return _rows(array, left) + ("..." if 0 <= limit < array.size else "")


def _row(array: Any, left: list[int]) -> str:
    count = min(len(array), left[0])
    left[0] -= count
    text = " ".join(_element(item) for item in array[:count])
    return text + ("..." if count < len(array) else "")


def _rows(array: Any, left: list[int]) -> str:
    """The rows that are not left out; only the whole says that some are."""
    text = ""
    for item in array:
        if left[0] <= 0:
            break
        text += f"[{_rows(item, left) if item.ndim > 1 else _row(item, left)}]"
    return text


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (np.floating, float)):
        return _float(value)
    if isinstance(value, (np.complexfloating, complex)):
        return "?"
    return str(value)


def _float(value: Any) -> str:
    """As C's %g with the digits that always suffice to write the type, or with all that tell values apart."""
    few, all_digits = (15, 17) if np.asarray(value).dtype.itemsize == 8 else (6, 9)
    text = f"{float(value):.{few}g}"
    same = np.asarray(float(text), np.asarray(value).dtype) == value
    return text if same else f"{float(value):.{all_digits}g}"


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The value of `input_`; running it prints `message` and the values of `data` on standard error.

    Args:
      first_n: print only so many times (default: every time).
      summarize: so many elements of each tensor (default 3; negative: all).
    """
    return _print(input_, list(data), message=message, first_n=first_n, summarize=summarize, name=name)
