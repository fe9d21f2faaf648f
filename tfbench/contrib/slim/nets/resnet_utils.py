"""What residual networks are made of: blocks of units, and convolutions that keep their grid whatever the stride."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from tfbench.contrib import slim
from tfbench.contrib.layers import utils
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.ops.nn_activations import relu
from tfbench.variable_scope import variable_scope

__all__ = ["Block", "conv2d_same", "resnet_arg_scope", "stack_blocks_dense", "subsample"]


class Block(namedtuple("Block", ("scope", "unit_fn", "args"))):
    """Units one after another: a scope, the function that builds a unit, and its arguments for each."""

    __slots__ = ()


def subsample(inputs: Any, factor: int, scope: Any = None) -> Any:
    """Every `factor`-th row and column."""
    return inputs if factor == 1 else slim.max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(inputs: Any, num_outputs: int, kernel_size: int, stride: int, rate: int = 1, scope: Any = None) -> Any:
    """A convolution padded by the kernel alone, not by the stride: what `stride` 1 gives, subsampled."""
    if stride == 1:
        return slim.conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope)
    around = (kernel_size - 1) * rate
    sides = [around // 2, around - around // 2]
    padded = ops.pad(inputs, [[0, 0], sides, sides, [0, 0]])
    return slim.conv2d(padded, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope)


@slim.add_arg_scope
def stack_blocks_dense(
    net: Any, blocks: Sequence[Block], output_stride: int | None = None, outputs_collections: Any = None
) -> Any:
    """Stacks blocks. Where `output_stride` is reached, units go on with dilated convolutions instead of strides.

    Raises:
      ValueError: if the units' strides do not multiply to `output_stride` anywhere.
    """
    reached, rate = 1, 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as opened:
            for at, unit in enumerate(block.args, 1):
                if output_stride is not None and reached > output_stride:
                    raise ValueError("The target output_stride cannot be reached.")
                with variable_scope(f"unit_{at}", values=[net]):
                    stride = unit.get("stride", 1)
                    if reached == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= stride
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        reached *= stride
            net = utils.collect_named_outputs(outputs_collections, opened.name, net)
    if output_stride is not None and reached != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> Any:
    """The arguments that the networks were trained with."""
    norm = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }
    with slim.arg_scope(
        [slim.conv2d],
        weights_regularizer=slim.l2_regularizer(weight_decay),
        weights_initializer=slim.variance_scaling_initializer(),
        activation_fn=relu,
        normalizer_fn=slim.batch_norm,
        normalizer_params=norm,
    ):
        with slim.arg_scope([slim.batch_norm], **norm):
            with slim.arg_scope([slim.max_pool2d], padding="SAME") as found:
                return found


#: how many units the four blocks of the networks have, by their numbers of layers
DEPTHS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}


def block_of(scope: str, unit: Callable[..., Any], base_depth: int, num_units: int, stride: int) -> Block:
    """A block of bottleneck units, the last of which has the stride."""
    shape = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
    return Block(scope, unit, [{**shape, "stride": 1}] * (num_units - 1) + [{**shape, "stride": stride}])


def ready_made(build: Callable[..., Any], block: Callable[..., Block], name: str, layers: int) -> Callable[..., Any]:
    """The function that builds the network with so many layers."""

    def network(
        inputs: Any,
        num_classes: int | None = None,
        is_training: Any = True,
        global_pool: bool = True,
        output_stride: int | None = None,
        reuse: Any = None,
        scope: Any = name,
    ) -> Any:
        strides = (2, 2, 2, 1)
        blocks = [
            block(f"block{at + 1}", base_depth=64 * 2**at, num_units=units, stride=strides[at])
            for at, units in enumerate(DEPTHS[layers])
        ]
        return build(
            inputs, blocks, num_classes, is_training, global_pool, output_stride, include_root_block=True, reuse=reuse,
            scope=scope,
        )  # fmt: skip

    network.__name__ = network.__qualname__ = name
    network.__doc__ = f"The network of {layers} layers; arguments and results are those of `{build.__name__}`."
    return network


def built(
    inputs: Any, blocks: Sequence[Block], num_classes: int | None, is_training: Any, global_pool: bool,
    output_stride: int | None, include_root_block: bool, reuse: Any, scope: Any, name: str, unit: Any,
    before_activation: bool,
) -> Any:  # fmt: skip
    """A network. With `before_activation` its units normalise what they get (version 2), else what they give."""
    with variable_scope(scope, name, [inputs], reuse=reuse) as opened:
        ends = opened.original_name_scope + "_end_points"
        with (
            slim.arg_scope([slim.conv2d, unit, stack_blocks_dense], outputs_collections=ends),
            slim.arg_scope([slim.batch_norm], is_training=is_training),
        ):
            net = inputs
            if include_root_block:
                if output_stride is not None:
                    if output_stride % 4 != 0:
                        raise ValueError("The output_stride needs to be a multiple of 4.")
                    output_stride //= 4
                plain = {"activation_fn": None, "normalizer_fn": None} if before_activation else {}
                with slim.arg_scope([slim.conv2d], **plain):
                    net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = slim.max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = stack_blocks_dense(net, blocks, output_stride)
            if before_activation:
                net = slim.batch_norm(net, activation_fn=relu, scope="postnorm")
            if global_pool:
                net = ops.reduce_mean(net, [1, 2], name="pool5", keepdims=True)
            if num_classes is not None:
                net = slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits")
            end_points = utils.convert_collection_to_dict(ends)
            if num_classes is not None:
                end_points["predictions"] = slim.softmax(net, scope="predictions")
            return net, end_points
