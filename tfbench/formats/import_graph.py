"""GraphDef messages back into a graph: `tf.import_graph_def`."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops as _all_ops  # noqa: F401  what a graph may be made of has to be known, even first of all
from tfbench.engine import scopes
from tfbench.engine.apply import create_from_parts
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import DType
from tfbench.engine.function_graph import FunctionName
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.opdef import OpDef, lookup
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.errors import NotFoundError
from tfbench.formats.node_checks import check_graph_def, check_node, check_types
from tfbench.formats.tensor_proto import make_ndarray

_MERGES, _NEXT_ITERATIONS = ("Merge", "RefMerge"), ("NextIteration", "RefNextIteration")


def import_graph_def(
    graph_def: Any,
    input_map: dict[Any, Any] | None = None,
    return_elements: Any = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the default graph.

    Args:
      graph_def: the message.
      input_map: names of tensors in `graph_def` -> tensors of the graph that take their place.
      return_elements: names of operations ('y') and tensors ('y:0') in `graph_def` to return.
      name: prefix of the names, made unique; default 'import', '' for none.

    Returns:
      The elements asked for, or None.

    Raises:
      TypeError: if an argument is of the wrong type.
      ValueError: if a name is not there, or the nodes have a cycle. The graph is then as it was.
      NotFoundError: if an operation type is not known.
    """
    if not hasattr(graph_def, "node") or not hasattr(graph_def, "versions"):
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    if input_map is not None and not isinstance(input_map, dict):
        raise TypeError(f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}")
    if return_elements is not None and not isinstance(return_elements, (list, tuple, str)):
        raise TypeError(f"Argument `return_elements` must be a list of strings. Obtained {return_elements}")
    check_graph_def(graph_def)
    graph = get_default_graph()
    mark = graph.mark()
    try:
        if name == "":
            current = graph.get_name_scope()
            return _Import(graph, graph_def, input_map or {}, f"{current}/" if current else "").run(return_elements)
        with graph.name_scope(name or "import") as prefix:
            return _Import(graph, graph_def, input_map or {}, prefix).run(return_elements)
    except Exception:
        graph.roll_back(mark)
        raise


