"""`slim.data_decoder.DataDecoder`: what a decoder has to have."""

from __future__ import annotations

from typing import Any

__all__ = ["DataDecoder"]


class DataDecoder:
    """Turns data into items."""

    def decode(self, data: Any, items: Any) -> list[Any]:
        """The items asked for."""
        raise NotImplementedError

    def list_items(self) -> list[str]:
        """The names of the items."""
        raise NotImplementedError
