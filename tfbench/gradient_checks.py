"""`tf.test.compute_gradient` and `compute_gradient_error`: the gradient that the graph computes against differences.

Both as matrices: a row for each number of x, a column for each of y. A complex number counts as two numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfbench.engine import dtypes, ops
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.default_graph import get_default_session
from tfbench.engine.gradients import gradients
from tfbench.engine.tensor import Tensor

Matrix = np.ndarray[Any, Any]
_TYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> Any:
    """`(computed, by differences)`: the Jacobian of y by x, of a list of xs a list of such pairs. Needs a session.

    `x_init_value` is where (default: at random numbers from 0 to 1), `delta` the step of the differences; operations in
    `init_targets` are run first.

    Raises:
      AssertionError: if x or y is of another type than a floating or complex one, or a value has not the shape given.
    """
    if not isinstance(x, list):
        x, x_shape, x_init_value, single = [x], [x_shape], [x_init_value], True
    else:
        single = False
        x_init_value = [None] * len(x) if x_init_value is None else x_init_value
    starts = [_start(each, y, y_shape) for each in x]
    if init_targets is not None:
        for target in init_targets:
            target.run()
    feeds = dict(extra_feed_dict or {})
    found = [
        _both(each, shape, dx, y, y_shape, dy, value, delta, feeds)
        for each, shape, (dx, dy), value in zip(x, x_shape, starts, x_init_value, strict=True)
    ]
    return found[0] if single else found


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> Any:
    """The largest difference between the Jacobian that the graph computes and the one by differences."""
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    error: Any = 0
    for computed, measured in [found] if isinstance(found, tuple) else found:
        if computed.size:
            error = np.maximum(error, np.abs(computed - measured).max())
    return error


def _start(x: Any, y: Tensor, y_shape: Sequence[int]) -> tuple[Any, Tensor]:
    """The gradient's node, and the constant that stands for the gradient of y: it is fed."""
    with y.graph.as_default():
        dy = ops.constant(1.0, shape=y_shape, dtype=y.dtype)
        through = ops.identity(dy)
    return gradients(y, x, through)[0], dy


def _both(
    x: Any,
    shape: Sequence[int],
    dx: Any,
    y: Tensor,
    y_shape: Sequence[int],
    dy: Tensor,
    value: Any,
    delta: float,
    feeds: dict[Any, Any],
) -> tuple[Matrix, Matrix]:
    for what, dtype in (("x", x.dtype), ("y", y.dtype)):
        if dtype.base_dtype.name not in _TYPES:
            raise AssertionError(f"Don't support type {dtype.name} for {what}")
    kind = x.dtype.base_dtype.as_numpy_dtype
    if value is None:
        value = np.random.random_sample(shape).astype(kind)
        if x.dtype.is_complex:
            value.imag = np.random.random_sample(shape)
    elif list(shape) != list(value.shape):
        raise AssertionError(f"x_shape = {shape}, init_data shape = {value.shape}")
    return (
        _computed(x, shape, value, dx, dy, y_shape, feeds),
        _measured(x, shape, value, y, y_shape, delta, feeds),
    )


def _size(shape: Sequence[int], dtype: dtypes.DType) -> int:
    return math.prod(shape) * (2 if dtype.is_complex else 1)


def _run(fetches: Any, feeds: dict[Any, Any]) -> Any:
    session = get_default_session()
    if session is None:
        raise ValueError("Computing gradients needs a default session: use `with tf.Session():`.")
    return session.run(fetches, feeds)


def _computed(
    x: Any, shape: Sequence[int], value: Any, dx: Any, dy: Tensor, y_shape: Sequence[int], feeds: dict[Any, Any]
) -> Matrix:
    if not isinstance(dx, (Tensor, IndexedSlices)):
        raise AssertionError(f"dx = {dx}: y does not depend on x")
    real = x.dtype.base_dtype.real_dtype.as_numpy_dtype
    result = np.zeros((_size(shape, x.dtype), _size(y_shape, dy.dtype)), real)
    upstream = np.zeros(y_shape, dy.dtype.as_numpy_dtype)
    numbers = upstream.reshape(-1).view(dy.dtype.real_dtype.as_numpy_dtype)
    for column in range(result.shape[1]):
        numbers[column] = 1
        fed = {**feeds, x: value, dy: upstream}
        if isinstance(dx, IndexedSlices):
            indices, rows = _run([dx.indices, dx.values], fed)
            dense = np.zeros(shape, rows.dtype)
            np.add.at(dense, indices, rows)
        else:
            dense = _run(dx, fed)
        result[:, column] = np.ascontiguousarray(dense).reshape(-1).view(real)
        numbers[column] = 0
    if not result.shape[1]:
        _check_empty(value, _run(dx, {**feeds, x: value, dy: upstream}))
    return result


def _check_empty(value: Any, found: Any) -> None:
    if np.shape(found) != np.shape(value):
        raise ValueError(f"Empty gradient has wrong shape: expected {np.shape(value)}, got {np.shape(found)}")
    if np.any(found):
        raise ValueError("Empty tensor with nonzero gradients")


def _measured(
    x: Any, shape: Sequence[int], value: Any, y: Tensor, y_shape: Sequence[int], delta: float, feeds: dict[Any, Any]
) -> Matrix:
    real, y_real = (each.dtype.base_dtype.real_dtype.as_numpy_dtype for each in (x, y))
    result = np.zeros((_size(shape, x.dtype), _size(y_shape, y.dtype)), real)
    value = np.asarray(value, x.dtype.base_dtype.as_numpy_dtype)
    step = np.asarray(2 * delta, y_real)[()]
    for row in range(result.shape[0]):
        sides = []
        for change in (delta, -delta):
            moved = np.array(value, order="C")
            moved.reshape(-1).view(real)[row] += change
            sides.append(_run(y, {**feeds, x: moved}))
        difference = np.ascontiguousarray((sides[0] - sides[1]) / step)
        result[row] = difference.reshape(-1).view(y_real)
    return result
