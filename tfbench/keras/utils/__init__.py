"""`tf.keras.utils`: labels as vectors, names for what is a program's own, and what a model begins with."""

from __future__ import annotations

from tfbench.keras.engine.layer_graph import get_source_inputs
from tfbench.keras.utils.arrays import normalize, to_categorical
from tfbench.keras.utils.generic_utils import (
    CustomObjectScope,
    custom_object_scope,
    deserialize_keras_object,
    get_custom_objects,
    serialize_keras_object,
)
from tfbench.keras.utils.progbar import Progbar
from tfbench.keras.utils.sequence import Sequence
