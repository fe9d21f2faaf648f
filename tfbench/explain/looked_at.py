"""What all rules of `lint` look at, worked out once: who uses what, which variables there are, what has run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from tfbench.engine.graph import Graph, GraphKeys, Operation
from tfbench.engine.prune import needed_operations
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.engine.run_history import RunHistory
from tfbench.engine.tensor import Tensor
from tfbench.explain.known_variables import known_variables, variable_buffer
from tfbench.explain.places import Place, created_at


class Finding(NamedTuple):
    """One thing that is probably not meant."""

    rule: str
    #: the name of an operation, a variable or a scope
    subject: str
    #: what it is, and the way out
    message: str
    where: Place | None

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where is not None else ""
        return f"{self.rule}: {self.message}{place}"


#: the rule's name is filled in by `lint`
Rule = Callable[["LookedAt"], Iterable[Finding]]

#: hand a variable on without looking at it
HANDS_ON = frozenset({"Identity", "ReadVariableOp", "RefIdentity", "Switch", "RefSwitch", "Enter", "RefEnter"})
ASSIGNS = frozenset({"Assign", "AssignVariableOp"})
IGNORES_VALUE = frozenset(
    {"DisableCopyOnRead", "IsVariableInitialized", "VarIsInitializedOp", "SaveV2", "DestroyResourceOp", "NoOp"}
)


def about(op: Operation, message: str) -> Finding:
    """A finding about one operation or variable."""
    return Finding("", op.name, message, created_at(op))


def line_of(op: Operation) -> tuple[Any, ...]:
    """The line that made `op`, and those that led to it; () where that is not known. Code objects by identity."""
    return tuple(id(part) if index % 2 == 0 else part for index, part in enumerate(op.trace))


class LookedAt:
    """One graph, and the session that runs it."""

    def __init__(self, graph: Graph, session: Any) -> None:
        self.graph = graph
        self.session = session
        self.ops = graph.get_operations()
        #: what the session has run; None without a session
        self.history: RunHistory | None = None if session is None else session.history

    @property
    def has_run(self) -> bool:
        """Whether there is a session that has run something."""
        return self.history is not None and self.history.runs > 0

    def ran(self, op: Operation) -> bool:
        return self.history is not None and op in self.history.ran

    # -- who uses what -------------------------------------------------------------------------------------------

    @cached_property
    def users(self) -> dict[Tensor, list[Operation]]:
        """The operations that take each tensor."""
        found: dict[Tensor, list[Operation]] = {}
        for op in self.ops:
            for tensor in op._inputs:
                found.setdefault(tensor, []).append(op)
        return found

    @cached_property
    def waiting(self) -> dict[Operation, list[Operation]]:
        """The operations that wait for each, by a control dependency."""
        found: dict[Operation, list[Operation]] = {}
        for op in self.ops:
            for other in op._control_inputs:
                found.setdefault(other, []).append(op)
        return found

    def used(self, op: Operation) -> bool:
        """Whether anything takes what `op` makes, or waits for it."""
        return op in self.waiting or any(tensor in self.users for tensor in op.outputs_list)

    def users_of(self, variable: Operation) -> Iterator[tuple[Operation, Tensor]]:
        """What computes with a variable, writes it or saves it, with the tensor that it takes: not what hands it on."""
        stack, seen = list(variable.outputs_list), set(variable.outputs_list)
        while stack:
            tensor = stack.pop()
            for user in self.users.get(tensor, ()):
                yield user, tensor
                hands_on = user.type in HANDS_ON or (user.outputs_list and user.outputs_list[0]._dtype._is_ref_dtype)
                for output in user.outputs_list if hands_on else ():
                    if output not in seen:
                        seen.add(output)
                        stack.append(output)

    # -- variables -----------------------------------------------------------------------------------------------

    @cached_property
    def variables(self) -> list[Operation]:
        return [op for op in self.ops if op.type in VARIABLE_TYPES]

    @cached_property
    def _known(self) -> tuple[dict[Any, Any], dict[Any, dict[str, None]]]:
        return known_variables(self.graph)

    def collections_of(self, variable: Operation) -> Iterable[str]:
        return self._known[1].get(variable, ())

    @cached_property
    def stored(self) -> dict[str, Operation]:
        """The variables that `get_variable` made, by the names that it knows them under."""
        store = self.graph._extensions.get("variable_store")
        return {name: variable.op for name, variable in store.variables.items()} if store is not None else {}

    def initializer_of(self, variable: Operation) -> Operation | None:
        found = getattr(self._known[0].get(variable), "initializer", None)
        return found if isinstance(found, Operation) else self.graph._by_name.get(f"{variable.name}/Assign")

    @cached_property
    def initializers(self) -> set[Operation]:
        return {op for variable in self.variables if (op := self.initializer_of(variable)) is not None}

    @cached_property
    def initializers_used(self) -> set[Operation]:
        """The initializers whose result something takes."""
        return {op for op in self.initializers if any(tensor in self.users for tensor in op.outputs_list)}

    @cached_property
    def machinery(self) -> set[Operation]:
        """What belongs to a variable itself: the node, its initializer and its read; and what groups initializers."""
        found = {*self.variables, *self.initializers}
        for variable in self.variables:
            found.update(user for user, _ in self.users_of(variable) if user.name == f"{variable.name}/read")
        return found

    def has_value(self, variable: Operation) -> bool:
        """Whether a variable is initialised in the session."""
        buffer = variable_buffer(self.session, variable)
        return buffer is not None and buffer.array is not None

    # -- training ------------------------------------------------------------------------------------------------

    def _collected(self, key: str) -> list[Operation]:
        items = (getattr(item, "op", item) for item in self.graph.get_collection_ref(key))
        return [op for op in items if isinstance(op, Operation)]

    @cached_property
    def update_ops(self) -> list[Operation]:
        return list(dict.fromkeys(self._collected(GraphKeys.UPDATE_OPS)))

    @cached_property
    def train_ops(self) -> list[Operation]:
        return list(dict.fromkeys(self._collected(GraphKeys.TRAIN_OP)))

    @cached_property
    def needed_to_train(self) -> set[Operation]:
        return needed_operations([], self.train_ops, set())

    @cached_property
    def has_trained(self) -> bool:
        """Whether the session has run a train op; where none is known, whether it has run more than initializers."""
        if self.history is None:
            return False
        if self.train_ops:
            return any(self.ran(op) for op in self.train_ops)
        return self.has_computed

    @cached_property
    def has_computed(self) -> bool:
        """Whether the session has run anything but initializers and what they need."""
        if self.history is None:
            return False
        starting = needed_operations([], self.initializers, set())
        return any(op not in starting and op.type != "NoOp" for op in self.history.ran)
