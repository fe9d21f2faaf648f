"""The line magics in a real shell: what they do, what they say when something is wrong, what the tab key offers."""

from __future__ import annotations

import numpy as np
import pytest
from IPython.core.error import UsageError

import tfbench as tf
from tests.magics.conftest import Shell

NET = (
    "%%graph net\n"
    "images = tf.placeholder(tf.float32, [None, 4, 4, 3], name='images')\n"
    "with tf.variable_scope('conv1'):\n"
    "    weights = tf.get_variable('weights', [2, 2, 3, 4])\n"
    "    biases = tf.get_variable('biases', [4], initializer=tf.zeros_initializer())\n"
    "conv = tf.nn.conv2d(images, weights, [1, 1, 1, 1], 'SAME')\n"
    "relu1 = tf.nn.relu(conv + biases, name='relu1')\n"
    "count = tf.Variable(0, name='count', trainable=False)\n"
    "step = tf.assign_add(count, 1, name='step')\n"
)


@pytest.fixture
def net(shell: Shell) -> Shell:
    shell.run(NET, "net")
    return shell


class TestFetch:
    def test_names_and_expressions(self, net: Shell) -> None:
        net.run("%init\nphoto = np.ones([1, 4, 4, 3], np.float32)")
        assert net.run("%fetch relu1 --feed images=photo").shape == (1, 4, 4, 4)
        assert net.run("%fetch relu1:0 --feed images=photo").shape == (1, 4, 4, 4)
        assert net.run("%fetch conv1/biases").tolist() == [0.0] * 4
        bias, kernel = net.run("%fetch biases, weights")
        assert (bias.shape, kernel.shape) == ((4,), (2, 2, 3, 4))
        assert [value.shape for value in net.run("%fetch [biases, weights]")] == [(4,), (2, 2, 3, 4)]
        assert net.run("value = %fetch count\nvalue") == 0
        assert net.run("%fetch step.op, count")[0] is None

    def test_an_expression_leaves_nothing_in_the_graph(self, net: Shell) -> None:
        net.run("%init")
        version = net.bench.graph().version
        assert net.run("%fetch tf.reduce_sum(biases, axis=0) + 2.0") == 2.0
        assert net.bench.graph().version == version
        assert isinstance(net.fail("%fetch biases + 'a'"), TypeError | ValueError)
        assert net.bench.graph().version == version

    def test_feeds_with_spaces_and_several(self, net: Shell) -> None:
        net.run("%init")
        value = net.run("%fetch relu1 --feed images=np.zeros([2, 4, 4, 3]) --feed conv1/biases/read=[1, 2, 3, 4]")
        assert value[1, 0, 0].tolist() == [1.0, 2.0, 3.0, 4.0]

    def test_what_is_of_another_graph_of_the_bench_runs_in_its_session(self, net: Shell) -> None:
        net.run("%init\n%graph use main")
        assert net.run("%fetch biases").tolist() == [0.0] * 4
        assert net.run("%fetch biases + 1.0").tolist() == [1.0] * 4
        assert net.run("%order biases")[-1].op == "conv1/biases"
        assert net.bench.current == "main"
        net.run("other = tf.Graph()\nwith other.as_default(): lonely = tf.constant(1.0)")
        assert "not on the bench" in str(net.fail("%fetch lonely"))

    def test_n_runs_with_progress(self, net: Shell) -> None:
        net.run("%init")
        assert net.run("%fetch step -n 250") == 250
        assert net.out.splitlines(keepends=True)[-2] == "[##############################] 250/250 runs\n"

    def test_n_runs_stopped_halfway_say_how_far_they_came(self, net: Shell) -> None:
        net.run("%init")
        net.run("def stop(value):\n    if value == 3: raise KeyError('enough')\n    return value")
        net.run("%%graph net\nstopping = tf.py_func(stop, [step], tf.int32)\n", "stop")
        net.fail("%fetch stopping -n 10")
        assert "2/10 runs" in net.out

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("", "what shall be run?"),
            ("rleu1", "did you mean relu1?"),
            ("conv1/weigths", "did you mean conv1/weights"),
            ("relu1 --fed images=1", "unknown option --fed: did you mean --feed?"),
            ("relu1 --feed images", "--feed takes name=expression, e.g. --feed images=photo, but got 'images'"),
            ("relu1 --feed imgs=1", "did you mean images"),
            ("relu1 -n 0", "-n must be at least 1"),
            ("relu1 -n many", "-n takes a whole number, but got 'many'"),
            ("None", "not of the graph"),
            ("f(", "')' is missing"),
        ],
    )
    def test_what_is_wrong(self, net: Shell, line: str, message: str) -> None:
        error = net.fail(f"%fetch {line}")
        assert isinstance(error, UsageError)
        assert message in str(error)

    def test_names_that_ipython_brings_are_not_meant(self, net: Shell) -> None:
        net.run("open = quit = In = None")  # they are there, too, where IPython is the whole program
        for text in ("oben", "quite", "Im"):
            assert "did you mean" not in str(net.fail(f"%fetch {text}"))

    def test_errors_of_the_run_are_the_runs(self, net: Shell) -> None:
        error = net.fail("%fetch biases")
        assert isinstance(error, tf.errors.FailedPreconditionError)
        assert "conv1/biases" in str(error)
        assert "%init initializes" in error.__notes__[-1]


