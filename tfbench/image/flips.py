"""Images mirrored, turned and transposed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import int32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.tensor import Tensor
from tfbench.image.checks import checked_3d, rank_error

__all__ = [
    "flip_left_right", "flip_up_down", "random_flip_left_right", "random_flip_up_down", "rot90", "transpose",
    "transpose_image",
]  # fmt: skip


def _by_rank(image: Tensor, one: Callable[[], Tensor], batch: Callable[[], Tensor]) -> Tensor:
    """What is made of an image, or of a batch of them; decided in the run where the rank is not known."""
    rank = image._rank
    if rank is None:
        return ops.cond(ops.equal(ops.rank(image), 3), one, batch)
    if rank == 3:
        return one()
    if rank == 4:
        return batch()
    raise rank_error("image", image)


def _keep_shape(image: Tensor, result: Tensor) -> Tensor:
    if image._shape is None:
        result.set_shape([None, None, None])
    else:
        result.set_shape(image._shape)
    return result


def _flip(image: Any, axis: int, name: str) -> Tensor:
    with name_scope(None, name, [image]):
        image = checked_3d(convert_to_tensor(image, name="image"))
        if image._rank is None:
            return _by_rank(image, lambda: ops.reverse(image, [axis]), lambda: ops.reverse(image, [axis + 1]))
        return _keep_shape(
            image,
            _by_rank(image, lambda: ops.reverse(image, [axis]), lambda: ops.reverse(image, [axis + 1])),
        )


def flip_left_right(image: Any) -> Tensor:
    """The image, or every image of a batch, with left and right exchanged."""
    return _flip(image, 1, "flip_left_right")


def flip_up_down(image: Any) -> Tensor:
    """The image, or every image of a batch, with top and bottom exchanged."""
    return _flip(image, 0, "flip_up_down")


def _random_flip(image: Any, axis: int, seed: Any, name: str) -> Tensor:
    with name_scope(None, name, [image]) as scope:
        image = checked_3d(convert_to_tensor(image, name="image"))

        def one() -> Tensor:
            number = ops.random_uniform([], 0, 1.0, seed=seed)
            flipped = ops.cond(ops.less(number, 0.5), lambda: ops.reverse(image, [axis]), lambda: image, name=scope)
            return _keep_shape(image, flipped)

        def batch() -> Tensor:
            count = ops.shape(image)[0]
            numbers = ops.random_uniform([count], 0, 1.0, seed=seed)
            flips = ops.cast(ops.round(ops.reshape(numbers, [count, 1, 1, 1])), image.dtype)
            flipped = ops.reverse(image, [axis + 1])
            return flips * flipped + (1 - flips) * image

        return _by_rank(image, one, batch)


def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """Left and right exchanged with probability one half, for each image of a batch on its own."""
    return _random_flip(image, 1, seed, "random_flip_left_right")


def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """Top and bottom exchanged with probability one half, for each image of a batch on its own."""
    return _random_flip(image, 0, seed, "random_flip_up_down")


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """The image, or every image of a batch, turned `k` times by 90 degrees counter-clockwise."""
    with name_scope(name, "rot90", [image, k]) as scope:
        image = checked_3d(convert_to_tensor(image, name="image"))
        k = convert_to_tensor(k, dtype=int32, name="k")
        k.shape.assert_has_rank(0)
        k = k % 4
        return _by_rank(image, lambda: _turned(image, k, 0, scope), lambda: _turned(image, k, 1, scope))


def _turned(image: Tensor, k: Tensor, first: int, scope: Any) -> Tensor:
    """`first`: the axis of rows."""
    rows, columns = first, first + 1
    swapped = [1, 0, 2] if first == 0 else [0, 2, 1, 3]
    result = ops.case(
        [
            (ops.equal(k, 1), lambda: ops.transpose(ops.reverse(image, [columns]), swapped)),
            (ops.equal(k, 2), lambda: ops.reverse(image, [rows, columns])),
            (ops.equal(k, 3), lambda: ops.reverse(ops.transpose(image, swapped), [columns])),
        ],
        default=lambda: image,
        exclusive=True,
        name=scope,
    )
    known = image._shape
    if known is None:
        result.set_shape([None] * (3 + first))
    else:
        result.set_shape([*known[:first], None, None, known[-1]])
    return result


def transpose(image: Any, name: str | None = None) -> Tensor:
    """The image, or every image of a batch, with rows and columns exchanged."""
    with name_scope(name, "transpose", [image]):
        image = checked_3d(convert_to_tensor(image, name="image"))
        named = name or "transpose"
        return _by_rank(
            image,
            lambda: ops.transpose(image, [1, 0, 2], name=named),
            lambda: ops.transpose(image, [0, 2, 1, 3], name=named),
        )


transpose_image = transpose
