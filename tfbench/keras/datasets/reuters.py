"""News, by topic."""

from __future__ import annotations

import json
from typing import Any

from tfbench.keras.datasets.local import arrays, local_file, shuffled
from tfbench.keras.datasets.words import chosen, divided, renamed


def load_data(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> Any:
    """((texts, topics) for training, the same for tests). A text is a list of numbers of words.

    The arguments are those of `imdb.load_data`; `test_split` is the part that is for tests.

    Raises:
      FileNotFoundError: if the file is neither `path` nor in ~/.keras/datasets.
    """
    num_words = renamed(num_words, kwargs)
    found = arrays(local_file(path))
    texts, labels = shuffled(seed, found["x"], found["y"])
    texts, labels = chosen(texts, labels, num_words, skip_top, maxlen, start_char, oov_char, index_from)
    return divided(texts, labels, int(len(texts) * (1 - test_split)))


def get_word_index(path: str = "reuters_word_index.json") -> Any:
    """{word: its number, before `index_from` is added}."""
    with local_file(path).open(encoding="utf-8") as file:
        return json.load(file)
