"""The allocator's set-up: once, only on glibc, not against the user's own settings, and never by importing."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from typing import Any

import pytest

from tfbench.engine import memory


def glibc() -> bool:
    return sys.platform.startswith("linux") and hasattr(ctypes.CDLL(None), "gnu_get_libc_version")


# Page faults that 20 additions of 40 MB arrays take, before and after; nothing but NumPy and this module.
FAULTS = """
import resource, sys
import numpy as np
from tfbench.engine import memory

x = np.ones(10_000_000, np.float32)

def faults():
    x + x
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        x + x
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

first = faults()
kept = memory.keep_freed_memory()
print(first, kept, faults())
"""


def run(**environment: str) -> tuple[int, bool, int]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    inherited.pop("GLIBC_TUNABLES", None)
    inherited["PYTHONPATH"] = os.getcwd()
    out = subprocess.run(
        [sys.executable, "-c", FAULTS], env=inherited | environment, capture_output=True, text=True, check=True
    ).stdout.split()
    return int(out[0]), out[1] == "True", int(out[2])


@pytest.mark.skipif(not glibc(), reason="this C library is not glibc")
def test_large_arrays_stop_faulting() -> None:
    before, kept, after = run()
    assert kept
    assert before > 100  # every array was new memory
    assert after <= before // 10


@pytest.mark.skipif(not glibc(), reason="this C library is not glibc")
@pytest.mark.parametrize(
    "setting", [{"MALLOC_MMAP_THRESHOLD_": "131072"}, {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=131072"}]
)
def test_the_users_own_settings_stand(setting: dict[str, str]) -> None:
    _, kept, after = run(**setting)
    assert not kept
    assert after > 100


def test_it_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(memory, "_outcome", None)
    monkeypatch.setattr(memory, "_tune", lambda: calls.append(1) or True)
    assert memory.keep_freed_memory()
    assert memory.keep_freed_memory()
    assert calls == [1]


@pytest.mark.parametrize("missing", ["gnu_get_libc_version", "mallopt"])
def test_other_c_libraries_are_left_alone(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        def __getattr__(self, name: str) -> Any:
            if name == missing:
                raise AttributeError(name)
            return lambda *_: pytest.fail(f"{name} was called")

    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    for name in [name for name in os.environ if name.startswith("MALLOC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library())
    assert memory._tune() is False


def test_other_systems_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(ctypes, "CDLL", lambda name: pytest.fail("a library was loaded"))
    assert memory._tune() is False
