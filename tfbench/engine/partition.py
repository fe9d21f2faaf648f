"""A pruned graph cut into one plain graph for each device, with a Send and a Recv wherever an edge crosses.

A value is sent once to each device that needs it, however many operations take it there; who only waits for an
operation on another device gets an empty message, `^op`. A Send stands right after what makes its value. That of a
variable's memory (`v/read`, too, is the memory itself) is looked at when it is sent, so its Send stands where the value
is first needed. A Recv stands before the first operation that needs it. So each partition keeps the one order of the
whole run, and partitions that wait for nobody's message can run at the same time; no two of them can wait for each
other, because in the order of the whole every Send comes before its Recv. (The one exception is what a loop hands to
its next iteration on another device.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tfbench.engine.operation import Operation
from tfbench.engine.prune import is_fed
from tfbench.engine.tensor import Tensor

if TYPE_CHECKING:
    from tfbench.engine.placement import Placement


#: ops whose output is one of their inputs
_HAND_ON = frozenset({"Identity", "Switch", "Merge", "Enter", "Exit", "NextIteration", "StopGradient"})


class Transfer:
    """What crosses from one device to another in a run: a tensor, or (tensor is None) that `op` has run."""

    __slots__ = ("destination", "number", "op", "source", "tensor")

    def __init__(self, number: int, op: Operation, tensor: Tensor | None, source: int, destination: int) -> None:
        self.number = number
        self.op = op
        self.tensor = tensor
        #: numbers of devices
        self.source = source
        self.destination = destination

    @property
    def place(self) -> int:
        """Where it arrives (`places` tells memories apart, too)."""
        return self.destination

    @property
    def name(self) -> str:
        """The tensor's name, or `^op`."""
        return f"^{self.op.name}" if self.tensor is None else self.tensor.name

    @property
    def bytes(self) -> int | None:
        """How much crosses, as far as types and static shapes say: None while that is not known."""
        return 0 if self.tensor is None else static_bytes(self.tensor)

    def __repr__(self) -> str:
        return f"<Transfer {self.name} {self.source}->{self.destination}>"


class Node:
    """One node of a partition: an operation, or one end of a transfer."""

    __slots__ = ("control_inputs", "inputs", "name", "op", "transfer", "type")

    def __init__(
        self,
        name: str,
        type: str,
        inputs: tuple[str, ...],
        control_inputs: tuple[str, ...],
        op: Operation | None,
        transfer: Transfer | None,
    ) -> None:
        self.name = name
        #: the operation's type, "_Send" or "_Recv"
        self.type = type
        #: names of tensors, and of nodes, of this partition (what is fed keeps the name it has in the graph)
        self.inputs = inputs
        self.control_inputs = control_inputs
        self.op = op
        self.transfer = transfer

    def __repr__(self) -> str:
        return f"<Node {self.name} {self.type}>"


class Partition:
    """What runs on one device, in order."""

    __slots__ = ("device", "nodes")

    def __init__(self, device: int) -> None:
        self.device = device
        self.nodes: list[Node] = []


class Partitions:
    """A run cut by devices: the parts in the order of their devices, and all that crosses, in the order of sending."""

    __slots__ = ("parts", "transfers")

    def __init__(self, parts: list[Partition], transfers: list[Transfer]) -> None:
        self.parts = parts
        self.transfers = transfers


def transfers(order: Iterable[Operation], placement: Placement, fed: Iterable[Tensor] = ()) -> list[Transfer]:
    """All that crosses devices when the operations of `order` run, in the order in which it is sent."""
    return [transfer for found in crossing(list(order), placement, list(fed)).values() for transfer in found]


