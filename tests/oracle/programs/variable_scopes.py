"""tf.variable_scope, every branch: names, reuse, captured scopes, inheritance, and the name scopes it opens."""

from __future__ import annotations

from tests.oracle import attempt, program


def get(tf, name, shape=(), **kwargs):
    kwargs.setdefault("initializer", tf.zeros_initializer())
    return tf.get_variable(name, list(shape), **kwargs)


def mode(tf, reuse):
    return "auto" if reuse is tf.AUTO_REUSE else reuse


def where(tf):
    """Where we are: variable scope, its name scope, and where an op would be."""
    scope = tf.get_variable_scope()
    return scope.name, scope.original_name_scope, tf.get_default_graph().get_name_scope(), mode(tf, scope.reuse)


@program()
def nested_names(tf):
    with tf.variable_scope("foo"):
        with tf.variable_scope("bar"):
            v = get(tf, "v", [1])
            x = tf.constant(1.0, name="x")
            here = where(tf)
    return v.name, x.name, here, where(tf)


@program()
def opening_the_same_scope_twice(tf):
    seen = []
    for i in range(3):
        with tf.variable_scope("foo"):
            seen.append((get(tf, f"v{i}").name, tf.constant(1.0, name="x").name, where(tf)))
    return seen


@program()
def a_name_scope_affects_ops_only(tf):
    with tf.variable_scope("foo"):
        with tf.name_scope("bar"):
            v = get(tf, "v", [1])
            x = 1.0 + v
            here = where(tf)
    return v.name, x.op.name, here


@program()
def a_variable_scope_inside_a_name_scope(tf):
    with tf.name_scope("ns"):
        with tf.variable_scope("vs"):
            v = get(tf, "v")
            w = tf.Variable(1.0, name="w")
            return v.name, w.name, tf.constant(1.0, name="x").name, where(tf)


@program()
def slashes_in_a_scope_name(tf):
    with tf.variable_scope("a/b"):
        one = (get(tf, "v").name, tf.constant(1.0, name="x").name)
        with tf.variable_scope("c/d"):
            two = (get(tf, "v").name, tf.constant(1.0, name="x").name, where(tf))
    return one, two


@program(cases=["", "a/", "/", "1", "_a", "a b", "a:0", "a.b", "é"])
def odd_scope_names(tf, case):
    def enter():
        with tf.variable_scope(case):
            return get(tf, "v").name, tf.constant(1.0, name="x").name, where(tf)

    return attempt(enter)


@program()
def what_a_scope_may_be(tf):
    def enter(*args, **kwargs):
        with tf.variable_scope(*args, **kwargs) as scope:
            return scope.name

    x = tf.constant(1.0)
    return (
        attempt(enter, None),
        attempt(enter),
        attempt(enter, 3),
        attempt(enter, None, "d"),
        attempt(enter, x),
        attempt(enter, None, "d", [x]),
        attempt(enter, b"s"),
        attempt(enter, tf.name_scope("n")),
        attempt(enter, None, reuse=True),
        attempt(enter, "s", reuse="yes"),
        attempt(enter, "s", reuse=3),
    )


# ---- reuse


@program()
def reuse_is_inherited_and_left(tf):
    seen = []
    with tf.variable_scope("root"):
        seen.append(tf.get_variable_scope().reuse)
        with tf.variable_scope("foo"):
            seen.append(tf.get_variable_scope().reuse)
        with tf.variable_scope("foo", reuse=True):
            seen.append(tf.get_variable_scope().reuse)
            with tf.variable_scope("bar"):
                seen.append(tf.get_variable_scope().reuse)
            with tf.variable_scope("bar", reuse=False):
                seen.append(tf.get_variable_scope().reuse)
            with tf.variable_scope("bar", reuse=tf.AUTO_REUSE):
                seen.append(mode(tf, tf.get_variable_scope().reuse))
        seen.append(tf.get_variable_scope().reuse)
    return seen


@program()
def auto_reuse_is_inherited_too(tf):
    seen = []
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE) as scope:
        seen.append(mode(tf, scope.reuse))
        for reuse in (None, False, True, tf.AUTO_REUSE):
            with tf.variable_scope("b", reuse=reuse) as inner:
                seen.append(mode(tf, inner.reuse))
    return seen


