"""A run's record as TensorFlow's messages: RunMetadata with its step statistics and partition graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.dtypes import as_dtype
from tfbench.engine.partition import Node, Partitions
from tfbench.engine.tensor import OPERATORS
from tfbench.engine.trace import Executed, Recorder


def fill_step_stats(metadata: Any, record: Recorder) -> None:
    """Adds the step statistics of a run to a RunMetadata message, by device."""
    by_device: dict[int, list[Executed]] = {}
    for executed in record.executed:
        if executed.transfer is None:
            by_device.setdefault(executed.device, []).append(executed)
        else:
            by_device.setdefault(executed.transfer.source, []).append(executed)
            by_device.setdefault(executed.transfer.destination, []).append(executed)
    threads = {thread: number for number, thread in enumerate(dict.fromkeys(e.thread for e in record.executed))}
    for device in sorted(by_device):
        stats = metadata.step_stats.dev_stats.add(device=record.devices[device].name)
        for executed in by_device[device]:
            _add_node(stats, executed, device, record.wall, threads[executed.thread])


def _add_node(stats: Any, executed: Executed, device: int, wall: int, thread: int) -> None:
    name, label = _label(executed, device)
    start = wall * 1000 + executed.start
    duration = executed.end - executed.start
    node = stats.node_stats.add(
        node_name=name,
        all_start_micros=start // 1000,
        all_start_nanos=start,
        op_end_rel_micros=duration // 1000,
        op_end_rel_nanos=duration,
        all_end_rel_micros=duration // 1000,
        all_end_rel_nanos=duration,
        scheduled_micros=start // 1000,
        scheduled_nanos=start,
        timeline_label=label,
        thread_id=thread,
    )
    for slot, (dtype, shape, size) in enumerate(executed.outputs):
        output = node.output.add(slot=slot)
        description = output.tensor_description
        if dtype:
            description.dtype = as_dtype(dtype).as_datatype_enum
        for count in shape:
            description.shape.dim.add(size=count)
        description.allocation_description.requested_bytes = size
        description.allocation_description.allocator_name = "cpu"


def _label(executed: Executed, device: int) -> tuple[str, str]:
    transfer = executed.transfer
    if transfer is None:
        op = executed.op
        inputs = [tensor.name.removesuffix(":0") for tensor in op._inputs]
        inputs += [f"^{other.name}" for other in op._control_inputs]
        return op.name, f"{op.name} = {op.type}({', '.join(inputs)})"
    number = 2 * transfer.number + (device == transfer.destination)
    name = f"{transfer.op.name}/_{number}"
    if device == transfer.source:
        return name, f"{name} = _Send({transfer.name.removesuffix(':0')})"
    return name, f"{name} = _Recv()"


def fill_partition_graphs(metadata: Any, partitions: Partitions, devices: Sequence[Any]) -> None:
    """Adds a GraphDef for each partition to a RunMetadata message."""
    for part in partitions.parts:
        graph = metadata.partition_graphs.add()
        for node in part.nodes:
            _add_node_def(graph, node, devices, part.device)


def _add_node_def(graph: Any, node: Node, devices: Sequence[Any], device: int) -> None:
    inputs = [name.removesuffix(":0") for name in node.inputs] + [f"^{name}" for name in node.control_inputs]
    if node.op is not None:
        message = graph.node.add()
        message.CopyFrom(OPERATORS["node_def"](node.op))
        del message.input[:]
        message.input.extend(inputs)
        message.device = devices[device].name
        return
    transfer = node.transfer
    assert transfer is not None
    message = graph.node.add(name=node.name, op=node.type, input=inputs, device=devices[device].name)
    attrs = message.attr
    attrs["tensor_name"].s = f"edge_{transfer.number}_{transfer.op.name}".encode()
    attrs["send_device"].s = devices[transfer.source].name.encode()
    attrs["send_device_incarnation"].i = devices[transfer.source].incarnation
    attrs["recv_device"].s = devices[transfer.destination].name.encode()
    attrs["client_terminated"].b = False
    if transfer.tensor is not None:
        kind = "T" if node.type == "_Send" else "tensor_type"
        attrs[kind].type = transfer.tensor._dtype.base_dtype.as_datatype_enum
