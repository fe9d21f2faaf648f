"""The pictures with controls: what they offer, and what moving one does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tfbench import plots
from tfbench.engine.hooks import SessionHook
from tfbench.plots.picture import Picture
from tfbench.plots.sliders import Explorer, layers_before


class Counted(SessionHook):
    def __init__(self, runs: list[int]) -> None:
        self.runs = runs

    def ran(self, *_: Any) -> None:
        self.runs.append(1)


def test_filters(net: SimpleNamespace) -> None:
    explorer = plots.explore_filters(net.first)
    layer, output, entry, scale = explorer.controls.values()
    assert layer.options == ("conv1/weights", "conv2/weights"), "the graph's other kernels, no biases and matrices"
    assert output.options == ("all", "0", "1", "2", "3")
    assert entry.disabled, "three inputs are one colour"
    assert repr(explorer) == "<filters of conv1/weights [3, 3, 3, 4]>"
    output.value = "3"
    assert repr(explorer) == "<filters of conv1/weights [3, 3, 3, 4], 1 of 4 outputs>"
    layer.value = "conv2/weights"
    assert output.value == "all", "there is no output 3 in this layer"
    assert output.options == ("all", "0", "1")
    assert not entry.disabled
    entry.value = "2"
    scale.value = "each"
    assert repr(explorer) == "<filters of conv2/weights [3, 3, 4, 2], 1 of 4 inputs>"


def test_activations(net: SimpleNamespace) -> None:
    runs: list[int] = []
    net.session.hooks.append(Counted(runs))
    explorer = plots.explore_activations(net.relu2, net.feed, net.session)
    layer, image, channel, _scale = explorer.controls.values()
    assert layer.options == ("conv1/Conv2D", "conv1/relu", "conv2/Conv2D", "conv2/relu")
    assert layer.value == "conv2/relu"
    assert (image.max, image.value) == (1, 0)
    image.value = 1
    channel.value = "0"
    assert repr(explorer) == "<activations of conv2/relu [2, 6, 6, 2], image 1, 1 of 2 channels>"
    assert len(runs) == 1, "looking at other parts of it runs nothing"
    layer.value = "conv1/relu"
    assert repr(explorer) == "<activations of conv1/relu [2, 6, 6, 4], image 1, 1 of 4 channels>"
    assert channel.options == ("all", "0", "1", "2", "3")
    layer.value = "conv2/relu"
    assert len(runs) == 2


def test_it_starts_where_it_is_told(net: SimpleNamespace) -> None:
    explorer = plots.explore_activations(net.relu1, net.feed, image=1, channel=2)
    assert repr(explorer) == "<activations of conv1/relu [2, 6, 6, 4], image 1, 1 of 4 channels>"
    with pytest.raises(ValueError, match="no image 5"):
        plots.explore_activations(net.relu1, net.feed, image=5)


def test_layers_start_at_what_is_fed(net: SimpleNamespace) -> None:
    graph = net.session.graph
    names = [item.name for item in layers_before(net.relu2, {net.relu1: np.zeros([1, 6, 6, 4])}, graph)]
    assert names == ["conv2/Conv2D:0", "conv2/relu:0"]
    assert layers_before(net.relu2, None, graph) == [net.relu2]


def test_a_picture_that_cannot_be_drawn_is_said_and_the_old_one_stays() -> None:
    import ipywidgets

    first = Picture("first", 2, 2)
    control = ipywidgets.IntSlider()

    def draw() -> Picture:
        if control.value == 1:
            raise ValueError("no such thing\nsecond line")
        return first

    explorer = Explorer({"x": control}, draw)
    control.value = 1
    assert explorer.message.value == "ValueError: no such thing"
    assert explorer.message.layout.display == ""
    assert explorer.picture is first
    control.value = 2
    assert explorer.message.value == ""
    assert explorer.message.layout.display == "none"


def test_controls_and_picture_are_two_outputs(net: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    class Handle:
        def update(self, picture: Any) -> None:
            shown.append(("update", repr(picture)))

    def display(value: Any, raw: bool = False, display_id: bool = False) -> Any:
        shown.append(value)
        return Handle() if display_id else None

    monkeypatch.setattr("IPython.display.display", display)
    explorer = plots.explore_activations(net.relu1, net.feed)
    explorer._ipython_display_()
    controls, picture = shown
    assert controls["text/plain"] == "[layer, image, channel, scale: controls in a live notebook]"
    assert "application/vnd.jupyter.widget-view+json" in controls
    assert picture._repr_png_().startswith(b"\x89PNG")
    explorer.controls["image"].value = 1
    assert shown[2:] == [("update", "<activations of conv1/relu [2, 6, 6, 4], image 1>")]
    explorer.close()
    assert all(control.comm is None for control in explorer.controls.values())


def test_nothing_to_show(net: SimpleNamespace) -> None:
    with pytest.raises(ValueError, match="Nothing to show"):
        plots.explore_filters([])