class TestInit:
    def test_what_has_no_value_yet(self, net: Shell) -> None:
        net.run("%init conv1")
        assert net.out == "initialized 2 variables: conv1/weights, conv1/biases\n"
        net.run("%init")
        assert net.out == "initialized 1 variable: count; 2 had a value already\n"
        net.run("%init")
        assert net.out == "nothing to initialize: all 3 variables have a value (--all starts over)\n"

    def test_all(self, net: Shell) -> None:
        net.run("%init\n%fetch step")
        net.run("%init count --all")
        assert net.run("%fetch count") == 0

    def test_no_such_variable(self, net: Shell) -> None:
        error = net.fail("%init conv1/weight")
        assert "%init: no variable is called 'conv1/weight': did you mean conv1/weights" in str(error)


class TestTables:
    def test_vars(self, net: Shell) -> None:
        rows = net.run("%vars conv*/w*")
        assert [row.name for row in rows] == ["conv1/weights"]
        assert rows[0].created_at.cell == "In[2]"
        assert rows[0].created_at.line == 4
        assert rows[0].initialized is False
        assert "conv1/weights  (2, 2, 3, 4)  float32" in net.out
        assert isinstance(net.fail("%vars nope"), UsageError)

    def test_ops(self, net: Shell) -> None:
        assert [row.name for row in net.run("%ops relu1")] == ["relu1"]
        assert len(net.run("%ops")) == net.bench.graph().version
        assert "did you mean relu1" in str(net.fail("%ops relu"))

    def test_scopes(self, net: Shell) -> None:
        assert net.run("%scopes")["conv1"].variables == 2
        assert isinstance(net.fail("%scopes x"), UsageError)

    def test_order(self, net: Shell) -> None:
        rows = net.run("%order relu1")
        assert rows[-1].op == "relu1"
        assert "images" not in [row.op for row in net.run("%order relu1 --fed images")]
        assert [row.op for row in net.run("%order count, step")] == ["count", "step/value", "step"]
        version = net.bench.graph().version
        assert net.run("%order relu1 * 2.0")[-1].type == "Mul"
        assert net.bench.graph().version == version
        assert "what would be fetched?" in str(net.fail("%order"))

    def test_they_are_about_the_current_graph(self, net: Shell) -> None:
        net.run("%graph use main")
        assert len(net.run("%vars")) == 0


