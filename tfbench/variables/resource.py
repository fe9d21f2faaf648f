"""Resource variables: a handle, explicit reads, and values that never change under a reader's hands."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import DType
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.ops import resource_state
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.gather_nd import resource_gather_nd
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import OPERATORS, Tensor
from tfbench.variables.base import Variable
from tfbench.variables.safe_initial_value import guarded


class ResourceVariable(Variable):
    """A variable behind a handle of dtype `resource`; each read is an operation."""

    _dtype: DType
    _handle: Tensor
    _graph_element: Tensor
    _cached_value: Tensor | None = None
    _parent_op: Operation | None = None
    _caching_device: Any = None

    def _build(
        self,
        initial_value: Any,
        scope: str,
        validate_shape: bool,
        caching_device: Any,
        dtype: Any,
        expected_shape: Any,
        shape: Any,
    ) -> None:
        graph = get_default_graph()
        name = scope[:-1]
        expected = expected_shape if expected_shape is not None else shape
        with graph._attr_scope({"_class": [f"loc:@{name}"]}):
            with graph.name_scope("Initializer"), graph.device(None):
                given = initial_value() if callable(initial_value) else initial_value
                value = self._make_initial_value(given, dtype, validate_shape, expected)
            self._handle = resource_state.var_handle(
                shape=value.shape,
                dtype=value.dtype.base_dtype,
                shared_name=name,
                debug_name=scope,
                name=scope,
            )
        self._check_shape_known(value, validate_shape)
        self._dtype = value.dtype.base_dtype
        self._initial_value = value
        self._variable = self._handle
        with graph.name_scope("IsInitialized"):
            resource_state.is_initialized(self._handle)
        with graph.name_scope("Assign") as assign_scope, graph.colocate_with(None, ignore_existing=True):
            with graph.device(self._handle.device):
                self._initializer_op = resource_state.assign_variable(
                    self._handle, guarded(scope, value), dtype=self._dtype, name=assign_scope
                )
        self._caching_device = caching_device
        with graph.name_scope("Read"):
            with graph.device(self._handle.device):
                self._graph_element = self._read_here()
            if caching_device is not None:
                with graph.colocate_with(None, ignore_existing=True), graph.device(caching_device):
                    self._cached_value = identity(self._graph_element)

    def _from_proto(self, message: Any, import_scope: str | None) -> None:
        graph = get_default_graph()
        prefix = f"{import_scope}/" if import_scope else ""
        self._variable = self._handle = graph.as_graph_element(prefix + message.variable_name)
        self._dtype = self._handle.op.attrs["dtype"]
        self._initializer_op = graph.as_graph_element(prefix + message.initializer_name)
        self._initial_value = (
            graph.as_graph_element(prefix + message.initial_value_name) if message.initial_value_name else None
        )
        self._trainable = message.trainable
        snapshot = graph.as_graph_element(prefix + message.snapshot_name)
        self._graph_element = snapshot
        if snapshot.op.type != "ReadVariableOp":
            self._cached_value = snapshot
            self._graph_element = snapshot.op.inputs[0]
        if message.HasField("save_slice_info_def"):
            self._save_slice_info = Variable.SaveSliceInfo(
                save_slice_info_def=message.save_slice_info_def, import_scope=import_scope
            )

    # -- what it is ---------------------------------------------------------------------------------------

    @property
    def handle(self) -> Tensor:
        """The tensor that stands for the variable's resource."""
        return self._handle

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape(resource_state.variable_shape(self._handle))

    @property
    def op(self) -> Operation:
        return self._parent_op or self._handle.op

    @property
    def _shared_name(self) -> str:
        return self._handle.op.name

    def _as_graph_element(self) -> Tensor:
        return self._graph_element

    # -- reading ------------------------------------------------------------------------------------------

    def _read(self) -> Tensor:
        """A read on the caching device where there is one, else where the blocks around it say."""
        if self._caching_device is None:
            return self._read_here()
        with self.graph.colocate_with(None, ignore_existing=True), self.graph.device(self._caching_device):
            return self._read_here()

    def _read_here(self) -> Tensor:
        return resource_state.read_variable(self._handle, dtype=self._dtype)

    def value(self) -> Tensor:
        """A new read operation (or the copy on the caching device)."""
        if self._cached_value is not None:
            return self._cached_value
        graph = self.graph
        if self._parent_op is None:
            with graph.colocate_with(None, ignore_existing=True):
                return self._read()
        # What was just written is read where it is asked for: devices and colocation around it hold.
        with graph.control_dependencies([self._parent_op]):
            return self._read()

    def read_value(self) -> Tensor:
        """A new read, which waits for the control dependencies around it."""
        if self._parent_op is not None:
            with self.graph.control_dependencies([self._parent_op]):
                return self._read()
        with self.graph.name_scope("Read"):
            value = self._read()
        return identity(value)

    def _ref(self) -> Tensor:
        raise ValueError(f"'{self.name}' is a resource variable and has no reference; use its methods to change it.")

    def _is_initialized(self, name: str | None = None) -> Tensor:
        return resource_state.is_initialized(self._handle, name=name)

    def eval(self, session: Any = None) -> Any:
        return OPERATORS["eval"](self._graph_element, None, session)

    def set_shape(self, shape: Any) -> None:
        self._graph_element.set_shape(shape)

    # -- writing --------------------------------------------------------------------------------------------

    def _after_caching(self) -> AbstractContextManager[Any]:
        """What is written waits for the copy on the caching device, if there is one."""
        return nullcontext() if self._cached_value is None else self.graph.control_dependencies([self._cached_value])

    def _after(self, op: Operation, read_value: bool) -> Any:
        return AssignedVariable(self, op) if read_value else op

    def _to_assign(self, value: Any, what: str = "Const") -> Tensor:
        tensor = convert_to_tensor(value, dtype=self._dtype, name=what)
        if not self.shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable shape {self.shape}, and "
                f"the assigned value shape {tensor.shape} are incompatible."
            )
        return tensor

    def assign(
        self, value: Any, use_locking: bool | None = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Sets the value. Returns the variable as it is afterwards (or the operation)."""
        with self._after_caching():
            tensor = self._to_assign(value)
            op = resource_state.assign_variable(self._handle, tensor, dtype=self._dtype, validate_shape=True, name=name)
        return self._after(op, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool | None = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta`."""
        with self._after_caching():
            tensor = convert_to_tensor(delta, dtype=self._dtype)
            op = resource_state.assign_add_variable(self._handle, tensor, dtype=self._dtype, name=name)
        return self._after(op, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool | None = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts `delta`."""
        with self._after_caching():
            tensor = convert_to_tensor(delta, dtype=self._dtype)
            op = resource_state.assign_sub_variable(self._handle, tensor, dtype=self._dtype, name=name)
        return self._after(op, read_value)

    def scatter(self, kind: str, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Applies `updates` to rows (`kind` 'add', …) or elements ('nd_add', …); returns the variable afterwards."""
        updates = convert_to_tensor(updates, dtype=self._dtype)
        extra = {"T": self._dtype} if kind.startswith("nd_") else {"dtype": self._dtype}
        return self._after(resource_state.SCATTERS[kind](self._handle, indices, updates, name=name, **extra), True)

    def _scatter_slices(self, kind: str, sparse_delta: Any, name: str | None) -> Any:
        if not (hasattr(sparse_delta, "indices") and hasattr(sparse_delta, "values")):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        return self.scatter(kind, sparse_delta.indices, sparse_delta.values, name)

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Adds IndexedSlices to the rows that they name."""
        return self._scatter_slices("add", sparse_delta, name)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Subtracts IndexedSlices."""
        return self._scatter_slices("sub", sparse_delta, name)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Multiplies rows by IndexedSlices."""
        return self._scatter_slices("mul", sparse_delta, name)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Divides rows by IndexedSlices."""
        return self._scatter_slices("div", sparse_delta, name)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Takes the smaller of row and IndexedSlices."""
        return self._scatter_slices("min", sparse_delta, name)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Takes the larger of row and IndexedSlices."""
        return self._scatter_slices("max", sparse_delta, name)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Sets rows to IndexedSlices."""
        return self._scatter_slices("update", sparse_delta, name)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Adds `updates` at index rows."""
        return self.scatter("nd_add", indices, updates, name)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtracts `updates` at index rows."""
        return self.scatter("nd_sub", indices, updates, name)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Sets elements at index rows."""
        return self.scatter("nd_update", indices, updates, name)

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The rows that `indices` name, without reading the rest."""
        with self.graph.name_scope("Gather" if name is None else name) as scope:
            return resource_state.gather(self._handle, indices, dtype=self._dtype, name=scope)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at index rows, without reading the rest."""
        with self.graph.name_scope("GatherNd" if name is None else name) as scope:
            value = resource_gather_nd(self._handle, indices, dtype=self._dtype, name=scope)
        return identity(value)

    def count_up_to(self, limit: int) -> Tensor:
        return resource_state.count_up_to(self._handle, limit=limit, T=self._dtype)

    # -- as a message -----------------------------------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A VariableDef message, or None where the variable is not in `export_scope`."""
        from tfbench.variables.protos import variable_def

        snapshot = self._cached_value if self._cached_value is not None else self._graph_element
        return variable_def(self, export_scope, snapshot.name, is_resource=True)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> ResourceVariable:
        """The variable of the default graph that a VariableDef describes."""
        return ResourceVariable(variable_def=variable_def, import_scope=import_scope)

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


class AssignedVariable(ResourceVariable):
    """A variable as it is after an assignment: reads of it wait for that operation."""

    def __init__(self, variable: ResourceVariable, parent_op: Operation) -> None:
        self.__dict__.update(variable.__dict__)
        self._cached_value = self._caching_device = None
        self._parent_op = parent_op
        graph = get_default_graph()
        with graph.control_dependencies([parent_op]):
            self._graph_element = self._read()

    @property
    def graph(self) -> Graph:
        """Where it was assigned: that may be in a function."""
        assert self._parent_op is not None
        return self._parent_op.graph

    @property
    def name(self) -> str:
        return self.op.name

    def assign(self, *args: Any, **kwargs: Any) -> Any:
        """Sets the value, after the assignment that this is the result of."""
        with self.graph.control_dependencies([self.op]):
            return super().assign(*args, **kwargs)

    def assign_add(self, *args: Any, **kwargs: Any) -> Any:
        """Adds, after the assignment that this is the result of."""
        with self.graph.control_dependencies([self.op]):
            return super().assign_add(*args, **kwargs)

    def assign_sub(self, *args: Any, **kwargs: Any) -> Any:
        """Subtracts, after the assignment that this is the result of."""
        with self.graph.control_dependencies([self.op]):
            return super().assign_sub(*args, **kwargs)

    def scatter(self, kind: str, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Scatters, after the assignment that this is the result of."""
        with self.graph.control_dependencies([self.op]):
            return super().scatter(kind, indices, updates, name)
