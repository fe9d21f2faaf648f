"""`plots.filters`: what is on the figure, which limits its colours have, and what it refuses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench import plots


def texts(picture: Any) -> str:
    return " | ".join(text.get_text() for text in picture.findobj(lambda item: hasattr(item, "get_text")))


def tiles(picture: Any) -> list[Any]:
    """The images that are seen, in order; no colour bars."""
    return [axes.images[0] for axes in picture.axes if axes.get_visible() and axes.images]


def test_three_inputs_are_colour_with_zero_as_grey(net: SimpleNamespace) -> None:
    picture = plots.filters(net.first)
    assert repr(picture) == "<filters of conv1/weights [3, 3, 3, 4]>"
    shown = tiles(picture)
    assert len(shown) == 4
    value = net.session.run(net.first)
    np.testing.assert_allclose(shown[1].get_array(), value[:, :, :, 1] / 2 + 0.5, atol=1e-6)
    assert "as colour: grey is 0, one scale for all kernels, ±1" in texts(picture)


def test_one_symmetric_scale_for_all(net: SimpleNamespace) -> None:
    picture = plots.filters("conv1/weights", rgb=False)
    shown = tiles(picture)
    assert len(shown) == 3 * 4
    assert {image.get_clim() for image in shown} == {(-1.0, 1.0)}
    assert {image.get_cmap().name for image in shown} == {"PuOr"}
    assert "one scale for all kernels, ±1" in texts(picture)


def test_each_on_its_own_scale_says_its_limits(net: SimpleNamespace) -> None:
    picture = plots.filters(net.first, rgb=False, scale="each", inputs=0, outputs=[0, 3])
    kernels = net.session.run(net.first)[:, :, 0, [0, 3]]
    limits = [float(np.abs(kernels[:, :, i]).max()) for i in range(2)]
    for image, limit in zip(tiles(picture), limits, strict=True):
        assert image.get_clim() == pytest.approx((-limit, limit))
        assert f"±{limit:.3g}" in texts(picture)
    assert "each kernel on its own scale" in texts(picture)
    assert repr(picture) == "<filters of conv1/weights [3, 3, 3, 4], 2 of 4 outputs, 1 of 3 inputs>"


def test_a_matrix_and_a_constant_kernel(net: SimpleNamespace) -> None:
    (image,) = tiles(plots.filters("matrix"))
    np.testing.assert_array_equal(image.get_array(), np.eye(3))
    assert image.get_clim() == (-1.0, 1.0)
    net.session.run(net.matrix.assign(tf.zeros([3, 3])))
    (image,) = tiles(plots.filters("matrix"))
    assert image.get_clim() == (-1.0, 1.0), "all zeros have a scale, too"


def test_nan_and_inf_are_counted(net: SimpleNamespace) -> None:
    net.session.run(net.matrix.assign([[np.nan, 1, 0], [np.inf, 2, 0], [0, 0, 0]]))
    picture = plots.filters(net.matrix)
    assert "±2" in texts(picture)
    assert "1 NaN, 1 Inf" in texts(picture)


def test_more_than_fits_is_said(net: SimpleNamespace) -> None:
    many = tf.Variable(tf.ones([3, 3, 12, 70]), name="many")
    net.session.run(many.initializer)
    picture = plots.filters(many)
    assert repr(picture) == "<filters of many [3, 3, 12, 70], 64 of 70 outputs, 8 of 12 inputs>"


def test_names_are_text(net: SimpleNamespace) -> None:
    picture = plots.filters("matrix")
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert plots.picture.shortened("a$b$" + "x" * 100) == "…" + "x" * 59
    assert plots.picture.shortened("a$b$c") == r"a\$b\$c"


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("conv1/wieghts",), ValueError, r"no variable 'conv1/wieghts' in this graph\. Did you mean conv1/weights"),
        (("images",), ValueError, r"no variable 'images'"),
        ((3,), TypeError, r"3 \(of type int\) is no variable"),
        (("biases",), tf.errors.FailedPreconditionError, r"biases has no value yet: run its initializer \(%init"),
    ],
)
def test_what_is_wrong(net: SimpleNamespace, arguments: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        plots.filters(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outputs": 4}, r"no output channel 4: there are 4, 0 to 3"),
        ({"outputs": [0, -5]}, r"no output channel -5"),
        ({"inputs": 9, "rgb": False}, r"no input channel 9: there are 3"),
        ({"scale": "both"}, r"scale must be one of 'shared', 'each', but is 'both'"),
    ],
)
def test_wrong_options(net: SimpleNamespace, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plots.filters(net.first, **options)


def test_not_kernels(net: SimpleNamespace) -> None:
    net.session.run(net.biases.initializer)
    with pytest.raises(ValueError, match=r"biases has shape \[4\]; kernels have \[height, width, inputs, outputs\]"):
        plots.filters(net.biases)
    with pytest.raises(ValueError, match=r"has 4 input channels; only three can be shown as colour"):
        plots.filters(net.second, rgb=True)
    with pytest.raises(ValueError, match=r"conv1/relu is not a variable: it is computed from what is fed"):
        plots.filters(net.relu1)
    words = tf.Variable(["a", "b"], name="words")
    net.session.run(words.initializer)
    with pytest.raises(ValueError, match=r"words holds .*; kernels are real numbers"):
        plots.filters(words)


def test_without_a_session() -> None:
    with tf.Graph().as_default():
        variable = tf.get_variable("w", [3, 3])
        with pytest.raises(ValueError, match="There is no session to take values from: pass session="):
            plots.filters(variable)
