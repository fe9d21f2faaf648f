"""make_tensor_proto and make_ndarray: packed as TensorFlow packs, and back."""

from __future__ import annotations

import numpy as np
import pytest

from tfbench.engine import dtypes
from tfbench.formats import protos
from tfbench.formats.tensor_proto import MakeNdarray, array_to_proto, make_ndarray, make_tensor_proto

ONES = b"\x00\x00\x80?"

# (arguments of make_tensor_proto, dtype, shape, {field: values}): what TensorFlow 2.21's tf.make_tensor_proto gives.
PACKED = [
    ((3.0,), "DT_FLOAT", [], {"float_val": [3.0]}),
    (([1.0, 2.0],), "DT_FLOAT", [2], {"tensor_content": ONES + b"\x00\x00\x00@"}),
    (([1.0, 1.0],), "DT_FLOAT", [2], {"tensor_content": ONES * 2}),
    (([1, 2],), "DT_INT32", [2], {"tensor_content": b"\x01\x00\x00\x00\x02\x00\x00\x00"}),
    (([[], []],), "DT_FLOAT", [2, 0], {}),
    ((np.array([1.5], np.float32),), "DT_FLOAT", [1], {"float_val": [1.5]}),
    ((np.array([1.0, 2.0]), np.float32), "DT_FLOAT", [2], {"tensor_content": ONES + b"\x00\x00\x00@"}),
    ((np.array([[1, 2], [3, 4]], np.int8).T,), "DT_INT8", [2, 2], {"tensor_content": b"\x01\x03\x02\x04"}),
    ((3.0, None, [2, 2]), "DT_FLOAT", [2, 2], {"float_val": [3.0]}),
    (([1.0, 2.0], None, [2, 2]), "DT_FLOAT", [2, 2], {"float_val": [1.0, 2.0]}),
    (([1, 2, 3, 4], None, [2, 2]), "DT_INT32", [2, 2], {"tensor_content": np.array([1, 2, 3, 4], "<i4").tobytes()}),
    (("abc",), "DT_STRING", [], {"string_val": [b"abc"]}),
    (("é",), "DT_STRING", [], {"string_val": [b"\xc3\xa9"]}),
    (([["a"], ["b"]],), "DT_STRING", [2, 1], {"string_val": [b"a", b"b"]}),
    ((["a", "b"], None, [3]), "DT_STRING", [3], {"string_val": [b"a", b"b"]}),
    ((True,), "DT_BOOL", [], {"bool_val": [True]}),
    (([True, True],), "DT_BOOL", [2], {"bool_val": [True, True]}),
    ((1, dtypes.int64), "DT_INT64", [], {"int64_val": [1]}),
    ((1, "uint8"), "DT_UINT8", [], {"int_val": [1]}),
    (([1, 2], dtypes.uint8), "DT_UINT8", [2], {"tensor_content": b"\x01\x02"}),
    ((1, dtypes.uint32), "DT_UINT32", [], {"uint32_val": [1]}),
    ((1, dtypes.uint64), "DT_UINT64", [], {"uint64_val": [1]}),
    ((1.5, dtypes.float16), "DT_HALF", [], {"half_val": [15872]}),
    (([1.5, 2], dtypes.float16), "DT_HALF", [2], {"tensor_content": b"\x00>\x00@"}),
    ((1.5, dtypes.float64), "DT_DOUBLE", [], {"double_val": [1.5]}),
    ((1 + 2j,), "DT_COMPLEX128", [], {"dcomplex_val": [1.0, 2.0]}),
    (([1 + 2j, 3], dtypes.complex64), "DT_COMPLEX64", [2], {"scomplex_val": [1.0, 2.0, 3.0, 0.0]}),
    ((2**40,), "DT_INT64", [], {"int64_val": [2**40]}),
    ((1, None, [0]), "DT_FLOAT", [0], {}),
    (([], dtypes.int32, [0, 3]), "DT_INT32", [0, 3], {}),
    (([1], None, []), "DT_INT32", [], {"int_val": [1]}),
]


@pytest.mark.parametrize(("arguments", "dtype", "shape", "fields"), PACKED)
def test_packing(arguments, dtype, shape, fields):
    proto = make_tensor_proto(*arguments)
    assert protos.DataType.Name(proto.dtype) == dtype
    assert proto.HasField("tensor_shape")
    assert [dim.size for dim in proto.tensor_shape.dim] == shape
    found = {field.name: value for field, value in proto.ListFields() if field.name not in ("dtype", "tensor_shape")}
    assert {name: value if isinstance(value, bytes) else list(value) for name, value in found.items()} == fields


def test_text():
    assert str(make_tensor_proto([1.0, 2.0])) == (
        "dtype: DT_FLOAT\ntensor_shape {\n  dim {\n    size: 2\n  }\n}\n"
        'tensor_content: "\\000\\000\\200?\\000\\000\\000@"\n'
    )
    assert str(make_tensor_proto(1)) == "dtype: DT_INT32\ntensor_shape {\n}\nint_val: 1\n"


