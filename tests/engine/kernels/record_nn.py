"""Record what TensorFlow computes for `nn_cases`: `python tests/engine/kernels/record_nn.py`, where TensorFlow is."""

from __future__ import annotations

import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import nn_cases  # noqa: E402


def main():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    facts = {}
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True  # it would replace what has constant inputs
    for case in nn_cases.CASES:
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            result = getattr(tf.raw_ops, case["op"])(**nn_cases.arrays(case), **case["attrs"])
            outputs = session.run(list(result) if isinstance(result, (list, tuple)) else [result])
            facts[nn_cases.label(case)] = [
                {"dtype": output.dtype.str[1:], "shape": list(output.shape), "values": rounded(output)}
                for output in outputs
            ]
    path = os.path.join(HERE, "nn_facts.json")
    with open(path, "w") as file:
        file.write(
            "{\n"
            + ",\n".join("{}: {}".format(json.dumps(k), json.dumps(v, separators=(",", ":"))) for k, v in facts.items())
            + "\n}\n"
        )
    print(f"{len(facts)} facts in {path}")


def rounded(array):
    """Flat values; floats with as many digits as their type has."""
    if array.dtype.kind != "f":
        return array.ravel().tolist()
    digits = {2: 5, 4: 8, 8: 12}[array.dtype.itemsize]
    return [float(f"{value:.{digits}g}") for value in array.astype(np.float64).ravel().tolist()]


if __name__ == "__main__":
    main()
