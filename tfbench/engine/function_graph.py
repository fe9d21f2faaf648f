"""Functions of a graph: what `Dataset.map` and its kin call for each element.

A function is a graph of its own, traced once. Its inputs are placeholders; a tensor of the outer graph that its nodes
use is *captured*: it becomes one more input, whose value the node that calls the function passes in. A graph keeps its
functions by name (`functions_of`) and they go away when it is rolled back; nodes hold a `FunctionName`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tfbench.engine.dtypes import DType
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.graph_elements import replaced_error
from tfbench.engine.opdef import OpDef, builder, lookup
from tfbench.engine.shapes import Shape, TensorShape
from tfbench.engine.source import Trace
from tfbench.engine.tensor import OPERATORS, Tensor

#: variables cannot be made where they would be made again for every element
_VARIABLES = frozenset(["Variable", "VariableV2", "VarHandleOp"])

#: what higher layers keep for the outer graph and a function uses too: names of variables are the program's
_SHARED_EXTENSIONS = frozenset(["variable_scopes", "variable_store", "variable_creators"])


class FunctionName:
    """The value of a `func` attribute: which function a node calls. An imported node has the name only."""

    __slots__ = ("body", "name")

    def __init__(self, name: str, body: FunctionGraph | None = None) -> None:
        self.name = name
        self.body = body

    def as_proto(self) -> Any:
        """This as a NameAttrList message."""
        return OPERATORS["name_attr_list"](self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionName) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"FunctionName({self.name!r})"


class FunctionGraph(Graph):
    """The body of a function: `inputs`, `outputs`, and `captures` as (outer tensor, input) in order of first use."""

    def __init__(self, outer: Graph, name: str) -> None:
        super().__init__()
        self.building_function = True
        self.outer_graph = outer
        self.name = name
        self.seed = outer.seed
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.captures: list[tuple[Tensor, Tensor]] = []
        self._captured: dict[Tensor, Tensor] = {}

    @property
    def outermost_graph(self) -> Graph:
        """The graph that no function holds."""
        graph: Graph = self
        while isinstance(graph, FunctionGraph):
            graph = graph.outer_graph
        return graph

    def placeholder(self, dtype: DType, shape: Shape, name: str) -> Tensor:
        """A new input, outside of all scopes' control."""
        attrs = {"dtype": dtype.base_dtype, "shape": TensorShape(shape)}
        with self.control_dependencies(None):
            op = super().add_node(lookup("Placeholder"), self.unique_name(name), [], attrs, (dtype.base_dtype,))
        return op.outputs_list[0]

    def capture(self, tensor: Tensor) -> Tensor:
        """The tensor of this graph that has the value of `tensor`.

        Raises:
          ValueError: if it belongs to a graph that does not hold this function.
        """
        graph = tensor.op.graph
        if graph is self:
            return tensor
        found = self._captured.get(tensor)
        if found is None:
            outer = self.outer_graph
            if isinstance(outer, FunctionGraph):
                outside = outer.capture(tensor)
            elif graph is not outer:
                raise ValueError(
                    f"{tensor} must be from the same graph as {self.name} (graphs are {graph} and {outer})."
                )
            elif not graph.owns(tensor.op):
                raise replaced_error(tensor.op, tensor)
            else:
                outside = tensor
            found = self._captured[tensor] = self.placeholder(tensor._dtype, tensor._shape, tensor.op.name)
            self.captures.append((outside, found))
        return found

    def captured_from(self, tensor: Tensor) -> Tensor | None:
        """The outer tensor whose value this input has; None for any other tensor."""
        return next((outside for outside, own in self.captures if own is tensor), None)

    def add_node(
        self,
        op_def: OpDef,
        name: str,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        dtypes: Sequence[DType],
        trace: Trace | None = None,
        beside: Sequence[Operation] = (),
    ) -> Operation:
        """As for any graph; inputs from outside are captured."""
        if op_def.type in _VARIABLES:
            raise ValueError(
                f"The function {self.name} creates the variable '{name}': tf.function only supports singleton "
                "tf.Variables created on the first call. Create variables outside of the function, and use them in it."
            )
        own = [tensor if tensor.op.graph is self else self.capture(tensor) for tensor in inputs]
        if beside:
            beside = [op for op in beside if op.graph is self]
            for tensor in inputs:
                if tensor._dtype._is_ref_dtype and tensor.op.graph is not self:
                    raise TypeError(
                        f"In op '{op_def.type}', input types ([{', '.join(f'tf.{t.dtype.name}' for t in own)}]) are "
                        f"not compatible with expected types: '{tensor.op.name}' is a reference variable outside of "
                        "the function, which cannot write to it. Use a resource variable (use_resource=True)."
                    )
        return super().add_node(op_def, name, own, attrs, dtypes, trace, beside)

    def extension(self, key: str, make: Callable[[], Any]) -> Any:
        """The outer graph's where it is about variables."""
        if key in _SHARED_EXTENSIONS:
            return self.outermost_graph.extension(key, make)
        return super().extension(key, make)

    def __repr__(self) -> str:
        return f"<FunctionGraph {self.name}: {len(self.inputs)} inputs, {len(self.captures)} captured>"


