"""`tf.estimator.export`: what a model that is exported takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor
from tfbench.engine.dtypes import string
from tfbench.engine.tensor import Tensor

__all__ = [
    "ClassificationOutput", "ExportOutput", "PredictOutput", "RegressionOutput", "ServingInputReceiver",
    "TensorServingInputReceiver", "build_parsing_serving_input_receiver_fn", "build_raw_serving_input_receiver_fn",
]  # fmt: skip

#: the name of what is given or taken without one
_FEATURE, _OUTPUT = "feature", "output"


class ExportOutput:
    """What an exported model gives, in one of three forms."""

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """The SignatureDef message of a model that takes these tensors."""
        raise NotImplementedError(f"{type(self).__name__}.as_signature_def")


class PredictOutput(ExportOutput):
    """Any tensors, by name."""

    def __init__(self, outputs: Any) -> None:
        self.outputs = _by_name(outputs, _OUTPUT)

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        from tfbench.saved_model.signature_def_utils import predict_signature_def

        return predict_signature_def(receiver_tensors, self.outputs)


class ClassificationOutput(ExportOutput):
    """Scores [batch, classes] as floats, or names of classes, or both.

    Raises:
      ValueError: if there is neither, or one is of a wrong type.
    """

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        if scores is not None and not (isinstance(scores, Tensor) and scores.dtype.is_floating):
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and not (isinstance(classes, Tensor) and classes.dtype == string):
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self.scores = scores
        self.classes = classes

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        from tfbench.saved_model.signature_def_utils import classification_signature_def

        examples = _examples(receiver_tensors, "Classification")
        return classification_signature_def(examples, self.classes, self.scores)


class RegressionOutput(ExportOutput):
    """A float for each example.

    Raises:
      ValueError: if it is none.
    """

    def __init__(self, value: Any) -> None:
        if not (isinstance(value, Tensor) and value.dtype.is_floating):
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self.value = value

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        from tfbench.saved_model.signature_def_utils import regression_signature_def

        return regression_signature_def(_examples(receiver_tensors, "Regression"), self.value)


def _examples(receiver_tensors: dict[str, Any], kind: str) -> Any:
    (examples,) = receiver_tensors.values() if len(receiver_tensors) == 1 else (None,)
    if examples is None or examples.dtype != string:
        raise ValueError(f"{kind} input must be a single string Tensor; got {receiver_tensors}")
    return examples


def _by_name(value: Any, name: str, kinds: tuple[type, ...] = (Tensor,)) -> dict[str, Any]:
    values = dict(value) if isinstance(value, Mapping) else {name: value}
    for key, tensor in values.items():
        if not isinstance(key, str):
            raise ValueError(f"Name of an input or output must be a string; got {key!r}")
        if not isinstance(tensor, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise ValueError(f"'{key}' must be a {wanted}; got {tensor!r}")
    return values


class _Receiver(NamedTuple):
    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any


class ServingInputReceiver(_Receiver):
    """What an exported model takes: the placeholders, and the features that are made of them.

    Raises:
      ValueError: if one of them is no tensor, or has no string as its name.
    """

    __slots__ = ()

    def __new__(cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None) -> Any:
        if features is None:
            raise ValueError("features must be defined.")
        return super().__new__(
            cls,
            _by_name(features, _FEATURE, (Tensor, SparseTensor)),
            _by_name(receiver_tensors, "input"),
            receiver_tensors_alternatives,
        )


class TensorServingInputReceiver(_Receiver):
    """As ServingInputReceiver, for a model function whose features are one tensor."""

    __slots__ = ()

    def __new__(cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None) -> Any:
        if not isinstance(features, Tensor):
            raise ValueError(f"feature must be a Tensor; got {features!r}")
        return super().__new__(cls, features, _by_name(receiver_tensors, "input"), receiver_tensors_alternatives)


def build_raw_serving_input_receiver_fn(features: Any, default_batch_size: int | None = None) -> Callable[[], Any]:
    """A function that makes a placeholder like each of these tensors, for batches of `default_batch_size`."""

    def serving_input_receiver_fn() -> ServingInputReceiver:
        made = {}
        for name, tensor in features.items():
            sizes = tensor.get_shape().as_list()
            made[name] = ops.placeholder(tensor.dtype, [default_batch_size, *sizes[1:]], name=tensor.op.name)
        return ServingInputReceiver(made, dict(made))

    return serving_input_receiver_fn


def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], Any]:
    """A function that makes a placeholder for serialized tf.Examples, and the features that are parsed from them."""

    def serving_input_receiver_fn() -> ServingInputReceiver:
        from tfbench.engine.ops.parse_examples import parse_example

        examples = ops.placeholder(string, [default_batch_size], name="input_example_tensor")
        return ServingInputReceiver(parse_example(examples, feature_spec), {"examples": examples})

    return serving_input_receiver_fn
