"""The variables of a Keras layer: made, listed, read and set."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.init_scope import init_scope
from tfbench.engine.shapes import TensorShape
from tfbench.keras import constraints, initializers, regularizers
from tfbench.keras.backend import config as settings
from tfbench.keras.backend.state import track_variable
from tfbench.keras.backend.values import batch_get_value, batch_set_value
from tfbench.layers import base
from tfbench.variables import Variable
from tfbench.variables.partitioned import PartitionedVariable


class HasWeights(base.Layer):
    """The part of a layer that has variables, its own and those of the layers in it."""

    _trainable: bool
    _parts: Any
    _of_parts: Any

    @property
    def trainable(self) -> bool:
        return bool(self._trainable)

    @trainable.setter
    def trainable(self, value: bool) -> None:
        vars(self)["_trainable"] = value
        for part in self._parts():
            part.trainable = value

    @property
    def trainable_weights(self) -> list[Any]:
        return [*self._trainable_weights, *self._of_parts("trainable_weights")] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        if self.trainable:
            return [*self._non_trainable_weights, *self._of_parts("non_trainable_weights")]
        return [*self._trainable_weights, *self._non_trainable_weights, *self._of_parts("weights")]

    @property
    def weights(self) -> list[Any]:
        return [*self.trainable_weights, *self.non_trainable_weights]

    @property
    def variables(self) -> list[Any]:
        return self.weights

    @property
    def trainable_variables(self) -> list[Any]:
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        return self.non_trainable_weights

    def count_params(self) -> int:
        """How many numbers its variables hold.

        Raises:
          ValueError: if it has no variables yet.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. You can build it "
                f"manually via: `{self.name}.build(batch_input_shape)`."
            )
        return sum(int(np.prod(variable.shape.as_list())) for variable in self.weights)

    def get_weights(self) -> list[Any]:
        """The values of its variables, as arrays."""
        return batch_get_value(self.weights)

    def set_weights(self, weights: Any) -> None:
        """Sets the values of its variables.

        Raises:
          ValueError: if their number or a shape is another.
        """
        params = self.weights
        if len(params) != len(weights):
            raise ValueError(
                f'You called `set_weights(weights)` on layer "{self.name}" with a  weight list of length '
                f"{len(weights)}, but the layer was expecting {len(params)} weights. Provided weights: "
                f"{str(weights)[:50]}..."
            )
        pairs = []
        for variable, value in zip(params, weights, strict=True):
            value = np.asarray(value)
            if not variable.shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"Layer weight shape {variable.shape} not compatible with provided weight shape {value.shape}"
                )
            pairs.append((variable, value))
        batch_set_value(pairs)

    def add_weight(  # type: ignore[override]
        self,
        name: str | None = None,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        partitioner: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = 0,
        aggregation: Any = 0,
        **kwargs: Any,
    ) -> Any:
        """A variable of the layer; its name is `name` in the scope that is open.

        Raises:
          TypeError: for a keyword that there is not.
          ValueError: if no initializer is given for a type that has no default one.
        """
        for unknown in kwargs:
            if unknown not in ("getter", "collections", "experimental_autocast"):
                raise TypeError("Unknown keyword argument:", unknown)
        kind = as_dtype(dtype or self.dtype or settings.floatx())
        if self.dtype is None:
            vars(self)["_dtype"] = kind.base_dtype.name
        given = initializers.get(initializer)
        if given is None:
            given = base._default_initializer(str(name), kind, self.name)
        on_read = synchronization == 3
        if on_read and trainable:
            raise ValueError(
                f"Weight {name} cannot be both: trainable=True, and VariableSynchronization.ON_READ, which is for "
                "non-trainable variables."
            )
        trainable = not on_read if trainable is None else trainable
        size = TensorShape(() if shape is None else shape)
        with init_scope():
            make = given() if isinstance(given, type) else given
        variable = Variable(
            initial_value=(lambda: make(size.as_list(), dtype=kind)) if callable(make) else make,
            name=name,
            trainable=trainable,
            dtype=kind.base_dtype if callable(make) else None,
            constraint=constraints.get(constraint),
            use_resource=True if use_resource is None else use_resource,
            collections=kwargs.get("collections"),
            synchronization=synchronization,
            aggregation=aggregation,
        )
        vars(self).setdefault("_tracked", {})[str(name)] = variable
        track_variable(variable)
        regularizer = regularizers.get(regularizer)
        if regularizer is not None:
            self.add_loss(partial(_penalty, variable.name.partition(":")[0], variable, regularizer))
        (self._trainable_weights if trainable else self._non_trainable_weights).append(variable)
        return variable


def _penalty(name: str, variable: Any, regularizer: Callable[[Any], Any]) -> Any:
    """What the regularizer makes of the variable now."""
    parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
    with variable.graph.as_default(), variable.graph.name_scope(f"{name}/Regularizer"):
        found = [regularizer(part) for part in parts]
    return found[0] if len(found) == 1 else ops.add_n(found)
