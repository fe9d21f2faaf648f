"""What users give as data, as the list of arrays that a model is fed; with the errors where it does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor
from tfbench.engine.tensor import Tensor
from tfbench.keras import losses
from tfbench.keras.engine.endpoints import check_keys


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor of the graph, and no array."""
    return isinstance(value, (Tensor, SparseTensor))


def _plain(value: Any) -> Any:
    """A table of pandas as its array."""
    return value.values if type(value).__name__ in ("DataFrame", "Series") else value


def arrays_of(data: Any, names: list[str], shapes: Any, what: str) -> list[Any]:
    """One array (or tensor) for each name. Vectors get a second axis of size 1, unless the model expects vectors.

    Args:
      data: an array, a list of arrays, or a dictionary by name.
      shapes: what the model expects, axis 0 included; None for no check.
      what: 'input' or 'target'.

    Raises:
      ValueError: for another number of arrays, or another shape. TypeError: for what is no array.
    """
    if not names:
        if data is not None and (not hasattr(data, "__len__") or len(data)):
            raise ValueError(f"Error when checking model {what}: expected no data, but got: {data}")
        return []
    if data is None:
        return [None] * len(names)
    if isinstance(data, Mapping):
        missing = [name for name in names if name not in data]
        if missing:
            raise ValueError(f'No data provided for "{missing[0]}". Need data for each key in: {names}')
        given = [_plain(data[name]) for name in names]
    elif isinstance(data, (list, tuple)):
        if data and isinstance(data[0], (list, tuple)):
            given = [np.asarray(one) for one in data]
        elif data and len(names) == 1 and isinstance(data[0], (float, int)):
            given = [np.asarray(data)]
        else:
            given = [_plain(one) for one in data]
    else:
        given = [_plain(data)]
    expected = list(shapes) if shapes is not None else [None] * len(given)
    # Of a graph of layers, arrays beyond its inputs are overlooked, as in TensorFlow.
    given = [_with_two_axes(one, shape) for one, shape in zip(given, expected, strict=False)]
    if len(given) != len(names):
        given = _wrong_count(given, names, what)
    for name, one, shape in zip(names, given, expected, strict=False):
        if shape is not None:
            _check_shape(name, one, shape, what)
    return given


def _with_two_axes(value: Any, shape: Any) -> Any:
    if value is None:
        return None
    vector = isinstance(value, Tensor) and value.shape.ndims == 1
    if not vector and (is_tensor(value) or not hasattr(value, "shape") or len(value.shape) != 1):
        return value
    if shape is not None and len(shape) == 1:
        return value
    return ops.expand_dims(value, axis=1) if vector else np.expand_dims(value, 1)


def _wrong_count(given: list[Any], names: list[str], what: str) -> list[Any]:
    if given and hasattr(given[0], "shape"):
        raise ValueError(
            f"Error when checking model {what}: it takes {len(names)} array(s), and this list of Numpy arrays "
            f"has {len(given)}: {str(given)[:200]}..."
        )
    if len(names) > 1:
        raise ValueError(
            f"Error when checking model {what}: it takes a list of {len(names)} Numpy arrays, not a list of other "
            f"things. Got: {str(given)[:200]}"
        )
    if len(given) == 1:
        raise TypeError(
            f"Error when checking model {what}: it takes a Numpy array, or a list or a dict of them. Found: "
            f"{str(given)[:200]}..."
        )
    return [np.asarray(given)]


def _check_shape(name: str, value: Any, shape: Any, what: str) -> None:
    if value is None:
        return
    if is_tensor(value):
        if value.shape.ndims is None:
            return
        found = tuple(value.shape.as_list())
    elif hasattr(value, "shape"):
        found = tuple(value.shape)
    else:
        raise TypeError(
            f"Error when checking model {what}: it takes a Numpy array, or a list or a dict of them. Found: "
            f"{str(value)[:200]}..."
        )
    if len(found) != len(shape):
        raise ValueError(
            f"Error when checking {what}: expected {name} to have {len(shape)} dimensions, but got array with shape "
            f"{found}"
        )
    for size, wanted in zip(found[1:], shape[1:], strict=True):
        if size is not None and wanted is not None and size != wanted:
            raise ValueError(
                f"Error when checking {what}: expected {name} to have shape {tuple(shape[1:])} but got array with "
                f"shape {found[1:]}"
            )


def weights_of(given: Any, names: list[str], what: str) -> list[Any]:
    """What is given as `class_weight` or `sample_weight`, output by output.

    Raises:
      ValueError: for a list of another length, or a dictionary with other keys. TypeError: for anything else.
    """
    if given is None or (isinstance(given, (list, tuple)) and not len(given)):
        return [None] * len(names)
    if len(names) == 1:
        if isinstance(given, (list, tuple)) and len(given) == 1:
            return list(given)
        return [given[names[0]]] if isinstance(given, Mapping) and names[0] in given else [given]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(
                f"Provided `{what}` was a list of {len(given)} elements, but the model has {len(names)} outputs. You "
                f"should provide one `{what}`array per model output."
            )
        return list(given)
    if isinstance(given, Mapping):
        check_keys(what, given, names)
        return [given.get(name) for name in names]
    raise TypeError(
        f"The model has multiple outputs, so `{what}` should be either a list or a dict. Provided `{what}` type not "
        f"understood: {given}"
    )


