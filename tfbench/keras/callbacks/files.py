"""Callbacks that write what was seen to files: a table, or events for TensorBoard."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.default_graph import get_default_graph
from tfbench.keras.backend.control import Function
from tfbench.keras.callbacks.base import Callback


class CSVLogger(Callback):
    """A row for each epoch, in columns that the first one says. `append` goes on with a file that is there."""

    def __init__(self, filename: str, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename = filename
        self.sep = separator
        self.append = append
        self.keys: list[str] | None = None
        self._writer: Any = None
        self._file: Any = None
        self._header = True

    def on_train_begin(self, logs: Any = None) -> None:
        if self.append and os.path.exists(self.filename):
            with open(self.filename) as file:
                self._header = not file.readline()
        self._file = open(self.filename, "a" if self.append else "w", newline="\n")  # noqa: SIM115 - until the end

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
        if self.model.stop_training:  # what is not there any more is said to be missing
            logs = {key: logs.get(key, "NA") for key in self.keys}
        if self._writer is None:
            self._writer = csv.DictWriter(self._file, ["epoch", *self.keys], delimiter=self.sep)
            if self._header:
                self._writer.writeheader()
        self._writer.writerow({"epoch": epoch, **{key: _cell(logs[key]) for key in self.keys}})
        self._file.flush()

    def on_train_end(self, logs: Any = None) -> None:
        self._file.close()
        self._writer = None


def _cell(value: Any) -> Any:
    if isinstance(value, Iterable) and not isinstance(value, str) and np.ndim(value) > 0:  # type: ignore[arg-type]
        return f'"[{", ".join(map(str, value))}]"'
    return value


class TensorBoard(Callback):
    """Events for TensorBoard: the graph, what each epoch or batch gave, and histograms of weights and outputs.

    Histograms are computed on the validation data, every `histogram_freq` epochs.

    Raises:
      NotImplementedError: for embeddings, which `tf.contrib.tensorboard.plugins.projector` writes.
    """

    def __init__(
        self, log_dir: str = "./logs", histogram_freq: int = 0, batch_size: int = 32, write_graph: bool = True,
        write_grads: bool = False, write_images: bool = False, embeddings_freq: int = 0,
        embeddings_layer_names: Any = None, embeddings_metadata: Any = None, embeddings_data: Any = None,
        update_freq: Any = "epoch", profile_batch: int = 2,
    ) -> None:  # fmt: skip
        super().__init__()
        if embeddings_freq:
            raise NotImplementedError(
                "Embeddings are not written by this callback; see tf.contrib.tensorboard.plugins.projector"
            )
        self.log_dir = log_dir
        self.histogram_freq = histogram_freq
        self.batch_size = batch_size
        self.write_graph = write_graph
        self.write_grads = write_grads
        self.write_images = write_images
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self.merged: Any = None
        self.writer: Any = None
        self._seen = self._seen_at_last_write = self._batches = self._validated = 0

    def set_model(self, model: Any) -> None:
        from tfbench.summary import FileWriter, merge_all

        self.model = model
        self.writer = FileWriter(self.log_dir, get_default_graph()) if self.write_graph else FileWriter(self.log_dir)
        if self.histogram_freq and self.merged is None:
            self._make_histograms()
            self.merged = merge_all()

    def _make_histograms(self) -> None:
        from tfbench.summary import histogram, image

        for layer in self.model.layers:
            for weight in layer.weights:
                name = weight.name.replace(":", "_")
                histogram(name, weight)
                picture = _picture(weight) if self.write_images else None
                if picture is not None:
                    image(name, picture)
            for weight in layer.trainable_weights if self.write_grads else ():
                gradients = self.model.optimizer.get_gradients(self.model.total_loss, weight)
                histogram(f"{weight.name.replace(':', '_')}_grad", [getattr(one, "values", one) for one in gradients])
            if layer._inbound_nodes:
                outputs = layer.output if isinstance(layer.output, list) else [layer.output]
                for at, output in enumerate(outputs):
                    name = f"{layer.name}_out_{at}" if isinstance(layer.output, list) else f"{layer.name}_out"
                    histogram(name, output)

    def _test_function(self) -> Function:
        found: Function = self.model._make_test_function()
        return found

    def _write(self, step: int, logs: Any) -> None:
        from tfbench.formats.protos import Summary

        for name, value in (logs or {}).items():
            number = value.item() if isinstance(value, (np.ndarray, np.generic)) else value
            self.writer.add_summary(Summary(value=[Summary.Value(tag=name, simple_value=number)]), step)
        self.writer.flush()

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        logs = logs or {}
        self._seen += logs.get("size", 1)
        if self.update_freq != "epoch" and self._seen - self._seen_at_last_write >= self.update_freq:
            self._write(self._batches, _named("batch_", logs))
            self._seen_at_last_write = self._seen
        self._batches += 1

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            function = self._test_function()
            if not any(one is self.merged for one in function.fetches):
                function.fetches.append(self.merged)
                function.fetch_callbacks[self.merged] = self._validated_batch

    def _validated_batch(self, summary: Any) -> None:
        self.writer.add_summary(summary, self._validated)
        self._validated += 1

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._write(epoch if self.update_freq == "epoch" else self._seen, _named("epoch_", logs or {}))
        if self.histogram_freq:
            function = self._test_function()
            function.fetches = [one for one in function.fetches if one is not self.merged]
            function.fetch_callbacks.pop(self.merged, None)

    def on_train_end(self, logs: Any = None) -> None:
        self.writer.close()


def _named(prefix: str, logs: Any) -> dict[str, Any]:
    return {prefix + name: value for name, value in logs.items() if name not in ("batch", "size", "num_steps")}


def _picture(weight: Any) -> Any:
    """A weight as images, or None where it is none."""
    shown = ops.squeeze(weight)
    sizes: list[Any] = shown.shape.as_list()
    if len(sizes) == 2:
        if sizes[0] > sizes[1]:
            shown, sizes = ops.transpose(shown), sizes[::-1]
        return ops.reshape(shown, [1, *sizes, 1])
    if len(sizes) == 3:
        shown = ops.transpose(shown, perm=[2, 0, 1])
        return ops.reshape(shown, [*shown.shape.as_list(), 1])
    return ops.reshape(shown, [1, sizes[0], 1, 1]) if len(sizes) == 1 else None
