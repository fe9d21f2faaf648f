"""An op of a sample on a GPU that is not there: its kernel for GPUs, called with the stand-in for CuPy.

Inputs are where TensorFlow has them (`gpu_kernels.in_host_memory`): sizes and axes in NumPy's arrays, everything else
in the stand-in's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.ops.sampling import Handle, Node, Ref, Sample, flat
from tests.gpu import strict_cupy
from tfbench.engine import gpu_kernels
from tfbench.engine.binding import bind
from tfbench.engine.devices import Device, local_devices
from tfbench.engine.opdef import Preset
from tfbench.engine.resources import ResourceStore, VariableBuffer

GPU = Device("GPU", 0, strict_cupy)  # type: ignore[arg-type]
CPU = local_devices()[0]


class NotOnGpu(Exception):
    """TensorFlow would not place this node on a GPU, or all of it is in the host's memory there."""


class Placed:
    """The node of a sample, and what its kernels for both devices give."""

    def __init__(self, type: str, sample: Sample) -> None:
        self.node = Node(type, sample)
        self.op = self.node.op
        self.inputs = list(flat(sample[0]))
        if not gpu_kernels.on_gpu(self.op):
            raise NotOnGpu("TensorFlow has no kernel for these types on GPUs")
        if not gpu_kernels.computes(self.op):
            raise NotOnGpu("an array of this type is in no GPU's memory")
        self.on_host, self.results_on_host = gpu_kernels.in_host_memory(self.op)
        if self.on_host + self.results_on_host and all(self.on_host + self.results_on_host):
            raise NotOnGpu("all of it is in the host's memory")

    def run(self, device: Device) -> tuple[list[Any], list[VariableBuffer]]:
        """What the kernel for `device` gives, and the variables afterwards."""
        function = bind(self.op, device, ResourceStore())
        if isinstance(function, Preset):
            return [function.value], []
        values: list[Any] = []
        variables = []
        for value, host, tensor in zip(self.inputs, self.on_host, self.op._inputs, strict=True):
            if isinstance(value, Ref):
                variable = VariableBuffer("v", tensor.dtype.base_dtype, value.value.shape)
                variable.array = _moved(value.value, device)
                variables.append(variable)
                values.append(variable)
            else:
                values.append(np.array(value) if host else _moved(value, device))
        with np.errstate(all="ignore"):
            result = function(*values)
        if result is None:
            return [], variables
        return list(result) if self.op.op_def.returns_tuple else [result], variables


def _moved(value: Any, device: Device) -> Any:
    return strict_cupy.array(np.array(value)) if device is GPU else np.array(value)


def fetched(value: Any) -> Any:
    """A result as a NumPy array, whichever device it is on."""
    if isinstance(value, VariableBuffer):
        value = value.array
    return value.get() if isinstance(value, strict_cupy.ndarray) else np.asarray(value)


__all__ = ["CPU", "GPU", "Handle", "NotOnGpu", "Placed", "fetched"]
