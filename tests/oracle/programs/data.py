"""Data sets: nodes, structures, the order and the values of elements, shuffles, errors, iterators."""

from __future__ import annotations

import collections
import gzip
import os
import shutil
import tempfile
import zlib

import numpy as np

from tests.oracle import attempt, program


def elements(tf, dataset, count=40, times=1):
    """What an initializable iterator gives, until the end or `count` elements; errors are elements, too."""
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    found = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(times):
            sess.run(iterator.initializer)
            for _ in range(count):
                found.append(attempt(sess.run, element))
                if isinstance(getattr(found[-1], "error", None), tf.errors.OutOfRangeError):
                    break
    return found


def kinds(tf, dataset, count=40):
    """As `elements`, errors by their class alone."""
    return [type(e.error).__name__ if hasattr(e, "error") else e for e in elements(tf, dataset, count)]


def described(dataset):
    return dataset.output_types, dataset.output_shapes, repr(dataset.element_spec)


Point = collections.namedtuple("Point", ["x", "y"])

# ---- sources


@program()
def from_tensors(tf):
    data = tf.data.Dataset
    made = [
        data.from_tensors([1, 2]),
        data.from_tensors((1, [2.0, 3.0])),
        data.from_tensors({"b": "text", "a": (True, np.float64(1))}),
        data.from_tensors(Point([1], 2.0)),
        data.from_tensors(tf.placeholder_with_default([[1, 2]], [None, 2])),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program()
def from_tensor_slices(tf):
    data = tf.data.Dataset
    made = [
        data.from_tensor_slices([1, 2, 3]),
        data.from_tensor_slices(([1, 2], [[1.0, 2.0], [3.0, 4.0]])),
        data.from_tensor_slices({"a": ["x", "y"], "b": np.zeros([2, 0])}),
        data.from_tensor_slices(np.arange(6).reshape(3, 2)),
        data.from_tensor_slices(tf.placeholder_with_default([1, 2], None)),
        data.from_tensor_slices(np.zeros([0, 2])),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program()
def from_tensor_slices_refuses(tf):
    data = tf.data.Dataset
    unequal = tf.placeholder_with_default([1, 2], [None]), tf.placeholder_with_default([1, 2, 3], [None])
    return [
        attempt(data.from_tensor_slices, 3),
        attempt(data.from_tensor_slices, ([1, 2], [1, 2, 3])),
        attempt(data.from_tensor_slices, [[1], [2, 3]]),
        attempt(elements, tf, data.from_tensor_slices(unequal)),
    ]


@program()
def numbers(tf):
    data = tf.data.Dataset
    made = [data.range(3), data.range(2, 4), data.range(0, 7, 3), data.range(5, 0, -2), data.range(3, 3)]
    errors = [attempt(data.range), attempt(data.range, 1, 2, 3, 4), attempt(elements, tf, data.range(0, 3, 0))]
    return [described(d) for d in made], [elements(tf, d) for d in made], errors


@program()
def sparse_slices(tf):
    sparse = tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [3, 4])
    data = tf.data.Dataset.from_sparse_tensor_slices(sparse)
    return described(data), elements(tf, data)


@program()
def sparse_components(tf):
    sparse = tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [3, 4])
    made = [
        tf.data.Dataset.from_tensors(sparse),
        tf.data.Dataset.from_tensor_slices((sparse, [1, 2, 3])),
        tf.data.Dataset.from_tensors(sparse).repeat(2).batch(2),
        tf.data.Dataset.from_tensor_slices(sparse).batch(2),
        tf.data.Dataset.from_tensor_slices(sparse).map(lambda s: tf.sparse_tensor_to_dense(s)),
        tf.data.Dataset.range(2).map(lambda x: tf.SparseTensor([[x]], [x], [5])),
        tf.data.Dataset.from_tensors(sparse).unbatch(),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program()
def generator(tf):
    data = tf.data.Dataset
    made = [
        data.from_generator(lambda: iter([1, 2]), tf.int32),
        data.from_generator(lambda: iter([1, 2]), tf.int64, []),
        data.from_generator(lambda: iter([(1, [1.0]), (2, [3.0])]), (tf.int32, tf.float32), ([], [None])),
        data.from_generator(lambda: iter([{"a": "x"}]), {"a": tf.string}),
        data.from_generator(lambda n: iter([n, n + 1]), tf.int32, [], args=[tf.constant(3)]),
        data.from_generator(lambda: iter([]), tf.float32),
        data.from_generator(lambda: range(3), tf.int32, []).repeat(2).batch(2),
        data.from_generator(
            lambda: iter([(1, 2)]), output_signature=(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32))
        ),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


def failing():
    yield 1
    raise KeyError("boo")


@program()
def generator_refuses(tf):
    data = tf.data.Dataset
    runs = [
        data.from_generator(lambda: iter([1, "a"]), tf.int32, []),
        data.from_generator(lambda: iter([1, [2, 3]]), tf.int32, []),
        data.from_generator(failing, tf.int32, []),
        data.from_generator(lambda: 3, tf.int32),
        data.from_generator(lambda: iter([(1, 2)]), (tf.int32, tf.int32, tf.int32)),
    ]
    return (
        attempt(data.from_generator, 3, tf.int32),
        attempt(data.from_generator, lambda: 3),
        [kinds(tf, d, 1 if d is runs[3] else 4) for d in runs],
    )


@program()
def list_files(tf):
    data = tf.data.Dataset
    return data.list_files("*.x").output_types, data.list_files(["*.x", "*.y"], shuffle=False).output_shapes


@program(graph=False)
def list_files_runs(tf):
    folder = tempfile.mkdtemp()
    for name in ("b.x", "a.x", "c.y"):
        open(os.path.join(folder, name), "w").close()
    data = tf.data.Dataset.list_files(os.path.join(folder, "*.x"), shuffle=False).map(
        lambda name: tf.string_split([name], "/").values[-1]
    )
    found = elements(tf, data)
    none = attempt(elements, tf, tf.data.Dataset.list_files(os.path.join("/no/such/folder", "*.z")))
    shutil.rmtree(folder)
    return found, none


# ---- functions


@program()
def maps(tf):
    data = tf.data.Dataset
    made = [
        data.range(4).map(lambda x: x * 2),
        data.range(4).map(lambda x: (x, tf.cast(x, tf.float32) / 2), num_parallel_calls=2),
        data.from_tensor_slices(([1, 2], [3.0, 4.0])).map(lambda x, y: {"sum": tf.cast(x, tf.float32) + y, "x": x}),
        data.from_tensor_slices({"a": [1, 2]}).map(lambda d: d["a"]),
        data.from_tensor_slices(([1, 2],)).map(lambda x: [x, x]),
        data.from_tensors([1, 2]).map(lambda x: (x, [1, 2])),
        data.range(2).map(lambda x: Point(x, "s")),
        data.range(2).map(lambda x: {"q": x, "r": [x, x]}),
        data.range(3).map(lambda x: tf.ones([x])),
        data.range(2).map(lambda x: tf.as_string(x)),
        data.range(3).map(lambda x: x, num_parallel_calls=tf.data.experimental.AUTOTUNE, name="given"),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program()
def maps_capture(tf):
    constant = tf.constant([10, 20], tf.int64)
    variable = tf.Variable([1, 2], dtype=tf.int64, use_resource=False)
    resource = tf.Variable(5, dtype=tf.int64, use_resource=True)
    fed = tf.placeholder_with_default(np.int64(100), [])
    made = [
        tf.data.Dataset.range(2).map(lambda x: x + constant),
        tf.data.Dataset.range(2).map(lambda x: constant + x + variable),
        tf.data.Dataset.range(2).map(lambda x: x * resource),
        tf.data.Dataset.range(2).map(lambda x: x * fed + constant[0] - fed),
        tf.data.Dataset.range(2).flat_map(lambda x: tf.data.Dataset.range(2).map(lambda y: x * 10 + y + fed)),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program(graph=False)
def maps_keep_a_reference_variable_as_it_was(tf):
    variable = tf.Variable([1, 2], dtype=tf.int64, use_resource=False)
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(4).map(lambda x: x + variable))
    element, update = iterator.get_next(), variable.assign_add([10, 10])
    with tf.Session() as sess:
        sess.run(variable.initializer)
        sess.run(iterator.initializer)
        first = sess.run(element)
        sess.run(update)
        second = sess.run(element)
        sess.run(iterator.initializer)
        return first, second, sess.run(element)


@program(graph=False)
def maps_with_control_flow(tf):
    data = tf.data.Dataset.range(5)
    made = [
        data.map(lambda x: tf.cond(x > 2, lambda: x * 10, lambda: -x)),
        data.map(
            lambda x: tf.while_loop(lambda i, s: i < x, lambda i, s: (i + 1, s + i), [np.int64(0), np.int64(0)])[1]
        ),
        data.map(lambda x: tf.map_fn(lambda y: y * x, tf.constant([1, 2], tf.int64))),
        data.map(lambda x: tf.py_func(lambda v: v * 2, [x], tf.int64)),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program(graph=False)
def maps_refuse(tf):
    data = tf.data.Dataset.range(3)
    variable = tf.Variable(3, use_resource=False)
    return [
        attempt(data.map, lambda x, y: x),
        attempt(data.map, lambda x: None),
        attempt(data.map, 3),
        attempt(data.map, lambda x: tf.Variable(1) + 2),
        attempt(data.map, lambda x: variable.assign_add(1)),
        attempt(data.filter, lambda x: x),
        attempt(data.flat_map, lambda x: x),
        attempt(data.interleave, lambda x: x),
        attempt(data.reduce, 0, lambda s, x: s + x),
        attempt(data.reduce, np.int64(0), lambda s, x: tf.cast(s + x, tf.int32)),
    ]


@program(messages=["bad : Tensor had Inf values"])
def a_function_fails(tf):
    data = tf.data.Dataset.range(4).map(
        lambda x: tf.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "bad", name="chk")
    )
    element = tf.data.make_one_shot_iterator(data).get_next()
    with tf.Session() as sess:
        sess.run(element)
        sess.run(element)


def bad(tf):
    return tf.data.Dataset.range(6).map(lambda x: tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad"))


@program(
    cases=[
        "plain", "take", "skip", "shard", "repeat", "cache", "window", "zip", "flat_map", "interleave", "map_and_batch",
        "batch", "ignore_errors", "concatenate", "filter", "enumerate", "prefetch",
    ],
    graph=False,
)  # fmt: skip
def errors_take_one_place(tf, case):
    data = bad(tf)
    made = {
        "plain": lambda: data,
        "take": lambda: data.take(3),
        "skip": lambda: data.skip(1),
        "shard": lambda: data.shard(2, 0),
        "repeat": lambda: data.repeat(2),
        "cache": lambda: data.cache().repeat(2),
        "window": lambda: data.window(2).flat_map(lambda w: w.batch(2)),
        "zip": lambda: tf.data.Dataset.zip((data, tf.data.Dataset.range(6))),
        "flat_map": lambda: tf.data.Dataset.range(2).flat_map(lambda x: bad(tf)),
        "interleave": lambda: tf.data.Dataset.range(3).interleave(lambda x: bad(tf), 2),
        "map_and_batch": lambda: data.apply(tf.data.experimental.map_and_batch(lambda x: x, 2)),
        "batch": lambda: data.batch(2),
        "ignore_errors": lambda: data.apply(tf.data.experimental.ignore_errors()),
        "concatenate": lambda: data.concatenate(data),
        "filter": lambda: data.filter(lambda x: x > 0.4),
        "enumerate": lambda: data.enumerate(),
        "prefetch": lambda: data.prefetch(2),
    }[case]()
    return kinds(tf, made)


@program()
def filters(tf):
    data = tf.data.Dataset
    limit = tf.constant(2, tf.int64)
    made = [
        data.range(5).filter(lambda x: x > limit),
        data.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).filter(lambda x, y: tf.equal(x % 2, 1)),
        data.range(3).filter(lambda x: tf.constant(False)),
        data.range(5).apply(tf.data.experimental.take_while(lambda x: x < 2)),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program()
def flat_maps(tf):
    data = tf.data.Dataset
    made = [
        data.range(4).flat_map(lambda x: data.range(x)),
        data.range(3).flat_map(lambda x: data.from_tensors((x, "a")).repeat(2)),
        data.from_tensor_slices([[1, 2], [3, 4]]).flat_map(data.from_tensor_slices),
        data.range(0).flat_map(lambda x: data.range(x)),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program(cases=[(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (9, 1)])
def interleaves(tf, case):
    cycle, block = case
    data = tf.data.Dataset
    made = data.range(5).interleave(lambda x: data.from_tensors(x).repeat(x + 1), cycle, block)
    return described(made), elements(tf, made)


@program()
def interleaves_in_parallel(tf):
    data = tf.data.Dataset
    made = [
        data.range(4).interleave(lambda x: data.from_tensors(x).repeat(x + 1), 3, 1, num_parallel_calls=2),
        data.range(4).apply(
            tf.data.experimental.parallel_interleave(lambda x: data.from_tensors(x).repeat(x + 1), 3, 1)
        ),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program()
def reduces(tf):
    data = tf.data.Dataset
    captured = tf.constant(2, tf.int64)
    made = [
        data.range(5).reduce(np.int64(0), lambda s, x: s + x * captured),
        data.range(6).reduce((np.int64(1), 0), lambda s, x: (s[0] * (x + 1), s[1] + 1)),
        data.range(3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0)),
        data.range(0).reduce({"a": 7}, lambda s, x: s),
    ]
    with tf.Session() as sess:
        return made, [sess.run(m) for m in made]


@program()
def scans(tf):
    data = tf.data.Dataset.range(5)
    made = data.apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s + x, s * 10)))
    return described(made), elements(tf, made, times=2)


@program(graph=False)
def groups_by_window(tf):
    group = tf.data.experimental.group_by_window
    made = [
        tf.data.Dataset.range(9).apply(group(lambda x: x % 2, lambda k, d: d.batch(3), 3)),
        tf.data.Dataset.range(9).apply(
            group(lambda x: x % 3, lambda k, d: d.batch(9), window_size_func=lambda k: k + 1)
        ),
        tf.data.Dataset.range(4).apply(group(lambda x: x % 2, lambda k, d: d.map(lambda x: (k, x)), 2)),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


# ---- which elements, in which order


@program()
def counts(tf):
    data = tf.data.Dataset.range(5)
    made = [
        data.take(2), data.take(9), data.take(-1), data.take(0), data.skip(3), data.skip(9), data.skip(-1),
        data.repeat(2), data.repeat(0), data.repeat().take(7), data.repeat(-1).take(6), data.shard(3, 1),
        data.take(0).repeat(), data.concatenate(data.take(1)), data.enumerate(), data.enumerate(start=3),
        data.take(tf.placeholder_with_default(np.int64(1), [])),
    ]  # fmt: skip
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program()
def counts_refuse(tf):
    data = tf.data.Dataset.range(5)
    return [
        attempt(data.take, "a"),
        attempt(data.repeat, 1.5),
        attempt(data.batch, 2.5),
        attempt(elements, tf, data.shard(2, 3)),
        attempt(elements, tf, data.shard(0, 0)),
        attempt(elements, tf, data.batch(0)),
        attempt(elements, tf, data.shuffle(0)),
        attempt(elements, tf, data.window(0)),
        attempt(elements, tf, data.prefetch(-5)),
        attempt(elements, tf, data.interleave(lambda x: data, 0)),
    ]


@program()
def zips(tf):
    data = tf.data.Dataset
    made = [
        data.zip((data.range(3), data.range(5).batch(2))),
        data.zip((data.range(2), {"a": data.from_tensors("x").repeat()})),
        data.zip(data.range(2)),
    ]
    errors = [attempt(data.zip, [data.range(3)]), attempt(data.zip, (data.range(3), 3))]
    return [described(d) for d in made], [elements(tf, d) for d in made], errors


@program()
def concatenates(tf):
    data = tf.data.Dataset
    made = [
        data.from_tensors([1, 2]).concatenate(data.from_tensors([3])),
        data.from_tensor_slices([[1], [2]]).concatenate(data.from_tensors([3])),
    ]
    errors = [
        attempt(data.range(3).concatenate, data.from_tensors(1.0)),
        attempt(data.range(3).concatenate, data.zip((data.range(3), data.range(3)))),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made], errors


@program(
    cases=[
        "seeded", "seeded again", "not reshuffled", "repeated", "repeated, not reshuffled", "of a repetition",
        "large buffer",
        "in one", "graph's seed", "both seeds", "zero", "batches", "shuffled twice", "cached", "small buffer",
    ]
)  # fmt: skip
def shuffles(tf, case):
    """The order of a shuffle is that of the seeds."""
    data = tf.data.Dataset.range(20)
    if case in ("graph's seed", "both seeds"):
        tf.set_random_seed(3)
    made = {
        "seeded": lambda: data.shuffle(5, seed=7),
        "seeded again": lambda: data.shuffle(5, 8).shuffle(4, 9),
        "not reshuffled": lambda: data.shuffle(5, seed=7, reshuffle_each_iteration=False),
        "repeated": lambda: data.shuffle(5, seed=7).repeat(3),
        "repeated, not reshuffled": lambda: data.shuffle(5, seed=7, reshuffle_each_iteration=False).repeat(2),
        "of a repetition": lambda: data.repeat(2).shuffle(30, seed=7),
        "large buffer": lambda: data.shuffle(100, seed=7),
        "in one": lambda: data.apply(tf.data.experimental.shuffle_and_repeat(5, 2, seed=7)),
        "graph's seed": lambda: data.shuffle(5),
        "both seeds": lambda: data.shuffle(5, seed=2),
        "zero": lambda: data.shuffle(5, seed=0),
        "batches": lambda: data.batch(3).shuffle(4, seed=1).repeat(2),
        "shuffled twice": lambda: data.shuffle(5, seed=7).repeat(2).shuffle(3, seed=1),
        "cached": lambda: data.shuffle(5, seed=7).cache().repeat(2),
        "small buffer": lambda: data.shuffle(1, seed=7),
    }[case]()
    return elements(tf, made, 100, times=2)


@program(graph=False)
def long_shuffle(tf):
    data = tf.data.Dataset.range(2000).shuffle(700, seed=42).batch(2000)
    return elements(tf, data)


@program(graph=False)
def random_numbers_in_a_function(tf):
    """A stream of numbers goes on through repetitions, and begins anew when the iterator does."""
    data = tf.data.Dataset.range(3).map(lambda x: tf.random_uniform([], 0, 1000, tf.int32, seed=4)).repeat(2)
    return elements(tf, data, times=2)


@program(graph=False)
def random_numbers_and_the_seed_of_the_graph(tf):
    tf.set_random_seed(3)
    data = tf.data.Dataset.range(2).map(
        lambda x: (tf.random_uniform([], 0, 1000, tf.int32), tf.random_uniform([], 0, 1000, tf.int32))
    )
    return elements(tf, data, times=2)


# ---- batches


@program()
def batches(tf):
    data = tf.data.Dataset
    made = [
        data.range(5).batch(2),
        data.range(5).batch(2, drop_remainder=True),
        data.range(4).batch(2, True).batch(3),
        data.from_tensor_slices((np.arange(3), {"a": np.ones([3, 2])})).batch(2),
        data.from_tensor_slices(["a", "b", "c"]).batch(2),
        data.range(5).batch(tf.placeholder_with_default(np.int64(3), []), drop_remainder=True),
        data.range(5).batch(2, num_parallel_calls=2),
        data.from_tensors("x").repeat(2).batch(5),
        data.range(3).map(lambda x: tf.fill([2], tf.as_string(x))).batch(2),
        data.range(6).apply(tf.data.experimental.map_and_batch(lambda x: x + 1, 4)),
        data.range(6).apply(tf.data.experimental.map_and_batch(lambda x: x, 4, drop_remainder=True)),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program(messages=["number of elements does not match"])
def batches_of_unequal_elements(tf):
    data = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: tf.ones([x])).batch(2)
    element = tf.data.make_one_shot_iterator(data).get_next()
    with tf.Session() as sess:
        sess.run(element)


def ones(tf):
    return tf.data.Dataset.from_tensor_slices([1, 2, 1, 3]).map(lambda x: tf.ones([x]))


@program()
def padded_batches(tf):
    pair = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: (tf.ones([x, 2]), tf.as_string(x)))
    named = tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda x: {"a": tf.fill([x], x), "b": tf.fill([2, x], "s")})
    made = [
        ones(tf).padded_batch(2, [None]),
        ones(tf).padded_batch(2, [4]),
        ones(tf).padded_batch(3, [-1], drop_remainder=True),
        ones(tf).padded_batch(3, [None], -1.0),
        pair.padded_batch(2, ([None, 3], []), (tf.constant(7.0), "q")),
        named.padded_batch(2, {"a": [None], "b": [None, 4]}),
        ones(tf).padded_batch(2),
        ones(tf).padded_batch(2, tf.TensorShape([None])),
        ones(tf).padded_batch(2, tf.constant([5], tf.int64)),
        tf.data.Dataset.range(3).padded_batch(2, []),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program()
def padded_batches_refuse(tf):
    return [
        attempt(ones(tf).padded_batch, 2, [2, 2]),
        attempt(ones(tf).padded_batch, 2, [None], 1),
        attempt(ones(tf).padded_batch, 2, ([None], [None])),
        attempt(ones(tf).padded_batch, 2, [None], [1.0, 2.0]),
    ]


@program(messages=["pad to a smaller size"])
def padded_batch_too_small(tf):
    element = tf.data.make_one_shot_iterator(ones(tf).padded_batch(4, [2])).get_next()
    with tf.Session() as sess:
        sess.run(element)


@program()
def unbatches(tf):
    data = tf.data.Dataset
    made = [
        data.range(5).batch(2).unbatch(),
        data.from_tensors(([1, 2], ["a", "b"])).unbatch(),
        data.from_tensors({"a": [[1, 2], [3, 4]]}).apply(tf.data.experimental.unbatch()),
        data.from_tensor_slices([3, 0, 2]).map(lambda x: tf.ones([x])).unbatch(),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program()
def windows(tf):
    data = tf.data.Dataset.range(7)
    made = [
        data.window(3).flat_map(lambda w: w.batch(3)),
        data.window(3, 2, 2).flat_map(lambda w: w.batch(3)),
        data.window(3, 1, drop_remainder=True).flat_map(lambda w: w.batch(3)),
        data.window(2, shift=3).flat_map(lambda w: w.batch(3)),
        data.enumerate().window(2).flat_map(lambda i, x: tf.data.Dataset.zip((i, x)).batch(2)),
    ]
    return described(data.window(2)), [described(d) for d in made], [elements(tf, d) for d in made]


# ---- how it is run, and what there is to know


@program()
def caches_and_prefetches(tf):
    data = tf.data.Dataset
    made = [
        data.range(5).cache().repeat(2),
        data.range(5).cache().take(2).repeat(2),
        data.range(5).prefetch(2),
        data.range(5).prefetch(tf.data.experimental.AUTOTUNE).map(lambda x: x),
        data.range(3)
        .map(lambda x: tf.random_uniform([], seed=1))
        .cache()
        .repeat(2)
        .batch(6)
        .map(lambda x: tf.equal(x[:3], x[3:])),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program(graph=False)
def cache_files(tf):
    """The files of a cache hold what a checkpoint holds."""
    folder = tempfile.mkdtemp()
    prefix = os.path.join(folder, "cache")
    data = tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).cache(prefix)
    first = elements(tf, data, times=2)
    names = sorted(os.listdir(folder))
    reader = tf.train.NewCheckpointReader(prefix)
    shapes = sorted(reader.get_variable_to_shape_map().items())
    shutil.rmtree(folder)
    return first, names, shapes


@program()
def options(tf):
    one, two = tf.data.Options(), tf.data.Options()
    one.experimental_deterministic = False
    two.experimental_optimization.map_fusion = True
    two.autotune.enabled = False
    data = tf.data.Dataset.range(3).with_options(one).map(lambda x: x).with_options(two)
    merged = data.options()
    return (
        [merged.experimental_deterministic, merged.experimental_optimization.map_fusion, merged.autotune.enabled],
        elements(tf, data),
        attempt(setattr, one, "no_such_option", 3),
        attempt(setattr, one, "experimental_deterministic", 3),
    )


@program(graph=False)
def cardinalities(tf):
    data = tf.data.Dataset
    five = data.range(5)
    made = [
        five, five.repeat(), five.repeat(2), five.batch(2), five.batch(2, drop_remainder=True), five.map(lambda x: x),
        five.filter(lambda x: x > 1), five.shuffle(2), five.take(9), five.skip(9), five.repeat().take(3),
        five.shard(2, 0),
        five.window(2), five.concatenate(data.range(2)), data.zip((five, data.range(2))),
        five.flat_map(lambda x: data.range(x)), five.batch(2).unbatch(), five.cache(), five.prefetch(1),
        five.interleave(lambda x: data.range(2)), data.from_tensor_slices([1, 2]), data.from_tensors([1, 2]),
        data.from_generator(lambda: iter([1]), tf.int32), tf.data.TextLineDataset("x"), data.range(0).repeat(),
        data.range(10, 0, -3), five.padded_batch(2, []), five.enumerate(), five.take(-1), five.skip(-1), five.repeat(0),
        five.apply(tf.data.experimental.shuffle_and_repeat(2)), five.apply(tf.data.experimental.ignore_errors()),
        data.from_sparse_tensor_slices(tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [3, 4])),
        five.window(3, 2, drop_remainder=True), five.window(3, 2),
    ]  # fmt: skip
    with tf.Session() as sess:
        return sess.run([tf.data.experimental.cardinality(d) for d in made])


@program()
def cardinality_is_a_node(tf):
    return tf.data.experimental.cardinality(tf.data.Dataset.range(5))


@program()
def uniques(tf):
    data = tf.data.Dataset
    made = [
        data.from_tensor_slices([1, 2, 1, 3, 2]).apply(tf.data.experimental.unique()),
        data.from_tensor_slices(["a", "b", "a"]).apply(tf.data.experimental.unique()),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program()
def choices(tf):
    data = tf.data.Dataset
    sets = [data.from_tensors(x).repeat(2) for x in ("a", "b", "c")]
    choice = data.from_tensor_slices(np.array([0, 1, 2, 1, 1, 0, 0, 2], np.int64))
    return elements(tf, tf.data.experimental.choose_from_datasets(sets, choice))


@program(graph=False)
def refusals(tf):
    data = tf.data.Dataset.range(3)
    return [
        attempt(list, data),
        attempt(len, data),
        attempt(data.apply, lambda d: 3),
        attempt(data.with_options, 3),
        attempt(tf.data.experimental.get_single_element, data).graph is tf.get_default_graph(),
    ]


@program()
def single_elements(tf):
    data = tf.data.Dataset
    with tf.Session() as sess:
        return [
            sess.run(tf.data.experimental.get_single_element(data.from_tensors((1, "a")))),
            attempt(sess.run, tf.data.experimental.get_single_element(data.range(0))),
            attempt(sess.run, tf.data.experimental.get_single_element(data.range(2))),
        ]


@program(graph=False)
def buckets(tf):
    data = tf.data.Dataset.from_tensor_slices([1, 5, 2, 6, 3, 1, 9, 4]).map(lambda x: (tf.fill([x], x), x))
    bucket = tf.data.experimental.bucket_by_sequence_length
    made = [
        data.apply(bucket(lambda row, x: tf.size(row), [3, 6], [2, 2, 3])),
        data.apply(bucket(lambda row, x: tf.size(row), [3, 6, 10], [2, 2, 3, 9], pad_to_bucket_boundary=True)),
        data.map(lambda row, x: x).apply(bucket(lambda x: x, [4], [3, 2], no_padding=True)),
    ]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program(graph=False)
def counters(tf):
    counter = tf.data.experimental.Counter
    made = [counter().take(3), counter(5).take(2), counter(5, -2).take(4), counter(dtype=tf.int32).take(2)]
    return [described(d) for d in made], [elements(tf, d) for d in made]


@program(graph=False)
def samples_of_data_sets(tf):
    """Which comes when is random; of each, the elements come in order."""
    sets = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 15)]
    found = elements(tf, tf.data.experimental.sample_from_datasets(sets, [0.3, 0.7], seed=1))[:-1]
    one = elements(tf, tf.data.experimental.sample_from_datasets(sets, [1.0, 0.0], seed=1).take(3))
    return [x for x in found if x < 10], [x for x in found if x >= 10], one


# ---- files


def write_records(path, records, compression=None):
    """TFRecord files, written by hand: the checksums are tables of their own."""
    import struct

    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)

    def masked(data):
        crc = 0xFFFFFFFF
        for byte in bytearray(data):
            crc = table[(crc ^ byte) & 255] ^ crc >> 8
        crc ^= 0xFFFFFFFF
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    content = b""
    for record in records:
        length = struct.pack("<Q", len(record))
        content += length + masked(length) + record + masked(record)
    if compression == "GZIP":
        content = gzip.compress(content)
    elif compression == "ZLIB":
        content = zlib.compress(content)
    with open(path, "wb") as file:
        file.write(content)


