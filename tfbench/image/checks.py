"""What functions of images ask of their arguments: at once where the answer is known, else by an Assert in the graph.

A condition is a bool, or a tensor of one: `asserting` takes both. Functions then go on with the image behind an
Identity that waits for the Asserts (`with_dependencies`); TensorFlow makes it also where there is nothing to wait for.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.graph import Operation
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.tensor import Tensor


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element")


def asserting(condition: Any, message: str) -> list[Operation]:
    """ValueError if `condition` is known to be false, an Assert if it is a tensor."""
    if is_tensor(condition):
        return [ops.Assert(condition, [message])]
    if not condition:
        raise ValueError(message)
    return []


def _shape_text(image: Tensor) -> str:
    return str(image.shape)


def asserting_3d(image: Tensor) -> list[Operation]:
    """That the image has three axes at least, and that none of the last three is empty."""
    shape = image._shape
    if shape is not None and len(shape) < 3:
        raise ValueError(f"'image' (shape {_shape_text(image)}) must be at least three-dimensional.")
    inner = None if shape is None else shape[-3:]
    if inner is not None and 0 in inner:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {_shape_text(image)}")
    if inner is not None and None not in inner:
        return []
    return [
        ops.assert_positive(ops.shape(image)[-3:], ["inner 3 dims of 'image.shape' must be > 0."]),
        ops.assert_greater_equal(ops.rank(image), 3, message="'image' must be at least three-dimensional."),
    ]


def checked_3d(image: Tensor) -> Tensor:
    """The image, behind the checks of `asserting_3d`."""
    return with_dependencies(asserting_3d(image), image)


def sizes_of(image: Tensor, rank: int) -> list[Any]:
    """The sizes of an image: numbers where they are known, elements of its Shape where not."""
    shape = image._shape
    if shape is not None and None not in shape:
        return list(shape)
    known = [None] * rank if shape is None else list(shape)
    dynamic = ops.unstack(ops.shape(image), rank)
    return [d if k is None else k for k, d in zip(known, dynamic)]


def unknown_tensors(sizes: list[Any]) -> list[Any]:
    """Static sizes: None for those that are tensors."""
    return [None if is_tensor(size) else size for size in sizes]


def as_batch(image: Tensor) -> tuple[Tensor, bool]:
    """(four axes, whether there were four before). ValueError for other ranks than three and four."""
    rank = image._rank
    if rank == 4:
        return image, True
    if rank == 3:
        return ops.expand_dims(image, 0), False
    if rank is None:
        image = ops.expand_dims(image, 0)
        image.set_shape([None] * 4)
        return image, False
    raise rank_error("image", image)


def rank_error(name: str, image: Tensor) -> ValueError:
    return ValueError(f"'{name}' (shape {_shape_text(image)}) must have either 3 or 4 dimensions.")
