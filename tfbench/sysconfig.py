"""`tf.sysconfig`: what compilers of TensorFlow's own extensions ask. Nothing here is compiled."""

from __future__ import annotations

import os as _os
from typing import Any

__all__ = [
    "CXX11_ABI_FLAG", "MONOLITHIC_BUILD", "get_build_info", "get_compile_flags", "get_include", "get_lib",
    "get_link_flags",
]  # fmt: skip

CXX11_ABI_FLAG = 0
MONOLITHIC_BUILD = 0


def get_lib() -> str:
    """The folder of this package. There is no library in it."""
    return _os.path.dirname(_os.path.abspath(__file__))


def get_include() -> str:
    """A folder that does not exist: there are no headers, and no ops can be compiled against them."""
    return _os.path.join(get_lib(), "include")


def get_compile_flags() -> list[str]:
    """None: there is nothing to compile against."""
    return []


def get_link_flags() -> list[str]:
    """None: there is nothing to link to."""
    return []


def get_build_info() -> dict[str, Any]:
    """What this is built with: no CUDA, no ROCm."""
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False, "msvcp_dll_names": ""}
