"""The rest of the core: init_scope, creators of variables, partial runs, nests, bytes and text, switches."""

from __future__ import annotations

import collections

import numpy as np

from tests.oracle import attempt, program

# ---- init_scope


@program()
def init_scope_keeps_name_and_device(tf):
    with tf.name_scope("ns"), tf.device("/cpu:0"), tf.control_dependencies([tf.no_op("d")]):
        with tf.init_scope():
            a = tf.constant(1, name="a")
            b = tf.identity(a, name="b")
        after = tf.identity(b)
    with tf.init_scope():
        root = tf.constant(2, name="root")
    with tf.get_default_graph().colocate_with(a.op), tf.init_scope():
        beside = tf.identity(root, name="beside")
    return a, b, after, root, beside


@program()
def init_scope_in_cond(tf):
    p = tf.placeholder(tf.bool, [], name="p")

    def branch():
        with tf.init_scope():
            lifted = tf.constant(5.0, name="lifted")
            with tf.name_scope("x"):
                tf.no_op(name="k")
        return lifted + 1.0

    y = tf.cond(p, branch, lambda: tf.constant(2.0))
    with tf.Session() as sess:
        return y, sess.run(y, {p: True}), sess.run(y, {p: False}), sess.run("cond/lifted:0", {p: False})


@program()
def init_scope_and_variables(tf):
    with tf.variable_scope("vs"), tf.control_dependencies([tf.no_op("d")]):
        with tf.init_scope():
            v = tf.get_variable("v", [1], initializer=tf.zeros_initializer())
        w = v + 1.0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return v, w, sess.run(w)


@program(graph=False)
def init_scope_left_by_an_error(tf):
    def fail():
        with tf.name_scope("ns"), tf.init_scope():
            raise ValueError("within")

    return attempt(fail), tf.constant(1).name, tf.get_default_graph().get_name_scope()


# ---- creators of variables


def told(kwargs):
    """The arguments that a creator was given, without what is not comparable."""
    names = [
        "initial_value",
        "trainable",
        "collections",
        "validate_shape",
        "caching_device",
        "name",
        "dtype",
        "constraint",
        "use_resource",
        "shape",
    ]
    return {name: ("function" if callable(kwargs[name]) else kwargs[name]) for name in names}


@program()
def creators_see_everything(tf):
    seen = []

    def creator(next_creator, **kwargs):
        seen.append(told(kwargs))
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        made = [
            tf.Variable(1.0, name="v"),
            tf.get_variable("w", [2], initializer=tf.zeros_initializer()),
            tf.Variable(initial_value=[1, 2], trainable=False, collections=["c"], dtype=tf.int64),
        ]
        with tf.variable_scope("s", use_resource=True):
            made.append(tf.get_variable("r", [2], initializer=tf.zeros_initializer(), trainable=False))
        made.append(tf.get_variable("q", initializer=tf.constant(2.0)))
        made += list(
            tf.get_variable("p", [4], partitioner=tf.fixed_size_partitioner(2), initializer=tf.ones_initializer())
        )
    made.append(tf.Variable(2.0))
    return made, seen


@program()
def creators_nest(tf):
    order = []

    def outer(next_creator, **kwargs):
        order.append(("outer", kwargs["name"]))
        kwargs["trainable"] = False
        return next_creator(**kwargs)

    def inner(next_creator, **kwargs):
        order.append(("inner", kwargs["name"]))
        return next_creator(**dict(kwargs, name="renamed"))

    with tf.variable_creator_scope(outer):
        with tf.variable_creator_scope(inner):
            v = tf.Variable(1.0, name="v")
            w = tf.get_variable("w", [1], initializer=tf.zeros_initializer())
            with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                again = tf.get_variable("w", [1])
        x = tf.Variable(1.0, name="x")
    return v, w, again is w, x, order, tf.trainable_variables(), tf.global_variables()


