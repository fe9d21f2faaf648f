"""Reductions, positions of extremes, running sums: axes in every form, types, empty tensors, names, static shapes."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

inf, nan = float("inf"), float("nan")
NUMBERS = ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"]
LOGIC = ["reduce_all", "reduce_any"]
MORE = ["reduce_logsumexp", "count_nonzero"]
X = np.array([[[1.0, -2.0, 3.5], [0.5, 0.0, -1.0]], [[2.0, 4.0, -0.25], [1.5, -3.0, 6.0]]], np.float32)


def run(tf, tensors):
    with tf.Session() as sess:
        return [attempt(sess.run, tensor) if isinstance(tensor, tf.Tensor) else None for tensor in tensors]


def argument(tf, case, dtype="float32"):
    return tf.constant(X > 0.4) if case in LOGIC else tf.constant(X.astype(dtype))


AXES = [None, 0, 1, -1, [0], [1, 2], [0, 1, 2], (-1, 0), []]


@program(cases=NUMBERS + LOGIC + MORE)
def axes(tf, case):
    x, function = argument(tf, case), getattr(tf, case)
    made = [function(x, axis) for axis in AXES] + [
        function(x, np.int64(1)),
        function(x, np.array([0, 2])),
        function(x, tf.constant([1])),
        function(x, tf.constant(0, tf.int64)),
    ]
    return made, run(tf, made)


@program(cases=NUMBERS + LOGIC + MORE)
def kept_axes_and_old_arguments(tf, case):
    x, function = argument(tf, case), getattr(tf, case)
    made = [
        function(x, 1, keepdims=True),
        function(x, keepdims=True),
        function(x, axis=[0, 2], keep_dims=True, name="kept"),
        function(x, reduction_indices=[1]),
        function(x, 1, True),
        function(x, reduction_indices=0, keep_dims=False),
    ]
    errors = [attempt(function, x, 1, reduction_indices=1), attempt(function, x, 1, keepdims=True, keep_dims=True)]
    return made, errors, run(tf, made)


@program(cases=NUMBERS + LOGIC + MORE)
def bad_axes(tf, case):
    x, function = argument(tf, case), getattr(tf, case)
    return [attempt(function, x, axis) for axis in (3, -4, [0, 5], 1.5, "a", tf.constant([[0]]), [[0]], [0, None])]


@program(cases=NUMBERS + LOGIC + MORE)
def bad_axes_in_a_run(tf, case):
    x, axis = tf.placeholder(tf.bool if case in LOGIC else tf.float32), tf.placeholder(tf.int32)
    y = getattr(tf, case)(x, axis)
    value = X > 0 if case in LOGIC else X
    with tf.Session() as sess:
        return y, [attempt(sess.run, y, {x: value, axis: a}) for a in (3, -4, [0, 5])]


@program(cases=NUMBERS + LOGIC + MORE)
def python_values(tf, case):
    values = [[True, False], [True, True]] if case in LOGIC else [[1.0, 2.0], [3.0, 4.0]]
    function = getattr(tf, case)
    with tf.name_scope("outer"):
        made = [
            function(values),
            function(values, 1),
            function(values[0]),
            function(values[0][0]),
            function(np.array(values)),
            function(values, 0, name="given"),
        ]
    return made, [attempt(function, None), attempt(function, "a"), attempt(function, object())], run(tf, made)


@program(cases=NUMBERS + LOGIC + MORE)
def static_shapes(tf, case):
    function, dtype = getattr(tf, case), tf.bool if case in LOGIC else tf.float32
    unknown, partly = tf.placeholder(dtype), tf.placeholder(dtype, [None, 3, None])
    scalar = tf.placeholder(dtype, [])
    made = [
        function(unknown),
        function(unknown, 0),
        function(unknown, [0], keepdims=True),
        function(unknown, keepdims=True),
        function(partly),
        function(partly, 1),
        function(partly, -1, keepdims=True),
        function(partly, tf.placeholder(tf.int32)),
        function(partly, tf.placeholder(tf.int32), keepdims=True),
        function(partly, tf.placeholder(tf.int32, [2]), keepdims=True),
        function(scalar),
        function(scalar, []),
        function(tf.placeholder(dtype, [None])),
    ]
    return made


@program(cases=NUMBERS)
def number_types(tf, case):
    values = {
        "float16": X,
        "float64": X,
        "int32": X * 3,
        "int64": X * 3,
        "uint8": np.abs(X * 3),
        "int8": X * 3,
        "int16": X * 3,
        "uint16": np.abs(X * 3),
        "complex64": X + 1j,
        "complex128": X - 1j,
    }
    function = getattr(tf, case)
    made = [attempt(lambda d=d, v=v: function(tf.constant(v.astype(d)), [0, 2])) for d, v in values.items()]
    return made, run(tf, made)


@program(cases=NUMBERS + LOGIC + MORE, graph=False)
def which_types(tf, case):
    function = getattr(tf, case)
    return [
        attempt(lambda d=d: function(tf.placeholder(d, [2])).dtype)
        for d in (
            "float16",
            "bfloat16",
            "int8",
            "uint8",
            "int16",
            "uint16",
            "int32",
            "uint32",
            "int64",
            "uint64",
            "bool",
            "complex64",
            "string",
        )
    ]


@program(cases=NUMBERS + LOGIC + MORE)
def empty_tensors(tf, case):
    function = getattr(tf, case)
    types = ["bool"] if case in LOGIC else ["float32", "int32"] if case != "reduce_logsumexp" else ["float32"]
    made = [
        function(tf.zeros(shape, d), axis)
        for d in types
        for shape, axis in (([0], None), ([0, 3], 0), ([0, 3], 1), ([2, 0], [0, 1]))
    ]
    return made, run(tf, made)


@program(cases=["reduce_sum", "reduce_max", "reduce_min", "reduce_mean", "reduce_prod", "reduce_logsumexp"])
def not_numbers(tf, case):
    x = tf.constant(
        [[1.0, nan, 2.0], [inf, 1.0, 2.0], [-inf, inf, 0.0], [nan, nan, nan], [-inf, -inf, -inf], [3.0, 4.0, 5.0]]
    )
    made = [getattr(tf, case)(x, 1), getattr(tf, case)(x, 0)]
    return made, run(tf, made)


@program()
def whole_number_means(tf):
    made = [
        tf.reduce_mean(tf.constant(values, d))
        for values, d in (
            ([1, 2, -4, 0], "int32"),
            ([-1, -2], "int32"),
            ([2**31 - 1] * 2, "int32"),
            ([200, 100], "uint8"),
            ([7, 8], "int64"),
            ([-7, -8], "int8"),
        )
    ]
    return made, run(tf, made)


@program()
def wrapped_sums(tf):
    made = [
        tf.reduce_sum(tf.constant([200, 100], tf.uint8)),
        tf.reduce_sum(tf.constant([2**31 - 1, 1])),
        tf.reduce_prod(tf.constant([2**16, 2**16])),
    ]
    return made, run(tf, made)


@program(tol=(3e-3, 1e-3))
def half_sums(tf):
    x = tf.constant(np.linspace(-1, 1, 60).reshape(6, 10).astype(np.float16))
    made = [
        tf.reduce_sum(x),
        tf.reduce_sum(x, 0),
        tf.reduce_sum(x, 1),
        tf.reduce_mean(x),
        tf.reduce_max(x, 1),
        tf.reduce_mean(tf.constant(np.full((300, 2), 0.1, np.float16)), 0),
    ]
    return made, run(tf, made)


@program()
def norms_and_spreads(tf):
    x = tf.constant(X)
    functions = [tf.math.reduce_euclidean_norm, tf.math.reduce_variance, tf.math.reduce_std]
    made = (
        [f(x, axis) for f in functions for axis in (None, 1, [0, 2])]
        + [f(x, 1, True, name="given") for f in functions]
        + [f([1.0, 2.0]) for f in functions]
        + [f(tf.constant([[1j, 2.0], [3.0, 4 - 1j]]), 0) for f in functions]
    )
    made += [
        tf.math.reduce_euclidean_norm(tf.constant([3, 4])),
        tf.math.reduce_variance(tf.placeholder(tf.float32)),
        tf.math.reduce_std(tf.placeholder(tf.float32, [None, 2]), 0),
    ]
    return made, [attempt(f, tf.constant([1, 2])) for f in functions[1:]], run(tf, made[:-2])


@program()
def counts(tf):
    made = [
        tf.count_nonzero(tf.constant([[0, 1], [2, 0]]), 1),
        tf.count_nonzero(tf.constant([True, False, True])),
        tf.count_nonzero(tf.constant(["", "a", " "])),
        tf.count_nonzero([0.0, -0.0, 1e-30], dtype=tf.int32),
        tf.count_nonzero(input=tf.constant([1, 0])),
        tf.count_nonzero(tf.constant([0j, 1j]), name="given"),
    ]
    return made, [attempt(tf.count_nonzero, tf.constant([1]), input=tf.constant([1]))], run(tf, made)


# ---- positions

ARG = ["argmax", "argmin", "arg_max", "arg_min"]


@program(cases=ARG)
def positions(tf, case):
    x = tf.constant([[3.0, 1.0, 3.0], [-2.0, 5.0, -2.0]])
    function = getattr(tf, case)
    made = [
        function(x, 0),
        function(x, 1),
        function(x, -1),
        function(x, 1, output_type=tf.int32),
        function(x, tf.constant(1)),
        function(x, 1, name="given"),
        function(tf.constant([2, 2, 1], tf.uint8), 0),
        function([1.0, 4.0, 4.0], 0),
        function(tf.constant([True, False, True]), 0),
    ]
    errors = [
        attempt(function, x, 2),
        attempt(function, x, -3),
        attempt(function, x, [0]),
        attempt(function, x, 1.5),
        attempt(function, tf.constant("a"), 0),
        attempt(function, x, 0, output_type=tf.float32),
    ]
    return made, errors, run(tf, made)


@program(cases=["argmax", "argmin"])
def positions_by_default(tf, case):
    function = getattr(tf, case)
    x = tf.constant([[3.0, 1.0], [4.0, 0.0]])
    made = [
        function(x),
        function(x, dimension=1),
        function(x, axis=0),
        function(tf.placeholder(tf.float32)),
        function(tf.placeholder(tf.float32, [None, 3]), 1),
        function(tf.placeholder(tf.float32, [2, 3, 4]), tf.placeholder(tf.int32)),
        function(tf.placeholder(tf.float32, [3])),
        function(tf.placeholder(tf.float32, [])),
    ]
    return made, attempt(function, x, 1, dimension=1), run(tf, made[:3])


@program(cases=["argmax", "argmin"])
def positions_of_nothing(tf, case):
    function = getattr(tf, case)
    made = [
        function(tf.zeros([0])),
        function(tf.zeros([2, 0]), 1),
        function(tf.zeros([2, 0]), 0),
        function(tf.constant(3.0)),
    ]
    return made, run(tf, made)


@program()
def positions_among_nan(tf):
    x = tf.constant([[1.0, nan, 2.0, 0.5], [nan, 1.0, 2.0, 3.0], [nan, nan, nan, nan], [-inf, nan, -inf, -inf]])
    return run(tf, [tf.argmax(x, 1), tf.argmin(x, 1)])


# ---- running sums


@program(cases=["cumsum", "cumprod"])
def running(tf, case):
    function = getattr(tf, case)
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, -1.0]])
    made = [
        function(x),
        function(x, 1),
        function(x, -1),
        function(x, 1, exclusive=True),
        function(x, 1, reverse=True),
        function(x, 0, True, True, "given"),
        function([1, 2, 3]),
        function(x, tf.constant(1, tf.int64)),
        function(tf.constant([200, 100], tf.uint8)),
        function(tf.constant([1j, 2.0])),
        function(tf.zeros([0, 2])),
        function(tf.zeros([0, 2]), 1, exclusive=True),
        function(tf.placeholder(tf.float32, [None, 2]), 1),
        function(tf.placeholder(tf.float32)),
    ]
    return made, [attempt(function, tf.constant([True])), attempt(function, x, 1.5)], run(tf, made[:-2])


@program(cases=["cumsum", "cumprod"], messages=[])
def running_along_no_axis(tf, case):
    return run(tf, [getattr(tf, case)(tf.constant([[1.0, 2.0]]), axis) for axis in (2, -3)])


@program()
def running_logsumexp(tf):
    x = tf.constant([[1.0, 2.0, -inf, 4.0], [800.0, -800.0, 0.0, 800.0]])
    made = [
        tf.math.cumulative_logsumexp(x, 1),
        tf.math.cumulative_logsumexp(x, 1, exclusive=True),
        tf.math.cumulative_logsumexp(x, 1, reverse=True, name="given"),
        tf.math.cumulative_logsumexp([1.0, 2.0]),
    ]
    return made, attempt(tf.math.cumulative_logsumexp, tf.constant([1])), run(tf, made)
