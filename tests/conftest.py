"""What every test relies on: an empty default graph, settings of its own, GPU tests where there is a GPU."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# A shell that starts the tests in the background has them ignore Ctrl-C; tests of interrupts need Python's own way.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Before anything imports matplotlib: no window, whatever the machine has.
os.environ["MPLBACKEND"] = "Agg"

# Kernels that are compiled while a test runs would change the last bits of results at some moment; `make unit` runs the
# tests of kernels again with TFBENCH_FAST=wait.
os.environ.setdefault("TFBENCH_FAST", "0")


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """IPython and Jupyter keep settings and history: none of the person's here, none of the tests' there."""
    home: Path = tmp_path_factory.mktemp("home")
    names = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setenv(name, str(home / name.lower()))
        yield


@pytest.fixture(autouse=True)
def _fresh_default_graph() -> Iterator[None]:
    """No test sees the nodes that another left in the default graph, nor its bench, whose session is the default."""
    yield
    tfbench, bench = sys.modules.get("tfbench"), sys.modules.get("tfbench.bench")
    if tfbench is not None:
        tfbench.reset_default_graph()
    if bench is not None:
        bench._the_bench.clear()
        bench.default_graph.provide_no_session()


@pytest.fixture(autouse=True)
def _only_the_devices_that_it_knows_of(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU of this machine is there for tests that are marked `gpu`, and for no others."""
    from tfbench.engine import cuda

    found = (
        None if request.node.get_closest_marker("gpu") else cuda.nothing("tests that are not marked gpu run without")
    )
    monkeypatch.setattr(cuda, "_found", found)
    monkeypatch.setattr(cuda, "_pool", None)


def _gpu() -> str | None:
    """Why there is no GPU to test on, or None."""
    from tfbench.engine import cuda

    found = cuda.look()
    return None if found.count else found.reason


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    gpu = [item for item in items if item.get_closest_marker("gpu")]
    if gpu and (reason := _gpu()):
        for item in gpu:
            item.add_marker(pytest.mark.skip(reason=reason))
    # Last: Playwright keeps an event loop running to the end, and asyncio.run() refuses to work beside it.
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
