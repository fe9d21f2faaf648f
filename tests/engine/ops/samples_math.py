"""Samples of the math family: arithmetic, comparisons, reductions, products, segments, special functions."""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]


def f(*values: Any) -> Any:
    return np.array(values, np.float32)


def i(*values: Any) -> Any:
    return np.array(values, np.int32)


def c(*values: Any) -> Any:
    return np.array(values, np.complex64)


def one(value: Any, dtype: Any = np.int32) -> Any:
    return np.array(value, dtype)


MATRIX = f([1.0, -2.0, 3.5], [0.5, 0.25, -1.0])
SCALAR = one(1.5, np.float32)
EMPTY = np.zeros((0, 3), np.float32)
WHOLE = i([7, -5, 2], [0, 3, -8])


def _unary() -> dict[str, list[Sample]]:
    everywhere = [MATRIX, SCALAR, EMPTY, np.asfortranarray(MATRIX), MATRIX[:, ::2]]
    inside = f([0.1, -0.5, 0.9], [0.0, 0.25, -0.75])
    above = f([1.0, 1.5], [2.0, 9.0])
    table: dict[str, list[Any]] = {
        "Neg": [*everywhere, WHOLE, c(1 + 2j, -3j)], "Abs": [*everywhere, WHOLE],
            "Sign": [*everywhere, WHOLE, c(1 + 2j, 0j)],
        "Square": [*everywhere, WHOLE, one([3, 20], np.uint8)], "Reciprocal": everywhere, "Inv": everywhere,
        "Round": [*everywhere, WHOLE, f(0.5, 1.5, -2.5)], "Rint": everywhere, "Floor": everywhere, "Ceil": everywhere,
        "Exp": [*everywhere, c(1 + 2j)], "Expm1": everywhere, "Sin": [*everywhere, c(1j)], "Cos": everywhere,
            "Tan": everywhere,
        "Atan": everywhere, "Sinh": everywhere, "Cosh": everywhere, "Tanh": everywhere, "Asinh": everywhere,
            "Sigmoid": everywhere,
        "Erf": everywhere, "Erfc": everywhere, "BesselI0": everywhere, "BesselI0e": everywhere,
            "BesselI1": everywhere,
        "BesselI1e": everywhere, "IsNan": everywhere, "IsInf": everywhere, "IsFinite": everywhere,
        "Sqrt": [above, SCALAR, EMPTY, c(-1 + 0j)], "Rsqrt": [above, SCALAR, EMPTY], "Log": [above, SCALAR, EMPTY],
            "Log1p": [above, inside],
        "Asin": [inside, EMPTY], "Acos": [inside, EMPTY], "Atanh": [inside, EMPTY], "Erfinv": [inside, EMPTY],
            "Acosh": [above, EMPTY],
        "Ndtri": [f([0.1, 0.5], [0.9, 0.25])], "Lgamma": [above, SCALAR, EMPTY], "Digamma": [above, SCALAR, EMPTY],
        "Invert": [WHOLE, one([0, 200], np.uint8)], "PopulationCount": [WHOLE, one([0, 7, 255], np.uint8)],
        "LogicalNot": [np.array([[True], [False]]), np.array(True)], "Conj": [c([1 + 2j], [-1j])],
    }  # fmt: skip
    return {type: [([value], {}) for value in values] for type, values in table.items()}


