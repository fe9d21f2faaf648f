"""A bench with names of its own."""

from __future__ import annotations

from typing import Any

import pytest

import tfbench as tf
from tfbench.bench import Bench


@pytest.fixture
def names() -> dict[str, Any]:
    """The namespace that the bench binds names in."""
    return {}


@pytest.fixture
def bench(names: dict[str, Any]) -> Bench:
    tf.reset_default_graph()
    return Bench(names)
