"""Fully connected layers, dropout, and layers that only change the shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.keras import activations, initializers, regularizers
from tfbench.keras.backend import config as settings
from tfbench.keras.backend import nn
from tfbench.keras.backend.arrays import repeat
from tfbench.keras.backend.state import learning_phase
from tfbench.keras.engine.base_layer import InputSpec, Layer
from tfbench.layers import core
from tfbench.layers.arguments import sizes


class SameShape(Layer):
    """The base of layers whose output has the shape of their input."""

    def compute_output_shape(self, input_shape: Any) -> Any:
        return as_shape(input_shape)


class Dense(core.Dense, Layer):
    """activation(inputs kernel + bias), for each vector along the last axis.

    Raises:
      ValueError: when called, if the size of the last axis is not known.
      TypeError: when called, if the inputs are not floating.
    """

    supports_masking = True
    _config = (
        "units", "activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer",
        "bias_regularizer", "activity_regularizer", "kernel_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        if "input_dim" in kwargs and "input_shape" not in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_dim"),)
        super().__init__(
            units,
            activations.get(activation),
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            **kwargs,
        )
        self._interpret()


class Activation(SameShape):
    """A function of the inputs, or the name of one."""

    supports_masking = True
    _config = ("activation",)

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)


class Dropout(core.Dropout, Layer):
    """In training, sets each element to 0 with probability `rate` and scales the others so that the sum stays.

    `noise_shape` says which elements go together: its sizes are 1 or those of the input.
    """

    supports_masking = True
    _config = ("rate", "noise_shape", "seed")

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(rate, noise_shape, seed, **kwargs)

    def call(self, inputs: Any, training: Any = None) -> Any:  # type: ignore[override]
        return super().call(inputs, training=learning_phase() if training is None else training)

    def _noise_shape(self, inputs: Any) -> Any:
        shape = super()._noise_shape(inputs)
        return None if shape is None else convert_to_tensor(shape)


class _Spatial(Dropout):
    """Whole channels are set to 0."""

    _rank: int

    def __init__(self, rate: float, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        self.data_format = data_format or settings.image_data_format()
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError('data_format must be in {"channels_last", "channels_first"}')
        self.input_spec = InputSpec(ndim=self._rank)

    def _noise_shape(self, inputs: Any) -> Any:
        shape, places = ops.shape(inputs), [1] * (self._rank - 2)
        last = self.data_format == "channels_last"
        return (shape[0], *places, shape[self._rank - 1]) if last else (shape[0], shape[1], *places)


class SpatialDropout1D(_Spatial):
    """Dropout of whole channels of sequences."""

    _rank = 3

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(rate, "channels_last", **kwargs)


class SpatialDropout2D(_Spatial):
    """Dropout of whole channels of images."""

    _rank = 4


class SpatialDropout3D(_Spatial):
    """Dropout of whole channels of volumes."""

    _rank = 5


class Flatten(core.Flatten, Layer):
    """One vector for each element of the batch."""

    _config = ("data_format",)

    def __init__(self, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(settings.normalized_data_format(data_format), **kwargs)


class Reshape(Layer):
    """Each element of the batch in the shape `target_shape`, one size of which may be -1 for what is left."""

    _config = ("target_shape",)

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any) -> Any:
        return ops.reshape(inputs, (ops.shape(inputs)[0], *self.target_shape))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        batch, *given = as_shape(input_shape).as_list()
        if None in given:
            return TensorShape([batch, *(None if size == -1 else size for size in self.target_shape)])
        if self.target_shape.count(-1) > 1:
            raise ValueError("Can only specify one unknown dimension.")
        count = int(np.prod([size or 0 for size in given], dtype=int))
        known = int(np.prod([size for size in self.target_shape if size != -1], dtype=int))
        if (known == 0 or count % known != 0) if -1 in self.target_shape else known != count:
            raise ValueError(f"total size of new array must be unchanged: {given} to {list(self.target_shape)}")
        return TensorShape([batch, *(count // known if size == -1 else size for size in self.target_shape)])


class Permute(Layer):
    """The axes (from 1 on) in another order.

    Raises:
      ValueError: if `dims` does not have each of 1, 2, … once.
    """

    _config = ("dims",)

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ValueError(
                f"Invalid permutation `dims` of a Permute layer: {dims}. Name each axis after the batch once: the "
                f"numbers 1 to {len(dims)}, in any order."
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Any) -> Any:
        return ops.transpose(inputs, perm=(0, *self.dims))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        given = as_shape(input_shape).as_list()
        return TensorShape([given[0], *(given[axis] for axis in self.dims)])


class RepeatVector(Layer):
    """Each vector n times: (batch, size) becomes (batch, n, size)."""

    _config = ("n",)

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: Any) -> Any:
        return repeat(inputs, self.n)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        batch, size = as_shape(input_shape).as_list()
        return TensorShape([batch, self.n, size])


class Masking(SameShape):
    """Steps whose features all are `mask_value` are masked for the layers behind."""

    supports_masking = True
    _compute_output_and_mask_jointly = True
    _config = ("mask_value",)

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return ops.reduce_any(ops.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Any) -> Any:
        kept = ops.reduce_any(ops.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = inputs * ops.cast(kept, inputs.dtype)
        outputs._keras_mask = ops.squeeze(kept, axis=[-1])
        return outputs


class ActivityRegularization(SameShape):
    """The inputs as they are, with a penalty on their size."""

    supports_masking = True
    _config = ("l1", "l2")

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.l1 = l1
        self.l2 = l2


class Embedding(Layer):
    """A vector for each whole number below `input_dim`.

    Args:
      mask_zero: whether the number 0 stands for a step that is not there.
      input_length: how many numbers an element of the batch has, where that is fixed.
    """

    _config = (
        "input_dim", "output_dim", "embeddings_initializer", "embeddings_regularizer", "activity_regularizer",
        "embeddings_constraint", "mask_zero", "input_length",
    )  # fmt: skip

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        activity_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: Any = None,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,) if input_length else (None,)
        super().__init__(dtype=kwargs.pop("dtype", settings.floatx()), **kwargs)
        self.input_dim = input_dim
        self.output_dim = output_dim
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = embeddings_regularizer
        self.activity_regularizer = activity_regularizer
        self.embeddings_constraint = embeddings_constraint
        self.mask_zero = self.supports_masking = mask_zero
        self.input_length = input_length
        self._interpret()

    def build(self, input_shape: Any) -> None:
        self.embeddings = self.add_weight(
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            name="embeddings",
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return ops.not_equal(inputs, 0) if self.mask_zero else None

    def call(self, inputs: Any) -> Any:
        if as_dtype(inputs.dtype).base_dtype.name not in ("int32", "int64"):
            inputs = ops.cast(inputs, "int32")
        return nn.embedding_lookup(self.embeddings, inputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        given = as_shape(input_shape).as_list()
        if self.input_length is not None:
            lengths = list(self.input_length) if isinstance(self.input_length, (list, tuple)) else [self.input_length]
            fits = len(lengths) == len(given) - 1 and all(
                one is None or other is None or one == other for one, other in zip(lengths, given[1:], strict=True)
            )
            if not fits:
                raise ValueError(f'"input_length" is {self.input_length}, but received input has shape {given}')
            given[1:] = [one if other is None else other for one, other in zip(lengths, given[1:], strict=True)]
        return TensorShape([*given, self.output_dim])


def lengths_around(value: Any, count: int, name: str) -> tuple[tuple[int, ...], ...]:
    """How much is added or cut at both ends of `count` axes: one number, one for each axis, or two for each.

    Raises:
      ValueError: for anything else.
    """
    if isinstance(value, int):
        return ((value, value),) * count
    if not hasattr(value, "__len__") or len(value) != count:
        raise ValueError(f"`{name}` should have {count} elements, each a number or two. Found: {value}")
    return tuple(sizes(part, 2, f"entry {at + 1} of {name}") for at, part in enumerate(value))


#: a function of tensors
Function = Callable[..., Any]
