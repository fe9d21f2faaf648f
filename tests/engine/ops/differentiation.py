"""Gradients of one node made from a sample, to first and second order, exact and by finite differences.

The node's inputs with a fraction are what is differentiated. They get double precision where the op has it, and are
moved a little, away from ties and from whole numbers, where a function may have a kink. A result counts
`sum(real(conj(w) * y))` with weights w of its own, so the exact gradient is `tf.gradients` with w as `grad_ys`; for
complex numbers that is the convention of TensorFlow. Second order: the first gradients are weighted the same way, and
differentiated with respect to the inputs and to w.

Differences are taken along a few directions in which all elements of one input move, each by another amount.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tfbench as tf
from tests.engine.ops.sampling import Handle, Ref, Sample
from tfbench.engine.opdef import registry

_DOUBLE = {"float16": "float64", "bfloat16": "float64", "float32": "float64", "complex64": "complex128"}
_SINGLE = {"float16": "float32", "bfloat16": "float32", "float64": "float32", "complex128": "complex64"}
_TRAINABLE = {"float16", "bfloat16", "float32", "float64", "complex64", "complex128"}
#: of the differences, by precision: the step, and the tolerance relative to the sum of what could contribute
_STEPS = {"float64": (1e-5, 2e-7), "float32": (5e-3, 2e-3), "float16": (1e-1, 1e-1), "bfloat16": (2e-1, 2e-1)}

Array = Any
#: op type -> what is done with the op's inputs first, lest a difference leave the domain (a symmetric matrix)
Prepare = Callable[..., list[Any]]


def _name(dtype: Any) -> str:
    return tf.as_dtype(dtype).base_dtype.name


def _precision(array: Array) -> tuple[float, float]:
    """What `_STEPS` says for numbers of this type."""
    name = _name(array.dtype)
    return _STEPS[{"complex128": "float64", "complex64": "float32"}.get(name, name)]


def spread(array: Array, seed: int, amount: float = 1.0) -> Array:
    """Numbers in the shape and type of `array` that have nothing to do with each other."""
    kind = np.asarray(array).dtype
    angles = np.arange(np.size(array)).reshape(np.shape(array)) * 1.7 + seed + 0.3
    values = np.cos(angles) + 0.1 * np.sin(3.1 * angles)
    return (amount * (values + 1j * np.sin(angles) if kind.kind == "c" else values)).astype(kind)


class _Types:
    """The types a sample's op is to have in this precision: per type attribute, where the op allows it."""

    def __init__(self, type: str, kinds: dict[str, str]) -> None:
        self.opdef = registry[type]
        self.kinds = kinds

    def of(self, attr: str | None, name: str) -> str:
        wanted = self.kinds.get(name, name)
        if attr is None:
            return name
        allowed = self.opdef.attrs[attr].allowed
        return wanted if allowed is None or wanted in {kind.name for kind in allowed} else name

    def inputs(self, values: list[Any]) -> list[Any]:
        found = []
        for arg, value in zip(self.opdef.inputs, values):
            found.append(
                [self._cast(arg, item) for item in value] if isinstance(value, list) else self._cast(arg, value)
            )
        return found

    def _cast(self, arg: Any, value: Any) -> Any:
        if isinstance(value, Ref):
            # What a handle holds is as the attribute says.
            attr = arg.type_attr or ("dtype" if "dtype" in self.opdef.attrs else None)
            return type(value)(self._array(attr, value.value))
        return self._array(arg.type_attr or arg.type_list_attr, np.asarray(value))

    def _array(self, attr: str | None, array: Array) -> Array:
        if array.dtype.kind in "OSU":
            return array
        name = _name(array.dtype)
        return array.astype(tf.as_dtype(self.of(attr, name)).as_numpy_dtype) if name in _TRAINABLE else array

    def attributes(self, attrs: dict[str, Any]) -> dict[str, Any]:
        types = {name for name in attrs if name in self.opdef.attrs and self.opdef.attrs[name].kind == "type"}
        return {name: self.of(name, _name(value)) if name in types else value for name, value in attrs.items()}


