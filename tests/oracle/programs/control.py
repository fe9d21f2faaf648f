"""Control dependencies and colocation: who waits for whom, and which edges are dropped."""

from __future__ import annotations

from tests.oracle import attempt, program


@program()
def ops_made_inside_wait(tf):
    a = tf.no_op(name="a")
    b = tf.constant(1.0, name="b")
    with tf.control_dependencies([a, b]):
        c = tf.constant(2.0, name="c")
        d = tf.no_op(name="d")
    e = tf.constant(3.0, name="e")
    return [op.name for op in c.op.control_inputs], [op.name for op in d.control_inputs], len(e.op.control_inputs)


@program()
def nesting_adds_up(tf):
    a, b, c = (tf.no_op(name=n) for n in "abc")
    with tf.control_dependencies([c, a]):
        with tf.control_dependencies([b]):
            x = tf.constant(1, name="x")
    return [op.name for op in x.op.control_inputs]


@program()
def none_clears_and_the_outer_block_comes_back(tf):
    a, b = (tf.no_op(name=n) for n in "ab")
    with tf.control_dependencies([a]):
        with tf.control_dependencies(None):
            tf.constant(1, name="free")
            with tf.control_dependencies([b]):
                tf.constant(1, name="only_b")
        tf.constant(1, name="only_a")
    return None


@program()
def none_also_leaves_the_name_scope_alone(tf):
    a = tf.no_op(name="a")
    with tf.name_scope("s"), tf.control_dependencies([a]):
        with tf.control_dependencies(None):
            return tf.constant(1, name="x").name


@program()
def an_empty_list_adds_nothing(tf):
    a = tf.no_op(name="a")
    with tf.control_dependencies([]):
        tf.constant(1, name="x")
        with tf.control_dependencies([a]):
            with tf.control_dependencies([]):
                return tf.constant(1, name="y").op.control_inputs


@program()
def edges_implied_by_an_input_made_in_the_block_are_dropped(tf):
    a = tf.no_op(name="a")
    x = tf.constant(1.0, name="x")
    with tf.control_dependencies([a]):
        y = tf.identity(x, name="y")
        tf.identity(y, name="z")
        tf.add(x, y, name="mixed")
        tf.add(x, x, name="outside")
        tf.multiply(x, 2.0, name="helper")
    return None


@program()
def edges_to_the_input_itself_are_dropped(tf):
    x = tf.constant(1.0, name="x")
    a = tf.no_op(name="a")
    with tf.control_dependencies([x]):
        tf.identity(x, name="y")
    with tf.control_dependencies([x, a]):
        tf.identity(x, name="z")
    return None


@program()
def implied_through_an_outer_block(tf):
    a, b = (tf.no_op(name=n) for n in "ab")
    x = tf.constant(1.0, name="x")
    with tf.control_dependencies([a]):
        y = tf.identity(x, name="y")
        with tf.control_dependencies([b]):
            tf.identity(y, name="z")
            with tf.control_dependencies([y]):
                tf.identity(x, name="w")
                tf.identity(y, name="v")
    return None


@program()
def the_same_dependency_twice_is_one_edge(tf):
    a = tf.no_op(name="a")
    x = tf.constant([1.0, 2.0], name="x")
    one, two = tf.split(x, 2, name="parts")
    with tf.control_dependencies([a, a, one, two, x]):
        with tf.control_dependencies([a]):
            return [op.name for op in tf.no_op(name="n").control_inputs]


@program()
def outputs_of_one_op_are_one_edge(tf):
    first, second = tf.split(tf.constant([1.0, 2.0]), 2, name="parts")
    with tf.control_dependencies([first, second]):
        tf.no_op(name="n")
    return first.name, second.name


@program()
def variables_as_dependencies(tf):
    v = tf.Variable(1.0, name="v")
    r = tf.get_variable("r", initializer=1.0, use_resource=True)
    with tf.control_dependencies([v]):
        tf.no_op(name="on_ref")
    with tf.control_dependencies([r]):
        tf.no_op(name="on_resource")
    with tf.control_dependencies([v.initializer, v.op]):
        return tf.no_op(name="on_init")


