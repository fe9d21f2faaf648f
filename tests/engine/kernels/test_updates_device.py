"""Optimizers' rules as one kernel: the numbers of the calls one by one, in place."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from tests.gpu import host_cuda, strict_cupy
from tfbench.engine.kernels import updates, updates_device
from tfbench.engine.kernels.updates import Update

#: rule -> numbers that are not a plain fraction
RULES: dict[str, dict[str, Any]] = {
    "gradient_descent": {},
    "proximal_gradient_descent": {},
    "momentum": {"use_nesterov": True},
    "adagrad": {"update_slots": True},
    "proximal_adagrad": {},
    "adadelta": {},
    "adam": {"use_nesterov": False},
    "ada_max": {},
    "rms_prop": {},
    "centered_rms_prop": {},
    "ftrl": {"lr_power": -0.5, "multiply_linear_by_lr": False},
    "add_sign": {},
    "power_sign": {},
}


def case(name: str, dtype: Any, size: int) -> tuple[Any, list[Any], dict[str, Any], Any]:
    """The rule, arrays, numbers and a gradient with everything in it that a float can be."""
    rule = getattr(updates, name)
    parameters = inspect.signature(rule).parameters.values()
    slots = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name != "do"]
    rng = np.random.default_rng(7)
    arrays = [rng.uniform(0.1, 1, size).astype(dtype) for _ in slots]
    given = RULES[name]
    numbers: dict[str, Any] = {}
    for i, p in enumerate(p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "grad"):
        if p.default is not p.empty and p.name not in given:
            continue
        value = given.get(p.name, 0.05 + 0.1 * i)
        numbers[p.name] = value if isinstance(value, bool) else np.array(value, dtype)
    grad = rng.normal(size=size).astype(dtype)
    grad[: min(size, 3)] = [0.0, np.nan, np.inf][: min(size, 3)]
    return rule, arrays, numbers, grad


def there(value: Any) -> Any:
    return value if isinstance(value, bool) else strict_cupy.array(value)


@pytest.mark.parametrize("size", [0, 1, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", RULES)
def test_one_kernel_gives_the_same(name: str, dtype: Any, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if host_cuda.compiler() is None:
        pytest.skip("no C++ compiler")
    rule, arrays, numbers, grad = case(name, dtype, size)
    fused, plain = ([there(array) for array in arrays] for _ in range(2))
    given = {key: there(value) for key, value in numbers.items()}
    assert updates_device.apply(strict_cupy, rule, fused, given, there(grad))
    monkeypatch.setattr(updates_device, "apply", lambda *_: False)
    Update(strict_cupy).apply(rule, plain, given, there(grad))
    close = name in ("power_sign", "ftrl")  # exp and pow are the library's, not NumPy's
    for one, two, before in zip(fused, plain, arrays):
        assert size < 4 or not np.array_equal(two.get(), before, equal_nan=True)
        if close:
            np.testing.assert_allclose(one.get(), two.get(), rtol=1e-6 if dtype == np.float32 else 1e-13)
        else:
            np.testing.assert_array_equal(one.get(), two.get())


def test_a_rule_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    if host_cuda.compiler() is None:
        pytest.skip("no C++ compiler")
    made: list[str] = []
    module = strict_cupy.RawModule
    monkeypatch.setattr(updates_device, "_kernels", {})
    monkeypatch.setitem(
        strict_cupy.__dict__,
        "RawModule",
        lambda *, code, options: made.append(code) or module(code=code, options=options),
    )
    rule, arrays, numbers, grad = case("momentum", np.float32, 10)
    for momentum in (0.1, 0.2, 0.3):
        numbers["momentum"] = np.array(momentum, np.float32)
        given = {key: there(value) for key, value in numbers.items()}
        assert updates_device.apply(strict_cupy, rule, [there(array) for array in arrays], given, there(grad))
    assert len(made) == 1


def test_types_that_have_no_kernel_go_one_by_one() -> None:
    rule, arrays, numbers, grad = case("gradient_descent", np.float16, 5)
    assert not updates_device.apply(strict_cupy, rule, [there(a) for a in arrays], numbers, there(grad))
    var = [there(array) for array in arrays]
    Update(strict_cupy).apply(rule, var, {key: there(value) for key, value in numbers.items()}, there(grad))
    wanted = [array.copy() for array in arrays]
    Update(np).apply(rule, wanted, {key: value[()] for key, value in numbers.items()}, grad)
    np.testing.assert_array_equal(var[0].get(), wanted[0])
