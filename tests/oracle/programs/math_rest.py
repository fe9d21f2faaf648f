"""Casts, ranges, segments, counting, clipping."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

inf, nan = float("inf"), float("nan")


def run(tf, tensors):
    with tf.Session() as sess:
        return [attempt(sess.run, tensor) if isinstance(tensor, tf.Tensor) else None for tensor in tensors]


# ---- casts

TYPES = [
    "float16",
    "float32",
    "float64",
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
]


@program(cases=TYPES)
def cast_to_every_type(tf, case):
    x = tf.constant(np.array([0, 1, 2, 100, 1]).astype(case))
    made = [tf.cast(x, dtype) for dtype in TYPES]
    return made, run(tf, made)


@program()
def cast_negative_and_broken_numbers(tf):
    f = tf.constant([1.9, -1.9, 0.5, -0.5, 127.9])
    made = (
        [tf.cast(f, dtype) for dtype in ("int8", "int16", "int32", "int64")]
        + [
            tf.cast(tf.constant([-1, 300, 128, -129]), d)
            for d in ("int8", "uint8", "int16", "uint16", "uint32", "int64")
        ]
        + [tf.cast(tf.constant([nan, 0.0, -0.0, 0.1]), tf.bool)]
    )
    return made, run(tf, made)


@program()
def cast_beyond_the_range(tf):
    """As this processor's conversion instructions do."""
    f = tf.constant([3e9, -3e9, nan, inf, -inf])
    made = [
        tf.cast(f, tf.int32),
        tf.cast(f, tf.int64),
        tf.cast(tf.constant([1e5, -1e5]), tf.float16),
        tf.cast(tf.constant([1e40], tf.float64), tf.float32),
    ]
    return made, run(tf, made)


@program()
def cast_complex(tf):
    z = tf.constant([1 + 2j, 0j, 1j])
    made = [tf.cast(z, d) for d in ("float32", "int32", "bool", "complex64")]
    return made, run(tf, made)


@program()
def cast_forms(tf):
    x = tf.constant([1.5, 2.5])
    v = tf.Variable([1.5], name="v")
    made = [
        tf.cast(x, tf.float32),
        tf.cast(x, "int32"),
        tf.cast(x, np.int64),
        tf.cast(1.5, tf.int32),
        tf.cast([1, 2], tf.float32),
        tf.cast(True, tf.float32),
        tf.cast(np.array([1.5]), tf.float32),
        tf.cast(3, tf.int32),
        tf.cast(x, tf.int32, name="given"),
        tf.cast(v, tf.int32),
        tf.cast(v, tf.float32),
        tf.cast(tf.placeholder(tf.float32), tf.int32),
        tf.cast(tf.placeholder(tf.float32, [None, 2]), tf.bool),
    ]
    return made, [
        attempt(tf.cast, x, "nope"),
        attempt(tf.cast, None, tf.float32),
        attempt(tf.cast, x, None),
        attempt(tf.cast, "a", tf.string),
    ]


@program(messages=["not supported"])
def cast_to_strings(tf):
    with tf.Session() as sess:
        return sess.run(tf.cast(tf.constant([1.0]), tf.string))


@program()
def named_casts(tf):
    x, i = tf.constant([1.5, -2.5]), tf.constant([1, 2])
    made = [
        tf.to_float(i),
        tf.to_double(x),
        tf.to_int32(x),
        tf.to_int64(x),
        tf.to_complex64(x),
        tf.to_complex128(i),
        tf.to_float(x),
        tf.to_float([1, 2]),
        tf.to_float(1.5),
        tf.to_int32(np.arange(3)),
        tf.to_int64(x, name="given"),
    ]
    return made, run(tf, made)