@program()
def indexed_slices_and_sparse_tensors_as_dependencies(tf):
    values = tf.constant([[1.0]], name="values")
    slices = tf.IndexedSlices(values, tf.constant([0], name="indices"), dense_shape=[3, 1])
    sparse = tf.SparseTensor([[0]], [1.0], [2])

    def wait(item):
        with tf.control_dependencies([item]):
            return tf.no_op(name="after").control_inputs

    return slices, attempt(wait, slices), attempt(wait, sparse)


@program()
def what_cannot_be_waited_for(tf):
    def wait(item):
        with tf.control_dependencies(item):
            pass

    other = tf.Graph()
    with other.as_default():
        foreign = tf.constant(1, name="foreign")
    return [attempt(wait, item) for item in ([3], ["a"], [None], [foreign], 5, tf.constant(1.0))]


@program()
def names_are_not_looked_up(tf):
    tf.no_op(name="a")

    def wait(item):
        with tf.control_dependencies([item]):
            return tf.no_op(name="n").control_inputs

    return attempt(wait, "a"), attempt(wait, "a:0")


@program()
def callables_are_not_called_in_graph_mode(tf):
    def wait():
        with tf.control_dependencies([lambda: tf.no_op(name="made")]):
            return tf.no_op(name="n")

    return attempt(wait)


@program()
def graph_method_control_dependencies(tf):
    g = tf.get_default_graph()
    a = tf.no_op(name="a")
    with g.control_dependencies([a]):
        with g.control_dependencies(None):
            tf.no_op(name="free")
        return tf.no_op(name="bound")


@program()
def variables_made_inside_are_lifted_out(tf):
    a = tf.no_op(name="a")
    x = tf.constant(2.0, name="x")
    with tf.control_dependencies([a]):
        tf.Variable(1.0, name="from_value")
        tf.Variable(lambda: x * 2.0, name="from_call")
        tf.get_variable("got", [2])
        tf.get_variable("resource", [2], use_resource=True)
        return tf.Variable(x, name="from_tensor")


@program()
def assigning_inside_waits(tf):
    a = tf.no_op(name="a")
    v = tf.Variable(1.0, name="v")
    with tf.control_dependencies([a]):
        v.assign(2.0)
        v.assign_add(1.0)
        tf.assign(v, [3.0], validate_shape=False)
        return v.read_value()


@program()
def y_is_x_makes_no_node(tf):
    x = tf.Variable(0.0, name="x")
    plus = tf.assign_add(x, 1, name="plus")
    with tf.control_dependencies([plus]):
        y = x
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return y is x, [sess.run(y) for _ in range(5)], [y.eval() for _ in range(2)]


@program()
def identity_runs_what_it_waits_for(tf):
    x = tf.Variable(0.0, name="x")
    plus = tf.assign_add(x, 1, name="plus")
    with tf.control_dependencies([plus]):
        y = tf.identity(x)
    with tf.Session() as sess:
        sess.run(tf.initialize_all_variables())
        return [y.eval() for _ in range(5)]


@program()
def multiplication_is_ordered_only_by_its_helper_constant(tf):
    v = tf.Variable(1.0, name="v")
    plus = v.assign_add(1.0, name="plus")
    with tf.control_dependencies([plus]):
        y = v * 2.0
    return y


@program()
def with_dependencies_through_group_and_tuple(tf):
    v = tf.Variable(1.0, name="v")
    inc = v.assign_add(1.0)
    dec = v.assign_sub(3.0)
    both = tf.group(inc, dec, name="both")
    with tf.control_dependencies([both]):
        seen = v.read_value()
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(both), sess.run(seen), sess.run(v)


