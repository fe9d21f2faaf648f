"""Corners of array and math functions: scalar updates, negative begins, empty tables, numbers of another kind."""

import numpy as np

from tests.oracle import attempt, program


def _run(tf, *fetches):
    with tf.Session() as sess:
        return [attempt(sess.run, fetch) for fetch in fetches]


@program()
def scatter_nd_of_scalar_updates(tf):
    """Updates without dimensions fit only index vectors without outer dimensions."""
    unknown = tf.placeholder(tf.float32, name="unknown")
    some = tf.placeholder(tf.float32, [None, 3], name="some")
    return [
        attempt(tf.scatter_nd, [[0], [1]], 1.0, [4]),
        attempt(tf.scatter_nd, [[0], [1]], [1.0, 2.0, 3.0], [4]),
        attempt(tf.scatter_nd, [[0], [1]], some, [4, 2]),
        attempt(tf.scatter_nd, [[0], [1]], some, [4]),
        attempt(tf.scatter_nd, [[0, 0, 0]], some, [4, 3]),
        attempt(tf.scatter_nd, [1], 2.0, [4]),
        attempt(tf.scatter_nd, [[0], [1]], unknown, [4]),
        attempt(tf.scatter_nd, [[0, 0, 0]], some[:, 0], [4, 3]),
        attempt(tf.tensor_scatter_nd_add, [[1.0]], [[0, 0, 0]], some),
        attempt(tf.tensor_scatter_nd_add, [[1.0]], [[0, 0, 0]], [3.0]),
        attempt(tf.tensor_scatter_nd_update, [1.0, 2.0], [[0], [1]], 3.0),
        attempt(tf.tensor_scatter_nd_add, [[1.0, 2.0]], [[0]], [3.0]),
    ]


@program()
def scatter_nd_into_variables(tf):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([[1.0, 2.0]])
    return [
        attempt(tf.scatter_nd_update, v, [[0], [1]], 3.0),
        attempt(tf.scatter_nd_add, v, [0], 3.0),
        attempt(tf.scatter_nd_update, v, [0], [3.0]),
        attempt(tf.scatter_nd_update, v, [[0], [1]], [1.0, 2.0, 3.0]),
        attempt(tf.scatter_nd_sub, w, [[0], [0]], [[1.0], [2.0]]),
        attempt(tf.scatter_nd_sub, w, [[0, 0, 0]], [1.0]),
    ]


@program(graph=False)
def scattering_into_resource_variables(tf):
    v = tf.Variable([1.0, 2.0], use_resource=True)
    unknown = tf.placeholder(tf.float32, name="unknown")
    results = [
        attempt(tf.scatter_nd_update, v, [[0], [1]], 3.0),
        attempt(tf.scatter_nd_add, v, 0, [3.0]),
        attempt(tf.scatter_nd_update, v, [[0], [1]], [1.0, 2.0, 3.0]),
        attempt(tf.scatter_update, v, [0, 1], [1.0, 2.0, 3.0]),
        attempt(tf.scatter_add, v, [[0, 1]], [1.0, 2.0]),
    ]
    built = [tf.scatter_update(v, [0, 1], 5.0), tf.scatter_nd_sub(v, [[0]], unknown), tf.scatter_mul(v, 1, unknown)]
    with tf.Session() as sess:
        sess.run(v.initializer)
        return results, [sess.run(one.value() if hasattr(one, "value") else one, {unknown: [2.0]}) for one in built[:2]]


@program()
def slice_from_a_negative_begin(tf):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    fed = tf.placeholder(tf.float32, [None, 4], name="fed")
    return [
        attempt(tf.slice, x, [-1], [1]),
        attempt(tf.slice, x, [-1], [-1]),
        attempt(tf.slice, x, [-2], [2]),
        attempt(tf.slice, x, [5], [-1]),
        attempt(tf.slice, x, [1], [-2]),
        attempt(tf.slice, fed, [-1, 0], [1, 2]),
        attempt(tf.slice, fed, [-1, 0], [-1, 2]),
        attempt(tf.slice, fed, [0, 0], [1, 5]),
    ]


@program()
def parallel_stack_of_unknown_shapes(tf):
    unknown = tf.placeholder(tf.float32, name="unknown")
    partly = tf.placeholder(tf.float32, [None, 2], name="partly")
    return [
        attempt(tf.parallel_stack, [unknown, unknown]),
        attempt(tf.parallel_stack, [partly, partly]),
        attempt(tf.parallel_stack, [tf.constant([[1.0, 2.0]]), partly]),
        attempt(tf.parallel_stack, [tf.constant([1.0, 2.0]), unknown]),
        attempt(tf.parallel_stack, []),
        attempt(tf.parallel_stack, [tf.constant([1.0, 2.0]), tf.constant([1.0])]),
    ]


