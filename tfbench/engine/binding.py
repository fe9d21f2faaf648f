"""The function of arrays that computes an op on a device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.devices import Device, KernelContext
from tfbench.engine.graph import Operation
from tfbench.engine.resources import ResourceStore


def bind(op: Operation, device: Device, resources: ResourceStore) -> Any:
    """The function of arrays that computes `op` on `device`, or a Preset."""
    kernel = op.op_def.kernels.get(device.kernels)
    if kernel is None:
        raise errors.InvalidArgumentError(
            op.node_def,
            op,
            f"No OpKernel was registered to support Op '{op.type}' used by {{{{node {op.name}}}}} on {device.kind}"
            + (f"; registered: {', '.join(sorted(op.op_def.kernels))}" if op.op_def.kernels else "")
            + (f" (made at {op.source})" if op.source else ""),
        )
    if kernel.binds:
        return kernel.function(KernelContext(op, device, resources))
    attrs = {name: op.attrs[name] for name in kernel.attrs if name in op.attrs}
    return partial(kernel.function, device.xp, **attrs)


def copying(function: Callable[..., Any], returns_tuple: bool, xp: Any = np) -> Callable[..., Any]:
    """A kernel that returns views, made to return arrays that a later write to the variable does not change."""
    if returns_tuple:
        return lambda *arrays: [xp.array(result) for result in function(*arrays)]
    return lambda *arrays: xp.array(function(*arrays))
