"""Samples of the array family: shapes, joins, slices, moves, picks, diagonals, blocks, sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.ops.sampling import Handle, Ref
from tfbench.engine.shapes import TensorShape

Sample = tuple[list[Any], dict[str, Any]]


def n(*shape: int, dtype: Any = np.float32) -> Any:
    """0, 1, 2, … in this shape."""
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def i(*values: Any) -> Any:
    return np.array(values, np.int32)


def long(*values: Any) -> Any:
    return np.array(values, np.int64)


def s(*values: bytes) -> Any:
    """Strings."""
    array = np.empty(len(values), object)
    array[:] = values
    return array


def one(value: Any, dtype: Any = np.int32) -> Any:
    return np.array(value, dtype)


NONE = i()
BOOLS = np.array([[True, False], [False, True]])
COMPLEX = np.array([[1 + 2j, 3], [0, -1j]], np.complex64)
ALL = [n(2, 3), n(0, 3), one(5.0, np.float32), n(3, dtype=np.int64), BOOLS, s(b"a", b"bc"), n(4, 3).T]
SLICE = {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}


def _each(*attrs: dict[str, Any]) -> list[Sample]:
    return [([value], given) for value in ALL for given in (attrs or ({},))]


def _shapes() -> dict[str, list[Sample]]:
    return {
        "Shape": _each({}, {"out_type": np.int64}),
        "ShapeN": [([[n(2, 3), n(4)]], {}), ([[n(0, 3)]], {"out_type": np.int64})],
        "Rank": _each(),
        "Size": _each({}, {"out_type": np.int64}),
        "Reshape": [
            ([n(2, 3), i(3, -1)], {}),
            ([n(0, 3), long(3, 0)], {}),
            ([s(b"a"), i(1, 1)], {}),
            ([one(1), NONE], {}),
        ],
        "ExpandDims": [([n(2, 3), one(1)], {}), ([n(2, 3), one(-1, np.int64)], {}), ([s(b"a"), one(0)], {})],
        "Squeeze": [
            ([n(2, 1, 3, 1)], {}),
            ([n(2, 1, 3, 1)], {"squeeze_dims": [-1]}),
            ([n(0, 1)], {"squeeze_dims": [1]}),
        ],
        "Fill": [
            ([i(2, 3), one(1.5, np.float32)], {}),
            ([long(0), one(True)], {}),
            ([i(2), np.array(b"a", object)], {}),
        ],
        "ZerosLike": _each(),
        "OnesLike": [([value], {}) for value in ALL if value.dtype != object],
        "BroadcastTo": [
            ([n(2, 1), i(2, 3)], {}),
            ([one(1), long(2, 2)], {}),
            ([s(b"a"), i(3, 1)], {}),
            ([n(0, 1), i(0, 2)], {}),
        ],
        "BroadcastArgs": [([i(2, 1), i(3)], {}), ([long(), long(4)], {})],
        "BroadcastGradientArgs": [([i(2, 1), i(3)], {}), ([long(2, 3), long()], {}), ([i(1, 1), i(1, 5)], {})],
        "EnsureShape": [([n(2, 3)], {"shape": [2, None]}), ([s(b"a")], {"shape": TensorShape(None)})],
        "GuaranteeConst": _each(),
        "PreventGradient": _each(),
        "Snapshot": _each(),
        "Bitcast": [
            ([n(2, 3)], {"type": np.int32}),
            ([n(2, 3)], {"type": np.uint8}),
            ([n(2, 4, dtype=np.uint8)], {"type": np.float32}),
            ([n(4, 3).T], {"type": np.uint16}),
        ],
    }


def _joins() -> dict[str, list[Sample]]:
    return {
        "Pack": [
            ([[n(2), n(2)]], {}),
            ([[n(2, 3), n(2, 3)]], {"axis": -1}),
            ([[one(1), one(2)]], {}),
            ([[np.array(b"a", object), np.array(b"b", object)]], {}),
            ([[n(0)]], {"axis": 1}),
        ],
        "Unpack": [
            ([n(2, 3)], {"num": 2}),
            ([n(2, 3)], {"num": 3, "axis": 1}),
            ([n(3)], {"num": 3}),
            ([s(b"a", b"b")], {"num": 2}),
            ([n(0, 3)], {"num": 0}),
        ],
        "ConcatV2": [
            ([[n(2, 1), n(2, 3)], one(1)], {}),
            ([[n(0, 2), n(2, 2), n(1, 2)], one(0, np.int64)], {}),
            ([[s(b"a"), s(b"b")], one(-1)], {}),
        ],
        "ParallelConcat": [([[n(1, 3), n(1, 3)]], {"shape": [2, 3]})],
        "Split": [([one(1), n(2, 6)], {"num_split": 3}), ([one(-1), s(b"a", b"b")], {"num_split": 2})],
        "SplitV": [([n(2, 6), i(1, -1, 2), one(1)], {"num_split": 3}), ([n(4), long(1, 3), one(0)], {"num_split": 2})],
    }


def _slices() -> dict[str, list[Sample]]:
    column = {**SLICE, "begin_mask": 1, "end_mask": 1, "shrink_axis_mask": 2}
    middle = {**SLICE, "ellipsis_mask": 2, "new_axis_mask": 4, "shrink_axis_mask": 1}
    return {
        "Slice": [
            ([n(4, 3), i(1, 0), i(2, -1)], {}),
            ([n(4), long(4), long(-1)], {}),
            ([s(b"a", b"b"), i(1), i(1)], {}),
        ],
        "StridedSlice": [
            ([n(4, 3), i(1, 0), i(3, 3), i(1, 2)], SLICE),
            ([n(4, 3), i(3), i(0), i(-2)], SLICE),
            ([n(4, 3), long(0, 1), long(0, 2), long(1, 1)], column),
            ([n(4, 3, 2), i(1, 0, 0, 0), i(2, 0, 0, 1), i(1, 1, 1, 1)], middle),
            ([n(4), i(2), i(3), i(1)], {**SLICE, "shrink_axis_mask": 1}),
            ([s(b"a", b"b"), i(1), i(2), i(1)], {**SLICE, "shrink_axis_mask": 1}),
            ([n(2, 3), i(), i(), i()], SLICE),
        ],
        "StridedSliceGrad": [
            ([i(4, 3), i(1, 0), i(3, 3), i(1, 2), n(2, 2)], SLICE),
            ([long(4, 3), long(0, 1), long(0, 2), long(1, 1), n(4)], column),
        ],
        "StridedSliceAssign": [([Ref(n(4, 3)), i(1, 0), i(3, 3), i(1, 2), n(2, 2)], SLICE)],
        "ResourceStridedSliceAssign": [([Handle(n(4)), i(1), i(3), i(1), n(2)], SLICE)],
    }


def _moves() -> dict[str, list[Sample]]:
    band = {"align": "LEFT_LEFT"}
    return {
        "Transpose": [
            ([n(2, 3), i(1, 0)], {}),
            ([n(2, 3, 4), long(2, 0, 1)], {}),
            ([one(1.0, np.float32), NONE], {}),
            ([s(b"a"), i(0)], {}),
        ],
        "ConjugateTranspose": [([COMPLEX, i(1, 0)], {}), ([n(2, 3), i(1, 0)], {})],
        "ReverseV2": [
            ([n(2, 3), i(1)], {}),
            ([n(2, 3), long(-1, 0)], {}),
            ([n(2), NONE], {}),
            ([s(b"a", b"b"), i(0)], {}),
        ],
        "ReverseSequence": [
            ([n(2, 3), i(1, 3)], {"seq_dim": 1}),
            ([n(3, 2, 2), long(0, 2)], {"seq_dim": 0, "batch_dim": 1}),
        ],
        "InvertPermutation": [([i(2, 0, 1)], {}), ([long()], {})],
        "Roll": [
            ([n(5), one(2), one(0)], {}),
            ([n(2, 3), i(1, -4), long(0, 1)], {}),
            ([n(2, 3), i(1, 1), i(1, -1)], {}),
        ],
        "Tile": [([n(2, 3), i(2, 1)], {}), ([n(2), long(0)], {}), ([one(1), NONE], {}), ([s(b"a"), i(2)], {})],
        "Pad": [([n(2, 3), i([1, 1], [0, 2])], {}), ([n(2), long([0, 0])], {}), ([BOOLS, i([1, 0], [0, 0])], {})],
        "PadV2": [([n(2, 3), i([1, 1], [0, 2]), one(9.0, np.float32)], {}), ([i(1), i([0, 1]), one(-1)], {})],
        "MirrorPad": [
            ([n(2, 3), i([1, 1], [0, 2])], {"mode": "REFLECT"}),
            ([n(2, 3), long([2, 1], [0, 3])], {"mode": "SYMMETRIC"}),
            ([n(2), i([0, 0])], {"mode": "REFLECT"}),
        ],
        "MirrorPadGrad": [
            ([n(4, 5), i([1, 1], [0, 2])], {"mode": "REFLECT"}),
            ([n(5, 6), long([2, 1], [0, 3])], {"mode": "SYMMETRIC"}),
            ([n(2), i([0, 0])], {"mode": "REFLECT"}),
        ],
        "Diag": [([n(3)], {}), ([n(2, 2)], {}), ([n(0)], {})],
        "DiagPart": [([n(3, 3)], {}), ([n(2, 3, 2, 3)], {})],
        "MatrixDiagV3": [
            ([n(2, 3), one(0), one(-1), one(-1), one(0.0, np.float32)], {}),
            ([n(2, 3), i(-1, 0), one(3), one(4), one(9.0, np.float32)], {}),
            ([n(2, 2, 2), i(0, 1), one(-1), one(-1), one(0.0, np.float32)], band),
            ([n(2), one(-2), one(-1), one(-1), one(0.0, np.float32)], {}),
        ],
        "MatrixDiagPartV3": [
            ([n(2, 3, 4), one(0), one(0.0, np.float32)], {}),
            ([n(3, 4), i(-2, 1), one(9.0, np.float32)], {}),
            ([n(4, 3), i(-1, 1), one(0.0, np.float32)], band),
            ([n(3, 4), one(3), one(0.0, np.float32)], {}),
        ],
        "MatrixSetDiagV3": [
            ([n(2, 3, 4), n(2, 3), one(0)], {}),
            ([n(3, 3), n(2, 3), i(0, 1)], {}),
            ([n(3, 4), n(3, 3), i(-1, 1)], band),
        ],
        "MatrixBandPart": [([n(3, 3), one(1), one(0)], {}), ([n(2, 3, 4), one(-1, np.int64), one(1, np.int64)], {})],
        "SpaceToBatchND": [([n(1, 3, 2, 1), i(2, 2), i([1, 0], [0, 0])], {}), ([n(2, 4), long(2), long([0, 0])], {})],
        "BatchToSpaceND": [([n(4, 2, 1, 1), i(2, 2), i([1, 0], [0, 0])], {}), ([n(4, 2), long(2), long([0, 0])], {})],
        "SpaceToDepth": [([n(1, 4, 2, 3)], {"block_size": 2})],
        "DepthToSpace": [([n(1, 2, 1, 8)], {"block_size": 2})],
        "ExtractImagePatches": [
            (
                [n(1, 4, 5, 2)],
                {"ksizes": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": padding},
            )
            for padding in ("SAME", "VALID")
        ],
    }


def _picks() -> dict[str, list[Sample]]:
    return {
        "Gather": [([n(4, 2), i(0, 3)], {}), ([s(b"a", b"b"), i([1], [0])], {})],
        "GatherV2": [
            ([n(4, 2), i(0, 3), one(0)], {}),
            ([n(2, 3, 4), i([1, 0], [3, 3]), one(-1, np.int64)], {}),
            ([n(2, 3, 4), long([1, 0], [3, 3]), one(2)], {"batch_dims": 1}),
            ([n(4), one(2), one(0)], {}),
            ([s(b"a", b"b"), one(1), one(0)], {}),
            ([n(0, 2), i(), one(0)], {}),
        ],
        "GatherNd": [
            ([n(2, 3), i([0, 1], [1, 2])], {}),
            ([n(2, 3), long([[1]], [[0]])], {}),
            ([n(2, 2), np.zeros((3, 0), np.int32)], {}),
            ([s(b"a", b"b"), i(1)], {}),
        ],
        "ResourceGatherNd": [([Handle(n(2, 3)), i([0, 1], [1, 2])], {"dtype": np.float32})],
        "ScatterNd": [
            ([i([1], [1]), n(2), i(5)], {}),
            ([long([0, 1]), n(1, 2), long(2, 2, 2)], {}),
            ([i([1]), np.array([True]), i(3)], {}),
            ([i([1]), s(b"a"), i(3)], {}),
        ],
        **{
            f"TensorScatter{kind}": [([n(4), i([1], [1]), n(2)], {}), ([n(2, 2), long([1]), n(1, 2)], {})]
            for kind in ("Add", "Sub", "Update", "Min", "Max")
        },
        "Where": [([BOOLS], {}), ([n(3)], {}), ([COMPLEX], {}), ([np.zeros(0, bool)], {})],
        "Select": [
            ([np.array([True, False]), n(2), -n(2)], {}),
            ([np.array([True, False]), n(2, 3), -n(2, 3)], {}),
            ([np.array(True), n(2), -n(2)], {}),
            ([np.array([True, False]), s(b"a", b"b"), s(b"c", b"d")], {}),
        ],
        "SelectV2": [
            ([np.array([True, False]), n(2, 1), one(3.0, np.float32)], {}),
            ([np.array(False), one(1), one(2)], {}),
        ],
        "OneHot": [
            ([i(0, 2, -1, 5), one(3), one(1.0, np.float32), one(0.0, np.float32)], {}),
            ([n(2, 2, dtype=np.uint8), one(3), one(True, bool), one(False, bool)], {"axis": 1}),
            ([one(1, np.int64), one(2), one(5), one(-1)], {"axis": 0}),
        ],
        "DynamicPartition": [
            ([n(4, 2), i(0, 1, 0, 2)], {"num_partitions": 3}),
            ([s(b"a", b"b"), i(1, 0)], {"num_partitions": 2}),
            ([n(2, 2), i([0, 1], [1, 0])], {"num_partitions": 2}),
        ],
        **{
            type: [
                ([[i(0, 2), i(1, 3)], [n(2), n(2)]], {}),
                ([[one(0), i(2, 1)], [n(2), n(2, 2)]], {}),
                ([[i(0, 3)], [n(2)]], {}),
            ]
            for type in ("DynamicStitch", "ParallelDynamicStitch")
        },
        "Unique": [([i(3, 1, 3)], {}), ([s(b"b", b"a", b"b")], {"out_idx": np.int64}), ([n(0)], {})],
        "UniqueWithCounts": [([i(3, 1, 3)], {}), ([n(3)], {"out_idx": np.int64})],
        "ListDiff": [([i(1, 2, 3, 1), i(2)], {}), ([s(b"a", b"b"), s(b"b")], {"out_idx": np.int64})],
        "LowerBound": [([n(2, 3), n(2, 2)], {}), ([i([1, 3]), i([2])], {"out_type": np.int64})],
        "UpperBound": [([n(2, 3), n(2, 2)], {}), ([i([1, 3]), i([3])], {"out_type": np.int64})],
        "UnravelIndex": [([i(5, 3), i(2, 3)], {}), ([one(4, np.int64), long(2, 3)], {})],
        "EditDistance": [
            ([long([0, 0], [1, 0]), s(b"a", b"b"), long(2, 1), long([0, 0], [0, 1]), s(b"a", b"c"), long(2, 2)], {}),
            ([long([0, 0]), i(1), long(1, 1), long([0, 0], [0, 1]), i(2, 3), long(1, 2)], {"normalize": False}),
        ],
        "SparseToDense": [
            ([i([0, 1], [1, 0]), i(2, 2), n(2), one(-1.0, np.float32)], {}),
            ([long(1, 3), long(5), one(7), one(0)], {}),
            ([i(3, 1), i(5), i(1, 2), one(0)], {"validate_indices": False}),
        ],
        "SparseReorder": [
            ([long([1, 0], [0, 1]), n(2), long(2, 2)], {}),
            ([long([1], [0]), s(b"a", b"b"), long(2)], {}),
        ],
        "SparseDenseCwiseMul": [([long([1, 0], [0, 1]), n(2), long(2, 2), n(2)], {})],
        "SparseDenseCwiseDiv": [
            ([long([1, 0], [0, 1]), n(2), long(2, 2), n(2, 2) + 1], {}),
            ([long([0], [1]), i(7, -7), long(2), one(2)], {}),
        ],
        "SparseTensorDenseMatMul": [
            ([long([1, 0], [0, 1]), n(2) + 1, long(2, 2), n(2, 3)], {}),
            ([i([1, 0], [0, 1]), n(2) + 1, long(2, 3), n(3, 2)], {"adjoint_a": True, "adjoint_b": True}),
        ],
    }


SAMPLES: dict[str, list[Sample]] = {**_shapes(), **_joins(), **_slices(), **_moves(), **_picks()}
