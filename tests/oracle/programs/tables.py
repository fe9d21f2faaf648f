"""Lookup tables: filled once, changed, saved, from files; ids for words that are not known."""

from __future__ import annotations

import os
import tempfile

import numpy as np

from tests.oracle import attempt, program

WHOLE, NUMBER = -2, -1


def file_of(text):
    path = os.path.join(tempfile.mkdtemp(), "words")
    with open(path, "w") as file:
        file.write(text)
    return path


def collections(tf):
    graph = tf.get_default_graph()
    return {key: len(graph.get_collection(key)) for key in sorted(graph.get_all_collection_keys())}


@program()
def static_table(tf):
    init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2], key_dtype=tf.string, value_dtype=tf.int64)
    table = tf.lookup.StaticHashTable(init, -1)
    one = table.lookup(tf.constant([["a", "z"]]))
    sparse = table.lookup(tf.SparseTensor([[0], [2]], ["b", "c"], [3]))
    same = table[tf.constant("b")]
    total, everything = table.size(), table.export()
    start = tf.tables_initializer()
    with tf.Session() as sess:
        before = attempt(sess.run, one)
        early = attempt(sess.run, everything)
        empty = sess.run(total)
        sess.run(start)
        sess.run(table.initializer)
        keys, values = sess.run(everything)
        found = dict(zip(keys.tolist(), values.tolist()))
        return (
            before, early, empty, sess.run([one, same, total]), sess.run(sparse.values), sorted(found.items()),
            table.name, table.key_dtype, table.value_dtype, collections(tf), one.shape, everything[0].shape,
        )  # fmt: skip


TYPES = {
    "int64 to string": ([3, 4], ["three", "four"], "int64", "string", "?"),
    "int64 to float": ([3, 4], [0.5, 1.5], "int64", "float32", 0.0),
    "string to float64": (["x"], [2.5], "string", "float64", -1.0),
    "string to bool": (["x"], [True], "string", "bool", False),
    "int32 to int32": ([3], [9], "int32", "int32", -1),
}


@program(cases=TYPES)
def types_of_static_tables(tf, case):
    keys, values, key, value, default = case
    key, value = tf.as_dtype(key), tf.as_dtype(value)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values, key, value), default)
    found = table.lookup(tf.constant([keys[0], keys[0] * 7], key))
    with tf.Session() as sess:
        sess.run(table.initializer)
        return sess.run([found, table.size()])


@program(graph=False)
def filling_goes_wrong(tf):
    def fill(keys, values):
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(keys, values, value_dtype=tf.int64), tf.constant(-1, tf.int64)
        )
        with tf.Session() as sess:
            sess.run(table.initializer)
            sess.run(table.initializer)
            return sess.run(table.size())

    return (
        attempt(fill, ["a", "b"], [1, 2]),
        attempt(fill, ["a", "a"], [1, 2]),
        attempt(fill, ["a", "a"], [1, 1]),
        attempt(fill, ["a"], [1, 2]),
    )


@program(graph=False)
def what_a_table_does_not_take(tf):
    init = tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([1], tf.int64))
    table = tf.lookup.StaticHashTable(init, -1)
    return (
        attempt(table.lookup, tf.constant([1])),
        attempt(table.lookup, ["a"]),
        attempt(tf.lookup.StaticHashTable, init, "x"),
        attempt(tf.lookup.StaticHashTable, init, [1, 2]),
        attempt(tf.lookup.StaticVocabularyTable, init, 0),
        attempt(
            tf.lookup.StaticVocabularyTable,
            tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([1], tf.int32)),
            1,
        ),
        attempt(tf.lookup.StaticVocabularyTable, init, 1, tf.int64),
        attempt(tf.lookup.TextFileInitializer, "", tf.string, WHOLE, tf.int64, NUMBER),
        attempt(tf.lookup.TextFileInitializer, "f", tf.string, NUMBER, tf.int64, NUMBER),
        attempt(tf.lookup.TextFileInitializer, "f", tf.string, WHOLE, tf.string, NUMBER),
        attempt(tf.lookup.TextFileInitializer, "f", tf.float32, WHOLE, tf.int64, NUMBER),
        attempt(tf.lookup.TextFileInitializer, "f", tf.string, -3, tf.int64, NUMBER),
        attempt(tf.lookup.TextFileInitializer, "f", tf.string, WHOLE, tf.int64, NUMBER, vocab_size=0),
    )


