"""TensorArrays and stacks beyond the recorded facts: memory, runs that fail, old spellings, random programs."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfbench as tf
from tfbench.engine.kernels.tensor_arrays import TensorArrayState, rows, stacked


@pytest.fixture(autouse=True)
def fresh_graph() -> Any:
    tf.reset_default_graph()


def arrays_alive() -> int:
    gc.collect()
    return sum(isinstance(item, TensorArrayState) for item in gc.get_objects())


# -- how long they live ---------------------------------------------------------------------------------------------


def test_nothing_is_left_of_an_array_after_a_run() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    ta = tf.TensorArray(tf.float32, 2).unstack(x)
    y = ta.stack()
    grads = tf.gradients(y * y, x)
    before = arrays_alive()
    with tf.Session() as sess:
        for _ in range(3):
            np.testing.assert_array_equal(sess.run(grads)[0], [[2, 4], [6, 8]])
        assert arrays_alive() == before


def test_nothing_is_left_of_an_array_after_a_run_that_fails() -> None:
    index = tf.placeholder(tf.int32, [])
    ta = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    y = ta.read(index)
    before = arrays_alive()
    with tf.Session() as sess:
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Tried to read from index 7 but array size is: 2"):
                sess.run(y, {index: 7})
            assert arrays_alive() == before
            assert sess.run(y, {index: 1}) == 2.0


@pytest.mark.parametrize("clears", [True, False])
def test_an_element_is_freed_when_it_was_read(clears: bool) -> None:
    """`clear_after_read` is what keeps a long loop's memory small."""
    state = TensorArrayState("x", tf.float32, 1, None, identical=True, dynamic=False, clears=clears)
    array = np.ones(1000, np.float32)
    seen = weakref.ref(array)
    state.write(0, array)
    assert state.read(0) is array
    del array
    assert (seen() is None) is clears


def test_a_handle_of_something_else_is_refused() -> None:
    v = tf.Variable([1.0], use_resource=True)
    size = tf.raw_ops.TensorArraySizeV3(handle=v.handle, flow_in=0.0)
    pop = tf.raw_ops.StackPopV2(handle=tf.TensorArray(tf.float32, 1).handle, elem_type=tf.float32)
    with tf.Session() as sess:
        sess.run(v.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="not that of a TensorArray"):
            sess.run(size)
        with pytest.raises(tf.errors.InvalidArgumentError, match="not that of a stack"):
            sess.run(pop)


def test_a_graph_that_is_rolled_back_forgets_what_an_array_has_learned() -> None:
    """A notebook cell that is run again may write elements of another shape."""
    graph = tf.get_default_graph()
    ta = tf.TensorArray(tf.float32, 2)
    mark = graph.mark()
    ta.write(0, [1.0, 2.0])
    assert ta.element_shape.as_list() == [2]
    graph.roll_back(mark)
    assert ta.element_shape.ndims is None
    y = ta.write(0, 5.0).read(0)
    with tf.Session() as sess:
        assert sess.run(y) == 5.0


# -- values ---------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 3), min_size=0, max_size=2),
    indices=st.lists(st.integers(0, 6), min_size=1, max_size=5, unique=True),
    dtype=st.sampled_from(["float32", "int64", "bool", "complex64"]),
    data=st.data(),
)
def test_scatter_and_gather_move_rows(sizes: list[int], indices: list[int], dtype: str, data: Any) -> None:
    tf.reset_default_graph()
    values = np.arange(len(indices) * int(np.prod(sizes))).reshape(len(indices), *sizes).astype(dtype)
    order = data.draw(st.permutations(range(len(indices))))
    ta = tf.TensorArray(dtype, size=7, element_shape=sizes).scatter(indices, values)
    picked = ta.gather([indices[i] for i in order])
    with tf.Session() as sess:
        found = sess.run(picked)
        np.testing.assert_array_equal(found, values[list(order)])
        assert found.dtype == values.dtype
        np.testing.assert_array_equal(sess.run(picked), found)


@settings(max_examples=60, deadline=None)
@given(lengths=st.lists(st.integers(0, 4), min_size=1, max_size=6), inner=st.integers(0, 2))
def test_split_and_concat_are_inverse(lengths: list[int], inner: int) -> None:
    tf.reset_default_graph()
    value = np.arange(sum(lengths) * inner, dtype=np.float64).reshape(-1, inner) if inner else np.ones(sum(lengths))
    ta = tf.TensorArray(tf.float64, size=len(lengths), infer_shape=False).split(value, tf.constant(lengths, tf.int64))
    joined = ta.concat()
    with tf.Session() as sess:
        found, back = sess.run([joined, joined.op.outputs[1]])
    np.testing.assert_array_equal(found, value)
    assert back.tolist() == lengths


def test_rows_do_not_change_with_a_variable() -> None:
    """What was taken apart is a copy, as TensorFlow's is; what was written whole is the variable's own memory there."""
    v = tf.Variable([1.0, 2.0])
    ta = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack(v)
    with tf.control_dependencies([ta.flow]):
        change = tf.assign(v, [7.0, 8.0])
    with tf.control_dependencies([change]):
        later = ta.stack()
    with tf.Session() as sess:
        sess.run(v.initializer)
        np.testing.assert_array_equal(sess.run(later), [1.0, 2.0])


def test_a_gradient_adds_up_in_place_without_touching_what_was_written() -> None:
    x = tf.constant([[1.0, 2.0]])
    ta = tf.TensorArray(tf.float32, 1, clear_after_read=False).unstack(x)
    k = tf.placeholder_with_default([3.0, 4.0], [2])
    (grad,) = tf.gradients([tf.reduce_sum(ta.read(0) * k) for _ in range(4)], x)
    with tf.Session() as sess:
        fed = np.float32([1, 10])
        np.testing.assert_array_equal(sess.run(grad, {k: fed}), [[4, 40]])
        np.testing.assert_array_equal(sess.run(grad, {k: fed}), [[4, 40]])
        np.testing.assert_array_equal(fed, [1, 10])


def test_stacking_keeps_strings_and_scalars() -> None:
    words = rows(np, np.array([b"a", b"bc"], object))
    assert [word.shape for word in words] == [(), ()]
    assert stacked(np, words, tf.string).tolist() == [b"a", b"bc"]
    assert stacked(np, rows(np, np.float32([1, 2])), tf.float32).dtype == np.float32


# -- the spellings of older graphs ------------------------------------------------------------------------------------


def old_array(version: str) -> Any:
    """A TensorArray of an older spelling, of three elements, with two written; its ops by name."""
    ops = tf.raw_ops

    def call(method: str, **arguments: Any) -> Any:
        return getattr(ops, f"TensorArray{method}{version}")(**arguments)

    handle = call("", size=3, dtype=tf.float32, element_shape=[2], clear_after_read=False)
    flow = call("Write", handle=handle, index=0, value=[1.0, 2.0], flow_in=0.0)
    flow = call("Scatter", handle=handle, indices=[1], value=[[3.0, 4.0]], flow_in=flow)
    return call, handle, flow


@pytest.mark.parametrize("version", ["", "V2"])
def test_older_spellings_compute_the_same(version: str) -> None:
    call, handle, flow = old_array(version)
    fetches = {
        "read": call("Read", handle=handle, index=1, flow_in=flow, dtype=tf.float32),
        "gather": call("Gather", handle=handle, indices=[2, 0], flow_in=flow, dtype=tf.float32),
        "concat": call("Concat", handle=handle, flow_in=flow, dtype=tf.float32)[0],
        "size": call("Size", handle=handle, flow_in=flow),
    }
    with tf.control_dependencies(list(fetches.values())):
        close = call("Close", handle=handle)
    with tf.Session() as sess:
        for _ in range(2):
            found, _ = sess.run([fetches, close])
            assert found["size"] == 3
            np.testing.assert_array_equal(found["read"], [3, 4])
            np.testing.assert_array_equal(found["gather"], [[0, 0], [1, 2]])
            np.testing.assert_array_equal(found["concat"], [1, 2, 3, 4, 0, 0])


