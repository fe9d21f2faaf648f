"""Data types: TensorFlow's numbers, names, properties and conversions."""

from __future__ import annotations

import copy
import importlib.util
import pickle

import numpy as np
import pytest

from tfbench.engine import dtypes as tf
from tfbench.engine.dtypes import DType, as_dtype

# name: (number, size, kind, NumPy type), as TensorFlow 2.21 has them. Kind: one of its is_ properties.
TYPES = {
    "float32": (1, 4, "floating", np.float32),
    "float64": (2, 8, "floating", np.float64),
    "int32": (3, 4, "integer", np.int32),
    "uint8": (4, 1, "unsigned", np.uint8),
    "int16": (5, 2, "integer", np.int16),
    "int8": (6, 1, "integer", np.int8),
    "string": (7, 0, None, object),
    "complex64": (8, 8, "complex", np.complex64),
    "int64": (9, 8, "integer", np.int64),
    "bool": (10, 1, "bool", np.bool_),
    "qint8": (11, 1, "quantized", np.dtype([("qint8", np.int8)])),
    "quint8": (12, 1, "quantized", np.dtype([("quint8", np.uint8)])),
    "qint32": (13, 4, "quantized", np.dtype([("qint32", np.int32)])),
    "bfloat16": (14, 2, "floating", None),
    "qint16": (15, 2, "quantized", np.dtype([("qint16", np.int16)])),
    "quint16": (16, 2, "quantized", np.dtype([("quint16", np.uint16)])),
    "uint16": (17, 2, "unsigned", np.uint16),
    "complex128": (18, 16, "complex", np.complex128),
    "float16": (19, 2, "floating", np.float16),
    "resource": (20, 0, None, None),
    "variant": (21, 0, None, None),
    "uint32": (22, 4, "unsigned", np.uint32),
    "uint64": (23, 8, "unsigned", np.uint64),
    "float8_e5m2": (24, 1, "floating", None),
    "float8_e4m3fn": (25, 1, "floating", None),
    "int4": (29, 1, "integer", None),
    "uint4": (30, 1, "unsigned", None),
}


@pytest.mark.parametrize("name", TYPES)
def test_properties(name):
    number, size, kind, numpy_type = TYPES[name]
    plain = getattr(tf, name)
    reference = getattr(tf, name + "_ref")
    assert plain.name == name
    assert reference.name == name + "_ref"
    assert (plain.as_datatype_enum, reference.as_datatype_enum) == (number, number + 100)
    for dtype in (plain, reference):
        assert dtype.size == size
        assert dtype.is_floating == (kind == "floating")
        assert dtype.is_integer == (kind in ("integer", "unsigned"))
        assert dtype.is_unsigned == (kind == "unsigned")
        assert dtype.is_complex == (kind == "complex")
        assert dtype.is_bool == (kind == "bool")
        assert dtype.is_quantized == (kind == "quantized")
        assert dtype.is_numpy_compatible == (name not in ("resource", "variant"))
        assert dtype.base_dtype is plain
        assert dtype._as_ref is reference
        if numpy_type is not None:
            assert dtype.as_numpy_dtype == numpy_type
            assert as_dtype(numpy_type) is plain
            assert as_dtype(np.dtype(numpy_type)) is plain
    assert not plain._is_ref_dtype
    assert reference._is_ref_dtype
    assert as_dtype(number) is as_dtype(name) is as_dtype(plain) is DType(number) is plain
    assert as_dtype(number + 100) is as_dtype(name + "_ref") is reference
    assert plain != reference


def test_text():
    assert str(tf.float32) == "<dtype: 'float32'>"
    assert repr(tf.float32) == "tf.float32"
    assert repr(tf.int8_ref) == "tf.int8_ref"
    assert f"{tf.bool}" == "<dtype: 'bool'>"


def test_aliases():
    assert tf.half is tf.float16
    assert tf.double is tf.float64
    assert as_dtype("half") is tf.float16
    assert as_dtype("float") is tf.float32
    assert as_dtype("double") is tf.float64
    assert as_dtype("float_ref") is tf.float32_ref
    assert as_dtype("half_ref") is tf.float16_ref


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (float, "float32"),
        (bool, "bool"),
        (object, "string"),
        (np.object_, "string"),
        (np.str_, "string"),
        (np.bytes_, "string"),
        (np.dtype("S3"), "string"),
        (np.dtype("U3"), "string"),
        (np.dtype(">f4"), "float32"),
        (np.longlong, "int64"),
        (np.intc, "int32"),
        (np.ulonglong, "uint64"),
        (np.array([1.0]), "float64"),
        (np.float32(1), "float32"),
        (np.dtype([("qint8", "i1")]), "qint8"),
        (True, "float32"),  # 1, as in TensorFlow
        (1.0, "float32"),
    ],
)
def test_as_dtype(value, name):
    assert as_dtype(value).name == name


