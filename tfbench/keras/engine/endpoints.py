"""What `compile` says about each output of a model: its loss, its target, its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor
from tfbench.engine.tensor import Tensor
from tfbench.keras import logging_of_keras as log
from tfbench.keras import losses
from tfbench.keras.backend import arrays
from tfbench.keras.backend.config import floatx, image_data_format
from tfbench.keras.engine.node import int_shape
from tfbench.keras.engine.weighted import Reduction


class Endpoint:
    """One output. `target` is what is fed for it, or a tensor that was given; None without a loss."""

    def __init__(self, output: Any, name: str, loss_fn: Any) -> None:
        self.output = output
        self.name = name
        self.loss_fn = loss_fn
        self.loss_weight: Any = 1.0
        self.target: Any = None
        self.fed = False
        #: a Mean of the loss, where there are several outputs
        self.loss_metric: Any = None
        self.sample_weight: Any = None
        self.sample_weight_mode: str | None = None

    @property
    def has_loss(self) -> bool:
        return self.loss_fn is not None

    @property
    def loss_name(self) -> str:
        return f"{self.name}_loss"

    @property
    def shape(self) -> Any:
        return int_shape(self.output)

    def make_target(self, given: Any) -> None:
        """The placeholder of the target, unless a tensor is given."""
        if not self.has_loss:
            return
        self.fed = given is None or arrays.is_placeholder(given)
        self.target = given
        if given is None:
            self.target = arrays.placeholder(
                ndim=len(self.shape),
                name=f"{self.name}_target",
                sparse=isinstance(self.output, SparseTensor),
                dtype=self.output.dtype.base_dtype.name,
            )

    def make_weights(self) -> None:
        """The placeholder of the weights, if there are to be any; else none."""
        if not self.has_loss or not self.fed or self.sample_weight_mode is None:
            self.sample_weight = None
            return
        steps = self.sample_weight_mode == "temporal"
        self.sample_weight = ops.placeholder_with_default(
            ops.constant([[1.0]] if steps else [1.0], dtype=floatx()),
            shape=[None, None] if steps else [None],
            name=f"{self.name}_sample_weights",
        )

    @property
    def weights_differ(self) -> bool:
        """Whether there are weights and should be none, or the other way round."""
        return (self.sample_weight_mode is None) != (self.sample_weight is None)

    @property
    def target_shape(self) -> Any:
        """What the target's shape has to be; None where anything may do."""
        if not self.has_loss or not self.fed:
            return None
        function = getattr(self.loss_fn, "fn", None)
        if function is losses.sparse_categorical_crossentropy:
            shape = self.shape
            return (shape[0], 1, *shape[2:]) if image_data_format() == "channels_first" else (*shape[:-1], 1)
        wrapped = isinstance(self.loss_fn, losses.LossFunctionWrapper)
        known = not wrapped or hasattr(losses, getattr(function, "__name__", ""))
        return self.shape if isinstance(self.loss_fn, losses.Loss) and known else None


def check_keys(what: str, given: Mapping[str, Any], expected: Sequence[str]) -> None:
    """ValueError for keys of a dictionary that are no outputs."""
    unknown = sorted(set(given) - set(expected))
    if unknown:
        raise ValueError(
            f"Unknown entries in {what} dictionary: {unknown}. Only expected following keys: {list(expected)}"
        )


def loss_function(loss: Any) -> Any:
    """A loss as an object, from itself, a name, a function or plain data; None stays None."""
    if loss is None or isinstance(loss, losses.Loss):
        return loss
    if isinstance(loss, Mapping):
        loss = losses.get(dict(loss))
    if callable(loss) and not hasattr(loss, "__name__"):
        return loss
    function = losses.get(loss)
    return losses.LossFunctionWrapper(function, Reduction.SUM_OVER_BATCH_SIZE, name=function.__name__)


