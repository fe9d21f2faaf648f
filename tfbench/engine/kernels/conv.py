"""Conv2D, Conv3D and their gradients with respect to input and filter.

The functions at the end take arrays and the attributes of TensorFlow's ops. On the CPU each looks up a plan for its
shapes, which is made once and knows how to cut the work (see `conv_plans`); elsewhere `conv_device` computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import conv_device
from tfbench.engine.kernels.conv_plans import FilterGradient, Forward, InputGradient, Shape
from tfbench.engine.kernels.geometry import (
    Array,
    Window,
    channels_first,
    channels_last,
    check_batch_and_depth,
    is_channels_first,
    spatial_axes,
    windows,
)

#: strides, padding, explicit_paddings, data_format, dilations
Attrs = tuple[tuple[int, ...], str, tuple[int, ...], str, tuple[int, ...]]


# -- shapes --------------------------------------------------------------------------------------------------


def _windows(sizes: Sequence[int], input_shape: Sequence[int], attrs: Attrs) -> list[Window]:
    strides, padding, explicit, data_format, dilations = attrs
    check_batch_and_depth(strides, dilations, data_format)
    return windows(
        sizes,
        input_shape,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
    )


def _check_forward(x: Shape, filter: Shape, data_format: str) -> None:
    rank = len(data_format)
    channels = data_format.index("C")
    if len(x) != rank:
        raise invalid(f"convolution input must be {rank}-dimensional: {list(x)}")
    if len(filter) != rank:
        raise invalid(f"convolution filter must be {rank}-dimensional: {list(filter)}")
    depth, filter_depth = x[channels], filter[-2]
    if filter_depth <= 0:
        raise invalid(f"filter depth must be strictly positive, got {filter_depth}")
    if 0 in filter[:-1]:
        raise invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)")
    if depth % filter_depth:
        raise invalid(f"input depth must be evenly divisible by filter depth: {depth} vs {filter_depth}")
    if depth == 0:
        raise invalid(f"input depth must be strictly positive: {list(x)}")
    groups = depth // filter_depth
    if rank == 5 and groups != 1:
        raise invalid(f"Number of channels in filter ({filter_depth}) must match last dimension of input ({depth})")
    if filter[-1] % groups:
        raise invalid(f"output depth must be evenly divisible by number of groups: {filter[-1]} vs {groups}")


def _input_sizes(op: str, sizes: Sequence[int], filter: Shape, dy: Shape, data_format: str) -> Shape:
    """The input's shape, from its four or five sizes or from the spatial ones alone."""
    rank = len(data_format)
    if len(filter) != rank:
        raise invalid(f"{op}: filter must be {rank}-dimensional, got {list(filter)}")
    if len(dy) != rank:
        raise invalid(f"{op}: out_backprop must be {rank}-dimensional, got {list(dy)}")
    shape = [int(size) for size in sizes]
    if len(shape) == rank - 2:
        full = list(dy)
        full[data_format.index("C")] = filter[-2]
        for axis, size in zip(spatial_axes(data_format), shape):
            full[axis] = size
        shape = full
    if len(shape) != rank:
        raise invalid(f"{op} requires input_sizes to contain {rank} values or {rank - 2} values, but got: {len(sizes)}")
    return tuple(shape)


def _check_gradient(op: str, input: Shape, filter: Shape, dy: Shape, found: Sequence[Window], data_format: str) -> None:
    channels = data_format.index("C")
    if input[0] != dy[0]:
        raise invalid(
            f"{op}: input and out_backprop must have the same batch size. "
            f"Input batch: {input[0]}, outbackprop batch: {dy[0]}, batch_dim: 0"
        )
    if input[channels] != filter[-2]:
        raise invalid(
            f"{op}: Gradients for grouped convolutions are not supported on CPU. "
            f"Computed input depth {input[channels]} doesn't match filter input depth {filter[-2]}"
        )
    if dy[channels] != filter[-1]:
        raise invalid(f"{op}: filter and out_backprop must have the same out_depth: {filter[-1]} vs {dy[channels]}")
    for window, axis in zip(found, spatial_axes(data_format)):
        if dy[axis] != window.output:
            raise invalid(
                f"{op}: Size of out_backprop doesn't match computed: actual = {dy[axis]}, computed = "
                f"{window.output} spatial_dim: {axis} input: {window.input} filter: {window.size} "
                f"output: {dy[axis]} stride: {window.stride} dilation: {window.dilation}"
            )


