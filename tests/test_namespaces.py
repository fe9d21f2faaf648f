"""Small namespaces of the API: logging, versions, switches, compat, contrib, printing to streams."""

from __future__ import annotations

import importlib.metadata
import io
import logging
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfbench as tf


class Kept(logging.Handler):
    """A handler that keeps what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname}: {record.getMessage()}")


@pytest.fixture
def log() -> Iterator[list[str]]:
    logger = logging.getLogger("tensorflow")
    handler, level = Kept(), logger.level
    logger.addHandler(handler)
    yield handler.lines
    logger.removeHandler(handler)
    logger.setLevel(level)


def test_messages_at_levels(log: list[str]) -> None:
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.logging.debug("not shown")
    tf.logging.info("step %d", 3)
    tf.logging.warn("careful")
    tf.logging.error("no %s", "file")
    tf.logging.log(tf.logging.FATAL, "over")
    assert log == ["INFO: step 3", "WARNING: careful", "ERROR: no file", "CRITICAL: over"]
    assert tf.logging.get_verbosity() == tf.logging.INFO
    tf.logging.set_verbosity("ERROR")
    tf.logging.warning("not shown")
    assert len(log) == 4


def test_messages_now_and_then(log: list[str]) -> None:
    tf.logging.set_verbosity(tf.logging.INFO)
    for i in range(7):
        tf.logging.log_every_n(tf.logging.INFO, "every %d", 3, i)
        tf.logging.log_first_n(tf.logging.INFO, "first %d", 2, i)
        tf.logging.log_if(tf.logging.INFO, "if %d", i == 5, i)
    assert [line.removeprefix("INFO: ") for line in log] == [
        "every 0", "first 0", "first 1", "every 3", "if 5", "every 6",
    ]  # fmt: skip


def test_the_logger_is_the_one_that_others_configure(log: list[str]) -> None:
    assert tf.get_logger() is logging.getLogger("tensorflow")


# -- printing ------------------------------------------------------------------------------------------------------


def printed(monkeypatch: pytest.MonkeyPatch, stream: str, *inputs: Any, **options: Any) -> str:
    """What running `tf.print` writes to the stream that is there when it runs."""
    operation = tf.print(*inputs, output_stream=getattr(sys, stream), **options)
    monkeypatch.setattr(sys, stream, io.StringIO())
    with tf.Session() as session:
        session.run(operation)
    return getattr(sys, stream).getvalue()  # type: ignore[no-any-return]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_print_writes_to_the_stream_of_the_moment(monkeypatch: pytest.MonkeyPatch, stream: str) -> None:
    with tf.Graph().as_default():
        x = tf.constant([[1, 2], [3, 4]])
        text = printed(monkeypatch, stream, "x:", x, {"b": tf.constant("é"), "a": 1.5}, sep=" | ", end="!\n")
    assert text == "x: | [[1 2]\n [3 4]] | {'a': 1.5, 'b': \"é\"}!\n"


def test_print_to_a_log_and_to_a_file(log: list[str], tmp_path: Any) -> None:
    path = tmp_path / "out.txt"
    tf.logging.set_verbosity(tf.logging.INFO)
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.print("to the log", tf.constant(1), output_stream=tf.logging.info))
        session.run(tf.print("warned", output_stream=tf.logging.WARN))
        for _ in range(2):
            session.run(tf.print("to a file", output_stream=f"file://{path}"))
    assert log == ["INFO: to the log 1", "WARNING: warned"]
    assert path.read_text() == "to a file\nto a file\n"


# -- versions and switches -----------------------------------------------------------------------------------------


def test_versions_are_comparable() -> None:
    assert tf.VERSION == tf.version.VERSION
    assert tuple(int(part) for part in tf.VERSION.split(".")[:2]) >= (1, 0)
    assert tf.__version__ == f"1.15.5+{tf.GIT_VERSION}"
    assert f"tfbench.{importlib.metadata.version('tfbench')}" == tf.GIT_VERSION
    assert tf.Graph().graph_def_versions.producer == tf.GRAPH_DEF_VERSION


@pytest.mark.parametrize(
    "name",
    ["control_flow_v2", "eager_execution", "tensor_equality", "v2_behavior", "v2_tensorshape"],
)
def test_what_there_is_not_cannot_be_switched_on(name: str) -> None:
    getattr(tf, f"disable_{name}")()
    with pytest.raises(RuntimeError, match=rf"tf\.enable_{name}: tfbench has no .*tf\.Session"):
        getattr(tf, f"enable_{name}")()


def test_compat_v1_is_this_module() -> None:
    import tfbench.compat.v1 as again

    assert again is tf
    assert tf.compat.v1 is tf
    assert not hasattr(tf.compat, "v2")


def test_paths_and_text() -> None:
    from pathlib import Path

    assert tf.compat.path_to_str(Path("a") / "b") == str(Path("a") / "b")
    assert tf.compat.forward_compatible(2030, 1, 1)
    with tf.compat.forward_compatibility_horizon(2030, 1, 1):
        assert tf.compat.as_str_any(3) == "3"
    with pytest.raises(LookupError):
        tf.compat.as_bytes("a", "no such encoding")


def test_contrib_has_what_it_says() -> None:
    assert dir(tf.contrib) == sorted(dir(tf.contrib))
    assert {"framework", "rnn", "training", "util"} <= set(dir(tf.contrib))
    assert all(getattr(tf.contrib, part).__all__ for part in dir(tf.contrib))
    nested = tf.contrib.framework.nest.map_structure(lambda x: x + 1, {"a": [1]})
    assert nested == {"a": [2]}
    assert tf.contrib.framework.nest.is_sequence([1])
    with tf.Graph().as_default():
        assert tf.contrib.util.constant_value(tf.constant(3)) == 3
        assert tf.contrib.framework.is_tensor(tf.constant(1))
    np.testing.assert_array_equal(tf.contrib.util.make_ndarray(tf.contrib.util.make_tensor_proto([1, 2])), [1, 2])
    with pytest.raises(AttributeError, match=r"has no attribute 'tpu'; it has .*framework, "):
        tf.contrib.tpu


def test_temporary_directory_is_one() -> None:
    import os

    assert os.path.isdir(tf.test.get_temp_dir())
    assert tf.test.get_temp_dir() == tf.test.get_temp_dir()
    assert tf.test.test_src_dir_path("x").endswith("x")
    assert not tf.test.is_built_with_cuda()


NAMESPACES = (
    "", "compat", "contrib", "contrib.layers", "contrib.slim", "data", "errors", "gfile", "image", "initializers", "io",
    "layers", "logging", "losses", "math", "metrics", "nn", "random", "summary", "test", "train",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMESPACES)
def test_a_namespace_lists_its_public_names_and_no_more(name: str) -> None:
    namespace = tf
    for part in filter(None, name.split(".")):
        namespace = getattr(namespace, part)
    names = dir(namespace)
    assert names == sorted(set(names))
    assert not [name for name in names if name.startswith("_") and not name.startswith("__")]
    assert not {"Any", "annotations", "np", "import_module"} & set(names)
    assert not [name for name in names if not hasattr(namespace, name)]
    assert set(getattr(namespace, "__all__", ())) <= set(names)


def test_files_of_a_namespace_are_not_listed() -> None:
    """Importing one makes it an attribute of its package."""
    import tfbench.train.adam
    import tfbench.variable_scope.modes  # noqa: F401

    assert not {"adam", "optimizer", "slots"} & set(dir(tf.train))
    assert not {"modes", "partitioners", "variables", "formats"} & set(dir(tf))
    assert {"AdamOptimizer", "Example", "summary_iterator"} <= set(dir(tf.train))
    assert {"rnn_cell", "relu"} <= set(dir(tf.nn))


@pytest.mark.parametrize(
    ("expression", "means"),
    [
        ("tf.placeholderr", "module 'tfbench' has no attribute 'placeholderr'; did you mean 'placeholder'?"),
        ("tf.train.AdamOptimiser", "module 'tfbench.train' has no attribute 'AdamOptimiser'; did you mean 'AdamO"),
        ("tf.layers.conv2D", "module 'tfbench.layers' has no attribute 'conv2D'; did you mean 'conv2d'?"),
        ("tf.contrib.slim.con2d", "module 'tfbench.contrib.slim' has no attribute 'con2d'; did you mean 'conv2d'?"),
        ("tf.contrib.seq3seq", "module 'tfbench.contrib' has no attribute 'seq3seq'; it has "),
    ],
)
def test_a_wrong_name_is_said_with_the_nearest_that_there_is(expression: str, means: str) -> None:
    with pytest.raises(AttributeError) as raised:
        eval(expression)
    assert str(raised.value).startswith(means)


def test_what_is_absent_is_said_to_be_and_is() -> None:
    from tfbench.namespace import ABSENT

    assert not ABSENT & set(dir(tf))
    with pytest.raises(AttributeError, match="no attribute 'ragged': TensorFlow has it, tfbench does not"):
        tf.ragged
    with pytest.raises(AttributeError, match="'BoostedTreesClassifier': tfbench has no boosted trees"):
        tf.estimator.BoostedTreesClassifier


@pytest.mark.parametrize("expression", ["tf.qqqqq", "tf._private", "tf.train.__wrapped__", "tf.nn.qqqqq"])
def test_a_name_near_to_none_is_just_missing(expression: str) -> None:
    module, _, name = expression.rpartition(".")
    with pytest.raises(AttributeError) as raised:
        eval(expression)
    assert str(raised.value) == f"module '{module.replace('tf', 'tfbench', 1)}' has no attribute '{name}'"
