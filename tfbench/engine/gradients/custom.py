"""Functions that bring their gradient along: `custom_gradient`, and two that are made of it.

What such a function took and gave, and the variables it used, goes through one IdentityN node. The gradient of that
node is the function that was brought along; what lies before it is never differentiated. That gradient lives as long as
the node does, under a name that is unique in the process, so that graphs are not kept alive by a registry.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.gradients import registry
from tfbench.engine.graph import Graph, GraphKeys, Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor

_numbers = itertools.count(1)

_VARIABLES = frozenset(["VariableV2", "VarHandleOp"])
_READS = frozenset(["ReadVariableOp", "ResourceGather", "ResourceGatherNd"])


class _WithGradient:
    """A function that `custom_gradient` decorated; a method, if it is found in an object."""

    def __init__(self, function: Callable[..., Any]) -> None:
        from functools import update_wrapper

        update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _call(self._function, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return _WithGradient(self._function.__get__(instance, owner))


def custom_gradient(f: Any = None) -> Any:
    """Decorator for a function of tensors that returns `(result, gradient function)`.

    The gradient function gets the gradients of the results and returns those of the arguments; if variables were used,
    it gets them as `variables`, and returns a list of their gradients as well: `(gradients, variable gradients)`.

    Raises (when the function is called):
      ValueError: for keyword arguments, or if results are from different graphs.
      TypeError: if a reference variable is made in it, or variables are used and its gradient function takes none.
    """
    if f is None:
        return custom_gradient
    return _WithGradient(f)


def _call(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    if kwargs:
        raise ValueError(
            "The custom_gradient decorator currently supports keywords arguments only when eager execution is enabled: "
            f"give {', '.join(map(repr, kwargs))} by position."
        )
    graph = get_default_graph()
    inputs = nest.map_structure(convert_to_tensor, list(args))
    before = _all_variables(graph)
    start = graph.version
    result, gradient = function(*inputs)
    for variable in _all_variables(graph):
        if not any(variable is known for known in before) and not _is_resource(variable):
            raise TypeError(
                "All variables used by a function wrapped with @custom_gradient must be `ResourceVariable`s. Ensure "
                f"that no `variable_scope` is created with `use_resource=False`: {variable.name} is none."
            )
    flat_inputs, flat_result = nest.flatten(inputs), nest.flatten(result)
    graphs = {id(each.graph): each.graph for each in flat_result if hasattr(each, "graph")}
    if len(graphs) > 1:
        raise ValueError("All custom_gradient outputs should be from the same graph")
    variables = _variables_used(graph, start, flat_inputs, flat_result)
    if variables and not _takes_variables(gradient):
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
            f"{variables}"
        )

    def build(op: Operation, *grads: Any) -> Any:
        grads = grads[: len(flat_result)]
        if variables:
            found, of_variables = gradient(*grads, variables=variables)
            if len(of_variables) != len(variables):
                raise ValueError(
                    f"Must return gradient for each variable from @custom_gradient grad_fn: {len(of_variables)} for "
                    f"{len(variables)} variables."
                )
        else:
            found, of_variables = gradient(*grads), []
        return [None] * len(flat_result) + nest.flatten(found) + list(of_variables)

    function_of_node = registry.written_by_user(build)
    name = f"CustomGradient-{next(_numbers)}"
    everything = [*flat_result, *flat_inputs, *variables]
    with graph.gradient_override_map({"IdentityN": name}):
        outputs = ops.identity_n(everything)
    node = outputs[0].op
    node.__dict__["_gradient"] = function_of_node
    registry.brought_along[name] = function_of_node
    for each in everything:
        convert_to_tensor(each)  # TensorFlow leaves these nodes
    return nest.pack_sequence_as(result, outputs[: len(flat_result)])


def _is_resource(variable: Any) -> bool:
    handle = getattr(variable, "handle", None)
    return isinstance(handle, Tensor) and handle.dtype is dtypes.resource


def _all_variables(graph: Graph) -> list[Any]:
    found: list[Any] = []
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        found += graph.get_collection(key)
    return found


def _takes_variables(function: Callable[..., Any]) -> bool:
    import inspect

    spec = inspect.getfullargspec(function)
    return "variables" in spec.args or "variables" in spec.kwonlyargs or spec.varkw is not None


def _variables_used(graph: Graph, start: int, inputs: Sequence[Tensor], results: Sequence[Any]) -> list[Any]:
    """The trainable variables that the results depend on, or that ops made since `start` read, by name."""
    queue = [lookup("Identity")(each).op for each in results]  # TensorFlow leaves these nodes
    made = graph.get_operations()[start:]
    seen = set(queue)
    stops = set(inputs)
    owners = {tensor.op for op in made if op.type in _READS for tensor in op.inputs[:1]}
    for op in queue:  # grows on the way
        if not _differentiable(op):
            continue
        for tensor in op.inputs:
            if tensor not in stops and tensor.op not in seen:
                seen.add(tensor.op)
                queue.append(tensor.op)
    owners |= {op for op in queue if op.type in _VARIABLES}
    found = [v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if getattr(v, "op", None) in owners]
    found = [v for v in found if v.trainable]
    return sorted(found, key=lambda variable: str(variable.name))


def _differentiable(op: Operation) -> bool:
    try:
        return registry.gradient_function(op) is not None
    except LookupError:
        return False


def grad_pass_through(f: Any) -> Any:
    """`f` with a gradient as if it were not there: what comes in for its results goes to its arguments."""

    @custom_gradient
    def passed_through(*args: Any, **kwargs: Any) -> Any:
        def gradient(*grads: Any, **keywords: Any) -> Any:
            variables = keywords.get("variables")
            return grads if variables is None else (grads, [None] * len(variables))

        return f(*args, **kwargs), gradient

    return passed_through
