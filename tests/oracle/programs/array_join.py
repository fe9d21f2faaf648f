"""Lists of tensors: joined, packed, taken apart; Python lists that become tensors."""

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


CONCATS = {
    "concat": lambda tf: tf.concat([numbers(2, 1), numbers(2, 3)], 1),
    "negative axis": lambda tf: tf.concat([numbers(2, 1), numbers(2, 3)], -1, name="c"),
    "keywords": lambda tf: tf.concat(values=[[1], [2]], axis=0),
    "three": lambda tf: tf.concat([[1], [2], [3, 4]], 0),
    "one": lambda tf: tf.concat([tf.constant([1])], 0),
    "one named": lambda tf: tf.concat([tf.constant([1])], 0, name="one"),
    "no list": lambda tf: tf.concat(tf.constant([1]), 0),
    "one with a vector axis": lambda tf: tf.concat([tf.constant([1])], [0]),
    "none": lambda tf: tf.concat([], 0),
    "tensor axis": lambda tf: tf.concat([[1], [2]], tf.constant(0)),
    "hidden axis": lambda tf: tf.concat([numbers(2, 2), numbers(2, 2)], hidden(tf, 1, [])),
    "hidden axis out of range": lambda tf: tf.concat([numbers(2, 2), numbers(2, 2)], hidden(tf, 2, [])),
    "int64 axis": lambda tf: tf.concat([[1], [2]], tf.constant(0, tf.int64)),
    "axis out of range": lambda tf: tf.concat([numbers(2, 2), numbers(2, 2)], 2),
    "vector axis": lambda tf: tf.concat([[1], [2]], [0]),
    "scalars": lambda tf: tf.concat([1, 2], 0),
    "ranks differ": lambda tf: tf.concat([numbers(2, 2), numbers(2)], 0),
    "sizes differ": lambda tf: tf.concat([numbers(2, 2), numbers(3, 3)], 0),
    "unknown sizes": lambda tf: tf.concat(
        [hidden(tf, numbers(2, 2), [None, 2]), hidden(tf, numbers(1, 2), [1, None])], 0
    ),
    "unknown ranks": lambda tf: tf.concat([hidden(tf, numbers(2, 2)), numbers(2, 3)], 1),
    "unknown ranks differ": lambda tf: tf.concat([hidden(tf, numbers(2, 2)), hidden(tf, numbers(2))], 0),
    "unknown sizes differ": lambda tf: tf.concat([hidden(tf, numbers(2, 2)), hidden(tf, numbers(3, 3))], 0),
    "strings": lambda tf: tf.concat([["a"], ["b", "c"]], 0),
    "empty": lambda tf: tf.concat([numbers(0, 2), numbers(1, 2)], 0),
    "list takes the tensor's type": lambda tf: tf.concat([[1, 2], hidden(tf, numbers(2), [None])], 0),
    "list after a tensor": lambda tf: tf.concat([tf.constant([1], tf.int64), [2]], 0),
    "float list after an int tensor": lambda tf: tf.concat([tf.constant([1], tf.int64), [2.5]], 0),
    "types differ": lambda tf: tf.concat([tf.constant([1]), tf.constant([1.0])], 0),
    "list types differ": lambda tf: tf.concat([[1], [1.5]], 0),
    "numpy then list": lambda tf: tf.concat([np.array([1.5]), [1]], 0),
    "lists with tensors": lambda tf: tf.concat([[1], [tf.constant(2)]], 0),
    "lists with other tensors": lambda tf: tf.concat([[1], [tf.constant(2, tf.int64)]], 0),
    "old order": lambda tf: tf.concat(0, [[1], [2]]),
}

