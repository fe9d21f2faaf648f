"""tfbench: the TensorFlow 1.x graph API on NumPy, with a notebook workbench.

    import tfbench as tf

Importing this loads NumPy and the engine; IPython, matplotlib and protobuf wait until they are needed.
"""

from __future__ import annotations

import importlib
from typing import Any

from tfbench import errors, random
from tfbench.engine.composite import (
    IndexedSlices,
    SparseTensor,
    SparseTensorValue,
    convert_to_tensor_or_indexed_slices,
    convert_to_tensor_or_sparse_tensor,
)
from tfbench.engine.default_graph import (
    add_to_collection,
    add_to_collections,
    colocate_with,
    container,
    control_dependencies,
    device,
    get_collection,
    get_collection_ref,
    get_default_graph,
    get_default_session,
    reset_default_graph,
)
from tfbench.engine.convert import convert_to_tensor, register_tensor_conversion_function
from tfbench.engine.device_names import DeviceSpec
from tfbench.engine.dtypes import *
from tfbench.engine.graph import Graph, GraphKeys, Operation
from tfbench.engine.name_scope import name_scope, op_scope
from tfbench.engine.ops import *
from tfbench.engine.session import InteractiveSession, Session
from tfbench.engine.shapes import Dimension, TensorShape
from tfbench.engine.tensor import OPERATORS as _OPERATORS
from tfbench.engine.tensor import Tensor
from tfbench.initializers import *
from tfbench.partitioners import *
from tfbench.template import make_template
from tfbench.variable_scope import *
from tfbench.variables import *

__version__ = "0.1.0"

#: loaded when first used: messages need protobuf
_MESSAGES = {
    "AttrValue", "ConfigProto", "Event", "GPUOptions", "GraphDef", "GraphOptions", "HistogramProto", "LogMessage",
    "MetaGraphDef", "NameAttrList", "NodeDef", "OptimizerOptions", "RunMetadata", "RunOptions", "SessionLog", "Summary",
    "SummaryMetadata", "TensorInfo",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        return getattr(importlib.import_module("tfbench.formats.protos"), name)
    if name in ("make_ndarray", "make_tensor_proto"):
        return getattr(importlib.import_module("tfbench.formats.tensor_proto"), name)
    if name in ("bitwise", "linalg", "manip", "math", "nn", "raw_ops", "sparse"):
        return importlib.import_module(f"tfbench.{name}")
    if name == "inspect":
        return importlib.import_module("tfbench.widgets").inspect
    raise AttributeError(f"module 'tfbench' has no attribute {name!r}")


def _message(function: str) -> Any:
    def call(*arguments: Any) -> Any:
        return getattr(importlib.import_module("tfbench.formats.graph_def"), function)(*arguments)

    return call


_OPERATORS["node_def"] = _message("node_def")
_OPERATORS["graph_def"] = _message("graph_def")
_OPERATORS["graph_def_versions"] = _message("versions")
