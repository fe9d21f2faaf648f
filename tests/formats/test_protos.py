"""Protocol messages: the schema, bytes and text as TensorFlow writes them, and how the classes behave."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys

import pytest

from tests.formats.schema import DIGESTS, digest, enum_listing, listing
from tfbench.formats import protos

# What TensorFlow 2.21 wrote (`SerializeToString(deterministic=True)` and `str()`) for the messages built beside.
RECORDED = {
    # tf.AttrValue(list=tf.AttrValue.ListValue(i=[1, -2, 300], s=[b"a"]))
    "AttrValue": (
        b"\n\x12\x12\x01a\x1a\r\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\xac\x02",
        'list {\n  s: "a"\n  i: 1\n  i: -2\n  i: 300\n}\n',
    ),
    # x = tf.placeholder(tf.float32, [None, 3]), then c = tf.constant([[1., 2.]], name="c") controlled by x
    "NodeDef": (
        b"\n\x01c\x12\x05Const\x1a\x02^x*\x0b\n\x05dtype\x12\x020\x01*!\n\x05value\x12\x18B\x16\x08\x01\x12\x08\x12\x02"
        b'\x08\x01\x12\x02\x08\x02"\x08\x00\x00\x80?\x00\x00\x00@',
        None,
    ),
    # tf.Event(wall_time=1.5, step=7, summary=tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.25)]))
    "Event": (
        b"\t\x00\x00\x00\x00\x00\x00\xf8?\x10\x07*\r\n\x0b\n\x04loss\x15\x00\x00\x80>",
        'wall_time: 1.5\nstep: 7\nsummary {\n  value {\n    tag: "loss"\n    simple_value: 0.25\n  }\n}\n',
    ),
    # tf.ConfigProto(device_count={"CPU": 2, "GPU": 1}, allow_soft_placement=True,
    #     gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.5), graph_options=tf.GraphOptions(
    #     optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)))
    "ConfigProto": (
        b"\n\x07\n\x03CPU\x10\x02\n\x07\n\x03GPU\x10\x012\t\t\x00\x00\x00\x00\x00\x00\xe0?8\x01R\r\x1a\x0b\x18\xff\xff\xff"
        b"\xff\xff\xff\xff\xff\xff\x01",
        None,
    ),
    # tf.train.Example with int64 a=[1, 2], bytes b=[b"x"], float c=[1.5]
    "Example": (
        b"\n(\n\x0b\n\x01a\x12\x06\x1a\x04\n\x02\x01\x02\n\n\n\x01b\x12\x05\n\x03\n\x01x\n\r\n\x01c\x12\x08\x12\x06\n\x04"
        b"\x00\x00\xc0?",
        None,
    ),
    "CheckpointState": (
        b"\n\x03m-2\x12\x03m-1\x12\x03m-2\x1a\x10\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00@!\x00\x00\x00"
        b"\x00\x00\x00\x08@",
        'model_checkpoint_path: "m-2"\nall_model_checkpoint_paths: "m-1"\nall_model_checkpoint_paths: "m-2"\n'
        "all_model_checkpoint_timestamps: 1\nall_model_checkpoint_timestamps: 2\nlast_preserved_timestamp: 3\n",
    ),
    # tf.Variable([1., 2.], name="v").to_proto()
    "VariableDef": (
        b"\n\x03v:0\x12\x08v/Assign\x1a\x08v/read:02\x11v/initial_value:08\x01",
        'variable_name: "v:0"\ninitializer_name: "v/Assign"\nsnapshot_name: "v/read:0"\n'
        'initial_value_name: "v/initial_value:0"\ntrainable: true\n',
    ),
    # tf.train.Saver().as_saver_def()
    "SaverDef": (
        b"\n\x0csave/Const:0\x12\x19save/control_dependency:0\x1a\x10save/restore_all \x055\x00@\x1cF8\x02",
        'filename_tensor_name: "save/Const:0"\nsave_tensor_name: "save/control_dependency:0"\n'
        'restore_op_name: "save/restore_all"\nmax_to_keep: 5\nkeep_checkpoint_every_n_hours: 10000\nversion: V2\n',
    ),
    "BundleEntryProto": (
        b"\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x03 \n(\x185\xef\xbe\xad\xde",
        "dtype: DT_FLOAT\nshape {\n  dim {\n    size: 2\n  }\n  dim {\n    size: 3\n  }\n}\n"
        "offset: 10\nsize: 24\ncrc32c: 3735928559\n",
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_bytes_survive_a_round_trip(name):
    data, text = RECORDED[name]
    message = getattr(protos, name).FromString(data)
    assert message.SerializeToString(deterministic=True) == data
    if text is not None:
        assert str(message) == text


def test_fields_built_by_hand_give_the_recorded_bytes():
    node = protos.NodeDef(name="c", op="Const", input=["^x"])
    node.attr["dtype"].type = protos.DataType.Value("DT_FLOAT")
    tensor = node.attr["value"].tensor
    tensor.dtype = 1
    tensor.tensor_shape.dim.add(size=1)
    tensor.tensor_shape.dim.add(size=2)
    tensor.tensor_content = b"\x00\x00\x80?\x00\x00\x00@"
    assert node.SerializeToString(deterministic=True) == RECORDED["NodeDef"][0]

    config = protos.ConfigProto(device_count={"CPU": 2, "GPU": 1}, allow_soft_placement=True)
    config.gpu_options.per_process_gpu_memory_fraction = 0.5
    config.graph_options.optimizer_options.opt_level = protos.OptimizerOptions.L0
    assert config.SerializeToString(deterministic=True) == RECORDED["ConfigProto"][0]


def test_every_message_has_tensorflows_schema():
    recorded = json.loads(DIGESTS.read_text())
    ours = {}
    for name in protos.message_names():
        made = getattr(protos, name)
        lines = listing(made.DESCRIPTOR) if hasattr(made, "SerializeToString") else enum_listing(made.DESCRIPTOR)
        ours[name] = digest(lines)
    assert ours == recorded
    assert len(ours) > 100


# What TensorFlow 1.x programs, checkpoints, event files and saved graphs are made of.
NAMES = """
    GraphDef NodeDef AttrValue NameAttrList TensorProto TensorShapeProto VersionDef FunctionDefLibrary
    FunctionDef OpDef OpList VariableDef SaveSliceInfoDef SaverDef MetaGraphDef CollectionDef SignatureDef
    TensorInfo AssetFileDef ConfigProto GPUOptions GraphOptions OptimizerOptions RewriterConfig RunOptions
    RunMetadata StepStats DeviceStepStats NodeExecStats AllocatorMemoryUsed CostGraphDef Summary
    HistogramProto Event SessionLog LogMessage TaggedRunMetadata SummaryMetadata DeviceAttributes ClusterDef
    JobDef ServerDef Example SequenceExample Features Feature FeatureList FeatureLists BytesList FloatList
    Int64List CheckpointState BundleHeaderProto BundleEntryProto TensorSliceProto CondContextDef
    WhileContextDef ControlFlowContextDef ValuesDef QueueRunnerDef
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_message_exists_under_its_full_name(name):
    message = getattr(protos, name)
    assert message.DESCRIPTOR.full_name == f"tensorflow.{name}"
    assert getattr(protos, name) is message
    assert message() == message.FromString(b"")


