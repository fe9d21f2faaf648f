"""tf.saved_model: what is written and read, signatures, what is refused. 2.21 and 1.15 agree but where it says so."""

import os
import tempfile

from tests.oracle import attempt, program


def parts(tf, folder):
    """A model with a file that it needs and a local variable that is made from it."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer([[2.0], [3.0]]))
    y = tf.matmul(x, w, name="y")
    path = os.path.join(folder, "words.txt")
    with open(path, "w") as file:
        file.write("a\nb\n")
    asset = tf.constant(path, name="asset")
    local = tf.Variable(tf.read_file(asset), name="words", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    return x, y, asset, local


def files(folder):
    found = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
    return sorted(os.path.relpath(path, folder) for path in found)


def load(tf, tags, folder, **options):
    """The parts of the meta graph that is loaded, and what its graph computes then."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        loaded = attempt(lambda: tf.saved_model.loader.load(sess, tags, folder, **options))
        if not hasattr(loaded, "signature_def"):
            return loaded
        scope = options.get("import_scope", "")
        prefix = scope and scope + "/"
        values = sess.run([prefix + "y:0", prefix + "words:0"], {prefix + "x:0": [[1.0, 1.0]]})
        collections = [
            (key, [getattr(item, "name", "") for item in graph.get_collection(key)])
            for key in sorted(graph.get_all_collection_keys())
        ]
        return (
            values, collections, sorted(loaded.meta_info_def.tags), len(graph.get_operations()),
            sorted((name, signature.method_name) for name, signature in loaded.signature_def.items()),
        )  # fmt: skip


@program(graph=False)
def simple_save(tf):
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        x, y, _, _ = parts(tf, folder)
        sess.run(tf.global_variables_initializer())
        target = os.path.join(folder, "m")
        init = tf.local_variables_initializer()
        tf.saved_model.simple_save(sess, target, {"x": x}, {"y": y}, legacy_init_op=init)
        return files(target), load(tf, ["serve"], target), load(tf, {"serve"}, target, import_scope="im")


@program(graph=False)
def several(tf):
    """Two meta graphs, assets of one name, text; the original files are gone when it is loaded."""
    model = tf.saved_model
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        x, y, asset, _ = parts(tf, folder)
        os.mkdir(os.path.join(folder, "other"))
        with open(os.path.join(folder, "other", "words.txt"), "w") as file:
            file.write("c")
        second = tf.constant(os.path.join(folder, "other", "words.txt"))
        target = os.path.join(folder, "m")
        sess.run(tf.global_variables_initializer())
        builder = model.builder.SavedModelBuilder(target)
        found = [attempt(lambda: builder.add_meta_graph(["a"]))]
        builder.add_meta_graph_and_variables(
            sess,
            ["serve", "gpu"],
            signature_def_map={
                "p": model.predict_signature_def({"x": x}, {"y": y}),
                "q": model.build_signature_def({"i": model.build_tensor_info(x)}, {}, "own"),
            },
            main_op=tf.local_variables_initializer(),
            assets_collection=[asset, second, asset],
        )
        found.append(attempt(lambda: builder.add_meta_graph_and_variables(sess, ["b"])))
        builder.add_meta_graph(["train"], strip_default_attrs=True, clear_devices=True)
        found.append(os.path.relpath(builder.save(), folder.encode()))
        os.remove(os.path.join(folder, "words.txt"))
        found += [files(target), load(tf, ["gpu", "serve"], target), load(tf, ["train"], target)]
        found += [load(tf, ["serve"], target), load(tf, ["nope"], target), load(tf, "train", target)]
        os.remove(os.path.join(target, "saved_model.pb"))
        found.append(attempt(lambda: tf.saved_model.loader.load(sess, ["train"], target)))
        found.append([model.maybe_saved_model_directory(target), os.path.relpath(builder.save(True), folder.encode())])
        found += [model.contains_saved_model(target), load(tf, ["train"], target)]
        found.append(attempt(lambda: model.builder.SavedModelBuilder(target)))
    return found


