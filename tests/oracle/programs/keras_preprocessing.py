"""tf.keras.preprocessing: sequences and texts as arrays (TensorFlow 1.15)."""

import random

import numpy as np

from tests.oracle import attempt, program

WORDS = ["The cat sat on the mat.", "The dog ate my homework!", "the cat, the dog: THE end", ""]


@program(oracle="1.15", graph=False)
def padding(tf):
    pad = tf.keras.preprocessing.sequence.pad_sequences
    some = [[1, 2, 3], [4], [], [5, 6]]
    found = [pad(some), str(pad(some).dtype), pad(some, maxlen=2), pad(some, maxlen=2, truncating="post")]
    found += [pad(some, maxlen=5, padding="post", value=-1), pad(some, dtype="float32", value=0.5)]
    found += [pad([[[1, 2]], [[3, 4], [5, 6]]], padding="post"), pad([np.arange(3), np.arange(1)])]
    found += [pad([["a"], ["b", "c"]], dtype=object, value="none").tolist(), str(pad(some, dtype="float64").dtype)]
    return found + [
        attempt(pad, 3), attempt(pad, [1, 2]), attempt(pad, some, truncating="left"),
        attempt(pad, some, padding="left"), attempt(pad, [[[1, 2]], [[3]]]), attempt(pad, some, value="x"),
    ]  # fmt: skip


@program(oracle="1.15", graph=False)
def words(tf):
    text = tf.keras.preprocessing.text
    found = [text.text_to_word_sequence("Hello, World! it's\tme")]
    found += [text.text_to_word_sequence("a-B-c", lower=False, split="-", filters="")]
    found += [text.hashing_trick("one two three two", 50, hash_function="md5")]
    found += [text.hashing_trick("a bb", 5, hash_function=len)]
    return [*found, len(text.one_hot("some words", 7))]


@program(oracle="1.15", graph=False)
def tokens(tf):
    text = tf.keras.preprocessing.text
    found = []
    for options in ({}, {"num_words": 3}, {"num_words": 4, "oov_token": "?"}, {"char_level": True}, {"lower": False}):
        made = text.Tokenizer(**options)
        made.fit_on_texts(WORDS)
        numbers = made.texts_to_sequences([*WORDS, "a new cat"])
        found += [sorted(made.word_index.items()), sorted(made.index_word.items()), list(made.word_counts.items())]
        found += [sorted(made.word_docs.items()), made.document_count, sorted(made.index_docs.items())]
        found += [numbers, made.sequences_to_texts(numbers), made.sequences_to_texts([[2, 99]])]
        found += [made.texts_to_matrix(WORDS, mode=mode) for mode in ("binary", "count", "freq", "tfidf")]
    made = text.Tokenizer()
    made.fit_on_texts([["One", "two"], ["two"]])
    found += [sorted(made.word_index.items()), made.texts_to_sequences([["ONE", "three"]])]
    made.fit_on_sequences([[1, 2, 2], [2]])
    found += [made.document_count, sorted(made.get_config()), made.get_config()["index_word"]]
    return found + [
        attempt(text.Tokenizer().sequences_to_matrix, [[1]]),
        attempt(text.Tokenizer(5).sequences_to_matrix, [[1]], "tfidf"),
        attempt(made.sequences_to_matrix, [[1]], "other"), attempt(text.Tokenizer, words=3),
    ]  # fmt: skip


@program(oracle="1.15", graph=False, tol=1e-5)
def windows(tf):
    sequence = tf.keras.preprocessing.sequence
    data, targets = np.arange(20).reshape(10, 2), np.arange(10)
    found = []
    for options in (
        {}, {"sampling_rate": 2, "batch_size": 2}, {"stride": 2, "reverse": True}, {"start_index": 2, "end_index": 7}
    ):  # fmt: skip
        made = sequence.TimeseriesGenerator(data, targets, length=3, **options)
        found += [len(made), [made[at] for at in range(len(made))]]
    found += [sorted(made.get_config().items()), made.to_json()]
    found += [attempt(sequence.TimeseriesGenerator, data, targets[:3], 2)]
    found += [attempt(sequence.TimeseriesGenerator, data, targets, 10)]
    made = sequence.TimeseriesGenerator(data.astype("float32"), targets.astype("float32"), length=3, batch_size=4)
    one = tf.keras.layers.Dense(1, kernel_initializer="ones")
    model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(3, 2)), one])
    model.compile("sgd", "mse")
    return [*found, model.predict_generator(made), model.evaluate_generator(made)]


@program(oracle="1.15", graph=False, tol=1e-6)
def pairs(tf):
    sequence = tf.keras.preprocessing.sequence
    table = sequence.make_sampling_table(5)
    found = [table]
    for options in (
        {"shuffle": False, "negative_samples": 0}, {"window_size": 1, "seed": 3}, {"categorical": True, "seed": 1},
        {"sampling_table": table, "shuffle": False},
    ):  # fmt: skip
        random.seed(5)
        found += [sequence.skipgrams([1, 2, 0, 3, 4, 1, 2, 3, 4], 5, **options)]
    return found
