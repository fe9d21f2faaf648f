"""The ops of readers, and `tf.TextLineReader` and its kin. How files are read is in `kernels/readers.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid, unimplemented
from tfbench.engine.opdef import CPU, OpDef, Preset, op
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.ops.shared_state import held
from tfbench.engine.ops.string_common import as_strings
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import OPERATORS, Tensor

__all__ = [
    "FixedLengthRecordReader", "IdentityReader", "LMDBReader", "ReaderBase", "TFRecordReader", "TextLineReader",
    "WholeFileReader",
]  # fmt: skip

Array = Any


def _reader(type: str, attrs: str, make: Callable[[str, dict[str, Any]], Any]) -> OpDef:
    definition = op(
        type, "", "reader_handle: resource", f"{attrs}container: string = ''; shared_name: string = ''", stateful=True
    )
    definition.no_gradient("a handle has no inputs")
    definition.shape(_scalar)

    @definition.bind(CPU)
    def _(context: Any) -> Preset:
        return held(context, lambda name: make(name, context.attrs))

    return definition


def _scalar(node: Operation, *inputs: Any) -> list[Shape]:
    return [()]


def _kernels() -> Any:
    from tfbench.engine.kernels import readers

    return readers


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _fixed_length(name: str, attrs: dict[str, Any]) -> Any:
    numbers = [attrs[key] for key in ("record_bytes", "header_bytes", "footer_bytes", "hop_bytes")]
    for key, number, least in zip(("record", "header", "footer", "hop"), numbers, (1, 0, 0, 0)):
        if number < least:
            raise invalid(f"{key}_bytes must be {'>= 0' if not least else 'positive'}, got {number}")
    return _kernels().FixedLengthState(name, *numbers, _text(attrs["encoding"]))


def _tf_record(name: str, attrs: dict[str, Any]) -> Any:
    return _kernels().TFRecordState(name, _text(attrs["compression_type"]), OPERATORS["record_reader"])


_whole_file = _reader("WholeFileReaderV2", "", lambda name, attrs: _kernels().WholeFileState(name))
_text_line = _reader(
    "TextLineReaderV2",
    "skip_header_lines: int = 0; ",
    lambda name, attrs: _kernels().TextLineState(name, attrs["skip_header_lines"]),
)
_fixed_length_record = op(
    "FixedLengthRecordReaderV2",
    "",
    "reader_handle: resource",
    "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: string = ''; "
    "shared_name: string = ''; encoding: string = ''",
    stateful=True,
)
_fixed_length_record.no_gradient("a handle has no inputs")
_fixed_length_record.shape(_scalar)


@_fixed_length_record.bind(CPU)
def _fixed_length_bind(context: Any) -> Preset:
    return held(context, lambda name: _fixed_length(name, context.attrs))


_tf_record_reader = op(
    "TFRecordReaderV2",
    "",
    "reader_handle: resource",
    "container: string = ''; shared_name: string = ''; compression_type: string = ''",
    stateful=True,
)
_tf_record_reader.no_gradient("a handle has no inputs")
_tf_record_reader.shape(_scalar)


@_tf_record_reader.bind(CPU)
def _tf_record_bind(context: Any) -> Preset:
    return held(context, lambda name: _tf_record(name, context.attrs))


_identity = _reader("IdentityReaderV2", "", lambda name, attrs: _kernels().IdentityState(name))

# -- what is done with them --------------------------------------------------------------------------------------------

_read = op(
    "ReaderReadV2",
    "reader_handle: resource, queue_handle: resource",
    "key: string, value: string",
    stateful=True,
    fresh=True,
)
_read_up_to = op(
    "ReaderReadUpToV2",
    "reader_handle: resource, queue_handle: resource, num_records: int64",
    "keys: string, values: string",
    stateful=True,
    fresh=True,
)
_records_produced = op(
    "ReaderNumRecordsProducedV2", "reader_handle: resource", "records_produced: int64", stateful=True, fresh=True
)
_units_completed = op(
    "ReaderNumWorkUnitsCompletedV2", "reader_handle: resource", "units_completed: int64", stateful=True, fresh=True
)
_serialize = op("ReaderSerializeStateV2", "reader_handle: resource", "state: string", stateful=True, fresh=True)
_restore = op("ReaderRestoreStateV2", "reader_handle: resource, state: string", "", stateful=True)
_reset = op("ReaderResetV2", "reader_handle: resource", "", stateful=True)

for _declared in (_read, _read_up_to, _records_produced, _units_completed, _serialize, _restore, _reset):
    _declared.no_gradient("files have no gradient")
for _declared in (_records_produced, _units_completed, _serialize):
    _declared.shape(_scalar)


@_read.shape
def _read_shape(node: Operation, reader: Shape, queue: Shape) -> list[Shape]:
    return [(), ()]


@_read.kernel(CPU)
def _read_kernel(xp: Any, reader: Any, queue: Any) -> list[Array]:
    return [as_strings([part], ()) for part in reader.read(queue)]


@_read_up_to.shape
def _read_up_to_shape(node: Operation, reader: Shape, queue: Shape, number: Shape) -> list[Shape]:
    with_rank(number, 0)
    return [(None,), (None,)]


@_read_up_to.kernel(CPU)
def _read_up_to_kernel(xp: Any, reader: Any, queue: Any, number: Array) -> list[Array]:
    if number <= 0:
        raise invalid(f"num_records must be positive, but is {number}")
    records = reader.read_up_to(queue, int(number))
    return [as_strings(column, (len(records),)) for column in zip(*records)]


@_records_produced.kernel(CPU)
def _produced_kernel(xp: Any, reader: Any) -> Array:
    return np.int64(reader.counts()[0])


@_units_completed.kernel(CPU)
def _completed_kernel(xp: Any, reader: Any) -> Array:
    return np.int64(reader.counts()[1])


@_serialize.kernel(CPU)
def _serialize_kernel(xp: Any, reader: Any) -> Array:
    return as_strings([reader.serialize()], ())


@_restore.shape
def _restore_shape(node: Operation, reader: Shape, state: Shape) -> list[Shape]:
    with_rank(state, 0)
    return []


@_restore.kernel(CPU)
def _restore_kernel(xp: Any, reader: Any, state: Array) -> None:
    reader.deserialize(state[()])


@_reset.kernel(CPU)
def _reset_kernel(xp: Any, reader: Any) -> None:
    reader.reset()


# -- classes -----------------------------------------------------------------------------------------------------------


class ReaderBase:
    """A reader of the graph: it takes work, usually names of files, from a queue, and gives records."""

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The handle."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether `serialize_state` works."""
        return self._supports_serialize

    def read(self, queue: Any, name: str | None = None) -> Any:
        """(key, value): the next record, when this is run. A run raises OutOfRangeError at the queue's end."""
        handle = queue if isinstance(queue, Tensor) else queue.queue_ref
        return named_outputs(_read, _read(self._reader_ref, handle, name=name))

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """(keys, values): up to so many records of one file, at least one."""
        handle = queue if isinstance(queue, Tensor) else queue.queue_ref
        return named_outputs(_read_up_to, _read_up_to(self._reader_ref, handle, num_records, name=name))

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many records were read, int64."""
        return _records_produced(self._reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many files are done, int64."""
        return _units_completed(self._reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> Tensor:
        """The state of the reader as a string. A run raises UnimplementedError for all but IdentityReader."""
        return _serialize(self._reader_ref, name=name)

    def restore_state(self, state: Any, name: str | None = None) -> Operation:
        """An operation that puts the reader back to where `serialize_state` was run."""
        return _restore(self._reader_ref, state, name=name)

    def reset(self, name: str | None = None) -> Operation:
        """An operation that makes the reader forget what it was at."""
        return _reset(self._reader_ref, name=name)


class WholeFileReader(ReaderBase):
    """A record is a file: (its name, all that is in it)."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_whole_file(name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    """A record is a line: ("file:number", the line without its end). The first `skip_header_lines` are left out."""

    def __init__(self, skip_header_lines: Any = None, name: str | None = None) -> None:
        super().__init__(_text_line(skip_header_lines=skip_header_lines or 0, name=name))


class FixedLengthRecordReader(ReaderBase):
    """A record is `record_bytes` long and begins `hop_bytes` (default: as many) behind the one before."""

    def __init__(
        self,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        hop_bytes: Any = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        handle = _fixed_length_record(
            record_bytes=record_bytes,
            header_bytes=header_bytes or 0,
            footer_bytes=footer_bytes or 0,
            hop_bytes=hop_bytes or 0,
            encoding=encoding or "",
            name=name,
        )
        super().__init__(handle)


class TFRecordReader(ReaderBase):
    """A record of a TFRecord file: ("file:offset", its bytes). `options` says how files are compressed."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        super().__init__(_tf_record_reader(compression_type=_compression(options), name=name))


class IdentityReader(ReaderBase):
    """The work itself is the record: (work, work)."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_identity(name=name), supports_serialize=True)


class LMDBReader(ReaderBase):
    """LMDB databases are not read. UnimplementedError says so."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        raise unimplemented("LMDBReader: LMDB databases cannot be read here. Write the records into a TFRecord file.")


_COMPRESSIONS = {0: "", 1: "ZLIB", 2: "GZIP"}


def _compression(options: Any) -> str:
    """The compression that `tf.python_io.TFRecordOptions`, its number or its name ask for."""
    kind = getattr(options, "compression_type", options)
    if kind is None:
        return ""
    return _COMPRESSIONS.get(kind, kind)