@program(cases=["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "uint16"])
def saturate_cast(tf, case):
    made = [
        tf.saturate_cast(tf.constant([-1e10, -129.0, -1.5, 0.0, 1.5, 127.0, 300.0, 70000.0, 1e10]), case),
        tf.saturate_cast(tf.constant([-(2**31), -200, 0, 200, 2**31 - 1]), case),
        tf.saturate_cast(tf.constant([1e300, -1e300], tf.float64), case, name="given"),
    ]
    return made, run(tf, made)


@program()
def saturate_cast_forms(tf):
    made = [
        tf.saturate_cast(300, tf.uint8),
        tf.saturate_cast(tf.placeholder(tf.float32, [None]), tf.uint8),
        tf.saturate_cast(tf.constant([1j, 500.0]), tf.uint8),
    ]
    return made, [attempt(tf.saturate_cast, tf.constant([True]), tf.int8)], run(tf, made[:1] + made[2:])


# ---- sequences


@program()
def ranges(tf):
    made = [
        tf.range(5),
        tf.range(1, 5),
        tf.range(1, 10, 3),
        tf.range(10, 0, -3),
        tf.range(5.0),
        tf.range(0, 5.0, 1),
        tf.range(0.0, 1.0, 0.1),
        tf.range(1.0, 0.0, -0.3),
        tf.range(5, dtype=tf.float32),
        tf.range(5, dtype=tf.int64),
        tf.range(0),
        tf.range(3, 3),
        tf.range(5, name="given"),
        tf.range(start=3, limit=18, delta=3),
        tf.range(5, delta=2),
        tf.range(0, 5, 1.5),
        tf.range(np.int64(5)),
        tf.range(tf.constant(4)),
        tf.range(0, tf.constant(4.0, tf.float64)),
        tf.range(3, None),
        tf.range(-3, 3, 2),
        tf.range(2**40, 2**40 + 3),
    ]
    return made, run(tf, made)


@program()
def ranges_of_unknown_length(tf):
    P = tf.placeholder
    made = [
        tf.range(P(tf.int32, [])),
        tf.range(0, P(tf.int32, []), 2),
        tf.range(P(tf.int64, [])),
        tf.range(3, P(tf.float32, [])),
        tf.range(0, P(tf.int32, []), P(tf.int32, [])),
        tf.range(P(tf.float16, [])),
        tf.range(P(tf.int32)),
    ]
    x = P(tf.int32, [])
    y, z = tf.range(x, 5), tf.range(0, 10, x)
    with tf.Session() as sess:
        return (
            made,
            sess.run(y, {x: 2}),
            [
                attempt(sess.run, y, {x: 7}),
                attempt(sess.run, z, {x: 0}),
                attempt(sess.run, z, {x: -1}),
                sess.run(z, {x: 4}),
            ],
        )


@program()
def range_errors(tf):
    return [
        attempt(tf.range, *args)
        for args in (
            (10, 0),
            (0, 10, 0),
            (0, 10, -1),
            (tf.constant([1, 2]),),
            ("a",),
            (None,),
            (tf.constant(True),),
            (1.0, 0.0),
            (tf.placeholder(tf.float32, [2]),),
        )
    ]


@program()
def linspaces(tf):
    made = [
        tf.linspace(0.0, 1.0, 5),
        tf.lin_space(0.0, 1.0, 3, name="given"),
        tf.linspace(0.0, 1.0, 1),
        tf.linspace(0.0, 1.0, 0),
        tf.linspace(0.0, 1.0, 2),
        tf.linspace(0, 10, 5),
        tf.linspace(tf.constant(1.0, tf.float64), 2.0, 4),
        tf.linspace([0.0, 1.0], [1.0, 5.0], 3),
        tf.linspace([0.0, 1.0], [1.0, 5.0], 3, axis=-1),
    ]
    return made, run(tf, made)


@program()
def linspaces_of_unknown_length(tf):
    P = tf.placeholder
    n = P(tf.int32, [])
    made = [
        tf.linspace(0.0, 1.0, n),
        tf.linspace(P(tf.float32, []), 1.0, 3),
        tf.linspace(P(tf.float32, [2]), P(tf.float32, [2]), P(tf.int64, []), axis=-1),
        tf.linspace(P(tf.float32), P(tf.float32), 3),
    ]
    with tf.Session() as sess:
        return (
            made,
            sess.run(made[0], {n: 4}),
            [
                attempt(sess.run, made[0], {n: -4}),
                attempt(tf.linspace, 0.0, 1.0, 2.5),
                attempt(tf.linspace, "a", 1.0, 2),
            ],
        )


# ---- segments

SORTED = ["segment_sum", "segment_mean", "segment_prod", "segment_min", "segment_max"]
UNSORTED = [
    "unsorted_segment_sum",
    "unsorted_segment_prod",
    "unsorted_segment_min",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_sqrt_n",
]
PICKED = ["sparse_segment_sum", "sparse_segment_mean", "sparse_segment_sqrt_n"]
ROWS = [[1.0, -2.0], [3.0, 4.0], [-5.0, 6.0], [7.0, 8.0]]


@program(cases=SORTED)
def sorted_segments(tf, case):
    function = getattr(tf, case)
    made = [
        function(tf.constant(ROWS), [0, 0, 1, 3]),
        function(tf.constant(ROWS), tf.constant([0, 1, 1, 1], tf.int64)),
        function([1, 2, 4], [0, 0, 0], name="given"),
        function(tf.zeros([0]), tf.constant([], tf.int32)),
        function(tf.constant([[[1.0], [2.0]]]), [2]),
        function(tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32)),
        function(tf.placeholder(tf.float32), tf.placeholder(tf.int64, [None])),
    ]
    return (
        made,
        [
            attempt(function, tf.constant(ROWS), [[0]]),
            attempt(function, 1.0, [0]),
            attempt(function, tf.constant(ROWS), [0.0]),
            attempt(function, tf.constant(["a"]), [0]),
        ],
        run(tf, made[:5]),
    )


@program(cases=SORTED)
def segments_out_of_order(tf, case):
    x, ids = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    y = getattr(tf, case)(x, ids)
    with tf.Session() as sess:
        return [
            attempt(sess.run, y, {x: [1.0, 2.0, 3.0], ids: i})
            for i in ([0, 1, 0], [-1, 0, 0], [0, 0], [[0, 0, 0]], [0, 0, 2])
        ]


@program(cases=UNSORTED)
def unsorted_segments(tf, case):
    function = getattr(tf, case)
    made = [
        function(tf.constant(ROWS), [2, 0, 2, -1], 4),
        function(tf.constant(ROWS), tf.constant([[0, 1], [1, 2], [0, 0], [2, 2]]), 3),
        function([1.0, 2.0, 3.0], [0, 1, 0], 2, name="given"),
        function(tf.constant(ROWS), tf.constant([0, 0, 0, 0], tf.int64), tf.constant(2, tf.int64)),
        function(tf.zeros([0, 2]), tf.constant([], tf.int32), 2),
    ]
    shapes = [
        function(tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32)),
        function(tf.placeholder(tf.float32, [2, 3, 4]), tf.placeholder(tf.int32, [2, 3]), 5),
        function(tf.placeholder(tf.float32), tf.placeholder(tf.int32, [2]), 5),
    ]
    return (
        made,
        shapes,
        [
            attempt(function, tf.constant(ROWS), [0, 1], 2),
            attempt(function, tf.constant(ROWS), [0, 1, 0, 1], -2),
            attempt(function, tf.constant(ROWS), [0, 1, 0, 1], [2]),
        ],
        run(tf, made),
    )


