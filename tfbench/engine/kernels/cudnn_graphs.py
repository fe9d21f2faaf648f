"""Convolutions by cuDNN, through NVIDIA's Python frontend (module `cudnn`), where it is installed and has a plan.

One graph of one node is built for each set of shapes, kept per device, and executed on the current stream. cuDNN names
the axes images, channels, space; where they lie is said by strides, so TensorFlow's images (channels last) are taken as
they are, and filters with their axes in the order filters, space, channels. Everything here may say None - no cuDNN, no
plan for these shapes or types - and `conv_device` computes instead. As in TensorFlow, products of float32 may be
made of TF32 numbers where the GPU has them.

Batch normalisation is built the same way (`cudnn_norm`). Pooling is not: the frontend has no such node in Python, its
C++ one passes NaN on, which TensorFlow's maximum ignores, and there is none at all for the gradient.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from tfbench.engine.kernels.geometry import Window

Array = Any

#: dtype letter -> name of cuDNN's type; sums are made in float32
TYPES = {"e": "HALF", "f": "FLOAT"}


class _Library:
    """The frontend's module, looked for once; False where there is none that works."""

    def __init__(self) -> None:
        self.module: Any = None
        self._handles = threading.local()

    def find(self) -> Any:
        if self.module is None:
            try:
                module = import_module("cudnn")
                self.module = module if module.backend_version() >= 90000 else False
            except Exception:  # no package, no library behind it, another package of this name: there is no cuDNN
                self.module = False
        return self.module

    def handle(self, xp: Any) -> Any:
        """This thread's handle for the current device, on its current stream."""
        kept = self._handles.__dict__.setdefault("by_device", {})
        device = xp.cuda.runtime.getDevice()
        if device not in kept:
            kept[device] = self.module.create_handle()
        self.module.set_stream(kept[device], xp.cuda.get_current_stream().ptr)
        return kept[device]


library = _Library()


class Plan:
    """A built graph, its tensors in the order in which arrays are given, and the memory that it works in.

    `numbers` are the tensors that are numbers in the host's memory, with their values.
    """

    __slots__ = ("_graph", "_numbers", "_tensors", "_workspace")

    def __init__(self, graph: Any, tensors: Sequence[Any], numbers: Sequence[tuple[Any, Array]] = ()) -> None:
        graph.validate()
        graph.build_operation_graph()
        modes = library.module.heur_mode
        graph.create_execution_plans([modes.A, modes.FALLBACK])
        graph.check_support()
        graph.build_plans()
        self._graph = graph
        self._tensors = tensors
        self._numbers = numbers
        self._workspace = int(graph.get_workspace_size())

    def run(self, xp: Any, arrays: Sequence[Array]) -> None:
        """Executes the graph on the current stream; what is not contiguous is copied first."""
        workspace = xp.empty(max(self._workspace, 1), np.uint8)
        arrays = [xp.ascontiguousarray(array) for array in arrays]
        pointers = {tensor: array.data.ptr for tensor, array in zip(self._tensors, arrays, strict=True)}
        pointers.update((tensor, number.ctypes.data) for tensor, number in self._numbers)
        self._graph.execute(pointers, workspace.data.ptr, handle=library.handle(xp))


#: (device, node, types, shapes, what else it is made of) -> its plan, or None where cuDNN has none
_plans: dict[Any, Plan | None] = {}


