"""Pooling: the largest or the mean of each window."""

from __future__ import annotations

from typing import Any

from tfbench.contrib.framework.arg_scope import add_arg_scope
from tfbench.contrib.layers.naming import check_data_format, collect_named_outputs, layer_format
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.layers import arguments
from tfbench.layers.pooling import AveragePooling2D, AveragePooling3D, MaxPooling2D, MaxPooling3D
from tfbench.nn.pooling import pool as pool_over_space


@add_arg_scope
def pool(
    inputs: Any,
    kernel_size: Any,
    pooling_type: str,
    padding: str = "VALID",
    data_format: str | None = None,
    dilation_rate: Any = 1,
    stride: Any = 1,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """The largest ('MAX') or the mean ('AVG') of each window, over as many axes as inputs have.

    Raises:
      ValueError: if the rank of the inputs is not known.
    """
    with name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Rank of inputs must be known")
        if rank < 3:
            raise ValueError("Rank of inputs must be >= 3")
        outputs = pool_over_space(
            inputs,
            arguments.sizes(kernel_size, rank - 2, "kernel_size"),
            pooling_type,
            padding,
            dilation_rate=arguments.sizes(dilation_rate, rank - 2, "dilation_rate"),
            strides=arguments.sizes(stride, rank - 2, "stride"),
            name=sc,
            data_format=data_format,
        )
        return collect_named_outputs(outputs_collections, sc, outputs)


def _pool(name: str, default_scope: str, kind: Any, formats: tuple[str, ...], what: str) -> Any:
    def pool(
        inputs: Any,
        kernel_size: Any,
        stride: Any = 2,
        padding: str = "VALID",
        data_format: str = formats[1],
        outputs_collections: Any = None,
        scope: Any = None,
    ) -> Any:
        check_data_format(data_format, formats)
        with name_scope(scope, default_scope, [inputs]) as sc:
            inputs = convert_to_tensor(inputs)
            layer = kind(
                pool_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format=layer_format(data_format),
                _scope=sc,
            )
            return collect_named_outputs(outputs_collections, sc, layer.apply(inputs))

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"The {what} of each window. ValueError for another `data_format` than {' or '.join(formats)}."
    return add_arg_scope(pool)


_PLANE, _SPACE = ("NCHW", "NHWC"), ("NCDHW", "NDHWC")

avg_pool2d = _pool("avg_pool2d", "AvgPool2D", AveragePooling2D, _PLANE, "mean")
avg_pool3d = _pool("avg_pool3d", "AvgPool3D", AveragePooling3D, _SPACE, "mean")
max_pool2d = _pool("max_pool2d", "MaxPool2D", MaxPooling2D, _PLANE, "largest")
max_pool3d = _pool("max_pool3d", "MaxPool3D", MaxPooling3D, _SPACE, "largest")
