"""Python's operators on tensors and variables: which op, which constant, which name, which value."""

from __future__ import annotations

import operator

import numpy as np

from tests.oracle import attempt, program

BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "and": operator.and_,
    "or": operator.or_, "xor": operator.xor, "matmul": operator.matmul, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
UNARY = {
    "neg": operator.neg,
    "abs": abs,
    "invert": operator.invert,
    "pos": operator.pos,
    "not": operator.not_,
    "bool": bool,
}
ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge")


def values(tf, made):
    """Static facts of the results, and their values."""
    tensors = [m for m in made if isinstance(m, tf.Tensor)]
    with tf.Session() as sess:
        if tf.global_variables():
            sess.run(tf.global_variables_initializer())
        return made, sess.run(tensors)


@program(cases=BINARY)
def two_float_tensors(tf, case):
    x, y = tf.constant([[7.0, -5.0], [2.0, 4.0]], name="x"), tf.constant([[2.0, 3.0], [2.0, -3.0]], name="y")
    return values(tf, [attempt(case, x, y)])


@program(cases=BINARY)
def two_int_tensors(tf, case):
    x, y = tf.constant([[7, -5], [2, 4]], name="x"), tf.constant([[2, 3], [2, 3]], name="y")
    return values(tf, [attempt(case, x, y)])


@program(cases=BINARY)
def two_bool_tensors(tf, case):
    x, y = tf.constant([True, False, True], name="x"), tf.constant([True, True, False], name="y")
    return values(tf, [attempt(case, x, y)])


@program(cases=BINARY)
def two_string_tensors(tf, case):
    x, y = tf.constant(["a", "b"], name="x"), tf.constant(["c", "b"], name="y")
    return values(tf, [attempt(case, x, y)])


@program(cases=BINARY)
def python_scalars_on_both_sides(tf, case):
    x = tf.constant([7.0, -5.0], name="x")
    i = tf.constant([7, 5] if case is operator.pow else [7, -5], name="i")
    return values(
        tf,
        [
            attempt(case, x, 2.0),
            attempt(case, 2.0, x),
            attempt(case, x, 3),
            attempt(case, 3, x),
            attempt(case, i, 2),
            attempt(case, 2, i),
        ],
    )


@program(cases=ARITHMETIC)
def scalars_that_do_not_fit(tf, case):
    f = BINARY[case]
    i, b, d = (
        tf.constant([7, 5], name="i"),
        tf.constant([True, False], name="b"),
        tf.constant([7.0, 5.0], tf.float64, name="d"),
    )
    return [
        attempt(f, i, 2.5),
        attempt(f, 2.5, i),
        attempt(f, b, 1),
        attempt(f, i, True),
        attempt(f, i, "a"),
        attempt(f, d, tf.constant(1.0)),
        attempt(f, i, None),
        attempt(f, None, i),
        attempt(f, i, 2**40),
        attempt(f, i, 1j),
        attempt(f, i, object()),
    ]


@program(cases=ARITHMETIC)
def lists_arrays_and_numpy_scalars(tf, case):
    f = BINARY[case]
    x = tf.constant([7.0, -5.0], name="x")
    return values(tf, [
        attempt(f, x, [2.0, 3.0]), attempt(f, [2.0, 3.0], x), attempt(f, x, (2, 3)),
        attempt(f, x, np.array([2.0, 3.0], np.float32)), attempt(f, x, np.array([2.0, 3.0])),
        attempt(f, np.array([2.0, 3.0], np.float32), x),
        attempt(f, np.float32(2.0), x), attempt(f, x, np.float32(2.0)), attempt(f, x, np.float64(2.0)),
        attempt(f, x, np.int32(2)), attempt(f, np.array([2, 3]), x),
    ])  # fmt: skip


@program(cases=("add", "sub", "mul", "truediv", "pow", "lt", "matmul", "eq"))
def variables_on_both_sides(tf, case):
    f = BINARY[case]
    v = tf.Variable([[2.0, 1.0], [0.0, 3.0]], name="v")
    r = tf.get_variable("r", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=True)
    x = tf.constant([[1.0, 1.0], [2.0, 2.0]], name="x")
    return values(
        tf,
        [
            attempt(f, v, x),
            attempt(f, x, v),
            attempt(f, v, v),
            attempt(f, r, x),
            attempt(f, x, r),
            attempt(f, v, r),
            attempt(f, v, [[1.0, 2.0], [3.0, 4.0]]),
            attempt(f, 2.0, v),
            attempt(f, v, 2.0),
            attempt(f, 2.0, r),
        ],
    )


