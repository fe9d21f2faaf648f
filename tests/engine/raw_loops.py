"""A while loop made of its ops alone, for tests of the executor that do not stand on `tf.while_loop`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tfbench as tf
from tfbench.engine.opdef import lookup


class RawLoop:
    """The frame of one loop while it is built: what is outside comes in through `capture`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.pivot: Any = None

    def enter(self, value: Any, constant: bool, **kwargs: Any) -> Any:
        value = tf.convert_to_tensor(value)
        kind = "RefEnter" if value.dtype._is_ref_dtype else "Enter"
        inside = lookup(kind)(value, frame_name=self.name, is_constant=constant, **kwargs)
        inside.set_shape(value.shape)
        return inside

    def capture(self, value: Any) -> Any:
        """A value from outside, in each iteration."""
        with tf.control_dependencies(None):
            return self.enter(value, True)

    def constant(self, value: Any, dtype: Any = None) -> Any:
        """A constant inside."""
        with tf.control_dependencies([self.pivot]):
            return tf.constant(value, dtype)


def raw_while(
    cond: Callable[..., Any], body: Callable[..., Any], variables: Sequence[Any], name: str = "loop"
) -> list[Any]:
    """`cond(frame, *variables)`, `body(frame, *variables)`; returns the Exits."""
    frame = RawLoop(tf.get_default_graph().unique_name(name))
    enters = [frame.enter(value, False) for value in variables]
    merges = [lookup("RefMerge" if e.dtype._is_ref_dtype else "Merge")([e, e])[0] for e in enters]
    frame.pivot = merges[0].op
    condition = lookup("LoopCond")(cond(frame, *merges))
    switches = [lookup("RefSwitch" if m.dtype._is_ref_dtype else "Switch")(m, condition) for m in merges]
    bodies = [tf.identity(s[1]) if not s[1].dtype._is_ref_dtype else s[1] for s in switches]
    frame.pivot = bodies[0].op
    results = body(frame, *bodies)
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    for merge, result in zip(merges, results, strict=True):
        kind = "RefNextIteration" if result.dtype._is_ref_dtype else "NextIteration"
        merge.op._update_input(1, lookup(kind)(result))
    return [lookup("RefExit" if s[0].dtype._is_ref_dtype else "Exit")(s[0]) for s in switches]
