"""A stand-in for cuDNN's Python frontend: graphs of one node, computed in the memory given.

Convolutions are loops over taps; batch normalisation is computed in double precision. It knows nothing but sizes,
strides, paddings and pointers, as cuDNN does, and refuses what cuDNN refuses: negative padding, tensors without sizes,
an output whose size is not what the windows give, vectors of other sizes than the channels, a handle that was not made.
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

    def __init__(self, dim: Any = None, stride: Any = None, data_type: Any = None, by_value: bool = False) -> None:
        self.dim, self.stride, self.data_type, self.is_output = dim, stride, data_type, False
        self.by_value = by_value

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
    """A graph of one node."""

    built = 0

    def __init__(
        self, *, io_data_type: Any, intermediate_data_type: Any, compute_data_type: Any, handle: Any = None
    ) -> None:
        assert handle in handles
        self._given: list[Tensor] = []
        self._inputs: dict[str, Tensor] = {}
        self._outputs: list[Tensor] = []
        self._compute: Any = None
        self._steps: list[str] = []

    def tensor(
        self, *, dim: list[int], stride: list[int], data_type: Any, name: str = "", is_pass_by_value: bool = False
    ) -> Tensor:
        self._given.append(Tensor(dim, stride, data_type, is_pass_by_value))
        return self._given[-1]

    def _add(self, compute: Any, inputs: dict[str, Tensor], outputs: int = 1) -> list[Tensor]:
        assert self._compute is None
        assert list(inputs.values()) == self._given
        self._compute, self._inputs = compute, inputs
        self._outputs = [Tensor() for _ in range(outputs)]
        return self._outputs

    def _convolution(self, kind: str, one: Tensor, two: Tensor, **windows: list[int]) -> Tensor:
        if min(windows["pre_padding"] + windows["post_padding"]) < 0:
            raise RuntimeError("padding must not be negative")
        inputs = {"one": one, "two": two}
        return self._add(lambda one, two, out: _convolution(kind, one, two, out, windows), inputs)[0]

    def conv_fprop(self, *, image: Tensor, weight: Tensor, **windows: Any) -> Tensor:
        return self._convolution("fprop", image, weight, **windows)

    def conv_dgrad(self, *, loss: Tensor, filter: Tensor, **windows: Any) -> Tensor:
        return self._convolution("dgrad", loss, filter, **windows)

    def conv_wgrad(self, *, image: Tensor, loss: Tensor, **windows: Any) -> Tensor:
        return self._convolution("wgrad", image, loss, **windows)

    def batchnorm(
        self,
        *,
        input: Tensor,
        scale: Tensor,
        bias: Tensor,
        in_running_mean: Tensor,
        in_running_var: Tensor,
        epsilon: Tensor,
        momentum: Tensor,
    ) -> list[Tensor]:
        assert epsilon.by_value
        assert momentum.by_value
        inputs = {"x": input, "scale": scale, "bias": bias, "old_mean": in_running_mean, "old_var": in_running_var}
        return self._add(_batchnorm, {**inputs, "epsilon": epsilon, "momentum": momentum}, 5)

    def batchnorm_inference(
        self, *, input: Tensor, mean: Tensor, inv_variance: Tensor, scale: Tensor, bias: Tensor
    ) -> Tensor:
        inputs = {"x": input, "mean": mean, "inverse": inv_variance, "scale": scale, "bias": bias}
        return self._add(_batchnorm_inference, inputs)[0]

    def batchnorm_backward(
        self, *, grad: Tensor, input: Tensor, scale: Tensor, mean: Tensor, inv_variance: Tensor
    ) -> list[Tensor]:
        inputs = {"dy": grad, "x": input, "scale": scale, "mean": mean, "inverse": inv_variance}
        return self._add(_batchnorm_backward, inputs, 3)

    def validate(self) -> None:
        for tensor in self._outputs:
            assert tensor.is_output
        image = next(iter(self._inputs.values()))
        for tensor in (*self._given, *self._outputs):
            assert len(tensor.dim) == len(tensor.stride) == len(image.dim)
            if self._compute in (_batchnorm, _batchnorm_inference, _batchnorm_backward) and tensor.dim != image.dim:
                assert tensor.dim == [1, 1 if tensor.by_value else image.dim[1], *[1] * (len(image.dim) - 2)]
                assert tensor.data_type == np.float32
        self._steps.append("validate")

    def build_operation_graph(self) -> None:
        self._steps.append("build_operation_graph")

    def create_execution_plans(self, modes: list[Any]) -> None:
        self._steps.append("create_execution_plans")

    def check_support(self) -> None:
        if next(iter(self._inputs.values())).dim[1] == refused_channels:
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
        assert set(pointers) == {*self._given, *self._outputs}
        arrays = {name: tensor.at(pointers[tensor]) for name, tensor in self._inputs.items()}
        self._compute(*arrays.values(), *(tensor.at(pointers[tensor]) for tensor in self._outputs))


def _convolution(kind: str, first: Any, second: Any, result: Any, windows: Any) -> None:
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


def _by_channel(array: Any) -> Any:
    return tuple(axis for axis in range(array.ndim) if axis != 1)


def _batchnorm(
    x: Any, scale: Any, bias: Any, old_mean: Any, old_var: Any, epsilon: Any, momentum: Any, *outputs: Any
) -> None:
    y, mean, inverse, new_mean, new_var = outputs
    wide = x.astype(np.float64)
    axes, count = _by_channel(x), x.size // x.shape[1]
    centre, variance = wide.mean(axes, keepdims=True), wide.var(axes, keepdims=True)
    mean[...], inverse[...] = centre, 1 / np.sqrt(variance + epsilon)
    y[...] = (wide - centre) / np.sqrt(variance + epsilon) * scale + bias
    new_mean[...] = (1 - momentum) * old_mean + momentum * centre
    new_var[...] = (1 - momentum) * old_var + momentum * variance * (count / (count - 1))


def _batchnorm_inference(x: Any, mean: Any, inverse: Any, scale: Any, bias: Any, y: Any) -> None:
    y[...] = (x.astype(np.float64) - mean) * inverse * scale + bias


def _batchnorm_backward(dy: Any, x: Any, scale: Any, mean: Any, inverse: Any, *outputs: Any) -> None:
    dx, d_scale, d_bias = outputs
    wide, axes = dy.astype(np.float64), _by_channel(x)
    normal = (x.astype(np.float64) - mean) * inverse
    d_scale[...], d_bias[...] = (wide * normal).sum(axes, keepdims=True), wide.sum(axes, keepdims=True)
    average = (wide.mean(axes, keepdims=True), (wide * normal).mean(axes, keepdims=True))
    dx[...] = scale * inverse * (wide - average[0] - normal * average[1])


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
