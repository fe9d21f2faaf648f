"""The three settings that Keras reads from everywhere: the type of floats, the fuzz, and the layout of images."""

from __future__ import annotations

from typing import Any

import numpy as np

_FLOATS = ("float16", "float32", "float64")
_LAYOUTS = ("channels_last", "channels_first")

_settings: dict[str, Any] = {"floatx": "float32", "epsilon": 1e-7, "image_data_format": "channels_last"}


def floatx() -> str:
    """The default type of floats: 'float16', 'float32' or 'float64'."""
    return str(_settings["floatx"])


def set_floatx(value: str) -> None:
    """Sets the default type of floats. ValueError for any other name."""
    if value not in _FLOATS:
        raise ValueError(f"Unknown floatx type: {value}. It is one of {', '.join(_FLOATS)}")
    _settings["floatx"] = str(value)


def epsilon() -> float:
    """The small number that keeps divisors and logarithms away from 0."""
    return float(_settings["epsilon"])


def set_epsilon(value: float) -> None:
    """Sets the small number."""
    _settings["epsilon"] = value


def image_data_format() -> str:
    """'channels_last' or 'channels_first'."""
    return str(_settings["image_data_format"])


def set_image_data_format(data_format: str) -> None:
    """Sets the layout of images. ValueError for any other name."""
    if data_format not in _LAYOUTS:
        raise ValueError(f"Unknown data_format: {data_format}. It is one of {', '.join(_LAYOUTS)}")
    _settings["image_data_format"] = str(data_format)


def cast_to_floatx(x: Any) -> Any:
    """An array of the default type of floats."""
    return np.asarray(x, dtype=floatx())


def normalized_data_format(value: Any) -> str:
    """The layout that a layer was given, in lower case; None is the setting.

    Raises:
      ValueError: for anything else.
    """
    given = (image_data_format() if value is None else value).lower()
    if given not in _LAYOUTS:
        raise ValueError(
            f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {value}'
        )
    return str(given)
