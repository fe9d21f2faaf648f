"""Files of records and event files: their bytes, and what becomes of damaged ones."""

from __future__ import annotations

import glob
import gzip
import os
import shutil
import tempfile
import zlib

from tests.oracle import attempt, program

RECORDS = [b"hello", b"", b"x" * 1000, bytes(range(256)) * 20]


def in_folder(function):
    """What the function gives for a folder, which is there for that long."""
    folder = tempfile.mkdtemp()
    try:
        return function(folder)
    finally:
        shutil.rmtree(folder)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def how(error):
    """Class and key words of an error, without what differs: paths."""
    return [
        type(error).__name__,
        [word for word in ("truncated record at", "corrupted record at") if word in str(error)],
    ]


def records(tf, path, options=None):
    """The records, and the error after them."""
    found = []
    try:
        for record in tf.python_io.tf_record_iterator(path, options):
            found.append(record)
    except tf.errors.OpError as error:
        found.append(how(error))
    return found


@program(graph=False)
def plain(tf):
    def run(folder):
        path = os.path.join(folder, "r")
        with tf.python_io.TFRecordWriter(path) as writer:
            for record in RECORDS:
                writer.write(record)
            writer.write("text ü")
        return content(path)[:1200], len(content(path)), records(tf, path)

    return in_folder(run)


@program(graph=False, cases=["GZIP", "ZLIB", "", None])
def compressed(tf, case):
    """What is in the file after unpacking, for options in all their spellings."""

    def run(folder):
        path, out = os.path.join(folder, "r"), []
        kinds = {"GZIP": 2, "ZLIB": 1}.get(case, 0)
        for options in (tf.python_io.TFRecordOptions(case), tf.python_io.TFRecordOptions(kinds), case):
            writer = tf.python_io.TFRecordWriter(path, options)
            for record in RECORDS:
                writer.write(record)
            writer.flush()
            writer.close()
            data = content(path)
            unpacked = gzip.decompress(data) if case == "GZIP" else zlib.decompress(data) if case == "ZLIB" else data
            out.append([unpacked[:60], len(unpacked), records(tf, path, tf.python_io.TFRecordOptions(case)) == RECORDS])
        return out

    return in_folder(run)


@program(graph=False)
def damaged(tf):
    def run(folder):
        path = os.path.join(folder, "r")
        with tf.python_io.TFRecordWriter(path) as writer:
            for record in RECORDS[:3]:
                writer.write(record)
        whole, out = content(path), []
        for end in (0, 12, 14, 20, 21, 33, 36, 60, len(whole) - 1):
            write(path, whole[:end])
            out.append([end, records(tf, path)])
        for place in (0, 9, 13, 18, 22, 36, 50):
            write(path, whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            out.append([place, records(tf, path)])
        write(path, gzip.compress(whole)[:-12])
        out.append(["gzip cut off", records(tf, path, tf.python_io.TFRecordOptions("GZIP"))[:-1]])
        out.append(["gzip read as it is", records(tf, path)])
        return out

    return in_folder(run)


@program(graph=False)
def refused(tf):
    def run(folder):
        path = os.path.join(folder, "r")
        P = tf.python_io
        writer = P.TFRecordWriter(path)
        out = [attempt(writer.write, 1), attempt(writer.write, None)]
        writer.close()
        writer.close()
        out += [type(attempt(call)).__name__ for call in (lambda: writer.write(b""), writer.flush)]
        out += [
            attempt(P.TFRecordOptions, "FOO"),
            attempt(P.TFRecordOptions, 7),
            attempt(P.TFRecordWriter, path, "FOO"),
        ]
        for wrong in (os.path.join(folder, "no", "r"), folder):
            for call in (P.TFRecordWriter, lambda wrong: list(P.tf_record_iterator(wrong))):
                try:
                    call(wrong)
                except tf.errors.OpError as error:
                    out.append(type(error).__name__)
        return out

    return in_folder(run)


@program(graph=False)
def options(tf):
    P = tf.python_io
    kinds = [P.TFRecordCompressionType.NONE, P.TFRecordCompressionType.ZLIB, P.TFRecordCompressionType.GZIP]
    known = [P.TFRecordOptions("GZIP", compression_level=9), None, "ZLIB", P.TFRecordOptions(kinds[1]), ""]
    return kinds, [P.TFRecordOptions.get_compression_type_string(one) for one in known]


@program(graph=False)
def events(tf):
    """The bytes of an event file, apart from the times."""

    def run(folder):
        writer = tf.summary.FileWriter(os.path.join(folder, "a", "b"), filename_suffix=".suffix")
        value = tf.Summary.Value(tag="m", simple_value=1.5, metadata=tf.SummaryMetadata(display_name="q"))
        for step in range(3):
            event = tf.Event(wall_time=step + 0.5, step=step, summary=tf.Summary(value=[value]))
            writer.add_event(event)
        writer.add_event(tf.Event(wall_time=9.0, log_message=tf.LogMessage(message="x" * 300)))
        writer.close()
        (path,) = glob.glob(os.path.join(folder, "a", "b", "events.out.tfevents.*.suffix"))
        first = next(iter(tf.train.summary_iterator(path)))
        version = [
            first.file_version,
            first.source_metadata.writer,
            first.step,
            first.wall_time == int(first.wall_time),
        ]
        data = content(path)
        return version, data[16 + first.ByteSize() :], data[:8]

    return in_folder(run)


@program(graph=False)
def added_summaries(tf):
    """Metadata is written with the first summary of a tag."""

    def run(folder):
        with tf.Session() as sess, tf.summary.FileWriter(folder) as writer:
            text = tf.summary.text("t", tf.constant("a"))
            both = tf.summary.merge([text, tf.summary.scalar("x", 1.0)])
            for step in range(2):
                writer.add_summary(sess.run(text), step)
                writer.add_summary(sess.run(both))
            writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="x", simple_value=2)]), 7)
            writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START, msg="go"), 4)
            writer.add_run_metadata(tf.RunMetadata(), "run", 5)
        (path,) = glob.glob(os.path.join(folder, "*"))
        found = list(tf.train.summary_iterator(path))[1:]
        for event in found:
            event.wall_time = 0
        return [event.SerializeToString() for event in found]

    return in_folder(run)


@program(graph=False)
def added_graphs(tf):
    def run(folder):
        graph = tf.get_default_graph()
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        tf.summary.scalar("s", tf.reduce_sum(x))
        with tf.summary.FileWriter(folder, graph) as writer:
            writer.add_graph(graph, 3)
            writer.add_graph(graph.as_graph_def())
            writer.add_graph(None, graph_def=graph.as_graph_def())
            wrong = [attempt(writer.add_graph, one) for one in (1, None, x)]
            wrong.append(attempt(writer.add_graph, graph, graph_def=graph.as_graph_def()))
            wrong.append(attempt(writer.add_meta_graph, graph))
        (path,) = glob.glob(os.path.join(folder, "*"))
        out = []
        for event in tf.train.summary_iterator(path):
            kind = event.WhichOneof("what")
            graph_def = tf.GraphDef()
            if kind == "graph_def":
                graph_def.ParseFromString(event.graph_def)
            elif kind == "meta_graph_def":
                meta = tf.MetaGraphDef.FromString(event.meta_graph_def)
                graph_def = meta.graph_def
                kind = [kind, sorted(meta.collection_def), meta.HasField("saver_def")]
            shapes = ["_output_shapes" in node.attr for node in graph_def.node]
            out.append([kind, event.step, [node.name for node in graph_def.node], shapes])
        return out, wrong

    return in_folder(run)
