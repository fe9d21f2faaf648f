"""Convolutions and pooling, under the names of `tf.keras.backend`.

Kernels with the channels first are there for the CPU, too, so nothing is transposed for them; TensorFlow transposes on
a machine without a GPU.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from tfbench.engine import ops
from tfbench.keras.backend import nn
from tfbench.keras.backend.arrays import concatenate, permute_dimensions, temporal_padding
from tfbench.keras.backend.config import image_data_format
from tfbench.keras.backend.elementwise import batch_dot
from tfbench.layers.arguments import layout, sizes


def _layout(data_format: str | None, rank: int) -> str:
    data_format = data_format or image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    return layout(data_format, rank)


def _padding(padding: str) -> str:
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return padding.upper()


def _steps(strides: Any, kernel_layout: str) -> list[int]:
    """Steps along all axes."""
    return [1, 1, *strides] if kernel_layout[1] == "C" else [1, *strides, 1]


def _convolved(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, rate: Any) -> Any:
    count = x.shape.ndims - 2
    return nn.convolution(
        input=x,
        filter=kernel,
        dilation_rate=sizes(rate, count, "dilation_rate"),
        strides=sizes(strides, count, "strides"),
        padding=_padding(padding),
        data_format=_layout(data_format, x.shape.ndims),
    )


def conv1d(
    x: Any, kernel: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None, dilation_rate: Any = 1
) -> Any:
    """Convolution of sequences; `padding` may be 'causal', too."""
    if padding == "causal":
        x = temporal_padding(x, (dilation_rate * (kernel.shape.as_list()[0] - 1), 0))
        padding = "valid"
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate)


def conv2d(
    x: Any, kernel: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """Convolution of images."""
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate)


def conv3d(
    x: Any, kernel: Any, strides: Any = (1, 1, 1), padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = (1, 1, 1),
) -> Any:  # fmt: skip
    """Convolution of volumes."""
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate)


def conv2d_transpose(
    x: Any, kernel: Any, output_shape: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """Transposed convolution of images."""
    if isinstance(output_shape, (tuple, list)):
        batch = ops.shape(x)[0] if output_shape[0] is None else output_shape[0]
        output_shape = ops.stack([batch, *output_shape[1:]])
    if tuple(dilation_rate) != (1, 1):
        return nn.atrous_conv2d_transpose(x, kernel, output_shape, rate=dilation_rate[0], padding=_padding(padding))
    form = _layout(data_format, 4)
    return nn.conv2d_transpose(x, kernel, output_shape, _steps(strides, form), padding=_padding(padding),
                               data_format=form)  # fmt: skip


def separable_conv2d(
    x: Any, depthwise_kernel: Any, pointwise_kernel: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: Any = None, dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """Convolution of each channel by itself, then one across channels."""
    form = _layout(data_format, 4)
    return nn.separable_conv2d(
        x, depthwise_kernel, pointwise_kernel, strides=_steps(sizes(strides, 2, "strides"), form),
        padding=_padding(padding), rate=dilation_rate, data_format=form,
    )  # fmt: skip


def depthwise_conv2d(
    x: Any, depthwise_kernel: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """Convolution of each channel by itself."""
    form = _layout(data_format, 4)
    return nn.depthwise_conv2d(
        x, depthwise_kernel, strides=_steps(strides, form), padding=_padding(padding), rate=dilation_rate,
        data_format=form,
    )  # fmt: skip


def _pooled(functions: Any, x: Any, size: Any, strides: Any, padding: str, data_format: Any, mode: str) -> Any:
    if mode not in functions:
        raise ValueError(f"Invalid pooling mode: {mode}")
    form = _layout(data_format, x.shape.ndims)
    return functions[mode](
        x, _steps(size, form), _steps(strides, form), padding=_padding(padding), data_format=form
    )  # fmt: skip


def pool2d(
    x: Any, pool_size: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
    pool_mode: str = "max",
) -> Any:  # fmt: skip
    """The largest ('max') or the mean ('avg') of each window of images."""
    return _pooled({"max": nn.max_pool, "avg": nn.avg_pool}, x, pool_size, strides, padding, data_format, pool_mode)


def pool3d(
    x: Any, pool_size: Any, strides: Any = (1, 1, 1), padding: str = "valid", data_format: Any = None,
    pool_mode: str = "max",
) -> Any:  # fmt: skip
    """The largest ('max') or the mean ('avg') of each window of volumes."""
    return _pooled(
        {"max": nn.max_pool3d, "avg": nn.avg_pool3d}, x, pool_size, strides, padding, data_format, pool_mode
    )  # fmt: skip


def _local(inputs: Any, kernel: Any, size: Any, strides: Any, output_shape: Any, data_format: str | None) -> Any:
    """A convolution with a kernel of its own at each place (the first axis of `kernel`)."""
    first = _layout(data_format, len(output_shape) + 2)[1] == "C"
    _, features, channels = kernel.shape.as_list()
    windows = []
    for place in product(*map(range, output_shape)):
        space = [slice(at * step, at * step + long) for at, step, long in zip(place, strides, size, strict=True)]
        whole = slice(None)
        picked = inputs[(whole, whole, *space) if first else (whole, *space, whole)]
        windows.append(ops.reshape(picked, (1, -1, features)))
    outputs = batch_dot(concatenate(windows, axis=0), kernel)
    count = len(output_shape)
    outputs = ops.reshape(outputs, (*output_shape, -1, channels))
    return permute_dimensions(
        outputs, [count, count + 1, *range(count)] if first else [count, *range(count), count + 1]
    )


def local_conv1d(inputs: Any, kernel: Any, kernel_size: Any, strides: Any, data_format: Any = None) -> Any:
    """`conv1d` with another kernel at each step."""
    return _local(inputs, kernel, kernel_size, strides, (kernel.shape.as_list()[0],), data_format)


def local_conv2d(
    inputs: Any, kernel: Any, kernel_size: Any, strides: Any, output_shape: Any, data_format: Any = None
) -> Any:
    """`conv2d` with another kernel at each place."""
    return _local(inputs, kernel, kernel_size, strides, tuple(output_shape), data_format)


def bias_add(x: Any, bias: Any, data_format: Any = None) -> Any:
    """`x` plus a number for each channel, or for each channel and place.

    Raises:
      ValueError: for a bias of another rank.
    """
    rank = x.shape.ndims
    form = _layout(data_format, rank) if rank in (3, 4, 5) else ""
    shape = tuple(bias.shape.as_list())
    if len(shape) not in (1, rank - 1):
        raise ValueError(f"Unexpected bias dimensions {len(shape)}, expect to be 1 or {rank} dimensions")
    if not form or (rank == 4 and len(shape) == 1 and form == "NHWC"):
        return nn.bias_add(x, bias)
    if form[1] == "C":
        wide = (1, shape[-1], *shape[:-1]) if len(shape) > 1 else (1, shape[0], *[1] * (rank - 2))
    else:
        wide = (1, *shape) if len(shape) > 1 else (*[1] * (rank - 1), shape[0])
    return x + ops.reshape(bias, wide)