class TestGraph:
    def test_list(self, net: Shell) -> None:
        assert str(net.run("%graph")).splitlines()[1:] == [
            "main   0           0          -",
            f"net *  {net.bench.graph().version}          3          In[2]",
            "2 graphs",
        ]
        assert net.run("%graph list") == net.run("%graph")

    def test_use_rename_drop(self, net: Shell) -> None:
        net.run("%graph rename network")
        assert net.out == "net is called network now\n"
        net.run("%graph rename network 'my net'")
        net.run("%graph use main")
        assert net.out == "main is the current graph\n"
        net.run("%graph drop 'my net'")
        assert net.out == "my net is gone; main is the current graph\n"

    def test_reset_and_replay(self, net: Shell) -> None:
        net.run("%graph replay")
        assert net.out == "net: 1 cell replayed\n"
        net.run("%graph reset")
        assert net.out == "net: 1 cell dropped (In[2])\n"
        assert net.bench.graph().version == 0

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("uze net", "did you mean use?"),
            ("use ent", "did you mean 'net'?"),
            ("use", "%graph use takes a name, but got 0"),
            ("rename a b c", "takes 1 to 2 names, but got 3"),
            ("rename main net", "'net' is there already"),
            ("drop nope", "no graph is called 'nope'"),
            ("list all", "takes no name"),
        ],
    )
    def test_what_is_wrong(self, net: Shell, line: str, message: str) -> None:
        error = net.fail(f"%graph {line}")
        assert isinstance(error, UsageError)
        assert message in str(error)


class TestPictures:
    def test_filters(self, net: Shell) -> None:
        from matplotlib.figure import Figure

        net.run("%init")
        assert isinstance(net.run("%filters conv1/weights"), Figure)
        assert isinstance(net.run("%filters weights --outputs [0, 1] --scale each"), Figure)
        assert "did you mean" in str(net.fail("%filters conv1/weigths"))
        assert isinstance(net.fail("%filters conv1/weights --scale both"), UsageError)

    def test_activations(self, net: Shell) -> None:
        from matplotlib.figure import Figure

        net.run("%init\nphotos = np.random.RandomState(0).rand(2, 4, 4, 3)")
        assert isinstance(net.run("%activations relu1 --feed images=photos --image 1 --channels [0, 2]"), Figure)
        version = net.bench.graph().version
        assert isinstance(net.run("%activations relu1*2.0 --feed images=photos"), Figure)
        assert net.bench.graph().version == version
        assert "--feed takes name=expression" in str(net.fail("%activations relu1 --feed photos"))


@pytest.mark.parametrize("name", ["fetch", "init", "vars", "ops", "scopes", "order", "graph", "filters", "activations"])
def test_help(shell: Shell, name: str) -> None:
    shell.run(f"%{name}?")
    assert "Example::" in shell.out
    assert f"%{name}" in shell.out
    assert "In Python::" in shell.out


class TestCompletion:
    @pytest.mark.parametrize(
        ("line", "offered"),
        [
            ("%%graph --sc", ["--scope"]),
            ("%%graph --show ", ["map", "vars", "devices", "order", "none"]),
            ("%%graph net --reuse a", ["auto"]),
            ("%%graph n", ["net"]),
            ("%%graph --scope con", ["conv1"]),
            ("%%graph --device /g", ["/gpu:0", "/gpu:1"]),
            ("%graph us", ["use"]),
            ("%graph use ne", ["net"]),
            ("%vars conv1/w", ["conv1/weights"]),
            ("%init --a", ["--all"]),
            ("%ops rel", ["relu1"]),
            ("%fetch conv1/weights/r", ["conv1/weights/read"]),
            ("%fetch relu1 --feed im", ["images="]),
            ("x = %fetch im", ["images"]),
            ("%order wei", ["weights"]),
            ("%filters conv1/b", ["conv1/biases"]),
        ],
    )
    def test_offers(self, net: Shell, line: str, offered: list[str]) -> None:
        assert net.complete(line) == offered

    @pytest.mark.parametrize("line", ["%vars nothing_like_it", "relu", "%timeit conv1/", "print(%"])
    def test_stays_out_of_the_way(self, net: Shell, line: str) -> None:
        assert not set(net.complete(line)) & {"conv1/weights", "conv1/", "--all"}

    def test_python_names_still_complete(self, net: Shell) -> None:
        assert "relu1" in net.complete("rel")


def test_values_are_whole_arrays(net: Shell) -> None:
    net.run("%init")
    value = net.run("%fetch conv1/biases")
    value[:] = 9
    np.testing.assert_array_equal(net.run("%fetch conv1/biases"), np.zeros(4))
