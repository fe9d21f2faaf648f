"""What an optimizer updates: per kind of variable, what gradients are taken of and which method makes the update."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfbench.engine.composite import IndexedSlices
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.tensor import Tensor
from tfbench.variables.base import Variable
from tfbench.variables.resource import ResourceVariable

if TYPE_CHECKING:
    from tfbench.train.optimizer import Optimizer


class _Target:
    """A variable to update. `differentiated` is what `tf.gradients` is asked for."""

    __slots__ = ("differentiated", "variable")

    def __init__(self, variable: Any, differentiated: Any) -> None:
        self.variable = variable
        self.differentiated = differentiated

    def update(self, optimizer: Optimizer, grad: Any) -> Any:
        """The op that updates the variable, and then projects it where it has a constraint."""
        constraint = self.variable.constraint
        if isinstance(grad, IndexedSlices):
            if constraint is not None:
                raise RuntimeError(
                    f"Cannot use a constraint function on a sparse variable: '{self.variable.name}' gets IndexedSlices."
                )
            return self._sparse(optimizer, grad)
        done = self._dense(optimizer, grad)
        if constraint is None:
            return done
        with control_dependencies([done]):
            return self.variable.assign(constraint(self.variable))

    def _dense(self, optimizer: Optimizer, grad: Any) -> Any:
        raise NotImplementedError

    def _sparse(self, optimizer: Optimizer, grad: IndexedSlices) -> Any:
        raise NotImplementedError


class _Reference(_Target):
    __slots__ = ()

    def _dense(self, optimizer: Optimizer, grad: Any) -> Any:
        return optimizer._apply_dense(grad, self.variable)

    def _sparse(self, optimizer: Optimizer, grad: IndexedSlices) -> Any:
        return optimizer._apply_sparse_duplicate_indices(grad, self.variable)


class _Resource(_Target):
    __slots__ = ()

    def _dense(self, optimizer: Optimizer, grad: Any) -> Any:
        return optimizer._resource_apply_dense(grad, self.variable)

    def _sparse(self, optimizer: Optimizer, grad: IndexedSlices) -> Any:
        return optimizer._resource_apply_sparse_duplicate_indices(grad.values, self.variable, grad.indices)


class _Plain(_Target):
    """A tensor: it has gradients, and nothing to update."""

    __slots__ = ()

    def update(self, optimizer: Optimizer, grad: Any) -> Any:
        raise NotImplementedError(f"Trying to update a Tensor {self.variable}")


def target_for(variable: Any) -> _Target:
    """The target that `variable` is.

    Raises:
      NotImplementedError: if it is neither a variable nor a tensor, but something of a graph.
      TypeError: if it is nothing of a graph.
    """
    if isinstance(variable, ResourceVariable):
        return _Resource(variable, variable.handle)
    if isinstance(variable, Variable):
        return _Reference(variable, variable._ref())
    if isinstance(variable, Tensor):
        return _Plain(variable, variable)
    if not hasattr(variable, "op"):
        raise TypeError(f"Trying to optimize {variable!r}: expected a variable, found {type(variable).__name__}.")
    raise NotImplementedError(f"Trying to optimize unsupported type {variable}")
