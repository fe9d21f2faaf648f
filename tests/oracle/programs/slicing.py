"""Python's slices on tensors and variables: one StridedSlice, its packed ends, its masks, its shape, its values."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

FORMS = {
    "x[0]": lambda tf, x: x[0],
    "x[-1]": lambda tf, x: x[-1],
    "x[0, 1]": lambda tf, x: x[0, 1],
    "x[0, 1, 2]": lambda tf, x: x[0, 1, 2],
    "x[-1, -1, -1]": lambda tf, x: x[-1, -1, -1],
    "x[0][1]": lambda tf, x: x[0][1],
    "x[:]": lambda tf, x: x[:],
    "x[:, :]": lambda tf, x: x[:, :],
    "x[1:]": lambda tf, x: x[1:],
    "x[:1]": lambda tf, x: x[:1],
    "x[:, 1:3]": lambda tf, x: x[:, 1:3],
    "x[:, :, 1:-1]": lambda tf, x: x[:, :, 1:-1],
    "x[:, :, ::2]": lambda tf, x: x[:, :, ::2],
    "x[:, :, ::-1]": lambda tf, x: x[:, :, ::-1],
    "x[::-1, ::-1]": lambda tf, x: x[::-1, ::-1],
    "x[:, :, 3:0:-1]": lambda tf, x: x[:, :, 3:0:-1],
    "x[:, :, 3::-2]": lambda tf, x: x[:, :, 3::-2],
    "x[:, :, :1:-1]": lambda tf, x: x[:, :, :1:-1],
    "x[..., 0]": lambda tf, x: x[..., 0],
    "x[0, ...]": lambda tf, x: x[0, ...],
    "x[...]": lambda tf, x: x[...],
    "x[0, ..., 1]": lambda tf, x: x[0, ..., 1],
    "x[0, 1, ..., 2]": lambda tf, x: x[0, 1, ..., 2],
    "x[..., 1:3]": lambda tf, x: x[..., 1:3],
    "x[None]": lambda tf, x: x[None],
    "x[:, None]": lambda tf, x: x[:, None],
    "x[..., tf.newaxis]": lambda tf, x: x[..., tf.newaxis],
    "x[tf.newaxis, 0, :, tf.newaxis]": lambda tf, x: x[tf.newaxis, 0, :, tf.newaxis],
    "x[None, ..., None]": lambda tf, x: x[None, ..., None],
    "x[0, None, 1:]": lambda tf, x: x[0, None, 1:],
    "x[5:]": lambda tf, x: x[5:],
    "x[:9]": lambda tf, x: x[:9],
    "x[-9:]": lambda tf, x: x[-9:],
    "x[1:1]": lambda tf, x: x[1:1],
    "x[2:1]": lambda tf, x: x[2:1],
    "x[9]": lambda tf, x: x[9],
    "x[-3]": lambda tf, x: x[-3],
    "x[0, 1, 2, 3]": lambda tf, x: x[0, 1, 2, 3],
    "x[..., ...]": lambda tf, x: x[..., ...],
    "x[::0]": lambda tf, x: x[::0],
    "x['a']": lambda tf, x: x["a"],
    "x[1.0]": lambda tf, x: x[1.0],
    "x[True]": lambda tf, x: x[True],
    "x[[0, 1]]": lambda tf, x: x[[0, 1]],
    "x[()]": lambda tf, x: x[()],
    "x[np.int64(1)]": lambda tf, x: x[np.int64(1)],
    "x[np.int32(0):np.int32(1)]": lambda tf, x: x[np.int32(0) : np.int32(1)],
    "x[np.array(1)]": lambda tf, x: x[np.array(1)],
    "x[tensor]": lambda tf, x: x[tf.constant(1, name="i")],
    "x[tensor:]": lambda tf, x: x[tf.constant(1, name="i") :],
    "x[:tensor, tensor:, 2]": lambda tf, x: x[: tf.constant(1, name="i"), tf.constant(2, name="j") :, 2],
    "x[int64 tensor]": lambda tf, x: x[tf.constant(1, tf.int64, name="i")],
    "x[int64 tensor:int]": lambda tf, x: x[tf.constant(0, tf.int64, name="i") : 1],
    "x[float tensor]": lambda tf, x: x[tf.constant(1.0, name="i")],
    "x[vector tensor]": lambda tf, x: x[tf.constant([0, 1], name="i")],
    "x[mask]": lambda tf, x: x[x > 3.0],
    "x[step tensor]": lambda tf, x: x[:, :, :: tf.constant(2, name="s")],
    "x[unknown]": lambda tf, x: x[tf.placeholder_with_default(1, [])],
    "x[:unknown]": lambda tf, x: x[:, : tf.placeholder_with_default(2, [])],
    "x[shape(x)[0]-1]": lambda tf, x: x[tf.shape(x)[0] - 1],
    "x[dimension]": lambda tf, x: x[tf.Dimension(1)],
    "x[:dimension]": lambda tf, x: x[:, : x.shape[1]],
    "x[variable]": lambda tf, x: x[tf.Variable(1, name="k")],
    "x[None:None:None]": lambda tf, x: x[None:None:None],
    "x[slice(1, None), ...]": lambda tf, x: x[slice(1, None), ...],
    "x[uint8 tensor]": lambda tf, x: x[tf.constant(1, tf.uint8, name="i")],
    "tuple as one index": lambda tf, x: x[(0, 1)],
    "nested tuple": lambda tf, x: x[(0, 1), 2],
}  # fmt: skip


def run(tf, made):
    if not isinstance(made, tf.Tensor):
        return made
    with tf.Session() as sess:
        if tf.global_variables():
            sess.run(tf.global_variables_initializer())
        return made, sess.run(made)


@program(cases=FORMS)
def of_a_tensor(tf, case):
    return run(tf, attempt(case, tf, tf.constant(X, name="x")))


@program(
    cases=[
        "x[0]",
        "x[:, 1:3]",
        "x[..., 0]",
        "x[None]",
        "x[tensor]",
        "x[:tensor, tensor:, 2]",
        "x[::-1, ::-1]",
        "x[mask]",
        "x[0, 1, 2]",
        "x[9]",
        "x[:]",
    ]
)
def of_a_reference_variable(tf, case):
    return run(tf, attempt(FORMS[case], tf, tf.Variable(X, name="x")))


@program(cases=["x[0]", "x[:, 1:3]", "x[..., 0]", "x[None]", "x[tensor]", "x[mask]", "x[:]"])
def of_a_resource_variable(tf, case):
    return run(tf, attempt(FORMS[case], tf, tf.Variable(X, name="x", use_resource=True)))


@program(
    cases=[
        "x[0]",
        "x[-1]",
        "x[:, 1:3]",
        "x[..., 0]",
        "x[None]",
        "x[:, None]",
        "x[..., 1:3]",
        "x[::-1, ::-1]",
        "x[1:]",
        "x[5:]",
        "x[0, ..., 1]",
        "x[tensor:]",
        "x[9]",
        "x[:, :, 3:0:-1]",
    ]
)
def static_shapes_where_sizes_are_unknown(tf, case):
    shapes = [[None, 3, 4], [2, None, None], None, [None, None, None]]
    made = [attempt(FORMS[case], tf, tf.placeholder(tf.float32, shape)) for shape in shapes]
    return [getattr(m, "shape", m) for m in made]


@program(cases={"vector": [5], "scalar": [], "matrix": [2, 3], "empty": [0, 2]})
def of_other_ranks(tf, case):
    x = tf.zeros(case, name="x")
    return [
        getattr(m, "shape", m)
        for m in (
            attempt(lambda: x[0]),
            attempt(lambda: x[1:]),
            attempt(lambda: x[..., 0]),
            attempt(lambda: x[...]),
            attempt(lambda: x[:, 0]),
            attempt(lambda: x[None]),
        )
    ]


@program()
def names_of_slices(tf):
    x = tf.constant(X, name="x")
    with tf.name_scope("s"):
        a = x[0]
        b = x[1:, 0]
    return a.name, b.name, x[0].name, x[..., 0].name


@program()
def slices_in_control_dependencies(tf):
    x = tf.constant(X, name="x")
    with tf.control_dependencies([tf.no_op(name="a")]):
        return x[0], x[tf.constant(1) :]


STRIDED = {
    "plain": dict(begin=[0, 1], end=[2, 3], strides=[1, 1]), "no strides": dict(begin=[0, 1], end=[2, 3]),
    "negative": dict(begin=[1, -1], end=[0, 0], strides=[-1, -1]),
    "begin_mask": dict(begin=[1, 1], end=[2, 3], begin_mask=1),
    "end_mask": dict(begin=[0, 1], end=[1, 1], end_mask=3),
    "shrink": dict(begin=[1, 1], end=[2, 3], shrink_axis_mask=1),
    "new_axis": dict(begin=[0, 1], end=[1, 3], new_axis_mask=1),
    "ellipsis": dict(begin=[0, 1], end=[0, 3], ellipsis_mask=1), "name": dict(begin=[0], end=[1], name="named"),
    "two ellipses": dict(begin=[0, 0], end=[1, 1], ellipsis_mask=3), "lengths": dict(begin=[0, 0], end=[1]),
    "zero stride": dict(begin=[0], end=[1], strides=[0]),
}  # fmt: skip


@program(cases=STRIDED)
def strided_slice_function(tf, case):
    return run(tf, attempt(tf.strided_slice, tf.constant(X, name="x"), **case))


SLICES = {
    "plain": ([0, 1, 1], [1, 2, 2]), "to the end": ([1, 0, 2], [-1, -1, -1]), "empty": ([0, 0, 0], [0, 3, 4]),
    "too long": ([0, 0, 3], [1, 1, 5]), "begins outside": ([2, 0, 0], [1, 1, 1]),
    "begins after": ([5, 0, 0], [1, 1, 1]), "negative begin": ([-1, 0, 0], [1, 1, 1]),
    "negative size": ([0, 0, 0], [-2, 1, 1]),
}  # fmt: skip


@program(cases=SLICES)
def slice_function(tf, case):
    x = tf.constant(X, name="x")
    made = attempt(tf.slice, x, case[0], case[1], name="s")
    return attempt(run, tf, made)


@program()
def slice_with_tensors_and_int64(tf):
    x = tf.constant(X, name="x")
    a = tf.slice(x, tf.constant([0, 0, 0], tf.int64), [1, 1, 2])
    b = tf.slice(x, [0, tf.constant(1), 0], [1, 1, -1])
    return run(tf, a), run(tf, b)


@program(
    cases={
        "scalar": lambda v: v[0].assign(9.0),
        "row": lambda v: v[0].assign([7.0, 8.0]),
        "column": lambda v: v[:, 1].assign([1.0, 2.0]),
        "block": lambda v: v[:1, :1].assign([[3.0]]),
        "step": lambda v: v[:, ::-1].assign([[1.0, 2.0], [3.0, 4.0]]),
        "ellipsis": lambda v: v[..., 0].assign([5.0, 6.0]),
        "wrong shape": lambda v: v[0].assign([1.0, 2.0, 3.0]),
        "all": lambda v: v[:].assign([[0.0, 1.0], [2.0, 3.0]]),
    }
)
def assigning_to_a_slice_of_a_variable(tf, case):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
    made = attempt(case, v)
    if not isinstance(made, (tf.Tensor, tf.Operation)):
        return made
    with tf.Session() as sess:
        sess.run(v.initializer)
        return attempt(sess.run, made), sess.run(v)


@program()
def assigning_to_a_slice_of_a_resource_variable(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v", use_resource=True)
    made = v[0, 1:].assign([9.0])
    with tf.Session() as sess:
        sess.run(v.initializer)
        sess.run(made)
        return sess.run(v)


@program()
def a_tensor_has_no_item_assignment(tf):
    x = tf.constant([1.0])

    def put():
        x[0] = 2.0

    return attempt(put), attempt(lambda: x[0].assign(2.0))


@program()
def slice_names_with_a_placeholder_batch(tf):
    x = tf.placeholder(tf.float32, [None, 28, 28, 1], name="images")
    y = x[:10, 2:-2, 2:-2]
    z = x[0, ..., 0]
    with tf.Session() as sess:
        got = sess.run([tf.shape(y), tf.shape(z)], {x: np.zeros([3, 28, 28, 1])})
    return y.shape, z.shape, got
