"""`tf.TensorArray`: arrays of tensors that are written one by one, in loops above all.

A TensorArray in a graph is two tensors: the handle, which every op takes, and the *flow*, which says what has been done
to it so far. A write returns a new TensorArray object with the same handle and the write's flow; whatever is done with
that object happens after the write. What all these objects know of the elements' shape they know together.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import tensor_array_ops as arrays
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_range import range as range_op
from tfbench.engine.ops.shape_queries import shape as shape_of
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["TensorArray"]


class _Known:
    """What is known of all objects with one handle: the elements' shape, and where they are."""

    __slots__ = ("beside", "element_shape")

    def __init__(self, element_shape: TensorShape) -> None:
        self.element_shape = element_shape
        #: the first value that was written: the others go where it is
        self.beside: Tensor | None = None

    def learn(self, what: str, value: Any) -> None:
        """Sets one of the two; a graph that is rolled back takes it back."""
        old = getattr(self, what)
        if old != value or old is None:
            get_default_graph().record_undo(self, what, old)
            setattr(self, what, value)


class TensorArray:
    """An array of tensors of one type; each element is written once.

    Args:
      dtype: the type of the elements.
      size: how many there are; a Python number or an int32 scalar.
      dynamic_size: whether writes beyond the end make the array longer.
      clear_after_read: whether an element can be read only once (default: yes), so that its memory is free then.
      tensor_array_name: a name for error messages.
      handle, flow: of an array that exists; they exclude the options of a new one.
      infer_shape: whether all elements have the shape of the first.
      element_shape: the shape of the elements, as far as it is known.
      colocate_with_first_write_call: whether writes are placed where the first value written is.

    Raises:
      ValueError: for options that exclude each other, or no `size`.
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Tensor | None = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None:
            _refuse_with_handle(
                tensor_array_name=tensor_array_name or None,
                size=size,
                element_shape=element_shape,
                dynamic_size=dynamic_size,
                clear_after_read=clear_after_read,
            )
        elif size is None:
            raise ValueError("Argument `size` must be provided if handle is not provided.")
        self._dtype = as_dtype(dtype).base_dtype
        self._size = size
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = bool(infer_shape)
        self._colocate = bool(colocate_with_first_write_call)
        self._known = _Known(TensorShape(element_shape))
        with name_scope(name, "TensorArray", [item for item in (handle, size, flow) if item is not None]) as scope:
            if handle is not None:
                if flow is None:
                    raise ValueError("flow must not be None if handle is not None.")
                self._handle, self._flow = handle, convert_to_tensor(flow)
                return
            graph = get_default_graph()
            with graph.device(None) if self._colocate else nullcontext():
                self._handle, self._flow = arrays.tensor_array(
                    size,
                    dtype=self._dtype,
                    element_shape=self._known.element_shape,
                    identical_element_shapes=self._infer_shape,
                    dynamic_size=self._dynamic_size,
                    clear_after_read=clear_after_read is None or bool(clear_after_read),
                    tensor_array_name=tensor_array_name or "",
                    name=scope,
                )

    # -- what it is ----------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def handle(self) -> Tensor:
        """The tensor that stands for the array itself."""
        return self._handle

    @property
    def flow(self) -> Tensor:
        """The scalar that whoever reads has to wait for."""
        return self._flow

    @property
    def dynamic_size(self) -> bool:
        """Whether writes beyond the end make the array longer."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the elements' shape."""
        return self._known.element_shape

    def with_flow(self, flow: Tensor) -> TensorArray:
        """This array after whatever computes `flow`."""
        # TensorFlow opens a name scope for each such object: the next one in the same scope is called otherwise.
        flow.op.graph.unique_name("TensorArray")
        made: TensorArray = object.__new__(TensorArray)
        made._dtype, made._handle, made._flow = self._dtype, self._handle, flow
        made._size, made._dynamic_size, made._infer_shape = self._size, self._dynamic_size, self._infer_shape
        made._colocate, made._known = self._colocate, self._known
        return made

    def identity(self) -> TensorArray:
        """This array after a new `Identity` of its flow: for control dependencies."""
        return self.with_flow(identity(self._flow))

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> TensorArray:
        """The array of this one's gradients; `source` tells apart several calls of `tf.gradients`."""
        flow = self._flow if flow is None else flow
        graph = get_default_graph()
        with name_scope(name, "TensorArrayGrad", [self._handle]), graph.colocate_with(self._handle):
            handle, _ = arrays.gradient(self._handle, flow, source=source, name=name)
            with graph.control_dependencies([handle]):
                flow = identity(flow, name="gradient_flow")
            made = TensorArray(
                self._dtype, handle=handle, flow=flow, infer_shape=self._infer_shape,
                colocate_with_first_write_call=False,
            )  # fmt: skip
        made._known = _Known(self._known.element_shape) if not self._infer_shape else self._known
        return made

    # -- one element ----------------------------------------------------------------------------------------------

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at `index`."""
        value: Tensor = arrays.read(self._handle, index, self._flow, dtype=self._dtype, name=name)
        if self.element_shape.ndims is not None:
            value.set_shape(self.element_shape)
        return value

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with `value` written to `index`.

        Raises:
          ValueError: if the shape of `value` is not that of the other elements.
        """
        with name_scope(name, "TensorArrayWrite", _given(self._handle, index, value)):
            value = self._convert(value)
            self._check_shape(value.shape)
            with self._beside(value):
                flow = arrays.write(self._handle, index, value, self._flow, name=name)
            return self.with_flow(flow)

    # -- several elements -----------------------------------------------------------------------------------------

    def stack(self, name: str | None = None) -> Tensor:
        """All elements along a new first dimension; they have one shape."""
        graph = get_default_graph()
        with graph.colocate_with(self._handle), name_scope(name, "TensorArrayStack", [self._handle]):
            value = self.gather(range_op(0, self.size()), name=name)
            if self.element_shape.ndims is not None and not self._dynamic_size and self._size is not None:
                size = self._static_size()
                value.set_shape(TensorShape([size]).concatenate(self.element_shape))
        return value

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at `indices` (a vector) along a new first dimension; they have one shape."""
        value: Tensor = arrays.gather(
            self._handle, indices, self._flow, dtype=self._dtype, element_shape=self.element_shape, name=name
        )
        if self.element_shape.ndims is not None:
            value.set_shape(TensorShape([None]).concatenate(self.element_shape))
        return value

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first dimension; their other dimensions agree.

        Raises:
          ValueError: if they are known to be scalars.
        """
        shape = self.element_shape
        rest = TensorShape(None) if shape.ndims is None else shape[1:]
        value: Tensor = arrays.concat(
            self._handle, self._flow, dtype=self._dtype, element_shape_except0=rest, name=name
        )[0]
        if shape.ndims is not None:
            first = None
            if self._infer_shape:
                # TensorFlow makes a node for the size, whether or not it is of use.
                count = constant_value(self.size())
                if count is not None and not shape.ndims:
                    raise ValueError(
                        "The elements of this TensorArray are scalars, shape (): concat joins elements along a "
                        "dimension that they have. Did you mean stack()?"
                    )
                own = shape.as_list()[0] if shape.ndims else None
                if count is not None and own is not None:
                    first = int(count) * own
            value.set_shape(TensorShape([first]).concatenate(rest))
        return value

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array with the rows of `value` written to the indices from 0."""
        with name_scope(name, "TensorArrayUnstack", _given(self._handle, value)):
            count = shape_of(value)[0]
            return self.scatter(range_op(0, count), value, name=name)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with the rows of `value` written to `indices` (a vector).

        Raises:
          ValueError: if the rows' shape is not that of the other elements.
        """
        with name_scope(name, "TensorArrayScatter", _given(self._handle, value, indices)):
            value = self._convert(value)
            self._check_shape(value.shape[1:])
            with self._beside(value):
                flow = arrays.scatter(self._handle, indices, value, self._flow, name=name)
            return self.with_flow(flow)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array with pieces of `value` written to the indices from 0; `lengths` says how many rows each has.

        Raises:
          ValueError: if the type is not that of the other elements.
        """
        with name_scope(name, "TensorArraySplit", _given(self._handle, value, lengths)):
            value = convert_to_tensor(value, dtype=self._dtype, name="value")
            with self._beside(value):
                lengths = cast(lengths, dtypes.int64)
                known = constant_value(lengths)
                if value.shape.ndims is not None and known is not None and known.ndim and known.max() == known.min():
                    self._check_shape(TensorShape([int(known[0])]).concatenate(value.shape[1:]))
                flow = arrays.split(self._handle, value, lengths, self._flow, name=name)
            return self.with_flow(flow)

    # -- the rest ------------------------------------------------------------------------------------------------

    def size(self, name: str | None = None) -> Tensor:
        """How many elements there are: an int32 scalar."""
        if not self._dynamic_size and self._size is not None:
            return convert_to_tensor(self._size, dtype=dtypes.int32)
        size: Tensor = arrays.size(self._handle, self._flow, name=name)
        return size

    def close(self, name: str | None = None) -> Any:
        """An operation that forgets the elements; nothing can be done with the array after it."""
        return arrays.close(self._handle, name=name)

    #: the names of version 0.x
    pack = stack
    unpack = unstack

    # -- checks --------------------------------------------------------------------------------------------------

    def _convert(self, value: Any) -> Tensor:
        value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
        if value.dtype.base_dtype != self._dtype:
            # As in TensorFlow the node is made all the same; the error comes when it runs.
            import logging

            logging.getLogger("tensorflow").error(
                "Error: Input value %s has dtype %s, but expected dtype %s.", value, value.dtype, self._dtype
            )
        return value

    def _check_shape(self, shape: TensorShape) -> None:
        known = self._known
        if not shape.is_compatible_with(known.element_shape):
            raise ValueError(
                f"Inconsistent shapes: saw {shape} but expected {known.element_shape}. The elements of this "
                "TensorArray have one shape; infer_shape=False allows others."
            )
        if self._infer_shape:
            known.learn("element_shape", known.element_shape.merge_with(shape))

    def _beside(self, value: Tensor) -> AbstractContextManager[Any]:
        if not self._colocate:
            return nullcontext()
        known = self._known
        if known.beside is None:
            known.learn("beside", value)
        return get_default_graph().colocate_with(known.beside)

    def _static_size(self) -> int | None:
        size = self._size
        if isinstance(size, Tensor):
            size = constant_value(size)
        return None if size is None else int(size)


def _given(*values: Any) -> list[Any]:
    return [value for value in values if value is not None]


def _refuse_with_handle(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(
                f"Cannot provide both `handle` and `{name}` arguments at the same time: an array that exists has its "
                f"own {name}."
            )
