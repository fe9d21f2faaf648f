"""What `tf.keras` does that no recorded program can say: where it is not TensorFlow, and how it fits the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tfbench as tf


@pytest.fixture(autouse=True)
def _fresh() -> None:
    tf.keras.backend.clear_session()


def test_keras_is_loaded_when_it_is_used() -> None:
    code = "import sys, tfbench as tf; tf.constant(1); print([m for m in sys.modules if m.startswith('tfbench.keras')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_names_that_are_not_there_say_what_is() -> None:
    with pytest.raises(AttributeError, match=r"'tfbench\.keras' has no attribute 'applications'; it has .*layers"):
        tf.keras.applications
    with pytest.raises(AttributeError, match="did you mean 'Dense'"):
        tf.keras.layers.Densee


def test_hdf5_is_refused_with_what_can_be_done(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_dim=2)])
    for call in (model.save_weights, model.load_weights, model.save):
        with pytest.raises(ImportError, match=r"requires h5py .*save_weights\('path/weights'\)"):
            call(str(tmp_path / "w.h5"))
    with pytest.raises(ImportError, match="h5py"):
        tf.keras.models.load_model("m.h5")
    with pytest.raises(NotImplementedError, match="by_name"):
        model.load_weights(str(tmp_path / "w"), by_name=True)


def test_weights_are_not_written_over_without_leave(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_dim=2)])
    model.save_weights(str(tmp_path / "w"))
    with pytest.raises(FileExistsError, match="overwrite"):
        model.save_weights(str(tmp_path / "w"), overwrite=False)


def test_a_checkpoint_of_a_model_is_restored_into_another(tmp_path: Path) -> None:
    def made() -> tf.keras.Model:
        return tf.keras.Sequential([tf.keras.layers.Dense(2, input_dim=2), tf.keras.layers.Dense(1)])

    first, second = made(), made()
    first.set_weights([np.full(w.shape, 0.25) for w in first.get_weights()])
    first.save_weights(str(tmp_path / "w"))
    second.load_weights(str(tmp_path / "w"))
    for one, other in zip(first.get_weights(), second.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_layer_and_a_program_share_a_session() -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.keras.layers.Dense(3, kernel_initializer="ones")(x)
    with tf.Session() as session:
        tf.keras.backend.set_session(session)
        session.run(tf.global_variables_initializer())
        assert session.run(y, {x: [[1.0, 2.0]]}).tolist() == [[3.0, 3.0, 3.0]]


def test_gradients_and_tf_optimizers_go_through_layers() -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    layer = tf.keras.layers.Dense(1, kernel_initializer="zeros")
    loss = tf.reduce_mean(tf.square(layer(x) - 1.0))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss, {x: [[1.0, 1.0]]})
        session.run(step, {x: [[1.0, 1.0]]})
        assert session.run(loss, {x: [[1.0, 1.0]]}) < before
        assert layer.weights == tf.trainable_variables()


def test_a_graph_that_is_rolled_back_takes_layers_with_it() -> None:
    graph = tf.get_default_graph()
    x = tf.placeholder(tf.float32, [None, 2])
    layer = tf.keras.layers.Dense(3)
    mark = graph.mark()
    first = layer(x).name
    assert layer.built
    graph.roll_back(mark)
    assert not layer.built
    assert layer.weights == []
    assert layer(x).name == first
    assert tf.keras.layers.Dense(1).name == "dense_1"


def test_dynamic_layers_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="eager"):
        tf.keras.layers.Dense(1, dynamic=True)
