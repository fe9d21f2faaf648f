"""The contexts of branches and loops: who an op belongs to, and how values get in.

`context` is what all have in common, `cond_context` one branch of a `cond`, `while_context` one loop; `validity` says
which contexts a tensor may be used from, `nodes` makes the dataflow nodes.
"""

from tfbench.engine.control_flow.cond_context import CondContext
from tfbench.engine.control_flow.context import ControlFlowContext, output_context
from tfbench.engine.control_flow.while_context import WhileContext

__all__ = ["CondContext", "ControlFlowContext", "WhileContext", "output_context"]
