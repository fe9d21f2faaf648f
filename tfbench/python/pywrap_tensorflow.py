"""`tensorflow.python.pywrap_tensorflow`: reading checkpoints."""

from __future__ import annotations

from tfbench.train import NewCheckpointReader

__all__ = ["NewCheckpointReader"]
