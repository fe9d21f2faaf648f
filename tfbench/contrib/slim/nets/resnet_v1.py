"""Residual networks whose units normalise after each convolution (version 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.contrib import slim
from tfbench.contrib.layers import utils
from tfbench.contrib.slim.nets import resnet_utils
from tfbench.engine.ops.nn_activations import relu
from tfbench.variable_scope import variable_scope

__all__ = [
    "bottleneck",
    "resnet_arg_scope",
    "resnet_v1",
    "resnet_v1_50",
    "resnet_v1_101",
    "resnet_v1_152",
    "resnet_v1_200",
    "resnet_v1_block",
]  # fmt: skip

resnet_arg_scope = resnet_utils.resnet_arg_scope


@slim.add_arg_scope
def bottleneck(
    inputs: Any,
    depth: int,
    depth_bottleneck: int,
    stride: int,
    rate: int = 1,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """A unit: three convolutions, the middle one narrow, beside what it gets (or a convolution of that)."""
    with variable_scope(scope, "bottleneck_v1", [inputs]) as opened:
        if depth == utils.last_dimension(inputs.get_shape(), min_rank=4):
            shortcut = resnet_utils.subsample(inputs, stride, "shortcut")
        else:
            shortcut = slim.conv2d(inputs, depth, [1, 1], stride=stride, activation_fn=None, scope="shortcut")
        residual = slim.conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = resnet_utils.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = slim.conv2d(residual, depth, [1, 1], stride=1, activation_fn=None, scope="conv3")
        return utils.collect_named_outputs(outputs_collections, opened.name, relu(shortcut + residual))


def resnet_v1(
    inputs: Any,
    blocks: Sequence[resnet_utils.Block],
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    include_root_block: bool = True,
    reuse: Any = None,
    scope: Any = None,
) -> Any:
    """A network of such blocks: (logits or features, activations by name).

    Args:
      num_classes: without it, features are returned.
      global_pool: the mean over space; False for a result at each place.
      output_stride: how many times smaller than the images the result is; once there, convolutions are dilated.
      include_root_block: begins with a convolution and pooling of the images.

    Raises:
      ValueError: for an `output_stride` that cannot be reached.
    """
    return resnet_utils.built(
        inputs, blocks, num_classes, is_training, global_pool, output_stride, include_root_block, reuse, scope,
        "resnet_v1", bottleneck, before_activation=False,
    )  # fmt: skip


resnet_v1.default_image_size = 224  # type: ignore[attr-defined]


def resnet_v1_block(scope: str, base_depth: int, num_units: int, stride: int) -> resnet_utils.Block:
    """A block of units, the last of which has the stride."""
    return resnet_utils.block_of(scope, bottleneck, base_depth, num_units, stride)


resnet_v1_50 = resnet_utils.ready_made(resnet_v1, resnet_v1_block, "resnet_v1_50", 50)
resnet_v1_101 = resnet_utils.ready_made(resnet_v1, resnet_v1_block, "resnet_v1_101", 101)
resnet_v1_152 = resnet_utils.ready_made(resnet_v1, resnet_v1_block, "resnet_v1_152", 152)
resnet_v1_200 = resnet_utils.ready_made(resnet_v1, resnet_v1_block, "resnet_v1_200", 200)
