"""Record TensorFlow's random numbers: `python tests/engine/kernels/record_random.py` with a Python that has TensorFlow.

Writes random_facts.json. TensorFlow's threads are counted once a process, so each number of threads is recorded by
a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import random_cases


def build(tf, case):
    """The op of a case in the default graph."""
    graph_seed, op_seed = case.seeds
    tf.set_random_seed(graph_seed)
    shape = list(case.shape)
    if case.op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
        make = {"RandomUniform": tf.random_uniform, "RandomStandardNormal": tf.random_normal}
        made = make.get(case.op, tf.truncated_normal)(shape, dtype=case.dtype, seed=op_seed)
    elif case.op == "RandomUniformInt":
        low, high = case.arguments
        made = tf.random_uniform(shape, low, high, dtype=case.dtype, seed=op_seed)
    elif case.op == "RandomShuffle":
        made = tf.random_shuffle(tf.constant(random_cases.value_of(case)), seed=op_seed)
    elif case.op == "Multinomial":
        made = tf.multinomial(tf.constant(random_cases.value_of(case)), shape[0], seed=op_seed)
    elif case.op == "RandomGamma":
        made = tf.random_gamma(shape, random_cases.value_of(case), dtype=case.dtype, seed=op_seed)
    elif case.op == "ParameterizedTruncatedNormal":
        seed, seed2 = tf.get_seed(op_seed)
        names = ["means", "stdevs", "minvals", "maxvals"]
        parameters = {name: tf.constant(value) for name, value in zip(names, random_cases.value_of(case))}
        made = tf.raw_ops.ParameterizedTruncatedNormal(shape=shape, seed=seed, seed2=seed2, **parameters)
    else:
        made = tf.random_poisson(random_cases.value_of(case), shape, dtype=case.arguments[0], seed=op_seed)
    return next(op for op in made.graph.get_operations() if op.type == case.op)


def record(tf, threads):
    """The facts of the cases for this number of threads."""
    facts = {}
    for case in random_cases.cases():
        if case.threads != threads:
            continue
        with tf.Graph().as_default():
            op = build(tf, case)
            with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as sess:
                runs = [sess.run(op.outputs[0]) for _ in range(random_cases.RUNS)]
        facts[case.name] = {
            "seeds": [op.get_attr("seed"), op.get_attr("seed2")],
            "first": random_cases.first(runs[0]),
            "digest": [random_cases.digest(run) for run in runs],
        }
    return facts


def record_seeds(tf):
    """Seeds of four ops in a row, the second with a seed of its own, for many graph and op seeds."""
    table = []
    numbers = [None, 0, 1, 2, -1, -5, 2**31 - 2, 2**31 - 1, 2**31, 2**32, -(2**31), 2**63, -(2**63) - 1, 10**30]
    for graph_seed in numbers:
        for op_seed in numbers:
            with tf.Graph().as_default():
                tf.set_random_seed(graph_seed)
                made = [tf.get_seed(None), tf.get_seed(op_seed), tf.get_seed(None), tf.get_seed(None)]
            table.append([graph_seed, op_seed, [list(pair) for pair in made]])
    return table


def record_stateless(tf):
    """Digests of the ops with a seed tensor."""
    facts = {}
    for seed in ([0, 0], [1, 2], [-1, 5], [2**31 - 1, -(2**31)], [2**63 - 1, -(2**63)], [123456789012, 3]):
        made = [
            ("StatelessRandomUniform", tf.random.stateless_uniform([103], seed)),
            ("StatelessRandomNormal", tf.random.stateless_normal([103], seed)),
            ("StatelessTruncatedNormal", tf.random.stateless_truncated_normal([103], seed)),
            ("StatelessRandomUniformInt", tf.random.stateless_uniform([103], seed, -9, 1000, dtype=tf.int64)),
            ("StatelessRandomUniformFullInt", tf.random.stateless_uniform([103], seed, None, None, dtype=tf.uint64)),
            ("StatelessMultinomial", tf.random.stateless_multinomial([[0.0, 1.0, 2.0]] * 5, 20, seed)),
        ]
        with tf.Session() as sess:
            for op, tensor in made:
                value = sess.run(tensor)
                facts[f"{op} {seed[0]},{seed[1]}"] = [random_cases.digest(value), random_cases.first(value)]
    return facts


def main():
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    facts = {"c_library": random_cases.c_library(), "draws": record(tf, 1)}
    for threads in sorted({case.threads for case in random_cases.cases()} - {1}):
        made = subprocess.run(
            [sys.executable, os.path.abspath(__file__), "--threads", str(threads)], stdout=subprocess.PIPE, check=True
        )
        facts["draws"].update(json.loads(made.stdout.decode().splitlines()[-1]))
    facts["seeds"] = record_seeds(tf)
    facts["stateless"] = record_stateless(tf)
    compact = json.JSONEncoder(separators=(",", ":")).encode
    with open(random_cases.FACTS, "w") as file:
        blocks = []
        for key, item in facts.items():
            if isinstance(item, dict):
                rows = [f"{compact(name)}:{compact(fact)}" for name, fact in item.items()]
                blocks.append(f'"{key}":{{\n' + ",\n".join(rows) + "\n}")
            elif isinstance(item, list):
                blocks.append(f'"{key}":[\n' + ",\n".join(map(compact, item)) + "\n]")
            else:
                blocks.append(f'"{key}":{compact(item)}')
        file.write("{\n" + ",\n".join(blocks) + "\n}\n")
    print(f"{len(facts['draws'])} draws, {len(facts['seeds'])} pairs of seeds")


if __name__ == "__main__":
    if "--threads" in sys.argv:
        import tensorflow.compat.v1 as tensorflow

        tensorflow.disable_v2_behavior()
        print(json.dumps(record(tensorflow, int(sys.argv[2]))))
    else:
        main()
