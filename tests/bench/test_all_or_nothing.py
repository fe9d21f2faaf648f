"""Rule 2: a cell that raises, or is interrupted, has not happened."""

from __future__ import annotations

import signal
import threading
import traceback
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.bench import Bench
from tfbench.engine.default_graph import default_graph_stack, default_session_stack

Names = dict[str, Any]


def state(bench: Bench, names: Names) -> Any:
    """Everything that a failed cell must leave, by identity."""
    return (
        {name: [id(op) for op in graph.get_operations()] for name, graph in bench.graphs.items()},
        {name: dict(graph._names_in_use) for name, graph in bench.graphs.items()},
        {name: graph.get_all_collection_keys() for name, graph in bench.graphs.items()},
        {name: id(value) for name, value in names.items() if name not in ("tf", "np", "__builtins__")},
        [(cell.id, cell.stale) for cell in bench.cells],
        bench.current,
        [list(default_graph_stack.items), list(default_session_stack.items)],
        tf.get_variable_scope().name,
        tf.get_default_graph().get_name_scope(),
    )


def test_the_first_run_of_a_cell(bench: Bench, names: Names) -> None:
    bench.run_cell("x = tf.constant(1.0)", cell_id="one")
    before = state(bench, names)
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("x = 5\ny = tf.constant(2.0)\n1 / 0", cell_id="two")
    assert state(bench, names) == before
    assert bench.run_cell("y = tf.constant(2.0)", cell_id="two").added == ("Const_1",)


def test_a_graph_that_the_cell_would_have_made_is_not_there(bench: Bench, names: Names) -> None:
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("1 / 0", graph="new")
    assert list(bench.graphs) == ["main"]
    assert bench.current == "main"


def test_a_later_run_leaves_the_very_same_operations_of_it_and_of_later_cells(bench: Bench, names: Names) -> None:
    bench.run_cell("x = tf.constant(1.0)\nv = tf.get_variable('v', [2])", cell_id="one")
    bench.run_cell(
        "y = tf.identity(x)\nwith tf.variable_scope('', reuse=True): w = tf.get_variable('v', [2])", cell_id="two"
    )
    names["plain"] = tf.identity(names["y"])
    before = state(bench, names)
    consumers = names["x"].consumers()
    with pytest.raises(ValueError, match="already exists"):
        bench.run_cell("v = tf.get_variable('v', [2])\nv = tf.get_variable('v', [2])", cell_id="one")
    assert state(bench, names) == before
    assert names["x"].consumers() == consumers
    assert len(names["v"].shared_at) == 1
    assert bench.session().run([names["plain"], names["y"]]) == [1.0, 1.0]


def test_values_of_variables(bench: Bench, names: Names) -> None:
    bench.run_cell("v = tf.get_variable('v', [2])\nu = tf.Variable(0.0, name='u')", cell_id="one")
    names["v"].load([1.0, 2.0], bench.session())
    for cell_id in ("one", "two"):
        with pytest.raises(ZeroDivisionError):
            bench.run_cell(
                "v = tf.global_variables()[0] if tf.global_variables() else tf.get_variable('v', [2])\n"
                "v.load([8.0, 9.0])\ntf.global_variables_initializer().run()\n1 / 0",
                cell_id=cell_id,
            )
        np.testing.assert_array_equal(bench.session().run(names["v"]), [1.0, 2.0])
        with pytest.raises(tf.errors.FailedPreconditionError):
            bench.session().run(names["u"])


def test_values_that_a_partial_run_changed(bench: Bench, names: Names) -> None:
    bench.run_cell(
        "v = tf.get_variable('v', initializer=1.0)\nx = tf.placeholder(tf.float32, [])\nmore = tf.assign_add(v, x)\n"
        "twice = tf.assign(v, v * 2.0)",
        cell_id="one",
    )
    session = bench.session()
    session.run(names["v"].initializer)
    with pytest.raises(ZeroDivisionError):
        bench.run_cell(
            "import tfbench\nsession = tfbench.get_default_session()\nsession.partial_run_setup([twice], [])\n1 / 0",
            cell_id="two",
        )
    assert session.run(names["v"]) == 1.0
    handle = session.partial_run_setup([names["more"]], [names["x"]])
    names["proceed"] = lambda: session.partial_run(handle, names["more"], {names["x"]: 5.0})
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("proceed()\n1 / 0", cell_id="two")
    assert session.run(names["v"]) == 1.0


def test_random_streams(bench: Bench, names: Names) -> None:
    bench.run_cell("r = tf.random_uniform([2], seed=1)", cell_id="one")
    bench.session().run(names["r"])
    twin = tf.Session(graph=bench.graph())
    twin.run(names["r"])
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("r.eval()\nr.eval()\n1 / 0", cell_id="two")
    np.testing.assert_array_equal(bench.session().run(names["r"]), twin.run(names["r"]))


def test_a_session_that_the_cell_closed(bench: Bench, names: Names) -> None:
    bench.run_cell("v = tf.get_variable('v', [2])", cell_id="one")
    names["v"].load([1.0, 2.0], bench.session())
    names["session"] = bench.session()
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("session.close()\n1 / 0", cell_id="two")
    np.testing.assert_array_equal(bench.session().run(names["v"]), [1.0, 2.0])


def test_another_graph_of_the_bench(bench: Bench, names: Names) -> None:
    bench.run_cell("x = tf.constant(1.0)", cell_id="one", graph="a")
    names["a"] = bench.graph("a")
    before = state(bench, names)
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("with a.as_default(): tf.constant(2.0)\n1 / 0", cell_id="two", graph="main")
    assert state(bench, names) == before


