"""Random small programs over a few variables: reads, aliases, updates, control dependencies, what is fetched."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

import tfbench as tf


class Program:
    """One of them, built in the default graph: what is fetched, and what variables hold before the run."""

    def __init__(self, seed: int, resource: bool = False, branches: bool = False) -> None:
        self.chance = random.Random(seed)
        #: predicates, which are fed
        self.predicates = [tf.placeholder(tf.bool, [], name=f"p{number}") for number in range(2 if branches else 0)]
        self.start: dict[str, Any] = {}
        self.variables = [self._variable(number, resource) for number in range(self.chance.randint(1, 3))]
        self.values: list[Any] = [self._number() for _ in range(2)]
        self.operations: list[Any] = []
        for _ in range(self.chance.randint(2, 3) if branches else self.chance.randint(3, 6)):
            self._add()
        self.fetches = self._fetches()

    def _variable(self, number: int, resource: bool) -> Any:
        value = self._array()
        variable = tf.Variable(value, name=f"v{number}", use_resource=resource)
        if self.chance.random() < 0.85:
            self.start[f"v{number}"] = self._array()
        else:
            self.start.pop(f"v{number}", None)
        return variable

    def _array(self) -> Any:
        return np.array([self.chance.uniform(1.0, 2.0), self.chance.uniform(1.0, 2.0)])

    def _number(self) -> Any:
        return tf.constant(self._array())

    def _add(self) -> None:
        waits = self.chance.sample(self.operations, min(len(self.operations), self.chance.choice([0, 0, 1, 1, 2])))
        with tf.control_dependencies(waits):
            made = self._one()
        self.operations.append(made.op if isinstance(made, tf.Tensor) else made)
        if isinstance(made, tf.Tensor):
            self.values.append(made)

    def _value(self) -> Any:
        return self.chance.choice([*self.values, *self.variables, *self.variables])

    def _other_value(self, variable: Any) -> Any:
        """A value that is not the variable's own: `v -= v` is 0 whatever comes before, a coincidence of numbers."""
        value = self._value()
        op = tf.convert_to_tensor(value).op
        while op.inputs and op.type not in ("Mul", "Merge"):
            op = op.inputs[0].op
        return value * self._number() if op is variable.op or op.type == "Merge" else value

    def _row(self, variable: Any) -> Any:
        """One number that depends on all of a value."""
        return tf.reshape(tf.reduce_sum(self._other_value(variable)), [1])

    def _one(self) -> Any:
        variable = self.chance.choice(self.variables)
        kinds = [
            "assign",
            "assign",
            "add",
            "add",
            "sub",
            "scatter",
            "set rows",
            "read",
            "identity",
            "compute",
            "compute",
        ]
        if self.predicates:
            kinds += ["branch"] * 3
        kind = self.chance.choice(kinds)
        if kind == "assign":
            return tf.convert_to_tensor(variable.assign(self._value()))
        if kind == "add":
            return tf.convert_to_tensor(variable.assign_add(self._other_value(variable)))
        if kind == "sub":
            return tf.convert_to_tensor(variable.assign_sub(self._other_value(variable)))
        if kind == "scatter":
            return tf.convert_to_tensor(tf.scatter_add(variable, [0], self._row(variable)))
        if kind == "set rows":
            return tf.convert_to_tensor(tf.scatter_update(variable, [self.chance.randint(0, 1)], self._row(variable)))
        if kind == "read":
            return variable.read_value()
        if kind == "identity":
            return tf.identity(self._value())
        if kind == "branch":
            return self._branch(variable)
        return tf.multiply(self._value(), self._value())

    def _branch(self, variable: Any) -> Any:
        value, other = self._value(), self._value()
        sides = [
            lambda: variable.assign(value * 2.0),
            lambda: tf.convert_to_tensor(variable.assign_add(value * 3.0)),
            lambda: tf.identity(value),
            lambda: tf.multiply(value, other),
        ]
        return tf.cond(self.chance.choice(self.predicates), *self.chance.sample(sides, 2))

    def feeds(self) -> Iterator[dict[Any, bool]]:
        """All that the predicates may be."""
        for values in itertools.product([False, True], repeat=len(self.predicates)):
            yield dict(zip(self.predicates, values, strict=True))

    def _fetches(self) -> list[Any]:
        chosen = self.chance.sample(self.operations, self.chance.randint(1, len(self.operations)))
        wanted: list[Any] = []
        for op in chosen:
            wanted.append(op.outputs[0] if op.outputs and self.chance.random() < 0.6 else op)
        for variable in self.variables:
            if variable.op.name not in self.start or self.chance.random() < 0.1:
                wanted.append(variable.initializer)
            if self.chance.random() < 0.2:
                wanted.append(variable)
        return wanted
