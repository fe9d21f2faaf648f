"""GPUs of the stand-in for CuPy, for tests of what tfbench does with GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest

import tfbench as tf
from tests.gpu import strict_cupy


@pytest.fixture
def one_gpu(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A machine with one GPU of 4 GiB; its `cupy.cuda`."""
    return strict_cupy.install(monkeypatch, devices=1, memory=4 << 30)


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A machine with two GPUs of 4 GiB each; its `cupy.cuda`."""
    return strict_cupy.install(monkeypatch, devices=2, memory=4 << 30)


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield
