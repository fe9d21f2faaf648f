"""Which earlier input a terminal's input is a new version of."""

from __future__ import annotations

from typing import Any

import pytest

from tfbench.bench import Bench
from tfbench.bench.identity import names_of, same_cell


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("x = tf.constant(1.0)", "x = tf.constant(1.0)", True),
        ("x = tf.constant(1.0)", "x = tf.constant(2.0)", True),
        ("x = tf.constant(1.0)", "x = tf.constant(1.0)\ny = tf.identity(x)", True),
        ("x = tf.constant(1.0)\ny = tf.identity(x)", "x = tf.constant(1.0)", True),
        ("x = 1", "y = tf.constant(x)", False),
        ("x = 1", "x = x + 1", False),
        ("x = 1", "x += 1", False),
        ("x = 1", "y = 1", False),
        ("x, y = 1, 2", "y, z = 1, 2", False),
        ("tf.get_variable('v', [1])", "tf.get_variable('v', [1])  ", True),
        ("tf.get_variable('v', [1])", "tf.get_variable('w', [1])", False),
        ("def f(x):\n    return x", "def f(x):\n    y = x\n    return y", True),
        ("with tf.name_scope('a') as s:\n    x = s", "with tf.name_scope('b') as s:\n    x = s", True),
        ("import numpy as n", "import numpy as n; n.pi", True),
        ("x = 1", "x = (", False),
    ],
)
def test_same_cell(bench: Bench, names: dict[str, Any], old: str, new: str, same: bool) -> None:
    names["x"] = 0
    bench.run_cell(f"import tfbench as tf\n{old}" if old.startswith("import") else old, cell_id="one")
    cells = [bench.cells[0]._replace(code=bench.cells[0].code.__class__(old, "<old>"))]
    assert (same_cell(cells, "main", new) is cells[0]) is same
    assert same_cell(cells, "another graph", new) is None


def test_the_last_of_several_counts(bench: Bench) -> None:
    bench.run_cell("x = 1", cell_id="one")
    bench.run_cell("x = 2", cell_id="two")
    found = same_cell(bench.cells, "main", "x = 3")
    assert found is not None
    assert found.id == "two"


@pytest.mark.parametrize(
    ("source", "bound", "needed"),
    [
        ("x = y", {"x"}, {"y"}),
        ("x = 1\ny = x", {"x", "y"}, set()),
        ("for i in range(n): t = i", {"i", "t"}, {"range", "n"}),
        ("a = [j for j in k]", {"a"}, {"j", "k"}),
        ("class C:\n    z = w", {"C"}, {"w"}),
        ("from os import path as p", {"p"}, set()),
        ("import os.path", {"os"}, set()),
        ("(a, *b), c.d, e[0] = f", {"a", "b"}, {"c", "e", "f"}),
    ],
)
def test_names_of(source: str, bound: set[str], needed: set[str]) -> None:
    found = names_of(source)
    assert (found.bound, found.needed) == (bound, needed)
