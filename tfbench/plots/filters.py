"""Pictures of convolution kernels.

One colour scale for all kernels, symmetric around zero, so that a weak kernel looks weak and zero always has
the same colour; the scale stands on the figure. Kernels that take three channels are shown as colour, which
is what they respond to in an image.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.plots.picture import DIVERGING, Picture, bare, finite_limits, number, shortened, tiles, trouble
from tfbench.plots.values import chosen, variable_value

Array = np.ndarray[Any, Any]

_SCALES = ("shared", "each")


def filters(
    variable: Any,
    session: Any = None,
    *,
    outputs: Any = None,
    inputs: Any = None,
    scale: str = "shared",
    rgb: bool | None = None,
    columns: int | None = None,
) -> Picture:
    """The kernels of a convolution's weights.

    Args:
      variable: a variable (or its name) of shape [height, width, inputs, outputs]; [width, inputs, outputs] and
        matrices [inputs, outputs] are shown as well.
      session: where its value is (default: the default session).
      outputs, inputs: which channels (an index, a list or a slice). Default: the first 64 outputs; the first 8
        inputs where each input has its own row.
      scale: 'shared' - one scale for all; 'each' - every tile on its own, with its limits written under it.
      rgb: whether three inputs are shown as one colour tile (default: where there are exactly three).
      columns: tiles in a row.

    Returns:
      A matplotlib Figure. The number of channels left out, the scale, and NaN or Inf are written on it.

    Raises:
      ValueError: if the shape is none of these, or a channel does not exist.
      FailedPreconditionError: if the variable is not initialised.
    """
    if scale not in _SCALES:
        raise ValueError(f"scale must be one of {', '.join(map(repr, _SCALES))}, but is {scale!r}.")
    name, value = variable_value(variable, session)
    kernels = _as_kernels(name, value)
    height, width, in_count, out_count = kernels.shape
    as_colour = in_count == 3 and height * width > 1 if rgb is None else rgb
    if as_colour and in_count != 3:
        raise ValueError(f"{name} has {in_count} input channels; only three can be shown as colour (rgb=False).")
    outs = chosen(outputs, out_count, 64, "output channel")
    ins = [0] if as_colour else chosen(inputs, in_count, 64 if in_count == 1 else 8, "input channel")
    limit = max(map(abs, finite_limits(kernels))) or 1.0
    caption = _caption(name, value.shape, len(outs), out_count, None if as_colour else len(ins), in_count)
    note = _scale_note(scale, limit, as_colour) + trouble(value)
    if as_colour or len(ins) == 1:
        selected = [(f"{o}", kernels[:, :, :, o] if as_colour else kernels[:, :, ins[0], o]) for o in outs]
        rows, cols = tiles(len(selected), columns)
        labels: tuple[str, str] | None = None
    else:
        selected = [(f"{i}→{o}", kernels[:, :, i, o]) for i in ins for o in outs]
        rows, cols = len(ins), len(outs)
        labels = ("input channel", "output channel")
    return _draw(caption, name, note, selected, rows, cols, scale, limit, as_colour, labels)


def _as_kernels(name: str, value: Array) -> Array:
    """The value as [height, width, inputs, outputs]."""
    if value.dtype.kind not in "fiub":
        raise ValueError(f"{name} holds {value.dtype.name}; kernels are real numbers.")
    value = value.astype(np.float64)
    if value.ndim == 4:
        return value
    if value.ndim == 3:
        return value[None]
    if value.ndim == 2:
        return value[:, :, None, None]
    raise ValueError(
        f"{name} has shape {list(value.shape)}; kernels have [height, width, inputs, outputs], [width, inputs, "
        "outputs] or [inputs, outputs]."
    )


def _caption(name: str, shape: tuple[int, ...], outs: int, out_count: int, ins: int | None, in_count: int) -> str:
    text = f"filters of {name} {list(shape)}"
    if outs < out_count:
        text += f", {outs} of {out_count} outputs"
    if ins is not None and ins < in_count:
        text += f", {ins} of {in_count} inputs"
    return text


def _scale_note(scale: str, limit: float, as_colour: bool) -> str:
    if scale == "each":
        return "each kernel on its own scale (limits below it)"
    if as_colour:
        return f"as colour: grey is 0, one scale for all kernels, ±{number(limit)}"
    return f"one scale for all kernels, ±{number(limit)}"


def _draw(
    caption: str,
    name: str,
    note: str,
    selected: list[tuple[str, Array]],
    rows: int,
    cols: int,
    scale: str,
    limit: float,
    as_colour: bool,
    labels: tuple[str, str] | None,
) -> Picture:
    single = len(selected) == 1
    side = 4.2 if single else min(1.0, 11.0 / cols)
    extra = 0.22 if scale == "each" else 0.0
    picture = Picture(caption, max(4.5, cols * side + (0.0 if as_colour else 0.9)), 0.8 + rows * (side + extra))
    picture.suptitle(shortened(name), fontsize=11, x=0.02, ha="left")
    grid = picture.subplots(rows, cols, squeeze=False)
    image = None
    for axes in grid.flat:
        axes.set_visible(False)
    for index, (axes, (label, kernel)) in enumerate(zip(grid.flat, selected, strict=False)):
        axes.set_visible(True)
        bare(axes)
        own = max(map(abs, finite_limits(kernel))) or 1.0
        bound = own if scale == "each" else limit
        if as_colour:
            axes.imshow(np.clip(np.nan_to_num(kernel, nan=0.0, posinf=bound, neginf=-bound) / (2 * bound) + 0.5, 0, 1))
        else:
            image = axes.imshow(kernel, cmap=DIVERGING, vmin=-bound, vmax=bound, aspect="auto" if single else "equal")
        if scale == "each":
            axes.set_xlabel(f"±{number(own)}", fontsize=6, labelpad=1)
        if labels is not None:
            row, column = divmod(index, cols)
            if row == 0:
                axes.set_title(label.split("→")[1], fontsize=7, pad=2)
            if column == 0:
                axes.set_ylabel(label.split("→")[0], fontsize=7, rotation=0, labelpad=6, va="center")
        elif not single:
            axes.set_title(label, fontsize=6, pad=1.5, color="0.35")
    if image is not None and scale == "shared":
        picture.colorbar(image, ax=grid, shrink=0.9, pad=0.01).ax.tick_params(labelsize=7)
    where = f"rows: {labels[0]}, columns: {labels[1]} · " if labels else ""
    picture.supxlabel(where + note, fontsize=8, color="0.35", x=0.02, ha="left")
    return picture
