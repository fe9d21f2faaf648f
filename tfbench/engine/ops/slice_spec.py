"""What a strided slice means: entries with begin, end and stride, and five bit masks.

The masks say which entries are `...`, `tf.newaxis` or a single index, and which have no begin or no end. NumPy's
indexing means the same, so kernels turn the entries into an index tuple.
"""

from __future__ import annotations

import builtins
from typing import Any

from tfbench.engine.shapes import Shape

MASK_ATTRS = (
    "begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0"
)


class Masks:
    """The five bit masks of a strided slice."""

    __slots__ = ("begin", "ellipsis", "end", "new_axis", "shrink")

    def __init__(self, begin: int, end: int, ellipsis: int, new_axis: int, shrink: int) -> None:
        self.begin, self.end, self.ellipsis, self.new_axis, self.shrink = begin, end, ellipsis, new_axis, shrink

    @classmethod
    def of(cls, attrs: dict[str, Any]) -> Masks:
        return cls(*[attrs[f"{name}_mask"] for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")])


def index_tuple(begin: Any, end: Any, strides: Any, masks: Masks) -> tuple[Any, ...]:
    """The NumPy index that means this strided slice."""
    index: list[Any] = []
    for i, (first, last, step) in enumerate(zip(begin, end, strides)):
        bit = 1 << i
        if masks.ellipsis & bit:
            index.append(Ellipsis)
        elif masks.new_axis & bit:
            index.append(None)
        elif masks.shrink & bit:
            index.append(0 if masks.begin & bit else first)
        else:
            index.append(builtins.slice(None if masks.begin & bit else first, None if masks.end & bit else last, step))
    return tuple(index)


def _dense(count: int, rank: int, masks: Masks) -> list[tuple[int, int | None]]:
    """For each dimension of the result: (entry, input dimension), -1 for an ellipsis' entry, None for a new axis.

    Raises:
      ValueError: for two ellipses, or more indices than dimensions.
    """
    ellipses = [i for i in range(count) if masks.ellipsis >> i & 1]
    if len(ellipses) > 1:
        raise ValueError("Multiple ellipses in slice spec not allowed")
    at = ellipses[0] if ellipses else count
    added_after = sum(1 for i in range(at + 1, count) if masks.new_axis >> i & 1)
    after = count - at - 1 - added_after if ellipses else 0
    result: list[tuple[int, int | None]] = []
    dimension = 0
    for i in range(count):
        if i == at:
            stop = max(rank - after, dimension)
            result.extend((-1, d) for d in range(dimension, min(stop, rank)))
            dimension = stop
        elif masks.new_axis >> i & 1:
            result.append((i, None))
        else:
            if dimension >= rank:
                if rank == 0:
                    raise ValueError("Attempting to slice scalar input.")
                raise ValueError(f"Index out of range using input dim {dimension}; input has only {rank} dims")
            result.append((i, dimension))
            dimension += 1
    if not ellipses:
        result.extend((-1, d) for d in range(dimension, rank))
    return result


def sliced_shape(
    shape: tuple[int | None, ...],
    begin: list[int] | None,
    end: list[int] | None,
    strides: list[int],
    masks: Masks,
) -> Shape:
    """The shape of a strided slice of a tensor of `shape`; begin and end are None where they are not known.

    Raises:
      ValueError: with TensorFlow's words for what is wrong with the slice.
    """
    result: list[int | None] = []
    for entry, dimension in _dense(len(strides), len(shape), masks):
        if dimension is None:
            result.append(1)
            continue
        size = shape[dimension]
        if entry < 0:
            result.append(size)
            continue
        step = strides[entry]
        if step == 0:
            raise ValueError(f"strides[{dimension}] must be non-zero")
        shrink = masks.shrink >> entry & 1
        no_begin, no_end = masks.begin >> entry & 1, masks.end >> entry & 1
        if shrink:
            if step <= 0:
                raise ValueError("only stride 1 allowed on non-range indexing.")
            if size is not None and begin is not None and end is not None:
                first = 0 if no_begin else begin[entry]
                if not -size <= first < size:
                    raise ValueError(f"slice index {first} of dimension {dimension} out of bounds.")
        elif size is None or not ((begin is not None and end is not None) or (no_begin and no_end)):
            result.append(None)
        else:
            first_of = None if no_begin else begin[entry]  # type: ignore[index]
            last_of = None if no_end else end[entry]  # type: ignore[index]
            result.append(len(range(size)[first_of:last_of:step]))
    return tuple(result)
