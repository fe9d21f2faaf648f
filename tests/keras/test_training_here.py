"""What of training no recorded program says: progress on the screen, and how it fits the rest of tfbench."""

from __future__ import annotations

import numpy as np
import pytest

import tfbench as tf

X = np.linspace(0.0, 1.0, 12, dtype="float32").reshape(6, 2)
Y = X[:, :1]


@pytest.fixture(autouse=True)
def _fresh() -> None:
    tf.keras.backend.clear_session()


def model() -> tf.keras.Model:
    made = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
    made.compile("sgd", "mse", metrics=["mae"])
    return made


def test_a_model_predicts_before_it_is_compiled() -> None:
    made = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
    np.testing.assert_allclose(made.predict(X), X.sum(axis=1, keepdims=True), rtol=1e-6)
    with pytest.raises(RuntimeError, match="must compile"):
        made.fit(X, Y)


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    model().fit(X, Y, epochs=2, batch_size=3, validation_data=(X, Y), verbose=2)
    out = capsys.readouterr().out
    assert "Train on 6 samples, validate on 6 samples" in out
    assert "Epoch 2/2" in out
    assert "val_mae" in out or "val_mean_absolute_error" in out


def test_variables_are_in_savers_checkpoints(tmp_path: object) -> None:
    made = model()
    made.fit(X, Y, verbose=0)
    session = tf.keras.backend.get_session()
    before = made.get_weights()
    path = tf.train.Saver(made.weights).save(session, f"{tmp_path}/model")
    made.set_weights([0 * one for one in before])
    tf.train.Saver(made.weights).restore(session, path)
    for one, other in zip(before, made.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_recurrent_model_learns() -> None:
    k = tf.keras
    tf.set_random_seed(1)
    made = k.Sequential([k.layers.LSTM(8, input_shape=(6, 1)), k.layers.Dense(1)])
    made.compile(k.optimizers.Adam(0.05), "mse")
    x = np.random.RandomState(0).rand(64, 6, 1)
    y = x.sum(axis=1)
    losses = made.fit(x, y, epochs=20, batch_size=16, verbose=0, shuffle=False).history["loss"]
    assert losses[-1] < losses[0] / 10


def test_what_cannot_be_saved_says_what_can(tmp_path: object) -> None:
    with pytest.raises(ImportError, match="weights"):
        model().save(f"{tmp_path}/model.h5")


def test_a_cell_of_tf_nn_is_a_cell_for_keras() -> None:
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    x = tf.constant(np.random.RandomState(0).rand(2, 5, 4), tf.float32)
    outputs = tf.keras.layers.RNN(cell, return_sequences=True)(x)
    assert [v.name for v in tf.global_variables()] == ["basic_lstm_cell/kernel:0", "basic_lstm_cell/bias:0"]
    expected, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        one, other = session.run([outputs, expected])
    np.testing.assert_allclose(one, other, rtol=1e-5)
