"""`tensorflow.core.framework`: see `tfbench.core.schemas`."""

from __future__ import annotations

from tfbench.core.schemas import install

globals().update(install("framework"))