# -- from attributes and arrays to plans -----------------------------------------------------------------------


def _run(plan: Callable[[Array, Array], Array], first: Array, second: Array) -> Array:
    """Runs a plan on contiguous arrays; half precision is computed in single."""
    if first.dtype == np.float16:
        made = plan(first.astype(np.float32, order="C"), second.astype(np.float32, order="C"))
        with np.errstate(over="ignore", invalid="ignore"):
            return made.astype(np.float16)
    return plan(np.ascontiguousarray(first), np.ascontiguousarray(second))


def _compute_type(char: str) -> np.dtype[Any]:
    return np.dtype(np.float32 if char == "e" else char)


def _last(shape: Shape) -> Shape:
    return (shape[0], *shape[2:], shape[1])


@lru_cache(maxsize=256)
def _plan_forward(x: Shape, filter: Shape, char: str, attrs: Attrs) -> tuple[list[Window], Forward]:
    data_format = attrs[3]
    _check_forward(x, filter, data_format)
    found = _windows(filter[:-2], x, attrs)
    last = _last(x) if is_channels_first(data_format) else x
    return found, Forward(last, filter, found, _compute_type(char))


@lru_cache(maxsize=256)
def _plan_input_gradient(
    op: str, sizes: Shape, filter: Shape, dy: Shape, char: str, attrs: Attrs
) -> tuple[list[Window], InputGradient]:
    data_format = attrs[3]
    input = _input_sizes(op, sizes, filter, dy, data_format)
    found = _windows(filter[:-2], input, attrs)
    _check_gradient(op, input, filter, dy, found, data_format)
    last = _last(input) if is_channels_first(data_format) else input
    return found, InputGradient(last, filter, found, _compute_type(char))


@lru_cache(maxsize=256)
def _plan_filter_gradient(
    op: str, x: Shape, filter: Shape, dy: Shape, char: str, attrs: Attrs
) -> tuple[list[Window], FilterGradient]:
    data_format = attrs[3]
    if len(filter) != len(data_format):
        raise invalid(f"{op} requires filter_sizes to contain {len(data_format)} values, but got: {len(filter)}")
    input = _input_sizes(op, x, filter, dy, data_format)
    found = _windows(filter[:-2], input, attrs)
    _check_gradient(op, input, filter, dy, found, data_format)
    last = _last(input) if is_channels_first(data_format) else input
    return found, FilterGradient(last, filter, found, _compute_type(char))


def _attrs(
    strides: Sequence[int], padding: str, explicit: Sequence[int], data_format: str, dilations: Sequence[int]
) -> Attrs:
    return tuple(strides), padding, tuple(explicit), data_format, tuple(dilations)


def _convolve(xp: Any, x: Any, filter: Any, attrs: Attrs) -> Any:
    found, plan = _plan_forward(x.shape, filter.shape, x.dtype.char, attrs)
    first = is_channels_first(attrs[3])
    if first:
        x = channels_last(xp, x)
    if xp is np:
        out = _run(plan, x, filter)
    else:
        per_group = plan.shape[-1] // plan.groups
        pieces = [
            conv_device.forward(xp, part, filter[..., group * per_group : (group + 1) * per_group], found)
            for group, part in enumerate(xp.split(x, plan.groups, axis=-1))
        ]
        out = pieces[0] if plan.groups == 1 else xp.concatenate(pieces, axis=-1)
    return channels_first(xp, out) if first else out


def _groups(depth: int, filter: Shape) -> int:
    """Into how many groups the channels of an image fall that are convolved separately."""
    planar = len(filter) == 4 and filter[-2] > 0 and depth % filter[-2] == 0
    groups = depth // filter[-2] if planar else 1
    return groups if groups and filter[-1] % groups == 0 else 1