FILES = {
    "words": ("a\nb\nc\n", "string", WHOLE, "int64", NUMBER, {}),
    "no newline at the end": ("a\nb", "string", WHOLE, "int64", NUMBER, {}),
    "carriage returns": ("a\r\nb\r\n", "string", WHOLE, "int64", NUMBER, {}),
    "an empty line": ("a\n\nb\n", "string", WHOLE, "int64", NUMBER, {}),
    "a word twice": ("a\nb\na\n", "string", WHOLE, "int64", NUMBER, {}),
    "columns": ("a 1\nb 2\n", "string", 0, "int64", 1, {"delimiter": " "}),
    "floats": ("a 1.5\nb -2\n", "string", 0, "float32", 1, {"delimiter": " "}),
    "too few columns": ("a 1\nb\n", "string", 0, "int64", 1, {"delimiter": " "}),
    "no number": ("a x\n", "string", 0, "int64", 1, {"delimiter": " "}),
    "a part of it": ("a\nb\nc\n", "string", WHOLE, "int64", NUMBER, {"vocab_size": 2}),
    "more than there is": ("a\nb\nc\n", "string", WHOLE, "int64", NUMBER, {"vocab_size": 4}),
    "integers": ("7\n8\n", "int64", WHOLE, "int64", NUMBER, {}),
    "numbers to words": ("a\nb\n", "int64", NUMBER, "string", WHOLE, {}),
    "a delimiter of two": ("a 1\n", "string", 0, "int64", 1, {"delimiter": "  "}),
    "an offset": ("a\nb\n", "string", WHOLE, "int64", NUMBER, {"value_index_offset": 10}),
}


@program(cases=FILES, graph=False)
def tables_of_files(tf, case):
    text, key, key_index, value, value_index, options = case
    key, value = tf.as_dtype(key), tf.as_dtype(value)
    init = tf.lookup.TextFileInitializer(file_of(text), key, key_index, value, value_index, **options)
    table = tf.lookup.StaticHashTable(init, "?" if value == tf.string else -1)
    everything = table.export()
    with tf.Session() as sess:
        sess.run(table.initializer)
        keys, values = sess.run(everything)
        order = np.argsort(keys)
        return keys[order], values[order], sess.run(table.size())


@program(graph=False, messages=["No such file"])
def a_file_that_is_not_there(tf):
    init = tf.lookup.TextFileInitializer("/no/such/file", tf.string, WHOLE, tf.int64, NUMBER)
    table = tf.lookup.StaticHashTable(init, -1)
    with tf.Session() as sess:
        sess.run(table.initializer)


@program()
def a_file_in_a_graph(tf):
    """The file's name is a constant on the CPU, and an asset."""
    path = tf.placeholder_with_default("words.txt", [], name="path")
    init = tf.lookup.TextFileInitializer(path, tf.string, WHOLE, tf.int64, NUMBER, name="mine")
    table = tf.lookup.StaticHashTable(init, -1, name="words")
    return table.size(), table.name, collections(tf)


@program(graph=False)
def tables_of_one_file_are_one(tf):
    path = file_of("a\nb\n")

    def make():
        init = tf.lookup.TextFileInitializer(path, tf.string, WHOLE, tf.int64, NUMBER)
        return tf.lookup.StaticHashTable(init, -1)

    first, second = make(), make()
    with tf.Session() as sess:
        sess.run(first.initializer)
        return sess.run(second.lookup(tf.constant(["b"]))), collections(tf)


@program()
def vocabulary(tf):
    init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [0, 1], tf.string, tf.int64)
    table = tf.lookup.StaticVocabularyTable(init, 3)
    words = tf.constant(["a", "hello", "world", "b"])
    found = table.lookup(words)
    numbers = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer([10, 20], [0, 1], tf.int64, tf.int64), 2
    )
    ids = numbers.lookup(tf.constant([10, 30, 40], tf.int64))
    as_int32 = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer([10, 20], [0, 1], tf.int64, tf.int64), 2, lookup_key_dtype=tf.int32
    )
    other = as_int32.lookup(tf.constant([10, 30]))
    only = tf.lookup.StaticVocabularyTable(None, 4)
    buckets = only.lookup(words)
    sparse = table.lookup(tf.SparseTensor([[1]], ["zz"], [2]))
    sizes = [table.size(), numbers.size(), only.size()]
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        sess.run(only.initializer)
        return sess.run([found, ids, other, buckets, sizes, sparse.values]), table.name, only.name


@program()
def mutable_table(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    put = table.insert(["a", "b"], [1, 2])
    again = table.insert(tf.constant(["b", "c"]), tf.constant([7, 8], tf.int64))
    drop = table.remove(tf.constant(["a", "nobody"]))
    find = table.lookup(["a", "b", "z"])
    other = table.lookup(tf.constant(["a", "z"]), dynamic_default_values=tf.constant([5, 6], tf.int64))
    total, everything = table.size(), table.export()
    with tf.Session() as sess:
        out = [sess.run([find, total])]
        for step in (put, again, drop):
            sess.run(step)
            keys, values = sess.run(everything)
            out.append((sess.run([find, other, total]), sorted(zip(keys.tolist(), values.tolist()))))
        return out, table.name, collections(tf)


@program()
def mutable_table_of_vectors(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0], name="vectors")
    find = table.lookup(tf.constant([[1, 5]], tf.int64))
    with tf.Session() as sess:
        sess.run(table.insert(tf.constant([1, 2], tf.int64), tf.constant([[1.0, 2.0], [3.0, 4.0]])))
        wrong = attempt(sess.run, table.insert(tf.constant([1], tf.int64), tf.constant([[1.0, 2.0, 3.0]])))
        missing = attempt(sess.run, table.insert(tf.constant([1, 2], tf.int64), tf.constant([[1.0, 2.0]])))
        return sess.run([find, table.size()]), find.shape, wrong, missing


@program(graph=False)
def what_a_mutable_table_does_not_take(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    return (
        attempt(table.insert, tf.constant([1]), tf.constant([1], tf.int64)),
        attempt(table.insert, tf.constant(["a"]), tf.constant([1.0])),
        attempt(table.lookup, tf.constant([1])),
        attempt(table.remove, tf.constant([1])),
        attempt(tf.lookup.experimental.MutableHashTable, tf.string, tf.int64, "x"),
    )


@program(graph=False)
def tables_are_saved(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="t")
    dense = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.float32, 0.0, empty_key=-1, deleted_key=-2, initial_num_buckets=4, name="d"
    )
    tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="not_saved", checkpoint=False)
    saver = tf.train.Saver()
    path = os.path.join(tempfile.mkdtemp(), "m")
    with tf.Session() as sess:
        sess.run(table.insert(["a", "b"], [1, 2]))
        sess.run(dense.insert(tf.constant([5, 6], tf.int64), [0.5, 0.25]))
        saver.save(sess, path)
    names = sorted(name for name, _ in tf.train.list_variables(path))
    with tf.Session() as sess:
        sess.run(table.insert(["z"], [9]))
        saver.restore(sess, path)
        return names, sess.run(
            [table.lookup(["a", "b", "z"]), table.size(), dense.lookup(tf.constant([5, 7], tf.int64)), dense.size()]
        )


@program()
def nodes_of_a_saver(tf):
    tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="t")
    tf.train.Saver()


@program()
def dense_table(tf):
    table = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, -1, empty_key=-1, deleted_key=-2, initial_num_buckets=4
    )
    everything, total = table.export(), table.size()
    find = table.lookup(tf.constant([10, 5], tf.int64))
    steps = [
        table.insert(tf.constant([10, 11, 12], tf.int64), tf.constant([1, 2, 3], tf.int64)),
        table.remove(tf.constant([10, 99], tf.int64)),
        table.insert(tf.constant([20, 21, 22, 23], tf.int64), tf.constant([4, 5, 6, 7], tf.int64)),
    ]
    with tf.Session() as sess:
        out = [sess.run([everything, total])]
        for step in steps:
            sess.run(step)
            out.append(sess.run([everything, total, find]))
        return out, find.shape


