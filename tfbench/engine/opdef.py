"""Operation types: what they are called, what they take, and the registry that holds them.

One op is one block in one file under `ops/`::

    softplus = op("Softplus", "features: T", "activations: T", "T: {half, float, double}")

    @softplus.shape
    def _(node, x):
        return [x]

    @softplus.gradient
    def _(node, dy): ...

    @softplus.kernel(CPU, GPU)
    def _(xp, x):
        return xp.logaddexp(x, xp.zeros((), x.dtype))

Inputs, outputs and attributes are spelled as TensorFlow's op registry spells them. The spelling is parsed
when the op is first used, so that declaring several hundred ops costs an import next to nothing.

* A *shape function* gets the node and its input shapes (tuples with None for an unknown size, None for an
  unknown rank) and returns the output shapes in the same form; it raises ValueError with the reason.
* A *gradient function* gets the node and the gradients of its outputs and returns those of its inputs.
* A *kernel* gets the device's array module and the input arrays; the attributes that it names as
  keyword-only parameters are bound once per plan. It returns an array, or a tuple for several outputs.
  Kernels never write to their inputs.
* A *binder* (`bind`) gets a `KernelContext` once per plan and returns the function of arrays alone. That
  is for ops with state (variables, random streams) and for kernels that specialise.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tfbench.engine import signature
from tfbench.engine.shapes import Shape
from tfbench.engine.signature import ArgDef, AttrDef

if TYPE_CHECKING:
    from tfbench.engine.dtypes import DType
    from tfbench.engine.graph import Operation, Tensor

CPU = "CPU"
GPU = "GPU"

ShapeFunction = Callable[..., Sequence[Shape]]
GradientFunction = Callable[..., Any]


class Kernel:
    """How one device computes an op: a plain function of arrays, or a binder that makes one."""

    __slots__ = ("attrs", "binds", "function")

    def __init__(self, function: Callable[..., Any], binds: bool) -> None:
        self.function = function
        self.binds = binds
        code = getattr(function, "__code__", None)
        count = code.co_kwonlyargcount if code else 0
        first = code.co_argcount if code else 0
        #: names of the attributes that the function takes by keyword
        self.attrs: tuple[str, ...] = code.co_varnames[first : first + count] if code else ()


class Preset:
    """What a binder returns for a node whose value is known once the plan is bound: no step is needed."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class OpDef:
    """One operation type. Calling it adds a node to the graph and returns its output(s)."""

    __slots__ = (
        "_attr_spec",
        "_input_spec",
        "_output_spec",
        "aliases",
        "attrs",
        "declared_at",
        "defaults",
        "doc",
        "forms",
        "fresh",
        "gradient_function",
        "has_lists",
        "inputs",
        "kernels",
        "no_gradient_reason",
        "one_output",
        "operator",
        "outputs",
        "shape_function",
        "stateful",
        "takes_references",
        "takes_single_tensors",
        "type",
        "views",
    )

    # What the signature says. It is parsed when one of these is first read (`__getattr__`): most ops are never used.
    attrs: dict[str, AttrDef]
    defaults: dict[str, Any]
    inputs: tuple[ArgDef, ...]
    outputs: tuple[ArgDef, ...]
    #: whether any input or output is a list, any input a reference, the output one tensor
    has_lists: bool
    takes_references: bool
    one_output: bool
    #: whether there are inputs, and neither lists nor references among inputs and outputs
    takes_single_tensors: bool

    def __init__(
        self,
        type: str,
        inputs: str,
        outputs: str,
        attrs: str,
        *,
        stateful: bool,
        aliases: bool,
        views: bool,
        fresh: bool,
        operator: str | None,
        doc: str,
    ) -> None:
        self.type = type
        self._input_spec = inputs
        self._output_spec = outputs
        self._attr_spec = attrs
        #: attributes and output types of nodes by what they follow from (filled by `apply`)
        self.forms: dict[Any, tuple[dict[str, Any], tuple[DType, ...]]] = {}
        self.stateful = stateful
        #: output 0 is the very buffer of input 0 (Identity, Reshape): TensorFlow shares it too
        self.aliases = aliases
        #: the kernel may return NumPy views of its inputs; a plan copies where the input is a variable
        self.views = views
        #: the kernel always returns new arrays that nothing else holds: a fetch need not copy them
        self.fresh = fresh
        #: the Python operator with the same meaning on scalars, for straight-line plans
        self.operator = operator
        self.doc = doc
        self.shape_function: ShapeFunction | None = None
        self.gradient_function: GradientFunction | None = None
        self.no_gradient_reason: str | None = None
        self.kernels: dict[str, Kernel] = {}
        frame = sys._getframe(2)
        self.declared_at = f"{frame.f_code.co_filename}:{frame.f_lineno}"

    # -- declaration ------------------------------------------------------------------------------------

    def shape(self, function: ShapeFunction) -> ShapeFunction:
        """Decorator: the function that infers the output shapes."""
        self.shape_function = function
        return function

    def gradient(self, function: GradientFunction) -> GradientFunction:
        """Decorator: the function that builds the gradient's nodes."""
        self.gradient_function = function
        return function

    def no_gradient(self, reason: str) -> None:
        """Says why this op has no gradient."""
        self.no_gradient_reason = reason

    def kernel(self, *devices: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: a kernel `(xp, *arrays, *, attributes)` for `devices`."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            for device in devices:
                self.kernels[device] = Kernel(function, binds=False)
            return function

        return register

    def bind(self, *devices: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: a function `(context) -> function of arrays`, called once per plan."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            for device in devices:
                self.kernels[device] = Kernel(function, binds=True)
            return function

        return register

    # -- the parsed signature ---------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name not in OpDef.__annotations__:
            raise AttributeError(f"'OpDef' object has no attribute {name!r}")
        self._parse()
        return getattr(self, name)

    def _parse(self) -> None:
        inputs, outputs, attrs = signature.parse(self._input_spec, self._output_spec, self._attr_spec)
        self.has_lists = any(arg.is_list for arg in (*inputs, *outputs))
        self.takes_references = any(arg.is_ref for arg in inputs)
        self.one_output = len(outputs) == 1 and not outputs[0].is_list
        self.takes_single_tensors = bool(inputs) and not self.has_lists and not self.takes_references
        self.attrs, self.inputs, self.outputs = attrs, inputs, outputs
        self.defaults = {name: attr.default for name, attr in attrs.items() if attr.has_default}

    @property
    def returns_tuple(self) -> bool:
        """Whether kernels return a tuple of outputs (any number but one) instead of one array."""
        return not self.one_output

    # -- use ------------------------------------------------------------------------------------------

    def __call__(self, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
        """Adds a node. Returns its output Tensor, a list of them (several outputs), or the Operation (none)."""
        node = builder.apply_op(self, inputs, attrs, name)
        outputs = node.outputs_list
        if self.one_output:
            return outputs[0]
        args = self.outputs
        if not args:
            return node
        if len(args) == 1:
            return list(outputs)
        return list(outputs) if not any(arg.is_list for arg in args) else _group(node, args)

    def node(self, *inputs: Any, name: str | None = None, **attrs: Any) -> Operation:
        """Adds a node and returns the Operation itself."""
        return builder.apply_op(self, inputs, attrs, name)

    def __repr__(self) -> str:
        return f"<OpDef {self.type}>"


def _group(node: Operation, args: Sequence[ArgDef]) -> list[Tensor | list[Tensor]]:
    grouped: list[Tensor | list[Tensor]] = []
    position = 0
    for arg in args:
        if arg.number_attr is not None:
            count = node.attrs[arg.number_attr]
        elif arg.type_list_attr is not None:
            count = len(node.attrs[arg.type_list_attr])
        else:
            grouped.append(node.outputs_list[position])
            position += 1
            continue
        grouped.append(list(node.outputs_list[position : position + count]))
        position += count
    return grouped


class _Builder:
    """How nodes are added; `engine.apply` fills it in, since it stands on graphs and they stand on this file."""

    apply_op: Callable[..., Any]
    create_from_parts: Callable[..., Any]
    #: functions that are being traced (`function_graph`): where there are none, a node's graph is that of its inputs
    tracing = 0


builder = _Builder()

#: op type -> declaration
registry: dict[str, OpDef] = {}


def op(
    type: str,
    inputs: str = "",
    outputs: str = "",
    attrs: str = "",
    *,
    stateful: bool = False,
    aliases: bool = False,
    views: bool = False,
    fresh: bool = False,
    operator: str | None = None,
    doc: str = "",
) -> OpDef:
    """Declares an operation type.

    `inputs` and `outputs` are `name: type` separated by commas, `attrs` are `name: kind = default` separated by
    semicolons (`signature`).
    """
    if type in registry:
        raise ValueError(f"Operation type {type!r} is declared twice; first at {registry[type].declared_at}")
    opdef = OpDef(
        type,
        inputs,
        outputs,
        attrs,
        stateful=stateful,
        aliases=aliases,
        views=views,
        fresh=fresh,
        operator=operator,
        doc=doc,
    )
    registry[type] = opdef
    return opdef


def lookup(type: str) -> OpDef:
    """The declaration of op `type`."""
    try:
        return registry[type]
    except KeyError:
        import difflib

        near = difflib.get_close_matches(type, registry, n=3)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        raise ValueError(f"Op type not registered {type!r}.{hint}") from None
