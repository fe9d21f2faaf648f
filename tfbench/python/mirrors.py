"""TensorFlow's inner modules, as far as programs import from them: `from tensorflow.python.ops import math_ops`.

They were no public API, but the public API's functions lay in them, and that is what is found here: each module is
looked through to the namespaces of `tf` that hold its functions. `install` makes the modules of a package; the
import system then finds them where it finds all that is loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from tfbench.namespace import Namespace, made_here, unknown

#: package -> module -> where its names are: modules of tfbench, or `module:name` for a name alone
TABLE: dict[str, dict[str, tuple[str, ...]]] = {
    "eager": {"context": ("api:executing_eagerly",)},
    "framework": {
        "constant_op": ("api",),
        "device": ("api:DeviceSpec",),
        "device_spec": ("api:DeviceSpec",),
        "dtypes": ("dtypes", "engine.dtypes"),
        "errors": ("errors",),
        "errors_impl": ("errors",),
        "function": ("api",),
        "graph_util": ("graph_util",),
        "graph_util_impl": ("graph_util",),
        "importer": ("formats.import_graph",),
        "load_library": ("api",),
        "ops": (
            "api",
            "engine.composite",
            "engine.gradients.registry",
            "formats.collection_def:register_proto_function",
        ),
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
        "confusion_matrix": ("api:confusion_matrix", "engine.ops.math_confusion:remove_squeezable_dimensions"),
        "control_flow_ops": (
            "api",
            "engine.ops.grouping:with_dependencies",
            "engine.control_flow.nodes:switch",
            "engine.control_flow.nodes:merge",
        ),
        "custom_gradient": ("api:custom_gradient",),
        "data_flow_ops": ("api",),
        "embedding_ops": ("nn",),
        "functional_ops": ("api",),
        "gen_array_ops": ("raw_ops", "api"),
        "gen_math_ops": ("raw_ops", "api"),
        "gen_nn_ops": ("raw_ops", "nn"),
        "gradient_checker": ("test",),
        "gradients": ("api",),
        "gradients_impl": ("api",),
        "histogram_ops": ("api",),
        "image_ops": ("image",),
        "init_ops": ("initializers", "api", "initializers:Initializer"),
        "io_ops": ("api", "io"),
        "linalg_ops": ("linalg", "api"),
        "logging_ops": ("api",),
        "lookup_ops": ("contrib.lookup", "lookup", "api"),
        "losses": ("losses",),
        "map_fn": ("api:map_fn",),
        "math_ops": ("api", "math"),
        "metrics": ("metrics",),
        "metrics_impl": ("metrics",),
        "nn": ("nn", "api"),
        "nn_impl": ("nn", "api"),
        "nn_ops": ("nn", "api"),
        "parsing_ops": ("io", "api"),
        "partitioned_variables": ("api",),
        "random_ops": ("random", "api"),
        "resource_variable_ops": ("variables.resource", "api"),
        "rnn": ("nn",),
        "rnn_cell": ("nn.rnn_cell",),
        "rnn_cell_impl": ("nn.rnn_cell", "nn.recurrent.shapes:zero_state"),
        "script_ops": ("api",),
        "sparse_ops": ("sparse", "api"),
        "special_math_ops": ("math", "api"),
        "standard_ops": ("api",),
        "state_ops": ("api",),
        "string_ops": ("strings", "api"),
        "summary_ops": ("summary",),
        "template": ("api",),
        "tensor_array_ops": ("api",),
        "variable_scope": ("api",),
        "variables": ("api",),
        "weights_broadcast_ops": (
            "engine.ops.weights_broadcast:assert_broadcastable",
            "engine.ops.weights_broadcast:broadcast_weights",
        ),
    },
    "summary": {"summary": ("summary",), "summary_iterator": ("train:summary_iterator",)},
    "training": {
        "adadelta": ("train",),
        "adagrad": ("train",),
        "adam": ("train",),
        "basic_session_run_hooks": ("train",),
        "checkpoint_management": ("train",),
        "coordinator": ("train",),
        "device_setter": ("train",),
        "ftrl": ("train",),
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
        "sync_replicas_optimizer": ("train",),
        "training": ("train",),
        "training_util": ("train",),
    },
    "util": {
        "compat": ("compat",),
        "deprecation": ("contrib.framework.deprecation",),
        "nest": ("contrib.framework.nest", "engine.nest"),
    },
}

#: second names that only the inner modules had
ALIASES: dict[str, dict[str, str]] = {
    "layers.convolutional": {
        "Convolution1D": "Conv1D",
        "Convolution2D": "Conv2D",
        "Convolution2DTranspose": "Conv2DTranspose",
        "Convolution3D": "Conv3D",
        "Convolution3DTranspose": "Conv3DTranspose",
        "Deconv2D": "Conv2DTranspose",
        "Deconv3D": "Conv3DTranspose",
        "Deconvolution2D": "Conv2DTranspose",
        "Deconvolution3D": "Conv3DTranspose",
        "SeparableConvolution2D": "SeparableConv2D",
        "convolution1d": "conv1d",
        "convolution2d": "conv2d",
        "convolution2d_transpose": "conv2d_transpose",
        "convolution3d": "conv3d",
        "convolution3d_transpose": "conv3d_transpose",
        "deconv2d": "conv2d_transpose",
        "deconv3d": "conv3d_transpose",
        "deconvolution2d": "conv2d_transpose",
        "deconvolution3d": "conv3d_transpose",
        "separable_convolution2d": "separable_conv2d",
    },
    "layers.core": {"FullyConnected": "Dense", "fully_connected": "dense"},
    "layers.normalization": {"BatchNorm": "BatchNormalization", "batch_norm": "batch_normalization"},
    "ops.rnn_cell_impl": {"_zero_state_tensors": "zero_state"},
    "layers.pooling": {
        "AvgPool2D": "AveragePooling2D",
        "MaxPool2D": "MaxPooling2D",
        "avg_pool2d": "average_pooling2d",
        "max_pool2d": "max_pooling2d",
    },
}


class Mirror(Namespace):
    """A module whose names are those of other modules."""

    def __init__(self, name: str, sources: Iterable[str], aliases: Mapping[str, str]) -> None:
        super().__init__(name, f"What `{name.replace('tfbench', 'tensorflow', 1)}` held of the API.")
        self.__dict__.update(_sources=tuple(sources), _aliases=aliases)

    def __dir__(self) -> list[str]:
        found = set(self.__dict__["_aliases"])
        for source in self.__dict__["_sources"]:
            path, _, only = source.partition(":")
            found.update([only] if only else _public(import_module(f"tfbench.{path}")))
        return sorted(found)

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["_aliases"]:
            return getattr(self, self.__dict__["_aliases"][name])
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
            module = sys.modules[full] = Mirror(full, sources, ALIASES.get(f"{package}.{name}", {}))
        made[name] = module
    return made
