"""The comparison itself: what it must let pass, and what it must not."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tests.oracle import compare, registry, values


def program(**options: object) -> SimpleNamespace:
    return SimpleNamespace(**{"tol": None, "random": False, "messages": None, "text": lambda: "", **options})


def fact(value: object) -> object:
    return values.encode(value, SimpleNamespace())


SAME = {
    "rounding of float32": (np.float32(0.1), np.float32(0.1) + np.float32(1e-8)),
    "nan": (np.array([np.nan, np.inf]), np.array([np.nan, np.inf])),
    "nest": ({"a": [1, (2.0, None)]}, {"a": [1, (2.0, None)]}),
    "big": (np.arange(1e4), np.arange(1e4) * (1 + 1e-13)),
    "bytes": (np.array([b"a", b"\xff"], object), np.array([b"a", b"\xff"], object)),
    "empty": (np.zeros([0, 3], "int32"), np.zeros([0, 3], "int32")),
}
DIFFERENT = {
    "dtype": (np.float32(1), np.float64(1)),
    "shape": (np.zeros([1, 2]), np.zeros([2, 1])),
    "scalar or array": (np.float32(1), np.array(1, np.float32)),
    "list or tuple": ([1], (1,)),
    "int or bool": (1, True),
    "int or float": (1, 1.0),
    "value": (np.float32(1), np.float32(1.001)),
    "nan": (np.array([np.nan]), np.array([0.0])),
    "one in a big array": (np.arange(1e4), np.where(np.arange(1e4) == 1234, 0, np.arange(1e4))),
    "integer in a big array": (np.arange(1000), np.where(np.arange(1000) == 7, 8, np.arange(1000))),
    "bytes": (b"a", b"b"),
    "none": (None, 0),
    "length": ([1, 2], [1]),
    "keys": ({"a": 1, "b": 2}, {"a": 1, "c": 2}),
}


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_same_values_agree(pair: tuple[object, object]) -> None:
    assert compare.value(fact(pair[0]), fact(pair[1]), program()) is None


@pytest.mark.parametrize("pair", DIFFERENT.values(), ids=DIFFERENT)
def test_different_values_are_told_apart(pair: tuple[object, object]) -> None:
    assert compare.value(fact(pair[0]), fact(pair[1]), program())


def test_random_values_need_only_dtype_and_shape() -> None:
    assert compare.value(fact(np.ones(3)), fact(np.zeros(3)), program(random=True)) is None
    assert compare.value(fact(np.ones(3)), fact(np.zeros(4)), program(random=True))


def test_zero_tolerance_is_bit_for_bit() -> None:
    near = np.arange(100.0) * (1 + 1e-15)
    assert compare.value(fact(np.arange(100.0)), fact(near), program(tol=0))


ROW = ["add", "AddV2", ["x", "y", "^init"], "", {"T": {"type": "float32"}, "value": {"tensor": ["float32", [], [0.1]]}}]


@pytest.mark.parametrize(
    ("at", "other", "said"),
    [
        (0, "add_1", "name"),
        (1, "Add", "type"),
        (2, ["y", "x", "^init"], "inputs"),
        (3, "/device:CPU:0", "device"),
        (4, {"T": {"type": "int32"}, "value": {"tensor": ["float32", [], [0.1]]}}, "attribute T"),
        (4, {"T": {"type": "float32"}, "value": {"tensor": ["float32", [], [0.2]]}}, "attribute value"),
        (4, {"T": {"type": "float32"}}, "attribute value"),
    ],
)
def test_a_node_that_differs_says_in_what(at: int, other: object, said: str) -> None:
    row = [*ROW[:at], other, *ROW[at + 1 :]]
    assert said in (compare.graph([ROW], [row]) or "")


def test_graphs_name_the_first_node_that_is_missing_or_too_many() -> None:
    assert compare.graph([ROW], [ROW]) is None
    assert "lacks: add" in (compare.graph([ROW], []) or "")
    assert "besides: add" in (compare.graph([], [ROW]) or "")


def failure(error: Exception) -> dict[str, object]:
    return values.error(error, SimpleNamespace())


def test_errors_compare_by_class_and_by_key_words() -> None:
    said = failure(ValueError("Shapes (2, 3) and (4,) of 'a/b' are incompatible"))
    assert compare.error(said, failure(ValueError("cannot add a/b: [2,3] against [4]")), program()) is None
    assert "lacks" in (compare.error(said, failure(ValueError("a/b: [2,3]")), program()) or "")
    assert "raises" in (compare.error(said, failure(TypeError(str(said["message"]))), program()) or "")
    assert "lacks" in (
        compare.error(said, failure(ValueError("a/b (2, 3) (4,)")), program(messages=["incompatible"])) or ""
    )


def test_key_words_are_names_and_shapes_not_printed_objects() -> None:
    message = "Tensor(\"x:0\", shape=(7,), dtype=float32) <tf.Variable 'w:0'> and 'k' of shape (?, 3) in scope conv1"
    assert compare.key_words(message, 'tf.variable_scope("conv1")') == ["k", "conv1", "(?, 3)"]


def test_the_line_that_says_what_is_wrong_is_found() -> None:
    text = (
        "Graph execution error:\n\nDetected at node 'a' defined at:\n  File x\nNode: 'a'\nbad thing\n\t [[{{node a}}]]"
    )
    assert values.first_line(text) == "bad thing"
    assert values.first_line("Graph execution error:\n\nbad\n\t [[x]]") == "bad"


def test_every_program_has_a_hash_that_depends_on_its_text() -> None:
    hashes = {name: item.hash() for area in registry.areas() for name, item in registry.load(area).items()}
    assert all(len(text) == 12 for text in hashes.values())


@pytest.mark.parametrize(
    ("message", "keys"),
    [
        (
            "Dimensions must be equal, but are 2 and 3 for '{{node a/sum}} = AddV2[T=DT_INT32](x, y)' with [2].",
            ["2", "3", "a/sum"],
        ),
        ("Shapes are [3] and [4]. for '{{node c}} = C[N=2](x)' with input shapes: [2,3], [].", ["[3]", "[4]", "c"]),
        ("Negative dimension size caused by subtracting 5 from 2 for '{{node p}} = P(x)' with", ["5", "2", "p"]),
        ("Cannot assign a device for operation add: {{node add}} was explicitly assigned to /device:GPU:7", []),
    ],
)
def test_key_words_stop_at_the_node_definition(message: str, keys: list[str]) -> None:
    assert compare.key_words(message) == keys