def _binary() -> dict[str, list[Sample]]:
    other = f([2.0, 0.5, -1.5], [1.0, -4.0, 3.0])
    floats: list[Sample] = [
        ([MATRIX, other], {}), ([MATRIX, f(2.0, 0.5, 4.0)], {}), ([f([1.0], [2.0]), f([3.0, 0.5])], {}),
            ([SCALAR, one(0.5, np.float32)], {}),
        ([MATRIX, SCALAR], {}), ([EMPTY, f(1.0, 2.0, 3.0)], {}),
    ]  # fmt: skip
    whole: list[Sample] = [
        ([WHOLE, i([2, 3, -4], [5, -7, 3])], {}),
        ([one(7), one(2)], {}),
        ([one([200, 3], np.uint8), one([7, 2], np.uint8)], {}),
    ]
    complexes: list[Sample] = [([c(1 + 2j, -1j), c(2 - 1j, 1 + 1j)], {})]
    table: dict[str, list[Sample]] = {}
    for type in ("AddV2", "Add", "Sub", "Mul", "Div"):
        table[type] = [*floats, *whole, *complexes]
    for type in ("FloorDiv", "FloorMod", "TruncateDiv", "Maximum", "Minimum"):
        table[type] = [*floats, *whole]
    for type in ("RealDiv", "DivNoNan", "MulNoNan", "Xdivy"):
        table[type] = [*floats, *complexes]
    for type in ("Less", "LessEqual", "Greater", "GreaterEqual"):
        table[type] = [*floats, *whole]
    for type in ("Mod", "TruncateMod", "SquaredDifference"):
        table[type] = [*floats, *whole[:2]]
    for type in ("Equal", "NotEqual"):
        table[type] = [
            *floats,
            *whole,
            ([np.array([b"a", b"b"], object), np.array(b"a", object)], {}),
            ([f(1.0, 2.0), f(1.0, 2.0, 3.0)], {"incompatible_shape_error": False}),
        ]
    table["Add"].append(([np.array([b"a", b"b"], object), np.array([[b"c"]], object)], {}))
    table["Atan2"] = floats
    table["NextAfter"] = floats
    positive: list[Sample] = [([f([1.0, 2.5], [0.5, 3.0]), f(2.0, 0.5)], {}), ([SCALAR, one(2.5, np.float32)], {})]
    for type in ("Pow", "Xlogy", "Xlog1py", "Igamma", "Igammac", "IgammaGradA", "RandomGammaGrad"):
        table[type] = positive
    table["Pow"] = [*positive, ([i(2, -3), i(3, 2)], {})]
    table["Zeta"] = [([f(2.0, 3.5), f([1.0], [2.5])], {})]
    table["Polygamma"] = [([f(0.0, 1.0, 2.0), f(1.5, 2.5, 0.5)], {})]
    table["Betainc"] = [
        ([f(1.0, 2.0), f(3.0, 0.5), f(0.25, 0.75)], {}),
        ([f(1.0, 2.0), SCALAR, one(0.5, np.float32)], {}),
    ]
    table["ApproximateEqual"] = [
        ([f(1.0, 2.0), f(1.000001, 2.5)], {}),
        ([f(1.0, 2.0), f(1.05, 2.5)], {"tolerance": 0.1}),
    ]
    logic: list[Sample] = [
        ([np.array([True, False]), np.array([[True], [False]])], {}),
        ([np.array(True), np.array(False)], {}),
    ]
    table["LogicalAnd"] = table["LogicalOr"] = logic
    for type in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"):
        table[type] = [
            ([i(12, 5, -8), i(10, 3, 2)], {}),
            ([one([[1], [2]], np.uint8), one([4, 7], np.uint8)], {}),
            ([one(6), one(3)], {}),
        ]
    return table


