"""Programs recorded from TensorFlow, run where there is a GPU (the stand-in's): the same graphs, values and errors.

Everything that TensorFlow would place on a GPU is placed there. Left out is what is about the devices themselves, and
what its GPUs do otherwise than its CPU, from which the facts are: they do not look at indices before they use them.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest

from tests.gpu import strict_cupy
from tests.oracle import compare, record, registry

AREAS = (
    "array_join", "array_move", "array_pick", "array_shapes", "control", "control_gradients", "core_rest", "feeds",
    "fetches", "gradients_math", "gradients_nn", "math_binary", "math_products", "math_reduce", "math_unary",
    "nn_activations", "nn_conv", "nn_losses", "nn_norm", "nn_pool", "operators", "optimizers", "random", "rnn_cells",
    "saver", "slicing", "tensor_arrays", "training", "variable_methods", "variables", "while_loops",
)  # fmt: skip

#: what these words are in the name of, a GPU does otherwise
OTHERWISE = (
    "too large", "too many", "negative]", "out_of_range", "out of range", "sparse_to_dense", "to_dense order",
    "an_error_while_running_names_the_op", "blocks[space_to_depth format]", "core_rest/switches",
    "integer_division_by_zero",
)  # fmt: skip

PROGRAMS = {f"{area}/{name}": program for area in AREAS for name, program in registry.load(area).items()}


@functools.cache
def facts_of(area: str) -> dict[str, Any]:
    return record.read(area)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if not any(word in name for word in OTHERWISE)])
def test_program(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import tfbench as tf

    strict_cupy.install(monkeypatch, memory=8 << 30)
    program = PROGRAMS[name]
    found, raised = record.run(program, tf)
    problem = compare.facts(facts_of(program.area)[program.name], found, program)
    if problem:
        raise AssertionError(f"{name} differs from TensorFlow where there is a GPU\n{problem}") from raised
