"""Optimizers of canned estimators: by name, made when they are needed, or given."""

from __future__ import annotations

from typing import Any

from tfbench.train.adagrad import AdagradOptimizer
from tfbench.train.adam import AdamOptimizer
from tfbench.train.ftrl import FtrlOptimizer
from tfbench.train.gradient_descent import GradientDescentOptimizer
from tfbench.train.optimizer import Optimizer
from tfbench.train.rmsprop import RMSPropOptimizer

_BY_NAME: dict[str, Any] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}


def optimizer_of(given: Any, learning_rate: float) -> Any:
    """The optimizer: an instance, what a function without arguments makes, or one by name with `learning_rate`.

    Raises:
      ValueError: for another name, or something that is no optimizer.
    """
    if isinstance(given, str):
        if given not in _BY_NAME:
            raise ValueError(f"Unsupported optimizer name: {given}. Supported names are: {tuple(sorted(_BY_NAME))}")
        return _BY_NAME[given](learning_rate=learning_rate)
    if callable(given):
        given = given()
    if not isinstance(given, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {given}")
    return given
