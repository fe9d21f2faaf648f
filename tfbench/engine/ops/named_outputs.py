"""Several outputs as a named tuple: what TensorFlow's functions for one op return."""

from __future__ import annotations

from typing import Any

from tfbench.engine.opdef import OpDef

_classes: dict[str, Any] = {}


def named_outputs(opdef: OpDef, outputs: Any) -> Any:
    """`outputs` (what calling `opdef` returned) as a named tuple; a single output or an operation as it is."""
    if len(opdef.outputs) < 2:
        return outputs
    found = _classes.get(opdef.type)
    if found is None:
        from collections import namedtuple

        made: Any = namedtuple(opdef.type, [arg.name for arg in opdef.outputs])  # type: ignore[misc]
        found = _classes[opdef.type] = made
    return found._make(outputs)
