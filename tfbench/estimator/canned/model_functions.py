"""The models of the canned estimators: functions from features to logits, and from these to an EstimatorSpec."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from tfbench import summary
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import control_dependencies, get_collection, get_default_graph
from tfbench.engine.dtypes import float32, int64
from tfbench.engine.name_scope import name_scope
from tfbench.estimator.canned.head import Head
from tfbench.estimator.canned.inputs_of_models import input_values, linear_values
from tfbench.estimator.canned.optimizers import optimizer_of
from tfbench.estimator.spec import EstimatorSpec, ModeKeys
from tfbench.initializers import glorot_uniform_initializer, zeros_initializer
from tfbench.layers import core as layers
from tfbench.layers.normalization import BatchNormalization
from tfbench.nn.linear import zero_fraction
from tfbench.partitioners import min_max_variable_partitioner
from tfbench.train.sync_replicas import SyncReplicasOptimizer
from tfbench.train.training_step import get_global_step
from tfbench.variable_scope import get_variable, variable_scope
from tfbench.variables import assign_add

#: tables below this size, in bytes, are not cut
_MIN_SLICE = 64 << 20


class Deep(NamedTuple):
    """A network: its hidden layers' sizes, and what goes on between them."""

    columns: Any
    hidden_units: Any
    activation: Any
    dropout: Any
    batch_norm: bool
    optimizer: Any
    partitioner: Any


class Wide(NamedTuple):
    """A linear model."""

    columns: Any
    optimizer: Any
    combiner: str
    partitioner: Any


def check_features(features: Any) -> None:
    """Raises ValueError if the features have no names."""
    if not isinstance(features, Mapping):
        raise ValueError(f"features should be a dictionary of `Tensor`s. Given type: {type(features)}")


def _partitioner(config: Any, **options: Any) -> Any:
    return min_max_variable_partitioner(max_partitions=getattr(config, "num_ps_replicas", 0) or 0, **options)


# -- networks --------------------------------------------------------------------------------------------------------


def dnn_model(features: Any, labels: Any, mode: str, config: Any, head: Head, deep: Deep) -> EstimatorSpec:
    """A network on an input layer."""
    optimizer = optimizer_of(deep.optimizer, 0.05)
    check_features(features)
    with variable_scope("dnn", values=list(features.values()), partitioner=_partitioner(config)):
        logits = dnn_logits(features, mode, config, head.logits_dimension, deep)
        return head.create_estimator_spec(features, mode, logits, labels=labels, optimizer=optimizer)


def dnn_logits(features: Any, mode: str, config: Any, units: int, deep: Deep) -> Any:
    """The network's logits [batch, units]; in the scope of the model."""
    training = mode == ModeKeys.TRAIN
    outer = get_default_graph().get_name_scope()
    hidden = [_hidden_layer(number, size, deep) for number, size in enumerate(deep.hidden_units)]
    with variable_scope("logits") as scope:
        last = layers.Dense(units, kernel_initializer=glorot_uniform_initializer(), name=scope, _scope=scope)
        last_name = scope.name
    # The model takes a name, and builds in the scope around it.
    with name_scope("dnn"), name_scope(f"{outer}/"):
        partitioner = deep.partitioner or _partitioner(config, min_slice_size=_MIN_SLICE)
        with variable_scope("input_from_feature_columns", partitioner=partitioner):
            net = input_values(features, deep.columns)
        for name, layer, dropout, normalization in hidden:
            net = layer(net)
            if dropout is not None and training:
                net = dropout(net, training=True)
            if normalization is not None:
                net = normalization(net, training=training)
            _summarize(net, name)
        logits = last(net)
        _summarize(logits, last_name)
        return logits


def _hidden_layer(number: int, size: int, deep: Deep) -> tuple[str, Any, Any, Any]:
    """The scope of a hidden layer, the layer, and what follows it or None: dropout, normalization."""
    with variable_scope(f"hiddenlayer_{number}") as scope:
        layer = layers.Dense(
            size, activation=deep.activation, kernel_initializer=glorot_uniform_initializer(), name=scope, _scope=scope
        )
        dropout = None if deep.dropout is None else layers.Dropout(rate=deep.dropout)
        normalization = None
        if deep.batch_norm:
            own = f"batchnorm_{number}"
            normalization = BatchNormalization(momentum=0.999, trainable=True, name=own, _scope=own)
        return scope.name, layer, dropout, normalization


def _summarize(value: Any, tag: str) -> None:
    summary.scalar(f"{tag}/fraction_of_zero_values", zero_fraction(value))
    summary.histogram(f"{tag}/activation", value)


# -- linear models ---------------------------------------------------------------------------------------------------


