"""Arithmetic of static shapes in the engine's own form.

A `Shape` is a plain tuple of sizes with None for an unknown size, or None for an unknown rank. The shape
functions of ops compute with it by the functions of this module. Errors use the words of TensorFlow's shape
inference; whoever calls adds for which op it was.
"""

from __future__ import annotations

Shape = tuple[int | None, ...] | None


def debug_string(shape: Shape) -> str:
    """A shape as TensorFlow's shape inference writes it: `[2,?]`, or `<unknown>`."""
    if shape is None:
        return "<unknown>"
    return "[" + ",".join(["?" if size is None else str(size) for size in shape]) + "]"


def dim_merge(a: int | None, b: int | None) -> int | None:
    """The size that both are, as far as known. ValueError if they differ."""
    if a is None:
        return b
    if b is None or a == b:
        return a
    raise ValueError(f"Dimensions must be equal, but are {a} and {b}")


def dim_add(a: int | None, b: int | None) -> int | None:
    """a + b; None if either is."""
    return None if a is None or b is None else a + b


def dim_sub(a: int | None, b: int | None) -> int | None:
    """a - b; None if either is. ValueError below zero."""
    if a is None or b is None:
        return None
    if a < b:
        raise ValueError(f"Negative dimension size caused by subtracting {b} from {a}")
    return a - b


def dim_mul(a: int | None, b: int | None) -> int | None:
    """a * b; None if either is, except that nothing times anything is nothing."""
    if a is None or b is None:
        return 0 if a == 0 or b == 0 else None
    return a * b


def dim_div(a: int | None, b: int | None, evenly: bool = False) -> int | None:
    """a // b; None if either is. ValueError if b is not positive or, asked `evenly`, leaves a rest."""
    if b == 1:
        return a
    if b is not None and b <= 0:
        raise ValueError(f"Divisor must be positive but is {b}")
    if a is None or b is None:
        return None
    if evenly and a % b:
        raise ValueError(f"Dimension size must be evenly divisible by {b} but is {a}")
    return a // b


def with_dim(size: int | None, value: int) -> int:
    """`size` known to be `value`. ValueError if it is something else."""
    if size is None or size == value:
        return value
    raise ValueError(f"Dimension must be {value} but is {size}")


def merge(a: Shape, b: Shape) -> Shape:
    """What is known when both shapes describe one tensor. ValueError if they cannot."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        raise ValueError(f"Shapes must be equal rank, but are {len(a)} and {len(b)}")
    result: list[int | None] = []
    for i, (x, y) in enumerate(zip(a, b)):
        if x is None:
            x = y
        elif y is not None and x != y:
            raise ValueError(
                f"Dimension {i} in both shapes must be equal, but are {x} and {y}. "
                f"Shapes are {debug_string(a)} and {debug_string(b)}."
            )
        result.append(x)
    return tuple(result)


def is_compatible(a: Shape, b: Shape) -> bool:
    """Could one tensor have both shapes?"""
    if a is None or b is None or a == b:
        return True
    if len(a) != len(b):
        return False
    return all(x == y or x is None or y is None for x, y in zip(a, b))


def broadcast(a: Shape, b: Shape) -> Shape:
    """The shape of an elementwise result of a and b. ValueError if they do not broadcast."""
    if a is None or b is None:
        return None
    if a == b:
        return a
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    if not shorter:
        return longer
    extra = len(longer) - len(shorter)
    result = list(longer)
    for i, y in enumerate(shorter, extra):
        x = result[i]
        if x == 1:
            result[i] = y
        elif x is None:
            # Sizes 0 and None may still turn out to be stretched or to clash; anything above 1 decides.
            if y is not None and y > 1:
                result[i] = y
        elif y is None:
            if x == 0:
                result[i] = None
        elif y != 1 and x != y:
            first, second = (x, y) if longer is a else (y, x)
            raise ValueError(f"Dimensions must be equal, but are {first} and {second}")
    return tuple(result)


def with_rank(shape: Shape, rank: int) -> tuple[int | None, ...]:
    """`shape` known to have this rank. ValueError if it has another."""
    if shape is None:
        return (None,) * rank
    if len(shape) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(shape)}")
    return shape


def with_rank_at_least(shape: Shape, rank: int) -> Shape:
    """`shape`, checked. ValueError if its rank is known and smaller."""
    if shape is not None and len(shape) < rank:
        raise ValueError(f"Shape must be at least rank {rank} but is rank {len(shape)}")
    return shape


def with_rank_at_most(shape: Shape, rank: int) -> Shape:
    """`shape`, checked. ValueError if its rank is known and greater."""
    if shape is not None and len(shape) > rank:
        raise ValueError(f"Shape must be at most rank {rank} but is rank {len(shape)}")
    return shape


def concatenate(a: Shape, b: Shape) -> Shape:
    """The sizes of a, then those of b; unknown if either is."""
    return None if a is None or b is None else a + b


def num_elements(shape: Shape) -> int | None:
    """How many elements a tensor of this shape has; None if that is not known."""
    if shape is None:
        return None
    count: int | None = 1
    for size in shape:
        if size == 0:
            return 0
        count = None if count is None or size is None else count * size
    return count


def is_fully_defined(shape: Shape) -> bool:
    """Are the rank and every size known?"""
    return shape is not None and None not in shape


def check_scatter_shapes(target: Shape, indices: Shape, updates: Shape) -> None:
    """ValueError unless updates of this shape can go to index vectors of that shape.

    Index vectors longer than the target's rank and scalar updates are left to the kernel, as TensorFlow does.
    """
    if num_elements(target) == 0 and (num_elements(indices) or num_elements(updates)):
        raise ValueError("Indices and updates specified for empty input")
    if not indices or not updates or indices[-1] is None:
        return
    outer, depth = len(indices) - 1, indices[-1]
    _agree(indices, (0, outer), "indices", updates, (0, outer))
    if target is not None:
        _agree(target, (depth, len(target)), "input", updates, (outer, len(updates)))


def _agree(
    shape: tuple[int | None, ...],
    part: tuple[int, int],
    word: str,
    updates: tuple[int | None, ...],
    own: tuple[int, int],
) -> None:
    wanted, given = shape[part[0] : part[1]], updates[own[0] : own[1]]
    try:
        merge(wanted, given)
    except ValueError as error:
        raise ValueError(
            f"Dimensions [{part[0]},{part[1]}) of {word}[shape={debug_string(shape)}] = {debug_string(wanted)} must "
            f"match dimensions [{own[0]},{own[1]}) of updates[shape={debug_string(updates)}] = {debug_string(given)}: "
            f"{error}"
        ) from None
