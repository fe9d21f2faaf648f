"""Programs as tutorials of canned estimators are: iris, census, exporting; and what is refused."""

import os
import tempfile

import numpy as np

from tests.oracle import attempt, program


def checkpoint(tf, shapes):
    """A checkpoint of variables with these names, whose values are a wave."""
    path = os.path.join(tempfile.mkdtemp(), "first")
    with tf.Graph().as_default():
        for number, (name, shape) in enumerate(sorted(shapes.items())):
            value = np.sin(np.arange(int(np.prod(shape))) * 1.3 + number).reshape(shape).astype(np.float32)
            tf.get_variable(name, initializer=value)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return tf.train.Saver().save(sess, path)


# -- iris --------------------------------------------------------------------------------------------------------------


KEYS = ["SepalLength", "SepalWidth", "PetalLength", "PetalWidth"]


def flowers(count, start=0):
    """Flowers of three kinds, around three centres."""
    at = np.arange(start, start + count)
    kind = at % 3
    centres = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
    noise = np.stack([np.sin(at * (1.1 + 0.37 * j)) for j in range(4)], 1) * [0.4, 0.3, 0.3, 0.1]
    values = (centres[kind] + noise).astype(np.float32)
    return {key: values[:, j] for j, key in enumerate(KEYS)}, kind.astype(np.int64)


@program(oracle="1.15", graph=False, tol=5e-4)
def iris(tf):
    """Premade estimators: DNNClassifier of [10, 10] units on a Dataset."""

    def train_input(features, labels, batch):
        return tf.data.Dataset.from_tensor_slices((dict(features), labels)).repeat().batch(batch)

    def eval_input(features, labels, batch):
        given = dict(features) if labels is None else (dict(features), labels)
        return tf.data.Dataset.from_tensor_slices(given).batch(batch)

    train_x, train_y = flowers(60)
    test_x, test_y = flowers(30, 60)
    shapes = {"dnn/logits/kernel": (10, 3), "dnn/logits/bias": (3,)}
    for number, width in enumerate([4, 10]):
        shapes[f"dnn/hiddenlayer_{number}/kernel"] = (width, 10)
        shapes[f"dnn/hiddenlayer_{number}/bias"] = (10,)
    classifier = tf.estimator.DNNClassifier(
        feature_columns=[tf.feature_column.numeric_column(key=key) for key in train_x],
        hidden_units=[10, 10],
        n_classes=3,
        model_dir=tempfile.mkdtemp(),
        warm_start_from=checkpoint(tf, shapes),
    )
    classifier.train(input_fn=lambda: train_input(train_x, train_y, 20), steps=40)
    result = classifier.evaluate(input_fn=lambda: eval_input(test_x, test_y, 20))
    asked = {
        "SepalLength": [5.1, 5.9, 6.9],
        "SepalWidth": [3.3, 3.0, 3.1],
        "PetalLength": [1.7, 4.2, 5.4],
        "PetalWidth": [0.5, 1.5, 2.1],
    }
    answers = []
    for predicted, expected in zip(
        classifier.predict(input_fn=lambda: eval_input(asked, None, 20)), ["Setosa", "Versicolor", "Virginica"]
    ):
        class_id = predicted["class_ids"][0]
        answers.append((class_id, predicted["probabilities"][class_id], predicted["classes"], expected))
    return sorted(result.items()), answers


# -- census ------------------------------------------------------------------------------------------------------------


EDUCATION = ["Bachelors", "HS-grad", "11th", "Masters", "9th", "Some-college"]
OCCUPATIONS = ["Tech-support", "Sales", "Farming", "Exec-managerial", "Craft-repair", "?"]
RELATIONS = ["Husband", "Not-in-family", "Wife", "Own-child", "Unmarried"]


