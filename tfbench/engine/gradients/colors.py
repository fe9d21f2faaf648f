"""The gradient of RGB to HSV, which depends on which channel is the greatest and which the least.

Of each derivative only one term counts for a pixel; the others are multiplied by 0, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.ops.array_join import stack
from tfbench.engine.ops.comparison import greater
from tfbench.engine.ops.math_binary import add, div_no_nan
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_unary import square
from tfbench.engine.tensor import Tensor

_RED, _GREEN, _BLUE = 0, 1, 2

#: (channel, the other two in the order in which their terms of the saturation are added)
_OTHERS = ((_RED, (_GREEN, _BLUE)), (_GREEN, (_RED, _BLUE)), (_BLUE, (_GREEN, _RED)))

#: a difference of two channels
_Pair = tuple[int, int]
#: (the greatest channel, the least, -1 or 1, the difference on top or None, the one below: squared if one is on top)
_Term = tuple[int, int, int, _Pair | None, _Pair]

#: for each channel: the difference that counts where it is the greatest itself, and the terms where it is not
_HUE: tuple[tuple[_Pair, tuple[_Term, ...]], ...] = (
    (
        (_GREEN, _BLUE),
        (
            (_GREEN, _RED, 1, (_BLUE, _GREEN), (_RED, _GREEN)),
            (_GREEN, _BLUE, -1, None, (_GREEN, _BLUE)),
            (_BLUE, _RED, 1, (_BLUE, _GREEN), (_BLUE, _RED)),
            (_BLUE, _GREEN, 1, None, (_BLUE, _GREEN)),
        ),
    ),
    (
        (_BLUE, _RED),
        (
            (_RED, _GREEN, 1, (_RED, _BLUE), (_RED, _GREEN)),
            (_RED, _BLUE, 1, None, (_RED, _BLUE)),
            (_BLUE, _GREEN, 1, (_RED, _BLUE), (_BLUE, _GREEN)),
            (_BLUE, _RED, -1, None, (_BLUE, _RED)),
        ),
    ),
    (
        (_RED, _GREEN),
        (
            (_RED, _BLUE, 1, (_GREEN, _RED), (_RED, _BLUE)),
            (_RED, _GREEN, -1, None, (_RED, _GREEN)),
            (_GREEN, _BLUE, 1, (_GREEN, _RED), (_GREEN, _BLUE)),
            (_GREEN, _RED, 1, None, (_GREEN, _RED)),
        ),
    ),
)


class _Pixels:
    """The channels of the images that were converted, and for each where it is the greatest and the least."""

    def __init__(self, node: Operation) -> None:
        images: Any = node.inputs[0]
        converted: Any = node.outputs[0]
        self.dtype = images.dtype
        self.channels: list[Any] = [images[..., i] for i in range(3)]
        red, green, blue = self.channels
        self.saturation, self.value = converted[..., 1], converted[..., 2]
        # Of equal channels red goes before green, and green before blue; the least are chosen the other way round.
        self.greatest = [
            cast((red >= blue) & (red >= green), self.dtype),
            cast((green > red) & (green >= blue), self.dtype),
            cast((blue > red) & (blue > green), self.dtype),
        ]
        self.least = [
            cast((red < blue) & (red < green), self.dtype),
            cast((green <= red) & (green < blue), self.dtype),
            cast((blue <= red) & (blue <= green), self.dtype),
        ]

    def inverse(self, x: Tensor) -> Tensor:
        """1 / x, and 0 for 0."""
        return div_no_nan(cast(1.0, self.dtype), x)

    def above_zero(self, channel: int) -> Tensor:
        return cast(greater(self.channels[channel], 0), self.dtype)

    def difference(self, pair: _Pair) -> Tensor:
        return self.channels[pair[0]] - self.channels[pair[1]]

    def saturation_slope(self, channel: int, others: Sequence[int]) -> Tensor:
        """1 - least / greatest, with respect to one channel."""
        x, (a, b) = self.channels, others
        positive = self.above_zero(channel)
        least = add(self.least[a] * x[a], self.least[b] * x[b])
        as_greatest = self.greatest[channel] * least * self.inverse(square(x[channel]))
        as_least = self.least[channel] * -1
        greatest = self.greatest[a] * x[a] + self.greatest[b] * x[b]
        return positive * add(as_greatest, as_least * self.inverse(greatest))

    def hue_slope(self, channel: int) -> Tensor:
        """With respect to one channel; in degrees, and then as a part of a turn."""
        own, terms = _HUE[channel]
        factor = self.above_zero(channel) * self.greatest[channel] * -1
        spread = factor * self.difference(own) * self.inverse(square(self.saturation))
        total = 60 * (spread * self.inverse(square(self.value)))
        slopes = [total, *[self._hue_term(*term) for term in terms]]
        for slope in slopes[1:]:
            total = total + slope
        return total / 360

    def _hue_term(self, greatest: int, least: int, sign: int, top: _Pair | None, below: _Pair) -> Tensor:
        factor = self.above_zero(greatest) * self.greatest[greatest] * self.least[least]
        if sign < 0:
            factor = factor * -1
        if top is None:
            return 60 * (factor * self.inverse(self.difference(below)))
        factor = factor * self.difference(top)
        return 60 * (factor * self.inverse(square(self.difference(below))))


@gradient("RGBToHSV")
def _rgb_to_hsv_gradient(node: Operation, dy: Any) -> Any:
    pixels = _Pixels(node)
    slopes = [
        pixels.greatest,
        [pixels.saturation_slope(channel, others) for channel, others in _OTHERS],
        [pixels.hue_slope(channel) for channel in range(3)],
    ]
    by_part = [stack([dy[..., part] * slope for slope in found], axis=-1) for part, found in zip((2, 1, 0), slopes)]
    return [add(add(by_part[0], by_part[1]), by_part[2])]
