"""Elements moved about: transposed, reversed, padded, tiled, rolled, cut into blocks, put on diagonals."""

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
    if isinstance(made, tf.Tensor) or (isinstance(made, (list, tuple)) and made):
        with tf.Session() as sess:
            return made, attempt(sess.run, made)
    return made


ORDERS = {
    "transpose": lambda tf: tf.transpose(numbers(2, 3)),
    "transpose perm": lambda tf: tf.transpose(numbers(2, 3, 4), [2, 0, 1]),
    "transpose list": lambda tf: tf.transpose([[1, 2], [3, 4]], name="t"),
    "transpose scalar": lambda tf: tf.transpose(1.0),
    "transpose vector": lambda tf: tf.transpose(numbers(3)),
    "transpose strings": lambda tf: tf.transpose([["a", "b"]]),
    "transpose unknown size": lambda tf: tf.transpose(hidden(tf, numbers(2, 3), [None, 3])),
    "transpose unknown rank": lambda tf: tf.transpose(hidden(tf, numbers(2, 3))),
    "transpose unknown rank perm": lambda tf: tf.transpose(hidden(tf, numbers(2, 3)), [1, 0]),
    "transpose unknown rank perm of one": lambda tf: tf.transpose(hidden(tf, numbers(2)), [0]),
    "transpose hidden perm": lambda tf: tf.transpose(numbers(2, 3), hidden(tf, [1, 0], [2])),
    "transpose hidden perm of any length": lambda tf: tf.transpose(numbers(2, 3), hidden(tf, [1, 0])),
    "transpose int64 perm": lambda tf: tf.transpose(numbers(2, 3), tf.constant([1, 0], tf.int64)),
    "transpose negative perm": lambda tf: tf.transpose(numbers(2, 3), [-1, 0]),
    "transpose repeated": lambda tf: tf.transpose(numbers(2, 3), [0, 0]),
    "transpose out of range": lambda tf: tf.transpose(numbers(2, 3), [0, 2]),
    "transpose too short": lambda tf: tf.transpose(numbers(2, 3), [0]),
    "transpose hidden out of range": lambda tf: tf.transpose(hidden(tf, numbers(2, 3)), hidden(tf, [0, 5])),
    "transpose hidden too short": lambda tf: tf.transpose(hidden(tf, numbers(2, 3)), hidden(tf, [0])),
    "transpose conjugate": lambda tf: tf.transpose(np.array([[1 + 1j, 2]]), conjugate=True),
    "transpose conjugate perm": lambda tf: tf.transpose(np.array([[1 + 1j, 2]], np.complex64), [1, 0], conjugate=True),
    "transpose conjugate real": lambda tf: tf.transpose(numbers(2, 3), conjugate=True),
    "matrix_transpose": lambda tf: tf.matrix_transpose(numbers(2, 3)),
    "matrix_transpose batch": lambda tf: tf.matrix_transpose(numbers(2, 3, 2), name="m"),
    "matrix_transpose unknown": lambda tf: tf.matrix_transpose(hidden(tf, numbers(2, 3))),
    "matrix_transpose vector": lambda tf: tf.matrix_transpose(numbers(2)),
    "matrix_transpose conjugate": lambda tf: tf.matrix_transpose(np.array([[1 + 1j, 2]]), conjugate=True),
    "reverse": lambda tf: tf.reverse(numbers(2, 3), [1]),
    "reverse two": lambda tf: tf.reverse(numbers(2, 3), [-1, 0]),
    "reverse none": lambda tf: tf.reverse(numbers(2, 3), tf.zeros([0], tf.int32)),
    "reverse_v2": lambda tf: tf.reverse_v2(numbers(2, 3), [0], name="r"),
    "reverse booleans": lambda tf: tf.reverse(numbers(2, 3), [True, False]),
    "reverse twice the same": lambda tf: tf.reverse(numbers(2, 3), [-1, 1]),
    "reverse out of range": lambda tf: tf.reverse(numbers(2, 3), [2]),
    "reverse scalar axis": lambda tf: tf.reverse(numbers(2, 3), 0),
    "reverse strings": lambda tf: tf.reverse(["a", "b"], [0]),
    "reverse unknown": lambda tf: tf.reverse(hidden(tf, numbers(2, 3)), [0]),
    "reverse hidden axis": lambda tf: tf.reverse(numbers(2, 3), hidden(tf, [1])),
    "reverse hidden out of range": lambda tf: tf.reverse(hidden(tf, numbers(2, 3)), [2]),
    "reverse_sequence": lambda tf: tf.reverse_sequence(numbers(2, 3), [1, 2], seq_axis=1, batch_axis=0),
    "reverse_sequence positions": lambda tf: tf.reverse_sequence(numbers(2, 3), [1, 3], 1, 0),
    "reverse_sequence dims": lambda tf: tf.reverse_sequence(numbers(3, 2), [1, 3], seq_dim=0, batch_dim=1),
    "reverse_sequence default batch": lambda tf: tf.reverse_sequence(numbers(2, 3, 2), [0, 3], seq_axis=1, name="q"),
    "reverse_sequence int64": lambda tf: tf.reverse_sequence(numbers(2, 3), tf.constant([1, 2], tf.int64), seq_axis=1),
    "reverse_sequence too long": lambda tf: tf.reverse_sequence(numbers(2, 3), [1, 4], seq_axis=1),
    "reverse_sequence negative": lambda tf: tf.reverse_sequence(numbers(2, 3), [1, -1], seq_axis=1),
    "reverse_sequence wrong batch": lambda tf: tf.reverse_sequence(numbers(2, 3), [1, 2, 3], seq_axis=1),
    "reverse_sequence same axis": lambda tf: tf.reverse_sequence(numbers(2, 3), [1, 2], seq_axis=0),
    "reverse_sequence out of range": lambda tf: tf.reverse_sequence(numbers(2, 3), [1, 2], seq_axis=2),
    "reverse_sequence no axis": lambda tf: tf.reverse_sequence(numbers(2, 3), [1, 2]),
    "reverse_sequence unknown": lambda tf: tf.reverse_sequence(hidden(tf, numbers(2, 3)), [1, 2], seq_axis=1),
    "invert_permutation": lambda tf: tf.invert_permutation([2, 0, 1]),
    "invert_permutation int64": lambda tf: tf.invert_permutation(tf.constant([1, 0], tf.int64), name="i"),
    "invert_permutation duplicate": lambda tf: tf.invert_permutation([2, 0, 0]),
    "invert_permutation range": lambda tf: tf.invert_permutation([3, 0, 1]),
    "invert_permutation matrix": lambda tf: tf.invert_permutation([[0]]),
    "invert_permutation empty": lambda tf: tf.invert_permutation(tf.zeros([0], tf.int32)),
    "roll": lambda tf: tf.roll(numbers(5), shift=2, axis=0),
    "roll two": lambda tf: tf.roll(numbers(2, 3), shift=[1, -2], axis=[0, 1], name="r"),
    "roll the same axis twice": lambda tf: tf.manip.roll(numbers(2, 3), shift=[1, -2], axis=[1, 1]),
    "roll negative axis": lambda tf: tf.roll(numbers(2, 3), 1, -1),
    "roll out of range": lambda tf: tf.roll(numbers(2, 3), 1, 3),
    "roll differing": lambda tf: tf.roll(numbers(2, 3), [1, 2], [0]),
    "roll scalar": lambda tf: tf.roll(1.0, 1, 0),
}

