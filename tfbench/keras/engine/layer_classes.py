"""Layers by the names of their classes: what a configuration is made into a layer or a model with."""

from __future__ import annotations

from typing import Any

from tfbench.keras.utils.generic_utils import deserialize_keras_object


def layer_from(config: Any, custom_objects: Any = None) -> Any:
    """The layer or model that a dictionary of class name and configuration describes.

    Raises:
      ValueError: for a class that is neither Keras's nor among the custom ones.
    """
    from tfbench.keras import layers, models

    known = {name: one for name, one in vars(layers).items() if isinstance(one, type)}
    known |= {"Model": models.Model, "Sequential": models.Sequential}
    return deserialize_keras_object(config, known, custom_objects, "layer")
