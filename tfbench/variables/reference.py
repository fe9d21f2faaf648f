"""Reference variables: TensorFlow 1.x's own kind, read through an alias and written in place."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.apply import add_made
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.ops import state
from tfbench.engine.ops.base import identity, identity_op
from tfbench.engine.scopes import InitialValue
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.engine.tensor import Tensor
from tfbench.variables.base import Variable
from tfbench.variables.safe_initial_value import guarded


class RefVariable(Variable):
    """A variable whose buffer is a reference tensor (dtype `float32_ref`)."""

    _snapshot: Tensor

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
        expected = expected_shape if shape is None else None
        if callable(initial_value):
            groups = [f"loc:@{scope[:-1]}"]
            with InitialValue(graph, groups):
                value = self._make_initial_value(initial_value(), dtype, validate_shape, expected)
            self._variable = self._buffer(graph, value, validate_shape, shape, scope, {"_class": groups})
        else:
            value = self._make_initial_value(initial_value, dtype, validate_shape, expected)
            if value.op._control_flow_context is not None:
                raise ValueError(
                    f"Initializer for variable {scope} is from inside a control-flow construct, such as a loop or "
                    "conditional. When creating a variable inside a loop or conditional, use a lambda as the "
                    "initializer."
                )
            self._variable = self._buffer(graph, value, validate_shape, shape, scope)
        self._check_shape_known(value, validate_shape)
        self._initial_value = value
        value_type = value._dtype.base_dtype
        buffer = self._variable.op
        beside = [buffer]
        self._initializer_op = add_made(
            state.assign,
            graph.unique_name("Assign"),
            (self._variable, guarded(scope, value)),
            {"T": value_type, "validate_shape": bool(validate_shape)},
            buffer.trace,
            beside,
        )
        if caching_device is None:
            read = self._add_read(graph, value_type, beside)
        else:
            with graph.device(caching_device):
                read = self._add_read(graph, value_type, [])
        self._snapshot = read.outputs_list[0]

    def _add_read(self, graph: Graph, value_type: dtypes.DType, beside: list[Operation]) -> Operation:
        buffer = self._variable
        name = graph.unique_name("read")
        return add_made(identity_op, name, (buffer,), {"T": value_type}, buffer.op.trace, beside, graph)

    @staticmethod
    def _buffer(
        graph: Graph, value: Tensor, validate_shape: bool, shape: Any, scope: str, more: dict[str, Any] | None = None
    ) -> Tensor:
        if shape is None:
            shape = value.shape if validate_shape else TensorShape(None)
        attrs = {"shape": as_shape(shape), "dtype": value._dtype.base_dtype, **(more or {})}
        name = scope[:-1] or graph.unique_name(state.variable_v2.type)
        return add_made(state.variable_v2, name, (), attrs, graph=graph).outputs_list[0]

    def _from_proto(self, message: Any, import_scope: str | None) -> None:
        graph = get_default_graph()
        prefix = f"{import_scope}/" if import_scope else ""
        self._variable = graph.as_graph_element(prefix + message.variable_name)
        self._initializer_op = graph.as_graph_element(prefix + message.initializer_name)
        self._initial_value = (
            graph.as_graph_element(prefix + message.initial_value_name) if message.initial_value_name else None
        )
        self._snapshot = graph.as_graph_element(prefix + message.snapshot_name)
        self._trainable = message.trainable
        if message.HasField("save_slice_info_def"):
            self._save_slice_info = Variable.SaveSliceInfo(
                save_slice_info_def=message.save_slice_info_def, import_scope=import_scope
            )

    # -- reading ------------------------------------------------------------------------------------------

    def value(self) -> Tensor:
        """`v/read`: the value when it is looked at, an alias of the buffer on its own device."""
        return self._snapshot

    def read_value(self) -> Tensor:
        """A new read, which waits for the control dependencies around it."""
        return identity(self._variable, name="read")

    def _is_initialized(self, name: str | None = None) -> Tensor:
        return state.is_variable_initialized(self._variable, name=name)

    # -- writing --------------------------------------------------------------------------------------------

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Sets the value. Returns a reference to it after the assignment (or the operation)."""
        return self._result(state.assign(self._variable, value, use_locking=use_locking, name=name), read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta` in place."""
        return self._result(state.assign_add(self._variable, delta, use_locking=use_locking, name=name), read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts `delta` in place."""
        return self._result(state.assign_sub(self._variable, delta, use_locking=use_locking, name=name), read_value)

    @staticmethod
    def _result(assigned: Tensor, read_value: bool) -> Tensor | Operation:
        return assigned if read_value else assigned.op

    def _scatter(self, kind: str, sparse_delta: Any, use_locking: bool, name: str | None) -> Tensor:
        if not (hasattr(sparse_delta, "indices") and hasattr(sparse_delta, "values")):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        return state.SCATTERS[kind](
            self._variable, sparse_delta.indices, sparse_delta.values, use_locking=use_locking, name=name
        )

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor:
        """Adds IndexedSlices to the rows that they name."""
        return self._scatter("add", sparse_delta, use_locking, name)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor:
        """Subtracts IndexedSlices."""
        return self._scatter("sub", sparse_delta, use_locking, name)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor:
        """Multiplies rows by IndexedSlices."""
        return self._scatter("mul", sparse_delta, use_locking, name)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor:
        """Divides rows by IndexedSlices."""
        return self._scatter("div", sparse_delta, use_locking, name)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor:
        """Takes the smaller of row and IndexedSlices."""
        return self._scatter("min", sparse_delta, use_locking, name)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor:
        """Takes the larger of row and IndexedSlices."""
        return self._scatter("max", sparse_delta, use_locking, name)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor:
        """Sets rows to IndexedSlices."""
        return self._scatter("update", sparse_delta, use_locking, name)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Tensor:
        """Adds `updates` at index rows."""
        return state.scatter_nd_add(self._variable, indices, updates, use_locking=True, name=name)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Tensor:
        """Subtracts `updates` at index rows."""
        return state.scatter_nd_sub(self._variable, indices, updates, use_locking=True, name=name)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Tensor:
        """Sets elements at index rows."""
        return state.scatter_nd_update(self._variable, indices, updates, use_locking=True, name=name)

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The rows that `indices` name."""
        from tfbench.engine.ops.gather import gather

        return gather(self, indices, name=name)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at index rows."""
        from tfbench.engine.ops.gather_nd import gather_nd

        return gather_nd(self, indices, name=name)

    def count_up_to(self, limit: int) -> Tensor:
        return state.count_up_to(self._variable, limit=limit)

    # -- as a message -----------------------------------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A VariableDef message, or None where the variable is not in `export_scope`."""
        from tfbench.variables.protos import variable_def

        return variable_def(self, export_scope, self._snapshot.name, is_resource=False)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> RefVariable:
        """The variable of the default graph that a VariableDef describes."""
        return RefVariable(variable_def=variable_def, import_scope=import_scope)

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


def is_reference(tensor_or_variable: Any) -> bool:
    """Whether this is a reference variable, or a reference tensor."""
    dtype = getattr(tensor_or_variable, "dtype", None)
    return isinstance(dtype, dtypes.DType) and dtype._is_ref_dtype
