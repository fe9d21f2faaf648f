"""Variables: values that live in a session from run to run, and the ops that make, set and check them.

A `Variable` is four nodes: the buffer (`v`, a reference), its initial value, `v/Assign`, and `v/read`, which
is what using the variable means. The same class of objects with a handle instead of a reference is in
`resource`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from tfbench.engine import source
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor, register_tensor_conversion_function
from tfbench.engine.default_graph import get_default_graph, get_default_session
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.scopes import Lifted, NameScope
from tfbench.engine.shape_math import is_fully_defined
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.engine.tensor import OPERATOR_METHODS, OPERATORS, Tensor, TensorReference
from tfbench.variables.creators import create, creators

__all__ = ["Variable", "VariableAggregation", "VariableSynchronization"]


class VariableSynchronization:
    """When distributed copies of a variable are kept equal; one process has one copy."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation:
    """How distributed updates of a variable are combined; one process has one update."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


#: the arguments of `tf.Variable`, in order, and what they are unless given
_DEFAULTS: dict[str, Any] = {
    "initial_value": None,
    "trainable": None,
    "collections": None,
    "validate_shape": True,
    "caching_device": None,
    "name": None,
    "variable_def": None,
    "dtype": None,
    "expected_shape": None,
    "import_scope": None,
    "constraint": None,
    "use_resource": None,
    "synchronization": VariableSynchronization.AUTO,
    "aggregation": VariableAggregation.NONE,
    "shape": None,
}
_USE_RESOURCE = list(_DEFAULTS).index("use_resource")


class _VariableType(type):
    """Lets the creators of `tf.variable_creator_scope` have their say when `tf.Variable(...)` is called."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        stack = creators() if cls is Variable else None
        if not stack:
            return super().__call__(*args, **kwargs)
        given = dict(zip(_DEFAULTS, args))
        return create(partial(type.__call__, cls), stack, {**_DEFAULTS, **given, **kwargs})