@program(cases=["left", "right"])
def searchsorted_of_nothing(tf, case):
    empty = tf.zeros([0])
    rows = tf.zeros([2, 0])
    none = tf.zeros([3])
    return _run(
        tf,
        tf.searchsorted(empty, [1.0, 2.0], side=case),
        tf.searchsorted(rows, [[1.0], [2.0]], side=case),
        tf.searchsorted(none, empty, side=case),
    )


@program()
def batch_gather_at_a_scalar(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return [
        attempt(tf.batch_gather, x, 1),
        attempt(tf.batch_gather, x, tf.constant(1)),
        attempt(tf.batch_gather, x, tf.placeholder(tf.int32, name="indices")),
        attempt(tf.batch_gather, x, [0, 1]),
        attempt(tf.batch_gather, tf.placeholder(tf.float32, name="params"), [[0]]),
    ]


@program()
def one_hot_of_vectors(tf):
    return [
        attempt(tf.one_hot, [0, 1], 2, on_value=[1.0, 2.0]),
        attempt(tf.one_hot, [0, 1], 2, on_value=1.0, off_value=[0.0]),
        attempt(tf.one_hot, [0, 1], [2]),
        attempt(tf.one_hot, [0, 1], -1),
        attempt(tf.one_hot, [0, 1], 2, axis=3),
        attempt(tf.one_hot, [0, 1], 2, axis=-2),
        attempt(tf.one_hot, [0, 1], 2, on_value=1, off_value=0.5),
    ]


@program()
def bitcast_of_sizes_that_do_not_fit(tf):
    return [
        attempt(tf.bitcast, tf.constant([1, 2, 3], tf.uint8), tf.float32),
        attempt(tf.bitcast, tf.constant(1, tf.uint8), tf.float32),
        attempt(tf.bitcast, tf.constant([[1, 2, 3]], tf.int16), tf.float64),
        attempt(tf.bitcast, tf.constant([[1.0, 2.0]]), tf.complex64),
        attempt(tf.bitcast, tf.constant(1.0), tf.int16),
        attempt(tf.bitcast, tf.placeholder(tf.uint8, [None], name="bytes"), tf.float32),
    ]


@program(cases={"floats": [1.0, 2.7, 2.0], "bools": [True, False, True], "int64": np.array([1, 1], np.int64)})
def bincount_casts_first(tf, case):
    return attempt(lambda: _run(tf, tf.bincount(case), tf.bincount(tf.constant(case), minlength=5)))


@program()
def bincount_of_rows(tf):
    return attempt(
        lambda: _run(
            tf,
            tf.bincount([[1, 2], [1, 1]]),
            tf.bincount([1, 1], weights=[0.5, 2.0]),
        )
    )


def _cast_back(tf, x, kind):
    return tf.cast(tf.saturate_cast(x, kind), tf.float32)


@program(cases=["float16", "bfloat16", "float32", "int8", "uint8", "int32"])
def saturate_cast_between_kinds(tf, case):
    results = []
    for source in ["float16", "bfloat16", "float32", "float64", "int16", "uint16", "int32"]:
        x = tf.cast(tf.constant([-3.0, 2.5, 100.0] if source[0] != "u" else [1.0, 2.5, 100.0]), source)
        results.append(attempt(_cast_back, tf, x, case))
    return _run(tf, *results)


@program()
def reshape_of_nothing(tf):
    """Of [-1, 0], the unknown size is what the sizes that are not zero leave."""
    results = []
    for have, want in [
        ([0], [-1, 0]), ([2, 0], [-1, 0]), ([2, 0], [0, -1]), ([0], [-1, 3, 0]), ([6, 0], [-1, 3, 0]), ([0], [-1, 3]),
        ([4, 0], [3, -1, 0]), ([0, 3], [-1, 0, 2]), ([2, 3], [-1, 0]),
    ]:  # fmt: skip
        x = tf.placeholder_with_default(np.zeros(have, np.float32), None)
        results.append(tf.reshape(x, tf.placeholder_with_default(want, [None])))
    return _run(tf, *results)


@program(cases=["complex64", "complex128"])
def saturate_cast_to_complex(tf, case):
    real = tf.constant([1e300, -2.0], tf.float64)
    return _run(tf, tf.saturate_cast(real, case), tf.saturate_cast(tf.constant([3], tf.int32), case))


@program(graph=False)
def svd_of_nan(tf):
    x = tf.constant([[float("nan"), 1.0], [1.0, 2.0]])
    return _run(
        tf, tf.svd(x, compute_uv=False), list(tf.svd(x)), list(tf.svd(tf.constant([[np.inf, 1.0], [1.0, 2.0]])))
    )


@program()
def signs_of_zero(tf):
    zeros = tf.constant([-0.0, 0.0, -0.0, 0.0, 4.0, -4.0])
    by = tf.constant([3.0, -3.0, -3.0, 3.0, -2.0, 2.0])
    results = _run(
        tf,
        tf.mod(zeros, by),
        tf.floormod(zeros, by),
        tf.truncatemod(zeros, by),
        tf.math.xlogy(zeros, tf.abs(by)),
        tf.math.xdivy(zeros, by),
        tf.math.multiply_no_nan(zeros, by),
        tf.math.divide_no_nan(zeros, by),
        tf.math.xlog1py(zeros, tf.abs(by)),
    )
    return results, [np.signbit(r) for r in results]


@program()
def empty_names_and_names_of_bytes(tf):
    return [
        attempt(tf.get_variable, "", [2]),
        attempt(tf.get_variable, b"bytes", [2]),
        attempt(tf.get_variable, None, [2]),
        attempt(tf.constant, 1.0, name=b"raw"),
        attempt(tf.add, 1.0, 2.0, name=b"sum"),
        attempt(tf.placeholder, tf.float32, name=b"fed"),
        attempt(tf.Variable, 1.0, name=b"variable"),
        attempt(tf.identity, 1.0, name=b"same"),
        attempt(tf.Variable, 1.0, name=""),
        attempt(tf.placeholder, tf.float32, name=""),
    ]


@program(cases=["sort", "argsort"])
def sorted_by_kind(tf, case):
    f = getattr(tf, case)
    values = np.array([[3, 1, 2, 1], [0, 5, 5, 4]])
    results = []
    for kind in ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "int64"]:
        x = tf.cast(tf.constant(values), kind)
        results += [attempt(f, x), attempt(f, x, direction="DESCENDING")]
    cast = [tf.cast(r, tf.float32) for r in results]
    return _run(tf, *cast), attempt(f, [True, False]), attempt(f, ["b", "a"]), attempt(f, [1j, 2.0])