@program(cases=UNARY)
def unary(tf, case):
    made = [
        tf.constant([1.5, -2.5, 0.5], name="f"),
        tf.constant([3, -4], name="i"),
        tf.constant([True, False], name="b"),
        tf.constant([3 - 4j], name="c"),
        tf.constant(["s"], name="s"),
        tf.constant([1, 2], tf.uint8, name="u"),
    ]
    return values(tf, [attempt(case, x) for x in made])


@program(cases=["neg", "abs", "invert"])
def unary_of_variables(tf, case):
    v = tf.Variable([1.5, -2.5], name="v")
    r = tf.get_variable("r", initializer=[1.5, -2.5], use_resource=True)
    return values(tf, [attempt(UNARY[case], v), attempt(UNARY[case], r)])


DTYPES = [
    "float16",
    "float64",
    "int8",
    "uint8",
    "int16",
    "int64",
    "complex64",
    "bfloat16",
    "uint16",
    "uint32",
    "uint64",
]


@program(cases=DTYPES, graph=False)
def which_operators_a_dtype_has(tf, case):
    x = tf.placeholder(case, [2], name="x")
    return {
        name: getattr(attempt(f, x, x), "dtype", "error")
        for name, f in BINARY.items()
        if name not in ("eq", "ne", "matmul")
    }


@program(
    cases=["int32", "int64", "uint8", "int8", "int16", "float16", "float32", "float64", "bfloat16", "bool", "complex64"]
)
def division(tf, case):
    made = attempt(lambda: (tf.constant([7, 5], case, name="x"), tf.constant([2, 3], case, name="y")))
    if not isinstance(made, tuple):
        made = (tf.constant([True, False], name="x"), tf.constant([True, True], name="y"))
    x, y = made
    functions = [
        tf.div,
        tf.divide,
        tf.truediv,
        tf.floordiv,
        tf.mod,
        tf.floormod,
        tf.truncatediv,
        tf.truncatemod,
        tf.realdiv,
        tf.div_no_nan,
        tf.floor_div,
    ]
    return [attempt(f, x, y) for f in functions]


@program()
def division_rounds(tf):
    x, y = tf.constant([7, -7, 7, -7]), tf.constant([3, 3, -3, -3])
    f, g = tf.constant([7.5, -7.5, 7.5, -7.5, 1.0]), tf.constant([2.0, 2.0, -2.0, -2.0, 0.0])
    with tf.Session() as sess:
        return sess.run(
            [
                x / y,
                x // y,
                x % y,
                tf.div(x, y),
                tf.truncatediv(x, y),
                tf.truncatemod(x, y),
                f / g,
                f // g,
                f % g,
                tf.div(f, g),
                tf.truncatemod(f, g),
                tf.div_no_nan(f, g),
            ]
        )


