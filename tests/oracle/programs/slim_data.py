"""slim's readers and decoders of Examples, as TensorFlow 1.15 has them."""

import os
import tempfile

import numpy as np

from tests.oracle import attempt, program

PARSER = "ParseSingleExample"


def decoders(tf):
    return tf.contrib.slim.tfexample_decoder


def features(tf):
    return {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="raw"),
        "label": tf.FixedLenFeature([1], tf.int64, default_value=tf.zeros([1], dtype=tf.int64)),
        "values": tf.VarLenFeature(tf.float32),
        "indices": tf.VarLenFeature(tf.int64),
        "none": tf.VarLenFeature(tf.float32),
        "size": tf.FixedLenFeature([2], tf.int64, default_value=[2, 2]),
        "sparse_size": tf.VarLenFeature(tf.int64),
        "indices_size": tf.FixedLenFeature([1], tf.int64, default_value=[8]),
        "box/ymin": tf.VarLenFeature(tf.float32),
        "box/xmin": tf.VarLenFeature(tf.float32),
        "box/ymax": tf.VarLenFeature(tf.float32),
        "box/xmax": tf.VarLenFeature(tf.float32),
    }


def example(tf, **more):
    def feature(values):
        if isinstance(values, bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=[values]))
        if isinstance(values[0], int):
            return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))

    given = {
        "label": [7], "values": [1.5, 2.5, 3.5, 4.5], "indices": [0, 2, 3, 5], "sparse_size": [4],
        "box/ymin": [0.1, 0.2], "box/xmin": [0.3, 0.4], "box/ymax": [0.5, 0.6], "box/xmax": [0.7, 0.8],
    }  # fmt: skip
    given.update({key.replace("_", "/"): value for key, value in more.items()})
    found = tf.train.Example(
        features=tf.train.Features(feature={key: feature(value) for key, value in sorted(given.items())})
    )
    return found.SerializeToString()


ITEMS = {
    "tensor": lambda d, tf: d.Tensor("label", shape=[]),
    "tensor_as_it_is": lambda d, tf: d.Tensor("label"),
    "tensor_of_any_length": lambda d, tf: d.Tensor("values", default_value=2.0),
    "tensor_in_a_shape": lambda d, tf: d.Tensor("values", shape=[-1, 2]),
    "tensor_in_a_read_shape": lambda d, tf: d.Tensor("values", shape_keys="size"),
    "tensor_in_a_sparse_shape": lambda d, tf: d.Tensor("values", shape_keys=["sparse_size"]),
    "boxes": lambda d, tf: d.BoundingBox(None, "box/"),
    "boxes_by_name": lambda d, tf: d.BoundingBox(["xmin", "ymin", "xmax", "ymax"], "box/"),
    "callback": lambda d, tf: d.ItemHandlerCallback(["size", "label"], lambda found: found["size"] + found["label"]),
    "sparse": lambda d, tf: d.SparseTensor("indices", "values", shape=[8]),
    "sparse_in_a_read_shape": lambda d, tf: d.SparseTensor("indices", "values", "indices_size"),
    "sparse_dense": lambda d, tf: d.SparseTensor("indices", "values", shape=[8], densify=True, default_value=-1.0),
    "backup": lambda d, tf: d.BackupHandler(d.Tensor("none"), d.Tensor("values")),
    "backup_not_needed": lambda d, tf: d.BackupHandler(d.Tensor("values"), d.Tensor("none")),
}


def nodes(tf):
    """The nodes without what has changed since 1.15: those that parse, constants, and the devices of queues."""
    return [
        (
            op.name,
            op.type,
            [tensor.name for tensor in op.inputs if tensor.op.type != "Const" and "Parse" not in tensor.name],
        )
        for op in tf.get_default_graph().get_operations()
        if op.type != "Const" and not op.name.startswith(PARSER)
    ]


@program(cases=sorted(ITEMS), oracle="1.15", graph=False)
def decode(tf, case):
    decoder = decoders(tf).TFExampleDecoder(features(tf), {case: ITEMS[case](decoders(tf), tf)})
    found = decoder.decode(tf.placeholder(tf.string, [], name="example"))
    with tf.Session() as sess:
        return decoder.list_items(), sess.run(found, {"example:0": example(tf)}), nodes(tf)


@program(oracle="1.15", graph=False)
def images(tf):
    pixels = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    d = decoders(tf)
    serialized = tf.placeholder(tf.string, [])
    keys = features(tf)

    def decoded(**options):
        return d.TFExampleDecoder(keys, {"image": d.Image(**options)}).decode(serialized, ["image"])[0]

    plain, shaped, grey = decoded(), decoded(shape=[4, 5, 3]), decoded(channels=1)
    named = decoded(image_key="image/encoded", format_key="image/format", channels=3)
    with tf.Session() as sess:
        png = sess.run(tf.image.encode_png(pixels))
        encoded = example(tf, image_encoded=png, image_format=b"png")
        raw = example(tf, image_encoded=pixels.tobytes(), image_format=b"RAW")
        return [
            plain.shape, shaped.shape, sess.run([plain, shaped, grey, named], {serialized: encoded}),
            sess.run(shaped, {serialized: raw}),
        ]  # fmt: skip


