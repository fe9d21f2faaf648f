"""Convolutions through cuDNN's frontend: sizes, strides and paddings as it wants them, and what happens without it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from tests.engine.kernels.test_conv import GEOMETRIES, integers, kernels, setup
from tests.gpu import strict_cudnn, strict_cupy
from tfbench.engine.kernels import conv, conv_device, cudnn_graphs


@pytest.fixture
def cudnn(monkeypatch: pytest.MonkeyPatch) -> Any:
    strict_cupy.install(monkeypatch)
    module = strict_cudnn.install(monkeypatch)
    monkeypatch.setattr(cudnn_graphs, "library", cudnn_graphs._Library())
    monkeypatch.setattr(cudnn_graphs, "_plans", {})
    return module


def there(array: Any) -> Any:
    return strict_cupy.array(array)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_forward_and_gradients(geometry: Any, dtype: Any, cudnn: Any) -> None:
    x, filter, _, attrs = setup(geometry, dtype)
    forward, input_gradient, filter_gradient = kernels(len(geometry[0]))
    y = forward(np, x, filter, **attrs)
    dy = integers(y.shape, dtype, 3)
    for kernel, args in (
        (forward, (x, filter)),
        (input_gradient, (np.array(x.shape), filter, dy)),
        (filter_gradient, (x, np.array(filter.shape), dy)),
    ):
        for _ in range(2):
            found = kernel(strict_cupy, *(arg if arg.ndim == 1 else there(arg) for arg in args), **attrs)
            wanted = kernel(np, *args, **attrs)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found.get(), wanted)
    assert cudnn.pygraph.built == 3, "a graph for each, built once"
    assert len(cudnn.handles) == 1


def test_channels_first_and_groups(cudnn: Any) -> None:
    x, filter = integers((2, 6, 5, 4), np.float32), integers((3, 3, 2, 6), np.float32)
    attrs: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    wanted = conv.conv2d(np, x, filter, **attrs)
    np.testing.assert_array_equal(conv.conv2d(strict_cupy, there(x), there(filter), **attrs).get(), wanted)
    first = there(np.moveaxis(x, -1, 1))
    found = conv.conv2d(strict_cupy, first, there(filter), data_format="NCHW", **attrs)
    np.testing.assert_array_equal(np.moveaxis(found.get(), 1, -1), wanted)


@pytest.mark.parametrize(
    ("dtype", "channels"), [(np.float64, 3), (np.int32, 3), (np.float32, strict_cudnn.refused_channels)]
)
def test_what_cudnn_has_not_is_computed_all_the_same(dtype: Any, channels: int, cudnn: Any) -> None:
    x, filter = integers((1, 4, 4, channels), dtype), integers((3, 3, channels, 2), dtype)
    attrs: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    for _ in range(2):
        found = conv.conv2d(strict_cupy, there(x), there(filter), **attrs)
        np.testing.assert_array_equal(found.get(), conv.conv2d(np, x, filter, **attrs))
    assert cudnn.pygraph.built == 0


@pytest.mark.parametrize("broken", ["missing", "other package", "old"])
def test_without_cudnn(broken: str, cudnn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if broken == "missing":
        monkeypatch.setitem(__import__("sys").modules, "cudnn", None)
    elif broken == "other package":
        monkeypatch.setitem(__import__("sys").modules, "cudnn", object())
    else:
        monkeypatch.setattr(strict_cudnn, "backend_version", lambda: 8907)
    x, filter = integers((1, 4, 4, 3), np.float32), integers((2, 2, 3, 2), np.float32)
    found = conv.conv2d(strict_cupy, there(x), there(filter), strides=[1, 1, 1, 1], padding="SAME")
    wanted = conv.conv2d(np, x, filter, strides=[1, 1, 1, 1], padding="SAME")
    np.testing.assert_array_equal(found.get(), wanted)
    assert cudnn_graphs.library.module is False


def test_memory_on_the_side_is_not_needed(cudnn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With cuDNN no windows are laid side by side."""
    monkeypatch.setattr(conv_device, "_blocks", None)
    x, filter = integers((1, 4, 4, 3), np.float32), integers((2, 2, 3, 2), np.float32)
    conv.conv2d(strict_cupy, there(x), there(filter), strides=[1, 2, 2, 1], padding="SAME")


@pytest.mark.skipif(find_spec("cudnn") is None, reason="nvidia-cudnn-frontend is not installed (extra cudnn12)")
def test_the_real_frontend_has_the_names() -> None:
    from importlib import import_module

    try:
        module = import_module("cudnn")
    except OSError as error:
        pytest.skip(f"cuDNN's library is not here: {error}")
    for name in ("backend_version", "create_handle", "set_stream", "pygraph", "cudnnGraphNotSupportedError"):
        assert hasattr(module, name)
    assert {"FLOAT", "HALF"} <= set(dir(module.data_type))
    assert {"A", "FALLBACK"} <= set(dir(module.heur_mode))
    for name in (
        "tensor", "conv_fprop", "conv_dgrad", "conv_wgrad", "validate", "build_operation_graph",
        "create_execution_plans", "check_support", "build_plans", "get_workspace_size", "execute",
    ):  # fmt: skip
        assert hasattr(module.pygraph, name)
