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
from tfbench.engine.ops.nn_activations import relu
from tfbench.engine.shapes import as_shape
from tfbench.engine.tensor import Tensor
from tfbench.initializers import ones_initializer, zeros_initializer
from tfbench.layers.base import Layer
from tfbench.layers.core import smart_cond
from tfbench.layers.input_spec import InputSpec
from tfbench.layers.renormalization import adjusted, checked_clipping, correction, then
from tfbench.nn.normalization import batch_normalization, fused_batch_norm, moments
from tfbench.variables import assign, assign_sub

_ONES, _ZEROS = ones_initializer(), zeros_initializer()


class BatchNormalization(Layer):
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, with the statistics of each channel.

    Args:
      axis: the axis of the channels, or a list of axes.
      momentum: how much of the moving averages stays in an update.
      center, scale: whether there is a beta, a gamma.
      fused: one op for it all, where that is possible (images, nothing special asked for), unless it is False.
      renorm, renorm_clipping, renorm_momentum: see `tfbench.layers.renormalization`.
      virtual_batch_size: the batch is normalised in parts of so many rows.
      adjustment: a function of the shape of the inputs that gives a scale and an offset, applied in training before
        gamma and beta.
      training (when called): True, False or a bool tensor: the batch's statistics, or the moving ones.

    Raises:
      ValueError: if an axis is not one of the inputs', or its size is not known; if `virtual_batch_size` is not
        positive or meets `adjustment` or an axis 0.
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
        self.fused: Any = fused is None or fused
        self.virtual_batch_size = virtual_batch_size
        self.adjustment = adjustment
        self.renorm = renorm
        if renorm:
            self.renorm_clipping = checked_clipping(renorm_clipping)
            self.renorm_momentum = renorm_momentum

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
        if self.virtual_batch_size is not None:
            self._check_virtual_batches(axes)
        plain = not self.renorm and self.virtual_batch_size is None and self.adjustment is None
        self.fused = self.fused and rank == 4 and axes in ([1], [3]) and plain
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
        if len(sizes) == 1 and self.virtual_batch_size is None:
            param_shape = [next(iter(sizes.values()))]
        else:
            param_shape = [sizes.get(axis, 1) for axis in range(rank)]
        if self.virtual_batch_size is not None:
            # The axis of the parts comes behind that of the rows of one.
            param_shape.insert(1, 1)
            self.axis = [axis + 1 for axis in axes]
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
        self._make_moving(make)
        self.built = True

    def _make_moving(self, make: dict[str, Any]) -> None:
        """The moving statistics, never in parts."""
        scope = self._scope  # the one that `add_weight` opens
        partitioner = None if scope is None else scope.partitioner
        try:
            if scope is not None:
                scope.set_partitioner(None)
            self.moving_mean = self._moving("moving_mean", self.moving_mean_initializer, make)
            self.moving_variance = self._moving("moving_variance", self.moving_variance_initializer, make)
            if self.renorm:

                def deviation(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
                    return ops.sqrt(self.moving_variance_initializer(shape, dtype=dtype))

                with colocate_with(self.moving_variance):
                    self.moving_stddev = self._moving("moving_stddev", deviation, make)
                with colocate_with(self.moving_mean):
                    self.renorm_mean = self._moving("renorm_mean", self.moving_mean_initializer, make)
                with colocate_with(self.moving_variance):
                    self.renorm_stddev = self._moving("renorm_stddev", deviation, make)
        finally:
            if scope is not None:
                scope.set_partitioner(partitioner)

    def _moving(self, name: str, initializer: Any, make: dict[str, Any]) -> Any:
        return self.add_weight(name, initializer=initializer, trainable=False, **make)

    def _check_virtual_batches(self, axes: list[int]) -> None:
        assert self.virtual_batch_size is not None
        if self.virtual_batch_size <= 0:
            raise ValueError(
                "virtual_batch_size must be a positive integer that divides the true batch size of the input Tensor, "
                f"found {self.virtual_batch_size}"
            )
        if 0 in axes:
            raise ValueError(
                "When using virtual_batch_size, the batch dimension must be 0 and thus axis cannot include 0"
            )
        if self.adjustment is not None:
            raise ValueError("When using virtual_batch_size, adjustment cannot be specified")

    # -- computing ------------------------------------------------------------------------------------------------

    def call(self, inputs: Any, *args: Any, training: Any = False, **kwargs: Any) -> Any:
        if args:
            (training,) = args
        if self.virtual_batch_size is None:
            return self._fused_call(inputs, training) if self.fused else self._plain_call(inputs, training)
        whole = [-1, *inputs.shape.as_list()[1:]]
        parts = ops.reshape(inputs, [self.virtual_batch_size, -1, *whole[1:]])
        return ops.reshape(self._plain_call(parts, training), whole)

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
        # Parts are normalised one by one.
        fixed = self.axis if self.virtual_batch_size is None else [1, *self.axis]
        reduced = [axis for axis in range(rank) if axis not in fixed]
        scale, offset = self._broadcast(self.gamma, inputs, reduced), self._broadcast(self.beta, inputs, reduced)
        known = _known(training)
        if known is not None and not known:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            if self.adjustment:
                scale, offset = adjusted(self.adjustment, inputs, training, scale, offset)
            batch_mean, batch_variance = moments(inputs, reduced, keep_dims=len(fixed) > 1)
            mean = _either(training, batch_mean, self.moving_mean)
            variance = _either(training, batch_variance, self.moving_variance)
            new_mean, new_variance = mean, variance
            if self.virtual_batch_size is not None:
                new_mean = ops.reduce_mean(mean, axis=1, keepdims=True)
                new_variance = ops.reduce_mean(variance, axis=1, keepdims=True)
            if self.renorm:
                r, d, new_mean, new_variance = correction(self, new_mean, new_variance, training, self._moved)
                r = self._broadcast(ops.stop_gradient(r, name="renorm_r"), inputs, reduced)
                d = self._broadcast(ops.stop_gradient(d, name="renorm_d"), inputs, reduced)
                scale, offset = then(r, d, scale, offset)
            self._update(training, new_mean, new_variance)
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

    def _update(self, training: Any, mean: Any, variance: Any) -> None:
        """Adds what moves the moving statistics, in training, towards these."""

        def moved_variance() -> Any:
            if not self.renorm:
                return self._moved(self.moving_variance, variance, self.momentum)
            # It is the deviation that moves, epsilon included, as when the outputs are computed.
            deviation = self._moved(self.moving_stddev, ops.sqrt(variance + self.epsilon), self.momentum)
            return self._assigned(self.moving_variance, relu(deviation * deviation - self.epsilon))

        def moved_mean() -> Any:
            return self._moved(self.moving_mean, mean, self.momentum)

        self.add_update(smart_cond(training, moved_mean, lambda: convert_to_tensor(self.moving_mean)))
        self.add_update(smart_cond(training, moved_variance, lambda: convert_to_tensor(self.moving_variance)))

    def _broadcast(self, value: Any, inputs: Any, reduced: list[int]) -> Any:
        """A vector of the channels in a shape that broadcasts with the inputs."""
        rank = inputs.shape.ndims
        if value is None or value.shape.ndims == rank or reduced == list(range(rank - 1)):
            return value
        shape = [1] * rank
        (axis,) = self.axis
        shape[axis] = inputs.shape.as_list()[axis]
        return ops.reshape(value, shape)

    def _moved(self, variable: Any, value: Any, momentum: Any) -> Any:
        """variable -= (variable - value) (1 - momentum)"""
        with name_scope(None, "AssignMovingAvg", [variable, value, momentum]) as scope, colocate_with(variable):
            decay = convert_to_tensor(1.0 - momentum, name="decay")
            if decay.dtype != variable.dtype.base_dtype:
                decay = ops.cast(decay, variable.dtype.base_dtype)
            return assign_sub(variable, (variable - ops.cast(value, variable.dtype.base_dtype)) * decay, name=scope)

    def _assigned(self, variable: Any, value: Any) -> Any:
        with name_scope(None, "AssignNewValue", [variable, value]) as scope, colocate_with(variable):
            return assign(variable, value, name=scope)

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
