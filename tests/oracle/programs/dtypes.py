"""Data types: what a DType can be asked, and how Python and NumPy values become tensors."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

NAMES = [
    "float16", "half", "float32", "float64", "double", "bfloat16", "int8", "uint8", "int16", "uint16", "int32",
    "uint32", "int64", "uint64", "bool", "string", "complex64", "complex128", "qint8", "quint8", "qint16", "quint16",
    "qint32", "resource", "variant",
]  # fmt: skip


@program(cases=NAMES)
def a_dtype_tells(tf, case):
    d = getattr(tf, case)
    return {
        "text": [d.name, str(d), repr(d)],
        "enum": d.as_datatype_enum,
        "is": [
            d.is_floating,
            d.is_integer,
            d.is_bool,
            d.is_complex,
            d.is_unsigned,
            d.is_quantized,
            d.is_numpy_compatible,
        ],
        "size": attempt(lambda: d.size),
        "limits": [attempt(lambda: float(d.min)), attempt(lambda: float(d.max))],
        "real": d.real_dtype,
        "base": d.base_dtype,
        "ref": [attempt(lambda: d._is_ref_dtype), attempt(lambda: d._as_ref)],
        "numpy": attempt(lambda: np.dtype(d.as_numpy_dtype).kind)
        if case not in ("bfloat16", "resource", "variant") and not case.startswith("q")
        else None,
        "limits attribute": attempt(lambda: d.limits) if d.is_numpy_compatible else None,
    }


@program()
def reference_dtypes(tf):
    v = tf.Variable(1.0)
    d = v.dtype
    return (
        d.name,
        str(d),
        repr(d),
        d.base_dtype,
        d == tf.float32,
        d.base_dtype == tf.float32,
        d.is_floating,
        d._is_ref_dtype,
        d.as_numpy_dtype,
        d.is_compatible_with(tf.float32),
        tf.float32.is_compatible_with(d),
        d.as_datatype_enum,
        d.real_dtype,
    )


SOURCES = {
    "name": "float32", "ref name": "float32_ref", "alias": "double", "half": "half", "enum": 1, "ref enum": 101,
    "numpy type": np.float32, "numpy dtype": np.dtype("int64"), "python float": float,
    "python int": int, "python bool": bool, "python str": str, "python bytes": bytes, "python complex": complex,
    "object": object, "numpy string": np.dtype("S3"), "numpy unicode": np.dtype("U3"),
    "dtype": "dtype", "nonsense": "nonsense", "bad enum": 77, "none": None, "list": [1],
    "big endian": np.dtype(">f4"), "numpy bool": np.bool_, "numpy array": np.array([1.0]), "int_": np.int_,
    "datetime": np.dtype("M8[s]"),
}  # fmt: skip


@program(cases=SOURCES)
def as_dtype(tf, case):
    return attempt(tf.as_dtype, tf.float16 if isinstance(case, str) and case == "dtype" else case)


@program()
def dtypes_compare_and_hash(tf):
    d = tf.float32
    return (
        d == "float32", d == np.float32, d == 1, d == tf.float64, d != "float32", d != tf.int32,
        len({d, tf.as_dtype("float32"), tf.int32}), {d: 1}[tf.float32],
        d == "nonsense", d == None, d.is_compatible_with("float32_ref"), d == float, d in (tf.int32, tf.float32),
    )  # fmt: skip


@program()
def dtype_constants(tf):
    return (
        {name: getattr(tf, name).name for name in NAMES},
        tf.half is tf.float16,
        tf.double is tf.float64,
        attempt(lambda: len(tf.QUANTIZED_DTYPES)),
    )


# ---- values to tensors

VALUES = {
    "int": 3, "float": 2.5, "bool": True, "str": "a", "bytes": b"a\xff", "complex": 1 + 2j, "big int": 2**40,
    "too big int": 2**70, "negative int": -5, "list of ints": [1, 2], "list of floats": [1.0, 2.5],
    "mixed numbers": [1, 2.5], "int then float": [1, 2.0], "bools": [True, False], "bools and ints": [True, 2],
    "ints and bools": [2, True], "strings": ["a", "b"], "nested": [[1, 2], [3, 4]], "ragged": [[1, 2], [3]],
    "empty": [], "nested empty": [[]],
    "tuple": (1, 2), "string and int": ["a", 1], "int and string": [1, "a"], "none": None,
    "list with none": [1, None], "numpy float32": np.float32(1.5), "numpy float64": np.float64(1.5),
    "numpy int64": np.int64(3), "numpy int8": np.int8(3),
    "numpy array float64": np.array([1.0, 2.0]), "numpy array int64": np.array([1, 2]),
    "numpy bool": np.array([True]), "numpy strings": np.array(["a", "bc"]), "numpy bytes": np.array([b"a", b"bc"]),
    "numpy objects": np.array(["a", b"b"], object),
    "numpy objects of numbers": np.array([1, 2], object), "list of arrays": [np.array([1.0]), np.array([2.0])],
    "list of numpy scalars": [np.float64(1.0), np.float64(2.0)], "float and numpy": [1.0, np.float64(2.0)],
    "empty array": np.zeros([0, 3]), "zero d": np.array(4),
    "range": range(3), "generator": (i for i in range(2)), "dict": {"a": 1}, "set": {1}, "uint64": np.uint64(2**63),
    "float16": np.float16(1.0), "inf": float("inf"), "nan": float("nan"), "bytes list": [b"a", "b"], "unicode": "é",
    "big float": 1e300, "minus zero": -0.0,
    "fortran": np.asfortranarray([[1, 2], [3, 4]]),
    "strided": np.arange(6)[::2], "structured": np.zeros(2, [("a", "i4")]),
    "datetime": np.array(["2020-01-01"], "M8[D]"), "object": object(), "lambda": len, "type": float,
    "complex list": [1 + 2j, 3], "ellipsis": ...,
}  # fmt: skip


@program(cases=VALUES)
def convert_without_a_dtype(tf, case):
    return attempt(tf.convert_to_tensor, case)


@program(cases={k: v for k, v in VALUES.items() if k not in ("generator", "structured", "datetime")}, graph=False)
def convert_to_float32(tf, case):
    made = attempt(tf.convert_to_tensor, case, tf.float32)
    return (made, attempt(tf.get_static_value, made)) if isinstance(made, tf.Tensor) else made


@program(cases={k: v for k, v in VALUES.items() if k not in ("generator", "structured", "datetime")}, graph=False)
def convert_to_int32(tf, case):
    made = attempt(tf.convert_to_tensor, case, tf.int32)
    return (made, attempt(tf.get_static_value, made)) if isinstance(made, tf.Tensor) else made


@program(
    cases={
        k: VALUES[k]
        for k in (
            "int",
            "float",
            "bool",
            "str",
            "bytes",
            "complex",
            "strings",
            "numpy strings",
            "bools",
            "list of ints",
            "none",
            "empty",
        )
    },
    graph=False,
)
def convert_to_others(tf, case):
    kinds = (tf.string, tf.bool, tf.int64, tf.uint8, tf.float64, tf.float16, tf.complex64, tf.int8, "float32", np.int16)
    seen = []
    for kind in kinds:
        made = attempt(tf.convert_to_tensor, case, kind)
        seen.append((made.dtype, tf.get_static_value(made)) if isinstance(made, tf.Tensor) else made)
    return seen


@program(
    cases=[
        ("int8", 127),
        ("int8", 128),
        ("int8", -129),
        ("uint8", 255),
        ("uint8", 256),
        ("uint8", -1),
        ("int16", 40000),
        ("int32", 2**31),
        ("int64", 2**63),
        ("uint64", 2**64 - 1),
        ("float16", 1e6),
        ("float32", 1e40),
        ("uint32", -1),
        ("bool", 2),
        ("uint16", 65536),
    ],
    graph=False,
)
def integers_out_of_range(tf, case):
    made = attempt(tf.constant, case[1], dtype=case[0])
    return tf.get_static_value(made) if isinstance(made, tf.Tensor) else made


@program()
def convert_keeps_tensors_and_reads_variables(tf):
    x = tf.constant(1.0, name="x")
    v = tf.Variable(1.0, name="v")
    r = tf.get_variable("r", initializer=2.0, use_resource=True)
    same = tf.convert_to_tensor(x)
    return (
        same is x,
        tf.convert_to_tensor(v),
        tf.convert_to_tensor(r),
        tf.convert_to_tensor(x, tf.float32) is x,
        attempt(tf.convert_to_tensor, x, tf.int32),
        attempt(tf.convert_to_tensor, v, tf.int32),
        attempt(tf.convert_to_tensor, r, tf.float64),
    )


@program()
def convert_names_and_hints(tf):
    return (
        tf.convert_to_tensor(3, name="given"),
        tf.convert_to_tensor(3, preferred_dtype=tf.float32),
        tf.convert_to_tensor(3.5, preferred_dtype=tf.int32),
        tf.convert_to_tensor([1, 2], dtype_hint=tf.int64),
        tf.convert_to_tensor("a", preferred_dtype=tf.int32),
        attempt(tf.convert_to_tensor, 3.5, tf.int32),
    )


@program()
def convert_lists_of_tensors_packs_them(tf):
    x = tf.constant(1.0, name="x")
    y = tf.constant([1.0, 2.0], name="y")
    v = tf.Variable(3.0, name="v")
    return (
        tf.convert_to_tensor([x, 2.0]),
        tf.convert_to_tensor([[x, 2.0], [3.0, x]], name="nested"),
        tf.convert_to_tensor([y, [3.0, 4.0]]),
        tf.convert_to_tensor([v, x]),
        tf.convert_to_tensor((x, x)),
        attempt(tf.convert_to_tensor, [x, y]),
        attempt(tf.convert_to_tensor, [x, 1]),
        attempt(tf.convert_to_tensor, [x, "a"]),
        attempt(tf.convert_to_tensor, [x, tf.constant(1)]),
        attempt(tf.convert_to_tensor, [x, None]),
    )


@program()
def convert_shapes_and_dimensions(tf):
    return (
        tf.convert_to_tensor(tf.TensorShape([2, 3])),
        tf.convert_to_tensor(tf.TensorShape([2, 3]), tf.int64),
        tf.convert_to_tensor(tf.Dimension(4)),
        attempt(tf.convert_to_tensor, [tf.Dimension(4), 2]),
        tf.convert_to_tensor(tf.zeros([2, 3]).shape),
        tf.zeros([tf.zeros([2, 3]).shape[1], 4]),
        tf.convert_to_tensor(tf.TensorShape([])),
        tf.convert_to_tensor(tf.TensorShape([2**35])),
        attempt(tf.convert_to_tensor, tf.TensorShape([None])),
        attempt(tf.convert_to_tensor, tf.TensorShape(None)),
        attempt(tf.convert_to_tensor, tf.Dimension(None)),
        attempt(tf.convert_to_tensor, tf.TensorShape([2]), tf.float32),
    )


@program()
def convert_indexed_slices_and_sparse(tf):
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1]), tf.constant([3, 1]))
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    return (
        tf.convert_to_tensor(slices),
        attempt(tf.convert_to_tensor, sparse),
        attempt(tf.convert_to_tensor, tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1]))),
        tf.convert_to_tensor_or_indexed_slices(slices) is slices,
        tf.convert_to_tensor_or_sparse_tensor(sparse) is sparse,
        tf.convert_to_tensor_or_indexed_slices([1.0]),
        tf.convert_to_tensor_or_sparse_tensor([1.0]),
    )


@program()
def register_a_conversion_of_ones_own(tf):
    class Mine:
        pass

    def convert(value, dtype=None, name=None, as_ref=False):
        return tf.constant([4.0, 5.0], dtype=dtype, name=name)

    tf.register_tensor_conversion_function(Mine, convert)
    return (
        tf.convert_to_tensor(Mine()),
        tf.add(Mine(), [1.0, 1.0]),
        tf.constant(1.0) + Mine(),
        attempt(tf.register_tensor_conversion_function, 3, convert),
        attempt(tf.register_tensor_conversion_function, Mine, 3),
    )


@program()
def argument_dtypes_follow_the_tensor(tf):
    f, d, i, n, c, b, s = (
        tf.placeholder(t) for t in (tf.float32, tf.float64, tf.int32, tf.int64, tf.complex64, tf.bool, tf.string)
    )
    return [
        attempt(tf.add, f, 1), attempt(tf.add, d, 1), attempt(tf.add, i, 1), attempt(tf.add, n, 1),
        attempt(tf.add, c, 1), attempt(tf.add, s, "x"), attempt(tf.add, i, 1.5), attempt(tf.add, f, d),
        attempt(tf.add, f, "x"), attempt(tf.add, f, True), attempt(tf.add, b, True), attempt(tf.add, i, True),
        attempt(tf.add, 1, f), attempt(tf.add, 1.5, i), attempt(tf.add, f, np.float64(1.0)),
        attempt(tf.add, f, np.array([1.0, 2.0])),
        attempt(tf.add, i, np.int64(3)), attempt(tf.add, i, np.array([2**40])), attempt(tf.add, f, None),
        attempt(tf.add, None, None), attempt(tf.add, f, i), attempt(tf.add, 1, 2.0), attempt(tf.add, 1, 2),
        attempt(tf.add, f, 1j), attempt(tf.add, c, 1j),
        attempt(tf.logical_and, b, 1), attempt(tf.logical_and, f, f), attempt(tf.matmul, i, i),
        attempt(tf.matmul, b, b), attempt(tf.sqrt, i), attempt(tf.sqrt, 4), attempt(tf.sqrt, 4.0), attempt(tf.abs, b),
    ]  # fmt: skip


@program(cases=["float32", "float64", "int32", "int64", "bool", "uint8", "string", "complex64", "float16", "int8"])
def cast_from(tf, case):
    x = tf.placeholder(case, [], name="x")
    return [attempt(tf.cast, x, kind) for kind in (tf.float32, tf.int32, tf.bool, tf.string, tf.complex64)]


@program()
def cast_values(tf):
    with tf.Session() as sess:
        return sess.run([
            tf.cast([1.9, -1.9, 0.0, 255.0], tf.int32), tf.cast([0.0, 0.5, -1.0], tf.bool),
            tf.cast([True, False], tf.float32), tf.cast([300, -1], tf.uint8), tf.cast([2**31, 5], tf.int32),
            tf.cast([1.5 + 2j], tf.float32),
            tf.to_float([1, 2]), tf.to_double([1]), tf.to_int32([1.7]), tf.to_int64([1.7]),
            tf.saturate_cast([300.0, -5.0], tf.uint8), tf.cast([1e-8, 70000.0], tf.float16),
            tf.cast([3], tf.complex128),
        ])  # fmt: skip


@program()
def to_functions_and_their_names(tf):
    x = tf.constant([1.5], name="x")
    tf.to_float([1, 2])
    tf.to_float(x)
    tf.to_double(x)
    tf.to_int32(x)
    tf.to_int64(x, name="long")
    tf.to_bfloat16(x)
    tf.to_complex64(x)
    return (
        tf.cast(tf.IndexedSlices(x, tf.constant([0])), tf.float64),
        attempt(tf.cast, tf.SparseTensor([[0]], [1.0], [1]), tf.int32),
        tf.saturate_cast(x, tf.int32),
        tf.bitcast(x, tf.int32),
    )