@program(graph=False)
def records(tf):
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, name) for name in ("a", "b", "c", "d", "e")]
    write_records(paths[0], [b"one", b"", b"x" * 1000])
    write_records(paths[1], [b"two"], "GZIP")
    write_records(paths[2], [b"three", b"four"], "ZLIB")
    write_records(paths[3], [])
    write_records(paths[4], [b"good", b"damaged", b"unread"])
    with open(paths[4], "r+b") as file:
        file.seek(12 + 4 + 4 + 12 + 2)
        file.write(b"!")
    made = [
        tf.data.TFRecordDataset(paths[0]),
        tf.data.TFRecordDataset([paths[0], paths[3], paths[0]]),
        tf.data.TFRecordDataset(paths[1], "GZIP"),
        tf.data.TFRecordDataset(paths[2], compression_type="ZLIB", buffer_size=10),
        tf.data.TFRecordDataset([paths[0], paths[0]], num_parallel_reads=2),
        tf.data.TFRecordDataset(tf.data.Dataset.from_tensor_slices([paths[0]])),
        tf.data.TFRecordDataset([paths[4], paths[0]]),
        tf.data.TFRecordDataset([os.path.join(folder, "none"), paths[0]]),
    ]
    found = [kinds(tf, d, 9) for d in made]
    shutil.rmtree(folder)
    return [described(d) for d in made], found