@program(graph=False)
def without_variables(tf):
    model = tf.saved_model
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        y = tf.identity(tf.placeholder(tf.float32, [], name="x") + 1.0, name="y")
        model.simple_save(sess, os.path.join(folder, "m"), {"x": y}, {"y": y})
        with tf.Graph().as_default(), tf.Session() as other:
            model.load(other, [model.tag_constants.SERVING], os.path.join(folder, "m"))
            return other.run("y:0", {"x:0": 2.0}), files(folder)


@program(graph=False, messages=[])
def refused(tf):
    model = tf.saved_model
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:

        def add(**options):
            name = tempfile.mkdtemp(dir=folder)
            return attempt(lambda: model.Builder(name).add_meta_graph_and_variables(sess, ["t"], **options))

        empty = model.build_signature_def()
        empty.inputs["x"].name = "x:0"
        nameless = model.build_signature_def()
        nameless.inputs["x"].dtype = 1
        return [
            add(signature_def_map={"s": empty}),
            add(signature_def_map={"s": nameless}),
            add(assets_collection=[tf.constant(3)]),
            add(assets_collection=["text"]),
            add(assets_collection=[tf.placeholder(tf.string, [])]),
            add(main_op="text"),
        ]


@program()
def signatures(tf):
    model = tf.saved_model
    text, number = tf.constant(["a"], name="text"), tf.constant([1.0], name="number")
    sparse = tf.sparse_placeholder(tf.float32, name="sparse")
    made = [
        attempt(lambda: model.predict_signature_def({"x": number, "t": text}, {"y": number})),
        attempt(lambda: model.predict_signature_def({"x": 2.0}, {"y": number})),
        attempt(lambda: model.classification_signature_def(text, text, number)),
        attempt(lambda: model.classification_signature_def(text, None, number)),
        attempt(lambda: model.classification_signature_def(text, text, None)),
        attempt(lambda: model.regression_signature_def(text, number)),
        attempt(lambda: model.build_signature_def({"a": model.build_tensor_info(sparse)}, {}, "own")),
        attempt(lambda: model.build_signature_def()),
        attempt(lambda: model.predict_signature_def({}, {"y": number})),
        attempt(lambda: model.predict_signature_def(None, {"y": number})),
        attempt(lambda: model.predict_signature_def({"x": number}, {})),
        attempt(lambda: model.classification_signature_def(None, text, number)),
        attempt(lambda: model.classification_signature_def(text, None, None)),
        attempt(lambda: model.classification_signature_def(number, text, None)),
        attempt(lambda: model.classification_signature_def(text, number, None)),
        attempt(lambda: model.classification_signature_def(text, None, text)),
        attempt(lambda: model.regression_signature_def(number, number)),
        attempt(lambda: model.regression_signature_def(text, text)),
        attempt(lambda: model.regression_signature_def(None, number)),
        attempt(lambda: model.regression_signature_def(text, None)),
    ]
    valid = [model.is_valid_signature(item) for item in made if hasattr(item, "inputs")]
    info = model.build_tensor_info(sparse)
    back = model.get_tensor_from_tensor_info(info)
    missing = model.build_tensor_info(number)
    missing.name = "nope:0"
    return (
        [str(item) if hasattr(item, "inputs") else item for item in made],
        valid,
        [str(info), back.values is sparse.values, back.dense_shape is sparse.dense_shape],
        [model.get_tensor_from_tensor_info(model.build_tensor_info(number)) is number],
        attempt(lambda: model.get_tensor_from_tensor_info(missing)),
        model.is_valid_signature(None),
    )


@program()
def constants(tf):
    model = tf.saved_model
    names = [name for name in dir(model) if name.isupper() and not name.startswith("DEBUG")]
    tf.get_variable("w", [], initializer=tf.zeros_initializer())
    tf.get_local_variable("l", [], initializer=tf.zeros_initializer())
    main = model.main_op.main_op()
    return [(name, getattr(model, name)) for name in names], main, model.main_op_with_restore(tf.no_op(name="restore"))
