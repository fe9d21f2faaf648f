"""What stands for the gradient of an output that nobody differentiated."""

from __future__ import annotations

from tfbench.engine import dtypes, ops
from tfbench.engine.gradients import registry
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.resource_state import variable_dtype
from tfbench.engine.tensor import Tensor


def zeros_for(op: Operation, index: int) -> Tensor:
    """Zeros like an output; for a variable's handle, like the variable."""
    special = registry.zeros_functions.get(op.type)
    if special is not None:
        return special(op, index)
    tensor = op.outputs_list[index]
    if tensor._dtype is dtypes.resource:
        return ops.zeros(lookup("VariableShape")(tensor), variable_dtype(tensor))
    return ops.zeros_like(tensor, optimize=False)
