"""`python -m benchmarks.gpu` on a machine without a GPU, and on the stand-in for CuPy."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

import tfbench as tf
from benchmarks import gpu
from tests.gpu import host_cuda, strict_cupy


def test_without_a_gpu_it_says_so_and_its_status_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu.main(["--no-save"]) == gpu.NO_GPU
    assert capsys.readouterr().out == (
        "There is no GPU here, so nothing was tested or measured. tests that are not marked gpu run without.\n"
    )


def small(tf: Any, session: Any) -> gpu.Run:
    """Three numbers."""
    y = tf.reduce_sum(tf.sqrt(tf.constant([1.0, 4.0, 9.0])))
    return lambda: session.run(y)


def broken(tf: Any, session: Any) -> gpu.Run:
    """What the two devices do not agree about."""
    kind = session.list_devices()[-1].device_type
    y = tf.constant([1.0 if kind == "CPU" else 2.0]) * 1.0
    return lambda: session.run(y)


def impossible(tf: Any, session: Any) -> gpu.Run:
    """What cannot run."""
    shape = tf.placeholder(tf.int32, [1])
    y = tf.reshape(tf.constant([1.0, 2.0]) * 1.0, shape)
    return lambda: session.run(y, {shape: [3]})


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "tensorflow", lambda: None)
    monkeypatch.setattr(gpu, "torch", lambda: None)


def test_both_devices_are_measured_and_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    strict_cupy.install(monkeypatch)
    monkeypatch.setattr(gpu, "CASES", (small, gpu.add_chain))
    monkeypatch.setattr(gpu, "RESULTS", tmp_path)
    assert gpu.main(["--no-tests", "--seconds", "10"]) == gpu.PASSED
    out = capsys.readouterr().out
    assert "GPU: device: 0, name: Stand-in" in out
    found = json.loads((tmp_path / "gpu-Stand-in.json").read_text(encoding="utf-8"))
    assert [row["case"] for row in found["rows"]] == ["small", "add_chain"]
    assert all(len(row["gpu"]) >= 5 and len(row["cpu"]) >= 5 and row["difference"] == 0 for row in found["rows"])
    assert len([line for line in out.splitlines() if line.startswith("| ")]) == 3


def test_what_differs_or_fails_is_said_and_the_status_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    strict_cupy.install(monkeypatch)
    monkeypatch.setattr(gpu, "CASES", (broken, impossible, small))
    assert gpu.main(["--no-tests", "--no-save", "--seconds", "10"]) == gpu.FAILED
    out = capsys.readouterr().out
    assert "* broken: the GPU's value differs from the CPU's by 1" in out
    assert "* impossible: InvalidArgumentError" in out
    assert "| impossible | failed |" in out
    assert "| small | " in out


def test_tests_that_fail_make_the_status_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    strict_cupy.install(monkeypatch)
    monkeypatch.setattr(gpu, "CASES", (small,))
    monkeypatch.setattr(gpu, "run_tests", lambda seconds: (False, "1 failed, 30 passed"))
    assert gpu.main(["--no-save", "--seconds", "10"]) == gpu.FAILED
    assert "Tests marked gpu: 1 failed, 30 passed" in capsys.readouterr().out


def test_a_chain_is_measured_with_and_without_fusion(monkeypatch: pytest.MonkeyPatch) -> None:
    """200 additions are five kernels, or 200 that are CuPy's own."""
    if host_cuda.compiler() is None:
        pytest.skip("no C++ compiler to stand in for NVRTC")
    strict_cupy.install(monkeypatch)
    found = {}
    for case in (gpu.add_chain, gpu.fused_chain):
        with tf.Graph().as_default(), tf.Session() as session:
            run = case(tf, session)
            run()
            before = strict_cupy.launches["tfbench_fused"]
            assert run().tolist() == [201.0] * 10
            found[case] = strict_cupy.launches["tfbench_fused"] - before
    assert found == {gpu.add_chain: 0, gpu.fused_chain: 5}
    assert "TFBENCH_FUSE" not in os.environ
