"""Pooling: the largest value or the mean of windows over one, two or three axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import OpDef
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.ops.nn_pool import (
    avg_pool3d_op,
    avg_pool_op,
    max_pool3d_op,
    max_pool_op,
    max_pool_with_argmax_op,
)
from tfbench.engine.ops.shape_ops import expand_dims, renamed, squeeze
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.nn.arguments import padding_of, per_axis
from tfbench.nn.dilated import with_space_to_batch

# -- in the plane -----------------------------------------------------------------------------------------------------


def _plane(
    opdef: OpDef, value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, scope: str | None
) -> Tensor:
    data_format = "NHWC" if data_format is None else data_format
    channel_axis = 1 if data_format.startswith("NC") else 3
    attrs = {
        "ksize": per_axis(ksize, 2, channel_axis, "ksize"),
        "strides": per_axis(strides, 2, channel_axis, "strides"),
        "padding": padding,
        "data_format": data_format,
    }
    if opdef is max_pool_op:
        attrs["padding"], attrs["explicit_paddings"] = padding_of(padding)
    return opdef(value, name=scope, **attrs)


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The largest value of each window of `ksize` positions, windows `strides` apart.

    `padding` is "SAME", "VALID" or four pairs of sizes; `ksize` and `strides` are one number, two, or four in the
    order of `data_format`.
    """
    value = renamed("input", input, "value", value)
    with name_scope(name, "MaxPool", [value]) as scope:
        channel_axis = 1 if (data_format or "NHWC").startswith("NC") else 3
        window = per_axis(ksize, 2, channel_axis, "ksize")
        if 0 in window:
            raise ValueError(f"`ksize` cannot be zero. Received: ksize={window}")
        return _plane(max_pool_op, value, ksize, strides, padding, data_format, scope)


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: str | None = None
) -> Tensor:
    """The largest value of each window of an image; as `max_pool`."""
    with name_scope(name, "MaxPool2d", [input]) as scope:
        return _plane(max_pool_op, input, ksize, strides, padding, data_format, scope)


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The mean of each window of `ksize` positions, padding left out, windows `strides` apart."""
    value = renamed("input", input, "value", value)
    with name_scope(name, "AvgPool", [value]) as scope:
        return _plane(avg_pool_op, value, ksize, strides, padding, data_format, scope)


avg_pool2d = avg_pool


# -- along one axis ---------------------------------------------------------------------------------------------------


def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NWC", name: str | None = None
) -> Tensor:
    """The largest value of each window of `(batch, width, channels)`: pooling of an image of height 1."""
    with name_scope(name, "MaxPool1d", [input]) as scope:
        padding, explicit = padding_of(padding, 3)
        more = {"explicit_paddings": [0, 0, *explicit]} if explicit else {}
        return _line(max_pool_op, input, ksize, strides, padding, data_format, scope, more)


def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NWC", name: str | None = None
) -> Tensor:
    """The mean of each window of `(batch, width, channels)`: pooling of an image of height 1."""
    with name_scope(name, "AvgPool1D", [input]) as scope:
        return _line(avg_pool_op, input, ksize, strides, padding, data_format, scope, {})


def _line(
    opdef: OpDef,
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    scope: str | None,
    more: dict[str, Any],
) -> Tensor:
    # Whatever is not "NWC" counts as channels first, even "NHWC".
    layout, axis = ("NHWC", 1) if data_format in (None, "NWC") else ("NCHW", 2)
    channel_axis = 1 if data_format is not None and data_format.startswith("NC") else 2
    attrs = {
        "ksize": [1, *per_axis(ksize, 1, channel_axis, "ksize")],
        "strides": [1, *per_axis(strides, 1, channel_axis, "strides")],
        "padding": padding,
        "data_format": layout,
        **more,
    }
    result = opdef(expand_dims(input, axis), name=scope, **attrs)
    return squeeze(result, [axis])


# -- over three axes --------------------------------------------------------------------------------------------------


def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", name: str | None = None
) -> Tensor:
    """The largest value of each window of `(batch, depth, height, width, channels)`."""
    with name_scope(name, "MaxPool3D", [input]) as scope:
        return _space(max_pool3d_op, input, ksize, strides, padding, data_format, scope)


def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", name: str | None = None
) -> Tensor:
    """The mean of each window of `(batch, depth, height, width, channels)`."""
    with name_scope(name, "AvgPool3D", [input]) as scope:
        return _space(avg_pool3d_op, input, ksize, strides, padding, data_format, scope)


def _space(
    opdef: OpDef, input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, scope: str | None
) -> Tensor:
    data_format = "NDHWC" if data_format is None else data_format
    channel_axis = 1 if data_format.startswith("NC") else 4
    return opdef(
        input,
        ksize=per_axis(ksize, 3, channel_axis, "ksize"),
        strides=per_axis(strides, 3, channel_axis, "strides"),
        padding=padding,
        data_format=data_format,
        name=scope,
    )


# -- over as many axes as there are -----------------------------------------------------------------------------------


def max_pool_v2(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Tensor:
    """The largest value of each window over the one, two or three axes between batch and channels."""
    make, layout = _by_rank(input, (max_pool1d, max_pool2d, max_pool3d))
    return make(input, ksize, strides, padding, data_format or layout, name)


def avg_pool_v2(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Tensor:
    """The mean of each window over the one, two or three axes between batch and channels."""
    make, layout = _by_rank(input, (avg_pool1d, avg_pool2d, avg_pool3d))
    return make(input, ksize, strides, padding, data_format or layout, name)


def _by_rank(input: Any, functions: tuple[Callable[..., Tensor], ...]) -> tuple[Callable[..., Tensor], str]:
    known = TensorShape(input.shape)
    rank = len(known)
    if not 3 <= rank <= 5:
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={known} of rank {rank}.")
    return functions[rank - 3], ("NWC", "NHWC", "NDHWC")[rank - 3]


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Pools over one, two or three axes, with strides or (without padding) with holes. `pooling_type`: "MAX", "AVG".

    Raises:
      ValueError: for both strides and dilations above one, for holes with padding, for strides above the window.
    """
    dilation_rate = renamed("dilations", dilations, "dilation_rate", dilation_rate)
    default = "max_pool" if pooling_type == "MAX" else "avg_pool"
    with name_scope(name, default, [input]) as scope:
        count = len(window_shape)
        if count not in (1, 2, 3):
            raise ValueError(
                f"`len(window_shape)` must be 1, 2, or 3. Received: window_shape={window_shape} of length {count}"
            )
        TensorShape(input.shape).with_rank(count + 2)
        steps, rates = _strides_and_rates(count, strides, dilation_rate)
        if padding == "SAME" and (rates > 1).any():
            raise ValueError(
                "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. "
                f"Received: padding={padding} and dilation_rate={rates}"
            )
        if (steps > np.array(window_shape)).any():
            raise ValueError(
                "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU implementations. "
                f"Received: strides={steps} and window_shape={window_shape}"
            )
        if pooling_type not in ("MAX", "AVG"):
            raise ValueError(f"{count}-D {pooling_type} pooling is not supported.")
        make = _pooling(count, pooling_type)
        layout = data_format or ("NWC", "NHWC", "NDHWC")[count - 1]

        def apply(x: Tensor, _: int, padding: Any) -> Tensor:
            return make(x, list(window_shape), steps.tolist(), padding, layout, scope)

        return with_space_to_batch(
            input, rates.astype(np.int32), padding, apply, np.array(window_shape), None, data_format
        )


