"""`tf.data.Iterator`: where a session is in a data set."""

from __future__ import annotations

import warnings
from typing import Any

from tfbench.data import specs, structure
from tfbench.data.transformations import described
from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.function_graph import FunctionName, copied_by_value
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import dataset_iterators as ops
from tfbench.engine.ops.random_common import get_seed
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor

#: calls of `get_next` from which on a loop that makes nodes is likely
_MANY_CALLS = 32

_NO_INITIALIZER = (
    "The iterator does not have an initializer. This means it was likely created using "
    "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
    "`tf.data.Dataset.make_initializable_iterator()` instead."
)


class Iterator(specs.GivesElements):
    """Gives the elements of a data set, one a run. Each session is at a place of its own."""

    def __init__(self, resource: Tensor, initializer: Operation | None, element_spec: Any) -> None:
        self._iterator_resource = resource
        self._initializer = initializer
        self._element_spec = element_spec
        self._string_handle: Tensor = ops.to_string_handle(resource)
        self._calls = 0

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: str | None = None, output_classes: Any = None
    ) -> Iterator:
        """An iterator that belongs to no data set yet: `make_initializer` gives it one."""
        spec = specs.from_legacy(output_types, output_shapes, output_classes)
        resource = ops.iterator(container="", shared_name=shared_name or "", **described(spec))
        return Iterator(resource, None, spec)

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """The iterator that a handle, usually fed, stands for when this is run."""
        spec = specs.from_legacy(output_types, output_shapes, output_classes)
        handle = convert_to_tensor(string_handle, dtype=dtypes.string)
        resource = ops.from_string_handle(handle, **described(spec))
        return Iterator(resource, None, spec)

    @property
    def initializer(self) -> Operation:
        """The operation that goes to the beginning.

        Raises:
          ValueError: if there is none.
        """
        if self._initializer is None:
            raise ValueError(_NO_INITIALIZER)
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """An operation that goes to the beginning of `dataset`.

        Raises:
          TypeError: if its elements are of another kind than the iterator's.
        """
        with name_scope(name, "make_initializer") as scope:
            _check_elements(self._element_spec, dataset.element_spec)
            with get_default_graph().colocate_with(self._iterator_resource.op):
                made: Operation = ops.make_iterator(dataset._variant_tensor, self._iterator_resource, name=scope)
                return made

    def get_next(self, name: str | None = None) -> Any:
        """The next element, when it is run; OutOfRangeError ("End of sequence") behind the last one."""
        self._calls += 1
        if self._calls > _MANY_CALLS:
            warnings.warn(
                "An unusually high number of `Iterator.get_next()` calls was detected. This often indicates that "
                "`Iterator.get_next()` is being called inside a training loop, which will cause gradual slowdown: "
                "call it once, outside of the loop, and run its result.",
                stacklevel=2,
            )
        with get_default_graph().colocate_with(self._iterator_resource.op):
            flat = ops.get_next(self._iterator_resource, name=name, **described(self._element_spec))
            return specs.from_flat(self._element_spec, flat)

    def string_handle(self, name: str | None = None) -> Tensor:
        """What stands for this iterator in the session that runs it (`from_string_handle`)."""
        if name is None:
            return self._string_handle
        return ops.to_string_handle(self._iterator_resource, name=name)


def _check_elements(wanted: Any, found: Any) -> None:
    structure.assert_same(specs.legacy_types(wanted), specs.legacy_types(found))
    for what, legacy in (("types", specs.legacy_types), ("classes", specs.legacy_classes)):
        for expected, got in zip(structure.flatten(legacy(wanted)), structure.flatten(legacy(found)), strict=True):
            if expected != got:
                raise TypeError(
                    f"Expected output {what} {legacy(wanted)!r} but got dataset with output {what} {legacy(found)!r}."
                )
    for expected, got in zip(structure.flatten(wanted), structure.flatten(found), strict=True):
        if not _shape(expected).is_compatible_with(_shape(got)):
            raise TypeError(
                f"Expected output shapes compatible with {specs.legacy_shapes(wanted)!r} but got dataset with output "
                f"shapes {specs.legacy_shapes(found)!r}."
            )


def _shape(spec: Any) -> TensorShape:
    shape: TensorShape = spec.shape
    return shape


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Iterator:
    """An iterator whose `initializer` goes to the beginning of `dataset`; what that depends on may be fed to it.

    Args:
      shared_name: iterators of one name are one iterator in a session.
    """
    handle = dataset._variant_tensor
    with get_default_graph().colocate_with(handle.op):
        resource = ops.iterator(container="", shared_name=shared_name or "", **described(dataset.element_spec))
        initializer = ops.make_iterator(handle, resource)
        return Iterator(resource, initializer, dataset.element_spec)


def make_one_shot_iterator(dataset: Any) -> Iterator:
    """An iterator that begins by itself, and once in a session.

    Raises:
      ValueError: if the data set depends on a placeholder or a variable.
    """
    handle = dataset._variant_tensor
    get_seed(None)  # TensorFlow numbers the function as an op that draws: what draws after it gets the same seeds
    body = copied_by_value(get_default_graph(), "_make_dataset", handle, _why_not)
    with get_default_graph().colocate_with(handle.op):
        resource = ops.one_shot(dataset_factory=FunctionName(body.name, body), **described(dataset.element_spec))
        return Iterator(resource, None, dataset.element_spec)


def _why_not(op: Operation) -> str | None:
    """Why an operation cannot be computed once for all."""
    if op.type in ("Placeholder", "PlaceholderV2"):
        return f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value."
    if op.op_def.stateful and not op.type.endswith(("Dataset", "DatasetV2")):
        return (
            f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value.: A likely cause of this error "
            "is that the dataset for which you are calling `make_one_shot_iterator()` captures a stateful object, such "
            "as a `tf.Variable` or `tf.lookup.StaticHashTable`, which is not supported. Use "
            "`make_initializable_iterator()` instead."
        )
    return None
