"""Layers of several inputs: sums, products, extremes, one behind the other."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.shapes import as_shape
from tfbench.keras.backend import nn
from tfbench.keras.backend.arrays import concatenate as concatenated
from tfbench.keras.backend.elementwise import batch_dot
from tfbench.keras.engine.base_layer import Layer

Sizes = tuple[int | None, ...] | None


def _tuples(shapes: Any) -> list[Sizes]:
    """Shapes of several inputs as tuples; None for an unknown rank."""
    return [None if (one := as_shape(shape)).ndims is None else tuple(one.as_list()) for shape in shapes]


def _is_list(shapes: Any) -> bool:
    """Whether these are the shapes of several inputs."""
    return isinstance(shapes, list) and (not shapes or not isinstance(shapes[0], (int, type(None))))


class _Merge(Layer):
    """The base: inputs of fewer axes get axes of size 1 behind that of the batch."""

    supports_masking = True
    _reshape_required = False

    def _merge_function(self, inputs: list[Any]) -> Any:
        raise NotImplementedError

    def _checked(self, input_shape: Any) -> list[Sizes]:
        if not _is_list(input_shape):
            raise ValueError("A merge layer takes a list of inputs, at least 2; it got something else.")
        if len(input_shape) < 2:
            raise ValueError(f"A merge layer takes a list of inputs, at least 2; the list has {len(input_shape)}.")
        return _tuples(input_shape)

    def build(self, input_shape: Any) -> None:
        shapes = self._checked(input_shape)
        batches = {shape[0] for shape in shapes if shape is not None} - {None}
        if len(batches) > 1:
            raise ValueError(
                f"The inputs of a merge layer have different batch sizes: {batches}. Their shapes: {input_shape}"
            )
        self._broadcast_all(shapes)
        self._reshape_required = None in shapes or len({len(shape or ()) for shape in shapes}) != 1
        self.built = True

    def _broadcast_all(self, shapes: list[Sizes]) -> Sizes:
        result = None if shapes[0] is None else shapes[0][1:]
        for shape in shapes[1:]:
            result = _broadcast(result, None if shape is None else shape[1:])
        return result

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, list):
            raise ValueError("A merge layer takes a list of inputs, at least 2; it got something else.")
        if not self._reshape_required:
            return self._merge_function(inputs)
        ranks = [one.shape.ndims for one in inputs]
        if None in ranks:
            return _batch_first(self._merge_function([_batch_last(one) for one in inputs]))
        wider = []
        for one, rank in zip(inputs, ranks, strict=True):
            for _ in range(max(ranks) - rank):
                one = ops.expand_dims(one, axis=1)
            wider.append(one)
        return self._merge_function(wider)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shapes = _tuples(input_shape)
        batches = {shape[0] for shape in shapes if shape is not None} - {None}
        rest = self._broadcast_all(shapes)
        return as_shape(None if rest is None else [batches.pop() if len(batches) == 1 else None, *rest])

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None or not _masks(inputs, mask):
            return None
        masks = [ops.expand_dims(one, axis=0) for one in mask if one is not None]
        return ops.reduce_all(concatenated(masks, axis=0), axis=0, keepdims=False)


def _masks(inputs: Any, mask: Any) -> bool:
    """Whether there is any mask; checks that there are as many as inputs."""
    for name, value in (("mask", mask), ("inputs", inputs)):
        if not isinstance(value, list):
            raise ValueError(f"`{name}` should be a list.")
    if len(mask) != len(inputs):
        raise ValueError(f"Each input needs its mask (or None): {len(inputs)} in `inputs`, but {len(mask)} in `mask`.")
    return any(one is not None for one in mask)


def _broadcast(one: Sizes, other: Sizes) -> Sizes:
    if one is None or other is None:
        return None
    if len(one) < len(other):
        one, other = other, one
    result = list(one)
    for back in range(1, len(other) + 1):
        a, b = one[-back], other[-back]
        if a is None or b is None:
            result[-back] = None
        elif a == 1 or b == 1:
            result[-back] = b if a == 1 else a
        elif a != b:
            raise ValueError(f"Shapes {one} and {other} could not be broadcast together: axis {-back} is {a} and {b}")
    return tuple(result)


def _batch_last(x: Any) -> Any:
    rank = x.shape.ndims
    if rank is None:
        shape = ops.shape(x)
        new = ops.concat([shape[1:], ops.expand_dims(shape[0], axis=-1)], 0)
        flat = ops.reshape(x, ops.stack([shape[0], ops.reduce_prod(shape[1:])], axis=0))
        return ops.reshape(ops.transpose(flat, perm=(1, 0)), new)
    return ops.transpose(x, perm=[*range(1, rank), 0]) if rank > 1 else x


def _batch_first(y: Any) -> Any:
    rank = y.shape.ndims
    if rank is None:
        shape = ops.shape(y)
        batch = shape[-1]
        flat = ops.transpose(ops.reshape(y, (-1, batch)), perm=(1, 0))
        return ops.reshape(flat, ops.concat([ops.expand_dims(batch, axis=-1), shape[:-1]], 0))
    return ops.transpose(y, perm=[rank - 1, *range(rank - 1)]) if rank > 1 else y


class Add(_Merge):
    """The sum."""

    def _merge_function(self, inputs: list[Any]) -> Any:
        total = inputs[0]
        for one in inputs[1:]:
            total = total + one
        return total


class Subtract(_Merge):
    """The difference of two inputs."""

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError(f"A `Subtract` layer takes exactly 2 inputs, got {len(input_shape)}")

    def _merge_function(self, inputs: list[Any]) -> Any:
        return inputs[0] - inputs[1]


class Multiply(_Merge):
    """The product, element by element."""

    def _merge_function(self, inputs: list[Any]) -> Any:
        product = inputs[0]
        for one in inputs[1:]:
            product = product * one
        return product


class Average(_Merge):
    """The mean."""

    def _merge_function(self, inputs: list[Any]) -> Any:
        total = inputs[0]
        for one in inputs[1:]:
            total = total + one
        return total / len(inputs)


class Maximum(_Merge):
    """The largest."""

    def _merge_function(self, inputs: list[Any]) -> Any:
        largest = inputs[0]
        for one in inputs[1:]:
            largest = ops.maximum(largest, one)
        return largest


class Minimum(_Merge):
    """The smallest."""

    def _merge_function(self, inputs: list[Any]) -> Any:
        smallest = inputs[0]
        for one in inputs[1:]:
            smallest = ops.minimum(smallest, one)
        return smallest


class Concatenate(_Merge):
    """One behind the other along the axis."""

    _config = ("axis",)

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: Any) -> None:
        if not _is_list(input_shape) or len(input_shape) < 2:
            raise ValueError(f"A `Concatenate` layer takes a list of at least 2 inputs, got shape {input_shape}")
        others = set()
        for shape in _tuples(input_shape):
            rest = list(shape or ())
            if rest:
                del rest[self.axis]
            others.add(tuple(rest))
        if len(others) > 1:
            raise ValueError(
                f"The inputs of a `Concatenate` layer need matching shapes except along axis {self.axis}; got "
                f"{_tuples(input_shape)}"
            )
        self.built = True

    def _merge_function(self, inputs: list[Any]) -> Any:
        return concatenated(inputs, axis=self.axis)

    def compute_output_shape(self, input_shape: Any) -> Any:
        if not _is_list(input_shape):
            raise ValueError(f"A `Concatenate` layer takes a list of inputs, got shape {input_shape}")
        shapes = [list(shape or ()) for shape in _tuples(input_shape)]
        lengths = [shape[self.axis] for shape in shapes]
        shapes[0][self.axis] = None if None in lengths else sum(length or 0 for length in lengths)
        return as_shape(shapes[0])

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None or not _masks(inputs, mask):
            return None
        masks = []
        for one, kept in zip(inputs, mask, strict=True):
            if kept is None:
                masks.append(ops.ones_like(one, dtype="bool"))
            elif kept.shape.ndims < one.shape.ndims:
                masks.append(ops.expand_dims(kept, axis=-1))
            else:
                masks.append(kept)
        return ops.reduce_all(concatenated(masks, axis=self.axis), axis=-1, keepdims=False)


class Dot(_Merge):
    """The product of two inputs over an axis of each; `normalize` gives the cosine.

    Raises:
      TypeError, ValueError: for axes that are not one or two numbers.
    """

    _config = ("axes", "normalize")

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int):
            if not isinstance(axes, (list, tuple)):
                raise TypeError(
                    f"Invalid type for `axes`: an int or a list of two is expected, got {type(axes).__name__}"
                )
            if len(axes) != 2:
                raise ValueError(
                    f"Invalid format for `axes`: two elements are expected, one for each input; got {len(axes)}"
                )
            if not all(isinstance(axis, int) for axis in axes):
                raise ValueError(f"Invalid format for `axes`: both elements must be of type int, got {axes}")
        self.axes = axes
        self.normalize = normalize

    def _axes(self, ranks: list[int]) -> list[int]:
        axes = [self.axes] * 2 if isinstance(self.axes, int) else self.axes
        return [axis % rank if axis < 0 else axis for axis, rank in zip(axes, ranks, strict=True)]

    def _two(self, input_shape: Any) -> list[list[Any]]:
        if not _is_list(input_shape) or len(input_shape) != 2:
            raise ValueError(f"A `Dot` layer takes a list of 2 inputs, got shape {input_shape}")
        return [list(shape or ()) for shape in _tuples(input_shape)]

    def build(self, input_shape: Any) -> None:
        one, other = self._two(input_shape)
        if one and other:
            first, second = self._axes([len(one), len(other)])
            if one[first] != other[second]:
                raise ValueError(
                    f"Dimension incompatibility {one[first]} != {other[second]}. Layer shapes: {tuple(one)}, "
                    f"{tuple(other)}"
                )
        self.built = True

    def _merge_function(self, inputs: list[Any]) -> Any:
        if len(inputs) != 2:
            raise ValueError(f"A `Dot` layer takes exactly 2 inputs, got {len(inputs)}")
        axes = self._axes([one.shape.ndims for one in inputs])
        if self.normalize:
            inputs = [nn.l2_normalize(one, axis=axis) for one, axis in zip(inputs, axes, strict=True)]
        return batch_dot(inputs[0], inputs[1], axes)

    def compute_output_shape(self, input_shape: Any) -> Any:
        one, other = self._two(input_shape)
        first, second = self._axes([len(one), len(other)])
        shape = [size for axis, size in enumerate(one) if axis != first]
        shape += [size for axis, size in enumerate(other) if axis not in (0, second)]
        return as_shape(shape if len(shape) > 1 else [*shape, 1])

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None


def _function(kind: type[_Merge], doc: str) -> Any:
    def merge(inputs: Any, **kwargs: Any) -> Any:
        return kind(**kwargs)(inputs)

    merge.__name__ = merge.__qualname__ = kind.__name__.lower()
    merge.__doc__ = doc
    return merge


add = _function(Add, "The sum of a list of tensors.")
subtract = _function(Subtract, "The difference of two tensors.")
multiply = _function(Multiply, "The product of a list of tensors.")
average = _function(Average, "The mean of a list of tensors.")
maximum = _function(Maximum, "The largest of a list of tensors.")
minimum = _function(Minimum, "The smallest of a list of tensors.")


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """Tensors one behind the other along the axis."""
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any, normalize: bool = False, **kwargs: Any) -> Any:
    """The product of two tensors over an axis of each."""
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
