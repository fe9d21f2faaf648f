"""`slim.dataset.Dataset`: where data lie and how they are read and decoded, for a DatasetDataProvider."""

from __future__ import annotations

from typing import Any

__all__ = ["Dataset"]


class Dataset:
    """Files, the class of their reader, a decoder, how many samples there are, what the items are; and whatever "
    "else is given."""

    data_sources: Any
    reader: Any
    decoder: Any
    num_samples: Any
    items_to_descriptions: Any

    def __init__(
        self, data_sources: Any, reader: Any, decoder: Any, num_samples: Any, items_to_descriptions: Any, **kwargs: Any
    ) -> None:
        given = {
            "data_sources": data_sources, "reader": reader, "decoder": decoder, "num_samples": num_samples,
            "items_to_descriptions": items_to_descriptions,
        }  # fmt: skip
        for name, value in {**kwargs, **given}.items():
            setattr(self, name, value)
