"""`tf.train.ClusterSpec`: the jobs of a cluster, and where each of their tasks listens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ClusterSpec"]


class ClusterSpec:
    """Which tasks there are: `ClusterSpec({"ps": ["host:2222"], "worker": {0: "host:2223", 3: "host:2224"}})`.

    Raises:
      TypeError: for anything but such a dictionary, a ClusterDef message or another ClusterSpec.
    """

    def __init__(self, cluster: Any) -> None:
        self._jobs: dict[str, dict[int, str]] = {}
        if isinstance(cluster, ClusterSpec):
            self._jobs = {job: dict(tasks) for job, tasks in cluster._jobs.items()}
        elif isinstance(cluster, Mapping):
            self._jobs = {_text("Job name", job): _tasks(job, tasks) for job, tasks in cluster.items()}
        elif hasattr(cluster, "job") and hasattr(cluster, "DESCRIPTOR"):
            self._jobs = {job.name: dict(job.tasks) for job in cluster.job}
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                f"`ClusterDef` protocol buffer, but is {cluster!r}"
            )
        self._jobs = {job: dict(sorted(tasks.items())) for job, tasks in sorted(self._jobs.items())}

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has. ValueError if there is no such job."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's tasks. ValueError if there is no such job."""
        return list(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Where a task listens. ValueError if there is no such job or task."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(
                f"No task with index {task_index!r} in job {job_name!r}; it has {', '.join(map(str, tasks)) or 'none'}"
            )
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks by number, None where there is none. ValueError if there is no such job."""
        tasks = self._job(job_name)
        return [tasks.get(index) for index in range(max(tasks, default=-1) + 1)]

    def as_dict(self) -> dict[str, Any]:
        """The dictionary that makes this again; a job's tasks are a list where none is missing."""
        return {
            job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> Any:
        """This cluster as a ClusterDef message."""
        from tfbench.formats import protos

        found = protos.ClusterDef()
        for job, tasks in self._jobs.items():
            entry = found.job.add(name=job)
            for index, address in tasks.items():
                entry.tasks[index] = address
        return found

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._jobs:
            raise ValueError(f"No such job in cluster: {name!r}; it has {', '.join(map(repr, self._jobs)) or 'none'}")
        return self._jobs[name]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        jobs = ", ".join(f"{job!r}: {tasks!r}" for job, tasks in self.as_dict().items())
        return f"ClusterSpec({{{jobs}}})"


def _tasks(job: str, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    elif not isinstance(tasks, Mapping):
        raise TypeError(
            f"The tasks for job {job!r} must be a list or a dictionary from integers to strings, but are {tasks!r}."
        )
    return {int(index): _text("Task address", address) for index, address in tasks.items()}


def _text(what: str, value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"{what} {value!r} must be bytes or unicode")
    return value
