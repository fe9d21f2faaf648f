"""Graph: what has been built, by name and in order. Nothing here computes.

A graph can be rolled back: `mark()` remembers how it is, `roll_back(mark)` removes what was added since and
undoes what was changed; `cut(mark)` does the same and remembers what it removed, so that `put_back` can undo the
undoing. Notebook cells that are run again, and cells that fail, stand on that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any
from weakref import WeakSet

from tfbench.engine import device_names, graph_elements, history, scopes, source
from tfbench.engine import opdef as opdefs
from tfbench.engine.attributes import output_count
from tfbench.engine.collections import GraphCollections, GraphKeys
from tfbench.engine.dtypes import DType
from tfbench.engine.history import Cut, Mark
from tfbench.engine.opdef import OpDef
from tfbench.engine.operation import Operation
from tfbench.engine.scopes import Colocation, ControlDependencies, NameScope, ScopeChange, ScopeState, ThreadScopes
from tfbench.engine.shape_errors import shape_error
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import OPERATORS, Tensor

__all__ = ["Graph", "GraphKeys", "Operation", "Tensor"]


class Graph:
    """A dataflow graph: operations by name and in the order they were made, collections, scopes."""

    def __init__(self) -> None:
        self._nodes: list[Operation] = []
        self._by_name: dict[str, Operation] = {}
        self._names_in_use: dict[str, int] = {}
        #: undo log of `_names_in_use`: the names whose count grew by one
        self._name_bumps: list[str] = []
        self._local = ThreadScopes([])
        self._lock = threading.Lock()
        self.collections_store = GraphCollections()
        self.seed: int | None = None
        #: seeded random ops made so far: TensorFlow 2.21 numbers them where only the graph has a seed
        self._seeded_ops = 0
        self._finalized = False
        self._control_flow_context: Any = None
        #: set by the first loop: refuses tensors that are taken out of one
        self.input_check: Callable[[str, str, Any, Sequence[Tensor]], None] | None = None
        self._unfeedable: dict[Tensor, bool] = {}
        self._unfetchable: dict[Operation, bool] = {}
        #: what higher layers keep per graph (variable store, …): objects with snapshot() and restore(state)
        self._extensions: dict[str, Any] = {}
        #: undo log of changes to nodes that exist already: (object, attribute, old value)
        self._changes: list[tuple[Any, str, Any]] = []
        #: who takes which tensor: (changes of inputs, operations counted, tensor -> operations)
        self._users: tuple[int, int, dict[Tensor, list[Operation]]] = (0, 0, {})
        #: counts how often an operation that existed was given another input: until then, ops come after their inputs
        self.rewired = 0
        #: counts those changes; a compiled plan is valid for one count
        self.changes_version = 0
        #: functions called with the graph when somebody says that it changed (`notify`)
        self.observers: list[Callable[[Graph], None]] = []
        #: the sessions that run this graph, as long as somebody holds them
        self.sessions: WeakSet[Any] = WeakSet()
        self.building_function = False

    # -- the state of the thread that builds --------------------------------------------------------------

    @property
    def scope_state(self) -> ScopeState:
        return self._local.state

    # -- adding nodes ---------------------------------------------------------------------------------------

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` under the current scope, with `_1`, `_2`, … where it is taken. Upper and lower case are the same."""
        scope = self._local.state.name
        if scope:
            name = f"{scope}/{name}"
        key = name.lower()
        used = self._names_in_use
        count = used.get(key, 0)
        if mark_as_used:
            if count:
                self._name_bumps.append(key)
            used[key] = count + 1
        if count > 0:
            base = key
            while key in used:
                key = f"{base}_{count}"
                count += 1
            if mark_as_used:
                used[key] = 1
            name = f"{name}_{count - 1}"
        return name

    def add_node(
        self,
        op_def: OpDef,
        name: str,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        dtypes: Sequence[DType],
        trace: source.Trace | None = None,
        beside: Sequence[Operation] = (),
    ) -> Operation:
        """Adds an operation whose name is already unique and valid and whose inputs and attributes are checked.

        `trace` says where it comes from; default: what the scope says, else from whoever called. `beside` are
        operations that it is placed with, as in a `colocate_with` block for each.

        Raises:
          ValueError: if the shape function refuses the inputs, or one is in a loop. The graph is then as it was.
          RuntimeError: if the graph is finalized.
        """
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        if name in self._by_name:
            raise ValueError(f"Duplicate node name in graph: '{name}'")
        if self.input_check is not None:
            self.input_check(op_def.type, name, self._control_flow_context, inputs)
        state = self._local.state
        control = scopes.control_inputs_for(state, inputs) if state.control else ()
        if trace is None:
            trace = state.trace or source.capture(3)
        op = Operation(self, op_def, name, tuple(inputs), control, attrs, trace)
        if state.attrs or state.gradient_overrides or state.kernel_labels:
            self._apply_attr_scopes(state, op)
        if dtypes:
            shapes = _infer_shapes(op, inputs)
            if len(dtypes) == 1:
                op.outputs_list = (Tensor(op, 0, dtypes[0], shapes[0]),)
            else:
                op.outputs_list = tuple(
                    [Tensor(op, i, dtype, shape) for i, (dtype, shape) in enumerate(zip(dtypes, shapes, strict=True))]
                )
        elif op_def.shape_function is not None:
            _infer_shapes(op, inputs)
        with self._lock:
            op._id = len(self._nodes)
            self._nodes.append(op)
            self._by_name[name] = op
        if state.devices and not beside:
            scopes.apply_devices(state, op)
        if state.colocation or beside:
            self._apply_colocation([*state.colocation, *beside], op)
        if state.container and attrs.get("container") == "" and op_def.stateful:
            op.attrs = {**op.attrs, "container": state.container}
        for scope in state.control:
            scope.seen.add(op)
        context = self._control_flow_context
        if context is not None:
            op._control_flow_context = context
            context.AddOp(op)
        return op

    def _apply_attr_scopes(self, state: ScopeState, op: Operation) -> None:
        attrs = op.attrs = dict(op.attrs)
        for key, value in state.attrs.items():
            if callable(value):
                value = value(op)
            if value is not None and key not in attrs:
                attrs[key] = value
        override = state.gradient_overrides.get(op.type)
        if override is not None:
            attrs["_gradient_op_type"] = override
        label = state.kernel_labels.get(op.type)
        if label is not None:
            attrs["_kernel"] = label

    def _apply_colocation(self, colocation: list[Operation], op: Operation) -> None:
        if len(colocation) == 1:  # every node that takes a variable's reference
            groups = colocation[0]._colocation_groups()
            if len(groups) > 1:
                groups = sorted(set(groups))
            device = colocation[0].device
        else:
            groups = sorted({group for other in colocation for group in other._colocation_groups()})
            device = next((other.device for other in reversed(colocation) if other.device), "")
        if device:
            op._set_device(device)
        # Attributes and their values may be shared with other nodes: they are replaced, never changed.
        op.attrs = {**op.attrs, "_class": groups}

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        dtypes: Sequence[Any] | None = None,
        input_types: Any = None,
        name: str | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Adds an operation of a registered type; inputs are Tensors of this graph, attrs plain values."""
        for i, tensor in enumerate(inputs):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"Input #{i} is not a tensor: {tensor}")
        node: Operation = opdefs.builder.create_from_parts(
            self, opdefs.lookup(op_type), list(inputs), attrs or {}, name
        )
        return node

    # -- looking things up --------------------------------------------------------------------------------

    def get_operations(self) -> list[Operation]:
        """All operations in the order they were made."""
        return list(self._nodes)

    def get_operation_by_name(self, name: str) -> Operation:
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name: str) -> Tensor:
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The Tensor or Operation of this graph that `obj` (object or name) means.

        Raises:
          TypeError, ValueError, KeyError: where it means none, as TensorFlow tells them apart.
        """
        return graph_elements.as_graph_element(self, obj, allow_tensor, allow_operation)

    def _check_owns(self, op: Operation) -> None:
        if op.graph is not self:
            raise ValueError(f"{op.name} ({op!r}) must be from the same graph as the graph it is used in.")

    @property
    def version(self) -> int:
        """Grows with every op that is added."""
        return len(self._nodes)

    def consumers_of(self, tensor: Tensor) -> list[Operation]:
        """The operations that take `tensor` as an input. The index is made when it is first asked for."""
        version, counted, users = self._users
        if version != self.rewired:
            counted, users = 0, {}
        for op in self._nodes[counted:]:
            for source_tensor in op._inputs:
                users.setdefault(source_tensor, []).append(op)
        self._users = (self.rewired, len(self._nodes), users)
        return list(users.get(tensor, ()))

    def forget_consumers(self) -> None:
        """Has the index of `consumers_of` made anew."""
        self._users = (self.rewired, 0, {})

    def _get_control_flow_context(self) -> Any:
        """The branch or loop that ops made now belong to."""
        return self._control_flow_context

    def _set_control_flow_context(self, ctx: Any) -> None:
        self._control_flow_context = ctx

    # -- scopes -------------------------------------------------------------------------------------------

    def name_scope(self, name: str | None) -> NameScope:
        """A context manager: ops made inside have `name/` before their own name."""
        return NameScope(self, name)

    def get_name_scope(self) -> str:
        return self.scope_state.name

    def control_dependencies(self, control_inputs: Any) -> ControlDependencies:
        """Ops made inside run only after `control_inputs`. None clears what outer blocks ask for."""
        if control_inputs is not None:
            control_inputs = graph_elements.control_operations(self, control_inputs)
        return ControlDependencies(self, control_inputs)

    def device(self, device_name_or_function: Any) -> ScopeChange:
        """Ops made inside ask for this device: a string, a DeviceSpec, a function of the op, or None."""
        entry = device_name_or_function
        if entry is not None and not callable(entry):
            entry = device_names.canonical_name(entry)
        return ScopeChange(self, "devices", lambda outer: [*outer, entry])

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Colocation:
        """Ops made inside are placed where `op` (an op, a tensor or a variable) is."""
        if op is None and not ignore_existing:
            raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
        if not (type(op) is Operation and op.graph is self and self.owns(op)):
            op = graph_elements.colocation_operation(self, op)
        return Colocation(self, op, ignore_existing)

    def gradient_override_map(self, op_type_map: dict[str, str]) -> ScopeChange:
        """Ops of these types made inside use another registered gradient."""
        _check_string_map(op_type_map, "op_type_map")
        return ScopeChange(self, "gradient_overrides", lambda outer: {**outer, **op_type_map})

    def _kernel_label_map(self, op_to_kernel_label_map: dict[str, str]) -> ScopeChange:
        _check_string_map(op_to_kernel_label_map, "op_to_kernel_label_map")
        return ScopeChange(self, "kernel_labels", lambda outer: {**outer, **op_to_kernel_label_map})

    def _attr_scope(self, attr_map: dict[str, Any]) -> ScopeChange:
        """Ops made inside get these attributes; a None value takes one back."""

        def merged(outer: dict[str, Any]) -> dict[str, Any]:
            return {key: value for key, value in {**outer, **attr_map}.items() if value is not None}

        return ScopeChange(self, "attrs", merged)

    def container(self, container_name: str) -> ScopeChange:
        """Stateful ops made inside live in this resource container."""
        return ScopeChange(self, "container", lambda _: container_name, container_name)

    def as_default(self) -> AbstractContextManager[Graph]:
        """Makes this the default graph of the thread for the length of a block."""
        from tfbench.engine.default_graph import default_graph_stack

        return default_graph_stack.pushed(self)

    # -- collections ----------------------------------------------------------------------------------------

    def add_to_collection(self, name: Any, value: Any) -> None:
        self._check_not_finalized()
        self.collections_store.add(name, value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        names = (names,) if isinstance(names, (str, bytes)) else list(dict.fromkeys(names))
        for name in names:
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of the collection; with `scope`, a regular expression, the items whose name begins with a match."""
        return self.collections_store.get(name, scope)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The collection itself: changing the list changes the graph."""
        return self.collections_store.ref(name)

    def get_all_collection_keys(self) -> list[str]:
        return self.collections_store.keys()

    @property
    def collections(self) -> list[str]:
        return self.collections_store.keys()

    def clear_collection(self, name: Any) -> None:
        self._check_not_finalized()
        self.collections_store.clear(name)

    # -- finalising, feeding and fetching -----------------------------------------------------------------

    def finalize(self) -> None:
        """No op can be added any more."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = False

    @property
    def finalized(self) -> bool:
        return self._finalized

    def _check_not_finalized(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def prevent_feeding(self, tensor: Tensor) -> None:
        self._unfeedable[tensor] = True

    def is_feedable(self, tensor: Tensor) -> bool:
        return tensor not in self._unfeedable

    def prevent_fetching(self, op: Operation) -> None:
        self._unfetchable[op] = True
        self.changes_version += 1  # plans that fetch it are not valid any more

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return op not in self._unfetchable

    # -- as a message -----------------------------------------------------------------------------------------

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """This graph as a GraphDef message."""
        return OPERATORS["graph_def"](self, from_version or 0, add_shapes)

    @property
    def graph_def_versions(self) -> Any:
        return OPERATORS["graph_def_versions"]()

    # -- going back -------------------------------------------------------------------------------------------

    def record_change(self, target: Any, attribute: str, old: Any) -> None:
        """Notes a change to a node that exists already, so that it can be undone and plans know."""
        self._changes.append((target, attribute, old))
        self.changes_version += 1
        if attribute == "_inputs":
            self.rewired += 1

    def record_undo(self, target: Any, attribute: str, old: Any) -> None:
        """Notes a change that no plan depends on (a scope's reuse flag, a template's state), to be undone with it."""
        self._changes.append((target, attribute, old))

    def mark(self) -> Mark:
        """Remembers how the graph is now."""
        return history.Mark(self)

    def roll_back(self, mark: Mark) -> list[Operation]:
        """Makes the graph what it was at `mark`; returns the operations that are gone.

        Tensors of removed operations are dead: their `op.graph` still says this graph, but
        `owns(op)` is False.
        """
        return history.roll_back(self, mark)

    def cut(self, mark: Mark) -> Cut:
        """`roll_back` that can be undone: give the result to `put_back`."""
        return history.cut(self, mark)

    def put_back(self, cut: Cut) -> list[Operation]:
        """Undoes `cut(mark)`: the same operations are part of the graph again. Returns those added since, now gone."""
        return history.put_back(self, cut)

    def owns(self, op: Operation) -> bool:
        """Whether `op` is still part of this graph."""
        nodes = self._nodes
        return op._id < len(nodes) and nodes[op._id] is op

    def extension(self, key: str, make: Callable[[], Any]) -> Any:
        """What a higher layer keeps for this graph under `key`; made on first use, rolled back with the graph."""
        found = self._extensions.get(key)
        if found is None:
            found = self._extensions[key] = make()
        return found

    def notify(self) -> None:
        """Tells observers that a batch of changes is complete."""
        for observer in list(self.observers):
            observer(self)


def _check_string_map(mapping: Any, what: str) -> None:
    if not isinstance(mapping, dict):
        raise TypeError(f"{what} must be a dictionary mapping strings to strings")
    for key, value in mapping.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"{what} must be a dictionary mapping strings to strings")


def _infer_shapes(op: Operation, inputs: Sequence[Tensor]) -> Sequence[Shape]:
    function = op.op_def.shape_function
    if function is None:
        return [None] * output_count(op)
    try:
        return function(op, *[tensor._shape for tensor in inputs])
    except ValueError as error:
        raise shape_error(op, error) from None
