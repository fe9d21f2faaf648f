"""`optimize_loss`: a training step with all that usually goes with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tfbench import summary
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_collection
from tfbench.engine.ops import random as random_ops
from tfbench.engine.ops.asserts_static import assert_scalar
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.ops.math_clip import clip_by_global_norm, global_norm
from tfbench.engine.tensor import Tensor
from tfbench.initializers import constant_initializer
from tfbench.train.adagrad import AdagradOptimizer
from tfbench.train.adam import AdamOptimizer
from tfbench.train.ftrl import FtrlOptimizer
from tfbench.train.gradient_descent import GradientDescentOptimizer
from tfbench.train.momentum import MomentumOptimizer
from tfbench.train.optimizer import Optimizer
from tfbench.train.rmsprop import RMSPropOptimizer
from tfbench.train.training_step import assert_global_step, get_global_step
from tfbench.variable_scope import get_variable, variable_scope
from tfbench.variables import trainable_variables

OPTIMIZER_CLS_NAMES: dict[str, Any] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}

OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: dict[Any, Any] | None = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Callable[[Any, Any], Any] | None = None,
    update_ops: Iterable[Any] | None = None,
    variables: Sequence[Any] | None = None,
    name: str | None = None,
    summaries: Sequence[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Tensor:
    """The loss, as a tensor that takes a training step when it is fetched.

    Args:
      global_step: None: that of the graph, if there is one.
      learning_rate: a number (kept in a variable) or a scalar tensor, or None if the optimizer has its own.
      optimizer: a name ('SGD', 'Adam', …), an optimizer or its class, or a function of the learning rate.
      gradient_multipliers: by variable, or by its name.
      clip_gradients: the largest global norm, or a function of the (gradient, variable) pairs.
      update_ops: what runs before the step; default: UPDATE_OPS.
      summaries: which to make, of `OPTIMIZER_SUMMARIES`.

    Raises:
      ValueError: for an argument of another kind.
    """
    loss = convert_to_tensor(loss)
    assert_scalar(loss)
    if global_step is None:
        global_step = get_global_step()
    else:
        assert_global_step(global_step)
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        wanted = list(update_ops) if update_ops is not None else list(dict.fromkeys(_update_ops()))
        if wanted:
            loss = with_dependencies(wanted, loss)
        kinds = _checked(summaries)
        rate = _rate(learning_rate, learning_rate_decay_fn, global_step, kinds)
        chosen = _optimizer(optimizer, rate, learning_rate)
        pairs = chosen.compute_gradients(
            loss,
            trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gradient_noise_scale is not None:
            pairs = [(_noisy(grad, gradient_noise_scale), variable) for grad, variable in pairs]
        if gradient_multipliers is not None:
            if not gradient_multipliers:
                raise ValueError("gradient_multipliers is empty, but should not be: leave it out for none.")
            pairs = _multiplied(pairs, gradient_multipliers)
        norms = "global_gradient_norm" in kinds or "gradient_norm" in kinds
        if norms:
            summary.scalar("global_norm/gradient_norm", global_norm([grad for grad, _ in pairs]))
        pairs = _clipped(pairs, clip_gradients)
        _summarize(loss, pairs, kinds)
        if norms and clip_gradients is not None:
            summary.scalar("global_norm/clipped_gradient_norm", global_norm([grad for grad, _ in pairs]))
        step = chosen.apply_gradients(pairs, global_step=global_step if increment_global_step else None, name="train")
        return with_dependencies([step], loss)


def _update_ops() -> list[Any]:
    return get_collection(GraphKeys.UPDATE_OPS)


def _checked(summaries: Sequence[str] | None) -> Sequence[str]:
    if summaries is None:
        return ["loss", "learning_rate", "global_gradient_norm"]
    for kind in summaries:
        if kind not in OPTIMIZER_SUMMARIES:
            raise ValueError(f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {kind}.")
    return summaries


def _rate(learning_rate: Any, decay: Callable[[Any, Any], Any] | None, step: Any, kinds: Sequence[str]) -> Any:
    if learning_rate is None:
        return None
    if isinstance(learning_rate, Tensor) and learning_rate.shape.ndims == 0:
        rate: Any = learning_rate
    elif isinstance(learning_rate, float):
        if learning_rate < 0.0:
            raise ValueError(f"Invalid learning_rate {learning_rate}: it is negative.")
        rate = get_variable("learning_rate", [], trainable=False, initializer=constant_initializer(learning_rate))
    else:
        raise ValueError(
            f"Learning rate should be 0d Tensor or float. Got {learning_rate} of type {type(learning_rate)}"
        )
    if decay is not None:
        if step is None:
            raise ValueError("global_step is required for learning_rate_decay_fn.")
        rate = decay(rate, step)
        if "learning_rate" in kinds:
            summary.scalar("learning_rate", rate)
    return rate


def _optimizer(optimizer: Any, rate: Any, learning_rate: Any) -> Any:
    if isinstance(optimizer, str):
        if learning_rate is None:
            raise ValueError(f"Learning rate is None, but should be specified if optimizer is string ({optimizer}).")
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you provided {optimizer}."
            )
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if isinstance(optimizer, type) and issubclass(optimizer, Optimizer):
        if learning_rate is None:
            raise ValueError(f"Learning rate is None, but should be specified if optimizer is class ({optimizer}).")
        kind: Any = optimizer
        return kind(learning_rate=rate)
    if isinstance(optimizer, Optimizer):
        return optimizer
    if callable(optimizer):
        made = optimizer(rate) if learning_rate is not None else optimizer()
        if not isinstance(made, Optimizer):
            raise ValueError(f"Unrecognized optimizer: function should return subclass of Optimizer. Got {made}.")
        return made
    raise ValueError(
        "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of Optimizer or "
        f"function with one argument. Got {optimizer}."
    )


# -- gradients -----------------------------------------------------------------------------------------------------


def _noisy(grad: Any, scale: float) -> Any:
    if grad is None:
        return None
    shape = grad.dense_shape if isinstance(grad, IndexedSlices) else grad.shape
    return convert_to_tensor(grad) + random_ops.truncated_normal(shape) * scale


def _multiplied(pairs: list[Any], multipliers: dict[Any, Any]) -> list[Any]:
    found = []
    for grad, variable in pairs:
        by_variable = next((factor for key, factor in multipliers.items() if key is variable), None)
        factor = by_variable if by_variable is not None else multipliers.get(getattr(variable, "name", None))
        if grad is not None and factor is not None:
            if isinstance(grad, IndexedSlices):
                grad = grad.with_values(grad.values * ops.cast(factor, grad.dtype))
            else:
                grad = grad * ops.cast(factor, grad.dtype)
        found.append((grad, variable))
    return found


def _clipped(pairs: list[Any], clip: Any) -> list[Any]:
    if clip is None:
        return pairs
    if isinstance(clip, float):
        clipped, _ = clip_by_global_norm([grad for grad, _ in pairs], clip)
        return list(zip(clipped, [variable for _, variable in pairs]))
    if callable(clip):
        return list(clip(pairs))
    raise ValueError(f"Unknown type {type(clip)} for clip_gradients")


def _summarize(loss: Any, pairs: list[Any], kinds: Sequence[str]) -> None:
    if "loss" in kinds:
        summary.scalar("loss", loss)
    for grad, variable in pairs:
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        if values is None:
            continue
        name = variable.name.replace(":", "_")
        if "gradients" in kinds:
            summary.histogram(f"gradients/{name}", values)
        if "gradient_norm" in kinds:
            summary.scalar(f"gradient_norm/{name}", global_norm([values]))
