"""Savers: their nodes, the files that they write and read, what they refuse; meta graphs; initialisers from files."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile

import numpy as np

from tests.oracle import attempt, program


@contextlib.contextmanager
def in_a_folder():
    """An empty folder to work in, so that paths are the same in every run."""
    before, folder = os.getcwd(), tempfile.mkdtemp()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        shutil.rmtree(folder)


def two(tf, **options):
    a = tf.get_variable("a", [2, 3], initializer=tf.ones_initializer(), **options)
    b = tf.get_variable("b", [2], tf.int32, initializer=tf.zeros_initializer(), **options)
    return a, b


def parted(tf, name="p", parts=3, **options):
    value = tf.constant_initializer(np.arange(12.0))
    return tf.get_variable(name, [6, 2], partitioner=tf.fixed_size_partitioner(parts), initializer=value, **options)


def fields(saver):
    found = saver.as_saver_def()
    names = [found.filename_tensor_name, found.save_tensor_name, found.restore_op_name]
    return names, found.max_to_keep, found.sharded, found.keep_checkpoint_every_n_hours, found.version


# ---- nodes


@program(
    cases={
        "plain": {},
        "name": {"name": "mysave"},
        "reshape": {"reshape": True},
        "sequentially": {"restore_sequentially": True},
        "sharded": {"sharded": True},
        "sharded_reshape": {"sharded": True, "reshape": True},
        "filename": {"filename": "foo", "max_to_keep": 3, "keep_checkpoint_every_n_hours": 2.5},
        "keep_all": {"max_to_keep": None},
        "padded": {"pad_step_number": True, "save_relative_paths": True},
        "v1": {"write_version": 1},
        "v1_sharded": {"write_version": 1, "sharded": True},
    }
)
def nodes(tf, case):
    two(tf)
    return fields(tf.train.Saver(**case))


@program()
def nodes_of_a_dict(tf):
    a, b = two(tf)
    return fields(tf.train.Saver({"x": a, "y/z": b})), fields(tf.train.Saver({"x": a._variable}))


@program()
def nodes_of_a_list(tf):
    a, b = two(tf)
    return fields(tf.train.Saver([b, a])), fields(tf.train.Saver([a._variable])), fields(tf.train.Saver([b]))


@program()
def nodes_of_partitioned(tf):
    p = parted(tf)
    q = parted(tf, "q", 2)
    savers = [tf.train.Saver(), tf.train.Saver({"z": p}), tf.train.Saver({"z": list(p)}), tf.train.Saver([list(q)[1]])]
    return [fields(saver) for saver in savers], fields(tf.train.Saver([p, q]))


@program()
def nodes_of_resource_variables(tf):
    two(tf, use_resource=True)
    tf.get_variable("r", [3])
    return fields(tf.train.Saver()), fields(tf.train.Saver(reshape=True)), fields(tf.train.Saver(sharded=True))


@program()
def nodes_on_devices(tf):
    with tf.device("/gpu:0"):
        two(tf)
    with tf.device("/job:ps/task:1/gpu:0"):
        tf.get_variable("c", [2])
    with tf.device("/cpu:1"):
        tf.get_variable("d", [2], use_resource=True)
    with tf.device("/job:w"):
        first = tf.train.Saver()
    return fields(first), fields(tf.train.Saver(sharded=True)), fields(tf.train.Saver(write_version=1, sharded=True))


@program()
def nodes_of_unknown_shape(tf):
    size = tf.placeholder(tf.int32, [])
    tf.Variable(tf.zeros([size]), validate_shape=False, name="u")
    return fields(tf.train.Saver()), fields(tf.train.Saver(reshape=True))


@program()
def nodes_in_scopes(tf):
    with tf.name_scope("sc"), tf.variable_scope("v"):
        two(tf)
        first = fields(tf.train.Saver())
        return first, fields(tf.train.Saver(name="A/b")), fields(tf.train.Saver())


@program()
def deferred(tf):
    saver = tf.train.Saver(defer_build=True)
    before = saver.saver_def
    two(tf)
    saver.build()
    saver.build()
    empty = tf.train.Saver(var_list=[], allow_empty=True)
    return before, fields(saver), empty.saver_def


@program()
def refused(tf):
    a, b = two(tf)
    make = tf.train.Saver
    return (
        attempt(make, "abc"),
        attempt(make, 3),
        attempt(make, []),
        attempt(make, {}),
        attempt(make, [tf.constant(1, name="one")]),
        attempt(make, {"x": tf.constant(1, name="two")}),
        attempt(make, {1: a}),
        attempt(make, [a, a]),
        attempt(make, {"x": a, "y": a}),
        attempt(make, {"x": [a, b]}),
        attempt(make, [a.value()]),
        attempt(make, [a], defer_build=True),
        attempt(make, saver_def=tf.train.SaverDef()),
    )


@program(graph=False)
def refused_slices(tf):
    p, q = parted(tf), parted(tf, "q")
    return attempt(tf.train.Saver, {"z": [next(iter(p)), list(q)[1]]})


@program()
def nothing_to_save(tf):
    return attempt(tf.train.Saver), attempt(tf.train.Saver, allow_empty=True).saver_def


@program(graph=False)
def definitions(tf):
    two(tf)
    saver = tf.train.Saver(name="s")
    again = tf.train.Saver(saver_def=saver.saver_def)
    relative = saver.to_proto("s").save_tensor_name, saver.to_proto("zz")
    first = fields(again)
    # TensorFlow changes the message that it is given.
    elsewhere = tf.train.Saver.from_proto(saver.to_proto(), import_scope="imp")
    return first, fields(elsewhere), relative


# ---- saving and restoring


def saved(tf, saver, path="m", **options):
    """What `save` returns, and the files that are there afterwards."""
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        result = saver.save(sess, path, **options)
    return result, sorted(os.listdir("."))


@program(
    cases={
        "plain": ({}, {}),
        "step": ({}, {"global_step": 5}),
        "numpy_step": ({}, {"global_step": np.int64(5)}),
        "padded": ({"pad_step_number": True}, {"global_step": 5}),
        "sharded": ({"sharded": True}, {}),
        "v1": ({"write_version": 1}, {}),
        "no_meta": ({}, {"write_meta_graph": False}),
        "no_state": ({}, {"write_state": False}),
        "suffix": ({}, {"meta_graph_suffix": "mm", "latest_filename": "state"}),
        "dotted": ({}, {"path": "./m"}),
        "folder": ({}, {"path": "sub/m"}),
        "relative": ({"save_relative_paths": True}, {"path": "sub/m"}),
        "same_name": ({}, {"path": "checkpoint"}),
        "state_path": ({}, {"latest_filename": "x/y"}),
    },
    graph=False,
)
def saving(tf, case):
    options, how = case
    two(tf)
    with in_a_folder():
        saver = tf.train.Saver(**options)
        result = attempt(saved, tf, saver, **how)
        states = []
        for folder in (".", "sub"):
            for name in ("checkpoint", "state"):
                path = os.path.join(folder, name)
                if os.path.exists(path):
                    with open(path) as file:
                        states.append(file.read())
        return result, states, saver.last_checkpoints, tf.train.latest_checkpoint(".")


@program(graph=False)
def a_variable_as_step(tf):
    two(tf)
    step = tf.get_variable("step", [], tf.int64, initializer=tf.constant_initializer(7))
    with in_a_folder():
        return saved(tf, tf.train.Saver(), global_step=step)


@program(graph=False, messages=["'sess' must be a Session"])
def saving_without_a_session(tf):
    two(tf)
    with in_a_folder():
        tf.train.Saver().save(4, "m")


@program(graph=False)
def saving_what_has_no_value(tf):
    two(tf)
    with in_a_folder(), tf.Session() as sess:
        return attempt(tf.train.Saver().save, sess, "./m"), tf.train.checkpoint_exists("m")


@program(graph=False)
def saving_before_building(tf):
    saver = tf.train.Saver(defer_build=True)
    with in_a_folder(), tf.Session() as sess:
        return attempt(saver.save, sess, "m"), attempt(saver.restore, sess, "m"), attempt(saver.restore, sess, None)


@program(graph=False)
def saving_nothing(tf):
    saver = tf.train.Saver(allow_empty=True)
    with in_a_folder(), tf.Session() as sess:
        return saver.save(sess, "m"), saver.restore(sess, "m"), os.listdir(".")


@program(graph=False)
def the_last_few(tf):
    two(tf)
    with in_a_folder(), tf.Session() as sess:
        saver = tf.train.Saver(max_to_keep=2)
        sess.run(tf.global_variables_initializer())
        for step in range(4):
            saver.save(sess, "m", step)
        saver.save(sess, "m", 2)
        files = sorted(os.listdir("."))
        state = tf.train.get_checkpoint_state(".")
        second = tf.train.Saver(max_to_keep=2)
        second.recover_last_checkpoints([*state.all_model_checkpoint_paths, "gone"])
        recovered = second.last_checkpoints
        second.save(sess, "m", 9)
        second.set_last_checkpoints(["x"])
        third = second.last_checkpoints
        second.set_last_checkpoints_with_time([("y", 1.0)])
        names = [os.path.basename(path) for path in recovered]
        return files, names, sorted(os.listdir(".")), third, second.last_checkpoints


@program(graph=False)
def kept_for_their_age(tf):
    two(tf)
    with in_a_folder(), tf.Session() as sess:
        saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
        sess.run(tf.global_variables_initializer())
        for step in range(3):
            saver.save(sess, "m", step)
        return sorted(name for name in os.listdir(".") if name.endswith("index")), saver.last_checkpoints


KINDS = [
    "float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "bool", "complex64", "complex128", "string", "qint8", "quint8", "qint16", "quint16", "qint32",
]  # fmt: skip


def of_kind(tf, kind):
    if kind == "string":
        return tf.constant([b"x" * 300, b"", b"\0y", "é".encode()])
    value = np.array([[0, 1, 2], [3, 100, 1]])
    if kind[0] == "q":
        return tf.bitcast(tf.constant(value.astype({"i": "int", "u": "uint"}[kind[1]] + kind.strip("quint"))), kind)
    return tf.cast(tf.constant(value), kind)


def bytes_of(name):
    with open(name, "rb") as file:
        return file.read().hex()


def save_v2(tf, prefix, names, slices, tensors):
    return tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=tensors)


def restore_v2(tf, prefix, names, slices, dtypes):
    return tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, dtypes=dtypes)


def ran(tf, fetches):
    with tf.Session() as sess:
        return sess.run(fetches)


@program(cases=KINDS, graph=False)
def bytes_of_each_type(tf, case):
    """The files are the same to the byte, and give the same values back."""
    with in_a_folder():
        ran(tf, save_v2(tf, "m", ["v"], [""], [of_kind(tf, case)]))
        files = bytes_of("m.index"), bytes_of("m.data-00000-of-00001")
        if case[0] == "q":
            return files
        return files, ran(tf, restore_v2(tf, "m", ["v"], [""], [case]))


@program(graph=False)
def bytes_of_shapes_and_slices(tf):
    tensors = [tf.zeros([0, 3]), tf.constant(3), tf.constant([], tf.string), tf.constant([[1.0], [2.0], [3.0], [4.0]])]
    names = ["z/empty", "a", "none", "half"]
    big = tf.zeros([2, 2], tf.int32)
    more = ["p"] * 3
    with in_a_folder():
        parts = ["4 300 0,2:-", "4 300 2,2:0,100", "4 300 2,2:100,200"]
        values = [tf.ones([2, 300]), tf.ones([2, 100]), tf.ones([2, 200])]
        where = ["", "", "", "4 2 -:0,1", *parts, "-".join([])]
        ran(tf, save_v2(tf, "m", [*names, *more, "b\xff\0"], where, [*tensors, *values, big]))
        return bytes_of("m.index"), bytes_of("m.data-00000-of-00001")[:200], tf.train.list_variables("m")


@program(graph=False)
def bytes_of_many_names(tf):
    """An index of several blocks, with keys that share their beginnings."""
    names = [
        "layer_{:04d}/some/long/name/of/a/variable/that/goes/on/{}".format(n % 977, "w" * (n % 90)) for n in range(3000)
    ]
    names = sorted(set(names))[::-1]
    with in_a_folder():
        ran(tf, save_v2(tf, "m", names, [""] * len(names), [tf.constant(float(n)) for n in range(len(names))]))
        data = bytes_of("m.index")
        with open("m.index", "rb") as file:
            numbers = np.frombuffer(file.read(), np.uint8).astype(np.int64)
        weights = np.arange(1, numbers.size + 1) % 1009
        values = ran(tf, restore_v2(tf, "m", [names[7], names[-1]], ["", ""], [tf.float32, tf.float32]))
        return len(data), int((numbers * weights).sum()), data[-400:], values


@program(graph=False)
def bytes_of_v1(tf):
    names, tensors = ["b", "a", "s"], [tf.constant([1.0, 2.0]), tf.constant([[1, -2]]), tf.constant([b"x", b"yy"])]
    with in_a_folder():
        ran(tf, tf.raw_ops.Save(filename="v", tensor_names=names, data=tensors))
        slices = dict(tensor_names=["a", "a"], shapes_and_slices=["4 0,2", "4 2,2"])
        ran(tf, tf.raw_ops.SaveSlices(filename="w", data=[tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])], **slices))
        one = tf.raw_ops.Restore(file_pattern="v", tensor_name="s", dt=tf.string)
        part = tf.raw_ops.RestoreSlice(file_pattern="w", tensor_name="a", shape_and_slice="4 1,2", dt=tf.float32)
        return (
            bytes_of("v"),
            bytes_of("w"),
            ran(tf, [one, part]),
            ran(tf, restore_v2(tf, "w", ["a"], [""], [tf.float32])),
            attempt(ran, tf, restore_v2(tf, "v", ["b"], [""], [tf.int32])),
            attempt(ran, tf, restore_v2(tf, "v", ["nn"], [""], [tf.int32])),
            tf.train.list_variables("v"),
        )


@program(graph=False)
def bytes_of_merged(tf):
    with in_a_folder():
        os.mkdir("t")
        ran(tf, save_v2(tf, "t/1", ["a", "p"], ["", "4 0,2"], [tf.constant(3), tf.constant([1.0, 2.0])]))
        ran(tf, save_v2(tf, "t/2", ["c", "p"], ["", "4 2,2"], [tf.constant([5]), tf.constant([3.0, 4.0])]))
        merge = tf.raw_ops.MergeV2Checkpoints
        ran(tf, merge(checkpoint_prefixes=["t/1", "t/2"], destination_prefix="m"))
        found = sorted(os.listdir(".")), bytes_of("m.index"), bytes_of("m.data-00001-of-00002")
        values = ran(tf, restore_v2(tf, "m", ["p", "c", "p"], ["", "", "4 1,2"], [tf.float32, tf.int32, tf.float32]))
        ran(tf, save_v2(tf, "n", ["a"], [""], [tf.constant(3)]))
        again = attempt(ran, tf, merge(checkpoint_prefixes=["n", "m"], destination_prefix="k"))
        none = attempt(ran, tf, merge(checkpoint_prefixes=["n", "zz"], destination_prefix="k"))
        return found, values, again, none


@program(graph=False, messages=[])
def wrong_specs(tf):
    value = [tf.constant([1.0, 2.0])]
    with in_a_folder():
        written = [
            attempt(ran, tf, save_v2(tf, "m", ["a"], [spec], value))
            for spec in ("4", "4 0,3", "4 3,2", "4 4 3,1", "x 3,1", "4 x,1", "4 1", "4 -", "4 1,2")
        ]
        twice = attempt(ran, tf, save_v2(tf, "d", ["a", "a"], ["", ""], value * 2))
        nowhere = attempt(ran, tf, save_v2(tf, "no/such/m", ["a"], [""], value))
        return written, twice, nowhere, sorted(name for name in os.listdir(".") if "temp" not in name)


@program()
def wrong_lists(tf):
    value = [tf.constant([1.0, 2.0])]
    return (
        attempt(save_v2, tf, "m", ["a", "b"], ["", ""], value),
        attempt(save_v2, tf, "m", ["a"], ["", ""], value),
        attempt(save_v2, tf, ["m"], ["a"], [""], value),
        attempt(restore_v2, tf, "m", ["a", "b"], [""], [tf.float32, tf.float32]),
        attempt(restore_v2, tf, "m", ["a", "b"], ["", ""], [tf.float32]),
        attempt(restore_v2, tf, "m", [], [], []),
        restore_v2(tf, "m", ["a", "b", "c"], ["4 2 0,2:-", "", "3 -"], [tf.float32, tf.int32, tf.string]),
    )


@program(graph=False)
def reading_parts(tf):
    with in_a_folder():
        value = np.arange(24.0).reshape(4, 6)
        names, slices = ["w", "p", "p", "q"], ["", "4 6 0,1:-", "4 6 1,3:-", "4 6 0,2:-"]
        ran(tf, save_v2(tf, "m", names, slices, [value, value[:1], value[1:], value[:2]]))
        specs = ["", "4 6 -:-", "4 6 1,2:-", "4 6 0,2:3,3"]
        values = [ran(tf, restore_v2(tf, "m", [name], [spec], [tf.float64])) for name in "wp" for spec in specs]
        wrong = [
            attempt(ran, tf, restore_v2(tf, "m", [name], [spec], [dtype]))
            for name, spec, dtype in [
                ("w", "4 7 0,1:-", tf.float64), ("w", "", tf.float32), ("zz", "", tf.float64), ("q", "", tf.float64),
                ("q", "4 6 1,3:-", tf.float64), ("p", "24 0,1", tf.float64),
            ]
        ]  # fmt: skip
        return values, ran(tf, restore_v2(tf, "m", ["q"], ["4 6 1,1:-"], [tf.float64])), wrong


@program()
def file_names(tf):
    names = [
        tf.raw_ops.ShardedFilename(basename="a/b", shard=1, num_shards=3),
        tf.raw_ops.ShardedFilespec(basename="a/b", num_shards=12),
    ]
    return names, ran(tf, names)


def restored(tf, build, path="m", **options):
    """All global variables after a restore into a graph of their own."""
    with tf.Graph().as_default(), tf.Session() as sess:
        build()
        tf.train.Saver(**options).restore(sess, path)
        return sess.run(tf.global_variables())


@program(graph=False)
def round_trips(tf):
    two(tf)
    parted(tf)
    tf.Variable([b"hi", b"there"], name="s")
    tf.get_variable("r", [3], use_resource=True, initializer=tf.constant_initializer([1.0, 2.0, 3.0]))
    results = []
    for options in ({}, {"sharded": True}, {"write_version": 1}, {"restore_sequentially": True}):
        with in_a_folder():
            saved(tf, tf.train.Saver(**options))
            options.pop("write_version", None)
            results.append(restored(tf, lambda: tf.get_variable("p", [6, 2]), **options))
            results.append(restored(tf, lambda: parted(tf, parts=2), **options))
            results.append(restored(tf, lambda: tf.get_variable("r", [3]), **options))
            results.append(restored(tf, lambda: tf.get_variable("a", [2, 3], use_resource=True), **options))
            results.append(restored(tf, lambda: tf.get_variable("a", [3, 2]), reshape=True, **options))
            results.append(restored(tf, lambda: tf.Variable([b"", b""], name="s"), **options))
    return results


@program(graph=False, messages=["Restoring from checkpoint failed"])
def restoring_another_shape(tf):
    two(tf)
    with in_a_folder():
        saved(tf, tf.train.Saver())
        restored(tf, lambda: tf.get_variable("a", [3, 3]))


@program(graph=False)
def restoring_what_does_not_fit(tf):
    two(tf)
    parted(tf)
    with in_a_folder():
        saved(tf, tf.train.Saver())
        return (
            attempt(restored, tf, lambda: tf.get_variable("a", [2, 3], tf.int32)),
            attempt(restored, tf, lambda: tf.get_variable("zz", [2, 3])),
            attempt(restored, tf, lambda: tf.get_variable("a", [3, 3]), reshape=True),
            attempt(restored, tf, lambda: tf.get_variable("p", [8, 2], partitioner=tf.fixed_size_partitioner(2))),
            attempt(restored, tf, lambda: tf.get_variable("a", [2, 3]), path="nowhere"),
            attempt(restored, tf, lambda: tf.get_variable("a", [2, 3]), path=None),
        )


# ---- reading without a graph


@program(graph=False)
def readers(tf):
    two(tf)
    parted(tf)
    tf.Variable([b"hi", b"there"], name="s")
    tf.Variable(2.5, name="scalar")
    with in_a_folder():
        saved(tf, tf.train.Saver(), global_step=1)
        reader = tf.train.NewCheckpointReader("m-1")
        shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
        return (
            [(name, shapes[name], types[name]) for name in sorted(shapes)],
            [reader.has_tensor(name) for name in ("a", "p", "p/part_0", "zz")],
            [reader.get_tensor(name) for name in sorted(shapes)],
            reader.debug_string(),
            tf.train.list_variables("."),
            tf.train.list_variables("m-1"),
            tf.train.load_variable(".", "b:0"),
            tf.train.load_checkpoint("m-1").get_tensor("a"),
            attempt(reader.get_tensor, "zz"),
            attempt(tf.train.load_variable, ".", "zz"),
            attempt(tf.train.NewCheckpointReader, "none"),
            attempt(tf.train.load_checkpoint, "/"),
        )


# ---- the state file


@program(graph=False)
def states(tf):
    make = tf.train.generate_checkpoint_state_proto
    with in_a_folder():
        tf.train.update_checkpoint_state(".", "m-2", ["m-1"], "st", [1.0, 2.0], 3.0)
        texts = [bytes.fromhex(bytes_of("st")).decode()]
        clash = attempt(tf.train.update_checkpoint_state, "/x", "/x/st", latest_filename="st")
        wrong = []
        for text in ("nonsense", 'all_model_checkpoint_paths: "a"', "", 'model_checkpoint_path: "m-5"'):
            with open("bad", "w") as file:
                file.write(text)
            found = attempt(tf.train.get_checkpoint_state, ".", "bad")
            wrong.append(str(found) if hasattr(found, "model_checkpoint_path") else found)
        return (
            [str(make("/a", "/a/m-1", ["/a/m-0"], [1.0, 2.0], 3.0)), str(make("a", "a/m-1", ["a/m-0"]))],
            attempt(make, "/a", "/a/m-1", ["a/m-0"], [1.0]),
            texts,
            clash,
            wrong,
            tf.train.get_checkpoint_state("nowhere"),
            tf.train.latest_checkpoint("nowhere"),
            tf.train.latest_checkpoint(".", "bad"),
            tf.train.checkpoint_exists("m"),
            tf.train.get_checkpoint_mtimes(["m"]),
        )


@program(graph=False)
def removing(tf):
    two(tf)
    with in_a_folder():
        saver = tf.train.Saver()
        saved(tf, saver, global_step=1)
        saved(tf, saver, global_step=10)
        times = len(tf.train.get_checkpoint_mtimes(["m-1", "none", "m-10"]))
        found = [os.path.basename(path) for path in tf.train.checkpoints_iterator(".", timeout=0)]
        tf.train.remove_checkpoint("m-1")
        return (
            times,
            found,
            sorted(os.listdir(".")),
            tf.train.checkpoint_exists("m-10"),
            tf.train.checkpoint_exists("m-1"),
        )


# ---- meta graphs


def kinds(meta):
    """The collections of a meta graph: what kind each is, and what is in it."""
    found = {}
    for key in meta.collection_def:
        kind = meta.collection_def[key].WhichOneof("kind")
        if kind is not None:
            found[key] = kind, list(getattr(meta.collection_def[key], kind).value)
    return sorted(found.items())


def filled(tf):
    with tf.name_scope("ns"):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        a = tf.get_variable("a", [2], initializer=tf.zeros_initializer())
        tf.get_variable("r", [2], use_resource=True, initializer=tf.zeros_initializer())
        tf.get_variable("p", [4], partitioner=tf.fixed_size_partitioner(2), initializer=tf.zeros_initializer())
        y = tf.add(x, a, name="y")
    for key, value in [
        ("ops", y.op),
        ("tensors", y),
        ("ints", 3),
        ("ints", 4),
        ("floats", 1.5),
        ("texts", "hi"),
        ("mine", a),
    ]:
        tf.add_to_collection(key, value)
    return a, y


@program(graph=False)
def meta_graphs(tf):
    a, y = filled(tf)
    saver = tf.train.Saver()
    tf.add_to_collection("savers", saver)
    tf.add_to_collection("objects", object())
    tf.add_to_collection(("tuple", 1), 3)
    tf.get_collection_ref("empty")
    with in_a_folder():
        meta = tf.train.export_meta_graph(saver_def=saver.as_saver_def())
        part = tf.train.export_meta_graph(export_scope="ns")
        some = tf.train.export_meta_graph("f", collection_list=["ops"], clear_devices=True, as_text=True)
        stripped = tf.train.export_meta_graph(strip_default_attrs=True)
        own = saver.export_meta_graph()
        return (
            kinds(meta),
            [op.name for op in meta.meta_info_def.stripped_op_list.op],
            meta.saver_def == saver.saver_def,
            [(node.name, list(node.input)) for node in part.graph_def.node],
            [kind for kind in kinds(part) if kind[0] not in ("savers", "texts")],
            kinds(some),
            [(node.name, sorted(key for key in node.attr if key[0] != "_")) for node in stripped.graph_def.node],
            own.saver_def == saver.saver_def,
            os.listdir("."),
        )


@program()
def importing_meta_graphs(tf):
    a, y = filled(tf)
    saver = tf.train.Saver()
    with in_a_folder():
        saved(tf, saver)
        tf.reset_default_graph()
        first = tf.train.import_meta_graph("m.meta")
        second = tf.train.import_meta_graph("m.meta", import_scope="im")
        with tf.Session() as sess:
            first.restore(sess, "m")
            second.restore(sess, "m")
            values = sess.run(tf.global_variables())
        keys = sorted(key for key in tf.get_default_graph().get_all_collection_keys() if isinstance(key, str))
        variables = tf.global_variables()
        shared = [v is w for v, w in zip(variables, tf.trainable_variables())]
        kind = [(v.name, v.dtype, v.shape.as_list(), v.trainable, v.initializer.name) for v in variables]
        slices = [v._get_save_slice_info().spec for v in variables if v._get_save_slice_info()]
        return fields(first), fields(second), values, keys, kind, slices, shared, tf.get_collection("tensors")


@program()
def importing_loops_and_branches(tf):
    v = tf.Variable(3.0, name="v")
    looped = tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * v), [tf.constant(0), tf.constant(1.0)])[1]
    chosen = tf.cond(looped > 5.0, lambda: tf.cond(v > 0.0, lambda: looped * v, lambda: v), lambda: v - 1.0)
    tf.add_to_collection("result", chosen)
    with in_a_folder():
        saver = tf.train.Saver()
        saved(tf, saver)
        tf.reset_default_graph()
        again = tf.train.import_meta_graph("m.meta", import_scope="im")
        result = tf.get_collection("result")
        # Bytes are sorted: the order of what a map holds is left to chance.
        meta = tf.train.export_meta_graph(collection_list=["cond_context", "while_context"])
        gradients = tf.gradients(result, tf.global_variables())
        with tf.Session() as sess:
            again.restore(sess, "m")
            values = sess.run([result, gradients])
        contexts = [c.name for key in ("cond_context", "while_context") for c in tf.get_collection(key)]
        return values, contexts, [(key, [sorted(data) for data in found]) for key, (kind, found) in kinds(meta)]


@program(graph=False)
def importing_without_a_saver(tf):
    two(tf)
    meta = tf.train.export_meta_graph()
    tf.reset_default_graph()
    with_variables = fields(tf.train.import_meta_graph(meta))
    tf.reset_default_graph()
    tf.constant(1)
    meta = tf.train.export_meta_graph()
    tf.reset_default_graph()
    with in_a_folder():
        with open("junk", "wb") as file:
            file.write(b"\x01\x02junk")
        missing = attempt(tf.train.import_meta_graph, "none")
        return with_variables, tf.train.import_meta_graph(meta), missing, attempt(tf.train.import_meta_graph, "junk")


@program(graph=False)
def variables_from_messages(tf):
    a, b = two(tf)
    again = tf.Variable.from_proto(a.to_proto())
    r = tf.get_variable("r", [2], use_resource=True)
    p = list(parted(tf))[1]
    part = tf.Variable.from_proto(p.to_proto())
    message = r.to_proto()
    return (
        again.name, again.op is a.op, again.initial_value is a.initial_value, again.value() is a.value(),
        again.trainable, part._get_save_slice_info().spec, message.is_resource, message.snapshot_name,
    )  # fmt: skip


# ---- initialising from a checkpoint


def trained(tf):
    with tf.Graph().as_default():
        with tf.variable_scope("old"):
            two(tf)
            parted(tf)
        saved(tf, tf.train.Saver())


def new(tf):
    with tf.variable_scope("new"):
        tf.get_variable("a", [2, 3])
        tf.get_variable("b", [2], tf.int32, initializer=tf.ones_initializer())


@program()
def initializing_a_scope(tf):
    new(tf)
    with in_a_folder():
        trained(tf)
        tf.train.init_from_checkpoint("m", {"old/": "new/"})


@program()
def initializing_resource_variables(tf):
    with tf.device("/gpu:0"):
        tf.get_variable("new/a", [2, 3], use_resource=True)
    with in_a_folder():
        trained(tf)
        tf.train.init_from_checkpoint("m", {"old/a": "new/a"})


@program()
def initializing_variables(tf):
    new(tf)
    parted(tf, "new/p", 2)
    with in_a_folder():
        trained(tf)
        tf.train.init_from_checkpoint(".", {"old/a": tf.global_variables()[0], "old/p": "new/p"})
        tf.train.init_from_checkpoint(".", {"old/b": "new/b", "old/p": list(tf.global_variables()[2:])})


@program(graph=False)
def initializing_wrongly(tf):
    new(tf)
    tf.get_variable("other/a", [3])
    with in_a_folder():
        trained(tf)
        make = tf.train.init_from_checkpoint
        return (
            attempt(make, "m", {"/": "new/"}),
            attempt(make, "m", {"old/zz": "new/a"}),
            attempt(make, "m", {"old/a": "new/zz"}),
            attempt(make, "m", {"oldd/": "new/"}),
            attempt(make, "m", {"old/a": "new/"}),
            attempt(make, "m", {"old/a": "other/a"}),
            attempt(make, "none", {"old/a": "new/a"}),
        )


@program()
def warm_starting(tf):
    new(tf)
    tf.get_variable("other", [2, 3])
    with in_a_folder():
        trained(tf)
        names = {"new/a": "old/a", "new/b": "old/b"}
        tf.train.warm_start("m", "new/.*", var_name_to_prev_var_name=names)
        tf.train.warm_start("m", None)
        tf.train.warm_start("m", ["oth"], var_name_to_prev_var_name={"other": "old/a"})
        tf.train.warm_start(".", [tf.global_variables()[0]], var_name_to_prev_var_name={"new/a": "old/a"})


@program(graph=False)
def warm_starting_wrongly(tf):
    new(tf)
    with in_a_folder():
        trained(tf)
        make = tf.train.warm_start
        return (
            attempt(make, "m"),
            attempt(make, "m", 3),
            attempt(make, "m", [3]),
            attempt(make, "m", "nothing", None, {"new/a": "old/a"}),
        )