def people(count, start=0):
    at = np.arange(start, start + count)
    age = (40 + 20 * np.sin(at * 0.7)).astype(np.float32)
    hours = (40 + 15 * np.cos(at * 1.9)).astype(np.float32)
    education = np.array(EDUCATION)[at * 7 % 6]
    columns = {
        "age": age,
        "education_num": (at * 5 % 16).astype(np.float32),
        "hours_per_week": hours,
        "capital_gain": np.where(at % 9 == 0, 5000.0, 0.0).astype(np.float32),
        "education": education,
        "occupation": np.array(OCCUPATIONS)[at * 11 % 6],
        "relationship": np.array(RELATIONS)[at * 13 % 5],
    }
    score = (age - 38) / 15 + (hours - 40) / 20 + (education == "Masters") - (education == "11th")
    return columns, (score > 0).astype(np.int64)


def census_columns(tf):
    fc = tf.feature_column
    age, hours = fc.numeric_column("age"), fc.numeric_column("hours_per_week")
    education = fc.categorical_column_with_vocabulary_list("education", EDUCATION[:5])
    relationship = fc.categorical_column_with_vocabulary_list("relationship", RELATIONS, num_oov_buckets=1)
    occupation = fc.categorical_column_with_hash_bucket("occupation", hash_bucket_size=12)
    buckets = fc.bucketized_column(age, boundaries=[18, 25, 30, 35, 40, 45, 50, 55, 60, 65])
    base = [education, relationship, occupation, buckets]
    crossed = [
        fc.crossed_column(["education", "occupation"], hash_bucket_size=30),
        fc.crossed_column([buckets, "education", "occupation"], hash_bucket_size=50),
    ]
    numbers = [
        age,
        hours,
        fc.numeric_column("education_num"),
        fc.numeric_column("capital_gain", normalizer_fn=lambda x: tf.log(x + 1.0)),
    ]
    deep = numbers + [
        fc.indicator_column(education),
        fc.indicator_column(relationship),
        fc.embedding_column(occupation, dimension=3),
    ]
    return base + crossed, deep


CENSUS = {
    "dnn/input_from_feature_columns/input_layer/occupation_embedding/embedding_weights": (12, 3),
    "dnn/hiddenlayer_0/kernel": (18, 8),
    "dnn/hiddenlayer_0/bias": (8,),
    "dnn/hiddenlayer_1/kernel": (8, 4),
    "dnn/hiddenlayer_1/bias": (4,),
    "dnn/logits/kernel": (4, 1),
    "dnn/logits/bias": (1,),
}


def census_model(tf, kind):
    wide, deep = census_columns(tf)
    config = tf.estimator.RunConfig(model_dir=tempfile.mkdtemp(), save_checkpoints_steps=20)
    if kind == "wide":
        return tf.estimator.LinearClassifier(wide, config=config)
    options = {"config": config, "warm_start_from": checkpoint(tf, CENSUS)}
    if kind == "deep":
        return tf.estimator.DNNClassifier([8, 4], deep, **options)
    options["warm_start_from"] = tf.estimator.WarmStartSettings(options["warm_start_from"], "dnn.*")
    return tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=[8, 4], **options
    )


@program(cases=["wide", "deep", "wide_deep"], oracle="1.15", graph=False, tol=5e-4)
def census(tf, case):
    """train_and_evaluate with all kinds of columns, then a second round from the checkpoint."""
    train, test = people(64), people(32, 64)
    model = census_model(tf, case)
    numpy_input = tf.estimator.inputs.numpy_input_fn
    train_input = numpy_input(train[0], train[1], batch_size=16, num_epochs=None, shuffle=False)
    eval_input = numpy_input(test[0], test[1], batch_size=16, num_epochs=1, shuffle=False)
    rounds = []
    for steps in (20, 30):
        result, _ = tf.estimator.train_and_evaluate(
            model,
            tf.estimator.TrainSpec(train_input, max_steps=steps),
            tf.estimator.EvalSpec(eval_input, steps=None, throttle_secs=0),
        )
        rounds.append(sorted(result.items()))
    chances = [each["probabilities"] for each in model.predict(eval_input, predict_keys="probabilities")]
    return rounds, np.array(chances), len(model.get_variable_names())


# -- with the rest of the library --------------------------------------------------------------------------------------


