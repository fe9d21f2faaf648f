"""`slim.learning`: the training step that slim's programs run."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from tfbench import summary
from tfbench.contrib.slim.training_loop import train, train_step
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.default_graph import control_dependencies, get_collection, get_collection_ref
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.checks import check_numerics as check_op
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.ops.math_clip import clip_by_norm, global_norm
from tfbench.engine.tensor import Tensor
from tfbench.train.optimizer import Optimizer
from tfbench.train.training_step import get_or_create_global_step
from tfbench.variables import trainable_variables

__all__ = [
    "add_gradients_summaries",
    "clip_gradient_norms",
    "create_train_op",
    "multiply_gradients",
    "train",
    "train_step",
]

#: means: the graph's global step, made if there is none
_USE_GLOBAL_STEP = 0

GradAndVar = tuple[Any, Any]


def create_train_op(
    total_loss: Any,
    optimizer: Any,
    global_step: Any = _USE_GLOBAL_STEP,
    update_ops: Iterable[Any] | None = None,
    variables_to_train: Any = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: int | None = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: dict[Any, Any] | None = None,
    check_numerics: bool = True,
) -> Tensor:
    """The loss, as a tensor that takes a training step when it is fetched.

    Args:
      global_step: counted by the step; default: the graph's own, made if there is none. None: nothing is counted.
      update_ops: what runs before the loss; default: UPDATE_OPS.
      clip_gradient_norm: the largest norm of each gradient; 0: any.
      check_numerics: whether a loss that is not finite is an error.

    Raises:
      ValueError: for a variable that is not trainable.
    """
    if isinstance(global_step, int) and global_step is _USE_GLOBAL_STEP:
        global_step = get_or_create_global_step()
    own = get_collection(GraphKeys.UPDATE_OPS)
    updates = list(dict.fromkeys(own if update_ops is None else update_ops))
    if any(not any(one is other for other in updates) for one in own):
        logging.getLogger("tensorflow").warning(
            "update_ops in create_train_op does not contain all the update_ops in GraphKeys.UPDATE_OPS"
        )
    if updates:
        with control_dependencies(updates):
            barrier = ops.no_op(name="update_barrier")
        total_loss = with_dependencies([barrier], total_loss)
    trainable = trainable_variables()
    if variables_to_train is None:
        variables_to_train = trainable
    for variable in variables_to_train:
        if not any(variable is one for one in trainable):
            raise ValueError(f"{variable.name} is not among the trainable variables.")
    pairs = optimizer.compute_gradients(
        total_loss,
        variables_to_train,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if gradient_multipliers:
        with name_scope("multiply_grads"):
            pairs = multiply_gradients(pairs, gradient_multipliers)
    if clip_gradient_norm > 0:
        with name_scope("clip_grads"):
            pairs = clip_gradient_norms(pairs, clip_gradient_norm)
    if summarize_gradients:
        with name_scope("summarize_grads"):
            add_gradients_summaries(pairs)
    step = optimizer.apply_gradients(pairs, global_step=global_step)
    with name_scope("train_op"):
        if check_numerics:
            total_loss = check_op(total_loss, "LossTensor is inf or nan")
        train_op = with_dependencies([step], total_loss)
    kept = get_collection_ref(GraphKeys.TRAIN_OP)
    if not any(train_op is one for one in kept):
        kept.append(train_op)
    return train_op


def multiply_gradients(grads_and_vars: Iterable[GradAndVar], gradient_multipliers: Any) -> list[GradAndVar]:
    """The gradients, multiplied by a number for the variable, or for its name.

    Raises:
      ValueError: without multipliers, or for a variable that has no gradient.
    """
    if not isinstance(gradient_multipliers, dict) or not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty, or no dictionary: give a number for each of some variables.")
    found = []
    for grad, variable in grads_and_vars:
        factor = next((one for key, one in gradient_multipliers.items() if key is variable), None)
        if factor is None:
            factor = gradient_multipliers.get(variable.op.name)
        if factor is not None:
            if grad is None:
                raise ValueError(f"Requested multiple of `None` gradient: of {variable.op.name}.")
            if not isinstance(factor, Tensor):
                factor = ops.constant(factor, dtype=grad.dtype)
            grad = grad.with_values(grad.values * factor) if isinstance(grad, IndexedSlices) else grad * factor
        found.append((grad, variable))
    return found


def clip_gradient_norms(gradients_to_variables: Iterable[GradAndVar], max_norm: float) -> list[GradAndVar]:
    """The gradients, each no longer than `max_norm`."""
    found = []
    for grad, variable in gradients_to_variables:
        if isinstance(grad, IndexedSlices):
            grad = grad.with_values(clip_by_norm(grad.values, max_norm))
        elif grad is not None:
            grad = clip_by_norm(grad, max_norm)
        found.append((grad, variable))
    return found


def add_gradients_summaries(grads_and_vars: Iterable[GradAndVar]) -> list[Tensor]:
    """The histogram and the norm of each gradient."""
    found = []
    for grad, variable in grads_and_vars:
        if grad is None:
            logging.getLogger("tensorflow").info("Var %s has no gradient", variable.op.name)
            continue
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        found.append(summary.histogram(f"{variable.op.name}_gradient", values))
        found.append(summary.scalar(f"{variable.op.name}_gradient_norm", global_norm([values])))
    return found
