"""Elementwise functions of two operands: types, broadcasting, special values, names and errors."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

inf, nan = float("inf"), float("nan")
X = [7.0, -7.0, 7.0, -7.0, 1.0, 0.0, -1.0, 0.0, inf, -inf, nan, 1.0, 5.5, 1.0, 0.3, -6.0]
Y = [2.0, 2.0, -2.0, -2.0, 0.0, 0.0, 0.0, 3.0, 2.0, 2.0, 1.0, nan, inf, -inf, 0.1, 3.0]

BINARY = [
    "add", "subtract", "multiply", "divide", "truediv", "div", "floordiv", "floor_div", "mod", "floormod", "realdiv",
        "truncatediv", "truncatemod", "pow", "maximum", "minimum",
    "squared_difference", "atan2", "div_no_nan", "equal", "not_equal", "less", "less_equal", "greater",
        "greater_equal",
]  # fmt: skip
MATH = ["xlogy", "xlog1py", "xdivy", "multiply_no_nan", "divide_no_nan", "nextafter"]
INTEGER = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "div",
    "floordiv",
    "mod",
    "truncatediv",
    "truncatemod",
    "pow",
    "maximum",
    "minimum",
    "squared_difference",
    "equal",
    "less",
    "greater_equal",
]


def run(tf, tensors):
    with tf.Session() as sess:
        return [attempt(sess.run, tensor) if isinstance(tensor, tf.Tensor) else None for tensor in tensors]


def function_of(tf, case):
    return getattr(tf, case, None) or getattr(tf.math, case)


@program(cases=BINARY + MATH)
def real_types(tf, case):
    function = function_of(tf, case)
    made = [attempt(function, tf.constant(X, dtype), tf.constant(Y, dtype)) for dtype in ("float32", "float64")]
    return made, run(tf, made)


@program(cases=BINARY)
def half(tf, case):
    made = attempt(
        function_of(tf, case),
        tf.constant([7.0, -7.0, 2.0, 0.5], tf.float16),
        tf.constant([2.0, 2.0, 3.0, -0.25], tf.float16),
    )
    return made, run(tf, [made])


@program(cases=INTEGER)
def integer_types(tf, case):
    function = function_of(tf, case)
    signed = [
        (d, [7, -7, 7, -7, 0, 5], [2, 2, 3, 3, 1, 1] if case == "pow" else [2, 2, -2, -2, 3, -1])
        for d in ("int8", "int16", "int32", "int64")
    ]
    unsigned = [(d, [7, 250, 3, 0], [2, 7, 5, 9]) for d in ("uint8", "uint16", "uint32", "uint64")]
    made = [attempt(function, tf.constant(x, d), tf.constant(y, d)) for d, x, y in signed + unsigned]
    return made, run(
        tf, [m for m, (d, _, _) in zip(made, signed + unsigned) if d in ("int32", "int64", "uint8", "int8")]
    )


@program(
    cases=["add", "subtract", "multiply", "divide", "pow", "squared_difference", "equal", "not_equal", "div_no_nan"]
)
def complex_numbers(tf, case):
    function = function_of(tf, case)
    made = [
        attempt(function, tf.constant([1 + 2j, -1j, 2.0], d), tf.constant([2 - 1j, 1 + 1j, 0.5], d))
        for d in ("complex64", "complex128")
    ]
    return made, run(tf, made)


@program(cases=BINARY + MATH, graph=False)
def which_types(tf, case):
    function = function_of(tf, case)
    return [
        attempt(lambda d=d: function(tf.placeholder(d), tf.placeholder(d)).dtype)
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
            "complex128",
            "string",
        )
    ]


@program(cases=BINARY + MATH)
def python_values_and_names(tf, case):
    function = function_of(tf, case)
    x = tf.constant([2.0, 3.0], name="x")
    with tf.name_scope("outer"):
        made = [
            attempt(function, x, 2), attempt(function, 2.0, x), attempt(function, [4.0, 5.0], x),
                attempt(function, x, np.array([1.0, 2.0])), attempt(function, 3.0, 2.0),
                    attempt(function, x, x, name="given"), attempt(function, x, 2.0, name="given"),
        ]  # fmt: skip
    errors = [
        attempt(function, 3, x),
        attempt(function, x, "a"),
        attempt(function, x, None),
        attempt(function, None, x),
        attempt(function, x, tf.constant([1, 2])),
        attempt(function, tf.constant([1, 2]), 2.5),
        attempt(function, x, object()),
    ]
    return made, errors, run(tf, made)


SHAPES = [
    ([2, 3], [2, 3]),
    ([2, 3], [3]),
    ([2, 1], [1, 3]),
    ([], [2]),
    ([None, 3], [2, 1]),
    ([None], [None]),
    ([None], [5]),
    ([1], [None]),
    (None, [2]),
    ([2], None),
    ([0], [1]),
    ([2, 3], [2]),
    ([2, 3, 4], [3, 1]),
    ([None, 2], [3, 3]),
]


@program(cases=["add", "less", "maximum", "atan2", "equal"])
def broadcast_shapes(tf, case):
    function = function_of(tf, case)
    return [attempt(function, tf.placeholder(tf.float32, a), tf.placeholder(tf.float32, b)) for a, b in SHAPES]


@program(cases=BINARY)
def broadcasting(tf, case):
    function = function_of(tf, case)
    made = [
        function(tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.constant([2.0, 4.0, 8.0])),
        function(tf.constant([[1.0], [2.0]]), tf.constant([[4.0, 8.0]])),
        function(tf.zeros([0, 3]), tf.zeros([1, 3])),
        function(tf.constant(3.0), tf.constant(2.0)),
    ]
    return made, run(tf, made)


@program(cases=["add", "subtract", "less", "equal", "maximum", "floordiv", "pow", "truediv"])
def shapes_that_clash_in_a_run(tf, case):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = function_of(tf, case)(x, y)
    with tf.Session() as sess:
        return [
            attempt(sess.run, z, {x: np.ones(a, np.float32), y: np.ones(b, np.float32)})
            for a, b in (([2], [3]), ([2, 3], [3, 2]), ([2, 3], [2]))
        ]


@program(cases=["floordiv", "mod", "truncatediv", "truncatemod", "div"], messages=[])
def integer_division_by_zero(tf, case):
    made = [function_of(tf, case)(tf.constant([1, 2], d), tf.constant([1, 0], d)) for d in ("int32", "int64", "uint8")]
    return run(tf, made[:2])


@program()
def integer_overflow(tf):
    big, low = tf.constant([2**31 - 1, -(2**31)]), tf.constant(-(2**31))
    made = [
        big + 1,
        big - 1,
        big * 2,
        -big,
        abs(big),
        low // -1,
        tf.truncatediv(low, -1),
        tf.square(big),
        tf.constant([3], tf.int64) ** tf.constant([50], tf.int64),
    ]
    return made, run(tf, made)


@program(messages=["negative"])
def negative_powers_of_integers(tf):
    with tf.Session() as sess:
        return sess.run(tf.pow(tf.constant([2, 3]), tf.constant([2, -1])))


@program()
def strings_are_joined(tf):
    made = [
        tf.add(tf.constant(["a", "b"]), "c"),
        tf.constant(["a", "b"]) + tf.constant([["x"], ["y"]]),
        tf.add("p", "q", name="given"),
        "r" + tf.constant("s"),
        tf.constant("") + "",
    ]
    return made, run(tf, made)


@program()
def strings_are_compared(tf):
    a, b = tf.constant(["a", "b", ""]), tf.constant(["a", "c", ""])
    made = [tf.equal(a, b), tf.not_equal(a, b), tf.equal(a, "a"), tf.equal(tf.constant("x"), "x")]
    return made, [attempt(tf.less, a, b)], run(tf, made)


@program(cases=["logical_and", "logical_or", "logical_xor"])
def logic(tf, case):
    function = getattr(tf, case)
    p, q = tf.constant([True, True, False, False]), tf.constant([True, False, True, False])
    with tf.name_scope("outer"):
        made = [
            function(p, q),
            function(p, True),
            function(False, q, name="given"),
            function(tf.constant([[True], [False]]), tf.constant([True, False])),
            function([True], [False]),
        ]
    shapes = [
        attempt(function, tf.placeholder(tf.bool, a), tf.placeholder(tf.bool, b)) for a, b in SHAPES[:6] + SHAPES[-3:]
    ]
    return (
        made,
        shapes,
        [attempt(function, p, 1), attempt(function, tf.constant([1]), p), attempt(function, p, None)],
        run(tf, made),
    )


@program()
def logical_not(tf):
    made = [
        tf.logical_not(tf.constant([True, False])),
        tf.logical_not(True, name="given"),
        tf.logical_not(tf.placeholder(tf.bool, [None])),
    ]
    return made, [attempt(tf.logical_not, 1), attempt(tf.logical_not, tf.constant([1.0]))], run(tf, made[:2])


@program(cases=["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"])
def bits(tf, case):
    function = getattr(tf.bitwise, case)
    made = [
        attempt(function, tf.constant([12, 5, 1, 3], d), tf.constant([10, 3, 2, 0], d))
        for d in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
    ]
    made += [
        function(tf.constant([-8, 7]), 1),
        function(6, tf.constant([3, 5]), name="given"),
        function(tf.constant([[1], [2]]), tf.constant([4, 5])),
    ]
    return (
        made,
        [attempt(function, tf.constant([1.0]), tf.constant([1.0])), attempt(function, tf.constant([True]), True)],
        run(tf, made),
    )


@program()
def bits_turned(tf):
    made = [tf.bitwise.invert(tf.constant([0, 1, 5], d)) for d in ("int8", "uint8", "int32", "uint32", "int64")] + [
        tf.bitwise.invert(3, name="given")
    ]
    return made, attempt(tf.bitwise.invert, tf.constant([1.0])), run(tf, made)


@program()
def reciprocal_no_nan(tf):
    made = [
        tf.math.reciprocal_no_nan(tf.constant([2.0, 0.0, inf, nan])),
        tf.math.reciprocal_no_nan([4.0], name="given"),
    ]
    return made, attempt(tf.math.reciprocal_no_nan, 3), run(tf, made)


@program()
def polyval(tf):
    x = tf.constant([1.0, 2.0])
    made = [
        tf.math.polyval([2.0, -3.0, 0.5], x),
        tf.math.polyval([tf.constant(2.0)], x),
        tf.math.polyval([], x, name="none"),
        tf.math.polyval([tf.constant([1.0, 2.0]), 1.0], x, name="given"),
        tf.math.polyval([1, 2], [3, 4]),
    ]
    return made, [attempt(tf.math.polyval, tf.constant([1.0]), x), attempt(tf.math.polyval, [1, 2], x)], run(tf, made)


@program()
def sums_of_many(tf):
    a, b = tf.constant([[1.0, 2.0]], name="a"), tf.constant([[3.0, 4.0]], name="b")
    v = tf.Variable([[5.0, 6.0]], name="v")
    made = [
        tf.add_n([a, b]),
        tf.add_n((a, b, a), name="three"),
        tf.add_n([a]),
        tf.add_n([a], name="one"),
        tf.add_n([a, [[1.0, 1.0]]]),
        tf.add_n([v, v]),
        tf.add_n([tf.constant([1, 2]), [3, 4]]),
        tf.accumulate_n([a, b]),
        tf.accumulate_n([a, b], shape=[1, 2], tensor_dtype=tf.float32, name="acc"),
        tf.accumulate_n([a]),
        tf.accumulate_n([a], name="alone"),
    ]
    shapes = [
        tf.add_n([tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [3, None])]),
        tf.add_n([tf.placeholder(tf.float32), a]),
        tf.accumulate_n([tf.placeholder(tf.float32), tf.placeholder(tf.float32)], shape=[2]),
    ]
    bad = [
        attempt(tf.add_n, []),
        attempt(tf.add_n, [None]),
        attempt(tf.add_n, [a, tf.constant([1.0])]),
        attempt(tf.add_n, [a, tf.constant([[1, 2]])]),
        attempt(tf.add_n, ["a", "b"]),
        attempt(tf.add_n, [1, 2.0]),
        attempt(tf.accumulate_n, []),
        attempt(tf.accumulate_n, [a, tf.constant([1.0])]),
        attempt(tf.accumulate_n, [a, tf.constant([[1, 2]])]),
        attempt(tf.accumulate_n, [a], shape=[3]),
        attempt(tf.accumulate_n, [a], tensor_dtype=tf.int32),
    ]
    with tf.Session() as sess:
        sess.run(v.initializer)
        return made, shapes, bad, sess.run(made)


@program()
def sums_that_clash_in_a_run(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    with tf.Session() as sess:
        return attempt(sess.run, tf.add_n([x, y]), {x: [1.0], y: [1.0, 2.0]})


@program()
def scalar_mul(tf):
    x = tf.constant([1.0, 2.0])
    made = [
        tf.scalar_mul(2, x),
        tf.scalar_mul(tf.constant(0.5), x, name="given"),
        tf.scalar_mul(3, tf.constant([1, 2])),
    ]
    return (
        made,
        [
            attempt(tf.scalar_mul, [1.0, 2.0], x),
            attempt(tf.scalar_mul, 2.5, tf.constant([1])),
            attempt(tf.scalar_mul, "a", x),
            attempt(tf.scalar_mul, tf.placeholder(tf.float32, [2]), x),
        ],
        run(tf, made),
    )
