"""`tf.python_io`: files of records (TFRecord), written and read one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, ClassVar

from tfbench import errors
from tfbench.formats.records import RecordWriter, read_records

__all__ = ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]


class TFRecordCompressionType:
    """How a file is compressed as a whole."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """How a file is written: '', 'ZLIB' or 'GZIP' (or a TFRecordCompressionType), and what zlib is told.

    Raises:
      ValueError: for another compression.
    """

    compression_type_map: ClassVar[dict[int, str]] = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """'', 'ZLIB' or 'GZIP' of options, a compression or its name; None is ''."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        known = cls.compression_type_map
        if options in known:
            return known[options]
        if options in known.values():
            return str(options)
        raise ValueError(f'Not a valid compression_type: "{options}"')

    def _for_zlib(self) -> dict[str, int]:
        names = ("compression_level", "mem_level", "compression_strategy", "window_bits")
        given = {name: getattr(self, name) for name in names}
        return {name: value for name, value in given.items() if value is not None}


class TFRecordWriter:
    """Writes records to a new file, over one that is there.

        with tf.python_io.TFRecordWriter(path) as writer:
            writer.write(example.SerializeToString())

    Raises:
      NotFoundError, PermissionDeniedError, FailedPreconditionError: if the file cannot be made.
      ResourceExhaustedError: from `write`, `flush` and `close` if the disk is full; the file then holds whole records.
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        settings = options._for_zlib() if isinstance(options, TFRecordOptions) else {}
        self._writer = RecordWriter(_path(path), compression, **settings)

    def write(self, record: Any) -> None:
        """Adds a record: bytes, or text as UTF-8.

        Raises:
          TypeError: for anything else, such as a message that is not serialised.
        """
        self._check_open()
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, (bytes, bytearray, memoryview)):
            hint = "; serialise the message with SerializeToString()" if hasattr(record, "SerializeToString") else ""
            raise TypeError(f"A record is bytes, not {type(record).__name__}{hint}.")
        self._writer.write(bytes(record))

    def flush(self) -> None:
        """Hands everything to the operating system."""
        self._check_open()
        self._writer.flush()

    def close(self) -> None:
        """Writes what is left, and closes the file."""
        self._writer.close()

    def _check_open(self) -> None:
        if self._writer.closed:
            raise errors.FailedPreconditionError(None, None, "Writer is closed.")

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file, in order.

    Args:
      options: TFRecordOptions if the file is compressed.

    Raises:
      NotFoundError: if there is no such file.
      DataLossError: at a record that is damaged or cut off: the file, and where. Those before it are given first.
    """
    return read_records(_path(path), TFRecordOptions.get_compression_type_string(options))


def _path(path: Any) -> str:
    return os.fsdecode(os.fspath(path))
