"""The tutorial's model: two hidden layers with ReLU and a linear one, trained by gradient descent."""

from __future__ import annotations

import math
from typing import Any

from tfbench import losses, summary, train
from tfbench.engine import ops
from tfbench.engine.dtypes import int32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.math_cast import to_int64
from tfbench.engine.ops.nn_activations import relu
from tfbench.engine.ops.nn_top import in_top_k
from tfbench.variables.base import Variable

__all__ = ["IMAGE_PIXELS", "IMAGE_SIZE", "NUM_CLASSES", "evaluation", "inference", "loss", "training"]

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """Logits [batch, NUM_CLASSES] of `images` [batch, IMAGE_PIXELS]."""
    hidden = images
    sizes = [IMAGE_PIXELS, hidden1_units, hidden2_units, NUM_CLASSES]
    for scope, inputs, units in zip(("hidden1", "hidden2", "softmax_linear"), sizes, sizes[1:], strict=False):
        with name_scope(scope):
            deviation = 1.0 / math.sqrt(float(inputs))
            weights = Variable(ops.truncated_normal([inputs, units], stddev=deviation), name="weights")
            biases = Variable(ops.zeros([units]), name="biases")
            hidden = ops.matmul(hidden, weights) + biases
            if scope != "softmax_linear":
                hidden = relu(hidden)
    return hidden


def loss(logits: Any, labels: Any) -> Any:
    """The mean cross entropy; `labels` are integers [batch]."""
    return losses.sparse_softmax_cross_entropy(labels=to_int64(labels), logits=logits)


def training(loss: Any, learning_rate: Any) -> Any:
    """The operation that trains one step, with a global step and a summary of the loss."""
    summary.scalar("loss", loss)
    optimizer = train.GradientDescentOptimizer(learning_rate)
    global_step = Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    """How many of the batch have the right label: an int32 scalar."""
    correct = in_top_k(logits, labels, 1)
    return ops.reduce_sum(ops.cast(correct, int32))
