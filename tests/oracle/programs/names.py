"""Node names: default names, uniquifying, name scopes and what is not a name."""

from __future__ import annotations

from tests.oracle import attempt, program


@program()
def default_names_count_up(tf):
    return [tf.constant(0.0).name for _ in range(4)] + [tf.no_op().name, tf.no_op().name]


@program()
def asked_names_are_made_unique(tf):
    return [tf.constant(1, name="c").op.name for _ in range(3)] + [tf.constant(1, name="c_1").op.name]


@program()
def a_name_taken_by_hand_is_skipped_by_the_counter(tf):
    tf.constant(1, name="c_2")
    return [tf.constant(1, name="c").op.name for _ in range(4)]


@program()
def uniquifying_ignores_case_and_keeps_spelling(tf):
    names = [tf.constant(1, name=n).op.name for n in ("Foo", "foo", "FOO", "foo_1", "fOO_2", "foo")]
    with tf.name_scope("fOo") as scope:
        names += [scope, tf.constant(1, name="x").op.name]
    return names


@program()
def an_op_and_a_scope_share_one_pool_of_names(tf):
    tf.constant(1, name="a")
    with tf.name_scope("a") as first:
        inner = tf.constant(1, name="a").name
    with tf.name_scope("b") as second:
        pass
    return first, inner, second, tf.constant(1, name="b").name, tf.constant(2, name="a_1").name


@program()
def nested_scopes_and_reopening_by_string_makes_a_new_scope(tf):
    seen = []
    for _ in range(2):
        with tf.name_scope("outer") as outer:
            seen.append(outer)
            for _ in range(2):
                with tf.name_scope("inner") as inner:
                    seen.append(inner)
                    seen.append(tf.constant(1).name)
    return seen


@program()
def a_scope_string_that_ends_with_a_slash_is_entered_again_as_it_is(tf):
    with tf.name_scope("a") as scope:
        tf.constant(1, name="x")
    with tf.name_scope("b"):
        with tf.name_scope(scope) as again:
            one = tf.constant(1, name="x").name
        with tf.name_scope("fresh/deep/") as deep:
            two = tf.constant(1, name="y").name
        three = tf.constant(1, name="z").name
    return again, one, deep, two, three


@program()
def an_op_name_that_ends_with_a_slash_is_taken_as_it_is(tf):
    with tf.name_scope("s"):
        first = tf.constant(1, name="other/place/")
    again = attempt(tf.constant, 1, name="other/place/")
    return first.name, again


@program(cases={"none": None, "empty": ""})
def a_name_scope_without_a_name_goes_to_the_root(tf, case):
    with tf.name_scope("a"):
        with tf.name_scope(case) as scope:
            x = tf.constant(1, name="x")
            with tf.name_scope("b") as inner:
                y = tf.constant(1, name="y")
        z = tf.constant(1, name="z")
    return scope, x.name, inner, y.name, z.name


@program()
def graph_name_scope_and_the_module_function_agree(tf):
    g = tf.get_default_graph()
    with g.name_scope("a") as one:
        with tf.name_scope("b") as two:
            with g.name_scope("a") as three:
                x = tf.constant(1)
    return one, two, three, x.name


@program()
def graph_name_scope_none_and_empty(tf):
    g = tf.get_default_graph()
    with g.name_scope("a"):
        with g.name_scope(None) as none:
            x = tf.constant(1, name="x")
        with g.name_scope("") as empty:
            y = tf.constant(1, name="y")
    return none, empty, x.name, y.name


@program()
def name_scope_takes_a_default_name_and_values(tf):
    x = tf.constant(1.0, name="x")
    with tf.name_scope(None, "fallback", [x]) as one:
        a = tf.identity(x).name
    with tf.name_scope("given", "fallback", [x]) as two:
        b = tf.identity(x).name
    with tf.name_scope(None, default_name="fallback") as three:
        c = tf.identity(x).name
    return one, a, two, b, three, c