def loss_functions(loss: Any, names: list[str]) -> list[Any]:
    """The loss of each output.

    Raises:
      ValueError: for a list of another length, or a dictionary with other keys.
    """
    if isinstance(loss, Mapping):
        check_keys("loss", loss, names)
        for name in names:
            if name not in loss:
                log.warning(
                    "Output %s missing from loss dictionary. We assume this was done on purpose. The fit and evaluate "
                    "APIs will not be expecting any data to be passed to %s.",
                    name,
                    name,
                )
        return [loss_function(loss.get(name)) for name in names]
    if isinstance(loss, Sequence) and not isinstance(loss, str):
        if len(loss) != len(names):
            raise ValueError(
                "When passing a list as loss, it should have one entry per model outputs. The model has "
                f"{len(names)} outputs, but you passed loss={loss}"
            )
        return [loss_function(one) for one in loss]
    return [loss_function(loss) for _ in names]


def set_loss_weights(endpoints: list[Endpoint], weights: Any) -> None:
    """Sets what each output's loss is multiplied by.

    Raises:
      ValueError: for a list of another length, or a dictionary with other keys. TypeError: for anything else.
    """
    names = [one.name for one in endpoints]
    if weights is None:
        weights = [1.0] * len(names)
    elif isinstance(weights, Mapping):
        check_keys("loss_weights", weights, names)
        weights = [weights.get(name, 1.0) for name in names]
    elif not isinstance(weights, list):
        raise TypeError(f"Could not interpret loss_weights argument: {weights} - expected a list of dicts.")
    if len(weights) != len(names):
        raise ValueError(
            "When passing a list as loss_weights, it should have one entry per model output. The model has "
            f"{len(names)} outputs, but you passed loss_weights={weights}"
        )
    for endpoint, weight in zip(endpoints, weights, strict=True):
        endpoint.loss_weight = weight


def set_weight_modes(endpoints: list[Endpoint], mode: Any) -> None:
    """Sets whether each output has no weights (None), one an example ('samplewise') or one a step ('temporal').

    Raises:
      ValueError: for a list of another length, or a dictionary without an output.
    """
    names = [one.name for one in endpoints]
    if isinstance(mode, Mapping):
        check_keys("sample_weight_mode", mode, names)
        missing = [one.name for one in endpoints if one.has_loss and one.fed and one.name not in mode]
        if missing:
            raise ValueError(f"Output {missing[0]} missing from `_sample_weight_modes` dictionary")
    elif isinstance(mode, (list, tuple)) and len(mode) != len(endpoints):
        raise ValueError(
            "When passing a list as sample_weight_mode, it should have one entry per model output. The model has "
            f"{len(endpoints)} outputs, but you passed {len(mode)}_sample_weight_modes."
        )
    for at, endpoint in enumerate(endpoints):
        if endpoint.has_loss and endpoint.fed:
            own = mode.get(endpoint.name) if isinstance(mode, Mapping) else mode
            endpoint.sample_weight_mode = own[at] if isinstance(own, (list, tuple)) else own


def given_targets(target_tensors: Any, names: list[str]) -> list[Any]:
    """The tensors that are given as targets, output by output, None for none.

    Raises:
      ValueError: for a list of another length, or other keys. TypeError: for anything else.
    """
    if target_tensors is None or (isinstance(target_tensors, list) and not target_tensors):
        return [None] * len(names)
    if isinstance(target_tensors, list):
        if len(target_tensors) != len(names):
            raise ValueError(
                "When passing a list as `target_tensors`, it should have one entry per model output. The model has "
                f"{len(names)} outputs, but you passed target_tensors={target_tensors}"
            )
        return target_tensors
    if isinstance(target_tensors, Mapping):
        check_keys("target_tensors", target_tensors, names)
        return [target_tensors.get(name) for name in names]
    if isinstance(target_tensors, Tensor):
        return [target_tensors]
    raise TypeError(
        "Expected `target_tensors` to be a list or tuple or dict or a single tensor, but got:", target_tensors
    )
