"""Programs that were written to find what is wrong with branches, loops and gradients: what they found, and larger ones
of the kinds that people write."""

from __future__ import annotations

import collections

import numpy as np

from tests.oracle import attempt, program

NT = collections.namedtuple("NT", "x y")
SPECIAL = np.array([0.0, -0.0, 1.0, -2.0, 0.5, np.nan, np.inf, -np.inf], "f")


def init(tf, sess):
    sess.run(tf.global_variables_initializer())


# -- what was found -----------------------------------------------------------------------------------------------


@program(cases=["SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"], tol=1e-5)
def slopes_where_nothing_comes_in(tf, case):
    """0, even where the slope is infinite or no number"""
    y, dy = [part.ravel() for part in np.meshgrid(SPECIAL, SPECIAL)]
    out = []
    for dtype in ("float32", "float64", "float16"):
        a, b = tf.placeholder(dtype, [None]), tf.placeholder(dtype, [None])
        slope = getattr(tf.raw_ops, case)(y=a, dy=b)
        out.append(tf.Session().run(slope, {a: y.astype(dtype), b: dy.astype(dtype)}))
    return out


@program(tol=1e-5)
def the_other_side_of_where(tf):
    x = tf.placeholder_with_default(np.array([0.5, -0.3, 0.0], "f"), [3])
    ys = [tf.where(x > 0, f(x), x) for f in (tf.sqrt, tf.rsqrt, tf.reciprocal)]
    with tf.Session() as sess:
        return sess.run([tf.gradients(y, x)[0] for y in ys])


def look(tf, v, i):
    return tf.gather(v, i)


def pick(tf, v, i):
    return tf.gather_nd(v, i[:, None])


PLACES = ["cond", "loop", "cond_in_loop", "loop_in_cond", "nested_loops", "map_fn"]
ROWS = {f.__name__ + "-" + place: (f, place) for f in (look, pick) for place in PLACES}


@program(cases=ROWS, tol=1e-5)
def rows_of_resource_variables(tf, case):
    """a vector, so that a row has no size of its own"""
    f, place = case
    v = tf.get_variable("v", [5], initializer=tf.constant_initializer(np.arange(5) / 7.0), use_resource=True)
    ids = tf.placeholder(tf.int32, [None], name="ids")
    p = tf.placeholder(tf.bool, [], name="p")

    def found(i):
        return tf.reduce_sum(tf.square(f(tf, v, i)))

    def repeat(body, start):
        return tf.while_loop(lambda i, a: i < tf.size(ids), lambda i, a: (i + 1, body(i, a)), [0, start])[1]

    if place == "cond":
        y = tf.cond(p, lambda: found(ids), lambda: tf.constant(0.5))
    elif place == "loop":
        y = repeat(lambda i, a: a * 0.5 + found(ids[i : i + 1]), 0.0)
    elif place == "cond_in_loop":
        y = repeat(lambda i, a: tf.cond(tf.logical_and(p, i > 0), lambda: a + found(ids), lambda: a * 1.5), 0.1)
    elif place == "loop_in_cond":
        y = tf.cond(p, lambda: repeat(lambda i, a: a * 0.5 + found(ids[: i + 1]), 0.0), lambda: tf.constant(0.0))
    elif place == "nested_loops":
        y = repeat(lambda i, a: repeat(lambda j, b: b * 0.7 + found(ids[i : j + 1]), a), 0.2)
    else:
        y = tf.reduce_sum(tf.map_fn(lambda i: found(i[None]), ids, dtype=tf.float32))
    slope = tf.gradients(y, v)
    with tf.Session() as sess:
        init(tf, sess)
        return [
            sess.run([y, slope], {ids: i, p: taken}) for i, taken in (([0, 3, 3], True), ([1], False), ([2, 1], True))
        ]


@program(tol=1e-5)
def rows_of_a_resource_variable_in_two_branches_in_a_loop(tf):
    v = tf.get_variable("v", [2, 3], initializer=tf.constant_initializer(np.arange(6) / 7.0), use_resource=True)
    m = tf.placeholder(tf.float32, [None, 3])
    p = tf.placeholder(tf.bool, [])

    def f(row):
        i = tf.cast(tf.greater(row, 0.0), tf.int32)
        inner = lambda: tf.cond(row[0] > 0, lambda: tf.reduce_sum(tf.gather(v, i), 0) * 2.0, lambda: row)
        return tf.cond(p, inner, lambda: row + 1.0)

    g = tf.gradients(tf.map_fn(f, m), v)[0]
    with tf.Session() as sess:
        init(tf, sess)
        return [sess.run(g, {m: [[1.0, -1.0, 2.0], [-1.0, 2.0, 3.0]], p: taken}) for taken in (True, False)]


