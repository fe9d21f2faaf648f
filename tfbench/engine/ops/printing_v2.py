"""`tf.print` and `tf.strings.format`: values as text with their structure, `[[1 2] [3 4]]` over several lines.

`tf.print` becomes a StringFormat node, whose template has a placeholder for each tensor, and a PrintV2 node.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tfbench.engine import nest
from tfbench.engine.composite import SparseTensor
from tfbench.engine.dtypes import string
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.printing import _element
from tfbench.engine.ops.string_common import as_strings, raw
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["print", "timestamp"]

_format = op(
    "StringFormat",
    "inputs: T",
    "output: string",
    "T: list(type) >= 0; template: string = '%s'; placeholder: string = '%s'; summarize: int = 3",
    fresh=True,
)
_format.no_gradient("strings have no gradient")


@_format.shape
def _format_shape(node: Operation, *inputs: Shape) -> list[Shape]:
    return [()]


@_format.kernel(CPU)
def _format_kernel(xp: Any, *inputs: Any, template: Any, placeholder: Any, summarize: int) -> Any:
    pieces = raw(template).split(raw(placeholder))
    if len(pieces) - 1 != len(inputs):
        raise invalid(f"num placeholders in template and num inputs must match: {len(pieces) - 1} vs. {len(inputs)}")
    text = pieces[0]
    for array, piece in zip(inputs, pieces[1:], strict=True):
        text += structured(array, summarize) + piece
    return as_strings([text], ())


def structured(array: Any, limit: int) -> bytes:
    """The values of an array as text: of each axis the first and last `limit` (negative: all)."""
    array = np.asarray(array)
    ends = array.size if limit < 0 else min(limit, array.size)
    return _axis(array, 0, array.ndim, ends)


def _axis(array: Any, axis: int, rank: int, ends: int) -> bytes:
    if axis == rank:
        return _one(array[()])
    space = b" " if axis == rank - 1 else b"\n" * (rank - axis - 1) + b" " * (axis + 1)
    count = array.shape[0]
    parts = [_axis(array[i, ...], axis + 1, rank, ends) for i in range(min(ends, count))]
    text = b"[" + space.join(parts)
    if count > 2 * ends:
        text += space + b"..."
    for i in range(max(ends, count - ends), count):
        text += space + _axis(array[i, ...], axis + 1, rank, ends)
    return text + b"]"


_ESCAPES = {9: b"\\t", 10: b"\\n", 13: b"\\r", 34: b'\\"', 39: b"\\'", 92: b"\\\\"}


def _one(value: Any) -> bytes:
    if not isinstance(value, bytes):
        return _element(value).encode()
    escaped = [_ESCAPES.get(byte, bytes([byte]) if byte >= 32 and byte != 127 else b"\\%03o" % byte) for byte in value]
    return b'"' + b"".join(escaped) + b'"'


def string_format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """`template` with each placeholder replaced by the values of a tensor. (`tf.strings.format`)"""
    if isinstance(inputs, Tensor) or hasattr(inputs, "_as_graph_element"):
        inputs = [inputs]
    if template.count(placeholder) != len(inputs):
        raise ValueError(
            f"The template expects {template.count(placeholder)} tensors, but the inputs only has {len(inputs)}. "
            "Please ensure the number of placeholders in template matches inputs length."
        )
    return _format(inputs, template=template, placeholder=placeholder, summarize=summarize, name=name)


# -- printing ------------------------------------------------------------------------------------------------------

_print = op("PrintV2", "input: string", "", "output_stream: string = 'stderr'; end: string = '\n'", stateful=True)
_print.no_gradient("nothing comes out")

#: Python's levels of logging and the streams that they are here
_LEVELS = {20: "log(info)", 30: "log(warning)", 40: "log(error)"}
_LOGS = {name: level for level, name in _LEVELS.items()}


@_print.shape
def _print_shape(node: Operation, x: Shape) -> list[Shape]:
    with_rank(x, 0)
    return []


@_print.kernel(CPU)
def _print_kernel(xp: Any, x: Any, *, output_stream: str, end: Any) -> None:
    array: Any = np.asarray(x)
    if array.ndim:
        raise invalid(f"Input is expected to be scalar, but got {brackets(array.shape)}")
    data = array[()] + raw(end)
    if output_stream.startswith("file://"):
        with open(output_stream[len("file://") :], "ab") as file:
            file.write(data)
        return
    text = data.decode(errors="replace")
    if output_stream in _LOGS:
        import logging

        logging.getLogger("tensorflow").log(_LOGS[output_stream], text.removesuffix("\n"))
        return
    if output_stream not in ("stdout", "stderr"):
        raise invalid(f"Unknown output stream: {output_stream}")
    # Whatever the stream is when this runs: a notebook's, a test's.
    stream = getattr(sys, output_stream)
    stream.write(text)
    stream.flush()


def _stream_name(stream: Any) -> str:
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    if stream is sys.stdout:
        return "stdout"
    if stream is sys.stderr:
        return "stderr"
    if isinstance(stream, int) and stream in _LEVELS:
        return _LEVELS[stream]
    # `logging.info` and its kin, Python's and ours, stand for their levels.
    if getattr(stream, "__module__", None) in ("logging", "tfbench.logging"):
        level = {"info": 20, "warning": 30, "warn": 30, "error": 40}.get(getattr(stream, "__name__", ""))
        if level is not None:
            return _LEVELS[level]
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, sys.stderr, "
        "tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the form of 'file://<filepath>'."
    )


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (Tensor, SparseTensor)) or hasattr(value, "_as_graph_element")


def _unused_placeholder(text: str) -> str:
    """`{}`, made longer until `text` does not have it."""
    placeholder = "{}"
    if placeholder in text:
        import random

        digits = random.Random(5)
        while placeholder in text:
            placeholder += str(digits.randint(0, 9))
    return placeholder


def _template(inputs: tuple[Any, ...], separator: str) -> tuple[str, str, list[Any]]:
    """(template, placeholder, tensors) for what is to be printed."""
    from collections import OrderedDict
    from pprint import pformat

    in_order = [OrderedDict(sorted(item.items())) if isinstance(item, OrderedDict) else item for item in inputs]
    bare = nest.map_structure(lambda leaf: "" if _is_tensor(leaf) else leaf, in_order)
    placeholder = _unused_placeholder(" ".join(pformat(item) for item in bare))
    sparse = f"SparseTensor(indices={placeholder}, values={placeholder}, shape={placeholder})"
    tensors: list[Any] = []
    texts: list[str] = []
    for item in inputs:
        leaves: list[Any] = []
        for leaf in nest.flatten(item):
            if isinstance(leaf, SparseTensor):
                tensors.extend([leaf.indices, leaf.values, leaf.dense_shape])
                leaves.append(sparse)
            elif _is_tensor(leaf):
                tensors.append(leaf)
                leaves.append(placeholder)
            else:
                leaves.append(leaf)
        texts.append(item if isinstance(item, str) else pformat(nest.pack_sequence_as(item, leaves)))
    return separator.join(texts).replace(f"'{placeholder}'", placeholder), placeholder, tensors


def print(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that prints `inputs`: tensors, and nests of them and of anything else.

    Args:
      output_stream: sys.stderr (default), sys.stdout, tf.logging.info, .warning or .error, or 'file://…'.
      summarize: of each axis, so many elements at both ends (default 3; -1: all).
      sep, end, name: as for Python's print; the node's name.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    separator = kwargs.pop("sep", " ")
    end = kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    output_stream = _stream_name(stream)
    text: Any
    if len(inputs) == 1 and isinstance(inputs[0], Tensor) and inputs[0]._shape == () and inputs[0].dtype == string:
        text = inputs[0]
    else:
        template, placeholder, tensors = _template(inputs, separator)
        text = string_format(template, tensors, placeholder, summarize, name=f"{name}_format" if name else None)
    return _print(text, output_stream=output_stream, end=end, name=name)


# -- the clock -----------------------------------------------------------------------------------------------------

_timestamp = op("Timestamp", "", "ts: double", stateful=True, fresh=True)
_timestamp.no_gradient("it has no inputs")


@_timestamp.shape
def _timestamp_shape(node: Operation) -> list[Shape]:
    return [()]


@_timestamp.kernel(CPU)
def _timestamp_kernel(xp: Any) -> Any:
    import time

    return np.float64(time.time())


def timestamp(name: str | None = None) -> Tensor:
    """The seconds since 1970, when this is run."""
    return _timestamp(name=name)