PADS = {
    "tile": lambda tf: tf.tile(numbers(2, 3), [2, 1]),
    "tile nothing": lambda tf: tf.tile(numbers(2, 3), [0, 1]),
    "tile scalar": lambda tf: tf.tile(3, []),
    "tile name": lambda tf: tf.tile([1, 2], [2], name="t"),
    "tile int64": lambda tf: tf.tile([1, 2], tf.constant([2], tf.int64)),
    "tile strings": lambda tf: tf.tile(["a"], [2]),
    "tile unknown size": lambda tf: tf.tile(hidden(tf, numbers(2, 3), [None, 3]), [2, 2]),
    "tile unknown rank": lambda tf: tf.tile(hidden(tf, numbers(2, 3)), [2, 2]),
    "tile hidden": lambda tf: tf.tile(numbers(2, 3), hidden(tf, [1, 2], [2])),
    "tile too short": lambda tf: tf.tile(numbers(2, 3), [2]),
    "tile negative": lambda tf: tf.tile(numbers(2, 3), [-1, 1]),
    "tile hidden too short": lambda tf: tf.tile(hidden(tf, numbers(2, 3)), [2]),
    "pad": lambda tf: tf.pad(numbers(2, 3), [[1, 1], [0, 2]]),
    "pad nothing": lambda tf: tf.pad(numbers(2, 3), [[0, 0], [0, 0]], name="p"),
    "pad int64": lambda tf: tf.pad(numbers(2, 3), np.array([[1, 1], [0, 2]])),
    "pad with": lambda tf: tf.pad(numbers(2, 3), [[1, 1], [0, 2]], constant_values=9),
    "pad with zero": lambda tf: tf.pad(numbers(2, 3), [[1, 1], [0, 2]], constant_values=0.0),
    "pad with a tensor": lambda tf: tf.pad(numbers(2), [[1, 1]], constant_values=tf.constant(1.0)),
    "pad with an int tensor": lambda tf: tf.pad(numbers(2), [[1, 1]], constant_values=tf.constant(1)),
    "pad ints": lambda tf: tf.pad([1, 2], [[1, 0]]),
    "pad bools": lambda tf: tf.pad([True], [[1, 1]]),
    "pad bools with": lambda tf: tf.pad([False], [[1, 1]], constant_values=True),
    "pad reflect": lambda tf: tf.pad(numbers(2, 3), [[1, 1], [0, 2]], "REFLECT"),
    "pad symmetric": lambda tf: tf.pad(numbers(2, 3), [[1, 2], [0, 2]], "symmetric"),
    "pad reflect nothing": lambda tf: tf.pad(numbers(2, 3), [[0, 0], [0, 0]], "reflect"),
    "pad mode": lambda tf: tf.pad(numbers(2, 3), [[1, 2], [0, 2]], "foo"),
    "pad reflect too much": lambda tf: tf.pad(numbers(2, 3), [[2, 1], [0, 2]], "REFLECT"),
    "pad symmetric too much": lambda tf: tf.pad(numbers(2, 3), [[3, 1], [0, 2]], "SYMMETRIC"),
    "pad unknown size": lambda tf: tf.pad(hidden(tf, numbers(2, 3), [None, 3]), [[1, 1], [2, 2]]),
    "pad unknown rank": lambda tf: tf.pad(hidden(tf, numbers(2, 3)), [[1, 1], [2, 2]]),
    "pad hidden": lambda tf: tf.pad(hidden(tf, numbers(2, 3), [2, None]), hidden(tf, [[1, 1], [0, 0]], [2, 2])),
    "pad hidden of any shape": lambda tf: tf.pad(numbers(2, 3), hidden(tf, [[1, 1], [0, 0]])),
    "pad partly": lambda tf: tf.pad(hidden(tf, numbers(2, 3), [2, None]), [[1, 1], [0, hidden(tf, 1, [])]]),
    "pad negative": lambda tf: tf.pad(numbers(2, 3), [[1, -1], [0, 2]]),
    "pad hidden negative": lambda tf: tf.pad(numbers(2, 3), hidden(tf, [[1, -1], [0, 2]])),
    "pad too few": lambda tf: tf.pad(numbers(2, 3), [[1, 1]]),
    "pad three columns": lambda tf: tf.pad(numbers(2), [[1, 1, 1]]),
    "pad floats": lambda tf: tf.pad(numbers(2), [[1.0, 1.0]]),
}

