"""Pipelines of queues: producers of names and numbers, batches, and the runners that keep them going."""

import numpy as np

from tests.oracle import attempt, program


def collections(tf):
    """What the graph's collections have, by name."""
    graph = tf.get_default_graph()
    return {
        key: [item if isinstance(item, str) else item.name for item in graph.get_collection(key)]
        for key in sorted(graph.get_all_collection_keys())
    }


def messages(tf):
    return [runner.to_proto().SerializeToString() for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]


def everything(tf, fetches):
    """Runs until the input ends."""
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        found = []
        try:
            while not coord.should_stop():
                found.append(sess.run(fetches))
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=20)
        return found


@program(cases=[None, 2])
def strings_in_order(tf, case):
    queue = tf.train.string_input_producer(["a", "b", "c"], num_epochs=case, shuffle=False, capacity=5)
    return [queue.name, queue.dtypes, queue.shapes, collections(tf), messages(tf)]


@program()
def strings_of_a_tensor(tf):
    names = tf.placeholder(tf.string, [None])
    queue = tf.train.string_input_producer(names, num_epochs=1, seed=3, shared_name="names", name="files")
    return [queue.name, collections(tf)]


@program()
def numbers(tf):
    queue = tf.train.range_input_producer(5, shuffle=False, name="numbers")
    return [queue.name, queue.dtypes, queue.shapes]


@program()
def rows(tf):
    x, y = tf.constant(np.arange(12.0).reshape(4, 3)), tf.constant([1, 2, 3, 4])
    found = tf.train.slice_input_producer([x, y], num_epochs=1, shuffle=False)
    return [found, everything(tf, found)]


@program()
def rows_of_any_tensor(tf):
    queue = tf.train.input_producer(
        tf.constant([[1, 2], [3, 4]]), num_epochs=3, shuffle=False, name="in", summary_name="full"
    )
    return [queue.shapes, everything(tf, queue.dequeue())]


@program()
def shuffled_epochs(tf):
    """The order of each epoch follows from the seed."""
    queue = tf.train.string_input_producer(["a", "b", "c", "d", "e"], num_epochs=3, seed=5)
    return everything(tf, queue.dequeue())


@program()
def epochs_are_counted(tf):
    x = tf.train.limit_epochs(tf.constant([1, 2]), 2, name="twice")
    sess = tf.Session()
    sess.run(tf.local_variables_initializer())
    return [
        x,
        sess.run(x),
        sess.run(x),
        attempt(sess.run, x),
        tf.train.limit_epochs(x) is x,
        attempt(tf.train.limit_epochs, x, 0),
    ]


@program()
def producers_that_cannot_be(tf):
    return [
        attempt(tf.train.string_input_producer, []),
        attempt(tf.train.input_producer, tf.placeholder(tf.float32, [None, None])),
        attempt(tf.train.slice_input_producer, []),
        attempt(tf.train.string_input_producer, ["a"], -1),
    ]


@program(messages=["string_input_producer requires a non-null input tensor"])
def no_strings_when_run(tf):
    names = tf.placeholder_with_default(tf.zeros([0], tf.string), [None])
    queue = tf.train.string_input_producer(names, shuffle=False)
    tf.Session().run(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[0].enqueue_ops[0])


def example(tf):
    x = tf.constant(np.arange(20, dtype=np.float32).reshape(10, 2))
    y = tf.constant(np.arange(10))
    return tf.train.slice_input_producer([x, y], num_epochs=1, shuffle=False)


@program()
def batches(tf):
    found = tf.train.batch(example(tf), 3)
    return [found, everything(tf, found), collections(tf)]


@program()
def smaller_last_batch(tf):
    found = tf.train.batch(example(tf), 4, allow_smaller_final_batch=True, capacity=8, name="small")
    return [found, everything(tf, found)]


@program()
def batches_as_dictionaries(tf):
    x, y = example(tf)
    found = tf.train.batch({"y": y, "x": x}, 5, num_threads=2)
    alone = tf.train.batch({"y": y}, 5)
    return [found, alone, messages(tf)]


@program()
def batches_of_many(tf):
    x, y = tf.constant(np.arange(8.0).reshape(4, 2)), tf.constant([1, 2, 3, 4])
    found = tf.train.batch([tf.train.limit_epochs(x, 2), y], 3, enqueue_many=True)
    return [found, everything(tf, found)]


@program()
def one_tensor_alone(tf):
    found = tf.train.batch([tf.train.limit_epochs(tf.constant([1, 2]), 4)], 2)
    return [found, everything(tf, found)]


@program()
def padding(tf):
    n = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    found = tf.train.batch([tf.fill([n, 2], n), n], 3, dynamic_pad=True)
    return [found, everything(tf, found)]


@program()
def nodes_of_joined_batches(tf):
    sources = [[tf.constant(float(i)), tf.constant([i, i])] for i in range(3)]
    found = tf.train.batch_join(sources, 4, capacity=9, allow_smaller_final_batch=True)
    many = tf.train.batch_join([{"a": tf.constant([1, 2])}, {"a": tf.constant([3])}], 2, enqueue_many=True, name="many")
    return [found, many, messages(tf), collections(tf)]


@program()
def nodes_of_shuffled_batches(tf):
    x, y = example(tf)
    found = tf.train.shuffle_batch([x, y], 3, capacity=20, min_after_dequeue=5, num_threads=2, seed=4)
    joined = tf.train.shuffle_batch_join([[x], [x]], 3, 20, 5, shapes=[[2]], shared_name="mix")
    many = tf.train.shuffle_batch({"n": y[None]}, 3, 20, 5, enqueue_many=True, allow_smaller_final_batch=True)
    return [found, joined, many, messages(tf), collections(tf)]


