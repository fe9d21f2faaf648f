"""Shared arguments: each thread has its own, and functions that nobody holds any more are let go."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

import tfbench as tf

slim = tf.contrib.slim


def test_each_thread_has_its_own() -> None:
    @slim.add_arg_scope
    def shown(a: int = 0) -> int:
        return a

    seen: list[int] = []
    with slim.arg_scope([shown], a=1):
        thread = threading.Thread(target=lambda: seen.append(shown()))
        thread.start()
        thread.join()
        seen.append(shown())
    assert seen == [0, 1]


def test_functions_are_let_go() -> None:
    def make() -> weakref.ref[object]:
        @slim.add_arg_scope
        def shown(a: int = 0) -> int:
            return a

        with slim.arg_scope([shown], a=1):
            assert shown() == 1
        return weakref.ref(shown)

    kept = make()
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize("layer", ["conv2d", "fully_connected", "max_pool2d", "batch_norm", "dropout", "flatten"])
def test_layers_take_part(layer: str) -> None:
    assert slim.has_arg_scope(getattr(slim, layer))
    assert getattr(tf.contrib.layers, layer) is getattr(slim, layer)


def test_an_argument_that_a_layer_has_not() -> None:
    with tf.Graph().as_default(), slim.arg_scope([slim.conv2d], size=3):
        with pytest.raises(TypeError, match="size"):
            slim.conv2d(tf.ones([1, 4, 4, 1]), 2, 3)