@program()
def creator_without_next(tf):
    with tf.variable_creator_scope(lambda next_creator, **kwargs: 42):
        made = tf.Variable(1)
    return made, tf.global_variables(), attempt(lambda: tf.Variable())


@program()
def creator_that_makes_resources(tf):
    def creator(next_creator, **kwargs):
        kwargs["use_resource"] = True
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        v = tf.Variable(3.0, name="v")
    with tf.Session() as sess:
        sess.run(v.initializer)
        return v, v.op.type, sess.run(v)


# ---- partitioned variables, old spelling


@program(cases=[([4, 2], [2, 1]), ([5], [2]), ([2, 3], [1, 3]), ([3], [1])])
def create_partitioned_variables(tf, case):
    shape, slicing = case
    made = [
        tf.create_partitioned_variables(shape, slicing, tf.zeros_initializer()),
        tf.create_partitioned_variables(
            shape, slicing, tf.ones_initializer(), dtype=tf.int32, trainable=False, name="given", collections=["mine"]
        ),
    ]
    with tf.variable_scope("given", reuse=True):
        pass
    return made, tf.trainable_variables(), tf.get_collection("mine")


@program()
def create_partitioned_variables_of_a_value(tf):
    made = tf.create_partitioned_variables([5], [2], tf.constant([1.0, 2.0, 3.0, 4.0, 5.0]), name="value")
    again = tf.create_partitioned_variables([5], [2], tf.zeros_initializer(), name="value", reuse=True)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return made, [a is b for a, b in zip(made, again)], sess.run(made)


@program(cases=[([4, 2], [2]), ([4], [0]), ([4, 4], [2, 2]), ([], []), (4, [2])], messages=[])
def create_partitioned_variables_refuses(tf, case):
    return attempt(tf.create_partitioned_variables, *case, None)


@program()
def tables(tf):
    first = tf.tables_initializer()
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, tf.no_op("table"))
    return (
        first,
        tf.tables_initializer(),
        tf.tables_initializer(name="given"),
        tf.initializers.tables_initializer is tf.tables_initializer,
    )


# ---- partial runs


def three(tf):
    a, b, c = (tf.placeholder(tf.float32, [], name=name) for name in "abc")
    first = a + b
    return a, b, c, first, first * c


@program()
def partial_run(tf):
    a, b, c, first, second = three(tf)
    with tf.Session() as sess:
        handle = sess.partial_run_setup([first, second], [a, b, c])
        one = sess.partial_run(handle, first, feed_dict={a: 1, b: 2})
        two = sess.partial_run(handle, [second], {c: one * 17})
        other = sess.partial_run_setup({"x": first, "y": [second]}, [a, b, c])
        return (
            one,
            two,
            sess.partial_run(other, {"x": first, "z": (second, [])}, {a: 1, b: 2, c: 3}),
            sess.partial_run(None, first, {a: 4, b: 5}),
        )


@program()
def partial_runs_beside_each_other(tf):
    a, b, c, first, second = three(tf)
    with tf.Session() as sess:
        one, two = (sess.partial_run_setup([first, second], [a, b, c]) for _ in range(2))
        results = [sess.partial_run(one, first, {a: 1, b: 2}), sess.partial_run(two, first, {a: 10, b: 20})]
        return results, sess.partial_run(one, second, {c: 2}), sess.partial_run(two, second, {c: 2}), one != two


@program()
def partial_run_writes_once(tf):
    c = tf.placeholder(tf.float32, [])
    v = tf.Variable(0.0)
    added = tf.assign_add(v, 1.0)
    y = added + c
    with tf.control_dependencies([c]):
        later = tf.assign_add(v, 10.0).op
    with tf.control_dependencies([later]):
        z = tf.constant(1.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        handle = sess.partial_run_setup([added, z], [c])
        first = sess.partial_run(handle, added)
        between = sess.run(v)
        return first, between, sess.partial_run(handle, z, {c: 1.0}), sess.run(v), y


@program()
def partial_run_of_a_branch(tf):
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [])
    y = tf.cond(p, lambda: x + 1.0, lambda: x * 2.0)
    with tf.Session() as sess:
        handle = sess.partial_run_setup([y], [p, x])
        return sess.partial_run(handle, [], {p: False}), sess.partial_run(handle, y, {x: 5.0})


