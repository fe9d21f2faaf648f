"""What Keras keeps for each graph (counters of names, the phase, its variables) and for each thread (a session).

Nothing of it is global but the session: a graph's part is an extension of the graph, is rolled back with it and is gone
with it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import get_default_graph, get_default_session, reset_default_graph
from tfbench.engine.graph import Graph
from tfbench.engine.init_scope import init_scope
from tfbench.engine.session import Session
from tfbench.layers.names import _Counts
from tfbench.variables import is_variable_initialized, variables_initializer


class GraphState:
    """A graph's part of Keras."""

    def __init__(self) -> None:
        #: prefix -> how often it was given out
        self.uids: dict[Any, int] = {}
        #: the placeholder, or 0 or 1; None before it is first asked for
        self.phase: Any = None
        self.variables: list[Any] = []
        #: those of them that are known to have a value in some session
        self.initialized: set[int] = set()
        #: TensorFlow's own optimizers, whose slots are initialised too
        self.optimizers: list[Any] = []

    def snapshot(self) -> tuple[Any, ...]:
        """For `Graph.mark`."""
        return dict(self.uids), self.phase, list(self.variables), set(self.initialized), list(self.optimizers)

    def restore(self, state: tuple[Any, ...]) -> None:
        """For `Graph.roll_back`."""
        self.uids, self.phase, self.variables, self.initialized, self.optimizers = (
            dict(state[0]), state[1], list(state[2]), set(state[3]), list(state[4]),
        )  # fmt: skip


class _PerThread(threading.local):
    session: Any = None


_thread = _PerThread()
_manual = [False]


def state_of(graph: Graph | None = None) -> GraphState:
    """Keras's part of a graph; of the default one unless given."""
    found: GraphState = (graph or get_default_graph()).extension("keras", GraphState)
    return found


# -- names ---------------------------------------------------------------------------------------------------------


def get_uid(prefix: str = "") -> int:
    """How often `prefix` was asked for in the default graph, this time included."""
    uids = state_of().uids
    uids[prefix] = uids.get(prefix, 0) + 1
    return uids[prefix]


def reset_uids() -> None:
    """Starts the counters of the default graph again."""
    state_of().uids.clear()
    get_default_graph().extension("layer_names", _Counts).clear()


def unique_object_name(name: str, zero_based: bool = False, uids: dict[Any, int] | None = None) -> str:
    """`name`, `name_1`, `name_2`, … in the default graph; not `zero_based`: from `name_1` on.

    `tf.layers` counts its layers with these.
    """
    counts: dict[Any, int] = get_default_graph().extension("layer_names", _Counts) if uids is None else uids
    number = counts.get(name, 0)
    counts[name] = number + 1
    if zero_based:
        return f"{name}_{number}" if number else name
    return f"{name}_{number + 1}"


# -- the learning phase --------------------------------------------------------------------------------------------


def learning_phase() -> Any:
    """The default graph's flag, a bool placeholder that is False unless fed: whether it is training; or the 0 or 1 that
    `set_learning_phase` set."""
    state = state_of()
    if state.phase is None:
        with init_scope(), get_default_graph().name_scope(None):
            state.phase = ops.placeholder_with_default(False, shape=(), name="keras_learning_phase")
    return state.phase


def symbolic_learning_phase() -> Any:
    """The same as `learning_phase`."""
    return learning_phase()


def set_learning_phase(value: int) -> None:
    """Fixes the phase of the default graph for layers that are called from now on: 0 is test, 1 training.

    Raises:
      ValueError: for anything else.
    """
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    state_of().phase = value


@contextmanager
def learning_phase_scope(value: int) -> Iterator[None]:
    """The phase is fixed within the block."""
    state = state_of()
    before = state.phase
    set_learning_phase(value)
    try:
        yield
    finally:
        state.phase = before


# -- variables and sessions ----------------------------------------------------------------------------------------


def track_variable(variable: Any) -> None:
    """Has `get_session` initialise the variable."""
    variables = state_of(variable.graph).variables
    if not any(one is variable for one in variables):
        variables.append(variable)


def track_optimizer(optimizer: Any) -> None:
    """Has `get_session` initialise the variables of one of TensorFlow's optimizers."""
    state_of().optimizers.append(optimizer)


def manual_variable_initialization(value: bool) -> None:
    """Whether the program initialises variables itself, and `get_session` does not."""
    _manual[0] = bool(value)


def get_session(op_input_list: Any = ()) -> Any:
    """The session that Keras computes in: the default one, else one of its own for the default graph.

    Keras's variables that have no value yet get their initial ones.
    """
    session = bare_session()
    if not _manual[0]:
        initialize_variables(session)
    return session


def bare_session() -> Any:
    """The session of `get_session`, without initialising anything."""
    session = get_default_session()
    if session is not None:
        return session
    if _thread.session is None or _thread.session.graph is not get_default_graph():
        _thread.session = Session()
    return _thread.session


def set_session(session: Any) -> None:
    """The session that Keras computes in from now on in this thread."""
    _thread.session = session


def initialize_variables(session: Any) -> None:
    """Gives Keras's variables of the session's graph that have no value yet their initial ones."""
    state = state_of(session.graph)
    for optimizer in state.optimizers:
        for variable in optimizer.variables():
            track_variable(variable)
    fresh = [variable for variable in state.variables if id(variable) not in state.initialized]
    if not fresh:
        return
    with session.graph.as_default():
        flags = session.run([is_variable_initialized(variable) for variable in fresh])
        without = [variable for variable, flag in zip(fresh, flags, strict=True) if not flag]
        state.initialized.update(map(id, fresh))
        if without:
            session.run(variables_initializer(without))


def clear_session() -> None:
    """Starts again: a new default graph with a learning phase, no names given out, no session.

    Raises:
      AssertionError: within a `with graph.as_default()` block.
    """
    reset_default_graph()
    reset_uids()
    _thread.session = None
    learning_phase()
