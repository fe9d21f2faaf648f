"""`tensorflow.python.eager`: see `tfbench.python.mirrors`."""

from __future__ import annotations

from tfbench.python.mirrors import install

globals().update(install("eager"))