@program(graph=False)
def lines(tf):
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, name) for name in ("a", "b", "c")]
    with open(paths[0], "wb") as file:
        file.write(b"one\ntwo\r\n\nfo\rur\r\r\nno end")
    with open(paths[1], "wb") as file:
        file.write(b"")
    with open(paths[2], "wb") as file:
        file.write(gzip.compress(b"packed\nlines\n"))
    made = [
        tf.data.TextLineDataset(paths[0]),
        tf.data.TextLineDataset([paths[1], paths[0]]).skip(1),
        tf.data.TextLineDataset(paths[2], "GZIP"),
        tf.data.TextLineDataset(os.path.join(folder, "none")),
    ]
    found = [kinds(tf, d, 9) for d in made]
    shutil.rmtree(folder)
    return [described(d) for d in made], found


@program(graph=False)
def pieces(tf):
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, name) for name in ("a", "b")]
    with open(paths[0], "wb") as file:
        file.write(b"HEADabcdefghiFT")
    with open(paths[1], "wb") as file:
        file.write(gzip.compress(b"abcdef"))
    made = [
        tf.data.FixedLengthRecordDataset(paths[0], 3, 4, 2),
        tf.data.FixedLengthRecordDataset([paths[0], paths[0]], 5),
        tf.data.FixedLengthRecordDataset(paths[0], 4, 4, 2),
        tf.data.FixedLengthRecordDataset(paths[1], 2, compression_type="GZIP"),
    ]
    found = [kinds(tf, d, 9) for d in made]
    shutil.rmtree(folder)
    return [described(d) for d in made], found


