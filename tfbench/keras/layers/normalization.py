"""Normalisation of a batch, and of each element by itself."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.shapes import as_shape
from tfbench.keras.backend import nn
from tfbench.keras.backend.state import learning_phase
from tfbench.keras.engine.base_layer import Layer
from tfbench.layers import normalization


class BatchNormalization(normalization.BatchNormalization, Layer):
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, with the statistics of each channel.

    In training they are the batch's, else moving averages. What moves those is among the layer's `updates`; `fit` runs
    it, and a program that trains by itself has to. The arguments are those of `tf.layers.BatchNormalization`.
    """

    supports_masking = True
    _config = (
        "axis", "momentum", "epsilon", "center", "scale", "beta_initializer", "gamma_initializer",
        "moving_mean_initializer", "moving_variance_initializer", "beta_regularizer", "gamma_regularizer",
        "beta_constraint", "gamma_constraint",
    )  # fmt: skip

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            axis,
            momentum,
            epsilon,
            center,
            scale,
            beta_initializer,
            gamma_initializer,
            moving_mean_initializer,
            moving_variance_initializer,
            beta_regularizer,
            gamma_regularizer,
            beta_constraint,
            gamma_constraint,
            renorm,
            renorm_clipping,
            renorm_momentum,
            fused,
            trainable,
            virtual_batch_size,
            adjustment,
            name,
            **kwargs,
        )
        self._interpret()

    def call(self, inputs: Any, training: Any = None) -> Any:  # type: ignore[override]
        return super().call(inputs, training=learning_phase() if training is None else training)


class LayerNormalization(Layer):
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, with the statistics of each element along `axis`.

    Raises:
      ValueError: for axes that the inputs do not have, or the same one twice.
    """

    supports_masking = True
    _config = (
        "axis", "epsilon", "center", "scale", "beta_initializer", "gamma_initializer", "beta_regularizer",
        "gamma_regularizer", "beta_constraint", "gamma_constraint",
    )  # fmt: skip

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise ValueError(
                f"The argument 'axis' of BatchNormalization must be an int or a list/tuple of ints, got: {axis}"
            )
        self.axis: Any = axis if isinstance(axis, int) else list(axis)
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = beta_initializer
        self.gamma_initializer = gamma_initializer
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self._interpret()

    def build(self, input_shape: Any) -> None:
        sizes = as_shape(input_shape).as_list()
        given = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        axes = [axis + len(sizes) if axis < 0 else axis for axis in given]
        for axis in axes:
            if not 0 <= axis < len(sizes):
                raise ValueError(f"Invalid axis: {axis}")
        if len(axes) != len(set(axes)):
            raise ValueError(f"Duplicate axis: {tuple(axes)}")
        self.axis = axes
        shape = [sizes[axis] for axis in axes]
        self.gamma = self._parameter("gamma", shape) if self.scale else None
        self.beta = self._parameter("beta", shape) if self.center else None
        self.built = True

    def _parameter(self, name: str, shape: list[Any]) -> Any:
        return self.add_weight(
            name=name,
            shape=shape,
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
            trainable=True,
        )

    def call(self, inputs: Any) -> Any:
        rank, sizes = inputs.shape.ndims, inputs.shape.as_list()
        axes = list(self.axis)
        mean, variance = nn.moments(inputs, axes, keep_dims=True)

        def wide(value: Any) -> Any:
            if value is None or value.shape.ndims == rank or axes == [rank - 1]:
                return value
            return ops.reshape(value, [sizes[axis] if axis in axes else 1 for axis in range(rank)])

        scale, offset = wide(self.gamma), wide(self.beta)
        outputs = nn.batch_normalization(inputs, mean, variance, offset, scale, self.epsilon)
        outputs.set_shape(inputs.shape)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return as_shape(input_shape)
