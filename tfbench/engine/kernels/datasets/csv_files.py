"""A data set of the records of CSV files. A field in quotes may hold line ends: records are found by their quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.datasets.base import Element
from tfbench.engine.kernels.datasets.files import Files, read_blocks, string
from tfbench.engine.ops.string_csv import _fields, _value


class CsvRecords(Files):
    """One component a column that is selected; `defaults` stand for empty fields, where they are not empty."""

    __slots__ = (
        "_compression", "_defaults", "_delimiter", "_excluded", "_header", "_kinds", "_missing", "_quotes", "_selected",
    )  # fmt: skip

    def __init__(
        self,
        names: Sequence[bytes],
        compression: bytes,
        header: bool,
        delimiter: bytes,
        quotes: bool,
        missing: bytes,
        selected: Sequence[int],
        excluded: Sequence[int],
        defaults: Sequence[Any],
        kinds: Sequence[Any],
    ) -> None:
        super().__init__(names)
        if len(delimiter) != 1:
            raise invalid("field_delim should be only 1 char")
        if selected and len(selected) != len(defaults):
            raise invalid("select_cols should match output size")
        if any(i < 0 for i in selected) or any(one >= other for one, other in pairwise(selected)):
            raise invalid("select_cols should be strictly increasing indices, none of them negative")
        self._compression, self._header = compression, header
        self._delimiter, self._quotes, self._missing = delimiter, quotes, missing
        self._selected, self._excluded = selected, frozenset(excluded)
        self._defaults, self._kinds = defaults, kinds

    def open_file(self, name: bytes) -> Iterator[bytes]:
        records = self._records(name)
        if self._header:
            next(records, None)
        yield from records

    def _records(self, name: bytes) -> Iterator[bytes]:
        rest, open_record = b"", b""
        for block in read_blocks(name, self._compression):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                record = open_record + line
                if self._quotes and record.count(b'"') % 2:
                    open_record = record + b"\n"  # a line end in quotes
                    continue
                open_record = b""
                yield record.removesuffix(b"\r")
        if open_record or rest:
            yield (open_record + rest).removesuffix(b"\r")

    def element(self, item: bytes) -> Element:
        fields = _fields(item, self._delimiter, self._quotes) or [b""]
        if self._selected:
            if self._selected[-1] >= len(fields):
                raise invalid(f"Expect at least {self._selected[-1] + 1} fields but have {len(fields)} in record")
            fields = [fields[i] for i in self._selected]
        elif self._excluded:
            fields = [field for i, field in enumerate(fields) if i not in self._excluded]
        if len(fields) != len(self._kinds):
            raise invalid(f"Expect {len(self._kinds)} fields but have {len(fields)} in record")
        columns = enumerate(zip(fields, self._defaults, self._kinds, strict=True))
        return tuple(
            [
                string(value) if kind.name == "string" else kind.as_numpy_dtype(value)
                for kind, value in [
                    (kind, _value(field, default, kind, self._missing, i, 0)) for i, (field, default, kind) in columns
                ]
            ]
        )
