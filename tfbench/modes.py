"""TensorFlow's switches between its first and its second version. tfbench is the first, and stays it.

What turns a feature of the second version off does nothing; what turns one on says that there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "control_flow_v2_enabled", "disable_control_flow_v2", "disable_eager_execution", "disable_tensor_equality",
    "disable_v2_behavior", "disable_v2_tensorshape", "enable_control_flow_v2", "enable_eager_execution",
    "enable_tensor_equality", "enable_v2_behavior", "enable_v2_tensorshape", "executing_eagerly",
    "executing_eagerly_outside_functions",
]  # fmt: skip


def executing_eagerly() -> bool:
    """False: operations are nodes of a graph, and run in a session."""
    return False


def executing_eagerly_outside_functions() -> bool:
    """False, as `executing_eagerly`."""
    return False


def control_flow_v2_enabled() -> bool:
    """False: `cond` and `while_loop` are built of Switch and Merge."""
    return False


def _off(name: str, doc: str) -> Callable[[], None]:
    def function() -> None:
        return None

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _on(name: str, what: str) -> Callable[..., None]:
    def function(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            f"tf.{name}: tfbench has no {what}. It is TensorFlow 1.x: build a graph, then run it in a tf.Session."
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Raises RuntimeError: there is no {what}."
    return function


disable_eager_execution = _off("disable_eager_execution", "Does nothing: there is no eager execution.")
disable_v2_behavior = _off("disable_v2_behavior", "Does nothing: everything is as in TensorFlow 1.x.")
disable_v2_tensorshape = _off("disable_v2_tensorshape", "Does nothing: `shape[0]` is a Dimension.")
disable_control_flow_v2 = _off("disable_control_flow_v2", "Does nothing: branches are Switch and Merge.")
disable_tensor_equality = _off("disable_tensor_equality", "Does nothing: `==` on tensors is identity.")
enable_eager_execution = _on("enable_eager_execution", "eager execution")
enable_v2_behavior = _on("enable_v2_behavior", "TensorFlow 2 behaviour")
enable_v2_tensorshape = _on("enable_v2_tensorshape", "shapes of plain integers")
enable_control_flow_v2 = _on("enable_control_flow_v2", "functional control flow")
enable_tensor_equality = _on("enable_tensor_equality", "elementwise `==` on tensors (use tf.equal)")