DIAGONALS = {
    "diag": lambda tf: tf.diag([1, 2, 3]),
    "diag matrix": lambda tf: tf.diag(numbers(2, 2), name="d"),
    "diag unknown": lambda tf: tf.diag(hidden(tf, numbers(2), [None])),
    "diag unknown rank": lambda tf: tf.diag(hidden(tf, numbers(2))),
    "diag scalar": lambda tf: tf.diag(1.0),
    "diag empty": lambda tf: tf.diag(numbers(0)),
    "diag bool": lambda tf: tf.diag([True]),
    "diag_part": lambda tf: tf.diag_part(numbers(2, 2)),
    "diag_part four": lambda tf: tf.diag_part(numbers(2, 3, 2, 3)),
    "diag_part unknown": lambda tf: tf.diag_part(hidden(tf, numbers(3, 3), [None, 3])),
    "diag_part not square": lambda tf: tf.diag_part(numbers(2, 3)),
    "diag_part odd": lambda tf: tf.diag_part(numbers(2, 3, 2)),
    "diag_part not square in the run": lambda tf: tf.diag_part(hidden(tf, numbers(2, 3))),
    "matrix_diag": lambda tf: tf.matrix_diag(numbers(2, 2)),
    "matrix_diag bool": lambda tf: tf.matrix_diag(tf.constant([True, True])),
    "matrix_diag k": lambda tf: tf.matrix_diag(numbers(2), k=1, name="m"),
    "matrix_diag negative k": lambda tf: tf.matrix_diag(numbers(2), k=-1),
    "matrix_diag band": lambda tf: tf.matrix_diag(numbers(2, 3), k=(-1, 0), num_rows=3, num_cols=4, padding_value=9),
    "matrix_diag band aligned left": lambda tf: tf.matrix_diag(numbers(3, 3), k=(-1, 1), align="LEFT_LEFT"),
    "matrix_diag band aligned right": lambda tf: tf.matrix_diag(numbers(3, 3), k=(-1, 1), align="RIGHT_RIGHT"),
    "matrix_diag rows": lambda tf: tf.matrix_diag(numbers(2), num_rows=3),
    "matrix_diag too few rows": lambda tf: tf.matrix_diag(numbers(2), num_rows=1),
    "matrix_diag inconsistent": lambda tf: tf.matrix_diag(numbers(2), num_rows=3, num_cols=3),
    "matrix_diag unknown": lambda tf: tf.matrix_diag(hidden(tf, numbers(1, 3), [None, 3])),
    "matrix_diag unknown rank": lambda tf: tf.matrix_diag(hidden(tf, numbers(3))),
    "matrix_diag scalar": lambda tf: tf.matrix_diag(1.0),
    "matrix_diag_part": lambda tf: tf.matrix_diag_part(numbers(2, 2, 3)),
    "matrix_diag_part k": lambda tf: tf.matrix_diag_part(numbers(2, 3), k=1),
    "matrix_diag_part negative k": lambda tf: tf.matrix_diag_part(numbers(3, 2), k=-2, name="p"),
    "matrix_diag_part band": lambda tf: tf.matrix_diag_part(numbers(3, 3), k=(-1, 1), padding_value=9),
    "matrix_diag_part left left": lambda tf: tf.matrix_diag_part(numbers(3, 4), k=(-2, 2), align="LEFT_LEFT"),
    "matrix_diag_part left right": lambda tf: tf.matrix_diag_part(numbers(3, 4), k=(-2, 2), align="LEFT_RIGHT"),
    "matrix_diag_part right right": lambda tf: tf.matrix_diag_part(numbers(4, 3), k=(-2, 2), align="RIGHT_RIGHT"),
    "matrix_diag_part out of range": lambda tf: tf.matrix_diag_part(numbers(2, 3), k=5),
    "matrix_diag_part wrong order": lambda tf: tf.matrix_diag_part(numbers(2, 3), k=(1, 0)),
    "matrix_diag_part unknown": lambda tf: tf.matrix_diag_part(hidden(tf, numbers(1, 3, 4), [None, 3, 4])),
    "matrix_diag_part unknown size": lambda tf: tf.matrix_diag_part(hidden(tf, numbers(1, 3, 4), [None, None, 4])),
    "matrix_diag_part vector": lambda tf: tf.matrix_diag_part(numbers(2)),
    "matrix_set_diag": lambda tf: tf.matrix_set_diag(numbers(2, 2, 3), numbers(2, 2)),
    "matrix_set_diag k": lambda tf: tf.matrix_set_diag(numbers(2, 3), [7.0, 8.0], k=1, name="s"),
    "matrix_set_diag band": lambda tf: tf.matrix_set_diag(numbers(3, 3), [[7.0, 8, 9], [4, 5, 6]], k=(0, 1)),
    "matrix_set_diag wrong rank": lambda tf: tf.matrix_set_diag(numbers(3, 3), [[7.0, 8, 9]]),
    "matrix_set_diag wrong size": lambda tf: tf.matrix_set_diag(numbers(3, 3), [7.0, 8]),
    "matrix_set_diag wrong size in the run": lambda tf: tf.matrix_set_diag(numbers(3, 3), hidden(tf, [7.0, 8])),
    "matrix_set_diag unknown": lambda tf: tf.matrix_set_diag(hidden(tf, numbers(3, 3)), [7.0, 8, 9]),
    "matrix_band_part": lambda tf: tf.matrix_band_part(numbers(3, 3), 1, 0),
    "matrix_band_part all below": lambda tf: tf.matrix_band_part(numbers(2, 3, 4), -1, 1, name="b"),
    "matrix_band_part int64": lambda tf: tf.matrix_band_part(
        numbers(3, 3), tf.constant(0, tf.int64), tf.constant(-1, tf.int64)
    ),
    "matrix_band_part types": lambda tf: tf.matrix_band_part(numbers(3, 3), 1, tf.constant(1, tf.int64)),
    "matrix_band_part too many": lambda tf: tf.matrix_band_part(numbers(3, 3), 5, 0),
    "matrix_band_part bools": lambda tf: tf.matrix_band_part([[True, True], [True, True]], 0, 0),
    "linalg names": lambda tf: [
        tf.linalg.tensor_diag([1]),
        tf.linalg.diag([1.0]),
        tf.linalg.band_part([[1.0]], 0, 0),
        tf.linalg.diag_part([[1.0]]),
        tf.linalg.set_diag([[1.0]], [2.0]),
        tf.linalg.tensor_diag_part([[1]]),
        tf.linalg.transpose([[1]]),
    ],
}

