"""`tf.train.Server`: the tasks of a cluster, as far as one process can be one."""

from __future__ import annotations

import threading
from typing import Any

from tfbench import errors
from tfbench.train.cluster_spec import ClusterSpec

__all__ = ["Server"]


class Server:
    """This process as the only task of a cluster. It listens to nobody: sessions of this process run in it.

    Args:
      server_or_cluster_def: a ServerDef, a ClusterDef, a ClusterSpec or what makes one.
      job_name, task_index: which task this is; may be left out where there is one job, or one task.
      config: a ConfigProto, kept in `server_def`.

    Raises:
      ValueError: if it is not clear which task this is.
      UnimplementedError: if the cluster has other tasks.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        from tfbench.formats import protos

        message = protos.ServerDef()
        if isinstance(server_or_cluster_def, protos.ServerDef):
            message.CopyFrom(server_or_cluster_def)
        else:
            message.cluster.CopyFrom(ClusterSpec(server_or_cluster_def).as_cluster_def())
        if job_name is not None:
            message.job_name = job_name
        if task_index is not None:
            message.task_index = task_index
        if not message.job_name:
            if len(message.cluster.job) != 1:
                raise ValueError("Must specify an explicit `job_name`: the cluster has several jobs.")
            message.job_name = message.cluster.job[0].name
        tasks = ClusterSpec(message.cluster)
        if task_index is None and not isinstance(server_or_cluster_def, protos.ServerDef):
            if tasks.num_tasks(message.job_name) != 1:
                raise ValueError("Must specify an explicit `task_index`: the job has several tasks.")
            message.task_index = tasks.task_indices(message.job_name)[0]
        tasks.task_address(message.job_name, message.task_index)  # refuses what is not there
        message.protocol = protocol or message.protocol or "grpc"
        if config is not None:
            message.default_session_config.MergeFrom(config)
        count = sum(tasks.num_tasks(job) for job in tasks.jobs)
        if count > 1:
            raise errors.UnimplementedError(
                None,
                None,
                f"The cluster has {count} tasks, but this process can only be a cluster of one: sessions run in it "
                "alone. Leave out the other tasks, or place on several devices of this machine.",
            )
        self._server_def = message

    def start(self) -> None:
        """Does nothing: there is nothing to listen to."""

    def join(self) -> None:
        """Waits for ever, as a task that serves others does. An interrupt ends it."""
        threading.Event().wait()

    @property
    def server_def(self) -> Any:
        """The ServerDef message."""
        return self._server_def

    @property
    def target(self) -> str:
        """What to give to `tf.Session`: sessions run in this process."""
        return ""

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A server for this process alone."""
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)
