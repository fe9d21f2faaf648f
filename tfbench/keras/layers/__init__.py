"""`tf.keras.layers`."""

from __future__ import annotations

from typing import Any

from tfbench.keras.engine.base_layer import InputSpec, Layer
from tfbench.keras.engine.input_layer import Input, InputLayer
from tfbench.keras.layers.activation_layers import ELU, LeakyReLU, PReLU, ReLU, Softmax, ThresholdedReLU
from tfbench.keras.layers.convolutional import (
    Conv1D,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    DepthwiseConv2D,
    SeparableConv1D,
    SeparableConv2D,
)
from tfbench.keras.layers.core import (
    Activation,
    ActivityRegularization,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    Masking,
    Permute,
    RepeatVector,
    Reshape,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
)
from tfbench.keras.layers.lambdas import Lambda
from tfbench.keras.layers.merge import (
    Add,
    Average,
    Concatenate,
    Dot,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    add,
    average,
    concatenate,
    dot,
    maximum,
    minimum,
    multiply,
    subtract,
)
from tfbench.keras.layers.noise import AlphaDropout, GaussianDropout, GaussianNoise
from tfbench.keras.layers.normalization import BatchNormalization, LayerNormalization
from tfbench.keras.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from tfbench.keras.layers.recurrent import RNN
from tfbench.keras.layers.recurrent_base import AbstractRNNCell, StackedRNNCells
from tfbench.keras.layers.recurrent_cells import GRUCell, LSTMCell, SimpleRNNCell
from tfbench.keras.layers.recurrent_layers import GRU, LSTM, SimpleRNN
from tfbench.keras.layers.spatial import (
    Cropping1D,
    Cropping2D,
    Cropping3D,
    UpSampling1D,
    UpSampling2D,
    UpSampling3D,
    ZeroPadding1D,
    ZeroPadding2D,
    ZeroPadding3D,
)
from tfbench.keras.layers.wrappers import Bidirectional, TimeDistributed, Wrapper

AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
GlobalAvgPool1D, GlobalAvgPool2D, GlobalAvgPool3D = (
    GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalAveragePooling3D,
)  # fmt: skip
GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D = GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
Convolution2DTranspose, Convolution3DTranspose = Conv2DTranspose, Conv3DTranspose
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D


def serialize(layer: Any) -> dict[str, Any]:
    """A layer as plain data: the name of its class and its configuration."""
    return {"class_name": type(layer).__name__, "config": layer.get_config()}


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """A layer, or a model, from what `serialize` gave."""
    from tfbench.keras.engine.layer_classes import layer_from

    return layer_from(config, custom_objects)
