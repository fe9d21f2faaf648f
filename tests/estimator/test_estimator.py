"""`tf.estimator`. Numbers, names, files and errors are TensorFlow 1.15's for the same program."""

from __future__ import annotations

import logging
import os
import re

import numpy as np
import pytest

import tfbench as tf

X = np.arange(40, dtype=np.float32).reshape(20, 2) / 40
Y = (X.sum(1, keepdims=True) * 2).astype(np.float32)
MODES = tf.estimator.ModeKeys


def model_fn(features, labels, mode, params, config):
    weights = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    predicted = tf.matmul(features["x"], weights)
    if mode == MODES.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"p": predicted, "twice": predicted * 2})
    loss = tf.reduce_mean(tf.square(predicted - labels))
    train = tf.train.GradientDescentOptimizer(params["lr"]).minimize(loss, global_step=tf.train.get_global_step())
    metrics = {"mae": tf.metrics.mean_absolute_error(labels, predicted)}
    return tf.estimator.EstimatorSpec(mode, predictions=predicted, loss=loss, train_op=train, eval_metric_ops=metrics)


def estimator(folder, **settings):
    config = tf.estimator.RunConfig(tf_random_seed=1, **settings)
    return tf.estimator.Estimator(model_fn, model_dir=str(folder), params={"lr": 0.5}, config=config)


def arrays(batch_size=5, num_epochs=None, labels=True):
    return tf.estimator.inputs.numpy_input_fn(
        {"x": X}, Y if labels else None, batch_size=batch_size, num_epochs=num_epochs, shuffle=False
    )


def dataset(repeat=None):
    return lambda: tf.data.Dataset.from_tensors(({"x": X}, Y)).repeat(repeat)


@pytest.fixture
def trained(tmp_path):
    found = estimator(tmp_path, save_checkpoints_steps=4, save_summary_steps=2, log_step_count_steps=2)
    assert found.train(arrays(), steps=6) is found
    return found


class Seen(tf.train.SessionRunHook):
    def begin(self):
        self.ops = [(op.name, op.type) for op in tf.get_default_graph().get_operations()]
        self.fetches = []

    def before_run(self, context):
        self.fetches.append(context.original_args.fetches)


def test_trains(trained):
    assert sorted(name for name in os.listdir(trained.model_dir) if "events" not in name) == [
        "checkpoint", "graph.pbtxt",
        *[f"model.ckpt-{step}.{end}" for step in (0, 4, 6) for end in ("data-00000-of-00001", "index", "meta")],
    ]  # fmt: skip
    np.testing.assert_allclose(trained.get_variable_value("w").ravel(), [2.0664456, 2.166194], rtol=1e-5)
    assert trained.get_variable_names() == ["global_step", "w"]
    assert os.path.basename(trained.latest_checkpoint()) == "model.ckpt-6"


def test_the_order_and_the_words_of_the_log(tmp_path, caplog):
    with caplog.at_level(logging.INFO, logger="tensorflow"):
        tf.logging.set_verbosity(tf.logging.INFO)
        made = estimator(tmp_path, save_checkpoints_steps=4, log_step_count_steps=2)
        made.train(arrays(), steps=3)
    said = [record.getMessage() for record in caplog.records]
    wanted = [
        "Using config: ", "Calling model_fn.", "Done calling model_fn.", "Create CheckpointSaverHook.",
        "Graph was finalized.", "Running local_init_op.", "Done running local_init_op.",
        "Saving checkpoints for 0 into",
        "loss = 0.28249997, step = 1", "loss = 2.991518, step = 3", "Saving checkpoints for 3 into",
        "Loss for final step: 2.991518.",
    ]  # fmt: skip
    places = [next(i for i, text in enumerate(said) if text.startswith(start)) for start in wanted]
    assert places == sorted(places), said


