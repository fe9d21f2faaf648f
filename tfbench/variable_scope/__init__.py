"""Variable scopes: a prefix, defaults and a reuse flag for `get_variable`, and a name scope for ops.

The two counters are separate: the variable path comes from nesting (and from captured scope objects), the
op path is made unique like any name scope. That is why a variable `layer/w` may be used by ops in `layer_1/`.
"""

from tfbench.variable_scope import caching as _caching
from tfbench.variable_scope.get import get_local_variable, get_variable
from tfbench.variable_scope.modes import (
    AUTO_REUSE,
    disable_resource_variables,
    enable_resource_variables,
    resource_variables_enabled,
)
from tfbench.variable_scope.opening import no_regularizer, variable_op_scope, variable_scope
from tfbench.variable_scope.scope import VariableScope
from tfbench.variable_scope.stack import get_variable_scope

__all__ = [
    "AUTO_REUSE",
    "VariableScope",
    "disable_resource_variables",
    "enable_resource_variables",
    "get_local_variable",
    "get_variable",
    "get_variable_scope",
    "no_regularizer",
    "resource_variables_enabled",
    "variable_op_scope",
    "variable_scope",
]
