"""Python functions as ops: they are kept with their graph, so they cannot be made from a sample."""

from __future__ import annotations

NOT_SAMPLED = {"EagerPyFunc": "its function is kept with the graph; tested in the facts of py_function"}
