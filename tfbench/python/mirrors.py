"""TensorFlow's inner modules, as far as programs import from them: `from tensorflow.python.ops import math_ops`.

They were no public API, but the public API's functions lay in them, and that is what is found here: each module is
looked through to the namespaces of `tf` that hold its functions. `install` makes the modules of a package; the
import system then finds them where it finds all that is loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from tfbench.namespace import Namespace, made_here, unknown

#: package -> module -> where its names are: modules of tfbench, or `module:name` for a name alone
TABLE: dict[str, dict[str, tuple[str, ...]]] = {
    "framework": {
        "constant_op": ("api",),
        "dtypes": ("dtypes", "engine.dtypes"),
        "errors": ("errors",),
        "errors_impl": ("errors",),
        "function": ("api",),
        "graph_util": ("graph_util",),
        "graph_util_impl": ("graph_util",),
        "importer": ("formats.import_graph",),
        "load_library": ("api",),
        "ops": ("api", "engine.composite", "engine.gradients.registry"),
        "random_seed": ("random", "api"),
        "sparse_tensor": ("api", "engine.composite"),
        "tensor_shape": ("engine.shapes",),
        "tensor_util": ("formats.tensor_proto", "engine.infer:constant_value", "engine.ops.static_value:is_tensor"),
    },
    "layers": {
        "base": ("layers",),
        "convolutional": ("layers",),
        "core": ("layers",),
        "layers": ("layers",),
        "normalization": ("layers",),
        "pooling": ("layers",),
    },
    "ops": {
        "array_ops": ("api", "manip"),
        "check_ops": ("api", "debugging"),
        "clip_ops": ("api",),
        "control_flow_ops": (
            "api",
            "engine.ops.grouping:with_dependencies",
            "engine.control_flow.nodes:switch",
            "engine.control_flow.nodes:merge",
        ),
        "data_flow_ops": ("api",),
        "embedding_ops": ("nn",),
        "functional_ops": ("api",),
        "gen_array_ops": ("raw_ops", "api"),
        "gen_math_ops": ("raw_ops", "api"),
        "gen_nn_ops": ("raw_ops", "nn"),
        "gradients": ("api",),
        "gradients_impl": ("api",),
        "image_ops": ("image",),
        "init_ops": ("initializers", "api"),
        "io_ops": ("api", "io"),
        "linalg_ops": ("linalg", "api"),
        "logging_ops": ("api",),
        "lookup_ops": ("contrib.lookup", "lookup", "api"),
        "losses": ("losses",),
        "math_ops": ("api", "math"),
        "metrics": ("metrics",),
        "nn": ("nn", "api"),
        "nn_ops": ("nn", "api"),
        "parsing_ops": ("io", "api"),
        "partitioned_variables": ("api",),
        "random_ops": ("random", "api"),
        "resource_variable_ops": ("variables.resource", "api"),
        "rnn": ("nn",),
        "rnn_cell": ("nn.rnn_cell",),
        "rnn_cell_impl": ("nn.rnn_cell",),
        "script_ops": ("api",),
        "sparse_ops": ("sparse", "api"),
        "special_math_ops": ("math", "api"),
        "state_ops": ("api",),
        "string_ops": ("strings", "api"),
        "summary_ops": ("summary",),
        "template": ("api",),
        "tensor_array_ops": ("api",),
        "variable_scope": ("api",),
        "variables": ("api",),
    },
    "summary": {"summary": ("summary",)},
    "training": {
        "adam": ("train",),
        "basic_session_run_hooks": ("train",),
        "checkpoint_management": ("train",),
        "coordinator": ("train",),
        "gradient_descent": ("train",),
        "input": ("train",),
        "learning_rate_decay": ("train",),
        "momentum": ("train",),
        "monitored_session": ("train",),
        "moving_averages": ("train.moving_averages", "train"),
        "optimizer": ("train",),
        "queue_runner": ("train",),
        "queue_runner_impl": ("train",),
        "rmsprop": ("train",),
        "saver": ("train",),
        "session_manager": ("train",),
        "session_run_hook": ("train",),
        "slot_creator": ("train.slots",),
        "summary_io": ("summary", "train"),
        "supervisor": ("train",),
        "training": ("train",),
        "training_util": ("train",),
    },
    "util": {"compat": ("compat",), "nest": ("nest", "engine.nest")},
}


class Mirror(Namespace):
    """A module whose names are those of other modules."""

    def __init__(self, name: str, sources: Iterable[str]) -> None:
        super().__init__(name, f"What `{name.replace('tfbench', 'tensorflow', 1)}` held of the API.")
        self.__dict__["_sources"] = tuple(sources)

    def __dir__(self) -> list[str]:
        found: set[str] = set()
        for source in self.__dict__["_sources"]:
            path, _, only = source.partition(":")
            found.update([only] if only else _public(import_module(f"tfbench.{path}")))
        return sorted(found)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            for source in self.__dict__["_sources"]:
                path, _, only = source.partition(":")
                if only and only != name:
                    continue
                module = import_module(f"tfbench.{path}")
                if only or name in _public(module):
                    return getattr(module, name)
        raise unknown(self.__name__, name, () if name.startswith("_") else dir(self)) from None


def _public(module: ModuleType) -> Iterable[str]:
    own = vars(module)
    if "__all__" in own:
        listed: Iterable[str] = own["__all__"]
        return listed
    return dir(module) if "__dir__" in own else made_here(own)


def install(package: str) -> dict[str, Mirror]:
    """The inner modules of one of the packages, known to the import system from now on."""
    made = {}
    for name, sources in TABLE[package].items():
        full = f"tfbench.python.{package}.{name}"
        module = sys.modules.get(full)
        if not isinstance(module, Mirror):
            module = sys.modules[full] = Mirror(full, sources)
        made[name] = module
    return made
