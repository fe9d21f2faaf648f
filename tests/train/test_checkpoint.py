"""`tf.train.Checkpoint`: what the recorded programs (`tests/oracle/programs/object_checkpoints.py`) do not show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf


def names(path: Any) -> list[str]:
    return [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in tf.train.list_variables(path)][1:]


@pytest.fixture(autouse=True)
def _fresh_graph() -> Any:
    with tf.Graph().as_default():
        yield


def test_layers_and_cells_are_saved_under_the_names_of_their_weights(tmp_path: Path) -> None:
    # As TensorFlow 1.15 names them.
    dense, norm = tf.layers.Dense(2), tf.layers.BatchNormalization()
    y = norm(dense(tf.placeholder(tf.float32, [None, 3])), training=True)
    cells = [tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(2)), tf.nn.rnn_cell.GRUCell(3)]
    cell = tf.nn.rnn_cell.MultiRNNCell(cells)
    tf.nn.dynamic_rnn(cell, tf.zeros([2, 3, 2]), dtype=tf.float32)
    optimizer = tf.train.RMSPropOptimizer(0.1)
    optimizer.minimize(tf.reduce_sum(y), var_list=[dense.kernel])
    checkpoint = tf.train.Checkpoint(dense=dense, norm=norm, cell=cell, opt=optimizer)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = names(checkpoint.save(tmp_path / "c"))
    assert found == [
        "cell/cell-0/cell/bias", "cell/cell-0/cell/kernel", "cell/cell-1/candidate.Sbias",
        "cell/cell-1/candidate.Skernel", "cell/cell-1/gates.Sbias", "cell/cell-1/gates.Skernel", "dense/bias",
        "dense/kernel", "dense/kernel/.OPTIMIZER_SLOT/opt/momentum", "dense/kernel/.OPTIMIZER_SLOT/opt/rms",
        "norm/beta", "norm/gamma", "norm/moving_mean", "norm/moving_variance", "save_counter",
    ]  # fmt: skip


def test_slots_that_are_made_after_the_restore_are_restored(tmp_path: Path) -> None:
    v = tf.Variable([1.0, 2.0])
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    train = optimizer.minimize(tf.reduce_sum(v * v), var_list=[v])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        path = tf.train.Checkpoint(v=v, opt=optimizer).save(tmp_path / "c")
        expected = sess.run(optimizer.get_slot(v, "momentum"))
        new = tf.train.MomentumOptimizer(0.1, 0.9)
        # The optimizer comes behind the variable whose slot it keeps.
        status = tf.train.Checkpoint(v=v, opt=new).restore(path)
        with pytest.raises(
            AssertionError, match=r"Unresolved object in checkpoint \(root\).opt's state 'momentum' for"
        ):
            status.assert_consumed()
        new.minimize(tf.reduce_sum(v * v), var_list=[v])
        status.initialize_or_restore()
        np.testing.assert_array_equal(sess.run(new.get_slot(v, "momentum")), expected)


def test_a_savers_checkpoint_is_restored_by_names(tmp_path: Path) -> None:
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="w")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, str(tmp_path / "s"))
        sess.run([v.assign([9.0, 9.0]), w.assign(9.0)])
        status = tf.train.Checkpoint(items=[v, w]).restore(path)
        with pytest.raises(AssertionError, match="Object not restored"):
            status.assert_consumed()
        status.initialize_or_restore()
        assert status.expect_partial().assert_existing_objects_matched() is status
        assert sess.run([v, w])[1] == 3.0
        unknown = tf.train.Checkpoint(u=tf.Variable(1.0, name="u")).restore(path)
        with pytest.raises(tf.errors.NotFoundError, match="Key u not found"):
            unknown.run_restore_ops()


def test_nothing_is_changed_where_one_of_them_does_not_fit(tmp_path: Path) -> None:
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="w")
    other = tf.Variable([1.0, 2.0, 3.0], name="other")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(a=v, b=w).write(tmp_path / "c")
        sess.run(v.assign([9.0, 9.0]))
        status = tf.train.Checkpoint(a=v, b=other).restore(path)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Assign requires shapes .* rhs shape= \[\]"):
            status.run_restore_ops()
        np.testing.assert_array_equal(sess.run(v), [9.0, 9.0])


def test_a_damaged_value_is_found(tmp_path: Path) -> None:
    v = tf.Variable(np.arange(100.0))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        checkpoint = tf.train.Checkpoint(v=v)
        path = checkpoint.save(tmp_path / "c")
        data = Path(f"{path}.data-00000-of-00001")
        raw = bytearray(data.read_bytes())
        raw[raw.index(np.arange(3.0).tobytes()) + 9] ^= 1
        data.write_bytes(raw)
        with pytest.raises(tf.errors.DataLossError, match=r"v/\.ATTRIBUTES/VARIABLE_VALUE"):
            checkpoint.restore(path).run_restore_ops()


def test_without_a_session_it_says_so(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(ValueError, match="No default session"):
        checkpoint.save(tmp_path / "c")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = checkpoint.save(tmp_path / "c", session=sess)
    with pytest.raises(ValueError, match="No default session"):
        checkpoint.restore(path).run_restore_ops()


def test_nodes_that_a_rolled_back_graph_has_lost_are_made_again(tmp_path: Path) -> None:
    graph = tf.get_default_graph()
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    mark = graph.mark()
    with tf.Session() as sess:
        sess.run(v.initializer)
        path = checkpoint.save(tmp_path / "c")
        checkpoint.restore(path).run_restore_ops()
    graph.roll_back(mark)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert checkpoint.save(tmp_path / "c") == str(tmp_path / "c-1")
        sess.run(v.assign(5.0))
        checkpoint.restore(path).assert_consumed().run_restore_ops()
        assert sess.run(v) == 1.0


def test_what_is_marked_as_no_dependency_is_not_saved(tmp_path: Path) -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    checkpoint = tf.train.Checkpoint(v=v)
    checkpoint.w = tf.contrib.checkpoint.NoDependency([w])
    assert checkpoint.w == [w]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert names(checkpoint.save(tmp_path / "c")) == ["save_counter", "v"]


def test_containers_that_only_grow() -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    contrib = tf.contrib.checkpoint
    items = contrib.List([v])
    items.append([w])
    items += [v]
    more = items.__add__([w])
    assert (len(items), items[0] is v, items.index(v), len(more)) == (3, True, 0, 4)
    with pytest.raises(ValueError, match=r"Only trackable objects .* may be stored in a List object\. Got 3"):
        items.append(3)
    table = contrib.Mapping(a=v)
    table["b"] = w
    with pytest.raises(ValueError, match=r"append-only data structure\. Tried to overwrite the key 'b'"):
        table["b"] = v
    with pytest.raises(TypeError, match="only string keys, but got a key 3"):
        table[3] = v
    tracker = contrib.UniqueNameTracker()
    for name in ("a", "a", "a_1"):
        assert tracker.track(v, name) is v
    assert list(tracker._trackable_children()) == ["a", "a_1", "a_1_1"]
    with pytest.raises(ValueError, match="Expected a trackable value, got 3"):
        tracker.track(3, "n")
    found = contrib.list_objects(tf.train.Checkpoint(items=items, table=table, tracker=tracker))
    assert [item is one for item, one in zip(found[1:4], (items, table, tracker))] == [True, True, True]
    assert sum(item is v for item in found) == 1


def test_the_message_that_describes_a_checkpoint(tmp_path: Path) -> None:
    v = tf.Variable(1.0, name="v")
    with tf.Session() as sess:
        sess.run(v.initializer)
        path = tf.train.Checkpoint(v=v).write(tmp_path / "c")
        message = tf.contrib.checkpoint.object_metadata(path)
        assert [child.local_name for child in message.nodes[0].children] == ["v"]
        assert message.nodes[1].attributes[0].full_name == "v"
        path = tf.train.Saver().save(sess, str(tmp_path / "s"))
        with pytest.raises(ValueError, match="does not appear to be object-based"):
            tf.contrib.checkpoint.object_metadata(path)
