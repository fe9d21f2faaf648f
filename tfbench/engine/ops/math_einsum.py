"""Sums of products after Einstein: the op for one or two tensors, and `tf.einsum`, which splits longer products."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tfbench.engine import shape_math
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.math_einsum_path import contraction_steps
from tfbench.engine.shape_math import debug_string
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["einsum"]

#: what stands for '...' while an equation is worked on: a label that no user can write
_REST = "0"

_einsum = op("Einsum", "inputs: N * T", "output: T", "equation: string; N: int >= 1; T: type", fresh=True)


def _split(equation: str) -> tuple[list[str], str]:
    inputs, _, output = equation.replace("...", _REST).partition("->")
    return inputs.split(","), output


@_einsum.shape
def _einsum_shape(node: Operation, *shapes: Any) -> Any:
    labels, output = _split(node.attrs["equation"])
    sizes: dict[str, int | None] = {}
    rest: Any = ()
    for i, (shape, names) in enumerate(zip(shapes, labels)):
        if shape is None:
            if _REST in names:
                rest = None
            for name in names.replace(_REST, ""):
                sizes.setdefault(name, None)
            continue
        at = names.find(_REST)
        extra = len(shape) - len(names) + 1
        try:
            if at < 0:
                shape_math.with_rank(shape, len(names))
                known = dict_items(names, shape)
            else:
                shape_math.with_rank_at_least(shape, len(names) - 1)
                known = dict_items(names[:at] + names[at + 1 :], shape[:at] + shape[at + extra :])
                rest = None if rest is None else shape_math.broadcast(rest, shape[at : at + extra])
        except ValueError as error:
            if "rank" not in str(error):
                raise
            raise ValueError(f"{error}\n\t for {i}th input and equation: {node.attrs['equation']}") from None
        for name, size in known:
            sizes[name] = shape_math.dim_merge(sizes.get(name), size)
    if _REST not in output:
        return [tuple(sizes[name] for name in output)]
    if rest is None:
        return [None]
    at = output.find(_REST)
    return [(*(sizes[name] for name in output[:at]), *rest, *(sizes[name] for name in output[at + 1 :]))]


def dict_items(names: str, sizes: Any) -> list[tuple[str, int | None]]:
    """The label and size of each axis, in order; a label may come twice."""
    return list(zip(names, sizes, strict=True))


@_einsum.kernel(CPU, GPU)
def _einsum_kernel(xp: Any, *arrays: Any, equation: str) -> Any:
    labels, output = _split(equation)
    sizes: dict[str, int] = {}
    for i, (array, names) in enumerate(zip(arrays, labels)):
        at = names.find(_REST)
        extra = array.ndim - len(names) + 1
        if (at < 0 and extra != 1) or extra < 0:
            raise invalid(f"Expected input {i} to have rank {len(names)} but got: {array.ndim}")
        shape = array.shape if at < 0 else array.shape[:at] + array.shape[at + extra :]
        for axis, (name, size) in enumerate(zip(names.replace(_REST, ""), shape)):
            if sizes.setdefault(name, size) != size:
                # NumPy would repeat a size of 1.
                raise invalid(
                    f"Expected dimension {sizes[name]} at axis {axis} of the input shaped "
                    f"{debug_string(array.shape)} but got dimension {size}"
                )
    once = "".join(dict.fromkeys(output))
    if once != output:
        return _on_diagonals(xp, _einsum_kernel(xp, *arrays, equation=_written(labels, once)), once, output)
    if _REST in "".join(labels) and _REST not in output:
        arrays, equation = _without_rest(xp, arrays, labels, output)
    if len(arrays) == 1:
        result = xp.einsum(equation, arrays[0])
    else:
        result = _pair(xp, arrays, equation)
    return xp.array(result) if len(arrays) == 1 else result


def _on_diagonals(xp: Any, values: Any, labels: str, output: str) -> Any:
    """Zeros but where the axes that have the same label have the same index."""
    at = labels.find(_REST)
    extra = values.ndim - len(labels) + 1
    sizes: dict[str, tuple[int, ...]] = {}
    for place, name in enumerate(labels):
        start = place if at < 0 or place <= at else place + extra - 1
        sizes[name] = values.shape[start : start + (extra if place == at else 1)]
    result = xp.zeros([size for name in output for size in sizes[name]], values.dtype)
    xp.einsum(_written([output], labels), result)[...] = values
    return result


def _pair(xp: Any, arrays: Any, equation: str) -> Any:
    dtype = arrays[0].dtype
    if dtype.itemsize == 2 and dtype.kind == "f":
        return xp.einsum(equation, *[array.astype(xp.float32) for array in arrays], optimize=True).astype(dtype)
    return xp.einsum(equation, *arrays, optimize=True)


def _without_rest(xp: Any, arrays: Any, labels: list[str], output: str) -> tuple[Any, str]:
    """The same sum with the axes of '...', which the output lacks, spelled out so that they are summed over."""
    free = [chr(code) for code in (*range(65, 91), *range(97, 123)) if chr(code) not in "".join(labels)]
    most = max(array.ndim - len(names) + 1 for array, names in zip(arrays, labels) if _REST in names)
    names_of_rest = "".join(free[:most])
    named = []
    for array, names in zip(arrays, labels):
        extra = array.ndim - len(names) + 1
        named.append(names.replace(_REST, names_of_rest[most - extra :] if extra else ""))
    return arrays, ",".join(named) + "->" + output


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """The sum of products that `equation` names: a letter an axis, `ij,jk->ik`, `...` for axes that just go along.

    Products of more than two tensors are made two at a time, cheapest first.

    Raises:
      ValueError: if the equation does not parse, or does not fit the inputs.
      TypeError: for an unknown argument.
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", "greedy")
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. Valid arguments: name, optimize, greedy."
        )
    if not isinstance(equation, str):
        raise TypeError(f"The equation must be a string, not {equation!r}.")
    tensors = list(inputs)
    with name_scope(name, "einsum", [equation, tensors]):
        shapes = [_shape_of(tensor) for tensor in tensors]
        labels, output = parse(equation, len(tensors))
        if len(tensors) <= 2:
            return _einsum(tensors, equation=_written(labels, output))
        for places, names, result in contraction_steps(labels, output, _label_sizes(equation, labels, shapes)):
            operands = [tensors.pop(place) for place in places]
            tensors.append(_einsum(operands, equation=_written(names, result)))
        return tensors[0]


