"""`tf.keras.preprocessing.text`: texts as words, words as numbers."""

from __future__ import annotations

import json
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from hashlib import md5
from typing import Any

import numpy as np

__all__ = ["Tokenizer", "hashing_trick", "one_hot", "text_to_word_sequence"]

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(text: str, filters: str = _FILTERS, lower: bool = True, split: str = " ") -> list[str]:
    """The words of a text: what is between `split`, the characters in `filters` counting as such."""
    text = text.lower() if lower else text
    return [word for word in text.translate(dict.fromkeys(map(ord, filters), split)).split(split) if word]


def one_hot(text: str, n: int, filters: str = _FILTERS, lower: bool = True, split: str = " ") -> list[int]:
    """Each word as Python's `hash` of it, from 1 to n - 1. Another process may give other numbers."""
    return hashing_trick(text, n, hash, filters, lower, split)


def hashing_trick(
    text: str, n: int, hash_function: Any = None, filters: str = _FILTERS, lower: bool = True, split: str = " "
) -> list[int]:
    """Each word as a number from 1 to n - 1.

    `hash_function` is a function from words to integers, "md5", or None for Python's `hash`.
    """
    hashed: Callable[[str], int] = hash_function or hash
    if hash_function == "md5":

        def hashed(word: str) -> int:
            return int(md5(word.encode()).hexdigest(), 16)

    return [hashed(word) % (n - 1) + 1 for word in text_to_word_sequence(text, filters, lower, split)]


class Tokenizer:
    """Numbers for words, the most frequent ones first. 0 is no word's.

    Args:
      num_words: only the words with smaller numbers are used; default: all.
      filters, lower, split: how a text is split; a list is taken to be split already.
      char_level: whether characters are the words.
      oov_token: what stands for words that are not known, as word 1; default: they are left out.

    Raises:
      TypeError: for any other keyword.
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = _FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: Any = None,
        document_count: int = 0,
        **kwargs: Any,
    ) -> None:
        if "nb_words" in kwargs:
            warnings.warn("The `nb_words` argument in `Tokenizer` has been renamed `num_words`.", stacklevel=2)
            num_words = kwargs.pop("nb_words")
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        #: how often each word was there, and in how many texts
        self.word_counts: OrderedDict[str, int] = OrderedDict()
        self.word_docs: dict[str, int] = defaultdict(int)
        #: in how many texts the word of a number was
        self.index_docs: dict[int, int] = defaultdict(int)
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}
        self.num_words = num_words
        self.filters, self.lower, self.split = filters, lower, split
        self.document_count = document_count
        self.char_level = char_level
        self.oov_token = oov_token

    def _words(self, text: Any) -> Any:
        if self.char_level or isinstance(text, list):
            if not self.lower:
                return text
            return [one.lower() for one in text] if isinstance(text, list) else text.lower()
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Any) -> None:
        """Counts the words of more texts, and gives all words numbers anew."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        by_count = sorted(self.word_counts.items(), key=lambda item: item[1], reverse=True)
        words = [*([] if self.oov_token is None else [self.oov_token]), *(word for word, _ in by_count)]
        self.word_index = dict(zip(words, range(1, len(words) + 1), strict=True))
        self.index_word = {number: word for word, number in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Any) -> None:
        """Counts in how many sequences of numbers each number is."""
        self.document_count += len(sequences)
        for sequence in sequences:
            for number in set(sequence):
                self.index_docs[number] += 1

    def texts_to_sequences(self, texts: Any) -> list[list[int]]:
        """Each text as the numbers of its words."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Any) -> Iterator[list[int]]:
        """`texts_to_sequences`, one after the other."""
        for text in texts:
            yield list(self._found(self._words(text), self.word_index, lambda _, number: number))

    def sequences_to_texts(self, sequences: Any) -> list[str]:
        """Numbers as words again, with blanks between."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Any) -> Iterator[str]:
        """`sequences_to_texts`, one after the other."""
        for sequence in sequences:
            yield " ".join(self._found(sequence, self.index_word, lambda number, _: number))

    def _found(self, items: Any, table: Any, number: Callable[[Any, Any], int]) -> Iterator[Any]:
        """What the table has for the items; for those that it lacks, or that are too rare, what stands for them."""
        instead: Any = self.word_index.get(self.oov_token)
        if instead is not None and table is self.index_word:
            instead = self.index_word[instead]
        for item in items:
            value = table.get(item)
            if value is not None and not (self.num_words and number(item, value) >= self.num_words):
                yield value
            elif instead is not None or (value is None and self.oov_token is not None):
                yield instead

    def texts_to_matrix(self, texts: Any, mode: str = "binary") -> np.ndarray[Any, Any]:
        """`sequences_to_matrix` of the texts' words."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode=mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> np.ndarray[Any, Any]:
        """float64 [sequences, words]: whether a word is there, how often ("count", "freq"), or "tfidf".

        Raises:
          ValueError: before the Tokenizer knows words or texts, and for another mode.
        """
        if not self.num_words and not self.word_index:
            raise ValueError("Specify a dimension (`num_words` argument), or fit on some text data first.")
        width = self.num_words or len(self.word_index) + 1
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        matrix = np.zeros((len(sequences), width))
        for row, sequence in enumerate(sequences):
            counts: dict[int, int] = defaultdict(int)
            for number in sequence:
                if number < width:
                    counts[number] += 1
            for number, count in counts.items():
                if mode == "count":
                    matrix[row, number] = count
                elif mode == "freq":
                    matrix[row, number] = count / len(sequence)
                elif mode == "binary":
                    matrix[row, number] = 1
                elif mode == "tfidf":
                    rarity = np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
                    matrix[row, number] = (1 + np.log(count)) * rarity
                else:
                    raise ValueError("Unknown vectorization mode:", mode)
        return matrix

    def get_config(self) -> dict[str, Any]:
        """The arguments, and what was counted as JSON."""
        plain = ("num_words", "filters", "lower", "split", "char_level", "oov_token", "document_count")
        counted = ("word_counts", "word_docs", "index_docs", "index_word", "word_index")
        return {
            **{name: getattr(self, name) for name in plain},
            **{name: json.dumps(getattr(self, name)) for name in counted},
        }

    def to_json(self, **kwargs: Any) -> str:
        """All of it as JSON; `kwargs` are those of `json.dumps`."""
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)