@program()
def name_scope_without_name_or_default_but_with_values_fails(tf):
    def enter(*args, **kwargs):
        with tf.name_scope(*args, **kwargs) as scope:
            return scope

    x = tf.constant(1.0)
    return attempt(enter, None, None, [x]), attempt(enter, None, values=[x]), attempt(enter, 12), attempt(enter, b"s")


@program()
def name_scope_values_pick_their_graph(tf):
    other = tf.Graph()
    with other.as_default():
        x = tf.constant(1.0, name="x")
    with tf.name_scope("s", values=[x]) as scope:
        inside = tf.get_default_graph() is other
        tf.constant(2.0, name="y")
    return scope, inside, tf.get_default_graph() is other, other


@program()
def name_scope_values_of_two_graphs_fail(tf):
    other = tf.Graph()
    with other.as_default():
        x = tf.constant(1.0, name="x")
    y = tf.constant(1.0, name="y")

    def enter():
        with tf.name_scope("s", values=[x, y]):
            pass

    return attempt(enter)


@program()
def op_scope_takes_values_first(tf):
    x = tf.constant(1.0, name="x")
    with tf.op_scope([x], "given", "fallback") as one:
        tf.identity(x)
    with tf.op_scope([x], None, "fallback") as two:
        tf.identity(x)
    return one, two


@program()
def name_scope_object_can_be_asked_for_its_name(tf):
    scope = tf.name_scope("abc")
    with scope as entered:
        return scope.name, entered


@program(
    cases=[
        "1abc",
        "_a",
        "-a",
        "a b",
        "a\\b",
        "a$",
        "a/b",
        "a.b",
        "a-b",
        "a_b",
        ".a",
        "a>b",
        ">a",
        "a:0",
        "^a",
        "",
        "/a",
        "a//b",
        "é",
        "a\n",
        "9",
    ]
)
def which_op_names_are_allowed(tf, case):
    made = attempt(tf.constant, 1, name=case)
    return getattr(made, "name", made)


@program(
    cases=["1abc", "_a", "-a", "a b", "a$", "a/b", "a.b", ".a", "a>b", "a:0", "^a", "/", "/a", "a//b", "é", "9", "a\n"]
)
def which_scope_names_are_allowed(tf, case):
    def enter():
        with tf.name_scope(case) as scope:
            return scope, tf.constant(1, name="x").name

    return attempt(enter)


@program(cases=["_a", "-a", "/a", "9", "a b", "a$", ".a"])
def inside_a_scope_more_names_are_allowed(tf, case):
    def enter():
        with tf.name_scope("s"):
            with tf.name_scope(case) as scope:
                return scope, tf.constant(1, name=case).name

    return attempt(enter)


@program()
def the_name_scope_is_left_after_an_error(tf):
    def fails():
        with tf.name_scope("s"):
            tf.constant(1, name="x")
            raise KeyError("mine")

    caught = attempt(fails)
    return caught, tf.constant(1, name="y").name


@program()
def unique_name_of_the_graph(tf):
    g = tf.get_default_graph()
    seen = [g.unique_name("a"), g.unique_name("a"), g.unique_name("A"), g.unique_name("a", mark_as_used=False)]
    with tf.name_scope("s"):
        seen += [g.unique_name("a"), g.unique_name("a"), g.unique_name("b/c"), g.unique_name("b")]
    seen += [tf.constant(1, name="a").name, g.unique_name("s"), g.unique_name("")]
    return seen


@program()
def get_name_scope_of_the_graph(tf):
    g = tf.get_default_graph()
    seen = [g.get_name_scope()]
    with tf.name_scope("a"):
        seen.append(g.get_name_scope())
        with tf.name_scope("b"):
            seen.append(g.get_name_scope())
        with tf.name_scope("b"):
            seen.append(g.get_name_scope())
    return seen


@program()
def is_name_used_by_scopes_that_only_opened(tf):
    with tf.name_scope("a"):
        pass
    return tf.constant(1, name="a").name