def test_evaluates(trained):
    seen = Seen()
    result = trained.evaluate(arrays(num_epochs=1), hooks=[seen], name="v")
    assert {key: type(value) for key, value in result.items()} == {
        "loss": np.float32, "mae": np.float32, "global_step": np.int64,
    }  # fmt: skip
    assert result["global_step"] == 6
    assert result["loss"] == pytest.approx(0.017645415, rel=1e-4)
    assert result["mae"] == pytest.approx(0.11465861, rel=1e-4)
    assert [[item.name for item in fetch] for fetch in seen.fetches] == [["group_deps", "AssignAdd:0"]] * 5
    assert [name for name, _ in seen.ops[-6:]] == [
        "eval_step/Assign", "eval_step/read", "AssignAdd/value", "AssignAdd", "read", "Identity",
    ]  # fmt: skip
    (events,) = os.listdir(trained.eval_dir("v"))
    summaries = [
        value.tag
        for event in tf.train.summary_iterator(os.path.join(trained.eval_dir("v"), events))
        for value in event.summary.value
    ]
    assert summaries == ["loss", "mae", "checkpoint_path"]


def test_evaluates_so_many_batches(trained):
    whole = trained.evaluate(arrays(num_epochs=1))
    part = trained.evaluate(arrays(num_epochs=1), steps=2)
    assert part["loss"] != whole["loss"]
    with pytest.raises(ValueError, match="Must specify steps > 0, given: 0"):
        trained.evaluate(arrays(), steps=0)


def test_predicts(trained):
    seen = Seen()
    one = [row["p"] for row in trained.predict(arrays(8, 1, labels=False), predict_keys=["p"], hooks=[seen])]
    assert len(one) == 20
    np.testing.assert_allclose([one[0][0], one[19][0]], [0.05415485, 4.0751624], rtol=1e-4)
    assert [name for name, _ in seen.ops][-6:-1] == ["w", "w/Assign", "w/read", "MatMul", "mul/y"]
    queue = [name for name, _ in seen.ops if "queue" in name]
    assert queue[0] == "enqueue_input/fifo_queue"
    assert queue[-3:] == [
        "enqueue_input/queue/enqueue_input/fifo_queuefraction_over_0_of_1000_full",
        "fifo_queue_DequeueUpTo/n",
        "fifo_queue_DequeueUpTo",
    ]
    whole = list(trained.predict(arrays(8, 1, labels=False), yield_single_examples=False))
    assert [batch["twice"].shape for batch in whole] == [(8, 1), (8, 1), (4, 1)]


def test_data_sets_and_global_steps(tmp_path):
    made = estimator(tmp_path)
    steps = lambda: int(made.get_variable_value("global_step"))
    made.train(dataset(), steps=3)
    assert steps() == 3
    made.train(dataset(), max_steps=3)  # has been reached
    assert steps() == 3
    made.train(dataset(2))  # until the input ends
    assert steps() == 5
    made.train(dataset(), max_steps=7)
    assert steps() == 7


def test_functions_get_what_they_name(tmp_path):
    told = {}

    def input_fn(params, mode, config):
        told.update(params=params, mode=mode, seed=config.tf_random_seed)
        return dataset(1)()

    estimator(tmp_path).train(input_fn, steps=1)
    assert told == {"params": {"lr": 0.5}, "mode": "train", "seed": 1}


def test_without_a_checkpoint_it_is_as_initialized(tmp_path):
    made = estimator(tmp_path)
    assert made.evaluate(dataset(1))["global_step"] == 0
    assert next(made.predict(lambda: tf.data.Dataset.from_tensors({"x": X})))["p"] == 0
    with pytest.raises(ValueError, match="Estimator has not been trained yet"):
        made.get_variable_value("w")


