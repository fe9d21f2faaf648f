"""The math family against NumPy: random shapes and values, exactness of special functions, speed paths, failures."""

from __future__ import annotations

import math
import string
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfbench as tf
from tests.engine.ops.sampling import Node
from tfbench import errors
from tfbench.engine.kernels import reduce, special_bessel, special_erf, special_gamma, special_incomplete
from tfbench.engine.ops.math_einsum import parse
from tfbench.engine.ops.math_einsum_path import contraction_steps

sizes = st.lists(st.integers(0, 4), max_size=4)


def run(*tensors: Any) -> Any:
    with tf.Session() as session:
        results = session.run(list(tensors))
    return results[0] if len(tensors) == 1 else results


@st.composite
def broadcasting(draw: Any) -> tuple[list[int], list[int]]:
    """Two shapes that broadcast."""
    whole = draw(st.lists(st.integers(1, 4), max_size=4))

    def part() -> list[int]:
        cut = whole[draw(st.integers(0, len(whole))) :]
        return [1 if draw(st.booleans()) else size for size in cut]

    return part(), part()


def numbers(shape: list[int], seed: int = 0) -> Any:
    return np.random.default_rng(seed + sum(shape)).normal(size=shape).astype(np.float32)


# -- elementwise -------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(broadcasting(), st.sampled_from(["AddV2", "Sub", "Mul", "Maximum", "Less", "SquaredDifference"]))
def test_operands_broadcast_as_in_numpy(shapes: tuple[list[int], list[int]], type: str) -> None:
    function = {"AddV2": np.add, "Sub": np.subtract, "Mul": np.multiply, "Maximum": np.maximum, "Less": np.less}.get(
        type, lambda a, b: np.square(a - b)
    )
    x, y = numbers(shapes[0]), numbers(shapes[1], 7)
    node = Node(type, ([x, y], {}))
    (result,) = node.run()
    assert node.outputs[0].static_shape == np.broadcast_shapes(x.shape, y.shape)
    np.testing.assert_array_equal(result, function(x, y))


@settings(max_examples=200, deadline=None)
@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1).filter(bool))
def test_integer_divisions_are_exact(x: int, y: int) -> None:
    if (x, y) == (-(2**31), -1):
        return  # the one quotient that wraps
    towards_zero = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    a, b = tf.constant(x), tf.constant(y)
    floor, rest, truncated, left = run(a // b, a % b, tf.truncatediv(a, b), tf.truncatemod(a, b))
    assert (floor, rest) == (x // y, x % y)
    assert (truncated, left) == (towards_zero, x - towards_zero * y)


def test_a_plan_that_failed_is_not_compiled_into_wrong_code() -> None:
    """RealDiv of integers has no kernel; the operator in compiled code would make a float64 of it."""
    x = tf.placeholder(tf.int32, [])
    y = tf.realdiv(x, x)
    with tf.Session() as session:
        for _ in range(3):
            with pytest.raises(errors.InvalidArgumentError, match="No OpKernel"):
                session.run(y, {x: 3})


# -- reductions ----------------------------------------------------------------------------------------------------

_NUMPY = {"Sum": np.sum, "Max": np.max, "Min": np.min, "Prod": np.prod, "Mean": np.mean}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 4), max_size=4), st.data(), st.sampled_from(sorted(_NUMPY)), st.booleans())
def test_reductions_as_in_numpy(shape: list[int], data: Any, type: str, keep: bool) -> None:
    axes = data.draw(st.lists(st.sampled_from(range(-len(shape), 0)), unique=True, max_size=3)) if shape else []
    x = numbers(shape)
    node = Node(type, ([x, np.array(axes, np.int32)], {"keep_dims": keep}))
    (result,) = node.run()
    wanted = _NUMPY[type](x, axis=tuple(axes), keepdims=keep)
    assert node.outputs[0].static_shape == wanted.shape
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(20_000, 3), (300, 64), (2, 100, 17, 10), (40_000,), (5000, 4, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fast_reductions_as_in_numpy(shape: tuple[int, ...], dtype: Any) -> None:
    """Every way of splitting the axes in two, on arrays large enough for the fast ways."""
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)
    tried = 0
    for cut in range(len(shape) + 1):
        for axes in (tuple(range(cut)), tuple(range(cut, len(shape)))):
            for keep in (False, True):
                summed = reduce.total(x, axes, keep) if axes else None
                if summed is not None:
                    wanted = x.sum(axis=axes, keepdims=keep, dtype=np.float64)
                    assert summed.dtype == dtype
                    np.testing.assert_allclose(summed, wanted, rtol=1e-4, atol=2e-2 if dtype == np.float32 else 1e-9)
                    tried += 1
                for ufunc in (np.maximum, np.minimum):
                    found = reduce.extreme(ufunc, x, axes, keep) if axes else None
                    if found is not None:
                        np.testing.assert_array_equal(found, ufunc.reduce(x, axis=axes, keepdims=keep))
                        tried += 1
    assert tried or len(shape) == 1


