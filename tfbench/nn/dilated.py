"""Convolutions with holes: the input is cut into interleaved parts, which are convolved as a larger batch.

That is what `tf.nn.convolution` does for a dilation above one, and so do atrous and separable convolutions and
`tf.nn.pool`: `with_space_to_batch` around an op that knows nothing of holes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_blocks import (
    batch_to_space,
    batch_to_space_nd,
    required_space_to_batch_paddings,
    space_to_batch,
    space_to_batch_nd,
)
from tfbench.engine.ops.array_join import concat, stack
from tfbench.engine.ops.nn_conv import conv2d_backprop_input_op, conv2d_op
from tfbench.engine.ops.nn_conv3d import conv3d_op
from tfbench.engine.ops.shape_ops import renamed, shape
from tfbench.engine.shape_math import is_fully_defined
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.nn.arguments import padding_of, per_axis
from tfbench.nn.convolution import conv1d, squeeze_batch_dims
from tfbench.nn.transposed import conv2d_transpose


def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[..., Any],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: Any = None,
) -> Any:
    """`op` with holes: applied to the interleaved parts of `input` that are `dilation_rate` apart.

    `op(parts, number of spatial axes, padding)` is called once. With `padding="SAME"` it is told "VALID", and
    `filter_shape` says how much to pad.
    """
    input = convert_to_tensor(input, name="input")
    rate = convert_to_tensor(dilation_rate, dtypes.int32, name="dilation_rate")
    if rate._shape is None or None in rate._shape:
        raise ValueError(
            f"`dilation_rate.shape` must be fully defined. Received: dilation_rate={rate} with shape {rate.shape}"
        )
    if len(rate._shape) != 1:
        raise ValueError(
            f"`dilation_rate.shape.rank` must be 1. Received: dilation_rate={rate} of rank {len(rate._shape)}"
        )
    count: int = rate._shape[0]  # type: ignore[assignment]
    first = data_format is not None and data_format.startswith("NC")
    axes = _spatial_axes(spatial_dims, count, first)
    needed = axes[-1] if first else axes[-1] + 1
    if input._shape is not None and len(input._shape) < needed:
        raise ValueError(
            f"`input.shape.rank` must be at least {needed}. Received: input.shape={input.shape} with rank "
            f"{len(input._shape)}"
        )
    known_rate = constant_value(rate)
    if known_rate is not None:
        if (known_rate < 1).any():
            raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={known_rate}")
        if (known_rate == 1).all():
            return op(input, count, padding)
    base = _base_paddings(filter_shape, padding, count, rate if known_rate is None else known_rate)
    return _interleaved(input, rate, base, op, axes, first)


def _spatial_axes(spatial_dims: Any, count: int, first: bool) -> list[int]:
    if spatial_dims is None:
        return list(range(2, count + 2)) if first else list(range(1, count + 1))
    axes = list(spatial_dims)
    if axes != sorted({int(axis) for axis in axes}) or any(axis < 1 for axis in axes):
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of positive integers. "
            f"Received: spatial_dims={axes}"
        )
    return axes


def _base_paddings(filter_shape: Any, padding: Any, count: int, rate: Any) -> Any:
    """What the filter with its holes needs on either side of each axis."""
    if padding == "VALID":
        return np.zeros([count, 2], np.int32)
    if padding != "SAME":
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if filter_shape is None:
        raise ValueError(
            f"`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape={filter_shape} and "
            f"padding={padding}"
        )
    sizes = constant_value(convert_to_tensor(filter_shape, name="filter_shape"))
    if sizes is None:
        raise ValueError(
            "None values not supported. The filter's sizes must be known for padding='SAME' with dilation."
        )
    extra = (sizes[:count] - 1) * rate
    before = extra // 2
    after = extra - before
    return stack([[before[i], after[i]] for i in range(count)])


def _interleaved(input: Tensor, rate: Tensor, base: Any, op: Callable[..., Any], axes: list[int], first: bool) -> Any:
    """Cuts `input` into parts along `axes`, applies `op` to them as one batch, and puts the results together."""
    sizes: Any = None
    if input._shape is not None:
        sizes = [input._shape[axis] for axis in axes]
    if sizes is None or None in sizes:
        own = shape(input)
        sizes = stack([own[axis] for axis in axes])
    paddings, crops = required_space_to_batch_paddings(sizes, rate, base)
    block = _for_leading_axes(rate, 1, axes)
    paddings = _for_leading_axes(paddings, 0, axes)
    crops = _for_leading_axes(crops, 0, axes)
    parts = space_to_batch_nd(input, block, paddings)
    result = op(parts, len(axes), "VALID")
    whole = batch_to_space_nd(result, block, crops)
    if first and result._shape is not None and whole._shape is not None:
        known = list(whole._shape)
        known[1] = result._shape[1]
        whole.set_shape(known)
    return whole


def _for_leading_axes(values: Tensor, neutral: int, axes: list[int]) -> Any:
    """Rows for every axis from the first after the batch to the last of `axes`; `neutral` ones for those between."""
    known = constant_value(values)
    rows: Any = values if known is None else known
    inner = (values._shape or (None,))[1:]
    kind = values.dtype.as_numpy_dtype
    parts = []
    done = position = 0
    while position < len(axes):
        start, axis = position, axes[position]
        if axis > done + 1:
            parts.append(np.full([axis - 1 - done, *inner], neutral, kind))  # type: ignore[list-item]
        while position + 1 < len(axes) and axes[position + 1] == axes[position] + 1:
            position += 1
        parts.append(rows[start : position + 1])
        done = axes[position]
        position += 1
    return np.concatenate(parts) if known is not None else concat(parts, 0)


# -- tf.nn.convolution ------------------------------------------------------------------------------------------------


def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Convolves over one, two or three axes, as `filter` (sizes, channels, filters) says, with strides or with holes.

    Raises:
      ValueError: for both strides and dilations above one, for unknown ranks, for what does not fit.
    """
    filter = renamed("filters", filters, "filter", filter)
    dilation_rate = renamed("dilations", dilations, "dilation_rate", dilation_rate)
    if not _is_tensor(filter):
        with name_scope("convolution_internal", None, [filter, input]):
            filter = convert_to_tensor(filter, name="filters")
    if not _is_tensor(input):
        with name_scope("convolution_internal", None, [filter, input]):
            input = convert_to_tensor(input, name="input")
    count, batch_axes = _axis_counts(input, filter)
    last = data_format is None or data_format.endswith("C")
    channel_axis = batch_axes + count if last else batch_axes
    rates = per_axis(dilation_rate, count, channel_axis, "dilations")
    steps = per_axis(strides, count, channel_axis, "strides")
    with name_scope(name, "convolution", [input, filter]) as scope:
        if dilation_rate is None or all(rate == 1 for rate in rates):
            return _undilated(count, input, filter, steps, padding, data_format, rates, scope)
        inner = slice(2, None) if channel_axis == 1 else slice(1, -1)
        return _with_holes(count, input, filter, steps[inner], padding, data_format, rates[inner], scope)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element")