@program()
def auto_reuse_creates_then_shares(tf):
    def layer():
        with tf.variable_scope("layer", reuse=tf.AUTO_REUSE):
            return get(tf, "w", [2])

    a, b = layer(), layer()
    with tf.variable_scope("layer", reuse=True):
        c = get(tf, "w", [2])
    with tf.variable_scope("layer"):
        d = attempt(get, tf, "w", [2])
    return a.name, a is b, b is c, d


@program()
def reuse_variables_in_a_block(tf):
    with tf.variable_scope("foo") as scope:
        v = get(tf, "v", [1])
        before = scope.reuse
        scope.reuse_variables()
        v1 = get(tf, "v", [1])
        with tf.variable_scope("inner"):
            inner = tf.get_variable_scope().reuse
        after = (scope.reuse, tf.get_variable_scope().reuse)
    return v is v1, before, inner, after, tf.get_variable_scope().reuse, scope.reuse


@program()
def reuse_variables_of_the_root(tf):
    v = get(tf, "v")
    tf.get_variable_scope().reuse_variables()
    return get(tf, "v") is v, attempt(get, tf, "w"), tf.get_variable_scope().reuse


@program()
def a_reusing_scope_finds_only_what_is_there(tf):
    with tf.variable_scope("s"):
        get(tf, "v")
    with tf.variable_scope("s", reuse=True):
        return get(tf, "v").name, attempt(get, tf, "w"), attempt(get, tf, "v", [3])


@program()
def an_error_inside_leaves_the_scope(tf):
    def fails():
        with tf.variable_scope("s", reuse=True):
            raise KeyError("mine")

    return attempt(fails), where(tf)


@program()
def image_filter_twice_raises_then_shares(tf):
    def conv_relu(x, kernel_shape, bias_shape):
        weights = get(tf, "weights", kernel_shape)
        biases = get(tf, "biases", bias_shape)
        conv = tf.nn.conv2d(x, weights, strides=[1, 1, 1, 1], padding="SAME")
        return tf.nn.relu(conv + biases)

    def my_image_filter(images):
        with tf.variable_scope("conv1"):
            relu1 = conv_relu(images, [5, 5, 3, 4], [4])
        with tf.variable_scope("conv2"):
            return conv_relu(relu1, [5, 5, 4, 4], [4])

    image1 = tf.placeholder(tf.float32, [1, 8, 8, 3], name="image1")
    image2 = tf.placeholder(tf.float32, [1, 8, 8, 3], name="image2")
    with tf.variable_scope("image_filters") as scope:
        result1 = my_image_filter(image1)
        again = attempt(my_image_filter, image2)
        scope.reuse_variables()
        result2 = my_image_filter(image2)
    return result1.name, result2.name, again, [v.name for v in tf.global_variables()]


# ---- captured scopes


@program()
def a_captured_scope_can_be_opened_again(tf):
    with tf.variable_scope("foo") as foo:
        v = get(tf, "v", [1])
    with tf.variable_scope(foo):
        w = get(tf, "w", [1])
        x = tf.constant(1.0, name="x")
        here = where(tf)
    with tf.variable_scope(foo, reuse=True):
        v1, w1 = get(tf, "v", [1]), get(tf, "w", [1])
        y = tf.constant(1.0, name="x")
    return v1 is v, w1 is w, x.name, y.name, here


@program()
def a_captured_scope_jumps_out_of_the_current_prefix(tf):
    with tf.variable_scope("foo") as foo:
        pass
    with tf.variable_scope("bar"):
        with tf.variable_scope("baz") as other:
            with tf.variable_scope(foo) as foo2:
                return (
                    foo.name,
                    other.name,
                    foo2.name,
                    get(tf, "v").name,
                    tf.constant(1.0, name="x").name,
                    where(tf),
                    foo2 is foo,
                )


@program()
def a_captured_nested_scope(tf):
    with tf.variable_scope("outer"):
        with tf.variable_scope("a") as a:
            get(tf, "v")
            first = tf.constant(1.0, name="x").name
    with tf.variable_scope(a) as again:
        second = tf.constant(1.0, name="x").name
        here = where(tf)
        with tf.variable_scope("inner"):
            third = (get(tf, "v").name, tf.constant(1.0, name="x").name)
    with tf.variable_scope(a):
        fourth = tf.constant(1.0, name="x").name
    return first, second, here, third, fourth, again.name, again.original_name_scope


