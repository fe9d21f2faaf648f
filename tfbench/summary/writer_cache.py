"""`tf.summary.FileWriterCache`: one writer a folder, shared by whoever asks."""

from __future__ import annotations

import threading
from typing import ClassVar

from tfbench.summary.writer import FileWriter

__all__ = ["FileWriterCache"]


class FileWriterCache:
    """The writers that `get` has made, by folder."""

    _cache: ClassVar[dict[str, FileWriter]] = {}
    _lock = threading.RLock()

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """The writer of a folder; the first call makes it, with the default graph of that moment."""
        from tfbench.engine.default_graph import get_default_graph

        with FileWriterCache._lock:
            if logdir not in FileWriterCache._cache:
                FileWriterCache._cache[logdir] = FileWriter(logdir, graph=get_default_graph())
            return FileWriterCache._cache[logdir]

    @staticmethod
    def clear() -> None:
        """Closes and forgets all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache.clear()