def _axis_counts(input: Any, filter: Any) -> tuple[int, int]:
    """How many axes of space there are, and how many of the batch."""
    own, of_filter = TensorShape(input.shape).ndims, TensorShape(filter.shape).ndims
    if of_filter:
        count = of_filter - 2
    elif own:
        count = own - 2
    else:
        raise ValueError(
            "When `num_spatial_dims` is not set, one of `input.shape.rank` or `filters.shape.rank` must be known. "
            f"Received: input.shape={input.shape} of rank {own} and filters.shape={filter.shape} of rank {of_filter}"
        )
    if count not in (1, 2, 3):
        raise ValueError(f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={count}.")
    return count, own - count - 1 if own else 1


def _undilated(
    count: int, input: Any, filter: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, name: str
) -> Tensor:
    if count == 1:
        return conv1d(input, filter, strides, padding, data_format=data_format, dilations=dilations, name=name)
    make = _plane if count == 2 else _space
    rank = TensorShape(input.shape).ndims
    if rank is None or rank <= count + 2:
        return make(input, filter, strides, padding, data_format, dilations, name)
    return squeeze_batch_dims(
        input, lambda x: make(x, filter, strides, padding, data_format, dilations, None), count + 1, name
    )


def _plane(x: Any, filter: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, name: Any) -> Tensor:
    padding, explicit = padding_of(padding)
    channel_axis = 1 if data_format and data_format.startswith("NC") else 3
    return conv2d_op(
        x,
        filter,
        strides=per_axis(strides, 2, channel_axis, "strides"),
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format or "NHWC",
        dilations=per_axis(dilations, 2, channel_axis, "dilations"),
        name=name,
    )


def _space(x: Any, filter: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, name: Any) -> Tensor:
    channel_axis = 1 if data_format and data_format.startswith("NC") else 4
    return conv3d_op(
        x,
        filter,
        strides=per_axis(strides, 3, channel_axis, "strides"),
        padding=padding,
        data_format=data_format or "NDHWC",
        dilations=per_axis(dilations, 3, channel_axis, "dilations"),
        name=name,
    )


def _with_holes(
    count: int, input: Any, filter: Any, strides: Any, padding: Any, data_format: Any, rates: Any, name: str
) -> Tensor:
    first = data_format is not None and data_format.startswith("NC")
    rates, strides = np.array(rates), np.array(strides)
    _check_channels(input, filter, 1 if first else count + 1)
    _check_rates(rates, strides)

    def convolve(x: Any, _: int, padding: Any) -> Tensor:
        if count == 1:
            return conv1d(x, filter, list(strides), padding, data_format=data_format, name=name)
        make = _plane if count == 2 else _space
        return make(x, filter, list(strides), padding, data_format, 1, name)

    return with_space_to_batch(
        input, rates.astype(np.int32), padding, convolve, TensorShape(filter.shape), None, data_format
    )


def _check_rates(rates: Any, strides: Any) -> None:
    if (rates < 1).any():
        raise ValueError(f"all values of `dilation_rate` must be positive. Received: dilation_rate={rates}")
    if (strides > 1).any() and (rates > 1).any():
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
            f"Received: strides={strides} and dilation_rate={rates}"
        )