@program(oracle="1.15", graph=False)
def decoders_refuse(tf):
    d = decoders(tf)
    return [
        attempt(lambda: d.BoundingBox(["a", "b"])),
        attempt(lambda: d.Tensor("a", shape_keys="b", shape=[1])),
        attempt(lambda: d.BackupHandler(3, d.Tensor("a"))),
        attempt(lambda: d.BackupHandler(d.Tensor("a"), 3)),
        d.Tensor("a", shape_keys=["b", "c"]).keys,
        d.BoundingBox(prefix="p/").keys,
        d.Image().keys,
        d.SparseTensor().keys,
        d.ItemHandlerCallback("k", len).keys,
    ]


def write(tf, folder, count):
    for number in range(count):
        with tf.python_io.TFRecordWriter(os.path.join(folder, f"part{number}")) as writer:
            for one in range(2):
                writer.write(example(tf, label=[10 * number + one]))


def dataset(tf, sources, **options):
    slim, d = tf.contrib.slim, decoders(tf)
    decoder = d.TFExampleDecoder(features(tf), {"label": d.Tensor("label", shape=[]), "values": d.Tensor("values")})
    return slim.dataset.Dataset(sources, tf.TFRecordReader, decoder, 4, {"label": "a number"}, **options)


@program(oracle="1.15", graph=False)
def provider(tf):
    slim = tf.contrib.slim
    with tempfile.TemporaryDirectory() as folder:
        write(tf, folder, 2)
        data = dataset(tf, os.path.join(folder, "part*"), num_classes=3)
        found = [data.num_classes, data.num_samples, data.items_to_descriptions]
        provider = slim.dataset_data_provider.DatasetDataProvider(data, shuffle=False, num_epochs=1)
        found += [sorted(provider.list_items()), provider.num_samples(), attempt(lambda: provider.get(["nope"]))]
        found.append(attempt(lambda: provider.get("label")))
        label, values, key = provider.get(["label", "values", "record_key"])
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coordinator)
            rows = [sess.run([label, values, key]) for _ in range(4)]
            found.append(attempt(lambda: sess.run(label)).__class__.__name__)
            coordinator.request_stop()
            coordinator.join(threads)
        found.append([(row[0], row[1], row[2].split(b"/")[-1]) for row in rows])
        shuffled = slim.dataset_data_provider.DatasetDataProvider(data, num_readers=2, num_epochs=2, seed=3)
        label = shuffled.get(["label"])[0]
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coordinator)
            seen = sorted(sess.run(label) for _ in range(8))
            coordinator.request_stop()
            coordinator.join(threads)
        found += [seen, attempt(lambda: slim.dataset_data_provider.DatasetDataProvider(data, record_key="label"))]
    return found


@program(oracle="1.15", graph=False)
def read(tf):
    """The nodes of both ways to read."""
    slim = tf.contrib.slim
    reader = slim.parallel_reader
    a = reader.parallel_read(["a", "b"], tf.TFRecordReader, num_readers=2, seed=1)
    b = reader.parallel_read(["a"], tf.TextLineReader, reader_kwargs={"skip_header_lines": 1}, shuffle=False, scope="s")
    c = reader.single_pass_read(["a", "b"], tf.TFRecordReader)
    runners = [runner.name for runner in tf.get_collection("queue_runners")]
    return [a, b, c], nodes(tf), runners, [len(runner.enqueue_ops) for runner in tf.get_collection("queue_runners")]


@program(oracle="1.15", graph=False)
def reader_parts(tf):
    tools = tf.contrib.slim.parallel_reader
    with tempfile.TemporaryDirectory() as folder:
        write(tf, folder, 3)
        paths = tools.get_data_files([os.path.join(folder, "part[01]"), "plain"])
        found = [[os.path.basename(path) for path in sorted(paths)]]
        found.append(attempt(lambda: tools.get_data_files(os.path.join(folder, "x*"))).__class__.__name__)
        wrong = tf.FIFOQueue(5, [tf.string])
        found.append(attempt(lambda: tools.ParallelReader(tf.TFRecordReader, wrong)))
        found.append(attempt(lambda: tools.ParallelReader(tf.TFRecordReader, tf.FIFOQueue(5, [tf.string, tf.int32]))))
        queue = tf.FIFOQueue(50, [tf.string, tf.string])
        reader = tools.ParallelReader(tf.TFRecordReader, queue, num_readers=2)
        files = tf.train.string_input_producer([os.path.join(folder, f"part{i}") for i in range(3)], num_epochs=1)
        keys, values = reader.read_up_to(files, 4)
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coordinator)
            found += [len(sess.run(values)), len(sess.run(values))]
            coordinator.request_stop()
            coordinator.join(threads)
            found += [sess.run(counts), reader.num_readers, reader.common_queue is queue]
    return found


@program(oracle="1.15", graph=False)
def prefetch(tf):
    slim = tf.contrib.slim
    x = tf.constant([1.0, 2.0])
    queue = slim.prefetch_queue.prefetch_queue([x, tf.constant("a")], capacity=3, num_threads=2)
    named = slim.prefetch_queue.prefetch_queue({"b": x, "a": x + 1.0}, name="named")
    padded = slim.prefetch_queue.prefetch_queue([tf.placeholder_with_default(x, [None])], dynamic_pad=True)
    taken = [queue.dequeue(), named.dequeue(), padded.dequeue()]
    with tf.Session() as sess:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coordinator)
        found = sess.run(taken)
        coordinator.request_stop()
        coordinator.join(threads)
    return found, nodes(tf), [len(runner.enqueue_ops) for runner in tf.get_collection("queue_runners")]
