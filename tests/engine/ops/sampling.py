"""What the registry test needs: samples from the files beside it, and one node of any op type built from a sample.

A sample is `(inputs, attributes)`. An input is an array (or a list of arrays for a list of tensors), `Ref(array)` for
a variable that holds it, or `Handle(array)` for a resource variable that does.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tfbench as tf
from tfbench.engine.binding import bind
from tfbench.engine.devices import local_devices
from tfbench.engine.opdef import OpDef, registry
from tfbench.engine.resources import ResourceStore

Sample = tuple[list[Any], dict[str, Any]]


class Ref:
    """A reference variable as an input."""

    def __init__(self, value: Any) -> None:
        self.value = np.asarray(value)


class Handle(Ref):
    """A resource variable as an input."""


def _modules() -> Iterator[Any]:
    """Every `samples_*.py` beside this file."""
    for path in sorted(Path(__file__).parent.glob("samples_*.py")):
        spec = importlib.util.spec_from_file_location(f"tests_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


def collect() -> tuple[dict[str, list[Sample]], dict[str, str]]:
    """All samples, and the reasons why some ops have none."""
    samples: dict[str, list[Sample]] = {}
    excused: dict[str, str] = {}
    for module in _modules():
        for type, found in getattr(module, "SAMPLES", {}).items():
            samples.setdefault(type, []).extend(found)
        excused.update(getattr(module, "NOT_SAMPLED", {}))
    return samples, excused


def collected(table: str) -> dict[str, Any]:
    """What the samples' files have in a dict of this name, by op type."""
    return {type: found for module in _modules() for type, found in getattr(module, table, {}).items()}


def declared() -> dict[str, OpDef]:
    """Every op type; all families are loaded."""
    tf.constant
    return registry


def flat(inputs: list[Any]) -> Iterator[Any]:
    for value in inputs:
        yield from value if isinstance(value, list) else [value]


def takes_state(sample: Sample) -> bool:
    return any(isinstance(value, Ref) for value in flat(sample[0]))


class Node:
    """One node made from a sample, and what is fed to run it."""

    def __init__(self, type: str, sample: Sample, unknown: bool = False) -> None:
        inputs, attrs = sample
        self.graph = tf.Graph()
        self.feeds: dict[Any, Any] = {}
        self.variables: list[Any] = []
        with self.graph.as_default():
            # What a shape function looks at may have to be a constant: it is one unless all is to be unknown.
            tensors = [
                [self._tensor(item, unknown) for item in value]
                if isinstance(value, list)
                else self._tensor(value, unknown)
                for value in inputs
            ]
            self.op = registry[type].node(*tensors, **attrs)
        self.outputs = list(self.op.outputs)

    def _tensor(self, value: Any, unknown: bool) -> Any:
        if isinstance(value, Ref):
            variable = tf.Variable(value.value, use_resource=isinstance(value, Handle))
            self.variables.append(variable)
            return variable.handle if isinstance(value, Handle) else variable._ref()
        array = np.asarray(value)
        if not unknown:
            return tf.constant(array)
        tensor = tf.placeholder(array.dtype)
        self.feeds[tensor] = array
        return tensor

    def run(self) -> list[Any]:
        """The outputs in a session (once step by step, once as compiled code: they must agree in type)."""
        with tf.Session(graph=self.graph) as session:
            session.run([variable.initializer for variable in self.variables])
            fetches = self.outputs or self.op
            session.run(fetches, self.feeds)
            if self.variables:
                session.run([variable.initializer for variable in self.variables])
            results = session.run(fetches, self.feeds)
        return results if self.outputs else []

    def kernel(self) -> Any:
        """The op's function of arrays on the CPU, as a plan binds it."""
        return bind(self.op, local_devices()[0], ResourceStore())
