"""Dense, Dropout, Flatten."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.infer import constant_value
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.engine.tensor import Tensor
from tfbench.initializers import zeros_initializer
from tfbench.layers import by_name
from tfbench.layers.base import Layer
from tfbench.layers.input_spec import InputSpec
from tfbench.nn.dropout import dropout


class Dense(Layer):
    """activation(inputs kernel + bias), for each vector along the last axis.

    Raises:
      ValueError: when called, if the size of the last axis is not known.
      TypeError: when called, if the inputs are not floating.
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = zeros_initializer(),  # noqa: B008 - as in TensorFlow; initializers have no state
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        self.activation = by_name.activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        dtype = as_dtype(self.dtype or "float32")
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(f"Unable to build `Dense` layer with non-floating point dtype {dtype!r}")
        size = as_shape(input_shape).as_list()[-1]
        if size is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            shape=[size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            dtype=self.dtype,
            trainable=True,
        )
        self.bias: Any = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                dtype=self.dtype,
                trainable=True,
            )
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        rank = inputs.shape.ndims
        if rank is not None and rank > 2:
            outputs = ops.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        else:
            outputs = ops.matmul(inputs, self.kernel)
        if self.use_bias:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        shape = as_shape(input_shape).with_rank_at_least(2)
        if shape.as_list()[-1] is None:
            raise ValueError(f"The innermost dimension of input_shape must be defined, but saw: {shape}")
        return shape[:-1].concatenate(self.units)


class Dropout(Layer):
    """In training, sets each element to 0 with probability `rate` and scales the others so that the sum stays.

    `noise_shape` says which elements go together: its sizes are 1 or those of the input.
    """

    def __init__(
        self, rate: Any = 0.5, noise_shape: Any = None, seed: int | None = None, name: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs: Any, *args: Any, training: Any = False, **kwargs: Any) -> Any:
        if args:
            (training,) = args

        def dropped() -> Tensor:
            return dropout(inputs, noise_shape=self._noise_shape(inputs), seed=self.seed, rate=self.rate)

        return smart_cond(training, dropped, lambda: ops.identity(inputs))

    def _noise_shape(self, inputs: Any) -> Any:
        if self.noise_shape is None:
            return None
        actual = ops.shape(inputs)
        return [actual[i] if size is None else size for i, size in enumerate(self.noise_shape)]

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


class Flatten(Layer):
    """One vector for each element of the batch."""

    def __init__(self, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or "channels_last"
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        rank = inputs.shape.ndims
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = ops.transpose(inputs, perm=[0, *range(2, rank), 1])
        batch = inputs.shape.as_list()[0]
        if batch:
            # Either size may be the one that is not known.
            outputs = ops.reshape(inputs, (batch, -1))
        else:
            outputs = ops.reshape(inputs, (ops.shape(inputs)[0], -1))
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = as_shape(input_shape).as_list()
        if not sizes:
            raise ValueError(f"Flatten needs at least the axis of the batch, found a shape of rank 0: {sizes}")
        product: int | None = 1
        for size in sizes[1:]:
            product = None if size is None or product is None else product * size
        return TensorShape([sizes[0], product])


def smart_cond(predicate: Any, true_fn: Any, false_fn: Any) -> Any:
    """`cond`, decided now where the predicate is known: a bool, 0 or 1, or a constant tensor."""
    known = predicate
    if isinstance(predicate, Tensor):
        known = constant_value(predicate)
    elif predicate not in (0, 1, None):
        raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {predicate}")
    if isinstance(predicate, Tensor) and known is None:
        return cond(predicate, true_fn, false_fn)
    return true_fn() if known else false_fn()
