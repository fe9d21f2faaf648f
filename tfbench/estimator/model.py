"""One graph of an Estimator: what the input function and the model function build in it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tfbench import logging
from tfbench.data import make_initializable_iterator
from tfbench.data.dataset import Dataset
from tfbench.engine.default_graph import device
from tfbench.estimator.spec import EstimatorSpec
from tfbench.train.session_run_hook import SessionRunHook


class DatasetInitializerHook(SessionRunHook):
    """Initializes the iterator of a data set that an input function gave."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator
        self._initializer: Any = None

    def begin(self) -> None:
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._initializer)


def arguments_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of what a function takes; those that `functools.partial` gave are left out.

    Raises:
      TypeError: if it cannot be called.
    """
    if not callable(function):
        raise TypeError(f"unsupported callable: {function!r}")
    parameters = inspect.signature(function).parameters.values()
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    bound = getattr(function, "keywords", {})
    return tuple(each.name for each in parameters if each.kind in plain and each.name not in bound)


def check_model_function(model_fn: Any, params: Any) -> None:
    """Raises ValueError if a model function does not take what it will be given."""
    taken = set(arguments_of(model_fn))
    if "features" not in taken:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in taken:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to Estimator."
        )
    if params is None and "params" in taken:
        logging.warning(
            "Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.", model_fn
        )
    unknown = taken - {"features", "labels", "mode", "params", "config", "self"}
    if unknown:
        raise ValueError(f"model_fn ({model_fn}) has following not expected args: {sorted(unknown)}")


def call_input_function(input_fn: Any, mode: str, params: Any, config: Any) -> tuple[Any, Any, list[Any]]:
    """Features, labels (or None), and the hooks that the input needs.

    Raises:
      ValueError: if it gives a tuple that is no pair.
    """
    taken = arguments_of(input_fn)
    known = {"mode": mode, "params": params, "config": config}
    with device("/cpu:0"):
        result = input_fn(**{name: value for name, value in known.items() if name in taken})
        hooks: list[Any] = []
        if isinstance(result, Dataset):
            iterator = make_initializable_iterator(result)
            hooks.append(DatasetInitializerHook(iterator))
            result = iterator.get_next()
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError(
                f"input_fn should return (features, labels) as a len 2 tuple, but gave {len(result)} things."
            )
        return result[0], result[1], hooks
    return result, None, hooks


def call_model_function(
    model_fn: Any, features: Any, labels: Any, mode: str, params: Any, config: Any
) -> EstimatorSpec:
    """What the model function gives.

    Raises:
      ValueError: if it takes no labels and there are some, or it gives no EstimatorSpec.
    """
    taken = arguments_of(model_fn)
    given: dict[str, Any] = {}
    if "labels" in taken:
        given["labels"] = labels
    elif labels is not None:
        raise ValueError("model_fn does not take labels, but input_fn returns labels.")
    known = {"mode": mode, "params": params, "config": config}
    given.update((name, value) for name, value in known.items() if name in taken)
    logging.info("Calling model_fn.")
    spec = model_fn(features=features, **given)
    logging.info("Done calling model_fn.")
    if not isinstance(spec, EstimatorSpec):
        raise ValueError(f"model_fn should return an EstimatorSpec. It gave {spec!r}: is a `return` missing?")
    return spec