def _input_gradient(op: str, xp: Any, sizes: Any, filter: Any, dy: Any, attrs: Attrs) -> Any:
    wanted = tuple(int(size) for size in sizes)
    channels = attrs[3].index("C")
    groups = _groups(wanted[channels], filter.shape) if len(wanted) == dy.ndim else 1
    if groups > 1 and dy.shape[channels] == filter.shape[-1]:
        part = [filter.shape[-2] if axis == channels else size for axis, size in enumerate(wanted)]
        pairs = zip(xp.split(filter, groups, axis=-1), xp.split(dy, groups, axis=channels))
        return xp.concatenate([_input_gradient(op, xp, part, *pair, attrs) for pair in pairs], axis=channels)
    found, plan = _plan_input_gradient(op, wanted, filter.shape, dy.shape, dy.dtype.char, attrs)
    first = is_channels_first(attrs[3])
    if first:
        dy = channels_last(xp, dy)
    dx = _run(plan, dy, filter) if xp is np else conv_device.input_gradient(xp, dy, filter, found)
    return channels_first(xp, dx) if first else dx


def _filter_gradient(op: str, xp: Any, x: Any, sizes: Any, dy: Any, attrs: Attrs) -> Any:
    wanted = tuple(int(size) for size in sizes)
    channels = attrs[3].index("C")
    groups = _groups(x.shape[channels], wanted) if x.ndim == dy.ndim == 4 else 1
    if groups > 1 and dy.shape[channels] == wanted[-1]:
        part = (*wanted[:-1], wanted[-1] // groups)
        pairs = zip(xp.split(x, groups, axis=channels), xp.split(dy, groups, axis=channels))
        return xp.concatenate([_filter_gradient(op, xp, one, part, two, attrs) for one, two in pairs], axis=-1)
    found, plan = _plan_filter_gradient(op, x.shape, wanted, dy.shape, dy.dtype.char, attrs)
    if is_channels_first(attrs[3]):
        x, dy = channels_last(xp, x), channels_last(xp, dy)
    return _run(plan, x, dy) if xp is np else conv_device.filter_gradient(xp, x, dy, found)


# -- the kernels -----------------------------------------------------------------------------------------------


def conv2d(
    xp: Any,
    input: Any,
    filter: Any,
    *,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
) -> Any:
    """`Conv2D`: `(n, h, w, c)` with `(kh, kw, c / groups, filters)` gives `(n, oh, ow, filters)`."""
    return _convolve(xp, input, filter, _attrs(strides, padding, explicit_paddings, data_format, dilations))


def conv2d_backprop_input(
    xp: Any,
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    *,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
) -> Any:
    """`Conv2DBackpropInput`, which is also `conv2d_transpose`: the gradient for an input of shape `input_sizes`."""
    attrs = _attrs(strides, padding, explicit_paddings, data_format, dilations)
    return _input_gradient("Conv2DBackpropInput", xp, input_sizes, filter, out_backprop, attrs)


def conv2d_backprop_filter(
    xp: Any,
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    *,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
) -> Any:
    """`Conv2DBackpropFilter`: the gradient for a filter of shape `filter_sizes`."""
    attrs = _attrs(strides, padding, explicit_paddings, data_format, dilations)
    return _filter_gradient("Conv2DBackpropFilter", xp, input, filter_sizes, out_backprop, attrs)


def conv3d(
    xp: Any,
    input: Any,
    filter: Any,
    *,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = (1, 1, 1, 1, 1),
) -> Any:
    """`Conv3D`: `(n, d, h, w, c)` with `(kd, kh, kw, c, filters)` gives `(n, od, oh, ow, filters)`."""
    return _convolve(xp, input, filter, _attrs(strides, padding, (), data_format, dilations))


def conv3d_backprop_input(
    xp: Any,
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    *,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = (1, 1, 1, 1, 1),
) -> Any:
    """`Conv3DBackpropInputV2`, which is also `conv3d_transpose`."""
    attrs = _attrs(strides, padding, (), data_format, dilations)
    return _input_gradient("Conv3DBackpropInputV2", xp, input_sizes, filter, out_backprop, attrs)


def conv3d_backprop_filter(
    xp: Any,
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    *,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = (1, 1, 1, 1, 1),
) -> Any:
    """`Conv3DBackpropFilterV2`: the gradient for a filter of shape `filter_sizes`."""
    attrs = _attrs(strides, padding, (), data_format, dilations)
    return _filter_gradient("Conv3DBackpropFilterV2", xp, input, filter_sizes, out_backprop, attrs)
