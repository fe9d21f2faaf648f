"""Initializers: what a variable's first value is, as objects that are called with a shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.convert import constant as _constant
from tfbench.engine.dtypes import DType, as_dtype, float32
from tfbench.engine.ops import array_diag, array_fill, linalg, math_unary, shape_ops
from tfbench.engine.ops import random as random_ops
from tfbench.engine.ops.array_order import matrix_transpose
from tfbench.engine.ops.linalg import eye
from tfbench.engine.ops.slicing import slice as slice_op
from tfbench.engine.tensor import Tensor
from tfbench.variables.functions import (
    global_variables_initializer,
    local_variables_initializer,
    variables_initializer,
)
from tfbench.variables.functions import tables_initializer as tables_initializer

__all__ = [
    "constant_initializer",
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
    "ones_initializer",
    "orthogonal_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "uniform_unit_scaling_initializer",
    "variance_scaling_initializer",
    "zeros_initializer",
]

#: standard deviation of a standard normal distribution that is cut off at two
_TRUNCATED_STDDEV = 0.87962566103423978


class Initializer:
    """Called with (shape, dtype, partition_info), returns a tensor of that shape."""

    #: constructor arguments that `get_config` returns
    _config: tuple[str, ...] = ()
    dtype: DType

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not say how to initialize.")

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        config = {name: getattr(self, name) for name in self._config}
        config["dtype"] = self.dtype.name
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """An initializer with the arguments that `get_config` returned."""
        return cls(**config)

    def _dtype(self, dtype: Any) -> DType:
        return self.dtype if dtype is None else as_dtype(dtype)


def _floating(dtype: Any) -> DType:
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {kind}.")
    return kind


class zeros_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """All zeros."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return array_fill.zeros(shape, self._dtype(dtype))


class ones_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """All ones."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return array_fill.ones(shape, self._dtype(dtype))


class constant_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """A number everywhere, or a list or array whose last element fills up what is missing (unless `verify_shape`)."""

    _config = ("value",)

    def __init__(self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected Python scalar, list "
                "or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.dtype = as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, verify_shape: bool | None = None
    ) -> Tensor:
        verify = self._verify_shape if verify_shape is None else verify_shape
        return _constant(self.value, self._dtype(dtype), shape, verify_shape=verify)


class random_uniform_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """Uniform in [minval, maxval)."""

    _config = ("minval", "maxval", "seed")

    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None, dtype: Any = float32) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return random_ops.random_uniform(shape, self.minval, self.maxval, self._dtype(dtype), seed=self.seed)


class random_normal_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """Normal with this mean and standard deviation."""

    _config = ("mean", "stddev", "seed")

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return random_ops.random_normal(shape, self.mean, self.stddev, self._dtype(dtype), seed=self.seed)


class truncated_normal_initializer(random_normal_initializer):  # noqa: N801 - TensorFlow's name
    """Normal, drawn again beyond two standard deviations."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return random_ops.truncated_normal(shape, self.mean, self.stddev, self._dtype(dtype), seed=self.seed)


class uniform_unit_scaling_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """Uniform in +-sqrt(3 / inputs) * factor, which keeps the scale of the input."""

    _config = ("factor", "seed")

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        self.factor = factor
        self.seed = seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        inputs = 1.0
        for size in _full_shape(shape, partition_info)[:-1]:
            inputs *= float(size)
        limit = math.sqrt(3 / max(inputs, 1.0)) * self.factor
        return random_ops.random_uniform(shape, -limit, limit, self._dtype(dtype), seed=self.seed)


class variance_scaling_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """Variance `scale / fan`, where fan is the number of inputs, of outputs, or their mean.

    Args:
      scale: positive.
      mode: 'fan_in', 'fan_out' or 'fan_avg'.
      distribution: 'truncated_normal' (or 'normal', the same), 'untruncated_normal' or 'uniform'.
    """

    _config: tuple[str, ...] = ("scale", "mode", "distribution", "seed")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        fan_in, fan_out = _fans(_full_shape(shape, partition_info))
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        scale = self.scale / max(1.0, fan)
        kind = self._dtype(dtype)
        if self.distribution in ("normal", "truncated_normal"):
            stddev = math.sqrt(scale) / _TRUNCATED_STDDEV
            return random_ops.truncated_normal(shape, 0.0, stddev, kind, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(shape, 0.0, math.sqrt(scale), kind, seed=self.seed)
        limit = math.sqrt(3.0 * scale)
        return random_ops.random_uniform(shape, -limit, limit, kind, seed=self.seed)


class glorot_uniform_initializer(variance_scaling_initializer):  # noqa: N801 - TensorFlow's name
    """Uniform with variance 2 / (inputs + outputs); also called Xavier."""

    _config = ("seed",)

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed)
        self.dtype = as_dtype(dtype)


