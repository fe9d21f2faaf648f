"""Readers: the records of files whose names are in a queue."""

import os
import shutil
import tempfile

from tests.oracle import attempt, program


class Files:
    """Files in a folder that is gone afterwards."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        return self

    def __exit__(self, *error):
        shutil.rmtree(self.folder)

    def __call__(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def short(self, found):
        """What was read, with paths cut down to names."""
        if isinstance(found, (list, tuple)):
            return [self.short(one) for one in found]
        if isinstance(found, bytes):
            return found.replace(self.folder.encode() + b"/", b"")
        return found.tolist() if not hasattr(found, "tolist") else self.short(found.tolist())


def queue_of(tf, sess, *names):
    queue = tf.FIFOQueue(9, tf.string, [[]], shared_name="names")
    sess.run(queue.enqueue_many([list(names)]))
    sess.run(queue.close())
    return queue


def all_of(tf, files, reader, *names):
    """Every record that there is, and what ends them."""
    sess = tf.Session()
    record = reader.read(queue_of(tf, sess, *names))
    found = []
    while True:
        try:
            found.append(files.short(sess.run(list(record))))
        except tf.errors.OpError as error:
            return (
                found,
                type(error).__name__,
                sess.run([reader.num_records_produced(), reader.num_work_units_completed()]),
            )


@program()
def nodes_of_readers(tf):
    queue = tf.FIFOQueue(9, tf.string)
    readers = [
        tf.TextLineReader(skip_header_lines=1),
        tf.WholeFileReader(name="whole"),
        tf.IdentityReader(),
        tf.FixedLengthRecordReader(7, header_bytes=1, footer_bytes=2, hop_bytes=3, encoding="ZLIB"),
        tf.TFRecordReader(),
    ]
    found = []
    for reader in readers:
        found += [reader.read(queue), reader.read_up_to(queue, 3, name="some"), reader.num_records_produced()]
        found += [reader.num_work_units_completed(), reader.serialize_state(), reader.restore_state("state").name]
        found += [reader.reset().name, reader.supports_serialize, reader.reader_ref]
    return found


@program(graph=False)
def lines(tf):
    with Files() as files:
        names = [files("a", b"one\r\ntwo\nth\rree"), files("b", b""), files("c", b"header\n\nx\r\r\n\r\nd\r")]
        return [
            all_of(tf, files, tf.TextLineReader(), *names),
            all_of(tf, files, tf.TextLineReader(skip_header_lines=2), *names),
        ]


@program(graph=False)
def whole_files(tf):
    with Files() as files:
        return all_of(tf, files, tf.WholeFileReader(), files("a", b"\x00one\n\xff"), files("b", b""))


@program(graph=False)
def the_work_itself(tf):
    with Files() as files:
        return all_of(tf, files, tf.IdentityReader(), "u", "", "w")


FIXED = {
    "plain": dict(record_bytes=3),
    "header": dict(record_bytes=5, header_bytes=2, footer_bytes=1),
    "overlapping": dict(record_bytes=5, header_bytes=2, footer_bytes=1, hop_bytes=2),
    "gaps": dict(record_bytes=2, hop_bytes=4),
    "too long": dict(record_bytes=50),
}


@program(graph=False, cases=FIXED)
def pieces_of_one_length(tf, case):
    with Files() as files:
        names = [files("a", b"HH0123456789F"), files("cut", b"HH01234567F"), files("b", b"")]
        return all_of(tf, files, tf.FixedLengthRecordReader(**case), *names)


@program(graph=False)
def pieces_of_packed_files(tf):
    import zlib

    with Files() as files:
        reader = tf.FixedLengthRecordReader(4, header_bytes=1, footer_bytes=2, encoding="ZLIB")
        return all_of(tf, files, reader, files("a", zlib.compress(b"h1234567890ff")))


@program(graph=False)
def several_at_once(tf):
    with Files() as files:
        sess = tf.Session()
        reader = tf.TextLineReader()
        queue = queue_of(tf, sess, files("a", b"1\n2\n3\n4\n5\n"), files("b", b""), files("c", b"6\n7"))
        some = reader.read_up_to(queue, 2)
        return [files.short(sess.run(list(some))) for _ in range(4)] + [attempt(sess.run, some)]


@program(graph=False)
def states(tf):
    sess = tf.Session()
    queue = tf.FIFOQueue(9, tf.string, [[]], shared_name="names")
    sess.run(queue.enqueue_many([["u", "v", "w", "x"]]))
    reader = tf.IdentityReader()
    key, _ = reader.read(queue)
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    state = reader.serialize_state()
    found = [sess.run(state), sess.run(key), sess.run(state)]
    saved = sess.run(state)
    found += [sess.run(key), sess.run(counts)]
    sess.run(reader.restore_state(saved))
    found += [sess.run(counts), sess.run(key)]
    sess.run(reader.reset())
    found += [sess.run(counts), sess.run(key), sess.run(counts)]
    lines = tf.TextLineReader()
    return found + [attempt(sess.run, lines.serialize_state()), attempt(sess.run, lines.restore_state("x"))]


@program(graph=False, messages=["Could not parse state for IdentityReader"])
def a_state_that_is_none(tf):
    tf.Session().run(tf.IdentityReader().restore_state("junk"))


@program(graph=False)
def a_missing_file_is_left_out(tf):
    with Files() as files:
        sess = tf.Session()
        reader = tf.TextLineReader()
        record = reader.read(queue_of(tf, sess, "/no/such/file", files("a", b"line\n")))
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        try:
            sess.run(record)
        except tf.errors.NotFoundError as error:
            named = "/no/such/file; No such file or directory" in str(error)
        return [named, files.short(sess.run(list(record))), sess.run(counts)]


def records(tf, files, name):
    path = os.path.join(files.folder, name)
    with tf.python_io.TFRecordWriter(path) as writer:
        for text in (b"abc", b"", b"d" * 300):
            writer.write(text)
    with open(path, "rb") as file:
        return path, file.read()


@program(graph=False)
def tf_records(tf):
    with Files() as files:
        path, _ = records(tf, files, "a")
        return all_of(tf, files, tf.TFRecordReader(), path, path)


@program(graph=False)
def tf_records_cut_off(tf):
    with Files() as files:
        _, data = records(tf, files, "a")
        return all_of(tf, files, tf.TFRecordReader(), files("cut", data[:-2]))[:2]


@program(graph=False, messages=["corrupted record at 0", "Is this even a TFRecord file?"])
def no_tf_records(tf):
    with Files() as files:
        sess = tf.Session()
        sess.run(tf.TFRecordReader().read(queue_of(tf, sess, files("a", b"this is text and no record at all"))))


@program(graph=False, messages=["corrupted record at 12"])
def tf_records_with_another_byte(tf):
    with Files() as files:
        _, data = records(tf, files, "a")
        sess = tf.Session()
        path = files("bad", data[:13] + b"?" + data[14:])
        sess.run(tf.TFRecordReader().read(queue_of(tf, sess, path)))


@program(graph=False, cases=["ZLIB", "GZIP"])
def packed_tf_records(tf, case):
    with Files() as files:
        path = os.path.join(files.folder, "packed")
        options = tf.python_io.TFRecordOptions(getattr(tf.python_io.TFRecordCompressionType, case))
        with tf.python_io.TFRecordWriter(path, options) as writer:
            writer.write(b"abc")
            writer.write(b"defg")
        return all_of(tf, files, tf.TFRecordReader(options=options), path)


@program(messages=["is closed and has insufficient elements (requested 1, current size 0)"])
def no_files_left(tf):
    sess = tf.Session()
    sess.run(tf.WholeFileReader().read(queue_of(tf, sess)))
