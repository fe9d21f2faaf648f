"""CUDA's compiler without a GPU: NVRTC, which is what CuPy compiles with, or nvcc.

NVRTC is a library that needs no driver: that of a CUDA installation, or of `pip install nvidia-cuda-nvrtc-cu12`.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

#: the oldest GPUs that current CUDA compiles for
ARCHITECTURE = "compute_75"


@cache
def library() -> ctypes.CDLL | None:
    """NVRTC, if it is there."""
    places: list[Path] = []
    for package in ("nvidia.cuda_nvrtc", "nvidia.cu13"):
        try:
            spec = find_spec(package)
        except ModuleNotFoundError:
            continue
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            places += sorted(Path(folder).glob("lib/libnvrtc.so.*"))
    places += sorted(Path("/usr/local/cuda/lib64").glob("libnvrtc.so*"))
    for place in places:
        try:
            return ctypes.CDLL(str(place))
        except OSError:
            continue
    return None


def compiler() -> str | None:
    """What CUDA's C can be compiled with here: "nvrtc", "nvcc" or None."""
    return "nvrtc" if library() is not None else "nvcc" if shutil.which("nvcc") else None


def ptx(code: str, options: tuple[str, ...], folder: Path) -> str:
    """The PTX of `code`.

    Raises:
      RuntimeError: with what the compiler says.
    """
    options = (f"-arch={ARCHITECTURE}", *options)
    return _by_nvrtc(code, options) if compiler() == "nvrtc" else _by_nvcc(code, options, folder)


def _by_nvrtc(code: str, options: tuple[str, ...]) -> str:
    nvrtc = library()
    assert nvrtc is not None
    program = ctypes.c_void_p()
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), code.encode(), b"kernels.cu", 0, None, None))
    words = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    failed = nvrtc.nvrtcCompileProgram(program, len(options), words)
    get = ("nvrtcGetProgramLogSize", "nvrtcGetProgramLog") if failed else ("nvrtcGetPTXSize", "nvrtcGetPTX")
    size = ctypes.c_size_t()
    _check(getattr(nvrtc, get[0])(program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    _check(getattr(nvrtc, get[1])(program, text))
    if failed:
        raise RuntimeError(text.value.decode())
    return text.value.decode()


def _check(status: int) -> None:
    if status:
        raise RuntimeError(f"NVRTC: status {status}")


def _by_nvcc(code: str, options: tuple[str, ...], folder: Path) -> str:
    file = folder / "kernels.cu"
    file.write_text(code)
    made = subprocess.run(
        ["nvcc", "-ptx", *options, str(file), "-o", str(folder / "kernels.ptx")],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if made.returncode:
        raise RuntimeError(made.stderr or f"nvcc: exit status {made.returncode} ({sys.platform})")
    return (folder / "kernels.ptx").read_text()
