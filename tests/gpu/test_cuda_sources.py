"""The CUDA sources compile for the oldest GPUs that CUDA still has: with NVRTC or nvcc, which need no GPU."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.kernels.test_fused_device import CASES, made
from tests.engine.kernels.test_updates_device import RULES, case, there
from tests.gpu import host_cuda, nvrtc, strict_cupy
from tfbench.engine.kernels import fused_device, random_device, updates_device

pytestmark = pytest.mark.skipif(
    nvrtc.compiler() is None, reason="neither NVRTC (pip install nvidia-cuda-nvrtc-cu12) nor nvcc is here"
)


def test_random_numbers(tmp_path: Path) -> None:
    made = nvrtc.ptx(random_device.source(), random_device.OPTIONS, tmp_path)
    kernels = re.split(r"\.entry ", made)[1:]
    names = {kernel.partition("(")[0] for kernel in kernels}
    assert names == {
        "uniform_f32", "uniform_f64", "bounded_u32", "bounded_u64", "normal_f32", "normal_f64", "truncated_f32",
        "truncated_f64",
    }  # fmt: skip
    for kernel in kernels:
        if kernel.startswith(("normal_f32", "truncated_f32", "uniform")):
            # Fused, a product and a sum are rounded once, and the bits would not be the CPU's.
            assert "fma." not in kernel.partition(".entry")[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", RULES)
def test_optimizers(name: str, dtype: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rule, arrays, numbers, grad = case(name, dtype, 4)
    recorder = updates_device.Recorder(strict_cupy, grad.dtype, 4)
    variables = [updates_device._Variable(f"a{i}", grad.dtype, 4) for i in range(len(arrays))]
    given = {key: there(value) for key, value in numbers.items()}
    rule(recorder, *variables, grad=updates_device._Variable("g", grad.dtype, 4), **given)
    made = nvrtc.ptx(updates_device.source(grad.dtype, len(arrays), recorder), updates_device.OPTIONS, tmp_path)
    assert ".entry update(" in made
    assert made.count("st.global") == len(recorder.written & {variable.name for variable in variables})


def test_fused_chains(tmp_path: Path) -> None:
    """Every expression, and a chain that could be fused into one rounding, as the bodies of CuPy's loops."""
    if host_cuda.compiler() is None:
        pytest.skip("no C++ compiler: the stand-in has no ElementwiseKernel")
    chain = [("Mul", ["x0", "x1"], "float32"), ("AddV2", ["t0", "x0"], "float32"), ("Sub", ["t1", "t0"], "float32")]
    kernel = fused_device.kernel(strict_cupy, ["float32"] * 2, "float32", fused_device.statements(chain))
    loops = {"chain": kernel, **{f"f{index}": made(*one) for index, one in enumerate(CASES)}}
    code = "".join(
        f'extern "C" __global__ void {name}(long long n, void** p) {{\n'
        f"long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) {{\n{loop.body}\n}} }}\n"
        for name, loop in loops.items()
    )
    made_of = {
        kernel.partition("(")[0]: kernel
        for kernel in re.split(r"\.entry ", nvrtc.ptx(code, fused_device.OPTIONS, tmp_path))
    }
    assert set(loops) <= set(made_of)
    assert "fma." not in made_of["chain"]
    assert "mul.rn.f32" in made_of["chain"] or "mul.f32" in made_of["chain"]


def test_what_does_not_compile_says_so(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="nonsense"):
        nvrtc.ptx('extern "C" __global__ void update(float* a) { a[0] = nonsense; }', (), tmp_path)
