"""`tfbench inspect FILE`: what it prints and writes, and how it says what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench import cli
from tfbench.formats import protos
from tfbench.snapshot import take
from tfbench.snapshot.from_graph_def import from_graph_def


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        with tf.variable_scope("layer"):
            w = tf.get_variable("w", [4, 3])
            y = tf.matmul(x, w, name="y")
        tf.reduce_sum(y, name="total")
        tf.train.write_graph(graph, str(folder), "graph.pb", as_text=False)
        tf.train.write_graph(graph, str(folder), "graph.pbtxt")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver().save(session, str(folder / "model"), global_step=7)
        tf.identity(y, name="more")
        tf.train.write_graph(graph, str(folder), "later.pb", as_text=False)
    with tf.Graph().as_default():
        tf.get_variable("other", [2])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver().save(session, str(folder / "values"), write_meta_graph=False)
    message = protos.GraphDef()
    message.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    message.node.add(name="odd", op="SomebodysOwnOp", input=["x"])
    message.node.add(name="end", op="NoOp", input=["^odd"])
    (folder / "unknown.pb").write_bytes(message.SerializeToString())
    (folder / "words.txt").write_text("no graph")
    (folder / "empty.pb").write_bytes(b"")
    return folder


def run(*argv: Any) -> int:
    return cli.main(["inspect", *map(str, argv)])


@pytest.mark.parametrize("name", ["graph.pb", "graph.pbtxt", "model-7.meta"])
def test_text_of_a_graph(files: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(files / name) == 0
    text, errors = capsys.readouterr()
    assert f"Graph '{name}'" in text
    assert "layer/w  (4, 3)  float32  48 B" in text.replace("   ", "  ")
    assert errors == ""


@pytest.mark.parametrize("name", ["model-7", "model-7.index", ".", "checkpoint"])
def test_text_of_a_checkpoint(files: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "checkpoint").write_text('model_checkpoint_path: "model-7"\n')
    assert run(files / name) == 0
    text = capsys.readouterr().out
    assert "1 tensor, 48 bytes" in text
    assert "Scopes" in text, "the meta graph lies beside it"


def test_a_checkpoint_alone(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(files / "values") == 0
    assert "Scopes" not in capsys.readouterr().out
    assert run(files / "values", "--svg", files / "no.svg") == 1
    assert "without its .meta: it holds values, and no graph to draw" in capsys.readouterr().err


def test_files(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outs = {form: tmp_path / f"map.{form}" for form in ("html", "svg", "png")}
    assert run(files / "graph.pb", *(part for form, out in outs.items() for part in (f"--{form}", out))) == 0
    text, errors = capsys.readouterr()
    assert text == "", "text is printed where nothing is written, or asked for"
    assert errors.count("wrote ") == 3
    assert outs["html"].read_text().startswith("<!DOCTYPE html>")
    assert "layer" in outs["html"].read_text()
    assert outs["svg"].read_text().startswith("<svg")
    assert outs["png"].read_bytes()[:4] == b"\x89PNG"
    assert run(files / "graph.pb", "--svg", outs["svg"], "--text") == 0
    assert "Scopes" in capsys.readouterr().out
    assert run(files / "values", "--html", outs["html"]) == 0
    assert "<pre>" in outs["html"].read_text()


@pytest.mark.parametrize(
    ("options", "has", "lacks"),
    [
        (["--focus", "layer"], "layer/", "total"),
        (["--hide", "layer"], "total", "layer/"),
        (["--needed-by", "layer/y"], "layer/", "total"),
        (["--near", "total"], "total", "Initializer"),
    ],
)
def test_a_part(files: Path, options: list[str], has: str, lacks: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(files / "graph.pb", *options) == 0
    text = capsys.readouterr().out
    assert has in text
    assert lacks not in text


def test_a_graph_with_an_unknown_op_is_shown(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(files / "unknown.pb", "--text", "--svg", tmp_path / "map.svg") == 0
    text, errors = capsys.readouterr()
    assert "SomebodysOwnOp" in text
    assert "SomebodysOwnOp" in errors
    assert "shown without what only its ops know (shapes)" in errors
    assert "SomebodysOwnOp" in (tmp_path / "map.svg").read_text()


def test_comparing(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(files / "graph.pb", "--compare", files / "later.pb") == 0
    assert "more" in capsys.readouterr().out
    assert run(files / "model-7", "--compare", files / "model-7.meta") == 0
    assert "1 matching" in capsys.readouterr().out
    assert run(files / "model-7.meta", "--compare", files / "values") == 0
    assert "1 only in checkpoint, 1 only in graph" in capsys.readouterr().out
    assert run(files / "graph.pb", "--compare", files / "model-7") == 1
    assert "a GraphDef keeps no collections" in capsys.readouterr().err
    assert run(files / "values", "--compare", files / "model-7") == 1
    assert "two graphs can, and a checkpoint and a graph" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("model", [], "there is no file and no checkpoint"),
        ("words.txt", [], "is no GraphDef, no meta graph, no SavedModel and no checkpoint"),
        ("empty.pb", [], "holds no nodes: it is no GraphDef"),
        ("nowhere/x", [], "there is no file and no checkpoint"),
        ("graph.pb", ["--focus", "layr/y"], "did you mean layer/y"),
        ("graph.pb", ["--svg", "/nonexistent/map.svg"], "cannot be written: No such file or directory"),
        ("graph.pb", ["--compare", "nothing.pb"], "there is no file and no checkpoint nothing.pb"),
    ],
)
def test_what_is_wrong(
    files: Path, name: str, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(files / name, *options) == 1
    text, errors = capsys.readouterr()
    assert text == ""
    assert errors.startswith("tfbench: ")
    assert words in errors
    assert "Traceback" not in errors


def test_a_near_prefix_is_named(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(files / "model")
    assert f"there is {files / 'model-7'}" in capsys.readouterr().err


def test_a_saved_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "served"
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("weights", [2, 2])
        session.run(w.initializer)
        tf.saved_model.simple_save(session, str(folder), {"x": x}, {"y": tf.matmul(x, w, name="y")})
    for path in (folder, folder / "saved_model.pb"):
        assert run(path) == 0
        assert "weights   (2, 2)  float32" in capsys.readouterr().out
    (folder / "saved_model.pb").write_bytes(b"\xff\xff")
    assert run(folder) == 1
    assert capsys.readouterr().err.startswith("tfbench: ")


def test_a_damaged_checkpoint(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.index").write_bytes(b"not an index")
    assert run(tmp_path / "bad") == 1
    assert "cannot be read as a checkpoint" in capsys.readouterr().err


def test_as_a_module_and_into_a_pipe_that_ends(files: Path) -> None:
    command = [sys.executable, "-m", "tfbench", "inspect", str(files / "graph.pb")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Scopes" in done.stdout
    usage = subprocess.run(command[:3], capture_output=True, text=True, check=False)
    assert usage.returncode == 2
    assert "COMMAND" in usage.stderr


def test_a_snapshot_of_a_message_is_that_of_its_graph(files: Path) -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        v = tf.get_variable("v", [4, 2], initializer=tf.zeros_initializer())
        u = tf.get_variable("u", initializer=np.float32(1), use_resource=True)
        first, _ = tf.split(tf.matmul(x, v), 2, axis=1, name="halves")
        with tf.control_dependencies([v.assign(v + 1.0)]):
            tf.add(first, u, name="end")
    real, read = take(graph), from_graph_def(graph.as_graph_def())
    for one, other in zip(real.ops, read.ops, strict=True):
        assert (one.name, one.type, one.device, one.inputs, one.control) == (
            other.name,
            other.type,
            other.device,
            other.inputs,
            other.control,
        )
        assert {key for key, _ in other.attrs} <= {key for key, _ in one.attrs}
    assert [(v.name, v.shape, v.dtype, v.bytes, v.read_by, v.written_by) for v in real.variables] == [
        (v.name, v.shape, v.dtype, v.bytes, v.read_by, v.written_by) for v in read.variables
    ]


def test_a_message_that_is_not_whole() -> None:
    message = protos.GraphDef()
    message.node.add(name="a", op="Identity", input=["gone:0"])
    with pytest.raises(ValueError, match="'gone:0', but the graph has no node of that name"):
        from_graph_def(message)
