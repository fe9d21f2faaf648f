"""`tf.test.Benchmark`: times of runs, and `StubOutForTesting`: attributes replaced for a while."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation

__all__ = ["Benchmark", "StubOutForTesting"]


class Benchmark:
    """The base of classes with methods `benchmark…` that time runs."""

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Times runs of an operation or of what makes a tensor (its value is not fetched), and reports the median.

        Returns:
          iters, wall_time (the median, in seconds), throughput (`mbs` by it), and the extras with the spread.
        """
        target = op_or_tensor if isinstance(op_or_tensor, Operation) else op_or_tensor.op
        for _ in range(burn_iters):
            sess.run(target, feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(target, feed_dict)
            times.append(time.perf_counter() - start)
        spread = {"wall_time_mean": float(np.mean(times)), "wall_time_stdev": float(np.std(times))}
        median = float(np.median(times))
        result: dict[str, Any] = {"iters": min_iters, "wall_time": median, "extras": {**(extras or {}), **spread}}
        if median > 0 and mbs:
            result["throughput"] = mbs / median
        self.report_benchmark(
            min_iters, throughput=result.get("throughput"), wall_time=median, extras=result["extras"], name=name
        )
        return result

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: Any = None,
    ) -> None:
        """Prints the results in one line."""
        values = {"iters": iters, "cpu_time": cpu_time, "wall_time": wall_time, "throughput": throughput}
        known = [f"{key}: {value:.6g}" for key, value in values.items() if value is not None]
        known += [f"{key}: {value}" for key, value in (extras or {}).items()]
        print(f"{name or type(self).__name__}: {', '.join(known)}")

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors in the default session, or a new one."""
        from tfbench.engine.default_graph import get_default_session
        from tfbench.engine.session import Session

        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with Session() as new:
            return new.run(tensors)


class StubOutForTesting:
    """Replaces attributes; `UnsetAll`, or the end of a `with` block, puts the old ones back."""

    def __init__(self) -> None:
        self._kept: list[tuple[Any, str, Any]] = []

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replaces an attribute."""
        old = parent.__dict__.get(child_name, getattr(parent, child_name))
        self._kept.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    SmartSet = Set

    def UnsetAll(self) -> None:
        """Puts all back, the last first."""
        while self._kept:
            parent, name, old = self._kept.pop()
            setattr(parent, name, old)

    SmartUnsetAll = CleanUp = UnsetAll

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *_: object) -> None:
        self.UnsetAll()