PARTIAL_ERRORS = {
    "twice fetched": lambda s, h, t: [s.partial_run(h, t[3], {t[0]: 1, t[1]: 2}), s.partial_run(h, t[3])],
    "twice fed": lambda s, h, t: [
        s.partial_run(h, t[3], {t[0]: 1, t[1]: 2}),
        s.partial_run(h, t[4], {t[0]: 1, t[2]: 2}),
    ],
    "not announced": lambda s, h, t: s.partial_run(h, t[3] + 1.0, {t[0]: 1, t[1]: 2}),
    "feed not announced": lambda s, h, t: s.partial_run(s.partial_run_setup([t[3]], [t[0], t[1]]), t[3], {t[2]: 1}),
    "no handle": lambda s, h, t: s.partial_run("handle", t[3], {t[0]: 1}),
    "over": lambda s, h, t: [s.partial_run(h, [t[3], t[4]], {t[0]: 1, t[1]: 2, t[2]: 3}), s.partial_run(h, t[3])],
    "nothing": lambda s, h, t: s.partial_run_setup([], [t[0]]),
    "operation": lambda s, h, t: s.partial_run(h, t[3].op),
    "shape": lambda s, h, t: s.partial_run(h, t[3], {t[0]: [1, 2]}),
    "no such fetch": lambda s, h, t: s.partial_run_setup(["nope:0"]),
}


@program(cases=PARTIAL_ERRORS, graph=False)
def partial_run_refuses(tf, case):
    made = three(tf)
    with tf.Session() as sess:
        return case(sess, sess.partial_run_setup([made[3], made[4]], made[:3]), made)


@program(graph=False, messages=["closed Session"])
def partial_run_of_a_closed_session(tf):
    a, b, _, first, _ = three(tf)
    sess = tf.Session()
    sess.close()
    return sess.partial_run_setup([first], [a, b])


# ---- nests

Point = collections.namedtuple("Point", "x y")
NESTS = {
    "list": [1, (2, [3]), {"b": 4, "a": Point(5, 6)}],
    "leaf": 3,
    "none": None,
    "empty": [],
    "text": "abc",
    "array": np.ones(2),
    "ordered": collections.OrderedDict([("b", 1), ("a", 2)]),
    "deep": [[[]], [((1,),)]],
    "point": Point([1], {}),
}


@program(cases=NESTS, graph=False)
def nest_flatten_and_pack(tf, case):
    flat = tf.nest.flatten(case)
    packed = attempt(tf.nest.pack_sequence_as, case, [10 * i for i in range(len(flat))])
    return (
        flat,
        packed,
        tf.nest.is_nested(case),
        tf.nest.map_structure(lambda leaf: (leaf, 1), case),
        tf.nest.assert_same_structure(case, case),
    )


@program(graph=False)
def nest_errors(tf):
    nest = tf.nest
    return (
        [
            attempt(nest.pack_sequence_as, 0, [1, 2]),
            attempt(nest.pack_sequence_as, [0, 0], [1]),
            attempt(nest.pack_sequence_as, [0], 5),
            attempt(nest.map_structure, 3, [1]),
            attempt(nest.map_structure, lambda x: x),
            attempt(nest.map_structure, lambda x, y: x, [1], (1,)),
            attempt(nest.map_structure, lambda x, y: x, [1], [1, 2]),
            attempt(nest.map_structure, lambda x, y: x, [1], [[1]]),
            attempt(nest.map_structure, lambda x: x, [1], foo=1),
            attempt(nest.map_structure, lambda x, y: x, {"a": 1}, {"b": 1}),
            attempt(nest.assert_same_structure, [1], 2),
            attempt(nest.assert_same_structure, [1], (2,)),
            attempt(nest.assert_same_structure, Point(1, 2), (1, 2)),
            attempt(nest.assert_same_structure, {"a": 1}, {"a": [1]}),
            attempt(nest.flatten, {1: 2, "a": 3}),
        ],
        nest.map_structure(lambda x, y: x + y, [1], (1,), check_types=False),
        nest.assert_same_structure({"a": 1}, collections.OrderedDict(a=1)),
        nest.assert_same_structure([1], (2,), check_types=False),
    )


