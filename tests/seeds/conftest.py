"""Each example starts in a graph of its own, as a fresh notebook does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tfbench as tf


@pytest.fixture(autouse=True)
def fresh_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield
