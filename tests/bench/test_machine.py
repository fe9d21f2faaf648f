"""Random histories of a notebook: whatever is run, edited, deleted or fails, the graph is that of a clean run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import tfbench as tf
from tfbench.bench import Bench, default_graph

LINES = (
    "x = tf.constant(1.0)",
    "x = tf.constant(2.0, name='x')",
    "x = tf.identity(x)",
    "y = tf.identity(x, name='y')",
    "y = tf.placeholder(tf.float32, [None, 3]); y.set_shape([2, 3])",
    "n = 3",
    "n = n + 1",
    "n = [n, 5]; z = tf.constant(n[-1])",
    "del n",
    "kept = []; held = {'a': 1}",
    "kept.append(x)",
    "kept.clear(); kept.extend([1, x])",
    "held['b'] = x",
    "x.set_shape([])",
    "tf.add_to_collection('kept', x)",
    "v = tf.get_variable('v', [2])",
    "v = tf.get_variable('v', [3])",
    "with tf.variable_scope('s', reuse=tf.AUTO_REUSE) as s: w = tf.get_variable('w', [2])",
    "with tf.variable_scope('s', reuse=tf.AUTO_REUSE): w = tf.get_variable('w', [2], tf.int32, tf.ones_initializer())",
    "s.reuse_variables()",
    "with tf.variable_scope(s): w = tf.get_variable('w', [2])",
    "with tf.variable_scope(None, default_name='d'): d = tf.get_variable('d', [1], initializer=tf.zeros_initializer())",
    "u = tf.Variable([1.0, 2.0], name='u')",
    "tf.get_variable_scope().reuse_variables()",
    "with tf.control_dependencies([x]), tf.device('/cpu:0'): c = tf.identity(y)",
    "left = tf.name_scope('left'); left.__enter__()",
    "left_open = tf.variable_scope('left_open'); left_open.__enter__()",
    "tf.set_random_seed(7); r = tf.random_uniform([2])",
    "r = tf.random_uniform([2], name='r')",
    "u.initializer.run()",
    "u.load([5.0, 6.0])",
    "tf.global_variables_initializer().run()",
    "1 / 0",
)
#: a cell is replayed with its graph only, so cells of the second one read no names of the first
NEUTRAL = ("q = tf.constant(0.5)", "q = tf.Variable([1.0, 2.0], name='u')", "tf.get_variable('v', [2])")
OTHER_GRAPH = (*NEUTRAL, "p = tf.constant(1)", "p = tf.identity(p)", "1 / 0")
PROVIDED = ("tf", "np", "__builtins__")


def sources(lines: tuple[str, ...]) -> Any:
    return st.lists(st.sampled_from(lines), min_size=1, max_size=3).map("\n".join)


LINES_OF = {"a": sources((*LINES, *NEUTRAL)), "b": sources(OTHER_GRAPH)}
GRAPHS = st.sampled_from(["a", "a", "a", "b"])
OPTIONS = st.sampled_from([{}, {}, {}, {"scope": "o"}, {"name_scope": "ns"}, {"reuse": "auto"}, {"seed": 3}])


def nodes(graph: tf.Graph) -> list[tuple[Any, ...]]:
    """A graph as plain data: everything that a clean run must reproduce."""
    return [
        (
            op.name,
            op.type,
            [tensor.name for tensor in op.inputs],
            [control.name for control in op.control_inputs],
            op.device,
            repr(op.attrs),
            [(str(tensor.shape), [user.name for user in tensor.consumers()]) for tensor in op.outputs],
        )
        for op in graph.get_operations()
    ]


def meaning(value: Any) -> Any:
    """What a name stands for, comparable between two benches."""
    if isinstance(value, tf.Tensor | tf.Operation | tf.Variable):
        return type(value).__name__, value.name
    if isinstance(value, list):
        return [meaning(item) for item in value]
    if isinstance(value, dict):
        return {key: meaning(item) for key, item in value.items()}
    if isinstance(value, int | float | str):
        return value
    return type(value).__name__, getattr(value, "name", None), getattr(value, "reuse", None)


def names(namespace: dict[str, Any]) -> dict[str, Any]:
    return {key: meaning(value) for key, value in namespace.items() if key not in PROVIDED}


def values(bench: Bench) -> dict[tuple[str, str, str, str], Any]:
    """(graph, variable, shape, dtype) -> value, None where it is not initialized."""
    found = {}
    for graph, entry in bench.entries.items():
        held = entry.session.resources.variables()
        for op in entry.graph.get_operations():
            if op.type == "VariableV2":
                buffer = held.get(op.name)
                array = None if buffer is None or buffer.array is None else buffer.array.copy()
                found[graph, op.name, str(op.get_attr("shape")), op.get_attr("dtype").name] = array
    return found


class Notebook(RuleBasedStateMachine):
    """What a person does to the cells; `cells` is the notebook as the editor shows it."""

    @initialize()
    def start(self) -> None:
        tf.reset_default_graph()
        self.namespace: dict[str, Any] = {}
        self.bench = Bench(self.namespace)
        self.cells: dict[str, tuple[str, dict[str, Any]]] = {}
        self.count = 0

    def teardown(self) -> None:
        tf.reset_default_graph()

    def run(self, cell_id: str, source: str, options: dict[str, Any], replay: bool = True) -> None:
        before = self.everything()
        kept = values(self.bench)
        try:
            result = self.bench.run_cell(source, cell_id=cell_id, replay=replay, **options)
        except Exception:
            assert self.everything() == before
            self.same_values(kept, values(self.bench))
            return
        self.cells[cell_id] = (source, options)
        if not any(word in source for word in ("run()", "load")):
            now = values(self.bench)
            for key in kept.keys() & now.keys():
                if kept[key] is not None:
                    np.testing.assert_array_equal(kept[key], now[key], err_msg=str(key))
        assert set(result.stale) == {cell.id for cell in self.bench.cells if cell.stale and cell.id in result.stale}

    def everything(self) -> Any:
        """Identities, not only equality: a failed cell must leave the very same objects."""
        return (
            {name: [id(op) for op in entry.graph.get_operations()] for name, entry in self.bench.entries.items()},
            {name: nodes(entry.graph) for name, entry in self.bench.entries.items()},
            {name: dict(entry.graph._names_in_use) for name, entry in self.bench.entries.items()},
            {name: id(value) for name, value in self.namespace.items() if name not in PROVIDED},
            names(self.namespace),
            [(cell.id, cell.label, cell.stale) for cell in self.bench.cells],
            self.bench.current,
            tf.get_default_graph() is self.bench.entries[self.bench.current].graph,
        )

    @staticmethod
    def same_values(before: dict[Any, Any], after: dict[Any, Any]) -> None:
        assert before.keys() == after.keys()
        for key in before:
            np.testing.assert_array_equal(before[key], after[key], err_msg=str(key))

    @rule(data=st.data(), graph=GRAPHS, options=OPTIONS)
    def add(self, data: Any, graph: str, options: dict[str, Any]) -> None:
        self.count += 1
        self.run(f"c{self.count}", data.draw(LINES_OF[graph]), {"graph": graph, **options})

    @precondition(lambda self: self.cells)
    @rule(data=st.data(), options=OPTIONS, replay=st.sampled_from([True, True, True, False]))
    def edit(self, data: Any, options: dict[str, Any], replay: bool) -> None:
        cell_id = data.draw(st.sampled_from(sorted(self.cells)))
        graph = self.cells[cell_id][1]["graph"]
        self.run(cell_id, data.draw(LINES_OF[graph]), {"graph": graph, **options}, replay)

    @precondition(lambda self: self.cells)
    @rule(data=st.data(), graph=GRAPHS)
    def run_again(self, data: Any, graph: str) -> None:
        cell_id = data.draw(st.sampled_from(sorted(self.cells)))
        source, options = self.cells[cell_id]
        if not set(source.splitlines()) <= set(NEUTRAL):
            graph = options["graph"]
        self.run(cell_id, source, {**options, "graph": graph})

    @precondition(lambda self: self.cells)
    @rule(data=st.data())
    def delete(self, data: Any) -> None:
        gone = data.draw(st.lists(st.sampled_from(sorted(self.cells)), min_size=1, max_size=2, unique=True))
        self.bench.drop_cells(gone)
        for cell_id in gone:
            del self.cells[cell_id]

    @rule(graph=st.sampled_from(["a", "b"]))
    def initialize_variables(self, graph: str) -> None:
        entry = self.bench.entries.get(graph)
        if entry is None:
            return
        for op in entry.graph.get_operations():
            if op.type == "VariableV2":
                entry.session.run(f"{op.name}/Assign")

    @precondition(lambda self: self.bench.entries.get("a"))
    @rule()
    def replay_all(self) -> None:
        self.bench.replay("a")

    @invariant()
    def as_in_a_clean_run(self) -> None:
        if not hasattr(self, "bench"):
            return
        order = [cell.id for cell in self.bench.cells]
        assert sorted(order) == sorted(self.cells)
        active = [cell.id for cell in self.bench.cells if cell.stale is None]
        entries, current = self.bench.entries, self.bench.current
        try:
            fresh = Bench({})
            for cell_id in active:
                source, options = self.cells[cell_id]
                try:
                    fresh.run_cell(source, cell_id=cell_id, **options)
                except Exception as error:
                    raise AssertionError(f"a clean run fails in {cell_id}: {error!r}; cells: {self.cells}") from None
        finally:
            default_graph.install(entries[current].graph)
        for name, entry in fresh.entries.items():
            if name != "main":
                graph = entries[name].graph
                assert nodes(entry.graph) == nodes(graph)
                assert entry.graph.as_graph_def() == graph.as_graph_def()
                assert entry.graph._names_in_use == graph._names_in_use
                assert meaning(entry.graph.get_collection("kept")) == meaning(graph.get_collection("kept"))
        expected, found = names(fresh.namespace), names(self.namespace)
        left_over = {name for cell in self.bench.cells if cell.stale is not None for name in cell.bound.names}
        assert {key: value for key, value in found.items() if key not in left_over or key in expected} == expected


Notebook.TestCase.settings = settings(
    max_examples=60, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestNotebook = pytest.mark.slow(Notebook.TestCase)
