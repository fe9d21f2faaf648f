"""Sparse tensors as components of elements: a vector of three handles, of indices, values and shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid


def packed(indices: Any, values: Any, shape: Any) -> Any:
    """One sparse tensor."""
    handle = np.empty(3, object)
    for place, part in enumerate((indices, values, shape)):
        handle[place] = np.asarray(part)
    return handle


def packed_rows(indices: Any, values: Any, shape: Any) -> Any:
    """The entries of dimension 0 of a sparse tensor."""
    count = int(shape[0])
    handles = np.empty((count, 3), object)
    order = np.argsort(indices[:, 0], kind="stable")
    rows = indices[order, 0]
    bounds = np.searchsorted(rows, np.arange(count + 1))
    for row in range(count):
        own = order[bounds[row] : bounds[row + 1]]
        for place, part in enumerate((indices[own, 1:], values[own], shape[1:])):
            handles[row, place] = part
    return handles


def unpacked(handles: Any, dtype: Any) -> tuple[Any, Any, Any]:
    """The sparse tensor that handles stand for; more dimensions of handles are more dimensions of it."""
    if handles.dtype != object or not handles.ndim or handles.shape[-1] != 3:
        raise invalid(f"Serialized sparse should have 3 as the last dimension {list(handles.shape)}")
    outer = handles.shape[:-1]
    if not outer:
        indices, values, shape = handles
        _check(values, dtype)
        return indices, values, shape
    flat = handles.reshape(-1, 3)
    if not len(flat):
        raise invalid("A batch of sparse tensors has to have at least one.")
    rank = len(flat[0, 2])
    shape = np.max([row[2] for row in flat], axis=0).astype(np.int64) if rank else np.zeros(0, np.int64)
    places = np.indices(outer).reshape(len(outer), -1).T
    parts = []
    for place, row in zip(places, flat, strict=True):
        if len(row[2]) != rank:
            raise invalid(f"Inconsistent rank across SparseTensors: expected {rank} but got {len(row[2])}.")
        _check(row[1], dtype)
        parts.append(np.concatenate([np.broadcast_to(place, (len(row[0]), len(outer))), row[0]], axis=1))
    values = np.concatenate([row[1] for row in flat])
    return np.concatenate(parts).astype(np.int64), values, np.concatenate([np.array(outer, np.int64), shape])


def _check(values: Any, dtype: Any) -> None:
    if values.dtype != dtype:
        raise invalid(
            f"Requested SparseTensor of type {np.dtype(dtype).name} but SparseTensor values are {values.dtype}."
        )
