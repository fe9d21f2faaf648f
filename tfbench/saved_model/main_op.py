"""What a loader runs once: the initializers of what a checkpoint does not hold."""

from __future__ import annotations

from typing import Any

from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.ops.grouping import group
from tfbench.variables.functions import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)

__all__ = ["main_op", "main_op_with_restore"]


def main_op() -> Any:
    """All initializers: of global and local variables and of tables."""
    init = global_variables_initializer()
    init_local = local_variables_initializer()
    return group(init, init_local, tables_initializer())


def main_op_with_restore(restore_op_name: Any) -> Any:
    """All initializers, and then a restore."""
    with control_dependencies([main_op()]):
        return group(restore_op_name)