def _pooling(count: int, pooling_type: str) -> Callable[..., Tensor]:
    largest = pooling_type == "MAX"
    if count == 1:
        return max_pool1d if largest else avg_pool1d
    if count == 2:
        return max_pool if largest else avg_pool
    return max_pool3d if largest else avg_pool3d


def _strides_and_rates(count: int, strides: Any, dilation_rate: Any) -> tuple[Any, Any]:
    """One stride and one dilation an axis, checked."""
    rates = [1] * count if dilation_rate is None else dilation_rate
    steps = [1] * count if strides is None else strides
    for word, values in (("dilation_rate", rates), ("strides", steps)):
        if len(values) != count:
            raise ValueError(f"`len({word})` should be {count}. Received: {word}={values} of length {len(values)}")
    rates, steps = np.array(rates), np.array(steps)
    if (rates < 1).any():
        raise ValueError(f"all values of `dilation_rate` must be positive. Received: dilation_rate={rates}")
    if (steps < 1).any():
        raise ValueError(f"all values of `strides` must be positive. Received: strides={steps}")
    if (steps > 1).any() and (rates > 1).any():
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
            f"Received: strides={steps} and dilation_rate={rates}"
        )
    return steps, rates


# -- with indices -----------------------------------------------------------------------------------------------------


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> Any:
    """(output, argmax): the largest value of each window, and where it was as an index into the flattened image."""
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other than 'NHWC' are not supported. Received: data_format={data_format}"
        )
    kind = renamed("Targmax", Targmax, "output_dtype", output_dtype)
    outputs = max_pool_with_argmax_op(
        input,
        ksize=ksize,
        strides=strides,
        padding=padding,
        Targmax=kind,
        include_batch_in_index=include_batch_in_index,
        name=name,
    )
    return named_outputs(max_pool_with_argmax_op, outputs)
