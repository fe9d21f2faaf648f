"""The layers as functions: each call makes a layer, whose variables another call finds again by `name` and `reuse`.

A function has its layer's arguments, in the order that the table at the end says, and takes defaults and documentation
from the class.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tfbench.layers import convolutional, core, normalization, pooling
from tfbench.layers.base import Layer


def _defaults(kind: type[Layer]) -> dict[str, Any]:
    """The arguments of a class and of those it stands on, and what they are unless given."""
    found: dict[str, Any] = {"name": None, "reuse": None, "training": False, "trainable": True}
    for base in reversed(kind.__mro__):
        init = vars(base).get("__init__")
        if init is not None and base is not object:
            found.update({name: one.default for name, one in inspect.signature(init).parameters.items()})
    return found


def _function(name: str, kind: type[Layer], parameters: str) -> Callable[..., Any]:
    defaults = _defaults(kind)
    order = ["inputs", *parameters.split()]
    keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter(one, keyword, default=defaults.get(one, inspect.Parameter.empty)) for one in order]
    )
    reuses = "reuse" in order

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        inputs = given.pop("inputs")
        call = {"training": given.pop("training")} if "training" in given else {}
        if reuses:
            given.update(_reuse=given.pop("reuse", None), _scope=given.get("name"))
        return kind(**given)(inputs, **call)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = kind.__doc__
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


_REGULARIZED = "kernel_initializer bias_initializer kernel_regularizer bias_regularizer activity_regularizer "
_CONSTRAINED = "kernel_constraint bias_constraint trainable name reuse"
_CONV = (
    "filters kernel_size strides padding data_format dilation_rate activation use_bias " + _REGULARIZED + _CONSTRAINED
)
_TRANSPOSED = _CONV.replace("dilation_rate ", "")
_SEPARABLE = (
    "filters kernel_size strides padding data_format dilation_rate depth_multiplier activation use_bias "
    "depthwise_initializer pointwise_initializer bias_initializer depthwise_regularizer pointwise_regularizer "
    "bias_regularizer activity_regularizer depthwise_constraint pointwise_constraint bias_constraint trainable name "
    "reuse"
)
_POOL = "pool_size strides padding data_format name"

dense = _function("dense", core.Dense, "units activation use_bias " + _REGULARIZED + _CONSTRAINED)
dropout = _function("dropout", core.Dropout, "rate noise_shape seed training name")
flatten = _function("flatten", core.Flatten, "name data_format")
conv1d = _function("conv1d", convolutional.Conv1D, _CONV)
conv2d = _function("conv2d", convolutional.Conv2D, _CONV)
conv3d = _function("conv3d", convolutional.Conv3D, _CONV)
conv2d_transpose = _function("conv2d_transpose", convolutional.Conv2DTranspose, _TRANSPOSED)
conv3d_transpose = _function("conv3d_transpose", convolutional.Conv3DTranspose, _TRANSPOSED)
separable_conv1d = _function("separable_conv1d", convolutional.SeparableConv1D, _SEPARABLE)
separable_conv2d = _function("separable_conv2d", convolutional.SeparableConv2D, _SEPARABLE)
average_pooling1d = _function("average_pooling1d", pooling.AveragePooling1D, _POOL)
average_pooling2d = _function("average_pooling2d", pooling.AveragePooling2D, _POOL)
average_pooling3d = _function("average_pooling3d", pooling.AveragePooling3D, _POOL)
max_pooling1d = _function("max_pooling1d", pooling.MaxPooling1D, _POOL)
max_pooling2d = _function("max_pooling2d", pooling.MaxPooling2D, _POOL)
max_pooling3d = _function("max_pooling3d", pooling.MaxPooling3D, _POOL)
batch_normalization = _function(
    "batch_normalization",
    normalization.BatchNormalization,
    "axis momentum epsilon center scale beta_initializer gamma_initializer moving_mean_initializer "
    "moving_variance_initializer beta_regularizer gamma_regularizer beta_constraint gamma_constraint training "
    "trainable name reuse renorm renorm_clipping renorm_momentum fused virtual_batch_size adjustment",
)
