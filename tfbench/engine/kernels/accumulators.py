"""Accumulators: gradients of several replicas are put in, and their mean is taken out when there are enough.

A gradient that was computed from older variables than the present ones is stale, and left out. Taking begins the next
step. Who waits to take stands in line; see `kernels/queues.py`.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.resources import Resource
from tfbench.engine.shape_math import debug_string
from tfbench.engine.waiting import Waiter, timed_out

Array = Any


class _Attempt:
    __slots__ = ("error", "required", "result", "waiter")

    def __init__(self, required: int) -> None:
        self.required = required
        self.result: Any = None
        self.error: errors.OpError | None = None
        self.waiter: Waiter | None = None


class Accumulator(Resource):
    """What dense and sparse accumulators share: counting, and waiting. `shape` has None for unknown sizes."""

    def __init__(self, name: str, dtype: Any, shape: Sequence[int | None] | None, mean: bool, store: Any) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.mean = mean
        self.step = 0
        self.count = 0
        self._store = store
        self._lock = threading.Lock()
        self._line: deque[_Attempt] = deque()

    def put(self, step: int, gradient: Any) -> None:
        """Adds the gradient of a replica that was at `step`; a stale one is left out.

        Raises:
          InvalidArgumentError: if its shape is not the accumulator's.
        """
        with self._lock:
            if step < self.step:
                return
            self._check(gradient)
            self._add(gradient)
            self.count += 1
            self._serve()

    def take(self, required: int) -> Any:
        """The mean (or sum) of at least so many gradients; waits for them.

        Raises:
          InvalidArgumentError: unless `required` is at least 1.
          CancelledError: if the session is closed. DeadlineExceededError.
        """
        if required < 1:
            raise invalid(f"Argument num_required must be positive; got {required}")
        attempt = _Attempt(required)
        with self._lock:
            if self._store.cancelled:
                raise _cancelled()
            self._line.append(attempt)
            self._serve()
            waiter = None
            if attempt in self._line:
                waiter = attempt.waiter = Waiter()
        if waiter is not None:
            try:
                woken = waiter.wait()
            except BaseException:
                self._withdraw(attempt)
                raise
            if not woken and self._withdraw(attempt):
                raise timed_out()
        if attempt.error is not None:
            raise attempt.error
        return attempt.result

    def set_step(self, step: int) -> None:
        """Says which step the variables are at."""
        with self._lock:
            self.step = step

    def cancel_waiting(self) -> None:
        """The session is closed: nobody waits any more."""
        with self._lock:
            while self._line:
                attempt = self._line.popleft()
                attempt.error = _cancelled()
                if attempt.waiter is not None:
                    attempt.waiter.wake()

    def snapshot(self) -> Any:
        with self._lock:
            return self.step, self.count, self._copy()

    def restore(self, saved: Any) -> None:
        with self._lock:
            self.step, self.count, held = saved
            self._set(held)

    def _serve(self) -> None:
        while self._line and self.count >= self._line[0].required:
            attempt = self._line.popleft()
            attempt.result = self._result()
            self.step += 1
            self.count = 0
            if attempt.waiter is not None:
                attempt.waiter.wake()

    def _withdraw(self, attempt: _Attempt) -> bool:
        with self._lock:
            if attempt not in self._line:
                return False
            self._line.remove(attempt)
            self._serve()
            return True

    # -- what a kind of accumulator does (called under the lock) -----------------------------------------------------

    def _check(self, gradient: Any) -> None:
        raise NotImplementedError

    def _add(self, gradient: Any) -> None:
        raise NotImplementedError

    def _result(self) -> Any:
        raise NotImplementedError

    def _copy(self) -> Any:
        raise NotImplementedError

    def _set(self, held: Any) -> None:
        raise NotImplementedError


class DenseAccumulator(Accumulator):
    """Sums arrays of one shape."""

    _sum: Array = None

    def _check(self, gradient: Array) -> None:
        wanted = self.shape if self.count == 0 else self._sum.shape
        _check_shape(wanted, gradient.shape)

    def _add(self, gradient: Array) -> None:
        if self.count == 0:
            self._sum = np.array(gradient)
        else:
            self._sum += gradient

    def _result(self) -> Array:
        total, self._sum = self._sum, None
        return total if not self.mean else np.asarray(total / self.count).astype(total.dtype)

    def _copy(self) -> Any:
        return None if self._sum is None else self._sum.copy()

    def _set(self, held: Any) -> None:
        self._sum = None if held is None else held.copy()


class SparseAccumulator(Accumulator):
    """Sums rows by number. A gradient is (row numbers, rows, the dense shape or None)."""

    _rows: dict[int, Array] | None = None
    _counts: dict[int, int] | None = None

    def _check(self, gradient: Any) -> None:
        indices, values, shape = gradient
        if indices.ndim != 1 or not values.ndim or len(indices) != len(values):
            raise invalid(
                f"Sparse gradient: indices {list(indices.shape)} and values {list(values.shape)} must agree in rows."
            )
        if shape is not None and self.shape:
            _check_shape(self.shape, tuple(shape.tolist()))
        if self._rows:
            first = next(iter(self._rows.values()))
            if first.shape != values.shape[1:]:
                raise invalid(
                    f"Shape mismatch: expected values shape {list(first.shape)}, got {list(values.shape[1:])}"
                )

    def _add(self, gradient: Any) -> None:
        indices, values, _ = gradient
        if self._rows is None or self._counts is None:
            self._rows, self._counts = {}, {}
        seen: set[int] = set()
        for number, row in zip(indices.tolist(), values, strict=True):
            self._rows[number] = self._rows[number] + row if number in self._rows else np.array(row)
            seen.add(number)
        for number in seen:
            self._counts[number] = self._counts.get(number, 0) + 1

    def _result(self) -> Any:
        rows, counts = self._rows or {}, self._counts or {}
        numbers = sorted(rows)
        dtype = self.dtype.as_numpy_dtype
        values = [rows[number] / counts[number] if self.mean else rows[number] for number in numbers]
        inner: tuple[int, ...] = values[0].shape if values else ()
        made = np.array(values, dtype).reshape((len(numbers), *inner))
        # As TensorFlow has it, the shape is the accumulator's own, with -1 for what it does not know.
        dense = [-1 if size is None else size for size in self.shape or ()] or [-1, *inner]
        self._rows = self._counts = None
        return np.array(numbers, np.int64), made, np.array(dense, np.int64)

    def _copy(self) -> Any:
        return dict(self._rows or {}), dict(self._counts or {})

    def _set(self, held: Any) -> None:
        rows, counts = held
        self._rows, self._counts = dict(rows) or None, dict(counts) or None


def _check_shape(wanted: Any, found: tuple[int, ...]) -> None:
    if wanted is None:
        return
    if len(wanted) != len(found) or any(size is not None and size != has for size, has in zip(wanted, found)):
        raise invalid(f"Shape mismatch: expected shape {debug_string(wanted)}, got {debug_string(found)}")


def _cancelled() -> errors.CancelledError:
    return errors.CancelledError(None, None, "TakeGrad operation was cancelled")
