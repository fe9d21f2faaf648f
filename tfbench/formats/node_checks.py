"""What the nodes of a GraphDef have to be like before they become a graph: `tf.import_graph_def`.

A message that another program wrote, or a person, may be anything: each complaint names the node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.attributes import proto_type_name
from tfbench.engine.device_names import DeviceSpec
from tfbench.engine.dtypes import DType
from tfbench.engine.opdef import OpDef
from tfbench.engine.scopes import VALID_OP_NAME
from tfbench.engine.tensor import Tensor
from tfbench.formats.graph_def import PRODUCER


def check_graph_def(graph_def: Any) -> None:
    """The version, and the names and devices of the nodes.

    Raises:
      ValueError: if the message asks for a newer reader, a name is there twice or is no name for a node, or a device
        is not one.
    """
    least = graph_def.versions.min_consumer
    if least > PRODUCER:
        raise ValueError(
            f"GraphDef min consumer version {least} above current version {PRODUCER}: a newer program wrote it."
        )
    seen: set[str] = set()
    for node in graph_def.node:
        if not VALID_OP_NAME.match(node.name):
            raise ValueError(f"Node '{node.name}': Node name contains invalid characters")
        if node.name in seen:
            raise ValueError(f"Node '{node.name}' is not unique")
        seen.add(node.name)
    for device in {node.device for node in graph_def.node if node.device}:
        DeviceSpec.from_string(device)


def check_node(node: Any, op_def: OpDef, attrs: dict[str, Any], name: str) -> None:
    """The attributes are there, and there are as many inputs as they say, the data before the control inputs.

    Raises:
      ValueError: otherwise.
    """
    what = f"Op<name={op_def.type}>; NodeDef: {{{{node {name}}}}}"
    missing = sorted(key for key in op_def.attrs if key not in attrs and key not in op_def.defaults)
    if missing:
        names = ", ".join(f"'{key}'" for key in missing)
        raise ValueError(f"NodeDef missing attr{'s' if len(missing) > 1 else ''} {names} from {what}")
    data = [text for text in node.input if not text.startswith("^")]
    if list(node.input[: len(data)]) != data:
        raise ValueError(f"Node '{node.name}': Control dependencies must come after regular dependencies")
    kinds = input_types(op_def, attrs)
    if len(kinds) != len(data):
        expected = ", ".join(type_name(kind) for kind in kinds)
        raise ValueError(f"NodeDef expected inputs '{expected}' do not match {len(data)} inputs specified; {what}")


def check_types(op_def: OpDef, attrs: dict[str, Any], name: str, inputs: Sequence[Tensor]) -> None:
    """The inputs are of the types that the attributes say.

    Raises:
      ValueError: otherwise.
    """
    for position, (wanted, tensor) in enumerate(zip(input_types(op_def, attrs), inputs, strict=True)):
        found = tensor.dtype
        if found != wanted and found.base_dtype != wanted:
            raise ValueError(
                f"Input {position} of node {name} was passed {type_name(found)} from {tensor.name} incompatible with "
                f"expected {type_name(wanted)}."
            )


def input_types(op_def: OpDef, attrs: dict[str, Any]) -> list[DType]:
    """The type of each input of a node with these attributes."""
    known = {**op_def.defaults, **attrs}
    kinds: list[DType] = []
    for arg in op_def.inputs:
        if arg.type_list_attr is not None:
            kinds.extend(known[arg.type_list_attr])
            continue
        kind: Any = known[arg.type_attr] if arg.type_attr is not None else arg.dtype
        kinds += [kind._as_ref if arg.is_ref else kind] * (1 if arg.number_attr is None else known[arg.number_attr])
    return kinds


def type_name(dtype: DType) -> str:
    """As TensorFlow's messages write it: `float`, `int32_ref`."""
    return proto_type_name(dtype).lower()
