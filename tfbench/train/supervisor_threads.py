"""The threads of a Supervisor: what it does every so many seconds."""

from __future__ import annotations

import time
from typing import Any

from tfbench import logging
from tfbench.train.coordinator import LooperThread
from tfbench.train.training_step import global_step as value_of_step


class SVSummaryThread(LooperThread):
    """Writes summaries."""

    def __init__(self, sv: Any, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        step = None
        if self._sv.global_step is not None:
            summary, step = self._sess.run([self._sv.summary_op, self._sv.global_step])
        else:
            summary = self._sess.run(self._sv.summary_op)
        if self._sv.summary_writer:
            self._sv.summary_writer.add_summary(summary, step)


class SVStepCounterThread(LooperThread):
    """Counts the steps a second."""

    def __init__(self, sv: Any, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess
        self._time = 0.0
        self._step = 0

    def start_loop(self) -> None:
        self._time = time.time()
        self._step = value_of_step(self._sess, self._sv.global_step)

    def run_loop(self) -> None:
        from tfbench.formats.protos import Summary

        step, now = value_of_step(self._sess, self._sv.global_step), time.time()
        seconds = now - self._time
        rate = (step - self._step) / seconds if seconds > 0 else float("inf")
        self._step, self._time = step, now
        tag = f"{self._sv.global_step.op.name}/sec"
        if self._sv.summary_writer:
            self._sv.summary_writer.add_summary(Summary(value=[Summary.Value(tag=tag, simple_value=rate)]), step)
        logging.log_first_n(logging.INFO, "%s: %g", 10, tag, rate)


class SVTimerCheckpointThread(LooperThread):
    """Saves checkpoints."""

    def __init__(self, sv: Any, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        from tfbench.formats.protos import SessionLog

        logging.info("Saving checkpoint to path %s", self._sv.save_path)
        self._sv.saver.save(self._sess, self._sv.save_path, global_step=self._sv.global_step)
        if self._sv.summary_writer and self._sv.global_step is not None:
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._sv.save_path)
            self._sv.summary_writer.add_session_log(log, value_of_step(self._sess, self._sv.global_step))
