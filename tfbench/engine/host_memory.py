"""Which inputs and outputs of an op on a GPU are arrays in the host's memory.

TensorFlow's kernels for GPUs take sizes, axes and seeds from the host's memory, and compute nearly everything that is
int32 there: a GPU would have to be waited for before a shape could be known. The facts are in `host_memory.txt`,
recorded from TensorFlow's registry of kernels. An op all of whose arguments are in host memory is computed by the CPU's
kernel, wherever it is placed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tfbench.engine.dtypes import as_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfbench.engine.operation import Operation

_NAMES = {"half": "float16", "float": "float32", "double": "float64"}

#: op type -> what is in host memory by default, and ("attribute", types, what is in host memory then)
_default: dict[str, frozenset[str]] = {}
_special: dict[str, list[tuple[str, frozenset[str], frozenset[str]]]] = {}

Flags = tuple[bool, ...]


def arguments(op: Operation) -> tuple[Flags, Flags]:
    """For each input and each output of `op`, lists spread out, whether it is in host memory on a GPU."""
    names = _names(op)
    opdef, attrs = op.op_def, op.attrs
    return _spread(opdef.inputs, attrs, names), _spread(opdef.outputs, attrs, names)


def all_on_host(op: Operation) -> bool:
    """Whether nothing that `op` takes or gives is in a GPU's memory. An op without arguments has nothing there."""
    inputs, outputs = arguments(op)
    return all(inputs) and all(outputs)


def _names(op: Operation) -> frozenset[str]:
    if not _default:
        _read()
    for attr, types, found in _special.get(op.type, ()):
        value = op.attrs.get(attr)
        if value is not None and value.base_dtype.name in types:
            return found
    return _default.get(op.type, frozenset())


def _spread(args: Sequence[Any], attrs: dict[str, Any], names: frozenset[str]) -> Flags:
    flags: list[bool] = []
    for arg in args:
        count = 1
        if arg.number_attr is not None:
            count = attrs[arg.number_attr]
        elif arg.type_list_attr is not None:
            count = len(attrs[arg.type_list_attr])
        flags.extend([arg.name in names] * count)
    return tuple(flags)


def _read() -> None:
    path = os.path.join(os.path.dirname(__file__), "host_memory.txt")
    condition, names = "", frozenset[str]()
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith("#"):
                continue
            if not line.startswith(" "):
                condition, _, words = line.strip().partition(":")
                names = frozenset(words.split())
            elif condition == "any":
                _default.update(dict.fromkeys(line.split(), names))
            else:
                attr, _, types = condition.partition("=")
                allowed = frozenset(as_dtype(_NAMES.get(name, name)).name for name in types.split(","))
                for op in line.split():
                    _special.setdefault(op, []).append((attr, allowed, names))
