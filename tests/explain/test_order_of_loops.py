"""`explain.order` of a graph with loops: each op once, where it stands, and how often it runs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import tfbench as tf
from tests.observed import observed
from tfbench.explain import order


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def loops() -> tuple[Any, Any]:
    """A loop in a loop, and how many iterations the outer one has."""
    n = tf.placeholder(tf.int32, [], name="n")

    def body(i: Any, total: Any) -> Any:
        _, total = tf.while_loop(lambda j, _: j < i, lambda j, t: (j + 1, t + i * j), [0, total])
        return i + 1, total

    return n, tf.while_loop(lambda i, _: i < n, body, [0, 0])[1]


def test_each_op_is_listed_once_with_its_loop() -> None:
    n, total = loops()
    rows = order(total, feeds=[n])
    assert max(Counter(row.op for row in rows).values()) == 1
    assert (rows["while/Const"].loop, rows["while/Const"].part) == ("", "")
    assert (rows["while/Enter"].loop, rows["while/Enter"].part) == ("while/while_context", "enter")
    assert (rows["while/Less"].loop, rows["while/Less"].part) == ("while/while_context", "test")
    assert (rows["while/add"].loop, rows["while/add"].part) == ("while/while_context", "body")
    assert (rows["while/while/mul"].loop, rows["while/while/mul"].part) == ("while/while/while_context", "body")
    assert (rows["while/Exit_1"].loop, rows["while/Exit_1"].part) == ("while/while_context", "exit")
    assert "while/Exit" not in [row.op for row in rows]  # nobody asks for the outer counter


def test_the_table_says_how_often() -> None:
    n, total = loops()
    text = str(order(total, feeds=[n]))
    assert text.splitlines()[0].split() == [
        "step",
        "op",
        "type",
        "loop",
        "runs",
        "after",
        "(data)",
        "after",
        "(control)",
        "device",
    ]
    assert "N + 1 times" in text
    assert "while/while/while_context" in order(total)._repr_html_()
    assert "loop" not in str(order("while/Const:0")).splitlines()[0]


def test_it_is_the_order_of_the_run_and_the_parts_run_as_often_as_it_says() -> None:
    n, total = loops()
    session = tf.Session()
    ran: list[tuple[str, tuple[int, ...]]] = []
    with observed(session, lambda step, inputs, results, iterations: ran.append((step.op.name, iterations))):
        assert session.run(total, {n: 4}) == sum(i * j for i in range(4) for j in range(i))
    rows = order(total, session, feeds=[n])
    first_seen = list(dict.fromkeys(name for name, _ in ran))
    times = Counter(name for name, _ in ran)
    for row in rows:
        if row.type in ("Const", "Placeholder"):
            continue
        outer, inner = 4, sum(range(4))
        if row.loop == "while/while_context":
            assert times[row.op] == {"enter": 1, "test": outer + 1, "body": outer, "exit": 1}[row.part], row.op
        elif row.loop:
            assert times[row.op] == {"enter": outer, "test": inner + outer, "body": inner, "exit": outer}[row.part], (
                row.op
            )
    # What runs in every pass is seen in the order of the table (what is in the inner body is seen in a later pass).
    once = [row.op for row in rows if row.loop != "while/while/while_context" and row.op in times]
    assert [name for name in first_seen if name in once and rows[name].part != "exit"] == [
        name for name in once if rows[name].part != "exit"
    ]


def test_an_observer_is_told_the_iteration() -> None:
    n, total = loops()
    session = tf.Session()
    ran: list[tuple[str, tuple[int, ...]]] = []
    with observed(session, lambda step, inputs, results, iterations: ran.append((step.op.name, iterations))):
        session.run(total, {n: 3})
    assert [iterations for name, iterations in ran if name == "while/while/mul"] == [(1, 0), (2, 0), (2, 1)]
    assert [iterations for name, iterations in ran if name == "while/Merge"] == [(0,), (1,), (2,), (3,)]
    assert [iterations for name, iterations in ran if name == "while/Enter"] == [()]
