"""The parsing ops that graphs of TensorFlow 1 hold give what the newer ones give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.opdef import lookup

F = tf.float32


def feature(**lists: Any) -> Any:
    kind, values = next(iter(lists.items()))
    message = {"f": tf.train.FloatList, "i": tf.train.Int64List, "b": tf.train.BytesList}[kind](value=values)
    return tf.train.Feature(**{{"f": "float_list", "i": "int64_list", "b": "bytes_list"}[kind]: message})


def example(**features: Any) -> bytes:
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def same(found: Any, wanted: Any) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(one, other)


DATA = [
    example(x=feature(f=[1, 2]), t=feature(b=[b"a", b"b"]), n=feature(i=[5])),
    example(x=feature(f=[3, 4]), t=feature(b=[])),
]
TYPES: dict[str, Any] = {"sparse_types": [tf.string], "Tdense": [F, tf.int64], "dense_shapes": [[2], []]}


def test_a_batch() -> None:
    defaults = [np.zeros(0, np.float32), np.int64(7)]
    with tf.Graph().as_default(), tf.Session() as session:
        old = lookup("ParseExample")(DATA, [], ["t"], ["x", "n"], defaults, Nsparse=1, Ndense=2, **TYPES)
        features = {
            "x": tf.FixedLenFeature([2], F), "n": tf.FixedLenFeature([], tf.int64, 7), "t": tf.VarLenFeature(tf.string)
        }  # fmt: skip
        new = tf.parse_example(DATA, features)
        found = session.run([*old[0], *old[1], *old[2], *old[3]])
        sparse = new["t"]
        same(found, session.run([sparse.indices, sparse.values, sparse.dense_shape, new["x"], new["n"]]))
        assert [str(tensor.shape) for tensor in old[3]] == ["(2, 2)", "(2,)"]


def test_one_example() -> None:
    defaults = [np.zeros(0, np.float32), np.int64(7)]
    with tf.Graph().as_default(), tf.Session() as session:
        for data in DATA:
            keys = {"num_sparse": 1, "sparse_keys": ["t"], "dense_keys": ["x", "n"]}
            old = lookup("ParseSingleExample")(data, defaults, **keys, **TYPES)
            features = {
                "x": tf.FixedLenFeature([2], F),
                "n": tf.FixedLenFeature([], tf.int64, 7),
                "t": tf.VarLenFeature(tf.string),
            }
            new = tf.parse_single_example(data, features)
            sparse = new["t"]
            found = session.run([*old[0], *old[1], *old[2], *old[3]])
            same(found, session.run([sparse.indices, sparse.values, sparse.dense_shape, new["x"], new["n"]]))


def test_one_sequence() -> None:
    lists = {
        "t": tf.train.FeatureList(feature=[feature(f=[1, 2]), feature(f=[3, 4])]),
        "u": tf.train.FeatureList(feature=[feature(i=[1]), feature(i=[]), feature(i=[2, 3])]),
    }
    data = tf.train.SequenceExample(
        context=tf.train.Features(feature={"c": feature(i=[4])}),
        feature_lists=tf.train.FeatureLists(feature_list=lists),
    ).SerializeToString()
    with tf.Graph().as_default(), tf.Session() as session:
        old = lookup("ParseSingleSequenceExample")(
            data, ["w"], ["d"], ["c"], ["u"], ["t", "w"], [np.zeros(0, np.int64)], "name",
            context_sparse_types=[tf.string], context_dense_shapes=[[]], feature_list_sparse_types=[tf.int64],
            feature_list_dense_types=[F, tf.string], feature_list_dense_shapes=[[2], []],
        )  # fmt: skip
        context, steps = tf.parse_single_sequence_example(
            data,
            {"c": tf.FixedLenFeature([], tf.int64), "d": tf.VarLenFeature(tf.string)},
            {
                "t": tf.FixedLenSequenceFeature([2], F),
                "u": tf.VarLenFeature(tf.int64),
                "w": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True),
            },
        )
        found = session.run([tensor for group in old for tensor in group])
        d, u = context["d"], steps["u"]
        wanted = [d.indices, d.values, d.dense_shape, context["c"], u.indices, u.values, u.dense_shape]
        same(found, session.run([*wanted, steps["t"], steps["w"]]))


def test_ragged_features_are_refused_by_name() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        outputs = lookup("ParseExampleV2")(
            [b""], [], [], [], ["r"], [], num_sparse=0, sparse_types=[], dense_shapes=[], ragged_value_types=[F],
            ragged_split_types=[tf.int64], Tdense=[],
        )  # fmt: skip
        with pytest.raises(tf.errors.UnimplementedError, match="no ragged tensors: use VarLenFeature"):
            session.run(outputs[4])


def test_a_default_of_another_size() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        default = tf.placeholder_with_default([1.0, 2.0, 3.0], None)
        x = tf.parse_example([b""], {"x": tf.FixedLenFeature([2], F, default)})["x"]
        with pytest.raises(tf.errors.InvalidArgumentError, match="default of feature x has 3 values"):
            session.run(x)
