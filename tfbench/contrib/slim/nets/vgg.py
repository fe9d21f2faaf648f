"""VGG: blocks of small convolutions with pooling between them, and fully connected layers written as convolutions."""

from __future__ import annotations

from typing import Any

from tfbench.contrib import slim
from tfbench.contrib.layers import utils
from tfbench.engine import ops
from tfbench.engine.ops.nn_activations import relu
from tfbench.initializers import zeros_initializer
from tfbench.variable_scope import variable_scope

__all__ = ["vgg_16", "vgg_19", "vgg_a", "vgg_arg_scope"]

_CHANNELS = (64, 128, 256, 512, 512)


def vgg_arg_scope(weight_decay: float = 0.0005) -> Any:
    """The arguments that the networks were trained with."""
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        activation_fn=relu,
        weights_regularizer=slim.l2_regularizer(weight_decay),
        biases_initializer=zeros_initializer(),
    ):
        with slim.arg_scope([slim.conv2d], padding="SAME") as found:
            return found


def _network(name: str, repeats: tuple[int, ...]) -> Any:
    def network(
        inputs: Any,
        num_classes: int = 1000,
        is_training: Any = True,
        dropout_keep_prob: float = 0.5,
        spatial_squeeze: bool = True,
        scope: Any = name,
    ) -> Any:
        with variable_scope(scope, name, [inputs]) as opened:
            ends = opened.original_name_scope + "_end_points"
            with slim.arg_scope([slim.conv2d, slim.fully_connected, slim.max_pool2d], outputs_collections=ends):
                net = inputs
                for at, (times, channels) in enumerate(zip(repeats, _CHANNELS, strict=True), 1):
                    net = slim.repeat(net, times, slim.conv2d, channels, [3, 3], scope=f"conv{at}")
                    net = slim.max_pool2d(net, [2, 2], scope=f"pool{at}")
                net = slim.conv2d(net, 4096, [7, 7], padding="VALID", scope="fc6")
                net = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
                net = slim.conv2d(net, 4096, [1, 1], scope="fc7")
                net = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
                net = slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="fc8")
            end_points = utils.convert_collection_to_dict(ends)
            if spatial_squeeze:
                net = ops.squeeze(net, [1, 2], name="fc8/squeezed")
                end_points[opened.name + "/fc8"] = net
            return net, end_points

    network.__name__ = network.__qualname__ = name
    network.__doc__ = (
        f"The network with {sum(repeats)} convolutions: (logits, activations by name). Images of 224 by 224; of "
        "another size with `spatial_squeeze=False`."
    )
    network.default_image_size = 224  # type: ignore[attr-defined]
    return network


vgg_a = _network("vgg_a", (1, 1, 2, 2, 2))
vgg_16 = _network("vgg_16", (2, 2, 3, 3, 3))
vgg_19 = _network("vgg_19", (2, 2, 4, 4, 4))
