"""Compiled exponentials, slopes, optimizers, scattered sums and resizing against NumPy, hard numbers included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.compiled.loops import HARD, both, kinds, needs_extra, numbers, own_cache, same, seeds
from tfbench.engine.compiled import tier
from tfbench.engine.kernels import elementwise_compiled, host_rows, image_resize, updates, updates_compiled
from tfbench.engine.kernels.updates import Update
from tfbench.engine.opdef import registry
from tfbench.engine.ops import math_unary, nn_activations, training

__all__ = ["own_cache"]

DECLARED = (math_unary, nn_activations)  # whose ops are asked for by their types

pytestmark = [needs_extra, pytest.mark.usefixtures("own_cache")]

EXAMPLES = settings(max_examples=25, deadline=None)


# -- functions of single numbers -------------------------------------------------------------------------------------


def _kernel(type: str) -> Any:
    return registry[type].kernels["CPU"].function


def test_exponentials_are_exact_to_the_last_digits() -> None:
    x = np.concatenate([np.linspace(-110, 95, 1 << 18), np.array(HARD)]).astype(np.float32)
    with tier.using("wait"):
        made = _kernel("Exp")(np, x)
        squashed = _kernel("Sigmoid")(np, x)
    with np.errstate(all="ignore"):
        exact = np.exp(x.astype(np.float64))
        wanted = exact.astype(np.float32)
        normal = np.isfinite(wanted) & (wanted >= np.finfo(np.float32).tiny)
        assert np.abs(made[normal] / exact[normal] - 1).max() < 1.2e-7
        np.testing.assert_allclose(made, wanted, rtol=2e-7, atol=2e-45)  # not-a-number, infinite, 0, denormal
        assert np.abs(squashed * (1 + 1 / exact) - 1)[np.abs(x) < 80].max() < 2.5e-7
    np.testing.assert_array_equal(made[-5:], [np.nan, np.inf, 0, 1, 1])
    np.testing.assert_array_equal(squashed[-5:], [np.nan, 1, 0, 0.5, 0.5])


@EXAMPLES
@given(seeds, kinds, st.sampled_from(["ReluGrad", "SigmoidGrad", "TanhGrad"]), st.booleans())
def test_slopes_of_activations(seed: int, kind: Any, type: str, hard: bool) -> None:
    first, second = (numbers((5_001,), seed + n, kind, hard=hard) for n in range(2))
    wanted, made = both(lambda: _kernel(type)(np, first, second))
    same(made, wanted)


@pytest.mark.parametrize("shape", [(), (1,), (4_095,), (0, 3)])
def test_small_arrays_are_numpys(shape: tuple[int, ...]) -> None:
    with tier.using("wait"):
        tier.kernel.cache_clear()
        assert elementwise_compiled.compiled("exp", np, np.zeros(shape, np.float32), single=True) is None
        assert not tier.kernel.cache_info().currsize


def test_what_does_not_fit_is_numpys() -> None:
    x = numbers((100, 100), 1)
    with tier.using("wait"):
        for first, second in ((x, x.T), (x, x[:1]), (x, x.astype(np.float64)), (x[:, ::2], x[:, ::2])):
            assert elementwise_compiled.compiled("relu_grad", np, first, second) is None
        np.testing.assert_array_equal(_kernel("ReluGrad")(np, x, x.T), x * (x.T > 0))


# -- optimizers: the very same bits -----------------------------------------------------------------------------------

RULES: dict[str, tuple[int, list[str], dict[str, Any]]] = {
    # slots, numbers, options
    "gradient_descent": (0, ["alpha"], {}),
    "momentum": (1, ["lr", "momentum"], {}),
    "momentum, nesterov": (1, ["lr", "momentum"], {"use_nesterov": True}),
    "adagrad": (1, ["lr"], {}),
    "adagrad, epsilon": (1, ["lr", "epsilon"], {}),
    "adagrad, slots kept": (1, ["lr"], {"update_slots": False}),
    "adam": (2, ["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"], {"use_nesterov": False}),
    "rms_prop": (2, ["lr", "rho", "momentum", "epsilon"], {}),
    "centered_rms_prop": (3, ["lr", "rho", "momentum", "epsilon"], {}),
    "adadelta": (2, ["lr", "rho", "epsilon"], {}),
}

SLOTS = {
    "gradient_descent": ["var"],
    "momentum": ["var", "accum"],
    "adagrad": ["var", "accum"],
    "adam": ["var", "m", "v"],
    "rms_prop": ["var", "ms", "mom"],
    "centered_rms_prop": ["var", "mg", "ms", "mom"],
    "adadelta": ["var", "accum", "accum_update"],
}


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=8, deadline=None)
@given(seeds, kinds, st.sampled_from([1, 7, 64, 20_001]), st.booleans())
def test_optimizers(name: str, seed: int, kind: Any, size: int, hard: bool) -> None:
    slots, names, options = RULES[name]
    rule = getattr(updates, name.split(",")[0])
    rng = np.random.default_rng(seed)
    values = {one: kind(rng.random()) for one in names} | options
    grad = numbers((size,), seed, kind, hard=hard)
    arrays = [
        numbers((size,), seed + 1, kind),
        *(np.abs(numbers((size,), seed + n, kind)) for n in range(2, 2 + slots)),
    ]

    def apply() -> tuple[Any, ...]:
        mine = [array.copy() for array in arrays]
        form = updates_compiled.dense(rule.__name__, SLOTS[rule.__name__], [*names, "grad"], options, kind)
        if not form.run(mine, {one: values[one] for one in names}, grad):
            Update(np).apply(rule, mine, values, grad)
        return tuple(mine)

    wanted, made = both(apply)
    same(made, wanted)


@pytest.mark.parametrize("name", [name for name, (slots, *_) in RULES.items() if slots])
@settings(max_examples=6, deadline=None)
@given(seeds, st.sampled_from([np.int32, np.int64]), st.integers(0, 30), st.booleans())
def test_optimizers_of_rows(name: str, seed: int, index: Any, count: int, hard: bool) -> None:
    slots, names, options = RULES[name]
    rule = getattr(updates, name.split(",")[0])
    rng = np.random.default_rng(seed)
    values = {one: np.float32(rng.random()) for one in names} | options
    places = rng.integers(0, 9, count).astype(index)
    grad = numbers((count, 3, 5), seed, hard=hard)
    arrays = [numbers((9, 3, 5), seed + 1), *(np.abs(numbers((9, 3, 5), seed + n)) for n in range(2, 2 + slots))]

    def apply() -> tuple[Any, ...]:
        mine = [array.copy() for array in arrays]
        training._sparse(np, rule, mine, values, grad, places)
        return tuple(mine)

    with np.errstate(all="ignore"), tier.using("0"):
        wanted = apply()
    with np.errstate(all="ignore"), tier.using("wait"):
        same(apply(), wanted)
        if count:
            assert updates_compiled.sparse(rule.__name__, arrays, values, grad, places)


def test_adam_with_nesterov_is_numpys() -> None:
    inputs = [*RULES["adam"][1], "grad"]
    for options in ({"use_nesterov": True}, {"use_nesterov": False}):
        form = updates_compiled.dense("adam", SLOTS["adam"], inputs, options, np.float32)
        assert (form is None) is options["use_nesterov"]


# -- rows that indices name ------------------------------------------------------------------------------------------


@EXAMPLES
@given(
    seeds, kinds, st.sampled_from([np.int32, np.int64]), st.integers(1, 9), st.integers(0, 30), st.integers(1, 40),
    st.sampled_from(["add", "subtract"]), st.booleans(),
)  # fmt: skip
def test_scattered_sums(
    seed: int, kind: Any, index: Any, rows: int, count: int, width: int, name: str, hard: bool
) -> None:
    places = np.random.default_rng(seed).integers(0, rows, count).astype(index)
    values = numbers((count, width), seed, kind, hard=hard)
    target = numbers((rows, width), seed + 1, kind)

    def call() -> Any:
        mine = target.copy()
        host_rows.combine(name, mine, places, values)
        return mine

    plain = target.copy()
    with np.errstate(all="ignore"):
        getattr(np, name).at(plain, places, values)
    wanted, made = both(call)
    same(wanted, plain)
    same(made, plain)


def test_rows_are_added_to_themselves_as_they_were() -> None:
    target = numbers((4, 3), 1)
    wanted = target.copy()
    np.add.at(wanted, [1, 1, 2, 0], target)
    with tier.using("wait"):
        host_rows.combine("add", target, np.array([1, 1, 2, 0]), target)
    same(target, wanted)


@pytest.mark.parametrize("name", ["add", "multiply", "divide", "minimum", "maximum"])
def test_other_ways_to_combine_rows(name: str) -> None:
    places = np.array([[2, 0], [2, 1]])
    for target, values in (
        (numbers((3, 2, 2), 1), numbers((2, 2, 2, 2), 2)),
        (numbers((3, 2, 2), 1), np.float32(2)),
        (numbers((4, 3), 1)[::-1][1:], numbers((2, 2, 3), 2)),
        (numbers((3, 2), 1, np.float16), numbers((2, 2, 2), 2, np.float16)),
    ):
        wanted = target.copy()
        getattr(np, name).at(wanted, places, values)
        with tier.using("wait"):
            host_rows.combine(name, target, places, values)
        same(target, wanted)


# -- resizing ----------------------------------------------------------------------------------------------------------


@EXAMPLES
@given(
    seeds,
    st.tuples(*[st.integers(1, 12)] * 4),
    st.integers(1, 5),
    st.sampled_from([(False, False), (False, True), (True, False)]),
    st.booleans(),
)
def test_bilinear_resizing_and_gradient(
    seed: int, sizes: tuple[int, ...], channels: int, way: tuple[bool, bool], hard: bool
) -> None:
    height, width, new_height, new_width = sizes
    options = {"align_corners": way[0], "half_pixel_centers": way[1]}
    x = numbers((2, height, width, channels), seed, hard=hard)
    if (height, width) != (new_height, new_width):
        wanted, made = both(lambda: image_resize.resize_bilinear(np, x, np.array([new_height, new_width]), **options))
        same(made, wanted)
    dy = numbers((2, new_height, new_width, channels), seed + 1)
    wanted, made = both(lambda: image_resize.resize_bilinear_grad(np, dy, x, **options))
    same(made, wanted, rtol=1e-5, atol=1e-5)


def test_gradient_of_resized_doubles_and_of_no_images_is_numpys() -> None:
    options = {"align_corners": False, "half_pixel_centers": True}
    dy = numbers((2, 4, 4, 3), 1)
    with tier.using("wait"):
        tier.kernel.cache_clear()
        assert image_resize.resize_bilinear_grad(np, dy, np.zeros((2, 2, 2, 3)), **options).dtype == np.float64
        assert image_resize.resize_bilinear_grad(np, dy[:0], np.zeros((0, 2, 2, 3), np.float32), **options).size == 0
        assert not tier.kernel.cache_info().currsize
