"""Every program of tests/oracle/programs on tfbench, against what TensorFlow made of it."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from tests.oracle import compare, record, registry

PROGRAMS = {f"{area}/{name}": program for area in registry.areas() for name, program in registry.load(area).items()}


@functools.cache
def facts_of(area: str) -> dict[str, Any]:
    return record.read(area)


def test_no_fact_outlives_its_program() -> None:
    left = [f"{area}/{name}" for area in registry.areas() for name in facts_of(area) if f"{area}/{name}" not in PROGRAMS]
    assert not left, f"facts without a program; record again: {left}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    import tfbench as tf

    program = PROGRAMS[name]
    expected = facts_of(program.area).get(program.name)
    if expected is None:
        pytest.fail(f"no facts for {name}; record them with TensorFlow (extra `oracle`): {program.command()}", pytrace=False)
    if expected["hash"] != program.hash():
        pytest.fail(f"{name} changed after its facts were recorded; record again: {program.command()}", pytrace=False)
    found, raised = record.run(program, tf)
    problem = compare.facts(expected, found, program)
    if problem:
        failure = AssertionError(f"{name} differs from TensorFlow\n{problem}")
        raise failure from raised
