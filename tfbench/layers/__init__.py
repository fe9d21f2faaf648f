"""`tf.layers`."""

from tfbench.layers.base import Layer
from tfbench.layers.convolutional import (
    Conv1D,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    SeparableConv1D,
    SeparableConv2D,
)
from tfbench.layers.core import Dense, Dropout, Flatten
from tfbench.layers.functions import (
    average_pooling1d,
    average_pooling2d,
    average_pooling3d,
    batch_normalization,
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    dense,
    dropout,
    flatten,
    max_pooling1d,
    max_pooling2d,
    max_pooling3d,
    separable_conv1d,
    separable_conv2d,
)
from tfbench.layers.input_spec import InputSpec
from tfbench.layers.normalization import BatchNormalization
from tfbench.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)

__all__ = [
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "BatchNormalization", "Conv1D", "Conv2D",
    "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense", "Dropout", "Flatten", "InputSpec", "Layer",
    "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "SeparableConv1D", "SeparableConv2D", "average_pooling1d",
    "average_pooling2d", "average_pooling3d", "batch_normalization", "conv1d", "conv2d", "conv2d_transpose", "conv3d",
    "conv3d_transpose", "dense", "dropout", "flatten", "max_pooling1d", "max_pooling2d", "max_pooling3d",
    "separable_conv1d", "separable_conv2d",
]  # fmt: skip
