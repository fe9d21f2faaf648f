"""`tf.test`: test cases, what this installation can do, and places for a test's files."""

from __future__ import annotations

import os as _os
from typing import Any

from tfbench.gradient_checks import compute_gradient, compute_gradient_error

__all__ = [
    "assert_equal_graph_def", "compute_gradient", "compute_gradient_error", "get_temp_dir", "gpu_device_name",
    "is_built_with_cuda", "is_built_with_gpu_support", "is_built_with_rocm", "is_built_with_xla", "is_gpu_available",
    "test_src_dir_path",
]  # fmt: skip

_temp_dir: str | None = None

#: what needs Python's unittest is loaded when it is used
_ELSEWHERE = {
    "Benchmark": ("tfbench.test.measuring", "Benchmark"),
    "StubOutForTesting": ("tfbench.test.measuring", "StubOutForTesting"),
    "TestCase": ("tfbench.test.case", "TestCase"),
    "main": ("tfbench.test.case", "main"),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _ELSEWHERE:
        module, attribute = _ELSEWHERE[name]
        return getattr(import_module(module), attribute)
    if name == "mock":
        return import_module("unittest.mock")
    raise AttributeError(f"module 'tfbench.test' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_ELSEWHERE, "mock"})


def assert_equal_graph_def(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Two GraphDefs have the same nodes, in any order.

    Raises:
      AssertionError: if not: which node differs. TypeError: if either is no GraphDef.
    """
    nodes = []
    for name, graph_def in (("actual", actual), ("expected", expected)):
        if not hasattr(graph_def, "node") or not hasattr(graph_def, "SerializeToString"):
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(graph_def).__name__}")
        nodes.append({node.name: node for node in graph_def.node})
    for name in dict.fromkeys([*nodes[1], *nodes[0]]):
        one, other = nodes[0].get(name), nodes[1].get(name)
        if one is None or other is None:
            raise AssertionError(f"Node {name!r} is only in the {'expected' if one is None else 'actual'} graph")
        if one != other:
            raise AssertionError(f"Node {name!r} differs:\nactual:\n{one}\nexpected:\n{other}")


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether a session would find a GPU."""
    return bool(gpu_device_name())


def gpu_device_name() -> str:
    """The name of the first GPU, or ''. A simulated one counts while simulation is on."""
    from tfbench.engine.devices import local_devices

    return next((device.short_name for device in local_devices() if device.kind == "GPU"), "")


def is_built_with_cuda() -> bool:
    """False: nothing here is compiled."""
    return False


def is_built_with_rocm() -> bool:
    """False: nothing here is compiled."""
    return False


def is_built_with_gpu_support() -> bool:
    """False: nothing here is compiled."""
    return False


def is_built_with_xla() -> bool:
    """False: nothing here is compiled."""
    return False


def get_temp_dir() -> str:
    """A directory for a test's files, one for the whole process, deleted at its end."""
    global _temp_dir
    if _temp_dir is None:
        import atexit
        import shutil
        import tempfile

        _temp_dir = tempfile.mkdtemp(prefix="tfbench_test_")
        atexit.register(shutil.rmtree, _temp_dir, ignore_errors=True)
    return _temp_dir


def test_src_dir_path(relative_path: str) -> str:
    """`relative_path` below the directory that tests run in."""
    return _os.path.join(_os.environ.get("TEST_SRCDIR", _os.getcwd()), relative_path)
