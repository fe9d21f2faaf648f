"""Pictures of what a layer makes of an image: one tile per channel.

Channels share one scale unless asked otherwise, and the scale stands on the figure: a channel that hardly
responds looks dark instead of being stretched until its noise fills the range.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.plots.picture import DIVERGING, SEQUENTIAL, Picture, bare, finite_limits, number, shortened, tiles, trouble
from tfbench.plots.values import chosen, default_session, tensor_named

Array = np.ndarray[Any, Any]

_SCALES = ("shared", "each")


def activations(
    tensor: Any,
    feed_dict: Any = None,
    session: Any = None,
    *,
    image: int = 0,
    channels: Any = None,
    scale: str = "shared",
    columns: int | None = None,
    show_input: bool = True,
) -> Picture:
    """The feature maps that `tensor` has for one image of the batch.

    Args:
      tensor: a tensor (or its name) of shape [images, height, width, channels]; [images, channels] is drawn as bars.
      feed_dict: what the run is fed.
      session: default: the default session.
      image: which image of the batch.
      channels: which channels (an index, a list or a slice); default: the first 64.
      scale: 'shared' - one scale for all channels; 'each' - every channel on its own, with its limits written below.
      columns: tiles in a row.
      show_input: also show the fed image, where one image-shaped value is fed.

    Returns:
      A matplotlib Figure with the scale, the number of channels left out, and NaN or Inf written on it.

    Raises:
      ValueError: if the shape is none of these, or image or channel does not exist.
    """
    if scale not in _SCALES:
        raise ValueError(f"scale must be one of {', '.join(map(repr, _SCALES))}, but is {scale!r}.")
    session = default_session(session)
    target = tensor_named(tensor, session.graph)
    value = np.asarray(session.run(target, feed_dict))
    fed = _fed_image(feed_dict, image) if show_input else None
    return draw_activations(target.name.removesuffix(":0"), value, fed, image, channels, scale, columns)


def draw_activations(
    name: str,
    value: Array,
    fed: Array | None,
    image: int,
    channels: Any,
    scale: str,
    columns: int | None,
) -> Picture:
    """The picture for a value that is computed already."""
    if value.dtype.kind not in "fiub" or value.ndim not in (2, 4):
        raise ValueError(
            f"{name} is {value.dtype.name} of shape {list(value.shape)}; feature maps are numbers of shape "
            "[images, height, width, channels] or [images, channels]."
        )
    (index,) = chosen(image, value.shape[0], 1, "image")
    maps = value[index].astype(np.float64)
    count = maps.shape[-1]
    picked = chosen(channels, count, 64, "channel")
    caption = f"activations of {name} {list(value.shape)}, image {index}"
    if len(picked) < count:
        caption += f", {len(picked)} of {count} channels"
    if maps.ndim == 1:
        return _bars(caption, name, maps, picked)
    low, high = finite_limits(maps)
    signed = low < 0
    bound = max(abs(low), abs(high)) or 1.0
    limits = (-bound, bound) if signed else (0.0, bound)
    if scale == "each":
        note = "each channel on its own scale (limits below it)"
    else:
        note = f"one scale for all channels, {number(limits[0])} to {number(limits[1])}"
    dead = sum(1 for channel in picked if not maps[:, :, channel].any())
    if dead:
        note += f" · {dead} of {len(picked)} channels are zero everywhere"
    return _maps(caption, name, note + trouble(maps), maps, picked, fed, scale, signed, limits, columns)


def _maps(
    caption: str,
    name: str,
    note: str,
    maps: Array,
    picked: list[int],
    fed: Array | None,
    scale: str,
    signed: bool,
    limits: tuple[float, float],
    columns: int | None,
) -> Picture:
    rows, cols = tiles(len(picked), columns)
    single = len(picked) == 1
    side = 4.2 if single else min(1.25, 11.0 / cols)
    tall = maps.shape[0] / max(1, maps.shape[1])
    side_height = side * min(2.0, max(0.5, tall)) + (0.22 if scale == "each" else 0.12)
    body = max(rows * side_height, 1.7 if fed is not None else 0.0)
    input_width = 1.9 if fed is not None else 0.0
    picture = Picture(caption, max(4.5, cols * side + input_width + 0.9), 0.85 + body)
    picture.suptitle(shortened(name), fontsize=11, x=0.02, ha="left")
    area: Any = picture
    if fed is not None:
        sides: Any = picture.subfigures(1, 2, width_ratios=[input_width, cols * side + 0.9])
        left, area = sides
        axes = left.subplots()
        bare(axes)
        axes.imshow(_as_picture(fed), cmap="gray")
        axes.set_title("input", fontsize=8, pad=2)
    grid = area.subplots(rows, cols, squeeze=False)
    for axes in grid.flat:
        axes.set_visible(False)
    shown = None
    for axes, channel in zip(grid.flat, picked, strict=False):
        axes.set_visible(True)
        bare(axes)
        plane = maps[:, :, channel]
        low, high = finite_limits(plane)
        if scale == "each":
            bound = max(abs(low), abs(high)) or 1.0
            vmin, vmax = (-bound, bound) if signed else (low, high if high > low else low + 1.0)
            axes.set_xlabel(f"{number(low)} to {number(high)}", fontsize=6, labelpad=1)
        else:
            vmin, vmax = limits
        shown = axes.imshow(plane, cmap=DIVERGING if signed else SEQUENTIAL, vmin=vmin, vmax=vmax)
        if not single:
            axes.set_title(str(channel), fontsize=6, pad=1.5, color="0.35")
    if shown is not None and scale == "shared":
        area.colorbar(shown, ax=grid, shrink=0.9, pad=0.01).ax.tick_params(labelsize=7)
    picture.supxlabel(note, fontsize=8, color="0.35", x=0.02, ha="left")
    return picture


def _bars(caption: str, name: str, values: Array, picked: list[int]) -> Picture:
    picture = Picture(caption, 7.0, 2.6)
    picture.suptitle(shortened(name), fontsize=11, x=0.02, ha="left")
    axes = picture.subplots()
    axes.bar([str(channel) for channel in picked], np.nan_to_num(values[picked]), color="#3b5b92")
    axes.axhline(0, color="0.4", linewidth=0.6)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    picture.supxlabel("channel" + trouble(values), fontsize=8, color="0.35", x=0.02, ha="left")
    return picture


def _fed_image(feed_dict: Any, index: int) -> Array | None:
    """The one image among the fed values, or None."""
    found = []
    for value in (feed_dict or {}).values():
        array = np.asarray(value)
        if array.ndim == 4 and array.dtype.kind in "fiub" and array.shape[-1] in (1, 3) and index < len(array):
            found.append(array[index])
    return found[0] if len(found) == 1 else None


def _as_picture(image: Array) -> Array:
    """An image's numbers as [0, 1]: 0..255 where they exceed 1, stretched where they are negative."""
    picture = np.nan_to_num(image.astype(np.float64))
    low, high = float(picture.min()), float(picture.max())
    if low < 0:
        picture = (picture - low) / ((high - low) or 1.0)
    elif high > 1:
        picture = picture / (255.0 if high <= 255 else high)
    return picture[:, :, 0] if picture.shape[-1] == 1 else picture