def _shape_of(value: Any) -> Any:
    shape = getattr(value, "shape", None)
    if shape is None:
        raise TypeError(f"einsum takes tensors, variables and arrays, not {value!r}; use tf.constant.")
    return shape._dims if isinstance(shape, TensorShape) else tuple(shape)


def _written(labels: list[str], output: str) -> str:
    return (",".join(labels) + "->" + output).replace(_REST, "...")


def parse(equation: str, count: int) -> tuple[list[str], str]:
    """The labels of each input and of the output, '0' for '...'. Without `->`, all labels that occur once."""
    resolved = equation.replace(" ", "")
    if "..." in resolved and _REST in resolved:
        raise ValueError(f'Invalid character "{_REST}" in equation: {equation}')
    resolved = resolved.replace("...", _REST) if "..." in resolved else resolved
    allowed = "a-zA-Z" + (_REST if "..." in equation else "")
    match = re.match(f"^([{allowed},]*)(->[{allowed}]*)?$", resolved)
    if match is None:
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    labels = match.group(1).split(",")
    if len(labels) != count:
        raise ValueError(f'Got {count} inputs for equation "{equation}", expecting {len(labels)}')
    everything = "".join(labels)
    if match.group(2) is None:
        # In alphabetical order; '...' comes first, as '0' does.
        output = "".join(name for name in sorted(set(everything)) if everything.count(name) == 1 or name == _REST)
        return labels, output
    output = match.group(2)[2:]
    if output.count(_REST) > 1:
        raise ValueError(f"Output subscripts contain multiple ellipsis: {equation}")
    if len(set(output)) != len(output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    for name in output:
        if name != _REST and name not in everything:
            raise ValueError(f"Output subscripts contain the label {name} not present in the input subscripts.")
    return labels, output


def _label_sizes(equation: str, labels: list[str], shapes: list[Any]) -> dict[str, int]:
    """The size of each label; 1 where it is not known, the product of sizes for '...'."""
    sizes = dict.fromkeys("".join(labels), 1)
    for i, (names, shape) in enumerate(zip(labels, shapes)):
        if shape is None:
            continue
        at = names.find(_REST)
        if at >= 0:
            extra = len(shape) - len(names) + 1
            if extra < 0:
                raise ValueError(
                    f"Too many named labels in {i}th subscript string of equation {equation} for input shape "
                    f"{TensorShape(shape)} "
                )
            between = [size or 1 for size in shape[at : at + extra]]
            shape = (*shape[:at], int(np.prod(between, dtype=np.int64)), *shape[at + extra :])
        elif len(names) != len(shape):
            raise ValueError(
                f"Number of named labels in input #{i} of equation {equation} must be equal to the number of "
                f"dimensions in shape {TensorShape(shape)}"
            )
        for name, size in zip(names, shape):
            sizes[name] = max(sizes[name], size or 1)
    return sizes
