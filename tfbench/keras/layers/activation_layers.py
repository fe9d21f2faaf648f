"""Activations that are layers, because they have options or variables."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.shapes import as_shape
from tfbench.keras.backend import neural
from tfbench.keras.backend.config import cast_to_floatx, floatx
from tfbench.keras.engine.base_layer import InputSpec
from tfbench.keras.layers.core import SameShape


class LeakyReLU(SameShape):
    """`x` above 0, alpha x below."""

    supports_masking = True

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = cast_to_floatx(alpha)

    def call(self, inputs: Any) -> Any:
        return neural.relu(inputs, alpha=self.alpha)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "alpha": float(self.alpha)}


class PReLU(SameShape):
    """`x` above 0, alpha x below, with an alpha that is learnt: one for each place, or for all along `shared_axes`."""

    supports_masking = True
    _config = ("alpha_initializer", "alpha_regularizer", "alpha_constraint", "shared_axes")

    def __init__(
        self, alpha_initializer: Any = "zeros", alpha_regularizer: Any = None, alpha_constraint: Any = None,
        shared_axes: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.alpha_initializer = alpha_initializer
        self.alpha_regularizer = alpha_regularizer
        self.alpha_constraint = alpha_constraint
        shared = [shared_axes] if isinstance(shared_axes, int) else shared_axes
        self.shared_axes = None if shared is None else list(shared)
        self._interpret()

    def build(self, input_shape: Any) -> None:
        given = as_shape(input_shape).as_list()
        shared = self.shared_axes or []
        self.alpha = self.add_weight(
            shape=[1 if axis in shared else size for axis, size in enumerate(given)][1:],
            name="alpha",
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        fixed = {axis: given[axis] for axis in range(1, len(given)) if shared and axis not in shared}
        self.input_spec = InputSpec(ndim=len(given), axes=fixed)
        self.built = True

    def call(self, inputs: Any) -> Any:
        above = neural.relu(inputs)
        return above + -self.alpha * neural.relu(-inputs)


class ELU(SameShape):
    """`x` above 0, alpha (exp(x) - 1) below."""

    supports_masking = True

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = cast_to_floatx(alpha)

    def call(self, inputs: Any) -> Any:
        return neural.elu(inputs, self.alpha)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "alpha": float(self.alpha)}


class ThresholdedReLU(SameShape):
    """`x` above theta, 0 below."""

    supports_masking = True

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.theta = cast_to_floatx(theta)

    def call(self, inputs: Any) -> Any:
        return inputs * ops.cast(ops.greater(inputs, self.theta), floatx())

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "theta": float(self.theta)}


class Softmax(SameShape):
    """exp(x), divided by its sum along the axis."""

    supports_masking = True
    _config = ("axis",)

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        return neural.softmax(inputs, axis=self.axis)


class ReLU(SameShape):
    """`x` above the threshold, `negative_slope` times the distance below, `max_value` at most.

    Raises:
      ValueError: for a negative bound or slope.
    """

    _config = ("max_value", "negative_slope", "threshold")

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0, threshold: float = 0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0.0:
            raise ValueError(f"ReLU needs a max_value that is not negative (or None), got {max_value}")
        if negative_slope < 0.0:
            raise ValueError(f"ReLU needs a negative_slope of 0 or more, it cannot be negative; got {negative_slope}")
        self.max_value = None if max_value is None else cast_to_floatx(max_value)
        self.negative_slope = cast_to_floatx(negative_slope)
        self.threshold = cast_to_floatx(threshold)

    def call(self, inputs: Any) -> Any:
        return neural.relu(inputs, self.negative_slope, self.max_value, self.threshold)
