"""A digest of every protocol message, to compare our tables with TensorFlow's schema.

    python tests/formats/schema.py

with a Python that has TensorFlow (extra `oracle`) writes `schema_digests.json` anew, for the messages named in it. The
test takes the same digests of ours. A digest covers names, numbers, types, labels, oneofs, maps and enums, in the
order of TensorFlow's files.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

DIGESTS = Path(__file__).with_name("schema_digests.json")

# Fields whose messages tfbench leaves out on purpose (they are of TensorFlow 2 alone).
LEFT_OUT = {"tensorflow.GraphDef.debug_info", "tensorflow.MetaGraphDef.object_graph_def"}

SCALARS = {
    1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 6: "fixed64", 7: "fixed32", 8: "bool", 9: "string",
    12: "bytes", 13: "uint32", 15: "sfixed32", 16: "sfixed64", 17: "sint32", 18: "sint64",
}  # fmt: skip


# Where TensorFlow keeps what `import tensorflow` may not have loaded.
MODULES = (
    "core.example.example_pb2", "core.framework.device_attributes_pb2", "core.protobuf.control_flow_pb2",
    "core.protobuf.queue_runner_pb2", "core.protobuf.saved_model_pb2", "core.protobuf.tensor_bundle_pb2",
    "core.protobuf.tensorflow_server_pb2", "core.util.event_pb2", "core.util.saved_tensor_slice_pb2",
    "python.training.checkpoint_state_pb2",
)  # fmt: skip


# What only TensorFlow 1.15 has (`tf.contrib`): recorded with that one, and left as it is.
ONLY_1 = {"EmbeddingInfo", "ProjectorConfig", "SpriteMetadata"}


def listing(message: Any) -> list[str]:
    """A message's fields, nested messages and enums, a line each."""
    lines = [f"message {message.full_name} map_entry={message.GetOptions().map_entry}"]
    for field in message.fields:
        if f"{message.full_name}.{field.name}" in LEFT_OUT:
            continue
        kind = SCALARS.get(field.type) or (field.message_type or field.enum_type).full_name
        oneof = field.containing_oneof.name if field.containing_oneof else ""
        repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == 3
        lines.append(f"{field.name} {field.number} {kind} {'repeated' if repeated else ''} {oneof}")
    for enum in sorted(message.enum_types, key=lambda found: found.name):
        lines += enum_listing(enum)
    for nested in sorted(message.nested_types, key=lambda found: found.name):
        lines += listing(nested)
    return lines


def enum_listing(enum: Any) -> list[str]:
    """An enum's values, a line each."""
    return [f"enum {enum.full_name}"] + [f"{value.name} {value.number}" for value in enum.values]


def digest(lines: list[str]) -> str:
    return hashlib.sha1("\n".join(lines).encode()).hexdigest()[:16]


def record() -> None:
    """Writes TensorFlow's digests of the messages that the file names."""
    from importlib import import_module

    from google.protobuf import descriptor_pool

    for module in MODULES:
        import_module("tensorflow." + module)
    pool = descriptor_pool.Default()
    found = {}
    for name, before in json.loads(DIGESTS.read_text()).items():
        if name in ONLY_1:
            found[name] = before
            continue
        try:
            found[name] = digest(listing(pool.FindMessageTypeByName("tensorflow." + name)))
        except KeyError:
            found[name] = digest(enum_listing(pool.FindEnumTypeByName("tensorflow." + name)))
    DIGESTS.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
    sys.stdout.write(f"{len(found)} digests written to {DIGESTS}\n")


if __name__ == "__main__":
    record()
