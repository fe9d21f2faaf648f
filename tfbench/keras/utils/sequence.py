"""`Sequence`: batches by number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Sequence:
    """The base of what gives batches by their number: `__getitem__`, `__len__`, and what happens after each epoch."""

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def on_epoch_end(self) -> None:
        """Called after each epoch."""

    def __iter__(self) -> Iterator[Any]:
        return (self[at] for at in range(len(self)))
