"""TensorArrays: every method, the nodes that it makes, what it refuses, and what a run of it refuses."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def run(fetches, feed=None, tf=None):
    with tf.Session() as sess:
        return sess.run(fetches, feed)


# -- making one ---------------------------------------------------------------------------------------------------


@program()
def made_with_all_options(tf):
    tf.TensorArray(tf.float32, size=3)
    tf.TensorArray(tf.int32, size=3, dynamic_size=True, clear_after_read=False, tensor_array_name="x", name="named")
    tf.TensorArray(tf.float64, size=tf.constant(2, name="count"), infer_shape=False, element_shape=[None, 2])
    tf.TensorArray(tf.string, 0, True, element_shape=tf.TensorShape([2]), colocate_with_first_write_call=False)
    tf.TensorArray("float32", size=tf.placeholder(tf.int32, []), infer_shape=True, element_shape=())
    return None


@program()
def properties(tf):
    ta = tf.TensorArray(tf.float32, size=3, element_shape=[2, None])
    plain = tf.TensorArray(tf.int64, 1, dynamic_size=True)
    return [
        ta.dtype, ta.dynamic_size, ta.element_shape, ta.handle, ta.flow, ta.handle.dtype, ta.flow.dtype,
        plain.dtype, plain.dynamic_size, plain.element_shape.ndims,
    ]  # fmt: skip


@program()
def made_from_a_handle(tf):
    ta = tf.TensorArray(tf.float32, size=2, clear_after_read=False).write(0, 1.0).write(1, 2.0)
    again = tf.TensorArray(tf.float32, handle=ta.handle, flow=ta.flow)
    free = tf.TensorArray(tf.float32, handle=ta.handle, flow=ta.flow, infer_shape=False, name="free")
    found = [again.stack(), again.size(), again.read(1), free.stack(), free.write(0, 3.0).read(0)]
    return [again.dynamic_size, again.element_shape.ndims, free.element_shape, found, run(found[:4], tf=tf)]


@program()
def a_bad_construction_is_refused(tf):
    handle = tf.TensorArray(tf.float32, size=2).handle
    return [
        attempt(lambda: tf.TensorArray(tf.float32)),
        attempt(lambda: tf.TensorArray(tf.float32, handle=handle, tensor_array_name="x")),
        attempt(lambda: tf.TensorArray(tf.float32, handle=handle, size=2)),
        attempt(lambda: tf.TensorArray(tf.float32, handle=handle, dynamic_size=True)),
        attempt(lambda: tf.TensorArray(tf.float32, handle=handle, clear_after_read=True)),
        attempt(lambda: tf.TensorArray(tf.float32, size=1.5)),
        attempt(lambda: tf.TensorArray(tf.float32, size=[1, 2])),
        attempt(lambda: tf.TensorArray("no type", size=2)),
        attempt(lambda: tf.TensorArray(tf.float32, handle=handle)),
        attempt(lambda: tf.TensorArray(tf.float32, handle=handle, flow=tf.constant(0.0), element_shape=[1])),
        attempt(lambda: tf.TensorArray(tf.float32, size=None, dynamic_size=True)),
    ]


@program()
def a_negative_size_fails_when_it_runs(tf):
    ta = tf.TensorArray(tf.float32, size=tf.placeholder_with_default(-1, []))
    return attempt(run, ta.flow, tf=tf)


# -- writing and reading ------------------------------------------------------------------------------------------


@program()
def write_and_read(tf):
    ta = tf.TensorArray(tf.float32, size=3)
    ta = ta.write(0, [1.0, 2.0]).write(tf.constant(2, name="at"), tf.constant([3.0, 4.0], name="what"), name="second")
    ta = ta.write(1, tf.placeholder_with_default([5.0, 6.0], [2]))
    found = [ta.read(0), ta.read(2, name="last"), ta.read(1)]
    return found, run(found, tf=tf)


@program()
def colocated_with_the_first_write(tf):
    first, second = tf.constant(1.0, name="first"), tf.constant(2.0, name="second")
    for colocate in (True, False):
        ta = tf.TensorArray(tf.float32, size=2, colocate_with_first_write_call=colocate, name="ta")
        ta = ta.write(0, first).write(1, second)
        ta.stack(name="all")
    with tf.device("/cpu:0"):
        ta = tf.TensorArray(tf.float32, size=2)
        ta = ta.write(0, first)
        ta.read(0)
        tf.TensorArray(tf.float32, size=2, colocate_with_first_write_call=False).write(0, second)
    return None


@program()
def shapes_are_inferred(tf):
    ta = tf.TensorArray(tf.float32, size=3)
    before = ta.read(0).shape
    written = ta.write(0, [1.0, 2.0])
    shapes = [before, ta.element_shape, written.element_shape, written.read(0).shape, ta.read(0).shape]
    partly = tf.TensorArray(tf.float32, size=3).write(0, tf.placeholder(tf.float32, [None, 2]))
    shapes += [partly.element_shape, partly.write(1, tf.placeholder(tf.float32, [3, 2])).element_shape]
    shapes += [partly.stack().shape, partly.concat().shape, partly.gather([1]).shape]
    never = tf.TensorArray(tf.float32, size=3, infer_shape=False).write(0, [1.0])
    shapes += [never.element_shape, never.read(0).shape, never.stack().shape]
    given = tf.TensorArray(tf.float32, size=3, infer_shape=False, element_shape=[None])
    shapes += [given.read(0).shape, given.write(0, [1.0]).read(0).shape, given.stack().shape]
    return shapes


@program()
def wrong_types_and_shapes_are_refused_when_built(tf):
    ta = tf.TensorArray(tf.float32, size=3)
    shaped = tf.TensorArray(tf.float32, size=3, element_shape=[2])
    fixed = tf.TensorArray(tf.float32, size=3, element_shape=[2], infer_shape=False)
    inferred = ta.write(0, [1.0, 2.0])
    return [
        attempt(lambda: ta.write(0, tf.constant(1, tf.int32))),
        attempt(lambda: ta.write(0, "text")),
        attempt(lambda: shaped.write(0, [1.0, 2.0, 3.0])),
        attempt(lambda: fixed.write(0, [1.0, 2.0, 3.0])),
        attempt(lambda: inferred.write(1, 1.0)),
        attempt(lambda: inferred.write(1, [1.0])),
        attempt(lambda: ta.write(0.5, [1.0, 2.0])),
        attempt(lambda: ta.write([0, 1], [1.0, 2.0])),
        attempt(lambda: ta.read([0])),
        attempt(lambda: ta.unstack(1.0)),
        attempt(lambda: ta.unstack([1, 2])),
        attempt(lambda: ta.unstack([[1.0], [2.0]])),
        attempt(lambda: ta.scatter([0], [[1.0, 2.0], [2.0, 3.0]])),
        attempt(lambda: ta.scatter(0, [[1.0, 2.0]])),
        attempt(lambda: ta.gather(0)),
        attempt(lambda: ta.split([1.0, 2.0], [1, 1])),
        attempt(lambda: ta.split(tf.constant([1, 2]), [1, 1])),
        attempt(lambda: ta.split(1.0, 1)),
    ]


@program()
def a_python_value_takes_the_type(tf):
    ta = tf.TensorArray(tf.float64, size=2).write(0, 1).write(1, [2][0])
    ints = tf.TensorArray(tf.int64, size=1).write(0, 3)
    words = tf.TensorArray(tf.string, size=2).write(0, "a").write(1, b"bc")
    return [run(ta.stack(), tf=tf), run(ints.stack(), tf=tf), run(words.stack(), tf=tf)]


CLEARED = {
    "read twice": lambda ta: [ta.read(0), ta.read(0)],
    "read and stack": lambda ta: [ta.read(1), ta.stack()],
    "stack twice": lambda ta: [ta.stack(), ta.stack()],
    "gather twice": lambda ta: ta.gather([0, 1, 0]),
    "stack and concat": lambda ta: [ta.stack(), ta.concat()],
    "read and size": lambda ta: [ta.read(0), ta.size()],
}


@program(cases=CLEARED)
def what_was_read_is_cleared(tf, case):
    values = []
    for clear in (None, True, False):
        ta = tf.TensorArray(tf.float32, size=2, clear_after_read=clear).write(0, [1.0]).write(1, [2.0])
        values.append(attempt(run, case(ta), tf=tf))
    return values


RUNTIME = {
    "unwritten": lambda ta, tf: ta.read(0),
    "unwritten stack": lambda ta, tf: ta.write(0, [1.0]).stack(),
    "outside": lambda ta, tf: ta.read(3),
    "negative": lambda ta, tf: ta.read(-1),
    "write outside": lambda ta, tf: ta.write(3, [1.0]).flow,
    "write negative": lambda ta, tf: ta.write(-1, [1.0]).flow,
    "write twice": lambda ta, tf: ta.write(0, [1.0]).write(0, [2.0]).flow,
    "write after read": lambda ta, tf: _after(tf, ta.write(0, [1.0]).read(0), lambda: ta.write(0, [2.0]).flow),
    "shape differs": lambda ta, tf: ta.write(0, hidden(tf, [1.0])).write(1, hidden(tf, [1.0, 2.0])).flow,
    "gather outside": lambda ta, tf: ta.unstack([[1.0], [2.0], [3.0]]).gather([5]),
    "gather negative": lambda ta, tf: ta.unstack([[1.0], [2.0], [3.0]]).gather([-1]),
    "unstack fewer": lambda ta, tf: ta.unstack([[1.0], [2.0]]).flow,
    "unstack fewer, read": lambda ta, tf: ta.unstack([[1.0], [2.0]]).read(2),
    "unstack more": lambda ta, tf: ta.unstack([[1.0]] * 4).flow,
    "unstack twice": lambda ta, tf: ta.unstack([[1.0]] * 3).unstack([[1.0]] * 3).flow,
    "scatter outside": lambda ta, tf: ta.scatter([0, 3], [[1.0], [2.0]]).flow,
    "scatter negative": lambda ta, tf: ta.scatter([0, -1], [[1.0], [2.0]]).flow,
    "scatter same": lambda ta, tf: ta.scatter([1, 1], [[1.0], [2.0]]).flow,
    "scatter lengths": lambda ta, tf: ta.scatter(hidden(tf, [0, 1]), hidden(tf, [[1.0]])).flow,
    "scatter scalar": lambda ta, tf: ta.scatter(hidden(tf, [0]), hidden(tf, 1.0)).flow,
    "scatter matrix": lambda ta, tf: ta.scatter(hidden(tf, [[0]]), hidden(tf, [1.0])).flow,
    "gather matrix": lambda ta, tf: ta.unstack([[1.0]] * 3).gather(hidden(tf, [[0]])),
    "split lengths": lambda ta, tf: ta.split([1.0, 2.0], [1, 1]).flow,
    "split sum": lambda ta, tf: ta.split([1.0, 2.0], hidden(tf, [1, 1, 1])).flow,
    "split scalar": lambda ta, tf: ta.split(hidden(tf, 1.0), hidden(tf, [1, 1, 1])).flow,
    "split matrix": lambda ta, tf: ta.split([1.0, 2.0, 3.0], hidden(tf, [[1], [1], [1]])).flow,
    "concat scalars": lambda ta, tf: ta.unstack(hidden(tf, [1.0, 2.0, 3.0])).concat(),
    "concat unwritten": lambda ta, tf: ta.write(0, [1.0]).concat(),
    "closed": lambda ta, tf: _after(tf, ta.close(), lambda: ta.size()),
    "closed, written": lambda ta, tf: _after(tf, ta.close(), lambda: ta.write(0, [1.0]).flow),
    "closed, read": lambda ta, tf: _after(tf, ta.close(), lambda: ta.read(0)),
    "closed twice": lambda ta, tf: _after(tf, ta.close(), lambda: ta.close("again")),
    "size not scalar": lambda ta, tf: tf.TensorArray(tf.float32, size=hidden(tf, [1, 2])).flow,
    "index not scalar": lambda ta, tf: ta.read(hidden(tf, [0])),
    "write index not scalar": lambda ta, tf: ta.write(hidden(tf, [0]), [1.0]).flow,
}


def hidden(tf, value):
    """A tensor of which nothing is known when the graph is built."""
    return tf.placeholder_with_default(value, None)


def _after(tf, first, then):
    with tf.control_dependencies([first]):
        return then()


@program(cases=RUNTIME)
def what_a_run_refuses(tf, case):
    ta = tf.TensorArray(tf.float32, size=3, element_shape=None)
    return attempt(run, case(ta, tf), tf=tf)


@program(cases=RUNTIME, graph=False)
def what_a_run_refuses_of_free_shapes(tf, case):
    ta = tf.TensorArray(tf.float32, size=3, infer_shape=False, clear_after_read=False)
    return attempt(run, case(ta, tf), tf=tf)


@program(cases=RUNTIME, graph=False)
def what_a_growing_array_refuses(tf, case):
    ta = tf.TensorArray(tf.float32, size=3, dynamic_size=True, element_shape=[1])
    return attempt(lambda: run(case(ta, tf), tf=tf))


@program()
def wrong_types_at_run_time(tf):
    ta = tf.TensorArray(tf.float32, size=2).write(0, 1.0).write(1, 2.0)

    def other():
        return tf.TensorArray(tf.int32, handle=ta.handle, flow=ta.flow)

    return [
        attempt(run, other().read(0), tf=tf),
        attempt(run, other().stack(), tf=tf),
        attempt(run, other().concat(), tf=tf),
        attempt(run, other().write(0, 1).flow, tf=tf),
        attempt(run, other().unstack([1, 2]).flow, tf=tf),
        attempt(run, other().split([1, 2], [1, 1]).flow, tf=tf),
    ]


@program()
def shapes_that_the_array_or_the_reader_forbids(tf):
    ta = tf.TensorArray(tf.float32, size=2, infer_shape=False, element_shape=[None, 2], clear_after_read=False)
    good = ta.write(0, hidden(tf, [[1.0, 2.0]])).write(1, hidden(tf, [[1.0, 2.0], [3.0, 4.0]]))
    bad = ta.write(0, hidden(tf, [1.0, 2.0]))

    def gathered(shape):
        return tf.raw_ops.TensorArrayGatherV3(
            handle=good.handle, indices=[0, 1], flow_in=good.flow, dtype=tf.float32, element_shape=shape
        )

    def joined(shape):
        return tf.raw_ops.TensorArrayConcatV3(
            handle=good.handle, flow_in=good.flow, dtype=tf.float32, element_shape_except0=shape
        )[0]

    return [
        run([good.read(0), good.concat(), good.size()], tf=tf),
        attempt(run, good.stack(), tf=tf),
        attempt(run, bad.flow, tf=tf),
        attempt(run, gathered([5, 2]), tf=tf),
        attempt(run, gathered([None, 3]), tf=tf),
        attempt(run, gathered([1]), tf=tf),
        attempt(run, joined([3]), tf=tf),
        attempt(run, joined([2]), tf=tf),
    ]


@program()
def an_unwritten_element_of_known_shape_is_zero(tf):
    ta = tf.TensorArray(tf.float32, size=3, element_shape=[2]).write(1, [1.0, 2.0])
    after = tf.TensorArray(tf.float32, size=3).write(1, [1.0, 2.0])
    words = tf.TensorArray(tf.string, size=2, element_shape=[1])
    return [
        attempt(run, ta.stack(), tf=tf),
        attempt(run, ta.read(0), tf=tf),
        attempt(run, ta.concat(), tf=tf),
        attempt(run, after.stack(), tf=tf),
        attempt(run, after.read(0), tf=tf),
        attempt(run, words.stack(), tf=tf),
        attempt(run, words.read(1), tf=tf),
    ]


@program()
def what_the_reader_knows_of_the_shape_holds(tf):
    ta = tf.TensorArray(tf.float32, size=2)
    stacked = ta.stack()
    ta.write(0, [[1.0]])
    known = ta.gather([1, 0])
    return [ta.element_shape, attempt(run, stacked, tf=tf), run(known, tf=tf)]


@program(cases=[True, False])
def no_elements_of_an_array_that_has_some(tf, case):
    shapes = []
    for value in ([1.0, 2.0], hidden(tf, [1.0, 2.0])):
        for shape in (None, [2], [None]):
            ta = tf.TensorArray(tf.float32, size=3, infer_shape=case, element_shape=shape).write(0, value)
            shapes.append(attempt(run, ta.gather(np.zeros([0], np.int32)), tf=tf))
    return shapes


@program()
def concat_of_scalars(tf):
    known = tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0])
    growing = tf.TensorArray(tf.float32, size=2, dynamic_size=True).unstack([1.0, 2.0])
    return [attempt(lambda: known.concat()), attempt(run, growing.concat(), tf=tf)]


# -- stack, gather, unstack, scatter, concat, split ------------------------------------------------------------------


@program(cases=["float32", "float64", "int32", "int64", "bool", "string", "complex64", "uint8", "float16"])
def types(tf, case):
    values = {"bool": [True, False, True], "string": ["a", "b", "cd"]}.get(case, [1, 2, 3])
    ta = tf.TensorArray(case, size=3).unstack(tf.constant(values, dtype=case))
    grid = tf.TensorArray(case, size=3).unstack(tf.constant([[v, values[0]] for v in values], dtype=case))
    return [run(ta.stack(), tf=tf), run(ta.read(1), tf=tf), run(grid.concat(), tf=tf), run(grid.gather([2, 0]), tf=tf)]


@program()
def stack_and_gather(tf):
    ta = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = [ta.stack(), ta.stack(name="all"), ta.gather([2, 0]), ta.gather(tf.range(1, 3), name="some")]
    found += [ta.gather(hidden(tf, [0])), ta.gather([0, 0])]
    return found, run(found, tf=tf)


@program()
def unstack_and_scatter(tf):
    value = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="rows")
    unknown = tf.placeholder_with_default([[1.0, 2.0], [3.0, 4.0]], None)
    partly = tf.placeholder_with_default([[1.0, 2.0], [3.0, 4.0]], [None, 2])
    found = []
    for rows in (value, unknown, partly, np.float32([[7, 8], [9, 10]])):
        ta = tf.TensorArray(tf.float32, size=2).unstack(rows, name="taken_apart")
        found += [ta.stack(), ta.element_shape.ndims]
        ta = tf.TensorArray(tf.float32, size=3, dynamic_size=True).scatter([2, 0], rows, name="spread")
        found += [ta.read(2), ta.read(0), ta.size()]
    tensors = [item for item in found if not isinstance(item, int) and item is not None]
    return found, run(tensors, tf=tf)


@program()
def split_and_concat(tf):
    value = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="rows")
    ta = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(value, [1, 2])
    even = tf.TensorArray(tf.float32, size=3).split(value, tf.constant([1, 1, 1], tf.int64), name="even")
    hid = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
    hid = hid.split(hidden(tf, [1.0, 2.0]), hidden(tf, [0, 2, 0]))
    attempts = [attempt(lambda: tf.TensorArray(tf.float32, size=2).split(value, [1, 2]).flow)]
    found = [ta.read(0), ta.read(1), ta.size(), even.concat(), even.size(), hid.concat(name="joined"), hid.size()]
    return found, attempts, run(found, tf=tf)


@program()
def inferred_shapes_and_uneven_pieces(tf):
    value = tf.placeholder_with_default([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], None)
    ta = tf.TensorArray(tf.float32, size=2).split(value, [1, 2])
    return attempt(run, ta.concat(), tf=tf)


@program()
def lengths_come_with_the_concatenation(tf):
    ta = tf.TensorArray(tf.float32, size=3, infer_shape=False)
    ta = ta.write(0, [1.0]).write(1, np.zeros([0], np.float32)).write(2, [2.0, 3.0])
    joined = ta.concat()
    return run([joined, joined.op.outputs[1]], tf=tf)


@program()
def empty_arrays(tf):
    def fresh(**options):
        return tf.TensorArray(tf.float32, size=0, **options)

    return [
        attempt(run, fresh(element_shape=[2, 3]).stack(), tf=tf),
        attempt(run, fresh(element_shape=[2, 3]).concat(), tf=tf),
        attempt(run, fresh(element_shape=[]).stack(), tf=tf),
        attempt(run, fresh().stack(), tf=tf),
        attempt(run, fresh().concat(), tf=tf),
        attempt(run, fresh(element_shape=[None, 3]).stack(), tf=tf),
        attempt(run, fresh(element_shape=[None, 3]).concat(), tf=tf),
        attempt(run, fresh().size(), tf=tf),
        attempt(run, fresh().unstack(np.zeros([0, 2], np.float32)).stack(), tf=tf),
        attempt(run, fresh().unstack(np.zeros([0, 2], np.float32)).concat(), tf=tf),
        attempt(run, fresh(infer_shape=False).unstack(np.zeros([0, 2], np.float32)).stack(), tf=tf),
        attempt(lambda: fresh().split(np.zeros([0, 2], np.float32), np.zeros([0], np.int64))),
        attempt(run, fresh().split(hidden(tf, np.zeros([0, 2], "f")), hidden(tf, np.zeros([0], "q"))).flow, tf=tf),
    ]


@program()
def elements_without_elements(tf):
    ta = tf.TensorArray(tf.float32, size=2).unstack(np.zeros([2, 0, 3], np.float32))
    return [run(ta.stack(), tf=tf), run(ta.concat(), tf=tf), run(ta.read(1), tf=tf)]


@program()
def a_growing_array(tf):
    ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
    ta = ta.write(0, [1.0]).write(1, [2.0])
    gaps = tf.TensorArray(tf.float32, size=1, dynamic_size=True, element_shape=[1]).write(4, [5.0])
    found = [ta.stack(), ta.size(), ta.concat(), gaps.size()]
    return found, run(found, tf=tf), attempt(run, gaps.stack(), tf=tf)


@program()
def sizes(tf):
    fixed = tf.TensorArray(tf.float32, size=3)
    tensor = tf.TensorArray(tf.float32, size=tf.placeholder_with_default(4, []))
    growing = tf.TensorArray(tf.float32, size=5, dynamic_size=True)
    handed = tf.TensorArray(tf.float32, handle=fixed.handle, flow=fixed.flow)
    found = [fixed.size(), fixed.size(name="named"), tensor.size(), growing.size(), growing.size("big"), handed.size()]
    found += [fixed.write(0, 1.0).size(), growing.write(0, 1.0).size()]
    return found, run(found, tf=tf)


@program()
def close_and_identity(tf):
    ta = tf.TensorArray(tf.float32, size=1).write(0, 1.0)
    with tf.control_dependencies([tf.no_op(name="first")]):
        same = ta.identity()
    value = same.read(0)
    with tf.control_dependencies([value]):
        close = ta.close()
    named = ta.close(name="over")
    return same.flow, run([value, close], tf=tf), close, named


@program()
def names_that_arrays_use_up(tf):
    ta = tf.TensorArray(tf.float32, size=2).write(0, 1.0)
    same = ta.identity()
    tf.TensorArray(tf.float32, size=1)
    flag = tf.placeholder_with_default(True, [])
    tf.cond(flag, lambda: ta.write(1, 2.0), lambda: same.write(1, 3.0))
    tf.TensorArray(tf.float32, size=1)

    def body(i, ta):
        inner = tf.TensorArray(tf.float32, size=1).write(0, 1.0)
        with tf.name_scope("TensorArray"):
            return i + 1, ta.write(i, inner.read(0))

    _, after = tf.while_loop(lambda i, _: i < 2, body, (tf.constant(0), tf.TensorArray(tf.float32, size=2)))
    return [same.flow.name, after.flow.name, tf.TensorArray(tf.float32, size=1).handle.name]


@program()
def every_run_begins_anew(tf):
    ta = tf.TensorArray(tf.float32, size=2).write(0, 1.0).write(1, 2.0)
    total = ta.stack()
    bad = ta.write(0, 3.0).flow
    with tf.Session() as sess:
        return [sess.run(total), sess.run(total), attempt(sess.run, bad), sess.run(total), attempt(sess.run, bad)]


@program()
def writes_whose_flow_nobody_takes_do_not_happen(tf):
    ta = tf.TensorArray(tf.float32, size=2, element_shape=[])
    ta.write(0, 1.0)
    kept = ta.write(1, 2.0)
    return [attempt(run, kept.read(1), tf=tf), attempt(run, ta.read(0), tf=tf)]


@program()
def a_variable_is_written_as_what_it_is(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    ta = tf.TensorArray(tf.float32, size=1).write(0, v)
    rows = tf.TensorArray(tf.float32, size=2).unstack(v)
    with tf.control_dependencies([rows.flow]):
        change = tf.assign(v, [5.0, 6.0])
    with tf.control_dependencies([change]):
        later = rows.stack()
    with tf.Session() as sess:
        sess.run(v.initializer)
        return [sess.run(ta.read(0)), sess.run(later), sess.run(later)]


@program()
def in_a_branch(tf):
    flag = tf.placeholder_with_default(True, [])
    ta = tf.TensorArray(tf.float32, size=2, element_shape=[]).write(0, 1.0)
    result = tf.cond(flag, lambda: ta.write(1, 2.0).stack(), lambda: ta.stack() * 3.0)
    with tf.Session() as sess:
        return [sess.run(result), attempt(sess.run, result, {flag: False})]


@program()
def as_the_result_of_a_branch(tf):
    flag = tf.placeholder_with_default(True, [])
    ta = tf.TensorArray(tf.float32, size=2, element_shape=[]).write(0, 1.0)
    result = tf.cond(flag, lambda: ta.write(1, 2.0), lambda: ta.write(1, 5.0))
    total = result.stack()
    with tf.Session() as sess:
        return [sess.run(total), sess.run(total, {flag: False})]


# -- stacks -------------------------------------------------------------------------------------------------------


def raw(tf):
    return tf.raw_ops


@program()
def stack_push_and_pop(tf):
    ops = raw(tf)
    handle = ops.StackV2(max_size=-1, elem_type=tf.float32, stack_name="")
    first = ops.StackPushV2(handle=handle, elem=[1.0, 2.0], swap_memory=False)
    with tf.control_dependencies([first]):
        second = ops.StackPushV2(handle=handle, elem=tf.constant(3.0), swap_memory=True)
    with tf.control_dependencies([second]):
        a = ops.StackPopV2(handle=handle, elem_type=tf.float32)
    with tf.control_dependencies([a]):
        b = ops.StackPopV2(handle=handle, elem_type=tf.float32)
    with tf.control_dependencies([b]):
        close = ops.StackCloseV2(handle=handle)
    with tf.Session() as sess:
        return [sess.run([first, second, a, b, close]), sess.run([a, b]), a, b]


@program()
def stack_errors(tf):
    ops = raw(tf)

    def pop_after(control, handle, dtype=tf.float32):
        with tf.control_dependencies([control]):
            return ops.StackPopV2(handle=handle, elem_type=dtype)

    one = ops.StackV2(max_size=1, elem_type=tf.float32, stack_name="named")
    push = ops.StackPushV2(handle=one, elem=1.0)
    with tf.control_dependencies([push]):
        again = ops.StackPushV2(handle=one, elem=2.0)
    wrong = ops.StackPushV2(handle=one, elem=1)
    with tf.control_dependencies([ops.StackCloseV2(handle=one)]):
        late = ops.StackPushV2(handle=one, elem=2.0)
        late_pop = ops.StackPopV2(handle=one, elem_type=tf.float32)
    return [
        attempt(run, fetch, tf=tf)
        for fetch in (
            pop_after(again, one),
            pop_after(tf.no_op(), one),
            pop_after(wrong, one),
            pop_after(late, one),
            late_pop,
            pop_after(push, one, tf.int32),
        )
    ]


@program(graph=False)
def stack_sizes(tf):
    ops = raw(tf)
    found = []
    for size in (-5, 0, 1, hidden(tf, [1, 2])):
        handle = ops.StackV2(max_size=size, elem_type=tf.float32)
        with tf.control_dependencies([ops.StackPushV2(handle=handle, elem=1.0)]):
            found.append(attempt(run, ops.StackPopV2(handle=handle, elem_type=tf.float32), tf=tf))
    return found


# -- gradients ------------------------------------------------------------------------------------------------------


@program()
def gradient_of_write_and_read(tf):
    x, y = tf.constant([1.0, 2.0], name="x"), tf.constant([3.0, 4.0], name="y")
    ta = tf.TensorArray(tf.float32, size=2).write(0, x).write(1, y)
    z = ta.read(0) * 2.0 + ta.read(1) * x
    found = tf.gradients(z, [x, y])
    return found, run([z, found], tf=tf)


@program()
def gradient_of_stack_and_unstack(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
    ta = tf.TensorArray(tf.float32, size=2).unstack(x)
    back = ta.stack()
    found = tf.gradients(back * back, x)
    return found, run([back, found], tf=tf)


@program()
def gradient_of_gather_and_scatter(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
    ta = tf.TensorArray(tf.float32, size=3, clear_after_read=False).scatter([2, 0], x)
    found = tf.gradients(ta.gather([0, 2, 0]), x, grad_ys=[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]])
    partly = tf.gradients(ta.gather([2]), x)
    return found, run(found, tf=tf), attempt(run, partly, tf=tf)


@program()
def gradient_of_split_and_concat(tf):
    x = tf.constant([1.0, 2.0, 3.0], name="x")
    ta = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x, [1, 2])
    joined = ta.concat()
    found = tf.gradients(joined * joined, x)
    return found, run(found, tf=tf)


@program()
def gradient_of_several_reads(tf):
    x = tf.constant([1.0, 2.0, 3.0], name="x")
    ta = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
    z = ta.read(0) * 5.0 + ta.read(0) * 7.0 + ta.read(2) + tf.reduce_sum(ta.stack())
    found = tf.gradients(z, x)
    return found, run(found, tf=tf)


@program()
def two_gradients_have_arrays_of_their_own(tf):
    x = tf.constant([1.0, 2.0], name="x")
    ta = tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack(x)
    a, b = ta.read(0) * 3.0, ta.stack() * 4.0
    first = tf.gradients(a, x)
    second = tf.gradients(b, x, name="other/gradients")
    third = tf.gradients(b, x)
    return run([first, second, third], tf=tf)


@program()
def a_gradient_under_another_name(tf):
    x = tf.constant([1.0, 2.0], name="x")
    ta = tf.TensorArray(tf.float32, size=2).unstack(x)
    y = ta.stack()
    with tf.name_scope("outer"):
        inside = tf.gradients(y, x)
    return inside, run(inside, tf=tf), attempt(lambda: tf.gradients(y, x, name="mine"))


@program()
def second_gradient(tf):
    x = tf.constant([1.0, 2.0], name="x")
    ta = tf.TensorArray(tf.float32, size=2).unstack(x)
    y = ta.stack()
    first = tf.gradients(y * y * y, x)[0]
    second = tf.gradients(first, x)
    return attempt(run, [first, second], tf=tf)


@program()
def unwritten_elements_have_no_gradient_but_zeros(tf):
    x = tf.constant([[1.0], [2.0]], name="x")
    known = tf.TensorArray(tf.float32, size=2, element_shape=[1], clear_after_read=False).unstack(x)
    inferred = tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack(x)
    free = tf.TensorArray(tf.float32, size=2, infer_shape=False, clear_after_read=False)
    free = free.unstack(hidden(tf, [[1.0], [2.0]]))
    return [attempt(run, tf.gradients(ta.read(1), x), tf=tf) for ta in (known, inferred)] + [free.stack().shape]


@program()
def integers_have_no_gradient(tf):
    x = tf.constant([1, 2], name="x")
    ta = tf.TensorArray(tf.int32, size=2).unstack(x)
    y = tf.cast(ta.stack(), tf.float32)
    return attempt(lambda: tf.gradients(y, x))


@program()
def gradients_beside_their_ops(tf):
    x = tf.constant([1.0, 2.0], name="x")
    with tf.device("/cpu:0"):
        ta = tf.TensorArray(tf.float32, size=2).unstack(x)
        y = ta.stack()
    return tf.gradients(y, x, colocate_gradients_with_ops=True)


@program()
def the_gradient_array_itself(tf):
    ta = tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack([[1.0], [2.0]])
    grad = ta.grad("mine")
    same = ta.grad("mine", flow=ta.flow, name="again")
    written = grad.write(0, [3.0]).write(0, [4.0]).write(1, [1.0])
    found = [written.read(0), same.size(), grad.element_shape, grad.dtype]
    with tf.control_dependencies([written.flow]):
        seen = tf.TensorArray(tf.float32, handle=same.handle, flow=same.flow).read(1)
    return found, run([found[0], found[1], seen], tf=tf)


@program()
def gradient_arrays_refuse(tf):
    ta = tf.TensorArray(tf.float32, size=2, clear_after_read=False, infer_shape=False).unstack([[1.0], [2.0]])
    grad = ta.grad("mine")
    twice = tf.TensorArray(tf.float32, handle=grad.handle, flow=grad.flow, infer_shape=False)
    growing = tf.TensorArray(tf.float32, size=1, dynamic_size=True).write(0, [1.0])
    frozen = growing.grad("mine")
    with tf.control_dependencies([frozen.flow]):
        late = growing.write(3, [1.0]).flow
    return [
        attempt(run, grad.write(0, [1.0]).write(0, hidden(tf, [1.0, 2.0])).flow, tf=tf),
        attempt(run, twice.grad("second").flow, tf=tf),
        attempt(run, late, tf=tf),
        attempt(run, grad.write(5, [1.0]).flow, tf=tf),
        attempt(run, [grad.read(0), grad.read(1)], tf=tf),
    ]


@program()
def gradients_with_a_shape(tf):
    ops = raw(tf)
    ta = tf.TensorArray(tf.float32, size=2, element_shape=[1]).unstack([[1.0], [2.0]])
    handle, flow = ops.TensorArrayGradWithShape(
        handle=ta.handle, flow_in=ta.flow, shape_to_prepend=[3], source="jacobian"
    )
    grad = tf.TensorArray(tf.float32, handle=handle, flow=flow, infer_shape=False)
    zeros = grad.read(0)
    written = grad.write(1, [[1.0], [2.0], [3.0]])
    return [zeros, run(zeros, tf=tf), run(written.read(1), tf=tf), attempt(lambda: grad.write(1, [1.0]))]
