"""Summaries of activations, weights and collections of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from tfbench import summary
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_collection
from tfbench.engine.tensor import Tensor


def summarize_tensor(tensor: Any, tag: str | None = None) -> Tensor:
    """A scalar's value, or the histogram of any other tensor."""
    make = summary.scalar if tensor.shape.ndims == 0 else summary.histogram
    return make(tag or f"{tensor.op.name}_summary", tensor)


def summarize_activation(op: Any) -> Tensor:
    """The histogram of a layer's output; of a relu also what part of its input is cut off."""
    node = op.op
    if node.type in ("Relu", "Softplus", "Relu6"):
        # The input tells it exactly.
        x = node.inputs[0]
        summary.scalar(f"{node.name}/zeros", _part(ops.less(x, ops.cast(0.0, x.dtype))))
        if node.type == "Relu6":
            summary.scalar(f"{node.name}/sixes", _part(ops.greater(x, ops.cast(6.0, x.dtype))))
    return summary.histogram(f"{node.name}/activation", op)


def _part(condition: Tensor) -> Tensor:
    return ops.reduce_mean(ops.to_float(condition))


def summarize_tensors(tensors: Iterable[Any], summarizer: Callable[[Any], Tensor] = summarize_tensor) -> list[Tensor]:
    """A summary of each."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str, name_filter: str | None = None, summarizer: Callable[[Any], Tensor] = summarize_tensor
) -> list[Tensor]:
    """A summary of each tensor of a collection whose name fits the pattern."""
    found = get_collection(collection)
    fitting = [one for one in found if name_filter is None or re.match(name_filter, one.op.name)]
    return summarize_tensors(fitting, summarizer)


def summarize_activations(
    name_filter: str | None = None, summarizer: Callable[[Any], Tensor] = summarize_activation
) -> list[Tensor]:
    """`summarize_collection` of ACTIVATIONS."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)


def summarize_variables(
    name_filter: str | None = None, summarizer: Callable[[Any], Tensor] = summarize_tensor
) -> list[Tensor]:
    """`summarize_collection` of the global variables."""
    return summarize_collection(GraphKeys.GLOBAL_VARIABLES, name_filter, summarizer)


def summarize_weights(
    name_filter: str | None = None, summarizer: Callable[[Any], Tensor] = summarize_tensor
) -> list[Tensor]:
    """`summarize_collection` of WEIGHTS."""
    return summarize_collection(GraphKeys.WEIGHTS, name_filter, summarizer)


def summarize_biases(
    name_filter: str | None = None, summarizer: Callable[[Any], Tensor] = summarize_tensor
) -> list[Tensor]:
    """`summarize_collection` of BIASES."""
    return summarize_collection(GraphKeys.BIASES, name_filter, summarizer)
