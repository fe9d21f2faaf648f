"""Meta graphs from files: TensorFlow's own, both forms, parts of graphs, what cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.data.make_checkpoints import FOLDER, PARTS
from tfbench.formats import protos
from tfbench.formats.collection_def import ProtoFunctions, _registered, register_proto_functions
from tfbench.formats.meta_graph import import_scoped_meta_graph
from tfbench.formats.op_def_proto import op_list

RECORDED = Path(FOLDER) / "sharded"


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as graph:
        yield graph


def two_devices() -> Any:
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))


@pytest.mark.parametrize("scope", [None, "here"])
def test_what_tensorflow_wrote(scope: str | None, tmp_path: Path) -> None:
    saver = tf.train.import_meta_graph(str(RECORDED) + ".meta", import_scope=scope)
    prefix = f"{scope}/" if scope else ""
    names = [variable.op.name for variable in tf.global_variables()]
    assert sorted(names) == [
        prefix + name for name in ("parts/part_0", "parts/part_1", "parts/part_2", "scalar", "second")
    ]
    by_name = {variable.op.name.removeprefix(prefix): variable for variable in tf.global_variables()}
    assert isinstance(by_name["second"], tf.ResourceVariable if hasattr(tf, "ResourceVariable") else object)
    with two_devices() as sess:
        saver.restore(sess, str(RECORDED))
        parts = sess.run([by_name[f"parts/part_{number}"] for number in range(3)])
        np.testing.assert_array_equal(np.concatenate(parts), PARTS)
        assert sess.run(by_name["second"]).tolist() == [4.0, 3.0, 2.0, 1.0]
        # The nodes that TensorFlow made write the same files again; its data are to the byte what was read.
        path = saver.save(sess, str(tmp_path / "sharded"), write_meta_graph=False)
        assert path is not None
        assert tf.train.list_variables(path) == tf.train.list_variables(str(RECORDED))
        for number in range(2):
            end = f".data-{number:05d}-of-00002"
            assert Path(path + end).read_bytes() == Path(str(RECORDED) + end).read_bytes()
        assert Path(path + ".index").read_bytes() == Path(str(RECORDED) + ".index").read_bytes()


@pytest.mark.parametrize("as_text", [False, True])
def test_both_forms(as_text: bool, tmp_path: Path) -> None:
    tf.Variable([1.0, 2.0], name="v")
    tf.add_to_collection("numbers", 3)
    path = str(tmp_path / "graph")
    written = tf.train.export_meta_graph(path, as_text=as_text)
    assert ("graph_def {" in Path(path).read_bytes().decode("latin-1")) == as_text
    with tf.Graph().as_default():
        saver = tf.train.import_meta_graph(path)
        assert tf.get_collection("numbers") == [3]
        assert tf.train.export_meta_graph(collection_list=[]).graph_def.node[: len(written.graph_def.node)] == (
            written.graph_def.node
        )
        assert saver.saver_def.save_tensor_name == "save/control_dependency:0"


def test_write_graph(graph: Any, tmp_path: Path) -> None:
    tf.constant(1.0, name="c")
    path = tf.train.write_graph(graph, str(tmp_path / "new"), "g.pbtxt")
    assert 'name: "c"' in Path(path).read_text()
    path = tf.train.write_graph(graph.as_graph_def(), str(tmp_path), "g.pb", as_text=False)
    assert protos.GraphDef.FromString(Path(path).read_bytes()) == graph.as_graph_def()


def test_a_part_of_a_graph_needs_its_inputs() -> None:
    a = tf.constant(2.0, name="a")
    with tf.name_scope("part"):
        tf.multiply(a, 3.0, name="y")
    meta = tf.train.export_meta_graph(export_scope="part")
    assert [(node.name, list(node.input)) for node in meta.graph_def.node] == [
        ("y/y", []),
        ("y", ["$unbound_inputs_a", "y/y"]),
    ]
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        with pytest.raises(ValueError, match="unbound inputs"):
            tf.train.import_meta_graph(meta)
        tf.train.import_meta_graph(meta, input_map={"$unbound_inputs_a": tf.constant(5.0)})
        assert sess.run("y:0") == 15.0
        assert [op.name for op in graph.get_operations()] == ["Const", "y/y", "y"]


def test_devices_are_forgotten_on_request() -> None:
    with tf.device("/gpu:3"):
        tf.Variable(1.0, name="v")
    assert {node.device for node in tf.train.export_meta_graph(clear_devices=True).graph_def.node} == {""}
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta, clear_devices=True)
        assert graph.get_operation_by_name("v").device == ""
    assert meta.graph_def.node[1].device == "/device:GPU:3"  # the message given is left alone


def test_other_savers_are_left_out_on_request() -> None:
    tf.Variable(1.0, name="v")
    first, second = tf.train.Saver(name="first"), tf.train.Saver(name="second")
    tf.add_to_collection("savers", first)
    meta = second.export_meta_graph(clear_extraneous_savers=True)
    names = [node.name for node in meta.graph_def.node]
    assert any(name.startswith("second/") for name in names)
    assert not any(name.startswith("first/") for name in names)
    assert "savers" not in meta.collection_def


def test_a_failed_import_leaves_the_graph_alone(graph: Any) -> None:
    with tf.Graph().as_default():
        tf.Variable(1.0, name="v")
        meta = tf.train.export_meta_graph()
    meta.collection_def["ops"].node_list.value.append("none")
    tf.constant(1.0)
    with pytest.raises(KeyError, match="none"):
        tf.train.import_meta_graph(meta)
    assert [op.name for op in graph.get_operations()] == ["Const"]
    assert tf.global_variables() == []


def test_a_collection_of_objects_of_ones_own(tmp_path: Path) -> None:
    class Note:
        def __init__(self, text: str) -> None:
            self.text = text

    functions = ProtoFunctions(
        lambda: protos.NameAttrList(),
        lambda note, scope: protos.NameAttrList(name=note.text),
        lambda message, scope: Note(message.name),
    )
    register_proto_functions("notes", functions)
    try:
        tf.add_to_collection("notes", Note("hello"))
        meta = tf.train.export_meta_graph()
        with tf.Graph().as_default():
            import_scoped_meta_graph(meta)
            (note,) = tf.get_collection("notes")
            assert note.text == "hello"
    finally:
        del _registered["notes"]


def test_declarations_are_what_tensorflow_says() -> None:
    """A few of each kind against the OpDefs in a meta graph that TensorFlow wrote."""
    meta = protos.MetaGraphDef.FromString(Path(str(RECORDED) + ".meta").read_bytes())
    theirs = {op.name: op for op in meta.meta_info_def.stripped_op_list.op}
    assert len(theirs) > 15
    for op in op_list(theirs).op:
        expected = theirs[op.name]
        for field in ("summary", "is_aggregate", "is_commutative", "allows_uninitialized_input"):
            if field in expected.DESCRIPTOR.fields_by_name:
                expected.ClearField(field)
        expected.DiscardUnknownFields()
        assert op == expected


class Noted:
    def __init__(self, text):
        self.text = text


def test_a_collection_of_a_programs_own_objects(monkeypatch):
    from tfbench.core.protobuf import saver_pb2
    from tfbench.formats import collection_def
    from tfbench.python.framework import ops

    monkeypatch.setattr(collection_def, "_registered", dict(collection_def._registered))
    with pytest.raises(TypeError, match="to_proto must be callable"):
        ops.register_proto_function("noted", saver_pb2.SaverDef, to_proto=3)
    ops.register_proto_function(
        "noted",
        proto_type=saver_pb2.SaverDef,
        to_proto=lambda noted, export_scope=None: saver_pb2.SaverDef(filename_tensor_name=noted.text),
        from_proto=lambda message, import_scope=None: Noted(message.filename_tensor_name),
    )
    with pytest.raises(KeyError, match="Registering two proto functions with name 'noted'"):
        ops.register_proto_function("noted", saver_pb2.SaverDef)
    ops.register_proto_function("plain", saver_pb2.SaverDef)
    with tf.Graph().as_default():
        tf.add_to_collection("noted", Noted("hello"))
        tf.add_to_collection("plain", "text")
        written = tf.train.export_meta_graph()
    assert list(written.collection_def["noted"].bytes_list.value) == [b"\n\x05hello"]
    with tf.Graph().as_default():
        tf.train.import_meta_graph(written)
        assert [noted.text for noted in tf.get_collection("noted")] == ["hello"]
        assert tf.get_collection("plain") == [b"text"]