@program()
def readers_are_nodes(tf):
    data = tf.data
    return [
        described(d)
        for d in (
            data.TFRecordDataset(["a", "b"], "GZIP"),
            data.TFRecordDataset("a", num_parallel_reads=2),
            data.TFRecordDataset("a", num_parallel_reads=data.experimental.AUTOTUNE),
            data.TextLineDataset(tf.constant(["a"]), buffer_size=3),
            data.FixedLengthRecordDataset("a", 3, 1, 2),
        )
    ], attempt(data.TFRecordDataset, 3)


@program(graph=False)
def csv(tf):
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, name) for name in ("a", "b", "c")]
    with open(paths[0], "wb") as file:
        file.write(b'i,f,s\n1,2.5,one\r\n,,"a ""quoted"", text\nof two lines"\n3,,\n')
    with open(paths[1], "wb") as file:
        file.write(b"1;x;NA\n2;y\nq;y;1\n4;z;2")
    with open(paths[2], "wb") as file:
        file.write(gzip.compress(b"1\n2\n\n3\n"))
    csv = tf.data.experimental.CsvDataset
    made = [
        csv(paths[0], [[0], [-1.0], tf.string], header=True),
        csv(paths[0], [[0], [-1.0], ["none"]], header=True),
        csv([paths[0], paths[0]], [[-1.0], [""]], header=True, select_cols=[1, 2]),
        csv(paths[1], [tf.int32, tf.string, [7.0]], field_delim=";", na_value="NA"),
        csv(paths[2], [tf.int64], "GZIP"),
    ]
    found = [kinds(tf, d, 9) for d in made]
    shutil.rmtree(folder)
    return [described(d) for d in made], found


