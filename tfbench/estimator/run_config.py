"""How an Estimator runs: where it saves, how often, and with which seed. One process; there is no cluster."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from tfbench import logging

__all__ = ["RunConfig"]

_GIVEN = object()

#: what `replace` may be given
_REPLACEABLE = [
    "model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs",
    "session_config", "keep_checkpoint_max", "keep_checkpoint_every_n_hours", "log_step_count_steps",
    "train_distribute", "device_fn", "protocol", "eval_distribute", "experimental_distribute",
    "experimental_max_worker_delay_secs", "session_creation_timeout_secs",
]  # fmt: skip


class RunConfig:
    """Settings of an Estimator; never changed, only replaced.

    Args:
      model_dir: where checkpoints and summaries go.
      tf_random_seed: the seed of each graph.
      save_summary_steps: summaries are written every so many steps.
      save_checkpoints_steps, save_checkpoints_secs: how often a checkpoint is saved (default: every 600 seconds); None
        for both: never.
      session_config: the ConfigProto of sessions.
      keep_checkpoint_max: so many checkpoints are kept; 0 or None: all.
      log_step_count_steps: the loss and the speed are logged every so many steps.

    Raises:
      ValueError: for values that are out of range or exclude each other, and for a cluster's settings.
    """

    def __init__(
        self,
        model_dir: Any = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: Any = _GIVEN,
        save_checkpoints_secs: Any = _GIVEN,
        session_config: Any = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Any = None,
        protocol: Any = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: Any = None,
        session_creation_timeout_secs: float = 7200,
    ) -> None:
        if save_checkpoints_steps is _GIVEN and save_checkpoints_secs is _GIVEN:
            save_checkpoints_steps, save_checkpoints_secs = None, 600
        elif save_checkpoints_secs is _GIVEN:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is _GIVEN:
            save_checkpoints_steps = None
        elif save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError("`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.")
        for name, value in (
            ("train_distribute", train_distribute),
            ("eval_distribute", eval_distribute),
            ("experimental_distribute", experimental_distribute),
        ):
            if value is not None:
                raise ValueError(f"{name}: there are no distribution strategies here; leave it None, got {value!r}")
        if model_dir is not None and not model_dir:
            raise ValueError("model_dir should be non-empty.")
        if session_config is not None and not hasattr(session_config, "allow_soft_placement"):
            raise ValueError("session_config must be instance of ConfigProto")
        if tf_random_seed is not None and not isinstance(tf_random_seed, int):
            raise ValueError("tf_random_seed must be integer.")
        at_least_zero = {
            "save_summary_steps": save_summary_steps,
            "save_checkpoints_steps": save_checkpoints_steps,
            "save_checkpoints_secs": save_checkpoints_secs,
            "keep_checkpoint_max": keep_checkpoint_max,
        }
        for name, value in at_least_zero.items():
            if value is not None and value < 0:
                raise ValueError(f"{name} should be >= 0, got {value}")
        above_zero = {
            "keep_checkpoint_every_n_hours": keep_checkpoint_every_n_hours,
            "log_step_count_steps": log_step_count_steps,
            "session_creation_timeout_secs": session_creation_timeout_secs,
        }
        for name, value in above_zero.items():
            if value is not None and value <= 0:
                raise ValueError(f"{name} should be > 0, got {value}")
        if device_fn is not None and not callable(device_fn):
            raise ValueError(f"device_fn must be callable with exactly one argument, got {device_fn!r}")
        self._model_dir = None if model_dir is None else os.fsdecode(model_dir)
        self._tf_random_seed = tf_random_seed
        self._save_summary_steps = save_summary_steps
        self._save_checkpoints_steps = save_checkpoints_steps
        self._save_checkpoints_secs = save_checkpoints_secs
        self._session_config = session_config
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._log_step_count_steps = log_step_count_steps
        self._train_distribute = train_distribute
        self._device_fn = device_fn
        self._protocol = protocol
        self._eval_distribute = eval_distribute
        self._experimental_distribute = experimental_distribute
        self._experimental_max_worker_delay_secs = experimental_max_worker_delay_secs
        self._session_creation_timeout_secs = session_creation_timeout_secs

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with these settings instead.

        Raises:
          ValueError: if one of them cannot be replaced.
        """
        for name in kwargs:
            if name not in _REPLACEABLE:
                raise ValueError(f"Replacing {name} is not supported. Allowed properties are {_REPLACEABLE}.")
        settings = {name: getattr(self, f"_{name}") for name in _REPLACEABLE}
        # A new interval takes the place of the other one.
        if "save_checkpoints_steps" in kwargs and "save_checkpoints_secs" not in kwargs:
            settings["save_checkpoints_secs"] = None
        elif "save_checkpoints_secs" in kwargs and "save_checkpoints_steps" not in kwargs:
            settings["save_checkpoints_steps"] = None
        return RunConfig(**{**settings, **kwargs})

    def __getattr__(self, name: str) -> Any:
        if name in _REPLACEABLE:
            return self.__dict__[f"_{name}"]
        raise AttributeError(f"RunConfig has no attribute {name!r}")

    # -- of a cluster that has one machine -------------------------------------------------------------------------

    @property
    def cluster_spec(self) -> Any:
        from tfbench.train.cluster_spec import ClusterSpec

        return ClusterSpec({})

    evaluation_master = ""
    master = ""
    num_ps_replicas = 0
    num_worker_replicas = 1
    task_id = 0
    global_id_in_cluster = 0
    task_type = "worker"
    is_chief = True
    service = None


def settled(config: Any, model_dir: Any) -> RunConfig:
    """The settings that an Estimator was given, with a folder."""
    if config is None:
        config = RunConfig()
    elif isinstance(config, dict):
        config = RunConfig().replace(**config)
    elif not isinstance(config, RunConfig):
        raise ValueError(f"config must be an instance of `RunConfig`, but provided {config}.")
    if model_dir is not None:
        model_dir = os.fsdecode(model_dir)
        if config.model_dir is not None and config.model_dir != model_dir:
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with different values. In constructor: "
                f"'{model_dir}', in `RunConfig`: '{config.model_dir}' "
            )
        config = config.replace(model_dir=model_dir)
    elif config.model_dir is None:
        config = config.replace(model_dir=tempfile.mkdtemp())
        logging.warning("Using temporary folder as model directory: %s", config.model_dir)
    found: RunConfig = config
    return found


def session_config() -> Any:
    """The ConfigProto of sessions where the settings have none."""
    from tfbench.formats.protos import ConfigProto

    return ConfigProto(allow_soft_placement=True)