class Differentiated:
    """A sample's node with placeholders for what is differentiated; all values are in `values`."""

    def __init__(
        self,
        type: str,
        sample: Sample,
        prepare: Prepare | None = None,
        results: int | None = None,
        *,
        single: bool = False,
        unknown: bool = False,
    ) -> None:
        """`results`: how many of the op's results count, if not all."""
        types = _Types(type, _SINGLE if single else _DOUBLE)
        self.unknown = unknown
        self.values: dict[Any, Array] = {}
        self.xs: list[Any] = []
        #: which of the op's inputs each x is
        self.positions: list[int] = []
        self._sources: list[Any] = []
        self._initializers: list[Any] = []
        self._feeds: dict[Any, Array] = {}
        self.graph = tf.Graph()
        with self.graph.as_default():
            self._count = -1
            inputs = [
                [self._tensor(item) for item in value] if isinstance(value, list) else self._tensor(value)
                for value in types.inputs(sample[0])
            ]
            if prepare is not None:
                inputs = prepare(*inputs)
            self.node = registry[type].node(*inputs, **types.attributes(sample[1]))
            self.ys = [y for y in self.node.outputs[:results] if _name(y.dtype) in _TRAINABLE]
        self.session = tf.Session(graph=self.graph)
        results = self.run(self.ys)
        self.finite = all(np.isfinite(result).all() for result in results)
        with self.graph.as_default():
            self.ws = [self._placeholder(spread(result, 5 + i)) for i, result in enumerate(results)]

    def _placeholder(self, value: Array) -> Any:
        tensor = tf.placeholder(value.dtype, None if self.unknown else value.shape)
        self.values[tensor] = value
        return tensor

    def _tensor(self, value: Any) -> Any:
        self._count += 1
        array = value.value if isinstance(value, Ref) else value
        if _name(array.dtype) not in _TRAINABLE:
            if isinstance(value, Ref):
                variable = tf.Variable(array, use_resource=isinstance(value, Handle))
                self._initializers.append(variable.initializer)
                return variable.handle if isinstance(value, Handle) else variable._ref()
            if not self.unknown:
                return tf.constant(array)
            tensor = tf.placeholder(array.dtype)
            self._feeds[tensor] = array
            return tensor
        moved = array + spread(array, len(self.xs), 0.013)
        self.positions.append(self._count)
        if isinstance(value, Ref):
            first = tf.placeholder(array.dtype, array.shape)
            variable = tf.Variable(first, use_resource=isinstance(value, Handle))
            self._initializers.append(variable.initializer)
            self.values[first] = moved
            self.xs.append(first)
            self._sources.append(variable if isinstance(value, Handle) else variable._ref())
            return variable.handle if isinstance(value, Handle) else variable._ref()
        tensor = self._placeholder(moved)
        self.xs.append(tensor)
        self._sources.append(tensor)
        return tensor

    def run(self, fetches: Any, moved: dict[Any, Array] | None = None) -> Any:
        feeds = {**self._feeds, **self.values, **(moved or {})}
        if self._initializers:
            self.session.run(self._initializers, feeds)
        return self.session.run(fetches, feeds)

    # -- exact ------------------------------------------------------------------------------------------

    def first(self) -> list[Any]:
        """For each x the gradient of the weighted ys, a tensor or None."""
        with self.graph.as_default():
            return _tensors(tf.gradients(self.ys, self._sources, grad_ys=self.ws))

    def second(self, first: list[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """The weighted first gradients differentiated: what was summed, its weights, the gradient for each x and w."""
        with self.graph.as_default():
            known = [g for g in first if g is not None]
            weights = [self._placeholder(spread(value, 11 + i)) for i, value in enumerate(self.run(known))]
            return known, weights, _tensors(tf.gradients(known, [*self._sources, *self.ws], grad_ys=weights))

    # -- compared -----------------------------------------------------------------------------------------

    def check(
        self,
        ys: list[Any],
        weights: list[Any],
        grads: list[Any],
        xs: list[Any],
        constant: frozenset[int] = frozenset(),
        looser: float = 1.0,
    ) -> None:
        """Compares `grads` with differences of the weighted `ys` along two directions for each of `xs`.

        Inputs that count as `constant` are not looked at.
        """
        for i, (x, grad) in enumerate(zip(xs, grads)):
            value = self.values[x]
            if x in self.xs and self.positions[self.xs.index(x)] in constant:
                continue
            exact = np.zeros_like(value) if grad is None else self.run(grad)
            assert np.shape(exact) == np.shape(value), (
                f"gradient {i} has shape {np.shape(exact)}, not {np.shape(value)}"
            )
            assert np.asarray(exact).dtype == value.dtype, f"gradient {i} has type {np.asarray(exact).dtype}"
            # A result of less precision than the input (images resized as float32) shows only larger steps.
            step, tolerance = max(_precision(array) for array in (value, *(self.values[w] for w in weights)))
            for seed in (1, 2):
                direction = spread(value, 20 + seed)
                high, low = (
                    self.run(ys, {x: (value + sign * step * direction).astype(value.dtype)}) for sign in (1, -1)
                )
                pairs = [(self.values[w], up, down) for w, up, down in zip(weights, high, low)]
                found = sum(_dot(w, up - down) for w, up, down in pairs) / (2 * step)
                wanted = _dot(exact, direction)
                size = 1 + np.abs(np.multiply(exact, direction)).sum()
                size += sum(np.abs(np.multiply(w, up)).sum() for w, up, _ in pairs)
                assert abs(found - wanted) <= looser * tolerance * size, (
                    f"gradient {i} of {self.node.type}: {wanted} along a direction, by differences {found}"
                )


def _dot(a: Array, b: Array) -> float:
    return float(np.real(np.sum(np.conj(np.asarray(a, np.complex128)) * np.asarray(b, np.complex128))))


def _tensors(grads: list[Any]) -> list[Any]:
    return [None if grad is None else tf.convert_to_tensor(grad) for grad in grads]
