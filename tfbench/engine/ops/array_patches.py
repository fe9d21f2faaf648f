"""ExtractImagePatches: every window of an image, its pixels laid out as channels."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid, unimplemented
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.shape_ops import renamed
from tfbench.engine.shape_math import dim_mul, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["extract_image_patches"]

_patches = op(
    "ExtractImagePatches",
    "images: T",
    "patches: T",
    "ksizes: list(int) >= 4; strides: list(int) >= 4; rates: list(int) >= 4; T: {bfloat16, half, float, double, int8, "
    "int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128, bool}; padding: {'SAME', 'VALID'}",
    fresh=True,
)


def _windows(size: int, window: int, stride: int, rate: int, padding: str) -> tuple[int, int]:
    """(number of windows along an axis, pixels of padding before it)."""
    reach = window + (window - 1) * (rate - 1)
    if padding == "VALID":
        return (size - reach + stride) // stride, 0
    count = -(-size // stride)
    return count, max((count - 1) * stride + reach - size, 0) // 2


def _check(attrs: dict[str, Any]) -> None:
    for key in ("ksizes", "strides", "rates"):
        value = attrs[key]
        if len(value) != 4:
            raise ValueError(
                f"ExtractImagePatches requires the {key[:-1]} attribute to contain 4 values, but got: {len(value)}"
            )


@_patches.shape
def _patches_shape(node: Operation, x: Shape) -> list[Shape]:
    batch, rows, columns, depth = with_rank(x, 4)
    _check(node.attrs)
    _, height, width, _ = node.attrs["ksizes"]
    channels = dim_mul(depth, height * width)
    if rows is None or columns is None:
        return [(batch, None, None, channels)]
    result = []
    for size, axis in ((rows, 1), (columns, 2)):
        window, stride, rate = [node.attrs[key][axis] for key in ("ksizes", "strides", "rates")]
        count, _ = _windows(size, window, stride, rate, node.attrs["padding"])
        if count < 0:
            raise ValueError(f"Computed output size would be negative: {count}")
        result.append(count)
    return [(batch, *result, channels)]


@_patches.kernel(CPU, GPU)
def _patches_kernel(xp: Any, x: Any, *, ksizes: list[int], strides: list[int], rates: list[int], padding: str) -> Any:
    if x.ndim != 4:
        raise invalid(f"input must be 4-dimensional{brackets(x.shape)}")
    for key, value in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
        if value[0] != 1 or value[3] != 1:
            raise unimplemented(f"Only support {key} across space.")
    counts, sizes, starts = [], [], []
    for axis in (1, 2):
        count, before = _windows(x.shape[axis], ksizes[axis], strides[axis], rates[axis], padding)
        if count < 0:
            raise invalid(f"Computed output size would be negative: {count}")
        reach = (max(count, 1) - 1) * strides[axis] + (ksizes[axis] - 1) * rates[axis] + 1
        counts.append(count)
        starts.append(before)
        sizes.append(max(reach, before + x.shape[axis]))
    batch, rows, columns, depth = x.shape
    padded = xp.zeros((batch, *sizes, depth), x.dtype)
    padded[:, starts[0] : starts[0] + rows, starts[1] : starts[1] + columns] = x
    s0, s1, s2, s3 = padded.strides
    view = xp.lib.stride_tricks.as_strided(
        padded,
        (batch, counts[0], counts[1], ksizes[1], ksizes[2], depth),
        (s0, s1 * strides[1], s2 * strides[2], s1 * rates[1], s2 * rates[2], s3),
    )
    return xp.array(view).reshape((batch, counts[0], counts[1], ksizes[1] * ksizes[2] * depth))


def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """The windows of `ksizes` at every step of `strides`, their pixels (`rates` apart) side by side as channels."""
    return _patches(
        images,
        ksizes=renamed("ksizes", ksizes, "sizes", sizes),
        strides=strides,
        rates=rates,
        padding=padding,
        name=name,
    )