@program(tol=1e-5)
def results_of_a_loop_to_which_no_x_leads(tf):
    x, start, n = tf.constant(2.0, name="x"), tf.constant(1.0, name="s"), tf.constant(3.0, name="n")
    i, y = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1.0, a * x + i), [0.0, start])
    out = [tf.gradients(y, [x, start, n]), tf.gradients(i, [x, n]), tf.gradients([i, y], [start, x])]
    with tf.Session() as sess:
        return out, sess.run([out[0][:2], out[2]])


@program()
def what_gradients_look_at_cannot_be_fed(tf):
    p, x = tf.placeholder(tf.bool, []), tf.ones([2, 2])
    c = tf.cond(p, lambda: tf.concat([x, x], 0), lambda: x)
    r = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * tf.reduce_sum(tf.concat([x, x], 0))), [0, 1.0])[1]
    graph = tf.get_default_graph()
    before = [op.name for op in graph.get_operations() if op.outputs and not graph.is_feedable(op.outputs[0])]
    tf.gradients([c, r], x)
    return before, [op.name for op in graph.get_operations() if op.outputs and not graph.is_feedable(op.outputs[0])]


@program(graph=False)
def endless_loops_end_in_time(tf):
    endless = tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [1])
    short, long = tf.RunOptions(timeout_in_ms=100), tf.RunOptions(timeout_in_ms=60000)
    with tf.Session() as sess:
        out = [
            attempt(sess.run, endless, options=short),
            sess.run(tf.constant(1)),
            sess.run(tf.constant(2), options=long),
        ]
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=100)) as sess:
        return out, attempt(sess.run, endless), sess.run(tf.constant(3))


@program()
def cases_without_pairs(tf):
    return attempt(tf.case, []), attempt(tf.case, [], default=lambda: tf.constant(1)), attempt(tf.case, {})


# -- larger ones ----------------------------------------------------------------------------------------------------


@program(tol=1e-4)
def rnn_tensor_array_adam(tf):
    rng = np.random.RandomState(0)
    x = tf.placeholder(tf.float32, [None, 6, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 6, 1], name="y")
    batch = tf.shape(x)[0]
    with tf.variable_scope("rnn"):
        w = tf.get_variable("w", [3, 4], initializer=tf.constant_initializer(0.1))
        u = tf.get_variable("u", [4, 4], initializer=tf.constant_initializer(np.eye(4, dtype=np.float32) * 0.5))
        b = tf.get_variable("b", [4], initializer=tf.zeros_initializer())
        v = tf.get_variable("v", [4, 1], initializer=tf.constant_initializer(0.3))
    xs = tf.TensorArray(tf.float32, size=6, name="xs").unstack(tf.transpose(x, [1, 0, 2]))
    outs = tf.TensorArray(tf.float32, size=6, name="outs")
    h0 = tf.zeros(tf.stack([batch, 4]))

    def body(t, h, outs):
        h = tf.tanh(tf.matmul(xs.read(t), w) + tf.matmul(h, u) + b)
        return t + 1, h, outs.write(t, h)

    _, h, outs = tf.while_loop(
        lambda t, *_: t < 6,
        body,
        (0, h0, outs),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 4]), tf.TensorShape(None)),
    )
    hs = tf.transpose(outs.stack(), [1, 0, 2])
    hs.set_shape([None, 6, 4])
    pred = tf.reshape(tf.matmul(tf.reshape(hs, [-1, 4]), v), [-1, 6, 1])
    loss = tf.reduce_mean(tf.square(pred - y))
    opt = tf.train.AdamOptimizer(0.05)
    gv = opt.compute_gradients(loss)
    g, norm = tf.clip_by_global_norm([g for g, _ in gv], 1.0)
    step = tf.train.get_or_create_global_step()
    train = opt.apply_gradients(zip(g, [v for _, v in gv]), global_step=step)
    X = rng.randn(5, 6, 3).astype("f")
    Y = X.sum(2, keepdims=True)
    with tf.Session() as sess:
        init(tf, sess)
        losses = [sess.run([loss, norm, train], {x: X, y: Y})[:2] for _ in range(5)]
        return losses, sess.run([w, u, b, v, step]), sess.run(h, {x: X[:2]})


