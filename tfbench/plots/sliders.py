"""The pictures with controls: layer, image, channel, scale. Widgets show the same figures as the functions do.

Controls and picture are two outputs. Moving a control replaces the picture in place, so what a saved notebook holds
is the picture that was last looked at, as a PNG that needs no kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.collections import GraphKeys
from tfbench.engine.tensor import Tensor
from tfbench.plots.activations import _fed_image, draw_activations
from tfbench.plots.filters import filters
from tfbench.plots.picture import Picture
from tfbench.plots.values import chosen as indices
from tfbench.plots.values import default_session, tensor_named, variable_named

#: what a slider over channels says where it chooses none
ALL = "all"

_MOST_LAYERS = 100
_SLIDER: dict[str, Any] = {"layout": {"width": "15em"}, "style": {"description_width": "4.5em"}}


class Explorer:
    """A picture, and controls that draw it anew. In a terminal it is the first picture alone.

    Args:
      controls: widgets by name; `draw` looks at their values.
      draw: gives the picture. What it raises is said below the controls, and the picture stays.
    """

    def __init__(self, controls: dict[str, Any], draw: Callable[[], Picture]) -> None:
        import ipywidgets

        self._draw = draw
        self._handle: Any = None
        self.controls = controls
        self.picture: Picture = draw()
        self.message = ipywidgets.Label(value="", layout={"display": "none"})
        row = ipywidgets.HBox(list(controls.values()), layout=ipywidgets.Layout(flex_flow="row wrap"))
        self.widget = ipywidgets.VBox([row, self.message])
        for control in controls.values():
            control.observe(self._redraw, names="value")

    def _redraw(self, _: Any) -> None:
        try:
            self.picture = self._draw()
        except Exception as error:
            # A picture that cannot be drawn says so above the one that could.
            lines = str(error).splitlines() or [""]
            self._say(f"{type(error).__name__}: {lines[0][:300]}")
            return
        self._say("")
        if self._handle is not None:
            self._handle.update(self.picture)

    def _say(self, text: str) -> None:
        self.message.value = text
        self.message.layout.display = "" if text else "none"

    def close(self) -> None:
        """Ends the controls; the picture stays where it is shown."""
        self._handle = None
        for control in (*self.controls.values(), self.message, *self.widget.children, self.widget):
            control.close()

    def __repr__(self) -> str:
        return repr(self.picture)

    def _ipython_display_(self) -> None:
        from IPython import display as ipython_display

        display: Any = ipython_display.display
        found = self.widget._repr_mimebundle_() or {}
        bundle = dict(found[0] if isinstance(found, tuple) else found)
        bundle["text/plain"] = f"[{', '.join(self.controls)}: controls in a live notebook]"
        display(bundle, raw=True)
        self._handle = display(self.picture, display_id=True)


def explore_filters(variables: Any, session: Any = None, *, scale: str = "shared") -> Explorer:
    """`filters` with a menu of variables, and sliders for the output and the input channel.

    Args:
      variables: one variable or several (objects or names). One alone has the graph's other kernels beside it.
      session: default: the default session.
    """
    session = default_session(session)
    found = [variable_named(item, session.graph) for item in _listed(variables)]
    chosen = found[0]
    if len(found) == 1:
        found = _kernels_beside(chosen, session)
    names = [_name(item) for item in found]
    menu = _menu("layer", names, _name(chosen))
    output, entry, scales = _slider("output"), _slider("input"), _scales(scale)

    def draw() -> Picture:
        variable = found[names.index(menu.value)]
        ins, outs = _channels(variable)
        _offer(output, outs)
        # Three inputs are one colour.
        _offer(entry, 1 if ins == 3 else ins)
        return filters(variable, session, outputs=_index(output), inputs=_index(entry), scale=scales.value)

    return Explorer({"layer": menu, "output": output, "input": entry, "scale": scales}, draw)


def explore_activations(
    tensors: Any,
    feed_dict: Any = None,
    session: Any = None,
    *,
    scale: str = "shared",
    image: int = 0,
    channel: int | None = None,
) -> Explorer:
    """`activations` with a menu of layers and sliders for image and channel. A layer is run when it is first chosen.

    Args:
      tensors: one tensor or several (objects or names). One alone has the layers on its way from what is fed beside it.
      feed_dict: what the runs are fed.
      session: default: the default session.
      image, channel: where the sliders start.
    """
    import ipywidgets

    session = default_session(session)
    found = [tensor_named(item, session.graph) for item in _listed(tensors)]
    chosen = found[0]
    if len(found) == 1:
        found = layers_before(chosen, feed_dict, session.graph)
    names = [item.name.removesuffix(":0") for item in found]
    start = chosen.name.removesuffix(":0")
    values: dict[str, Any] = {start: np.asarray(session.run(chosen, feed_dict))}
    if values[start].ndim:
        (image,) = indices(image, len(values[start]), 1, "image")
    menu = _menu("layer", names, start)
    images = ipywidgets.IntSlider(
        min=0, max=max(0, image), value=image, description="image", continuous_update=False, **_SLIDER
    )
    channels, scales = _slider("channel"), _scales(scale)

    def draw() -> Picture:
        name = menu.value
        if name not in values:
            values[name] = np.asarray(session.run(found[names.index(name)], feed_dict))
        value = values[name]
        if value.ndim:
            images.max = max(0, len(value) - 1)
            images.disabled = len(value) < 2
            _offer(channels, value.shape[-1])
        fed = _fed_image(feed_dict, images.value)
        return draw_activations(name, value, fed, images.value, _index(channels), scales.value, None)

    explorer = Explorer({"layer": menu, "image": images, "channel": channels, "scale": scales}, draw)
    if channel is not None:
        channels.value = str(channel)
    return explorer


def layers_before(tensor: Tensor, feed_dict: Any, graph: Any) -> list[Tensor]:
    """The feature maps (rank 4) that are computed on the way to `tensor` from what is fed, and itself, in order."""
    fed = {tensor_named(key, graph) for key in feed_dict or {} if isinstance(key, (str, Tensor))}
    needed: set[Any] = set()
    stack = [tensor.op]
    while stack:
        op = stack.pop()
        if op not in needed:
            needed.add(op)
            stack.extend(entry.op for entry in op.inputs if entry not in fed)
    fed_by = set(fed)
    found = []
    for op in sorted(needed, key=lambda op: op._id):
        if any(entry in fed_by for entry in op.inputs):
            fed_by.update(op.outputs)
            if op.type not in ("Identity", "Shape") and op.outputs:
                output = op.outputs[0]
                if output.shape.ndims == 4 and output.dtype.is_floating and output is not tensor:
                    found.append(output)
    return [*found[-_MOST_LAYERS:], tensor]


def _kernels_beside(variable: Any, session: Any) -> list[Any]:
    """The variables with the shape of kernels, in the order in which they were made; `variable` among them."""
    known = session.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    found = [item for item in known if item is variable or (item.shape.ndims == 4 and item.dtype.is_floating)]
    return found[:_MOST_LAYERS] if any(item is variable for item in found[:_MOST_LAYERS]) else [variable]


def _channels(variable: Any) -> tuple[int, int]:
    """How many inputs and outputs kernels of this shape have."""
    sizes = variable.shape.as_list() if variable.shape.ndims else []
    ins, outs = (sizes[-2], sizes[-1]) if len(sizes) in (3, 4) else (1, 1)
    return int(ins or 1), int(outs or 1)


def _name(variable: Any) -> str:
    return str(variable.name.split(":")[0])


def _menu(description: str, names: list[str], value: str) -> Any:
    import ipywidgets

    layout = ipywidgets.Layout(width=f"{min(40.0, 7 + 0.55 * max(map(len, names))):.1f}em", max_width="100%")
    style = {"description_width": "3.5em"}
    return ipywidgets.Dropdown(options=names, value=value, description=description, layout=layout, style=style)


def _slider(description: str) -> Any:
    """A slider over 'all' and the channels, which `_offer` says."""
    import ipywidgets

    return ipywidgets.SelectionSlider(
        options=[ALL],
        description=description,
        continuous_update=False,
        **_SLIDER,
    )


def _offer(slider: Any, count: int) -> None:
    """Lets `slider` choose one of `count` channels, and keeps its choice where that is possible."""
    options = (ALL, *map(str, range(count))) if count > 1 else (ALL,)
    if tuple(slider.options) != options:
        value = slider.value if slider.value in options else ALL
        slider.options = options
        slider.value = value
    slider.disabled = count < 2


def _index(slider: Any) -> int | None:
    return None if slider.value == ALL else int(slider.value)


def _scales(value: str) -> Any:
    return _menu("scale", ["shared", "each"], value)


def _listed(items: Any) -> Sequence[Any]:
    found = list(items) if isinstance(items, (list, tuple)) else [items]
    if not found:
        raise ValueError("Nothing to show: give at least one variable or tensor.")
    return found
