"""`contrib.training.train`: a MonitoredSession with the usual hooks, run until one of them stops it."""

from __future__ import annotations

from typing import Any

from tfbench.train.monitored_session import ChiefSessionCreator, MonitoredSession, WorkerSessionCreator
from tfbench.train.saving_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from tfbench.train.scaffold import Scaffold


def train(
    train_op: Any,
    logdir: Any,
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: float | None = 600,
    save_summaries_steps: int | None = 100,
    config: Any = None,
    max_wait_secs: float = 7200,
    run_metadata: Any = None,
) -> Any:
    """Runs `train_op` until a hook stops it or the input is at its end; gives the last loss.

    Args:
      logdir: where checkpoints and summaries go.
      save_checkpoint_secs, save_summaries_steps: how often; None or 0: never.

    Raises:
      ValueError: if something is to be saved, and there is no `logdir`.
    """
    scaffold = scaffold or Scaffold()
    all_hooks = list(hooks or ())
    creator: Any
    if is_chief:
        creator = ChiefSessionCreator(scaffold=scaffold, checkpoint_dir=logdir, master=master, config=config)
        all_hooks += chief_only_hooks or ()
        all_hooks.append(StepCounterHook(output_dir=logdir))
        if save_summaries_steps:
            if logdir is None:
                raise ValueError("logdir cannot be None when save_summaries_steps is not None")
            all_hooks.append(SummarySaverHook(scaffold=scaffold, save_steps=save_summaries_steps, output_dir=logdir))
        if save_checkpoint_secs:
            if logdir is None:
                raise ValueError("logdir cannot be None when save_checkpoint_secs is not None")
            all_hooks.append(CheckpointSaverHook(logdir, save_secs=save_checkpoint_secs, scaffold=scaffold))
    else:
        creator = WorkerSessionCreator(scaffold=scaffold, master=master, config=config, max_wait_secs=max_wait_secs)
    with MonitoredSession(session_creator=creator, hooks=all_hooks) as session:
        loss = None
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss
