"""Feature columns: what facts from TensorFlow cannot say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfbench as tf
from tfbench.engine.kernels.hashes import concatenated, fingerprint64

fc = tf.feature_column


def run(tensor: tf.Tensor) -> np.ndarray:
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return sess.run(tensor)


def test_a_missing_feature_is_named_with_those_that_are_there() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"Feature b is not in features dict.*\['a', 'c'\]"):
        fc.input_layer({"a": [[1.0]], "c": [[1.0]]}, [fc.numeric_column("b")])


def test_what_is_no_column_nor_key_is_refused() -> None:
    from tfbench.feature_column.columns import Transformed

    with pytest.raises(TypeError, match="must be either"):
        Transformed({}).get(3)


def test_columns_that_share_a_source_share_its_nodes() -> None:
    with tf.Graph().as_default() as graph:
        words = fc.categorical_column_with_hash_bucket("s", 5)
        columns = [fc.indicator_column(words), fc.embedding_column(words, 2)]
        fc.input_layer({"s": tf.constant([["a"], ["b"]])}, columns)
        hashes = [op.name for op in graph.get_operations() if op.type == "StringToHashBucketFast"]
    assert hashes == ["input_layer/s_embedding/lookup"]


def test_a_shared_table_of_another_size_is_refused() -> None:
    with tf.Graph().as_default():
        for size, means in ((3, None), (4, "unexpected shape")):
            source = fc.categorical_column_with_identity("i", size)
            columns = fc.shared_embedding_columns([source], 2, shared_embedding_collection_name="both")
            if means is None:
                fc.input_layer({"i": tf.constant([[1]])}, columns)
                continue
            with pytest.raises(ValueError, match=means):
                fc.input_layer({"i": tf.constant([[1]])}, columns)
            tf.add_to_collection("both", tf.Variable(1.0))
            with pytest.raises(ValueError, match="can only contain one variable"):
                fc.input_layer({"i": tf.constant([[1]])}, columns)


@pytest.mark.parametrize("column", ["indicator", "embedding"])
def test_sequences_need_columns_of_sequences(column: str) -> None:
    from tfbench.feature_column.columns import Transformed

    source = fc.categorical_column_with_identity("i", 3)
    made = fc.indicator_column(source) if column == "indicator" else fc.embedding_column(source, 2)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be of type SequenceCategoricalColumn"):
        made.sequence_dense(Transformed({"i": tf.constant([[1]])}), lambda *_: None)


WORDS = st.lists(st.text(max_size=12), min_size=1, max_size=3)


@given(WORDS, WORDS)
def test_each_combination_is_hashed_in_order(first: list[str], second: list[str]) -> None:
    """The last feature's values vary fastest; a hash is that of the fingerprints, one after the other."""
    with tf.Graph().as_default():
        crossed = tf.sparse.cross_hashed([tf.constant([first]), tf.constant([second])], num_buckets=1000, hash_key=9)
        found = run(crossed.values)
    hashes = [concatenated(concatenated(9, _hash(a)), _hash(b)) % 1000 for a in first for b in second]
    assert found.tolist() == hashes


def _hash(word: str) -> int:
    return fingerprint64(word.encode())


@given(st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=6), st.lists(st.integers(-90, 90), min_size=1))
def test_buckets_are_numpys(values: list[float], boundaries: list[int]) -> None:
    boundaries = sorted(set(boundaries))
    with tf.Graph().as_default():
        column = fc.bucketized_column(fc.numeric_column("x"), boundaries)
        found = run(fc.input_layer({"x": tf.constant(values)}, [column]))
    assert found.argmax(1).tolist() == np.digitize(np.float32(values), boundaries).tolist()


def test_all_names_are_listed_and_nothing_else() -> None:
    assert "numeric_column" in dir(fc)
    assert not [name for name in dir(fc) if name in ("columns", "models", "annotations")]
    with pytest.raises(AttributeError, match="did you mean 'numeric_column'"):
        fc.numeric_colum
