"""Which ops TensorFlow computes on a GPU, by the types they take, and what these take and give in the host's memory;
and which of them tfbench computes there.

A placement is TensorFlow's only if it knows what TensorFlow knows: that a variable of int32 has no place on a GPU, and
`tf.Print` none at all; and that a shape is read by the host, whatever device the op is on. The facts are in
`gpu_kernels.txt`, recorded from TensorFlow's registry of kernels; the file is read when a graph is first placed where
there is a GPU.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tfbench.engine.dtypes import as_dtype

if TYPE_CHECKING:
    from tfbench.engine.operation import Operation

_NAMES = {"half": "float16", "float": "float32", "double": "float64"}

#: op type -> the types that each attribute may have, as dtype numbers
_Limits = tuple[tuple[str, frozenset[int]], ...]
_table: dict[str, _Limits] = {}
_cpu_first: set[str] = set()
#: op type -> rules, the first that fits a node being meant: the types, and names of arguments in the host's memory
_hosts: dict[str, list[tuple[_Limits, frozenset[str]]]] = {}
_NONE: frozenset[str] = frozenset()
#: answers by op type and the attributes that decide
_known: dict[Any, bool] = {}


def prefers_cpu(op: Operation) -> bool:
    """Whether TensorFlow takes a CPU for `op`, though it has a kernel for GPUs, where nothing else decides."""
    if not _table:
        _read()
    return op.type in _cpu_first


def on_gpu(op: Operation) -> bool:
    """Whether TensorFlow has a kernel for `op`, with its types, on a GPU."""
    if not _table:
        _read()
    limits = _table.get(op.type)
    if not limits:
        return limits is not None
    attrs = op.attrs
    if len(limits) == 1:
        value = attrs.get(limits[0][0])
        key: Any = (op.type, value) if type(value) is not list else (op.type, *value)
    else:
        key = (op.type, *[str(attrs.get(name)) for name, _ in limits])
    found = _known.get(key)
    if found is None:
        found = _known[key] = all(_allowed(attrs.get(name), types) for name, types in limits)
    return found


def host_arguments(op: Operation) -> frozenset[str]:
    """The names of the arguments, inputs and outputs, that are in the host's memory where `op` is on a GPU."""
    if not _table:
        _read()
    for limits, names in _hosts.get(op.type, ()):
        if all(_allowed(op.attrs.get(name), types) for name, types in limits):
            return names
    return _NONE


def in_host_memory(op: Operation) -> tuple[list[bool], list[bool]]:
    """Whether each input, and each output, is in the host's memory where `op` is on a GPU.

    Handles and strings are objects of the host's, wherever they are used.
    """
    names = host_arguments(op)
    definition = op.op_def
    return (
        [_host(name, tensor._dtype, names) for name, tensor in zip(_spread(definition.inputs, op), op._inputs)],
        [_host(name, tensor._dtype, names) for name, tensor in zip(_spread(definition.outputs, op), op.outputs_list)],
    )


def computes(op: Operation) -> bool:
    """Whether tfbench has what it takes to compute `op` on a real GPU, if TensorFlow would."""
    if "GPU" in op.op_def.kernels or op.type in _STRUCTURE:
        takes, gives = in_host_memory(op)
    elif "CPU" in op.op_def.kernels:
        # It never touches the GPU's memory: its kernel for the CPU does.
        takes, gives = in_host_memory(op)
        if not (all(takes) and all(gives)) or op.op_def.takes_references:
            return False
    else:
        return False
    return all(host or tensor._dtype.base_dtype.name in _TYPES for host, tensor in zip(takes, op._inputs)) and all(
        host or tensor._dtype.base_dtype.name in _TYPES for host, tensor in zip(gives, op.outputs_list)
    )


#: ops that are steps of their own, without a kernel
_STRUCTURE = frozenset(
    ["Enter", "Exit", "LoopCond", "Merge", "NextIteration", "RefEnter", "RefExit", "RefMerge", "RefNextIteration"]
)
#: the types of arrays in a GPU's memory (CuPy has bfloat16 only for part of what it does)
_TYPES = frozenset(
    ["bool", "complex64", "complex128", "float16", "float32", "float64"]
    + [f"{kind}{size}" for kind in ("int", "uint") for size in (8, 16, 32, 64)]
)
_OBJECTS = frozenset(["resource", "variant", "string"])


def _host(name: str, dtype: Any, names: frozenset[str]) -> bool:
    return name in names or dtype.base_dtype.name in _OBJECTS


def _spread(arguments: Any, op: Operation) -> Iterator[str]:
    """The name of the argument that each tensor belongs to: a list has several."""
    for argument in arguments:
        count = 1
        if argument.number_attr is not None:
            count = op.attrs[argument.number_attr]
        elif argument.type_list_attr is not None:
            count = len(op.attrs[argument.type_list_attr])
        for _ in range(count):
            yield argument.name


def _allowed(value: Any, types: frozenset[int]) -> bool:
    if value is None:
        return True
    values = value if isinstance(value, (list, tuple)) else (value,)
    return all(dtype.base_dtype._type_enum in types for dtype in values)


def _read() -> None:
    path = os.path.join(os.path.dirname(__file__), "gpu_kernels.txt")
    groups: dict[str, list[str]] = {}
    limits: _Limits = ()
    hosts: frozenset[str] | None = None
    first = False
    with open(path, encoding="ascii") as file:
        for line in file:
            name, equals, members = line.rstrip("\n").removeprefix("# ").partition(" = ")
            if line.startswith("#"):
                if equals:
                    groups[name] = members.split(",")
            elif line.startswith(" "):
                if hosts is not None:
                    for op_type in line.split():
                        _hosts.setdefault(op_type, []).append((limits, hosts))
                elif first:
                    _cpu_first.update(line.split())
                else:
                    _table.update(dict.fromkeys(line.split(), limits))
            elif line.startswith("prefer"):
                first = True
            elif line.startswith("host "):
                _, arguments, *words = line.strip().rstrip(":").split(" ")
                hosts = frozenset(arguments.split(",")) - {"-"}
                limits = _limits(" ".join(words) or "any", groups)
            else:
                limits = _limits(line.strip().rstrip(":"), groups)


def _limits(text: str, groups: dict[str, list[str]]) -> _Limits:
    found = []
    for word in text.split() if text != "any" else ():
        attr, _, types = word.partition("=")
        names = [name for group in types.split(",") for name in groups.get(group, [group])]
        found.append((attr, frozenset(as_dtype(_NAMES.get(name, name))._type_enum for name in names)))
    return tuple(found)