def test_containers_of_earlier_cells(bench: Bench, names: Names) -> None:
    bench.run_cell("layers, sizes, seen = [1], {'a': 1}, {1}", cell_id="one")
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("layers.append(2)\nsizes['b'] = 2\nseen.clear()\ndel sizes['a']\n1 / 0", cell_id="two")
    assert (names["layers"], names["sizes"], names["seen"]) == ([1], {"a": 1}, {1})


@pytest.mark.parametrize(
    "leave_open",
    [
        "scope = tf.variable_scope('open'); scope.__enter__()",
        "scope = tf.name_scope('open'); scope.__enter__()",
        "scope = tf.device('/cpu:0'); scope.__enter__()",
        "scope = tf.control_dependencies([tf.no_op()]); scope.__enter__()",
        "scope = tf.Graph().as_default(); scope.__enter__()",
        "scope = tf.Session(graph=tf.Graph()).as_default(); scope.__enter__()",
        "scope = tf.InteractiveSession()",
    ],
)
@pytest.mark.parametrize("fails", [False, True])
def test_scopes_that_a_cell_leaves_open_end_with_it(bench: Bench, names: Names, leave_open: str, fails: bool) -> None:
    before = state(bench, names)[-3:]
    if fails:
        with pytest.raises(ZeroDivisionError):
            bench.run_cell(f"{leave_open}\n1 / 0", cell_id="one", scope="outer")
    else:
        bench.run_cell(leave_open, cell_id="one", scope="outer")
    names.pop("scope", None)
    bench.run_cell("x = tf.constant(1.0, name='x')", cell_id="two")
    assert (names["x"].name, names["x"].device, names["x"].op.control_inputs) == ("x:0", "", [])
    assert state(bench, names)[-3:] == before


def test_what_was_printed_stays(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("print('before')\n1 / 0")
    assert capsys.readouterr().out == "before\n"


def test_the_error_is_the_users_own_and_points_at_the_cells_line(bench: Bench) -> None:
    class Mine(Exception):
        pass

    source = "def f():\n    raise Mine('exactly this')\n\nf()"
    with pytest.raises(Mine, match=r"^exactly this$") as caught:
        bench.run_cell(source, cell_id="one", namespace={"Mine": Mine}, first_line=2)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [(frame.lineno, frame.name, frame.line) for frame in frames[-2:]] == [
        (5, "<module>", "f()"),
        (3, "f", "raise Mine('exactly this')"),
    ]
    assert all(frame.filename.startswith("<cell one") for frame in frames[-2:])


def test_a_syntax_error_has_the_cells_line_and_changes_nothing(bench: Bench, names: Names) -> None:
    bench.run_cell("x = tf.constant(1.0)", cell_id="one")
    before = state(bench, names)
    with pytest.raises(SyntaxError) as caught:
        bench.run_cell("x = 1\ny = (", cell_id="one", first_line=2)
    assert caught.value.lineno == 3
    assert state(bench, names) == before


def test_after_a_failure_earlier_lines_are_shown_again(bench: Bench, names: Names) -> None:
    bench.run_cell("x = tf.constant(1.0)", cell_id="one")
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("1 / 0", cell_id="one")
    source = names["x"].op.source
    assert (source.cell, source.line, source.text) == ("one", 1, "x = tf.constant(1.0)")


@pytest.mark.parametrize("cell_id", ["one", "two"])
def test_an_interrupt_halfway(bench: Bench, names: Names, cell_id: str) -> None:
    bench.run_cell("x = tf.constant(1.0)", cell_id="one")
    before = state(bench, names)
    names["interrupt"] = lambda: signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        bench.run_cell("y = tf.constant(2.0)\ninterrupt()\nz = 3", cell_id=cell_id)
    del names["interrupt"]
    assert state(bench, names) == before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_in_a_replay_undoes_the_whole_run(bench: Bench, names: Names) -> None:
    names["calls"] = iter([lambda: None, lambda: signal.raise_signal(signal.SIGINT)])
    bench.run_cell("x = tf.constant(1.0)", cell_id="one")
    bench.run_cell("y = tf.identity(x)\nnext(calls)()", cell_id="two")
    before = state(bench, names)
    with pytest.raises(KeyboardInterrupt):
        bench.run_cell("x = tf.constant(2.0)", cell_id="one")
    assert state(bench, names) == before


def test_an_interrupt_while_things_are_put_back_waits(bench: Bench, names: Names) -> None:
    class Awkward:
        """Interrupts when the bench lets go of it."""

        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    names["Awkward"] = Awkward
    bench.run_cell("x = tf.constant(1.0)", cell_id="one")
    before = state(bench, names)
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("held = Awkward()\ny = tf.constant(2.0)\n1 / 0", cell_id="two")
    assert state(bench, names) == before


def test_a_thread_can_run_cells_too(bench: Bench, names: Names) -> None:
    thread = threading.Thread(target=lambda: bench.run_cell("x = tf.constant(1.0)", cell_id="one"))
    thread.start()
    thread.join()
    assert names["x"].name == "Const:0"


def test_a_cell_cannot_run_another_one(bench: Bench, names: Names) -> None:
    names["bench"] = bench
    with pytest.raises(RuntimeError, match="cannot run another one"):
        bench.run_cell("x = tf.constant(1.0)\nbench.run_cell('y = 1')", cell_id="one")
    assert bench.run_cell("x = tf.constant(1.0)", cell_id="one").added == ("Const",)


def test_reset_default_graph_in_a_cell_says_what_to_do(bench: Bench) -> None:
    with pytest.raises(AssertionError, match="nested graphs") as caught:
        bench.run_cell("tf.reset_default_graph()")
    assert any("--fresh" in note for note in caught.value.__notes__)
