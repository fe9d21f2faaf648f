"""Window arithmetic: against direct counting for any sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.kernels.nn_reference import output_size
from tfbench import errors
from tfbench.engine.kernels.geometry import Window, spatial_axes, window, windows

SIZES = st.integers(1, 5)


@given(
    size=SIZES,
    stride=SIZES,
    dilation=st.integers(1, 3),
    input=st.integers(0, 20),
    padding=st.sampled_from(["SAME", "VALID", (0, 0), (3, 1), (0, 7)]),
)
@settings(max_examples=300, deadline=None)
def test_reach_counts_and_bands(
    size: int, stride: int, dilation: int, input: int, padding: str | tuple[int, int]
) -> None:
    wanted, before = output_size(input, size, stride, dilation, padding)
    if wanted < 0:
        return
    kind, pads = (padding, (0, 0)) if isinstance(padding, str) else ("EXPLICIT", padding)
    found = window(size, stride, dilation, kind, pads, input)
    assert found.output == wanted
    assert found.before == before
    at = [[output * stride + tap * dilation - before for tap in range(size)] for output in range(found.output)]
    assert found.counts().tolist() == [sum(0 <= place < input for place in places) for places in at]
    for tap in range(size):
        outputs, inputs = found.reach(tap)
        pairs = [(output, places[tap]) for output, places in enumerate(at) if 0 <= places[tap] < input]
        assert list(zip(range(found.output)[outputs], range(input)[inputs])) == pairs
    for first in range(found.output):
        rows, band = found.band(first, found.output)
        assert band.output == found.output - first
        for tap in range(size):
            outputs, inputs = band.reach(tap)
            shifted = [
                (o + first, i + rows.start) for o, i in zip(range(band.output)[outputs], range(band.input)[inputs])
            ]
            assert shifted == [
                (output, places[tap])
                for output, places in enumerate(at)
                if output >= first and 0 <= places[tap] < input
            ]


def test_attributes_are_read_by_the_data_format() -> None:
    assert [spatial_axes(layout) for layout in ("NHWC", "NCHW", "NDHWC", "NCDHW")] == [
        (1, 2),
        (2, 3),
        (1, 2, 3),
        (2, 3, 4),
    ]
    found = windows(
        (3, 2),
        (1, 9, 10, 11),
        strides=[1, 1, 2, 3],
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 0, 0, 1, 2, 3, 4],
        data_format="NCHW",
        dilations=[1, 1, 2, 1],
    )
    described = [[getattr(axis, name) for name in Window.__slots__] for axis in found]
    assert Window.__slots__ == ("after", "before", "dilation", "input", "output", "size", "stride")
    assert described == [[2, 1, 2, 10, 5, 3, 2], [4, 3, 1, 11, 6, 2, 3]]


def test_a_window_that_does_not_fit_says_so() -> None:
    with pytest.raises(
        errors.InvalidArgumentError, match=r"negative: -2 \[input_size: 1, effective_filter_size: 5, stride: 1\]"
    ):
        window(5, 1, 1, "EXPLICIT", (1, 0), 1)
    assert window(4, 2, 1, "VALID", (0, 0), 1).output == 0  # as TensorFlow rounds
    assert np.array_equal(window(4, 2, 1, "VALID", (0, 0), 1).counts(), [])
