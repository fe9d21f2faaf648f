"""`MovingAverageOptimizer`: keeps moving averages of what it trains, and saves them in the place of the variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.train.moving_averages import ExponentialMovingAverage
from tfbench.train.optimizer import Optimizer
from tfbench.train.saveables import by_name
from tfbench.train.saver import Saver
from tfbench.variables.functions import global_variables


class MovingAverageOptimizer(Optimizer):
    """Another optimizer, behind whose updates moving averages are updated.

    Args:
      average_decay, num_updates: see `tf.train.ExponentialMovingAverage`.
      sequential_update: whether the averages wait for the updates, or come in any order.
    """

    def __init__(
        self, opt: Any, average_decay: float = 0.9999, num_updates: Any = None, sequential_update: bool = True
    ) -> None:
        super().__init__(False, "MovingAverageOptimizer")
        self._optimizer = opt
        self._ema = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped: dict[str, str] | None = None
        self._sequential_update = sequential_update

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The other optimizer's."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Any:
        """Updates the variables and their averages."""
        pairs = list(grads_and_vars)
        train_op = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        trained = [variable for grad, variable in pairs if grad is not None]
        with control_dependencies([train_op] if self._sequential_update else []):
            averaging = self._ema.apply(trained)
        self._swapped = {}
        for variable in trained:
            average = self._ema.average(variable)
            assert average is not None
            self._swapped[variable.op.name] = average.op.name
            self._swapped[average.op.name] = variable.op.name
        return ops.group(train_op, averaging, name="train_with_avg")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Saver:
        """A Saver that writes the averages under the variables' names, and the variables under the averages'.

        Raises:
          RuntimeError: before there are averages. ValueError: if one of a pair is not in `var_list`.
        """
        if self._swapped is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        given = var_list if isinstance(var_list, dict) else by_name(var_list or global_variables())
        by_own_name = {}
        for item in given.values():
            for part in item if isinstance(item, list) else [item]:
                by_own_name[part.op.name] = part

        def swapped(item: Any) -> Any:
            if isinstance(item, list):
                return [swapped(part) for part in item]
            other = self._swapped.get(item.op.name, item.op.name) if self._swapped else item.op.name
            if other not in by_own_name:
                raise ValueError(
                    f"Variable to swap {other} is not part of variables to save. This breaks MovingAverageOptimizer."
                )
            return by_own_name[other]

        return Saver({key: swapped(item) for key, item in given.items()}, name=name, **kwargs)