@program()
def a_captured_scope_without_its_auxiliary_name_scope(tf):
    with tf.variable_scope("outer"):
        with tf.variable_scope("a") as a:
            get(tf, "v")
    with tf.name_scope("ns"):
        with tf.variable_scope(a, auxiliary_name_scope=False) as bare:
            x = tf.constant(1.0, name="x").name
            v = get(tf, "w").name
            with tf.name_scope(bare.original_name_scope):
                y = tf.constant(1.0, name="y").name
    return x, v, y, bare.original_name_scope


@program()
def a_new_scope_without_its_auxiliary_name_scope(tf):
    with tf.variable_scope("a", auxiliary_name_scope=False):
        x = tf.constant(1.0, name="x").name
        v = get(tf, "v").name
        w = tf.Variable(1.0, name="w").name
        here = where(tf)
        with tf.variable_scope("b"):
            y = (get(tf, "v").name, tf.constant(1.0, name="y").name)

    def enter():
        with tf.variable_scope("z", auxiliary_name_scope=3):
            pass

    return x, v, w, here, y, attempt(enter)


@program()
def the_root_scope_captured_opens_no_name_scope(tf):
    root = tf.get_variable_scope()
    with tf.variable_scope("a"):
        with tf.variable_scope(root) as again:
            v = get(tf, "v")
            x = tf.constant(1.0, name="x")
            here = where(tf)
            with tf.variable_scope("b"):
                w = get(tf, "w")
                y = tf.constant(1.0, name="y")
    return v.name, x.name, here, w.name, y.name, again.name


@program()
def get_variable_scope_opened_again(tf):
    with tf.variable_scope("a"):
        with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE) as same:
            v = get(tf, "v")
            x = tf.constant(1.0, name="x")
            return v.name, x.name, mode(tf, same.reuse), same.name, where(tf)[:3]


@program()
def capturing_keeps_reuse_and_what_reuse_variables_did(tf):
    with tf.variable_scope("a") as a:
        get(tf, "v")
        a.reuse_variables()
    with tf.variable_scope(a) as again:
        one = again.reuse
    with tf.variable_scope("b", reuse=True) as b:
        pass
    with tf.variable_scope(b) as again:
        two = again.reuse
    with tf.variable_scope(b, reuse=False) as again:
        three = again.reuse
    with tf.variable_scope("c", reuse=True):
        with tf.variable_scope(a) as again:
            four = again.reuse
        with tf.variable_scope("d") as d:
            pass
    with tf.variable_scope(d) as again:
        five = again.reuse
    return one, two, three, four, five


@program()
def counters_of_a_captured_scope_start_again(tf):
    names = []
    with tf.variable_scope("a") as a:
        for _ in range(2):
            with tf.variable_scope(None, "layer"):
                names.append((get(tf, "v").name, tf.constant(1.0, name="x").name))
    for _ in range(2):
        with tf.variable_scope(a, reuse=True):
            for _ in range(2):
                with tf.variable_scope(None, "layer"):
                    names.append((get(tf, "v").name, tf.constant(1.0, name="x").name))
    return names


# ---- default names


@program()
def default_names_are_made_unique(tf):
    seen = []
    for _ in range(3):
        with tf.variable_scope(None, default_name="layer"):
            seen.append((get(tf, "v").name, tf.constant(1.0, name="x").name))
    with tf.variable_scope(None, "Layer"):
        seen.append((get(tf, "v").name, tf.constant(1.0, name="x").name))
    return seen


@program()
def a_default_name_is_not_used_when_a_scope_is_given(tf):
    with tf.variable_scope("given", default_name="layer"):
        return get(tf, "v").name, tf.constant(1.0, name="x").name


@program()
def a_default_name_gives_way_to_scopes_by_name(tf):
    with tf.variable_scope("layer"):
        one = get(tf, "v").name
    with tf.variable_scope(None, "layer"):
        two = get(tf, "v").name
    with tf.variable_scope("layer_1"):
        three = attempt(get, tf, "v")
    with tf.variable_scope(None, "layer"):
        four = get(tf, "v").name
    with tf.name_scope("layer"):
        pass
    with tf.variable_scope(None, "layer"):
        five = (get(tf, "v").name, tf.constant(1.0, name="x").name)
    return one, two, three, four, five


