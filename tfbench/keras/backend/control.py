"""One thing or another, functions over elements, gradients and `function`, under the names of `tf.keras.backend`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import nest, ops
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.gradients import gradients as tf_gradients
from tfbench.engine.ops.printing_v2 import print as print_v2
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend.state import get_session, learning_phase
from tfbench.variables.base import Variable


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """One or the other by a condition: a number decides for all (functions are then branches), a tensor by element.

    Raises:
      ValueError: if the condition has more axes than the expressions.
    """
    if not condition.dtype.is_bool:
        condition = ops.cast(condition, "bool")
    rank = condition.shape.ndims
    if not rank:
        return ops.cond(condition, _branch(then_expression), _branch(else_expression))
    chosen = then_expression() if callable(then_expression) else then_expression
    other = else_expression() if callable(else_expression) else else_expression
    wanted = chosen.shape.ndims
    if rank > wanted:
        raise ValueError(
            "The condition has more axes than what is chosen from. Rank of `condition` and of the expressions: "
            f"ndim(condition)={rank}, ndim(then_expression)={wanted}"
        )
    if rank > 1:
        shape = ops.concat([ops.shape(condition), [1] * (wanted - rank)], axis=0)
        condition = ops.reshape(condition, shape)
        whole = ops.shape(chosen)
        condition = ops.tile(condition, ops.where(whole - shape > 0, whole, ops.ones_like(whole)))
    return ops.where(condition, chosen, other)


def _branch(expression: Any) -> Callable[[], Any]:
    return expression if callable(expression) else lambda: expression


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`x` in training, else `alt`; decided when it is run, unless `training` (or the phase) is known now."""
    training = learning_phase() if training is None else training
    if not isinstance(training, Tensor):
        chosen = x if training else alt
        return chosen() if callable(chosen) else chosen
    return switch(training, x, alt)


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`x` outside of training, else `alt`."""
    return in_train_phase(alt, x, training=training)


def map_fn(fn: Any, elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """`fn` of each element along the first axis."""
    return ops.map_fn(fn, elems, name=name, dtype=dtype)


def foldl(fn: Any, elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """Elements put together from the first to the last."""
    return ops.foldl(fn, elems, initializer=initializer, name=name)


def foldr(fn: Any, elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """Elements put together from the last to the first."""
    return ops.foldr(fn, elems, initializer=initializer, name=name)


def gradients(loss: Any, variables: Any) -> Any:
    """The gradients of `loss` with respect to `variables`."""
    return tf_gradients(loss, variables, colocate_gradients_with_ops=True)


def print_tensor(x: Any, message: str = "") -> Any:
    """The same tensor, printed when it is computed."""
    printed = print_v2(message, x, output_stream=sys.stdout)
    with get_default_graph().control_dependencies([printed]):
        return ops.identity(x)


class Function:
    """Values of `outputs` for values of `inputs`; each call also runs the `updates`.

    Args:
      inputs: placeholders, or a nest of them.
      outputs: tensors or variables, or a nest of them.
      updates: operations, or pairs of a variable and its new value.
    """

    def __init__(self, inputs: Any, outputs: Any, updates: Any = None, name: str | None = None, **session_kwargs: Any):
        updates = updates or []
        if not isinstance(updates, (list, tuple)):
            raise TypeError("A Keras backend function takes its `updates` as a list or tuple.")
        self.name = name
        self.inputs = nest.flatten(inputs)
        self._structure = outputs
        self.outputs = [ops.identity(one) if isinstance(one, Variable) else one for one in nest.flatten(outputs)]
        graph = self.outputs[0].graph if self.outputs else get_default_graph()
        with graph.as_default():
            with graph.control_dependencies(self.outputs[:1]):
                done = [pair[0].assign(pair[1]) if isinstance(pair, tuple) else pair for pair in updates]
                self.updates_op = ops.group(*[getattr(one, "op", one) for one in done])
            fetches = session_kwargs.pop("fetches", [])
            self.fetches = [ops.identity(one) for one in (fetches if isinstance(fetches, list) else [fetches])]
        self.feed_dict = session_kwargs.pop("feed_dict", None) or {}
        #: fetch -> what is called with its value
        self.fetch_callbacks: dict[Any, Callable[[Any], None]] = {}
        self._options = {name: session_kwargs.pop(name, None) for name in ("options", "run_metadata")}
        if session_kwargs:
            raise ValueError(f"Some keys in session_kwargs are not supported at this time: {session_kwargs.keys()}")

    def __call__(self, inputs: Any = ()) -> Any:
        """The outputs, as arrays, in the form of `outputs`."""
        feeds = dict(self.feed_dict)
        session = get_session()
        given = nest.flatten(inputs)
        computed = [value for value in given if isinstance(value, (Tensor, Variable))]
        values = iter(session.run(computed) if computed else ())  # in one run: they may be of one element of a data set
        for tensor, value in zip(self.inputs, given, strict=False):
            if isinstance(value, (Tensor, Variable)):
                value = next(values)
            if value is not None:
                feeds[tensor] = np.asarray(value, dtype=tensor.dtype.as_numpy_dtype) if _is_array(tensor) else value
        outputs, fetched, _ = session.run([self.outputs, self.fetches, self.updates_op], feeds, **self._options)
        for fetch, value in zip(self.fetches, fetched, strict=True):
            if fetch in self.fetch_callbacks:
                self.fetch_callbacks[fetch](value)
        return nest.pack_sequence_as(self._structure, outputs)


def _is_array(tensor: Any) -> bool:
    return isinstance(tensor, Tensor) and tensor.dtype.name != "string"


def function(inputs: Any, outputs: Any, updates: Any = None, name: str | None = None, **kwargs: Any) -> Function:
    """What computes `outputs` from values of `inputs`.

    Raises:
      TypeError: for updates that are no list.
      ValueError: for a keyword that `Session.run` does not have.
    """
    for unknown in kwargs:
        if unknown not in ("fetches", "feed_dict", "options", "run_metadata"):
            raise ValueError(f'Invalid argument "{unknown}" passed to K.function with TensorFlow backend')
    return Function(inputs, outputs, updates=updates, name=name, **kwargs)