STACKS = {
    "stack": lambda tf: tf.stack([tf.constant([1, 2]), tf.constant([3, 4])]),
    "stack axis": lambda tf: tf.stack([tf.constant([1, 2]), tf.constant([3, 4])], axis=1, name="s"),
    "stack negative axis": lambda tf: tf.stack([tf.constant([1, 2]), tf.constant([3, 4])], -1),
    "stack numbers": lambda tf: tf.stack([1, 2]),
    "stack lists": lambda tf: tf.stack([[1, 2], [3, 4]], axis=1),
    "stack arrays": lambda tf: tf.stack([numbers(2), numbers(2)]),
    "stack arrays axis": lambda tf: tf.stack([numbers(2), numbers(2)], axis=1),
    "stack mixed": lambda tf: tf.stack([1, tf.constant(2)]),
    "stack mixed arrays": lambda tf: tf.stack((tf.constant([1.0, 2.0]), np.ones(2))),
    "stack a tensor": lambda tf: tf.stack(tf.constant([[1, 2], [3, 4]])),
    "stack a tensor axis": lambda tf: tf.stack(tf.constant([[1, 2], [3, 4]]), axis=1),
    "stack empty": lambda tf: tf.stack([]),
    "stack ragged": lambda tf: tf.stack([[1, 2], [3]]),
    "stack shapes differ": lambda tf: tf.stack([tf.constant([1, 2]), tf.constant([3])]),
    "stack ranks differ": lambda tf: tf.stack([tf.constant([1, 2]), tf.constant(3)]),
    "stack types differ": lambda tf: tf.stack([tf.constant([1]), tf.constant([1.0])]),
    "stack list types differ": lambda tf: tf.stack([[1.5], tf.constant([1])]),
    "stack axis out of range": lambda tf: tf.stack([tf.constant([1]), tf.constant([2])], axis=2),
    "stack hidden": lambda tf: tf.stack([hidden(tf, numbers(2), [None]), numbers(2)]),
    "stack hidden ranks": lambda tf: tf.stack([hidden(tf, numbers(2)), hidden(tf, numbers(2))], axis=1),
    "stack hidden shapes differ": lambda tf: tf.stack([hidden(tf, numbers(2)), hidden(tf, numbers(3))]),
    "stack strings": lambda tf: tf.stack(["a", tf.constant("b")]),
    "stack one": lambda tf: tf.stack([tf.constant(7)]),
    "stack bool": lambda tf: tf.stack([tf.constant(True), False]),
    "parallel_stack": lambda tf: tf.parallel_stack([tf.constant([1, 2]), tf.constant([3, 4])]),
    "parallel_stack unknown": lambda tf: tf.parallel_stack([hidden(tf, numbers(2), [None])]),
    "unstack": lambda tf: tf.unstack(numbers(2, 3)),
    "unstack axis": lambda tf: tf.unstack(numbers(2, 3), axis=1, name="u"),
    "unstack negative axis": lambda tf: tf.unstack(numbers(2, 3), axis=-1),
    "unstack num": lambda tf: tf.unstack(hidden(tf, numbers(2, 3), [None, 3]), 2),
    "unstack num wrong": lambda tf: tf.unstack(numbers(2, 3), 3),
    "unstack num wrong in the run": lambda tf: tf.unstack(hidden(tf, numbers(2, 3)), 3),
    "unstack unknown": lambda tf: tf.unstack(hidden(tf, numbers(2, 3), [None, 3])),
    "unstack unknown rank": lambda tf: tf.unstack(hidden(tf, numbers(2, 3))),
    "unstack out of range": lambda tf: tf.unstack(numbers(2, 3), axis=2),
    "unstack scalar": lambda tf: tf.unstack(1.0),
    "unstack list": lambda tf: tf.unstack([[1, 2], [3, 4]]),
    "unstack strings": lambda tf: tf.unstack(["a", "b"]),
    "unstack nothing": lambda tf: tf.unstack(numbers(0, 2)),
}

SPLITS = {
    "split": lambda tf: tf.split(numbers(4, 6), 2),
    "split axis": lambda tf: tf.split(numbers(2, 6), 3, axis=1),
    "split negative axis": lambda tf: tf.split(numbers(2, 6), 3, -1, name="s"),
    "split one": lambda tf: tf.split(numbers(2, 6), 1),
    "split zero": lambda tf: tf.split(numbers(2, 6), 0),
    "split uneven": lambda tf: tf.split(numbers(2, 6), 4, 1),
    "split uneven in the run": lambda tf: tf.split(hidden(tf, numbers(2, 6)), 4, 1),
    "split out of range": lambda tf: tf.split(numbers(2, 6), 2, 5),
    "split unknown size": lambda tf: tf.split(hidden(tf, numbers(4, 6), [None, 6]), 2),
    "split unknown rank": lambda tf: tf.split(hidden(tf, numbers(4, 6)), 2),
    "split hidden axis": lambda tf: tf.split(numbers(2, 6), 2, hidden(tf, 1, [])),
    "split dimension": lambda tf: tf.split(numbers(4), tf.Dimension(2)),
    "split numpy int": lambda tf: tf.split(numbers(4), np.int64(2)),
    "split scalar tensor": lambda tf: tf.split(numbers(4), tf.constant(2)),
    "split sizes": lambda tf: tf.split(numbers(2, 6), [1, 2, 3], 1),
    "split rest": lambda tf: tf.split(numbers(2, 6), [1, -1, 3], 1),
    "split sizes tensor": lambda tf: tf.split(numbers(2, 6), tf.constant([1, 5]), 1, name="s"),
    "split sizes numpy": lambda tf: tf.split(numbers(2, 6), np.array([2, 4]), 1),
    "split sizes hidden": lambda tf: tf.split(numbers(2, 6), hidden(tf, [2, 4], [2]), 1),
    "split sizes hidden num": lambda tf: tf.split(numbers(2, 6), hidden(tf, [2, 4]), 1, num=2),
    "split sizes hidden no num": lambda tf: tf.split(numbers(2, 6), hidden(tf, [2, 4]), 1),
    "split sizes with a tensor": lambda tf: tf.split(numbers(6), [2, tf.constant(4)]),
    "split sizes wrong sum": lambda tf: tf.split(numbers(2, 6), [1, 2], 1),
    "split sizes wrong sum in the run": lambda tf: tf.split(hidden(tf, numbers(2, 6)), [1, 2], 1),
    "split sizes two rests": lambda tf: tf.split(numbers(2, 6), [-1, -1], 1),
    "split sizes negative": lambda tf: tf.split(numbers(2, 6), [-2, 8], 1),
    "split sizes unknown size": lambda tf: tf.split(hidden(tf, numbers(4, 6), [None, 6]), [3, -1]),
    "split sizes too many": lambda tf: tf.split(numbers(6), [7, -1]),
    "split sizes one": lambda tf: tf.split(numbers(2), [2]),
    "split scalar": lambda tf: tf.split(1.0, [1]),
    "split strings": lambda tf: tf.split(["a", "b"], 2),
}

