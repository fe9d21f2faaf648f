"""Batch normalisation through cuDNN's frontend: TensorFlow's values, one graph a shape, and what happens without it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from tests.gpu import strict_cudnn, strict_cupy
from tfbench.engine.kernels import cudnn_graphs, cudnn_norm, norm

RNG = np.random.default_rng(3)
SHAPES = [(4, 3, 5, 8), (2, 3, 2, 4, 3)]
LAYOUTS = {4: "NHWC", 5: "NDHWC"}
TYPES = [np.float32, np.float16]


@pytest.fixture
def cudnn(monkeypatch: pytest.MonkeyPatch) -> Any:
    strict_cupy.install(monkeypatch)
    module = strict_cudnn.install(monkeypatch)
    monkeypatch.setattr(cudnn_graphs, "library", cudnn_graphs._Library())
    monkeypatch.setattr(cudnn_graphs, "_plans", {})
    return module


def there(array: Any) -> Any:
    return strict_cupy.array(array)


def images(shape: tuple[int, ...], dtype: Any) -> Any:
    return (RNG.standard_normal(shape) * 3 + 2).astype(dtype)


def vectors(channels: int, count: int) -> list[Any]:
    return [(RNG.random(channels) + 0.5).astype(np.float32) for _ in range(count)]


def same(found: Any, wanted: Any) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        tolerance = 1e-2 if one.dtype == np.float16 else 1e-4
        np.testing.assert_allclose(one.get(), other, rtol=tolerance, atol=tolerance)


def both(function: Any, arrays: Any, **attrs: Any) -> None:
    for _ in range(2):
        same(function(strict_cupy, *map(there, arrays), **attrs), function(np, *arrays, **attrs))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("factor", [1.0, 0.25])
def test_training(shape: tuple[int, ...], dtype: Any, factor: float, cudnn: Any) -> None:
    """With Bessel's correction in the third output, without it in the fifth."""
    arrays = [images(shape, dtype), *vectors(shape[-1], 4)]
    both(norm.fused_batch_norm, arrays, epsilon=0.01, exponential_avg_factor=factor, data_format=LAYOUTS[len(shape)])
    assert cudnn.pygraph.built == 1, "built once"


def test_statistics_of_nothing_have_no_weight(cudnn: Any) -> None:
    """In training TensorFlow gives empty statistics, or any."""
    x, (scale, offset) = images((3, 4, 4, 8), np.float32), vectors(8, 2)
    for given in (np.zeros(0, np.float32), np.full(8, np.nan, np.float32)):
        both(norm.fused_batch_norm, [x, scale, offset, given, given])
    assert cudnn.pygraph.built == 1


def test_each_epsilon_has_its_graph(cudnn: Any) -> None:
    arrays = [images((3, 4, 4, 8), np.float32), *vectors(8, 4)]
    for epsilon in (1e-3, 1.0):
        both(norm.fused_batch_norm, arrays, epsilon=epsilon)
    assert cudnn.pygraph.built == 2


def test_a_small_variance_keeps_its_digits(cudnn: Any) -> None:
    """It is not what is left of an inverse deviation less epsilon."""
    x = (RNG.standard_normal((4, 5, 5, 2)) * 1e-4).astype(np.float32)
    _, _, variance, _, biased = norm.fused_batch_norm(strict_cupy, *map(there, [x, *vectors(2, 4)]), epsilon=1e-3)
    rows = x.reshape(-1, 2).astype(np.float64)
    np.testing.assert_allclose(variance.get(), rows.var(0, ddof=1), rtol=1e-5)
    np.testing.assert_allclose(biased.get(), rows.var(0), rtol=1e-5)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_given_statistics(shape: tuple[int, ...], dtype: Any, cudnn: Any) -> None:
    arrays = [images(shape, dtype), *vectors(shape[-1], 4)]
    for epsilon in (0.1, 1e-3):
        both(norm.fused_batch_norm, arrays, epsilon=epsilon, is_training=False, data_format=LAYOUTS[len(shape)])
    assert cudnn.pygraph.built == 1, "epsilon is not in the graph"


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients(shape: tuple[int, ...], dtype: Any, cudnn: Any) -> None:
    dy, x = images(shape, dtype), images(shape, dtype)
    rows = x.reshape(-1, shape[-1]).astype(np.float64)
    kept = [rows.mean(0).astype(np.float32), rows.var(0).astype(np.float32)]
    both(
        norm.fused_batch_norm_grad,
        [dy, x, *vectors(shape[-1], 1), *kept],
        epsilon=0.01,
        data_format=LAYOUTS[len(shape)],
    )
    assert cudnn.pygraph.built == 1
    both(
        norm.fused_batch_norm_grad,
        [dy, x, *vectors(shape[-1], 1), *kept],
        is_training=False,
        data_format=LAYOUTS[len(shape)],
    )
    assert cudnn.pygraph.built == 1, "without the batch's statistics it is a product by channel"


