"""`tf.version`: the version of TensorFlow whose API and graphs these are."""

from __future__ import annotations

import platform as _platform
import sys as _sys

from tfbench.formats import graph_def as _graph_def

__all__ = [
    "COMPILER_VERSION", "GIT_VERSION", "GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER", "VERSION",
]  # fmt: skip

#: the last TensorFlow with this API, which programs compare with to see what they may use, and what it really is
VERSION: str = _sys.modules["tfbench"].__version__
GIT_VERSION = VERSION.partition("+")[2]
COMPILER_VERSION = _platform.python_compiler()
GRAPH_DEF_VERSION = _graph_def.PRODUCER
GRAPH_DEF_VERSION_MIN_CONSUMER = _graph_def.MIN_CONSUMER
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