LISTS = {
    "numbers and a tensor": lambda tf: [1, tf.constant(2)],
    "nested": lambda tf: [[1, tf.constant(2)], [3, 4]],
    "tuples": lambda tf: ((tf.constant(1.0), 2.0), [3.0, tf.constant(4.0)]),
    "tensors of rank one": lambda tf: [tf.constant([1, 2]), [3, 4]],
    "array and tensor": lambda tf: [np.array([1, 2]), tf.constant([2, 3])],
    "wider array and tensor": lambda tf: [np.array([1.5, 2]), tf.constant([2, 3.0])],
    "float among ints": lambda tf: [1.5, tf.constant(2)],
    "types differ": lambda tf: [tf.constant(1), tf.constant(1.0)],
    "shapes differ": lambda tf: [tf.constant([1]), tf.constant([1, 2])],
    "strings": lambda tf: ["a", tf.constant("b")],
    "variable": lambda tf: [1.0, tf.Variable(2.0, name="v")],
    "dimension and tensor": lambda tf: [tf.Dimension(3), tf.constant(1)],
    "none and tensor": lambda tf: [None, tf.constant(1)],
    "arrays": lambda tf: [np.array([1, 2]), np.array([3, 4])],
    "zero-d arrays": lambda tf: [np.array(1), np.array(2)],
    "dimensions": lambda tf: [tf.Dimension(3), 2],
    "shape": lambda tf: tf.TensorShape([1, 2]),
    "dimension": lambda tf: tf.Dimension(3),
    "range": lambda tf: range(1, 7, 2),
    "operation": lambda tf: tf.no_op(),
    "empty": lambda tf: [],
    "ragged": lambda tf: [[1, 2], [3]],
    "ragged strings": lambda tf: [["a", "b"], ["c"]],
    "string and number": lambda tf: ["a", 1],
    "bool and int": lambda tf: [True, 2],
    "set": lambda tf: {1},
}


@program(cases=CONCATS)
def concats(tf, case):
    return built(tf, case)


@program(cases=STACKS)
def stacks(tf, case):
    return built(tf, case)


@program(cases=SPLITS)
def splits(tf, case):
    return built(tf, case)


@program(cases=LISTS)
def lists_become_tensors(tf, case):
    value = case(tf)
    plain = attempt(tf.convert_to_tensor, value, name="plain")
    return plain, attempt(tf.convert_to_tensor, value), attempt(tf.convert_to_tensor, value, dtype=tf.float32)


@program(cases=LISTS)
def lists_as_operands(tf, case):
    value = case(tf)
    return attempt(tf.identity, value), attempt(tf.reshape, tf.zeros([6]), value), attempt(tf.constant, value)


@program(
    cases={key: LISTS[key] for key in ("numbers and a tensor", "nested", "array and tensor", "tensors of rank one")}
)
def lists_with_a_preferred_type(tf, case):
    value = case(tf)
    return [attempt(tf.convert_to_tensor, value, preferred_dtype=kind) for kind in (tf.int64, tf.float32, tf.string)]
