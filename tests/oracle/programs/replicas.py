"""`tf.train.replica_device_setter` and `tf.train.ClusterSpec`; the strategies that TensorFlow 1 kept in contrib."""

from tests.oracle import attempt, program

CLUSTER = {"ps": ["ps0:2222", "ps1:2222"], "worker": {1: "w1:2222", 0: "w0:2222"}}


def build(tf, setter):
    with tf.device(setter):
        a = tf.Variable(1.0, name="a")
        b = tf.get_variable("b", [2])
        with tf.device("/gpu:1"):
            c = tf.Variable(1.0, name="c")
        with tf.device("/job:ps/task:5"):
            d = tf.Variable(1.0, name="d")
        with tf.device("/job:other"):
            e = tf.Variable(1.0, name="e")
        f = tf.get_variable("f", [2], use_resource=True)
        g = a + c
        with tf.device("/cpu:0"):
            h = tf.identity(g, name="h")
        i = tf.Variable(1.0, name="i")
    return [x.op.device for x in (a, b, c, d, e, f, g, h, i)]


@program(
    cases={
        "default": {},
        "three tasks": {"ps_tasks": 3},
        "cluster": {"cluster": CLUSTER},
        "no such job": {"cluster": CLUSTER, "ps_device": "/job:foo"},
        "one job": {"cluster": {"worker": ["a"]}},
        "worker": {"cluster": CLUSTER, "worker_device": "/job:worker/task:1/gpu:0"},
        "server device": {"cluster": CLUSTER, "ps_device": "/job:ps/cpu:0"},
        "no job": {"ps_tasks": 2, "ps_device": "/cpu:0"},
        "other ops": {"ps_tasks": 2, "ps_ops": ["AddV2"]},
        "not merged": {"ps_tasks": 2, "merge_devices": False},
        "no worker": {"ps_tasks": 2, "worker_device": None},
        "no server": {"ps_tasks": 2, "ps_device": None},
    }
)
def device_setter(tf, case):
    setter = tf.train.replica_device_setter(**case)
    return setter is None, build(tf, setter)


@program()
def a_strategy(tf):
    seen = []

    def strategy(op):
        seen.append((op.name, op.type))
        return len(seen) * 10

    return build(tf, tf.train.replica_device_setter(ps_tasks=2, ps_strategy=strategy)), seen


@program()
def a_cluster_as_message_or_spec(tf):
    spec = tf.train.ClusterSpec(CLUSTER)
    setters = [tf.train.replica_device_setter(cluster=cluster) for cluster in (spec, spec.as_cluster_def())]
    return [build(tf, setters[0]), str(spec.as_cluster_def())]


@program(graph=False)
def wrong_arguments(tf):
    setter = tf.train.replica_device_setter
    return [
        attempt(lambda: setter(ps_tasks=2, ps_strategy=3)),
        attempt(lambda: setter(cluster=7)),
        attempt(lambda: setter(cluster={"ps": 3})),
    ]


@program(graph=False)
def cluster_spec(tf):
    spec = tf.train.ClusterSpec(CLUSTER)
    gap = tf.train.ClusterSpec({"worker": {2: "x"}})
    return {
        "repr": repr(spec),
        "jobs": spec.jobs,
        "tasks": spec.num_tasks("worker"),
        "indices": spec.task_indices("worker"),
        "address": spec.task_address("ps", 1),
        "addresses": spec.job_tasks("worker"),
        "gap": [gap.as_dict()["worker"][2], gap.job_tasks("worker"), gap.num_tasks("worker")],
        "truth": [bool(spec), bool(tf.train.ClusterSpec({}))],
        "equal": [spec == tf.train.ClusterSpec(spec), spec != gap, spec == 3],
        "again": tf.train.ClusterSpec(spec.as_dict()) == spec,
        "message": tf.train.ClusterSpec(spec.as_cluster_def()) == spec,
    }


@program(graph=False)
def wrong_clusters(tf):
    spec = tf.train.ClusterSpec(CLUSTER)
    wrong = [3, {"a": 3}, {"a": [1]}, {3: ["a"]}, {"a": {"x": "y"}}, [("a", ["b"])], None]
    calls = [
        lambda: spec.num_tasks("zz"),
        lambda: spec.task_indices("zz"),
        lambda: spec.job_tasks("zz"),
        lambda: spec.task_address("zz", 0),
        lambda: spec.task_address("ps", 7),
        lambda: hash(spec),
    ]
    return [attempt(tf.train.ClusterSpec, cluster) for cluster in wrong] + [attempt(call) for call in calls]


@program(oracle="1.15", graph=False)
def strategies(tf):
    from importlib import import_module

    training = import_module(tf.__name__ + ".contrib.training")
    variables = [tf.get_variable(name, [size]) for name, size in [("a", 30), ("b", 10), ("c", 5), ("d", 5), ("e", 20)]]
    sizes = [training.byte_size_load_fn(v.op) for v in variables]
    greedy = training.GreedyLoadBalancingStrategy(3, training.byte_size_load_fn)
    chosen = [greedy(v.op) for v in variables]
    random, other = training.RandomStrategy(7), training.RandomStrategy(7, seed=3)
    unknown = tf.placeholder(tf.float32)
    return (
        sizes,
        chosen,
        [random(v.op) for v in variables],
        [other(v.op) for v in variables],
        attempt(training.byte_size_load_fn, unknown.op),
    )