def test_a_model_that_raises_leaves_the_folder_as_it_was(trained):
    before = sorted(os.listdir(trained.model_dir))

    def broken(features, labels, mode):
        raise RuntimeError("no model")

    other = tf.estimator.Estimator(broken, model_dir=trained.model_dir)
    for call in (lambda: other.train(arrays(), steps=1), lambda: other.evaluate(arrays(num_epochs=1))):
        with pytest.raises(RuntimeError, match="no model"):
            call()
    assert sorted(os.listdir(trained.model_dir)) == before
    assert trained.train(arrays(), steps=1).get_variable_value("global_step") == 7


def test_nan_loss_stops(tmp_path):
    def nan(features, labels, mode):
        variable = tf.get_variable("v", [])
        loss = variable * np.nan
        step = tf.train.get_global_step()
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(step, 1))

    with pytest.raises(tf.estimator.NanLossDuringTrainingError):
        tf.estimator.Estimator(nan, model_dir=str(tmp_path)).train(dataset(), steps=3)


def test_listeners_hear_of_checkpoints(tmp_path):
    class Listener(tf.estimator.CheckpointSaverListener):
        def __init__(self):
            self.steps = []

        def after_save(self, session, global_step_value):
            self.steps.append(int(global_step_value))

    listener = Listener()
    estimator(tmp_path, save_checkpoints_steps=2).train(dataset(), steps=4, saving_listeners=[listener])
    assert listener.steps == [0, 2, 4]
    silent = estimator(tmp_path, save_checkpoints_steps=None, save_checkpoints_secs=None)
    with pytest.raises(ValueError, match="There should be a CheckpointSaverHook"):
        silent.train(dataset(), steps=1, saving_listeners=[listener])


def test_train_and_evaluate_and_export(tmp_path):
    made = estimator(tmp_path, save_checkpoints_steps=5)
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": tf.placeholder(tf.float32, [None, 2])})
    exporter = tf.estimator.FinalExporter("final", receiver)
    result, exported = tf.estimator.train_and_evaluate(
        made,
        tf.estimator.TrainSpec(dataset(), max_steps=20),
        tf.estimator.EvalSpec(dataset(2), exporters=exporter, throttle_secs=0),
    )
    assert result["global_step"] == 20
    (path,) = exported
    assert os.path.dirname(path.decode()) == os.path.join(made.model_dir, "export", "final")
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], path.decode())
        signature = meta.signature_def["serving_default"]
        feed = {signature.inputs["x"].name: X[:3]}
        served = session.run(signature.outputs["p"].name, feed)
    np.testing.assert_allclose(served, X[:3] @ made.get_variable_value("w"), rtol=1e-5)
    assert not [name for name in os.listdir(os.path.dirname(path.decode())) if "partial" in name]


def test_warm_start(trained, tmp_path_factory):
    config = tf.estimator.RunConfig(tf_random_seed=1)
    folder = str(tmp_path_factory.mktemp("warm"))
    warm = tf.estimator.Estimator(
        model_fn, model_dir=folder, params={"lr": 0.0}, config=config, warm_start_from=trained.model_dir
    )
    warm.train(dataset(), steps=1)
    np.testing.assert_allclose(warm.get_variable_value("w"), trained.get_variable_value("w"))
    assert warm.get_variable_value("global_step") == 1
    settings = tf.estimator.WarmStartSettings(trained.model_dir, var_name_to_prev_var_name={"w": "nothing"})
    lost = tf.estimator.Estimator(model_fn, folder + "x", config, {"lr": 0.0}, settings)
    with pytest.raises(ValueError, match="Tensor nothing is not found in"):
        lost.train(dataset(), steps=1)


# -- what is refused -------------------------------------------------------------------------------------------------


