"""`%checkpoint` and `%graph export|import` in a real shell."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from IPython.core.error import UsageError

import tfbench as tf
from tests.magics.conftest import Shell

NET = (
    "%%graph net\n"
    "x = tf.placeholder(tf.float32, [None, 3], name='x')\n"
    "with tf.variable_scope('layer'):\n"
    "    w = tf.get_variable('w', [3, 2], initializer=tf.constant_initializer(2.0))\n"
    "    b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())\n"
    "y = tf.matmul(x, w) + b\n"
)
COPY = NET.replace("net", "copy").replace("layer", "clone")


@pytest.fixture
def net(shell: Shell, tmp_path: Path) -> Iterator[Shell]:
    before = os.getcwd()
    os.chdir(tmp_path)
    shell.run(NET, "net")
    shell.run("%init")
    yield shell
    os.chdir(before)


def test_save_and_restore(net: Shell) -> None:
    operations = net.bench.graph().version
    assert net.run("%checkpoint save models/net --step 3") is None
    assert net.out == "saved 2 tensors (32 bytes) to models/net-3\n"
    assert sorted(os.listdir("models")) == ["checkpoint", "net-3.data-00000-of-00001", "net-3.index", "net-3.meta"]
    net.run("w.load(np.zeros([3, 2]))")
    assert net.run("%checkpoint restore models") is None
    assert net.out == "restored 2 variables from models/net-3\n"
    assert net.run("%fetch w").tolist() == [[2.0, 2.0]] * 3
    assert net.bench.graph().version == operations


def test_every_save_is_kept_and_named(net: Shell) -> None:
    for step in range(7):
        net.run(f"%checkpoint save m --step {step}")
    assert net.run("tf.train.get_checkpoint_state('.').all_model_checkpoint_paths[0]") == "./m-0"
    assert len(net.run("tf.train.get_checkpoint_state('.').all_model_checkpoint_paths")) == 7
    assert net.run("tf.train.latest_checkpoint('.')") == "./m-6"


def test_list(net: Shell) -> None:
    net.run("%checkpoint save m")
    rows = net.run("%checkpoint list m")
    assert [(row.name, row.shape, row.dtype, row.bytes) for row in rows] == [
        ("layer/b", (2,), "float32", 8),
        ("layer/w", (3, 2), "float32", 24),
    ]
    assert str(rows).endswith("2 tensors, 32 bytes")


def test_compare_and_restore_into_another_scope(net: Shell) -> None:
    net.run("%checkpoint save m")
    net.run(COPY, "copy")
    net.run("%init")
    report = net.run("%checkpoint compare m")
    assert [row.name for row in report.only_in_graph] == ["clone/b", "clone/w"]
    assert report.moved == {"layer/": "clone/"}
    error = net.fail("%checkpoint restore m")
    assert isinstance(error, tf.errors.NotFoundError)
    assert "%checkpoint compare m shows all of it" in error.__notes__[0]
    net.run("w.load(np.zeros([3, 2]))\n%checkpoint restore m --map layer/=clone/")
    assert net.out == "restored 2 variables from m\n"
    assert net.run("%fetch w").tolist() == [[2.0, 2.0]] * 3


def test_restore_what_fits(net: Shell) -> None:
    net.run("%checkpoint save m")
    net.run(NET.replace("[3, 2]", "[3, 4]").replace("[2]", "[2]").replace(" + b", ""), "net")
    net.run("%init")
    net.run("b.load(np.ones([2]))")
    error = net.fail("%checkpoint restore m")
    assert "lhs shape= [3,4] rhs shape= [3,2] (variable 'layer/w'" in str(error)
    net.run("%checkpoint restore m --matching")
    assert net.out == "restored 1 variable from m; left as they were: layer/w\n"
    assert np.array_equal(net.run("%fetch b"), np.zeros(2))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "is missing"),
        ("save", "path is missing"),
        ("sav m", "did you mean save?"),
        ("save m --stp 3", "unknown option --stp: did you mean --step?"),
        ("save m --step x", "--step takes a whole number"),
        ("restore m --map layer", "--map takes OLD/=NEW/"),
        ("restore . ", "Couldn't find 'checkpoint' file"),
    ],
)
def test_wrong_lines(line: str, words: str, net: Shell) -> None:
    error = net.fail(f"%checkpoint {line}")
    assert isinstance(error, UsageError)
    assert words in str(error)


def test_what_cannot_be_saved(net: Shell) -> None:
    net.run("%%graph net\nv = tf.Variable(1.0, name='v')\n", "later")
    error = net.fail("%checkpoint save m")
    assert isinstance(error, tf.errors.FailedPreconditionError)
    assert error.__notes__ == ["%init gives every variable a value"]
    assert os.listdir(".") == []
    net.run("%%graph empty\nc = tf.constant(1.0)\n", "empty")
    assert "No variables to save" in str(net.fail("%checkpoint save m"))


def test_what_is_not_there(net: Shell) -> None:
    for action in ("list", "compare"):
        assert isinstance(net.fail(f"%checkpoint {action} none"), tf.errors.NotFoundError)
    assert "not a valid checkpoint: none" in str(net.fail("%checkpoint restore none"))


def test_completion(net: Shell) -> None:
    net.run("%checkpoint save models/net")
    assert net.complete("%checkpoint ")[:4] == ["save", "restore", "list", "compare"]
    assert "models/" in net.complete("%checkpoint restore mod")
    assert net.complete("%checkpoint restore models/") == ["models/net"]
    assert net.complete("%checkpoint save m --st") == ["--step"]


@pytest.mark.parametrize("file", ["net.meta", "net.pb", "net.pbtxt"])
def test_graphs_into_files_and_back(file: str, net: Shell) -> None:
    count = net.bench.graph().version
    net.run(f"%graph export {file}")
    assert net.out == f"wrote {count} operations to {file}\n"
    net.run("%%graph other\nNone", "other")
    net.run(f"%graph import {file}")
    assert net.out == f"read {count} operations from {file}\n"
    names = [op.name for op in net.bench.graph("net").get_operations()]
    assert [op.name for op in net.bench.graph("other").get_operations()] == names
    assert len(net.bench.graph("other").get_collection("variables")) == (2 if file == "net.meta" else 0)
    version = net.bench.graph().version
    assert isinstance(net.fail(f"%graph import {file}"), UsageError)  # the names are taken
    assert net.bench.graph().version == version


def test_graph_files_that_are_none(net: Shell) -> None:
    Path("junk.pb").write_bytes(b"\x01\x02junk")
    assert "Cannot parse file junk.pb" in str(net.fail("%graph import junk.pb"))
    assert "File does not exist" in str(net.fail("%graph import none.meta"))
    assert "takes a name" in str(net.fail("%graph export"))