def linear_model(features: Any, labels: Any, mode: str, config: Any, head: Head, wide: Wide) -> EstimatorSpec:
    """A linear model alone."""
    check_features(features)
    partitioner = wide.partitioner or _partitioner(config, min_slice_size=_MIN_SLICE)
    with variable_scope("linear", values=list(features.values()), partitioner=partitioner):
        logits = linear_logits(features, head.logits_dimension, wide)
        optimizer = optimizer_of(wide.optimizer, min(0.2, 1.0 / math.sqrt(len(wide.columns))))
        return head.create_estimator_spec(features, mode, logits, labels=labels, optimizer=optimizer)


def linear_logits(features: Any, units: int, wide: Wide) -> Any:
    """The linear model's logits [batch, units]; in the scope of the model."""
    logits, bias, learned = linear_values(features, wide.columns, units, wide.combiner)
    if units > 1:
        summary.histogram("bias", bias)
    else:
        summary.scalar("bias", bias[0][0])
    summary.scalar("fraction_of_zero_weights", _zero_fraction(learned))
    return logits


def _zero_fraction(variables: list[Any]) -> Any:
    """How many of all the weights are zero, as a fraction."""
    with name_scope("zero_fraction"):
        with name_scope("total_size"):
            sizes = [ops.size(variable, out_type=int64) for variable in variables]
            size = ops.add_n(sizes)
        with name_scope("total_zero"):
            zeros = ops.add_n([_zero_count(*pair) for pair in zip(variables, sizes, strict=True)])
        with name_scope("compute"):
            fraction = zeros / ops.cast(size, dtype=float32, name="float32_size")
        return ops.identity(fraction, name="zero_fraction_or_nan")


def _zero_count(variable: Any, size: Any) -> Any:
    return ops.cond(
        ops.equal(size, ops.constant(0, dtype=int64)),
        true_fn=lambda: ops.constant(0, dtype=float32),
        false_fn=lambda: zero_fraction(variable) * ops.to_float(size),
        name="zero_count",
    )


# -- both ------------------------------------------------------------------------------------------------------------


def combined_model(
    features: Any, labels: Any, mode: str, config: Any, head: Head, deep: Deep, wide: Wide
) -> EstimatorSpec:
    """A network and a linear model, whose logits are added, each with an optimizer of its own.

    Raises:
      ValueError: if neither has columns, a network has no layers, or an optimizer waits for replicas.
    """
    check_features(features)
    if not wide.columns and not deep.columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    partitioner = deep.partitioner or _partitioner(config, min_slice_size=_MIN_SLICE)
    parts: list[tuple[Any, Any, str]] = []
    values = list(features.values())
    if deep.columns:
        optimizer = _own_optimizer(deep.optimizer, 0.001)
        if not deep.hidden_units:
            raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
        with variable_scope("dnn", values=values, partitioner=_partitioner(config)) as scope:
            logits = dnn_logits(features, mode, config, head.logits_dimension, deep._replace(partitioner=partitioner))
            parts.append((logits, optimizer, scope.name))
    if wide.columns:
        optimizer = _own_optimizer(wide.optimizer, min(0.005, 1.0 / math.sqrt(len(wide.columns))))
        with variable_scope("linear", values=values, partitioner=partitioner) as scope:
            logits = linear_logits(features, head.logits_dimension, wide)
            _summarize(logits, scope.name)
            parts.append((logits, optimizer, scope.name))
    total = parts[0][0] + parts[1][0] if len(parts) == 2 else parts[0][0]

    def train_op(loss: Any) -> Any:
        step = get_global_step()
        steps = [
            optimizer.minimize(loss, var_list=get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=name))
            for _, optimizer, name in parts
        ]
        with control_dependencies([ops.group(*steps)]):
            return assign_add(step, 1).op

    return head.create_estimator_spec(features, mode, total, labels=labels, train_op_fn=train_op)


def _own_optimizer(given: Any, learning_rate: float) -> Any:
    optimizer = optimizer_of(given, learning_rate)
    if isinstance(optimizer, SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer does not support multi optimizers case. Therefore, it is not supported in "
            "DNNLinearCombined model: use a DNN or a linear model alone."
        )
    return optimizer


# -- no model --------------------------------------------------------------------------------------------------------


def baseline_model(
    features: Any, labels: Any, mode: str, config: Any, head: Head, optimizer: Any, weight_column: Any
) -> EstimatorSpec:
    """A bias alone, the same for all examples."""
    sizes = [ops.shape(feature)[0] for key, feature in features.items() if key != weight_column]
    checks = [ops.assert_equal(sizes[0], size) for size in sizes[1:]]
    units = head.logits_dimension
    with control_dependencies(checks), variable_scope("baseline"):
        bias = get_variable("bias", shape=[units], initializer=zeros_initializer())
        logits = ops.multiply(bias, ops.ones([sizes[0], units]))

    def train_op(loss: Any) -> Any:
        return optimizer_of(optimizer, 0.3).minimize(loss, global_step=get_global_step())

    return head.create_estimator_spec(features, mode, logits, labels=labels, train_op_fn=train_op)
