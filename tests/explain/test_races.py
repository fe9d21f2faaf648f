"""`explain.races`: what is named, what counts, and what does not."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

import tfbench as tf
from tfbench.explain import races
from tfbench.explain.race_search import Search


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def pairs(fetches: Any, **options: Any) -> list[tuple[str, str, str, str]]:
    return [(race.variable, race.kind, race.first, race.second) for race in races(fetches, **options)]


def x_and_update() -> tuple[Any, Any]:
    x = tf.Variable(1.0, name="x")
    return x, tf.assign(x, 5.0, name="update")


def test_a_read_and_a_write_that_nothing_orders() -> None:
    x, update = x_and_update()
    y = tf.multiply(x, 2.0, name="y")
    found = races([update, y])
    assert pairs([update, y]) == [("x", "write/read", "update", "y")]  # who computes is named, not x/read
    assert found[0].fix == "`with tf.control_dependencies([update]):` around y"
    assert found[0].first_at is not None
    assert found[0].first_at.file == __file__
    assert "x: write/read race between 'update' (test_races.py:" in str(found)
    assert pairs(y) == []
    assert pairs([update, y.op]) == []  # what is read and goes nowhere


def test_the_fix_is_one() -> None:
    x, update = x_and_update()
    with tf.control_dependencies([update]):
        y = tf.multiply(x, 2.0, name="y")  # of x/read, which was made before: it is looked at when y runs
        z = tf.identity(x, name="z")
    assert pairs([update, y, z]) == []
    assert str(races(y)) == "no races: every legal order of this run gives the same result"


def test_fetched_aliases_are_copied_at_the_end() -> None:
    x, update = x_and_update()
    assert pairs([update, x, tf.identity(x), x.read_value()]) == []


def test_two_writes() -> None:
    x, update = x_and_update()
    other = tf.assign(x, 7.0, name="other")
    assert pairs([update, other]) == [("x", "write/write", "update", "other")]
    with tf.control_dependencies([update, other]):
        last = tf.assign(x, 9.0, name="last")
    assert pairs(last) == []  # whatever came before is set over
    with tf.control_dependencies([update, other]):
        y = tf.multiply(x, 2.0)
    with tf.control_dependencies([y]):
        after = tf.assign(x, 9.0)
    assert pairs([after.op, y]) == [("x", "write/write", "update", "other")]


def test_what_is_set_over_only_perhaps() -> None:
    x, update = x_and_update()
    other = tf.assign(x, 7.0, name="other")
    p = tf.placeholder(tf.bool, [])
    with tf.control_dependencies([update, other]):
        guard = tf.identity(p)
    perhaps = tf.cond(guard, lambda: tf.assign(x, 9.0), lambda: tf.identity(x))
    assert pairs(perhaps) == [("x", "write/write", "update", "other")]


def test_additions_commute_with_each_other_only() -> None:
    x, update = x_and_update()
    one, two = tf.assign_add(x, 1.0, name="one"), tf.assign_sub(x, 2.0, name="two")
    assert pairs([one, two]) == []
    assert pairs([update, one]) == [("x", "write/write", "update", "one")]
    assert pairs([one.op, tf.multiply(x, 3.0, name="y")]) == [("x", "write/read", "one", "y")]
    rows = tf.Variable([1.0, 2.0, 3.0], name="rows")
    scatters = [tf.scatter_update(rows, [row], [0.0]) for row in (0, 1)]
    assert pairs(scatters) == []  # other rows
    assert len(pairs([*scatters, tf.scatter_update(rows, [1], [5.0])])) == 1


def test_a_write_that_looks_itself_is_not_what_is_read() -> None:
    rows = tf.Variable([1.0, 2.0], name="rows")
    update = tf.scatter_update(rows, [0], [5.0])
    unused = tf.multiply(rows, 2.0)
    assert pairs([update, unused.op]) == []
    assert len(pairs([update, unused])) == 1


def test_setting_to_the_same_is_no_race() -> None:
    x = tf.Variable(1.0, name="x")
    value = tf.placeholder(tf.float32, [])
    assert pairs([tf.assign(x, value), tf.assign(x, tf.identity(value))]) == []
    assert pairs([tf.assign(x, 3.0), tf.assign(x, tf.constant(3.0))]) == []
    assert pairs([tf.assign(x, x), tf.assign_add(x, 1.0)]) == []


def test_initializers() -> None:
    x = tf.Variable(1.0, name="x")
    tf.Variable(x.initialized_value() * 2.0, name="w")
    assert pairs(tf.global_variables_initializer()) == []
    y = tf.multiply(x, 2.0, name="y")
    found = races([x.initializer, y])
    assert pairs([x.initializer, y]) == [("x", "write/read", "x/Assign", "y")]
    assert found[0].fails
    assert "tf.identity(v), not a read made before" in found[0].fix
    assert pairs([x.initializer, x.read_value()])[0][3] == "read"  # an alias that is fetched is named itself
    assert pairs([x.initializer, tf.raw_ops.Shape(input=x)])[0][3] == "Shape"
    with tf.Session() as session:
        session.run(x.initializer)
        assert not races([x.initializer, y], session=session)[0].fails  # it has a value: another one may be read
        assert pairs([x.initializer, tf.raw_ops.Shape(input=x)], session=session) == []


def test_shapes_are_no_values() -> None:
    x, update = x_and_update()
    assert pairs([update, tf.raw_ops.ZerosLike(x=x), tf.raw_ops.Size(input=x)]) == []


def test_what_is_read_goes_into_another_variable() -> None:
    x, update = x_and_update()
    copy = tf.Variable(0.0, name="copy")
    into = tf.assign(copy, x, name="into")
    assert pairs([update, into.op]) == [("x", "write/read", "update", "into")]
    with tf.control_dependencies([into]):
        over = tf.assign(copy, 3.0)
    assert pairs([update, over]) == []


def test_an_assertion_can_fail_in_one_order() -> None:
    x, update = x_and_update()
    check = tf.Assert(x > 2.0, [x], name="check")
    assert ("x", "write/read", "update", "Greater") in pairs([update, check])


def test_resource_variables_are_read_when_their_read_runs() -> None:
    x = tf.Variable(1.0, name="x", use_resource=True)
    with tf.control_dependencies([x.read_value()]):
        update = x.assign(5.0)
    y = tf.multiply(x, 2.0, name="y")
    assert pairs([update.op, y]) == [("x", "write/read", "AssignVariableOp", "y/ReadVariableOp")]
    value = x.read_value()
    with tf.control_dependencies([value]):
        later = tf.group(x.assign(6.0).op)
    assert pairs([later, value * 2.0]) == []  # a snapshot, unlike an alias


def test_sides_of_one_branch_never_meet() -> None:
    x = tf.Variable(1.0, name="x")
    p = tf.placeholder(tf.bool, [])
    branches = tf.cond(p, lambda: tf.assign(x, 2.0), lambda: tf.assign(x, 3.0))
    assert pairs(branches) == []
    y = tf.multiply(x, 2.0, name="y")
    assert [race[2:] for race in pairs([branches, y])] == [("cond/Assign", "y"), ("cond/Assign_1", "y")]
    known = tf.cond(tf.constant(True), lambda: tf.assign(x, 2.0), lambda: tf.assign(x, 3.0))
    assert len(pairs([known, y])) == 1


def test_a_predicate_that_is_read_too_early() -> None:
    x, update = x_and_update()
    y = tf.cond(tf.greater(x, 2.0, name="test"), lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    assert pairs([update, y]) == [("x", "write/read", "update", "test")]


def test_an_alias_that_a_branch_chooses() -> None:
    x = tf.Variable(1.0, name="x")
    p = tf.placeholder(tf.bool, [])
    chosen = tf.cond(p, lambda: tf.constant(2.0), lambda: tf.identity(x))
    update = tf.cond(p, lambda: tf.assign(x, 5.0), lambda: tf.constant(0.0))
    y = tf.multiply(chosen, 2.0, name="y")
    assert pairs([update, y]) == []  # where x is written, something else is read
    other = tf.cond(p, lambda: tf.constant(0.0), lambda: tf.assign(x, 6.0), name="other")
    assert pairs([other, y]) == [("x", "write/read", "y", "other/Assign")]


def test_loops() -> None:
    x = tf.Variable(0.0, name="x")

    def waits(i: Any) -> Any:
        with tf.control_dependencies([tf.assign(x, tf.cast(i, tf.float32))]):
            return i + 1

    assert pairs(tf.while_loop(lambda i: i < 3, waits, [0])) == []

    def runs_ahead(i: Any, total: Any) -> Any:
        return i + 1, total + tf.assign(x, tf.cast(i, tf.float32), name="set")

    found = races(tf.while_loop(lambda i, _: i < 3, runs_ahead, [0, 0.0], name="ahead"))
    assert ("x", "write/write", "ahead/set", "ahead/set") in [tuple(race[:4]) for race in found]
    assert "parallel_iterations=1" in found[0].fix

    def adds(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(x, 1.0)]):
            return tf.identity(i) + 1

    assert pairs(tf.while_loop(lambda i: i < 3, adds, [0])) == []


def test_a_loop_and_what_is_beside_it() -> None:
    x, update = x_and_update()
    total = tf.while_loop(lambda i: i < 3.0, lambda i: tf.add(i, x, name="step"), [0.0], name="loop")
    found = pairs([update, total])
    assert [race[:2] for race in found] == [("x", "write/read")]
    assert set(found[0][2:]) == {"update", "loop/step"}


def test_a_training_step() -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="images")
    hidden = tf.layers.dense(x, 3, name="one")
    loss = tf.reduce_mean(tf.layers.dense(hidden, 1, name="two"))
    train = tf.train.AdamOptimizer().minimize(loss)
    assert pairs([train, loss]) == []
    again = tf.matmul(x, tf.get_default_graph().get_tensor_by_name("one/kernel/read:0"), name="again")
    assert [race[0] for race in races([train, again])] == ["one/kernel"]
    assert pairs([train, again], feeds=[again]) == []


def test_a_transfer_looks_when_it_is_sent() -> None:
    with tf.device("/cpu:0"):
        x, update = x_and_update()
    with tf.control_dependencies([update]), tf.device("/cpu:1"):
        y = tf.multiply(x, 2.0, name="y")
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.simulate_devices(cpu=2), tf.Session(config=config) as session:
        assert [race[1:] for race in pairs(y, session=session)] == [("write/read", "x/read", "update")]
        assert "tf.identity" in races(y, session=session)[0].fix
    assert pairs(y) == []


def test_a_recurrent_network_and_batch_normalization() -> None:
    x = tf.placeholder(tf.float32, [2, 3, 2])
    p = tf.placeholder(tf.bool, [])
    normalized = tf.layers.batch_normalization(tf.layers.dense(x, 2), training=p)
    outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), normalized, dtype=tf.float32)
    loss = tf.reduce_mean(outputs)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer().minimize(loss)
    assert pairs([train, loss]) == []
    assert pairs(tf.global_variables_initializer()) == []
    mean, update = tf.metrics.mean(loss)
    assert {race[1] for race in pairs([mean, update])} == {"write/read"}


def test_forms() -> None:
    x, update = x_and_update()
    found = races({"u": update, "y": tf.multiply(x, 2.0, name="y")})
    assert found.to_dict()["races"][0]["variable"] == "x"
    assert found["x"] is found[0]
    page = html.unescape(found._repr_html_())
    assert "<table>" in page
    assert found[0].fix in page
    assert re.search(r"'update' \(.*test_races\.py:\d+\)", page)
    assert found == races([update, "y:0"])
    with pytest.raises(AttributeError):
        found[0].kind = "other"  # type: ignore[misc]
    with pytest.raises(ValueError, match="nope"):
        races("nope")


def test_nothing_to_decide_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x = tf.Variable(1.0)
    monkeypatch.setattr(Search, "_find_before", lambda self: pytest.fail("not needed"))
    assert pairs(x * 2.0) == []