def example_weights(y: Any, sample_weight: Any, class_weight: Any, mode: str | None) -> Any:
    """The weight of each example (or step): what is given, times that of its class; None for none.

    Raises:
      ValueError: for weights of another form, or a class without a weight.
    """
    if isinstance(sample_weight, (list, tuple)):
        sample_weight = np.asarray(sample_weight)
    if sample_weight is not None:
        _check_weights(y, sample_weight, mode)
    of_class = None
    if isinstance(class_weight, Mapping):
        if len(y.shape) > 2:
            raise ValueError(f"`class_weight` is for targets of one or two axes; these have {len(y.shape)}.")
        classes = y
        if len(y.shape) == 2:
            classes = np.argmax(y, axis=1) if y.shape[1] > 1 else np.reshape(y, y.shape[0])
        missing = {one for one in classes.tolist() if one not in class_weight}
        if missing:
            raise ValueError(f"`class_weight` has no weight for the classes {missing}, which exist in the data.")
        of_class = np.asarray([class_weight[one] for one in classes.tolist()])
    if of_class is None or sample_weight is None:
        return sample_weight if of_class is None else of_class
    return of_class * sample_weight


def _check_weights(y: Any, weights: Any, mode: str | None) -> None:
    shape = tuple(weights.shape)
    if mode == "temporal":
        if len(y.shape) < 3:
            raise ValueError(
                'sample_weight_mode="temporal" weighs each time step, so targets need at least 3 axes. '
                f"These have shape {y.shape}."
            )
        if len(shape) != 2:
            raise ValueError(
                f'Found a sample_weight array with shape {shape}. With sample_weight_mode="temporal" it has to be 2D: '
                "examples and time steps."
            )
    elif mode not in (None, "samplewise"):
        raise ValueError(f'sample_weight_mode is None or "temporal". Found: {mode}')
    elif len(shape) != 1:
        raise ValueError(
            f"Found a sample_weight array with shape {shape}. A weight for each example is a 1D array; weights for "
            'each time step need sample_weight_mode="temporal" in compile().'
        )
    if not is_tensor(weights) and not is_tensor(y) and tuple(y.shape[: len(shape)]) != shape:
        raise ValueError(
            f"Found a sample_weight array with shape {shape} for an input with shape {y.shape}. sample_weight cannot "
            "be broadcast."
        )


def check_lengths(inputs: list[Any], targets: list[Any], weights: list[Any]) -> None:
    """ValueError unless all arrays have as many examples."""

    def lengths(values: list[Any]) -> set[int]:
        return {one.shape[0] for one in values if one is not None and not is_tensor(one)}

    found = {"x": lengths(inputs), "y": lengths(targets), "w": lengths(weights or [])}
    for key, (what, values) in zip(
        "xyw", (("input arrays (x)", inputs), ("target arrays (y)", targets), ("sample_weight arrays", weights))
    ):
        if len(found[key]) > 1:
            raise ValueError(
                f"All {what} should have the same number of samples. Got array shapes: "
                f"{[one.shape for one in values if one is not None]}"
            )
    if found["x"] and found["y"] and found["x"] != found["y"]:
        raise ValueError(
            "Inputs and targets are not of the same number of samples: "
            f"{found['x'].pop()} input samples and {found['y'].pop()} target samples."
        )
    if found["y"] and found["w"] and found["y"] != found["w"]:
        raise ValueError(
            "Targets and sample weights are not of the same number of samples: "
            f"{found['y'].pop()} targets and {found['w'].pop()} weights."
        )


_SAME_SHAPE = (losses.mean_squared_error, losses.binary_crossentropy, losses.categorical_crossentropy)


def check_targets(targets: list[Any], loss_fns: list[Any], shapes: list[Any]) -> None:
    """ValueError for targets whose shape the loss could not take, or would take for something else."""
    for y, loss, shape in zip(targets, loss_fns, shapes, strict=True):
        if y is None or loss is None or shape is None or is_tensor(y):
            continue
        function = getattr(loss, "fn", None)
        if function is losses.categorical_crossentropy and y.shape[-1] == 1:
            raise ValueError(
                f"The loss `categorical_crossentropy` takes a row of zeros and a one for each example; this target "
                f"array has shape {y.shape}. For numbers of classes there is `sparse_categorical_crossentropy`, and "
                "`tf.keras.utils.to_categorical` makes such rows of them."
            )
        if function in _SAME_SHAPE:
            for size, wanted in zip(y.shape[1:], shape[1:], strict=False):
                if wanted is not None and size != wanted:
                    raise ValueError(
                        f"A target array with shape {y.shape} was passed for an output of shape {shape} while using as "
                        f"loss `{loss.name or function.__name__}`. It takes targets of the output's shape."
                    )
