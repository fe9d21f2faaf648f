"""The scopes that a graph is built in: names, control dependencies, devices, colocation, attributes.

Each thread that builds a graph has its own `ScopeState`; entering a scope pushes, leaving pops. Nothing
here computes, and nothing here knows what an operation does.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tfbench.engine import device_names, source
from tfbench.engine.empty_blocks import EmptyBlock, EmptyBlocks
from tfbench.engine.source import Trace

if TYPE_CHECKING:
    from tfbench.engine.graph import Graph, Operation
    from tfbench.engine.tensor import Tensor

VALID_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
VALID_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


def check_name(name: str) -> None:
    """Raises ValueError unless a node can have this name."""
    if not VALID_OP_NAME.match(name):
        raise ValueError(f"`{name}` is not a valid node name. Accepted names conform to Regex /{VALID_OP_NAME}/")


class ControlScope:
    """One `control_dependencies` block: what it waits for and which ops were made inside it."""

    __slots__ = ("inputs", "seen")

    def __init__(self, inputs: list[Operation]) -> None:
        self.inputs = inputs
        self.seen: set[Operation] = set()


class ScopeState:
    """All stacks of one thread. Lists are replaced, never changed, so that a saved list stays as it was."""

    __slots__ = (
        "attrs",
        "colocation",
        "container",
        "control",
        "devices",
        "devices_outside",
        "entered",
        "gradient_overrides",
        "kernel_labels",
        "name",
        "trace",
    )

    def __init__(self) -> None:
        self.name = ""
        #: where nodes are said to come from, while library code makes many for one call of the user's
        self.trace: Trace | None = None
        self.control: list[ControlScope] = []
        self.devices: list[Any] = []
        #: the devices around each open block of colocation, which hides them
        self.devices_outside: list[list[Any]] = []
        #: for each block in which the graph is the default one, how many blocks of colocation are around it
        self.entered: list[int] = []
        self.colocation: list[Operation] = []
        self.attrs: dict[str, Any] = {}
        self.gradient_overrides: dict[str, str] = {}
        self.kernel_labels: dict[str, str] = {}
        self.container = ""

    def copy(self) -> ScopeState:
        new = ScopeState()
        for slot in self.__slots__:
            setattr(new, slot, getattr(self, slot))
        return new


class ThreadScopes(threading.local):
    """The `state` of one graph, for each thread that builds it another one."""

    def __init__(self, first: list[ScopeState]) -> None:
        self.state = state = ScopeState()
        # Names and control dependencies are a thread's own; where ops are to be placed is the graph's.
        if first:
            state.devices, state.colocation = first[0].devices, first[0].colocation
        else:
            first.append(state)


def control_inputs_for(state: ScopeState, inputs: Sequence[Tensor]) -> tuple[Operation, ...]:
    """The control inputs of a new op: those of the open blocks that no data input implies already."""
    made_by = [tensor.op for tensor in inputs]
    found: list[Operation] = []
    for scope in state.control:
        seen = scope.seen
        for op in made_by:
            if op in seen:
                break
        else:
            found += [op for op in scope.inputs if op not in made_by]
    if len(found) < 2:
        return tuple(found)
    return tuple(dict.fromkeys(found))


def apply_devices(state: ScopeState, op: Operation) -> None:
    """Runs the device stack over a new op, innermost first: what is set already stays."""
    for entry in reversed(state.devices):
        if entry is None:
            break
        if callable(entry):
            wanted = entry(op)
            if not isinstance(wanted, (str, device_names.DeviceSpec)):
                raise TypeError(
                    f"Expected binary or unicode string, got {wanted!r}: the device function {entry!r} must return a "
                    f"device for '{op.name}' ({op.type})."
                )
            # A device function's answer replaces; its text is kept as it was given.
            op._set_device(wanted)
        else:
            op._set_device(device_names.merge(op.device, entry))


def lifted_devices(state: ScopeState) -> list[Any]:
    """The devices that count for what is lifted out of the blocks around it, as variables are (`init_scope`).

    Where colocation hides the devices around it, those come back that the innermost block has in which the graph is
    the default one.
    """
    if state.devices or not state.entered:
        return state.devices
    level = state.entered[-1]
    return state.devices_outside[level] if level < len(state.devices_outside) else state.devices


class ScopeChange:
    """Context manager that sets one of the stacks of a graph's scope state for the length of a block.

    A plain class with what to set as a function of what there is on entry: these are entered for most nodes, and
    generators would cost more than the nodes.
    """

    __slots__ = ("change", "graph", "old", "stack", "value")

    def __init__(self, graph: Graph, stack: str, change: Callable[[Any], Any], value: Any = None) -> None:
        self.graph = graph
        self.stack = stack
        self.change = change
        self.value = value

    def __enter__(self) -> Any:
        state = self.graph._local.state
        self.old = getattr(state, self.stack)
        setattr(state, self.stack, self.change(self.old))
        return self.value

    def __exit__(self, *_: object) -> None:
        setattr(self.graph._local.state, self.stack, self.old)


class ControlDependencies:
    """Context manager behind `Graph.control_dependencies`."""

    __slots__ = ("graph", "inputs", "old_context", "old_control", "scope")

    def __init__(self, graph: Graph, inputs: list[Operation] | None) -> None:
        self.graph = graph
        self.inputs = inputs

    def __enter__(self) -> None:
        graph = self.graph
        state = graph._local.state
        self.old_control, self.old_context = state.control, graph._control_flow_context
        if self.inputs is None:
            state.control = []
            graph._control_flow_context = None
        else:
            self.scope = ControlScope(self.inputs)
            state.control = [*state.control, self.scope]

    def __exit__(self, kind: object, *_: object) -> None:
        self.graph._local.state.control = self.old_control
        self.graph._control_flow_context = self.old_context
        if self.inputs and not self.scope.seen and kind is None and source.is_users(1):
            block = EmptyBlock(tuple(self.inputs), source.capture(1))
            self.graph.extension("empty_blocks", EmptyBlocks).found.append(block)


class Lifted:
    """Context manager for what belongs to no block around it, as a variable: no control inputs, no branch of a `cond`.

    What of the devices counts says `lifted_devices`.
    """

    __slots__ = ("graph", "old")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __enter__(self) -> None:
        graph = self.graph
        state = graph._local.state
        self.old = (state.control, state.devices, graph._control_flow_context)
        state.control = []
        state.devices = lifted_devices(state)
        graph._control_flow_context = None

    def __exit__(self, *_: object) -> None:
        graph = self.graph
        state = graph._local.state
        state.control, state.devices, graph._control_flow_context = self.old


class Colocation:
    """Context manager behind `Graph.colocate_with`: entered for every node that takes a reference."""

    __slots__ = ("graph", "ignore_existing", "old", "target")

    def __init__(self, graph: Graph, target: Operation | None, ignore_existing: bool) -> None:
        self.graph = graph
        self.target = target
        self.ignore_existing = ignore_existing

    def __enter__(self) -> None:
        state = self.graph._local.state
        self.old = (state.colocation, state.devices, state.devices_outside)
        outer = [] if self.ignore_existing else state.colocation
        state.colocation = outer if self.target is None else [*outer, self.target]
        state.devices_outside = [*state.devices_outside, state.devices]
        state.devices = []

    def __exit__(self, *_: object) -> None:
        state = self.graph._local.state
        state.colocation, state.devices, state.devices_outside = self.old


class NameScope:
    """Context manager behind `Graph.name_scope`; a plain class because it is entered once per op."""

    __slots__ = ("graph", "name", "old")

    def __init__(self, graph: Graph, name: Any) -> None:
        self.graph = graph
        self.name = name

    def __enter__(self) -> str:
        graph = self.graph
        name: Any = self.name
        state = graph._local.state
        self.old = state.name
        if name:
            if isinstance(name, bytes):
                name = name.decode()
            pattern = VALID_SCOPE_NAME if state.name else VALID_OP_NAME
            if not pattern.match(name):
                kind = "scope" if state.name else "root scope"
                raise ValueError(
                    f"'{name}' is not a valid {kind} name. A {kind} name has to match the following pattern: "
                    f"{pattern.pattern}"
                )
            if name[-1] == "/":
                state.name = name[:-1]
                return name
            state.name = graph.unique_name(name)
            return state.name + "/"
        state.name = ""
        return ""

    def __exit__(self, *_: object) -> None:
        self.graph._local.state.name = self.old


class InitialValue:
    """Ops made inside compute the initial value of the variable whose colocation groups these are.

    They belong to the variable, wherever the surrounding code would have put them, and are in its scope `Initializer`.
    """

    __slots__ = ("graph", "groups", "old")

    def __init__(self, graph: Graph, groups: list[str]) -> None:
        self.graph = graph
        self.groups = groups

    def __enter__(self) -> None:
        graph = self.graph
        state = graph._local.state
        self.old = (state.attrs, state.name, state.devices)
        state.attrs = {**state.attrs, "_class": self.groups}
        state.name = graph.unique_name("Initializer")
        state.devices = [*state.devices, None]

    def __exit__(self, *_: object) -> None:
        state = self.graph._local.state
        state.attrs, state.name, state.devices = self.old
