"""Weight decay that is no part of the loss (Loshchilov and Hutter, 2017): a variable shrinks before its update."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.base import no_op
from tfbench.train.adam import AdamOptimizer
from tfbench.train.momentum import MomentumOptimizer
from tfbench.train.optimizer import Optimizer


class DecoupledWeightDecayExtension:
    """For a class that is also an Optimizer, named behind this one: var -= weight_decay var before each update.

    Of rows of IndexedSlices, only these shrink.

    Args:
      weight_decay: a number, or a function that gives one.
      kwargs: for the optimizer.
    """

    _use_locking: bool

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._decayed: list[Any] | None = None
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
        decay_var_list: Iterable[Any] | None = None,
    ) -> Any:
        """`Optimizer.minimize`. As in TensorFlow, all variables decay, whatever `decay_var_list` says: give that to
        `apply_gradients`."""
        return super().minimize(  # type: ignore[misc]
            loss,
            global_step=global_step,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            name=name,
            grad_loss=grad_loss,
        )

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None, decay_var_list: Any = None
    ) -> Any:
        """`Optimizer.apply_gradients`; with `decay_var_list`, only these variables decay."""
        self._decayed = list(decay_var_list) if decay_var_list else None
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)  # type: ignore[misc]

    def _prepare(self) -> None:
        given = self._weight_decay() if callable(self._weight_decay) else self._weight_decay
        convert_to_tensor(given, name="weight_decay")
        super()._prepare()  # type: ignore[misc]

    def _rate(self, var: Any) -> Any:
        """How fast the variable decays; None: it does not."""
        if self._decayed and not any(var is one for one in self._decayed):
            return None
        return self._weight_decay() if callable(self._weight_decay) else self._weight_decay

    def _dense_decay(self, var: Any) -> Any:
        rate = self._rate(var)
        return no_op() if rate is None else var.assign_sub(rate * var, self._use_locking)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with control_dependencies([self._dense_decay(var)]):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        with control_dependencies([self._dense_decay(handle)]):
            return super()._resource_apply_dense(grad, handle)  # type: ignore[misc]

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        def add(rows: Any) -> Any:
            return lookup("ScatterAdd")(var._ref(), grad.indices, rows, use_locking=self._use_locking)

        with control_dependencies([self._sparse_decay(var, grad.indices, add)]):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        def add(rows: Any) -> Any:
            return self._resource_scatter_add(handle, indices, rows)  # type: ignore[attr-defined]

        with control_dependencies([self._sparse_decay(handle, indices, add)]):
            return super()._resource_apply_sparse(grad, handle, indices)  # type: ignore[misc]

    def _sparse_decay(self, var: Any, indices: Any, add: Callable[[Any], Any]) -> Any:
        rate = self._rate(var)
        return no_op() if rate is None else add(-rate * ops.gather(var, indices))


def extend_with_decoupled_weight_decay(base_optimizer: type[Optimizer]) -> type[Optimizer]:
    """A class like `base_optimizer` with weight decay, its first argument; the others are given by name."""

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):  # type: ignore[misc,valid-type]
        """An optimizer whose variables decay."""

        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            super().__init__(weight_decay, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with decoupled weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )
