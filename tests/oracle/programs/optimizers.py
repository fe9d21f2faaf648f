"""Optimizers: the graph of a training step, slots, and what three steps make of the variables."""

import numpy as np

from tests.oracle import attempt, program


def makers(tf):
    t = tf.train
    return {
        "gradient_descent": lambda step: t.GradientDescentOptimizer(0.1),
        "momentum": lambda step: t.MomentumOptimizer(0.1, 0.9),
        "nesterov": lambda step: t.MomentumOptimizer(0.1, 0.9, use_nesterov=True, use_locking=True),
        "adagrad": lambda step: t.AdagradOptimizer(0.1),
        "adagrad_da": lambda step: t.AdagradDAOptimizer(0.1, step, l1_regularization_strength=0.01),
        "adadelta": lambda step: t.AdadeltaOptimizer(1.0, epsilon=1e-3),
        "adam": lambda step: t.AdamOptimizer(0.1),
        "rmsprop": lambda step: t.RMSPropOptimizer(0.1, momentum=0.5),
        "rmsprop_centered": lambda step: t.RMSPropOptimizer(0.1, centered=True),
        "ftrl": lambda step: t.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        "ftrl_shrinkage": lambda step: t.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.1),
        "ftrl_names": lambda step: t.FtrlOptimizer(0.1, accum_name="a", linear_name="l", beta=0.5),
        "proximal": lambda step: t.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02),
        "proximal_adagrad": lambda step: t.ProximalAdagradOptimizer(0.1, 0.1, 0.01, 0.02),
    }


NAMES = [
    "gradient_descent", "momentum", "nesterov", "adagrad", "adagrad_da", "adadelta", "adam", "rmsprop",
    "rmsprop_centered", "ftrl", "ftrl_shrinkage", "ftrl_names", "proximal", "proximal_adagrad",
]  # fmt: skip

V = np.array([[1.0, -2.0], [0.5, 0.1]], np.float32)
E = np.arange(8, dtype=np.float32).reshape(4, 2) / 4


def train(tf, case, resource, sparse, dtype=np.float32):
    v = tf.Variable(V.astype(dtype), name="v", use_resource=resource)
    variables = [v]
    loss = tf.reduce_sum(tf.square(v) * [[1.0, 2.0], [3.0, 4.0]])
    if sparse:
        e = tf.Variable(E.astype(dtype), name="e", use_resource=resource)
        variables.append(e)
        loss = loss + tf.reduce_sum(tf.square(tf.gather(e, [1, 2, 1])))
    step = tf.Variable(0, name="step", trainable=False, use_resource=resource, dtype=tf.int64)
    optimizer = makers(tf)[case](step)
    done = optimizer.minimize(loss, global_step=step)
    slots = [optimizer.get_slot(x, name) for x in variables for name in optimizer.get_slot_names()]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(done)
        return [
            optimizer.get_name(),
            optimizer.get_slot_names(),
            [slot.name for slot in slots],
            [x.name for x in optimizer.variables()],
            [x.name for x in tf.get_collection(tf.GraphKeys.TRAIN_OP)],
            [x.name for x in tf.trainable_variables()],
            sess.run(variables + slots + [step]),
        ]


@program(cases=NAMES, tol=1e-5)
def dense(tf, case):
    return train(tf, case, resource=False, sparse=False)


@program(cases=NAMES, tol=1e-5)
def sparse(tf, case):
    return train(tf, case, resource=False, sparse=True)


@program(cases=NAMES, tol=1e-5)
def resource(tf, case):
    return train(tf, case, resource=True, sparse=True)


@program(cases=["gradient_descent", "momentum", "adam"], tol=1e-10)
def double(tf, case):
    v = tf.Variable(V.astype(np.float64), name="v")
    done = makers(tf)[case](None).minimize(tf.reduce_sum(tf.square(v)))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(done)
        sess.run(done)
        return sess.run(v)


@program(cases=["adagrad", "rmsprop", "momentum"], tol=1e-5)
def unknown_shape(tf, case):
    v = tf.Variable(tf.placeholder_with_default(V, [None, 2]), name="v", validate_shape=False)
    done = makers(tf)[case](None).minimize(tf.reduce_sum(tf.square(v)))
    with tf.Session() as sess:
        sess.run(tf.variables_initializer([v]))
        return done.type


@program(tol=1e-6)
def learning_rates(tf):
    """A number, a tensor, a function."""
    v = tf.Variable([1.0, 2.0], name="v")
    w = tf.Variable([1.0, 2.0], dtype=tf.float64, name="w")
    rate = tf.placeholder(tf.float32, [])
    loss = tf.reduce_sum(v) + tf.cast(tf.reduce_sum(w), tf.float32)
    a = tf.train.GradientDescentOptimizer(rate).minimize(loss, name="fed")
    b = tf.train.MomentumOptimizer(lambda: 0.5, lambda: 0.25).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(a, {rate: 0.5})
        sess.run(b)
        return a.name, sess.run([v, w])


@program(tol=1e-6)
def scopes(tf):
    """Slots in variable scopes, and a second optimizer of the same kind."""
    with tf.variable_scope("model"):
        v = tf.get_variable("v", initializer=[1.0, 2.0])
    loss = tf.reduce_sum(tf.square(v))
    with tf.variable_scope("train"):
        tf.train.AdamOptimizer().minimize(loss)
    tf.train.AdamOptimizer(name="Other").minimize(loss)
    with tf.name_scope("ops"):
        tf.train.AdamOptimizer().minimize(loss)
    return [x.name for x in tf.global_variables()]


