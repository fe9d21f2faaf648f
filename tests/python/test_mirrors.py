"""What programs import from `tensorflow.python` is there, and is what `tf` has."""

from __future__ import annotations

from importlib import import_module

import pytest

import tfbench as tf
from tfbench.python.mirrors import TABLE

MODULES = [f"{package}.{module}" for package, modules in TABLE.items() for module in modules]


@pytest.mark.parametrize("name", MODULES)
def test_every_listed_name_can_be_had(name):
    module = import_module(f"tfbench.python.{name}")
    names = dir(module)
    assert names
    for each in names:
        assert getattr(module, each) is not None or each == "newaxis"


def test_they_are_the_same_objects():
    import tfbench.python.framework.ops as ops

    from tfbench.python.framework import dtypes, tensor_shape
    from tfbench.python.ops import array_ops, control_flow_ops, math_ops, nn_ops, rnn_cell_impl, variable_scope
    from tfbench.python.training import moving_averages, saver

    assert ops.convert_to_tensor is tf.convert_to_tensor
    assert ops.RegisterGradient is tf.RegisterGradient
    assert dtypes.float32 is tf.float32
    assert tensor_shape.TensorShape is tf.TensorShape
    assert array_ops.shape is tf.shape
    assert math_ops.less is tf.less
    assert nn_ops.conv2d is tf.nn.conv2d
    assert control_flow_ops.cond is tf.cond
    assert rnn_cell_impl.LSTMCell is tf.nn.rnn_cell.LSTMCell
    assert variable_scope.variable_scope is tf.variable_scope
    assert saver.Saver is tf.train.Saver
    assert callable(moving_averages.assign_moving_average)


def test_second_names():
    from tfbench.python.layers import convolutional, core, normalization, pooling

    assert convolutional.Convolution2D is tf.layers.Conv2D
    assert convolutional.deconvolution2d is tf.layers.conv2d_transpose
    assert core.fully_connected is tf.layers.dense
    assert normalization.BatchNorm is tf.layers.BatchNormalization
    assert pooling.max_pool2d is tf.layers.max_pooling2d


def test_as_attributes():
    assert tf.python.ops.math_ops.less is tf.less
    assert tf.python.tf2.enabled() is False
    assert tf.python.pywrap_tensorflow.NewCheckpointReader is tf.train.NewCheckpointReader
    with pytest.raises(AttributeError, match=r"'tfbench\.python' has no attribute 'keras'"):
        tf.python.keras


def test_with_dependencies_waits():
    from tfbench.python.ops import control_flow_ops

    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(0)
        session.run(variable.initializer)
        one = control_flow_ops.with_dependencies([variable.assign(3)], tf.constant(1))
        assert session.run([one, variable.initialized_value()])[0] == 1
        assert session.run(variable) == 3


def test_a_wrong_name_names_the_near_one():
    from tfbench.python.ops import math_ops

    with pytest.raises(AttributeError, match=r"'tfbench.python.ops.math_ops' has no attribute 'addd'.*'add'"):
        math_ops.addd