@program(cases=["unsorted_segment_sum", "unsorted_segment_max"])
def unsorted_segments_of_integers(tf, case):
    made = [getattr(tf, case)(tf.constant([5, 7, 9], d), [0, 2, 0], 4) for d in ("int32", "int64", "uint8", "int8")]
    return made, run(tf, made)


@program(cases=["unsorted_segment_sum", "unsorted_segment_min"])
def unsorted_segments_out_of_range(tf, case):
    x, ids, n = tf.placeholder(tf.float32), tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    y = getattr(tf, case)(x, ids, n)
    with tf.Session() as sess:
        return [
            attempt(sess.run, y, {x: [1.0, 2.0, 3.0], ids: i, n: k})
            for i, k in (([0, 2, 4], 4), ([0, 2], 4), ([0, 1, 2], -4), ([5, 1, 2], 3))
        ]


@program(cases=PICKED)
def picked_segments(tf, case):
    function = getattr(tf, case)
    made = [
        function(tf.constant(ROWS), [0, 3, 1], [0, 0, 2]),
        function(tf.constant(ROWS), [0, 3, 1], [0, 0, 1], num_segments=4),
        function(tf.constant(ROWS, tf.float64), tf.constant([0, 1], tf.int64), [0, 1], name="given"),
        function(tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32), tf.placeholder(tf.int32)),
        function(tf.placeholder(tf.float32, [None, 3]), [0], [0], num_segments=tf.placeholder(tf.int32)),
        function(tf.constant(ROWS), tf.constant([], tf.int32), tf.constant([], tf.int32), num_segments=2),
    ]
    x = tf.constant(ROWS)
    i, s, n = tf.placeholder(tf.int32), tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    y, z = function(x, i, s), function(x, i, s, num_segments=n)
    with tf.Session() as sess:
        late = [
            attempt(sess.run, y, {i: a, s: b})
            for a, b in (([0, 4], [0, 0]), ([0, -2], [0, 0]), ([0, 1], [1, 0]), ([0, 1], [-1, 0]), ([0, 1], [0, 0, 1]))
        ] + [attempt(sess.run, z, {i: [0, 1], s: [0, 6], n: 4})]
    return (
        made,
        [attempt(function, x, [0, 1], [0]), attempt(function, x, [[0]], [[0]])],
        late,
        run(tf, made[:3] + made[5:]),
    )