def test_fast_reductions_know_when_to_stay_out_of_it() -> None:
    x = np.zeros((200, 100), np.float32)
    assert reduce.total(x[:10], (1,), False) is None, "too small"
    assert reduce.total(x.T, (0,), False) is None, "not contiguous"
    assert reduce.total(x.astype(np.int32), (0,), False) is None, "no floats"
    assert reduce.total(x, (0, 1), False) is None, "nothing left"
    assert reduce.extreme(np.maximum, np.zeros((2, 100, 200), np.float32), (1,), False) is None, "in the middle"


def test_not_a_number_survives_the_fast_ways() -> None:
    x = np.zeros((20_000, 5), np.float32)
    x[12_345, 3] = np.nan
    for axes in ((0,), (1,)):
        for found in (reduce.total(x, axes, False), reduce.extreme(np.maximum, x, axes, False)):
            assert found is not None
            assert np.isnan(found).sum() == 1


def test_a_long_column_is_summed_without_losing_digits() -> None:
    """A running float32 sum of ten million tenths is off by a tenth of itself."""
    x = np.full((10_000_000, 1), 0.1, np.float32)
    assert run(tf.reduce_sum(tf.constant(x), 0)) == pytest.approx(1e6, rel=1e-5)


def test_means_of_large_integers_do_not_overflow() -> None:
    assert run(tf.reduce_mean(tf.constant([2**31 - 1, 2**31 - 1, 2**31 - 4]))) == 2**31 - 2


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=3), st.data(), st.booleans(), st.booleans())
def test_running_sums_by_definition(shape: list[int], data: Any, exclusive: bool, reverse: bool) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = np.random.default_rng(3).integers(-5, 5, shape).astype(np.int32)
    moved = np.moveaxis(x, axis, 0)
    if reverse:
        moved = moved[::-1]
    wanted = np.array([moved[: i + (not exclusive)].sum(axis=0) for i in range(len(moved))], np.int32).reshape(
        moved.shape
    )
    if reverse:
        wanted = wanted[::-1]
    result = run(tf.cumsum(tf.constant(x), axis, exclusive, reverse))
    np.testing.assert_array_equal(result, np.moveaxis(wanted, 0, axis))


# -- products ------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_einsum_as_in_numpy(data: Any) -> None:
    """Random equations of one to five operands, with repeated labels in none."""
    letters = string.ascii_lowercase[:6]
    size = {letter: data.draw(st.integers(1, 3)) for letter in letters}
    inputs = [
        "".join(data.draw(st.lists(st.sampled_from(letters), unique=True, max_size=3)))
        for _ in range(data.draw(st.integers(1, 5)))
    ]
    known = sorted(set("".join(inputs)))
    output = "".join(data.draw(st.lists(st.sampled_from(known), unique=True, max_size=3))) if known else ""
    equation = ",".join(inputs) + "->" + output
    arrays = [np.asarray(numbers([size[letter] for letter in labels], i)) for i, labels in enumerate(inputs)]
    result = tf.einsum(equation, *[tf.constant(array) for array in arrays])
    wanted = np.einsum(equation, *arrays)
    assert result.static_shape == wanted.shape
    np.testing.assert_allclose(run(result), wanted, rtol=1e-4, atol=1e-4)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("abcde", min_size=0, max_size=3), min_size=2, max_size=6))
