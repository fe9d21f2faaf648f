"""`Model`: a network that can be trained."""

from __future__ import annotations

import json
from typing import Any

from tfbench.engine import nest
from tfbench.keras.engine import saving
from tfbench.keras.engine.network import Network
from tfbench.keras.engine.network_config import network_config, network_from


class Model(Network):
    """Layers put together.

    Either `Model(inputs, outputs)`, with tensors that come from `Input` and layers, or a subclass with a `call`.
    """

    def _after_call(self, inputs: Any, outputs: Any) -> None:
        if not self.inputs:
            self._set_ends(inputs, outputs)

    def _set_ends(self, inputs: Any, outputs: Any) -> None:
        """What a model without a graph begins and ends with, known from its first call."""
        flat, ends = nest.flatten(inputs), nest.flatten(outputs)
        names = [f"input_{at + 1}" for at in range(len(flat))]
        fed = [at for at, tensor in enumerate(flat) if tensor.op.type == "Placeholder"]
        vars(self).update(
            inputs=flat,
            outputs=ends,
            input_names=names,
            output_names=[f"output_{at + 1}" for at in range(len(ends))],
            _feed_inputs=[flat[at] for at in fed],
            _feed_input_names=[names[at] for at in fed],
            _feed_input_shapes=[tuple(flat[at].shape.as_list()) for at in fed],
            built=True,
        )

    # -- as data and in files ---------------------------------------------------------------------------------------

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
