"""Variables as VariableDef messages."""

from __future__ import annotations

import importlib
from typing import Any


def variable_def(variable: Any, export_scope: str | None, snapshot_name: str, is_resource: bool) -> Any:
    """The VariableDef of `variable` with names relative to `export_scope`; None if it is not in that scope."""
    if export_scope is not None and not variable.name.startswith(export_scope):
        return None
    protos = importlib.import_module("tfbench.formats.protos")

    def strip(name: str) -> str:
        return name[len(export_scope) + 1 :] if export_scope and name.startswith(f"{export_scope}/") else name

    message = protos.VariableDef(
        variable_name=strip(variable.name),
        initializer_name=strip(variable.initializer.name),
        snapshot_name=strip(snapshot_name),
        trainable=variable.trainable,
        is_resource=is_resource,
        synchronization=variable.synchronization,
        aggregation=variable.aggregation,
    )
    if variable.initial_value is not None:
        message.initial_value_name = strip(variable.initial_value.name)
    info = variable.get_save_slice_info()
    if info is not None:
        message.save_slice_info_def.full_name = strip(info.full_name)
        message.save_slice_info_def.full_shape.extend(info.full_shape)
        message.save_slice_info_def.var_offset.extend(info.var_offset)
        message.save_slice_info_def.var_shape.extend(info.var_shape)
    return message
