"""`tf.keras.losses`: functions of labels and predictions, by name, and as objects that also weigh and reduce.

A function gives one loss for each example (and each step, …): the mean over the last axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend import neural, nn
from tfbench.keras.backend.config import epsilon, floatx
from tfbench.keras.backend.elementwise import clip, mean
from tfbench.keras.backend.values import get_value
from tfbench.keras.engine.weighted import Reduction, compute_weighted_loss
from tfbench.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object
from tfbench.layers.core import smart_cond
from tfbench.variables.base import Variable


def _alike(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Labels of the predictions' type, and predictions."""
    y_pred = convert_to_tensor(y_pred)
    if isinstance(y_true, Tensor) and y_true.dtype == y_pred.dtype:
        return y_true, y_pred
    return ops.cast(y_true, y_pred.dtype), y_pred


# -- functions ---------------------------------------------------------------------------------------------------


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """mean (y_pred - y_true)**2"""
    y_true, y_pred = _alike(y_true, y_pred)
    return mean(ops.squared_difference(y_pred, y_true), axis=-1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """mean |y_pred - y_true|"""
    y_true, y_pred = _alike(y_true, y_pred)
    return mean(ops.abs(y_pred - y_true), axis=-1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """100 mean |y_true - y_pred| / |y_true|"""
    y_true, y_pred = _alike(y_true, y_pred)
    difference = ops.abs((y_true - y_pred) / clip(ops.abs(y_true), epsilon(), None))
    return 100.0 * mean(difference, axis=-1)


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """mean (log(1 + y_pred) - log(1 + y_true))**2"""
    y_true, y_pred = _alike(y_true, y_pred)
    found = ops.log(clip(y_pred, epsilon(), None) + 1.0)
    wanted = ops.log(clip(y_true, epsilon(), None) + 1.0)
    return mean(ops.squared_difference(found, wanted), axis=-1)


def _signs(y_true: Any) -> Any:
    """Labels 0 and 1 as -1 and 1; others as they are."""
    zeros, ones = ops.equal(y_true, 0), ops.equal(y_true, 1)
    binary = ops.reduce_all(ops.logical_or(zeros, ones))
    return smart_cond(binary, lambda: 2.0 * y_true - 1.0, lambda: y_true)


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """mean max(1 - y_true y_pred, 0)**2, with labels -1 and 1 (or 0 and 1)"""
    y_true, y_pred = _alike(y_true, y_pred)
    y_true = _signs(y_true)
    return mean(ops.square(ops.maximum(1.0 - y_true * y_pred, 0.0)), axis=-1)


def hinge(y_true: Any, y_pred: Any) -> Any:
    """mean max(1 - y_true y_pred, 0), with labels -1 and 1 (or 0 and 1)"""
    y_true, y_pred = _alike(y_true, y_pred)
    y_true = _signs(y_true)
    return mean(ops.maximum(1.0 - y_true * y_pred, 0.0), axis=-1)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """max(0, largest wrong score - right score + 1)"""
    y_true, y_pred = _alike(y_true, y_pred)
    right = ops.reduce_sum(y_true * y_pred, axis=-1)
    wrong = ops.reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return ops.maximum(0.0, wrong - right + 1.0)


def huber_loss(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """error**2 / 2 up to `delta`, linear beyond; for each element"""
    y_pred, y_true = _as_float(y_pred), _as_float(y_true)
    error = ops.abs(ops.subtract(y_pred, y_true))
    quadratic = ops.minimum(error, delta)
    linear = ops.subtract(error, quadratic)
    half = convert_to_tensor(0.5, dtype=quadratic.dtype)
    return ops.add(ops.multiply(half, ops.multiply(quadratic, quadratic)), ops.multiply(delta, linear))


def _as_float(x: Any) -> Any:
    return x if isinstance(x, Tensor) and x.dtype.name == floatx() else ops.cast(x, floatx())


def logcosh(y_true: Any, y_pred: Any) -> Any:
    """mean log(cosh(y_pred - y_true))"""
    y_true, y_pred = _alike(y_true, y_pred)
    x = y_pred - y_true
    return mean(x + nn.softplus(-2.0 * x) - ops.log(2.0), axis=-1)


def categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: Any = 0) -> Any:
    """-sum y_true log(y_pred)"""
    y_true, y_pred = _alike(y_true, y_pred)
    smoothing = convert_to_tensor(label_smoothing, dtype=floatx())

    def smoothed() -> Any:
        classes = ops.cast(ops.shape(y_true)[1], y_pred.dtype)
        return y_true * (1.0 - smoothing) + smoothing / classes

    return neural.categorical_crossentropy(smart_cond(smoothing, smoothed, lambda: y_true), y_pred, from_logits)


def sparse_categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """-log(y_pred[y_true]), with labels that are numbers of classes"""
    return neural.sparse_categorical_crossentropy(y_true, y_pred, from_logits=from_logits, axis=axis)


def binary_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: Any = 0) -> Any:
    """mean of -y_true log(y_pred) - (1 - y_true) log(1 - y_pred)"""
    y_true, y_pred = _alike(y_true, y_pred)
    smoothing = convert_to_tensor(label_smoothing, dtype=floatx())
    labels = smart_cond(smoothing, lambda: y_true * (1.0 - smoothing) + 0.5 * smoothing, lambda: y_true)
    return mean(neural.binary_crossentropy(labels, y_pred, from_logits=from_logits), axis=-1)


def kullback_leibler_divergence(y_true: Any, y_pred: Any) -> Any:
    """sum y_true log(y_true / y_pred)"""
    y_true, y_pred = _alike(y_true, y_pred)
    y_true, y_pred = clip(y_true, epsilon(), 1), clip(y_pred, epsilon(), 1)
    return ops.reduce_sum(y_true * ops.log(y_true / y_pred), axis=-1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """mean y_pred - y_true log(y_pred)"""
    y_true, y_pred = _alike(y_true, y_pred)
    return mean(y_pred - y_true * ops.log(y_pred + epsilon()), axis=-1)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """The cosine of the angle between labels and predictions"""
    y_true, y_pred = nn.l2_normalize(y_true, axis=axis), nn.l2_normalize(y_pred, axis=axis)
    return ops.reduce_sum(y_true * y_pred, axis=axis)


cosine_similarity.__name__ = "cosine_proximity"
cosine_proximity = cosine = cosine_similarity
mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence


# -- objects -----------------------------------------------------------------------------------------------------


class Loss:
    """The base of losses as objects: called, it weighs the losses that `call` gives and reduces them.

    Raises:
      ValueError: for what is no reduction.
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = None) -> None:
        Reduction.validate(reduction)
        self.reduction = reduction
        self.name = name

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        name = "lambda" if self.name == "<lambda>" else self.name or type(self).__name__
        with get_default_graph().name_scope(name):
            return compute_weighted_loss(self.call(y_true, y_pred), sample_weight, self.reduction)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example. Subclasses replace it."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """One with the arguments that `get_config` gave."""
        return cls(**config)


class LossFunctionWrapper(Loss):
    """A function as an object; further arguments are the function's."""

    def __init__(
        self, fn: Callable[..., Any], reduction: str = Reduction.AUTO, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(reduction, name)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return self.fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self) -> dict[str, Any]:
        plain = {
            key: get_value(value) if isinstance(value, (Tensor, Variable)) else value
            for key, value in self._fn_kwargs.items()
        }
        return {**super().get_config(), **plain}


def _class(kind: str, function: Callable[..., Any], name: str | None = None, **options: Any) -> type[Any]:
    """A class of losses: the options of `function` first, then how it is reduced and named."""
    names = [*options, "reduction", "name"]
    defaults = {**options, "reduction": Reduction.AUTO, "name": name or function.__name__}

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) > len(names):
            raise TypeError(f"{kind} takes at most {len(names)} arguments: {', '.join(names)}")
        for unknown in kwargs:
            if unknown not in names:
                raise TypeError(f"{kind}.__init__() got an unexpected keyword argument {unknown!r}")
        LossFunctionWrapper.__init__(self, function, **{**defaults, **dict(zip(names, args, strict=False)), **kwargs})

    doc = f"`{function.__name__}` as an object. Arguments: {', '.join(names)}."
    return type(kind, (LossFunctionWrapper,), {"__init__": init, "__doc__": doc, "__module__": __name__})


MeanSquaredError = _class("MeanSquaredError", mean_squared_error)
MeanAbsoluteError = _class("MeanAbsoluteError", mean_absolute_error)
MeanAbsolutePercentageError = _class("MeanAbsolutePercentageError", mean_absolute_percentage_error)
MeanSquaredLogarithmicError = _class("MeanSquaredLogarithmicError", mean_squared_logarithmic_error)
BinaryCrossentropy = _class("BinaryCrossentropy", binary_crossentropy, from_logits=False, label_smoothing=0)
CategoricalCrossentropy = _class(
    "CategoricalCrossentropy", categorical_crossentropy, from_logits=False, label_smoothing=0
)
SparseCategoricalCrossentropy = _class(
    "SparseCategoricalCrossentropy", sparse_categorical_crossentropy, from_logits=False
)
Hinge = _class("Hinge", hinge)
SquaredHinge = _class("SquaredHinge", squared_hinge)
CategoricalHinge = _class("CategoricalHinge", categorical_hinge)
Poisson = _class("Poisson", poisson)
LogCosh = _class("LogCosh", logcosh)
KLDivergence = _class("KLDivergence", kullback_leibler_divergence)
Huber = _class("Huber", huber_loss, delta=1.0)
CosineSimilarity = _class("CosineSimilarity", cosine_similarity, name="cosine_similarity", axis=-1)


def serialize(loss: Any) -> Any:
    """A loss as plain data."""
    return serialize_keras_object(loss)


def deserialize(name: Any, custom_objects: Any = None) -> Any:
    """A loss from what `serialize` gave."""
    known = {key: one for key, one in globals().items() if key in _NAMES or key == "huber_loss"}
    return deserialize_keras_object(name, known, custom_objects, "loss function")


def get(identifier: Any) -> Any:
    """A loss from itself, its name or its plain data; None stays None.

    Raises:
      ValueError: for anything else, or a name that there is not.
    """
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError("Could not interpret loss function identifier:", identifier)


_NAMES = (
    "BinaryCrossentropy", "CategoricalCrossentropy", "CategoricalHinge", "CosineSimilarity", "Hinge", "Huber", "KLD",
    "KLDivergence", "LogCosh", "Loss", "MAE", "MAPE", "MSE", "MSLE", "MeanAbsoluteError",
    "MeanAbsolutePercentageError", "MeanSquaredError", "MeanSquaredLogarithmicError", "Poisson",
    "SparseCategoricalCrossentropy", "SquaredHinge", "binary_crossentropy", "categorical_crossentropy",
    "categorical_hinge", "cosine", "cosine_proximity", "cosine_similarity", "hinge", "kld",
    "kullback_leibler_divergence", "logcosh", "mae", "mape", "mean_absolute_error",
    "mean_absolute_percentage_error", "mean_squared_error", "mean_squared_logarithmic_error", "mse", "msle", "poisson",
    "sparse_categorical_crossentropy", "squared_hinge",
)  # fmt: skip


def __dir__() -> list[str]:
    return [*_NAMES, "deserialize", "get", "serialize"]