@program()
def nest_of_composites(tf):
    sparse = tf.SparseTensor([[0]], [1.0], [2])
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    nest = tf.nest
    plain = nest.flatten([sparse, 1])
    parts = nest.flatten([sparse, (slices, 1)], expand_composites=True)
    mapped = nest.map_structure(lambda x: x * 2, [sparse.values, 3])
    packed = nest.pack_sequence_as(
        [sparse, 0], [sparse.indices, sparse.values * 3.0, sparse.dense_shape, "x"], expand_composites=True
    )
    return plain[0] is sparse, len(parts), mapped, packed[0].values, packed[1]


# ---- bytes, text, sizes, switches


@program(graph=False)
def compat(tf):
    c = tf.compat
    values = ["é", b"\xc3\xa9", b"a", "a", 1, None]
    return (
        [[attempt(f, value) for value in values] for f in (c.as_bytes, c.as_text, c.as_str, c.as_str_any)],
        c.as_bytes("é", "latin-1"),
        c.as_text(b"\xe9", encoding="latin-1"),
        c.path_to_str("a"),
        [
            isinstance(1.5, c.real_types),
            isinstance(np.int32(1), c.integral_types),
            isinstance(1j, c.complex_types),
            isinstance("a", c.bytes_or_text_types),
            isinstance(1.5, c.integral_types),
        ],
    )


@program(graph=False)
def dimension_functions(tf):
    shape = tf.placeholder(tf.float32, [None, 3]).shape
    return (
        [tf.dimension_value(shape[i]) for i in (0, 1)],
        tf.dimension_value(5),
        tf.dimension_value(None),
        tf.dimension_at_index(shape, 1),
        tf.dimension_at_index(tf.TensorShape(None), 2).value,
        tf.compat.dimension_value(shape[1]),
        tf.compat.dimension_at_index(shape, 0),
    )


@program(graph=False)
def switches(tf):
    off = [
        tf.disable_v2_behavior(),
        tf.disable_eager_execution(),
        tf.disable_v2_tensorshape(),
        tf.disable_control_flow_v2(),
        tf.disable_tensor_equality(),
        tf.disable_resource_variables(),
    ]
    return (
        off,
        tf.executing_eagerly(),
        tf.control_flow_v2_enabled(),
        tf.resource_variables_enabled(),
        tf.test.is_gpu_available(),
        tf.test.gpu_device_name(),
        tf.executing_eagerly_outside_functions(),
    )


@program(graph=False)
def error_names(tf):
    return (
        tf.OpError is tf.errors.OpError,
        issubclass(tf.errors.NotFoundError, tf.OpError),
        [tf.logging.DEBUG, tf.logging.INFO, tf.logging.WARN, tf.logging.ERROR, tf.logging.FATAL],
    )


@program(graph=False)
def dtypes_namespace(tf):
    names = (
        "float16 float32 float64 half double bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
        "bool string complex64 complex128 qint8 quint8 qint16 quint16 qint32 resource variant"
    )
    return [getattr(tf.dtypes, name) is getattr(tf, name) for name in names.split()], [
        callable(getattr(tf.dtypes, name)) for name in ("cast", "complex", "saturate_cast", "as_string", "as_dtype")
    ]
