"""What the page asks: the order of a fetch and the placement of the graph, as `explain` says them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.widgets.page import Page
from tfbench.widgets.publisher import Publisher


def build() -> tuple[Any, Any]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        with tf.device("/cpu:0"):
            w = tf.get_variable("w", [2])
        y = tf.multiply(x, w, name="y")
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], name="loop")
        with tf.control_dependencies([y]):
            tf.no_op(name="done")
        return graph, tf.Session(graph=graph)


@pytest.fixture
def asked() -> Any:
    graph, session = build()
    page = Page()
    publisher = Publisher(graph, session, page.send)
    publisher.receive({"v": 1, "kind": "hello"})

    def ask(what: Any, fetch: Any = "") -> Any:
        publisher.receive({"v": 1, "kind": "ask", "what": what, "fetch": fetch})
        return page, page.answers.get(what)

    yield ask, session
    publisher.close()


def test_order(asked: Any) -> None:
    ask, session = asked
    page, (content, table) = ask("order", "done")
    steps = tf.explain.order("done", session)
    rows = table.reshape(-1, 4)
    assert [page.ops[op]["name"] for op in rows[:, 0]] == [step.op for step in steps]
    assert [content["devices"][device] for device in rows[:, 1]] == [step.device for step in steps]
    assert content["fetch"] == "done"
    assert set(content["loops"]) == {""}


def test_order_of_a_loop(asked: Any) -> None:
    ask, session = asked
    page, (content, table) = ask("order", "loop/Exit")
    inside = {page.ops[op]["name"]: part for op, _, _, part in table.reshape(-1, 4).tolist()}
    assert inside["loop/Less"] == 2  # once more than the body
    assert inside["loop/add"] == 3
    assert len(content["loops"]) == 2


def test_placement(asked: Any) -> None:
    ask, session = asked
    page, (content, table) = ask("placement")
    rows = {page.ops[op]["name"]: (device, reason) for op, device, reason in table.reshape(-1, 3).tolist()}
    assert len(rows) == len(page.ops)
    assert content["reasons"][rows["w"][1]].startswith("asked")
    assert content["devices"][rows["w"][0]] == "/device:CPU:0"
    assert content["transfers"] == []
    assert content["simulated"] == []


def test_what_cannot_be_answered_says_so(asked: Any) -> None:
    ask, _ = asked
    _, (content, table) = ask("order", "no_such_op")
    assert "no_such_op" in content["error"]
    assert table is None


@pytest.mark.parametrize(("what", "fetch"), [("secrets", ""), (None, "x"), ("order", 3), ("order", None)])
def test_other_questions_are_dropped(asked: Any, what: Any, fetch: Any) -> None:
    ask, _ = asked
    page, _ = ask("order", "x")
    before = list(page.kinds)
    ask(what, fetch)
    assert page.kinds == before


def test_nothing_is_answered_before_the_page_has_the_graph() -> None:
    graph, session = build()
    page = Page()
    publisher = Publisher(graph, session, page.send)
    publisher.receive({"v": 1, "kind": "ask", "what": "order", "fetch": "x"})
    assert page.kinds == []
    publisher.close()


def test_filters() -> None:
    rng = np.random.default_rng(0)
    value = rng.normal(size=(3, 5, 20, 4)).astype(np.float32)
    value[0, 0, 0, 0] = np.nan
    with tf.Graph().as_default() as graph:
        weights = tf.get_variable("weights", initializer=value)
        tf.get_variable("biases", [4])
    session = tf.Session(graph=graph)
    page = Page()
    publisher = Publisher(graph, session, page.send)
    publisher.receive({"v": 1, "kind": "hello"})
    ask = {"v": 1, "kind": "ask", "what": "filters"}
    publisher.receive({**ask, "fetch": "weights"})
    assert "not initialized" in page.answers["filters"][0]["error"]
    session.run(weights.initializer)
    publisher.receive({**ask, "fetch": "weights"})
    content, tiles = page.answers["filters"]
    assert content["shape"] == [3, 5, 20, 4]
    assert tiles.shape == (16, 4, 3, 5)
    np.testing.assert_array_equal(tiles[2, 1], value[:, :, 2, 1])
    assert content["limit"] == np.nanmax(np.abs(value))
    assert content["broken"] == 1
    publisher.receive({**ask, "fetch": "biases"})
    assert "error" in page.answers["filters"][0]
    publisher.close()
