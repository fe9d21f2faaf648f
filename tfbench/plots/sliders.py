"""The pictures with sliders: for image, layer and channel. Widgets show the same figures as the functions do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.plots.activations import _fed_image, draw_activations
from tfbench.plots.filters import filters
from tfbench.plots.picture import Picture
from tfbench.plots.values import default_session, tensor_named, variable_named


class Explorer:
    """A picture, and sliders that draw it anew. In a terminal or a saved notebook it is the first picture alone."""

    def __init__(self, controls: dict[str, Any], draw: Any) -> None:
        import ipywidgets

        self._draw = draw
        self.controls = controls
        self.picture: Picture = draw()
        self.image = ipywidgets.Image(value=self.picture._repr_png_(), format="png")
        self.image.layout.max_width = "100%"
        self.message = ipywidgets.Label(value="")
        for control in controls.values():
            control.observe(self._redraw, names="value")
        self.widget = ipywidgets.VBox([ipywidgets.HBox(list(controls.values())), self.image, self.message])

    def _redraw(self, _: Any) -> None:
        try:
            self.picture = self._draw()
        except Exception as error:
            # A picture that cannot be drawn says so below the one that could.
            self.message.value = f"{type(error).__name__}: {str(error).splitlines()[0][:300]}"
            return
        self.message.value = ""
        self.image.value = self.picture._repr_png_()

    def __repr__(self) -> str:
        return repr(self.picture)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = self.widget._repr_mimebundle_(**options) or {}
        data = dict(bundle[0] if isinstance(bundle, tuple) else bundle)
        data["text/plain"] = repr(self)
        data["image/png"] = self.picture._repr_png_()
        return data


def explore_filters(variables: Any, session: Any = None, *, scale: str = "shared") -> Explorer:
    """`filters` with a menu of variables, the scale, and a slider for the first output channel shown.

    Args:
      variables: one variable or several (objects or names).
      session: default: the default session.
    """
    import ipywidgets

    session = default_session(session)
    found = [variable_named(item, session.graph) for item in _listed(variables)]
    names = [item.name.split(":")[0] for item in found]
    menu = ipywidgets.Dropdown(options=names, description="layer")
    scales = ipywidgets.ToggleButtons(options=["shared", "each"], value=scale, description="scale")
    start = ipywidgets.IntSlider(min=0, max=max(0, _outputs(found[0]) - 1), description="from output")

    def draw() -> Picture:
        variable = found[names.index(menu.value)]
        start.max = max(0, _outputs(variable) - 1)
        first = min(start.value, start.max)
        return filters(variable, session, outputs=slice(first, first + 64), scale=scales.value)

    return Explorer({"layer": menu, "output": start, "scale": scales}, draw)


def _outputs(variable: Any) -> int:
    shape = variable.shape.as_list()
    return int(shape[-1]) if len(shape) in (3, 4) else 1


def explore_activations(tensors: Any, feed_dict: Any = None, session: Any = None, *, scale: str = "shared") -> Explorer:
    """`activations` with a menu of layers and sliders for image and channel. The graph is run once, when this is made.

    Args:
      tensors: one tensor or several (objects or names).
      feed_dict: what the run is fed.
      session: default: the default session.
    """
    import ipywidgets

    session = default_session(session)
    found = [tensor_named(item, session.graph) for item in _listed(tensors)]
    names = [item.name.removesuffix(":0") for item in found]
    values = dict(zip(names, map(np.asarray, session.run(found, feed_dict)), strict=True))
    menu = ipywidgets.Dropdown(options=names, description="layer")
    image = ipywidgets.IntSlider(min=0, max=max(0, len(values[names[0]]) - 1), description="image")
    channel = ipywidgets.IntSlider(min=-1, max=values[names[0]].shape[-1] - 1, value=-1, description="channel")
    channel.tooltip = "-1 shows all channels"
    scales = ipywidgets.ToggleButtons(options=["shared", "each"], value=scale, description="scale")

    def draw() -> Picture:
        value = values[menu.value]
        image.max, channel.max = max(0, len(value) - 1), value.shape[-1] - 1
        picked = None if channel.value < 0 else channel.value
        return draw_activations(
            menu.value, value, _fed_image(feed_dict, image.value), image.value, picked, scales.value, None
        )

    return Explorer({"layer": menu, "image": image, "channel": channel, "scale": scales}, draw)


def _listed(items: Any) -> Sequence[Any]:
    found = list(items) if isinstance(items, (list, tuple)) else [items]
    if not found:
        raise ValueError("Nothing to show: give at least one variable or tensor.")
    return found