def spec_cases():
    vector, loss, op = tf.constant([1.0, 2.0]), tf.constant(1.0), tf.no_op()
    with tf.Graph().as_default():
        foreign_loss, foreign_op = tf.constant(1.0), tf.no_op()
    return [
        ((MODES.TRAIN,), {}, ValueError, "Missing train_op."),
        ((MODES.TRAIN,), {"train_op": op}, ValueError, "Missing loss."),
        ((MODES.EVAL,), {}, ValueError, "Missing loss."),
        ((MODES.PREDICT,), {}, ValueError, "Missing predictions."),
        ((MODES.TRAIN,), {"loss": vector, "train_op": op}, ValueError, "Loss must be scalar, given: Tensor"),
        ((MODES.TRAIN,), {"loss": 1.0, "train_op": op}, TypeError, "loss must be Tensor, given: 1.0"),
        ((MODES.TRAIN,), {"loss": loss, "train_op": 3}, TypeError, "train_op must be Operation or Tensor, given: 3"),
        ((MODES.PREDICT,), {"predictions": 3.0}, TypeError, "predictions must be Tensor, given: 3.0"),
        ((MODES.PREDICT,), {"predictions": {"a": 3.0}}, TypeError, "predictions[a] must be Tensor, given: 3.0"),
        ((MODES.EVAL,), {"loss": loss, "eval_metric_ops": [1]}, TypeError, "eval_metric_ops must be a dict, given"),
        (
            (MODES.EVAL,), {"loss": loss, "eval_metric_ops": {"a": 3}}, TypeError,
            "Values of eval_metric_ops must be (metric_value, update_op) tuples, given: 3 for key: a",
        ),
        (
            (MODES.TRAIN,), {"loss": loss, "train_op": op, "training_hooks": [3]}, TypeError,
            "All hooks must be SessionRunHook instances, given: 3",
        ),
        (
            (MODES.TRAIN,), {"loss": loss, "train_op": op, "scaffold": 3}, TypeError,
            "scaffold must be tf.train.Scaffold. Given: 3",
        ),
        (
            (MODES.PREDICT,), {"predictions": vector, "export_outputs": [3]}, TypeError,
            "export_outputs must be dict, given: [3]",
        ),
        (
            (MODES.PREDICT,), {"predictions": vector, "export_outputs": {"a": 3}}, TypeError,
            "Values in export_outputs must be ExportOutput objects. Given: {'a': 3}",
        ),
        (
            (MODES.TRAIN,), {"loss": foreign_loss, "train_op": foreign_op}, ValueError,
            'train_op with "NoOp" must be from the default graph.',
        ),
    ]  # fmt: skip


def test_specs_that_are_refused():
    with tf.Graph().as_default():
        for args, kwargs, error, message in spec_cases():
            with pytest.raises(error, match=re.escape(message)):
                tf.estimator.EstimatorSpec(*args, **kwargs)
        one = tf.estimator.EstimatorSpec(MODES.TRAIN, loss=tf.constant([1.0]), train_op=tf.no_op())
        assert one.loss.shape == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"save_checkpoints_steps": 1, "save_checkpoints_secs": 1}, "cannot be both set"),
        ({"save_summary_steps": -1}, "save_summary_steps should be >= 0"),
        ({"keep_checkpoint_max": -1}, "keep_checkpoint_max should be >= 0"),
        ({"tf_random_seed": 1.5}, "tf_random_seed must be integer."),
        ({"model_dir": ""}, "model_dir should be non-empty."),
        ({"log_step_count_steps": 0}, "log_step_count_steps should be > 0"),
        ({"session_config": 3}, "session_config must be instance of ConfigProto"),
        ({"train_distribute": object()}, "no distribution strategies"),
    ],
)
def test_settings_that_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        tf.estimator.RunConfig(**settings)


