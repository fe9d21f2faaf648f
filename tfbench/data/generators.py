"""A Python generator as a data set: its elements come through `py_func`s.

There is one Python iterator for each time that the data set is gone through. Its number is the state of a
GeneratorDataset: one function begins an iterator and gives the number, one asks it for the next element, and
one forgets it when it is over.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfbench.data import specs, structure
from tfbench.data.calls import flat_map
from tfbench.data.functions import TracedFunction
from tfbench.data.transformations import Made, described
from tfbench.engine import dtypes
from tfbench.engine.composite import SparseTensor, SparseTensorValue
from tfbench.engine.convert import convert_to_tensor, to_array
from tfbench.engine.ops import dataset_sources as ops
from tfbench.engine.ops.script import numpy_function


class _Running:
    """The iterators of one generator that are not over."""

    def __init__(self, generator: Callable[..., Any]) -> None:
        self._generator = generator
        self._numbers = itertools.count()
        self._iterators: dict[int, Iterator[Any]] = {}

    def begin(self, *arguments: Any) -> Any:
        number = next(self._numbers)
        self._iterators[number] = iter(self._generator(*arguments))
        return np.array(number, np.int64)

    def next(self, number: Any) -> Any:
        return next(self._iterators[int(number)])

    def end(self, number: Any) -> Any:
        self._iterators.pop(int(number), None)
        return np.array(0, np.int64)


def generator_spec(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    """The spec of a generator's elements, from the arguments of `from_generator`.

    Raises:
      TypeError: if they contradict each other.
    """
    if output_types is not None and output_signature is not None:
        raise TypeError("The `output_types` and `output_signature` arguments can not be used together.")
    if output_signature is not None:
        if output_shapes is not None:
            raise TypeError(
                "The `output_shapes` argument can not be used together with the `output_signature` argument."
            )
        for spec in structure.flatten(output_signature):
            if not isinstance(spec, specs.TypeSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                    f"{type(spec)} which is not."
                )
        return output_signature
    if output_types is None:
        raise TypeError("Either `output_types` or `output_signature` must be specified.")
    return specs.from_legacy(output_types, output_shapes)


def from_generator(one: Any, generator: Any, element_spec: Any, arguments: Any) -> Made:
    """The data set; `one` is a data set of a single element, which stands for the beginning of an iterator."""
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    running = _Running(generator)
    given = tuple(convert_to_tensor(argument) for argument in arguments or ())
    for spec in structure.flatten(element_spec):
        if not isinstance(spec, (specs.TensorSpec, specs.SparseTensorSpec)):
            raise TypeError(f"A generator can give tensors and sparse tensors, but not {spec}.")
    parts = _parts(element_spec)

    def get_iterator_id_fn(unused: Any) -> Any:
        number = numpy_function(running.begin, list(given), dtypes.int64)
        number.set_shape([])
        return number

    def generator_next_fn(number: Any) -> Any:
        def give(number: Any) -> list[Any]:
            return _flat_values(running.next(number), element_spec)

        flat = numpy_function(give, [number], [dtype for dtype, _ in parts])
        for tensor, (_, shape) in zip(flat, parts, strict=True):
            tensor.set_shape(shape)
        return _assembled(element_spec, flat)

    def finalize_fn(number: Any) -> Any:
        return numpy_function(running.end, [number], dtypes.int64)

    def flat_map_fn(dummy: Any) -> Any:
        return _Generation(dummy, get_iterator_id_fn, generator_next_fn, finalize_fn, element_spec)

    return flat_map(one, flat_map_fn)


class _Generation:
    """A GeneratorDataset, as far as a function that returns it has to know."""

    def __init__(self, dummy: Any, init: Any, step: Any, finalize: Any, element_spec: Any) -> None:
        what = "Dataset.from_generator()"
        begin = TracedFunction(init, what, specs.TensorSpec([], dtypes.int32))
        number = begin.output_spec
        following = TracedFunction(step, what, number)
        end = TracedFunction(finalize, what, number)
        self.element_spec = element_spec
        self._variant_tensor = ops.generator(
            [dummy, *begin.captured],
            following.captured,
            end.captured,
            init_func=begin.name,
            next_func=following.name,
            finalize_func=end.name,
            **described(element_spec),
        )


# -- what a generator gives ----------------------------------------------------------------------------------


def _parts(element_spec: Any) -> list[tuple[Any, Any]]:
    """Type and shape of the arrays that stand for an element; a sparse tensor has three."""
    parts: list[tuple[Any, Any]] = []
    for spec in structure.flatten(element_spec):
        if isinstance(spec, specs.SparseTensorSpec):
            rank = spec.shape.ndims
            parts += [(dtypes.int64, [None, rank]), (spec.dtype, [None]), (dtypes.int64, [rank])]
        else:
            parts.append((spec.dtype, spec.shape))
    return parts


def _assembled(element_spec: Any, flat: Any) -> Any:
    rest = iter(flat)
    return structure.pack(
        element_spec,
        [
            SparseTensor(next(rest), next(rest), next(rest)) if isinstance(spec, specs.SparseTensorSpec) else next(rest)
            for spec in structure.flatten(element_spec)
        ],
    )


def _flat_values(value: Any, element_spec: Any) -> list[Any]:
    """What a generator yielded, as arrays.

    Raises:
      TypeError: if its structure, a type or a shape is not as it was said.
    """
    try:
        pairs: list[tuple[Any, Any]] = []
        structure.map_up_to(lambda spec, part: pairs.append((spec, part)), element_spec, value)
    except (TypeError, ValueError):
        types = specs.legacy_types(element_spec)
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The expected structure was "
            f"{types}, but the yielded element was {value}."
        ) from None
    arrays: list[Any] = []
    for spec, part in pairs:
        if isinstance(spec, specs.SparseTensorSpec):
            sparse = SparseTensorValue(*part)
            arrays += [
                np.asarray(sparse.indices, np.int64),
                _array(sparse.values, spec.dtype),
                np.asarray(sparse.dense_shape, np.int64),
            ]
            continue
        array = _array(part, spec.dtype)
        if not spec.shape.is_compatible_with(array.shape):
            raise TypeError(
                f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was "
                "expected."
            )
        arrays.append(array)
    return arrays


def _array(value: Any, dtype: Any) -> Any:
    try:
        return to_array(value, dtype)[0]
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The expected type was "
            f"{dtype.name}, but the yielded element was {value}."
        ) from None
