"""`Input`: what is fed, as the place where a model begins."""

from __future__ import annotations

from typing import Any

from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend.arrays import placeholder
from tfbench.keras.backend.config import floatx
from tfbench.keras.backend.state import get_uid
from tfbench.keras.engine.base_layer import Layer
from tfbench.keras.engine.node import KerasHistory, Node


class InputLayer(Layer):
    """The layer that a placeholder, or any given tensor, comes from.

    Args:
      input_shape, batch_size: the shape without, and the size of the batch; or both as `batch_input_shape`.
      input_tensor: a tensor to use instead of a placeholder.

    Raises:
      ValueError: for both shapes, other keywords, or a tensor of another type than `dtype`.
    """

    supports_masking = True
    is_placeholder: bool
    sparse: bool
    ragged: bool
    _batch_input_shape: Any

    def __init__(
        self, input_shape: Any = None, batch_size: int | None = None, dtype: Any = None, input_tensor: Any = None,
        sparse: bool = False, name: str | None = None, ragged: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if "batch_input_shape" in kwargs:
            both = kwargs.pop("batch_input_shape")
            if input_shape and both:
                raise ValueError(
                    "Only provide the input_shape OR batch_input_shape argument to InputLayer, not both at the same "
                    "time."
                )
            batch_size, input_shape = both[0], both[1:]
        if kwargs:
            raise ValueError("Unrecognized keyword arguments:", list(kwargs))
        name = name or f"input_{get_uid('input')}"
        if not dtype:
            dtype = floatx() if input_tensor is None else input_tensor.dtype.base_dtype.name
        elif input_tensor is not None and input_tensor.dtype != dtype:
            raise ValueError(f"`input_tensor.dtype` differs from `dtype`: {input_tensor.dtype} vs. {dtype}")
        super().__init__(dtype=dtype, name=name)
        own = vars(self)
        own.update(built=True, sparse=sparse, ragged=ragged, batch_size=batch_size)
        if isinstance(input_shape, TensorShape):
            input_shape = tuple(input_shape.as_list())
        elif isinstance(input_shape, int):
            input_shape = (input_shape,)
        own["is_placeholder"] = input_tensor is None
        if input_tensor is None:
            shape = None if input_shape is None else (batch_size, *input_shape)
            input_tensor = placeholder(shape=shape, dtype=dtype, name=name, sparse=sparse, ragged=ragged)
        else:
            if not isinstance(input_tensor, Tensor):
                raise ValueError(f"`input_tensor` should be a tensor of the graph, found {input_tensor!r}")
            shape = tuple(input_tensor.shape.as_list())
        own["_batch_input_shape"] = shape
        input_tensor._keras_history = KerasHistory(self, 0, 0)
        input_tensor._keras_mask = None
        Node(self, [input_tensor], [input_tensor], source=True)

    def get_config(self) -> dict[str, Any]:
        return {
            "batch_input_shape": self._batch_input_shape, "dtype": self.dtype, "sparse": self.sparse,
            "ragged": self.ragged, "name": self.name,
        }  # fmt: skip


def Input(
    shape: Any = None, batch_size: int | None = None, name: str | None = None, dtype: Any = None, sparse: bool = False,
    tensor: Any = None, ragged: bool = False, **kwargs: Any,
) -> Any:  # fmt: skip
    """A placeholder that a model can begin with.

    Args:
      shape: without the batch; or with it as `batch_shape`.
      tensor: a tensor to use instead.

    Raises:
      ValueError: for both shapes, or neither a shape nor a tensor.
    """
    if sparse and ragged:
        raise ValueError("Cannot set both sparse and ragged to True in a Keras input.")
    both = kwargs.pop("batch_input_shape", kwargs.pop("batch_shape", None))
    if shape and both:
        raise ValueError(
            "Only provide the `shape` OR `batch_input_shape` argument to Input, not both at the same time."
        )
    if kwargs:
        raise ValueError("Unrecognized keyword arguments:", list(kwargs))
    given: dict[str, Any] = {"batch_input_shape": both} if both else {"batch_size": batch_size, "input_shape": shape}
    if not both and shape is None and tensor is None:
        raise ValueError(
            "Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` does not include the "
            "batch dimension."
        )
    layer = InputLayer(name=name, dtype=dtype, sparse=sparse, ragged=ragged, input_tensor=tensor, **given)
    return layer._inbound_nodes[0].output_tensors[0]
