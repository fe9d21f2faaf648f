"""Optimizers of `tf.train` as Keras's: `model.compile(tf.train.AdamOptimizer())`."""

from __future__ import annotations

from typing import Any, NoReturn

from tfbench.engine.default_graph import get_default_graph
from tfbench.keras.backend.arrays import variable


class TFOptimizer:
    """One of TensorFlow's optimizers, with a count of its steps."""

    def __init__(self, optimizer: Any, iterations: Any = None) -> None:
        self.optimizer = optimizer
        self.updates: list[Any] = []
        if iterations is None:
            with get_default_graph().name_scope("TFOptimizer"):
                iterations = variable(0, dtype="int64", name="iterations")
        self.iterations = iterations

    def variables(self) -> list[Any]:
        """The optimizer's own."""
        return list(self.optimizer.variables())

    def get_grads(self, loss: Any, params: Any) -> Any:
        """Pairs of gradients and variables."""
        return self.optimizer.compute_gradients(loss, params)

    def get_updates(self, loss: Any, params: Any) -> list[Any]:
        """The operation of one step, in a list."""
        if not params:
            self.updates = [self.iterations.assign_add(1)]
            return self.updates
        pairs = self.optimizer.compute_gradients(loss, params)
        self.updates = [self.optimizer.apply_gradients(pairs, global_step=self.iterations)]
        return self.updates

    def _trackable_children(self) -> dict[str, Any]:
        return {"global_step": self.iterations, "optimizer": self.optimizer}

    @property
    def weights(self) -> NoReturn:
        raise NotImplementedError("Ask the optimizer of tf.train for its `variables()`")

    def get_config(self) -> NoReturn:
        """Not there: NotImplementedError."""
        raise NotImplementedError("An optimizer of tf.train has no configuration")
