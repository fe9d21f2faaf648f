"""What is known of a component before the run: type and shape of a tensor, of a sparse one, the elements of a data set.

A component travels through a pipeline as one flat tensor: a tensor as itself, a sparse tensor packed into a variant, a
data set as its handle.
"""

from __future__ import annotations

from typing import Any

from tfbench.data import structure
from tfbench.engine import dtypes
from tfbench.engine.composite import SparseTensor, SparseTensorValue
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.array_join import stack, unstack
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor


class TypeSpec:
    """The base of what describes a component."""

    __slots__ = ()

    def _key(self) -> Any:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeSpec) and type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self).__name__, str(self._key())))

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a value, or what another spec describes, may be of this kind."""
        raise NotImplementedError


class TensorSpec(TypeSpec):
    """A tensor of a type and a (partly known) shape."""

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor."""
        return cls(tensor.shape, tensor.dtype.base_dtype, name or tensor.op.name)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        return cls(spec.shape, spec.dtype, name or spec.name)

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def name(self) -> str | None:
        return self._name

    @property
    def value_type(self) -> type:
        return Tensor

    def _key(self) -> Any:
        return _sizes(self._shape), self._dtype, self._name

    def is_compatible_with(self, other: Any) -> bool:
        if not hasattr(other, "dtype") or not hasattr(other, "shape") or isinstance(other, SparseTensorSpec):
            return False
        return self._dtype.is_compatible_with(other.dtype) and self._shape.is_compatible_with(other.shape)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class SparseTensorSpec(TypeSpec):
    """A sparse tensor of a type and a (partly known) shape."""

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def value_type(self) -> type:
        return SparseTensor

    def _key(self) -> Any:
        return _sizes(self._shape), self._dtype

    def is_compatible_with(self, other: Any) -> bool:
        if not isinstance(other, (SparseTensor, SparseTensorSpec)):
            return False
        return self._dtype is other.dtype and self._shape.is_compatible_with(other.shape)

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"


class DatasetSpec(TypeSpec):
    """A data set whose elements are as `element_spec` says; several of them where `dataset_shape` is not scalar."""

    __slots__ = ("_dataset_shape", "_element_spec")

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        return self._element_spec

    @property
    def shape(self) -> TensorShape:
        return self._dataset_shape

    @property
    def dtype(self) -> DType:
        return dtypes.variant

    def _key(self) -> Any:
        return self._element_spec, _sizes(self._dataset_shape)

    def is_compatible_with(self, other: Any) -> bool:
        found = getattr(other, "element_spec", None)
        return found is not None and compatible(self._element_spec, found)

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"


def _sizes(shape: TensorShape) -> tuple[int | None, ...] | None:
    return None if shape.ndims is None else tuple(shape.as_list())


#: makes a data set of a handle and the spec of its elements; `dataset`, which stands on this file, sets it
make_dataset: list[Any] = []


def compatible(first: Any, second: Any) -> bool:
    """Whether elements of one structure of specs may be elements of the other."""
    try:
        structure.assert_same(first, second)
    except (TypeError, ValueError):
        return False
    pairs = zip(structure.flatten(first), structure.flatten(second), strict=True)
    return all(one.is_compatible_with(other) for one, other in pairs)


def spec_of(value: Any) -> TypeSpec:
    """The spec of a component.

    Raises:
      TypeError: if it is none.
    """
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype.base_dtype)
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        sparse = SparseTensor.from_value(value) if isinstance(value, SparseTensorValue) else value
        return SparseTensorSpec(sparse.shape, sparse.dtype)
    element_spec = getattr(value, "element_spec", None)
    if element_spec is not None and hasattr(value, "_variant_tensor"):
        return DatasetSpec(element_spec)
    raise TypeError(f"Could not build a `TypeSpec` for {value!r} with type {type(value).__name__}.")


# -- flat tensors --------------------------------------------------------------------------------------------


def flat_types(element_spec: Any) -> list[DType]:
    """The types of the flat tensors of an element."""
    return [spec.dtype if isinstance(spec, TensorSpec) else dtypes.variant for spec in structure.flatten(element_spec)]


def flat_shapes(element_spec: Any) -> list[TensorShape]:
    """Their shapes; that of a packed sparse tensor is nobody's business."""
    return [
        TensorShape(None) if isinstance(spec, SparseTensorSpec) else spec.shape
        for spec in structure.flatten(element_spec)
    ]


def to_flat(element: Any) -> list[Tensor]:
    """The flat tensors of an element."""
    return [_to_flat(component, "SerializeSparse") for component in structure.flatten(element)]


def to_flat_batches(element: Any) -> list[Tensor]:
    """Flat tensors whose entries in dimension 0 are those of the components."""
    return [_to_flat(component, "SerializeManySparse") for component in structure.flatten(element)]


def _to_flat(component: Any, serialize: str) -> Tensor:
    if isinstance(component, SparseTensor):
        packed = lookup(serialize)(component.indices, component.values, component.dense_shape, out_type=dtypes.variant)
        return packed
    if hasattr(component, "_variant_tensor"):
        handle: Tensor = component._variant_tensor
        return handle
    tensor: Tensor = component
    return tensor


