"""What an evaluation computes and where its results go, and what of its predictions a model gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfbench import logging, metrics, summary
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.estimator.spec import EstimatorSpec

LOSS = "loss"


def metrics_of(spec: EstimatorSpec, step: Any) -> tuple[Any, dict[str, Any]]:
    """The operation that updates all metrics, the loss's included, and their values by name."""
    found = dict(spec.eval_metric_ops)
    if LOSS in found:
        raise ValueError(
            f'Metric with name "{LOSS}" is not allowed, because Estimator already defines a default metric with the '
            "same name."
        )
    found[LOSS] = metrics.mean(spec.loss)
    updates, values = [], {}
    for name, (value, update) in sorted(found.items()):
        values[name] = value
        updates.append(update)
    if GraphKeys.GLOBAL_STEP in values:
        raise ValueError(
            "Metric with name `global_step` is not allowed, because Estimator already defines a default metric with "
            "the same name."
        )
    values[GraphKeys.GLOBAL_STEP] = step
    return ops.group(*updates), values


def write(folder: str, results: dict[str, Any], path: str | None) -> None:
    """Logs the results of an evaluation, and writes them as summaries; `path` is the checkpoint they are of."""
    step = results[GraphKeys.GLOBAL_STEP]
    said = ", ".join(f"{key} = {_said(value)}" for key, value in sorted(results.items()))
    logging.info("Saving dict for global step %d: %s", step, said)
    writer = summary.FileWriterCache.get(folder)
    message = _summary_of(results)
    writer.add_summary(message, step)
    writer.flush()
    if path:
        logging.info("Saving 'checkpoint_path' summary for global step %d: %s", step, path)
        writer.add_summary(_path_summary(path), step)
        writer.flush()


def _said(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value)


def _summary_of(results: dict[str, Any]) -> Any:
    from tfbench.formats.protos import Summary

    message = Summary()
    for key, value in results.items():
        if value is None or key == GraphKeys.GLOBAL_STEP:
            continue
        if isinstance(value, (bytes, str)):
            message.value.extend(Summary.FromString(value if isinstance(value, bytes) else value.encode()).value)
        elif np.ndim(value) == 0:
            message.value.add(tag=key, simple_value=float(value))
        else:
            logging.warning("Skipping summary for %s, must be a scalar, got shape %s.", key, np.shape(value))
    return message


def _path_summary(path: str) -> Any:
    from tfbench.formats.protos import Summary
    from tfbench.formats.tensor_proto import make_tensor_proto

    message = Summary()
    value = message.value.add(tag="checkpoint_path")
    value.metadata.plugin_data.plugin_name = "text"
    value.tensor.CopyFrom(make_tensor_proto(path))
    return message


def chosen(predictions: Any, keys: Any) -> Any:
    """The predictions that are wanted; all of them where no keys are given."""
    if not keys:
        return predictions
    if not isinstance(predictions, Mapping):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    chosen = {key: value for key, value in predictions.items() if key in keys}
    if not chosen:
        raise ValueError(f"Expected to run at least one output from {predictions.keys()}, provided {keys}.")
    return chosen


def batch_length(values: Mapping[str, Any]) -> int:
    """How many examples a batch of predictions has; ValueError if they do not agree."""
    lengths = {key: len(value) if np.ndim(value) else None for key, value in values.items()}
    first = next(iter(lengths.values()), 0)
    if first is None or any(length != first for length in lengths.values()):
        raise ValueError(
            f"Batch length of predictions should be same, but they are {lengths}. yield_single_examples=False gives "
            "whole batches."
        )
    return first
