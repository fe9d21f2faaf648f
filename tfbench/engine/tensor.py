"""Tensor: one output of an operation, a name for a value that a run will produce.

Operators (`x + y`, `x[1:]`) and what only higher layers can do (`eval`, `run`, GraphDef messages) are looked up
by name in `OPERATORS`, which those layers fill, so that this file needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tfbench.engine.dtypes import DType
from tfbench.engine.shape_math import Shape, merge
from tfbench.engine.shapes import TensorShape, to_tuple

if TYPE_CHECKING:
    from tfbench.engine.graph import Graph, Operation

#: what an operator or method does, by its name: "add", "radd", "getitem", … (filled by `ops/`), "eval", "run", …
OPERATORS: dict[str, Callable[..., Any]] = {}


class OperatorNotAllowedInGraphError(TypeError):
    """Python asks a tensor for what only its value has: its truth, or its elements. TensorFlow's `tf.errors` has no
    such name, so neither has this one: to catch it, catch TypeError."""


class Tensor:
    """An output of an Operation: a dtype, a static shape, and the op that makes it."""

    #: `__dict__` is there for what libraries hang on a tensor (`_keras_mask`, …); it is made on first use
    __slots__ = ("__dict__", "__weakref__", "_dtype", "_name", "_shape", "op", "value_index")

    #: NumPy arrays leave `array + tensor` to the tensor
    __array_priority__ = 100

    def __init__(self, op: Operation, value_index: int, dtype: DType, shape: Shape) -> None:
        self.op = op
        self.value_index = value_index
        self._dtype = dtype
        self._shape = shape
        self._name: str | None = None

    # -- identity ---------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """'op_name:index'."""
        name = self._name
        if name is None:
            name = self._name = f"{self.op.name}:{self.value_index}"
        return name

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def graph(self) -> Graph:
        return self.op.graph

    @property
    def device(self) -> str:
        """The device asked for, '' if none was."""
        return self.op.device

    # -- shape ------------------------------------------------------------------------------------------

    @property
    def shape(self) -> TensorShape:
        """The static shape, as far as it is known when the graph is built."""
        return TensorShape(self._shape)

    @property
    def static_shape(self) -> Shape:
        """The engine's own form of `shape`: a tuple with None for an unknown size, None for an unknown rank."""
        return self._shape

    def get_shape(self) -> TensorShape:
        return TensorShape(self._shape)

    def set_shape(self, shape: Any) -> None:
        """Merges what is known with `shape`.

        Raises:
          ValueError: where the two contradict each other.
        """
        wanted = to_tuple(shape)
        try:
            merged = merge(self._shape, wanted)
        except ValueError:
            raise ValueError(
                f"Dimension or rank mismatch: tensor '{self.name}' has shape {TensorShape(self._shape)}, "
                f"which is not compatible with {TensorShape(wanted)}; Shapes must be equal rank and sizes must agree"
            ) from None
        if merged != self._shape:
            self.graph.record_change(self, "_shape", self._shape)
            self._shape = merged

    @property
    def _rank(self) -> int | None:
        return None if self._shape is None else len(self._shape)

    @property
    def ndim(self) -> int:
        if self._shape is None:
            raise ValueError("Cannot take the rank of an unknown shape")
        return len(self._shape)

    # -- the graph around it ------------------------------------------------------------------------------

    def consumers(self) -> list[Operation]:
        """The operations that take this tensor as an input."""
        return self.graph.consumers_of(self)

    def ref(self) -> TensorReference:
        """A hashable stand-in, for dictionaries and sets."""
        return TensorReference(self)

    experimental_ref = ref

    def eval(self, feed_dict: dict[Any, Any] | None = None, session: Any = None) -> Any:
        """The value of this tensor in `session` (default: the default session)."""
        return OPERATORS["eval"](self, feed_dict, session)

    # -- Python protocol -----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={TensorShape(self._shape)} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        shape = f", shape={TensorShape(self._shape)}" if self._shape is not None else ""
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name}{device})'

    #: by identity; object's own, as tensors are looked up more often than a Python method could be called
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __copy__(self) -> Tensor:
        return self

    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(
            f"Using a `tf.Tensor` as a Python `bool` is not allowed: '{self.name}' has no value until a session "
            "runs it. Use `if t is not None:` to test that a tensor is defined, and `tf.cond` to branch on its value."
        )

    __nonzero__ = __bool__

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). "
            "Please call `x.shape` rather than `len(x)` for shape information."
        )

    def __iter__(self) -> Iterator[Tensor]:
        raise OperatorNotAllowedInGraphError(
            f"Iterating over a symbolic `tf.Tensor` is not allowed: '{self.name}' has no value until a session runs "
            "it. Use tf.unstack, indices, or tf.map_fn."
        )

    #: without this, `value in tensor` would ask for every element in turn
    __contains__ = None

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that you "
            "are passing a Tensor to a NumPy call, which is not supported."
        )

    def __index__(self) -> int:
        raise TypeError(
            f"'{self.name}' is a symbolic tf.Tensor and has no value until a session runs it, "
            "so it cannot be used as a Python number."
        )

    def __getitem__(self, key: Any) -> Tensor:
        return OPERATORS["getitem"](self, key)

    if TYPE_CHECKING:  # what the loop at the end of this file sets, for those that tensors are calculated with here

        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __neg__(self) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            f"'Tensor' object does not support item assignment ('{self.name}'). "
            "Use a variable and tf.scatter_update or `variable[...].assign(...)`."
        )


class TensorReference:
    """A tensor wrapped so that it can be a dictionary key whatever `==` means on tensors."""

    __slots__ = ("_wrapped",)

    def __init__(self, tensor: Any) -> None:
        self._wrapped = tensor

    def deref(self) -> Any:
        """The wrapped object."""
        return self._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorReference) and self._wrapped is other._wrapped

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


def _binary(name: str) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        return OPERATORS[name](self, other)

    return operator


def _unary(name: str) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        return OPERATORS[name](self)

    return operator


_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "div", "mod", "pow", "matmul", "and", "or", "xor")
_COMPARISONS = ("lt", "le", "gt", "ge")
_UNARY = ("neg", "invert", "abs")

#: Python's operator methods, without underscores, that tensors and variables have
OPERATOR_METHODS = (*_BINARY, *(f"r{name}" for name in _BINARY), *_COMPARISONS, *_UNARY)

for _name in OPERATOR_METHODS:
    setattr(Tensor, f"__{_name}__", _unary(_name) if _name in _UNARY else _binary(_name))
