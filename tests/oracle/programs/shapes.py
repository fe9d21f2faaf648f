"""Static shapes: TensorShape and Dimension, set_shape, and what ops say of shapes they are given."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


@program(
    cases={
        "none": None,
        "empty": [],
        "ints": [2, 3],
        "unknown": [None, 3],
        "tuple": (4,),
        "int": 5,
        "minus": [-1, 2],
        "of dimensions": "dims",
        "shape": "shape",
        "array": np.array([2, 3]),
        "float": [2.5],
        "string": "ab",
        "long": [2**40],
        "negative": [-2],
    }
)
def tensor_shapes_from(tf, case):
    if isinstance(case, str) and case == "dims":
        case = [tf.Dimension(2), tf.Dimension(None)]
    if isinstance(case, str) and case == "shape":
        case = tf.TensorShape([1, None])
    made = attempt(tf.TensorShape, case)
    if not isinstance(made, tf.TensorShape):
        return made
    return (
        made, str(made), repr(made), made.ndims, made.rank, attempt(made.as_list), made.is_fully_defined(),
        attempt(len, made),
        made.num_elements(), attempt(lambda: list(made)), bool(made),
    )  # fmt: skip


PAIRS = {
    "same": ([2, 3], [2, 3]), "unknown rank": (None, [2, 3]), "unknown size": ([None, 3], [2, None]),
    "different": ([2, 3], [2, 4]),
    "rank": ([2], [2, 3]), "both unknown": (None, None), "scalar": ([], []), "scalar and vector": ([], [1]),
    "half": ([None], [3]),
}  # fmt: skip


@program(cases=PAIRS)
def pairs_of_shapes(tf, case):
    a, b = tf.TensorShape(case[0]), tf.TensorShape(case[1])
    return {
        "merge": attempt(a.merge_with, b),
        "compatible": a.is_compatible_with(b),
        "assert": attempt(a.assert_is_compatible_with, b),
        "equal": attempt(lambda: a == b),
        "not equal": attempt(lambda: a != b),
        "concatenate": a.concatenate(b),
        "same rank": attempt(a.assert_same_rank, b),
        "specific": a.most_specific_compatible_shape(b),
        "plus": attempt(lambda: a + b),
    }


@program()
def shapes_index_and_slice(tf):
    s = tf.TensorShape([2, None, 4])
    u = tf.TensorShape(None)
    return (
        s[0], s[1], s[-1], s[1:], s[:2], s[::2], attempt(lambda: s[3]), attempt(lambda: u[0]), attempt(lambda: u[1:]),
        attempt(lambda: u[:2]), attempt(lambda: u[-1]),
        [d.value for d in s.dims], u.dims, attempt(u.as_list), s.as_list(), attempt(len, u), attempt(lambda: list(u)),
        s.ndims, u.ndims,
    )  # fmt: skip


@program()
def shape_assertions(tf):
    s = tf.TensorShape([2, None])
    return (
        attempt(s.assert_has_rank, 2), attempt(s.assert_has_rank, 3), s.with_rank(2), attempt(s.with_rank, 1),
        s.with_rank_at_least(1),
        attempt(s.with_rank_at_least, 3), s.with_rank_at_most(2), attempt(s.with_rank_at_most, 1),
        attempt(s.assert_is_fully_defined),
        tf.TensorShape(None).with_rank(2), tf.TensorShape([1]).assert_is_fully_defined(),
    )  # fmt: skip


@program()
def shapes_as_keys_and_protos(tf):
    a, b = tf.TensorShape([2, 3]), tf.TensorShape([2, 3])
    return (
        hash(a) == hash(b),
        len({a, b}),
        a == [2, 3],
        a == (2, 3),
        a != [2, 4],
        tf.TensorShape(a.as_proto()),
        tf.TensorShape(tf.TensorShape(None).as_proto()),
        a == None,
    )


@program()
def equality_with_unknown_parts(tf):
    u, v = tf.TensorShape(None), tf.TensorShape(None)
    a, b = tf.TensorShape([None, 2]), tf.TensorShape([None, 2])
    return u == v, attempt(lambda: u != v), a == b, attempt(lambda: a != b), a == u


@program()
def dimensions(tf):
    a, n = tf.Dimension(7), tf.Dimension(None)
    return {
        "text": [str(a), repr(a), str(n), repr(n)],
        "value": [a.value, n.value],
        "add": [a + 2, 2 + a, a + n, n + n, a + None],
        "sub": [a - 2, 9 - a, a - n],
        "mul": [a * 2, 2 * a, a * n],
        "floordiv": [a // 2, 15 // a, a // n],
        "div": [attempt(lambda: a / 2), attempt(lambda: 2 / a)],
        "mod": [a % 4, 20 % a, a % n],
        "less": [a < 8, a < 7, a <= 7, a > 6, a >= 8, a < n, n >= n],
        "equal": [a == 7, a == tf.Dimension(7), a == n, n == n, a != 7, a != n, n == None, a == None, a == "x"],
        "int": [int(a), attempt(int, n), list(range(3))[a - 5], a.__index__()],
        "merge": [a.merge_with(7), a.merge_with(n), n.merge_with(a), attempt(a.merge_with, 8)],
        "compatible": [a.is_compatible_with(7), a.is_compatible_with(n), a.is_compatible_with(8)],
        "make": [
            tf.Dimension(a),
            attempt(tf.Dimension, -1),
            attempt(tf.Dimension, "x"),
            attempt(tf.Dimension, 2.5),
            tf.Dimension(np.int64(3)),
        ],
        "functions": [
            tf.dimension_value(a),
            tf.dimension_value(3),
            tf.dimension_at_index(tf.TensorShape([4, 5]), 1),
            tf.dimension_at_index(tf.TensorShape(None), 1),
        ],
        "hash": attempt(hash, a),
    }


SETS = {
    "fills in": ([None, 3], [2, None]), "from unknown": (None, [2, 3]), "less specific": ([2, 3], [None, None]),
    "to unknown": ([2, 3], None),
    "clash": ([2, 3], [2, 4]), "rank": ([2, 3], [2]), "scalar": (None, []), "rank of scalar": ([], [1]),
}  # fmt: skip


@program(cases=SETS)
def set_shape(tf, case):
    x = tf.placeholder(tf.float32, case[0], name="x")
    caught = attempt(x.set_shape, case[1])
    return caught, x.shape, x.get_shape(), tf.identity(x).shape


@program(
    cases={
        "string": "ab",
        "float": [2.5],
        "dimension": "dim",
        "shape": "shape",
        "int": 3,
        "negative": [-5],
        "tuple": (2, None),
    }
)
def set_shape_takes(tf, case):
    x = tf.placeholder(tf.float32, name="x")
    value = [tf.Dimension(2)] if case == "dim" else tf.TensorShape([7]) if case == "shape" else case
    return attempt(x.set_shape, value), x.shape


@program(cases=["Add", "Mul", "Maximum", "Equal", "FloorDiv"])
def broadcasting_of_static_shapes(tf, case):
    make = {"Add": tf.add, "Mul": tf.multiply, "Maximum": tf.maximum, "Equal": tf.equal, "FloorDiv": tf.floordiv}[case]
    pairs = [
        ([2, 3], [3]),
        ([2, 1], [1, 3]),
        ([None, 3], [2, 1]),
        ([None], [None]),
        ([None], [1]),
        (None, [2]),
        ([], [2]),
        ([2, 3], [2]),
        ([0], [1]),
        ([3, 1, 2], [4, 1]),
    ]
    seen = []
    for a, b in pairs:
        x, y = tf.placeholder(tf.int32, a), tf.placeholder(tf.int32, b)
        made = attempt(make, x, y)
        seen.append(getattr(made, "shape", made))
    return seen


@program()
def broadcast_static_shape_functions(tf):
    one = tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([1, 3]))
    bad = attempt(tf.broadcast_static_shape, tf.TensorShape([2]), tf.TensorShape([3]))
    return (
        one,
        bad,
        tf.broadcast_static_shape(tf.TensorShape(None), tf.TensorShape([3])),
        tf.broadcast_dynamic_shape([2, 1], [1, 3]),
    )


SHAPE_FUNCTIONS = {
    "matmul": lambda tf, x: [
        tf.matmul(x([2, 3]), x([3, 4])),
        tf.matmul(x([None, 3]), x([3, None])),
        tf.matmul(x(None), x([3, 4])),
        tf.matmul(x([5, 2, 3]), x([5, 3, 4])),
        tf.matmul(x([2, 3]), x([4, 3]), transpose_b=True),
    ],
    "reduce": lambda tf, x: [
        tf.reduce_sum(x([2, 3])),
        tf.reduce_sum(x([2, 3]), 1),
        tf.reduce_sum(x([2, None]), 0, keepdims=True),
        tf.reduce_sum(x([2, 3, 4]), [0, 2]),
        tf.reduce_sum(x(None)),
        tf.reduce_sum(x(None), 1),
        tf.reduce_sum(x([2, 3]), -1),
        tf.reduce_sum(x([2, 3]), []),
    ],
    "concat": lambda tf, x: [
        tf.concat([x([2, 3]), x([4, 3])], 0),
        tf.concat([x([2, None]), x([2, 3])], 1),
        tf.concat([x(None), x([2, 3])], 0),
        tf.concat([x([2, 3]), x([2, 5])], -1),
    ],
    "stack": lambda tf, x: [
        tf.stack([x([2, 3]), x([2, 3])]),
        tf.stack([x([2, None]), x([None, 3])], 1),
        tf.stack([x([2]), x(None)], -1),
    ],
    "unstack": lambda tf, x: (
        tf.unstack(x([2, 3]))
        + tf.unstack(x([2, 3]), axis=1)
        + tf.unstack(x([None, 3]), num=4)
        + tf.unstack(x([2, 3]), axis=-1)
    ),
    "split": lambda tf, x: (
        tf.split(x([4, 3]), 2)
        + tf.split(x([None, 6]), [1, 2, 3], 1)
        + tf.split(x([4, 6]), [1, -1], 1)
        + tf.split(x([None, 6]), 3, axis=1)
    ),
    "reshape": lambda tf, x: [
        tf.reshape(x([2, 3]), [3, 2]),
        tf.reshape(x([2, 3]), [-1]),
        tf.reshape(x([None, 3]), [-1, 3]),
        tf.reshape(x(None), [2, -1]),
        tf.reshape(x([None, 6]), [-1, 2, 3]),
        tf.reshape(x([1]), []),
        tf.reshape(x([2, 6]), [4, -1]),
    ],
    "transpose": lambda tf, x: [
        tf.transpose(x([2, 3])),
        tf.transpose(x([2, 3, 4]), [2, 0, 1]),
        tf.transpose(x(None), [1, 0]),
        tf.transpose(x([None, 3])),
    ],
    "squeeze": lambda tf, x: [
        tf.squeeze(x([1, 2, 1])),
        tf.squeeze(x([1, 2, 1]), [0]),
        tf.squeeze(x([1, None])),
        tf.squeeze(x([1, None]), [1]),
        tf.squeeze(x(None)),
        tf.squeeze(x([1, 2, 1]), -1),
    ],
    "expand_dims": lambda tf, x: [
        tf.expand_dims(x([2, 3]), 0),
        tf.expand_dims(x([2, 3]), -1),
        tf.expand_dims(x([2, 3]), 1),
        tf.expand_dims(x(None), 0),
        tf.expand_dims(x([]), 0),
    ],
    "tile": lambda tf, x: [tf.tile(x([2, 3]), [2, 1]), tf.tile(x([None, 3]), [2, 2]), tf.tile(x([2]), [0])],
    "pad": lambda tf, x: [
        tf.pad(x([2, 3]), [[1, 1], [0, 2]]),
        tf.pad(x([None, 3]), [[1, 1], [2, 2]]),
        tf.pad(x([4]), [[1, 2]], "REFLECT"),
    ],
    "slice": lambda tf, x: [
        tf.slice(x([4, 5]), [1, 0], [2, 5]),
        tf.slice(x([4, 5]), [1, 2], [-1, 2]),
        tf.slice(x([None, 5]), [1, 0], [2, -1]),
        tf.slice(x([None, 5]), [1, 0], [-1, -1]),
    ],
    "gather": lambda tf, x: [
        tf.gather(x([4, 5]), [0, 1]),
        tf.gather(x([4, 5]), 0),
        tf.gather(x([4, 5]), [[0, 1]], axis=1),
        tf.gather(x(None), [0]),
        tf.gather_nd(x([4, 5]), [[0, 1], [1, 2]]),
        tf.gather_nd(x([4, 5]), [[0], [1]]),
    ],
    "one_hot": lambda tf, x: [
        tf.one_hot([1, 2], 5),
        tf.one_hot([[1, 2]], 5, axis=0),
        tf.one_hot(tf.placeholder(tf.int32, [None]), 3),
        tf.one_hot(1, 4),
    ],
    "fill": lambda tf, x: [
        tf.fill([2, 3], 1.0),
        tf.zeros([2, 3]),
        tf.ones([]),
        tf.zeros_like(x([None, 3])),
        tf.ones_like(x([2, 3])),
    ],
    "range": lambda tf, x: [
        tf.range(5),
        tf.range(2, 8, 2),
        tf.range(5, 0, -1),
        tf.range(0.0, 1.0, 0.3),
        tf.linspace(0.0, 1.0, 5),
    ],
    "argmax": lambda tf, x: [
        tf.argmax(x([2, 3])),
        tf.argmax(x([2, 3]), 1),
        tf.argmax(x([None, 3]), -1),
        tf.argmax(x([2, 3]), 1, output_type=tf.int32),
    ],
    "cast": lambda tf, x: [tf.cast(x([2, None]), tf.int32), tf.identity(x(None)), tf.stop_gradient(x([1]))],
    "shape": lambda tf, x: [
        tf.shape(x([2, 3])),
        tf.shape(x([None, 3])),
        tf.shape(x(None)),
        tf.size(x([2, 3])),
        tf.size(x(None)),
        tf.rank(x([2])),
        tf.rank(x(None)),
        tf.shape(x([2, 3]), out_type=tf.int64),
    ],
    "where": lambda tf, x: [
        tf.where(tf.placeholder(tf.bool, [4])),
        tf.where(tf.placeholder(tf.bool, [2, 3])),
        tf.where(tf.placeholder(tf.bool, [2]), x([2]), x([2])),
        tf.where(tf.placeholder(tf.bool, [2]), x([2, 3]), x([2, 3])),
        tf.where(tf.placeholder(tf.bool, []), x([2, 3]), x([None, 3])),
    ],
    "nn": lambda tf, x: [
        tf.nn.relu(x([2, None])),
        tf.nn.softmax(x([2, 3])),
        tf.nn.bias_add(x([2, 3]), x([3])),
        tf.nn.conv2d(x([None, 28, 28, 3]), x([5, 5, 3, 8]), [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d(x([1, 28, 28, 3]), x([5, 5, 3, 8]), [1, 2, 2, 1], "VALID"),
        tf.nn.max_pool(x([2, 8, 8, 3]), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.conv2d(x(None), x([5, 5, 3, 8]), [1, 1, 1, 1], "SAME"),
    ],
    "random": lambda tf, x: [
        tf.random_uniform([2, 3]),
        tf.random_normal([]),
        tf.truncated_normal([4]),
        tf.random_shuffle(x([3, 2])),
    ],
    "top_k": lambda tf, x: list(tf.nn.top_k(x([2, 5]), 3)) + list(tf.nn.top_k(x([None]), 2)),
    "diag": lambda tf, x: [
        tf.diag(x([3])),
        tf.diag_part(x([3, 3])),
        tf.matrix_diag(x([2, 3])),
        tf.matrix_diag_part(x([2, 3, 3])),
        tf.eye(3),
        tf.eye(2, 3),
        tf.matrix_transpose(x([2, 3, 4])),
    ],
    "segment": lambda tf, x: [
        tf.segment_sum(x([4, 3]), [0, 0, 1, 1]),
        tf.unsorted_segment_sum(x([4, 3]), [0, 0, 1, 1], 5),
        tf.cumsum(x([2, 3])),
        tf.reverse(x([2, 3]), [0]),
    ],
}


@program(cases=SHAPE_FUNCTIONS, graph=False)
def shapes_of_results(tf, case):
    made = case(tf, lambda shape: tf.placeholder(tf.float32, shape))
    return [(tensor.shape, tensor.dtype) for tensor in made]


BAD = {
    "add": lambda tf, x: tf.add(x([2]), x([3])),
    "matmul inner": lambda tf, x: tf.matmul(x([2, 3]), x([4, 5])),
    "matmul rank": lambda tf, x: tf.matmul(x([3]), x([3, 5])),
    "matmul batch": lambda tf, x: tf.matmul(x([2, 3, 4]), x([3, 4, 5])),
    "reshape count": lambda tf, x: tf.reshape(x([2, 3]), [4, 2]),
    "reshape two": lambda tf, x: tf.reshape(x([2, 3]), [-1, -1]),
    "reshape divides": lambda tf, x: tf.reshape(x([2, 3]), [4, -1]),
    "concat": lambda tf, x: tf.concat([x([2, 3]), x([3, 4])], 0),
    "concat rank": lambda tf, x: tf.concat([x([2, 3]), x([3])], 0),
    "concat axis": lambda tf, x: tf.concat([x([2, 3]), x([2, 3])], 2),
    "concat scalars": lambda tf, x: tf.concat([x([]), x([])], 0),
    "stack": lambda tf, x: tf.stack([x([2]), x([3])]),
    "stack axis": lambda tf, x: tf.stack([x([2]), x([2])], axis=5),
    "unstack unknown": lambda tf, x: tf.unstack(x([None, 2])),
    "unstack num": lambda tf, x: tf.unstack(x([3, 2]), num=2),
    "unstack axis": lambda tf, x: tf.unstack(x([3, 2]), axis=4),
    "split uneven": lambda tf, x: tf.split(x([5]), 2),
    "split sizes": lambda tf, x: tf.split(x([5]), [2, 2]),
    "split axis": lambda tf, x: tf.split(x([4]), 2, axis=1),
    "transpose perm": lambda tf, x: tf.transpose(x([2, 3]), [0, 0]),
    "transpose length": lambda tf, x: tf.transpose(x([2, 3]), [0, 1, 2]),
    "squeeze": lambda tf, x: tf.squeeze(x([2, 3]), [0]),
    "squeeze axis": lambda tf, x: tf.squeeze(x([1, 3]), [5]),
    "expand_dims": lambda tf, x: tf.expand_dims(x([2, 3]), 5),
    "tile": lambda tf, x: tf.tile(x([2, 3]), [1]),
    "pad": lambda tf, x: tf.pad(x([2, 3]), [[1, 1]]),
    "pad mode": lambda tf, x: tf.pad(x([2]), [[1, 1]], "NOPE"),
    "slice size": lambda tf, x: tf.slice(x([4]), [2], [5]),
    "slice rank": lambda tf, x: tf.slice(x([4, 4]), [0], [1]),
    "gather scalar": lambda tf, x: tf.gather(x([]), [0]),
    "gather axis": lambda tf, x: tf.gather(x([2]), [0], axis=3),
    "reduce axis": lambda tf, x: tf.reduce_sum(x([2, 3]), 2),
    "reduce axis low": lambda tf, x: tf.reduce_mean(x([2, 3]), [-3]),
    "argmax axis": lambda tf, x: tf.argmax(x([2, 3]), 3),
    "bias": lambda tf, x: tf.nn.bias_add(x([2, 3]), x([4])),
    "conv depth": lambda tf, x: tf.nn.conv2d(x([1, 8, 8, 3]), x([2, 2, 4, 8]), [1, 1, 1, 1], "SAME"),
    "conv rank": lambda tf, x: tf.nn.conv2d(x([8, 8, 3]), x([2, 2, 3, 8]), [1, 1, 1, 1], "SAME"),
    "conv padding": lambda tf, x: tf.nn.conv2d(x([1, 8, 8, 3]), x([2, 2, 3, 8]), [1, 1, 1, 1], "FULL"),
    "conv strides": lambda tf, x: tf.nn.conv2d(x([1, 8, 8, 3]), x([2, 2, 3, 8]), [1, 1], "SAME"),
    "conv too big": lambda tf, x: tf.nn.conv2d(x([1, 2, 2, 3]), x([5, 5, 3, 8]), [1, 1, 1, 1], "VALID"),
    "pool": lambda tf, x: tf.nn.max_pool(x([1, 2, 2, 3]), [1, 5, 5, 1], [1, 1, 1, 1], "VALID"),
    "range": lambda tf, x: tf.range(0, 5, 0),
    "range backwards": lambda tf, x: tf.range(5, 0, 1),
    "fill negative": lambda tf, x: tf.fill([-2], 1.0),
    "zeros negative": lambda tf, x: tf.zeros([-2]),
    "where": lambda tf, x: tf.where(tf.placeholder(tf.bool, [3]), x([2]), x([2])),
    "one_hot depth": lambda tf, x: tf.one_hot([1], -2),
    "top_k": lambda tf, x: tf.nn.top_k(x([2]), 3),
    "diag_part": lambda tf, x: tf.diag_part(x([2, 3])),
    "softmax scalar": lambda tf, x: tf.nn.softmax(x([])),
    "cross entropy": lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.placeholder(tf.int32, [3]), logits=x([2, 5])
    ),
    "add_n": lambda tf, x: tf.add_n([x([2]), x([3])]),
    "random shape": lambda tf, x: tf.random_uniform([-1]),
    "placeholder_with_default": lambda tf, x: tf.placeholder_with_default([1.0, 2.0], [3]),
}


@program(cases=BAD, graph=False)
def shape_errors(tf, case):
    return attempt(case, tf, lambda shape: tf.placeholder(tf.float32, shape))


@program()
def a_failed_shape_check_leaves_no_op_behind(tf):
    x, y = tf.placeholder(tf.float32, [2], name="x"), tf.placeholder(tf.float32, [3], name="y")
    attempt(tf.add, x, y, name="bad")
    return [op.name for op in tf.get_default_graph().get_operations()]


@program()
def assert_shapes_of_values(tf):
    x = tf.constant([[1.0, 2.0]])
    return (
        x.shape.as_list(),
        x.shape[0].value,
        int(x.shape[1]),
        x.get_shape().ndims,
        [int(d) for d in x.shape],
        tuple(d.value for d in x.shape),
    )
