"""`tf.recompute_grad`: a function whose values are not kept for its gradient, but computed again.

The second computation must not be merged with the first or begin early: its arguments are the first one's plus a zero
that depends on the incoming gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.gradients import UnconnectedGradients, custom_gradient, gradients
from tfbench.engine.gradients.between import ops_between
from tfbench.engine.gradients.tape import backward
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor
from tfbench.variable_scope import get_variable_scope, variable_scope

__all__ = ["recompute_grad"]


def recompute_grad(f: Any) -> Any:
    """`f`, whose gradient computes what it needs of `f` again instead of keeping it.

    `f` must use variables that are there already, or reuse them. Of such a gradient there is no further one.
    """

    @custom_gradient
    def computed_again(*args: Any) -> Any:
        scope = get_variable_scope()
        result = f(*args)

        def gradient(*grads: Any, variables: Any = None) -> Any:
            @custom_gradient
            def first_order(*dys: Any) -> Any:
                used = list(variables or ())
                inputs = _after(dys[0], args)
                with variable_scope(scope):
                    again = nest.flatten(f(*inputs))
                found = _gradients(again, [*inputs, *used], dys)

                def second_order(*_: Any, **__: Any) -> Any:
                    raise NotImplementedError(
                        f"recompute_grad tried to transpose grad of {getattr(f, '__name__', f)}: there is no second "
                        "derivative. Consider not using recompute_grad."
                    )

                return (found[: len(inputs)], found[len(inputs) :]), second_order

            found, of_variables = first_order(*grads)
            return found if variables is None else (found, of_variables)

        return result, gradient

    computed_again.__name__ = getattr(f, "__name__", "computed_again")
    return computed_again


def _after(dy: Any, args: Sequence[Any]) -> list[Any]:
    """`args`, not before `dy` is there."""
    identity = lookup("Identity")
    found = [identity(each) for each in args]
    first = ops.reduce_max(ops.reshape(dy, [-1])[:1])
    ops.cast(first, dtypes.bool)
    nothing: Any = ops.where_v2(True, 0.0, float("nan"))
    return [each + ops.cast(nothing, each.dtype) for each in found]


def _source(x: Any) -> Tensor:
    """What is differentiated by: a resource variable's handle, a reference variable's value."""
    handle = None if isinstance(x, Tensor) else getattr(x, "handle", None)
    return handle if isinstance(handle, Tensor) else convert_to_tensor(x)


def _gradients(ys: list[Any], xs: list[Any], dys: Sequence[Any]) -> list[Any]:
    """As a tape works them out where each op has one result, else as `tf.gradients` does; zeros where there is none."""
    sources = [_source(x) for x in xs]
    between, _ = ops_between(ys[0].graph, [y.op for y in ys], [x.op for x in sources])
    if all(len(op.outputs_list) == 1 and op._control_flow_context is None for op in between):
        found = backward(ys, sources, dys, range(len(ys) - 1, -1, -1))
    else:
        found = gradients(ys, xs, list(dys), unconnected_gradients=UnconnectedGradients.ZERO)
    return [ops.zeros_like(x) if dx is None else dx for dx, x in zip(found, xs)]
