"""Batch normalisation (Ioffe and Szegedy, 2015).

In training the batch's own mean and variance are used, and moving averages of them are kept by *update ops*, which are
not part of the output: they go into `tf.GraphKeys.UPDATE_OPS`, and whoever trains has to run them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import colocate_with
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.shapes import as_shape
from tfbench.engine.tensor import Tensor
from tfbench.initializers import ones_initializer, zeros_initializer
from tfbench.layers.base import Layer
from tfbench.layers.core import smart_cond
from tfbench.layers.input_spec import InputSpec
from tfbench.nn.normalization import batch_normalization, fused_batch_norm, moments
from tfbench.variables import assign_sub

_ONES, _ZEROS = ones_initializer(), zeros_initializer()


class BatchNormalization(Layer):
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, with the statistics of each channel.

    Args:
      axis: the axis of the channels, or a list of axes.
      momentum: how much of the moving averages stays in an update.
      center, scale: whether there is a beta, a gamma.
      fused: one op for it all (images only); None: where that is possible.
      training (when called): True, False or a bool tensor: the batch's statistics, or the moving ones.

    Raises:
      ValueError: if an axis is not one of the inputs', or its size is not known, or `fused` asks for another axis.
      NotImplementedError: for `renorm`, `virtual_batch_size` and `adjustment`.
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = _ZEROS,
        gamma_initializer: Any = _ONES,
        moving_mean_initializer: Any = _ZEROS,
        moving_variance_initializer: Any = _ONES,
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
        super().__init__(trainable=trainable, name=name, **kwargs)
        for unknown, value in (("renorm", renorm), ("virtual_batch_size", virtual_batch_size),
                               ("adjustment", adjustment)):  # fmt: skip
            if value:
                raise NotImplementedError(f"batch_normalization with `{unknown}` is not there yet: leave it out.")
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = beta_initializer
        self.gamma_initializer = gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self.fused = fused

    # -- variables ------------------------------------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        shape = as_shape(input_shape)
        rank = shape.ndims
        if rank is None:
            raise ValueError(f"Input has undefined rank: {shape}")
        given = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        axes = [axis + rank if axis < 0 else axis for axis in given]
        for axis in axes:
            if not 0 <= axis < rank:
                raise ValueError(f"Invalid axis: {axis}")
        if len(axes) != len(set(axes)):
            raise ValueError(f"Duplicate axis: {given}")
        self.axis = axes
        self._choose_fused(rank, axes)
        sizes = {axis: shape.as_list()[axis] for axis in axes}
        for axis, size in sizes.items():
            if size is None:
                raise ValueError(
                    f"Input has undefined `axis` dimension. Received input with shape {shape}. Axis value: {axis}"
                )
        self.input_spec = InputSpec(ndim=rank, axes=dict(sizes))
        dtype = as_dtype(self.dtype or "float32")
        param_dtype = dtypes.float32 if dtype in (dtypes.float16, dtypes.bfloat16) else dtype
        # One axis: a vector. Several: an array that broadcasts.
        if len(sizes) == 1:
            param_shape = [next(iter(sizes.values()))]
        else:
            param_shape = [sizes.get(axis, 1) for axis in range(rank)]
        make: dict[str, Any] = {"shape": param_shape, "dtype": param_dtype}
        self.gamma: Any = None
        self.beta: Any = None
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
                trainable=True,
                **make,
            )
        elif self.fused:  # the op takes both in any case
            self.gamma = ops.constant(1.0, dtype=param_dtype, shape=param_shape)
        if self.center:
            self.beta = self.add_weight(
                "beta",
                initializer=self.beta_initializer,
                regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
                trainable=True,
                **make,
            )
        elif self.fused:
            self.beta = ops.constant(0.0, dtype=param_dtype, shape=param_shape)
        self.moving_mean = self.add_weight(
            "moving_mean", initializer=self.moving_mean_initializer, trainable=False, **make
        )
        self.moving_variance = self.add_weight(
            "moving_variance", initializer=self.moving_variance_initializer, trainable=False, **make
        )
        self.built = True

    def _choose_fused(self, rank: int, axes: list[int]) -> None:
        if self.fused is None:
            self.fused = rank == 4 and axes in ([1], [3])
        elif self.fused and rank != 4:
            self.fused = False  # as TensorFlow does, without a word
        elif self.fused and axes not in ([1], [3]):
            raise ValueError(
                f"Unsupported axis, fused batch norm only supports axis == [1] or axis == [3]. Received: axis={axes}"
            )

    # -- computing ------------------------------------------------------------------------------------------------

    def call(self, inputs: Any, *args: Any, training: Any = False, **kwargs: Any) -> Any:
        if args:
            (training,) = args
        return self._fused_call(inputs, training) if self.fused else self._plain_call(inputs, training)

    def _fused_call(self, inputs: Any, training: Any) -> Any:
        gamma, beta = self.gamma, self.beta
        layout = "NCHW" if self.axis == [1] else "NHWC"

        def of_batch() -> Any:
            return fused_batch_norm(inputs, gamma, beta, epsilon=self.epsilon, data_format=layout)

        def of_averages() -> Any:
            return fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                epsilon=self.epsilon,
                is_training=False,
                data_format=layout,
            )

        output, mean, variance = smart_cond(training, of_batch, of_averages)
        known = _known(training)
        if known is None:
            momentum = smart_cond(training, lambda: convert_to_tensor(self.momentum), lambda: convert_to_tensor(1.0))
        else:
            momentum = convert_to_tensor(self.momentum)
        if known is None or known:
            self.add_update(self._moved(self.moving_mean, mean, momentum))
            self.add_update(self._moved(self.moving_variance, variance, momentum))
        return output

    def _plain_call(self, inputs: Any, training: Any) -> Any:
        rank = inputs.shape.ndims
        reduced = [axis for axis in range(rank) if axis not in self.axis]
        scale, offset = self._broadcast(self.gamma, inputs, reduced), self._broadcast(self.beta, inputs, reduced)
        known = _known(training)
        if known is not None and not known:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            batch_mean, batch_variance = moments(inputs, reduced, keep_dims=len(self.axis) > 1)
            mean = _either(training, batch_mean, self.moving_mean)
            variance = _either(training, batch_variance, self.moving_variance)
            new_mean, new_variance = mean, variance
            self.add_update(self._update_in(training, self.moving_mean, new_mean))
            self.add_update(self._update_in(training, self.moving_variance, new_variance))
        outputs = batch_normalization(
            inputs,
            self._broadcast(mean, inputs, reduced),
            self._broadcast(variance, inputs, reduced),
            offset,
            scale,
            self.epsilon,
        )
        outputs.set_shape(inputs.shape)
        return outputs

    def _broadcast(self, value: Any, inputs: Any, reduced: list[int]) -> Any:
        """A vector of the channels in a shape that broadcasts with the inputs."""
        rank = inputs.shape.ndims
        if value is None or value.shape.ndims == rank or reduced == list(range(rank - 1)):
            return value
        shape = [1] * rank
        (axis,) = self.axis
        shape[axis] = inputs.shape.as_list()[axis]
        return ops.reshape(value, shape)

    def _update_in(self, training: Any, variable: Any, value: Any) -> Any:
        return smart_cond(training, lambda: self._moved(variable, value, self.momentum), lambda: _as_tensor(variable))

    def _moved(self, variable: Any, value: Any, momentum: Any) -> Any:
        """variable -= (variable - value) (1 - momentum)"""
        with name_scope(None, "AssignMovingAvg", [variable, value, momentum]) as scope, colocate_with(variable):
            decay = convert_to_tensor(1.0 - momentum, name="decay")
            if decay.dtype != variable.dtype.base_dtype:
                decay = ops.cast(decay, variable.dtype.base_dtype)
            return assign_sub(variable, (variable - ops.cast(value, variable.dtype.base_dtype)) * decay, name=scope)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


def _known(training: Any) -> bool | None:
    """Whether it is training, where that is known now."""
    if not isinstance(training, Tensor):
        return bool(training)
    value = constant_value(training)
    return None if value is None else bool(value)


def _either(training: Any, batch: Tensor, moving: Any) -> Any:
    return smart_cond(training, lambda: batch, lambda: _as_tensor(moving))


def _as_tensor(variable: Any) -> Callable[[], Any] | Any:
    return convert_to_tensor(variable)
