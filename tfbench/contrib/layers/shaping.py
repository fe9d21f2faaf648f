"""Layers without variables: dropout, flatten, one_hot_encoding, softmax, maxout, unit_norm; repeat and stack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.contrib.framework.arg_scope import add_arg_scope
from tfbench.contrib.layers.naming import as_model_variables, collect_named_outputs
from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import int32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.nn_softmax import softmax as softmax_op
from tfbench.layers.core import Dropout
from tfbench.layers.functions import flatten as flatten_layer
from tfbench.variable_scope import variable_scope


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Any:
    """In training, keeps an element with probability `keep_prob`, scaled so that the sum stays, and drops the rest."""
    with variable_scope(scope, "Dropout", [inputs], custom_getter=as_model_variables()) as sc:
        inputs = convert_to_tensor(inputs)
        layer = Dropout(rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=sc.name, _scope=sc)
        return collect_named_outputs(outputs_collections, sc.name, layer.apply(inputs, training=is_training))


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    """One vector for each element of the batch."""
    with name_scope(scope, "Flatten", [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        return collect_named_outputs(outputs_collections, sc, flatten_layer(inputs))


@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: Any,
    on_value: Any = 1.0,
    off_value: Any = 0.0,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """`on_value` at the place of each label, `off_value` elsewhere, along a new last axis."""
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]) as sc:
        labels = convert_to_tensor(labels)
        if labels.dtype == int32:
            labels = ops.to_int64(labels)
        outputs = ops.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Any:
    """The softmax along the last axis, whose size must be known."""
    with name_scope(scope, "softmax", [logits]):
        logits = convert_to_tensor(logits)
        classes = logits.shape.as_list()[-1]
        predictions = softmax_op(ops.reshape(logits, [-1, classes]))
        predictions = ops.reshape(predictions, ops.shape(logits))
        predictions.set_shape(logits.shape)
        return predictions


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: Any = None) -> Any:
    """The largest of each group of channels along `axis`, in `num_units` groups.

    Raises:
      ValueError: if the groups do not divide the channels.
    """
    with variable_scope(scope, "MaxOut", [inputs]):
        inputs = convert_to_tensor(inputs)
        sizes: list[Any] = inputs.shape.as_list()
        channels = sizes[axis]
        if channels % num_units:
            raise ValueError(f"number of features({channels}) is not a multiple of num_units({num_units})")
        sizes[axis] = num_units
        sizes.append(channels // num_units)
        for i, size in enumerate(sizes):
            if size is None:
                sizes[i] = ops.shape(inputs)[i]
        return ops.reduce_max(ops.reshape(inputs, sizes), -1, keepdims=False)


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Any:
    """The vectors along `dim`, with length 1.

    Raises:
      ValueError: if the rank is not known, or `dim` is none of the axes.
    """
    with variable_scope(scope, "UnitNorm", [inputs]):
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < rank:
            raise ValueError(f"dim must be at least 0 and below the rank of the input, {rank}; got {dim}")
        lengths = ops.sqrt(epsilon + ops.reduce_sum(ops.square(inputs), dim, True))
        times = [ops.ones([dim], int32)] if dim > 0 else []
        times.append(ops.strided_slice(ops.shape(inputs), [dim], [dim + 1]))
        if dim < rank - 1:
            times.append(ops.ones([rank - 1 - dim], int32))
        return ops.div(inputs, ops.tile(lengths, ops.concat(times, 0)))


# -- several layers in a row ---------------------------------------------------------------------------------------


def _name_of(layer: Callable[..., Any], default: str) -> str:
    named = layer if hasattr(layer, "__name__") else getattr(layer, "func", None)
    return getattr(named, "__name__", default)


@add_arg_scope
def repeat(inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`layer` applied `repetitions` times, with the same arguments, in scopes `<scope>_1`, `<scope>_2`, …"""
    return _in_a_row("Repeat", "repeat", inputs, layer, [args] * repetitions, kwargs)


@add_arg_scope
def stack(inputs: Any, layer: Callable[..., Any], stack_args: Any, **kwargs: Any) -> Any:
    """`layer` applied once for each of `stack_args` (an argument, or a list of them), in scopes `<scope>_1`, …

    Raises:
      ValueError: if `stack_args` is no list.
    """
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    each = [given if isinstance(given, (list, tuple)) else [given] for given in stack_args]
    return _in_a_row("Stack", "stack", inputs, layer, each, kwargs)


def _in_a_row(
    default: str, name: str, inputs: Any, layer: Callable[..., Any], arguments: list[Any], kwargs: dict[str, Any]
) -> Any:
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, default, [inputs]):
        outputs = convert_to_tensor(inputs)
        prefix = scope if scope is not None else _name_of(layer, name)
        for number, given in enumerate(arguments, 1):
            outputs = layer(outputs, *given, **{**kwargs, "scope": f"{prefix}_{number}"})
        return outputs