def test_settings_are_replaced():
    config = tf.estimator.RunConfig(model_dir="/tmp/a")
    other = config.replace(tf_random_seed=5)
    assert (other.tf_random_seed, other.model_dir, config.tf_random_seed) == (5, "/tmp/a", None)
    assert config.replace(save_checkpoints_steps=3).save_checkpoints_secs is None
    with pytest.raises(ValueError, match=r"Replacing foo is not supported\. Allowed properties are"):
        config.replace(foo=3)
    with pytest.raises(AttributeError, match="'foo'"):
        config.foo


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (None, {}, "model_fn must be provided to Estimator."),
        (lambda labels: None, {}, "must include features argument."),
        (lambda features, foo: None, {}, r"has following not expected args: \['foo'\]"),
        (lambda features: None, {"params": {"a": 1}}, "does not include params argument, but params"),
        (lambda features: None, {"config": 3}, "config must be an instance of `RunConfig`, but provided 3."),
        (lambda features: None, {"warm_start_from": 3}, "warm_start_from must be a string"),
        (lambda features: None, {"config": tf.estimator.RunConfig("/tmp/b")}, "with different values"),
    ],
)
def test_estimators_that_are_refused(tmp_path, function, options, message):
    with pytest.raises(ValueError, match=message):
        tf.estimator.Estimator(function, str(tmp_path), **options)


def test_calls_that_are_refused(tmp_path):
    made = estimator(tmp_path)
    nothing = tf.estimator.Estimator(lambda features, labels, mode: None, str(tmp_path))
    for call, error, message in (
        (lambda: made.train(arrays(), steps=1, max_steps=2), ValueError, "Can not provide both steps and max_steps."),
        (lambda: made.train(arrays(), steps=0), ValueError, "Must specify steps > 0, given: 0"),
        (lambda: made.train(arrays(), max_steps=-1), ValueError, "Must specify max_steps > 0, given: -1"),
        (lambda: made.train(3, steps=1), TypeError, "unsupported callable"),
        (lambda: made.train(lambda: (1, 2, 3), steps=1), ValueError, "as a len 2 tuple"),
        (lambda: made.train(arrays(), hooks=[3], steps=1), TypeError, "SessionRunHook"),
        (lambda: nothing.train(arrays(), steps=1), ValueError, "model_fn should return an EstimatorSpec."),
        (
            lambda: list(made.predict(lambda: tf.data.Dataset.from_tensors({"x": X}), predict_keys=["z"])),
            ValueError, "Expected to run at least one output from",
        ),
        (lambda: tf.estimator.TrainSpec(3), TypeError, "`input_fn` must be callable, given: 3"),
        (lambda: tf.estimator.EvalSpec(arrays(), steps=0), ValueError, "Must specify steps > 0, given: 0"),
        (lambda: tf.estimator.train_and_evaluate(3, 4, 5), TypeError, "must have type"),
        (lambda: made.export_saved_model(str(tmp_path), None), ValueError, "Couldn't find trained model at"),
    ):  # fmt: skip
        with pytest.raises(error, match=re.escape(message)):
            call()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"x": {"x": np.zeros((3, 2))}, "y": np.zeros(4)}, ValueError, "Shapes in x: {'x': (3, 2)}\nShapes in y: (4,)"),
        ({"x": {}}, ValueError, "x cannot be an empty dict"),
        ({"x": 3}, TypeError, "x must be a dict or array; got int"),
        ({"x": {"a": np.zeros(3)}, "y": {"a": np.zeros(3)}}, ValueError, "1 duplicate keys are found in both x and y"),
        ({"x": np.zeros(3), "shuffle": None}, ValueError, "shuffle must be provided and explicitly set as boolean"),
    ],
)
def test_arrays_that_are_refused(options, error, message):
    with tf.Graph().as_default(), pytest.raises(error, match=re.escape(message)):
        tf.estimator.inputs.numpy_input_fn(**{"shuffle": False, **options})()


def test_shuffled_arrays_are_all_there():
    with tf.Graph().as_default():
        numbers = tf.estimator.inputs.numpy_input_fn(np.arange(50), batch_size=7, num_epochs=2, shuffle=True)()
        seen = []
        with tf.train.MonitoredSession() as session:
            while not session.should_stop():
                seen += session.run(numbers).tolist()
    assert sorted(seen) == sorted([*range(50)] * 2)
    assert seen != sorted(seen)