def test_contraction_steps_use_each_operand_once(labels: list[str]) -> None:
    labels = ["".join(dict.fromkeys(names)) for names in labels]
    left = list(range(len(labels)))
    steps = list(contraction_steps(labels, "", dict.fromkeys("abcde", 2)))
    for places, names, _ in steps:
        assert len(places) == len(names) == 2
        for place in places:
            left.pop(place)
        left.append(-1)
    assert len(left) == 1


@pytest.mark.parametrize(
    ("equation", "count", "wanted"),
    [
        ("ij,jk", 2, (["ij", "jk"], "ik")),
        ("ba", 1, (["ba"], "ab")),
        ("...a->...", 1, (["0a"], "0")),
        ("i,i", 2, (["i", "i"], "")),
    ],
)
def test_equations_are_resolved(equation: str, count: int, wanted: Any) -> None:
    assert parse(equation, count) == wanted


@pytest.mark.parametrize(
    ("equation", "count", "message"),
    [
        ("ij,jk->ik", 1, "Got 1 inputs"),
        ("i->ii", 1, "more than once"),
        ("i->j", 1, "not present"),
        ("i-j", 1, "incorrect format"),
        ("...i->......", 1, "multiple ellipsis"),
        ("0...->0", 1, "Invalid character"),
    ],
)
def test_bad_equations_say_what_is_wrong(equation: str, count: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(equation, count)


def test_einsum_of_a_list_says_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"use tf\.constant"):
        tf.einsum("i->", [1.0])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(1, 3), max_size=3),
    st.lists(st.integers(1, 3), min_size=1, max_size=2),
    st.lists(st.integers(1, 3), max_size=3),
)
def test_tensordot_as_in_numpy(free: list[int], shared: list[int], other: list[int]) -> None:
    a, b = numbers(free + shared), numbers(shared + other, 5)
    result = tf.tensordot(tf.constant(a), tf.constant(b), len(shared))
    np.testing.assert_allclose(run(result), np.tensordot(a, b, len(shared)), rtol=1e-5, atol=1e-5)
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    with tf.Session() as session:
        late = session.run(tf.tensordot(x, y, len(shared)), {x: a, y: b})
    np.testing.assert_allclose(late, np.tensordot(a, b, len(shared)), rtol=1e-5, atol=1e-5)


def test_half_products_add_up_in_float32() -> None:
    a = np.full((1, 10_000), 0.1, np.float16)
    exact = np.float16(np.sum(a.astype(np.float64) ** 2))
    assert run(tf.matmul(tf.constant(a), tf.constant(a), transpose_b=True))[0, 0] == exact


# -- segments --------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-1, 4), max_size=12), st.sampled_from(["sum", "prod", "min", "max"]))
def test_unsorted_segments_by_definition(ids: list[int], kind: str) -> None:
    ufunc, empty = {
        "sum": (np.add, 0), "prod": (np.multiply, 1), "min": (np.minimum, np.finfo(np.float32).max),
            "max": (np.maximum, np.finfo(np.float32).min),
    }[kind]  # fmt: skip
    rows = numbers([len(ids), 2])
    wanted = np.full((5, 2), empty, np.float32)
    for segment in range(5):
        chosen = rows[np.array(ids, int) == segment]
        if len(chosen):
            wanted[segment] = ufunc.reduce(chosen, axis=0)
    result = run(getattr(tf, f"unsorted_segment_{kind}")(tf.constant(rows), tf.constant(ids, tf.int32), 5))
    np.testing.assert_allclose(result, wanted, rtol=1e-5)


# -- special functions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [*np.linspace(-6, 6, 49), 1e-300, -1e-8, 26.0, -30.0])
def test_the_error_function_to_the_last_digits(x: float) -> None:
    array = np.array([x])
    assert special_erf.erf(array)[0] == pytest.approx(math.erf(x), rel=1e-15)
    assert special_erf.erfc(array)[0] == pytest.approx(math.erfc(x), rel=4e-15)


@pytest.mark.parametrize("x", [*np.linspace(0.05, 12, 60), 1e-12, 1e-3, 1e3, 1e12, -0.5, -1.7, -20.3])
def test_the_logarithm_of_gamma_to_the_last_digits(x: float) -> None:
    assert special_gamma.lgamma(np.array([x]))[0] == pytest.approx(math.lgamma(x), rel=2e-13, abs=2e-14)