def _reductions() -> dict[str, list[Sample]]:
    cube = (np.arange(24) % 7 - 2.5).reshape(2, 3, 4).astype(np.float32)
    wide = np.linspace(-1, 1, 20_000, dtype=np.float32).reshape(2000, 10)
    forms: list[Sample] = [
        ([cube, i(0, 2)], {}), ([cube, one(1)], {"keep_dims": True}), ([cube, i()], {}),
            ([cube, one([-1], np.int64)], {}), ([SCALAR, i()], {}),
        ([EMPTY, i(0)], {}), ([EMPTY, i(0, 1)], {"keep_dims": True}), ([WHOLE, i(0, 1)], {}),
            ([one([[200, 100]], np.uint8), one(1)], {}), ([wide, one(1)], {}), ([wide, one(0)], {}),
    ]  # fmt: skip
    table = {type: list(forms) for type in ("Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm")}
    for type in ("Sum", "Mean", "Prod", "EuclideanNorm"):
        table[type].append(([c([1 + 2j, 3.0]), one(0)], {}))
    for type in ("All", "Any"):
        table[type] = [
            ([cube > 0, i(0)], {}),
            ([cube > 9, i(0, 1, 2)], {"keep_dims": True}),
            ([np.zeros((0, 2), bool), one(0)], {}),
            ([cube > 0, i()], {}),
        ]
    for type in ("ArgMax", "ArgMin"):
        table[type] = [
            ([cube, one(1)], {}),
            ([cube, one(-1)], {"output_type": "int32"}),
            ([WHOLE, one(0, np.int64)], {}),
            ([f(1.0, np.nan, 2.0), one(0)], {}),
            ([np.array([False, True]), one(0)], {}),
        ]
    for type in ("Cumsum", "Cumprod"):
        table[type] = [
            ([cube, one(1)], {}),
            ([cube, one(-1)], {"exclusive": True, "reverse": True}),
            ([WHOLE, one(0, np.int64)], {"reverse": True}),
            ([EMPTY, one(0)], {"exclusive": True}),
            ([c(1j, 2.0), one(0)], {}),
        ]
    table["CumulativeLogsumexp"] = [
        ([cube, one(2)], {}),
        ([cube, one(0)], {"exclusive": True}),
        ([cube, one(1)], {"reverse": True}),
    ]
    return table


def _products() -> dict[str, list[Sample]]:
    a, b = MATRIX, f([1.0, 2.0], [-1.0, 0.5], [3.0, 0.0])
    stack = (np.arange(24) % 5 - 2).reshape(2, 3, 4).astype(np.float32)
    turned = (np.arange(24) % 3 - 1).reshape(2, 4, 3).astype(np.float32)
    batches: list[Sample] = [
        ([stack, turned], {}),
        ([stack, stack], {"adj_y": True}),
        ([stack, stack], {"adj_x": True}),
        ([a, b], {}),
        ([stack.astype(np.complex64) * 1j, turned.astype(np.complex64)], {}),
        ([np.zeros((0, 2, 3), np.float32), np.zeros((0, 3, 1), np.float32)], {}),
    ]
    return {
        "MatMul": [([a, b], {}), ([a, a], {"transpose_b": True}), ([a, a], {"transpose_a": True}),
            ([WHOLE, WHOLE], {"transpose_b": True}), ([EMPTY, b], {}), ([c([1j, 2.0]), c([1.0], [2j])], {})],
        "SparseMatMul": [([a, b], {"a_is_sparse": True}), ([b, a], {"transpose_a": True, "transpose_b": True})],
        "BatchMatMulV2": [*batches, ([stack, turned[:1]], {}), ([stack, turned[0]], {})],
        "BatchMatMul": batches,
        "BatchMatMulV3": [([a, b], {"Tout": "float32"}),
            ([one([[1, 2]], np.int8), one([[3], [100]], np.int8)], {"Tout": "int32"})],
        "Einsum": [([[a, b]], {"equation": "ij,jk->ik"}), ([[stack]], {"equation": "ijk->kj"}),
            ([[stack, turned]], {"equation": "...ij,...jk->...ik"}),
                ([[one([[1.0, 2.0], [3.0, 4.0]], np.float32)]], {"equation": "ii->i"}),
                    ([[a, a]], {"equation": "ij,ij->"}), ([[stack]], {"equation": "...k->k"}),
                        ([[EMPTY]], {"equation": "ij->j"})],
        "Cross": [([f([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]), f([4.0, 5.0, 6.0], [1.0, 0.0, 0.0])], {}),
            ([i(1, 0, 0), i(0, 1, 0)], {})],
        "AddN": [([[MATRIX, MATRIX, MATRIX]], {}), ([[MATRIX]], {}), ([[SCALAR, SCALAR]], {}),
            ([[WHOLE, WHOLE]], {})],
    }  # fmt: skip