@program()
def shuffled(tf):
    tf.set_random_seed(1)
    found = tf.train.shuffle_batch(example(tf), 5, capacity=20, min_after_dequeue=15, seed=4)
    return [sorted(np.concatenate([y for _, y in everything(tf, found)]).tolist())]


@program(cases=["scalar", "vector", "known"])
def some_are_kept(tf, case):
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    if case == "known":
        return [
            tf.train.maybe_batch([x], True, 2),
            tf.train.maybe_batch([x], False, 2),
            tf.train.maybe_shuffle_batch([x], 2, 9, 3, tf.constant(True), enqueue_many=True),
        ]
    keep = tf.placeholder(tf.bool, [] if case == "scalar" else [None])
    many = case == "vector"
    return [
        tf.train.maybe_batch([x, x * 2], keep, 2, enqueue_many=many),
        tf.train.maybe_batch_join([[x], [x]], keep, 2, enqueue_many=many),
        tf.train.maybe_shuffle_batch([x], 2, 9, 3, keep, enqueue_many=many),
        tf.train.maybe_shuffle_batch_join([[x], [x]], 2, 9, 3, keep, enqueue_many=many),
    ]


@program()
def odd_numbers_are_kept(tf):
    n = tf.train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
    found = tf.train.maybe_batch([n, tf.as_string(n)], tf.equal(n % 2, 1), 2)
    return everything(tf, found)


@program()
def a_mask_of_rows(tf):
    n = tf.train.limit_epochs(tf.constant([1, 2, 3, 4, 5, 6]), 1)
    found = tf.train.maybe_batch([n], n > 2, 2, enqueue_many=True)
    return everything(tf, found)


def sparse(tf):
    return tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4])


@program()
def sparse_batches(tf):
    n = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    found = tf.train.batch([sparse(tf) * tf.cast(n, tf.float32), n], 2)
    return [found, everything(tf, found)]


@program()
def sparse_batches_of_many(tf):
    n = tf.train.limit_epochs(tf.constant([1, 2, 3]), 2)
    found = tf.train.batch({"s": sparse(tf), "n": n}, 2, enqueue_many=True)
    return [found, everything(tf, found)]


@program()
def sparse_batches_joined(tf):
    found = tf.train.batch_join([[sparse(tf)], [sparse(tf)]], 2)
    keep = tf.placeholder(tf.bool, [])
    return [
        found,
        tf.train.maybe_batch([sparse(tf), keep], keep, 2),
        tf.train.maybe_batch([sparse(tf)], keep, 2, enqueue_many=True),
    ]


@program()
def batches_that_cannot_be(tf):
    x, unknown = tf.constant([1.0, 2.0]), tf.placeholder(tf.float32)
    t = tf.train
    return [
        attempt(t.batch, [], 2),
        attempt(t.batch, [unknown], 2),
        attempt(t.batch, [tf.placeholder(tf.float32, [None])], 2),
        attempt(t.batch_join, [], 2),
        attempt(t.batch_join, [[x], [tf.constant([1, 2])]], 2),
        attempt(t.batch_join, [{"a": x}, {"b": x}], 2),
        attempt(t.shuffle_batch, [x], 2, capacity=5, min_after_dequeue=5),
        attempt(t.maybe_batch, [x], [True, False], 2),
        attempt(t.maybe_batch, [x], [[True, False]], 2, enqueue_many=True),
        attempt(t.maybe_batch, [x], tf.placeholder(tf.bool), 2),
    ]


@program(graph=False)
def runners(tf):
    queue = tf.FIFOQueue(10, tf.int32, [[]], name="q")
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1)] * 2)
    again = tf.train.QueueRunner.from_proto(runner.to_proto())
    custom = tf.train.QueueRunner(
        queue,
        [queue.enqueue(2)],
        queue.close(),
        queue.close(True),
        (tf.errors.OutOfRangeError, tf.errors.CancelledError),
    )
    return [
        runner.name,
        [op.name for op in runner.enqueue_ops],
        runner.close_op.name,
        runner.cancel_op.name,
        again.name,
        again.to_proto() == runner.to_proto(),
        [kind.__name__ for kind in custom.queue_closed_exception_types],
        custom.to_proto().SerializeToString(),
        runner.to_proto("scope"),
        attempt(tf.train.QueueRunner),
        attempt(tf.train.QueueRunner, queue, []),
        attempt(tf.train.QueueRunner, queue, [queue.enqueue(1)], queue_closed_exception_types=[ValueError]),
        attempt(tf.train.QueueRunner, queue, [queue.enqueue(1)], queue_runner_def=runner.to_proto()),
    ]


@program(graph=False)
def runners_in_meta_graphs(tf):
    tf.train.string_input_producer(["a", "b"], shuffle=False, num_epochs=1)
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta, import_scope="imported")
        (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        dequeued = tf.get_default_graph().get_operations()
        return [runner.name, [op.name for op in runner.enqueue_ops], runner.cancel_op.name, len(dequeued)]


@program(graph=False)
def files_are_matched_once(tf):
    import os
    import tempfile

    folder = tempfile.mkdtemp()
    for name in ("a.txt", "b.txt", "c.bin"):
        open(os.path.join(folder, name), "w").close()
    names = tf.train.match_filenames_once(os.path.join(folder, "*.txt"))
    sess = tf.Session()
    sess.run(tf.local_variables_initializer())
    found = [os.path.basename(name.decode()) for name in sorted(sess.run(names).tolist())]
    return [found, names.op.type, names.op.name, names.get_shape(), [v.op.name for v in tf.local_variables()]]


@program(graph=False)
def no_session_to_start_in(tf):
    return [attempt(tf.train.start_queue_runners), attempt(tf.train.start_queue_runners, "session")]
