"""`tf.keras.preprocessing`: texts and sequences made into arrays. There is no `image`."""

from __future__ import annotations

from tfbench.keras.preprocessing import sequence, text

__all__ = ["sequence", "text"]
