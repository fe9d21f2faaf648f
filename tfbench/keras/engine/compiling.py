"""`compile`: losses, metrics and the step, made into nodes.

What is made at once: targets, metrics, the total loss. The nodes of the step itself are made by the first call of
`fit`; and the loss is made again when weights of examples come or go.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.tensor import Tensor
from tfbench.keras import logging_of_keras as log
from tfbench.keras import losses, optimizers
from tfbench.keras.backend.control import Function, function
from tfbench.keras.backend.state import learning_phase
from tfbench.keras.engine.endpoints import (
    Endpoint,
    given_targets,
    loss_functions,
    set_loss_weights,
    set_weight_modes,
)
from tfbench.keras.engine.metric_choice import per_output
from tfbench.keras.engine.network import Network
from tfbench.keras.engine.weighted import Reduction, compute_weighted_loss, reduced, with_mask
from tfbench.keras.metrics.base import Mean


class Compiled(Network):
    """The part of a model that `compile` makes."""

    loss: Any
    loss_weights: Any
    sample_weight_mode: Any
    total_loss: Any
    _endpoints: list[Endpoint]
    _is_compiled: bool
    _compile_metrics: Any
    _compile_weighted_metrics: Any
    _compile_metric_functions: list[Any]
    _metrics_per_output: list[dict[str, Any]]
    _weighted_per_output: list[dict[str, Any]]
    _compiled_trainable: dict[Any, bool]
    _collected_trainable_weights: list[Any]
    _function_kwargs: dict[str, Any]
    optimizer: Any
    train_function: Function | None
    test_function: Function | None
    predict_function: Function | None

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        sample_weight_mode: Any = None,
        weighted_metrics: Any = None,
        target_tensors: Any = None,
        distribute: Any = None,
        **kwargs: Any,
    ) -> None:
        """Says how the model is trained.

        Args:
          optimizer: one of Keras's or of `tf.train`'s, or a name.
          loss: a name, function or object; with several outputs also a list or dictionary of them.
          metrics, weighted_metrics: lists of names, functions or objects; with several outputs also of lists.
          loss_weights: what the outputs' losses are multiplied by.
          sample_weight_mode: 'temporal' for weights of steps.
          target_tensors: tensors to use as targets instead of what `fit` is given.
          options, run_metadata, … : for `Session.run`.

        Raises:
          ValueError: if what is given does not fit the outputs.
        """
        if kwargs.pop("run_eagerly", None):
            raise ValueError("You can only set `run_eagerly=True` if eager execution is enabled.")
        kwargs.pop("experimental_run_tf_function", None)
        if distribute is not None:
            raise NotImplementedError("`distribute` is not there")
        self._note_state()
        vars(self).update(
            optimizer=optimizers.get(optimizer),
            loss=loss or {},
            loss_weights=loss_weights,
            sample_weight_mode=sample_weight_mode,
            _compile_metrics=metrics or [],
            _compile_weighted_metrics=weighted_metrics,
            _endpoints=[],
            _compile_metric_functions=[],
            _compiled_trainable=self._trainable_state(),
        )
        if not self.built or not self.inputs or not self.outputs:
            return
        vars(self).update(_is_compiled=True, _function_kwargs=kwargs)
        functions = loss_functions(self.loss, self.output_names)
        targets = given_targets(target_tensors, self.output_names)
        for output, name, one, target in zip(self.outputs, self.output_names, functions, targets, strict=True):
            endpoint = Endpoint(output, name, one)
            endpoint.make_target(target)
            self._endpoints.append(endpoint)
        set_loss_weights(self._endpoints, loss_weights)
        shapes = [None if one.shape.ndims is None else one.shape.as_list() for one in self.outputs]
        plain = per_output(metrics, self.output_names, shapes, functions)
        weighted = per_output(weighted_metrics, self.output_names, shapes, functions, weighted=True)
        self._name_metrics(plain, weighted)
        self._call_metrics(self._metrics_per_output, weighted=False)
        set_weight_modes(self._endpoints, sample_weight_mode)
        self._compile_loss()
        vars(self).update(
            train_function=None,
            test_function=None,
            predict_function=None,
            _collected_trainable_weights=self._unique_trainable_weights,
        )

    def _trainable_state(self) -> dict[Any, bool]:
        state = {self: self.trainable}
        for layer in self._parts():
            state |= layer._trainable_state() if isinstance(layer, Compiled) else {layer: layer.trainable}
        return state

    # -- metrics ----------------------------------------------------------------------------------------------------

    @property
    def metrics(self) -> list[Any]:
        """Those of `compile`, then those that the model and its layers have added."""
        found = list(self._compile_metric_functions) if self._is_compiled else []
        return [*found, *self._metrics, *_added(self._parts())]

    @property
    def metrics_names(self) -> list[str]:
        """What `fit` and `evaluate` report, in order: the loss, those of the outputs, the metrics."""
        names = ["loss"]
        if self._is_compiled:
            if len(self._endpoints) > 1:
                names += [one.loss_name for one in self._endpoints if one.has_loss]
            names += [metric.name for metric in self._compile_metric_functions]
        names += [metric.name for layer in self.layers for metric in layer._metrics]
        return [*names, *(metric.name for metric in self._metrics)]

    def _name_metrics(self, plain: list[dict[str, Any]], weighted: list[dict[str, Any]]) -> None:
        """Gives the metrics names that are the model's own, output by output."""
        kept: list[list[dict[str, Any]]] = [[], []]
        for at, endpoint in enumerate(self._endpoints):
            for which, found in enumerate((plain, weighted)):
                named: dict[str, Any] = {}
                for name, metric in found[at].items() if endpoint.has_loss else ():
                    own = self._own_name(name, at)
                    vars(metric)["_name"] = own
                    named[own] = metric
                    self._compile_metric_functions.append(metric)
                kept[which].append(named)
        if len(self._endpoints) > 1:
            for endpoint in self._endpoints:
                if endpoint.has_loss:
                    endpoint.loss_metric = Mean(name=endpoint.loss_name)
        vars(self)["_metrics_per_output"], vars(self)["_weighted_per_output"] = kept

    def _own_name(self, name: str, at: int) -> str:
        base = f"{self.output_names[at]}_{name}" if len(self.output_names) > 1 else name
        proposal, count = base, 0
        while proposal in self.metrics_names:
            count += 1
            proposal = f"{base}_{count}"
        return proposal

    def _call_metrics(self, found: list[dict[str, Any]], weighted: bool) -> None:
        graph = get_default_graph()
        with graph.name_scope("metrics"):
            for endpoint, own in zip(self._endpoints, found, strict=True):
                mask = getattr(endpoint.output, "_keras_mask", None)
                for name, metric in own.items():
                    with graph.name_scope(name):
                        weights = endpoint.sample_weight if weighted else None
                        weights = with_mask(mask, weights, endpoint.output.dtype)
                        metric(endpoint.target, endpoint.output, sample_weight=weights)

    def _reported(self) -> list[Any]:
        """The metrics whose results follow the loss."""
        if not self._is_compiled:
            return list(self.metrics)
        losses_of_outputs = [one.loss_metric for one in self._endpoints if one.loss_metric is not None]
        return [*losses_of_outputs, *self.metrics]

    def reset_metrics(self) -> None:
        """Has the metrics start again."""
        for metric in self._reported():
            metric.reset_states()

    # -- the loss ---------------------------------------------------------------------------------------------------

    def _compile_loss(self) -> None:
        for endpoint in self._endpoints:
            endpoint.make_weights()
        self._call_metrics(self._weighted_per_output, weighted=True)
        vars(self)["total_loss"] = self._total_loss()

    def _total_loss(self) -> Any:
        total: Any = None
        graph = get_default_graph()
        with graph.name_scope("loss"):
            for endpoint in self._endpoints:
                if not endpoint.has_loss:
                    continue
                loss_fn, output = endpoint.loss_fn, endpoint.output
                with graph.name_scope(endpoint.loss_name):
                    mask = getattr(output, "_keras_mask", None)
                    weights = with_mask(mask, endpoint.sample_weight, output.dtype)
                    if hasattr(loss_fn, "reduction"):
                        each = loss_fn.call(endpoint.target, output)
                        each = compute_weighted_loss(each, weights, Reduction.NONE)
                        kind = loss_fn.reduction
                        loss = reduced(each, Reduction.SUM_OVER_BATCH_SIZE if kind == Reduction.AUTO else kind)
                    else:
                        loss = loss_fn(endpoint.target, output, sample_weight=weights)
                if len(self.outputs) > 1:
                    endpoint.loss_metric(loss)
                weighted = endpoint.loss_weight * loss
                total = weighted if total is None else total + weighted
            if total is None:
                if not self.losses:
                    raise ValueError("The model cannot be compiled because it has no loss to optimize.")
                total = 0.0
            penalties = [*self.get_losses_for(None), *self.get_losses_for(self.inputs)]
            if penalties:
                total = total + ops.add_n(penalties)
        return total

    def _update_weight_modes(self, sample_weights: Any) -> None:
        """Whether there are weights now says whether there is a place for them."""
        given = bool(sample_weights) and any(one is not None for one in sample_weights)
        for endpoint in self._endpoints if self._is_compiled else ():
            endpoint.sample_weight_mode = (endpoint.sample_weight_mode or "samplewise") if given else None

    def _recompiled(self) -> bool:
        differs = self._is_compiled and any(one.weights_differ for one in self._endpoints if one.has_loss and one.fed)
        if differs:
            self._compile_loss()
        return differs

    # -- functions ----------------------------------------------------------------------------------------------------

    @property
    def _feed_targets(self) -> list[Any]:
        return [one.target for one in self._endpoints if one.has_loss and one.fed]

    @property
    def _feed_sample_weights(self) -> list[Any]:
        return [one.sample_weight for one in self._endpoints if one.sample_weight is not None]

    def _fed(self) -> list[Any]:
        return [*self._feed_inputs, *self._feed_targets, *self._feed_sample_weights]

    def _results(self) -> list[Any]:
        return [one._call_result for one in self._reported() if hasattr(one, "_call_result")]

    def _check_trainable(self) -> None:
        collected = vars(self).get("_collected_trainable_weights")
        if collected is not None and len(self._unique_trainable_weights) != len(collected):
            log.warning(
                "Discrepancy between trainable weights and collected trainable weights, did you set `model.trainable` "
                "without calling `model.compile` after ?"
            )

    def _make_train_function(self) -> Function:
        again = self._recompiled()
        self._check_trainable()
        inputs, phase = self._fed(), learning_phase()
        if again or _other(self.train_function, inputs):
            now = self._trainable_state()
            for layer, trainable in self._compiled_trainable.items():
                vars(layer)["_trainable"] = trainable
            graph = get_default_graph()
            with graph.name_scope("training"):
                updates = self.optimizer.get_updates(params=self._collected_trainable_weights, loss=self.total_loss)
                updates = [*updates, *self.get_updates_for(None), *self.get_updates_for(self.inputs)]
            with graph.name_scope("training"):
                vars(self)["train_function"] = function(
                    [*inputs, phase] if isinstance(phase, Tensor) else inputs,
                    [self.total_loss, *self._results()],
                    updates=updates,
                    name="train_function",
                    **self._function_kwargs,
                )
            for layer, trainable in now.items():
                vars(layer)["_trainable"] = trainable
        assert self.train_function is not None
        return self.train_function

    def _make_test_function(self) -> Function:
        if self._recompiled() or _other(self.test_function, self._fed()):
            with get_default_graph().name_scope("evaluation"):
                vars(self)["test_function"] = function(
                    self._fed(),
                    [self.total_loss, *self._results()],
                    updates=self.state_updates,
                    name="test_function",
                    **self._function_kwargs,
                )
        assert self.test_function is not None
        return self.test_function

    def _make_predict_function(self) -> Function:
        if vars(self).get("predict_function") is None:
            with get_default_graph().name_scope("predict"):
                vars(self)["predict_function"] = function(
                    self._feed_inputs,
                    self.outputs,
                    updates=self.state_updates,
                    name="predict_function",
                    **vars(self).get("_function_kwargs", {}),
                )
        assert self.predict_function is not None
        return self.predict_function

    def _assert_compiled(self) -> None:
        if not vars(self).get("optimizer"):
            raise RuntimeError(
                "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`."
            )


def _other(made: Function | None, inputs: list[Any]) -> bool:
    """Whether the function is not there, or has been made for other inputs."""
    if made is None:
        return True
    known = [one for one in made.inputs if one.op.type != "PlaceholderWithDefault" or one.shape.ndims != 0]
    return len(known) != len(inputs) or any(one is not other for one, other in zip(known, inputs, strict=True))


def _added(layers: Any) -> list[Any]:
    """The metrics that layers have added."""
    found: list[Any] = []
    for layer in layers:
        if isinstance(layer, Compiled):
            found += [*layer._metrics, *_added(layer._parts())]
        else:
            found += layer.metrics
    return found


#: what a model's loss may be
LossLike = str | losses.Loss | Any
