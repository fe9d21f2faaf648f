"""In which memory the values of a program are, where some of its devices have memory of their own.

A *place* is a number: that of a device for its own memory, `~number` for the host's memory as an operation on that GPU
uses it. An operation on a GPU takes and gives some arguments in the host's memory, by TensorFlow's rules
(`gpu_kernels`): shapes, axes, int32 numbers, what decides about branches. What is fed is the host's.

Where a value is wanted in another place than the one where it is, it is copied: once for each place, right after it is
made. Between two devices that is the transfer that there is anyway; between a GPU and the host it is a `Copy`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tfbench.engine import dtypes, transfers
from tfbench.engine.attributes import reference_inputs
from tfbench.engine.binding import bind
from tfbench.engine.devices import Device
from tfbench.engine.frames import SWITCHES
from tfbench.engine.gpu_kernels import in_host_memory
from tfbench.engine.opdef import Preset
from tfbench.engine.operation import Operation
from tfbench.engine.partition import Transfer
from tfbench.engine.placement import Placement
from tfbench.engine.resources import ResourceStore, VariableBuffer
from tfbench.engine.tensor import Tensor

_HANDLES = frozenset({dtypes.resource, dtypes.variant, dtypes.string})


class Copy(Transfer):
    """A transfer that says which memories it is between. `source` and `destination` are devices, for people."""

    __slots__ = ("_place", "origin")

    def __init__(self, transfer: Transfer, origin: int, place: int) -> None:
        super().__init__(transfer.number, transfer.op, transfer.tensor, transfer.source, transfer.destination)
        self.origin = origin
        self._place = place

    @property
    def place(self) -> int:
        """Where it arrives."""
        return self._place


class Places:
    """The places of one program's values."""

    def __init__(
        self,
        operations: Sequence[Operation],
        placement: Placement,
        feeds: Iterable[Tensor],
        fetches: Iterable[Tensor],
        sent: dict[Any, list[Transfer]],
    ) -> None:
        self._placement = placement
        self._devices: Sequence[Any] = placement.devices
        self._fed = set(feeds)
        self._several = sum(not device.on_host for device in self._devices) > 1
        #: for each operation on a GPU: whether its inputs and outputs are the host's
        self._hosts: dict[Operation, tuple[list[bool], list[bool]]] = {}
        self._sent = self._with_copies(operations, fetches, sent)

    @property
    def sent(self) -> dict[Any, list[Transfer]]:
        """All that is copied, by what is sent: a tensor, or an operation that others wait for."""
        return self._sent

    def home(self, tensor: Tensor) -> int:
        """Where a tensor is made, or fed."""
        number = self._placement.index_of(tensor.op)
        if self._devices[number].on_host:
            return number
        if tensor in self._fed:
            return number if tensor._dtype._is_ref_dtype else ~number
        return ~number if self._of(tensor.op)[1][tensor.value_index] else number

    def taken(self, op: Operation) -> list[int]:
        """Where an operation takes its inputs from."""
        number = self._placement.index_of(op)
        if self._devices[number].on_host:
            return [number] * len(op._inputs)
        return [~number if host else number for host in self._of(op)[0]]

    def read_by_host(self, tensor: Tensor) -> int:
        """Where the host finds a tensor that is made here: in its own memory."""
        home = self.home(tensor)
        return ~home if self.in_own_memory(home) else home

    def in_own_memory(self, place: int) -> bool:
        """Whether a place is a GPU's own memory."""
        return place >= 0 and not self._devices[place].on_host

    def _of(self, op: Operation) -> tuple[list[bool], list[bool]]:
        found = self._hosts.get(op)
        if found is None:
            found = self._hosts[op] = in_host_memory(op)
        return found

    def _with_copies(
        self, operations: Sequence[Operation], fetches: Iterable[Tensor], sent: dict[Any, list[Transfer]]
    ) -> dict[Any, list[Transfer]]:
        wanted: dict[Tensor, list[int]] = {}
        for op in operations:
            takes_ref = reference_inputs(op.op_def, op.attrs)
            for tensor, place, takes in zip(op._inputs, self.taken(op), takes_ref, strict=True):
                if not takes:
                    _add(wanted, tensor, place)
            if op.type in SWITCHES:
                # The host decides about the branch, by the first tensor that has the predicate's value.
                root = root_of(op._inputs[1], self._fed)
                _add(wanted, root, self.read_by_host(root))
        for tensor in fetches:
            _add(wanted, tensor, self.read_by_host(tensor))
        result: dict[Any, list[Transfer]] = {key: list(found) for key, found in sent.items()}
        number = sum(len(found) for found in sent.values())
        for tensor, places in wanted.items():
            home = self.home(tensor)
            found: list[Transfer] = []
            crossing = {transfer.destination: transfer for transfer in sent.get(tensor, ())}
            # By device, the host's memory first: from there a GPU's own is one copy away.
            for place in sorted(places, key=lambda place: (_device(place), place)):
                device = _device(place)
                if place == home:
                    continue
                transfer = crossing.pop(device, None)
                if transfer is not None:
                    found.append(Copy(transfer, home, place))
                    continue
                origin = home if device == _device(home) else ~place
                ends = (0, device) if place >= 0 else (device, 0)
                found.append(Copy(Transfer(number, tensor.op, tensor, *ends), origin, place))
                number += 1
            # A reference that is taken as one elsewhere is not copied by anybody.
            found.extend(crossing.values())
            if found:
                result[tensor] = found
        return result

    # -- what is done ----------------------------------------------------------------------------------------------

    def copier(self, transfer: Transfer) -> Callable[..., Any]:
        """The function that makes a transfer's copy."""
        tensor = transfer.tensor
        if not isinstance(transfer, Copy) or tensor is None:
            return transfers.copier(transfer)
        if tensor._dtype.base_dtype in _HANDLES:
            return transfers.as_it_is
        from_own, to_own = self.in_own_memory(transfer.origin), self.in_own_memory(transfer.place)
        destination = self._devices[_device(transfer.place)]
        if not from_own:
            return destination.from_host if to_own else transfers.copied
        source = self._devices[_device(transfer.origin)]
        if not to_own:
            return source.to_host
        return lambda value: destination.from_peer(source, value)

    def bind(self, op: Operation, resources: ResourceStore) -> Any:
        """The function of arrays that computes `op`, or a Preset.

        What has no output in a GPU's memory is computed with NumPy: of arrays of the GPU it sees the shape alone.
        """
        device = self._placement.device_of(op)
        if device.on_host:
            return _settled(bind(op, device, resources), None)
        takes, gives = self._of(op)
        kernels = op.op_def.kernels
        if "CPU" in kernels and all(gives or takes) and not _makes_state(op):
            return bind(op, host_side(device), resources)
        if op.type == "Const":
            return Preset(device.constant(op))
        with device.current():
            function = _settled(bind(op, device, resources), device)
        return function if isinstance(function, Preset) else self.within(op, function)

    def within(self, op: Operation, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, called while the GPU that `op` is on is CUDA's current device, where that is not clear."""
        device = self._placement.device_of(op)
        return device.within(function) if self._several and not device.on_host else function

    def anywhere(self, op: Operation) -> bool:
        """Whether `op` can be computed whichever GPU is CUDA's current device: there is one, or it is the host's."""
        return not self._several or not any(map(self.in_own_memory, self.taken(op)))

    def constant(self, op: Operation, place: int) -> Any:
        """The value of a constant, in a place: one array for all plans that have it there."""
        return self._devices[place].constant(op) if self.in_own_memory(place) else op.attrs["value"]

    def xp(self, place: int) -> Any:
        """The array module of a place."""
        return self._devices[place].xp if self.in_own_memory(place) else np


def places_of(
    operations: Sequence[Operation],
    placement: Placement,
    feeds: Sequence[Tensor],
    fetches: Sequence[Tensor],
    sent: dict[Any, list[Transfer]],
) -> Places | None:
    """The places of a program's values; None where all memory is the host's."""
    if all(device.on_host for device in placement.devices):
        return None
    return Places(operations, placement, feeds, fetches, sent)


def _makes_state(op: Operation) -> bool:
    """Whether an operation makes what keeps arrays in its device's memory, and gives a handle to it."""
    kernel = op.op_def.kernels.get("GPU")
    return op.op_def.stateful and kernel is not None and kernel.binds


def host_side(device: Device) -> Device:
    """The host as it computes for a GPU: NumPy, under the GPU's name."""
    found = Device(device.kind, device.index, np)
    found.kernels = "CPU"
    return found


def _settled(function: Any, device: Any) -> Any:
    """A variable that was bound is in the memory of its operation's device from now on."""
    if isinstance(function, Preset) and isinstance(function.value, VariableBuffer):
        function.value.settle(device)
    return function


def root_of(tensor: Tensor, fed: set[Tensor]) -> Tensor:
    """The tensor that `tensor` always has the value of: one predicate has one set of guards, whatever it is called."""
    while tensor not in fed:
        op = tensor.op
        if op.type != "Identity" and not (op.type == "Enter" and op.attrs["is_constant"]):
            break
        if op._inputs[0]._dtype._is_ref_dtype:
            break
        tensor = op._inputs[0]
    return tensor


def _add(wanted: dict[Tensor, list[int]], tensor: Tensor, place: int) -> None:
    places = wanted.setdefault(tensor, [])
    if place not in places:
        places.append(place)


def _device(place: int) -> int:
    return place if place >= 0 else ~place
