"""Operation: a node of a graph. Everything here is about one node; what is said of several is in `graph`.

Inputs, attributes and control inputs are replaced, never changed, and each replacement is noted in the graph's log
(`record_change`), so that it can be undone and compiled plans know of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tfbench import errors
from tfbench.engine import source
from tfbench.engine.opdef import OpDef
from tfbench.engine.shape_math import debug_string, is_compatible
from tfbench.engine.shapes import TensorShape
from tfbench.engine.source import Source
from tfbench.engine.tensor import OPERATORS, Tensor

if TYPE_CHECKING:
    from tfbench.engine.graph import Graph


class Operation:
    """A node: a type, inputs, attributes, control inputs, and the tensors it makes."""

    #: `__dict__` is there for what libraries hang on an op; it is made on first use
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_control_flow_context",
        "_control_inputs",
        "_id",
        "_inputs",
        "attrs",
        "device",
        "graph",
        "name",
        "op_def",
        "outputs_list",
        "trace",
        "type",
    )

    def __init__(
        self,
        graph: Graph,
        op_def: OpDef,
        name: str,
        inputs: tuple[Tensor, ...],
        control_inputs: tuple[Operation, ...],
        attrs: dict[str, Any],
        trace: source.Trace,
    ) -> None:
        self.graph = graph
        self.op_def = op_def
        self.type = op_def.type
        self.name = name
        self._inputs = inputs
        self._control_inputs = control_inputs
        self.attrs = attrs
        self.device = ""
        self.outputs_list: tuple[Tensor, ...] = ()
        self.trace = trace
        self._id = 0
        self._control_flow_context: Any = None

    # -- structure ----------------------------------------------------------------------------------------

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        return self._inputs

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must have run before this one, besides those that make its inputs."""
        return list(self._control_inputs)

    @property
    def outputs(self) -> list[Tensor]:
        return list(self.outputs_list)

    def values(self) -> tuple[Tensor, ...]:
        """The outputs, as a tuple."""
        return self.outputs_list

    @property
    def _control_outputs(self) -> list[Operation]:
        return [op for op in self.graph.get_operations() if self in op._control_inputs]

    @property
    def source(self) -> Source | None:
        """The innermost place in the user's code that made this op."""
        places = source.sources(self.trace[:2])
        return places[0] if places else None

    @property
    def traceback(self) -> list[Source]:
        """The user's frames when this op was made, outermost first, library frames left out."""
        return source.sources(self.trace)[::-1]

    # -- attributes ---------------------------------------------------------------------------------------

    def get_attr(self, name: str) -> Any:
        """The value of attribute `name`; strings come as bytes, as in TensorFlow.

        Raises:
          ValueError: if the op has no such attribute.
        """
        try:
            value = self.attrs[name]
        except KeyError:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.") from None
        if isinstance(value, str):
            return value.encode()
        if isinstance(value, list) and value and isinstance(value[0], str):
            return [item.encode() for item in value]
        if isinstance(value, TensorShape) or hasattr(value, "as_proto"):
            return value.as_proto()
        if type(value).__name__ == "AttrValue":
            return getattr(value, value.WhichOneof("value"))
        return value

    def _set_attr(self, name: str, value: Any) -> None:
        self.graph.record_change(self, "attrs", self.attrs)
        self.attrs = {**self.attrs, name: value}

    @property
    def node_def(self) -> Any:
        """This node as a NodeDef message."""
        return OPERATORS["node_def"](self)

    def colocation_groups(self) -> list[bytes]:
        """The `loc:@name` classes of this op; its own where it was given none."""
        return [group.encode() for group in self._colocation_groups()]

    def _colocation_groups(self) -> list[str]:
        classes = self.attrs.get("_class")
        if not classes:
            return [f"loc:@{self.name}"]
        if len(classes) == 1 and classes[0].startswith("loc:@"):
            one: list[str] = classes  # the list itself: nodes share it
            return one
        named = [group for group in classes if group.startswith("loc:@")]
        return named or [f"loc:@{self.name}"]

    # -- changes after the op was made ----------------------------------------------------------------------

    def _set_device(self, device: Any) -> None:
        if device is not None and not isinstance(device, str):
            device = device.to_string() if hasattr(device, "to_string") else str(device)
        self.device = device or ""

    def _get_control_flow_context(self) -> Any:
        """The branch or loop that this op belongs to; None outside of all."""
        return self._control_flow_context

    def _set_control_flow_context(self, ctx: Any) -> None:
        self.graph.record_undo(self, "_control_flow_context", self._control_flow_context)
        self._control_flow_context = ctx

    def _add_control_inputs(self, ops: Iterable[Operation]) -> None:
        new = []
        for op in ops:
            if not isinstance(op, Operation):
                raise TypeError(f"op must be an Operation: {op}")
            self.graph._check_owns(op)
            if op is not self and op not in self._control_inputs and op not in new:
                new.append(op)
        if new:
            self.graph.record_change(self, "_control_inputs", self._control_inputs)
            self._control_inputs = (*self._control_inputs, *new)

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def _remove_all_control_inputs(self) -> None:
        self.graph.record_change(self, "_control_inputs", self._control_inputs)
        self._control_inputs = ()

    def _update_input(self, index: int, tensor: Tensor) -> None:
        """Replaces input `index`; for loops and for passes that rewrite."""
        if not isinstance(tensor, Tensor):
            raise TypeError(f"tensor must be a Tensor: {tensor}")
        if tensor.op.graph is not self.graph:
            raise ValueError(f"{tensor} must be from the same graph as '{self.name}', of which it becomes an input.")
        if not is_compatible(tensor._shape, self._inputs[index]._shape):
            raise errors.InvalidArgumentError(
                None,
                self,
                f"Cannot update edge, incompatible shapes: {debug_string(tensor._shape)} and "
                f"{debug_string(self._inputs[index]._shape)}. ('{tensor.name}' as input {index} of '{self.name}')",
            )
        self.graph.record_change(self, "_inputs", self._inputs)
        self._inputs = (*self._inputs[:index], tensor, *self._inputs[index + 1 :])

    def run(self, feed_dict: dict[Any, Any] | None = None, session: Any = None) -> None:
        """Runs this op in `session` (default: the default session)."""
        OPERATORS["run"](self, feed_dict, session)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        return str(self.node_def)

    def __copy__(self) -> Operation:
        return self
