"""`Metric`: numbers kept in variables over many batches, and what is made of them.

Called with a batch, a metric gives its result after the batch. An object's `update_state` and `result` are wrapped when
it is made: an update goes among the metric's updates, a result is kept as what training fetches.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.init_scope import init_scope
from tfbench.engine.ops.weights_broadcast import broadcast_weights
from tfbench.engine.tensor import Tensor
from tfbench.initializers import zeros_initializer
from tfbench.keras.backend.config import floatx
from tfbench.keras.backend.values import batch_set_value, get_value
from tfbench.keras.engine.base_layer import Layer
from tfbench.keras.engine.weighted import matched, weights_like
from tfbench.variables.base import Variable


def cast(x: Any, dtype: Any) -> Any:
    """A tensor of that type; one that has it is given as it is, as 1.15's `cast` does."""
    return x if isinstance(x, Tensor) and x.dtype.base_dtype == as_dtype(dtype) else ops.cast(x, dtype)


def _updating(metric: Metric) -> Any:
    inner = metric.update_state

    @wraps(inner)
    def update_state(*args: Any, **kwargs: Any) -> Any:
        update = inner(*args, **kwargs)
        if update is not None:
            metric.add_update(update)
        return update

    return update_state


def _resulting(metric: Metric) -> Any:
    inner = metric.result

    @wraps(inner)
    def result() -> Any:
        value = vars(metric)["_call_result"] = ops.identity(inner())
        return value

    return result


class Metric(Layer):
    """The base of metrics. A subclass makes variables, and has `update_state` and `result`."""

    stateful = True

    def __new__(cls, *_: Any, **__: Any) -> Any:
        # Of this object alone: what a subclass calls of its base's is the plain method.
        made = object.__new__(cls)
        vars(made).update(update_state=_updating(made), result=_resulting(made))
        return made

    def __init__(self, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        vars(self).update(built=True, _dtype=floatx() if dtype is None else as_dtype(dtype).name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result after the batch that is given."""
        update = self.update_state(*args, **kwargs)
        with control_dependencies([] if update is None else [getattr(update, "op", update)]):
            value = self.result()
        value._metric_obj = self
        return value

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch; gives the operation. Subclasses replace it."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def result(self) -> Any:
        """The value so far. Subclasses replace it."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def reset_states(self) -> None:
        """Starts again: all variables are 0."""
        batch_set_value([(one, np.zeros(one.shape.as_list())) for one in self.variables])

    def add_weight(  # type: ignore[override]
        self, name: str, shape: Any = (), aggregation: Any = 0, synchronization: Any = 0, initializer: Any = None,
        dtype: Any = None,
    ) -> Any:  # fmt: skip
        """A variable of the metric, in no collection."""
        return super().add_weight(
            name=name,
            shape=shape,
            dtype=self.dtype if dtype is None else dtype,
            trainable=False,
            initializer=zeros_initializer() if initializer is None else initializer,
            collections=[],
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {"name": self.name, "dtype": self.dtype}


class _Reduce(Metric):
    """A sum, and a count where a mean is asked for."""

    _counts = True

    def __init__(self, name: str, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        with init_scope():
            self.total = self.add_weight("total")
            if self._counts:
                self.count = self.add_weight("count")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Adds numbers, with a weight each.

        The weights' shape is that of the numbers, or its first axes; then numbers are averaged along the others.
        """
        values = cast(values, self.dtype)
        if sample_weight is not None:
            sample_weight = cast(sample_weight, self.dtype)
            sample_weight = weights_like(values, sample_weight)
            try:
                sample_weight = broadcast_weights(sample_weight, values)
            except ValueError:
                others = list(range(sample_weight.shape.ndims, values.shape.ndims))
                values = (ops.reduce_mean if self._counts else ops.reduce_sum)(values, axis=others)
            values = ops.multiply(values, sample_weight)
        added = ops.reduce_sum(values)
        with control_dependencies([added]):
            update = self.total.assign_add(added)
        if not self._counts:
            return update
        if sample_weight is None:
            number = ops.cast(ops.size(values), self.dtype)
        else:
            number = ops.reduce_sum(sample_weight)
        with control_dependencies([update.op]):
            return self.count.assign_add(number)

    def result(self) -> Any:
        """The sum, or the mean: 0 of nothing."""
        return ops.div_no_nan(self.total, self.count) if self._counts else ops.identity(self.total)


class Sum(_Reduce):
    """The sum of numbers."""

    _counts = False

    def __init__(self, name: str = "sum", dtype: Any = None) -> None:
        super().__init__(name, dtype)


class Mean(_Reduce):
    """The weighted mean of numbers."""

    def __init__(self, name: str = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)


class MeanMetricWrapper(Mean):
    """The mean of a function of labels and predictions; further arguments are the function's."""

    _fn: Any
    _fn_kwargs: dict[str, Any]

    def __init__(self, fn: Any, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name or "", dtype=dtype)
        own = vars(self)
        own["_fn"], own["_fn_kwargs"] = fn, kwargs

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """Adds a batch of labels and predictions."""
        y_true, y_pred = cast(y_true, self.dtype), cast(y_pred, self.dtype)
        y_pred, y_true = matched(y_pred, y_true)
        return super().update_state(self._fn(y_true, y_pred, **self._fn_kwargs), sample_weight=sample_weight)

    def get_config(self) -> dict[str, Any]:
        plain = {
            key: get_value(value) if isinstance(value, (Tensor, Variable)) else value
            for key, value in self._fn_kwargs.items()
        }
        return {**super().get_config(), **plain}
