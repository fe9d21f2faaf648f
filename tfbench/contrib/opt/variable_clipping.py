"""`VariableClippingOptimizer`: keeps the norms of rows (or other slices) of variables below a limit."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tfbench import logging
from tfbench.engine import ops
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.default_graph import colocate_with, control_dependencies
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.math_clip import clip_by_norm
from tfbench.engine.tensor import Tensor
from tfbench.train.optimizer import Optimizer


class VariableClippingOptimizer(Optimizer):
    """Another optimizer, behind whose updates variables are clipped.

    Args:
      vars_to_clip_dims: variable -> the axes that a norm is of.
      max_norm: the largest norm.
      colocate_clip_ops_with_vars: compute what is to be taken away where the variable is.
    """

    def __init__(
        self,
        opt: Any,
        vars_to_clip_dims: dict[Any, list[int]],
        max_norm: float,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._dims = [(variable, list(dims)) for variable, dims in vars_to_clip_dims.items()]
        self._max_norm = max_norm
        self._colocate = colocate_clip_ops_with_vars

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The other optimizer's."""
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """The other optimizer's."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self) -> list[str]:
        """The other optimizer's."""
        names: list[str] = self._opt.get_slot_names()
        return names

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Any:
        """Updates the variables, then clips them."""
        pairs = list(grads_and_vars)
        with name_scope(name, self._name) as scope:
            update = self._opt.apply_gradients(pairs, global_step=global_step)
            clips = []
            with control_dependencies([update]):
                for grad, variable in pairs:
                    dims = next((dims for one, dims in self._dims if one is variable), None)
                    if grad is None or dims is None:
                        continue
                    with name_scope(f"clip_{variable.op.name}"):
                        if isinstance(grad, Tensor):
                            clips.append(self._clip_dense(variable, dims))
                        else:
                            clips.append(self._clip_sparse(grad, variable, dims))
            return ops.group(update, *clips, name=scope)

    def _beside(self, variable: Any) -> AbstractContextManager[Any]:
        return colocate_with(variable) if self._colocate else nullcontext()

    def _clip_dense(self, variable: Any, dims: list[int]) -> Any:
        with self._beside(variable):
            value = variable.read_value()
            excess = value - clip_by_norm(value, self._max_norm, dims)
        with colocate_with(variable):
            return variable.assign_sub(excess, use_locking=self._use_locking)

    def _clip_sparse(self, grad: IndexedSlices, variable: Any, dims: list[int]) -> Any:
        if 0 in dims:
            logging.warning(
                "Clipping norm across dims %s for %s is inefficient when including sparse dimension 0.",
                dims,
                variable.op.name,
            )
            return self._clip_dense(variable, dims)
        with colocate_with(variable):
            rows = ops.gather(variable, grad.indices)
        with self._beside(variable):
            excess = IndexedSlices(rows - clip_by_norm(rows, self._max_norm, dims), grad.indices, grad.dense_shape)
        with colocate_with(variable):
            return variable.scatter_sub(excess, use_locking=self._use_locking)
