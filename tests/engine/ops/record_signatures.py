"""Writes `op_signatures.json`: what TensorFlow says about each op type that tfbench declares (null: it has none).

And `op_gradients.json`: whether its registry of gradients holds a function, None, or nothing for it ("absent").

Run with a Python that has TensorFlow (extra `oracle`): python tests/engine/ops/record_signatures.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tensorflow.core.framework import types_pb2
from tensorflow.python.framework import op_def_registry, ops, tensor_util

HERE = Path(__file__).resolve().parent
_NAMES = {"float": "float32", "double": "float64", "half": "float16"}


def type_name(number: int) -> str:
    name = types_pb2.DataType.Name(number)[3:].lower()
    return _NAMES.get(name, name)


def argument(arg: Any) -> list[Any]:
    kind = arg.type_attr or arg.type_list_attr or type_name(arg.type)
    return [arg.name, f"{arg.number_attr} * {kind}" if arg.number_attr else kind, arg.is_ref]


def value(item: Any) -> Any:
    kind = item.WhichOneof("value")
    if kind is None:
        return []
    found = getattr(item, kind)
    if kind == "list":
        return [
            *[one.decode() for one in found.s], *found.i, *found.f, *found.b, *[type_name(one) for one in found.type]
        ]  # fmt: skip
    if kind == "type":
        return type_name(found)
    if kind == "s":
        return found.decode()
    if kind == "tensor":
        return tensor_util.MakeNdarray(found).tolist()
    if kind == "shape":
        return "<unknown>" if found.unknown_rank else str(tuple(dim.size for dim in found.dim))
    return found


def signature(op: Any) -> dict[str, Any]:
    attrs = {}
    for attr in op.attr:
        default = value(attr.default_value) if attr.HasField("default_value") else "required"
        attrs[attr.name] = [attr.type, default, sorted(set(value(attr.allowed_values)))]
    return {
        "inputs": [argument(arg) for arg in op.input_arg],
        "outputs": [argument(arg) for arg in op.output_arg],
        "attrs": attrs,
        "stateful": op.is_stateful,
    }


#: what `tf.contrib` of TensorFlow 1 registers, and TensorFlow 2 has lost
_CONTRIB = {"LSTMBlockCell": "function"}


def gradient(type: str) -> str:
    if type in _CONTRIB:
        return _CONTRIB[type]
    try:
        return "none" if ops.gradient_registry.lookup(type) is None else "function"
    except LookupError:
        return "absent"


def main() -> None:
    sys.path.insert(0, str(HERE.parents[2]))
    import tfbench

    tfbench.constant
    from tfbench.engine.opdef import registry

    found = {type: op_def_registry.get(type) for type in sorted(registry)}
    rows = {type: signature(op) if op is not None else None for type, op in found.items()}
    text = ",\n".join(f"{json.dumps(type)}: {json.dumps(row)}" for type, row in rows.items())
    (HERE / "op_signatures.json").write_text("{\n" + text + "\n}\n")
    gradients = {type: gradient(type) for type in rows}
    (HERE / "op_gradients.json").write_text(json.dumps(gradients, indent=0) + "\n")
    print(f"{len(rows)} signatures; not in TensorFlow: {', '.join(type for type, op in found.items() if op is None)}")


if __name__ == "__main__":
    main()