@pytest.mark.parametrize(
    "value",
    [
        "foo", None, object(), str, bytes, int, complex, "int", "str", "<f4", 999, 0, -1, 1.5, [1], {}, slice,
        type(None), np.datetime64, np.dtype("M8[s]"), np.longdouble, np.integer, [("a", np.int8)],
        np.dtype([("a", np.int8)]),
    ],
)  # fmt: skip
def test_what_is_no_type(value):
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: ") as caught:
        as_dtype(value)
    assert repr(value) in str(caught.value)
    assert str(caught.value).endswith("to a TensorFlow DType.")


def test_the_class_takes_a_number():
    with pytest.raises(TypeError, match="999 does not correspond to a valid tensorflow::DataType"):
        DType(999)
    with pytest.raises(ValueError, match="invalid literal for int"):
        DType("float32")
    assert int(tf.int64) == hash(tf.int64) == 9


@pytest.mark.parametrize("other", [np.float32, "float32", "float", 1, float, np.dtype("float32"), tf.float32])
def test_equal(other):
    assert tf.float32 == other
    assert (tf.float32 != other) is False
    assert other == tf.float32


@pytest.mark.parametrize("other", [None, "foo", object(), tf.float64, tf.float32_ref, np.float64, [1], 2])
def test_not_equal(other):
    assert tf.float32 != other
    assert (tf.float32 == other) is False


def test_compatible():
    assert tf.float32.is_compatible_with("float32")
    assert tf.float32.is_compatible_with(tf.float32_ref)
    assert not tf.float32_ref.is_compatible_with(tf.float32)
    assert not tf.float32.is_compatible_with(np.float64)
    with pytest.raises(TypeError, match="'foo' to a TensorFlow DType"):
        tf.float32.is_compatible_with("foo")


def test_real_dtype():
    assert tf.complex64.real_dtype is tf.complex64_ref.real_dtype is tf.float32
    assert tf.complex128.real_dtype is tf.float64
    assert tf.int32.real_dtype is tf.int32
    assert tf.float32_ref.real_dtype is tf.float32_ref


@pytest.mark.parametrize(
    ("dtype", "low", "high", "limits"),
    [
        (tf.float32, np.finfo(np.float32).min, np.finfo(np.float32).max, (0, 1)),
        (tf.float64_ref, np.finfo(np.float64).min, np.finfo(np.float64).max, (0, 1)),
        (tf.int8, -128, 127, (0, 127)),
        (tf.int32_ref, -(2**31), 2**31 - 1, (0, 2**31 - 1)),
        (tf.uint64, 0, 2**64 - 1, (0, 2**64 - 1)),
    ],
)
def test_limits(dtype, low, high, limits):
    assert (dtype.min, dtype.max, dtype.limits) == (low, high, limits)
    assert tf.bool.limits == (0, True)


def test_types_without_limits():
    assert tf.float16.max == np.float16(65504)
    for dtype in (tf.float16, tf.string, tf.complex64, tf.qint8, tf.resource):
        with pytest.raises(ValueError, match=f"<dtype: '{dtype.name}'> does not have defined limits"):
            dtype.limits
    with pytest.raises(TypeError, match="Cannot find minimum value of <dtype: 'string'> with type <dtype: 'string'>"):
        tf.string.min
    with pytest.raises(TypeError, match="Cannot find maximum value of <dtype: 'qint8'> with quantized type"):
        tf.qint8.max
    with pytest.raises(TypeError, match="Cannot find maximum value of <dtype: 'variant'>"):
        tf.variant.max


def test_types_without_a_numpy_type():
    with pytest.raises(KeyError, match="handles, not arrays"):
        tf.resource.as_numpy_dtype
    if importlib.util.find_spec("ml_dtypes") is None:
        with pytest.raises(TypeError, match=r"NumPy does not know bfloat16\. Install the package ml_dtypes"):
            tf.bfloat16.as_numpy_dtype
    else:
        assert as_dtype(tf.bfloat16.as_numpy_dtype) is tf.bfloat16


@pytest.mark.parametrize("dtype", [tf.float32, tf.string_ref, tf.bfloat16, tf.bool])
def test_copies_are_the_same_object(dtype):
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.copy(dtype) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert {dtype: 1}[as_dtype(dtype.name)] == 1


def test_what_the_module_gives():
    assert len(tf.QUANTIZED_DTYPES) == 10
    assert tf.qint16_ref in tf.QUANTIZED_DTYPES
    found = {name for name, value in vars(tf).items() if isinstance(value, DType)}
    assert found == set(tf.__all__) - {"DType", "QUANTIZED_DTYPES", "as_dtype"}
    with pytest.raises(TypeError, match="'<' not supported"):
        sorted([tf.float32, tf.float64])
