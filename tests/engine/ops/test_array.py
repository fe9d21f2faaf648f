"""The array family against NumPy on random shapes, keys and indices, and what fails in which way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tfbench as tf
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.slice_spec import Masks, index_tuple, sliced_shape

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
MATRICES = hnp.array_shapes(min_dims=2, max_dims=4, min_side=1, max_side=4)
fast = settings(max_examples=25, deadline=None)


def numbers(shape: Any) -> Any:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def hide(array: Any) -> Any:
    """A tensor of which the graph knows nothing."""
    return tf.placeholder_with_default(array, None)


def run(make: Any) -> Any:
    """What `make()` builds, run in a graph of its own."""
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


def agrees(make: Any, wanted: Any) -> None:
    """`make(convert)` gives `wanted`, with known and with unknown inputs, and never contradicts its static shape."""
    for convert in (tf.constant, hide):
        with tf.Graph().as_default(), tf.Session() as session:
            tensor = make(convert)
            result = session.run(tensor)
            assert tensor.shape.is_compatible_with(np.shape(wanted))
            if convert is tf.constant:
                assert tensor.shape.is_fully_defined(), tensor
        np.testing.assert_array_equal(result, wanted)


# -- slices ----------------------------------------------------------------------------------------------------


@st.composite
def arrays_and_keys(draw: Any) -> tuple[Any, Any]:
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
    key = draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    return numbers(shape), key


@given(arrays_and_keys())
@fast
def test_getitem_is_numpys(case: Any) -> None:
    array, key = case
    agrees(lambda convert: convert(array)[key], array[key])


@given(arrays_and_keys())
@fast
def test_getitem_with_tensors_in_the_key(case: Any) -> None:
    array, key = case
    wanted = array[key]

    def bound(value: Any) -> Any:
        return tf.constant(value) if isinstance(value, int) else value

    def entry(item: Any) -> Any:
        return slice(bound(item.start), bound(item.stop), item.step) if isinstance(item, slice) else bound(item)

    keys = key if isinstance(key, tuple) else (key,)
    np.testing.assert_array_equal(run(lambda: hide(array)[tuple(entry(item) for item in keys)]), wanted)


@given(arrays_and_keys())
@fast
def test_the_gradient_of_a_slice_puts_it_back(case: Any) -> None:
    array, key = case
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(array)
        part = x[key]
        (grad,) = tf.gradients(part, x, part)
        result = session.run(grad)
    wanted = np.zeros_like(array)
    wanted[key] = array[key]
    np.testing.assert_array_equal(result, wanted)


@given(arrays_and_keys())
@fast
def test_static_slices_of_partly_known_shapes(case: Any) -> None:
    array, key = case
    hidden = tuple(None if axis % 2 else size for axis, size in enumerate(array.shape))
    with tf.Graph().as_default():
        sliced = tf.placeholder(tf.float32, hidden)[key]
    assert sliced.shape.rank == array[key].ndim
    assert sliced.shape.is_compatible_with(array[key].shape)


def test_more_than_one_ellipsis() -> None:
    with pytest.raises(ValueError, match="Multiple ellipses"):
        sliced_shape((2, 3), [0, 0], [0, 0], [1, 1], Masks(0, 0, 3, 0, 0))


def test_an_ellipsis_may_stand_for_nothing() -> None:
    masks = Masks(0, 0, 1, 0, 6)
    assert index_tuple([0, 1, 1], [0, 2, 2], [1, 1, 1], masks) == (Ellipsis, 1, 1)
    assert sliced_shape((2, 3), [0, 1, 1], [0, 2, 2], [1, 1, 1], masks) == ()


# -- moving ----------------------------------------------------------------------------------------------------


@given(SHAPES, st.randoms())
@fast
def test_transpose_and_back(shape: Any, random: Any) -> None:
    array = numbers(shape)
    perm = list(range(len(shape)))
    random.shuffle(perm)
    agrees(lambda convert: tf.transpose(convert(array), perm), array.transpose(perm))
    back = run(lambda: tf.transpose(tf.transpose(hide(array), perm), tf.invert_permutation(np.array(perm, np.int32))))
    np.testing.assert_array_equal(back, array)


@given(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4), st.data())
@fast
def test_pad_is_numpys(shape: Any, data: Any) -> None:
    array = numbers(shape)
    for mode, numpy_mode, slack in (
        ("CONSTANT", "constant", 9),
        ("REFLECT", "reflect", -1),
        ("SYMMETRIC", "symmetric", 0),
    ):
        pairs = [
            [data.draw(st.integers(0, max(size + slack, 0) if slack < 9 else 3)) for _ in range(2)] for size in shape
        ]
        agrees(
            lambda convert, pairs=pairs, mode=mode: tf.pad(convert(array), pairs, mode),
            np.pad(array, pairs, numpy_mode),  # type: ignore[call-overload]
        )


@given(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4), st.data())
@fast
def test_the_gradient_of_a_mirrored_pad_is_its_transpose(shape: Any, data: Any) -> None:
    """<pad(x), y> = <x, grad(y)> for every x and y."""
    for mode, slack in (("REFLECT", -1), ("SYMMETRIC", 0)):
        pairs = [[data.draw(st.integers(0, size + slack)) for _ in range(2)] for size in shape]
        x = numbers(shape) + 1
        with tf.Graph().as_default(), tf.Session() as session:
            padded = tf.pad(tf.constant(x), pairs, mode)
            y = numbers(padded.shape.as_list()) % 7
            (grad,) = tf.gradients(padded, padded.op.inputs[0], tf.constant(y))
            there, back = session.run([padded, grad])
        assert np.sum(there * y) == pytest.approx(np.sum(x * back))


@given(SHAPES, st.data())
@fast
def test_tile_is_numpys(shape: Any, data: Any) -> None:
    array = numbers(shape)
    times = [data.draw(st.integers(0, 3)) for _ in shape]
    agrees(lambda convert: tf.tile(convert(array), np.array(times, np.int32)), np.tile(array, times))


@given(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4), st.data())
@fast
def test_concat_undoes_split(shape: Any, data: Any) -> None:
    array = numbers(shape)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    cut = data.draw(st.integers(0, shape[axis]))
    sizes = [cut, shape[axis] - cut]
    agrees(lambda convert: tf.concat(tf.split(convert(array), sizes, axis), axis), array)
    if shape[axis]:
        agrees(lambda convert: tf.stack(tf.unstack(convert(array), shape[axis], axis), axis), array)


@given(MATRICES, st.data())
@fast
def test_diagonals_go_back_where_they_were(shape: Any, data: Any) -> None:
    array = numbers(shape) + 1
    rows, columns = shape[-2:]
    lower = data.draw(st.integers(-rows + 1, columns - 1))
    upper = data.draw(st.integers(lower, columns - 1))
    align = data.draw(st.sampled_from(["LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT"]))
    k = (lower, upper)
    agrees(
        lambda convert: tf.matrix_set_diag(
            convert(array), tf.matrix_diag_part(array, k=k, align=align), k=k, align=align
        ),
        array,
    )
    one = run(lambda: tf.matrix_diag_part(hide(array), k=lower))
    np.testing.assert_array_equal(one, np.diagonal(array, lower, -2, -1))


@given(MATRICES, st.integers(-1, 4), st.integers(-1, 4))
@fast
def test_bands_are_numpys(shape: Any, lower: int, upper: int) -> None:
    array = numbers(shape) + 1
    lower, upper = min(lower, shape[-2]), min(upper, shape[-1])
    wanted = array if upper < 0 else np.tril(array, upper)
    wanted = wanted if lower < 0 else np.triu(wanted, -lower)
    agrees(lambda convert: tf.matrix_band_part(convert(array), lower, upper), wanted)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2))
@fast
def test_batch_to_space_undoes_space_to_batch(batch: int, height: int, width: int, block: int, before: int) -> None:
    array = numbers((batch, height * block, width, 2))
    paddings = [[before * block, 0], [0, 0]]

    def there_and_back(convert: Any) -> Any:
        there = tf.space_to_batch_nd(convert(array), [block, 1], paddings)
        return tf.batch_to_space_nd(there, [block, 1], paddings)

    agrees(there_and_back, array)
    if block > 1:
        image = numbers((1, block, block, 2))
        agrees(lambda convert: tf.depth_to_space(tf.space_to_depth(convert(image), block), block), image)


# -- picking ---------------------------------------------------------------------------------------------------


@given(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4), SHAPES, st.data())
@fast
def test_gather_is_numpys_take(shape: Any, index_shape: Any, data: Any) -> None:
    array = numbers(shape)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    indices = data.draw(hnp.arrays(np.int32, index_shape, elements=st.integers(0, shape[axis] - 1)))
    agrees(lambda convert: tf.gather(convert(array), indices, axis=axis), np.take(array, indices, axis))


@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 3),
    hnp.array_shapes(min_dims=0, max_dims=2, max_side=3),
    st.data(),
)
@fast
def test_gather_in_batches(batch: int, between: int, size: int, inner: Any, data: Any) -> None:
    array = numbers((batch, between, size, 2))
    indices = data.draw(hnp.arrays(np.int64, (batch, *inner), elements=st.integers(0, size - 1)))
    wanted = np.stack([np.take(row, pick, 1) for row, pick in zip(array, indices)])
    agrees(lambda convert: tf.gather(convert(array), indices, axis=2, batch_dims=1), wanted)


@given(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.booleans(), st.data())
@fast
def test_the_gradient_of_gather_adds_where_it_took(
    batch: int, between: int, picked: int, behind: int, negative: bool, data: Any
) -> None:
    shape = (2, 3, 2, 1, 4, 3, 2)[: batch + between + 1 + behind]
    axis = batch + between
    indices = data.draw(
        hnp.arrays(np.int32, (*shape[:batch], *(3, 2)[:picked]), elements=st.integers(0, shape[axis] - 1))
    )
    array = numbers(shape)
    wanted = np.zeros_like(array)
    for convert in (tf.constant, hide):
        with tf.Graph().as_default(), tf.Session() as session:
            place = convert(np.int32(axis - len(shape) if negative else axis))
            source = convert(array)
            taken = tf.gather(source, tf.constant(indices), axis=place, batch_dims=batch)
            took = session.run(taken)
            weights = numbers(took.shape) + 1
            # Each element's value is its number, which says from where the result was taken.
            wanted[...] = 0
            np.add.at(wanted.reshape(-1), took.astype(int), weights)
            (grad,) = tf.gradients(taken, source, convert(weights))
            np.testing.assert_array_equal(session.run(tf.convert_to_tensor(grad)), wanted)


@given(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4), st.data())
@fast
def test_scatter_nd_undoes_gather_nd(shape: Any, data: Any) -> None:
    array = numbers(shape)
    depth = data.draw(st.integers(1, len(shape)))
    indices = np.stack(np.meshgrid(*[np.arange(size) for size in shape[:depth]], indexing="ij"), -1)
    agrees(lambda convert: tf.scatter_nd(indices, tf.gather_nd(convert(array), indices), np.array(shape)), array)
    zeros = np.zeros_like(array)
    agrees(
        lambda convert: tf.tensor_scatter_nd_update(
            convert(zeros), indices, array.reshape((*indices.shape[:-1], *shape[depth:]))
        ),
        array,
    )


@given(hnp.arrays(np.bool_, hnp.array_shapes(min_dims=1, max_dims=2, max_side=4)))
@fast
def test_masks_are_numpys(mask: Any) -> None:
    array = numbers((*mask.shape, 2))
    np.testing.assert_array_equal(run(lambda: tf.boolean_mask(hide(array), mask)), array[mask])
    np.testing.assert_array_equal(run(lambda: tf.constant(array)[mask]), array[mask])
    np.testing.assert_array_equal(run(lambda: tf.where(hide(mask))), np.argwhere(mask))
    wanted = np.where(mask.reshape(mask.shape[0], -1)[:, :1], 1.0, -1.0)
    first = mask.reshape(mask.shape[0], -1)[:, 0]
    chosen = run(lambda: tf.where(first, np.ones_like(wanted), -np.ones_like(wanted)))
    np.testing.assert_array_equal(chosen, wanted)


@given(st.lists(st.integers(-3, 3), max_size=8), st.lists(st.integers(-3, 3), max_size=8))
@fast
def test_sets(first: Any, second: Any) -> None:
    x, y = np.array(first, np.int32), np.array(second, np.int32)
    values, places, counts = run(lambda: tf.unique_with_counts(hide(x)))
    assert values.tolist() == list(dict.fromkeys(first))
    np.testing.assert_array_equal(values[places], x)
    assert counts.tolist() == [first.count(value) for value in values.tolist()]
    out, where = run(lambda: tf.setdiff1d(hide(x), y))
    assert out.tolist() == [value for value in first if value not in second]
    np.testing.assert_array_equal(x[where], out)


@given(SHAPES, SHAPES)
@fast
def test_gradients_of_broadcasting_sum_over_what_was_stretched(first: Any, second: Any) -> None:
    try:
        whole = np.broadcast_shapes(first, second)
    except ValueError:
        whole = None
    build = lookup("BroadcastGradientArgs")
    with tf.Graph().as_default(), tf.Session() as session:
        axes = build(tf.constant(np.array(first, np.int32)), tf.constant(np.array(second, np.int32)))
        if whole is None:
            with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
                session.run(axes)
            return
        found = session.run(axes)
    for shape, lost in zip((first, second), found):
        summed = np.ones(whole).sum(tuple(int(axis) for axis in lost), keepdims=True)
        assert summed.size == int(np.prod(shape))
        assert summed.reshape(shape).shape == shape


# -- sparse tensors --------------------------------------------------------------------------------------------


@given(
    hnp.arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(1, 4)), elements=st.sampled_from([0.0, 1.0, -2.0])),
    st.randoms(),
)
@fast
def test_sparse_and_dense_say_the_same(dense: Any, random: Any) -> None:
    order = np.argwhere(dense)
    shuffled = order[random.sample(range(len(order)), len(order))]
    other = numbers((dense.shape[1], 2))

    def build() -> Any:
        sparse = tf.SparseTensor(shuffled.reshape(-1, 2), dense[tuple(shuffled.T)], dense.shape)
        sorted_ = tf.sparse_reorder(sparse)
        return tf.sparse_tensor_to_dense(sorted_), tf.sparse_tensor_dense_matmul(sorted_, other), (sparse * 2.0).values

    back, product, doubled = run(build)
    np.testing.assert_array_equal(back, dense)
    np.testing.assert_allclose(product, dense @ other)
    np.testing.assert_array_equal(doubled, 2 * dense[tuple(shuffled.T)])


def test_a_sparse_tensor_is_its_three_parts() -> None:
    with tf.Graph().as_default():
        sparse = tf.SparseTensor([[0, 1]], [2.0], [2, 3])
        doubled = sparse.with_values(sparse.values * 2)
        assert doubled.indices is sparse.indices
        assert sparse.consumers() == [doubled.values.op]
        sparse.set_shape([2, None])
        assert sparse.shape.as_list() == [2, 3]
        with pytest.raises(ValueError, match="not compatible"):
            sparse.set_shape([3, 3])
        with pytest.raises(ValueError, match="No default session"):
            sparse.eval()


def test_large_indexed_slices_made_dense_warn() -> None:
    with tf.Graph().as_default():
        rows = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([200_000_000, 1]))
        with pytest.warns(UserWarning, match="200000000 elements"):
            tf.convert_to_tensor(rows)
        unknown = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.placeholder(tf.int32, [2]))
        with pytest.warns(UserWarning, match="unknown shape"):
            tf.convert_to_tensor(unknown)


# -- what a fetch and a variable see -----------------------------------------------------------------------------


def test_what_was_cut_from_a_variable_keeps_its_values() -> None:
    """Kernels that return views of a variable's buffer are copied before a later write in the same run."""
    makers = [
        lambda v: v[0],
        lambda v: tf.transpose(v),
        lambda v: tf.unstack(v)[0],
        lambda v: tf.split(v, 2)[0],
        lambda v: tf.slice(v, [0, 0], [1, 2]),
        lambda v: tf.reverse(v, [0]),
        lambda v: tf.broadcast_to(v, [2, 2, 2]),
    ]
    for make in makers:
        with tf.Graph().as_default(), tf.Session() as session:
            variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
            part = make(variable)
            with tf.control_dependencies([part]):
                write = variable.assign(tf.zeros([2, 2]))
            session.run(variable.initializer)
            before = session.run(part)
            for _ in range(2):
                session.run(variable.initializer)
                seen, _written = session.run([part, write])
                np.testing.assert_array_equal(seen, before)