def usable(xp: Any, dtype: Any, shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether cuDNN is there and may have a plan: for a GPU's arrays of these types, with something in them."""
    return xp is not np and dtype.char in TYPES and not any(0 in shape for shape in shapes) and bool(library.find())


def plan(xp: Any, key: tuple[Any, ...], build: Callable[[], Plan]) -> Plan | None:
    """What `build` made, the first time, for `key` on the current device; None if cuDNN refused."""
    key = (xp.cuda.runtime.getDevice(), *key)
    if key not in _plans:
        try:
            _plans[key] = build()
        except (RuntimeError, NotImplementedError, ValueError, library.module.cudnnGraphNotSupportedError):
            _plans[key] = None
    return _plans[key]


def empty_graph(xp: Any, kind: Any) -> Any:
    """A graph of tensors of `kind` that computes in float32."""
    wide = library.module.data_type.FLOAT
    return library.module.pygraph(
        io_data_type=kind, intermediate_data_type=wide, compute_data_type=wide, handle=library.handle(xp)
    )


def forward(xp: Any, x: Array, filter: Array, windows: Sequence[Window]) -> Array | None:
    """The convolution of `x` with `filter` `(taps…, channels, filters)`, both channels last."""
    out = (x.shape[0], *(window.output for window in windows), filter.shape[-1])
    shapes = (x.shape, _filter_shape(filter.shape), out)
    found = _plan(xp, "conv_fprop", ("image", "weight"), shapes, x.dtype, windows)
    if found is None:
        return None
    made = xp.empty(out, x.dtype)
    found.run(xp, (x, _filters_first(xp, filter), made))
    return made


def input_gradient(xp: Any, dy: Array, filter: Array, windows: Sequence[Window]) -> Array | None:
    """The gradient with respect to the input."""
    out = (dy.shape[0], *(window.input for window in windows), filter.shape[-2])
    shapes = (dy.shape, _filter_shape(filter.shape), out)
    found = _plan(xp, "conv_dgrad", ("loss", "filter"), shapes, dy.dtype, windows)
    if found is None:
        return None
    made = xp.empty(out, dy.dtype)
    found.run(xp, (dy, _filters_first(xp, filter), made))
    return made


def filter_gradient(xp: Any, x: Array, dy: Array, windows: Sequence[Window]) -> Array | None:
    """The gradient with respect to the filter, in the order of TensorFlow's axes."""
    out = (dy.shape[-1], *(window.size for window in windows), x.shape[-1])
    found = _plan(xp, "conv_wgrad", ("image", "loss"), (x.shape, dy.shape, out), x.dtype, windows)
    if found is None:
        return None
    made = xp.empty(out, x.dtype)
    found.run(xp, (x, dy, made))
    return xp.ascontiguousarray(xp.moveaxis(made, 0, -1))


def _filter_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """`(taps…, channels, filters)` with the filters first."""
    return (shape[-1], *shape[:-1])


def _filters_first(xp: Any, filter: Array) -> Array:
    return xp.moveaxis(filter, -1, 0)


def _plan(
    xp: Any, node: str, names: Sequence[str], shapes: Sequence[tuple[int, ...]], dtype: Any, windows: Sequence[Window]
) -> Plan | None:
    if not usable(xp, dtype, shapes) or any(window.before < 0 for window in windows):
        return None
    geometry = tuple(
        (window.before, _after(window), window.stride, window.dilation, window.input) for window in windows
    )
    return plan(xp, (node, dtype.char, *shapes, geometry), lambda: _graph(xp, node, names, shapes, dtype, geometry))


def _after(window: Window) -> int:
    """How far the last window reaches beyond the input; inputs that no window sees need no padding."""
    return max(0, (window.output - 1) * window.stride + window.extent - window.before - window.input)


def _graph(xp: Any, node: str, names: Sequence[str], shapes: Any, dtype: Any, geometry: Any) -> Plan:
    kind = getattr(library.module.data_type, TYPES[dtype.char])
    graph = empty_graph(xp, kind)
    inputs = []
    for name, shape in zip(names, shapes):
        dims, strides = channels_second(shape)
        inputs.append(graph.tensor(name=name, dim=dims, stride=strides, data_type=kind))
    output = getattr(graph, node)(
        **dict(zip(names, inputs, strict=True)),
        pre_padding=[before for before, *_ in geometry],
        post_padding=[after for _, after, *_ in geometry],
        stride=[stride for _, _, stride, *_ in geometry],
        dilation=[dilation for *_, dilation, _ in geometry],
    )
    dims, strides = channels_second(shapes[-1])
    output.set_output(True).set_dim(dims).set_stride(strides).set_data_type(kind)
    return Plan(graph, [*inputs, output])


def channels_second(shape: Sequence[int]) -> tuple[list[int], list[int]]:
    """cuDNN's sizes and strides of a contiguous array with its channels last."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    order = [0, len(shape) - 1, *range(1, len(shape) - 1)]
    return [shape[axis] for axis in order], [strides[axis] for axis in order]