def test_channels_first(cudnn: Any) -> None:
    x, dy, (scale, offset) = images((2, 6, 5, 4), np.float32), images((2, 6, 5, 4), np.float32), vectors(6, 2)
    nothing = np.zeros(0, np.float32)
    both(norm.fused_batch_norm, [x, scale, offset, nothing, nothing], data_format="NCHW")
    both(norm.fused_batch_norm_grad, [dy, x, scale, offset, scale], data_format="NCHW")
    assert cudnn.pygraph.built == 2


@pytest.mark.parametrize(
    ("shape", "dtype", "wide"),
    [
        ((1, 1, 1, 4), np.float32, np.float32),  # one value has no unbiased variance
        ((2, 3, 3, strict_cudnn.refused_channels), np.float32, np.float32),
        ((2, 3, 3, 4), np.float64, np.float64),
        ((0, 3, 3, 4), np.float32, np.float32),
    ],
)
def test_what_cudnn_has_not_is_computed_all_the_same(shape: Any, dtype: Any, wide: Any, cudnn: Any) -> None:
    x, (scale, offset) = images(shape, dtype), [vector.astype(wide) for vector in vectors(shape[-1], 2)]
    nothing = np.zeros(0, wide)
    both(norm.fused_batch_norm, [x, scale, offset, nothing, nothing])
    assert cudnn.pygraph.built == 0


def test_without_cudnn(cudnn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cudnn", None)
    arrays = [images((2, 3, 3, 4), np.float32), *vectors(4, 4)]
    for training in (True, False):
        both(norm.fused_batch_norm, arrays, is_training=training)
    both(norm.fused_batch_norm_grad, [arrays[0], *arrays[:4]])
    assert cudnn_graphs.library.module is False
    assert cudnn.pygraph.built == 0


def test_on_the_host_nobody_looks_for_cudnn(cudnn: Any) -> None:
    norm.fused_batch_norm(np, images((2, 3, 3, 4), np.float32), *vectors(4, 4))
    assert cudnn_graphs.library.module is None


@pytest.mark.skipif(find_spec("cudnn") is None, reason="nvidia-cudnn-frontend is not installed (extra cudnn12)")
def test_the_real_frontend_takes_the_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to where a GPU is needed: names, sizes, strides and types."""
    try:
        module = import_module("cudnn")
    except OSError as error:
        pytest.skip(f"cuDNN's library is not here: {error}")
    strict_cupy.install(monkeypatch)
    library = cudnn_graphs._Library()
    monkeypatch.setattr(cudnn_graphs, "library", library)
    monkeypatch.setattr(cudnn_graphs, "_plans", {})
    monkeypatch.setattr(library, "handle", lambda xp: None)
    accepted = []

    def validated(self: Any, graph: Any, tensors: Any, numbers: Any = ()) -> None:
        try:
            graph.validate()
        except Exception as error:
            if "driver" not in str(error):  # newer frontends want a GPU's driver here already
                raise
        accepted.append(graph)
        raise NotImplementedError("no GPU")

    monkeypatch.setattr(cudnn_graphs.Plan, "__init__", validated)
    assert module.backend_version() >= 90000
    for dtype in TYPES:
        for shape in SHAPES:
            x, dy = there(images(shape, dtype)), there(images(shape, dtype))
            scale, offset, mean, variance = map(there, vectors(shape[-1], 4))
            assert cudnn_norm.training(strict_cupy, x, scale, offset, 0.01) is None
            assert cudnn_norm.inference(strict_cupy, x, scale, offset, mean, variance, 0.01) is None
            assert cudnn_norm.gradients(strict_cupy, dy, x, scale, mean, variance, 0.01) is None
    assert len(accepted) == 12
