"""tf.contrib.opt, as TensorFlow 1.15 has it: the nodes of the updates, and what they do."""

import os
import tempfile

import numpy as np

from tests.oracle import attempt, program

OPTIMIZERS = {
    "adamw": lambda tf, o: o.AdamWOptimizer(0.01, 0.1),
    "adamw_named": lambda tf, o: o.AdamWOptimizer(0.01, lambda: 0.1, name="mine"),
    "momentumw": lambda tf, o: o.MomentumWOptimizer(0.01, 0.1, 0.9, use_nesterov=True),
    "extended": lambda tf, o: o.extend_with_decoupled_weight_decay(tf.train.AdagradOptimizer)(
        weight_decay=0.1, learning_rate=0.5
    ),
    "lazy": lambda tf, o: o.LazyAdamOptimizer(0.1),
    "nadam": lambda tf, o: o.NadamOptimizer(0.1),
    "lars": lambda tf, o: o.LARSOptimizer(0.1, skip_list=["w"]),
    "lars_nesterov": lambda tf, o: o.LARSOptimizer(0.5, momentum=0.5, epsilon=0.1, use_nesterov=True),
}


def parts(tf, use_resource=False):
    v = tf.get_variable("v", [3, 2], initializer=tf.constant_initializer(np.arange(6.0) - 2), use_resource=use_resource)
    w = tf.get_variable("w", [2], initializer=tf.constant_initializer([1.0, -1.0]), use_resource=use_resource)
    dense = tf.constant([[0.5, -1.0], [0.0, 0.25], [2.0, 1.0]])
    rows = tf.IndexedSlices(
        tf.constant([[1.0, 2.0], [0.5, 0.5], [1.0, 0.0]]), tf.constant([0, 2, 0]), tf.constant([3, 2])
    )
    return v, w, dense, rows


def names(tf):
    """Unique values are found by other nodes since 1.15, resource variables are read by others."""
    hidden = ("Const", "StridedSlice", "Shape")
    return [op.name for op in tf.get_default_graph().get_operations() if op.type not in hidden]


@program(cases=sorted(OPTIMIZERS), oracle="1.15", tol=1e-5)
def dense(tf, case):
    v, w, grad, _ = parts(tf)
    optimizer = OPTIMIZERS[case](tf, tf.contrib.opt)
    train = optimizer.apply_gradients([(grad, v), (tf.constant([0.5, 0.5]), w)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
        return sess.run([v, w]), [one.name for one in optimizer.variables()]


@program(cases=sorted(OPTIMIZERS), oracle="1.15", graph=False, tol=1e-5)
def sparse(tf, case):
    v, w, _, rows = parts(tf)
    train = OPTIMIZERS[case](tf, tf.contrib.opt).apply_gradients([(rows, v)])
    made = names(tf)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
        return sess.run(v), made


@program(cases=sorted(OPTIMIZERS), oracle="1.15", graph=False, tol=1e-5)
def resources(tf, case):
    v, w, grad, rows = parts(tf, use_resource=True)
    pairs = [(grad, v), (tf.constant([0.5, 0.5]), w)] if "lars" in case else [(rows, v), (tf.constant([0.5, 0.5]), w)]
    train = OPTIMIZERS[case](tf, tf.contrib.opt).apply_gradients(pairs)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
        return sess.run([v, w])


@program(cases=["lars", "lars_nesterov"], oracle="1.15", graph=False, tol=1e-5)
def rows_of_a_resource(tf, case):
    v, _, _, rows = parts(tf, use_resource=True)
    train = OPTIMIZERS[case](tf, tf.contrib.opt).apply_gradients([(rows, v)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        sess.run(train)
        return sess.run(v)


@program(oracle="1.15", graph=False, tol=1e-5)
def decay_of_some(tf):
    v, w, grad, rows = parts(tf)
    optimizer = tf.contrib.opt.MomentumWOptimizer(0.5, 0.0, 0.9)
    train = optimizer.apply_gradients([(grad, v), (tf.constant([0.5, 0.5]), w)], decay_var_list=[w])
    other = tf.contrib.opt.AdamWOptimizer(0.25, 0.0)
    loss = tf.reduce_sum(tf.gather(v, [0])) + tf.reduce_sum(w)
    minimized = other.minimize(loss, decay_var_list=[v])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        first = sess.run([v, w])
        sess.run(minimized)
        return first, sess.run([v, w])


@program(oracle="1.15", graph=False, tol=1e-5)
def clipping(tf):
    v, w, grad, rows = parts(tf)
    optimizer = tf.contrib.opt.VariableClippingOptimizer(
        tf.train.MomentumOptimizer(0.5, 0.9), {v: [1]}, 0.5, colocate_clip_ops_with_vars=True
    )
    train = optimizer.apply_gradients([(grad, v), (tf.constant([0.5, 0.5]), w)], name="mine")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        return sess.run([v, w]), optimizer.get_slot_names(), optimizer.get_slot(v, "momentum").name


@program(oracle="1.15", graph=False, tol=1e-5)
def clipping_of_rows(tf):
    v, _, _, rows = parts(tf)
    clip = tf.contrib.opt.VariableClippingOptimizer
    one = clip(tf.train.GradientDescentOptimizer(0.5), {v: [1]}, 0.5).apply_gradients([(rows, v)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(one)
        found = [sess.run(v)]
        sess.run(clip(tf.train.GradientDescentOptimizer(0.0), {v: [0]}, 0.25).apply_gradients([(rows, v)]))
        return found, sess.run(v)


@program(oracle="1.15", graph=False, tol=1e-5)
def averages(tf):
    v, w, grad, _ = parts(tf)
    optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(1.0), average_decay=0.5)
    found = [attempt(optimizer.swapping_saver)]
    train = optimizer.apply_gradients([(grad, v), (None, w)])
    saver = optimizer.swapping_saver()
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        path = saver.save(sess, os.path.join(folder, "m"))
        found += [sess.run(tf.global_variables()), [variable.name for variable in tf.global_variables()]]
        found.append([(name, tf.train.load_variable(path, name)) for name, _ in tf.train.list_variables(path)])
        sess.run(v.initializer)
        saver.restore(sess, path)
        found.append(sess.run(v))
    found.append(attempt(lambda: optimizer.swapping_saver([v])))
    return found, train.name


@program(oracle="1.15", graph=False)
def refused(tf):
    lars = tf.contrib.opt.LARSOptimizer
    return [attempt(lambda: lars(0.1, momentum=-1.0)), attempt(lambda: lars(0.1, weight_decay=-1.0))]