def from_flat(element_spec: Any, tensors: Any) -> Any:
    """The element that flat tensors stand for; their static shapes are those of the spec."""
    specs = structure.flatten(element_spec)
    return structure.pack(element_spec, [_from_flat(spec, tensor) for spec, tensor in zip(specs, tensors, strict=True)])


def _from_flat(spec: Any, tensor: Tensor) -> Any:
    if isinstance(spec, DatasetSpec):
        return make_dataset[0](tensor, spec.element_spec)
    if not isinstance(spec, SparseTensorSpec):
        tensor.set_shape(spec.shape)
        return tensor
    indices, values, dense_shape = lookup("DeserializeSparse")(tensor, dtype=spec.dtype)
    rank = spec.shape.ndims
    indices.set_shape([None, rank])
    dims = spec.shape.as_list() if rank is not None else []
    if spec.shape.is_fully_defined():
        dense_shape = convert_to_tensor(dims, dtype=dtypes.int64, name="shape")
    elif any(size is not None for size in dims):
        pieces = unstack(dense_shape, num=rank)
        for i, size in enumerate(dims):
            if size is not None:
                pieces[i] = convert_to_tensor(size, dtype=dtypes.int64)
        dense_shape = stack(pieces)
    else:
        dense_shape.set_shape([rank])
    return SparseTensor(indices, values, dense_shape)


# -- specs of other elements ---------------------------------------------------------------------------------


def batched(element_spec: Any, size: int | None) -> Any:
    """The spec of batches of `size` elements."""

    def one(spec: Any) -> Any:
        if isinstance(spec, DatasetSpec):
            return DatasetSpec(spec.element_spec, TensorShape([size]).concatenate(spec.shape))
        return type(spec)(TensorShape([size]).concatenate(spec.shape), spec.dtype)

    return structure.map_structure(one, element_spec)


def unbatched(element_spec: Any) -> Any:
    """The spec of one entry of dimension 0."""

    def one(spec: Any) -> Any:
        shape = spec.shape
        if shape.ndims == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        inner = TensorShape(None) if shape.ndims is None else shape[1:]
        return DatasetSpec(spec.element_spec, inner) if isinstance(spec, DatasetSpec) else type(spec)(inner, spec.dtype)

    return structure.map_structure(one, element_spec)


def most_specific(first: Any, second: Any) -> Any:
    """The spec that says what both of two structures of specs say.

    Raises:
      TypeError: if they have nothing in common.
    """
    message = f"Incompatible dataset elements:\n  {first!r} vs.   {second!r}"
    try:
        structure.assert_same(first, second)
    except (TypeError, ValueError):
        raise TypeError(message) from None

    def one(a: Any, b: Any) -> Any:
        if type(a) is not type(b) or a.dtype is not b.dtype:
            raise TypeError(message)
        if isinstance(a, DatasetSpec):
            return DatasetSpec(most_specific(a.element_spec, b.element_spec), common_shape(a.shape, b.shape))
        return type(a)(common_shape(a.shape, b.shape), a.dtype)

    return structure.map_structure(one, first, second)


def common_shape(first: TensorShape, second: TensorShape) -> TensorShape:
    """The most that is known of a shape that may be either."""
    if first.ndims is None or first.ndims != second.ndims:
        return TensorShape(None)
    return TensorShape([a if a == b else None for a, b in zip(first.as_list(), second.as_list(), strict=True)])


def legacy_types(element_spec: Any) -> Any:
    return structure.map_structure(lambda spec: spec if isinstance(spec, DatasetSpec) else spec.dtype, element_spec)


def legacy_shapes(element_spec: Any) -> Any:
    return structure.map_structure(lambda spec: spec if isinstance(spec, DatasetSpec) else spec.shape, element_spec)


def legacy_classes(element_spec: Any) -> Any:
    return structure.map_structure(
        lambda spec: spec if isinstance(spec, DatasetSpec) else spec.value_type, element_spec
    )


def from_legacy(output_types: Any, output_shapes: Any = None, output_classes: Any = None) -> Any:
    """The spec that types, shapes and classes say together, where each has the form of an element.

    Raises:
      TypeError, ValueError: if their forms differ.
    """
    types = structure.map_structure(lambda kind: kind if isinstance(kind, TypeSpec) else as_dtype(kind), output_types)
    if output_shapes is None:
        output_shapes = structure.map_structure(lambda _: TensorShape(None), types)
    if output_classes is None:
        output_classes = structure.map_structure(lambda _: Tensor, types)

    def one(kind: Any, shape: Any, value_type: Any) -> Any:
        if isinstance(kind, TypeSpec):
            return kind
        if isinstance(value_type, type) and issubclass(value_type, SparseTensor):
            return SparseTensorSpec(shape, kind)
        return TensorSpec(shape, kind)

    return structure.map_up_to(one, types, output_shapes, output_classes)


class GivesElements:
    """What data sets and iterators say of their elements: in one piece, or as types, shapes and classes apart."""

    _element_spec: Any

    @property
    def element_spec(self) -> Any:
        """Type and shape of every component, in the structure of the elements."""
        return self._element_spec

    @property
    def output_types(self) -> Any:
        return legacy_types(self._element_spec)

    @property
    def output_shapes(self) -> Any:
        return legacy_shapes(self._element_spec)

    @property
    def output_classes(self) -> Any:
        return legacy_classes(self._element_spec)
