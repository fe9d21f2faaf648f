"""Shapes: the engine's tuples, and TensorFlow 1.x's TensorShape and Dimension."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfbench.engine import dimension, shape_math, shapes
from tfbench.engine.shapes import Dimension, TensorShape, to_tuple

D = Dimension
S = TensorShape

# ---- the engine's form


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ([], ()),
        (3, (3,)),
        ([1, None], (1, None)),
        ((D(2), D(None)), (2, None)),
        (D(3), (3,)),
        (S([2, None]), (2, None)),
        (S(None), None),
        (np.array([1, 2]), (1, 2)),
        (np.int64(3), (3,)),
        (range(3), (0, 1, 2)),
        ((size for size in [1, 2]), (1, 2)),
        ([2**40], (2**40,)),
        ({}, ()),
    ],
)
def test_to_tuple(value, expected):
    found = to_tuple(value)
    assert found == expected
    assert found is None or all(size is None or type(size) is int for size in found)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([-1], ValueError, "Dimension -1 must be >= 0"),
        (-2, ValueError, "Dimension -2 must be >= 0"),
        ([1.5], TypeError, "Dimension value must be integer or None or have an __index__ method, got value '1.5'"),
        (2.0, TypeError, "got value '2.0' with type '<class 'float'>'"),
        ([[1]], TypeError, r"got value '\[1\]'"),
        (["a"], TypeError, "got value ''a''"),
        ("abc", TypeError, "Failed to convert ''abc'' to a shape: ''a'' could not be converted to a dimension"),
        (object(), TypeError, "Dimension value must be integer or None"),
    ],
)
def test_what_is_no_shape(value, error, message):
    for call in (to_tuple, S):
        with pytest.raises(error, match=message):
            call(value)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (None, (3,), None),
        ((None,), (1,), (None,)),
        ((None,), (0,), (None,)),
        ((0,), (None,), (None,)),
        ((None,), (3,), (3,)),
        ((3,), (None,), (3,)),
        ((None,), (None,), (None,)),
        ((), (2, None), (2, None)),
        ((2, 1), (3,), (2, 3)),
        ((1,), (2, 3), (2, 3)),
        ((4, 1, None), (1, 5, 1), (4, 5, None)),
        ((1,), (0,), (0,)),
    ],
)
def test_broadcast(a, b, expected):
    assert shape_math.broadcast(a, b) == expected
    assert shape_math.broadcast(b, a) == expected


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ((3,), (4,), "Dimensions must be equal, but are 3 and 4"),
        ((3,), (2, 4), "Dimensions must be equal, but are 3 and 4"),
        ((2, 4), (3,), "Dimensions must be equal, but are 4 and 3"),
        ((0,), (2,), "Dimensions must be equal, but are 0 and 2"),
    ],
)
def test_what_does_not_broadcast(a, b, message):
    with pytest.raises(ValueError) as caught:
        shape_math.broadcast(a, b)
    assert str(caught.value) == message


sizes = st.lists(st.integers(0, 3), max_size=4).map(tuple)


@given(sizes, sizes)
def test_broadcast_agrees_with_numpy(a, b):
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(ValueError, match="Dimensions must be equal"):
            shape_math.broadcast(a, b)
    else:
        assert shape_math.broadcast(a, b) == expected


@given(sizes, sizes, st.sets(st.integers(0, 7)))
def test_broadcast_of_less_knowledge_contradicts_nothing(a, b, hidden):
    """Hiding sizes gives a shape that the full one still fits."""
    try:
        full = shape_math.broadcast(a, b)
    except ValueError:
        return
    known = shape_math.broadcast(
        tuple(None if i in hidden else size for i, size in enumerate(a)),
        tuple(None if i + 4 in hidden else size for i, size in enumerate(b)),
    )
    assert shape_math.is_compatible(known, full)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (None, None, None),
        (None, (1,), (1,)),
        ((1,), None, (1,)),
        ((1, None), (None, 3), (1, 3)),
        ((), (), ()),
        ((2, 3), (2, 3), (2, 3)),
    ],
)
def test_merge(a, b, expected):
    assert shape_math.merge(a, b) == expected
    assert shape_math.is_compatible(a, b)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ((2, 3), (2, 4), "Dimension 1 in both shapes must be equal, but are 3 and 4. Shapes are [2,3] and [2,4]."),
        ((None, 3), (2, 4), "Dimension 1 in both shapes must be equal, but are 3 and 4. Shapes are [?,3] and [2,4]."),
        ((2, 3), (2,), "Shapes must be equal rank, but are 2 and 1"),
    ],
)
def test_what_does_not_merge(a, b, message):
    assert not shape_math.is_compatible(a, b)
    with pytest.raises(ValueError) as caught:
        shape_math.merge(a, b)
    assert str(caught.value) == message


def test_ranks():
    assert shape_math.with_rank(None, 2) == (None, None)
    assert shape_math.with_rank((1, 2), 2) == (1, 2)
    assert shape_math.with_rank_at_least((1, 2), 2) == (1, 2)
    assert shape_math.with_rank_at_least(None, 2) is None
    assert shape_math.with_rank_at_most((1,), 2) == (1,)
    for call, message in [
        (lambda: shape_math.with_rank((3,), 2), "Shape must be rank 2 but is rank 1"),
        (lambda: shape_math.with_rank_at_least((3,), 2), "Shape must be at least rank 2 but is rank 1"),
        (lambda: shape_math.with_rank_at_most((3, 4, 5), 2), "Shape must be at most rank 2 but is rank 3"),
        (lambda: shape_math.with_dim(3, 4), "Dimension must be 4 but is 3"),
        (lambda: shape_math.dim_merge(3, 4), "Dimensions must be equal, but are 3 and 4"),
        (lambda: shape_math.dim_div(3, 2, evenly=True), "Dimension size must be evenly divisible by 2 but is 3"),
        (lambda: shape_math.dim_div(3, 0), "Divisor must be positive but is 0"),
        (lambda: shape_math.dim_sub(1, 2), "Negative dimension size caused by subtracting 2 from 1"),
    ]:
        with pytest.raises(ValueError) as caught:
            call()
        assert str(caught.value) == message


def test_size_arithmetic():
    assert shape_math.dim_add(2, 3) == 5
    assert shape_math.dim_add(2, None) is None
    assert shape_math.dim_sub(3, 3) == 0
    assert shape_math.dim_mul(2, 3) == 6
    assert shape_math.dim_mul(None, 3) is None
    assert shape_math.dim_mul(None, 0) == 0
    assert shape_math.dim_div(7, 2) == 3
    assert shape_math.dim_div(6, 2, evenly=True) == 3
    assert shape_math.dim_div(None, 1) is None
    assert shape_math.dim_merge(None, 3) == shape_math.dim_merge(3, None) == shape_math.dim_merge(3, 3) == 3
    assert shape_math.with_dim(None, 4) == 4
    assert shape_math.concatenate((1,), (None,)) == (1, None)
    assert shape_math.concatenate((1,), None) is None
    assert shape_math.num_elements((2, 3)) == 6
    assert shape_math.num_elements(()) == 1
    assert shape_math.num_elements((2, None)) is None
    assert shape_math.num_elements((None, 0)) == 0
    assert shape_math.num_elements(None) is None
    assert shape_math.debug_string((2, None)) == "[2,?]"
    assert shape_math.debug_string(None) == "<unknown>"
    assert shape_math.debug_string(()) == "[]"


# ---- Dimension


def test_dimension_arithmetic():
    d = D(7)
    assert [x.value for x in (d + 1, 1 + d, d - 2, 9 - d, d * 2, 2 * d, d // 2, 15 // d, d % 4, 9 % d)] == [
        8, 8, 5, 2, 14, 14, 3, 2, 3, 2,
    ]  # fmt: skip
    for unknown in (None, D(None)):
        for result in (d + unknown, d - unknown, d * unknown, d // unknown, d % unknown, unknown + d, unknown // d):
            assert result.value is None
    assert int(d) == 7
    assert list(range(D(2))) == [0, 1]
    assert np.zeros(D(3)).shape == (3,)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: D(7) / 2,
            TypeError,
            "unsupported operand type(s) for /: 'Dimension' and 'int', please use // instead",
        ),
        (
            lambda: 7 / D(2),
            TypeError,
            "unsupported operand type(s) for /: 'int' and 'Dimension', please use // instead",
        ),
        (lambda: D(7) // 0, ZeroDivisionError, ""),
        (lambda: D(7) + "a", TypeError, "unsupported operand type(s) for +: 'Dimension' and 'str'"),
        (lambda: D(3) * 1.5, TypeError, "unsupported operand type(s) for *"),
        (lambda: D(3) < "a", TypeError, "Dimension value must be integer"),
        (lambda: D(1) - 2, ValueError, "Dimension -1 must be >= 0"),
        (lambda: D("3"), TypeError, "Dimension value must be integer"),
        (lambda: D(3).merge_with(4), ValueError, "Dimensions 3 and 4 are not compatible"),
        (lambda: D(3).assert_is_compatible_with(4), ValueError, "Dimensions 3 and 4 are not compatible"),
        (lambda: hash(D(3)), TypeError, "unhashable type: 'Dimension'"),
        (lambda: int(D(None)), TypeError, "__int__ returned non-int"),
        (lambda: D(3) ** 2, TypeError, "unsupported operand"),
    ],
)
def test_dimension_errors(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


def test_dimension_comparisons():
    assert (D(3) == 3, D(3) == D(4), D(3) != 3, D(3) == "a", D(3) != object()) == (True, False, False, False, True)
    assert (D(3) < 4, D(3) <= 3, D(3) > 3, D(3) >= 3) == (True, True, False, True)
    for unknown in (
        D(None) == D(None), D(None) != D(None), D(3) == None, D(3) != None, D(None) == 3, D(3) < None, D(None) >= 3,  # noqa: E711
    ):  # fmt: skip
        assert unknown is None
    assert (bool(D(0)), bool(D(None)), bool(D(2))) == (False, False, True)
    assert (str(D(3)), str(D(None)), repr(D(3)), repr(D(None))) == ("3", "?", "Dimension(3)", "Dimension(None)")
    assert D(3).is_compatible_with(None)
    assert not D(3).is_compatible_with(4)
    assert D(None).merge_with(4).value == D(4).merge_with(None).value == 4
    assert pickle.loads(pickle.dumps(D(3))).value == 3
    assert dimension.as_dimension(3).value == 3
    d = D(2)
    assert dimension.as_dimension(d) is d
    assert (shapes.dimension_value(d), shapes.dimension_value(5)) == (2, 5)


# ---- TensorShape


@pytest.mark.parametrize(
    ("shape", "text", "full"),
    [
        (S(None), "<unknown>", "TensorShape(None)"),
        (S([]), "()", "TensorShape([])"),
        (S([2]), "(2,)", "TensorShape([Dimension(2)])"),
        (S([2, None]), "(2, ?)", "TensorShape([Dimension(2), Dimension(None)])"),
    ],
)
def test_shape_text(shape, text, full):
    assert (str(shape), repr(shape)) == (text, full)
    assert pickle.loads(pickle.dumps(shape)) == copy.deepcopy(shape) == shape


def test_shape_is_a_sequence_of_dimensions():
    shape = S([1, 2, None])
    assert isinstance(shape[0], D)
    assert shape[1].value == 2
    assert repr(shape[1:]) == "TensorShape([Dimension(2), Dimension(None)])"
    assert [d.value for d in shape] == [1, 2, None]
    assert all(isinstance(d, D) for d in shape.dims)
    assert len(shape) == shape.ndims == shape.rank == 3
    assert shape.as_list() == [1, 2, None]
    assert 2 in shape
    with pytest.raises(IndexError):
        shape[5]


def test_shape_of_unknown_rank():
    shape = S(None)
    assert (shape.dims, shape.ndims, shape.rank, bool(shape)) == (None, None, None, False)
    assert shape[0].value is None
    assert [shape[1:].rank, shape[:2].rank, shape[1:3].rank, shape[-2:].rank, shape[:-1].rank, shape[2:1].rank] == [
        None, 2, 2, None, None, 0,
    ]  # fmt: skip
    for call, message in [
        (lambda: len(shape), "Cannot take the length of shape with unknown rank."),
        (lambda: list(shape), "Cannot iterate over a shape with unknown rank."),
        (lambda: shape.as_list(), "as_list() is not defined on an unknown TensorShape."),
        (lambda: shape[::2], "Steps are not yet handled: a shape of unknown rank has no [::2]."),
        (lambda: shape.assert_is_fully_defined(), "Shape <unknown> is not fully defined"),
    ]:
        with pytest.raises(ValueError) as caught:
            call()
        assert str(caught.value) == message


def test_shape_arithmetic():
    assert S([1, None]).merge_with([None, 3]) == S([1, 3])
    assert S(None).merge_with([1]) == S([1]).merge_with(None) == S([1])
    assert S([1]).concatenate([2]) == S([1]) + S([2]) == S([1, 2])
    for joined in (S([1]) + [2], [1] + S([2]), (1,) + S([2])):  # noqa: RUF005
        assert isinstance(joined, S)
        assert joined == [1, 2]
    assert S([1]) + 3 == S([1, 3])
    assert S([1]).concatenate(None).rank is None
    assert S([1, 2]).most_specific_compatible_shape([1, 3]) == S([1, None])
    assert S([1, 2]).most_specific_compatible_shape([1]).rank is None
    assert S(None).with_rank(2) == S([None, None])
    assert S([1, 2]).with_rank_at_least(1) == S([1, 2]).with_rank_at_most(3) == S([1, 2])
    assert S([2, 3]).num_elements() == 6
    assert S([2, None]).num_elements() is S(None).num_elements() is None
    assert S([]).num_elements() == 1
    assert S([1, 2]).is_subtype_of(S([1, None]))
    assert S([1, 2]).is_subtype_of(S(None))
    assert not S([1, None]).is_subtype_of(S([1, 2]))
    assert not S([1]).is_subtype_of([1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.merge_with([1, 3]), "Shapes (1, 2) and (1, 3) are not compatible"),
        (lambda s: s.merge_with([1, 2, 3]), "Shapes (1, 2) and (1, 2, 3) are not compatible"),
        (lambda s: s.with_rank(3), "Shape (1, 2) must have rank 3"),
        (lambda s: s.with_rank_at_least(3), "Shape (1, 2) must have rank at least 3"),
        (lambda s: s.with_rank_at_most(1), "Shape (1, 2) must have rank at most 1"),
        (lambda s: s.assert_has_rank(3), "Shape (1, 2) must have rank 3"),
        (lambda s: s.assert_same_rank([1]), "Shapes (1, 2) and (1,) must have the same rank"),
        (lambda s: s.assert_is_compatible_with([1, 3]), "Shapes (1, 2) and [1, 3] are incompatible"),
        (lambda s: (s + None).with_rank(2).assert_is_fully_defined(), "Shape (?, ?) is not fully defined"),
    ],
)
def test_shape_errors(call, message):
    with pytest.raises(ValueError) as caught:
        call(S([1, 2]))
    assert str(caught.value) == message


def test_shape_checks_that_pass():
    shape = S([1, 2])
    shape.assert_has_rank(2)
    shape.assert_same_rank(None)
    shape.assert_is_compatible_with([None, 2])
    shape.assert_is_fully_defined()
    S(None).assert_has_rank(7)
    assert shape.is_fully_defined()
    assert not S([1, None]).is_fully_defined()
    assert not S(None).is_fully_defined()
    assert S([1, None]).is_compatible_with([1, 2])
    assert not S([1, None]).is_compatible_with([1])
    assert S(None).is_compatible_with([1])


def test_shape_equality():
    assert S([1, 2]) == [1, 2]
    assert S([1, 2]) == (1, 2)
    assert S([1, None]) == S([1, None])
    assert S(None) == S(None)
    assert S([3]) == 3
    assert S([1]) != S([1, 2])
    assert S(None) != [1]
    assert S([1, 2]) != "a"
    assert S([1]) != object()
    assert hash(S([1, 2])) == hash(S((D(1), 2)))


def test_shape_and_numpy():
    assert np.zeros(S([2, 3])).shape == (2, 3)
    assert np.ones(6).reshape(S([2, 3])).shape == (2, 3)


def test_makers():
    assert repr(shapes.unknown_shape()) == "TensorShape(None)"
    assert shapes.unknown_shape(2) == shapes.unknown_shape(rank=2) == shapes.unknown_shape(ndims=2) == S([None, None])
    with pytest.raises(TypeError, match="Unknown argument"):
        shapes.unknown_shape(foo=1)
    assert (shapes.scalar(), shapes.vector(3), shapes.matrix(2, None)) == (S([]), S([3]), S([2, None]))
    shape = S([1])
    assert shapes.as_shape(shape) is shape
    assert shapes.as_shape(None).rank is None
    assert shapes.dimension_at_index(S([4, 5]), 1).value == 5
    assert shapes.dimension_at_index(S(None), 1).value is None


@pytest.mark.parametrize("shape", [S([1, None]), S(None), S([])])
def test_shape_as_proto(shape):
    proto = shape.as_proto()
    assert S(proto) == shape
    assert (proto.unknown_rank, [d.size for d in proto.dim]) == (
        shape.rank is None,
        [-1 if size is None else size for size in to_tuple(shape) or ()],
    )
