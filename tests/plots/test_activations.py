"""`plots.activations`: what is on the figure, which limits its colours have, and what it refuses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.plots.test_filters import texts, tiles
from tfbench import plots


def test_one_tile_a_channel_beside_the_input(net: SimpleNamespace) -> None:
    picture = plots.activations("conv2/relu", net.feed, image=1)
    value = net.session.run(net.relu2, net.feed)[1]
    shown = tiles(picture)
    assert len(shown) == 1 + 2
    np.testing.assert_allclose(shown[0].get_array(), net.batch[1])
    for channel in range(2):
        np.testing.assert_allclose(shown[1 + channel].get_array(), value[:, :, channel])
        assert shown[1 + channel].get_clim() == pytest.approx((0.0, value.max() or 1.0))
    assert repr(picture) == "<activations of conv2/relu [2, 6, 6, 2], image 1>"
    assert "one scale for all channels, 0 to" in texts(picture)


def test_values_with_a_sign_have_zero_in_the_middle(net: SimpleNamespace) -> None:
    shown = tiles(plots.activations("conv1/Conv2D", net.feed, show_input=False))
    value = np.abs(net.session.run("conv1/Conv2D:0", net.feed)[0]).max()
    assert {image.get_cmap().name for image in shown} == {"PuOr"}
    assert {image.get_clim() for image in shown} == {(-value, value)}


def test_each_channel_on_its_own_scale(net: SimpleNamespace) -> None:
    value = tf.constant(np.stack([np.arange(4.0), 100 * np.arange(4.0)], -1).reshape(1, 2, 2, 2), name="value")
    picture = plots.activations(value, scale="each")
    assert [image.get_clim() for image in tiles(picture)] == [(0.0, 3.0), (0.0, 300.0)]
    assert "0 to 3 " in texts(picture) + " "
    assert "0 to 300" in texts(picture)
    assert "each channel on its own scale" in texts(picture)


def test_dead_channels_and_trouble_are_counted(net: SimpleNamespace) -> None:
    value = np.zeros([1, 2, 2, 3], np.float32)
    value[0, 0, 0] = [np.nan, np.inf, 0]
    picture = plots.activations(tf.constant(value))
    assert "1 of 3 channels are zero everywhere" in texts(picture)
    assert "1 NaN, 1 Inf" in texts(picture)


def test_bars_for_a_dense_layer(net: SimpleNamespace) -> None:
    picture = plots.activations(tf.constant([[1.0, -2.0, 3.0]], name="dense"), channels=[2, 0])
    assert [bar.get_height() for bar in picture.axes[0].patches] == [3.0, 1.0]
    assert repr(picture) == "<activations of dense [1, 3], image 0, 2 of 3 channels>"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"image": 2}, "no image 2: there are 2, 0 to 1"),
        ({"channels": [0, 4]}, "no channel 4: there are 4, 0 to 3"),
        ({"scale": "own"}, "scale must be one of"),
    ],
)
def test_wrong_options(net: SimpleNamespace, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plots.activations(net.relu1, net.feed, **options)


def test_what_is_wrong(net: SimpleNamespace) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'images'"):
        plots.activations(net.relu1)
    with pytest.raises(ValueError, match=r"Cannot feed value of shape \(6, 6, 3\) for Tensor images:0"):
        plots.activations(net.relu1, {net.images: net.batch[0]})
    with pytest.raises(ValueError, match=r"is float32 of shape \[3\]; feature maps are numbers of shape"):
        plots.activations(tf.constant([1.0, 2.0, 3.0]))
    with pytest.raises(KeyError, match="nothing"):
        plots.activations("nothing", net.feed)
