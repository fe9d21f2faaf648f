"""Queues: their nodes, what goes in and comes out, and what is said when they are closed."""

import numpy as np

from tests.oracle import attempt, program


def fill(tf):
    """A queue of pairs with three elements in it, and its session."""
    queue = tf.FIFOQueue(5, [tf.float32, tf.int32], [[2], []], shared_name="pairs")
    session = tf.Session()
    session.run(queue.enqueue_many(([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [1, 2, 3])))
    return queue, session


@program()
def nodes_of_a_queue(tf):
    queue = tf.FIFOQueue(5, [tf.float32, tf.int32], [[2], []])
    return [
        queue.enqueue(([1.0, 2.0], 3)).name,
        queue.enqueue_many(([[1.0, 2.0]], [3])).name,
        queue.dequeue(),
        queue.dequeue_many(2),
        queue.dequeue_up_to(2),
        queue.size(),
        queue.is_closed(),
        queue.close().name,
        queue.close(cancel_pending_enqueues=True, name="stop").name,
        queue.name,
        queue.dtypes,
        queue.shapes,
        queue.names,
        queue.queue_ref,
    ]


@program()
def nodes_in_scopes(tf):
    with tf.name_scope("outer"), tf.device("/cpu:0"):
        queue = tf.RandomShuffleQueue(5, 1, [tf.float32], shapes=[()], seed=3, name="mixed")
        with tf.name_scope("inner"):
            queue.enqueue([1.0], name="put")
            queue.dequeue_many(tf.placeholder(tf.int32, []))
    with tf.device("/device:CPU:0"):
        padding = tf.PaddingFIFOQueue(5, [tf.int32, tf.string], [[None, 2], [None]], shared_name="pads")
        priority = tf.PriorityQueue(5, [tf.string], [[]])
    return [queue.name, queue.size(), padding.dequeue_many(3), priority.dequeue(), priority.dtypes, priority.shapes]


@program()
def names_make_dictionaries(tf):
    queue = tf.FIFOQueue(5, [tf.float32, tf.int32], [[], []], names=["a", "b"])
    put = queue.enqueue({"b": 2, "a": 1.0})
    many = queue.enqueue_many({"a": [3.0, 4.0], "b": [5, 6]})
    one, two = queue.dequeue(), queue.dequeue_many(2)
    with tf.Session() as sess:
        sess.run(put)
        sess.run(many)
        return [sess.run(one), sess.run(two), one, two, queue.names]


@program()
def first_in_first_out(tf):
    queue, sess = fill(tf)
    return [
        sess.run(queue.size()),
        sess.run(queue.dequeue()),
        sess.run(queue.dequeue_many(2)),
        sess.run(queue.size()),
        sess.run(queue.is_closed()),
    ]


@program()
def closed_and_at_its_end(tf):
    queue, sess = fill(tf)
    many, some, one = queue.dequeue_many(4), queue.dequeue_up_to(4), queue.dequeue()
    put, put_many = queue.enqueue(([1.0, 2.0], 3)), queue.enqueue_many(([[1.0, 2.0]], [3]))
    close = queue.close()
    sess.run(close)
    found = [attempt(sess.run, many), sess.run(queue.size()), sess.run(some)]
    found += [attempt(sess.run, op) for op in (one, some, many, put, put_many, close)]
    sess.run(queue.close(cancel_pending_enqueues=True))
    return [*found, sess.run(queue.is_closed())]


@program(messages=["is closed and has insufficient elements (requested 1, current size 0)", "FIFOQueue '_"])
def words_of_an_exhausted_queue(tf):
    queue = tf.FIFOQueue(5, tf.float32)
    sess = tf.Session()
    sess.run(queue.close())
    sess.run(queue.dequeue())


@program(messages=["RandomShuffleQueue '_", "(requested 3, current size 1)"])
def words_of_an_exhausted_shuffle_queue(tf):
    queue = tf.RandomShuffleQueue(5, 0, tf.float32, [[]])
    sess = tf.Session()
    sess.run(queue.enqueue(1.0))
    sess.run(queue.close())
    sess.run(queue.dequeue_many(3))


@program(messages=["Queue '", "is already closed."])
def closed_twice(tf):
    queue = tf.FIFOQueue(5, tf.float32, name="twice", shared_name="twice")
    sess = tf.Session()
    sess.run(queue.close())
    sess.run(queue.close())


@program(messages=["FIFOQueue 'late' is closed."])
def put_into_a_closed_queue(tf):
    queue = tf.FIFOQueue(5, tf.float32, shared_name="late")
    sess = tf.Session()
    sess.run(queue.close())
    sess.run(queue.enqueue(1.0))


@program()
def random_order_of_seeds(tf):
    queue = tf.RandomShuffleQueue(40, 3, [tf.int32, tf.string], [[], []], seed=7)
    numbers = list(range(20))
    put = queue.enqueue_many([numbers, [str(number) for number in numbers]])
    one, many, rest = queue.dequeue(), queue.dequeue_many(6), queue.dequeue_up_to(50)
    sess = tf.Session()
    sess.run(put)
    found = [sess.run(one) for _ in range(9)]
    found.append(sess.run(many))
    sess.run(put)
    found.append(sess.run(many))
    sess.run(queue.close())
    return [*found, sess.run(rest)]


@program()
def random_order_of_the_graphs_seed(tf):
    tf.set_random_seed(11)
    first = tf.RandomShuffleQueue(20, 0, tf.int32, [[]], shared_name="named")
    second = tf.RandomShuffleQueue(20, 0, tf.int32, [[]])
    sess = tf.Session()
    sess.run([first.enqueue_many([list(range(9))]), second.enqueue_many([list(range(9))])])
    return [sess.run(first.dequeue_many(9)), sess.run(second.dequeue_many(9))]


@program()
def padded_batches(tf):
    queue = tf.PaddingFIFOQueue(10, [tf.int32, tf.string, tf.float64], [[None, 2], [None], []])
    x = tf.placeholder(tf.int32, [None, 2])
    s = tf.placeholder(tf.string, [None])
    y = tf.placeholder(tf.float64, [])
    put = queue.enqueue([x, s, y])
    sess = tf.Session()
    for rows in (1, 3, 0, 2):
        sess.run(put, {x: np.full([rows, 2], rows), s: ["s"] * (4 - rows), y: rows / 2})
    return [
        sess.run(queue.dequeue()),
        sess.run(queue.dequeue_many(2)),
        sess.run(queue.dequeue_many(1)),
        queue.dequeue(),
    ]


@program()
def by_priority(tf):
    queue = tf.PriorityQueue(10, [tf.string, tf.float32], [[], [2]])
    put = queue.enqueue_many([np.array([5, -1, 3, 4], np.int64), ["a", "b", "c", "d"], np.arange(8.0).reshape(4, 2)])
    sess = tf.Session()
    sess.run(put)
    sess.run(queue.enqueue([np.int64(2), "e", [0.0, 0.0]]))
    return [sess.run(queue.dequeue()), sess.run(queue.dequeue_many(4)), queue.dequeue_many(2)]


@program()
def shared_by_name(tf):
    first = tf.FIFOQueue(3, tf.int32, [[]], shared_name="one")
    again = tf.FIFOQueue(3, tf.int32, [[]], shared_name="one")
    others = [
        tf.FIFOQueue(4, tf.int32, [[]], shared_name="one"),
        tf.FIFOQueue(3, tf.float32, [[]], shared_name="one"),
        tf.FIFOQueue(3, tf.int32, [[2]], shared_name="one"),
        tf.RandomShuffleQueue(3, 1, tf.int32, [[]], shared_name="one"),
    ]
    sess = tf.Session()
    sess.run(first.enqueue(4))
    return [sess.run(again.size())] + [attempt(sess.run, queue.size()) for queue in others]


@program(messages=["Shared queue 'one' has capacity 3 but requested capacity was 4"])
def shared_with_another_capacity(tf):
    first = tf.FIFOQueue(3, tf.int32, shared_name="one")
    other = tf.FIFOQueue(4, tf.int32, shared_name="one")
    sess = tf.Session()
    sess.run(first.size())
    sess.run(other.size())


@program()
def each_session_has_its_own(tf):
    queue, sess = fill(tf)
    with tf.Session() as other:
        return [other.run(queue.size()), sess.run(queue.size())]


@program()
def one_of_a_list(tf):
    index = tf.placeholder_with_default(1, [])
    queues = [tf.FIFOQueue(3, tf.int32, [[]], name=name) for name in ("q", "r")]
    queues.append(tf.FIFOQueue(3, tf.int32, [[]], name="last"))
    chosen = tf.QueueBase.from_list(index, queues)
    sess = tf.Session()
    for number, queue in enumerate(queues):
        sess.run(queue.enqueue(number))
    one = chosen.dequeue()
    return [sess.run(one), sess.run(one, {index: 2}), chosen.dtypes, chosen.shapes, chosen.names, one]


@program()
def lists_that_do_not_go_together(tf):
    a, b = tf.FIFOQueue(3, tf.int32, [[]]), tf.FIFOQueue(3, tf.float32, [[]])
    c = tf.FIFOQueue(3, tf.int32, [[]], names=["c"])
    from_list = tf.QueueBase.from_list
    return [
        attempt(from_list, 0, []),
        attempt(from_list, 0, [a, b]),
        attempt(from_list, 0, [a, c]),
        attempt(from_list, 0, a),
    ]


@program()
def shapes_that_do_not_fit(tf):
    queue = tf.FIFOQueue(5, [tf.float32, tf.int32], [[2], []], name="pairs")
    return [
        attempt(queue.enqueue, ([1.0, 2.0, 3.0], 3)),
        attempt(queue.enqueue, ([1.0, 2.0], [3])),
        attempt(queue.enqueue, ("text", 3)),
        attempt(queue.enqueue_many, ([[1.0, 2.0]], [3, 4])),
        attempt(queue.enqueue_many, ([1.0, 2.0], [3, 4])),
        attempt(queue.enqueue, {"a": 1.0}),
        attempt(queue.dequeue_many, -1),
        attempt(tf.FIFOQueue, 2, [tf.float32], [[2], []]),
        attempt(tf.FIFOQueue, 2, [tf.float32], [[2]], ["a", "b"]),
        attempt(tf.FIFOQueue, 2, [tf.float32], [[None]]),
        attempt(tf.PaddingFIFOQueue, 2, [tf.float32], None),
        attempt(tf.PaddingFIFOQueue, 2, [tf.float32], [[None], [3]]),
    ]


def put(tf, many, shapes, *values):
    """Puts values of unknown shape into a queue."""
    queue = tf.FIFOQueue(5, [tf.float32] * len(values), shapes)
    places = [tf.placeholder(tf.float32) for _ in values]
    run = (queue.enqueue_many if many else queue.enqueue)(places)
    tf.Session().run(run, dict(zip(places, values)))


@program(messages=["Shape mismatch in tuple component 0. Expected [], got [2]"])
def wrong_shape_when_run(tf):
    put(tf, False, [[]], [1.0, 2.0])


@program(messages=["Shape mismatch in tuple component 1. Expected [3,2], got [3]"])
def wrong_shape_of_many_when_run(tf):
    put(tf, True, [[], [2]], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])


