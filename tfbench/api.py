"""Every name of `tf.`, collected: what `tfbench/__init__.py` shows once one of them is used.

A name that a family of ops lists in its `__all__` is here through `engine.ops`; the rest is named one by one.
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
from tfbench.engine.convert import convert_to_tensor, register_tensor_conversion_function
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
from tfbench.engine.device_names import DeviceSpec
from tfbench.engine.dtypes import *
from tfbench.engine.gradients import *
from tfbench.engine.graph import Graph, GraphKeys, Operation
from tfbench.engine.init_scope import init_scope
from tfbench.engine.name_scope import name_scope, op_scope
from tfbench.engine.ops import *
from tfbench.engine.session import InteractiveSession, Session
from tfbench.engine.shapes import Dimension, TensorShape
from tfbench.engine.tensor import OPERATORS, Tensor
from tfbench.errors import OpError
from tfbench.initializers import *
from tfbench.modes import *
from tfbench.partitioners import *
from tfbench.recompute import *
from tfbench.template import make_template
from tfbench.variable_scope import *
from tfbench.variables import *


def _message(function: str, module: str = "graph_def") -> Any:
    """A function of a module in `formats` that needs protobuf, loaded when it is called."""

    def call(*arguments: Any) -> Any:
        return getattr(importlib.import_module(f"tfbench.formats.{module}"), function)(*arguments)

    return call


OPERATORS["checkpoint_files"] = lambda: importlib.import_module("tfbench.formats.checkpoint_files")
OPERATORS["session"] = lambda graph: Session(graph=graph)
OPERATORS["name_attr_list"] = _message("name_attr_list")
OPERATORS["record_reader"] = lambda *arguments: importlib.import_module("tfbench.formats.records").RecordReader(
    *arguments
)
OPERATORS["node_def"] = _message("node_def")
OPERATORS["graph_def"] = _message("graph_def")
OPERATORS["graph_def_versions"] = _message("versions")
OPERATORS["fill_step_stats"] = _message("fill_step_stats", "run_metadata")
OPERATORS["fill_partition_graphs"] = _message("fill_partition_graphs", "run_metadata")
OPERATORS["make_ndarray"] = _message("make_ndarray", "tensor_proto")
OPERATORS["tensor_proto"] = _message("tensor_proto", "messages_in_strings")
OPERATORS["example_from_json"] = _message("example_from_json", "messages_in_strings")

#: what this file itself needs is no part of the API
__all__ = [
    name for name in list(globals()) if name[0] != "_" and name not in ("annotations", "importlib", "Any", "OPERATORS")
]