@program()
def csv_is_a_node(tf):
    return tf.data.experimental.CsvDataset(
        "a", [tf.int32, [1.5], tf.string], header=True, select_cols=[0, 1, 3]
    ).output_types


# ---- iterators


@program()
def one_shot(tf):
    data = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [1.0, 2.0, 3.0])).map(lambda x, y: (x + 1, {"a": y}), 2)
    data = data.shuffle(10, seed=1).batch(2).repeat(2).prefetch(1)
    element = tf.data.make_one_shot_iterator(data).get_next()
    with tf.Session() as first, tf.Session() as second:
        return element, [first.run(element) for _ in range(3)], second.run(element)


@program()
def one_shot_method(tf):
    element = tf.data.Dataset.range(2).make_one_shot_iterator().get_next("given")
    with tf.Session() as sess:
        return element, [attempt(sess.run, element) for _ in range(4)]


@program()
def one_shot_refuses(tf):
    fed = tf.data.Dataset.range(tf.placeholder(tf.int64, []))
    variable = tf.Variable(3, dtype=tf.int64, use_resource=True)
    captured = tf.data.Dataset.range(3).map(lambda x: x + variable)
    return [
        attempt(tf.data.make_one_shot_iterator, fed),
        attempt(tf.data.make_one_shot_iterator, captured),
        attempt(lambda: tf.data.make_one_shot_iterator(tf.data.Dataset.range(3)).initializer),
    ]


