"""`tf.contrib.learn.preprocessing`: texts as rows of numbers, and the vocabulary that numbers them.

Number 0 is every word that the vocabulary does not know, and what fills a row up.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tfbench import gfile

__all__ = ["ByteProcessor", "CategoricalVocabulary", "VocabularyProcessor", "tokenizer"]

#: an acronym ("ABC" of "ABCDef"), a part of a CamelCase word, or a word
_CAPITALS, _CAMEL, _WORD = r"[A-Z]{2,}(?![a-z])", r"[A-Z][a-z]+(?=[A-Z])", r"['\w\-]+"
_TOKEN = re.compile(f"{_CAPITALS}|{_CAMEL}|{_WORD}", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each text."""
    return (_TOKEN.findall(text) for text in iterator)


class CategoricalVocabulary:
    """Numbers for words (or anything that can be a key), in the order in which they come.

    Args:
      unknown_token: what number 0 stands for.
      support_reverse: numbers can be asked for their words.
    """

    def __init__(self, unknown_token: Any = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._mapping = {unknown_token: 0}
        self._support_reverse = support_reverse
        self._reverse_mapping = [unknown_token]
        self._freq: dict[Any, int] = {}
        self._frozen = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """From now on no new word gets a number (or, with False, does again)."""
        self._frozen = freeze

    def get(self, category: Any) -> int:
        """The number of a word; a new word gets the next one, or 0 if the vocabulary is frozen."""
        number = self._mapping.get(category)
        if number is None:
            if self._frozen:
                return 0
            number = self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        return number

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a word, `count` times."""
        if self.get(category) > 0:
            self._freq[category] = self._freq.get(category, 0) + count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps the words that came more than `min_frequency` and (if above 0) less than `max_frequency` times, and
        numbers them by how often they came."""
        ordered = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        ordered.sort(key=lambda item: item[1], reverse=True)
        kept = [
            (category, count) for category, count in ordered if count > min_frequency and not 0 < max_frequency <= count
        ]
        self._mapping = {self._unknown_token: 0, **{category: at for at, (category, _) in enumerate(kept, 1)}}
        if self._support_reverse:
            self._reverse_mapping = list(self._mapping)
        self._freq = dict(kept)

    def reverse(self, class_id: int) -> Any:
        """The word of a number.

        Raises:
          ValueError: without `support_reverse`.
        """
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Texts as rows of the numbers of their words.

    Args:
      max_document_length: how long a row is; the words of a text beyond it are left out.
      min_frequency: words that come only so often count as unknown.
      vocabulary: a `CategoricalVocabulary` to go on with.
      tokenizer_fn: a function of texts that gives the words of each; `tokenizer`.
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[Any]], Iterable[Any]] | None = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = CategoricalVocabulary() if vocabulary is None else vocabulary
        self._tokenizer = tokenizer if tokenizer_fn is None else tokenizer_fn

    def fit(self, raw_documents: Iterable[Any], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words of the texts; those of later ones are unknown."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def transform(self, raw_documents: Iterable[Any]) -> Iterator[Any]:
        """A row of int64 for each text."""
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for at, word in zip(range(self.max_document_length), words, strict=False):
                row[at] = self.vocabulary_.get(word)
            yield row

    def fit_transform(self, raw_documents: Any, unused_y: Any = None) -> Iterator[Any]:
        """`fit`, then `transform`."""
        return self.fit(raw_documents).transform(raw_documents)

    def reverse(self, documents: Iterable[Any]) -> Iterator[str]:
        """The words of each row, with blanks between them."""
        return (" ".join(self.vocabulary_.reverse(number) for number in row) for row in documents)

    def save(self, filename: Any) -> None:
        """Writes it into a file, as a pickle."""
        with gfile.Open(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: Any) -> Any:
        """What `save` has written. A pickle runs code when it is read: restore only files that you trust."""
        with gfile.Open(filename, "rb") as file:
            return pickle.loads(file.read())


class ByteProcessor:
    """Texts as rows of their bytes (UTF-8), cut off or filled up with zeros."""

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> ByteProcessor:
        """Nothing is learnt."""
        return self

    def fit_transform(self, x: Iterable[Any]) -> Iterator[Any]:
        """`transform`."""
        return self.transform(x)

    def transform(self, x: Iterable[Any]) -> Iterator[Any]:
        """A row of uint8 for each text."""
        for text in x:
            data = text.encode() if isinstance(text, str) else bytes(text)
            row = np.zeros(self.max_document_length, np.uint8)
            found = np.frombuffer(data[: self.max_document_length], np.uint8)
            row[: len(found)] = found
            yield row

    def reverse(self, x: Iterable[Any]) -> Iterator[str]:
        """The text of each row, without the zeros behind it."""
        for row in x:
            yield bytes(np.asarray(row, np.uint8)).rstrip(b"\0").decode("utf-8", "replace")
