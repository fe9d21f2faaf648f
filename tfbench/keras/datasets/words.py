"""Texts as numbers of words: which are kept, and what stands for the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.keras import logging_of_keras as log


def renamed(num_words: int | None, kwargs: dict[str, Any]) -> int | None:
    """`num_words`, which was called `nb_words` before.

    Raises:
      TypeError: for any other keyword.
    """
    if "nb_words" in kwargs:
        log.warning("The `nb_words` argument in `load_data` has been renamed `num_words`.")
        num_words = kwargs.pop("nb_words")
    if kwargs:
        raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
    return num_words


def chosen(
    texts: Any,
    labels: Any,
    num_words: int | None,
    skip_top: int,
    maxlen: int | None,
    start_char: int | None,
    oov_char: int | None,
    index_from: int,
) -> tuple[list[list[int]], Any]:
    """The texts with numbers from `index_from`, shorter than `maxlen`, and only with the words that are wanted."""
    if start_char is not None:
        texts = [[start_char, *(word + index_from for word in text)] for text in texts]
    elif index_from:
        texts = [[word + index_from for word in text] for text in texts]
    if maxlen:
        kept = [(text, label) for text, label in zip(texts, labels, strict=True) if len(text) < maxlen]
        texts, labels = [text for text, _ in kept], [label for _, label in kept]
    if not len(texts):
        raise ValueError(
            f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was kept. Increase maxlen."
        )
    limit = num_words or max(max(text) for text in texts)
    if oov_char is not None:
        return [[word if skip_top <= word < limit else oov_char for word in text] for text in texts], labels
    return [[word for word in text if skip_top <= word < limit] for text in texts], labels


def divided(texts: list[list[int]], labels: Any, at: int) -> Any:
    """((texts, labels) before `at`, the same from there on), as arrays of lists."""

    def ragged(lists: list[list[int]]) -> np.ndarray[Any, Any]:
        if len({len(one) for one in lists}) == 1:
            return np.array(lists)
        found = np.empty(len(lists), dtype=object)
        found[:] = lists
        return found

    return (ragged(texts[:at]), np.array(labels[:at])), (ragged(texts[at:]), np.array(labels[at:]))