def test_bytes_are_little_endian_whatever_the_array_is():
    assert make_tensor_proto(np.array([1, 2], ">i4")).tensor_content == b"\x01\x00\x00\x00\x02\x00\x00\x00"


def test_a_proto_is_given_back():
    proto = make_tensor_proto(1)
    assert make_tensor_proto(proto) is proto


def test_a_broadcast_value_is_stored_once():
    big = np.broadcast_to(np.float32(7), (1000, 1000))
    proto = array_to_proto(big, dtypes.float32)
    assert list(proto.float_val) == [7.0]
    assert not proto.tensor_content
    assert proto.ByteSize() < 40
    np.testing.assert_array_equal(make_ndarray(proto), big)
    whole = array_to_proto(np.broadcast_to(np.arange(3, dtype=np.int32), (2, 3)), dtypes.int32)
    assert whole.tensor_content == np.array([0, 1, 2, 0, 1, 2], "<i4").tobytes()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1, 2, 3, 4, 5], None, [2, 2]), ValueError, "Too many elements provided. Takes at most 4, but got 5"),
        ((np.ones(5, np.float32), None, [2, 2]), ValueError, "Too many elements provided. Takes at most 4, but got 5"),
        ((np.ones(1), None, [0]), ValueError, "Takes at most 0, but got 1"),
        ((1, None, [-1]), ValueError, "Takes at most -1, but got 1"),
        ((1.0, None, [1], True), TypeError, r"Expected Tensor's shape: \(1,\), but got \(\)"),
        ((1.5, dtypes.int32), TypeError, "Expected int32, but got 1.5 of type 'float'"),
        (("a", dtypes.int32), TypeError, "Expected int32, but got a of type 'str'"),
        ((None,), ValueError, "None values not supported"),
        (([[1], [2, 3]],), ValueError, "inhomogeneous"),
        ((object(),), TypeError, "Failed to convert elements of"),
        ((1, "foo"), TypeError, "'foo' to a TensorFlow DType"),
        ((1, None, [None]), TypeError, "NoneType"),
    ],
)
def test_what_cannot_be_packed(arguments, error, message):
    with pytest.raises(error, match=message):
        make_tensor_proto(*arguments)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.array(2.5),
        np.array([[True, False]]),
        np.array([1 + 2j, 3], np.complex64),
        np.array([], np.int64),
        np.array([b"a", b"bc"], object),
        np.array(b"x", object),
        np.array([1.5], np.float16),
        np.array([2**63], np.uint64),
        np.zeros((0, 3), np.uint8),
    ],
)
def test_round_trip(array):
    back = make_ndarray(make_tensor_proto(array))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.flags.writeable
    np.testing.assert_array_equal(back, array)


@pytest.mark.parametrize(
    ("fields", "sizes", "expected"),
    [
        ({"dtype": 1, "float_val": [1, 2]}, [3], [1.0, 2.0, 2.0]),  # the last value fills the rest
        ({"dtype": 1}, [3], [0.0, 0.0, 0.0]),
        ({"dtype": 7, "string_val": [b"a", b"b"]}, [3], [b"a", b"b", b"b"]),
        ({"dtype": 7}, [1], [b""]),
        ({"dtype": 8, "scomplex_val": [1, 2]}, [2], [1 + 2j, 1 + 2j]),
        ({"dtype": 10, "tensor_content": b"\x01\x00"}, [2], [True, False]),
        ({"dtype": 13, "tensor_content": b"abcd"}, [1], [(1684234849,)]),
        ({"dtype": 11, "int_val": [4]}, [2], [(4,), (4,)]),
    ],
)
def test_unpacking(fields, sizes, expected):
    proto = protos.TensorProto(**fields)
    for size in sizes:
        proto.tensor_shape.dim.add(size=size)
    assert MakeNdarray(proto).tolist() == expected


@pytest.mark.parametrize(
    ("fields", "sizes", "error", "message"),
    [
        ({"dtype": 1, "float_val": [1, 2, 3]}, [2], ValueError, "reshape"),
        ({"dtype": 1, "tensor_content": b"abc"}, [2], ValueError, "multiple of element size"),
        ({"dtype": 1, "tensor_content": b"abcd"}, [2], ValueError, "reshape"),
        ({"dtype": 4, "int_val": [300]}, [2], OverflowError, "300 out of bounds for uint8"),
        ({"dtype": 20}, [], TypeError, r"Unsupported tensor type: 20 \(resource\)"),
        ({"dtype": 0}, [], TypeError, "0 to a TensorFlow DType"),
    ],
)
def test_what_cannot_be_unpacked(fields, sizes, error, message):
    proto = protos.TensorProto(**fields)
    for size in sizes:
        proto.tensor_shape.dim.add(size=size)
    with pytest.raises(error, match=message):
        make_ndarray(proto)