@program()
def initializable(tf):
    limit = tf.placeholder(tf.int64, [])
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(limit))
    element = iterator.get_next()
    with tf.Session() as sess:
        before = attempt(sess.run, element)
        sess.run(iterator.initializer, {limit: 2})
        first = [attempt(sess.run, element) for _ in range(3)]
        sess.run(iterator.initializer, {limit: 1})
        second = [attempt(sess.run, element) for _ in range(2)]
    return before, first, second, iterator.output_types, iterator.output_shapes, repr(iterator.element_spec)


@program()
def several_iterators(tf):
    data = tf.data.Dataset.range(5)
    one, two = (tf.data.make_initializable_iterator(data) for _ in range(2))
    first, second, third = one.get_next(), one.get_next(), two.get_next()
    with tf.Session() as sess:
        sess.run([one.initializer, two.initializer])
        both = sorted(sess.run([first, second]))
        return both, sess.run(third), sess.run(first)


@program()
def shared_iterators(tf):
    data = tf.data.Dataset.range(5)
    one, two = (tf.data.make_initializable_iterator(data, shared_name="shared") for _ in range(2))
    first, second = one.get_next(), two.get_next()
    with tf.Session() as sess:
        sess.run(one.initializer)
        return sess.run(first), sess.run(second), sess.run(first)


