"""Reviews of films, liked or not."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tfbench.keras.datasets.local import arrays, local_file, shuffled
from tfbench.keras.datasets.words import chosen, divided, renamed


def load_data(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> Any:
    """((reviews, 0 or 1) for training, the same for tests). A review is a list of numbers of words.

    Args:
      num_words, skip_top: words with numbers from `skip_top` to below `num_words` are kept.
      maxlen: only reviews shorter than that.
      start_char: what each review begins with.
      oov_char: what stands for other words; None: they are left out.
      index_from: what is added to words' numbers.

    Raises:
      FileNotFoundError: if the file is neither `path` nor in ~/.keras/datasets.
      ValueError: if no review is short enough.
    """
    num_words = renamed(num_words, kwargs)
    found = arrays(local_file(path))
    train, train_labels = shuffled(seed, found["x_train"], found["y_train"])
    test, test_labels = shuffled_on(found["x_test"], found["y_test"])
    texts, labels = chosen(
        [*train, *test], np.concatenate([train_labels, test_labels]), num_words, skip_top, maxlen, start_char,
        oov_char, index_from,
    )  # fmt: skip
    return divided(texts, labels, len(train))


def shuffled_on(*values: Any) -> list[Any]:
    """Arrays in the same random order, with NumPy's random numbers as they go on."""
    order = np.arange(len(values[0]))
    np.random.shuffle(order)
    return [one[order] for one in values]


def get_word_index(path: str = "imdb_word_index.json") -> Any:
    """{word: its number, before `index_from` is added}."""
    with local_file(path).open(encoding="utf-8") as file:
        return json.load(file)
