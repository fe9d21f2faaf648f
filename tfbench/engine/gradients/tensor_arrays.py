"""Gradients of TensorArrays: each array has an array of gradients, one for each call of `tf.gradients`.

What was read is written there, and added up where it was read several times; what was written is read there. The
name scope of the gradient tells the calls apart, so that all ops of one call share an array.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.tensor import Tensor


def _source(tensor: Tensor) -> str:
    """The name scope of the innermost `gradients` that a gradient was made in."""
    parts = tensor.name.split("/")
    found = [i for i, part in enumerate(parts) if part.startswith("gradients")]
    if not found:
        raise ValueError(
            f"Expected op/tensor name to start with gradients (excluding scope), got: {tensor.name}. Gradients through "
            "a TensorArray are told apart by the name scope of tf.gradients: give it a `name` that starts with "
            "'gradients'."
        )
    return "/".join(parts[: found[-1] + 1])


def _barrier(op: Operation, flow: Tensor) -> Tensor:
    """`flow`, after the write: the array of gradients must not be made before all is written."""
    with op.graph.control_dependencies([identity(op.outputs_list[0], name="flow_out")]):
        return identity(flow, name="write_barrier")


def _gradients(handle: Tensor, flow: Tensor, dtype: Any, dy: Tensor) -> TensorArray:
    """The array of gradients that belongs to `handle` in the call that made `dy`."""
    source = _source(dy)
    array = TensorArray(dtype, handle=handle, flow=flow, colocate_with_first_write_call=False)
    return array.grad(source, flow=flow)


@gradient("TensorArrayRead", "TensorArrayReadV2", "TensorArrayReadV3")
def _read(op: Operation, dy: Tensor) -> list[Any]:
    handle, index, flow = op._inputs
    grads = _gradients(handle, flow, op.attrs["dtype"], dy)
    return [None, None, grads.write(index, dy).flow]


@gradient("TensorArrayWrite", "TensorArrayWriteV2", "TensorArrayWriteV3")
def _write(op: Operation, flow: Tensor) -> list[Any]:
    handle, index = op._inputs[:2]
    flow = _barrier(op, flow)
    grads = _gradients(handle, flow, op.attrs["T"], flow)
    return [None, None, grads.read(index), flow]


@gradient("TensorArrayGather", "TensorArrayGatherV2", "TensorArrayGatherV3")
def _gather(op: Operation, dy: Tensor) -> list[Any]:
    handle, indices, flow = op._inputs
    grads = _gradients(handle, flow, op.attrs["dtype"], dy)
    return [None, None, grads.scatter(indices, dy).flow]


@gradient("TensorArrayScatter", "TensorArrayScatterV2", "TensorArrayScatterV3")
def _scatter(op: Operation, flow: Tensor) -> list[Any]:
    handle, indices = op._inputs[:2]
    flow = _barrier(op, flow)
    grads = _gradients(handle, flow, op.attrs["T"], flow)
    return [None, None, grads.gather(indices), flow]


@gradient("TensorArrayConcat", "TensorArrayConcatV2", "TensorArrayConcatV3")
def _concat(op: Operation, dy: Tensor, _lengths: Any) -> list[Any]:
    handle, flow = op._inputs
    lengths = op.outputs_list[1]
    grads = _gradients(handle, flow, op.attrs["dtype"], dy)
    return [None, grads.split(dy, lengths=lengths).flow]


@gradient("TensorArraySplit", "TensorArraySplitV2", "TensorArraySplitV3")
def _split(op: Operation, flow: Tensor) -> list[Any]:
    handle = op._inputs[0]
    flow = _barrier(op, flow)
    grads = _gradients(handle, flow, op.attrs["T"], flow)
    return [None, grads.concat(), None, flow]
