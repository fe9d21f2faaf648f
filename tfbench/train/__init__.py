"""`tf.train`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tfbench.train.adadelta import AdadeltaOptimizer
from tfbench.train.adagrad import AdagradDAOptimizer, AdagradOptimizer, ProximalAdagradOptimizer
from tfbench.train.adam import AdamOptimizer
from tfbench.train.basic_hooks import (
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    StopAtStepHook,
)
from tfbench.train.batching import (
    batch,
    batch_join,
    maybe_batch,
    maybe_batch_join,
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    shuffle_batch,
    shuffle_batch_join,
)
from tfbench.train.checkpoint_reader import NewCheckpointReader, list_variables, load_checkpoint, load_variable
from tfbench.train.checkpoint_state import (
    checkpoint_exists,
    checkpoints_iterator,
    generate_checkpoint_state_proto,
    get_checkpoint_mtimes,
    get_checkpoint_state,
    latest_checkpoint,
    remove_checkpoint,
    update_checkpoint_state,
)
from tfbench.train.cluster_spec import ClusterSpec
from tfbench.train.coordinator import (
    Coordinator,
    LooperThread,
)
from tfbench.train.decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    polynomial_decay,
)
from tfbench.train.decay import piecewise_constant as piecewise_constant_decay
from tfbench.train.device_setter import replica_device_setter
from tfbench.train.ftrl import FtrlOptimizer
from tfbench.train.gradient_descent import GradientDescentOptimizer, ProximalGradientDescentOptimizer
from tfbench.train.hook_timers import (
    SecondOrStepTimer,
)
from tfbench.train.init_from_checkpoint import init_from_checkpoint
from tfbench.train.input_producers import (
    input_producer,
    limit_epochs,
    match_filenames_once,
    range_input_producer,
    slice_input_producer,
    string_input_producer,
)
from tfbench.train.meta_graphs import export_meta_graph, import_meta_graph, write_graph
from tfbench.train.momentum import MomentumOptimizer
from tfbench.train.monitored_session import (
    ChiefSessionCreator,
    MonitoredSession,
    MonitoredTrainingSession,
    SessionCreator,
    SingularMonitoredSession,
    WorkerSessionCreator,
)
from tfbench.train.moving_averages import ExponentialMovingAverage
from tfbench.train.optimizer import Optimizer
from tfbench.train.queue_runner import (
    QueueRunner,
    add_queue_runner,
    start_queue_runners,
)
from tfbench.train.rmsprop import RMSPropOptimizer
from tfbench.train.saver import Saver
from tfbench.train.saving_hooks import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    ProfilerHook,
    StepCounterHook,
    SummarySaverHook,
)
from tfbench.train.scaffold import (
    Scaffold,
)
from tfbench.train.server import (
    Server,
)
from tfbench.train.session_manager import (
    SessionManager,
)
from tfbench.train.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tfbench.train.supervisor import (
    Supervisor,
    basic_train_loop,
)
from tfbench.train.sync_replicas import (
    SyncReplicasOptimizer,
)
from tfbench.train.training_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from tfbench.train.warm_start import warm_start

__all__ = [
    "AdadeltaOptimizer",
    "AdagradDAOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "ChiefSessionCreator",
    "ClusterSpec",
    "Coordinator",
    "ExponentialMovingAverage",
    "FeedFnHook",
    "FinalOpsHook",
    "FtrlOptimizer",
    "GlobalStepWaiterHook",
    "GradientDescentOptimizer",
    "LoggingTensorHook",
    "LooperThread",
    "MomentumOptimizer",
    "MonitoredSession",
    "MonitoredTrainingSession",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "NewCheckpointReader",
    "Optimizer",
    "ProfilerHook",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer",
    "QueueRunner",
    "RMSPropOptimizer",
    "Saver",
    "Scaffold",
    "SecondOrStepTimer",
    "Server",
    "SessionCreator",
    "SessionManager",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "SingularMonitoredSession",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "Supervisor",
    "SyncReplicasOptimizer",
    "WorkerSessionCreator",
    "add_queue_runner",
    "assert_global_step",
    "basic_train_loop",
    "batch",
    "batch_join",
    "checkpoint_exists",
    "checkpoints_iterator",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "export_meta_graph",
    "generate_checkpoint_state_proto",
    "get_checkpoint_mtimes",
    "get_checkpoint_state",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "import_meta_graph",
    "init_from_checkpoint",
    "input_producer",
    "inverse_time_decay",
    "latest_checkpoint",
    "limit_epochs",
    "linear_cosine_decay",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "match_filenames_once",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "natural_exp_decay",
    "noisy_linear_cosine_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "range_input_producer",
    "remove_checkpoint",
    "replica_device_setter",
    "shuffle_batch",
    "shuffle_batch_join",
    "slice_input_producer",
    "start_queue_runners",
    "string_input_producer",
    "update_checkpoint_state",
    "warm_start",
    "write_graph",
]

#: messages of TensorFlow's protocol, which need protobuf
_MESSAGES = {
    "BytesList", "CheckpointState", "ClusterDef", "Example", "Feature", "FeatureList", "FeatureLists", "Features",
    "FloatList", "Int64List", "JobDef", "SaverDef", "SequenceExample", "ServerDef",
}  # fmt: skip

_ELSEWHERE = {
    "Checkpoint": ("tfbench.train.checkpoint", "Checkpoint"),
    "CheckpointManager": ("tfbench.train.checkpoint_manager", "CheckpointManager"),
    "SummaryWriter": ("tfbench.summary", "FileWriter"),
    "SummaryWriterCache": ("tfbench.summary", "FileWriterCache"),
    "summary_iterator": ("tfbench.summary.reading", "summary_iterator"),
}


def __getattr__(name: str) -> Any:
    """Messages are loaded when they are first asked for, and what few programs use."""
    if name in _MESSAGES:
        from tfbench.formats import protos

        return getattr(protos, name)
    if name in _ELSEWHERE:
        module, attribute = _ELSEWHERE[name]
        return getattr(import_module(module), attribute)
    raise AttributeError(f"module 'tfbench.train' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MESSAGES, *_ELSEWHERE})
