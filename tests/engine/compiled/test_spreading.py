"""The compiled gradient of convolutions with respect to images of few channels, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.engine.compiled.loops import needs_extra, numbers, own_cache
from tfbench.engine.compiled import tier
from tfbench.engine.kernels import conv, conv_spread, threads
from tfbench.engine.kernels.geometry import windows

__all__ = ["own_cache"]

pytestmark = [needs_extra, pytest.mark.usefixtures("own_cache")]


def _case(
    input: tuple[int, int, int, int], size: tuple[int, int], strides: tuple[int, int], padding: str, filters: int
) -> tuple[Any, Any, Any]:
    found = windows(
        size, input, strides=[1, *strides, 1], padding=padding, explicit_paddings=(), data_format="NHWC"
    )  # fmt: skip
    dy = numbers((input[0], *(window.output for window in found), filters), 1)
    return dy, numbers((*size, input[3], filters), 2), found


@pytest.mark.parametrize(
    ("input", "size", "strides", "padding", "filters"),
    [
        ((2, 8, 9, 3), (5, 5), (1, 1), "SAME", 16),
        ((2, 9, 8, 1), (3, 5), (1, 1), "VALID", 5),
        ((1, 9, 7, 2), (4, 3), (3, 2), "SAME", 5),
        ((3, 10, 11, 4), (2, 2), (4, 5), "VALID", 7),  # inputs that no window looks at
        ((1, 21, 21, 4), (7, 8), (2, 2), "SAME", 9),
        ((1, 2, 2, 3), (5, 5), (1, 1), "SAME", 3),
        ((1, 1, 6, 3), (1, 1), (1, 1), "SAME", 8),
    ],
)
def test_as_numpy(input: Any, size: Any, strides: Any, padding: str, filters: int) -> None:
    dy, filter, found = _case(input, size, strides, padding, filters)
    attrs: dict[str, Any] = {"strides": [1, *strides, 1], "padding": padding}
    with tier.using(tier.OFF):
        wanted = conv.conv2d_backprop_input(np, np.array(input), filter, dy, **attrs)
    with tier.using(tier.WAIT):
        made = conv_spread.input_gradient(dy, filter, input, found)
        through = conv.conv2d_backprop_input(np, np.array(input), filter, dy, **attrs)
    np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-5 * np.abs(wanted).max())
    np.testing.assert_array_equal(through, made)


def test_what_is_left_to_others() -> None:
    def made(dy: Any, filter: Any, input: Any, found: Any) -> Any:
        with tier.using(tier.WAIT):
            return conv_spread.input_gradient(dy, filter, input, found)

    for input, size in (((1, 8, 8, 5), (3, 3)), ((1, 8, 40, 3), (3, 11))):
        dy, filter, found = _case(input, size, (1, 1), "SAME", 4)
        assert made(dy, filter, input, found) is None
    input = (1, 8, 8, 3)
    dy, filter, found = _case(input, (3, 3), (1, 1), "SAME", 4)
    assert made(dy, filter, input, found) is not None
    assert made(dy.astype(np.float64), filter.astype(np.float64), input, found) is None
    assert made(dy[:, ::-1], filter, input, found) is None
    assert made(dy, filter, (1, 8, 8, 6), found) is None  # two groups
    wide = windows(
        (3, 3), input, strides=[1, 1, 1, 1], dilations=[1, 2, 2, 1], padding="SAME", explicit_paddings=(),
        data_format="NHWC",
    )  # fmt: skip
    assert made(dy, filter, input, wide) is None
    with tier.using(tier.OFF):
        assert conv_spread.input_gradient(dy, filter, input, found) is None


def test_threads_change_no_bit() -> None:
    input = (7, 12, 12, 3)
    dy, filter, found = _case(input, (5, 5), (1, 1), "SAME", 32)
    made = []
    for count in (1, 3):
        with tier.using(tier.WAIT), threads.limit(count):
            made.append(conv_spread.input_gradient(dy, filter, input, found))
    np.testing.assert_array_equal(made[0], made[1])
