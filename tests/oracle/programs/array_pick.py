"""Elements picked by index, condition or equality: gathered, scattered, masked, made unique; sparse tensors."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def numbers(*shape):
    """0, 1, 2, … as float32 of this shape."""
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def hidden(tf, value, shape=None):
    """A tensor of which the graph knows this static shape only; a run finds `value` there."""
    return tf.placeholder_with_default(value, shape)


def built(tf, case):
    made = attempt(case, tf)
    if isinstance(made, tf.SparseTensor):
        made = [made.indices, made.values, made.dense_shape]
    if isinstance(made, tf.Tensor) or (isinstance(made, (list, tuple)) and made):
        with tf.Session() as sess:
            return made, attempt(sess.run, made)
    return made


GATHERS = {
    "gather": lambda tf: tf.gather(numbers(4, 2), [0, 3]),
    "gather scalar": lambda tf: tf.gather(numbers(4, 2), 2, name="g"),
    "gather matrix": lambda tf: tf.gather([5, 6, 7], [[0, 2], [1, 1]]),
    "gather axis": lambda tf: tf.gather(numbers(4, 2), [1, 0], axis=1),
    "gather negative axis": lambda tf: tf.gather(numbers(2, 3, 2), 1, axis=-1),
    "gather tensor axis": lambda tf: tf.gather(numbers(2, 3), [1], axis=tf.constant(1)),
    "gather hidden axis": lambda tf: tf.gather(numbers(2, 3), [1], axis=hidden(tf, 1, [])),
    "gather int64": lambda tf: tf.gather(numbers(4, 2), np.array([1, 2]), axis=tf.constant(0, tf.int64)),
    "gather int16": lambda tf: tf.gather(numbers(4), np.array([1], np.int16)),
    "gather validate": lambda tf: tf.gather(numbers(4), [0], validate_indices=False),
    "gather batch": lambda tf: tf.gather(numbers(2, 3, 2), [[0, 1], [2, 2]], axis=1, batch_dims=1),
    "gather batch without axis": lambda tf: tf.gather(numbers(2, 3, 2), [[0, 1], [2, 2]], batch_dims=1),
    "gather batch later axis": lambda tf: tf.gather(numbers(2, 3, 4), [[0, 1], [3, 2]], axis=2, batch_dims=1),
    "gather batch scalar rows": lambda tf: tf.gather(numbers(2, 3, 4), [2, 1], axis=1, batch_dims=1),
    "gather batch negative": lambda tf: tf.gather(numbers(2, 3), [[0, 1], [2, 2]], axis=1, batch_dims=-1),
    "gather batch too many": lambda tf: tf.gather(numbers(2, 3), [[0, 1], [2, 2]], axis=0, batch_dims=1),
    "gather batch sizes": lambda tf: tf.gather(numbers(2, 3), [[0], [1], [2]], axis=1, batch_dims=1),
    "gather nothing": lambda tf: tf.gather(numbers(4, 2), tf.zeros([0], tf.int32)),
    "gather from nothing": lambda tf: tf.gather(numbers(0, 2), tf.zeros([0], tf.int32)),
    "gather too large": lambda tf: tf.gather(numbers(4, 2), [0, 4]),
    "gather negative": lambda tf: tf.gather(numbers(4, 2), [[0, -1]]),
    "gather scalar too large": lambda tf: tf.gather(numbers(4), 9),
    "gather axis too large": lambda tf: tf.gather(numbers(4, 2), [0], axis=2),
    "gather from a scalar": lambda tf: tf.gather(1.0, [0]),
    "gather float indices": lambda tf: tf.gather(numbers(4), [0.5]),
    "gather strings": lambda tf: tf.gather(["a", "b"], [1, 1]),
    "gather a string": lambda tf: tf.gather(["a", "b"], 1),
    "gather bools": lambda tf: tf.gather([True, False], [1]),
    "gather unknown": lambda tf: tf.gather(hidden(tf, numbers(4, 2), [None, 2]), hidden(tf, [1], [None])),
    "gather unknown params": lambda tf: tf.gather(hidden(tf, numbers(4, 2)), [1]),
    "gather unknown indices": lambda tf: tf.gather(numbers(3, 4), hidden(tf, [1]), axis=1),
    "gather_nd": lambda tf: tf.gather_nd(numbers(2, 2), [[0, 0], [1, 1]]),
    "gather_nd slices": lambda tf: tf.gather_nd(numbers(2, 2), [[1], [0]], name="g"),
    "gather_nd one": lambda tf: tf.gather_nd(numbers(2, 2), [1, 0]),
    "gather_nd strings": lambda tf: tf.gather_nd(["a", "b"], [[1]]),
    "gather_nd all": lambda tf: tf.gather_nd(numbers(2, 2), np.zeros([3, 0], np.int32)),
    "gather_nd too large": lambda tf: tf.gather_nd(numbers(2, 2), [[[0, 0], [0, 2]]]),
    "gather_nd too deep": lambda tf: tf.gather_nd(numbers(2, 2), [[0, 0, 0]]),
    "gather_nd scalar indices": lambda tf: tf.gather_nd(numbers(2, 2), 1),
    "gather_nd unknown": lambda tf: tf.gather_nd(hidden(tf, numbers(4, 3), [None, 3]), hidden(tf, [[1, 2]], [1, None])),
    "gather_nd unknown sizes": lambda tf: tf.gather_nd(
        hidden(tf, numbers(2, 3, 4), [None, 3, 4]), hidden(tf, [[1, 2]], [None, 2])
    ),
    "gather_nd batch": lambda tf: tf.gather_nd(numbers(2, 2, 2), [[1], [0]], batch_dims=1),
    "gather_nd two batches": lambda tf: tf.gather_nd(
        numbers(2, 2, 3), np.array([[[1], [0]], [[2], [1]]]), batch_dims=2, name="b"
    ),
    "gather_nd batch unknown": lambda tf: tf.gather_nd(
        hidden(tf, numbers(2, 2, 3), [None, 2, 3]), hidden(tf, [[1], [0]], [None, 1]), batch_dims=1
    ),
    "gather_nd batch too many": lambda tf: tf.gather_nd(numbers(2, 2, 2), [[1], [0]], batch_dims=2),
    "gather_nd batch negative": lambda tf: tf.gather_nd(numbers(2, 2, 2), [[1], [0]], batch_dims=-1),
    "batch_gather": lambda tf: tf.batch_gather(numbers(2, 3), [[0, 1], [2, 2]]),
    "batch_gather deep": lambda tf: tf.batch_gather(numbers(2, 2, 3), np.array([[[0], [1]], [[2], [2]]]), name="b"),
    "batch_gather vector": lambda tf: tf.batch_gather(numbers(3), [0, 2]),
    "batch_gather unknown": lambda tf: tf.batch_gather(
        hidden(tf, numbers(2, 3), [None, 3]), hidden(tf, [[0], [1]], [None, 1])
    ),
    "batch_gather unknown rank": lambda tf: tf.batch_gather(numbers(2, 3), hidden(tf, [[0], [1]])),
}

SCATTERS = {
    "scatter_nd": lambda tf: tf.scatter_nd([[1], [3]], [9.0, 8.0], [5]),
    "scatter_nd twice": lambda tf: tf.scatter_nd([[1], [1]], [9, 8], [5], name="s"),
    "scatter_nd pairs": lambda tf: tf.scatter_nd([[0, 1]], [5], [2, 2]),
    "scatter_nd slices": lambda tf: tf.scatter_nd([[1]], [[5, 6]], [2, 2]),
    "scatter_nd int64": lambda tf: tf.scatter_nd(np.array([[1]]), [5.0], np.array([3])),
    "scatter_nd index types": lambda tf: tf.scatter_nd(tf.constant([[1]], tf.int64), [5.0], tf.constant([3])),
    "scatter_nd wrong slices": lambda tf: tf.scatter_nd([[1]], [[5, 6, 7]], [2, 2]),
    "scatter_nd wrong batch": lambda tf: tf.scatter_nd([[1], [0]], [5.0], [2]),
    "scatter_nd too large": lambda tf: tf.scatter_nd([[5]], [1.0], [2]),
    "scatter_nd negative": lambda tf: tf.scatter_nd([[-1]], [1.0], [2]),
    "scatter_nd unknown": lambda tf: tf.scatter_nd(
        hidden(tf, [[1]], [None, 1]), hidden(tf, [2.0], [None]), hidden(tf, [3], [1])
    ),
    "scatter_nd wrong in the run": lambda tf: tf.scatter_nd(hidden(tf, [[1]]), hidden(tf, [2.0, 3.0]), [3]),
    "scatter_nd bools": lambda tf: tf.scatter_nd([[1]], [True], [3]),
    "scatter_nd strings": lambda tf: tf.scatter_nd([[1]], ["a"], [3]),
    "scatter_nd nothing": lambda tf: tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0]), [3]),
    "tensor_scatter_add": lambda tf: tf.tensor_scatter_add(numbers(4), [[1], [1]], [9.0, 8.0]),
    "tensor_scatter_nd_add": lambda tf: tf.tensor_scatter_nd_add(numbers(2, 2), [[1]], [[9.0, 8.0]], name="t"),
    "tensor_scatter_sub": lambda tf: tf.tensor_scatter_sub(numbers(4), [[1], [1]], [9.0, 8.0]),
    "tensor_scatter_nd_sub": lambda tf: tf.tensor_scatter_nd_sub(numbers(4), [[1]], [9.0]),
    "tensor_scatter_update": lambda tf: tf.tensor_scatter_update(numbers(4), [[1], [2]], [9.0, 8.0]),
    "tensor_scatter_nd_update": lambda tf: tf.tensor_scatter_nd_update(numbers(2, 2), [[1, 0]], [9.0], name="t"),
    "tensor_scatter_nd_min": lambda tf: tf.tensor_scatter_nd_min(numbers(4), [[1], [2]], [-9.0, 8.0]),
    "tensor_scatter_nd_max": lambda tf: tf.tensor_scatter_nd_max(numbers(4), [[1], [2]], [-9.0, 8.0]),
    "tensor_scatter too large": lambda tf: tf.tensor_scatter_nd_update(numbers(4), [[4]], [9.0]),
    "tensor_scatter wrong": lambda tf: tf.tensor_scatter_nd_update(numbers(2, 2), [[0]], [9.0]),
    "tensor_scatter strings": lambda tf: tf.tensor_scatter_nd_update(["a", "b"], [[0]], ["c"]),
    "tensor_scatter unknown": lambda tf: tf.tensor_scatter_nd_add(hidden(tf, numbers(4)), [[0]], [9.0]),
}

SELECTS = {
    "where": lambda tf: tf.where([[True, False], [True, True]]),
    "where numbers": lambda tf: tf.where(numbers(3), name="w"),
    "where complex": lambda tf: tf.where(np.array([0j, 1j])),
    "where nothing": lambda tf: tf.where([False, False]),
    "where unknown": lambda tf: tf.where(hidden(tf, [True], [None])),
    "where unknown rank": lambda tf: tf.where(hidden(tf, [True])),
    "where scalar": lambda tf: tf.where(True),
    "where strings": lambda tf: tf.where(["a"]),
    "where three": lambda tf: tf.where([True, False], [1, 2], [3, 4]),
    "where rows": lambda tf: tf.where([True, False], numbers(2, 2), -numbers(2, 2)),
    "where scalar condition": lambda tf: tf.where(True, numbers(2, 2), -numbers(2, 2), name="w"),
    "where condition too long": lambda tf: tf.where([True, False, True], numbers(2, 2), numbers(2, 2)),
    "where ranks": lambda tf: tf.where([True, False], numbers(2, 2), numbers(2)),
    "where x only": lambda tf: tf.where([True, False], numbers(2)),
    "where types": lambda tf: tf.where([True, False], [1, 2], [3.0, 4.0]),
    "where int condition": lambda tf: tf.where([1, 0], [1, 2], [3, 4]),
    "where strings three": lambda tf: tf.where([True, False], ["a", "b"], ["c", "d"]),
    "where scalars": lambda tf: tf.where(hidden(tf, False, []), 1.0, 2.0),
    "where vector of scalars": lambda tf: tf.where([True], 1.0, 2.0),
    "where merged shapes": lambda tf: tf.where(
        hidden(tf, [True]), hidden(tf, numbers(1, 4), [None, 4]), hidden(tf, numbers(1, 4), [1, None])
    ),
    "where wrong in the run": lambda tf: tf.where(hidden(tf, [True, False, True]), numbers(2), numbers(2)),
    "where wrong data in the run": lambda tf: tf.where(
        hidden(tf, [True]), hidden(tf, numbers(2)), hidden(tf, numbers(3))
    ),
    "where_v2": lambda tf: tf.where_v2([True, False], [[1.0], [2.0]], 3.0),
    "where_v2 positions": lambda tf: tf.where_v2([True, False]),
    "where_v2 wrong": lambda tf: tf.where_v2([True, False, True], [1.0, 2.0], 3.0),
    "where_v2 wrong in the run": lambda tf: tf.where_v2(hidden(tf, [True, False, True]), [1.0, 2.0], 3.0),
    "where_v2 unknown": lambda tf: tf.where_v2(hidden(tf, [True]), numbers(2), 0.0, name="w"),
    "boolean_mask": lambda tf: tf.boolean_mask(numbers(3, 2), [True, False, True]),
    "boolean_mask matrix": lambda tf: tf.boolean_mask(numbers(2, 2), [[True, False], [True, True]]),
    "boolean_mask axis": lambda tf: tf.boolean_mask(numbers(2, 3), [True, False, True], axis=1, name="m"),
    "boolean_mask tensor axis": lambda tf: tf.boolean_mask(numbers(2, 3), [True, False, True], axis=tf.constant(1)),
    "boolean_mask list": lambda tf: tf.boolean_mask([1, 2, 3], np.array([True, False, True])),
    "boolean_mask unknown": lambda tf: tf.boolean_mask(
        hidden(tf, numbers(3, 2), [None, 2]), hidden(tf, [True, False, True], [None])
    ),
    "boolean_mask unknown rank": lambda tf: tf.boolean_mask(numbers(3), hidden(tf, [True, False, True])),
    "boolean_mask unknown tensor": lambda tf: tf.boolean_mask(hidden(tf, numbers(3)), [True, False, True]),
    "boolean_mask scalar": lambda tf: tf.boolean_mask(numbers(3), True),
    "boolean_mask too short": lambda tf: tf.boolean_mask(numbers(3, 2), [True, False]),
    "boolean_mask numbers": lambda tf: tf.boolean_mask(numbers(3), [1, 0, 1]),
    "one_hot": lambda tf: tf.one_hot([0, 2, -1, 5], 3),
    "one_hot values": lambda tf: tf.one_hot([0, 2], 3, 5, -1),
    "one_hot axis": lambda tf: tf.one_hot([[0, 2], [1, 1]], 3, axis=1, dtype=tf.int32),
    "one_hot first axis": lambda tf: tf.one_hot([0, 2], 3, axis=0),
    "one_hot on": lambda tf: tf.one_hot([0, 2], 3, on_value=2.5, name="o"),
    "one_hot off": lambda tf: tf.one_hot([1], 3, off_value=np.float64(2)),
    "one_hot bools": lambda tf: tf.one_hot([0, 2], 3, on_value=True, off_value=False),
    "one_hot strings": lambda tf: tf.one_hot([0], 2, on_value="on", off_value="off"),
    "one_hot scalar": lambda tf: tf.one_hot(1, 3),
    "one_hot int64": lambda tf: tf.one_hot(np.array([0, 2]), 3, dtype=tf.float16),
    "one_hot uint8": lambda tf: tf.one_hot(np.array([0, 2], np.uint8), 3),
    "one_hot types": lambda tf: tf.one_hot([0, 2], 3, on_value=True, off_value=1.0),
    "one_hot type given": lambda tf: tf.one_hot([0], 3, on_value=1.5, dtype=tf.int32),
    "one_hot converted": lambda tf: tf.one_hot([0], 3, on_value=1, off_value=0, dtype=tf.float32),
    "one_hot float indices": lambda tf: tf.one_hot([0.5], 3),
    "one_hot negative depth": lambda tf: tf.one_hot([0, 2], -3),
    "one_hot hidden depth": lambda tf: tf.one_hot(hidden(tf, [0, 1], [None]), hidden(tf, 2, [])),
    "one_hot axis too large": lambda tf: tf.one_hot([1], 3, axis=3),
    "one_hot axis negative": lambda tf: tf.one_hot([1], 3, axis=-2),
    "one_hot unknown rank": lambda tf: tf.one_hot(hidden(tf, [1]), 3),
    "one_hot nothing": lambda tf: tf.one_hot(tf.zeros([0], tf.int32), 3),
    "sequence_mask": lambda tf: tf.sequence_mask([1, 3, 2], 5),
    "sequence_mask longest": lambda tf: tf.sequence_mask([1, 3, 2]),
    "sequence_mask type": lambda tf: tf.sequence_mask([[1], [2]], 3, tf.float32, name="q"),
    "sequence_mask hidden": lambda tf: tf.sequence_mask(hidden(tf, np.array([1, 2]), [None]), hidden(tf, 3, [])),
    "sequence_mask unknown rank": lambda tf: tf.sequence_mask(hidden(tf, [1, 2])),
    "sequence_mask vector": lambda tf: tf.sequence_mask([1, 3, 2], [5]),
    "sequence_mask too short": lambda tf: tf.sequence_mask([1, 3], 2),
}

SETS = {
    "unique": lambda tf: tf.unique([3, 1, 3, 2]),
    "unique int64": lambda tf: tf.unique([3, 1, 3, 2], out_idx=tf.int64, name="u"),
    "unique strings": lambda tf: tf.unique(["b", "a", "b"]),
    "unique nan": lambda tf: tf.unique(np.array([np.nan, 1, np.nan])),
    "unique bools": lambda tf: tf.unique([True, False, True]),
    "unique matrix": lambda tf: tf.unique([[1, 2]]),
    "unique hidden matrix": lambda tf: tf.unique(hidden(tf, [[1, 2]])),
    "unique nothing": lambda tf: tf.unique(numbers(0)),
    "unique unknown": lambda tf: tf.unique(hidden(tf, [1, 1], [None])),
    "unique_with_counts": lambda tf: tf.unique_with_counts([3, 1, 3, 2]),
    "unique_with_counts int64": lambda tf: tf.unique_with_counts(["x", "x"], tf.int64),
    "setdiff1d": lambda tf: tf.setdiff1d([1, 2, 3, 1, 4], [2, 4]),
    "setdiff1d int64": lambda tf: tf.setdiff1d([1.5, 2.5], [2.5], tf.int64, name="d"),
    "setdiff1d strings": lambda tf: tf.setdiff1d(["a", "b"], ["b"]),
    "setdiff1d matrix": lambda tf: tf.setdiff1d([[1]], [1]),
    "setdiff1d types": lambda tf: tf.setdiff1d([1], tf.constant([1.0])),
    "searchsorted": lambda tf: tf.searchsorted([1, 3, 5], [0, 3, 6]),
    "searchsorted right": lambda tf: tf.searchsorted(
        [[1.0, 3, 5], [2, 4, 6]], [[0.0, 3, 6], [2, 2, 9]], side="right", out_type=tf.int64
    ),
    "searchsorted unknown": lambda tf: tf.searchsorted(
        hidden(tf, [1, 3, 5], [None]), hidden(tf, [2, 9], [None]), name="s"
    ),
    "searchsorted side": lambda tf: tf.searchsorted([1, 3, 5], [0], side="x"),
    "searchsorted rows differ": lambda tf: tf.searchsorted([[1, 3], [1, 3]], [[0]]),
    "unravel_index": lambda tf: tf.unravel_index([5, 3], [2, 3]),
    "unravel_index scalar": lambda tf: tf.unravel_index(4, [2, 3], name="u"),
    "unravel_index int64": lambda tf: tf.unravel_index(np.array([5]), np.array([2, 3])),
    "unravel_index too large": lambda tf: tf.unravel_index([6], [2, 3]),
    "unravel_index unknown": lambda tf: tf.unravel_index(hidden(tf, [1], [None]), [2, 3]),
    "unravel_index zero": lambda tf: tf.unravel_index([1], [0, 3]),
    "identity_n": lambda tf: tf.identity_n([numbers(2), 1, "a"]),
    "identity_n nothing": lambda tf: tf.identity_n([]),
    "guarantee_const": lambda tf: tf.guarantee_const(numbers(2), name="g"),
    "edit_distance": lambda tf: tf.edit_distance(
        tf.SparseTensor([[0, 0], [1, 0]], ["a", "b"], [2, 1]),
        tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "c", "b"], [2, 2]),
    ),
    "edit_distance not normalized": lambda tf: tf.edit_distance(
        tf.SparseTensor([[0, 0], [0, 1], [0, 2]], [1, 2, 3], [1, 3]),
        tf.SparseTensor([[0, 0], [0, 1]], [2, 4], [1, 2]),
        normalize=False,
        name="e",
    ),
    "edit_distance to nothing": lambda tf: tf.edit_distance(
        tf.SparseTensor([[0, 0]], [1], [2, 1]),
        tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0], tf.int32), [2, 2]),
    ),
    "edit_distance of tensors": lambda tf: tf.edit_distance(tf.constant([1]), tf.constant([1])),
}


def sparse(tf):
    return tf.SparseTensor([[1, 0], [0, 1]], [5.0, 6.0], [2, 2])


SPARSE = {
    "sparse_to_dense": lambda tf: tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5.0, 6.0]),
    "sparse_to_dense one value": lambda tf: tf.sparse_to_dense([1, 3], [5], 1),
    "sparse_to_dense default": lambda tf: tf.sparse_to_dense([1, 3], [5], [1, 2], default_value=-1, name="s"),
    "sparse_to_dense scalar index": lambda tf: tf.sparse_to_dense(2, [5], 7),
    "sparse_to_dense order": lambda tf: tf.sparse_to_dense([3, 1], [5], [1, 2]),
    "sparse_to_dense repeated": lambda tf: tf.sparse_to_dense([1, 1], [5], [1, 2]),
    "sparse_to_dense too large": lambda tf: tf.sparse_to_dense([1, 9], [5], [1, 2]),
    "sparse_to_dense unchecked": lambda tf: tf.sparse_to_dense([3, 1], [5], [1, 2], validate_indices=False),
    "sparse_to_dense ranks": lambda tf: tf.sparse_to_dense([[1, 1]], [5], [1]),
    "sparse_to_dense packed shape": lambda tf: tf.sparse_to_dense([[0, 1]], tf.stack([2, hidden(tf, 3, [])]), 1.0, 0.0),
    "sparse_to_dense strings": lambda tf: tf.sparse_to_dense([1], [2], ["a"], default_value="-"),
    "sparse_tensor_to_dense": lambda tf: tf.sparse_tensor_to_dense(sparse(tf), validate_indices=False),
    "sparse_tensor_to_dense order": lambda tf: tf.sparse_tensor_to_dense(sparse(tf)),
    "sparse_tensor_to_dense default": lambda tf: tf.sparse_tensor_to_dense(
        tf.sparse_reorder(sparse(tf)), 9.0, name="d"
    ),
    "sparse_tensor_to_dense tensor": lambda tf: tf.sparse_tensor_to_dense(tf.constant([1])),
    "sparse.to_dense": lambda tf: tf.sparse.to_dense(tf.sparse.reorder(sparse(tf))),
    "sparse_reorder": lambda tf: tf.sparse_reorder(sparse(tf), name="r"),
    "sparse_reorder unknown": lambda tf: tf.sparse_reorder(
        tf.SparseTensor(hidden(tf, np.array([[1], [0]]), [None, 1]), [1.0, 2.0], hidden(tf, np.array([2]), [1]))
    ),
    "sparse_retain": lambda tf: tf.sparse_retain(sparse(tf), [True, False]),
    "sparse_retain wrong": lambda tf: tf.sparse_retain(sparse(tf), [True, False, True]),
    "sparse_retain hidden": lambda tf: tf.sparse_retain(sparse(tf), hidden(tf, [False, True], [None])),
    "matmul": lambda tf: tf.sparse_tensor_dense_matmul(sparse(tf), numbers(2, 3)),
    "matmul adjoint": lambda tf: tf.sparse_tensor_dense_matmul(
        sparse(tf), numbers(3, 2), adjoint_a=True, adjoint_b=True, name="q"
    ),
    "matmul wrong": lambda tf: tf.sparse_tensor_dense_matmul(sparse(tf), numbers(3, 2)),
    "matmul out of range": lambda tf: tf.sparse_tensor_dense_matmul(
        tf.SparseTensor([[5, 0]], [5.0], [2, 2]), numbers(2, 3)
    ),
    "times dense": lambda tf: sparse(tf) * tf.constant([[1.0, 2], [3, 4]]),
    "dense times": lambda tf: tf.constant([[1.0, 2], [3, 4]]) * sparse(tf),
    "times row": lambda tf: sparse(tf) * tf.constant([1.0, 2]),
    "times number": lambda tf: sparse(tf) * 3.0,
    "divided": lambda tf: sparse(tf) / tf.constant([[1.0, 2], [3, 4]]),
    "times wrong": lambda tf: sparse(tf) * tf.constant([1.0, 2, 3]),
    "identity": lambda tf: tf.identity(sparse(tf), name="i"),
    "cast": lambda tf: tf.cast(sparse(tf), tf.int32),
    "shape": lambda tf: tf.shape(sparse(tf)),
    "size": lambda tf: tf.size(sparse(tf)),
    "rank": lambda tf: tf.rank(sparse(tf)),
    "from value": lambda tf: tf.SparseTensor.from_value(tf.SparseTensorValue([[1]], [2.0], [3])),
    "from nonsense": lambda tf: tf.SparseTensor.from_value([1]),
    "index vector": lambda tf: tf.SparseTensor([1, 0], [5.0], [2]),
    "value matrix": lambda tf: tf.SparseTensor([[1, 0]], [[5.0]], [2, 2]),
    "too few indices": lambda tf: tf.SparseTensor([[1, 0]], [5.0, 6.0], [2, 2]),
    "wrong shape": lambda tf: tf.SparseTensor([[1, 0]], [5.0], [2]),
    "index type": lambda tf: tf.SparseTensor(hidden(tf, [[1, 0]]), [5.0], [2, 2]),
    "as a tensor": lambda tf: tf.convert_to_tensor(sparse(tf)),
    "placeholder": lambda tf: tf.sparse_placeholder(tf.float32).indices.shape.as_list()[0:0],
    "to sparse or tensor": lambda tf: tf.convert_to_tensor_or_sparse_tensor(
        tf.SparseTensorValue(np.array([[1]]), np.array([2.0]), np.array([3]))
    ),
    "to sparse or tensor list": lambda tf: tf.convert_to_tensor_or_sparse_tensor([1, 2], name="q"),
    "to sparse or tensor type": lambda tf: tf.convert_to_tensor_or_sparse_tensor(sparse(tf), dtype=tf.int32),
}


STITCHES = {
    "partition": lambda tf: tf.dynamic_partition(numbers(4, 2), [0, 1, 0, 2], 3),
    "partition name": lambda tf: tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2, name="p"),
    "partition matrix": lambda tf: tf.dynamic_partition([[1, 2], [3, 4]], [[0, 1], [1, 0]], 2),
    "partition scalar": lambda tf: tf.dynamic_partition([1, 2], 0, 2),
    "partition strings": lambda tf: tf.dynamic_partition(["a", "b"], [1, 0], 2),
    "partition too large": lambda tf: tf.dynamic_partition([1, 2, 3], [0, 2, 0], 2),
    "partition sizes": lambda tf: tf.dynamic_partition([1, 2, 3], [0, 2], 2),
    "partition sizes in the run": lambda tf: tf.dynamic_partition(hidden(tf, [1, 2, 3]), hidden(tf, [0, 1]), 2),
    "partition unknown": lambda tf: tf.dynamic_partition(
        hidden(tf, numbers(2, 3), [None, 3]), hidden(tf, [1, 0], [None]), 2
    ),
    "stitch": lambda tf: tf.dynamic_stitch([[0, 2], [1, 3]], [[10, 12], [11, 13]]),
    "stitch twice": lambda tf: tf.dynamic_stitch([[0, 2], [0, 1]], [[10, 12], [11, 13]]),
    "stitch rows": lambda tf: tf.dynamic_stitch([0, [2, 1]], [[10.0, 1], [[12, 2], [11, 3.0]]], name="z"),
    "stitch gap": lambda tf: tf.dynamic_stitch([[0, 3]], [[10, 12]]),
    "stitch negative": lambda tf: tf.dynamic_stitch([[0, -1]], [[10, 12]]),
    "stitch sizes": lambda tf: tf.dynamic_stitch([[0, 3]], [[10, 12, 3]]),
    "stitch sizes in the run": lambda tf: tf.dynamic_stitch(
        [hidden(tf, [0, 1])], [hidden(tf, [[1, 2], [3, 4], [5, 6]])]
    ),
    "stitch rows differ in the run": lambda tf: tf.dynamic_stitch(
        [hidden(tf, [0]), hidden(tf, [1])], [hidden(tf, [[1, 2]]), hidden(tf, [[1]])]
    ),
    "stitch unknown": lambda tf: tf.dynamic_stitch(
        [hidden(tf, [0, 1], [None])], [hidden(tf, numbers(2, 2), [None, 2])]
    ),
    "stitch strings": lambda tf: tf.dynamic_stitch([[1, 0]], [["a", "b"]]),
}


@program(cases=STITCHES)
def stitches(tf, case):
    return built(tf, case)


@program()
def masked_rows(tf):
    rows = tf.IndexedSlices(numbers(3, 2), tf.constant([1, 5, 7]), tf.constant([9, 2]))
    made = [tf.sparse_mask(rows, [5, 7]), tf.sparse_mask(rows, [1], name="m")]
    parts = [[one.values, one.indices, one.dense_shape] for one in made]
    with tf.Session() as sess:
        return parts, sess.run(parts)


@program()
def what_is_a_tensor(tf):
    slices = tf.IndexedSlices(tf.constant([1]), tf.constant([0]))
    values = [
        tf.constant(1),
        [1],
        1.0,
        np.ones(2),
        tf.Variable(1),
        sparse(tf),
        slices,
        tf.no_op(),
        None,
        tf.TensorShape([]),
    ]
    return [tf.is_tensor(value) for value in values]


@program(cases=GATHERS)
def gathers(tf, case):
    return built(tf, case)


@program(cases=SCATTERS)
def scatters(tf, case):
    return built(tf, case)


@program(cases=SELECTS)
def selects(tf, case):
    return built(tf, case)


@program(cases=SETS)
def sets(tf, case):
    return built(tf, case)


@program(cases=SPARSE)
def sparse_tensors(tf, case):
    return built(tf, case)


@program(cases={"none": None, "known": [2, 3], "partly": [None, 3], "shape": "shape", "scalar": []})
def sparse_placeholders(tf, case):
    shape = tf.TensorShape([2, None]) if case == "shape" else case
    made = [tf.sparse_placeholder(tf.float32, shape, name="named"), tf.sparse_placeholder(tf.int32, shape)]
    return [(s.indices, s.values, s.dense_shape, s.get_shape(), s.shape, s.dtype, s.op.name) for s in made]


@program()
def feeding_and_fetching_composites(tf):
    s = tf.sparse_placeholder(tf.float32, name="s")
    rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    open_rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]))
    value = tf.SparseTensorValue(np.array([[1, 0]]), np.array([2.0], np.float32), np.array([2, 2]))
    with tf.Session() as sess:
        fetched = sess.run({"s": s, "rows": [rows, open_rows]}, {s: value})
        tupled = sess.run(tf.sparse_tensor_to_dense(s), {s: ([[0, 1]], [3.0], [2, 2])})
        wrong = attempt(sess.run, s, {s: np.zeros(3)})
        evaluated = s.eval({s: value})
    return [tuple(fetched["s"]), [tuple(item) for item in fetched["rows"]], tupled, wrong, tuple(evaluated)]


@program()
def indexed_slices(tf):
    rows = tf.IndexedSlices(
        tf.constant([[1.0, 2.0]], name="v"), tf.constant([1], name="i"), tf.constant([3, 2], name="d")
    )
    partial = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]))
    negative = -rows
    same = tf.identity(rows)
    dense = tf.convert_to_tensor(rows, name="dense")
    with tf.Session() as sess:
        return [
            (rows.shape, rows.dtype, rows.name, rows.op.name, str(rows), partial.shape, str(partial)),
            (negative.values, negative.indices, negative.dense_shape, same.values, same.indices, same.dense_shape),
            dense,
            sess.run(dense),
            attempt(tf.convert_to_tensor, partial),
            attempt(tf.convert_to_tensor_or_indexed_slices, rows, dtype=tf.int32),
            attempt(tf.convert_to_tensor_or_indexed_slices, [1], name="other"),
            tf.convert_to_tensor_or_indexed_slices(rows) is rows,
            attempt(lambda: rows * 2.0),
            attempt(lambda: rows.eval()),
        ]


@program()
def a_gather_of_a_variable(tf):
    v = tf.Variable([1.0, 2.0, 3.0], name="v")
    r = tf.Variable([1.0, 2.0, 3.0], name="r", use_resource=True)
    made = [
        tf.gather(v, [0, 2]),
        tf.gather(r, [0, 2]),
        tf.gather(r, [0], axis=-1),
        tf.gather_nd(v, [[1]]),
        tf.gather_nd(r, [[1]]),
    ]
    with tf.Session() as sess:
        sess.run([v.initializer, r.initializer])
        return made, sess.run(made)
