"""`tf.contrib.framework`: shared arguments, model variables, and what checkpoints hold."""

from __future__ import annotations

from tfbench.contrib.framework import nest
from tfbench.contrib.framework.arg_scope import (
    add_arg_scope,
    arg_scope,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from tfbench.contrib.framework.assigning import (
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
)
from tfbench.contrib.framework.deprecation import deprecated, deprecated_arg_values, deprecated_args
from tfbench.contrib.framework.tools import (
    VariableDeviceChooser,
    assert_or_get_global_step,
    assert_scalar_int,
    get_graph_from_inputs,
    get_name_scope,
    get_placeholders,
    prepend_name_scope,
    py_func,
    reduce_sum_n,
    remove_squeezable_dimensions,
    smart_case,
    smart_cond,
    smart_constant_value,
    strip_name_scope,
    with_same_shape,
    with_shape,
)
from tfbench.contrib.framework.variables import (
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
from tfbench.engine.composite import convert_to_tensor_or_sparse_tensor
from tfbench.engine.ops.array_sort import argsort, sort
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
    "VariableDeviceChooser", "add_arg_scope", "add_model_variable", "arg_scope", "arg_scoped_arguments", "argsort",
    "assert_global_step", "assert_or_get_global_step", "assert_same_float_dtype", "assert_scalar",
    "assert_scalar_int", "assign_from_checkpoint", "assign_from_checkpoint_fn", "assign_from_values",
    "assign_from_values_fn", "convert_to_tensor_or_sparse_tensor", "create_global_step", "current_arg_scope",
    "deprecated", "deprecated_arg_values", "deprecated_args", "filter_variables", "get_global_step",
    "get_graph_from_inputs", "get_local_variables", "get_model_variables", "get_name_scope",
    "get_or_create_global_step", "get_placeholders", "get_trainable_variables", "get_unique_variable",
    "get_variable_full_name", "get_variables", "get_variables_by_name", "get_variables_by_suffix",
    "get_variables_to_restore", "global_variable", "has_arg_scope", "init_from_checkpoint", "is_tensor",
    "list_variables", "load_checkpoint", "load_variable", "local_variable", "model_variable", "nest",
    "prepend_name_scope", "py_func", "reduce_sum_n", "remove_squeezable_dimensions", "smart_case", "smart_cond",
    "smart_constant_value", "sort", "strip_name_scope", "variable", "with_same_shape", "with_shape",
]  # fmt: skip
