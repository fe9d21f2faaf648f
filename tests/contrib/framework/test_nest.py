"""Nests walked as far as another goes, and paths: TensorFlow 1.15's answers."""

from __future__ import annotations

import collections

import pytest

import tfbench as tf

nest = tf.contrib.framework.nest
Pair = collections.namedtuple("Pair", "p q")
TREE = {"b": [1, (2, 3)], "a": Pair(4, [5])}


def test_paths():
    expected = [(("a", "p"), 4), (("a", "q", 0), 5), (("b", 0), 1), (("b", 1, 0), 2), (("b", 1, 1), 3)]
    assert nest.flatten_with_tuple_paths(TREE) == expected
    assert list(nest.yield_flat_paths(TREE)) == [path for path, _ in expected]
    assert nest.flatten_with_joined_string_paths(TREE, ".")[1] == ("a.q.0", 5)
    assert nest.flatten_with_joined_string_paths(3) == [("", 3)]
    assert nest.map_structure_with_paths(lambda path, x, y: (path, x + y), TREE, TREE) == {
        "b": [("b/0", 2), (("b/1/0", 4), ("b/1/1", 6))],
        "a": Pair(("a/p", 8), [("a/q/0", 10)]),
    }
    assert nest.map_structure_with_paths(lambda path, x, by: x * by, [1, 2], by=3) == [3, 6]
    assert nest.map_structure_with_tuple_paths(lambda path, x: path, [1, [2]]) == [(0,), [(1, 0)]]


@pytest.mark.parametrize(
    ("shallow", "deep", "expected"),
    [
        ({"a": 0, "b": [0, 0]}, TREE, [Pair(4, [5]), 1, (2, 3)]),
        ({"b": 0}, TREE, [TREE["b"]]),
        (0, TREE, [TREE]),
        (Pair(0, 0), Pair(1, 2), [1, 2]),
    ],
)
def test_flatten_up_to(shallow, deep, expected):
    assert nest.flatten_up_to(shallow, deep) == expected


@pytest.mark.parametrize(
    ("shallow", "deep", "error", "message"),
    [
        ([0], 5, TypeError, "input must also be a sequence. Input has type: <class 'int'>"),
        ([0, 0], [1], ValueError, "Input structure has length 1, while shallow structure has length 2"),
        ([0], [1, 2], ValueError, "Input structure has length 2, while shallow structure has length 1"),
        ([0, 0], (1, 2), TypeError, "Input structure has type <class 'tuple'>, while shallow structure has type"),
        ({"a": 0}, {"b": 1}, ValueError, r"keys that are not in the input_tree: \['a'\]"),
        ([0, [0]], [1, 2], TypeError, "input must also be a sequence"),
    ],
)
def test_what_is_not_as_deep(shallow, deep, error, message):
    for check in (nest.assert_shallow_structure, nest.flatten_up_to, nest.flatten_with_tuple_paths_up_to):
        with pytest.raises(error, match=message):
            check(shallow, deep)


def test_checks_that_are_off():
    assert nest.flatten_up_to([0, 0], (1, 2), check_types=False) == [1, 2]
    assert nest.flatten_up_to([0], [1, 2], check_subtrees_length=False) == [1]


def test_map_structure_up_to():
    assert nest.map_structure_up_to([0, 0], lambda a, b: (a, b), [1, [2]], [3, 4]) == [(1, 3), ([2], 4)]
    assert nest.map_structure_with_tuple_paths_up_to([0, 0], lambda path, a: (path, a), [1, [2]]) == [
        ((0,), 1),
        ((1,), [2]),
    ]
    with pytest.raises(ValueError, match="Cannot map over no sequences"):
        nest.map_structure_up_to([0], lambda a: a)
    with pytest.raises(ValueError, match="Cannot map over no sequences"):
        nest.map_structure_with_paths(lambda path: path)


def test_flatten_dict_items():
    assert nest.flatten_dict_items({(4, 5, (6, 8)): ("a", "b", ("c", "d"))}) == {4: "a", 5: "b", 6: "c", 8: "d"}
    assert nest.flatten_dict_items({1: (2,)}) == {1: (2,)}
    with pytest.raises(TypeError, match="input must be a dictionary"):
        nest.flatten_dict_items([1])
    with pytest.raises(ValueError, match="key 2 is not unique"):
        nest.flatten_dict_items({(1, 2): (3, 4), 2: 5})


def test_traverse():
    assert nest.get_traverse_shallow_structure(lambda x: not isinstance(x, tuple), [1, (2, 3), [4]]) == [
        True,
        False,
        [True],
    ]
    assert nest.get_traverse_shallow_structure(lambda x: [True, False] if x == [[1], [2]] else True, [[1], [2]]) == [
        [True],
        False,
    ]
    with pytest.raises(TypeError, match=r"non-bool scalar: 3 for input: \[1\]"):
        nest.get_traverse_shallow_structure(lambda x: 3, [1])
    with pytest.raises(TypeError, match=r"depth=1 structure of bools\. saw: \[3\]"):
        nest.get_traverse_shallow_structure(lambda x: [3], [1])
    with pytest.raises(TypeError, match="for non-structure: 1"):
        nest.get_traverse_shallow_structure(lambda x: 3, 1)
