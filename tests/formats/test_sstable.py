"""Tables: whatever is written is read, and no damage goes unnoticed."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfbench.errors import DataLossError
from tfbench.formats.sstable import Table, TableWriter, read_varint, varint

KEYS = st.binary(max_size=12) | st.integers(0, 50).map(lambda number: b"layer/%03d" % number) | st.just(b"\xff\xff")
CONTENTS = st.dictionaries(KEYS, st.binary(max_size=40), max_size=60)


def table(contents: dict[bytes, bytes], block_size: int = 256 << 10) -> bytes:
    written = io.BytesIO()
    writer = TableWriter(written.write, block_size)
    for key in sorted(contents):
        writer.add(key, contents[key])
    writer.finish()
    return written.getvalue()


def read(data: bytes) -> Table:
    return Table(io.BytesIO(data), "the file")


@given(CONTENTS, st.sampled_from([1, 30, 200, 1 << 18]))
def test_round_trip(contents: dict[bytes, bytes], block_size: int) -> None:
    found = read(table(contents, block_size))
    assert list(found) == sorted(contents.items())
    assert all(found.get(key) == value for key, value in contents.items())


@given(CONTENTS, KEYS, st.sampled_from([1, 30, 1 << 18]))
def test_keys_that_are_not_there(contents: dict[bytes, bytes], key: bytes, block_size: int) -> None:
    assert read(table(contents, block_size)).get(key) == contents.get(key)


@settings(max_examples=300)
@given(CONTENTS, st.sampled_from([20, 1 << 18]), st.data())
def test_a_changed_byte_is_noticed(contents: dict[bytes, bytes], block_size: int, data: st.DataObject) -> None:
    whole = table(contents, block_size)
    position = data.draw(st.integers(0, len(whole) - 1))
    changed = bytearray(whole)
    changed[position] ^= data.draw(st.integers(1, 255))
    try:
        found, message = list(read(bytes(changed))), ""
    except DataLossError as error:
        found, message = [], error.message
    if message:
        assert re.search(r"\(the file\).* \(at byte \d+ of \d+\)", message)
    else:
        # The meta block, which is empty and never read, its place, and what fills up the footer.
        assert found == sorted(contents.items())


@given(CONTENTS, st.data())
def test_a_shortened_file_is_noticed(contents: dict[bytes, bytes], data: st.DataObject) -> None:
    whole = table(contents, 100)
    with pytest.raises(DataLossError, match="the file"):
        list(read(whole[: data.draw(st.integers(0, len(whole) - 1))]))


def test_keys_have_to_increase() -> None:
    writer = TableWriter(lambda data: None)
    writer.add(b"b", b"")
    for key in (b"a", b"b"):
        with pytest.raises(ValueError, match="increase"):
            writer.add(key, b"")


@given(st.integers(0, 2**64 - 1), st.binary(max_size=3))
def test_varints(number: int, before: bytes) -> None:
    data = before + varint(number)
    assert read_varint(data, len(before)) == (number, len(data))


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff" * 11])
def test_what_is_no_varint(data: bytes) -> None:
    with pytest.raises(ValueError):
        read_varint(data, 0)
