"""Signatures: which tensors of a graph are put in and taken out, under which names, to do what."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.saved_model import signature_constants as names
from tfbench.saved_model.utils import build_tensor_info

__all__ = [
    "build_signature_def", "classification_signature_def", "is_valid_signature", "predict_signature_def",
    "regression_signature_def",
]  # fmt: skip

_FLOAT, _STRING = dtypes.float32.as_datatype_enum, dtypes.string.as_datatype_enum


def build_signature_def(inputs: Any = None, outputs: Any = None, method_name: str | None = None) -> Any:
    """The SignatureDef of TensorInfos by name."""
    from tfbench.formats.protos import SignatureDef

    signature = SignatureDef()
    for name, info in (inputs or {}).items():
        signature.inputs[name].CopyFrom(info)
    for name, info in (outputs or {}).items():
        signature.outputs[name].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    return signature


def predict_signature_def(inputs: Any, outputs: Any) -> Any:
    """The signature of a prediction: tensors by name.

    Raises:
      ValueError: if there is no input, or no output.
    """
    for what, given in (("inputs", inputs), ("outputs", outputs)):
        if not given:
            raise ValueError(f"Prediction `{what}` cannot be None or empty.")
    return build_signature_def(
        {name: build_tensor_info(tensor) for name, tensor in inputs.items()},
        {name: build_tensor_info(tensor) for name, tensor in outputs.items()},
        names.PREDICT_METHOD_NAME,
    )


def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """The signature of a regression: from strings of Examples to floats.

    Raises:
      ValueError: if a tensor is missing, or has another type.
    """
    if examples is None:
        raise ValueError("Regression `examples` cannot be None.")
    if not hasattr(examples, "dtype"):
        raise ValueError(
            f"Expected regression `examples` to be of type Tensor. Found `examples` of type {type(examples)}."
        )
    if predictions is None:
        raise ValueError("Regression `predictions` cannot be None.")
    inputs = {names.REGRESS_INPUTS: build_tensor_info(examples)}
    outputs = {names.REGRESS_OUTPUTS: build_tensor_info(predictions)}
    for info in inputs.values():
        if info.dtype != _STRING:
            raise ValueError(f"Regression input tensors must be of type string. Found tensors with type {info.dtype}.")
    for info in outputs.values():
        if info.dtype != _FLOAT:
            raise ValueError(f"Regression output tensors must be of type float. Found tensors with type {info.dtype}.")
    return build_signature_def(inputs, outputs, names.REGRESS_METHOD_NAME)


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """The signature of a classification: from strings of Examples to classes (strings), scores (floats), or both.

    Raises:
      ValueError: if tensors are missing, or have other types.
    """
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if not hasattr(examples, "dtype"):
        raise ValueError(
            f"Classification `examples` must be a string Tensor. Found `examples` of type {type(examples)}."
        )
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    examples_info = build_tensor_info(examples)
    if examples_info.dtype != _STRING:
        raise ValueError(
            f"Classification input tensors must be of type string. Found tensors of type {examples_info.dtype}"
        )
    outputs = {}
    if classes is not None:
        outputs[names.CLASSIFY_OUTPUT_CLASSES] = info = build_tensor_info(classes)
        if info.dtype != _STRING:
            raise ValueError(
                f"Classification classes must be of type string Tensor. Found tensors of type {info.dtype}.`"
            )
    if scores is not None:
        outputs[names.CLASSIFY_OUTPUT_SCORES] = info = build_tensor_info(scores)
        if info.dtype != _FLOAT:
            raise ValueError(f"Classification scores must be a float Tensor, found type {info.dtype}.")
    return build_signature_def({names.CLASSIFY_INPUTS: examples_info}, outputs, names.CLASSIFY_METHOD_NAME)


def is_valid_signature(signature_def: Any) -> bool:
    """Whether a server could use the signature: it has the inputs, outputs and types of its method."""
    if signature_def is None:
        return False
    inputs, outputs = signature_def.inputs, signature_def.outputs
    if signature_def.method_name == names.PREDICT_METHOD_NAME:
        return bool(inputs) and bool(outputs)
    if set(inputs) != {"inputs"} or inputs["inputs"].dtype != _STRING:
        return False
    if signature_def.method_name == names.REGRESS_METHOD_NAME:
        return set(outputs) == {names.REGRESS_OUTPUTS} and outputs[names.REGRESS_OUTPUTS].dtype == _FLOAT
    if signature_def.method_name == names.CLASSIFY_METHOD_NAME:
        types = {names.CLASSIFY_OUTPUT_CLASSES: _STRING, names.CLASSIFY_OUTPUT_SCORES: _FLOAT}
        return bool(outputs) and all(types.get(name) == info.dtype for name, info in outputs.items())
    return False
