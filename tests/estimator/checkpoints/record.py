"""Writes what TensorFlow 1.15 makes of a wide and deep model: a checkpoint, and what it says of it.

`python tests/estimator/checkpoints/record.py` with a Python that has TensorFlow 1.15.
"""

import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

from tests.oracle.programs.canned_programs import census_columns, people  # noqa: E402


def census(tf, folder):
    """A wide and deep model in this folder, and its input to train with and to evaluate with."""
    wide, deep = census_columns(tf)
    config = tf.estimator.RunConfig(folder, tf_random_seed=8)
    model = tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=[8, 4], config=config
    )
    give = tf.estimator.inputs.numpy_input_fn
    (train_x, train_y), (test_x, test_y) = people(64), people(32, 64)
    train = give(train_x, train_y, batch_size=16, num_epochs=None, shuffle=False)
    test = give(test_x, test_y, batch_size=16, num_epochs=1, shuffle=False)
    return model, train, test


def rounds(tf, folder):
    """What the model says of itself, before and after five more steps."""
    model, train, test = census(tf, folder)
    found = [model.evaluate(test)]
    model.train(train, steps=5)
    found.append(model.evaluate(test))
    return [{key: float(value) for key, value in sorted(each.items())} for each in found]


def main():
    import tensorflow as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    folder = os.path.join(tempfile.mkdtemp(), "census")
    model, train, _ = census(tf, folder)
    model.train(train, steps=15)
    for name in os.listdir(folder):
        if name.startswith("model.ckpt-15") and not name.endswith(".meta"):
            shutil.copy(os.path.join(folder, name), HERE)
    with open(os.path.join(HERE, "census.json"), "w") as file:
        json.dump(rounds(tf, folder), file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
