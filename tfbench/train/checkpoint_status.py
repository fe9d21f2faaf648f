"""What `Checkpoint.restore` gives: which objects match the checkpoint, and how to get its values into them.

A match goes along the names of dependencies, from the root. It is made again whenever the status is asked, so what was
added to the objects in between is found.
"""

from __future__ import annotations

from collections import deque
from contextlib import nullcontext
from typing import Any

from tfbench import logging
from tfbench.engine.default_graph import device, get_default_graph, get_default_session
from tfbench.engine.dtypes import string
from tfbench.engine.ops import checkpoints
from tfbench.engine.ops.base import constant
from tfbench.train.object_graph import ObjectGraph, full_name, pretty_names
from tfbench.train.saveables import ReferenceVariableSaveable, ResourceVariableSaveable
from tfbench.train.trackable import dependencies
from tfbench.variables.base import Variable
from tfbench.variables.resource import ResourceVariable

_CPU = "/cpu:0"


class RestoreNodes:
    """The nodes that restore the objects of one Checkpoint, made once for each key and variable."""

    def __init__(self) -> None:
        self.prefix: Any = None
        self.made: dict[tuple[str, int], Any] = {}

    def operations(self, values: dict[str, Variable]) -> list[Any]:
        """What sets each variable to the value under its key; all that is new is read by one node."""
        graph = get_default_graph()
        if self.prefix is None:
            graph.record_undo(self, "prefix", None)
            with device(_CPU):
                self.prefix = constant("model", dtype=string)
        new = sorted(key for key, variable in values.items() if (key, id(variable)) not in self.made)
        if new:
            graph.record_undo(self, "made", dict(self.made))
            saveables = [_saveable(key, values[key]) for key in new]
            dtypes = [values[key].dtype.base_dtype for key in new]
            with device(_CPU):
                tensors = checkpoints.restore_v2(self.prefix, new, [""] * len(new), dtypes=dtypes)
            if not isinstance(tensors, (list, tuple)):
                tensors = [tensors]
            for key, saveable, tensor in zip(new, saveables, tensors):
                with device(_CPU) if isinstance(saveable, ResourceVariableSaveable) else nullcontext():
                    restored = saveable.restore([tensor], None)
                self.made[key, id(values[key])] = getattr(restored, "op", restored)
        return [self.made[key, id(variable)] for key, variable in sorted(values.items())]


def _saveable(key: str, variable: Variable) -> Any:
    kind = ResourceVariableSaveable if isinstance(variable, ResourceVariable) else ReferenceVariableSaveable
    return kind(variable, "", key)


class Restoring:
    """One restore of one checkpoint into the objects below `root`."""

    def __init__(self, root: Any, message: Any, path: str, nodes: RestoreNodes) -> None:
        self.root = root
        self.message = message
        self.path = path
        self.nodes = nodes
        #: node of the message -> the object that it is
        self.bound: dict[int, Any] = {}
        #: node -> (optimizer's node, slot's name, slot's node) of the slots that belong to it
        self._slots_of: dict[int, list[tuple[int, str, int]]] = {}
        for number, node in enumerate(message.nodes):
            for slot in node.slot_variables:
                self._slots_of.setdefault(slot.original_variable_node_id, []).append(
                    (number, slot.slot_name, slot.slot_variable_node_id)
                )

    def match(self) -> list[Any]:
        """Binds objects to nodes; gives the operations that restore all that are bound."""
        found: list[Any] = []
        values: dict[str, Variable] = {}
        deferred: dict[int, list[tuple[Any, str, int]]] = {}
        seen: set[int] = {0}
        waiting: deque[tuple[int, Any]] = deque([(0, self.root)])
        while waiting:
            number, item = waiting.popleft()
            self._bind(number, item)
            node = self.message.nodes[number]
            values.update(_values(node, item))
            named = dependencies(item) or {}
            for child in node.children:
                if child.local_name in named and child.node_id not in seen:
                    seen.add(child.node_id)
                    waiting.append((child.node_id, named[child.local_name]))
            for variable, name, slot in deferred.pop(number, ()):
                found += self._slot(item, variable, name, slot)
            for optimizer, name, slot in self._slots_of.get(number, ()):
                if optimizer in self.bound:
                    found += self._slot(self.bound[optimizer], item, name, slot)
                else:
                    deferred.setdefault(optimizer, []).append((item, name, slot))
        return found + (self.nodes.operations(values) if values else [])

    def _bind(self, number: int, item: Any) -> None:
        known = self.bound.setdefault(number, item)
        if known is not item:
            logging.warning(
                "Inconsistent references when loading the checkpoint into this object graph. For example, in the "
                "saved checkpoint object, `model.layer.weight` and `model.layer_copy.weight` reference the same "
                "variable, while in the current object these are two different variables. The referenced variables "
                "are:(%s and %s).",
                known,
                item,
            )

    def _slot(self, optimizer: Any, variable: Any, name: str, number: int) -> list[Any]:
        get_slot = getattr(optimizer, "get_slot", None)
        slot = get_slot(variable, name) if get_slot is not None and isinstance(variable, Variable) else None
        if slot is None:
            return []
        self._bind(number, slot)
        return self.nodes.operations(_values(self.message.nodes[number], slot))