@program(oracle="1.15", graph=False, tol=1e-4)
def from_another_estimator(tf):
    """A model that starts from what another has learned; an evaluation before any training."""
    x, y = flowers(30)
    columns = [tf.feature_column.numeric_column(key) for key in KEYS]
    give = tf.estimator.inputs.numpy_input_fn(x, y, batch_size=30, num_epochs=None, shuffle=False)
    first = tf.estimator.LinearClassifier(columns, n_classes=3, model_dir=tempfile.mkdtemp())
    before = first.evaluate(give, steps=1)
    first.train(give, steps=5)
    second = tf.estimator.LinearClassifier(
        columns, n_classes=3, model_dir=tempfile.mkdtemp(), warm_start_from=first.model_dir, optimizer="SGD"
    )
    second.train(give, steps=1)
    return [sorted(each.items()) for each in (before, first.evaluate(give, steps=1), second.evaluate(give, steps=1))]


@program(oracle="1.15", graph=False, tol=1e-4)
def exported(tf):
    """An exported model: its signatures, and what it says of Examples."""
    fc = tf.feature_column
    s = fc.categorical_column_with_vocabulary_list("s", ["a", "b"])
    columns = [fc.numeric_column("x", default_value=2.0), s]
    features = {"x": np.array([1.0, 2.0, -1.0], np.float32), "s": np.array(["a", "b", "c"])}
    give = tf.estimator.inputs.numpy_input_fn(features, np.array([1, 0, 1]), 3, num_epochs=None, shuffle=False)
    model = tf.estimator.LinearClassifier(columns, model_dir=tempfile.mkdtemp())
    model.train(give, steps=10)
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(fc.make_parse_example_spec(columns))
    folder = model.export_saved_model(tempfile.mkdtemp(), receiver)

    def example(**values):
        kinds = {float: "float_list", bytes: "bytes_list"}
        lists = {float: tf.train.FloatList, bytes: tf.train.BytesList}
        given = {key: tf.train.Feature(**{kinds[type(v)]: lists[type(v)](value=[v])}) for key, v in values.items()}
        return tf.train.Example(features=tf.train.Features(feature=given)).SerializeToString()

    with tf.Graph().as_default(), tf.Session() as sess:
        loaded = tf.saved_model.loader.load(sess, ["serve"], folder)
        said = {}
        for name, signature in sorted(loaded.signature_def.items()):
            inputs = {key: (info.name, info.dtype) for key, info in signature.inputs.items()}
            outputs = {key: info.name for key, info in signature.outputs.items()}
            (fed,) = [info.name for info in signature.inputs.values()]
            values = sess.run(outputs, {fed: [example(x=1.5, s=b"a"), example(s=b"b"), example()]})
            said[name] = signature.method_name, sorted(inputs.items()), sorted(values.items())
    return sorted(said.items())


@program(oracle="1.15", graph=False, tol=1e-4)
def exported_raw(tf):
    """Where the inputs are not Examples, signatures of classification and regression are left out."""
    model = tf.estimator.LinearRegressor([tf.feature_column.numeric_column("x")], model_dir=tempfile.mkdtemp())
    give = tf.estimator.inputs.numpy_input_fn(
        {"x": np.array([[1.0], [2.0]], np.float32)}, np.array([1.0, 2.0]), 2, num_epochs=None, shuffle=False
    )
    model.train(give, steps=3)

    def receiver():
        x = tf.placeholder(tf.float32, [None, 1], name="x")
        return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})

    folder = model.export_saved_model(tempfile.mkdtemp(), receiver)
    with tf.Graph().as_default(), tf.Session() as sess:
        return sorted(tf.saved_model.loader.load(sess, ["serve"], folder).signature_def)