# ---- counting


@program()
def bincounts(tf):
    made = [
        tf.bincount(tf.constant([1, 1, 3])),
        tf.bincount([1, 2, 2], weights=[0.5, 0.25, 2.0]),
        tf.bincount(tf.constant([1, 1, 3]), minlength=6),
        tf.bincount(tf.constant([1, 1, 3]), minlength=1, maxlength=2),
        tf.bincount(tf.constant([1, 1, 3], tf.int64), dtype=tf.int64),
        tf.bincount(tf.constant([], tf.int32)),
        tf.bincount(tf.constant([[1, 1], [3, 0]])),
        tf.math.bincount(tf.constant([1]), dtype=tf.float32),
        tf.bincount(tf.placeholder(tf.int32)),
    ]
    return made, run(tf, made[:-1])


@program(messages=["non-negative"])
def bincount_of_negative_numbers(tf):
    with tf.Session() as sess:
        return sess.run(tf.bincount(tf.constant([1, -3])))


@program()
def histograms(tf):
    values = tf.constant([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0])
    made = [
        tf.histogram_fixed_width(values, [0.0, 5.0], nbins=5),
        tf.histogram_fixed_width(values, [0.0, 5.0], 3, tf.int64, name="given"),
        tf.histogram_fixed_width([1, 5, 9], [0, 10], nbins=3),
        tf.histogram_fixed_width(tf.placeholder(tf.float32), [0.0, 1.0]),
        tf.histogram_fixed_width(values, tf.placeholder(tf.float32, [2]), nbins=tf.placeholder(tf.int32)),
    ]
    n, r = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
    y = tf.histogram_fixed_width(values, r, nbins=n)
    with tf.Session() as sess:
        late = [attempt(sess.run, y, {r: [5.0, 0.0], n: 5}), attempt(sess.run, y, {r: [0.0, 5.0], n: 0})]
    return (
        made,
        [
            attempt(tf.histogram_fixed_width, values, [0.0, 5.0], nbins=0),
            attempt(tf.histogram_fixed_width, values, [0.0, 5.0, 6.0]),
        ],
        late,
        run(tf, made[:3]),
    )


@program()
def bins_of_values(tf):
    values = tf.constant([[-1.0, 0.0, 1.5], [2.0, 5.0, 15.0]])
    made = [
        tf.histogram_fixed_width_bins(values, [0.0, 5.0], nbins=5),
        tf.histogram_fixed_width_bins([1.0, 2.0], [0.0, 5.0], name="given", dtype=tf.int64),
        tf.histogram_fixed_width_bins(tf.placeholder(tf.float32), [0.0, 1.0]),
    ]
    return made, run(tf, made[:2])


@program()
def confusion_matrices(tf):
    P = tf.placeholder
    made = [
        tf.confusion_matrix([1, 2, 4], [2, 2, 4]),
        tf.confusion_matrix(tf.constant([0, 1, 1]), tf.constant([1, 1, 0]), num_classes=3, name="given"),
        tf.confusion_matrix([0, 1], [1, 1], 2, tf.float32, weights=[0.5, 2.0]),
        tf.confusion_matrix(tf.constant([[0], [1]]), tf.constant([1, 1])),
        tf.confusion_matrix(P(tf.int32, [5]), P(tf.int32, [5])),
        tf.confusion_matrix(P(tf.int32), P(tf.int32), num_classes=4),
    ]
    bad = [
        attempt(tf.confusion_matrix, [1, 2], [1, 2, 3]),
        attempt(tf.confusion_matrix, [1, 2], [1, 2], weights=[1, 2, 3]),
        attempt(tf.confusion_matrix, [-1], [2]),
        attempt(tf.confusion_matrix, [1, 4], [2, 2], num_classes=3),
    ]
    return made, bad, run(tf, made[:4])


@program(messages=["out of bound"])
def confusion_matrix_of_a_class_too_many(tf):
    x = tf.placeholder(tf.int32, [2])
    with tf.Session() as sess:
        return sess.run(tf.confusion_matrix(x, x, num_classes=3), {x: [0, 7]})


# ---- clipping