@program(graph=False)
def what_a_dense_table_does_not_take(tf):
    def made(**options):
        settings = {"empty_key": -1, "deleted_key": -2}
        settings.update(options)
        return tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, **settings)

    with tf.Session() as sess:
        table = made()
        key = tf.constant([1], tf.int64)
        return (
            attempt(sess.run, table.insert(tf.constant([-1], tf.int64), key)),
            attempt(sess.run, table.insert(tf.constant([-2], tf.int64), key)),
            attempt(sess.run, table.lookup(tf.constant([-1], tf.int64))),
            attempt(sess.run, made(deleted_key=-1).size()),
            attempt(sess.run, made(initial_num_buckets=3).size()),
        )


@program()
def dense_table_of_strings(tf):
    table = tf.lookup.experimental.DenseHashTable(
        tf.string, tf.float32, [1.0, 2.0], empty_key="", deleted_key="$", initial_num_buckets=4, name="words"
    )
    with tf.Session() as sess:
        sess.run(table.insert(["x", "y"], [[1.0, 2.0], [3.0, 4.0]]))
        return sess.run([table.lookup(["x", "q"]), table.size()])


# -- tf.contrib.lookup ------------------------------------------------------------------------------------------


@program(oracle="1.15")
def index_of_a_list(tf):
    lookup = tf.contrib.lookup
    table = lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=1, default_value=-1)
    plain = lookup.index_table_from_tensor(tf.constant(["a", "b"]), default_value=7)
    numbers = lookup.index_table_from_tensor([10, 20], num_oov_buckets=1, dtype=tf.int64)
    back = lookup.index_to_string_table_from_tensor(["a", "b"], default_value="UNK")
    outs = [
        table.lookup(tf.constant(["a", "z"])), plain.lookup(tf.constant(["b", "z"])),
        numbers.lookup(tf.constant([20, 30], tf.int64)), back.lookup(tf.constant([0, 5], tf.int64)),
        table.size(), back.size(),
    ]  # fmt: skip
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        return sess.run(outs), table.name, back.name, collections(tf)


@program(oracle="1.15", graph=False)
def index_of_a_file(tf):
    lookup = tf.contrib.lookup
    path = file_of("a\nb\nc\n")
    table = lookup.index_table_from_file(path, num_oov_buckets=2, vocab_size=3)
    strong = lookup.index_table_from_file(path, num_oov_buckets=3, hasher_spec=lookup.StrongHashSpec([1, 2]))
    back = lookup.index_to_string_table_from_file(path)
    words = tf.constant(["a", "zebra", "c"])
    outs = [table.lookup(words), strong.lookup(words), back.lookup(tf.constant([2, 9], tf.int64)), table.size()]
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        return sess.run(outs), [op.name for op in tf.get_default_graph().get_operations()]


@program(oracle="1.15")
def tables_of_contrib(tf):
    lookup = tf.contrib.lookup
    table = lookup.HashTable(lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    shared = lookup.HashTable(lookup.KeyValueTensorInitializer(["a"], [1]), -1, shared_name="mine", name="other")
    changing = lookup.MutableHashTable(tf.string, tf.int64, -1)
    put = changing.insert(tf.constant(["a"]), tf.constant([1], tf.int64))
    ids = lookup.string_to_index(tf.constant(["a", "q"]), tf.constant(["a", "b"]))
    words = lookup.index_to_string(tf.constant([0, 9], tf.int64), tf.constant(["a", "b"]))
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        sess.run(table.init)
        sess.run(put)
        return (
            sess.run([table.lookup(tf.constant(["a", "z"])), shared.size(), ids, words]),
            sess.run(changing.lookup(tf.constant(["a"]))),
        )


@program(oracle="1.15", graph=False)
def what_contrib_does_not_take(tf):
    lookup = tf.contrib.lookup
    return (
        attempt(lookup.index_table_from_file, ""),
        attempt(lookup.index_table_from_file, "f", num_oov_buckets=-1),
        attempt(lookup.index_table_from_file, "f", vocab_size=0),
        attempt(lookup.index_table_from_file, "f", key_dtype=tf.float32),
        attempt(lookup.index_table_from_tensor, None),
        attempt(lookup.index_table_from_tensor, ["a"], num_oov_buckets=-1),
        attempt(lookup.index_table_from_tensor, ["a"], dtype=tf.float32),
        attempt(lookup.index_table_from_tensor, ["a"], dtype=tf.int64),
        attempt(lookup.index_to_string_table_from_tensor, None),
        attempt(lookup.IdTableWithHashBuckets, None, 0),
        attempt(lookup.StrongHashSpec, [1]),
    )
