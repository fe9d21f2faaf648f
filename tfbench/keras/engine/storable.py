"""The part of a model that is data: its structure as plain data and JSON, its weights in files."""

from __future__ import annotations

import json
from typing import Any

from tfbench.keras.engine import saving
from tfbench.keras.engine.compiling import Compiled
from tfbench.keras.engine.network_config import network_config, network_from


class Storable(Compiled):
    """A model's structure and weights, written and read."""

    def get_config(self) -> dict[str, Any]:
        """The graph of layers as plain data.

        Raises:
          NotImplementedError: for a model that has no such graph.
        """
        if not self._is_graph_network:
            raise NotImplementedError("A model that is a class with a `call` has no configuration of its own")
        return network_config(self)

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        """A model with the same graph of layers, and other variables."""
        inputs, outputs = network_from(config, custom_objects)
        return cls(inputs=inputs, outputs=outputs, name=config.get("name"))

    def to_json(self, **kwargs: Any) -> str:
        """The structure as JSON; see `models.model_from_json`. Keywords are those of `json.dumps`."""
        from tfbench.keras import __version__

        config = {
            "class_name": type(self).__name__, "config": self.get_config(), "keras_version": __version__,
            "backend": "tensorflow",
        }  # fmt: skip
        return json.dumps(config, default=_as_json, **kwargs)

    def save_weights(self, filepath: str, overwrite: bool = True, save_format: str | None = None) -> None:
        """Writes the weights in TensorFlow's format. ImportError for a name that says HDF5."""
        saving.save_weights(self, filepath, overwrite, save_format)

    def load_weights(self, filepath: str, by_name: bool = False) -> Any:
        """Reads what `save_weights` wrote."""
        return saving.load_weights(self, filepath, by_name)

    def save(self, filepath: str, *args: Any, **kwargs: Any) -> None:
        """Not there: whole models are written in HDF5 or as a SavedModel with functions.

        Raises:
          ImportError: always, with what can be done instead.
        """
        saving.needs_hdf5("save", filepath)


def _as_json(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if hasattr(value, "__name__"):
        return value.__name__
    raise TypeError(f"Not JSON serializable: {value!r}")