@program(messages=["division by zero"])
def integer_division_by_zero(tf):
    with tf.Session() as sess:
        return sess.run(tf.constant([1]) // tf.constant([0]))


@program(messages=["negative"])
def integer_to_a_negative_power(tf):
    with tf.Session() as sess:
        return sess.run(tf.constant([2]) ** tf.constant([-1]))


@program()
def names_in_a_chain(tf):
    x = tf.constant([1.0, 2.0], name="x")
    y = (2.0 * x + 1.0) / 3.0 - x**2
    z = -(y % 2.0)
    w = tf.abs(z) > 0.5
    return y, z, w, w & tf.logical_not(w)


@program()
def names_inside_scopes(tf):
    with tf.name_scope("outer"):
        x = tf.constant([1.0, 2.0], name="x")
        with tf.name_scope("inner"):
            y = x + 1.0
        with tf.variable_scope("vs"):
            z = y * x - 3.0
    return y, z


@program()
def one_plus_v_in_a_variable_scope(tf):
    with tf.variable_scope("foo"):
        x = 1.0 + tf.get_variable("v", [1], initializer=tf.ones_initializer())
    return x.op.name


@program()
def in_place_operators_rebind(tf):
    x = y = tf.constant([1.0], name="x")
    x += 1.0
    x *= 2.0
    v = w = tf.Variable([1.0], name="v")
    v += 1.0
    return x, y, v, w


@program()
def operators_and_other_objects(tf):
    class Left:
        def __add__(self, other):
            return "left"

        def __radd__(self, other):
            return "right"

    x = tf.constant(1.0)
    return (
        Left() + x,
        attempt(lambda: x + Left()),
        attempt(lambda: x + {}),
        attempt(lambda: x + object()),
        attempt(lambda: {} + x),
        attempt(lambda: "a" + x),
        attempt(lambda: x + "a"),
    )


@program()
def arrays_give_way_to_tensors(tf):
    x = tf.constant([1.0, 2.0])
    return (
        np.array([1.0, 2.0], np.float32) + x,
        np.float32(3.0) * x,
        np.array([1.0, 2.0], np.float32) < x,
        attempt(lambda: np.add(np.array([1.0, 2.0]), x)),
        attempt(lambda: np.array(x)),
        attempt(lambda: np.sum(x)),
        x.__array_priority__,
    )


@program()
def matmul_operator(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
    v = tf.Variable([[1.0], [1.0]], name="v")
    b = tf.constant(np.arange(8.0).reshape(2, 2, 2), name="b")
    return values(
        tf,
        [
            x @ v,
            x @ [[1.0], [2.0]],
            [[1.0, 1.0]] @ x,
            np.array([[1.0, 1.0]], np.float32) @ x,
            b @ b,
            attempt(lambda: x @ [1.0, 2.0]),
            attempt(lambda: x @ 2.0),
            attempt(lambda: x @ tf.constant([[1]])),
        ],
    )


@program()
def comparisons_give_bool_tensors(tf):
    x = tf.constant([1, 2, 3], name="x")
    return values(
        tf,
        [
            x < 2,
            2 < x,
            x >= [1, 3, 3],
            tf.equal(x, 2),
            tf.not_equal(2, x),
            x > x[1],
            tf.less(x, 2),
            tf.less_equal(x, 2),
            tf.greater(x, 2),
            tf.greater_equal(x, 2),
        ],
    )


@program()
def logical_operators(tf):
    a, b = tf.constant([True, True, False, False], name="a"), tf.constant([True, False, True, False], name="b")
    return values(
        tf,
        [
            a & b,
            a | b,
            a ^ b,
            ~a,
            a & True,
            False | b,
            tf.logical_and(a, b),
            tf.logical_or(a, b),
            tf.logical_xor(a, b),
            tf.logical_not(a),
            attempt(lambda: a & 1),
            attempt(lambda: a and b),
        ],
    )


@program()
def bitwise_operators_on_integers(tf):
    x, y = tf.constant([12, 10], name="x"), tf.constant([10, 7], name="y")
    return values(tf, [x & y, x | y, x ^ y, ~x, x & 6, 3 | y])


@program()
def broadcasting_values(tf):
    x = tf.constant(np.arange(6.0).reshape(2, 3), name="x")
    return values(
        tf,
        [
            x + [1.0, 2.0, 3.0],
            x * [[2.0], [3.0]],
            x - 1.0,
            x[:, :1] + x[:1],
            x + tf.constant(1.0, tf.float64),
            attempt(lambda: x + [1.0, 2.0]),
        ],
    )


@program()
def incompatible_shapes_at_run_time(tf):
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="y")
    with tf.Session() as sess:
        return (
            attempt(sess.run, x + y, {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]}),
            attempt(sess.run, tf.matmul(x, y), {x: [[1.0, 2.0]], y: [[1.0, 2.0]]}),
            attempt(sess.run, tf.reshape(x, [2, 2]), {x: [1.0]}),
        )


@program()
def sparse_and_slices_operators(tf):
    s = tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [2, 3])
    i = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1]))
    return (s * 2.0).values, (s / 2.0).values, attempt(lambda: s + 1.0), attempt(lambda: i + 1.0), (-i).values


@program()
def functions_take_plain_values(tf):
    return values(
        tf,
        [
            tf.add(1, 2),
            tf.subtract(5.0, 2),
            tf.multiply([1, 2], 3),
            tf.negative(3),
            tf.square(3.0),
            tf.pow(2, 3),
            tf.maximum(1, 2),
            tf.minimum([1.0], 2.0),
            tf.abs(-3),
            tf.sign([-2.0, 0.0]),
            tf.equal(1, 1),
            tf.add("a", "b"),
            tf.squared_difference(5, 2),
        ],
    )