def _values(node: Any, item: Any) -> dict[str, Variable]:
    return {attribute.checkpoint_key: item for attribute in node.attributes} if isinstance(item, Variable) else {}


class CheckpointLoadStatus:
    """A restore from an object-based checkpoint."""

    def __init__(self, restoring: Restoring) -> None:
        self._restoring = restoring

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Raises AssertionError unless every value of the checkpoint, and every object, has its match."""
        self.assert_existing_objects_matched()
        restoring = self._restoring
        names = pretty_names(restoring.message)
        for number, node in enumerate(restoring.message.nodes):
            if node.attributes and number not in restoring.bound:
                raise AssertionError(f"Unresolved object in checkpoint {names[number]}: {node}")
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Raises AssertionError unless every object has its match; the checkpoint may hold more."""
        self._restoring.match()
        missing = [item for item in self._unmatched() if isinstance(item, Variable) or dependencies(item)]
        if missing:
            shown = missing[:10]
            raise AssertionError(
                f"Found {len(missing)} Python objects that were not bound to checkpointed values, likely due to "
                f"changes in the Python program. Showing {len(shown)} of {len(missing)} unmatched objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Raises AssertionError if nothing but the root has its match."""
        self._restoring.match()
        if len(self._restoring.bound) <= 1:
            missing = self._unmatched()
            if missing:
                raise AssertionError(
                    "Nothing except the root object matched a checkpointed value. Typically this means that the "
                    f"checkpoint does not match the Python program. The following objects have no matching "
                    f"checkpointed value: {missing}"
                )
            raise AssertionError(f"Nothing to load. No dependencies have been added to {self._restoring.root} yet.")
        return self

    def _unmatched(self) -> list[Any]:
        bound = {id(item) for item in self._restoring.bound.values()}
        return [item for item in ObjectGraph(self._restoring.root).objects if id(item) not in bound]

    def expect_partial(self) -> CheckpointLoadStatus:
        """Says that values of the checkpoint may stay unused, about which nothing is logged here anyway."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Restores what has its match. Before a variable is changed, all are compared with the checkpoint.

        Raises:
          InvalidArgumentError: if a shape or type is another there. DataLossError: if it is damaged.
        """
        operations = self._restoring.match()
        if not operations:
            return
        session = _session(session)
        from tfbench.formats.checkpoint_files import restoring
        from tfbench.train.restore_checks import check

        path = self._restoring.path
        with restoring(path):
            check(session.graph, [operation.name for operation in operations], path)
            session.run(operations, {self._restoring.nodes.prefix: path})

    def initialize_or_restore(self, session: Any = None) -> None:
        """Restores what has its match, and initializes every other variable."""
        session = _session(session)
        self.run_restore_ops(session)
        session.run([item.initializer for item in self._unmatched() if isinstance(item, Variable)])


class InitializationOnlyStatus:
    """A restore from no checkpoint."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def _refuse(self) -> None:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _refuse

    def expect_partial(self) -> InitializationOnlyStatus:
        """Nothing to expect."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises AssertionError."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session: Any = None) -> None:
        """Initializes all variables."""
        session = _session(session)
        session.run([item.initializer for item in ObjectGraph(self._root).objects if isinstance(item, Variable)])


class NameBasedSaverStatus:
    """A restore from a checkpoint that a Saver wrote, by the variables' names."""

    def __init__(self, root: Any, path: str, optional: Any) -> None:
        self._root = root
        self._path = path
        self._optional = optional
        self._restored = False

    def assert_consumed(self) -> NameBasedSaverStatus:
        """Raises AssertionError before the restore has run."""
        if not self._restored:
            raise AssertionError(f"Object not restored: {self._root}")
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self) -> NameBasedSaverStatus:
        """Nothing is logged about values that stay unused."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Restores all variables.

        Raises:
          NotFoundError: if one of them is not in the checkpoint.
        """
        from tfbench.train.checkpoint_reader import CheckpointReader
        from tfbench.train.saver import Saver

        reader = CheckpointReader(self._path)
        named = {}
        for item in ObjectGraph(self._root).objects:
            if isinstance(item, Variable):
                name = full_name(item)
                if item is not self._optional or reader.has_tensor(name):
                    named[name] = item
        with device(_CPU):
            Saver(named).restore(_session(session), self._path)
        self._restored = True

    def initialize_or_restore(self, session: Any = None) -> None:
        """The same as `run_restore_ops`."""
        self.run_restore_ops(session)


def _session(given: Any) -> Any:
    session = get_default_session() if given is None else given
    if session is None:
        raise ValueError(
            "Cannot restore: No default session is registered. Use `with sess.as_default()` or pass an explicit "
            "session to `run_restore_ops(session=sess)`"
        )
    return session
