"""Assertions: what is decided while the graph is built, the nodes for what is not, and what failing runs say."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

BINARY = {
    "assert_equal": (2, 2, 3),
    "assert_none_equal": (2, 3, 2),
    "assert_less": (2, 3, 2),
    "assert_less_equal": (2, 2, 1),
    "assert_greater": (2, 1, 2),
    "assert_greater_equal": (2, 2, 3),
}
UNARY = {
    "assert_negative": (-1, 0),
    "assert_positive": (1, 0),
    "assert_non_negative": (0, -1),
    "assert_non_positive": (0, 1),
}


def run(tf, fetch, feed=None):
    with tf.Session() as sess:
        return attempt(sess.run, fetch, feed)


def each(tf, fetches, feed=None):
    return [run(tf, fetch, feed) for fetch in fetches if isinstance(fetch, tf.Operation)]


@program(cases=list(BINARY))
def binary_known(tf, case):
    """Constants are compared at once; the nodes are made all the same."""
    x, good, bad = BINARY[case]
    check = getattr(tf, case)
    made = [
        check(x, good),
        check([x, x], good, name="given"),
        check(tf.constant(x), tf.constant([good, good]), message="why", summarize=5),
        check([], []),
    ]
    return (
        made,
        each(tf, made),
        attempt(check, x, bad),
        attempt(check, [x, x], [good, bad], message="why"),
        attempt(check, x, bad, data=["because", tf.constant(7)]),
    )


@program(cases=list(BINARY))
def binary_fed(tf, case):
    x, good, bad = BINARY[case]
    check = getattr(tf, case)
    a, b = tf.placeholder(tf.int32, name="a"), tf.placeholder(tf.int32, [None], name="b")
    made = [
        check(a, b),
        check(a, b, name="given", message="because of this"),
        check(a, b, data=["values", a, b], summarize=10),
        check(a, [good] * 4),
    ]
    return (
        made,
        each(tf, made, {a: x, b: [good] * 4}),
        each(tf, made, {a: x, b: [bad] * 4}),
        run(tf, made[0], {a: [x] * 3, b: [good, bad, bad]}),
        run(tf, made[0], {a: [x] * 3, b: [x] * 2}),
    )


@program(cases=["float32", "int64", "bool", "string", "complex64"])
def equal_types(tf, case):
    value = {"bool": True, "string": "word"}.get(case, 3)
    x = tf.placeholder_with_default(tf.constant([value, value], case), None)
    made = [tf.assert_equal(x, tf.constant(value, case)), tf.assert_none_equal(x, tf.constant(value, case))]
    return made, each(tf, made)


@program()
def same_tensor(tf):
    x = tf.placeholder(tf.float32)
    with tf.name_scope("outer"):
        made = [
            tf.assert_equal(x, x),
            tf.assert_equal(x, x, name="given"),
            tf.assert_equal(x, tf.identity(x)),
            tf.assert_less_equal(x, x),
        ]
    return made, each(tf, made, {x: float("nan")})


@program(cases=list(UNARY))
def unary(tf, case):
    good, bad = UNARY[case]
    check = getattr(tf, case)
    x = tf.placeholder(tf.float32, name="x")
    made = [
        check(good),
        check(tf.constant([good, good], tf.float64), name="given"),
        check(x),
        check(x, message="why"),
        check(x, data=["mine", x], summarize=1),
    ]
    return (
        made,
        each(tf, made, {x: [good, good]}),
        each(tf, made[2:], {x: [good, bad]}),
        attempt(check, bad),
        attempt(check, [good, bad], message="why"),
        attempt(check, "text"),
    )


@program()
def near(tf):
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float64, name="y")
    made = [
        tf.assert_near(x, 1.0),
        tf.assert_near(x, x + 1e-7, name="given"),
        tf.assert_near(y, 2.0, rtol=0.1, atol=0.01),
        tf.assert_near(x, [1.0, 2.0], message="why", summarize=9),
        tf.assert_near(tf.cast(x, tf.complex64), 1j),
        tf.assert_near(1.0, 1.0),
        tf.assert_near(x, x, data=["mine", x]),
    ]
    return (
        made,
        each(tf, made, {x: 1.0, y: 2.15}),
        each(tf, made, {x: 1.001, y: 2.5}),
        attempt(tf.assert_near, x, y),
        attempt(tf.assert_near, tf.constant(1), 1),
    )


@program()
def controls_what_follows(tf):
    x = tf.placeholder(tf.float32, [None], name="x")
    with tf.control_dependencies([tf.assert_positive(x), tf.assert_less(x, 10.0)]):
        y = tf.sqrt(x)
    return y, run(tf, y, {x: [4.0]}), run(tf, y, {x: [-4.0]}), run(tf, y, {x: [40.0]})


@program()
def inside_cond(tf):
    x = tf.placeholder(tf.float32, name="x")

    def checked():
        with tf.control_dependencies([tf.assert_greater(x, 0.0)]):
            return tf.identity(x)

    y = tf.cond(x > -1.0, checked, lambda: x * 2.0)
    return y, run(tf, y, {x: 3.0}), run(tf, y, {x: -3.0}), run(tf, y, {x: -0.5})


# ---- ranks

RANKS = {"assert_rank": (2, 1), "assert_rank_at_least": (1, 3), "assert_rank_in": ([1, 2], [0, 3])}


@program(cases=list(RANKS))
def rank_known(tf, case):
    good, bad = RANKS[case]
    check = getattr(tf, case)
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    made = [
        check(x, good),
        check(x, good, name="given", message="why"),
        check([[1.0]], good),
        check(x, good, data=["mine", 1]),
    ]
    return (
        made,
        each(tf, made, {x: [[1.0, 2.0, 3.0]]}),
        attempt(check, x, bad),
        attempt(check, x, bad, message="why"),
        attempt(check, [[1.0, 2.0]], bad),
    )


@program(cases=list(RANKS))
def rank_unknown(tf, case):
    good, bad = RANKS[case]
    check = getattr(tf, case)
    x = tf.placeholder(tf.float32, name="x")
    made = [check(x, good), check(x, bad, name="given", message="why"), check(x, bad, data=["mine", x], summarize=2)]
    return made, each(tf, made, {x: [[1.0, 2.0, 3.0]]})


@program(cases=list(RANKS))
def rank_fed(tf, case):
    """The rank is a tensor itself."""
    check = getattr(tf, case)
    x, r = tf.placeholder(tf.float32, [2, 3], name="x"), tf.placeholder(tf.int32, name="r")
    made = check(x, [r, 1] if case.endswith("in") else r)
    feed = {x: np.ones([2, 3])}
    return made, [run(tf, made, {r: value, x: feed[x]}) for value in (2, 3, [2])]


@program(cases=list(RANKS), messages=[])
def rank_refuses(tf, case):
    check = getattr(tf, case)
    wrap = (lambda rank: [rank, 1]) if case.endswith("in") else (lambda rank: rank)
    x = tf.placeholder(tf.float32)
    return [attempt(check, x, wrap(rank)) for rank in (1.5, "a", [1], None)]


@program()
def rank_of_sparse(tf):
    x = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    made = [tf.assert_rank(x, 2), tf.assert_rank_in(x, [1, 2]), tf.assert_type(x, tf.float32)]
    return made, attempt(tf.assert_rank, x, 3), attempt(tf.assert_type, x, tf.int32), each(tf, made)


@program()
def rank_in_nothing(tf):
    x = tf.placeholder(tf.float32, name="x")
    made = tf.assert_rank_in(x, [])
    return made, run(tf, made, {x: 1.0}), attempt(tf.assert_rank_in, [1.0], [])


# ---- types and scalars


@program()
def types(tf):
    x = tf.placeholder(tf.int64, name="x")
    made = [
        tf.assert_type(x, tf.int64),
        tf.assert_type(1.0, "float32", name="given"),
        tf.assert_integer(x),
        tf.assert_integer([1], name="number"),
        tf.assert_scalar(3.0),
        tf.assert_scalar(tf.placeholder(tf.int32, []), name="one"),
    ]
    errors = [
        attempt(tf.assert_type, x, tf.int32),
        attempt(tf.assert_type, x, tf.int32, message="why"),
        attempt(tf.assert_integer, 1.5),
        attempt(tf.assert_integer, tf.constant("a"), message="why"),
        attempt(tf.assert_scalar, [1.0]),
        attempt(tf.assert_scalar, x),
        attempt(tf.assert_scalar, [1.0], message="why", name="given"),
        attempt(tf.assert_type, x, "nonsense"),
    ]
    return made, errors


@program()
def variables(tf):
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
    made = [tf.assert_type(v, tf.float32), tf.assert_rank(v, 1), tf.assert_positive(v), tf.assert_equal(v, [1.0, 1.0])]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return made, sess.run(made), attempt(tf.assert_rank, v, 2)


@program()
def same_float_dtype(tf):
    f, d, i = tf.constant(1.0), tf.constant(1.0, tf.float64), tf.constant(1)
    check = tf.assert_same_float_dtype
    return [check(), check([]), check([f, f]), check([d], tf.float64), check([None, d]), check(dtype=tf.float16)], [
        attempt(check, [f, d]),
        attempt(check, [i, i]),
        attempt(check, [f], tf.float64),
        attempt(check, dtype=tf.int32),
    ]


@program()
def proper_iterable(tf):
    check = tf.assert_proper_iterable
    return [check([1]), check((1,)), check({1: 2}), check(iter([]))], [
        attempt(check, value) for value in (tf.constant([1]), np.ones(2), "text", b"bytes", 3, None)
    ]


@program()
def numeric(tf):
    return [
        tf.is_numeric_tensor(x)
        for x in (
            tf.constant(1),
            tf.constant("a"),
            tf.constant(True),
            1,
            None,
            tf.constant(1j),
            tf.placeholder(tf.float16),
        )
    ]


# ---- shapes

SHAPES = {
    "one size": lambda tf, x, y: [(x, ("N", "Q"))],
    "shared": lambda tf, x, y: [(x, ("N", "Q")), (y, ("N", "D"))],
    "known": lambda tf, x, y: {x: (2, "Q")},
    "scalar": lambda tf, x, y: [(tf.constant(3.0), ()), (y, ("N", 2))],
    "stars": lambda tf, x, y: [(x, ("*", "Q")), (y, (Ellipsis, "N", 2))],
    "any": lambda tf, x, y: [(x, (None, ".")), (y, None)],
    "string": lambda tf, x, y: [(x, "NQ"), (y, "ND")],
    "nothing": lambda tf, x, y: [],
    "front only": lambda tf, x, y: [(x, ("*",))],
    "one symbol": lambda tf, x, y: [(tf.constant([1.0, 2.0]), ("N",))],
}


@program(cases=SHAPES)
def shapes_known(tf, case):
    x, y = tf.placeholder(tf.float32, [2, 3], name="x"), tf.placeholder(tf.float32, [2, 2], name="y")
    made = [
        tf.debugging.assert_shapes(case(tf, x, y)),
        tf.debugging.assert_shapes(case(tf, x, y), name="given", message="why"),
    ]
    return made, each(tf, made)


@program(cases=SHAPES)
def shapes_partly_known(tf, case):
    x, y = tf.placeholder(tf.float32, [None, 3], name="x"), tf.placeholder(tf.float32, [None, None], name="y")
    made = tf.debugging.assert_shapes(case(tf, x, y))
    return made, [
        run(tf, made, {x: np.ones(a), y: np.ones(b)}) for a, b in (([2, 3], [2, 2]), ([2, 3], [4, 2]), ([4, 3], [4, 1]))
    ]


@program(cases=SHAPES)
def shapes_unknown(tf, case):
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="y")
    made = tf.debugging.assert_shapes(case(tf, x, y), message="why")
    return made, [
        run(tf, made, {x: np.ones(a), y: np.ones(b)}) for a, b in (([2, 3], [2, 2]), ([2, 3], [4, 2]), ([2], [2]))
    ]


@program(
    cases={
        "size": lambda x: [(x, (2, 4))],
        "rank": lambda x: [(x, (2, 3, 1))],
        "shared": lambda x: [(x, ("N", "N"))],
        "star inside": lambda x: [(x, (2, "*"))],
        "no iterable": lambda x: [(x, 2)],
        "front": lambda x: [(x, ("*", 1, 2, 3))],
        "vector": lambda x: [(x, ("N",))],
    }
)
def shapes_refused(tf, case):
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    return attempt(tf.debugging.assert_shapes, case(x)), attempt(tf.debugging.assert_shapes, case(x), message="why")


# ---- order


@program(cases=[[], [1], [1, 1, 2], [1, 2, 3], [[1, 2], [2, 5]], [3, 1]])
def monotonic(tf, case):
    x = tf.placeholder_with_default(tf.constant(case, tf.int32), None)
    made = [tf.is_non_decreasing(x), tf.is_strictly_increasing(x, name="given"), tf.is_non_decreasing(case or [0])]
    with tf.Session() as sess:
        return made, sess.run(made)


@program()
def monotonic_refuses(tf):
    return attempt(tf.is_non_decreasing, ["a", "b"]), attempt(tf.is_strictly_increasing, [True])


# ---- the names in tf.debugging


@program()
def namespace(tf):
    names = (
        "Assert assert_all_finite assert_equal assert_greater assert_greater_equal assert_integer assert_less "
        "assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive "
        "assert_none_equal assert_positive assert_proper_iterable assert_rank assert_rank_at_least "
        "assert_rank_in assert_same_float_dtype assert_scalar assert_shapes assert_type check_numerics "
        "is_finite is_inf is_nan is_non_decreasing is_numeric_tensor is_strictly_increasing"
    )
    return (
        [name for name in names.split() if not callable(getattr(tf.debugging, name))],
        [name for name in names.split() if hasattr(tf, name)],
        tf.debugging.assert_all_finite([1.0], "text"),
    )