def test_a_fetched_broadcast_may_be_written_to() -> None:
    result = run(lambda: tf.broadcast_to(hide(np.float32(1.0)), [2, 2]))
    result[0, 0] = 5.0
    assert result.tolist() == [[5.0, 1.0], [1.0, 1.0]]


def test_scalar_strings_flow_through_compiled_plans() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.constant([b"a", b"b"])
        joined = tf.concat([tf.stack([words[0], tf.constant("c")]), tf.expand_dims(tf.gather(words, 1), 0)], 0)
        for _ in range(3):
            assert session.run(joined).tolist() == [b"a", b"c", b"b"]


# -- old names ---------------------------------------------------------------------------------------------------


def test_names_from_before_one_point_zero() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        packed = tf.pack([tf.constant([1, 2]), tf.constant([3, 4])])
        assert packed.op.type == "Pack"
        assert session.run(tf.unpack(packed)[1]).tolist() == [3, 4]
        assert session.run(tf.concat_v2([[1], [2]], 0)).tolist() == [1, 2]
        assert session.run(tf.split_v(tf.constant([1, 2, 3]), [1, 2])[1]).tolist() == [2, 3]
        assert session.run(tf.listdiff([1, 2], [2])).out.tolist() == [1]


@pytest.mark.parametrize("axis_first", [(1, [[1.0], [2.0]]), (0, [[1, 2], [3]])])
def test_the_old_order_of_concat_is_told_from_the_new(axis_first: Any) -> None:
    with tf.Graph().as_default(), pytest.raises((TypeError, ValueError)) as refused:
        tf.concat(*axis_first)
    assert "the axis is the second argument" in refused.value.__notes__[0]


def test_the_old_order_of_split_is_told_from_the_new() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="'split_dim'") as refused:
        tf.split(1, 3, tf.ones([2, 3]))
    assert "the value comes first" in refused.value.__notes__[0]
