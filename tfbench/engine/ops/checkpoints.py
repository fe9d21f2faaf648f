"""Checkpoints written and read by a run: the ops that a `tf.train.Saver` is made of.

What the files look like is not the engine's business: `formats.checkpoint_files`, which `api` names here, knows.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine import infer
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.tensor_slices import parse_spec
from tfbench.engine.opdef import CPU, OpDef, op
from tfbench.engine.ops.string_common import as_strings, scalar_string
from tfbench.engine.shape_math import merge, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import OPERATORS

__all__: list[str] = []

Array = Any

save_v2 = op(
    "SaveV2",
    "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes",
    "",
    "dtypes: list(type) >= 1",
    stateful=True,
)
restore_v2 = op(
    "RestoreV2",
    "prefix: string, tensor_names: string, shape_and_slices: string",
    "tensors: dtypes",
    "dtypes: list(type) >= 1",
    stateful=True,
    fresh=True,
)
merge_v2_checkpoints = op(
    "MergeV2Checkpoints",
    "checkpoint_prefixes: string, destination_prefix: string",
    "",
    "delete_old_dirs: bool = true; allow_missing_files: bool = false",
    stateful=True,
)
save = op("Save", "filename: string, tensor_names: string, data: T", "", "T: list(type) >= 1", stateful=True)
save_slices = op(
    "SaveSlices",
    "filename: string, tensor_names: string, shapes_and_slices: string, data: T",
    "",
    "T: list(type) >= 1",
    stateful=True,
)
restore = op(
    "Restore",
    "file_pattern: string, tensor_name: string",
    "tensor: dt",
    "dt: type; preferred_shard: int = -1",
    stateful=True,
    fresh=True,
)
restore_slice = op(
    "RestoreSlice",
    "file_pattern: string, tensor_name: string, shape_and_slice: string",
    "tensor: dt",
    "dt: type; preferred_shard: int = -1",
    stateful=True,
    fresh=True,
)
sharded_filename = op("ShardedFilename", "basename: string, shard: int32, num_shards: int32", "filename: string")
sharded_filespec = op("ShardedFilespec", "basename: string, num_shards: int32", "filename: string")

for _declared in (save_v2, restore_v2, merge_v2_checkpoints, save, save_slices, restore, restore_slice):
    _declared.no_gradient("what is read from files does not depend on the graph, and files have no gradient")
for _declared in (sharded_filename, sharded_filespec):
    _declared.no_gradient("strings have no gradient")


# -- shapes ---------------------------------------------------------------------------------------------------


@save_v2.shape
def _save_v2_shape(node: Operation, prefix: Shape, names: Shape, specs: Shape, *tensors: Shape) -> list[Shape]:
    _check_lists(node, prefix, names, specs, len(tensors))
    return []


@save.shape
def _save_shape(node: Operation, filename: Shape, names: Shape, *tensors: Shape) -> list[Shape]:
    _check_lists(node, filename, names, names, len(tensors))
    return []


@save_slices.shape
def _save_slices_shape(node: Operation, filename: Shape, names: Shape, specs: Shape, *tensors: Shape) -> list[Shape]:
    _check_lists(node, filename, names, specs, len(tensors))
    return []


def _check_lists(node: Operation, prefix: Shape, names: Shape, specs: Shape, count: int) -> None:
    with_rank(prefix, 0)
    for shape in (names, specs):
        size = with_rank(shape, 1)[0]
        if size is not None and size != count:
            raise ValueError(f"Dimension must be {count} but is {size}: there are {count} tensors")


@restore_v2.shape
def _restore_v2_shape(node: Operation, prefix: Shape, names: Shape, specs: Shape) -> list[Shape]:
    with_rank(prefix, 0)
    merge(with_rank(names, 1), with_rank(specs, 1))
    count = len(node.attrs["dtypes"])
    known = infer.constant_value(node.inputs[2])
    if known is None:
        return [None] * count
    if known.size != count:
        raise ValueError("The number of shape_and_slice doesn't match tensor outputs.")
    return [_restored_shape(spec) for spec in known.tolist()]


@restore_slice.shape
def _restore_slice_shape(node: Operation, pattern: Shape, name: Shape, spec: Shape) -> list[Shape]:
    for shape in (pattern, name, spec):
        with_rank(shape, 0)
    known = infer.constant_value(node.inputs[2])
    return [None if known is None else _restored_shape(known.item())]


@restore.shape
def _restore_shape(node: Operation, pattern: Shape, name: Shape) -> list[Shape]:
    with_rank(pattern, 0)
    with_rank(name, 0)
    return [None]


def _restored_shape(spec: bytes) -> Shape:
    if not spec:
        return None
    shape, part = parse_spec(spec.decode())
    return part.shape_of(shape)


@merge_v2_checkpoints.shape
def _merge_shape(node: Operation, prefixes: Shape, destination: Shape) -> list[Shape]:
    with_rank(prefixes, 1)
    with_rank(destination, 0)
    return []


@sharded_filename.shape
@sharded_filespec.shape
def _filename_shape(node: Operation, *shapes: Shape) -> list[Shape]:
    for shape in shapes:
        with_rank(shape, 0)
    return [()]


# -- kernels ----------------------------------------------------------------------------------------------------


def _files() -> Any:
    return OPERATORS["checkpoint_files"]()


def _path(value: Array, what: str) -> str:
    return os.fsdecode(scalar_string(value, what))


def _saving(definition: OpDef, types: str, has_specs: bool, version: int) -> None:
    @definition.bind(CPU)
    def _(context: Any) -> Any:
        dtypes = context.attrs[types]

        def write(prefix: Array, names: Array, *rest: Array) -> None:
            arrays = [np.asarray(array) for array in (rest[1:] if has_specs else rest)]
            specs = rest[0].tolist() if has_specs else [b""] * len(arrays)
            path = _path(prefix, "prefix")
            if not len(names) == len(specs) == len(arrays):
                raise invalid(f"Got {len(names)} names and {len(specs)} slices for {len(arrays)} tensors")
            _files().save(path, names.tolist(), specs, arrays, dtypes, version)

        return write


_saving(save_v2, "dtypes", has_specs=True, version=2)
_saving(save, "T", has_specs=False, version=1)
_saving(save_slices, "T", has_specs=True, version=1)


@restore_v2.bind(CPU)
def _restore_v2_bind(context: Any) -> Any:
    dtypes = context.attrs["dtypes"]

    def read(prefix: Array, names: Array, specs: Array) -> list[Array]:
        path = _path(prefix, "prefix")
        if not len(names) == len(specs) == len(dtypes):
            raise invalid(f"Got {len(names)} names and {len(specs)} slices for {len(dtypes)} outputs")
        result: list[Array] = _files().restore(path, names.tolist(), specs.tolist(), dtypes)
        return result

    return read


@restore.bind(CPU)
@restore_slice.bind(CPU)
def _restore_bind(context: Any) -> Any:
    dtypes: Sequence[Any] = [context.attrs["dt"]]

    def read(pattern: Array, name: Array, spec: Array | None = None) -> Array:
        specs = [b"" if spec is None else scalar_string(spec, "shape_and_slice")]
        path = _path(pattern, "file_pattern")
        return _files().restore(path, [scalar_string(name, "tensor_name")], specs, dtypes)[0]

    return read


@merge_v2_checkpoints.kernel(CPU)
def _merge_kernel(
    xp: Any, prefixes: Array, destination: Array, *, delete_old_dirs: bool, allow_missing_files: bool
) -> None:
    paths = [os.fsdecode(prefix) for prefix in prefixes.tolist()]
    _files().merge(paths, _path(destination, "destination_prefix"), delete_old_dirs, allow_missing_files)


@sharded_filename.kernel(CPU)
def _filename_kernel(xp: Any, basename: Array, shard: Array, num_shards: Array) -> Array:
    name = scalar_string(basename, "basename")
    return as_strings([name + f"-{int(shard):05d}-of-{int(num_shards):05d}".encode()], ())


@sharded_filespec.kernel(CPU)
def _filespec_kernel(xp: Any, basename: Array, num_shards: Array) -> Array:
    return as_strings([scalar_string(basename, "basename") + f"-?????-of-{int(num_shards):05d}".encode()], ())