@program()
def reuse_with_a_default_name_fails(tf):
    def enter(reuse):
        with tf.variable_scope(None, "layer", reuse=reuse):
            return get(tf, "v").name

    return attempt(enter, True), attempt(enter, tf.AUTO_REUSE), attempt(enter, False)


@program()
def default_names_inside_a_reusing_scope(tf):
    def model():
        seen = []
        for _ in range(2):
            with tf.variable_scope(None, "layer"):
                seen.append(get(tf, "v"))
        return seen

    with tf.variable_scope("m"):
        one = model()
    with tf.variable_scope("m", reuse=True):
        two = model()
    return [v.name for v in one], [a is b for a, b in zip(one, two)]


@program()
def variable_op_scope_takes_values_first(tf):
    x = tf.constant(1.0, name="x")
    with tf.variable_op_scope([x], "given", "default"):
        one = get(tf, "v").name
    with tf.variable_op_scope([x], None, "default"):
        two = get(tf, "v").name
    return one, two


@program()
def values_pick_their_graph(tf):
    other = tf.Graph()
    with other.as_default():
        x = tf.constant(1.0, name="x")
    with tf.variable_scope("s", values=[x]):
        v = get(tf, "v")
    return v.graph is other


# ---- what a scope carries


@program()
def initializers_are_inherited_and_overridden(tf):
    seen = []
    with tf.variable_scope("foo", initializer=tf.constant_initializer(0.4)):
        seen.append(tf.get_variable("v", [1]))
        seen.append(tf.get_variable("w", [1], initializer=tf.constant_initializer(0.3)))
        with tf.variable_scope("bar"):
            seen.append(tf.get_variable("v", [1]))
        with tf.variable_scope("baz", initializer=tf.constant_initializer(0.2)):
            seen.append(tf.get_variable("v", [1]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [v.name for v in seen], sess.run(seen)


@program()
def a_value_as_the_default_initializer(tf):
    with tf.variable_scope("foo", initializer=tf.constant([1.0, 2.0])):
        v = attempt(tf.get_variable, "v")
        w = attempt(tf.get_variable, "w", [2])
    return v, w


@program()
def regularizers_are_inherited(tf):
    def penalty(label):
        return lambda v: tf.multiply(tf.reduce_sum(v), 1.0, name=label)

    with tf.variable_scope("a", regularizer=penalty("outer")):
        get(tf, "v", [2])
        with tf.variable_scope("b"):
            get(tf, "v", [2])
            get(tf, "w", [2], regularizer=penalty("mine"))
        with tf.variable_scope("c", regularizer=penalty("inner")):
            get(tf, "v", [2])
        with tf.variable_scope("d", regularizer=tf.no_regularizer):
            get(tf, "v", [2])
        tf.Variable(1.0, name="plain")
    with tf.variable_scope("a", reuse=True):
        tf.get_variable("v", [2])
    return tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)


@program()
def caching_devices_are_inherited(tf):
    with tf.variable_scope("a", caching_device="/cpu:1"):
        a = get(tf, "v")
        with tf.variable_scope("b"):
            b = get(tf, "v")
        with tf.variable_scope("c", caching_device="/cpu:2"):
            c = get(tf, "v")
        d = get(tf, "d", caching_device="/cpu:3")
    return [v.value().device for v in (a, b, c, d)]


@program()
def dtype_is_inherited(tf):
    with tf.variable_scope("a", dtype=tf.float64):
        a = tf.get_variable("v", [1], initializer=tf.zeros_initializer())
        with tf.variable_scope("b"):
            b = tf.get_variable("v", [1], initializer=tf.zeros_initializer())
            c = tf.get_variable("w", [1], tf.float16, initializer=tf.zeros_initializer())
    with tf.variable_scope("c", dtype=tf.int32):
        d = tf.get_variable("v", [1])
    return a.dtype, b.dtype, c.dtype, d.dtype, tf.get_variable_scope().dtype


@program()
def use_resource_is_inherited(tf):
    with tf.variable_scope("a", use_resource=True):
        a = get(tf, "v")
        with tf.variable_scope("b"):
            b = get(tf, "v")
        with tf.variable_scope("c", use_resource=False):
            c = get(tf, "v")
        d = tf.Variable(1.0, name="d")
        e = get(tf, "e", use_resource=False)
    return [v.op.type for v in (a, b, c, d, e)]


@program()
def constraints_are_inherited(tf):
    def one(x):
        return x

    with tf.variable_scope("a", constraint=one):
        a = get(tf, "v")
        with tf.variable_scope("b"):
            b = get(tf, "v")
        with tf.variable_scope("c", constraint=tf.nn.relu):
            c = get(tf, "v")
        d = get(tf, "d", constraint=tf.abs)
    return [a.constraint is one, b.constraint is one, c.constraint is tf.nn.relu, d.constraint is tf.abs]


@program()
def fields_of_a_scope(tf):
    with tf.variable_scope("a", initializer=tf.zeros_initializer(), dtype=tf.float64) as scope:
        pass
    root = tf.get_variable_scope()
    return {
        "a": [
            scope.name,
            scope.original_name_scope,
            scope.reuse,
            scope.dtype,
            scope.use_resource,
            scope.regularizer,
            scope.partitioner is None,
            scope.caching_device,
            scope.constraint,
            scope.custom_getter,
        ],
        "root": [root.name, root.original_name_scope, root.reuse, root.dtype, root.use_resource, root.initializer],
    }


@program()
def setters_of_a_scope(tf):
    with tf.variable_scope("a") as scope:
        scope.set_initializer(tf.ones_initializer())
        scope.set_dtype(tf.float64)
        scope.set_caching_device("/cpu:2")
        scope.set_use_resource(False)
        scope.set_regularizer(lambda v: tf.reduce_sum(v, name="reg"))
        v = tf.get_variable("v", [2])
        scope.set_partitioner(tf.fixed_size_partitioner(2))
        scope.set_custom_getter(lambda getter, name, *args, **kwargs: getter(name + "_got", *args, **kwargs))
        scope.set_dtype(tf.float32)
        w = tf.get_variable("w", [4])
    return v, w


@program()
def variables_of_a_scope(tf):
    with tf.variable_scope("a") as a:
        get(tf, "v")
        get(tf, "w", trainable=False)
        get(tf, "l", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    with tf.variable_scope("ab"):
        get(tf, "v")
    return (
        [v.name for v in a.global_variables()],
        [v.name for v in a.trainable_variables()],
        [v.name for v in a.local_variables()],
        a.get_collection("nothing"),
    )


@program()
def scopes_of_two_graphs_are_apart(tf):
    with tf.variable_scope("a"):
        with tf.Graph().as_default():
            here = where(tf)
            v = get(tf, "v").name
    return here, v


@program()
def ops_and_scopes_of_one_name(tf):
    with tf.variable_scope("a"):
        tf.constant(1.0, name="x")
    with tf.name_scope("a"):
        x = tf.constant(1.0, name="x").name
    with tf.variable_scope("a"):
        y = tf.constant(1.0, name="x").name
        v = get(tf, "v").name
    return x, y, v


@program()
def uniquifying_scopes_ignores_case(tf):
    names = []
    for scope in ("Conv", "conv", "CONV"):
        with tf.variable_scope(scope):
            names.append((get(tf, "v").name, tf.constant(1.0, name="x").name))
    return names


@program()
def the_with_statement_can_be_written_twice(tf):
    scope = tf.variable_scope("a")
    with scope as first:
        get(tf, "v")
    with scope as second:
        w = get(tf, "w")
    return first.name, second.name, w.name, tf.get_default_graph().get_name_scope()


@program()
def no_variable_but_a_tensor_under_the_name(tf):
    with tf.variable_scope("s"):
        tf.constant(1.0, name="v")
        v = get(tf, "v")
    return v.name, v.op.name, v.value().name


@program()
def control_dependencies_around_get_variable(tf):
    with tf.control_dependencies([tf.no_op(name="a")]):
        with tf.variable_scope("s"):
            get(tf, "v", [2])
            x = tf.constant(1.0, name="x")
    return [op.name for op in x.op.control_inputs]
