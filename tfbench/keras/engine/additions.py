"""What a Keras layer adds to training: penalties, updates, metrics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tfbench.engine import nest
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend import config as settings
from tfbench.keras.engine.call_context import call_context
from tfbench.layers.reach import reached_from


class Collects:
    """The part of a layer that keeps losses, updates and metrics, its own and those of the layers in it."""

    trainable: bool
    stateful: bool
    _losses: list[Any]
    _callable_losses: list[Callable[[], Any]]
    _updates: list[Any]
    _update_inputs: dict[int, Any]
    _metrics: list[Any]
    _inbound_nodes: list[Any]
    _parts: Any
    _of_parts: Any

    @property
    def losses(self) -> list[Any]:
        """Penalties. Those of variables are computed anew each time they are asked for."""
        computed = [loss() for loss in self._callable_losses]
        return [*self._losses, *(loss for loss in computed if loss is not None), *self._of_parts("losses")]

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds penalties: tensors, or functions of no arguments that give one.

        Args:
          inputs: what they depend on; None for nothing.
        """
        for loss in nest.flatten(losses):
            if callable(loss):
                self._callable_losses.append(partial(_made, loss, inputs))
            elif loss is not None:
                self._losses.append(_tagged(loss, inputs))

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """The losses that can be reached from `inputs`; with None, those that depend on none."""
        if inputs is None:
            return [loss for loss in self.losses if loss._unconditional_loss]
        reached = reached_from(nest.flatten(inputs))
        return [loss for loss in self.losses if not loss._unconditional_loss and loss.op in reached]

    @property
    def updates(self) -> list[Any]:
        if not self.trainable and not self.stateful:
            return []
        return [*self._updates, *self._of_parts("updates")]

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds ops to be run with a training step: ops, tensors, variables, or functions that give one."""
        relevant = call_context.inputs if call_context.in_call else [node.input_tensors for node in self._inbound_nodes]
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            while callable(update) and not hasattr(update, "op"):
                update = update()
            op = update.op if hasattr(update, "op") else update
            self._updates.append(op)
            self._update_inputs[id(op)] = relevant

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """The updates that depend on `inputs`; with None, those that depend on nothing that a call was given."""
        if inputs is None:
            return [update for update in self.updates if not self._conditional(update)]
        reached = reached_from(nest.flatten(inputs))
        return [update for update in self.updates if update in reached and self._conditional(update)]

    def _conditional(self, update: Any) -> bool:
        for layer in (self, *self._parts()):
            relevant = layer._update_inputs.get(id(update))
            if relevant is not None:
                return update in reached_from([one for one in nest.flatten(relevant) if isinstance(one, Tensor)])
            if layer is not self and update in layer.updates:
                return bool(layer._conditional(update))
        return False

    @property
    def metrics(self) -> list[Any]:
        return [*self._metrics, *self._of_parts("metrics")]

    def add_metric(self, value: Any, aggregation: str | None = None, name: str | None = None) -> None:
        """Adds what training reports under `name`: a tensor whose mean is taken, or the result of a Metric.

        Raises:
          ValueError: for a tensor without name or aggregation.
        """
        from tfbench.keras.engine.metric_of_tensor import add_metric

        add_metric(self, value, aggregation, name)


def _tagged(loss: Any, inputs: Any) -> Any:
    if loss is None:
        return None
    tensor = loss if isinstance(loss, Tensor) else convert_to_tensor(loss, dtype=settings.floatx())
    tensor._unconditional_loss = inputs is None  # type: ignore[attr-defined]
    return tensor


def _made(loss: Callable[[], Any], inputs: Any) -> Any:
    return _tagged(loss(), inputs)
