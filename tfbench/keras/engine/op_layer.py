"""The layer that an op between layers becomes."""

from __future__ import annotations

from typing import Any

from tfbench.engine import nest
from tfbench.engine.operation import Operation
from tfbench.keras.engine.base_layer import Layer
from tfbench.keras.engine.tf_ops import remade


class TensorFlowOpLayer(Layer):
    """One op; called again, the same op with other inputs."""

    def __init__(self, op: Operation, constants: dict[int, Any]) -> None:
        super().__init__(name=f"tf_op_layer_{op.name}")
        self.made_of = op
        self.constants = constants
        self.built = True

    def call(self, inputs: Any) -> Any:
        return remade(self.made_of, nest.flatten(inputs), self.constants)

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError(
            f"{self.name} is an op of the graph and has no configuration; wrap the computation in a Lambda layer"
        )