@program(messages=["All input tensors must have the same size in the 0th dimension"])
def different_numbers_of_elements(tf):
    put(tf, True, None, [1.0, 2.0, 3.0], [1.0, 2.0])


@program(messages=["FIFOQueue's DequeueMany and DequeueUpTo require the components to have specified shapes."])
def batches_need_shapes(tf):
    queue = tf.FIFOQueue(5, tf.float32)
    sess = tf.Session()
    sess.run(queue.enqueue(1.0))
    sess.run(queue.dequeue_many(1))


@program()
def elements_of_any_shape(tf):
    queue = tf.FIFOQueue(5, tf.float32)
    sess = tf.Session()
    sess.run(queue.enqueue(1.0))
    sess.run(queue.enqueue([[2.0, 3.0]]))
    sess.run(queue.enqueue([[[4.0], [5.0]]]))
    one = queue.dequeue()
    return [sess.run(one), sess.run(one), sess.run(one), one]


@program()
def none_are_asked_for(tf):
    queue = tf.FIFOQueue(5, [tf.float32, tf.string], [[2], []])
    return tf.Session().run(queue.dequeue_many(0))


@program(messages=["Timed out waiting for notification"], cases=["run", "session"])
def time_is_over(tf, case):
    queue = tf.FIFOQueue(5, tf.float32)
    if case == "run":
        tf.Session().run(queue.dequeue(), options=tf.RunOptions(timeout_in_ms=30))
    tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=30)).run(queue.dequeue())


@program()
def in_a_loop_and_a_branch(tf):
    queue = tf.FIFOQueue(50, tf.int32, [[]])
    _, total = tf.while_loop(
        lambda i, total: i < 4, lambda i, total: (i + 1, total + queue.dequeue()), [tf.constant(0), tf.constant(0)]
    )
    sess = tf.Session()
    sess.run(queue.enqueue_many([list(range(10))]))
    taken = tf.cond(queue.size() > 5, lambda: queue.dequeue(), lambda: tf.constant(-1))
    return [sess.run(total), sess.run(queue.size()), sess.run(taken), sess.run(taken), sess.run(taken)]


@program()
def capacity_without_limit(tf):
    queue = tf.FIFOQueue(-1, tf.int32, [[]])
    sess = tf.Session()
    sess.run(queue.enqueue_many([list(range(200))]))
    return [sess.run(queue.size()), sess.run(queue.dequeue_up_to(150))[-1]]
