"""Example and SequenceExample messages parsed by a run, tensors in strings."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def floats(tf, *values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def ints(tf, *values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def texts(tf, *values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def example(tf, **features):
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString(deterministic=True)


def sequence(tf, context, lists):
    steps = {key: tf.train.FeatureList(feature=value) for key, value in lists.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context), feature_lists=tf.train.FeatureLists(feature_list=steps)
    ).SerializeToString(deterministic=True)


def run(tf, fetches):
    with tf.Session() as sess:
        return sess.run(fetches)


def batch(tf):
    return [
        example(
            tf, x=floats(tf, 1, 2), n=ints(tf, 3), t=texts(tf, b"a", b"b"), ix=ints(tf, 3, 1), v=floats(tf, 0.5, 0.25)
        ),
        example(tf, x=floats(tf, 3, 4), many=ints(tf, *range(-3, 300, 7))),
        example(
            tf, x=floats(tf, 5, 6), n=ints(tf, -(2 ** 62)), t=texts(tf), many=ints(tf, 1), ix=ints(tf, 0),
            v=floats(tf, 9),
        ),
    ]  # fmt: skip


@program()
def several_kinds(tf):
    features = {
        "x": tf.FixedLenFeature([2], tf.float32),
        "n": tf.FixedLenFeature([], tf.int64, default_value=7),
        "t": tf.VarLenFeature(tf.string),
        "many": tf.VarLenFeature(tf.int64),
        "none": tf.VarLenFeature(tf.float32),
        "row": tf.FixedLenFeature((1, 2), tf.string, [["p", "q"]]),
    }
    return run(tf, tf.parse_example(batch(tf), features))


@program()
def padded(tf):
    features = {
        "x": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
        "many": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-9),
        "a b/c%": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True, default_value="q"),
        "t": tf.FixedLenSequenceFeature([1], tf.string, allow_missing=True),
    }
    return run(tf, tf.parse_example(batch(tf), features))


@program()
def sparse_features(tf):
    features = {
        "s": tf.SparseFeature("ix", "v", tf.float32, 5),
        "sorted": tf.SparseFeature("ix", "v", tf.float32, 6, already_sorted=True),
        "two": tf.SparseFeature(["ix", "ix"], "v", tf.float32, [5, 4]),
        "ix": tf.VarLenFeature(tf.int64),
    }
    found = tf.parse_example(batch(tf), features)
    return {key: (value if key == "sorted" else run(tf, value)) for key, value in found.items()}


@program()
def sparse_feature_of_one(tf):
    found = tf.parse_single_example(batch(tf)[0], {"s": tf.SparseFeature("ix", "v", tf.float32, 5)})
    return found


@program()
def lengths_that_differ(tf):
    data = example(tf, ix=ints(tf, 3, 1), v=floats(tf, 0.5))
    return attempt(run, tf, tf.parse_example([data], {"s": tf.SparseFeature("ix", "v", tf.float32, 5)}))


@program()
def names_and_defaults(tf):
    features = {
        "x": tf.FixedLenFeature([2], tf.float32, tf.constant([1.0, 2.0])),
        "y": tf.FixedLenFeature(2, "int64", [1, 2]),
        "z": tf.FixedLenFeature([2], tf.float32, np.array([3, 4])),
    }
    with tf.name_scope("scope"):
        found = tf.parse_example(tf.constant([b"", b""]), features, name="N", example_names=["one", "two"])
    return run(tf, found)


@program()
def shapes(tf):
    features = {
        "x": tf.FixedLenFeature([2], tf.float32),
        "v": tf.VarLenFeature(tf.int64),
        "q": tf.FixedLenSequenceFeature([3], tf.int64, allow_missing=True),
    }
    rank = tf.placeholder(tf.string)
    vector = tf.placeholder(tf.string, [None])
    one = tf.placeholder(tf.string, [])
    return [
        tf.parse_example(rank, features), tf.parse_example(vector, features), tf.parse_example(one, features),
        tf.parse_single_example(one, features), tf.parse_single_example(rank, features),
        attempt(tf.parse_single_example, vector, features), attempt(tf.parse_example, [["a"]], features),
    ]  # fmt: skip


@program()
def one_example(tf):
    features = {
        "x": tf.FixedLenFeature([2], tf.float32),
        "t": tf.VarLenFeature(tf.string),
        "d": tf.FixedLenFeature([], tf.string, "dd"),
        "many": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    }
    serialized = tf.placeholder(tf.string)
    found = tf.parse_single_example(serialized, features)
    named = tf.parse_single_example(batch(tf)[0], {"x": features["x"]}, name="ps", example_names="nm")
    with tf.Session() as sess:
        values = [sess.run(found, {serialized: data}) for data in batch(tf)]
        return values, run(tf, named), attempt(sess.run, found, {serialized: batch(tf)})


@program()
def an_empty_batch(tf):
    features = {"x": tf.FixedLenFeature([2], tf.float32), "v": tf.VarLenFeature(tf.string)}
    features["q"] = tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)
    return run(tf, tf.parse_example(tf.constant([], tf.string), features))


CASES = {
    "missing": (dict(), "FixedLen", "float32", [2]),
    "another type": (dict(x=[1, 2]), "FixedLen", "float32", [2]),
    "another type, any number": (dict(x=[1, 2]), "VarLen", "float32", None),
    "too many": (dict(x=[1.0, 2.0, 3.0]), "FixedLen", "float32", [2]),
    "none": (dict(x=[]), "FixedLen", "float32", [2]),
    "no whole rows": (dict(x=[1.0, 2.0, 3.0]), "Sequence", "float32", [2]),
}


def feature_of(tf, kind, dtype, shape):
    if kind == "VarLen":
        return tf.VarLenFeature(dtype)
    if kind == "Sequence":
        return tf.FixedLenSequenceFeature(shape, dtype, allow_missing=True)
    return tf.FixedLenFeature(shape, dtype)


@program(cases=CASES)
def refused(tf, case):
    values, kind, dtype, shape = case
    kinds = {
        key: (ints if value and isinstance(value[0], int) else floats)(tf, *value) for key, value in values.items()
    }
    data = example(tf, **kinds)
    feature = {"x": feature_of(tf, kind, tf.as_dtype(dtype), shape)}
    good = example(tf, x=floats(tf, 1, 2))
    return [
        attempt(run, tf, tf.parse_example([good, data], feature)),
        attempt(run, tf, tf.parse_example([good, data], feature, example_names=["first", "second"])),
        attempt(run, tf, tf.parse_single_example(data, feature)),
    ]


@program(messages=["Name: second, Feature: x (data type: float) is required but could not be found."])
def the_name_of_an_example(tf):
    feature = {"x": tf.FixedLenFeature([2], tf.float32)}
    return run(tf, tf.parse_example([example(tf, x=floats(tf, 1, 2)), b""], feature, example_names=["first", "second"]))


@program(messages=["Expected names have the same shape as serialized"])
def too_many_names(tf):
    feature = {"x": tf.VarLenFeature(tf.float32)}
    return run(tf, tf.parse_example([b""], feature, example_names=["first", "second"]))


@program()
def no_message(tf):
    serialized = tf.placeholder(tf.string)
    found = tf.parse_example(serialized, {"x": tf.VarLenFeature(tf.float32)})
    with tf.Session() as sess:
        return [attempt(sess.run, found, {serialized: [data]}) for data in [b"\x0a\x03\x0a\x04a"]]


@program()
def messages_of_unusual_form(tf):
    """Values that are not packed, features that come twice, a feature without values, fields that nobody knows."""
    serialized = tf.placeholder(tf.string)
    found = tf.parse_example(serialized, {"x": tf.VarLenFeature(tf.float32), "n": tf.VarLenFeature(tf.int64)})
    twice = example(tf, x=floats(tf, 1)) + example(tf, x=floats(tf, 2, 3))
    single = b"\n\x0e\n\x0c\n\x01x\x12\x07\x12\x05\r\x00\x00\x80?" + b"\n\x0b\n\x09\n\x01n\x12\x04\x1a\x02\x08\x07"
    unset = example(tf, x=tf.train.Feature(), n=ints(tf))
    unknown = b"\x1a\x02hi" + example(tf, n=ints(tf, 5))
    with tf.Session() as sess:
        return [attempt(sess.run, found, {serialized: [data]}) for data in (twice, single, unset, unknown)]


@program()
def features_that_are_wrong(tf):
    F, V, S = tf.FixedLenFeature, tf.VarLenFeature, tf.SparseFeature
    wrong = [
        {}, None, {"x": 3}, {"x": F([None], tf.float32)}, {"x": F([2, None], tf.float32)}, {"x": F([2], tf.int32)},
        {"x": F([2], None)}, {"x": F(None, tf.int64)}, {"x": F([2], tf.float32, [1.0, 2.0, 3.0])}, {"x": V(tf.int32)},
        {"q": tf.FixedLenSequenceFeature([], tf.int64)}, {"s": S("i", "v", tf.float32, 4), "v": V(tf.int64)},
        {"i": F([], tf.int64), "s": S("i", "v", tf.float32, 4)}, {"s": S("i", "v", tf.float32, None)}, {1: V(tf.int64)},
        {"s": S("", "v", tf.float32, 4)}, {"s": S("i", None, tf.float32, 4)},
    ]  # fmt: skip
    return [attempt(tf.parse_example, ["a"], features) for features in wrong]


@program()
def feature_classes(tf):
    found = [
        tf.FixedLenFeature([2], tf.int64), tf.VarLenFeature(tf.string), tf.SparseFeature("i", "v", tf.int64, 3),
        tf.FixedLenSequenceFeature([2], tf.int64),
    ]  # fmt: skip
    return [[str(one) for one in found], [list(one._fields) for one in found]]


# ---- sequences


@program()
def sequences(tf):
    context = {"c": tf.FixedLenFeature([], tf.int64), "d": tf.VarLenFeature(tf.string)}
    context["e"] = tf.FixedLenFeature([2], tf.float32, [8.0, 9.0])
    lists = {"t": tf.FixedLenSequenceFeature([2], tf.float32), "u": tf.VarLenFeature(tf.int64)}
    lists["w"] = tf.FixedLenSequenceFeature([], tf.string, allow_missing=True)
    first = sequence(
        tf,
        {"c": ints(tf, 4)},
        {"t": [floats(tf, 1, 2), floats(tf, 3, 4)], "u": [ints(tf, 1), ints(tf), ints(tf, 2, 3)]},
    )
    second = sequence(tf, {"c": ints(tf, 5), "d": texts(tf, b"x")}, {"t": [floats(tf, 5, 6)], "w": [texts(tf, b"w")]})
    one = tf.parse_single_sequence_example(first, context, lists, example_name="foo")
    named = tf.parse_single_sequence_example(second, context, lists, name="NM")
    both = tf.io.parse_sequence_example([first, second], context, lists, name="both")
    return run(tf, [one, named, both])


@program()
def sequence_shapes(tf):
    context = {"c": tf.FixedLenFeature([3], tf.int64), "d": tf.VarLenFeature(tf.string)}
    lists = {"t": tf.FixedLenSequenceFeature([2], tf.float32), "u": tf.VarLenFeature(tf.int64)}
    rank = tf.placeholder(tf.string)
    return [
        tf.parse_single_sequence_example(rank, context, lists),
        tf.io.parse_sequence_example(rank, context, lists),
        tf.io.parse_sequence_example(tf.placeholder(tf.string, [None]), None, lists),
        attempt(tf.parse_single_sequence_example, ["a"], context),
    ]


@program()
def sequences_that_are_refused(tf):
    lists = {"t": tf.FixedLenSequenceFeature([2], tf.float32)}
    data = [
        sequence(tf, {}, {}),
        sequence(tf, {}, {"t": [floats(tf, 1, 2), ints(tf, 3, 4)]}),
        sequence(tf, {}, {"t": [floats(tf, 1, 2), floats(tf, 3)]}),
        sequence(tf, {}, {"t": [floats(tf, 1, 2), tf.train.Feature()]}),
    ]
    found = [attempt(run, tf, tf.parse_single_sequence_example(one, None, lists, example_name="foo")) for one in data]
    context = {"c": tf.FixedLenFeature([], tf.int64)}
    for one in (sequence(tf, {}, {}), sequence(tf, {"c": floats(tf, 1)}, {})):
        found.append(attempt(run, tf, tf.parse_single_sequence_example(one, context)))
    return found


@program()
def sequence_features_that_are_wrong(tf):
    parse, Q = tf.parse_single_sequence_example, tf.FixedLenSequenceFeature
    return [
        attempt(parse, "a"),
        attempt(parse, "a", None, {"x": Q([], tf.int64, default_value=3)}),
        attempt(parse, "a", {"x": Q([], tf.int64)}, {}),
        attempt(parse, "a", {}, {"x": tf.FixedLenFeature([], tf.int64)}),
        attempt(parse, "a", {"s": tf.SparseFeature("i", "v", tf.int64, 4)}, {}),
    ]


# ---- tensors


TENSORS = {
    "ints": [[1, 2], [3, 4]],
    "floats": [1.5, 2.5],
    "scalar": 3.0,
    "strings": [[b"a", b""]],
    "booleans": [True],
    "half": np.float16(2),
    "complex": [1 + 2j],
    "empty": np.zeros([0, 2], np.int64),
}


@program(cases=TENSORS)
def tensors_in_strings(tf, case):
    tensor = tf.constant(case)
    serialized = tf.serialize_tensor(tensor, name="s")
    return run(tf, [serialized, tf.parse_tensor(serialized, tensor.dtype)])


@program()
def no_tensor(tf):
    unknown = tf.placeholder_with_default(["a"], None)
    return [
        attempt(run, tf, tf.parse_tensor(tf.serialize_tensor([1]), tf.float32)),
        attempt(run, tf, tf.parse_tensor("zzz", tf.float32)),
        attempt(run, tf, tf.parse_tensor("", tf.float32)),
        attempt(run, tf, tf.parse_tensor(unknown, tf.float32)),
        attempt(tf.parse_tensor, ["a"], tf.float32),
        tf.parse_tensor("a", tf.int32, name="named"),
    ]


@program()
def examples_in_json(tf):
    good = ['{"features":{"feature":{"x":{"floatList":{"value":[1.5]}}}}}', "{}"]
    found = tf.decode_json_example(good)
    parsed = tf.parse_example(found, {"x": tf.VarLenFeature(tf.float32)})
    return run(tf, [parsed]), attempt(run, tf, tf.decode_json_example('{"fea'))


@program()
def merging_sparse(tf):
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([3, 1, 0]), [3, 2])
    values = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([0.5, 0.25, 9.0]), [3, 2])
    found = [
        tf.sparse_merge(ids, values, 5), tf.sparse_merge([ids, ids], values, [5, tf.constant(4)], name="two"),
        tf.sparse_merge(ids, values, 5, already_sorted=True),
    ]  # fmt: skip
    wrong = [(ids, values, [5]), (ids, values, 1.5), ([ids], values, 5), ([ids], values, [5, 6]), (3, values, 5)]
    return run(tf, found[:2]), found[2], [attempt(tf.sparse_merge, *arguments) for arguments in wrong]
