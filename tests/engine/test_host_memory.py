"""What of an op on a GPU is in the host's memory: facts of TensorFlow's registry, looked up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine import gpu_kernels, host_memory

_X = np.ones((2, 3), np.float32)
_I = np.ones((2, 3), np.int32)


@pytest.mark.parametrize(
    ("build", "inputs", "outputs"),
    [
        (lambda: tf.reshape(tf.constant(_X), [3, 2]), (False, True), (False,)),
        (lambda: tf.reshape(tf.constant(_I), [3, 2]), (True, True), (True,)),
        (lambda: tf.add(_X, _X), (False, False), (False,)),
        (lambda: tf.add(_I, _I), (True, True), (True,)),
        (lambda: tf.add(_I.astype(np.int64), _I), (False, False), (False,)),
        (lambda: tf.shape(tf.placeholder(tf.float32)), (False,), (True,)),
        (lambda: tf.shape(tf.placeholder(tf.int32)), (True,), (True,)),
        (lambda: tf.concat([_X, _X], 0), (False, False, True), (False,)),
        (lambda: tf.split(_X, 3, axis=1)[0], (True, False), (False, False, False)),
        (lambda: tf.argmax(_X, 0), (False, True), (False,)),
        (lambda: tf.random_uniform([3]), (True,), (False,)),
        (lambda: tf.add(_X, tf.constant(1.0)).op.inputs[1], (), (False,)),
        (lambda: tf.reduce_sum(_I, 0).op.inputs[1], (), (True,)),
        (lambda: tf.cond(tf.constant(True), lambda: tf.constant(_X), lambda: tf.constant(_X)), (False,) * 2, (0, 1)),
    ],
)  # fmt: skip
def test_arguments(build: Any, inputs: tuple[bool, ...], outputs: tuple[bool, ...]) -> None:
    op = build().op
    assert host_memory.arguments(op) == (inputs, tuple(map(bool, outputs)))


def test_all_on_host() -> None:
    assert host_memory.all_on_host(tf.add(_I, _I).op)
    assert not host_memory.all_on_host(tf.shape(tf.placeholder(tf.float32)).op)
    assert host_memory.all_on_host(tf.no_op())


def test_every_op_of_the_table_has_kernels_on_gpus() -> None:
    host_memory._read()
    gpu_kernels._read()
    assert {*host_memory._default, *host_memory._special} <= set(gpu_kernels._table)
