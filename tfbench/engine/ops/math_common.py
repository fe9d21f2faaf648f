"""What elementwise ops share: their static shapes, and one line that declares an op of one or two operands.

Kernels here are NumPy's (or CuPy's) ufuncs. Their results are new arrays of the declared type, so plans need not
copy what is fetched, and where `operator` is given, scalars are computed with Python's operator instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench import errors
from tfbench.engine import shape_math
from tfbench.engine.attributes import proto_type_name
from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.tensor import Tensor

#: groups of types that many signatures have
FLOATS = "bfloat16, half, float, double"
FLOATS_COMPLEX = "bfloat16, half, float, double, complex64, complex128"
SIGNED = "bfloat16, half, float, double, int8, int16, int32, int64"
SIGNED_COMPLEX = SIGNED + ", complex64, complex128"
ALL_NUMBERS = (
    "bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128"
)


def same_shape(node: Operation, x: Any, *others: Any) -> Any:
    """Shape function: the output is like the first input."""
    return [x]


def broadcast_shape(node: Operation, x: Any, y: Any) -> Any:
    """Shape function: two operands that broadcast."""
    return [x if x is y else shape_math.broadcast(x, y)]


#: NumPy's letters for types, to say which of them have no kernel although the op's signature allows them
NO_INTEGERS = "bBhHiIlLqQ"
NO_HALF = "e"
NO_COMPLEX = "FD"


def no_kernel(type: str, dtype: Any) -> errors.OpError:
    """TensorFlow's error for a type that the op's signature allows and no kernel computes."""
    word = proto_type_name(as_dtype(dtype))
    return invalid(f"No OpKernel was registered to support Op '{type}' with these attrs: [T=DT_{word}]")


def without_kernel(kernel: Callable[..., Any], type: str, refused: str) -> Callable[..., Any]:
    """`kernel`, but an error for types that TensorFlow has no kernel for."""

    def checked(xp: Any, *arrays: Any) -> Any:
        if arrays[0].dtype.char in refused:
            raise no_kernel(type, arrays[0].dtype)
        return kernel(xp, *arrays)

    return checked


def unary(
    type: str,
    types: str,
    kernel: Callable[..., Any],
    *,
    output: str = "y: T",
    operator: str | None = None,
    refused: str = "",
    doc: str = "",
) -> OpDef:
    """Declares an elementwise op of one operand `x`, computed by `kernel(xp, x)`."""
    opdef = op(type, "x: T", output, f"T: {{{types}}}", fresh=True, operator=operator, doc=doc)
    opdef.shape(same_shape)
    opdef.kernel(CPU, GPU)(without_kernel(kernel, type, refused) if refused else kernel)
    return opdef


def binary(
    type: str,
    types: str,
    kernel: Callable[..., Any],
    *,
    inputs: str = "x: T, y: T",
    output: str = "z: T",
    operator: str | None = None,
    refused: str = "",
    doc: str = "",
) -> OpDef:
    """Declares an elementwise op of two operands that broadcast, computed by `kernel(xp, x, y)`."""
    opdef = op(type, inputs, output, f"T: {{{types}}}" if types else "", fresh=True, operator=operator, doc=doc)
    opdef.shape(broadcast_shape)
    opdef.kernel(CPU, GPU)(without_kernel(kernel, type, refused) if refused else kernel)
    return opdef


def is_sparse(x: Any) -> bool:
    """A SparseTensor: functions with f(0) = 0 work on its values."""
    return isinstance(x, SparseTensor)


def on_values(function: Callable[..., Tensor], x: SparseTensor, name: str | None, used: str | None) -> SparseTensor:
    """`function` of what a SparseTensor has. TensorFlow tries the tensor as a whole first, which uses a name up."""
    values: Tensor = x.values
    if used is not None:
        values.graph.unique_name(name or used)
    return SparseTensor(x.indices, function(values, name=name), x.dense_shape)


def as_tensor(value: Any, name: str, dtype: Any = None) -> Tensor:
    """`value` as a tensor; Python values become constants called `name`."""
    return value if isinstance(value, Tensor) and dtype is None else convert_to_tensor(value, dtype, name)