@program()
def reinitializable(tf):
    iterator = tf.data.Iterator.from_structure(tf.int64, [])
    training = iterator.make_initializer(tf.data.Dataset.range(3))
    testing = iterator.make_initializer(tf.data.Dataset.range(10, 12), name="testing")
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(training)
        first = [sess.run(element) for _ in range(2)]
        sess.run(testing)
        second = [attempt(sess.run, element) for _ in range(3)]
    return first, second, attempt(lambda: iterator.initializer)


@program()
def structures_of_iterators(tf):
    data = tf.data.Dataset
    single = tf.data.Iterator.from_structure(tf.int64, [])
    pair = tf.data.Iterator.from_structure((tf.int64, {"a": tf.string}), ([None], {"a": []}))
    loose = tf.data.Iterator.from_structure(tf.float32)
    good = data.from_tensors((np.zeros([3], np.int64), {"a": "x"}))
    pair.make_initializer(good)
    loose.make_initializer(data.from_tensors([1.0]))
    return (
        pair.get_next(),
        loose.get_next(),
        [
            attempt(single.make_initializer, data.from_tensors(1.0)),
            attempt(single.make_initializer, data.from_tensors(np.int64([1]))),
            attempt(tf.data.Iterator.from_structure, (tf.int64, tf.int32), []),
        ],
    )


