"""The CUDA sources compile for the oldest GPUs that CUDA still has: with NVRTC or nvcc, which need no GPU."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.kernels.test_updates_device import RULES, case, there
from tests.gpu import nvrtc, strict_cupy
from tfbench.engine.kernels import random_device, updates_device

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


def test_what_does_not_compile_says_so(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="nonsense"):
        nvrtc.ptx('extern "C" __global__ void update(float* a) { a[0] = nonsense; }', (), tmp_path)
