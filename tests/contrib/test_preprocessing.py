"""Vocabularies of texts: TensorFlow 1.15's answers."""

from __future__ import annotations

import numpy as np
import pytest

import tfbench as tf

texts = tf.contrib.learn.preprocessing


def test_words():
    text = "Hello Wörld, it's ABCDef foo-bar x.y NASA's CamelCase 12 3.5 _u"
    expected = ["Hello", "Wörld", "it's", "ABC", "Def", "foo-bar", "x", "y", "NASA", "'s", "Camel", "Case", "12", "3",
                "5", "_u"]  # fmt: skip
    assert list(texts.tokenizer([text, ""])) == [expected, []]


def test_rows_of_numbers(tmp_path):
    processor = texts.VocabularyProcessor(4, min_frequency=1)
    rows = list(processor.fit_transform(["a b c a", "b d a e f", "b"]))
    assert [row.tolist() for row in rows] == [[1, 2, 0, 1], [2, 0, 1, 0], [2, 0, 0, 0]]
    assert rows[0].dtype == np.int64
    assert len(processor.vocabulary_) == 3
    assert list(processor.reverse([[1, 2, 0], [0]])) == ["a b <UNK>", "<UNK>"]
    processor.save(str(tmp_path / "vocabulary"))
    restored = texts.VocabularyProcessor.restore(str(tmp_path / "vocabulary"))
    assert next(restored.transform(["c b a b a b"])).tolist() == [0, 2, 1, 2]


def test_a_vocabulary_and_a_tokenizer_of_ones_own():
    letters = texts.VocabularyProcessor(3, tokenizer_fn=lambda documents: map(list, documents))
    assert next(letters.fit(["ab", "bc"]).transform(["cabz"])).tolist() == [3, 1, 2]
    vocabulary = texts.CategoricalVocabulary()
    vocabulary.add("k")
    assert next(texts.VocabularyProcessor(3, vocabulary=vocabulary).fit_transform(["k m"])).tolist() == [1, 2, 0]


def test_a_vocabulary():
    words = texts.CategoricalVocabulary()
    assert [words.get(word) for word in ("x", "y", "x", "<UNK>")] == [1, 2, 1, 0]
    words.add("z", 3)
    words.add("<UNK>")
    words.add("x", 2)
    words.freeze()
    assert (words.get("q"), len(words)) == (0, 4)
    words.freeze(False)
    assert words.get("q") == 4
    words.add(5, 2)
    words.trim(1)
    assert [words.reverse(number) for number in range(len(words))] == ["<UNK>", "z", 5, "x"]
    with pytest.raises(IndexError):
        words.reverse(9)


def test_words_that_are_too_frequent_and_no_way_back():
    words = texts.CategoricalVocabulary("?", support_reverse=False)
    for word, count in (("a", 1), ("b", 5), ("d", 9)):
        words.add(word, count)
    words.trim(0, 9)
    words.freeze()
    assert [words.get(word) for word in "?abd"] == [0, 2, 1, 0]
    with pytest.raises(ValueError, match=r"wasn't initialized with support_reverse"):
        words.reverse(1)


def test_bytes():
    processor = texts.ByteProcessor(4)
    rows = list(processor.fit_transform(["abé", "xyzzy", "a"]))
    assert [row.tolist() for row in rows] == [[97, 98, 195, 169], [120, 121, 122, 122], [97, 0, 0, 0]]
    assert rows[0].dtype == np.uint8
    assert list(processor.reverse(rows)) == ["abé", "xyzz", "a"]


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match=r"contrib\.learn' has no attribute 'DNNClassifierr'"):
        tf.contrib.learn.DNNClassifierr
