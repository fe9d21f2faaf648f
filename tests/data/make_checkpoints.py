"""The files in `tests/data/checkpoints`, written by TensorFlow.

To make them again: `python tests/data/make_checkpoints.py` with a Python that has TensorFlow (extra `oracle`).
"""

from __future__ import annotations

import os

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checkpoints")

_TYPES = """float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128"""
#: type -> values of the variable `kinds/` and the type
KINDS = {kind: (np.arange(6).reshape(2, 3) % 2 * 5 - (kind[0] in "fic")).astype(kind) for kind in _TYPES.split()}
WORDS = [b"", b"one", "zwei é".encode(), b"\x00\xff" * 200]
PARTS = np.arange(24.0, dtype=np.float32).reshape(6, 4)


def build(tf, kinds):
    """Variables of every type, strings, one of no elements, a scalar, and one in three slices."""
    for kind in kinds:
        tf.Variable(KINDS[kind], name=f"kinds/{kind}")
    if kinds:
        tf.Variable(WORDS, name="words")
        tf.Variable(np.zeros([0, 3], np.float32), name="empty")
    tf.Variable(2.5, name="scalar")
    with tf.variable_scope("", partitioner=tf.fixed_size_partitioner(3)):
        tf.get_variable("parts", initializer=tf.constant(PARTS))
    with tf.device("/cpu:1"):
        tf.get_variable("second", [4], use_resource=True, initializer=tf.constant_initializer([4.0, 3.0, 2.0, 1.0]))


def main() -> None:
    import tensorflow

    tf = tensorflow.compat.v1
    tf.disable_v2_behavior()
    tf.disable_resource_variables()
    os.makedirs(FOLDER, exist_ok=True)
    os.chdir(FOLDER)
    config = tf.ConfigProto(device_count={"CPU": 2})
    in_v1 = [kind for kind in KINDS if kind not in ("uint32", "uint64")]
    for name, kinds, options in (
        ("mixed", list(KINDS), {}),
        ("sharded", [], {"sharded": True}),
        ("v1", in_v1, {"write_version": tf.train.SaverDef.V1}),
    ):
        with tf.Graph().as_default(), tf.Session(config=config) as sess:
            build(tf, kinds)
            sess.run(tf.global_variables_initializer())
            saver = tf.train.Saver(**options)
            saver.save(sess, name, write_meta_graph=name == "sharded", write_state=name == "mixed")


if __name__ == "__main__":
    main()
