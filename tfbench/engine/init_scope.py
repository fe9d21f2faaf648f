"""`tf.init_scope`: nodes that must run once and for all, made in the midst of others."""

from __future__ import annotations

from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.scopes import lifted_devices


class init_scope:  # noqa: N801 - TensorFlow's name
    """Context manager: nodes made inside have no control inputs and belong to no branch of a `cond`.

    The name scope and the colocation around it stay as they are; devices that colocation hides come back (see
    `lifted_devices`).
    """

    def __enter__(self) -> None:
        graph = get_default_graph()
        name = graph.get_name_scope()
        # With a slash, the same scope is entered again and not made unique.
        self._name = graph.name_scope(f"{name}/" if name else "")
        self._name.__enter__()
        self._free = graph.control_dependencies(None)
        self._free.__enter__()
        self._state = state = graph.scope_state
        self._before = state.devices, state.entered
        state.devices, state.entered = lifted_devices(state), [*state.entered, len(state.devices_outside)]

    def __exit__(self, *error: object) -> None:
        self._state.devices, self._state.entered = self._before
        self._free.__exit__(None, None, None)
        self._name.__exit__(None, None, None)
