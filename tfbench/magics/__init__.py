"""The magics: one a file; each parses, calls a plain Python function, and displays what it returns."""

from __future__ import annotations

from tfbench.magics.extension import load_ipython_extension, unload_ipython_extension