@program()
def string_handles(tf):
    fed = tf.placeholder(tf.string, [])
    chosen = tf.data.Iterator.from_string_handle(fed, tf.int64, [])
    element = chosen.get_next()
    one = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3))
    two = tf.data.make_initializable_iterator(tf.data.Dataset.range(10, 13))
    named = one.string_handle("named")
    with tf.Session() as sess:
        first, second = sess.run([one.string_handle(), two.string_handle()])
        sess.run(two.initializer)
        runs = [sess.run(element, {fed: handle}) for handle in (first, second, first, second)]
    return runs, named


@program(graph=False)
def string_handles_refuse(tf):
    fed = tf.placeholder(tf.string, [])
    element = tf.data.Iterator.from_string_handle(fed, tf.int64, []).get_next()
    other = tf.data.make_initializable_iterator(tf.data.Dataset.from_tensors(1.0))
    with tf.Session() as sess:
        sess.run(other.initializer)
        return (
            type(attempt(sess.run, element, {fed: "no handle"}).error).__name__,
            attempt(sess.run, element, {fed: sess.run(other.string_handle())}),
        )


@program()
def a_typical_pipeline(tf):
    images = tf.placeholder(tf.float32, [None, 4])
    labels = tf.placeholder(tf.int32, [None])
    data = tf.data.Dataset.from_tensor_slices((images, labels))
    data = data.map(lambda image, label: (image / 255.0, tf.one_hot(label, 3)), num_parallel_calls=4)
    data = data.shuffle(buffer_size=10, seed=5).repeat(2).batch(4).prefetch(1)
    iterator = data.make_initializable_iterator()
    batch_images, batch_labels = iterator.get_next()
    mean = tf.reduce_mean(batch_images)
    with tf.Session() as sess:
        sess.run(iterator.initializer, {images: np.arange(24).reshape(6, 4), labels: [0, 1, 2, 0, 1, 2]})
        return [sess.run([mean, batch_labels]) for _ in range(3)], attempt(sess.run, mean)


@program(messages=[])
def one_shot_over_files_and_what_is_waited_for(tf):
    """A function that is captured by value holds what is computed from, not what is waited for."""
    files = tf.data.Dataset.list_files("no/such/folder/*.txt", shuffle=False)
    with tf.control_dependencies([tf.Variable(1).initializer]):
        numbers = tf.data.Dataset.range(tf.constant(3, tf.int64))
    with tf.Session() as session:
        return (
            attempt(session.run, tf.data.make_one_shot_iterator(files).get_next()),
            session.run(tf.data.make_one_shot_iterator(numbers).get_next()),
        )


@program()
def one_shot_takes_a_seed(tf):
    """What is initialised after an iterator was made depends on it."""
    tf.set_random_seed(3)
    before = tf.random_uniform([2])
    tf.data.make_one_shot_iterator(tf.data.Dataset.range(3).shuffle(3)).get_next()
    after = tf.random_uniform([2])
    with tf.Session() as session:
        return session.run([before, after])