class Functions:
    """The functions of one graph, by name, in the order in which they were made."""

    def __init__(self) -> None:
        self.by_name: dict[str, FunctionGraph] = {}
        #: functions made so far: their names end in such a number
        self.made = 0

    def unique_name(self, base: str) -> str:
        self.made += 1
        return f"__inference_{base}_{self.made}"

    def snapshot(self) -> tuple[dict[str, FunctionGraph], int]:
        return dict(self.by_name), self.made

    def restore(self, state: tuple[dict[str, FunctionGraph], int]) -> None:
        self.by_name, self.made = dict(state[0]), state[1]


def functions_of(graph: Graph) -> Functions:
    """The functions of `graph`; for a function, those of the graph around it."""
    root = graph.outermost_graph if isinstance(graph, FunctionGraph) else graph
    found: Functions = root.extension("functions", Functions)
    return found


class _Tracing:
    """While a function is traced, every op looks at which graph its inputs are from (`apply`)."""

    def __enter__(self) -> None:
        builder.tracing += 1

    def __exit__(self, *_: object) -> None:
        builder.tracing -= 1


def trace(
    graph: Graph, base: str, function: Callable[..., Iterable[Tensor]], inputs: Sequence[tuple[DType, Shape]]
) -> FunctionGraph:
    """Calls `function` with one placeholder for each of `inputs`, in a graph of its own that `graph` keeps.

    Args:
      base: what the function is called, but for a number.
      function: returns the tensors that are the outputs.
      inputs: types and static shapes.
    """
    functions = functions_of(graph)
    body = FunctionGraph(graph, functions.unique_name(re.sub(r"[^A-Za-z0-9_.]", "", base)))
    with body.as_default(), _Tracing():
        body.inputs = [body.placeholder(dtype, shape, f"args_{i}") for i, (dtype, shape) in enumerate(inputs)]
        body.outputs = [body.capture(tensor) for tensor in function(*body.inputs)]
    body.finalize()
    functions.by_name[body.name] = body
    return body


def copied_by_value(
    graph: Graph, base: str, tensor: Tensor, may_be_copied: Callable[[Operation], str | None]
) -> FunctionGraph:
    """A function without inputs that computes what `tensor` is computed from in `graph`: its nodes are copied.

    What they only wait for is not, as in TensorFlow: an assertion beside a list of files would be a stateful node.
    `may_be_copied` says of an operation why it may not be, or None.

    Raises:
      ValueError: with that reason.
    """
    needed: dict[Operation, None] = {}
    stack = [tensor.op]
    while stack:
        op = stack.pop()
        if op in needed:
            continue
        reason = may_be_copied(op)
        if reason is not None:
            raise ValueError(reason)
        needed[op] = None
        stack.extend(source.op for source in op._inputs)
    functions = functions_of(graph)
    functions.made += 1
    body = FunctionGraph(graph, f"{base}_{functions.made}")
    twins: dict[Operation, Operation] = {}
    with body.as_default(), _Tracing():
        for op in sorted(needed, key=lambda one: one._id):
            own = [twins[source.op].outputs_list[source.value_index] for source in op._inputs]
            dtypes = [output._dtype for output in op.outputs_list]
            twin = twins[op] = Graph.add_node(body, op.op_def, op.name, own, op.attrs, dtypes, op.trace)
            twin._control_inputs = ()
    body.outputs = [twins[tensor.op].outputs_list[tensor.value_index]]
    body.finalize()
    functions.by_name[body.name] = body
    return body
