"""What is said when a graph cannot be placed: TensorFlow's words, then who asked for what, where, and what there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tfbench import errors
from tfbench.engine.colocation import ConflictError, Groups
from tfbench.engine.device_names import ANY, fits, unparse
from tfbench.engine.operation import Operation

_MOST_MEMBERS = 20


def no_device_error(
    groups: Groups, root: int, i: int, devices: Sequence[Any], no_gpu: str = ""
) -> errors.InvalidArgumentError:
    """No device meets the request of a group and can run all of it. `i` is the operation that was to be placed.

    `no_gpu` is why there is no GPU, where there is none.
    """
    op, asked = groups.ops[i], groups.asked[root]
    names = sorted(device.name for device in devices)
    matching = [device for device in devices if fits(asked, device.parts)]
    lines: list[str] = []
    if asked == ANY:
        text = (
            "Node had no OpKernel registered to support this operation: Operation was "
            f"{op.type} and inputs were [{', '.join(tensor.dtype.name for tensor in op._inputs)}]."
        )
        lines = _members(groups, root, i)
    elif not op.device or groups.request(i) != asked:
        text = (
            f"Could not satisfy explicit device specification '{op.device}' because the node "
            f"{{{{colocation_node {op.name}}}}} was colocated with a group of nodes that required incompatible device "
            f"'{unparse(asked)}'. All available devices [{', '.join(names)}]."
        )
        lines = _members(groups, root, i)
    elif not matching:
        text = (
            f"{{{{node {op.name}}}}} was explicitly assigned to {op.device} but available devices are "
            f"[ {', '.join(names)} ]. Make sure the device specification refers to a valid device."
        )
        if asked[3] == "GPU" and not any(device.kind == "GPU" for device in devices):
            text += (
                f" The requested device appears to be a GPU, and there is none here{': ' if no_gpu else ''}{no_gpu}. "
                "tfbench.simulate_devices(gpu=1) makes a simulated one, "
                "tf.ConfigProto(allow_soft_placement=True) takes the CPU instead."
            )
        elif asked[:3] == (None, None, None):
            text += " With tf.ConfigProto(allow_soft_placement=True) another device is taken."
    else:
        text = (
            f"Could not satisfy explicit device specification '{op.device}' because no supported kernel for "
            f"{asked[3] or 'these'} devices is available. {op.type}{types_of(op)} runs on CPU: ask for that, or use "
            "tf.ConfigProto(allow_soft_placement=True)."
        )
        lines = _members(groups, root, i)
    return _error(op, f"Cannot assign a device for operation {op.name}: {text}", lines)


def conflict_error(
    conflict: ConflictError, ops: Sequence[Operation], devices: Sequence[Any]
) -> errors.InvalidArgumentError:
    """Two requests contradict each other."""
    groups = conflict.found
    if conflict.first == conflict.second:
        return _error(ops[conflict.first], str(conflict), [])
    shown = [conflict.first, conflict.second]
    if groups is not None:
        shown.extend(i for root in conflict.groups for i in groups.members(root) if ops[i].device)
    lines = ["Asked for:", *_listed(ops, dict.fromkeys(shown))]
    lines.append(f"Available devices: [{', '.join(sorted(device.name for device in devices))}]")
    return _error(ops[conflict.first], str(conflict), lines)


def _error(op: Operation, text: str, lines: Iterable[str]) -> errors.InvalidArgumentError:
    error = errors.InvalidArgumentError(op.node_def, op, "\n".join([text, *lines]))
    error.source = op.source
    return error


def _members(groups: Groups, root: int, i: int) -> list[str]:
    members = groups.members(root)
    if len(members) == 1:
        return []
    # Who asks for something explains more than who only came along.
    members.sort(key=lambda other: (other != i, not groups.ops[other].device))
    return ["Colocated operations, and what they asked for:", *_listed(groups.ops, members)]


def _listed(ops: Sequence[Operation], chosen: Iterable[int]) -> list[str]:
    chosen = list(chosen)
    lines = []
    for i in chosen[:_MOST_MEMBERS]:
        op = ops[i]
        place = f", made at {op.source}" if op.source else ""
        lines.append(f"  {op.name} ({op.type}): {op.device or 'no device'}{place}")
    if len(chosen) > _MOST_MEMBERS:
        lines.append(f"  and {len(chosen) - _MOST_MEMBERS} more")
    return lines


def types_of(op: Operation) -> str:
    """' of int32': the type that decides which kernel an operation has, where there is one."""
    dtype: Any = op.attrs.get("T") or op.attrs.get("dtype")
    return f" of {dtype.base_dtype.name}" if hasattr(dtype, "base_dtype") else ""
