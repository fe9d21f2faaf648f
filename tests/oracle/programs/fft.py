"""Fourier transforms of complex numbers."""

import numpy as np

from tests.oracle import attempt, program

_X = np.random.RandomState(0).randn(2, 3, 4, 5)
_NAMES = ["fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d"]


@program(cases=_NAMES, tol=1e-5)
def transforms(tf, case):
    f = getattr(tf, case)
    x = tf.complex(tf.constant(_X, tf.float32), tf.constant(_X[::-1].copy(), tf.float32))
    fed = tf.placeholder(tf.complex64, name="fed")
    known = tf.placeholder(tf.complex128, [None, 2, 3, None], name="known")
    unknown, partly = f(fed, name="unknown"), f(known)
    with tf.Session() as sess:
        return (
            sess.run(f(x)),
            sess.run(f(tf.cast(x, tf.complex128))),
            sess.run(unknown, {fed: _X[0]}),
            attempt(sess.run, unknown, {fed: 1.0}),
            sess.run(f(tf.zeros([2, 0, 3, 2], tf.complex64))),
            sess.run(f([[[1 + 2j, 3.0, -1j]]])),
            partly,
        )


@program(cases=_NAMES)
def transforms_refuse(tf, case):
    f = getattr(tf, case)
    return [
        attempt(f, tf.constant([[[1.0, 2.0]]])),
        attempt(f, [[[1, 2]]]),
        attempt(f, tf.constant(1j)),
        attempt(f, tf.constant([1j])),
        attempt(f, tf.constant([[1j]])),
        attempt(f, [[[1.0]]]),
    ]


@program(tol=1e-5)
def transforms_undo_each_other(tf):
    """The spectrum's largest peak is the frequency that went in."""
    time = tf.cast(tf.range(16), tf.float32)
    signal = tf.cos(2 * np.pi * 3 * time / 16)
    spectrum = tf.fft(tf.cast(signal, tf.complex64))
    peak = tf.argmax(tf.abs(spectrum)[:8])
    with tf.Session() as sess:
        return sess.run([tf.real(tf.ifft(spectrum)), peak, tf.ifft2d(tf.fft2d(tf.ones([2, 3], tf.complex64)))])