@program()
def a_fed_tensor_does_not_stop_its_op_as_a_dependency(tf):
    v = tf.Variable(0.0, name="v")
    inc = v.assign_add(1.0)
    with tf.control_dependencies([inc]):
        y = tf.constant(5.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(y, {inc: 100.0}), sess.run(v), sess.run(inc, {inc: 7.0}), sess.run(v)


# ---- the order of a run


@program()
def a_chain_of_assigns_runs_in_the_order_asked(tf):
    v = tf.Variable(1.0, name="v")
    with tf.control_dependencies([v.assign(10.0)]):
        with tf.control_dependencies([v.assign_add(5.0)]):
            with tf.control_dependencies([v.assign_sub(3.0)]):
                out = v.read_value()
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(out)


@program()
def reads_through_identity_alias_the_reference_variable(tf):
    v = tf.Variable(1.0, name="v")
    before = tf.identity(v, name="before")
    with tf.control_dependencies([before]):
        after = v.assign(5.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        sess.run([before, after])
        return sess.run(v)


@program()
def add_n_and_accumulate(tf):
    x = tf.constant([1.0, 2.0], name="x")
    return (
        tf.add_n([x]),
        tf.add_n([x, x, x], name="three"),
        attempt(tf.add_n, []),
        attempt(tf.add_n, [x, tf.constant([1])]),
    )


# ---- colocation


@program()
def colocate_with_an_op(tf):
    a = tf.constant(1.0, name="a")
    with tf.colocate_with(a):
        b = tf.constant(2.0, name="b")
        with tf.colocate_with(b.op):
            c = tf.constant(3.0, name="c")
    d = tf.constant(4.0, name="d")
    return b.op.colocation_groups(), c.op.colocation_groups(), d.op.colocation_groups(), a.op.colocation_groups()


@program()
def colocate_with_ignore_existing(tf):
    a = tf.constant(1.0, name="a")
    b = tf.constant(1.0, name="b")
    with tf.colocate_with(a):
        with tf.colocate_with(b, ignore_existing=True):
            tf.constant(1.0, name="only_b")
        with tf.colocate_with(None, ignore_existing=True):
            tf.constant(1.0, name="free")
        with tf.colocate_with(b):
            tf.constant(1.0, name="both")
    return None


@program()
def colocate_with_a_variable(tf):
    v = tf.Variable(1.0, name="v")
    w = tf.get_variable("w", [], use_resource=True)
    with tf.colocate_with(v):
        tf.constant(1.0, name="with_v")
    with tf.colocate_with(v.op):
        tf.constant(1.0, name="with_v_op")
    with tf.colocate_with(w):
        tf.constant(1.0, name="with_w")
    return v.op.colocation_groups(), v.initializer.colocation_groups()


@program()
def colocate_takes_the_device_of_the_other(tf):
    with tf.device("/device:CPU:1"):
        a = tf.constant(1.0, name="a")
    with tf.device("/device:GPU:0"):
        with tf.colocate_with(a):
            b = tf.constant(1.0, name="b")
            with tf.device("/device:CPU:0"):
                c = tf.constant(1.0, name="c")
        d = tf.constant(1.0, name="d")
    return [x.device for x in (a, b, c, d)]


@program()
def colocation_conflicts(tf):
    with tf.device("/device:CPU:1"):
        a = tf.constant(1.0, name="a")
    with tf.device("/device:CPU:0"):
        b = tf.constant(1.0, name="b")

    def enter():
        with tf.colocate_with(a):
            with tf.colocate_with(b):
                return tf.constant(1.0, name="c").device

    return attempt(enter)


@program()
def colocation_with_strange_things(tf):
    def enter(item, **options):
        with tf.colocate_with(item, **options):
            return tf.constant(1.0, name="c")

    return [attempt(enter, item) for item in (None, 3, "a", [1.0])]


@program()
def colocation_and_name_scope_none(tf):
    a = tf.constant(1.0, name="a")
    with tf.colocate_with(a), tf.name_scope("s"):
        with tf.control_dependencies(None):
            return tf.constant(1.0, name="x").op.colocation_groups()