@program()
def names_with_slashes_open_no_scope(tf):
    a = tf.constant(1, name="a/b/c").name
    with tf.name_scope("a") as scope:
        b = tf.constant(1, name="b").name
        c = tf.constant(1, name="b/c").name
    with tf.name_scope("a/b") as deep:
        d = tf.constant(1, name="c").name
    return a, scope, b, c, deep, d, tf.constant(1, name="a/b").name


@program()
def converted_arguments_are_named_after_the_op_and_the_argument(tf):
    x = tf.constant([1.0, 2.0], name="x")
    tf.add(x, 1.0)
    tf.add(1.0, x, name="sum")
    tf.multiply([1.0, 2.0], x)
    tf.matmul([[1.0, 2.0]], [[3.0], [4.0]], name="mm")
    tf.reshape(x, [2, 1], name="r")
    tf.reduce_sum(x, 0, name="s")
    tf.reduce_sum(x)
    tf.concat([x, [3.0]], 0, name="c")
    tf.stack([x, [3.0, 4.0]], name="p")
    tf.tile(x, [2])
    tf.fill([2], 1.0)
    tf.range(3)
    return tf.where([True, False], x, [0.0, 0.0])


@program()
def module_functions_open_scopes_or_not(tf):
    x = tf.constant([[1.0, 2.0]], name="x")
    tf.zeros([2])
    tf.ones([2, 2], name="o")
    tf.zeros_like(x)
    tf.ones_like(x)
    tf.cast(x, tf.int32)
    tf.cast(x, tf.float32)
    tf.identity(x)
    tf.stop_gradient(x)
    tf.nn.relu(x)
    tf.nn.softmax(x)
    tf.squeeze(x)
    tf.expand_dims(x, 0)
    tf.shape(x)
    tf.size(x)
    tf.rank(x)
    tf.transpose(x)
    tf.argmax(x, 1)
    return tf.group(x)


@program()
def group_names(tf):
    a = tf.no_op(name="a")
    b = tf.constant(1, name="b")
    return (
        tf.group(),
        tf.group(a),
        tf.group(a, b, name="both"),
        tf.group([a, [b]]),
        attempt(tf.group, a, 3),
        attempt(tf.group, [None]),
    )


@program()
def tuple_gates_its_tensors(tf):
    a = tf.constant(1.0, name="a")
    b = tf.constant(2.0, name="b")
    c = tf.no_op(name="c")
    one = tf.tuple([a, b])
    two = tf.tuple([a, None, b], name="named", control_inputs=[c])
    return one, two, attempt(tf.tuple, [None]), attempt(tf.tuple, [a], control_inputs=[3])


@program()
def identity_n_and_identity(tf):
    a = tf.constant(1.0)
    return tf.identity_n([a, [2, 3]], name="n"), tf.identity(5), tf.identity([1.0, 2.0], name="i")


@program()
def a_failed_op_uses_up_its_name_or_not(tf):
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.placeholder(tf.float32, [3], name="y")
    caught = attempt(tf.add, x, y, name="sum")
    return caught, tf.add(x, x, name="sum").name


@program()
def placeholders(tf):
    return [
        tf.placeholder(tf.float32),
        tf.placeholder(tf.int32, []),
        tf.placeholder("float32", [None, 3], name="named"),
        tf.placeholder(tf.string, shape=(2,)),
        tf.placeholder(tf.bool, tf.TensorShape([None])),
        tf.placeholder_with_default(1.0, []),
        tf.placeholder_with_default([1, 2], [None], name="d"),
        attempt(tf.placeholder, "nonsense"),
        attempt(tf.placeholder_with_default, [1, 2], [3]),
    ]


@program()
def long_names_and_many_scopes(tf):
    name = "n" * 300
    with tf.name_scope(name):
        with tf.name_scope(name):
            return tf.constant(1, name=name).name
