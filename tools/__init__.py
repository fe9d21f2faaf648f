"""Scripts of the project: run from its root as `python -m tools.NAME`."""
