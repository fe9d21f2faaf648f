"""`decode_csv`: lines of fields to one tensor a column."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.dtypes import type_word
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.string_common import as_strings, raw
from tfbench.engine.ops.string_convert import _parser
from tfbench.engine.shapes import Shape

__all__ = ["decode_csv"]

_csv = op(
    "DecodeCSV",
    "records: string, record_defaults: OUT_TYPE",
    "output: OUT_TYPE",
    "OUT_TYPE: list({float, double, int32, int64, string}) >= 1; field_delim: string = ',';"
    "use_quote_delim: bool = true; na_value: string = ''; select_cols: list(int) = []",
    fresh=True,
)
_csv.no_gradient("strings have no gradient")


@_csv.shape
def _csv_shape(node: Operation, records: Shape, *defaults: Shape) -> list[Shape]:
    for default in defaults:
        if default is not None and (len(default) > 1 or (default and default[0] is not None and default[0] > 1)):
            raise ValueError("Shape of a default must be a length-0 or length-1 vector, or a scalar.")
    return [records] * len(defaults)


@_csv.kernel(CPU)
def _csv_kernel(
    xp: Any,
    records: Any,
    *defaults: Any,
    OUT_TYPE: list[Any],
    field_delim: Any,
    use_quote_delim: bool,
    na_value: Any,
    select_cols: list[int],
) -> Any:
    delimiter = raw(field_delim)
    if len(delimiter) != 1:
        raise invalid("field_delim should be only 1 char")
    missing = raw(na_value)
    columns: list[list[Any]] = [[] for _ in defaults]
    for record, line in enumerate(records.ravel().tolist()):
        fields = _fields(line, delimiter, use_quote_delim)
        if select_cols:
            fields = [fields[i] for i in select_cols if i < len(fields)]
        if len(fields) != len(defaults):
            raise invalid(f"Expect {len(defaults)} fields but have {len(fields)} in record {record}")
        for i, (field, default, kind) in enumerate(zip(fields, defaults, OUT_TYPE, strict=True)):
            columns[i].append(_value(field, default, kind, missing, i, record))
    return [
        as_strings(column, records.shape)
        if kind.name == "string"
        else np.array(column, kind.as_numpy_dtype).reshape(records.shape)
        for column, kind in zip(columns, OUT_TYPE, strict=True)
    ]


def _value(field: bytes, default: Any, kind: Any, missing: bytes, i: int, record: int) -> Any:
    if not field or field == missing:
        if not np.size(default):
            raise invalid(f"Field {i} is required but missing in record {record}!")
        return np.asarray(default).ravel()[0]
    if kind.name == "string":
        return field
    try:
        return _parser(kind.as_numpy_dtype)(field)
    except ValueError:
        word = type_word(kind)
        raise invalid(f"Field {i} in record {record} is not a valid {word}: {field.decode(errors='replace')}") from None


def _fields(line: bytes, delimiter: bytes, quotes: bool) -> list[bytes]:
    """The fields of one line. A field in quotes may hold delimiters, line ends and doubled quotes."""
    fields: list[bytes] = []
    at = 0
    if not line:
        return fields
    while at < len(line):
        if line[at : at + 1] in (b"\n", b"\r"):
            at += 1
            continue
        if quotes and line[at : at + 1] == b'"':
            field, at = _quoted(line, at + 1, delimiter)
        else:
            end = line.find(delimiter, at)
            end = len(line) if end < 0 else end
            field = line[at:end]
            if quotes and any(byte in field for byte in b'"\n\r'):
                raise invalid("Unquoted fields cannot have quotes/CRLFs inside")
            at = end + 1
        fields.append(field)
    if line.endswith(delimiter):
        fields.append(b"")
    return fields


def _quoted(line: bytes, at: int, delimiter: bytes) -> tuple[bytes, int]:
    """The field whose opening quote is before `at`, and where the next one begins."""
    out = bytearray()
    while True:
        quote = line.find(b'"', at)
        if quote < 0:
            raise invalid("Quoted field has to end with quote followed by delim or end")
        out += line[at:quote]
        following = line[quote + 1 : quote + 2]
        if following == b'"':
            out += b'"'
            at = quote + 2
            continue
        if following not in (b"", delimiter):
            raise invalid("Quote inside a string has to be escaped by another quote")
        return bytes(out), quote + 2


def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Any = None,
) -> Any:
    """One tensor a column for strings that are lines of comma-separated fields.

    Args:
      record_defaults: a tensor for each column: what stands for an empty field (nothing may, if it is empty itself),
        and of which type the column is.
      na_value: another text that means an empty field.
      select_cols: the numbers of the columns to take, ascending.
    """
    if select_cols is not None:
        if any(select_cols[i] >= select_cols[i + 1] for i in range(len(select_cols) - 1)):
            raise ValueError("select_cols is not strictly increasing.")
        if select_cols[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(select_cols) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    return _csv(
        records,
        record_defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=select_cols,
        name=name,
    )