@program(cases=["sort", "argsort"])
def sorted_along_an_axis(tf, case):
    f = getattr(tf, case)
    x = tf.constant(np.random.RandomState(0).randint(0, 9, [2, 3, 4]), tf.float32)
    fed = tf.placeholder(tf.int32, name="fed")
    partly = tf.placeholder(tf.float32, [None, 3], name="partly")
    results = [f(x, axis) for axis in [0, 1, 2, -1, -2, -3]] + [f(x, 1, "DESCENDING", name="down")]
    fed_results = [f(fed), f(fed, 0), f(fed, -2, direction="DESCENDING", name="fed_down")]
    with tf.Session() as sess:
        return (
            sess.run(results),
            [sess.run(r, {fed: [[3, 1], [2, 2], [1, 9]]}) for r in fed_results],
            sess.run([f(partly), f(partly, axis=0)], {partly: [[3.0, 1.0, np.inf], [-1.0, -np.inf, 0.0]]}),
        )


@program(cases=["sort", "argsort"])
def sorting_refuses(tf, case):
    f = getattr(tf, case)
    return [
        attempt(f, [1, 2], direction="UP"),
        attempt(f, [1, 2], axis=[0]),
        attempt(f, [1, 2], axis=tf.placeholder(tf.int32, [], name="axis")),
        attempt(f, [1, 2], axis=1),
        attempt(f, [[1, 2]], axis=-3),
        attempt(f, 1.0),
        attempt(f, [1, 2], axis=None),
        attempt(f, [3, 1], axis=tf.constant(0)),
    ]


@program(cases=["sort", "argsort"])
def sorting_extremes(tf, case):
    f = getattr(tf, case)
    smallest = np.array([5, np.iinfo(np.int32).min, np.iinfo(np.int32).max, 0], np.int32)
    return _run(
        tf,
        f(smallest),
        f(smallest, direction="DESCENDING"),
        f(np.zeros([0], np.float32)),
        f(np.zeros([2, 0], np.int32), 0),
        f([0.0, -0.0, np.inf, -np.inf]),
        f(np.array([0, 255, 7], np.uint8)),
    )
