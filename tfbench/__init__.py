"""tfbench: the TensorFlow 1.x graph API on NumPy, with a notebook workbench.

    import tfbench as tf

Importing this costs next to nothing: the engine and its ops (`tfbench.api`) are loaded when the first name is
used, IPython, matplotlib and protobuf when something asks for them.
"""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfbench.api import *

#: a TensorFlow version first, since programs compare it to see what they may use; after the plus tfbench's own
__version__ = "1.15.5+tfbench.0.1.0"

#: loaded when first used: messages need protobuf
_MESSAGES = {
    "AttrValue", "ConfigProto", "Event", "GPUOptions", "GraphDef", "GraphOptions", "HistogramProto", "LogMessage",
    "MetaGraphDef", "NameAttrList", "NodeDef", "OptimizerOptions", "RunMetadata", "RunOptions", "SessionLog", "Summary",
    "SummaryMetadata", "TensorInfo",
}  # fmt: skip


#: TensorFlow's namespaces that are modules of their own
_NAMESPACES = {
    "app", "bitwise", "compat", "contrib", "core", "data", "debugging", "dtypes", "estimator", "examples",
    "feature_column", "flags", "gfile", "graph_util", "image", "io", "keras", "layers", "linalg", "logging", "lookup",
    "losses", "manip", "math", "metrics", "nest", "nn", "python", "python_io", "quantization", "queue", "raw_ops",
    "resource_loader", "saved_model", "sets", "signal", "sparse", "spectral", "strings", "summary", "sysconfig", "test",
    "train", "version",
}  # fmt: skip

#: what `tf.version` has under the top-level names of TensorFlow 1
_VERSIONS = {
    "COMPILER_VERSION", "GIT_VERSION", "GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER", "VERSION",
}  # fmt: skip

#: the names of `tf.summary` before TensorFlow 1.0
_OLD_SUMMARIES = {
    "audio_summary",
    "histogram_summary",
    "image_summary",
    "merge_all_summaries",
    "merge_summary",
    "scalar_summary",
}

#: namespaces and parts of the workbench: attribute -> (module, name in it or None for the module itself)
_LAZY: dict[str, tuple[str, str | None]] = {
    **{name: ("tfbench.formats.protos", name) for name in _MESSAGES},
    **{name: ("tfbench.formats.tensor_proto", name) for name in ("make_ndarray", "make_tensor_proto")},
    **{name: (f"tfbench.{name}", None) for name in _NAMESPACES},
    **{name: ("tfbench.version", name) for name in _VERSIONS},
    **{name: ("tfbench.compat", name) for name in ("dimension_at_index", "dimension_value")},
    **{name: ("tfbench.summary.legacy", name) for name in _OLD_SUMMARIES},
    "get_logger": ("tfbench.logging", "get_logger"),
    **{name: (f"tfbench.{name}", None) for name in ("bench", "explain", "plots")},
    # What modules inside import from here: looked up in `tfbench.api`, it would be a circle.
    **{name: (f"tfbench.{name}", None) for name in ("errors", "initializers", "random")},
    "import_graph_def": ("tfbench.formats.import_graph", "import_graph_def"),
    "SparseTensorSpec": ("tfbench.data.specs", "SparseTensorSpec"),
    "TensorSpec": ("tfbench.data.specs", "TensorSpec"),
    "inspect": ("tfbench.widgets", "inspect"),
    "simulate_devices": ("tfbench.engine.devices", "simulate_devices"),
    "step": ("tfbench.explain.stepper", "step"),
    "trace": ("tfbench.explain.trace", "trace"),
    "watch": ("tfbench.explain.watch", "watch"),
}


class _Package(ModuleType):
    """This package. `tf.variable_scope` is the class, also while only the module of that name has been imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        # Importing a module inside sets it as an attribute here.
        if name == "variable_scope" and isinstance(value, ModuleType):
            value = value.variable_scope
        elif isinstance(value, ModuleType) and type(value) is ModuleType and _LAZY.get(name) == (value.__name__, None):
            from tfbench.namespace import Namespace

            value.__class__ = Namespace
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if not name.startswith("_") and "numpy" not in sys.modules:
        _load_numpy()
    if name in _LAZY:
        module, attribute = _LAZY[name]
        if name in ("data", "estimator", "train"):
            _load_api()  # which says where the files are read that a session may ask for
        loaded = importlib.import_module(module)
        return loaded if attribute is None else getattr(loaded, attribute)
    if not name.startswith("_") and _load_api() and name in globals():
        return globals()[name]
    from tfbench.namespace import unknown

    raise unknown("tfbench", name, () if name.startswith("_") else __dir__())


def __dir__() -> list[str]:
    _load_api()
    hidden = ("ModuleType", "TYPE_CHECKING", "Any", "annotations")
    # Modules that are imported here or lie inside are no part of the API, unless they are named as such.
    public = {
        name
        for name, value in globals().items()
        if name not in hidden
        and not isinstance(value, ModuleType)
        and (not name.startswith("_") or name.startswith("__"))
    }
    return sorted(public | _LAZY.keys())


def _load_numpy() -> None:
    """Loads NumPy with BLAS threads that sleep after half a millisecond (2**20 cycles) without work.

    Unless told so, OpenBLAS' threads spin some sixty times as long, from their start on: as much CPU time as all of
    NumPy's import takes. It looks at the environment once, when it is loaded; what the user has set there stays.
    """
    name = "OPENBLAS_THREAD_TIMEOUT"
    ours = name not in os.environ
    if ours:
        os.environ[name] = "20"
    try:
        importlib.import_module("numpy")
    finally:
        if ours:
            os.environ.pop(name, None)


def _load_api() -> bool:
    """Takes over all names of `tfbench.api`."""
    api = importlib.import_module("tfbench.api")
    # `tf.trace` is more here than TensorFlow's function of that name.
    globals().update({name: getattr(api, name) for name in api.__all__ if name not in _LAZY})
    return True


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext tfbench`: the magics, and `tf` and `np` where those names are free."""
    importlib.import_module("tfbench.magics").load_ipython_extension(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext tfbench`."""
    importlib.import_module("tfbench.magics").unload_ipython_extension(shell)