@program(tol=1e-4)
def batch_norm_cond_moving(tf):
    rng = np.random.RandomState(1)
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    training = tf.placeholder(tf.bool, [], name="training")

    def bn(x, scope):
        with tf.variable_scope(scope):
            beta = tf.Variable(tf.constant(0.0, shape=[4]), name="beta", trainable=True)
            gamma = tf.Variable(tf.constant(1.0, shape=[4]), name="gamma", trainable=True)
            mean, var = tf.nn.moments(x, [0], name="moments")
            ema = tf.train.ExponentialMovingAverage(decay=0.5)

            def update():
                op = ema.apply([mean, var])
                with tf.control_dependencies([op]):
                    return tf.identity(mean), tf.identity(var)

            m, v = tf.cond(training, update, lambda: (ema.average(mean), ema.average(var)))
            return tf.nn.batch_normalization(x, m, v, beta, gamma, 1e-3)

    h = tf.nn.relu(bn(x, "bn1"))
    h = bn(
        tf.matmul(
            h, tf.get_variable("w", [4, 4], initializer=tf.constant_initializer(np.arange(16).reshape(4, 4) / 10.0))
        ),
        "bn2",
    )
    loss = tf.reduce_sum(h**2 * [1.0, 2.0, 3.0, 4.0])
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    with tf.Session() as sess:
        init(tf, sess)
        res = []
        for _ in range(3):
            X = rng.randn(6, 4).astype("f")
            res.append(sess.run([loss, train], {x: X, training: True})[0])
            res.append(sess.run([loss, h], {x: X, training: False}))
        return res, [v.name for v in tf.global_variables()], sess.run(tf.global_variables())


@program(tol=1e-5)
def nested_conds_with_assigns(tf):
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(10.0, name="w")
    a = tf.placeholder(tf.bool, name="a")
    b = tf.placeholder(tf.bool, name="b")

    def inner_t():
        return tf.cond(b, lambda: v.assign_add(1.0), lambda: w.assign_sub(2.0))

    def inner_f():
        with tf.control_dependencies([v.assign(v * 2.0)]):
            return tf.cond(b, lambda: tf.identity(w) + 1.0, lambda: v + w)

    r = tf.cond(a, inner_t, inner_f)
    n = tf.cond(a, lambda: tf.group(v.assign(0.0), w.assign(0.0)), tf.no_op)
    with tf.Session() as sess:
        init(tf, sess)
        out = []
        for fa in (True, False):
            for fb in (True, False):
                out.append(sess.run(r, {a: fa, b: fb}))
                out.append(sess.run([v, w]))
        out.append(sess.run(n, {a: True}))
        out.append(sess.run([v, w]))
        out.append(sess.run(n, {a: False}))
        return out


@program(tol=1e-5)
def beam_search(tf):
    rng = np.random.RandomState(5)
    V, K, T = 5, 3, 4
    trans = tf.constant(rng.randn(V, V).astype("f"))
    lp = tf.nn.log_softmax(trans)
    ids = tf.fill([1, K], 0)
    seqs = tf.zeros([K, 1], tf.int32)
    scores = tf.constant([0.0] + [-1e9] * (K - 1))

    def cond(t, seqs, scores, done):
        return tf.logical_and(t < T, tf.logical_not(tf.reduce_all(done)))

    def body(t, seqs, scores, done):
        last = seqs[:, -1]
        step = tf.gather(lp, last)
        step = tf.where(done, tf.fill([K, V], -1e8), step)
        total = tf.expand_dims(scores, 1) + step
        top, idx = tf.nn.top_k(tf.reshape(total, [-1]), K)
        beam = idx // V
        tok = tf.mod(idx, V)
        seqs = tf.concat([tf.gather(seqs, beam), tok[:, None]], 1)
        done = tf.logical_or(tf.gather(done, beam), tf.equal(tok, 4))
        return t + 1, seqs, top, done

    out = tf.while_loop(
        cond,
        body,
        [tf.constant(0), seqs, scores, tf.zeros([K], tf.bool)],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([K, None]), tf.TensorShape([K]), tf.TensorShape([K])],
        back_prop=False,
        parallel_iterations=4,
        name="beam",
    )
    with tf.Session() as sess:
        return sess.run(out)


@program(tol=1e-4)
def dynamic_shapes_growing_grad(tf):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    n = tf.placeholder(tf.int32, [], name="n")
    w = tf.Variable([[1.0, 0.5], [0.2, -1.0]], name="w")

    def body(i, acc, last):
        new = tf.tanh(tf.matmul(last, w))
        return i + 1, tf.concat([acc, new], 0), new

    _, acc, last = tf.while_loop(
        lambda i, a, last: i < n,
        body,
        [0, x, x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2]), x.shape],
    )
    loss = tf.reduce_sum(acc**2) + tf.reduce_max(last)
    g = tf.gradients(loss, [x, w])
    X = np.array([[1, 2], [3, 4.0], [0.1, -0.1]])
    with tf.Session() as sess:
        init(tf, sess)
        return [sess.run([acc, loss, g], {x: X[:k], n: m}) for k, m in ((3, 2), (1, 0), (2, 4), (0, 2))]


