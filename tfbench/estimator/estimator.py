"""`tf.estimator.Estimator`: a model function, and a folder with the checkpoints of what it has learned.

Each call builds a graph of its own, runs it in a session of its own, and leaves what is to last in the folder.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping
from typing import Any

from tfbench import errors, logging, summary
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_collection
from tfbench.engine.graph import Graph
from tfbench.estimator.model import call_input_function, call_model_function, check_model_function
from tfbench.estimator.results import LOSS, batch_length, chosen, metrics_of, write
from tfbench.estimator.run_config import RunConfig, session_config, settled
from tfbench.estimator.spec import EstimatorSpec, ModeKeys
from tfbench.estimator.warm_start import WarmStartSettings
from tfbench.random import set_random_seed
from tfbench.train.basic_hooks import LoggingTensorHook, NanTensorHook, StopAtStepHook
from tfbench.train.checkpoint_reader import list_variables, load_variable
from tfbench.train.checkpoint_state import latest_checkpoint
from tfbench.train.evaluation import StopAfterNEvalsHook, evaluate_once
from tfbench.train.monitored_session import ChiefSessionCreator, MonitoredSession, MonitoredTrainingSession
from tfbench.train.saver import Saver
from tfbench.train.saving_hooks import CheckpointSaverHook, CheckpointSaverListener
from tfbench.train.session_run_hook import SessionRunHook
from tfbench.train.training_step import create_global_step, global_step_read
from tfbench.train.warm_start import warm_start

__all__ = ["Estimator"]


class Estimator:
    """Trains, evaluates and uses the model that `model_fn` builds.

    Args:
      model_fn: a function of `features`, and of `labels`, `mode`, `params` and `config` as far as it names them, that
        builds the model in the default graph and returns an EstimatorSpec.
      model_dir: where checkpoints and summaries go; default: `config.model_dir`, else a temporary folder.
      config: a RunConfig, or its settings by name.
      params: given to the functions that name it; a copy is kept.
      warm_start_from: a checkpoint, or WarmStartSettings: what variables start from where there is no checkpoint yet.

    Raises:
      ValueError: if `model_fn` does not take what it will be given, or folders disagree.
    """

    def __init__(
        self, model_fn: Any, model_dir: Any = None, config: Any = None, params: Any = None, warm_start_from: Any = None
    ) -> None:
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        check_model_function(model_fn, params)
        self._config = settled(config, model_dir)
        self._model_dir: str = self._config.model_dir
        logging.info("Using config: %s", vars(self._config))
        self._session_config = self._config.session_config or session_config()
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        if isinstance(warm_start_from, (str, bytes, os.PathLike)):
            warm_start_from = WarmStartSettings(os.fsdecode(warm_start_from))
        if warm_start_from is not None and not isinstance(warm_start_from, WarmStartSettings):
            raise ValueError(f"warm_start_from must be a string or WarmStartSettings, instead got {warm_start_from!r}")
        self._warm_start = warm_start_from

    # -- what it is ------------------------------------------------------------------------------------------------

    @property
    def model_dir(self) -> str:
        return self._model_dir

    @property
    def config(self) -> RunConfig:
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        """A copy."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Any:
        """The model function, of features, labels, mode and config."""

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return call_model_function(self._model_fn, features, labels, mode, self.params, config)

        return model_fn

    def get_variable_names(self) -> list[str]:
        """The names of what the latest checkpoint holds.

        Raises:
          ValueError: if there is none.
        """
        self._check_trained()
        return [name for name, _ in list_variables(self._model_dir)]

    def get_variable_value(self, name: str) -> Any:
        """A value of the latest checkpoint.

        Raises:
          ValueError: if there is none.
        """
        self._check_trained()
        return load_variable(self._model_dir, name)

    def latest_checkpoint(self) -> str | None:
        """The path of the latest checkpoint, or None."""
        return latest_checkpoint(self._model_dir)

    def eval_dir(self, name: str | None = None) -> str:
        """Where the summaries of an evaluation go."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    def _check_trained(self) -> None:
        if not self.latest_checkpoint():
            raise ValueError("Estimator has not been trained yet.")

    # -- training --------------------------------------------------------------------------------------------------

    def train(
        self, input_fn: Any, hooks: Any = None, steps: Any = None, max_steps: Any = None, saving_listeners: Any = None
    ) -> Estimator:
        """Trains until the input ends, or for `steps` steps, or until the global step is `max_steps`.

        Args:
          input_fn: a function that gives (features, labels), or a Dataset of them.
          saving_listeners: CheckpointSaverListeners, told of each checkpoint.

        Raises:
          ValueError: if both are given, or one is not above 0.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for name, count in (("steps", steps), ("max_steps", max_steps)):
            if count is not None and count <= 0:
                raise ValueError(f"Must specify {name} > 0, given: {count}")
        if max_steps is not None and self._trained_steps() >= max_steps:
            logging.info("Skipping training since max_steps has already saved.")
            return self
        all_hooks = _checked_hooks(hooks)
        if steps is not None or max_steps is not None:
            all_hooks.append(StopAtStepHook(steps, max_steps))
        listeners = list(saving_listeners or ())
        for listener in listeners:
            if not isinstance(listener, CheckpointSaverListener):
                raise TypeError(f"saving_listeners must be a list of CheckpointSaverListener, given: {listener}")
        loss = self._train(input_fn, all_hooks, listeners)
        logging.info("Loss for final step: %s.", loss)
        return self

    def _trained_steps(self) -> int:
        try:
            return int(load_variable(self._model_dir, GraphKeys.GLOBAL_STEP))
        except (ValueError, errors.NotFoundError):
            return 0

    def _train(self, input_fn: Any, hooks: list[Any], listeners: list[Any]) -> Any:
        config = self._config
        with Graph().as_default() as graph, graph.device(config.device_fn):
            set_random_seed(config.tf_random_seed)
            step = create_global_step(graph)
            global_step_read(graph)
            features, labels, input_hooks = self._input(input_fn, ModeKeys.TRAIN)
            spec = self._spec(features, labels, ModeKeys.TRAIN)
            if self._warm_start is not None and not self.latest_checkpoint():
                logging.info("Warm-starting with WarmStartSettings: %s", self._warm_start)
                warm_start(*self._warm_start)
            worker_hooks = [*input_hooks, *hooks, NanTensorHook(spec.loss)]
            if config.log_step_count_steps is not None:
                logged = {"loss": spec.loss, "step": step}
                worker_hooks.append(LoggingTensorHook(logged, every_n_iter=config.log_step_count_steps))
            worker_hooks += spec.training_hooks
            graph.add_to_collection(GraphKeys.LOSSES, spec.loss)
            if not any(tensor.op.name == LOSS for tensor in get_collection(GraphKeys.SUMMARIES)):
                summary.scalar(LOSS, spec.loss)
            if not (spec.scaffold.saver or get_collection(GraphKeys.SAVERS)):
                graph.add_to_collection(GraphKeys.SAVERS, self._saver())
            chief_hooks = self._saving_hooks(spec, worker_hooks, listeners)
            with MonitoredTrainingSession(
                checkpoint_dir=self._model_dir,
                scaffold=spec.scaffold,
                hooks=worker_hooks,
                chief_only_hooks=[*chief_hooks, *spec.training_chief_hooks],
                save_checkpoint_secs=0,
                save_summaries_steps=config.save_summary_steps,
                config=self._session_config,
                max_wait_secs=config.session_creation_timeout_secs,
                log_step_count_steps=config.log_step_count_steps,
            ) as session:
                loss, trained = None, False
                while not session.should_stop():
                    _, loss = session.run([spec.train_op, spec.loss])
                    trained = True
            if not trained:
                logging.warning("Training with estimator made no steps. Perhaps input is empty or misspecified.")
            return loss

    def _saver(self) -> Saver:
        return Saver(
            sharded=True,
            max_to_keep=self._config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=self._config.keep_checkpoint_every_n_hours,
            defer_build=True,
            save_relative_paths=True,
        )

    def _saving_hooks(self, spec: EstimatorSpec, hooks: list[Any], listeners: list[Any]) -> list[Any]:
        """A hook that saves checkpoints, unless the user has one; the listeners are told by whichever it is."""
        config = self._config
        made: list[Any] = []
        savers = [hook for hook in (*hooks, *spec.training_chief_hooks) if isinstance(hook, CheckpointSaverHook)]
        if not savers and (config.save_checkpoints_secs or config.save_checkpoints_steps):
            savers = made = [
                CheckpointSaverHook(
                    self._model_dir,
                    save_secs=config.save_checkpoints_secs,
                    save_steps=config.save_checkpoints_steps,
                    scaffold=spec.scaffold,
                )
            ]
        if listeners:
            if not savers:
                raise ValueError(
                    "There should be a CheckpointSaverHook to use saving_listeners. Please set one of the "
                    "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
                )
            savers[0]._listeners.extend(listeners)
        return made

    # -- evaluating ------------------------------------------------------------------------------------------------

    def evaluate(
        self, input_fn: Any, steps: Any = None, hooks: Any = None, checkpoint_path: Any = None, name: str | None = None
    ) -> dict[str, Any]:
        """The mean loss, the metrics of the model and the global step, over all of the input or `steps` batches.

        Args:
          checkpoint_path: default: the latest; where there is none, the model as it is initialized.
          name: of this evaluation, whose summaries go into a folder of their own.

        Raises:
          ValueError: if `steps` is not above 0.
        """
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        all_hooks = _checked_hooks(hooks)
        if steps is not None:
            all_hooks.append(StopAfterNEvalsHook(num_evals=steps))
        path = self._checkpoint(checkpoint_path, "evaluate")
        with Graph().as_default() as graph, graph.device(self._config.device_fn):
            set_random_seed(self._config.tf_random_seed)
            step = create_global_step(graph)
            features, labels, input_hooks = self._input(input_fn, ModeKeys.EVAL)
            spec = self._spec(features, labels, ModeKeys.EVAL)
            if self._warm_start is not None and path is None:
                warm_start(*self._warm_start)
            update, values = metrics_of(spec, step)
            results: dict[str, Any] = evaluate_once(
                checkpoint_path=path,
                scaffold=spec.scaffold,
                eval_ops=update,
                final_ops=values,
                hooks=[*input_hooks, *all_hooks, *spec.evaluation_hooks],
                config=self._session_config,
            )
        write(self.eval_dir(name), results, path)
        return results

    # -- predicting ------------------------------------------------------------------------------------------------

    def predict(
        self,
        input_fn: Any,
        predict_keys: Any = None,
        hooks: Any = None,
        checkpoint_path: Any = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """What the model predicts for the input, example by example (or batch by batch).

        Args:
          predict_keys: the names of predictions that are wanted; default: all.

        Raises:
          ValueError: if batches are not of one length, or no key is a prediction's.
        """
        all_hooks = _checked_hooks(hooks)
        path = self._checkpoint(checkpoint_path, "predict")
        with Graph().as_default() as graph, graph.device(self._config.device_fn):
            set_random_seed(self._config.tf_random_seed)
            create_global_step(graph)
            features, _, input_hooks = self._input(input_fn, ModeKeys.PREDICT)
            if not input_hooks and not get_collection(GraphKeys.QUEUE_RUNNERS):
                logging.warning(
                    "Input graph does not use tf.data.Dataset or contain a QueueRunner. That means predict yields "
                    "forever. This is probably a mistake."
                )
            spec = self._spec(features, None, ModeKeys.PREDICT)
            if self._warm_start is not None and path is None:
                warm_start(*self._warm_start)
            predictions = chosen(spec.predictions, predict_keys)
            creator = ChiefSessionCreator(
                scaffold=spec.scaffold, config=self._session_config, checkpoint_filename_with_path=path
            )
            used = [*input_hooks, *all_hooks, *spec.prediction_hooks]
            with MonitoredSession(session_creator=creator, hooks=used) as session:
                while not session.should_stop():
                    values = session.run(predictions)
                    if not yield_single_examples:
                        yield values
                    elif isinstance(values, Mapping):
                        for number in range(batch_length(values)):
                            yield {key: value[number] for key, value in values.items()}
                    else:
                        yield from values

    # -- exporting -------------------------------------------------------------------------------------------------

    def export_saved_model(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Any,
        assets_extra: Any = None,
        as_text: bool = False,
        checkpoint_path: Any = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Writes the model as a SavedModel into a folder of its own under `export_dir_base`; gives its path.

        Raises:
          ValueError: if there is no checkpoint, or the model says nothing to export.
        """
        from tfbench.estimator.exporting import export

        path = checkpoint_path or self.latest_checkpoint()
        if not path:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        with Graph().as_default() as graph:
            create_global_step(graph)
            set_random_seed(self._config.tf_random_seed)
            receiver = serving_input_receiver_fn()
            spec = self._spec(receiver.features, getattr(receiver, "labels", None), experimental_mode)
            return export(spec, receiver, export_dir_base, path, self._session_config, assets_extra, as_text)

    def export_savedmodel(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Any,
        assets_extra: Any = None,
        as_text: bool = False,
        checkpoint_path: Any = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """The older name of `export_saved_model`."""
        return self.export_saved_model(
            export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path
        )

    # -- graphs ----------------------------------------------------------------------------------------------------

    def _input(self, input_fn: Any, mode: str) -> tuple[Any, Any, list[Any]]:
        return call_input_function(input_fn, mode, self.params, self.config)

    def _spec(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        return call_model_function(self._model_fn, features, labels, mode, self.params, self.config)

    def _checkpoint(self, given: Any, purpose: str) -> str | None:
        path: str | None = given or self.latest_checkpoint()
        if not path:
            logging.info(
                "Could not find trained model in model_dir: %s, running initialization to %s.", self._model_dir, purpose
            )
        return path


def _checked_hooks(hooks: Any) -> list[Any]:
    found = list(hooks or ())
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"Hooks must be a SessionRunHook, given: {hook}")
    return found
