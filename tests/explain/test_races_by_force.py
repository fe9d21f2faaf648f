"""`explain.races` against the oracle: it finds something exactly where two legal orders give different results."""

from __future__ import annotations

from typing import Any

import pytest

import tfbench as tf
from tests.explain.all_orders import FAILS, TooMany, legal_orders, outcomes
from tests.explain.random_updates import Program
from tfbench.engine.prune import needed_operations
from tfbench.explain import races

#: kind of variables and whether there are branches -> the seeds of the programs
PROGRAMS = [(False, False, range(40)), (True, False, range(100, 115)), (False, True, range(1000, 1040))]


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def decide(program: Program, most: int = 120) -> tuple[bool, bool] | None:
    """Whether the program's result depends on the order, by force and by `races`; None where that is too much work."""
    try:
        different = any(len(outcomes(program.fetches, program.start, most, feeds)) > 1 for feeds in program.feeds())
    except TooMany:
        return None
    with tf.Session() as session:
        for variable in program.variables:
            if variable.op.name in program.start:
                session.run(variable.initializer)
        return different, len(races(program.fetches, program.predicates, session)) > 0


@pytest.mark.parametrize(("resource", "branches", "seeds"), PROGRAMS)
def test_random_programs(resource: bool, branches: bool, seeds: range) -> None:
    wrong, found = [], []
    for seed in seeds:
        with tf.Graph().as_default():
            decided = decide(Program(seed, resource, branches))
        if decided is not None:
            found.append(decided[0])
            if decided[0] != decided[1]:
                wrong.append(seed)
    assert wrong == []
    # The programs are worth something: with and without races.
    assert {True, False} <= set(found)


def test_the_oracle_runs_every_order() -> None:
    x = tf.Variable([1.0], name="x")
    double = tf.assign(x, x * 2.0, name="double")
    more = tf.assign_add(x, [1.0], name="more")
    found = sorted(float(left["x"][0]) for _, left in outcomes([double.op, more.op], {"x": [1.0]}))
    assert found == [2.0, 3.0, 4.0]  # read, then the other, then written: the update is lost
    needed = needed_operations([], [double.op, more.op], set())
    assert len(list(legal_orders(needed, 100))) == 4
    with pytest.raises(TooMany):
        list(legal_orders(needed, 3))
    assert [outcome for outcome in outcomes([x.initializer, x.read_value()], {}) if outcome is FAILS] == [FAILS]
