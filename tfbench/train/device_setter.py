"""`tf.train.replica_device_setter`: variables spread over parameter servers, everything else on the worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench import logging
from tfbench.engine.device_names import DeviceSpec
from tfbench.train.cluster_spec import ClusterSpec

__all__ = ["GreedyLoadBalancingStrategy", "RandomStrategy", "byte_size_load_fn", "replica_device_setter"]

#: op types that hold state which belongs on a parameter server
_STATE = (
    "Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2",
    "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2",
    "VarHandleOp", "BoostedTreesEnsembleResourceHandleOp", "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator", "DecisionTreeResource",
)  # fmt: skip


class _RoundRobin:
    """One task after the other."""

    def __init__(self, num_tasks: int) -> None:
        self._num_tasks = num_tasks
        self._next = 0

    def __call__(self, op: Any) -> int:
        task = self._next
        self._next = (task + 1) % self._num_tasks
        return task


class _Chooser:
    """The device function; TensorFlow's is a method too."""

    def __init__(
        self,
        ps_device: str | None,
        worker_device: str | None,
        merge: bool,
        ps_ops: Sequence[str],
        strategy: Callable[[Any], int],
    ) -> None:
        self._ps_device = ps_device
        self._worker_device = worker_device
        self._merge = merge
        self._ps_ops = ps_ops
        self._strategy = strategy

    def device_function(self, op: Any) -> str:
        """The device for `op` (an Operation or a NodeDef); what it asks for already goes first."""
        if not self._merge and op.device:
            return str(op.device)
        asked = DeviceSpec.from_string(op.device or "")
        kind = op.type if hasattr(op, "type") else op.op
        if not self._ps_device or kind not in self._ps_ops:
            return DeviceSpec.from_string(self._worker_device or "").make_merged_spec(asked).to_string()
        server = DeviceSpec.from_string(self._ps_device)
        if server.job and asked.job in (None, server.job):
            server = server.replace(task=self._strategy(op))
        return server.make_merged_spec(asked).to_string()


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str | None = "/job:ps",
    worker_device: str | None = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """A device function for `tf.device`: state goes to the tasks of `ps_device` in turn, the rest to workers.

    Args:
      ps_tasks: how many parameter servers there are; `cluster` (a ClusterSpec or what makes one) says it, too.
      merge_devices: whether what an op asks for already is completed, or stands alone.
      ps_ops: the op types that go to parameter servers; default: variables, tables and the like.
      ps_strategy: a function from such an op to the number of its task; default: one after the other.

    Returns:
      None where there are no parameter servers: nothing is to be changed then.

    Raises:
      TypeError: if `cluster` is no cluster or `ps_strategy` no function.
    """
    if cluster is not None:
        jobs = ClusterSpec(cluster).as_dict()
        job = DeviceSpec.from_string(ps_device).job
        if job not in jobs:
            return None
        ps_tasks = len(jobs[job])
    if ps_tasks == 0:
        return None
    if ps_strategy is None:
        ps_strategy = _RoundRobin(ps_tasks)
    elif not callable(ps_strategy):
        raise TypeError(f"ps_strategy must be callable, but is {ps_strategy!r}")
    if not merge_devices:
        logging.warning("replica_device_setter(merge_devices=False) leaves ops that ask for a device as they are.")
    chooser = _Chooser(ps_device, worker_device, merge_devices, _STATE if ps_ops is None else ps_ops, ps_strategy)
    return chooser.device_function


class GreedyLoadBalancingStrategy:
    """The task with the least load so far; `load_fn` says what an op adds to it."""

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        self._num_tasks = num_tasks
        self._load_fn = load_fn
        self._ps_loads = np.zeros(num_tasks)

    def __call__(self, op: Any) -> Any:
        task = np.argmin(self._ps_loads)
        self._ps_loads[task] += self._load_fn(op)
        return task


class RandomStrategy:
    """A task that the op's name decides, so that it is the same in every run."""

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op: Any) -> int:
        import hashlib

        return int(hashlib.md5(f"{op.name}_{self._seed}".encode()).hexdigest(), 16) % self._num_tasks


def byte_size_load_fn(op: Any) -> int:
    """The size of an op's one output in bytes.

    Raises:
      ValueError: if its shape is not fully known, or it has another number of outputs.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op.name!r} must have a single output, but has {len(op.outputs)}.")
    output = op.outputs[0]
    shape = output.get_shape()
    shape.assert_is_fully_defined()
    return int(output.dtype.size) * int(np.prod(shape.as_list(), dtype=np.int64))