@program(oracle="1.15", graph=False)
def best_exports(tf):
    """Which evaluations are followed by an export: those better than all before, also of an earlier program."""
    columns = [tf.feature_column.numeric_column("x")]
    spec = tf.feature_column.make_parse_example_spec(columns)
    folder, exports = tempfile.mkdtemp(), []

    def rounds(losses, **options):
        exporter = tf.estimator.BestExporter(
            serving_input_receiver_fn=tf.estimator.export.build_parsing_serving_input_receiver_fn(spec), **options
        )
        for number, loss in enumerate(losses):
            found = exporter.export(model, os.path.join(folder, "export"), None, {"loss": loss, "auc": -loss}, False)
            exports.append((exporter.name, number, found is not None))

    model = tf.estimator.LinearClassifier(columns, model_dir=folder)
    give = tf.estimator.inputs.numpy_input_fn(
        {"x": np.array([1.0, -1.0], np.float32)}, np.array([0, 1]), 2, num_epochs=None, shuffle=False
    )
    model.train(give, steps=1)
    model.evaluate(give, steps=1, name="other")
    rounds([3.0, 2.0, 2.5, 1.5, 1.5], event_file_pattern="eval_other/none*")
    model.evaluate(give, steps=1)
    rounds([3.0, 0.1, 0.2])
    rounds([3.0, 4.0], event_file_pattern=None, name="other", exports_to_keep=1)
    by_auc = {"compare_fn": lambda best_eval_result, current_eval_result: best_eval_result["auc"] < 0}
    rounds([3.0, 4.0, -1.0, 5.0], event_file_pattern="eval/none*", **by_auc)
    return exports, len(os.listdir(os.path.join(folder, "export"))) > 1


@program(oracle="1.15", graph=False, messages=[])
def best_exports_that_cannot_be(tf):
    exporter = tf.estimator.BestExporter
    return [
        attempt(exporter, compare_fn=None),
        attempt(exporter, compare_fn=lambda best_eval_result: True),
        attempt(exporter, compare_fn=lambda best_eval_result, current_eval_result, more: True),
        attempt(exporter, exports_to_keep=0),
    ]


@program(oracle="1.15", graph=False, tol=1e-4)
def exported_with_a_file(tf):
    """A vocabulary's file goes with the model, and is not needed any more."""
    path = os.path.join(tempfile.mkdtemp(), "words.txt")
    with open(path, "w") as file:
        file.write("a\nb\n")
    s = tf.feature_column.categorical_column_with_vocabulary_file("s", path)
    give = tf.estimator.inputs.numpy_input_fn(
        {"s": np.array(["a", "b"])}, np.array([1.0, 2.0]), 2, num_epochs=None, shuffle=False
    )
    model = tf.estimator.LinearRegressor([s], model_dir=tempfile.mkdtemp())
    model.train(give, steps=3)

    def receiver():
        s = tf.placeholder(tf.string, [None], name="s")
        return tf.estimator.export.ServingInputReceiver(s, s)

    def receivers():
        s = tf.placeholder(tf.string, [None], name="s")
        return tf.estimator.export.ServingInputReceiver({"s": s}, s)

    folder = model.export_saved_model(tempfile.mkdtemp(), receivers)
    os.remove(path)
    with tf.Graph().as_default(), tf.Session() as sess:
        loaded = tf.saved_model.loader.load(sess, ["serve"], folder)
        assets = sorted(os.listdir(os.path.join(folder.decode(), "assets")))
        output = loaded.signature_def["predict"].outputs["predictions"].name
        return assets, sess.run(output, {"s:0": ["b", "a", "c"]}), attempt(model.export_saved_model, folder, receiver)


@program(oracle="1.15", graph=False)
def parse_example_specs(tf):
    fc = tf.feature_column
    columns = [fc.numeric_column("x"), fc.categorical_column_with_hash_bucket("h", 5)]
    classify = tf.estimator.classifier_parse_example_spec
    regress = tf.estimator.regressor_parse_example_spec
    specs = [
        classify(columns, "y"),
        classify(columns, "y", tf.string, "none", weight_column="w"),
        regress(columns, "y", label_dimension=3),
        regress(columns, "y", weight_column=fc.numeric_column("w", dtype=tf.int64)),
    ]
    found = [sorted((key, type(value).__name__, tuple(value)) for key, value in spec.items()) for spec in specs]
    return found, attempt(classify, columns, "x"), attempt(regress, columns, "y", weight_column="x")


# -- what is refused ---------------------------------------------------------------------------------------------------


def trained(tf, make, features, labels):
    give = tf.estimator.inputs.numpy_input_fn(features, labels, batch_size=3, num_epochs=1, shuffle=False)
    return attempt(lambda: make().train(give, steps=1) and None)