class glorot_normal_initializer(variance_scaling_initializer):  # noqa: N801 - TensorFlow's name
    """Truncated normal with variance 2 / (inputs + outputs)."""

    _config = ("seed",)

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)
        self.dtype = as_dtype(dtype)


def he_normal(seed: int | None = None) -> variance_scaling_initializer:
    """Truncated normal with variance 2 / inputs, for relu."""
    return variance_scaling_initializer(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> variance_scaling_initializer:
    """Uniform with variance 2 / inputs, for relu."""
    return variance_scaling_initializer(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: int | None = None) -> variance_scaling_initializer:
    """Truncated normal with variance 1 / inputs."""
    return variance_scaling_initializer(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> variance_scaling_initializer:
    """Uniform with variance 1 / inputs."""
    return variance_scaling_initializer(1.0, "fan_in", "uniform", seed)


class orthogonal_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """An orthogonal matrix: all axes but the last are taken as one."""

    _config = ("gain", "seed")

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        self.gain = gain
        self.dtype = _floating(dtype)
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        kind = self._dtype(dtype)
        sizes = _at_least_two(shape)
        rows = math.prod(sizes[:-1])
        columns = sizes[-1]
        square = (columns, rows) if rows < columns else (rows, columns)
        a = random_ops.random_normal(square, dtype=kind, seed=self.seed)
        q, r = linalg.qr(a, full_matrices=False)
        # The signs of R's diagonal make the distribution uniform over all orthogonal matrices.
        q = q * math_unary.sign(array_diag.diag_part(r))
        if rows < columns:
            q = matrix_transpose(q)
        result: Any = shape_ops.reshape(q, sizes)
        return self.gain * result


class identity_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """`gain` on the diagonal of a matrix."""

    _config = ("gain",)

    def __init__(self, gain: float = 1.0, dtype: Any = float32) -> None:
        self.gain = gain
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        full = _full_shape(shape, partition_info)
        if len(full) != 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
                f"Received shape={shape}"
            )
        kind = self._dtype(dtype)
        matrix: Any = eye(full[0], full[1], dtype=kind)
        if partition_info is not None:
            matrix = slice_op(matrix, partition_info.var_offset, shape)
        return self.gain * matrix


def _full_shape(shape: Any, partition_info: Any) -> list[int]:
    """The shape that the fans are counted in: a part of a variable is scaled as the whole is."""
    return [int(size) for size in (shape if partition_info is None else partition_info.full_shape)]


def _fans(shape: Sequence[int]) -> tuple[float, float]:
    """How many inputs and outputs a unit has: receptive field times channels."""
    if len(shape) < 1:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


def _at_least_two(shape: Any) -> list[int]:
    sizes = [int(size) for size in shape]
    if len(sizes) < 2:
        raise ValueError(
            "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
            f"Received shape={shape}"
        )
    return sizes


# The names that the namespace `tf.initializers` has (`__all__` lists those that `tf` itself has).
constant = constant_initializer
glorot_normal = glorot_normal_initializer
glorot_uniform = glorot_uniform_initializer
identity = identity_initializer
ones = ones_initializer
orthogonal = orthogonal_initializer
random_normal = random_normal_initializer
random_uniform = random_uniform_initializer
truncated_normal = truncated_normal_initializer
uniform_unit_scaling = uniform_unit_scaling_initializer
variance_scaling = variance_scaling_initializer
zeros = zeros_initializer
global_variables = global_variables_initializer
local_variables = local_variables_initializer
variables = variables_initializer


def __dir__() -> list[str]:
    """What `tf.initializers` has, and the longer names that `tf` has."""
    return sorted(
        {
            "constant", "global_variables", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity",
            "lecun_normal", "lecun_uniform", "local_variables", "ones", "orthogonal", "random_normal",
            "random_uniform", "tables_initializer", "truncated_normal", "uniform_unit_scaling", "variables",
            "variance_scaling", "zeros", *__all__,
        }
    )  # fmt: skip
