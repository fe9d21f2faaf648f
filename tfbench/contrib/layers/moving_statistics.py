"""The variables of a batch normalization, and how its moving averages are updated."""

from __future__ import annotations

from typing import Any

from tfbench.contrib.framework.variables import model_variable
from tfbench.contrib.layers.naming import get_variable_collections, known_bool
from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import add_to_collections, control_dependencies
from tfbench.initializers import ones_initializer, zeros_initializer
from tfbench.layers.core import smart_cond
from tfbench.train.moving_averages import assign_moving_average
from tfbench.variable_scope import get_variable_scope, variable_scope


def parameter(
    name: str,
    shape: Any,
    dtype: Any,
    default: Any,
    initializers: dict[str, Any],
    regularizers: dict[str, Any],
    variables_collections: Any,
    trainable: bool,
) -> Any:
    """beta or gamma."""
    return model_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializers.get(name, default),
        regularizer=regularizers.get(name),
        collections=get_variable_collections(variables_collections, name),
        trainable=trainable,
    )


class MovingStatistics:
    """A moving mean and a moving variance: variables in the open scope, never in parts."""

    def __init__(
        self,
        shape: Any,
        dtype: Any,
        initializers: dict[str, Any],
        variables_collections: Any,
        decay: float,
        zero_debias: bool,
    ) -> None:
        self.decay = decay
        self.zero_debias = zero_debias
        with variable_scope(get_variable_scope()) as scope:
            partitioner = scope.partitioner
            try:
                scope.set_partitioner(None)
                self.mean, self.variance = [
                    model_variable(
                        name,
                        shape=shape,
                        dtype=dtype,
                        initializer=initializers.get(name, default),
                        trainable=False,
                        collections=get_variable_collections(variables_collections, name),
                    )
                    for name, default in (
                        ("moving_mean", zeros_initializer()), ("moving_variance", ones_initializer())
                    )
                ]  # fmt: skip
            finally:
                scope.set_partitioner(partitioner)

    def needed(self, is_training: Any) -> bool:
        """Whether the batch's statistics may be needed."""
        known = known_bool(is_training)
        return known is None or known

    def _updates(self, mean: Any, variance: Any) -> tuple[Any, Any]:
        moved_mean = assign_moving_average(self.mean, mean, self.decay, self.zero_debias)
        return moved_mean, assign_moving_average(self.variance, variance, self.decay, False)

    def update_later(self, is_training: Any, mean: Any, variance: Any, collections: Any) -> None:
        """Puts the updates, in training, into collections."""
        updates = smart_cond(
            is_training,
            lambda: self._updates(mean, variance),
            lambda: (convert_to_tensor(self.mean), convert_to_tensor(self.variance)),
        )
        for update in updates:
            add_to_collections(collections, update)

    def update_before(self, is_training: Any, mean: Any, variance: Any, values: Any, otherwise: Any) -> Any:
        """`values` that wait for the updates in training, else what `otherwise` gives."""

        def updated() -> Any:
            with control_dependencies(self._updates(mean, variance)):
                return [ops.identity(value) for value in values]

        return smart_cond(is_training, updated, otherwise)

    def chosen(self, is_training: Any, mean: Any, variance: Any, collections: Any) -> tuple[Any, Any]:
        """The batch's statistics in training, else the moving ones; the updates are arranged for."""
        own = [self.mean, self.variance]
        if collections is None:
            found = self.update_before(
                is_training, mean, variance, [mean, variance], lambda: [convert_to_tensor(one) for one in own]
            )
            return found[0], found[1]
        updates = smart_cond(
            is_training,
            lambda: (*self._updates(mean, variance),),
            lambda: tuple(convert_to_tensor(one) for one in own),
        )
        for update in updates:
            add_to_collections(collections, update)
        found = smart_cond(is_training, lambda: (mean, variance), lambda: tuple(convert_to_tensor(one) for one in own))
        return found[0], found[1]
