"""Canned estimators: a checkpoint that TensorFlow wrote, and what facts from TensorFlow cannot say."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.estimator.checkpoints.record import census, rounds

CHECKPOINTS = Path(__file__).parent / "checkpoints"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder with the checkpoint that TensorFlow 1.15 wrote after 15 steps."""
    for path in CHECKPOINTS.glob("model.ckpt-15.*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "checkpoint").write_text(
        'model_checkpoint_path: "model.ckpt-15"\nall_model_checkpoint_paths: "model.ckpt-15"\n'
    )
    return tmp_path


def test_what_tensorflow_has_learned_is_gone_on_with(folder: Path) -> None:
    """Variables and optimizers' slots are under TensorFlow's names: it evaluates alike, and trains on alike."""
    expected = json.loads((CHECKPOINTS / "census.json").read_text())
    for found, wanted in zip(rounds(tf, str(folder)), expected, strict=True):
        assert found == pytest.approx(wanted, rel=1e-4)


def test_what_is_saved_is_named_as_tensorflow_names_it(folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    model, train, _ = census(tf, str(own))
    model.train(train, steps=1)
    assert tf.train.list_variables(str(own)) == tf.train.list_variables(str(folder))


X = {"x": np.array([1.0, 2.0, 3.0], np.float32)}


def _input(features: Any = None, labels: Any = None, **options: Any) -> Any:
    labels = np.array([0, 1, 1]) if labels is None else labels
    settings = {"batch_size": 3, "num_epochs": None, "shuffle": False, **options}
    return tf.estimator.inputs.numpy_input_fn(features or X, labels, **settings)


def _columns() -> list[Any]:
    return [tf.feature_column.numeric_column("x")]


def test_a_program_needs_nothing_but_estimators_and_columns(tmp_path: Path) -> None:
    program = (
        "import sys, numpy as np, tfbench as tf\n"
        "give = tf.estimator.inputs.numpy_input_fn({'x': np.ones(2, np.float32)}, np.array([0, 1]), shuffle=False)\n"
        "model = tf.estimator.LinearClassifier([tf.feature_column.numeric_column('x')], sys.argv[1])\n"
        "model.train(give)\n"
        "print(model.evaluate(give)['global_step'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True, timeout=100
    )
    assert done.stdout == "1\n"


def test_namespaces_load_nothing_of_the_canned_estimators() -> None:
    program = (
        "import sys, tfbench as tf; tf.constant; tf.estimator.Estimator\n"
        "print([name for name in sys.modules if 'feature_column' in name or 'canned' in name])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=100)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("optimizer", "names"),
    [("Adagrad", ["Adagrad"]), ("Adam", ["Adam", "Adam_1"]), ("Ftrl", ["Ftrl", "Ftrl_1"]), ("SGD", [])],
)
def test_optimizers_by_name(tmp_path: Path, optimizer: str, names: list[str]) -> None:
    model = tf.estimator.LinearClassifier(_columns(), str(tmp_path), optimizer=optimizer)
    model.train(_input(), steps=1)
    slots = [name for name in model.get_variable_names() if name.startswith("linear/linear_model/x/weights/part_0/")]
    assert [name.rpartition("/")[2] for name in slots] == names


def test_an_unknown_optimizer_names_the_known() -> None:
    model = tf.estimator.LinearClassifier(_columns(), optimizer="Best")
    with pytest.raises(ValueError, match=r"Best.*'Adagrad', 'Adam', 'Ftrl', 'RMSProp', 'SGD'"):
        model.train(_input(), steps=1)


def test_labels_out_of_range_are_found_when_run() -> None:
    model = tf.estimator.LinearClassifier(_columns())
    with pytest.raises(tf.errors.InvalidArgumentError, match="Labels must <= n_classes - 1"):
        model.train(_input(labels=np.array([0, 1, 2])), steps=1)


def test_a_wide_label_says_which_width_was_expected() -> None:
    model = tf.estimator.LinearClassifier(_columns(), n_classes=3)
    with pytest.raises(ValueError, match=r"Expected labels dimension=1\.  Received 2"):
        model.train(_input(labels=np.zeros([3, 2], np.int64)), steps=1)


def test_partitioned_models_are_saved_whole_and_go_on_unpartitioned(tmp_path: Path) -> None:
    """Slices have one name in a checkpoint, so that a model may be cut otherwise."""

    def model(**options: Any) -> Any:
        column = tf.feature_column.categorical_column_with_identity("i", 6)
        return tf.estimator.LinearClassifier([column], str(tmp_path), optimizer="SGD", **options)

    give = _input({"i": np.array([0, 3, 5])})
    cut = model(partitioner=tf.fixed_size_partitioner(2))
    cut.train(give, steps=2)
    assert model().evaluate(give, steps=1) == pytest.approx(cut.evaluate(give, steps=1))
    assert cut.get_variable_value("linear/linear_model/i/weights").shape == (6, 1)


def test_a_warm_start_of_other_shape_is_refused(tmp_path: Path) -> None:
    first = tf.estimator.DNNClassifier([2], _columns(), str(tmp_path))
    first.train(_input(), steps=1)
    second = tf.estimator.DNNClassifier([3], _columns(), warm_start_from=str(tmp_path))
    with pytest.raises(ValueError, match=r"Shape of variable dnn/hiddenlayer_0/.* doesn't match"):
        second.train(_input(), steps=1)


def test_dropout_is_of_training_alone(tmp_path: Path) -> None:
    model = tf.estimator.DNNRegressor([4], _columns(), str(tmp_path), dropout=0.9)
    model.train(_input(labels=np.array([1.0, 2.0, 3.0])), steps=1)
    first, second = (list(model.predict(_input(num_epochs=1))) for _ in range(2))
    assert first == second
