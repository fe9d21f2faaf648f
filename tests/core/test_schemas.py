"""What programs import from `tensorflow.core`: the messages, by the schema file that declares them."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import tfbench as tf

# What TensorFlow 1.15's modules have.
EXPECTED = {
    "example.example_pb2": ["Example", "SequenceExample"],
    "example.feature_pb2": ["BytesList", "Feature", "FeatureList", "FeatureLists", "Features", "Int64List"],
    "framework.attr_value_pb2": ["AttrValue", "NameAttrList"],
    "framework.graph_pb2": ["GraphDef"],
    "framework.node_def_pb2": ["NodeDef"],
    "framework.op_def_pb2": ["OpDef", "OpDeprecation", "OpList"],
    "framework.step_stats_pb2": ["DeviceStepStats", "NodeExecStats", "StepStats"],
    "framework.summary_pb2": ["HistogramProto", "Summary", "SummaryMetadata"],
    "framework.tensor_pb2": ["TensorProto"],
    "framework.tensor_shape_pb2": ["TensorShapeProto"],
    "framework.types_pb2": ["DataType", "DT_FLOAT"],
    "framework.variable_pb2": ["SaveSliceInfoDef", "VariableDef"],
    "protobuf.cluster_pb2": ["ClusterDef", "JobDef"],
    "protobuf.config_pb2": ["ConfigProto", "GPUOptions", "RPCOptions", "RunMetadata", "RunOptions"],
    "protobuf.meta_graph_pb2": ["CollectionDef", "MetaGraphDef", "SignatureDef", "TensorInfo"],
    "protobuf.queue_runner_pb2": ["QueueRunnerDef"],
    "protobuf.rewriter_config_pb2": ["AutoParallelOptions", "RewriterConfig"],
    "protobuf.saved_model_pb2": ["SavedModel"],
    "protobuf.saver_pb2": ["SaverDef"],
    "protobuf.tensorflow_server_pb2": ["ServerDef"],
    "util.event_pb2": ["Event", "LogMessage", "SessionLog", "TaggedRunMetadata"],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_module_has_its_messages(name):
    module = import_module(f"tfbench.core.{name}")
    assert set(EXPECTED[name]) <= set(dir(module))
    for each in dir(module):
        assert getattr(module, each) is not None


def test_they_are_the_classes_of_the_api():
    from tfbench.core.framework import graph_pb2, types_pb2
    from tfbench.core.protobuf import config_pb2, saver_pb2
    from tfbench.core.util import event_pb2

    assert graph_pb2.GraphDef is tf.GraphDef
    assert config_pb2.ConfigProto is tf.ConfigProto
    assert saver_pb2.SaverDef is tf.train.SaverDef
    assert event_pb2.Event is tf.Event
    assert tf.string.as_datatype_enum == types_pb2.DT_STRING
    assert tf.core.framework.graph_pb2 is graph_pb2


def test_a_graph_through_bytes():
    from tfbench.core.framework import graph_pb2

    with tf.Graph().as_default() as graph:
        tf.constant([1.0], name="one")
    read = graph_pb2.GraphDef()
    read.ParseFromString(graph.as_graph_def().SerializeToString())
    assert [(node.name, node.op) for node in read.node] == [("one", "Const")]


def test_a_wrong_name_names_the_near_one():
    from tfbench.core.framework import graph_pb2

    with pytest.raises(AttributeError, match=r"graph_pb2' has no attribute 'GraphDeff'.*'GraphDef'"):
        graph_pb2.GraphDeff
    with pytest.raises(AttributeError, match="it has example, framework, protobuf, util"):
        tf.core.kernels
    with pytest.raises(ImportError):
        import_module("tfbench.core.framework.nothing_pb2")


def test_importing_does_not_import_protobuf():
    code = "import sys; import tfbench.core.framework.graph_pb2; print('google.protobuf.message' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
