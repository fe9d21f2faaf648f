"""`explain.why`: what makes an operation run, or why it does not."""

from __future__ import annotations

from typing import Any

import pytest

import tfbench as tf
from tfbench.explain import why


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def test_needed_for_its_value_and_as_a_control_dependency() -> None:
    a = tf.constant(1.0, name="a")
    b = tf.multiply(a, 2.0, name="b")
    with tf.control_dependencies([tf.no_op(name="first")]):
        c = tf.add(b, b, name="c")
    found = why(a, c)
    assert (found.runs, found.reason, found.path) == (True, "needed", ("a", "b", "c"))
    assert str(found) == "'a' runs: 'c' is fetched, and 'b' takes its value\npath: a → b → c"
    assert why("first", "c:0").path == ("first", "c")
    assert "'c' waits for it (control dependency)" in str(why("first", c))
    assert str(why(c, [c])) == "'c' runs: it is fetched\npath: c"


def test_not_an_ancestor() -> None:
    a = tf.constant(1.0, name="a")
    found = why(tf.identity(a, name="aside"), {"fetched": a})
    assert (found.runs, found.reason, found.path) == (False, "not-an-ancestor", ())
    assert "nothing that is fetched ('a:0') takes its value" in str(found)


def test_the_seeds_empty_control_block() -> None:
    x = tf.Variable(0.0, name="x")
    update = tf.assign_add(x, 1.0, name="update")
    with tf.control_dependencies([update]):
        y = x
    with tf.control_dependencies([update]):
        z = tf.identity(x)
    found = why(update, y)
    assert (found.runs, found.reason, found.path) == (False, "empty-control-block", ())
    assert "tf.identity(x)" in str(found)
    assert found.where is not None
    assert found.where.file == __file__
    assert found.to_dict()["where"]["line"] == found.where.line
    assert why(update, z).reason == "needed"
    # What the update itself needs was meant to run as well; others were not.
    assert why("update/value", y).reason == "empty-control-block"
    assert why(x.initializer, y).reason == "not-an-ancestor"


def test_which_blocks_count_as_empty() -> None:
    x = tf.constant(1.0, name="x")
    update = tf.identity(x, name="update")
    blocks = tf.get_default_graph()
    with tf.control_dependencies([update]), tf.control_dependencies(None):
        tf.constant(2.0)  # the outer block made nothing that waits
    with pytest.raises(RuntimeError), tf.control_dependencies([update]):
        raise RuntimeError
    with tf.control_dependencies([]):
        pass
    tf.gradients(tf.exp(x), x)  # the library's own blocks
    assert len(blocks._extensions["empty_blocks"].found) == 1


def test_empty_blocks_go_with_what_is_rolled_back() -> None:
    graph = tf.get_default_graph()
    update = tf.constant(1.0)
    y = tf.constant(2.0)
    mark = graph.mark()
    with tf.control_dependencies([update]):
        pass
    assert why(update, y).reason == "empty-control-block"
    graph.roll_back(mark)
    assert why(update, y).reason == "not-an-ancestor"


def test_fed() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    a = tf.multiply(x, 2.0, name="a")
    b = tf.add(a, x, name="b")
    assert why(a, b, feeds=[a]).reason == "fed"
    assert why(a, b, feeds={a: 1.0}).runs is False
    assert why("x", b, feeds=["a:0"]).path == ("x", "b")
    assert "what needs it is fed ('a:0')" in str(why("a", b, feeds=["a:0"]))


def branches(pred: Any) -> Any:
    x = tf.constant(1.0, name="outside")
    return tf.cond(pred, lambda: tf.add(x, 1.0, name="yes"), lambda: tf.add(x, 2.0, name="no"))


def test_a_branch_whose_predicate_is_not_known() -> None:
    p = tf.placeholder(tf.bool, [], name="p")
    y = branches(p)
    found = why("cond/yes", y)
    assert (found.runs, found.reason, found.path) == (None, "branch", ("cond/yes", "cond/Merge"))
    assert "true branch of 'cond/cond_text', whose predicate" in str(found)
    assert why("outside", y).runs is True  # whatever is made outside runs anyway
    assert why(y, y).runs is True


def test_a_branch_whose_predicate_is_known() -> None:
    y = branches(tf.constant(True))
    assert why("cond/yes", y).reason == "needed"
    found = why("cond/no", y)
    assert (found.runs, found.reason, found.path) == (False, "untaken-branch", ())
    assert "is True" in str(found)
    assert why("cond/no/Switch", y).runs is True


def test_a_predicate_that_is_fed() -> None:
    p = tf.placeholder(tf.bool, [], name="p")
    y = branches(p)
    pred = "cond/pred_id:0"
    assert why("cond/no", y, feeds={pred: False}).reason == "needed"
    assert why("cond/yes", y, feeds={pred: False}).reason == "untaken-branch"
    assert why("cond/yes", y, feeds=[pred]).reason == "branch"


def test_nested_branches() -> None:
    p = tf.placeholder(tf.bool, [], name="p")
    x = tf.constant(1.0)
    known = tf.constant(False)
    y = tf.cond(p, lambda: tf.cond(known, lambda: tf.exp(x, name="deep"), lambda: x), lambda: x)
    assert why("cond/cond/deep", y).reason in ("untaken-branch", "branch")
    z = tf.cond(known, lambda: tf.cond(p, lambda: tf.exp(x, name="deep"), lambda: x), lambda: x)
    assert why("cond_1/cond/deep", z).reason == "untaken-branch"


def test_loops() -> None:
    y = tf.while_loop(lambda i: tf.less(i, 3, name="test"), lambda i: tf.add(i, 1, name="step"), [0])
    assert why("while/test", y).runs is True
    found = why("while/step", y)
    assert (found.runs, found.reason) == (None, "branch")
    assert "in the body of the loop 'while/while_context'" in str(found)
    assert found.path[0] == "while/step"


def test_forms() -> None:
    a = tf.constant(1.0, name="a")
    found = why(a, a)
    assert found.to_dict() == {
        "op": "a", "runs": True, "path": ["a"], "reason": "needed", "message": "'a' runs: it is fetched", "where": None,
    }  # fmt: skip
    assert found._repr_html_() == "<pre>&#x27;a&#x27; runs: it is fetched\npath: a</pre>"
    with pytest.raises(AttributeError):
        found.runs = False  # type: ignore[misc]


def test_bad_input() -> None:
    a = tf.constant(1.0, name="a")
    with pytest.raises(KeyError, match="nope"):
        why("nope", a)
    with pytest.raises(ValueError, match="cannot be interpreted"):
        why(a, "nope:0")
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="not an element of this graph"):
        why(other, a)
