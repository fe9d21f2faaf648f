"""From starting Python to the first result, and the memory of a small program."""

from __future__ import annotations

from benchmarks.case import ProcessCase, Suite

FIRST_RESULT = """
with tf.Session() as session:
    print(session.run(tf.constant(2.0) * 3.0))
"""

SMALL_PROGRAM = """
import numpy as np
x = tf.placeholder(tf.float32, [None, 64])
with tf.variable_scope("layer"):
    w = tf.get_variable("w", [64, 10], initializer=tf.random_normal_initializer())
    b = tf.get_variable("b", [10], initializer=tf.zeros_initializer())
y = tf.nn.relu(tf.matmul(x, w) + b)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(20):
        session.run(y, {x: np.ones((32, 64), np.float32)})
"""

SUITE = Suite(
    "Starting",
    [
        ProcessCase("import to first result, wall time", FIRST_RESULT, metric="wall", target=0.08),
        ProcessCase("import to first result, CPU time", FIRST_RESULT, metric="cpu", target=0.08),
        ProcessCase("small program, peak memory", SMALL_PROGRAM, metric="rss", target=0.15),
    ],
)