BLOCKS = {
    "space_to_batch": lambda tf: tf.space_to_batch(numbers(1, 2, 2, 1), [[0, 0], [0, 0]], 2),
    "space_to_batch padded": lambda tf: tf.space_to_batch(
        numbers(1, 3, 3, 2), [[1, 0], [0, 1]], block_size=2, name="s"
    ),
    "space_to_batch_nd": lambda tf: tf.space_to_batch_nd(numbers(1, 3, 2, 1), [2, 2], [[1, 0], [0, 0]]),
    "space_to_batch_nd one": lambda tf: tf.space_to_batch_nd(numbers(2, 4), [2], [[0, 0]]),
    "space_to_batch_nd uneven": lambda tf: tf.space_to_batch_nd(numbers(1, 3, 2, 1), [2, 2], [[0, 0], [0, 0]]),
    "space_to_batch_nd uneven in the run": lambda tf: tf.space_to_batch_nd(
        hidden(tf, numbers(1, 3, 2, 1)), [2, 2], [[0, 0], [0, 0]]
    ),
    "space_to_batch_nd unknown": lambda tf: tf.space_to_batch_nd(
        hidden(tf, numbers(1, 4, 2, 1), [None, 4, None, 1]), [2, 2], [[0, 0], [0, 0]]
    ),
    "space_to_batch_nd hidden block": lambda tf: tf.space_to_batch_nd(
        numbers(1, 4, 2, 1), hidden(tf, [2, 2], [2]), [[0, 0], [0, 0]]
    ),
    "space_to_batch_nd hidden paddings": lambda tf: tf.space_to_batch_nd(
        numbers(1, 4, 2, 1), [2, 2], hidden(tf, [[0, 0], [0, 0]], [2, 2])
    ),
    "space_to_batch_nd negative": lambda tf: tf.space_to_batch_nd(numbers(1, 4, 2, 1), [2, 2], [[0, -2], [0, 0]]),
    "space_to_batch_nd zero": lambda tf: tf.space_to_batch_nd(numbers(1, 4, 2, 1), [0, 2], [[0, 0], [0, 0]]),
    "space_to_batch_nd small rank": lambda tf: tf.space_to_batch_nd(numbers(4, 2), [2, 2], [[0, 0], [0, 0]]),
    "batch_to_space": lambda tf: tf.batch_to_space(numbers(4, 1, 1, 1), [[0, 0], [0, 0]], 2),
    "batch_to_space_nd": lambda tf: tf.batch_to_space_nd(numbers(4, 2, 1, 1), [2, 2], [[1, 0], [0, 0]]),
    "batch_to_space_nd unknown": lambda tf: tf.batch_to_space_nd(
        hidden(tf, numbers(4, 4, 1, 1), [None, 4, None, 1]), [2, 2], [[0, 0], [0, 0]]
    ),
    "batch_to_space_nd uneven": lambda tf: tf.batch_to_space_nd(numbers(3, 2, 1, 1), [2, 2], [[1, 0], [0, 0]]),
    "batch_to_space_nd uneven in the run": lambda tf: tf.batch_to_space_nd(
        hidden(tf, numbers(3, 2, 1, 1)), [2, 2], [[1, 0], [0, 0]]
    ),
    "batch_to_space_nd crops too much": lambda tf: tf.batch_to_space_nd(numbers(4, 1, 1, 1), [2, 2], [[3, 0], [0, 0]]),
    "required paddings": lambda tf: tf.required_space_to_batch_paddings([5, 4], [2, 3]),
    "required paddings base": lambda tf: tf.required_space_to_batch_paddings(
        [5, 4], [2, 3], [[1, 0], [0, 1]], name="r"
    ),
    "required paddings hidden": lambda tf: tf.required_space_to_batch_paddings(hidden(tf, [5, 4], [2]), [2, 3]),
    "required paddings wrong length": lambda tf: tf.required_space_to_batch_paddings([5, 4, 3], [2, 3]),
    "space_to_depth": lambda tf: tf.space_to_depth(numbers(1, 4, 2, 2), 2),
    "space_to_depth nn": lambda tf: tf.nn.space_to_depth(numbers(1, 2, 2, 1), 2, name="s"),
    "space_to_depth uneven": lambda tf: tf.space_to_depth(numbers(1, 3, 2, 2), 2),
    "space_to_depth block one": lambda tf: tf.space_to_depth(numbers(1, 3, 2, 2), 1),
    "space_to_depth format": lambda tf: tf.space_to_depth(numbers(1, 2, 2, 2), 2, data_format="NCHW"),
    "space_to_depth unknown": lambda tf: tf.space_to_depth(hidden(tf, numbers(1, 2, 2, 1), [None, None, 2, 1]), 2),
    "space_to_depth rank": lambda tf: tf.space_to_depth(numbers(2, 2), 2),
    "depth_to_space": lambda tf: tf.depth_to_space(numbers(1, 1, 2, 8), 2),
    "depth_to_space uneven": lambda tf: tf.depth_to_space(numbers(1, 1, 1, 3), 2),
    "depth_to_space unknown": lambda tf: tf.depth_to_space(hidden(tf, numbers(1, 2, 1, 4), [None, None, 1, 4]), 2),
    "patches": lambda tf: tf.extract_image_patches(
        numbers(1, 3, 3, 1), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ),
    "patches same": lambda tf: tf.extract_image_patches(
        numbers(1, 3, 3, 2), ksizes=[1, 3, 3, 1], strides=[1, 2, 2, 1], rates=[1, 1, 1, 1], padding="SAME"
    ),
    "patches rates": lambda tf: tf.extract_image_patches(
        numbers(1, 5, 5, 1), [1, 2, 2, 1], [1, 2, 1, 1], [1, 2, 3, 1], "VALID", name="p"
    ),
    "patches sizes": lambda tf: tf.extract_image_patches(
        numbers(1, 3, 3, 1), sizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME"
    ),
    "patches unknown": lambda tf: tf.extract_image_patches(
        hidden(tf, numbers(1, 3, 3, 1), [None, None, 3, 1]), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ),
    "patches ints": lambda tf: tf.extract_image_patches(
        numbers(1, 2, 2, 1).astype(np.int32), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "SAME"
    ),
    "patches batch size": lambda tf: tf.extract_image_patches(
        numbers(1, 3, 3, 1), [2, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ),
    "patches padding": lambda tf: tf.extract_image_patches(
        numbers(1, 3, 3, 1), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "FULL"
    ),
    "patches too large": lambda tf: tf.extract_image_patches(
        numbers(1, 3, 3, 1), [1, 5, 5, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ),
    "bitcast": lambda tf: tf.bitcast(numbers(2), tf.int32),
    "bitcast to smaller": lambda tf: tf.bitcast(numbers(2), tf.uint8, name="b"),
    "bitcast to larger": lambda tf: tf.bitcast(np.array([[0, 0, 128, 63]], np.uint8), tf.float32),
    "bitcast to larger wrong": lambda tf: tf.bitcast(np.array([[0, 0, 63]], np.uint8), tf.float32),
    "bitcast to larger wrong in the run": lambda tf: tf.bitcast(
        hidden(tf, np.array([[0, 0, 63]], np.uint8)), tf.float32
    ),
    "bitcast scalar": lambda tf: tf.bitcast(1.0, tf.uint16),
    "bitcast bool": lambda tf: tf.bitcast([True], tf.uint8),
    "bitcast unknown": lambda tf: tf.bitcast(hidden(tf, numbers(2), [None]), tf.float64),
}


@program(cases=ORDERS)
def orders(tf, case):
    return built(tf, case)


@program(cases=PADS)
def pads(tf, case):
    return built(tf, case)


@program(cases=DIAGONALS)
def diagonals(tf, case):
    return built(tf, case)


@program(cases=BLOCKS)
def blocks(tf, case):
    return built(tf, case)
