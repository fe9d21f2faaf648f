"""CUDA's C compiled for the host: each thread of a grid is one call, one after another.

What is between a kernel and a plain C++ function - qualifiers, `blockIdx` and its kin - is defined away, and for each
kernel a function is added that calls it for every thread of a grid. Kernels whose threads wait for each other cannot be
tried so; tfbench has none. Without a C++ compiler there is none of this: `compiler()` is None.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_BEFORE = """
#include <cmath>
#include <cstring>
#include <limits>
using namespace std;
struct Three { unsigned x, y, z; };
static thread_local Three blockIdx, threadIdx, blockDim, gridDim;
#define __global__
#define __device__ static inline
#define __constant__ static const
#define __restrict__
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
"""

_KERNEL = re.compile(r'extern "C" __global__ void (\w+)\(([^)]*)\)', re.S)


@cache
def compiler() -> str | None:
    """The C++ compiler, if there is one."""
    return shutil.which("g++") or shutil.which("clang++")


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="tfbench-host-cuda-"))


def _launcher(name: str, parameters: str) -> str:
    """A function that calls a kernel for each thread, with pointers to its arguments."""
    types = [re.sub(r"\w+$", "", parameter.strip()).strip() for parameter in parameters.split(",")]
    arguments = ", ".join(f"*({type}*)args[{index}]" for index, type in enumerate(types))
    return f"""
extern "C" void launch_{name}(unsigned blocks, unsigned threads, void** args) {{
    gridDim.x = blocks; blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) {name}({arguments});
}}
"""


@cache
def load(code: str) -> ctypes.CDLL:
    """The library that `code` becomes. No multiplication and addition is fused."""
    text = _BEFORE + code + "".join(_launcher(*found) for found in _KERNEL.findall(code))
    stem = _folder() / hashlib.sha256(text.encode()).hexdigest()[:16]
    stem.with_suffix(".cpp").write_text(text)
    command = [str(compiler()), "-std=c++17", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-Wall", "-Werror"]
    command += ["-Wno-unused-function", "-Wno-unused-variable", "-o", f"{stem}.so", f"{stem}.cpp"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise RuntimeError(f"{made.stderr}\n{code}")
    return ctypes.CDLL(f"{stem}.so")


def launch(code: str, name: str, grid: tuple[int, ...], block: tuple[int, ...], arguments: list[Any]) -> None:
    """Calls kernel `name` of `code` for a grid; arguments are NumPy's arrays (their memory) and scalars (as bytes).

    Raises:
      TypeError: for an argument whose size is not known.
    """
    held: list[Any] = []
    pointers = (ctypes.c_void_p * len(arguments))()
    for index, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            cell: Any = ctypes.c_void_p(argument.ctypes.data)
            pointers[index] = ctypes.addressof(cell)
        elif isinstance(argument, np.generic):
            cell = np.array(argument)
            pointers[index] = cell.ctypes.data
        else:
            raise TypeError(f"argument {index} of {name} is a {type(argument).__name__}: give NumPy's scalars a type")
        held.append(cell)
    getattr(load(code), f"launch_{name}")(ctypes.c_uint(grid[0]), ctypes.c_uint(block[0]), pointers)
