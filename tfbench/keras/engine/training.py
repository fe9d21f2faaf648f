"""`Model`: a network that can be trained."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import nest, ops
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend.config import floatx
from tfbench.keras.backend.state import learning_phase
from tfbench.keras.engine import feeding, loop, sources
from tfbench.keras.engine.endpoints import set_weight_modes
from tfbench.keras.engine.loop import PREDICT, TEST, TRAIN, Data, Loop
from tfbench.keras.engine.storable import Storable


class Model(Storable):
    """Layers put together.

    Either `Model(inputs, outputs)`, with tensors that come from `Input` and layers, or a subclass with a `call`.
    """

    stop_training = False
    history: Any = None

    # -- what it begins and ends with -------------------------------------------------------------------------------

    def _after_call(self, inputs: Any, outputs: Any) -> None:
        if not self.inputs:
            self._set_ends(inputs, outputs)

    def _set_ends(self, inputs: Any, outputs: Any) -> None:
        """What a model without a graph begins and ends with, known from its first call."""
        flat, ends = nest.flatten(inputs), nest.flatten(outputs)
        names = sorted(inputs) if isinstance(inputs, dict) else [f"input_{at + 1}" for at in range(len(flat))]
        fed = [at for at, tensor in enumerate(flat) if tensor.op.type == "Placeholder"]
        vars(self).update(
            inputs=flat,
            outputs=ends,
            input_names=names,
            output_names=[f"output_{at + 1}" for at in range(len(ends))],
            _feed_inputs=[flat[at] for at in fed],
            _feed_input_names=[names[at] for at in fed],
            _feed_input_shapes=[tuple(flat[at].shape.as_list()) for at in fed],
            built=True,
        )

    def _begin_with(self, x: Any) -> None:
        """Calls the model on placeholders like the data, which is the first that is known of its inputs."""

        def place(name: str, value: Any) -> Any:
            if isinstance(value, Tensor):
                return value
            value = np.asarray(value)
            kind = as_dtype(value.dtype)
            shape = (None, *value.shape[1:]) if value.ndim > 1 else (None, 1)
            return ops.placeholder(as_dtype(floatx()) if kind.is_floating else kind, shape=shape, name=name)

        if isinstance(x, dict):
            inputs: Any = {name: place(name, x[name]) for name in sorted(x)}
        elif isinstance(x, (list, tuple)):
            inputs = [place(f"input_{at + 1}", one) for at, one in enumerate(x)]
        else:
            inputs = place("input_1", x)
        vars(self)["inputs"] = nest.flatten(inputs)
        if "_build_input_shape" in vars(self):
            vars(self)["_build_input_shape"] = (None, *nest.flatten(inputs)[0].shape.as_list()[1:])
        outputs = self(inputs, **({"training": learning_phase()} if self._takes.training else {}))
        self._set_ends(inputs, outputs)

    # -- data -------------------------------------------------------------------------------------------------------

    def _standardize(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """Inputs, targets and weights as lists of arrays, as many as the model is fed.

        Raises:
          ValueError, TypeError: if they do not fit the model.
        """
        if not self.inputs:
            self._begin_with(x)
        if not self._is_compiled and vars(self).get("optimizer"):
            self.compile(
                self.optimizer, self.loss, self._compile_metrics, self.loss_weights, self.sample_weight_mode,
                self._compile_weighted_metrics,
            )  # fmt: skip
        shapes = self._feed_input_shapes if self._is_graph_network else None
        inputs = feeding.arrays_of(x, self._feed_input_names, shapes, "input")
        if y is None:
            return inputs, [], []
        set_weight_modes(self._endpoints, self.sample_weight_mode)
        fed = [one for one in self._endpoints if one.has_loss and one.fed]
        names = [one.name for one in fed]
        targets = feeding.arrays_of(y, names, None, "target")
        given = feeding.weights_of(sample_weight, names, "sample_weight")
        by_class = feeding.weights_of(class_weight, names, "class_weight")
        weights = [
            feeding.example_weights(target, one, of_class, endpoint.sample_weight_mode)
            for target, one, of_class, endpoint in zip(targets, given, by_class, fed, strict=True)
        ]
        feeding.check_lengths(inputs, targets, weights)
        if self._is_graph_network:
            feeding.check_targets(targets, [one.loss_fn for one in fed], [one.target_shape for one in fed])
        if all(one.sample_weight_mode is None for one in fed) and all(one is None for one in weights):
            weights = []
        return inputs, targets, weights

    def _batch_size(self, batch_size: int | None, steps: int | None) -> int | None:
        """What is asked for, or what the first layer says, or 32; none where steps are counted."""
        layers = self._parts()
        shape = getattr(layers[0], "_batch_input_shape", None) if layers else None
        fixed = shape[0] if shape else None
        if fixed is not None:
            if batch_size is not None and batch_size != fixed:
                raise ValueError(
                    f"The `batch_size` argument value {batch_size} is incompatible with the specified batch size of "
                    f"your Input Layer: {fixed}"
                )
            batch_size = fixed if steps is None else batch_size
        return 32 if batch_size is None and steps is None else batch_size

    def _data(
        self, x: Any, y: Any, mode: str, batch_size: int | None = None, steps: int | None = None,
        sample_weight: Any = None, class_weight: Any = None, split: float = 0.0, name: str = "steps",
        shuffle: Any = False,
    ) -> tuple[Data, Data | None]:  # fmt: skip
        """What the loop goes through, and what is kept back for validation."""
        if sources.is_source(x):
            sources.check_alone(x, y, sample_weight, split)
            return sources.batches(self, x, mode, steps, name, class_weight, bool(shuffle)), None
        batch_size = self._batch_size(batch_size, steps)
        if steps is not None and batch_size is not None and not sources.has_tensors(x):
            raise ValueError(
                f"The `{name}` argument, which says how many batches an epoch has, is for tensors and data sets; the "
                "batches of arrays follow from `batch_size`."
            )
        if steps is None and sources.has_tensors(x):
            raise ValueError(f"When using data tensors as input to a model, you should specify the `{name}` argument.")
        inputs, targets, weights = self._standardize(x, y, sample_weight, class_weight)
        if self.stateful and batch_size and inputs and inputs[0].shape[0] % batch_size != 0:
            raise ValueError(
                "In a stateful network, you should only pass inputs with a number of samples that can be divided by "
                f"the batch size. Found: {inputs[0].shape[0]} samples"
            )
        kept = None
        if split and 0.0 < split < 1.0:
            if sources.has_tensors(x):
                raise ValueError("If your data is in the form of symbolic tensors, you cannot use `validation_split`.")
            at = int(inputs[0].shape[0] * (1.0 - split))
            last = loop.picked([*inputs, *targets, *weights], slice(at, None))
            kept = Data(last, batch_size=batch_size, weighted=bool(weights))
            inputs, targets, weights = (loop.picked(one, slice(0, at)) for one in (inputs, targets, weights))
        arrays = [*inputs, *targets, *weights]
        arrays = loop.with_phase(arrays) if mode == TRAIN else arrays
        return Data(arrays, batch_size=batch_size, steps=steps, steps_name=name, weighted=bool(weights)), kept

    # -- training ---------------------------------------------------------------------------------------------------

    def fit(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, epochs: int = 1, verbose: int = 1,
        callbacks: Any = None, validation_split: float = 0.0, validation_data: Any = None, shuffle: Any = True,
        class_weight: Any = None, sample_weight: Any = None, initial_epoch: int = 0,
        steps_per_epoch: int | None = None, validation_steps: int | None = None, validation_freq: Any = 1,
        max_queue_size: int = 10, workers: int = 1, use_multiprocessing: bool = False, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Trains the model; gives the History, whose `history` has the results of each epoch.

        Args:
          x, y: arrays, lists or dictionaries of them; or in `x` alone a Dataset, a Sequence or a generator of pairs.
          batch_size: examples in a step; default 32.
          verbose: 0 is silent, 1 a progress bar, 2 a line an epoch.
          validation_split: the part at the end of the arrays that is not trained on.
          validation_data: (x, y), (x, y, weights), or a Dataset.
          shuffle: whether each epoch has another order (NumPy's global generator); 'batch' for whole batches.
          class_weight, sample_weight: what the losses of examples are multiplied by.

        Raises:
          RuntimeError: before `compile`. ValueError, TypeError: if the data do not fit.
        """
        epochs = kwargs.pop("nb_epoch", epochs)
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self._assert_compiled()
        data, kept = self._data(
            x, y, TRAIN, batch_size, steps_per_epoch, sample_weight, class_weight,
            0.0 if validation_data else validation_split, "steps_per_epoch", shuffle,
        )  # fmt: skip
        if validation_data is not None:
            val_x, val_y, val_weights = sources.unpacked(validation_data)
            kept, _ = self._data(
                val_x, val_y, TEST, data.batch_size or batch_size, validation_steps, val_weights,
                name="validation_steps",
            )  # fmt: skip
        elif kept is None and validation_steps:
            raise ValueError("`validation_steps` should not be specified if `validation_data` is None.")
        return Loop(self, data, TRAIN, shuffle).run(
            epochs, initial_epoch, callbacks, verbose, validation=kept, validation_freq=validation_freq
        )

    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, verbose: int = 1, sample_weight: Any = None,
        steps: int | None = None, callbacks: Any = None, max_queue_size: int = 10, workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:  # fmt: skip
        """The loss, or a list of the loss and the metrics (`metrics_names`), of data."""
        self._assert_compiled()
        data, _ = self._data(x, y, TEST, batch_size, steps, sample_weight)
        results = Loop(self, data, TEST, shuffle=False).run(callbacks=callbacks, verbose=verbose)
        return results[0] if len(results) == 1 else results

    def predict(
        self, x: Any, batch_size: int | None = None, verbose: int = 0, steps: int | None = None, callbacks: Any = None,
        max_queue_size: int = 10, workers: int = 1, use_multiprocessing: bool = False,
    ) -> Any:  # fmt: skip
        """The outputs for data, as an array or a list of them."""
        data, _ = self._data(x, None, PREDICT, batch_size, steps)
        results = Loop(self, data, PREDICT, shuffle=False).run(callbacks=callbacks, verbose=verbose)
        return results[0] if len(results) == 1 else results

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, reset_metrics: bool = True
    ) -> Any:
        """One step; gives the loss before it, or a list of the loss and the metrics."""
        self._assert_compiled()
        inputs, targets, weights = self._standardize(x, y, sample_weight, class_weight)
        self._update_weight_modes(weights)
        outputs = self._make_train_function()(loop.with_phase([*inputs, *targets, *weights]))
        return self._given(outputs, reset_metrics)

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, reset_metrics: bool = True) -> Any:
        """The loss, or a list of the loss and the metrics, of one batch."""
        self._assert_compiled()
        inputs, targets, weights = self._standardize(x, y, sample_weight)
        self._update_weight_modes(weights)
        outputs = self._make_test_function()([*inputs, *targets, *weights])
        return self._given(outputs, reset_metrics)

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch."""
        inputs, _, _ = self._standardize(x)
        return self._given(self._make_predict_function()(inputs), False)

    def _given(self, outputs: list[Any], reset_metrics: bool) -> Any:
        if reset_metrics:
            self.reset_metrics()
        return outputs[0] if len(outputs) == 1 else outputs

    def fit_generator(
        self, generator: Any, steps_per_epoch: int | None = None, epochs: int = 1, verbose: int = 1,
        callbacks: Any = None, validation_data: Any = None, validation_steps: int | None = None,
        validation_freq: Any = 1, class_weight: Any = None, max_queue_size: int = 10, workers: int = 1,
        use_multiprocessing: bool = False, shuffle: bool = True, initial_epoch: int = 0,
    ) -> Any:  # fmt: skip
        """`fit` with what a generator or a Sequence gives: (x, y) or (x, y, weights). It is asked in this thread."""
        return self.fit(
            generator, epochs=epochs, verbose=verbose, callbacks=callbacks, validation_data=validation_data,
            shuffle=shuffle, class_weight=class_weight, initial_epoch=initial_epoch, steps_per_epoch=steps_per_epoch,
            validation_steps=validation_steps, validation_freq=validation_freq,
        )  # fmt: skip

    def evaluate_generator(
        self, generator: Any, steps: int | None = None, callbacks: Any = None, max_queue_size: int = 10,
        workers: int = 1, use_multiprocessing: bool = False, verbose: int = 0,
    ) -> Any:  # fmt: skip
        """`evaluate` with what a generator or a Sequence gives."""
        return self.evaluate(generator, steps=steps, callbacks=callbacks, verbose=verbose)

    def predict_generator(
        self, generator: Any, steps: int | None = None, callbacks: Any = None, max_queue_size: int = 10,
        workers: int = 1, use_multiprocessing: bool = False, verbose: int = 0,
    ) -> Any:  # fmt: skip
        """`predict` with what a generator or a Sequence gives."""
        return self.predict(generator, steps=steps, callbacks=callbacks, verbose=verbose)
