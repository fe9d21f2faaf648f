"""Every program of tests/oracle/programs on tfbench, against what TensorFlow made of it."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from tests.oracle import compare, record, registry

PROGRAMS: dict[str, registry.Program] = {}
BROKEN: dict[str, Exception] = {}
for _area in registry.areas():
    try:
        PROGRAMS.update({f"{_area}/{name}": program for name, program in registry.load(_area).items()})
    except Exception as error:  # one broken file must not hide the other areas
        BROKEN[_area] = error


@functools.cache
def facts_of(area: str) -> dict[str, Any]:
    return record.read(area)


@pytest.mark.parametrize("area", registry.areas())
def test_area_can_be_loaded(area: str) -> None:
    if area in BROKEN:
        raise BROKEN[area]


def test_no_fact_outlives_its_program() -> None:
    left = [
        f"{area}/{name}"
        for area in registry.areas()
        for name in facts_of(area)
        if f"{area}/{name}" not in PROGRAMS and area not in BROKEN
    ]
    assert not left, f"facts without a program; record again: {left}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    import tfbench as tf

    program = PROGRAMS[name]
    expected = facts_of(program.area).get(program.name)
    if expected is None:
        pytest.fail(
            f"no facts for {name}; record them with TensorFlow (extra `oracle`): {program.command()}", pytrace=False
        )
    if expected["hash"] != program.hash():
        pytest.fail(f"{name} changed after its facts were recorded; record again: {program.command()}", pytrace=False)
    found, raised = record.run(program, tf)
    problem = compare.facts(expected, found, program)
    if problem:
        failure = AssertionError(f"{name} differs from TensorFlow\n{problem}")
        raise failure from raised


@pytest.mark.parametrize("area", registry.areas())
def test_facts_agree_with_themselves(area: str) -> None:
    """What TensorFlow said passes the comparison that tfbench has to pass."""
    programs = {} if area in BROKEN else registry.load(area)
    for name, fact in facts_of(area).items():
        if name in programs and fact["hash"] == programs[name].hash():
            assert compare.facts(fact, fact, programs[name]) is None, name
