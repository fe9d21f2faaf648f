"""What the neural-network ops share: kernels loaded when first used, windows over space, and their attributes.

The kernels are functions in `engine/kernels/`. Their modules load threads and plans that most programs never need, so
a node's kernel is looked up when the node is bound.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import partial
from typing import Any

from tfbench.engine.opdef import CPU, GPU, Kernel, OpDef
from tfbench.engine.shape_math import Shape, dim_add, dim_div, dim_sub

FLOATS = "{half, bfloat16, float, double}"
REALS = "realnumbertype"
PADDING = "padding: {'SAME', 'VALID'}"
EXPLICIT = "padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []"
LAYOUT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
LAYOUT_3D = "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"


def computed_by(opdef: OpDef, module: str, function: str, *, devices: tuple[str, ...] = (CPU, GPU)) -> None:
    """Says that `function` of `engine/kernels/<module>.py` computes `opdef`; it is loaded when a node is bound."""

    @opdef.bind(*devices)
    def bind(context: Any) -> Any:
        found = getattr(importlib.import_module(f"tfbench.engine.kernels.{module}"), function)
        attrs = context.attrs
        names = Kernel(found, binds=False).attrs
        return partial(found, context.xp, **{name: attrs[name] for name in names if name in attrs})


# -- windows over space, statically -----------------------------------------------------------------------------------


def axes_of(data_format: str) -> tuple[int, tuple[int, ...]]:
    """Where the channels are, and the axes of space: NHWC -> (3, (1, 2))."""
    return data_format.index("C"), tuple(data_format.index(letter) for letter in "DHW" if letter in data_format)


def window_size(
    size: int | None, window: int | None, stride: int, padding: str, pads: Sequence[int] = (0, 0), dilation: int = 1
) -> int | None:
    """How many windows fit on one axis.

    Raises:
      ValueError: in TensorFlow's words, if it would be negative, or for a stride or dilation below one.
    """
    if stride <= 0:
        raise ValueError(f"Stride must be > 0, but got {stride}")
    if dilation < 1:
        raise ValueError(f"Dilation rate must be >= 1, but got {dilation}")
    if padding == "SAME":
        return dim_div(dim_add(size, stride - 1), stride)
    extent = window if window is None else (window - 1) * dilation + 1
    size = dim_add(size, pads[0] + pads[1])
    if extent is not None and extent < 0:
        # Pooling windows may be negative while the graph is built; they fail when it runs.
        left = None if size is None else size - extent
    else:
        left = dim_sub(size, extent)
    return dim_div(dim_add(left, stride), stride)


def check_count(op: str, attr: str, values: Sequence[int], count: int) -> None:
    """ValueError unless an attribute has one value for each axis."""
    if len(values) != count:
        raise ValueError(f"{op} requires the {attr} attribute to contain {count} values, but got: {len(values)}")


def check_padding(padding: str, explicit: Sequence[int], data_format: str) -> None:
    """ValueError unless explicit paddings are there if and only if they are asked for, and only over space."""
    if padding != "EXPLICIT":
        if explicit:
            raise ValueError("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT")
        return
    rank = len(data_format)
    if len(explicit) != 2 * rank:
        raise ValueError(f"explicit_paddings attribute must contain {2 * rank} values, but got: {len(explicit)}")
    if any(size < 0 for size in explicit):
        raise ValueError(f"All elements of explicit_paddings must be nonnegative, but got: {list(explicit)}")
    for axis in (0, data_format.index("C")):
        if explicit[2 * axis] or explicit[2 * axis + 1]:
            raise ValueError("Nonzero explicit padding in the batch or depth dimensions is not supported")


def laid_out(batch: int | None, channels: int | None, space: Sequence[int | None], data_format: str) -> Shape:
    """A shape with its sizes where `data_format` puts them."""
    at, axes = axes_of(data_format)
    sizes: list[int | None] = [batch] * len(data_format)
    sizes[at] = channels
    for axis, size in zip(axes, space, strict=True):
        sizes[axis] = size
    return tuple(sizes)
