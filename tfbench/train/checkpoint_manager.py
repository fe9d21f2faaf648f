"""`tf.train.CheckpointManager`: keeps the last few checkpoints of a `Checkpoint` in a folder, across restarts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from tfbench.engine.default_graph import get_default_session
from tfbench.train import checkpoint_state
from tfbench.train.checkpoint import _session
from tfbench.variables.base import Variable

_SECONDS_PER_HOUR = 3600


class CheckpointManager:
    """Saves `checkpoint` into `directory` as `checkpoint_name-N`, and removes the oldest.

    Args:
      max_to_keep: how many are kept; None keeps all.
      keep_checkpoint_every_n_hours: one of those that would be removed is kept every so often.
      step_counter, checkpoint_interval: save only when the counter is at least so much further than at the last save.
      init_fn: called by `restore_or_initialize` where there is no checkpoint.

    Raises:
      ValueError: if `max_to_keep` is not positive, or there is an interval but no counter.
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        self._checkpoint = checkpoint
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._directory = os.fsdecode(directory)
        self._checkpoint_prefix = os.path.join(self._directory, checkpoint_name)
        self._init_fn = init_fn
        self._checkpoint_interval = checkpoint_interval
        self._step_counter = step_counter
        self._last_checkpoint_step = last_checkpoint_step
        #: path -> when it was written, the oldest first
        self._maybe_delete: dict[str, float] = {}
        self._latest_checkpoint: str | None = None
        state = checkpoint_state.get_checkpoint_state(self._directory)
        now = time.time()
        if state is None:
            self._last_preserved_timestamp = now
            return
        self._latest_checkpoint = state.model_checkpoint_path
        self._last_preserved_timestamp = state.last_preserved_timestamp
        times = list(state.all_model_checkpoint_timestamps)
        # Written by something else: as old as the one that was kept last, so that its age keeps none of them.
        times = times or [self._last_preserved_timestamp] * len(state.all_model_checkpoint_paths)
        if self._last_preserved_timestamp in (0, None) or self._last_preserved_timestamp > now:
            self._last_preserved_timestamp = now
        self._maybe_delete = dict(zip(state.all_model_checkpoint_paths, times))

    @property
    def directory(self) -> str:
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        return self._checkpoint_interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the last one, or None."""
        return self._latest_checkpoint

    @property
    def checkpoints(self) -> list[str]:
        """The paths of those that are kept, the oldest first; not those kept for their age."""
        return list(self._maybe_delete)

    @property
    def checkpoint(self) -> Any:
        """What is saved."""
        return self._checkpoint

    def sync(self) -> None:
        """Waits for saves that go on in the background; here there are none."""

    def save(self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None) -> str | None:
        """Saves, and returns the path; None if the last checkpoint is not old enough.

        Args:
          checkpoint_number: a number, or a variable or tensor with one, instead of the checkpoint's own count.
          check_interval: whether the interval counts.
        """
        session = get_default_session()
        step = None
        if self._step_counter is not None:
            step = int(_number(self._step_counter, session))
        if self._checkpoint_interval is not None and check_interval and self._last_checkpoint_step is not None:
            assert step is not None
            if step < self._last_checkpoint_step + self._checkpoint_interval:
                return None
        session = _session(session)
        count = self._checkpoint._count(session)
        number = count if checkpoint_number is None else _number(checkpoint_number, session)
        path = self._checkpoint.write(f"{self._checkpoint_prefix}-{int(number)}", session)
        self._latest_checkpoint = path
        self._maybe_delete.pop(path, None)
        self._maybe_delete[path] = time.time()
        # The state first: a crash in between leaves a file too much, and no state that names a removed one.
        removed = self._sweep()
        self._write_state()
        for old in removed:
            checkpoint_state.remove_checkpoint(old)
        if self._checkpoint_interval is not None:
            self._last_checkpoint_step = step
        return path

    def _sweep(self) -> list[str]:
        removed: list[str] = []
        while self._max_to_keep and len(self._maybe_delete) > self._max_to_keep:
            path, written = next(iter(self._maybe_delete.items()))
            del self._maybe_delete[path]
            hours = self._keep_checkpoint_every_n_hours
            if hours and written - hours * _SECONDS_PER_HOUR >= self._last_preserved_timestamp:
                self._last_preserved_timestamp = written
                continue
            removed.append(path)
        return removed

    def _write_state(self) -> None:
        assert self._latest_checkpoint is not None
        checkpoint_state.update_state(
            self._directory, self._latest_checkpoint, list(self._maybe_delete), None,
            list(self._maybe_delete.values()), self._last_preserved_timestamp, relative=True,
        )  # fmt: skip

    def restore_or_initialize(self) -> str | None:
        """Restores the last checkpoint and returns its path; where there is none, calls `init_fn` and returns None."""
        if self._latest_checkpoint is not None:
            self._checkpoint.restore(self._latest_checkpoint).initialize_or_restore()
            if self._checkpoint_interval is not None:
                self._last_checkpoint_step = int(_number(self._step_counter, get_default_session()))
            return self._latest_checkpoint
        if self._init_fn is not None:
            self._init_fn()
        return None


def _number(given: Any, session: Any) -> Any:
    return session.run(given) if isinstance(given, Variable) or hasattr(given, "graph") else given