@settings(max_examples=100, deadline=None)
@given(st.floats(1e-300, 1 - 1e-16))
def test_quantiles_are_inverse(p: float) -> None:
    x = special_erf.ndtri(np.array([p]))
    assert special_erf.erfc(-x / math.sqrt(2))[0] / 2 == pytest.approx(p, rel=1e-12)


@settings(max_examples=100, deadline=None)
@given(st.floats(-0.999, 0.999))
def test_erfinv_is_inverse(y: float) -> None:
    assert special_erf.erf(special_erf.erfinv(np.array([y])))[0] == pytest.approx(y, rel=1e-14, abs=1e-300)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.1, 50), st.floats(1e-3, 200))
def test_incomplete_gamma_halves_make_one(a: float, x: float) -> None:
    first, second = np.array([a]), np.array([x])
    lower, upper = special_incomplete.igamma(first, second)[0], special_incomplete.igammac(first, second)[0]
    assert lower + upper == pytest.approx(1, abs=1e-12)
    assert 0 <= lower <= 1


@pytest.mark.parametrize("x", [0.1, 1.0, 4.0, 30.0])
def test_incomplete_functions_in_closed_form(x: float) -> None:
    def array(value: float) -> Any:
        return np.array([value])

    assert special_incomplete.igammac(array(1.0), array(x))[0] == pytest.approx(math.exp(-x), rel=1e-13)
    assert special_incomplete.igamma(array(0.5), array(x))[0] == pytest.approx(math.erf(math.sqrt(x)), rel=1e-13)
    p = 1 / (1 + x)
    assert special_incomplete.betainc(array(3.0), array(1.0), array(p))[0] == pytest.approx(p**3, rel=1e-13)


def test_zeta_and_its_relatives_at_known_points() -> None:
    def array(*values: float) -> Any:
        return np.array(values)

    two, four = special_gamma.zeta(array(2.0, 4.0), array(1.0, 1.0))
    assert two == pytest.approx(math.pi**2 / 6, rel=1e-15)
    assert four == pytest.approx(math.pi**4 / 90, rel=1e-15)
    assert special_gamma.polygamma(array(1.0), array(0.5))[0] == pytest.approx(math.pi**2 / 2, rel=1e-14)
    assert special_gamma.digamma(array(1.0))[0] == pytest.approx(-0.5772156649015329, rel=1e-14)
    x = array(0.5, 3.0, 12.0)
    np.testing.assert_allclose(special_gamma.digamma(x + 1), special_gamma.digamma(x) + 1 / x, rtol=1e-13)


def test_bessel_functions_solve_their_equation() -> None:
    """x^2 y'' + x y' = x^2 y for order 0, with y' = I1 and y'' = I0 - I1 / x; and the series near 0."""
    x = np.array([0.25, 1.0, 7.9, 8.1, 40.0])
    step = 1e-5
    slope = (special_bessel.i0(x + step) - special_bessel.i0(x - step)) / (2 * step)
    np.testing.assert_allclose(slope, special_bessel.i1(x), rtol=1e-8)
    assert special_bessel.i0(np.array([1e-3]))[0] == pytest.approx(1 + 2.5e-7, rel=1e-13)


# -- failures ----------------------------------------------------------------------------------------------


def test_a_clash_of_shapes_names_op_shapes_and_line() -> None:
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = tf.add(x, y, name="total")
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError) as raised:
        session.run(z, {x: np.ones((2, 3)), y: np.ones(4)})
    text = str(raised.value)
    assert "Incompatible shapes: [2,3] vs. [4]" in text
    assert "total" in text
    assert "test_math.py" in text


def test_errors_leave_no_half_built_operator_behind() -> None:
    x = tf.constant([1.0, 2.0])
    before = len(tf.get_default_graph().get_operations())
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        tf.add(x, tf.constant([1.0, 2.0, 3.0]))
    kinds = [op.type for op in tf.get_default_graph().get_operations()[before:]]
    assert kinds == ["Const"], "only the constant that the caller made"


def test_an_object_that_knows_tensors_is_asked() -> None:
    class Metres:
        def __radd__(self, other: Any) -> str:
            return f"{other.name} metres"

    assert tf.constant(1.0, name="one") + Metres() == "one:0 metres"
    with pytest.raises((TypeError, ValueError)):
        tf.constant(1.0) + object()
