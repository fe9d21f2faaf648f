"""The file `checkpoint` of a folder: which checkpoints there are, and which one is the last."""

from __future__ import annotations

import contextlib
import glob
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfbench import logging
from tfbench.formats.safe_files import locked, write_file

#: the name of the file unless another is asked for
STATE_FILE = "checkpoint"


def state_path(save_dir: str, latest_filename: str | None = None) -> str:
    """The path of the state file in a folder."""
    return os.path.join(save_dir, latest_filename or STATE_FILE)


def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """The CheckpointState message; paths are relative to `save_dir` where that is relative.

    Raises:
      ValueError: if there are timestamps, but not as many as paths.
    """
    from tfbench.formats import protos

    paths = list(all_model_checkpoint_paths or ())
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
    times = list(all_model_checkpoint_timestamps or ())
    if times and len(times) != len(paths):
        raise ValueError(
            f"Checkpoint timestamps, if provided, must match checkpoint paths (got paths {paths} and timestamps "
            f"{times})"
        )
    if not os.path.isabs(save_dir):

        def relative(path: str) -> str:
            return path if os.path.isabs(path) else os.path.relpath(path, save_dir)

        paths, model_checkpoint_path = [relative(path) for path in paths], relative(model_checkpoint_path)
    state = protos.CheckpointState(
        model_checkpoint_path=model_checkpoint_path,
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times,
    )
    if last_preserved_timestamp is not None:
        state.last_preserved_timestamp = last_preserved_timestamp
    return state


def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the state file, in one stroke.

    Raises:
      RuntimeError: if the checkpoint has the name of the state file.
    """
    update_state(
        save_dir, model_checkpoint_path, all_model_checkpoint_paths, latest_filename,
        all_model_checkpoint_timestamps, last_preserved_timestamp, relative=False,
    )  # fmt: skip


def update_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None,
    latest_filename: str | None,
    all_model_checkpoint_timestamps: Sequence[float] | None,
    last_preserved_timestamp: float | None,
    relative: bool,
) -> None:
    """`update_checkpoint_state`; with `relative`, all paths are relative to `save_dir`."""
    from google.protobuf import text_format

    path = state_path(save_dir, latest_filename)
    if relative:

        def near(name: str) -> str:
            return os.path.relpath(name, save_dir) if os.path.isabs(name) or not os.path.isabs(save_dir) else name

        model = near(model_checkpoint_path)
        all_model_checkpoint_paths = [near(name) for name in all_model_checkpoint_paths or ()]
        state = generate_checkpoint_state_proto(
            os.path.abspath(save_dir), model, all_model_checkpoint_paths, all_model_checkpoint_timestamps,
            last_preserved_timestamp,
        )  # fmt: skip
    else:
        state = generate_checkpoint_state_proto(
            save_dir, model_checkpoint_path, all_model_checkpoint_paths, all_model_checkpoint_timestamps,
            last_preserved_timestamp,
        )  # fmt: skip
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  Please use a "
            "different save path."
        )
    with locked(path):
        write_file(path, text_format.MessageToString(state).encode())


def get_checkpoint_state(checkpoint_dir: str, latest_filename: str | None = None) -> Any:
    """The CheckpointState of a folder, its paths made absolute or relative to here; None if there is none to read.

    Raises:
      ValueError: if the file names no checkpoint.
    """
    from google.protobuf import text_format

    from tfbench.formats import protos

    checkpoint_dir = os.fsdecode(checkpoint_dir)
    path = state_path(checkpoint_dir, latest_filename)
    try:
        with open(path, encoding="utf-8") as file:
            state = text_format.Parse(file.read(), protos.CheckpointState())
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, text_format.ParseError) as error:
        logging.warning("%s: %s: Checkpoint ignored", type(error).__name__, error)
        logging.warning("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {checkpoint_dir}")

    def here(name: str) -> str:
        return name if os.path.isabs(name) else os.path.join(checkpoint_dir, name)

    state.model_checkpoint_path = here(state.model_checkpoint_path)
    paths = [here(name) for name in state.all_model_checkpoint_paths]
    del state.all_model_checkpoint_paths[:]
    state.all_model_checkpoint_paths.extend(paths)
    return state


def latest_checkpoint(checkpoint_dir: str, latest_filename: str | None = None) -> str | None:
    """The path of the last checkpoint of a folder, or None."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return str(state.model_checkpoint_path)
    logging.error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


# -- the files of a checkpoint ------------------------------------------------------------------------------------


def _files(prefix: str) -> list[str]:
    """The file that says that a checkpoint is there: the index (V2), or the files that a pattern means (V1)."""
    for pattern in (f"{glob.escape(prefix)}.index", f"{glob.escape(prefix)}.index.new", prefix):
        found = sorted(path for path in glob.glob(pattern) if os.path.isfile(path))
        if found:
            return found
    return []


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """Whether there is a checkpoint, of either format, at a prefix."""
    return bool(_files(os.fsdecode(checkpoint_prefix)))


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[str]) -> list[float]:
    """When the checkpoints were written, in seconds; those that do not exist are left out."""
    times = []
    for prefix in checkpoint_prefixes:
        found = _files(os.fsdecode(prefix))
        if found:
            with contextlib.suppress(FileNotFoundError):  # it may be removed right now
                times.append(os.stat(found[0]).st_mtime)
    return times


def remove_checkpoint(
    checkpoint_prefix: str, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Removes a checkpoint's files, and its meta graph."""
    from tfbench.formats.bundle_writer import remove

    with contextlib.suppress(FileNotFoundError):
        os.remove(meta_graph_filename(checkpoint_prefix, meta_graph_suffix))
    if checkpoint_format_version == 2:
        remove(checkpoint_prefix)
        return
    for path in glob.glob(checkpoint_prefix):
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)


def meta_graph_filename(checkpoint_filename: str, meta_graph_suffix: str = "meta") -> str:
    """The name of the meta graph beside a checkpoint; of V1 files `NAME-?????-of-00002` it is NAME's."""
    basename = checkpoint_filename
    head, dash, tail = checkpoint_filename.rpartition("-?????-of-")
    if dash and tail.isdecimal():
        basename = head
    return f"{basename}.{meta_graph_suffix}"


# -- waiting for checkpoints ----------------------------------------------------------------------------------------


def wait_for_new_checkpoint(
    checkpoint_dir: str, last_checkpoint: str | None = None, seconds_to_sleep: float = 1, timeout: float | None = None
) -> str | None:
    """Waits until the folder's last checkpoint is another than `last_checkpoint`; None if none comes in time."""
    stop = None if timeout is None else time.time() + timeout
    while True:
        found = latest_checkpoint(checkpoint_dir)
        if found is not None and found != last_checkpoint:
            return found
        if stop is not None and time.time() + seconds_to_sleep > stop:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Each new checkpoint of a folder, as it appears. Those that come faster than they are asked for are left out.

    Args:
      min_interval_secs: at least so long from one to the next.
      timeout: how long to wait for the next one, in seconds; None for ever.
      timeout_fn: asked after a timeout; the iteration ends when it says True, or if there is none.
    """
    path: str | None = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start = time.time()
        path = found
        yield path
        wait = start + min_interval_secs - time.time()
        if wait > 0:
            time.sleep(wait)
