"""What recurrent networks share: checks of cells, sizes of states with a batch in front, axes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tfbench.engine import dtypes, nest, ops
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.infer import constant_value
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.variable_scope import VariableScope, variable_scope


def check_cell(name: str, cell: Any) -> None:
    """Raises TypeError, naming the argument, unless `cell` has what an RNN cell has."""
    missing = []
    if not hasattr(cell, "output_size"):
        missing.append("'output_size' property is missing")
    if not hasattr(cell, "state_size"):
        missing.append("'state_size' property is missing")
    if not (hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state")):
        missing.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        missing.append("is not callable")
    if missing:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(missing)}.")


@contextmanager
def rnn_scope(scope: Any) -> Iterator[VariableScope]:
    """The variable scope of a network. Its variables are cached where they are read, except inside another loop."""
    with variable_scope(scope or "rnn") as opened:
        if opened.caching_device is None and not _in_loop():
            opened.set_caching_device(lambda op: op.device)
        yield opened


def _in_loop() -> bool:
    context = get_default_graph()._control_flow_context
    return context is not None and context.GetWhileContext() is not None


def join_sizes(prefix: Any, suffix: Any) -> Tensor:
    """The shape tensor `prefix + suffix`; each is a size, a TensorShape, a list of sizes or a tensor.

    Raises:
      ValueError: if a size is not known.
    """
    first, second = _size_tensor(prefix)[0], _size_tensor(suffix)[0]
    if first is None or second is None:
        raise ValueError(f"Prefix or suffix can't be None. Got prefix = {first} and suffix = {second}")
    return ops.concat((first, second), 0)


def join_static_sizes(prefix: Any, suffix: Any) -> TensorShape:
    """The same as far as it is known while the graph is built (it makes the nodes that `join_sizes` makes, unused)."""
    first, second = _size_tensor(prefix)[1], _size_tensor(suffix)[1]
    return TensorShape(first).concatenate(TensorShape(second))


def _size_tensor(size: Any) -> tuple[Tensor | None, Any]:
    """A vector of the sizes (None if they are not known), and the sizes themselves."""
    if isinstance(size, Tensor):
        known = constant_value(size)
        rank = size.shape.ndims
        if rank == 0:
            size = ops.expand_dims(size, 0)
        elif rank != 1:
            raise ValueError(f"Prefix tensor must be either a scalar or vector, but saw tensor: {size}")
        return size, None if known is None else [int(item) for item in known.reshape(-1)]
    shape = TensorShape([size] if size is None or isinstance(size, int) else size)
    sizes = shape.as_list() if shape.ndims is not None else None
    if shape.is_fully_defined():
        return ops.constant(sizes, dtype=dtypes.int32), sizes
    return None, sizes


def static_size(size: Any) -> TensorShape:
    """An output size as a shape: a tensor says as much as is known of it."""
    if isinstance(size, Tensor):
        value = constant_value(size)
        return TensorShape(None) if value is None else TensorShape([int(item) for item in value])
    return TensorShape([size] if isinstance(size, int) else size)


def zero_state(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros of the sizes in the nest `state_size`, a batch of them."""

    def zeros(size: Any) -> Tensor:
        made = ops.zeros(join_sizes(batch_size, size), dtype=dtype)
        made.set_shape(join_static_sizes(batch_size, size))
        return made

    return nest.map_structure(zeros, state_size)


def initial_state(cell: Any, given: Any, batch_size: Any, dtype: Any) -> Any:
    """The state to begin with: what was given, or the cell's own."""
    if given is not None:
        return given
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def state_dtype(given: Any, state: Any) -> Any:
    """The type of outputs: the one that was given, or the state's. ValueError if states have several."""
    if given is not None:
        return given
    found = list(dict.fromkeys(part.dtype for part in nest.flatten(state)))
    if len(found) != 1:
        raise ValueError(
            f"Argument state={state} has tensors of different inferred dtypes. Unable to infer a single representative "
            f"dtype. Dtypes received: {found}"
            if found
            else f"Unable to infer dtype from argument state={state}."
        )
    return found[0]


def batch_size_of(flat_inputs: Any) -> Any:
    """The batch size of time-major inputs: a number where one of them says it, else a tensor."""
    for tensor in flat_inputs:
        shape = tensor.shape
        if shape.ndims is None:
            continue
        if shape.ndims < 2:
            raise ValueError(f"Input tensor should have rank >= 2. Received input={tensor} of rank {shape.ndims}")
        size = shape.as_list()[1]
        if size is not None:
            return size
    return ops.shape(flat_inputs[0])[1]


def transpose_batch_time(x: Tensor) -> Tensor:
    """`x` with its first two axes exchanged."""
    shape = x.shape
    if shape.ndims is not None and shape.ndims < 2:
        return x
    rank = ops.rank(x)
    result: Tensor = ops.transpose(x, ops.concat(([1, 0], ops.range(2, rank)), axis=0))
    if shape.ndims is None:
        return result
    sizes = shape.as_list()
    result.set_shape(TensorShape([sizes[1], sizes[0], *sizes[2:]]))
    return result


def check_lengths(lengths: Tensor) -> None:
    """Raises ValueError unless sequence lengths are a vector."""
    if lengths.shape.ndims not in (None, 1):
        raise ValueError(
            f"Argument sequence_length must be a vector of length batch_size. Received sequence_length={lengths} with "
            f"shape: {lengths.shape}"
        )
