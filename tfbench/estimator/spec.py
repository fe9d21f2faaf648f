"""What a model function gives back: the parts of the graph that it built, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.graph import Operation
from tfbench.engine.ops import reshape
from tfbench.engine.tensor import Tensor
from tfbench.estimator.export import ExportOutput
from tfbench.train.scaffold import Scaffold
from tfbench.train.session_run_hook import SessionRunHook

__all__ = ["EstimatorSpec", "ModeKeys"]


class ModeKeys:
    """What a model function builds for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class _Fields(NamedTuple):
    mode: Any
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    export_outputs: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any
    evaluation_hooks: Any
    prediction_hooks: Any


class EstimatorSpec(_Fields):
    """The operations and objects that an Estimator needs, by mode.

    Args:
      mode: one of ModeKeys.
      predictions: a tensor, or tensors by name; needed to predict.
      loss: a scalar (or a vector with one element); needed to train and to evaluate.
      train_op: what trains one step; needed to train.
      eval_metric_ops: by name, pairs of a metric's value and its update.
      export_outputs: ExportOutput objects by name, for `export_saved_model`.
      training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks: SessionRunHooks.
      scaffold: what initializes and saves; default: everything.

    Raises:
      ValueError: if something that `mode` needs is missing, is no scalar, or is of another graph.
      TypeError: if something is of a wrong type.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: Any,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        export_outputs: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
        evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ) -> EstimatorSpec:
        if train_op is None and mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        if loss is None and mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        if predictions is None and mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions.")
        if train_op is not None:
            _check_element(train_op, "train_op", (Operation, Tensor))
        if loss is not None:
            loss = _scalar(_check_element(loss, "loss", (Tensor,)))
        predictions = {} if predictions is None else predictions
        for name, value in _named("predictions", predictions):
            _check_element(value, name, (Tensor,))
        metrics = {} if eval_metric_ops is None else eval_metric_ops
        _check_metrics(metrics)
        _check_outputs(export_outputs)
        hooks = [
            tuple(given) if given else () for given in (training_chief_hooks, training_hooks, evaluation_hooks,
                                                        prediction_hooks)
        ]  # fmt: skip
        for hook in (hook for given in hooks for hook in given):
            if not isinstance(hook, SessionRunHook):
                raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
        scaffold = scaffold or Scaffold()
        if not isinstance(scaffold, Scaffold):
            raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
        return super().__new__(
            cls, mode, predictions, loss, train_op, metrics, export_outputs, hooks[0], hooks[1], scaffold, hooks[2],
            hooks[3],
        )  # fmt: skip


def _named(name: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(f"{name}[{key}]", item) for key, item in value.items()]
    return [(name, value)]


def _check_element(value: Any, name: str, kinds: tuple[type, ...]) -> Any:
    element = value._as_graph_element() if hasattr(value, "_as_graph_element") else value
    if not isinstance(element, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{name} must be {wanted}, given: {value}")
    _check_graph(element, name)
    return value


def _check_graph(element: Any, name: str) -> None:
    if element.graph is not get_default_graph():
        raise ValueError(
            f'{name} with "{element.name}" must be from the default graph. Possible causes of this error include: \n\n'
            f"1) {name} was created outside the context of the default graph.\n\n"
            '2) The object passed through to EstimatorSpec was not created in the most recent call to "model_fn".'
        )


def _scalar(loss: Any) -> Any:
    shape = loss.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    return loss if shape.is_compatible_with([]) and shape.ndims == 0 else reshape(loss, [])


def _check_metrics(metrics: Any) -> None:
    if not isinstance(metrics, Mapping):
        raise TypeError(f"eval_metric_ops must be a dict, given: {metrics}")
    for key, pair in metrics.items():
        if not (isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2):
            raise TypeError(
                f"Values of eval_metric_ops must be (metric_value, update_op) tuples, given: {pair} for key: {key}"
            )
        for part in pair:
            element = part._as_graph_element() if hasattr(part, "_as_graph_element") else part
            if not isinstance(element, (Tensor, Operation)):
                raise TypeError(f"eval_metric_ops[{key}] must be tensors or operations, given: {part}")
            _check_graph(element, f"eval_metric_ops[{key}]")


def _check_outputs(outputs: Any) -> None:
    if outputs is None:
        return
    if not isinstance(outputs, Mapping):
        raise TypeError(f"export_outputs must be dict, given: {outputs}")
    if not all(isinstance(output, ExportOutput) for output in outputs.values()):
        raise TypeError(f"Values in export_outputs must be ExportOutput objects. Given: {outputs}")