def test_oneof_and_defaults():
    value = protos.AttrValue(i=3)
    assert value.WhichOneof("value") == "i"
    value.s = b"x"
    assert value.WhichOneof("value") == "s"
    assert value.i == 0
    assert protos.DataType.Name(14) == "DT_BFLOAT16"
    assert protos.RunOptions.FULL_TRACE == 3
    assert protos.QueueRunnerDef(queue_closed_exception_types=[11]).queue_closed_exception_types == [11]


def test_unknown_fields_are_kept():
    # Field 5 of GraphDef (debug_info) is left out of our tables.
    data = b"*\x03abc"
    assert protos.GraphDef.FromString(data).SerializeToString() == data


@pytest.mark.parametrize(
    "message",
    [
        lambda: protos.NodeDef(name="a", op="NoOp", attr={"T": protos.AttrValue(type=1)}),
        lambda: protos.AttrValue.ListValue(i=[1, 2]),
        lambda: protos.Summary.Value(tag="x", simple_value=1.0),
        lambda: protos.CostGraphDef.Node.InputInfo(preceding_node=3),
    ],
)
def test_messages_can_be_pickled_and_copied(message):
    made = message()
    assert pickle.loads(pickle.dumps(made)) == made
    assert copy.deepcopy(made) == made
    assert type(pickle.loads(pickle.dumps(made))) is type(made)


def test_what_does_not_exist():
    with pytest.raises(AttributeError, match="no message or enum 'NoSuchDef'"):
        protos.NoSuchDef
    with pytest.raises(AttributeError):
        protos.ListValueOfNothing
    with pytest.raises(ValueError, match="field"):
        protos.NodeDef(nme="x")
    assert "GraphDef" in dir(protos)


def test_protobuf_is_loaded_at_first_use_only():
    program = (
        "import sys; from tfbench.formats import protos; assert 'google.protobuf' not in sys.modules;"
        "protos.GraphDef; assert 'google.protobuf' in sys.modules;"
        # the process's own pool is left alone, so that TensorFlow can be loaded as well
        "from google.protobuf import descriptor_pool;"
        "pool = descriptor_pool.Default()\n"
        "try: pool.FindMessageTypeByName('tensorflow.GraphDef')\n"
        "except KeyError: print('apart')"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "apart", result.stderr


def test_with_protobufs_implementation_in_pure_python():
    code = (
        "import pickle, tfbench as tf; value = tf.Summary.Value(tag='a', simple_value=1);"
        "graph = tf.get_default_graph(); tf.constant([1.0], name='c'); made = graph.as_graph_def();"
        "assert pickle.loads(pickle.dumps(value)) == value; assert type(made.node[0]) is tf.NodeDef;"
        "print(made.node[0].name, tf.GraphDef.FromString(made.SerializeToString()) == made)"
    )
    environment = {**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (done.stdout.strip(), done.returncode) == ("c True", 0), done.stderr