class _Import:
    """One call: the nodes by name, and what they have become."""

    def __init__(self, graph: Graph, graph_def: Any, input_map: dict[Any, Any], prefix: str) -> None:
        self.graph = graph
        self.nodes = {node.name: node for node in graph_def.node}
        self.order = list(graph_def.node)
        self.made: dict[str, Operation] = {}
        self.renamed: dict[str, str] = {}
        self.prefix = prefix
        self.mapped = {self._key(key): convert_to_tensor(value) for key, value in input_map.items()}
        #: inputs that close a loop: made when everything else is
        self.back: list[tuple[Operation, int, str]] = []
        self.state = graph.scope_state
        self.control = [op for block in self.state.control for op in block.inputs]

    @staticmethod
    def _key(name: Any) -> str:
        text = name.decode() if isinstance(name, bytes) else str(name)
        return text if ":" in text or text.startswith("^") else f"{text}:0"

    def run(self, return_elements: Any) -> list[Any] | None:
        """Makes all nodes and looks up what is to be returned."""
        wanted = [return_elements] if isinstance(return_elements, str) else list(return_elements or ())
        for element in wanted:
            if element.partition(":")[0] not in self.nodes:
                raise ValueError(f"Requested return node '{element.partition(':')[0]}' not found in graph def")
        missing = sorted(key for key in self.mapped if not self._exists(key))
        if missing:
            names = ", ".join(missing)
            raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{names}]")
        for node in self._sorted():
            self._make(node)
        for op, position, text in self.back:
            op._update_input(position, self._input(text, op.name))
        if return_elements is None:
            return None
        return [self._returned(element) for element in wanted]

    def _exists(self, key: str) -> bool:
        if key.lstrip("^").partition(":")[0] in self.nodes:
            return True
        # A part of a graph (`export_scope`) takes inputs from nodes that it does not have.
        return any(key == self._key(text) for node in self.order for text in node.input)

    def _returned(self, element: str) -> Any:
        op_name, colon, index = element.partition(":")
        op = self.made[op_name]
        if not colon:
            return op
        if int(index) >= len(op.outputs_list):
            raise ValueError(f"Requested return tensor '{element}': {op_name} has only {len(op.outputs_list)} outputs")
        return op.outputs_list[int(index)]

    def _sorted(self) -> list[Any]:
        """The nodes with every input before its users; otherwise as the message has them."""
        done: dict[str, bool] = {}
        result: list[Any] = []
        for first in self.order:
            stack = [(first, False)]
            while stack:
                node, leaving = stack.pop()
                if leaving:
                    done[node.name] = True
                    result.append(node)
                    continue
                if node.name in done:
                    continue
                done[node.name] = False
                stack.append((node, True))
                for text in reversed(node.input):
                    source = text.lstrip("^").partition(":")[0]
                    if self._key(text) in self.mapped or self._goes_back(node, source):
                        continue
                    if source not in self.nodes:
                        raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
                    if source in done and not done[source]:
                        raise ValueError(f"The nodes have a cycle through '{source}' and '{node.name}'.")
                    if source not in done:
                        stack.append((self.nodes[source], False))
        return result

    def _goes_back(self, node: Any, source: str) -> bool:
        """Whether the input `source` of `node` is what a loop's body gave for its next round."""
        other = self.nodes.get(source)
        return other is not None and node.op in _MERGES and other.op in _NEXT_ITERATIONS

    def _make(self, node: Any) -> None:
        try:
            op_def = lookup(node.op)
        except ValueError as error:
            raise NotFoundError(node, None, f"{error} (node '{node.name}' of the imported graph)") from None
        name = self.prefix + node.name
        attrs = {key: self._attr(op_def, key, value) for key, value in node.attr.items()}
        check_node(node, op_def, attrs, name)
        inputs: list[Tensor] = []
        control: list[Operation] = []
        back: list[tuple[int, str]] = []
        for position, text in enumerate(node.input):
            if self._goes_back(node, text.partition(":")[0]):
                # Until its own value is there, the value from before the loop stands for it.
                back.append((position, text))
                inputs.append(self._input(node.input[0], node.name))
            elif text.startswith("^"):
                replacement = self.mapped.get(text)
                control.append(replacement.op if replacement is not None else self.made[text[1:]])
            else:
                inputs.append(self._input(text, node.name))
        check_types(op_def, attrs, name, inputs)
        graph, state = self.graph, self.state
        with graph.control_dependencies(None), graph.colocate_with(None, ignore_existing=True), graph.name_scope(None):
            op = create_from_parts(graph, op_def, inputs, attrs, name)
        op._control_inputs = tuple(dict.fromkeys([*control, *self.control]))
        op._set_device(node.device)
        scopes.apply_devices(state, op)
        self.back.extend((op, position, text) for position, text in back)
        self.made[node.name] = op
        self.renamed[node.name] = op.name

    def _input(self, text: str, user: str) -> Tensor:
        key = self._key(text)
        replacement = self.mapped.get(key)
        if replacement is not None:
            return replacement
        source, _, index = key.partition(":")
        outputs = self.made[source].outputs_list
        if int(index) >= len(outputs):
            raise ValueError(
                f"Node '{user}': Connecting to invalid output {index} of source node {source} which has {len(outputs)} "
                "outputs."
            )
        return outputs[int(index)]

    def _attr(self, op_def: OpDef, key: str, message: Any) -> Any:
        """An AttrValue as the engine's own value; colocation classes follow the new names."""
        value = _plain(message)
        if key == "_class":
            return [self._class(item) for item in value]
        definition = op_def.attrs.get(key)
        if isinstance(value, list) and definition is not None and not definition.kind.startswith("list("):
            raise ValueError(f"Attr '{key}' of '{op_def.type}' is a list, but should be {definition.kind}.")
        return value

    def _class(self, item: str) -> str:
        name = item.removeprefix("loc:@")
        return f"loc:@{self.renamed.get(name, self.prefix + name)}" if item.startswith("loc:@") else item


def _plain(message: Any) -> Any:
    kind = message.WhichOneof("value")
    if kind == "s":
        return _text(message.s)
    if kind == "type":
        return DType(message.type)
    if kind == "shape":
        return TensorShape(message.shape)
    if kind == "tensor":
        return make_ndarray(message.tensor)
    if kind == "list":
        return _plain_list(message.list)
    if kind in ("i", "f", "b"):
        return getattr(message, kind)
    if kind == "func":
        return FunctionName(message.func.name)
    return message


def _plain_list(message: Any) -> list[Any]:
    for field, convert in (
        ("s", _text),
        ("i", int),
        ("f", float),
        ("b", bool),
        ("type", DType),
        ("shape", TensorShape),
        ("tensor", make_ndarray),
    ):
        items = getattr(message, field)
        if len(items):
            return [convert(item) for item in items]
    return []


def _text(value: bytes) -> Any:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value