@program(oracle="1.15", graph=False, messages=[])
def estimators_that_cannot_be(tf):
    E, n = tf.estimator, [tf.feature_column.numeric_column("x")]
    tries = [
        (E.LinearClassifier, n, None, 1), (E.LinearClassifier, n, None, None), (E.DNNClassifier, [2], n, None, 0),
        (E.LinearRegressor, n, None, 0),
        (lambda: E.LinearClassifier(n, loss_reduction="none")), (lambda: E.LinearClassifier(n, loss_reduction="x")),
        (lambda: E.LinearClassifier(n, label_vocabulary="ab")),
        (lambda: E.LinearClassifier(n, n_classes=3, label_vocabulary="ab")),
        (lambda: E.DNNRegressor([2], n, loss_reduction="none")),
        (E.DNNLinearCombinedClassifier,), (lambda: E.DNNLinearCombinedRegressor(dnn_hidden_units=[3])),
        (lambda: E.LinearClassifier(n, warm_start_from=3)), (lambda: E.LinearClassifier(n, config=3)),
    ]  # fmt: skip
    return [attempt(each) if callable(each) else attempt(*each) for each in tries]


@program(oracle="1.15", graph=False, messages=[])
def trainings_that_cannot_be(tf):
    E, fc = tf.estimator, tf.feature_column
    n = [fc.numeric_column("x")]
    x = np.array([1.0, 2.0, 3.0], np.float32)
    ids, words, floats = np.array([0, 1, 1]), np.array(["a", "b", "a"]), np.array([0.0, 1.0, 0.5], np.float32)
    category = fc.categorical_column_with_identity("i", 3)

    def try_(make, labels, **features):
        return trained(tf, make, features or {"x": x}, labels)

    folder = tempfile.mkdtemp

    return [
        try_(lambda: E.LinearClassifier(n, folder()), None),
        try_(lambda: E.LinearClassifier(n, folder()), np.array([0, 1, 2])),
        try_(lambda: E.LinearClassifier(n, folder()), np.array([0, 1, -1])),
        try_(lambda: E.LinearClassifier(n, folder()), np.zeros([3, 2], np.int64)),
        try_(lambda: E.LinearClassifier(n, folder()), words),
        try_(lambda: E.LinearClassifier(n, folder(), n_classes=3), np.array([0, 1, 3])),
        try_(lambda: E.LinearClassifier(n, folder(), n_classes=3), floats),
        try_(lambda: E.LinearClassifier(n, folder(), n_classes=3, label_vocabulary=["a", "b", "c"]), ids),
        try_(lambda: E.LinearClassifier(n, folder(), label_vocabulary=["a", "c"]), words),
        try_(lambda: E.LinearClassifier(n, folder(), weight_column="w"), ids),
        try_(lambda: E.LinearClassifier(n, folder(), weight_column=3), ids),
        try_(lambda: E.LinearClassifier(n, folder(), weight_column="w"), ids, x=x, w=np.ones([3, 2], np.float32)),
        try_(lambda: E.LinearClassifier(n, folder(), optimizer="Best"), ids),
        try_(lambda: E.LinearClassifier(n, folder(), optimizer=3), ids),
        try_(lambda: E.LinearClassifier(n, folder(), optimizer=lambda: 3), ids),
        try_(lambda: E.LinearClassifier([], folder()), ids),
        try_(lambda: E.LinearRegressor(n, folder(), label_dimension=2), floats),
        try_(lambda: E.LinearRegressor(n, folder()), words),
        try_(lambda: E.DNNRegressor([2], [category], folder()), floats, i=ids),
        try_(lambda: E.DNNRegressor([2], [fc.numeric_column("missing")], folder()), floats),
        try_(lambda: E.DNNLinearCombinedRegressor(folder(), dnn_feature_columns=n), floats),
        attempt(lambda: next(E.LinearClassifier(n, folder()).predict(lambda: tf.constant([[1.0]])))),
        attempt(lambda: E.DNNClassifier([2], n, folder()).train(lambda: (tf.constant([[1.0]]), tf.constant([1])))),
    ]
