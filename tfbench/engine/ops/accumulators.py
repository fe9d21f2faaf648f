"""`tf.ConditionalAccumulator` and its sparse kin, and their ops. How they work is in `kernels/accumulators.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.composite import IndexedSlices
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype, int64, resource
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, OpDef, Preset, op
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.ops.shared_state import held
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape, TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["ConditionalAccumulator", "ConditionalAccumulatorBase", "SparseConditionalAccumulator"]

Array = Any


def _accumulator(type: str, kind: str, handle: str) -> OpDef:
    definition = op(
        type,
        "",
        f"handle: {handle}",
        "dtype: numbertype; shape: shape; container: string = ''; shared_name: string = ''; "
        "reduction_type: {'MEAN', 'SUM'} = 'MEAN'",
        stateful=True,
    )
    definition.no_gradient("a handle has no inputs")

    @definition.shape
    def _(node: Operation) -> list[Shape]:
        return [(2,)]

    @definition.bind(CPU)
    def _(context: Any) -> Preset:
        from tfbench.engine.kernels import accumulators

        attrs = context.attrs
        mean = attrs["reduction_type"] in ("MEAN", b"MEAN")
        made = getattr(accumulators, kind)
        return held(context, lambda name: made(name, attrs["dtype"], attrs["shape"]._dims, mean, context.resources))

    return definition


_dense = _accumulator("ResourceConditionalAccumulator", "DenseAccumulator", "resource")
_dense_by_name = _accumulator("ConditionalAccumulator", "DenseAccumulator", "Ref(string)")
_sparse = _accumulator("SparseConditionalAccumulator", "SparseAccumulator", "Ref(string)")


def _apply_op(type: str, handle: str) -> OpDef:
    definition = op(
        type,
        f"handle: {handle}, local_step: int64, gradient: dtype",
        "",
        "dtype: numbertype",
        stateful=handle == "resource",
    )
    definition.shape(_nothing)

    @definition.kernel(CPU)
    def _(xp: Any, state: Any, local_step: Array, gradient: Array) -> None:
        state.put(int(local_step), np.asarray(gradient))

    return definition


def _take_op(type: str, handle: str) -> OpDef:
    definition = op(
        type,
        f"handle: {handle}, num_required: int32",
        "average: dtype",
        "dtype: numbertype",
        stateful=handle == "resource",
        fresh=True,
    )

    @definition.shape
    def _(node: Operation, handle: Shape, number: Shape) -> list[Shape]:
        with_rank(number, 0)
        return [None]

    @definition.kernel(CPU)
    def _(xp: Any, state: Any, num_required: Array) -> Array:
        return state.take(int(num_required))

    return definition


def _step_op(type: str, handle: str) -> OpDef:
    definition = op(type, f"handle: {handle}, new_global_step: int64", "", stateful=handle == "resource")
    definition.shape(_nothing)

    @definition.kernel(CPU)
    def _(xp: Any, state: Any, new_global_step: Array) -> None:
        state.set_step(int(new_global_step))

    return definition


def _count_op(type: str, handle: str) -> OpDef:
    definition = op(type, f"handle: {handle}", "num_accumulated: int32", stateful=handle == "resource", fresh=True)

    @definition.shape
    def _(node: Operation, handle: Shape) -> list[Shape]:
        return [()]

    @definition.kernel(CPU)
    def _(xp: Any, state: Any) -> Array:
        return np.int32(state.count)

    return definition


def _nothing(node: Operation, handle: Shape, step: Shape, *others: Shape) -> list[Shape]:
    with_rank(step, 0)
    return []


_apply = _apply_op("ResourceAccumulatorApplyGradient", "resource")
_take = _take_op("ResourceAccumulatorTakeGradient", "resource")
_set_step = _step_op("ResourceAccumulatorSetGlobalStep", "resource")
_count = _count_op("ResourceAccumulatorNumAccumulated", "resource")
_apply_by_name = _apply_op("AccumulatorApplyGradient", "Ref(string)")
_take_by_name = _take_op("AccumulatorTakeGradient", "Ref(string)")
_set_step_by_name = _step_op("AccumulatorSetGlobalStep", "Ref(string)")
_count_by_name = _count_op("AccumulatorNumAccumulated", "Ref(string)")
_apply_sparse = op(
    "SparseAccumulatorApplyGradient",
    "handle: Ref(string), local_step: int64, gradient_indices: int64, gradient_values: dtype, gradient_shape: int64",
    "",
    "dtype: numbertype; has_known_shape: bool",
)
_take_sparse = op(
    "SparseAccumulatorTakeGradient",
    "handle: Ref(string), num_required: int32",
    "indices: int64, values: dtype, shape: int64",
    "dtype: numbertype",
    fresh=True,
)
for _declared in (
    _apply, _take, _set_step, _count, _apply_by_name, _take_by_name, _set_step_by_name, _count_by_name, _apply_sparse,
    _take_sparse,
):  # fmt: skip
    _declared.no_gradient("an accumulator's value is made by other runs")

_apply_sparse.shape(_nothing)


@_take_sparse.shape
def _take_sparse_shape(node: Operation, handle: Shape, number: Shape) -> list[Shape]:
    with_rank(number, 0)
    return [None, None, None]


@_apply_sparse.kernel(CPU)
def _apply_sparse_kernel(
    xp: Any, state: Any, local_step: Array, indices: Array, values: Array, shape: Array, *, has_known_shape: bool
) -> None:
    known = np.array(shape) if has_known_shape else None
    state.put(int(local_step), (np.asarray(indices), np.asarray(values), known))


@_take_sparse.kernel(CPU)
def _take_sparse_kernel(xp: Any, state: Any, num_required: Array) -> Any:
    return state.take(int(num_required))


class ConditionalAccumulatorBase:
    """An accumulator of gradients; what was computed for an older step than the accumulator's is left out."""

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Tensor) -> None:
        self._dtype = dtype
        self._shape = TensorShape(None) if shape is None else TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split("/")[-1]
        self._is_resource = accumulator_ref.dtype == resource

    @property
    def accumulator_ref(self) -> Tensor:
        """The handle."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> Any:
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """How many gradients there are, int32."""
        count = _count if self._is_resource else _count_by_name
        return count(self._accumulator_ref, name=name or f"{self._name}_NumAccumulated")

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Operation:
        """An operation that says which step it is now."""
        set_step = _set_step if self._is_resource else _set_step_by_name
        return set_step(self._accumulator_ref, cast(convert_to_tensor(new_global_step), int64), name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Sums tensors of one shape, and gives their mean (`reduction_type` 'SUM': the sum)."""

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        handle = _dense(
            dtype=as_dtype(dtype),
            shape=TensorShape(shape),
            shared_name=shared_name or "",
            name=name,
            reduction_type=reduction_type,
        )
        super().__init__(dtype, shape, handle)

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation:
        """An operation that adds a gradient, unless `local_step` is older than the accumulator's."""
        gradient = convert_to_tensor(grad, self._dtype)
        gradient.get_shape().assert_is_compatible_with(self._shape)
        step = cast(convert_to_tensor(local_step), int64)
        return _apply(self._accumulator_ref, step, gradient, name=name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Tensor:
        """The mean of at least so many gradients; a run waits for them. The accumulator begins its next step."""
        found: Tensor = _take(self._accumulator_ref, num_required, dtype=as_dtype(self._dtype), name=name)
        found.set_shape(self._shape)
        return found


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Sums rows by number, and gives the mean of each row over the gradients that had it."""

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        handle = _sparse(
            dtype=as_dtype(dtype),
            shape=TensorShape(shape),
            shared_name=shared_name or "",
            name=name,
            reduction_type=reduction_type,
        )
        super().__init__(dtype, shape, handle)

    def apply_indexed_slices_grad(self, grad: IndexedSlices, local_step: Any = 0, name: str | None = None) -> Operation:
        """An operation that adds IndexedSlices."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: Any,
        grad_values: Any,
        grad_shape: Any = None,
        local_step: Any = 0,
        name: str | None = None,
    ) -> Operation:
        """An operation that adds rows: their numbers, the rows, and the dense shape where it is known."""
        step = cast(convert_to_tensor(local_step), int64)
        known = grad_shape is not None
        return _apply_sparse(
            self._accumulator_ref,
            step,
            cast(grad_indices, int64),
            grad_values,
            cast(grad_shape if known else [], int64),
            has_known_shape=known,
            name=name,
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """(indices, values, shape) of the mean of at least so many gradients; a run waits for them."""
        found = _take_sparse(self._accumulator_ref, num_required, dtype=as_dtype(self._dtype), name=name)
        return named_outputs(_take_sparse, found)

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> IndexedSlices:
        """As `take_grad`, as IndexedSlices."""
        found = self.take_grad(num_required, name)
        return IndexedSlices(indices=found.indices, values=found.values, dense_shape=found.shape)