def partition(order: Sequence[Operation], placement: Placement, fed: Iterable[Tensor] = ()) -> Partitions:
    """`order`, the operations of a run, cut into a graph for each device."""
    feeds = list(fed)
    fed = set(feeds)
    sent = crossing(order, placement, feeds)
    parts: dict[int, Partition] = {}
    coming = {(transfer.destination, key): transfer for key, found in sent.items() for transfer in found}
    #: the names of the Recv nodes that are there, by device and by what they receive
    received: dict[tuple[int, Any], str] = {}

    def part(device: int) -> Partition:
        found = parts.get(device)
        if found is None:
            found = parts[device] = Partition(device)
        return found

    def send(transfer: Transfer) -> None:
        inputs = () if transfer.tensor is None else (transfer.tensor.name,)
        control = (transfer.op.name,) if transfer.tensor is None else ()
        name = f"{transfer.op.name}/_{2 * transfer.number}"
        part(transfer.source).nodes.append(Node(name, "_Send", inputs, control, None, transfer))

    def receive(device: int, key: Any) -> str:
        found = received.get((device, key))
        if found is None:
            transfer = coming[device, key]
            if key in late:
                send(transfer)
            found = received[device, key] = f"{transfer.op.name}/_{2 * transfer.number + 1}"
            part(device).nodes.append(Node(found, "_Recv", (), (), None, transfer))
        return found

    memory: dict[Tensor, bool] = {}
    late = {key for key in sent if isinstance(key, Tensor) and key not in fed and is_memory(key, memory)}
    for tensor in feeds:
        for transfer in sent.get(tensor, ()):
            send(transfer)
    for op in order:
        device = placement.index_of(op)
        inputs = tuple(
            f"{receive(device, tensor)}:0" if placement.index_of(tensor.op) != device else tensor.name
            for tensor in op._inputs
        )
        control = tuple(
            receive(device, other) if placement.index_of(other) != device else other.name
            for other in op._control_inputs
            if not is_fed(other, fed)
        )
        part(device).nodes.append(Node(op.name, op.type, inputs, control, op, None))
        for key in (*op.outputs_list, op):
            if key not in fed and key not in late:
                for transfer in sent.get(key, ()):
                    send(transfer)
    all_sent = [transfer for found in sent.values() for transfer in found]
    return Partitions([parts[device] for device in sorted(parts)], all_sent)


def crossing(order: Sequence[Operation], placement: Placement, feeds: Sequence[Tensor]) -> dict[Any, list[Transfer]]:
    """The transfers by what is sent: a tensor, or an operation that others wait for. In the order of sending."""
    if len(placement.devices) == 1 or placement.groups is None:
        return {}
    fed = set(feeds)
    index_of = placement.index_of
    wanted: dict[Any, list[int]] = {}
    for op in order:
        device = index_of(op)
        for tensor in op._inputs:
            if index_of(tensor.op) != device:
                devices = wanted.setdefault(tensor, [])
                if device not in devices:
                    devices.append(device)
        for other in op._control_inputs:
            if index_of(other) != device and not is_fed(other, fed):
                devices = wanted.setdefault(other, [])
                if device not in devices:
                    devices.append(device)
    result: dict[Any, list[Transfer]] = {}
    number = 0
    for key in _in_order_of_sending(order, wanted, feeds):
        op, sent = (key.op, key) if isinstance(key, Tensor) else (key, None)
        result[key] = []
        for device in sorted(wanted[key]):
            result[key].append(Transfer(number, op, sent, index_of(op), device))
            number += 1
    return result


def _in_order_of_sending(
    order: Sequence[Operation], wanted: dict[Any, list[int]], feeds: Sequence[Tensor]
) -> list[Any]:
    fed = set(feeds)
    found: list[Any] = [tensor for tensor in dict.fromkeys(feeds) if tensor in wanted]
    for op in order:
        found.extend(tensor for tensor in op.outputs_list if tensor in wanted and tensor not in fed)
        if op in wanted:
            found.append(op)
    return found


def is_memory(tensor: Tensor, known: dict[Tensor, bool]) -> bool:
    """Whether a tensor may be the very memory of a reference variable. `known` keeps the answers."""
    found = known.get(tensor)
    if found is None:
        known[tensor] = False  # what a loop hands back to itself
        op = tensor.op
        found = tensor._dtype._is_ref_dtype or (
            (op.op_def.aliases or op.type in _HAND_ON) and any(is_memory(other, known) for other in op._inputs)
        )
        known[tensor] = found
    return found


def static_bytes(tensor: Tensor) -> int | None:
    """The size of a tensor in memory, or None where type or static shape do not say it."""
    shape, dtype = tensor._shape, tensor._dtype.base_dtype
    if shape is None or not dtype.is_numpy_compatible or dtype.name in ("string", "resource", "variant"):
        return None
    size = int(dtype.size)
    for count in shape:
        if count is None:
            return None
        size *= count
    return size
