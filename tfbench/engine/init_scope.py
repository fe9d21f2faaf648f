"""`tf.init_scope`: nodes that must run once and for all, made in the midst of others."""

from __future__ import annotations

from tfbench.engine.default_graph import get_default_graph


class init_scope:  # noqa: N801 - TensorFlow's name
    """Context manager: nodes made inside have no control inputs and belong to no branch of a `cond`.

    The name scope, the device and the colocation around it stay as they are.
    """

    def __enter__(self) -> None:
        graph = get_default_graph()
        name = graph.get_name_scope()
        # With a slash, the same scope is entered again and not made unique.
        self._name = graph.name_scope(f"{name}/" if name else "")
        self._name.__enter__()
        self._free = graph.control_dependencies(None)
        self._free.__enter__()

    def __exit__(self, *error: object) -> None:
        self._free.__exit__(None, None, None)
        self._name.__exit__(None, None, None)