@program(tol=1e-4)
def nested_structures_loop(tf):
    s = {"a": NT(tf.constant(1.0), [tf.constant([1.0, 2.0]), (tf.constant(3),)]), "b": tf.constant(True)}

    def cond(i, s):
        return tf.logical_and(i < 5, s["b"])

    def body(i, s):
        a = s["a"]
        return i + 1, {"a": NT(a.x + a.y[0][0], [a.y[0] * 2.0, (a.y[1][0] - 1,)]), "b": a.x < 20.0}

    i, r = tf.while_loop(cond, body, (tf.constant(0), s))
    g = tf.gradients(r["a"].x, [s["a"].x, s["a"].y[0]])
    with tf.Session() as sess:
        return sess.run([i, r, g])


@program(tol=1e-4)
def optimizer_in_cond(tf):
    w = tf.Variable(3.0, name="w")
    step = tf.Variable(0, trainable=False, name="step", dtype=tf.int64)
    loss = w * w
    opt = tf.train.MomentumOptimizer(0.1, 0.5)
    gv = opt.compute_gradients(loss)

    def do():
        with tf.control_dependencies([opt.apply_gradients(gv, global_step=step)]):
            return tf.constant(True)

    t = tf.cond(tf.equal(step % 2, 0), do, lambda: tf.group(step.assign_add(1)) and tf.constant(False))
    t2 = tf.cond(step < 3, lambda: opt.apply_gradients(gv, global_step=step), lambda: tf.no_op())
    with tf.Session() as sess:
        init(tf, sess)
        return (
            [[sess.run(t), sess.run([w, step])] for _ in range(3)],
            [[sess.run(t2), sess.run([w, step])] for _ in range(3)],
            [v.name for v in tf.global_variables()],
        )


@program(tol=1e-4)
def odeint_rk4(tf):
    p = tf.Variable([1.5, 1.0, 3.0, 1.0], name="p")

    def f(s):
        return tf.stack([p[0] * s[0] - p[1] * s[0] * s[1], -p[2] * s[1] + p[3] * s[0] * s[1]])

    dt = 0.05

    def body(i, s, ta):
        k1 = f(s)
        k2 = f(s + dt / 2 * k1)
        k3 = f(s + dt / 2 * k2)
        k4 = f(s + dt * k3)
        s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return i + 1, s, ta.write(i, s)

    ta = tf.TensorArray(tf.float32, 20)
    _, s, ta = tf.while_loop(lambda i, *a: i < 20, body, [0, tf.constant([1.0, 1.0]), ta])
    g = tf.gradients(tf.reduce_sum(ta.stack() ** 2), p)
    with tf.Session() as sess:
        init(tf, sess)
        return sess.run([s, g])


@program(tol=1e-4)
def maml_inner(tf):
    w = tf.Variable([[0.5], [0.3]], name="w")
    x = tf.placeholder(tf.float32, [None, None, 2])
    y = tf.placeholder(tf.float32, [None, None, 1])

    def task(xy):
        a, b = xy
        fast = w
        for _ in range(2):
            loss = tf.reduce_mean((tf.matmul(a, fast) - b) ** 2)
            fast = fast - 0.1 * tf.gradients(loss, fast)[0]
        return tf.reduce_mean((tf.matmul(a, fast) - b) ** 2)

    ls = tf.map_fn(task, (x, y), dtype=tf.float32)
    g = attempt(tf.gradients, tf.reduce_mean(ls), w)
    with tf.Session() as sess:
        init(tf, sess)
        f = {x: np.arange(12).reshape(2, 3, 2) / 10.0, y: np.ones((2, 3, 1))}
        return attempt(sess.run, ls, f), g if hasattr(g, "error") else sess.run(g, f)


@program(tol=1e-4)
def ctc_like_forward(tf):
    """forward algorithm in log space"""
    lp = tf.placeholder(tf.float32, [None, 3], name="lp")
    trans = tf.Variable(np.log([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]).astype("f"), name="trans")
    alpha = tf.foldl(lambda a, e: tf.reduce_logsumexp(a[:, None] + trans, 0) + e, lp[1:], initializer=lp[0])
    z = tf.reduce_logsumexp(alpha)
    post = tf.gradients(z, lp)[0]
    gt = tf.gradients(z, trans)[0]

    def vit(a, e):
        s = a[0][:, None] + trans
        return tf.reduce_max(s, 0) + e, tf.argmax(s, 0, output_type=tf.int32)

    best, ptr = tf.scan(vit, lp[1:], initializer=(lp[0], tf.zeros([3], tf.int32)))
    n = tf.shape(ptr)[0]
    last = tf.argmax(best[-1], output_type=tf.int32)
    path = tf.scan(lambda s, p: p[s], tf.reverse(ptr, [0]), initializer=last)
    with tf.Session() as sess:
        init(tf, sess)
        return sess.run([z, post, gt, path, n], {lp: np.log(np.random.RandomState(0).dirichlet([1, 1, 1], 5))})