class Variable(metaclass=_VariableType):
    """What reference and resource variables share. Calling `tf.Variable(...)` makes one of the two.

    Args:
      initial_value: a tensor, anything that converts to one, or a function of no arguments that returns one.
      trainable: whether it goes into the collection of trainable variables (default: yes).
      collections: names of collections it goes into (default: the global variables).
      validate_shape: False lets the initial value have an unknown shape.
      caching_device: where `v/read` lives; default: with the variable.
      name: made unique. Default: 'Variable'.
      variable_def: a VariableDef message; the variable is then found in the graph instead of made.
      dtype: what the initial value is converted to.
      expected_shape: checked against the initial value's shape.
      import_scope: the name scope that the graph of `variable_def` was imported into.
      constraint: a function that projects the value after an optimizer's update.
      use_resource: True makes a resource variable.

    Raises:
      ValueError: if the initial value is missing, has no known shape, or has another than expected.
    """

    __array_priority__ = 100

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Variable:
            cls = Variable.choose(args[_USE_RESOURCE] if len(args) > _USE_RESOURCE else kwargs.get("use_resource"))
        return object.__new__(cls)

    #: picks the class for `use_resource` (filled in by the package, which knows both)
    choose: Callable[[bool | None], type]

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
    ) -> None:
        if variable_def is not None and initial_value is not None:
            raise ValueError("variable_def and initial_value are mutually exclusive.")
        self._constraint = constraint
        # A copy that is only read at the end cannot be trained.
        on_read = synchronization == VariableSynchronization.ON_READ
        self._trainable = not on_read if trainable is None else trainable
        self.synchronization = synchronization
        self.aggregation = aggregation
        self._save_slice_info: Any = None
        #: places of the later get_variable calls that returned this variable
        self.shared_at: list[source.Trace] = []
        if variable_def is not None:
            self._from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError(
                "initial_value must be specified: a tensor, a value, or a function without arguments that gives one."
            )
        collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
        if not isinstance(collections, (list, tuple, set)):
            raise ValueError(
                f"collections argument to Variable constructor must be a list, tuple, or set. Got {collections} "
                f"of type {type(collections)}"
            )
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        collections = list(collections)
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections.append(GraphKeys.TRAINABLE_VARIABLES)
        graph = get_default_graph()
        # A value may be of another graph, which is the variable's then.
        named = (
            NameScope(graph, "Variable" if name is None else name)
            if callable(initial_value)
            else name_scope(name, "Variable", [initial_value])
        )
        with Lifted(graph), named as scope:
            self._build(initial_value, scope, validate_shape, caching_device, dtype, expected_shape, shape)
        self.graph.add_to_collections(collections, self)

    def _build(
        self,
        initial_value: Any,
        scope: str,
        validate_shape: bool,
        caching_device: Any,
        dtype: Any,
        expected_shape: Any,
        shape: Any,
    ) -> None:
        raise NotImplementedError

    def _from_proto(self, message: Any, import_scope: str | None) -> None:
        raise NotImplementedError

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Any:
        """The variable of the default graph that a VariableDef describes, of the kind that it says."""
        return Variable.choose(variable_def.is_resource)(variable_def=variable_def, import_scope=import_scope)

    def _make_initial_value(self, initial_value: Any, dtype: Any, validate_shape: bool, expected: Any) -> Tensor:
        """The initial value as a tensor whose shape is known enough."""
        value = convert_to_tensor(initial_value, dtype=dtype, name="initial_value")
        if expected is not None and validate_shape and not as_shape(expected).is_compatible_with(value.shape):
            raise ValueError(
                f"The initial value's shape ({value.shape}) is not compatible with the explicitly supplied `shape` "
                f"argument ({as_shape(expected)})."
            )
        return value

    def _check_shape_known(self, value: Tensor, validate_shape: bool) -> None:
        if validate_shape and not is_fully_defined(value._shape):
            raise ValueError(f"initial_value must have a shape specified: {value}")

    # -- what it is ---------------------------------------------------------------------------------------

    _variable: Tensor
    _initial_value: Tensor | None
    _initializer_op: Operation

    @property
    def name(self) -> str:
        return self._variable.name

    @property
    def op(self) -> Operation:
        return self._variable.op

    @property
    def graph(self) -> Any:
        return self._variable.graph

    @property
    def device(self) -> str:
        return self._variable.device

    @property
    def dtype(self) -> DType:
        return self._variable.dtype

    @property
    def shape(self) -> TensorShape:
        return self._variable.shape

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        return self._constraint

    @property
    def initializer(self) -> Operation:
        """The operation that sets the initial value."""
        return self._initializer_op

    @property
    def initial_value(self) -> Tensor | None:
        """The tensor that the initialiser assigns. It is computed anew each time it is run."""
        return self._initial_value

    @property
    def _shared_name(self) -> str:
        return self.op.name

    def _as_graph_element(self) -> Tensor:
        return self._variable

    def value(self) -> Tensor:
        raise NotImplementedError

    def read_value(self) -> Tensor:
        raise NotImplementedError

    def _ref(self) -> Tensor:
        return self._variable

    def ref(self) -> Any:
        """A hashable stand-in, for dictionaries and sets."""
        return TensorReference(self)

    experimental_ref = ref

    def initialized_value(self) -> Tensor:
        """The value if the variable is initialised, else its initial value: for initialising others from it."""
        with self.graph.control_dependencies(None):
            return cond(self._is_initialized(), self.read_value, lambda: self.initial_value)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A bool tensor: whether the variable has a value."""
        return self._is_initialized(name)

    def _is_initialized(self, name: str | None = None) -> Tensor:
        raise NotImplementedError

    def eval(self, session: Any = None) -> Any:
        """The value in `session` (default: the default session)."""
        return OPERATORS["eval"](self._variable, None, session)

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the value in a session without adding to the graph."""
        session = session or get_default_session()
        if session is None:
            raise ValueError("Either session argument should be provided or default session should be established")
        session.run(self.initializer, {self.initializer.inputs[1]: value})

    def count_up_to(self, limit: int) -> Tensor:
        """Adds one and returns the value before; OutOfRangeError at `limit`."""
        raise NotImplementedError

    def get_save_slice_info(self) -> Any:
        return self._save_slice_info

    _get_save_slice_info = get_save_slice_info

    def _set_save_slice_info(self, info: Any) -> None:
        self._save_slice_info = info

    def set_shape(self, shape: Any) -> None:
        """Narrows the static shape."""
        self._variable.set_shape(shape)
        self.value().set_shape(shape)

    # -- Python protocol --------------------------------------------------------------------------------------

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.read_value())

    def __getitem__(self, key: Any) -> Tensor:
        return OPERATORS["getitem"](self.value(), key, self)

    def __copy__(self) -> Variable:
        return self

    class SaveSliceInfo:
        """Which part of a partitioned variable a slice is: the full name and shape, its offset and shape."""

        def __init__(
            self,
            full_name: str | None = None,
            full_shape: Sequence[int] | None = None,
            var_offset: Sequence[int] | None = None,
            var_shape: Sequence[int] | None = None,
            save_slice_info_def: Any = None,
            import_scope: str | None = None,
        ) -> None:
            if save_slice_info_def is not None:
                full_name = save_slice_info_def.full_name
                full_shape = list(save_slice_info_def.full_shape)
                var_offset = list(save_slice_info_def.var_offset)
                var_shape = list(save_slice_info_def.var_shape)
                if import_scope:
                    full_name = f"{import_scope}/{full_name}"
            self.full_name = full_name
            self.full_shape = full_shape
            self.var_offset = var_offset
            self.var_shape = var_shape

        @property
        def spec(self) -> str:
            """The form that checkpoints use: the full shape, then `offset,size` per axis."""
            full = " ".join(str(size) for size in self.full_shape or ()) + " "
            parts = (f"{o},{s}" for o, s in zip(self.var_offset or (), self.var_shape or (), strict=True))
            return full + ":".join(parts)


def _on_value(form: str) -> Callable[..., Any]:
    def operator(self: Variable, *others: Any) -> Any:
        return OPERATORS[form](self.value(), *others)

    return operator


# A variable's operators are the tensor's, on its value.
for _form in OPERATOR_METHODS:
    setattr(Variable, f"__{_form}__", _on_value(_form))


def _convert(value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
    """How a variable becomes a tensor: its value, or the buffer itself where a reference is wanted."""
    if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{as_dtype(dtype).name}' for variable of type "
            f"'{value.dtype.name}' ({value.name})"
        )
    return value._ref() if as_ref else value.value()


register_tensor_conversion_function(Variable, _convert, 10)

# `__call__` and `__new__` only choose the class: what `Variable(...)` takes is what `__init__` takes.
_VariableType.__call__.__wrapped__ = Variable.__init__  # type: ignore[attr-defined]
Variable.__new__.__wrapped__ = Variable.__init__  # type: ignore[attr-defined]