@pytest.mark.parametrize("version", ["", "V2"])
def test_older_spellings_have_gradient_arrays_and_errors(version: str) -> None:
    call, handle, flow = old_array(version)
    grad = call("Grad", handle=handle, flow_in=flow, source="mine")
    written = call("Write", handle=grad, index=0, value=[5.0, 5.0], flow_in=flow)
    written = call("Write", handle=grad, index=0, value=[1.0, 2.0], flow_in=written)
    total = call("Read", handle=grad, index=0, flow_in=written, dtype=tf.float32)
    split = call("Split", handle=handle, value=[1.0, 2.0], lengths=tf.constant([1, 1], tf.int64), flow_in=flow)
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(total), [6, 7])
        np.testing.assert_array_equal(sess.run(total), [6, 7])
        with pytest.raises(tf.errors.InvalidArgumentError, match="not equal to the size of lengths"):
            sess.run(split)


def test_pack_and_unpack_of_the_first_spelling() -> None:
    ops = tf.raw_ops
    handle = ops.TensorArray(size=2, dtype=tf.float32)
    flow = ops.TensorArrayUnpack(handle=handle, value=[[1.0], [2.0]], flow_in=0.0)
    packed = ops.TensorArrayPack(handle=handle, flow_in=flow, dtype=tf.float32)
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(packed), [[1], [2]])


def test_names_of_version_0() -> None:
    ta = tf.TensorArray(tf.float32, 2).unpack([1.0, 2.0])
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(ta.pack()), [1, 2])


@pytest.mark.parametrize("version", ["", "V2"])
def test_stacks_of_both_spellings(version: str) -> None:
    ops = tf.raw_ops
    size = {"max_size": -1} if version else {}
    handle = getattr(ops, f"Stack{version}")(elem_type=tf.float32, **size)
    push = getattr(ops, f"StackPush{version}")(handle=handle, elem=[1.0, 2.0])
    with tf.control_dependencies([push]):
        pop = getattr(ops, f"StackPop{version}")(handle=handle, elem_type=tf.float32)
    with tf.control_dependencies([pop]):
        close = getattr(ops, f"StackClose{version}")(handle=handle)
    with tf.Session() as sess:
        for _ in range(2):
            np.testing.assert_array_equal(sess.run([pop, close])[0], [1, 2])


def test_a_fetched_handle_says_what_it_holds() -> None:
    ta = tf.TensorArray(tf.float32, 3, tensor_array_name="mine").write(0, 1.0).write(2, 1.0)
    with tf.control_dependencies([ta.read(0)]):
        handle = tf.identity(ta.handle)
    stack = tf.raw_ops.StackV2(max_size=-1, elem_type=tf.float32, stack_name="s")
    with tf.Session() as sess:
        assert repr(sess.run(handle)) == "<TensorArray mine: 1 of 3 elements, float32>"
        assert repr(sess.run(stack)) == "<Stack s: 0 values, float32>"


# -- what is said when something is wrong ---------------------------------------------------------------------------


def test_an_error_names_the_op_and_the_line() -> None:
    ta = tf.TensorArray(tf.float32, 1, tensor_array_name="mine")
    twice = ta.write(0, 1.0).write(0, 2.0).read(0)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(twice)
    text = str(caught.value)
    assert "TensorArray mine: Could not write to TensorArray index 0 because it has already been written to." in text
    assert "TensorArrayWrite_1/TensorArrayWriteV3" in text
    assert "test_tensor_arrays.py" in text


def test_a_value_of_another_type_is_logged_when_built_and_refused_when_run(caplog: pytest.LogCaptureFixture) -> None:
    ta = tf.TensorArray(tf.float32, 1).write(0, tf.constant(1))
    assert "has dtype int32, but expected dtype float32" in caplog.text.replace("<dtype: '", "").replace("'>", "")
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="dtype is int32 but TensorArray"):
        sess.run(ta.flow)
