"""`explain.lint`: each rule on a program that has the mistake, and on the one that has it no more."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

import pytest

import tfbench as tf
from tfbench.explain import lint


@pytest.fixture(autouse=True)
def _graph() -> Iterator[Any]:
    with tf.Graph().as_default():
        yield


def subjects(rule: str, **options: Any) -> list[str]:
    found = lint(rules=[rule], **options)
    assert all(finding.rule == rule and finding.message for finding in found)
    return [finding.subject for finding in found]


def test_a_block_that_made_nothing() -> None:
    x = tf.Variable(0.0, name="x")
    update = tf.assign_add(x, 1.0, name="update")
    with tf.control_dependencies([update]):
        y = x
    (found,) = lint(rules=["empty-control-block"])
    assert found.subject == "update"
    assert "tf.identity(x)" in found.message
    assert found.where is not None
    assert (found.where.cell, found.where.file) == (None, __file__)
    with tf.control_dependencies([update]):
        tf.identity(x)
    assert len(lint(rules="empty-control-block")) == 1


def test_variables_under_one_name() -> None:
    tf.Variable(0.0, name="w")
    tf.get_variable("w", [])
    tf.get_variable("q", [])
    tf.Variable(0.0, name="q")
    assert subjects("mixed-get-variable") == ["w_1", "q_1"]


def test_names_with_numbers_are_no_mix() -> None:
    tf.Variable(0.0, name="w")
    tf.Variable(0.0, name="w")
    with tf.variable_scope("layer_1"):
        w = tf.get_variable("w_2", [])
    tf.train.AdamOptimizer().minimize(w * w)  # slots are called w_2/Adam and w_2/Adam_1
    assert subjects("mixed-get-variable") == []


def test_a_variable_for_each_turn_of_a_loop() -> None:
    for _ in range(3):
        tf.Variable(0.0, name="w")
    for number in range(3):
        tf.Variable(0.0, name=f"layer{number}")
    for _ in range(3):
        with tf.variable_scope("shared", reuse=tf.AUTO_REUSE):
            tf.get_variable("v", [])
    (found,) = lint(rules=["variable-in-loop"])
    assert found.subject == "w"
    assert "'w' to 'w_2'" in found.message


def test_one_cell_as_several_layers() -> None:
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(3) for _ in range(2)])
    assert subjects("shared-cell") == []
    mark = tf.get_default_graph().mark()
    tf.nn.rnn_cell.MultiRNNCell([cell] * 2)
    (found,) = lint(rules=["shared-cell"])
    assert "2 layers" in found.message
    assert found.where is not None
    assert found.where.file == __file__
    tf.get_default_graph().roll_back(mark)
    assert subjects("shared-cell") == []


def test_reuse_that_never_ends() -> None:
    w = tf.get_variable("w", [])
    with tf.variable_scope("inner"):
        tf.get_variable_scope().reuse_variables()
    assert subjects("reuse-leak") == []
    tf.get_variable_scope().reuse_variables()
    assert len(lint(rules=["reuse-leak"])) == 1
    with pytest.raises(ValueError, match="does not exist"):
        tf.train.AdamOptimizer().minimize(w * w)


def test_variables_that_nothing_reads() -> None:
    tf.Variable(0.0, name="never")
    set_only = tf.Variable(0.0, name="set_only")
    tf.assign(set_only, 1.0)
    counted = tf.Variable(0, name="counted")
    tf.assign_add(counted, 1)
    tf.square(tf.Variable(0.0, name="read"))
    resource = tf.Variable(0.0, name="resource", use_resource=True)
    tf.train.Saver()
    assert subjects("never-read") == ["never", "set_only", "resource"]
    _ = resource * 2.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(set_only)
        assert subjects("never-read") == ["never"]  # what is fetched is read


def test_outside_every_var_list() -> None:
    a, b = (tf.get_variable(name, []) for name in "ab")
    tf.get_variable("c", [], trainable=False)
    loss = tf.square(a * b)
    assert subjects("outside-var-list") == []
    tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[a])
    assert subjects("outside-var-list") == ["b"]


def test_summaries_of_what_nothing_feeds() -> None:
    old = tf.placeholder(tf.float32, [], name="x")
    tf.summary.scalar("old", old)
    new = tf.placeholder(tf.float32, [], name="x")
    w = tf.get_variable("w", [])
    loss = tf.square(w * new)
    tf.summary.scalar("new", loss)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    (found,) = lint(rules=["dead-summary"])
    assert found.subject == "old"
    assert "'x'" in found.message
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([train, tf.summary.merge_all()], {old: 0.0, new: 1.0})
        assert subjects("dead-summary") == []  # somebody does feed it


def test_placeholders_without_a_rank() -> None:
    tf.placeholder(tf.float32, name="anything")
    tf.placeholder(tf.float32, [None, None], name="matrix")
    assert subjects("unknown-rank") == ["anything"]


def test_never_initialized_by_the_graph_alone() -> None:
    v = tf.Variable(0.0, name="v")
    assert subjects("never-initialized") == ["v"]
    tf.global_variables_initializer()
    tf.Variable(0.0, name="late")
    tf.get_variable("local", [], collections=[tf.GraphKeys.LOCAL_VARIABLES])
    found = lint(rules=["never-initialized"])
    assert [finding.subject for finding in found] == ["late", "local"]
    assert "tf.local_variables_initializer()" in found["local"].message
    tf.group(v.initializer, *(local.initializer for local in tf.local_variables()))
    assert subjects("never-initialized") == ["late"]


def test_never_initialized_in_a_session() -> None:
    v = tf.Variable(0.0, name="v")
    init = tf.global_variables_initializer()
    with tf.Session() as session:
        assert subjects("never-initialized") == []  # before its first run
        session.run(tf.constant(1.0))
        assert subjects("never-initialized", session=session) == ["v"]
        assert subjects("initializer-never-run") == ["init"]
        session.run(v.initializer)
        assert subjects("never-initialized") == []
        assert subjects("initializer-never-run") == []
        tf.Variable(0.0, name="late")
        session.run(init)
        assert subjects("never-initialized") == ["late"]


def normalized() -> tuple[Any, Any]:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    hidden = tf.layers.batch_normalization(tf.layers.dense(x, 2), training=True)
    return x, tf.reduce_mean(hidden)


def test_update_ops_that_training_does_not_run() -> None:
    _, loss = normalized()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert subjects("updates-never-run") == []  # nothing trains
    optimizer.minimize(loss)
    assert subjects("updates-never-run") == [op.name for op in updates]
    assert subjects("averages-never-run") == []  # one finding for one mistake


def test_update_ops_that_training_runs() -> None:
    x, loss = normalized()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert subjects("updates-never-run") == []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert subjects("updates-never-run") == []
        session.run(loss, {x: [[1.0, 2.0]]})  # no training yet
        assert subjects("updates-never-run") == []
        session.run(train, {x: [[1.0, 2.0]]})
        assert subjects("updates-never-run") == []


def test_update_ops_that_a_session_has_not_run() -> None:
    x, loss = normalized()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert subjects("updates-never-run") == []
        session.run(train, {x: [[1.0, 2.0]]})
        assert len(subjects("updates-never-run")) == 2


def test_averages_that_are_never_updated() -> None:
    w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    loss = tf.square(w, name="loss")
    average = tf.train.ExponentialMovingAverage(0.9, name="avg").apply([loss])
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert subjects("averages-never-run") == ["avg"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert subjects("averages-never-run") == ["avg"]
        session.run([train, average])
        assert subjects("averages-never-run") == []


def test_lines_that_no_fetch_reaches() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    v = tf.Variable(2.0, name="v")
    y = tf.multiply(x, v, name="y")
    part = tf.exp(y, name="part")
    tf.log(part, name="aside")
    init = tf.global_variables_initializer()
    tf.train.Saver()
    with tf.Session() as session:
        session.run(init)
        assert subjects("unreached") == []  # nothing was asked yet
        session.run(y, {x: 1.0})
        assert subjects("unreached") == ["aside"]  # not all that leads there
        session.run("aside:0", {y: 1.0})
        assert subjects("unreached") == []


def test_a_graph_that_grows_from_run_to_run() -> None:
    v = tf.Variable(0.0, name="v")
    with tf.Session() as session:
        session.run(v.initializer)
        for _ in range(2):
            session.run(tf.assign_add(v, 1.0, name="more"))
        assert subjects("graph-grows") == []
        for number in range(3):
            session.run(tf.assign(v, float(number), name="set"))
        (found,) = lint(rules=["graph-grows"])
        assert "before 3 runs" in found.message
        assert found.where is not None
        assert found.where.file == __file__
        session.run(v)
        assert len(lint(rules=["graph-grows"])) == 1


def test_a_clean_program_has_nothing() -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1)))
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer().minimize(loss, global_step=step)
    tf.summary.scalar("loss", loss)
    init = tf.global_variables_initializer()
    assert str(lint()) == "nothing found"
    with tf.Session() as session:
        session.run(init)
        session.run([train, tf.summary.merge_all()], {x: [[1.0, 2.0]]})
        assert list(lint()) == []


def test_what_a_question_runs_is_no_run() -> None:
    v = tf.Variable(0.0, name="v")
    with tf.Session() as session:
        tf.explain.order(v, session=session)
        assert subjects("never-initialized") == []


def test_forms() -> None:
    tf.placeholder(tf.float32, name="a>b")
    found = lint(tf.get_default_graph(), rules=["unknown-rank"])
    assert found.to_dict()["findings"][0]["rule"] == "unknown-rank"
    assert str(found).endswith("1 finding: 1 unknown-rank")
    assert "unknown-rank: the placeholder" in str(found)
    assert "a>b" not in found._repr_html_()
    assert found[0].message in html.unescape(found._repr_html_())
    with pytest.raises(ValueError, match="'unknown-rang': there are empty-control-block"):
        lint(rules=["unknown-rang"])
    with pytest.raises(TypeError, match=r"tf\.Graph"):
        lint(3)
