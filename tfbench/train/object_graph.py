"""The objects below a `Checkpoint`, numbered, with the keys under which their values are saved.

The numbers are those of a breadth-first walk, so a key is the shortest path from the root (`net/layers/0/kernel`);
the slot variables of optimizers come last, named after the variable that they belong to. The message that describes
it all is saved beside the values, under `OBJECT_GRAPH_KEY`: with it, a checkpoint is restored by structure and not by
name.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from tfbench.train.trackable import dependencies
from tfbench.variables.base import Variable

OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
#: the one attribute that a variable has
VALUE = "VARIABLE_VALUE"


def escaped(name: str) -> str:
    """A name as a part of a key."""
    return name.replace(".", "..").replace("/", ".S")


def full_name(variable: Any) -> str:
    """The name that a Saver would save the variable under."""
    return str(getattr(variable, "_shared_name", None) or variable.op.name)


class ObjectGraph:
    """What hangs on `root` now.

    Raises:
      ValueError: if a list or dictionary is in a state that cannot be saved.
    """

    def __init__(self, root: Any) -> None:
        self.objects: list[Any] = []
        #: for each object: (name, number) of what it depends on
        self.children: list[list[tuple[str, int]]] = []
        #: for each object: (number of the variable, name, number) of the slots that it keeps
        self.slots: list[list[tuple[int, str, int]]] = []
        #: for each object: the path of escaped names
        self.paths: list[str] = []
        self._numbers: dict[int, int] = {}
        self._walk(root)
        self._add_slots()

    def _walk(self, root: Any) -> None:
        paths: dict[int, tuple[str, ...]] = {id(root): ()}
        names: list[dict[str, Any]] = []
        waiting = deque([root])
        while waiting:
            item = waiting.popleft()
            self._add(item, "/".join(map(escaped, paths[id(item)])))
            named = dependencies(item) or {}
            names.append(named)
            for name, child in named.items():
                if id(child) not in paths:
                    paths[id(child)] = (*paths[id(item)], name)
                    waiting.append(child)
        # The tuples that an attribute gives may be new ones each time: what was walked is what counts.
        self._kept = names
        for number, named in enumerate(names):
            self.children[number] = [(name, self._numbers[id(child)]) for name, child in named.items()]

    def _add(self, item: Any, path: str) -> int:
        self._numbers[id(item)] = len(self.objects)
        self.objects.append(item)
        self.children.append([])
        self.slots.append([])
        self.paths.append(path)
        return len(self.objects) - 1

    def _add_slots(self) -> None:
        named = list(enumerate(self.objects))
        for number, optimizer in named:
            if not hasattr(optimizer, "get_slot_names"):
                continue
            for slot_name in optimizer.get_slot_names():
                for variable_number, variable in named:
                    slot = _slot_of(optimizer, variable, slot_name)
                    if slot is None:
                        continue
                    key = f"{self.paths[variable_number]}/.OPTIMIZER_SLOT/{self.paths[number]}/{escaped(slot_name)}"
                    slot_number = self._numbers.get(id(slot))
                    if slot_number is None:
                        slot_number = self._add(slot, key)
                    self.slots[number].append((variable_number, slot_name, slot_number))

    def values(self) -> list[tuple[str, Any]]:
        """(key, variable) of all that is saved, in the order of the numbers."""
        return [
            (f"{path}/.ATTRIBUTES/{VALUE}", item)
            for path, item in zip(self.paths, self.objects)
            if isinstance(item, Variable)
        ]

    def message(self) -> Any:
        """The TrackableObjectGraph message."""
        from tfbench.formats import protos

        graph = protos.TrackableObjectGraph()
        for item, children, slots, path in zip(self.objects, self.children, self.slots, self.paths):
            node = graph.nodes.add()
            for name, number in children:
                node.children.add(node_id=number, local_name=name)
            if isinstance(item, Variable):
                node.attributes.add(name=VALUE, full_name=full_name(item), checkpoint_key=f"{path}/.ATTRIBUTES/{VALUE}")
            for variable, name, number in slots:
                node.slot_variables.add(
                    original_variable_node_id=variable, slot_name=name, slot_variable_node_id=number
                )
        for node, has_values in zip(graph.nodes, _with_values(graph)):
            node.has_checkpoint_values.value = has_values
        return graph


def _with_values(graph: Any) -> list[bool]:
    """For each node: whether a value hangs on it."""
    parents: list[list[int]] = [[] for _ in graph.nodes]
    for number, node in enumerate(graph.nodes):
        for child in node.children:
            parents[child.node_id].append(number)
    found = [bool(node.attributes or node.slot_variables) for node in graph.nodes]
    waiting = [number for number, has in enumerate(found) if has]
    while waiting:
        for parent in parents[waiting.pop()]:
            if not found[parent]:
                found[parent] = True
                waiting.append(parent)
    return found


def saved_graph(reader: Any) -> Any:
    """The TrackableObjectGraph of a checkpoint; None if it was written by a Saver."""
    from tfbench.formats import protos

    if not reader.has_tensor(OBJECT_GRAPH_KEY):
        return None
    return protos.TrackableObjectGraph.FromString(bytes(reader.get_tensor(OBJECT_GRAPH_KEY)))


def pretty_names(graph: Any) -> list[str]:
    """What to call each node of a message: `(root).net.kernel`."""
    names = ["(root)"] * len(graph.nodes)
    seen = {0}
    waiting = deque([0])
    while waiting:
        number = waiting.popleft()
        for child in graph.nodes[number].children:
            if child.node_id not in seen:
                seen.add(child.node_id)
                names[child.node_id] = f"{names[number]}.{child.local_name}"
                waiting.append(child.node_id)
    for number, node in enumerate(graph.nodes):
        for slot in node.slot_variables:
            variable = names[slot.original_variable_node_id]
            names[slot.slot_variable_node_id] = f"{names[number]}'s state '{slot.slot_name}' for {variable}"
    return names


def _slot_of(optimizer: Any, variable: Any, slot_name: str) -> Any:
    """The slot, or None: Keras's optimizers refuse to look for that of a variable they have not updated."""
    if not isinstance(variable, Variable):
        return None
    try:
        return optimizer.get_slot(variable, slot_name)
    except KeyError:
        return None
