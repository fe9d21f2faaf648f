"""`tf.contrib.framework`: shared arguments, model variables, and what checkpoints hold."""

from __future__ import annotations

from tfbench import nest
from tfbench.contrib.arg_scope import (
    add_arg_scope,
    arg_scope,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from tfbench.contrib.assigning import (
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
)
from tfbench.contrib.variables import (
    add_model_variable,
    filter_variables,
    get_local_variables,
    get_model_variables,
    get_trainable_variables,
    get_unique_variable,
    get_variable_full_name,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    global_variable,
    local_variable,
    model_variable,
    variable,
)
from tfbench.engine.ops.asserts_static import assert_same_float_dtype, assert_scalar
from tfbench.engine.ops.static_value import is_tensor
from tfbench.train.checkpoint_reader import list_variables, load_checkpoint, load_variable
from tfbench.train.init_from_checkpoint import init_from_checkpoint
from tfbench.train.training_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)

__all__ = [
    "add_arg_scope", "add_model_variable", "arg_scope", "arg_scoped_arguments", "assert_global_step",
    "assert_same_float_dtype", "assert_scalar", "assign_from_checkpoint", "assign_from_checkpoint_fn",
    "assign_from_values", "assign_from_values_fn", "create_global_step", "current_arg_scope", "filter_variables",
    "get_global_step", "get_local_variables", "get_model_variables", "get_or_create_global_step",
    "get_trainable_variables", "get_unique_variable", "get_variable_full_name", "get_variables",
    "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore", "global_variable",
    "has_arg_scope", "init_from_checkpoint", "is_tensor", "list_variables", "load_checkpoint", "load_variable",
    "local_variable", "model_variable", "nest", "variable",
]  # fmt: skip
