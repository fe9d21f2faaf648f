"""`tf.dtypes`: the types of tensors, and ops that change a tensor's type."""

from __future__ import annotations

from tfbench.engine.dtypes import (
    QUANTIZED_DTYPES,
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_clip import saturate_cast
from tfbench.engine.ops.math_complex import complex
from tfbench.engine.ops.string_convert import as_string

__all__ = [
    "QUANTIZED_DTYPES", "DType", "as_dtype", "as_string", "bfloat16", "bool", "cast", "complex", "complex64",
    "complex128", "double", "float16", "float32", "float64", "half", "int8", "int16", "int32", "int64", "qint8",
    "qint16", "qint32", "quint8", "quint16", "resource", "saturate_cast", "string", "uint8", "uint16", "uint32",
    "uint64", "variant",
]  # fmt: skip
