"""Checkpoint files: TensorFlow's are read and written again to the byte, and damage is found and named."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.make_checkpoints import FOLDER, KINDS, PARTS, WORDS
from tfbench import errors
from tfbench.engine import dtypes
from tfbench.engine.kernels.tensor_slices import TensorSlice
from tfbench.formats import checkpoint_files, protos
from tfbench.formats.bundle_reader import BundleReader
from tfbench.formats.bundle_writer import write_index
from tfbench.formats.checkpoint_v1 import V1Reader
from tfbench.formats.safe_files import NewFile

RECORDED = Path(FOLDER)
SINGLE = {b"scalar": np.float32(2.5), b"second": np.array([4, 3, 2, 1], np.float32), b"parts": PARTS}
EVERYTHING: dict[bytes, Any] = {
    **{f"kinds/{kind}".encode(): value for kind, value in KINDS.items()},
    b"words": np.array(WORDS, object),
    b"empty": np.zeros([0, 3], np.float32),
    **SINGLE,
}


def check(reader: BundleReader | V1Reader, expected: dict[bytes, Any]) -> None:
    assert sorted(reader.names()) == sorted(expected)
    for name, value in expected.items():
        found = reader.read(name)
        assert found.dtype == np.asarray(value).dtype
        assert reader.shape(name) == found.shape == np.shape(value)
        np.testing.assert_array_equal(found, value)


def test_one_file() -> None:
    check(checkpoint_files.open_checkpoint(str(RECORDED / "mixed")), EVERYTHING)


def test_several_files() -> None:
    check(checkpoint_files.open_checkpoint(str(RECORDED / "sharded")), SINGLE)


def test_version_1() -> None:
    reader = checkpoint_files.open_checkpoint(str(RECORDED / "v1"))
    assert isinstance(reader, V1Reader)
    check(reader, {name: value for name, value in EVERYTHING.items() if name not in (b"kinds/uint32", b"kinds/uint64")})


@pytest.mark.parametrize("name", ["mixed", "sharded", "v1"])
def test_parts(name: str) -> None:
    reader = checkpoint_files.open_checkpoint(str(RECORDED / name))
    for spec in ("0,1:-", "1,4:-", "-:2,2", "5,1:3,1", "-:-"):
        part = TensorSlice.parse(spec)
        rows, columns = (slice(*bounds) for bounds in part.bounds(PARTS.shape))
        np.testing.assert_array_equal(reader.read(b"parts", part), PARTS[rows, columns])


def arguments(reader: Any, names: list[bytes]) -> list[Any]:
    """What writes the tensors of a recorded file again, slices as slices."""
    rows: list[tuple[bytes, bytes, Any, Any]] = []
    for name in names:
        if name != b"parts":
            rows.append((name, b"", reader.read(name), reader.dtype(name)))
            continue
        rows.extend((name, f"6 4 {at},2:0,4".encode(), PARTS[at : at + 2], dtypes.float32) for at in (0, 2, 4))
    return [list(column) for column in zip(*rows)]


@pytest.mark.parametrize(("name", "version"), [("mixed", 2), ("v1", 1)])
def test_written_again_to_the_byte(name: str, version: int, tmp_path: Path) -> None:
    reader = checkpoint_files.open_checkpoint(str(RECORDED / name))
    checkpoint_files.save(str(tmp_path / name), *arguments(reader, sorted(reader.names())), version=version)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (RECORDED / path.name).read_bytes()
    assert len(list(tmp_path.iterdir())) == (2 if version == 2 else 1)


SHAPES = st.lists(st.integers(0, 5), max_size=4).map(tuple)
NUMBERS = [np.float32, np.float64, np.int8, np.uint16, np.int64, np.bool_, np.complex64]
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)


@settings(max_examples=60)
@given(st.dictionaries(NAMES, st.tuples(SHAPES, st.sampled_from(NUMBERS), st.integers(0, 99)), min_size=1, max_size=8))
def test_any_tensors(tmp_path_factory: pytest.TempPathFactory, drawn: dict[str, Any]) -> None:
    prefix = str(tmp_path_factory.mktemp("any") / "m")
    arrays = [np.random.default_rng(seed).integers(0, 100, shape).astype(kind) for shape, kind, seed in drawn.values()]
    kinds = [dtypes.as_dtype(array.dtype) for array in arrays]
    names = [name.encode() for name in drawn]
    checkpoint_files.save(prefix, names, [b""] * len(names), arrays, kinds)
    found = checkpoint_files.restore(prefix, names, [b""] * len(names), kinds)
    for array, other in zip(arrays, found, strict=True):
        assert array.dtype == other.dtype
        np.testing.assert_array_equal(array, other)


@given(st.lists(st.binary(max_size=400), max_size=20))
def test_any_strings(tmp_path_factory: pytest.TempPathFactory, items: list[bytes]) -> None:
    prefix = str(tmp_path_factory.mktemp("any") / "m")
    array = np.empty(len(items), object)
    array[:] = items
    checkpoint_files.save(prefix, [b"s"], [b""], [array], [dtypes.string])
    assert checkpoint_files.restore(prefix, [b"s"], [b""], [dtypes.string])[0].tolist() == items


# ---- damage


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for path in RECORDED.iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path


def damage(path: Path, position: int, to: int | None = None) -> None:
    data = bytearray(path.read_bytes())
    data[position] = data[position] ^ 255 if to is None else to
    path.write_bytes(data)


@pytest.mark.parametrize("name", [b"kinds/float32", b"words", b"scalar", b"parts"])
def test_damaged_data_names_tensor_file_and_offset(name: bytes, copy: Path) -> None:
    reader = BundleReader(str(copy / "mixed"))
    entry = reader.entry(TensorSlice.parse("2,2:0,4").key(name) if name == b"parts" else name)
    path = copy / "mixed.data-00000-of-00001"
    for position in (entry.offset, entry.offset + entry.size - 1):
        damage(path, position)
        with pytest.raises(errors.DataLossError) as caught:
            reader.read(name)
        damage(path, position)
        where = f"bytes {entry.offset} to {entry.offset + entry.size} of {path}"
        assert f"tensor {name.decode()}, {where}" in caught.value.message
    check(reader, EVERYTHING)


def test_one_damaged_tensor_leaves_the_others(copy: Path) -> None:
    reader = BundleReader(str(copy / "mixed"))
    damage(copy / "mixed.data-00000-of-00001", reader.entry(b"kinds/int8").offset)
    np.testing.assert_array_equal(reader.read(b"kinds/int16"), KINDS["int16"])
    with pytest.raises(errors.DataLossError, match=r"kinds/int8.*Checksum does not match"):
        reader.read(b"kinds/int8")


def test_every_byte_of_the_data_is_checked(copy: Path) -> None:
    path, reader = copy / "mixed.data-00000-of-00001", BundleReader(str(copy / "mixed"))
    places = [(e.offset, e.offset + e.size, n.replace(b"\0parts", b"parts")) for n, e in reader.entries.items()]
    for position in range(0, path.stat().st_size, 3):
        damage(path, position)
        (name,) = (name for start, end, name in places if start <= position < end)
        with pytest.raises(errors.DataLossError):
            reader.read(b"parts" if name.startswith(b"parts") else name)
        damage(path, position)


def test_every_byte_of_the_index_is_checked(copy: Path) -> None:
    path = copy / "mixed.index"
    unnoticed = 0
    for position in range(0, path.stat().st_size, 3):
        damage(path, position)
        try:
            check(BundleReader(str(copy / "mixed")), EVERYTHING)
            unnoticed += 1
        except errors.DataLossError:
            pass
        damage(path, position)
    assert unnoticed < 25  # the footer's filling and the empty meta block


@pytest.mark.parametrize("size", [0, 1, 47, 100, 765])
def test_a_shortened_index(size: int, copy: Path) -> None:
    path = copy / "mixed.index"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(errors.DataLossError, match=r"mixed\.index"):
        BundleReader(str(copy / "mixed"))


def test_shortened_data(copy: Path) -> None:
    path = copy / "mixed.data-00000-of-00001"
    path.write_bytes(path.read_bytes()[:-1])
    reader = BundleReader(str(copy / "mixed"))
    last = max(reader.entries, key=lambda name: reader.entries[name].offset + reader.entries[name].size)
    with pytest.raises(errors.OutOfRangeError, match="Read less bytes than requested"):
        reader.read(last)


def test_a_missing_data_file(copy: Path) -> None:
    path = copy / "sharded.data-00001-of-00002"
    path.unlink()
    reader = BundleReader(str(copy / "sharded"))
    np.testing.assert_array_equal(reader.read(b"parts"), PARTS)
    with pytest.raises(errors.NotFoundError, match=r"sharded\.data-00001-of-00002; No such file or directory"):
        reader.read(b"second")


@pytest.mark.parametrize("position", [20, 700, 2000, -5])
def test_a_damaged_version_1_file(position: int, copy: Path) -> None:
    damage(copy / "v1", position)
    with pytest.raises(errors.DataLossError, match="v1"):
        check(V1Reader(str(copy / "v1")), EVERYTHING)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(errors.NotFoundError, match="Failed to find any matching files for"):
        checkpoint_files.open_checkpoint(str(tmp_path / "none"))
    with pytest.raises(errors.NotFoundError, match="Key zz not found in checkpoint"):
        BundleReader(str(RECORDED / "mixed")).read(b"zz")


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    value = np.ones(3, np.float32)
    for names, specs in (([b"a", b"a"], [b"", b""]), ([b"a", b"b"], [b"", b"9 0,4"]), ([b"a", b""], [b"", b""])):
        with pytest.raises(errors.InvalidArgumentError):
            checkpoint_files.save(str(tmp_path / "sub" / "m"), names, specs, [value] * 2, [dtypes.float32] * 2)
        assert list(tmp_path.iterdir()) == []


# ---- entries that are whole, but make no sense


def entry(dims: tuple[int, ...] = (2,), slices: Any = (), **fields: Any) -> Any:
    message = protos.BundleEntryProto(**{"dtype": 1, "size": 8, **fields})
    for size in dims:
        message.shape.dim.add().size = size
    for extents in slices:
        part = message.slices.add()
        for start, length in extents:
            part.extent.add(start=start, length=length)
    return message


@pytest.mark.parametrize(
    ("crafted", "words"),
    [
        (entry(dtype=0), "no known type"),
        (entry(dtype=99), "no known type"),
        (entry(dtype=21), "type variant are not read"),
        (entry(dims=(-2,)), "is damaged"),
        (entry(dims=(2**62, 2**62)), "Invalid size in bundle entry"),
        (entry(size=4), "Invalid size in bundle entry"),
        (entry(size=-8), "Read less bytes"),
        (entry(offset=2**62), "Read less bytes"),
        (entry(offset=-5), "Read less bytes"),
        (entry(shard_id=7), "No such file"),
        (entry(), "Checksum does not match"),
        (entry(dtype=7, dims=(2**40,), size=20), "lengths of the strings"),
        (entry(slices=[[(0, 2)]]), "slice 0,2 of tensor w is missing"),
        (entry(slices=[[(0, 1)]]), "sufficient slices"),
        (entry(slices=[[(0, 2)], [(1, 1)]]), "Overlapping"),
        (entry(slices=[[(0, 9)]]), "out of bounds"),
        (entry(slices=[[(0, 1), (0, 1)]]), "Mismatching ranks"),
        (entry(dims=(2**40, 2**20), slices=[[(0, 1), (0, 1)]]), "sufficient slices"),
    ],
)
def test_entries_that_make_no_sense(crafted: Any, words: str, tmp_path: Path) -> None:
    prefix = str(tmp_path / "m")
    with NewFile(f"{prefix}.index") as file:
        write_index(file, {b"w": crafted}, 1)
    (tmp_path / "m.data-00000-of-00001").write_bytes(bytes(64))
    with pytest.raises(errors.OpError, match=words):
        BundleReader(prefix).read(b"w")


def test_an_index_is_read_once_while_restoring_and_again_afterwards(tmp_path: Path) -> None:
    prefix = str(tmp_path / "m")

    def write(value: float) -> None:
        checkpoint_files.save(prefix, [b"x"], [b""], [np.full(3, value, np.float32)], [dtypes.float32])

    def read() -> list[float]:
        found: list[float] = checkpoint_files.restore(prefix, [b"x"], [b""], [dtypes.float32])[0].tolist()
        return found

    write(1.0)
    with checkpoint_files.restoring(prefix):
        reader = checkpoint_files.opened(prefix)
        assert checkpoint_files.opened(prefix) is reader
        assert read() == [1.0] * 3
    assert checkpoint_files.opened(prefix) is not reader
    write(2.0)
    assert read() == [2.0] * 3
    with pytest.raises(errors.NotFoundError), checkpoint_files.restoring(str(tmp_path / "none")):
        pass