def _segments() -> dict[str, list[Sample]]:
    rows = f([1.0, -2.0], [3.0, 4.0], [-5.0, 6.0], [7.0, 8.0])
    table: dict[str, list[Sample]] = {}
    for type in ("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"):
        table[type] = [([rows, i(0, 0, 1, 3)], {}), ([WHOLE, one([0, 2], np.int64)], {}), ([EMPTY, i()], {})]
    for type in ("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin", "UnsortedSegmentMax"):
        table[type] = [
            ([rows, i(2, 0, 2, -1), one(4)], {}),
            ([rows, i([0, 1], [1, 2], [0, 0], [2, 2]), one(3)], {}),
            ([WHOLE, one([1, 1], np.int64), one(2, np.int64)], {}),
            ([EMPTY, i(), one(2)], {}),
        ]
    for type in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"):
        table[type] = [([rows, i(0, 3, 1), i(0, 0, 2)], {}), ([rows, one([1], np.int64), i(0)], {})]
        table[type + "WithNumSegments"] = [([rows, i(0, 3, 1), i(0, 0, 2), one(5)], {}), ([rows, i(), i(), one(2)], {})]
    return table


def _rest() -> dict[str, list[Sample]]:
    return {
        "Cast": [([MATRIX], {"DstT": "int32"}), ([WHOLE], {"DstT": "float64"}), ([MATRIX], {"DstT": "float32"}),
            ([c(1 + 2j)], {"DstT": "float32"}), ([SCALAR], {"DstT": "bool"}),
                ([f(1.0039, 1.0049)], {"DstT": "float16", "Truncate": True}), ([EMPTY], {"DstT": "int8"})],
        "Range": [([one(0), one(5), one(2)], {}), ([one(1.0, np.float32), one(0.0, np.float32), one(-0.25,
            np.float32)], {}), ([one(3, np.int64), one(3, np.int64), one(1, np.int64)], {})],
        "LinSpace": [([one(0.0, np.float32), one(1.0, np.float32), one(4)], {}),
            ([one(2.0, np.float32), one(1.0, np.float32), one(1)], {})],
        "ClipByValue": [([MATRIX, one(-1.0, np.float32), one(1.0, np.float32)], {}), ([WHOLE, one(0), one(3)], {})],
        "Bucketize": [([MATRIX], {"boundaries": [0.0, 1.0]}), ([WHOLE], {"boundaries": [0.0]})],
        "Bincount": [([i(1, 1, 3), one(4), f()], {}), ([i(1, 1, 3), one(3), f(0.5, 1.0, 2.0)], {}),
            ([i(), one(2), i()], {})],
        "DenseBincount": [([i(1, 1, 3), one(4), i()], {}),
            ([i([1, 1], [3, 0]), one(4), f()], {"binary_output": True}),
                ([i([1, 1], [3, 0]), one(3), f([0.5, 1.0], [2.0, 4.0])], {})],
        "HistogramFixedWidth": [([f(-1.0, 0.0, 1.5, 15.0), f(0.0, 5.0), one(5)], {}),
            ([i(1, 5, 9), i(0, 10), one(3)], {"dtype": "int64"})],
        "Real": [([c([1 + 2j], [-1j])], {}), ([np.array([1 + 2j])], {"Tout": "float64"})],
        "Imag": [([c([1 + 2j], [-1j])], {}), ([np.array([1 + 2j])], {"Tout": "float64"})],
        "Angle": [([c(1 + 2j, -1j)], {}), ([np.array(1j)], {"Tout": "float64"})],
        "ComplexAbs": [([c(3 + 4j, -1j)], {}), ([np.array(1j)], {"Tout": "float64"})],
        "Complex": [([f(1.0, 2.0), f([3.0], [4.0])], {}), ([np.array(1.0), np.array(2.0)], {"Tout": "complex128"})],
    }  # fmt: skip


SAMPLES: dict[str, list[Sample]] = {**_unary(), **_binary(), **_reductions(), **_products(), **_segments(), **_rest()}

#: for the test of gradients: results as precise as the inputs
DIFFERENTIATED: dict[str, list[Sample]] = {
    "Complex": [([MATRIX, f(2.0, 0.5, -1.5)], {"Tout": np.complex64}), ([SCALAR, SCALAR], {"Tout": np.complex64})],
    "ComplexAbs": [([f(1.0, -2.0) + 1j * f([0.5, 3.0], [1.5, -1.0])], {"Tout": np.float32})],
}
