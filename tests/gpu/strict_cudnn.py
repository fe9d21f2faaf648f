"""A stand-in for cuDNN's Python frontend: graphs of one convolution, computed by loops over taps in the memory given.

It knows nothing but sizes, strides, paddings and pointers, as cuDNN does, and refuses what cuDNN refuses: negative
padding, tensors without sizes, an output whose size is not what the windows give, a handle that was not made.
"""

from __future__ import annotations

import ctypes
import itertools
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np


class cudnnGraphNotSupportedError(Exception):  # noqa: N801 - cuDNN's name
    """No engine computes the graph."""


class Tensor:
    """Sizes, strides in elements, and a type."""

    def __init__(self, dim: Any = None, stride: Any = None, data_type: Any = None) -> None:
        self.dim, self.stride, self.data_type, self.is_output = dim, stride, data_type, False

    def set_output(self, value: bool) -> Tensor:
        self.is_output = value
        return self

    def set_dim(self, dim: list[int]) -> Tensor:
        self.dim = dim
        return self

    def set_stride(self, stride: list[int]) -> Tensor:
        self.stride = stride
        return self

    def set_data_type(self, data_type: Any) -> Tensor:
        self.data_type = data_type
        return self

    def at(self, pointer: int) -> Any:
        """The array that lies at a pointer."""
        kind = np.dtype(self.data_type)
        size = sum((n - 1) * s for n, s in zip(self.dim, self.stride)) + 1
        memory = (ctypes.c_char * (size * kind.itemsize)).from_address(pointer)
        flat = np.frombuffer(memory, kind)
        return np.lib.stride_tricks.as_strided(flat, self.dim, [s * kind.itemsize for s in self.stride])


class pygraph:  # noqa: N801 - cuDNN's name
    """A graph of one convolution."""

    built = 0

    def __init__(
        self, *, io_data_type: Any, intermediate_data_type: Any, compute_data_type: Any, handle: Any = None
    ) -> None:
        assert handle in handles
        self._node: Any = None
        self._steps: list[str] = []

    def tensor(self, *, dim: list[int], stride: list[int], data_type: Any, name: str = "") -> Tensor:
        return Tensor(dim, stride, data_type)

    def _add(self, kind: str, one: Tensor, two: Tensor, **windows: list[int]) -> Tensor:
        assert self._node is None
        if min(windows["pre_padding"] + windows["post_padding"]) < 0:
            raise RuntimeError("padding must not be negative")
        self._node = kind, one, two, Tensor(), windows
        return self._node[3]  # type: ignore[no-any-return]

    def conv_fprop(self, *, image: Tensor, weight: Tensor, **windows: Any) -> Tensor:
        return self._add("fprop", image, weight, **windows)

    def conv_dgrad(self, *, loss: Tensor, filter: Tensor, **windows: Any) -> Tensor:
        return self._add("dgrad", loss, filter, **windows)

    def conv_wgrad(self, *, image: Tensor, loss: Tensor, **windows: Any) -> Tensor:
        return self._add("wgrad", image, loss, **windows)

    def validate(self) -> None:
        _, one, two, out, _ = self._node
        assert out.is_output
        for tensor in (one, two, out):
            assert len(tensor.dim) == len(tensor.stride)
        self._steps.append("validate")

    def build_operation_graph(self) -> None:
        self._steps.append("build_operation_graph")

    def create_execution_plans(self, modes: list[Any]) -> None:
        self._steps.append("create_execution_plans")

    def check_support(self) -> None:
        if self._node[1].dim[1] == refused_channels:
            raise cudnnGraphNotSupportedError("no engine for so many channels")
        self._steps.append("check_support")

    def build_plans(self) -> None:
        assert self._steps == ["validate", "build_operation_graph", "create_execution_plans", "check_support"]
        pygraph.built += 1

    def get_workspace_size(self) -> int:
        return 64

    def execute(self, pointers: dict[Tensor, int], workspace: int, handle: Any = None) -> None:
        assert handle in handles
        assert all(type(pointer) is int for pointer in (*pointers.values(), workspace))
        kind, one, two, out, windows = self._node
        first, second, result = (tensor.at(pointers[tensor]) for tensor in (one, two, out))
        image, weight, moved = {
            "fprop": (first, second, result),
            "dgrad": (result, second, first),
            "wgrad": (first, result, second),
        }[kind]
        spatial = range(len(windows["stride"]))
        for i in spatial:
            reach = (weight.shape[i + 2] - 1) * windows["dilation"][i] + 1
            whole = image.shape[i + 2] + windows["pre_padding"][i] + windows["post_padding"][i]
            assert moved.shape[i + 2] == (whole - reach) // windows["stride"][i] + 1
        pads = list(zip(windows["pre_padding"], windows["post_padding"]))
        # What dgrad is to write has no values yet.
        source = np.zeros(image.shape) if kind == "dgrad" else image.astype(np.float64)
        padded = np.pad(source, [(0, 0), (0, 0), *pads])
        found = np.zeros(result.shape if kind != "dgrad" else padded.shape, np.float64)
        for tap in itertools.product(*(range(size) for size in weight.shape[2:])):
            starts = [tap[i] * windows["dilation"][i] for i in spatial]
            place = (..., *(
                slice(start, start + (moved.shape[i + 2] - 1) * windows["stride"][i] + 1, windows["stride"][i])
                for i, start in enumerate(starts)
            ))  # fmt: skip
            if kind == "fprop":
                found += np.einsum("nc...,kc->nk...", padded[place], weight[(slice(None), slice(None), *tap)])
            elif kind == "dgrad":
                found[place] += np.einsum("nk...,kc->nc...", moved, weight[(slice(None), slice(None), *tap)])
            else:
                flat = (array.reshape(*array.shape[:2], -1) for array in (moved, padded[place]))
                product = np.einsum("nkx,ncx->kc", *flat)
                found[(slice(None), slice(None), *tap)] += product
        if kind == "dgrad":
            found = found[(..., *(slice(a, found.shape[i + 2] - b) for i, (a, b) in enumerate(pads)))]
        result[...] = found


handles: list[Any] = []
streams: list[Any] = []
#: a number of channels that no engine takes
refused_channels = 77


def create_handle() -> Any:
    handles.append(object())
    return handles[-1]


def set_stream(handle: Any, stream: int) -> None:
    assert handle in handles
    assert type(stream) is int
    streams.append(stream)


def backend_version() -> int:
    return 91400


data_type = SimpleNamespace(FLOAT=np.float32, HALF=np.float16)
heur_mode = SimpleNamespace(A=0, FALLBACK=1)


def install(monkeypatch: Any) -> ModuleType:
    """Makes `import cudnn` find this stand-in."""
    module = sys.modules[__name__]
    monkeypatch.setitem(sys.modules, "cudnn", module)
    handles.clear()
    streams.clear()
    pygraph.built = 0
    return module