def _check_channels(input: Any, filter: Any, axis: int) -> None:
    own, of_filter = TensorShape(input.shape)._dims, TensorShape(filter.shape)._dims
    if own is None or of_filter is None or axis >= len(own):
        return
    channels, wanted = own[axis], of_filter[-2]
    if channels is not None and wanted is not None and channels % wanted:
        raise ValueError(
            "The number of input channels is not divisible by the corresponding number of output filters. "
            f"Received: input.shape={input.shape} with {channels} channels and filters.shape={filter.shape} "
            f"with {of_filter[-1]} output filters."
        )


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Tensor:
    """Convolves images with a filter whose values are `rate` apart."""
    return convolution(value, filters, padding, dilation_rate=np.broadcast_to(rate, (2,)), name=name)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: Any, name: str | None = None
) -> Tensor:
    """The transpose of `atrous_conv2d`; `filters` is `(height, width, channels of the output, those of the input)`."""
    with name_scope(name, "atrous_conv2d_transpose", [value, filters, output_shape]):
        value = convert_to_tensor(value, name="value")
        filters = convert_to_tensor(filters, name="filters")
        own, of_filter = (TensorShape(x.shape).with_rank(4) for x in (value, filters))
        if not own[3].is_compatible_with(of_filter[3]):
            raise ValueError(
                "`value` channel count must be compatible with `filters` input channel count. "
                f"Received: value.shape={value.shape} with channel count {own[3]} and filters.shape={filters.shape} "
                f"with input channel count {of_filter[3]}."
            )
        if rate < 1:
            raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, [1, 1, 1, 1], padding, "NHWC")
        as_tensor = convert_to_tensor(output_shape, name="output_shape")
        if not as_tensor.shape.is_compatible_with([4]):
            raise ValueError(f"`output_shape` must have shape (4,). Received: output_shape={as_tensor.shape}")
        wanted: Any = as_tensor if isinstance(output_shape, Tensor) else list(output_shape)
        if not isinstance(wanted, Tensor) and not of_filter[2].is_compatible_with(wanted[3]):
            raise ValueError(
                "`output_shape` channel count must be compatible with `filters` output channel count. "
                f"Received: output_shape={output_shape} with channel count {wanted[3]} and filters.shape="
                f"{filters.shape} with output channel count {of_filter[2]}."
            )
        return _interleaved_transpose(value, filters, wanted, rate, padding)


def _interleaved_transpose(value: Tensor, filters: Tensor, wanted: Any, rate: int, padding: Any) -> Tensor:
    """The transposed convolution of the interleaved parts of `value`."""
    if padding == "SAME":
        known: Any = filters._shape if is_fully_defined(filters._shape) else shape(filters)
        sizes = [known[i] for i in (0, 1)]
        spread = [size + (size - 1) * (rate - 1) for size in sizes]
        reach = [size - 1 for size in spread]
    elif padding == "VALID":
        reach = [0, 0]
    else:
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
    # One after the other, axis by axis: where these are tensors, the order of the nodes is TensorFlow's.
    before, after = [], []
    for size in reach:
        before.append(size // 2)
        after.append(size - before[-1])
    padded = [wanted[i + 1] + before[i] + after[i] for i in (0, 1)]
    extra = [(rate - size % rate) % rate for size in padded]
    parts = space_to_batch(value, [[0, extra[0]], [0, extra[1]]], rate)
    sizes = [rate * rate * wanted[0], *((padded[i] + extra[i]) // rate for i in (0, 1)), wanted[3]]
    result = conv2d_backprop_input_op(sizes, filters, parts, strides=[1, 1, 1, 1], padding="VALID", data_format="NHWC")
    crops = [[before[i], after[i] + extra[i]] for i in (0, 1)]
    return batch_to_space(result, crops, rate)


def convolve_in_space(
    input: Any, filter: Any, strides: Any, padding: Any, data_format: str, name: str | None = None
) -> Tensor:
    """A convolution without holes over two or three axes, as one node."""
    make = _plane if len(TensorShape(filter.shape)) == 4 else _space
    return make(input, filter, strides, padding, data_format, 1, name)