@program()
def clip_by_value(tf):
    x = tf.constant([[1.0, 5.0, nan], [-3.0, 2.5, inf]])
    made = [
        tf.clip_by_value(x, 0, 3),
        tf.clip_by_value(x, -1.0, tf.constant([1.0, 2.0, 3.0]), name="given"),
        tf.clip_by_value([1.0, 9.0], 2.0, 3.0),
        tf.clip_by_value(tf.constant([1, 9]), 2, 3),
        tf.clip_by_value(tf.placeholder(tf.float32), 0.0, 1.0),
        tf.clip_by_value(x, 3.0, 2.0),
    ]
    return (
        made,
        [
            attempt(tf.clip_by_value, tf.constant([1.0]), [[1.0]], 2.0),
            attempt(tf.clip_by_value, tf.constant([1, 2]), 0.5, 2),
            attempt(tf.clip_by_value, x, [1.0, 2.0], 3.0),
        ],
        run(tf, made[:4] + made[5:]),
    )


@program()
def clip_by_norm(tf):
    x = tf.constant([[3.0, 4.0], [0.3, 0.4]])
    made = [
        tf.clip_by_norm(x, 1.0),
        tf.clip_by_norm(x, 1, axes=[1]),
        tf.clip_by_norm([0.0, 0.0], 1.0),
        tf.clip_by_norm(x, tf.constant(2.0), name="given"),
        tf.clip_by_norm(tf.placeholder(tf.float32), 1.0),
        tf.clip_by_norm(x, -1.0),
        tf.clip_by_average_norm(x, 1.0),
        tf.clip_by_average_norm([3.0, 4.0], 2.0, name="mean"),
        tf.clip_by_average_norm(tf.placeholder(tf.float32), 2.0),
    ]
    return made, [attempt(tf.clip_by_norm, tf.constant([1, 2]), 1)], run(tf, made[:4] + made[5:8])


@program()
def global_norms(tf):
    a, b = tf.constant([3.0, 4.0], name="a"), tf.constant([[12.0]], name="b")
    v = tf.Variable([1.0, 2.0], name="v")
    clipped, norm = tf.clip_by_global_norm([a, None, b], 6.5)
    more, _ = tf.clip_by_global_norm([a, b], 100.0, name="given")
    used, same = tf.clip_by_global_norm([a], tf.constant(1.0), use_norm=tf.constant(10.0))
    infinite, _ = tf.clip_by_global_norm([tf.constant([1.0, inf])], 1.0)
    of_v, _ = tf.clip_by_global_norm([v, [1.0]], 1.0)
    made = [
        clipped[0],
        clipped[2],
        norm,
        more[0],
        used[0],
        same,
        infinite[0],
        tf.global_norm([a, b]),
        tf.global_norm((b,), name="named"),
        tf.global_norm([]),
    ] + of_v
    bad = [
        attempt(tf.global_norm, a),
        attempt(tf.clip_by_global_norm, a, 1.0),
        attempt(tf.clip_by_global_norm, [tf.constant([1])], 1.0),
    ]
    with tf.Session() as sess:
        sess.run(v.initializer)
        return clipped, made, bad, sess.run(made)


# ---- rows and elements of tensors


@program()
def slices_and_sparse_tensors(tf):
    def slices():
        return tf.IndexedSlices(tf.constant([[1.0, -2.0]]), tf.constant([1]), tf.constant([3, 2]))

    sparse = tf.SparseTensor([[0, 1], [1, 0]], [-1.5, 4.0], [2, 3])
    functions = [tf.abs, tf.negative, tf.sign, tf.square, tf.tanh, tf.math.erf]
    kept = [function(sparse) for function in functions] + [tf.sqrt(sparse, name="root"), tf.cast(sparse, tf.int32)]
    kept += [tf.to_int32(slices()), tf.scalar_mul(2.0, slices()), tf.clip_by_value(slices(), 0.0, 1.0)]
    kept += [tf.clip_by_norm(slices(), 1.0), tf.clip_by_global_norm([slices(), tf.ones([2])], 1.0)[0][0]]
    dense = [tf.add_n([slices()]), tf.add_n([slices(), tf.ones([3, 2])]), tf.exp(slices()), tf.reduce_sum(slices(), 1)]
    bad = [
        attempt(tf.add_n, [sparse]),
        attempt(tf.sigmoid, sparse),
        attempt(tf.accumulate_n, [slices()]),
        attempt(tf.reduce_sum, sparse),
        attempt(tf.multiply, sparse, 2.0),
    ]
    with tf.Session() as sess:
        return (
            [k.values for k in kept],
            dense,
            bad,
            [type(k).__name__ for k in kept],
            sess.run([k.values for k in kept] + dense),
        )
