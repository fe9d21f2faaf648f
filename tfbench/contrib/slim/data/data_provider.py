"""`slim.data_provider.DataProvider`: items by name."""

from __future__ import annotations

from typing import Any

__all__ = ["DataProvider"]


class DataProvider:
    """Gives tensors by the names of items."""

    def __init__(self, items_to_tensors: dict[str, Any], num_samples: Any) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Any) -> list[Any]:
        """The tensors of these items.

        Raises:
          ValueError: if `items` is no list, or one is not there.
        """
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")
        valid = self.list_items()
        for item in items:
            if item not in valid:
                raise ValueError(f"Item [{item}] is invalid. Valid entries include: {valid}")
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> list[str]:
        """The names of the items."""
        return list(self._items_to_tensors)

    def num_samples(self) -> Any:
        """How many there are."""
        return self._num_samples
