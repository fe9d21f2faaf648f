"""Data sets in cells: functions go with their cell, iterators begin anew where they were replaced, and a failure costs
nothing."""

from __future__ import annotations

from typing import Any

import pytest

import tfbench as tf
from tfbench.bench import Bench
from tfbench.engine.function_graph import functions_of

Names = dict[str, Any]

_PIPELINE = """
data = tf.data.Dataset.range(10).map(lambda x: x * {factor})
iterator = data.make_initializable_iterator()
element = iterator.get_next()
"""


def test_a_cell_that_is_run_again_has_another_function(bench: Bench, names: Names) -> None:
    for factor in (2, 3):
        bench.run_cell(_PIPELINE.format(factor=factor), cell_id="one")
        session = bench.session()
        assert len(functions_of(bench.graph()).by_name) == 1
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(names["element"])
        session.run(names["iterator"].initializer)
        assert [session.run(names["element"]) for _ in range(3)] == [0, factor, 2 * factor]


def test_another_cell_leaves_an_iterator_where_it_is(bench: Bench, names: Names) -> None:
    bench.run_cell(_PIPELINE.format(factor=1), cell_id="one")
    session = bench.session()
    session.run(names["iterator"].initializer)
    assert session.run(names["element"]) == 0
    bench.run_cell("double = element * 2", cell_id="two")
    assert session.run(names["double"]) == 2
    bench.run_cell("double = element * 20", cell_id="two")
    assert session.run(names["double"]) == 40


def test_a_cell_that_fails_has_not_moved_an_iterator(bench: Bench, names: Names) -> None:
    bench.run_cell(_PIPELINE.format(factor=1), cell_id="one")
    session = bench.session()
    session.run(names["iterator"].initializer)
    assert session.run(names["element"]) == 0
    names["session"] = session
    cell = (
        "more = tf.data.Dataset.range(3).map(lambda x: x)\nsession.run([element, element])\nsession.run(element)\n1 / 0"
    )
    with pytest.raises(ZeroDivisionError):
        bench.run_cell(cell, cell_id="two")
    assert len(functions_of(bench.graph()).by_name) == 1
    assert [session.run(names["element"]) for _ in range(3)] == [1, 2, 3]