@program(cases=[0, 1, 2], tol=1e-6)
def gates(tf, case):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([3.0, 4.0], name="w")
    loss = tf.reduce_sum(v * w)
    pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(loss, gate_gradients=case)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run([grad for grad, _ in pairs]), [var.name for _, var in pairs]


@program(tol=1e-6)
def clipped(tf):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([3.0, 4.0], name="w")
    unused = tf.Variable(0.0, name="unused")
    opt = tf.train.GradientDescentOptimizer(0.1)
    pairs = opt.compute_gradients(tf.reduce_sum(v * w * 10.0), [v, w, unused], grad_loss=tf.constant(2.0))
    grads, norm = tf.clip_by_global_norm([grad for grad, _ in pairs], 1.0)
    done = opt.apply_gradients(zip(grads, [v, w, unused]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run([norm, done]), sess.run([v, w])


@program(tol=1e-6)
def colocated(tf):
    with tf.device("/cpu:0"):
        v = tf.Variable([1.0, 2.0], name="v")
    loss = tf.reduce_sum(tf.square(v))
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, colocate_gradients_with_ops=True)


@program(tol=1e-6)
def constraints(tf):
    v = tf.Variable([1.0, 2.0], name="v", constraint=lambda x: tf.clip_by_value(x, 0.0, 1.0))
    w = tf.Variable([1.0, 2.0], name="w", constraint=lambda x: x / tf.norm(x), use_resource=True)
    e = tf.Variable([[1.0], [2.0]], name="e", constraint=lambda x: x)
    opt = tf.train.GradientDescentOptimizer(0.1)
    done = opt.minimize(tf.reduce_sum(v) + tf.reduce_sum(w), var_list=[v, w])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(done)
        return sess.run([v, w]), attempt(opt.minimize, tf.reduce_sum(tf.gather(e, [0])), var_list=[e])


@program(tol=1e-6)
def partitioned(tf):
    v = tf.get_variable("v", [4, 2], partitioner=tf.fixed_size_partitioner(2), initializer=tf.ones_initializer())
    opt = tf.train.MomentumOptimizer(0.1, 0.9)
    done = opt.minimize(tf.reduce_sum(tf.square(tf.convert_to_tensor(v))))
    slots = [opt.get_slot(part, "momentum") for part in v]
    infos = [(s._save_slice_info.full_name, list(s._save_slice_info.var_offset)) for s in slots]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(done)
        return infos, sess.run(slots)


@program()
def failures(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    i = tf.Variable([1, 2], name="i")
    opt = tf.train.GradientDescentOptimizer(0.1)
    loss = tf.reduce_sum(v)
    return [
        attempt(tf.train.GradientDescentOptimizer, 0.1, name=""),
        attempt(opt.minimize, tf.constant(1.0)),
        attempt(opt.minimize, loss, var_list=[i]),
        attempt(opt.minimize, tf.reduce_sum(i)),
        attempt(opt.compute_gradients, loss, gate_gradients=7),
        attempt(opt.compute_gradients, loss, var_list=[]),
        attempt(opt.compute_gradients, loss, var_list=["v"]),
        attempt(opt.apply_gradients, []),
        attempt(opt.apply_gradients, [(None, v)]),
        attempt(opt.apply_gradients, [("a", v)]),
        attempt(opt.apply_gradients, [(tf.ones([2]), tf.ones([2]))]),
        attempt(opt.apply_gradients, [(tf.ones([3]), v)]),
        attempt(tf.train.AdagradOptimizer, 0.1, initial_accumulator_value=0.0),
        attempt(tf.train.FtrlOptimizer, 0.1, learning_rate_power=0.5),
        attempt(tf.train.FtrlOptimizer, 0.1, l1_regularization_strength=-1.0),
        attempt(tf.train.AdagradDAOptimizer, 0.1, None, initial_gradient_squared_accumulator_value=0.0),
    ]


@program(tol=1e-6)
def own_optimizer(tf):
    """A user's subclass: hooks by the names that TensorFlow calls them."""

    class Sign(tf.train.Optimizer):
        def __init__(self):
            super().__init__(False, "Sign")

        def _create_slots(self, var_list):
            for v in var_list:
                self._zeros_slot(v, "seen", self._name)
                self._get_or_make_slot(v, tf.ones_like(v.initialized_value()), "start", "first")

        def _prepare(self):
            self._rate = tf.convert_to_tensor(0.5, name="rate")

        def _apply_dense(self, grad, var):
            seen = self.get_slot(var, "seen").assign_add(tf.ones_like(grad))
            return tf.group(seen, var.assign_sub(self._rate * tf.sign(grad)))

        def _apply_sparse(self, grad, var):
            return var.scatter_sub(tf.IndexedSlices(tf.sign(grad.values), grad.indices))

    v, e = tf.Variable([1.0, 2.0], name="v"), tf.Variable([[1.0], [2.0]], name="e")
    opt = Sign()
    done = opt.minimize(tf.reduce_sum(tf.square(v)) + tf.reduce_sum(tf.gather(e, [1, 1])))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(done)
        return sess.run([v, e, opt.get_slot(v, "seen")]), [x.name for x in opt.variables()]
