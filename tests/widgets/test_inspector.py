"""The panel as an object: what it takes, its traits, its representations, its messages."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import traitlets
from IPython.core.interactiveshell import InteractiveShell

import tfbench as tf
from tests.widgets.page import Page
from tfbench.widgets import Inspector, inspect, inspector
from tfbench.widgets.publisher import Publisher

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(autouse=True)
def fresh_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    """Panels made in this test talk to this page."""
    found = Page()
    monkeypatch.setattr(Inspector, "send", lambda self, content, buffers=None: found.send(content, buffers))
    return found


def hello(panel: Inspector) -> None:
    panel._handle_custom_msg({"v": 1, "kind": "hello"}, [])


def net() -> tuple[tf.Tensor, Any]:
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    with tf.variable_scope("net"):
        w = tf.get_variable("w", [4, 2], initializer=tf.ones_initializer())
        return tf.matmul(x, w, name="y"), w


# -- what is inspected --------------------------------------------------------------------------------------


def test_default_graph() -> None:
    net()
    panel = inspect()
    assert panel.graph is tf.get_default_graph()
    assert panel.session is None
    assert (panel.selected, panel.tab) == ("", "map")


def test_default_session_of_that_graph_gives_values() -> None:
    net()
    with tf.Session() as session:
        assert inspect().session is session
        assert inspect(tf.Graph()).session is None


def test_a_session_brings_its_graph() -> None:
    graph = tf.Graph()
    session = tf.Session(graph=graph)
    panel = inspect(session)
    assert (panel.graph, panel.session) == (graph, session)


def test_things_in_a_graph_are_selected() -> None:
    y, w = net()
    assert inspect(y).selected == "net/y"
    assert inspect(y.op).selected == "net/y"
    assert inspect(w).selected == "net/w"
    assert inspect(y, tab="variables").tab == "variables"


@pytest.mark.parametrize("obj", [3, b"net", object()])
def test_other_things_are_refused(obj: object) -> None:
    with pytest.raises(TypeError, match=rf"inspect\(\) takes a Graph.*it got {type(obj).__name__}"):
        inspect(obj)


def test_a_graph_of_the_bench_has_its_name_and_session() -> None:
    bench = tf.bench()
    bench.run_cell("x = tf.constant(1.0, name='x')", graph="inspected", cell_id="a")
    try:
        panel = inspect("inspected")
        assert panel.graph is bench.graph("inspected")
        assert panel.session is bench.session("inspected")
        assert panel.publisher.name == "inspected"
        assert inspect(panel.graph, name="other").publisher.name == "other"
        with pytest.raises(KeyError, match="inspectde"):
            inspect("inspectde")
    finally:
        bench.drop("inspected")


def test_a_session_of_another_graph_is_refused() -> None:
    with pytest.raises(ValueError, match="another graph"):
        inspect(tf.Graph(), session=tf.Session())


def test_unknown_tab() -> None:
    with pytest.raises(traitlets.TraitError, match=r"no view 'mpa'.*there are map, variables"):
        inspect(tab="mpa")


# -- faces --------------------------------------------------------------------------------------------------


def test_what_a_notebook_saves() -> None:
    net()
    panel = inspect(name="net <1>")
    data, metadata = panel._repr_mimebundle_()
    assert set(data) == {WIDGET_VIEW, "text/plain", "text/html"}
    assert metadata == {}
    assert data["text/plain"].startswith("Graph 'net <1>': ")
    assert "net/w" in data["text/plain"]
    assert "net &lt;1&gt;" in data["text/html"]
    assert "<script" not in data["text/html"]
    assert repr(panel) == data["text/plain"]


def test_what_a_notebook_saves_is_the_same_in_every_run() -> None:
    def faces(seed: int) -> tuple[str, str]:
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            _, w = net()
            session.run(w.initializer)
            value = tf.placeholder(tf.float32)
            session.run(tf.assign(w, value), {value: np.random.default_rng(seed).normal(size=(4, 2))})
            data, _ = inspect(session)._repr_mimebundle_()
        return data["text/plain"], data["text/html"]

    assert faces(1) == faces(2)


def test_text_has_values() -> None:
    _, w = net()
    with tf.Session() as session:
        session.run(w.initializer)
        text = inspect(session).to_text()
        assert str(inspect(session)) == text
    row = next(line for line in text.splitlines() if line.startswith("net/w"))
    assert row.split() == ["net/w", "(4,", "2)", "float32", "32", "B", "ready", "1", "0"]


def test_files(tmp_path: Path) -> None:
    net()
    panel = inspect(name="net")
    assert panel.to_svg(tmp_path / "map.svg") == (tmp_path / "map.svg").read_text()
    assert panel.to_svg().startswith("<svg ")
    page = panel.to_html(tmp_path / "page.html")
    assert page == (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>net: tfbench inspector</title>" in page
    assert "net/w/Initializer/ones" in page


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        inspect().to_html(tmp_path / "nowhere" / "page.html")


# -- messages -----------------------------------------------------------------------------------------------


def test_only_small_state_is_in_traits() -> None:
    net()
    panel = inspect()
    state = panel.get_state()
    assert {key for key in state if not key.startswith("_")} == {
        "layout",
        "panel",
        "rules",
        "selected",
        "tab",
        "tabbable",
        "tooltip",
    }
    assert len(json.dumps({k: v for k, v in state.items() if k not in ("_esm", "_css", "layout")})) < 1000


def test_a_page_says_hello_and_follows(page: Page) -> None:
    y, w = net()
    with tf.Session() as session:
        panel = inspect(session, name="net")
        hello(panel)
        names = [op.name for op in tf.get_default_graph().get_operations()]
        assert [op["name"] for op in page.ops] == names
        assert not page.value("net/w")["initialized"]
        tf.tanh(y, name="later")
        tf.get_default_graph().notify()
        assert page.ops[-1]["name"] == "later"
        session.run(w.initializer)
        panel.publisher.follower.tick()
        assert page.value("net/w")["mean"] == 1.0
        panel.close()
    assert page.state == "closed"


def test_replaced_operations_reach_the_page(page: Page) -> None:
    graph = tf.get_default_graph()
    net()
    mark = graph.mark()
    tf.constant(1.0, name="first")
    hello(inspect())
    graph.roll_back(mark)
    tf.constant(1.0, name="second")
    graph.notify()
    assert [op["name"] for op in page.ops][-1] == "second"
    assert len(page.ops) == len(graph.get_operations())


def test_plain_cells_are_followed(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    shell.user_ns["tf"] = tf
    shell.user_ns["panel"] = panel = inspect()
    hello(panel)
    shell.run_cell("tf.constant(3.0, name='from_a_cell')").raise_error()
    assert page.ops[-1]["name"] == "from_a_cell"
    inspect()
    assert shell.events.callbacks["post_run_cell"].count(inspector._cell_ran) == 1


def test_messages_from_the_page_get_in_while_a_cell_runs() -> None:
    """ipykernel 7.4 routes a comm's messages through a private method; see `_answer_while_busy`."""
    import ipykernel.comm.comm as kernel_comm

    method = getattr(kernel_comm.BaseComm, "_reply_subshell_for", None)
    assert method is None or method.__code__.co_varnames[:3] == ("self", "data", "default")

    class Comm:
        def _reply_subshell_for(self, data: Any, default: Any) -> str:
            return "the busy main shell"

    comm = Comm()
    inspector._answer_while_busy(comm)
    assert comm._reply_subshell_for({}, "the page's own") == "the page's own"
    plain = object()
    inspector._answer_while_busy(plain)
    assert not hasattr(plain, "_reply_subshell_for")


def test_a_session_loop_keeps_its_speed(page: Page) -> None:
    step = tf.Variable(0, name="step")
    increment = tf.assign_add(step, 1)
    with tf.Session() as session:
        session.run(step.initializer)
        panel = inspect(session)
        hello(panel)
        for _ in range(300):
            session.run(increment)
        assert panel.publisher.runs == 300
        end = time.monotonic() + 5
        while page.value("step")["mean"] != 300.0:
            assert time.monotonic() < end, "the last value never came"
            time.sleep(0.01)
        assert page.kinds.count("stats") < 10
        panel.close()


def test_closing_twice_and_closing_a_panel_that_was_never_shown() -> None:
    panel = inspect()
    panel.close()
    panel.close()
    assert isinstance(panel.publisher, Publisher)
    assert panel.publisher.closed
