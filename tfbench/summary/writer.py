"""`tf.summary.FileWriter`: summaries, graphs and run records written to the event file of a folder."""

from __future__ import annotations

import os
import warnings
from typing import Any

from tfbench.engine.graph import Graph
from tfbench.engine.kernels import wire
from tfbench.formats.event_files import EventWriter, event

__all__ = ["FileWriter"]

# The fields of Event.what
_GRAPH, _SUMMARY, _SESSION_LOG, _RUN_METADATA, _META_GRAPH = 4, 5, 7, 8, 9
# The fields of Summary.Value
_TAG, _METADATA = 1, 9


class FileWriter:
    """Writes events to a new file in `logdir`, for TensorBoard to read while the program runs.

    The file is made with the first event. A thread writes within a fraction of a second, and within `flush_secs`; at
    most `max_queue` events wait. When the program ends, also by an exception or Ctrl-C, what waits is written. If the
    disk is full, nothing is dropped: the next call raises ResourceExhaustedError, and writes everything once there is
    room.

    Args:
      graph: written first, with its meta graph, if given.
      graph_def: deprecated; a GraphDef in place of the graph.
      filename_suffix: at the end of the file's name.
      session: accepted and not needed.

    Raises:
      FailedPreconditionError: if `logdir` is a file.
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        self._closed = False
        self._logdir = logdir
        if isinstance(logdir, bytes):
            logdir = os.fsdecode(logdir)
        self._seen_tags: set[bytes] = set()
        self._runs: set[str] = set()
        self.event_writer = EventWriter(os.fspath(logdir), max_queue, flush_secs, filename_suffix or "")
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            self._add_meta_graph_of(graph, graph_def)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get_logdir(self) -> Any:
        """The folder, as it was given."""
        return self._logdir

    # -- adding -----------------------------------------------------------------------------------------------------

    def _add(self, number: int, payload: bytes, step: Any) -> None:
        self._add_message(event(number, payload, None if step is None else int(step)))

    def _add_message(self, message: bytes) -> None:
        self._warn_if_closed()
        if not self._closed:
            self.event_writer.add(message)

    def _warn_if_closed(self) -> None:
        if self._closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is "
                "explicitly reopened.",
                stacklevel=4,
            )

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Writes a summary: what running a summary op gives, or a `tf.Summary`. `global_step`: its place on the x axis.

        Raises:
          TypeError: for anything else. ValueError: for bytes that are no Summary.
        """
        if hasattr(summary, "SerializeToString"):
            summary = summary.SerializeToString()
        elif not isinstance(summary, bytes):
            raise TypeError(
                f"add_summary takes the bytes that running a summary op gives, or a tf.Summary; got {summary!r} "
                f"of type {type(summary).__name__}." + (" Run it in a session first." if hasattr(summary, "op") else "")
            )
        self._add(_SUMMARY, self._told_once(summary), global_step)

    def _told_once(self, summary: bytes) -> bytes:
        """The summary without the metadata of tags that had theirs written before: a file needs them once."""
        out = []
        try:
            for number, kind, value in wire.fields(summary):
                if number != 1 or kind != 2:
                    continue
                # Without the byte that a metadata field begins with, there is none.
                parts = list(wire.fields(value)) if b"J" in value else []
                if any(part == _METADATA for part, _, _ in parts):
                    tag = next((bytes(found) for part, kind, found in parts if part == _TAG and kind == 2), b"")
                    if tag in self._seen_tags:
                        value = _without_metadata(value)
                    self._seen_tags.add(tag)
                out.append(wire.chunk(1, value, always=True))
        except wire.BadMessage as error:
            raise ValueError(f"add_summary got {len(summary)} bytes that are no Summary message. {error}") from None
        return b"".join(out)

    def add_event(self, event: Any) -> None:
        """Writes a `tf.Event` as it is."""
        if not hasattr(event, "SerializeToString"):
            raise TypeError(f"Expected an event_pb2.Event proto (tf.Event), but got {type(event).__name__}: {event!r}")
        self._add_message(event.SerializeToString())

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Writes a `tf.SessionLog`: that a session began, ended, or saved a checkpoint."""
        self._add(_SESSION_LOG, _serialized(session_log, "SessionLog"), global_step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Writes a graph, with what is known of shapes, for TensorBoard's graph page.

        Raises:
          ValueError: if both or neither are given. TypeError: if it is no graph.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        given = graph if graph is not None else graph_def
        if isinstance(given, Graph):
            data = given.as_graph_def(add_shapes=True).SerializeToString()
        elif hasattr(given, "DESCRIPTOR") and given.DESCRIPTOR.name == "GraphDef":
            data = given.SerializeToString()
        else:
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the deprecated `GraphDef`, "
                f"not {type(given).__name__}"
            )
        self._add(_GRAPH, data, global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Writes a `tf.MetaGraphDef`."""
        self._add(_META_GRAPH, _serialized(meta_graph_def, "MetaGraphDef", "meta_graph_def must be type "), global_step)

    def _add_meta_graph_of(self, graph: Any, graph_def: Any) -> None:
        from tfbench.formats.meta_graph import export_meta_graph

        if isinstance(graph, Graph):
            self.add_meta_graph(export_meta_graph(graph=graph, graph_def=graph.as_graph_def(add_shapes=True)))
        else:
            self.add_meta_graph(export_meta_graph(graph_def=graph if graph is not None else graph_def))

    def add_run_metadata(self, run_metadata: Any, tag: Any, global_step: Any = None) -> None:
        """Writes the record of a run (`tf.RunMetadata`) under a tag of its own.

        Raises:
          ValueError: if the tag was used before.
        """
        tag = tag.decode() if isinstance(tag, bytes) else tag
        if tag in self._runs:
            raise ValueError("The provided tag was already used for this event type")
        payload = wire.chunk(1, tag.encode()) + wire.chunk(2, _serialized(run_metadata, "RunMetadata"))
        self._add(_RUN_METADATA, payload, global_step)
        self._runs.add(tag)

    # -- the file ---------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Waits until all events are in the file.

        Raises:
          OpError: if they cannot be written, for example ResourceExhaustedError; they are kept.
        """
        self._warn_if_closed()
        if not self._closed:
            self.event_writer.flush()

    def close(self) -> None:
        """Writes everything and closes the file. What is added later is ignored, with a warning, until `reopen`."""
        if not self._closed:
            self.event_writer.close()
        self._closed = True

    def reopen(self) -> None:
        """After `close`: further events go to a new file in the same folder. Does nothing if the writer is open."""
        self._closed = False


def _serialized(message: Any, kind: str, words: str = "Expected a message of type ") -> bytes:
    if not hasattr(message, "DESCRIPTOR") or message.DESCRIPTOR.name != kind:
        raise TypeError(f"{words}{kind}, saw type: {type(message)}")
    data: bytes = message.SerializeToString()
    return data


def _without_metadata(value: bytes) -> bytes:
    parts = []
    for number, kind, found in wire.fields(value):
        if number == _METADATA:
            continue
        if kind == 0:
            parts.append(wire.integer(number, found, always=True))
        elif kind == 2:
            parts.append(wire.chunk(number, found, always=True))
        else:
            parts.append(wire.varint(number << 3 | kind) + found)
    return b"".join(parts)
