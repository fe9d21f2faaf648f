"""What a cell may say: graphs, scopes, options; what its result says; graphs by name."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tfbench as tf
from tfbench.bench import Bench, CellResult
from tfbench.bench.initialize import initialize
from tfbench.bench.overview import overview

Names = dict[str, Any]


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "variable", "op"),
        [
            ({}, "v", "c"),
            ({"scope": "s"}, "s/v", "s/c"),
            ({"name_scope": "n"}, "v", "n/c"),
            ({"scope": "s", "name_scope": "n"}, "s/v", "s/n/c"),
        ],
    )
    def test_scopes(self, bench: Bench, names: Names, options: Names, variable: str, op: str) -> None:
        bench.run_cell("v = tf.get_variable('v', [1])\nc = tf.constant(1.0, name='c')", **options)
        assert (names["v"].op.name, names["c"].op.name) == (variable, op)

    def test_reuse(self, bench: Bench, names: Names) -> None:
        source = "v = tf.get_variable('v', [1])"
        bench.run_cell(source, scope="s")
        first = names["v"]
        assert bench.run_cell(source, scope="s", reuse=True).reused == ("s/v",)
        assert names["v"] is first
        assert bench.run_cell("w = tf.get_variable('w', [1])\n" + source, scope="s", reuse="auto").created == ("s/w",)
        assert bench.run_cell(source, scope="s", reuse=tf.AUTO_REUSE).reused == ("s/v",)
        with pytest.raises(ValueError, match="does not exist"):
            bench.run_cell("tf.get_variable('nope', [1])", reuse=True)

    @pytest.mark.parametrize("initializer", ["tf.constant_initializer(half)", tf.constant_initializer(0.5)])
    def test_initializer(self, bench: Bench, names: Names, initializer: Any) -> None:
        names["half"] = 0.5
        bench.run_cell("v = tf.get_variable('v', [1])", initializer=initializer, cell_id="one")
        for _ in range(2):
            bench.session().run(names["v"].initializer)
            assert bench.session().run(names["v"]) == [0.5]
            bench.run_cell("v = tf.get_variable('v', [1])", initializer=initializer, cell_id="one")

    def test_device_and_seed_are_the_cells_own(self, bench: Bench, names: Names) -> None:
        result = bench.run_cell("r = tf.random_uniform([2])", device="/gpu:0", seed=7)
        assert names["r"].device == "/device:GPU:0"
        assert result.devices == ("/device:GPU:0",)
        assert names["r"].op.get_attr("seed") == 7
        bench.run_cell("r = tf.random_uniform([2])")
        assert (names["r"].device, names["r"].op.get_attr("seed")) == ("", 0)

    def test_they_hold_in_a_replay(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = 1", cell_id="one")
        bench.run_cell("v = tf.get_variable('v', [1])", scope="s", device="/cpu:0", cell_id="two")
        bench.run_cell("x = 2", cell_id="one")
        assert (names["v"].name, names["v"].device) == ("s/v:0", "/device:CPU:0")

    def test_fresh_drops_what_came_before_and_keeps_what_comes_after(self, bench: Bench, names: Names) -> None:
        bench.run_cell("v = tf.get_variable('v', [1])", cell_id="one")
        names["v"].load([1.0], bench.session())
        old = names["v"]
        result = bench.run_cell("v = tf.get_variable('v', [1])", cell_id="two", fresh=True)
        assert result.dropped == ("one",)
        assert bench.graph().version == len(result.added)
        with pytest.raises(tf.errors.FailedPreconditionError):
            bench.session().run(names["v"])
        with pytest.raises(tf.errors.ReplacedTensorError, match=r"started graph main over.*run cell one again"):
            bench.session().run(old)
        bench.run_cell("w = tf.identity(v)", cell_id="three")
        assert bench.run_cell("v = tf.get_variable('v', [2])", cell_id="two", fresh=True).replayed == ("three",)
        assert names["w"].shape == [2]

    def test_fresh_that_fails_has_not_happened(self, bench: Bench, names: Names) -> None:
        bench.run_cell("v = tf.get_variable('v', [1])", cell_id="one")
        names["v"].load([1.0], bench.session())
        with pytest.raises(ZeroDivisionError):
            bench.run_cell("1 / 0", cell_id="two", fresh=True)
        assert bench.session().run(names["v"]) == [1.0]

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"device": "/gpuu:0"}, ValueError, "gpuu"),
            ({"scope": "a b"}, ValueError, "a b"),
            ({"name_scope": "<b>"}, ValueError, "<b>"),
            ({"initializer": "nope()"}, NameError, "nope"),
            ({"reuse": "always"}, ValueError, "'always'"),
            ({"graph": ""}, ValueError, "not empty"),
            ({"graph": 3}, ValueError, "but is 3"),
        ],
    )
    def test_wrong_ones_are_named(
        self, bench: Bench, names: Names, options: Names, error: type[Exception], message: str
    ) -> None:
        with pytest.raises(error, match=message) as caught:
            bench.run_cell("x = 1", **options)
        option, value = next(iter(options.items()))
        notes = getattr(caught.value, "__notes__", [f"option {option}={value!r}"])
        assert any(f"option {option}={value!r}" in note for note in notes)
        assert "x" not in names
        assert bench.graph().version == 0


class TestResult:
    def test_it_says_what_was_done(self, bench: Bench) -> None:
        bench.run_cell("with tf.variable_scope('conv1'): w = tf.get_variable('w', [2])", cell_id="one")
        result = bench.run_cell(
            "with tf.variable_scope('conv1', reuse=True): w = tf.get_variable('w', [2])\n"
            "with tf.variable_scope('conv2'): b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())\n"
            "with tf.name_scope('plain'), tf.device('/gpu:0'): x = tf.identity(b)\n"
            "x",
            cell_id="two",
        )
        assert result.created == ("conv2/b",)
        assert result.reused == ("conv1/w",)
        assert result.scopes == ("conv2", "conv1", "plain")
        assert result.devices == ("/device:GPU:0",)
        assert result.value.name == "plain/Identity:0"
        assert (
            str(result) == "main: 5 operations added, 1 variable created (conv2/b), 1 reused (conv1/w), "
            "scopes conv2, conv1, plain, asks for /device:GPU:0"
        )

    def test_it_is_plain_and_frozen(self, bench: Bench) -> None:
        result = bench.run_cell("x = tf.constant(1.0)\nx", cell_id="one")
        data = json.loads(json.dumps(result.to_dict()))
        assert data["added"] == ["Const"]
        assert "value" not in data
        with pytest.raises(AttributeError):
            result.added = ()  # type: ignore[misc]

    def test_the_line_is_the_same_from_run_to_run(self, bench: Bench) -> None:
        lines = {str(bench.run_cell("x = tf.constant(1.0)", cell_id="one", label=f"In[{i}]")) for i in range(3)}
        assert lines == {"main: 1 operation added"}

    def test_long_and_odd_names_stay_on_the_line(self) -> None:
        odd = "<script>\n'\"" + "x" * 10_000
        text = str(CellResult(odd, cell="one", created=(odd,) * 9, scopes=(odd,)))
        assert "\n" not in text
        assert len(text) < 500
        assert "9 variables created" in text

    def test_odd_names_of_cells_and_graphs_stay_short_in_messages(self, bench: Bench, names: Names) -> None:
        odd = "<b>\n" + "y" * 10_000
        for _ in range(2):
            bench.run_cell("x = tf.constant(1.0)", cell_id=odd, graph=odd)
            old = names["x"]
        bench.reset(odd)
        with pytest.raises(tf.errors.ReplacedTensorError) as caught:
            bench.session(odd).run(old)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 600
        assert len(str(overview(bench))) < 300

    @pytest.mark.parametrize("source", ["", "x = 1", "# nothing", "'text'\nx = 1", "def f(): return 1"])
    def test_no_last_expression_no_value(self, bench: Bench, source: str) -> None:
        assert bench.run_cell(source).value is None


class TestGraphs:
    def test_each_cell_builds_in_its_graph_and_makes_it_the_current_one(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", graph="a", cell_id="one")
        bench.run_cell("y = tf.constant(2.0)", graph="b", cell_id="two")
        bench.run_cell("z = tf.constant(3.0)", cell_id="three")
        assert (bench.current, list(bench.graphs)) == ("b", ["main", "a", "b"])
        assert names["z"].graph is bench.graph("b") is tf.get_default_graph()
        assert names["x"].graph is bench.graph("a")

    def test_a_cell_without_a_name_stays_in_its_graph(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        bench.run_cell("y = tf.constant(1.0)", graph="b", cell_id="two")
        bench.run_cell("x = tf.constant(2.0)", cell_id="one")
        assert names["x"].graph is bench.graph("main")

    def test_a_cell_that_moves_to_another_graph_leaves_the_first(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", graph="a", cell_id="one")
        bench.run_cell("y = tf.constant(2.0)", graph="a", cell_id="two")
        result = bench.run_cell("x = tf.constant(1.0)", graph="b", cell_id="one")
        assert result.replayed == ("two",)
        assert [op.name for op in bench.graph("a").get_operations()] == ["Const"]
        assert [op.name for op in bench.graph("b").get_operations()] == ["Const"]
        assert names["y"].graph is bench.graph("a")

    def test_names_follow_the_order_of_the_cells_over_graphs(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", graph="a", cell_id="one")
        bench.run_cell("y = tf.constant(1.0)", graph="a", cell_id="two")
        bench.run_cell("y = tf.constant(2.0)", graph="b", cell_id="three")
        bench.run_cell("x = tf.constant(3.0)", cell_id="one")
        assert names["y"].graph is bench.graph("b")

    def test_use(self, bench: Bench) -> None:
        bench.run_cell("x = 1", graph="filters")
        assert bench.use("main") is bench.graph() is tf.get_default_graph()
        with pytest.raises(KeyError, match="did you mean 'filters'"):
            bench.use("filtres")
        with pytest.raises(KeyError, match="there are 'main', 'filters'"):
            bench.session("zzz")

    def test_rename(self, bench: Bench) -> None:
        bench.run_cell("x = tf.constant(1.0)", graph="a", cell_id="one")
        graph = bench.graph("a")
        bench.rename("a", "b")
        assert (bench.current, bench.graph("b"), "a" in bench.graphs) == ("b", graph, False)
        bench.run_cell("x = tf.constant(2.0)", cell_id="one")
        assert graph.version == 1
        with pytest.raises(ValueError, match="'main' is there already"):
            bench.rename("b", "main")
        with pytest.raises(ValueError, match="not empty"):
            bench.rename("b", "")

    def test_drop(self, bench: Bench) -> None:
        bench.run_cell("x = tf.constant(1.0)", graph="a", cell_id="one")
        session = bench.session("a")
        bench.drop("a")
        assert (bench.current, list(bench.graphs), bench.cells) == ("main", ["main"], [])
        with pytest.raises(RuntimeError, match="closed Session"):
            session.run("Const:0")
        bench.drop("main")
        assert list(bench.graphs) == ["main"]

    def test_reset(self, bench: Bench, names: Names) -> None:
        bench.run_cell("v = tf.get_variable('v', [1])", cell_id="one")
        names["v"].load([1.0], bench.session())
        old = names["v"]
        assert bench.reset().dropped == ("one",)
        assert (bench.graph().version, bench.cells, names["v"]) == (0, [], old)
        with pytest.raises(tf.errors.ReplacedTensorError, match=r"main was reset.*run cell one again"):
            bench.session().run(old)
        assert bench.run_cell("v = tf.get_variable('v', [1])", cell_id="one").created == ("v",)

    def test_replay_runs_everything_that_can_run(self, bench: Bench, names: Names) -> None:
        names["n"] = 1
        bench.run_cell("x = tf.constant(n)", cell_id="one")
        bench.run_cell("y = tf.identity(x)", cell_id="two")
        names["n"] = 5
        result = bench.replay()
        assert result.replayed == ("one", "two")
        assert str(result) == "main: 2 cells replayed"
        assert bench.session().run(names["y"]) == 5

    def test_a_graph_that_was_there_before_the_bench_is_its_first(self) -> None:
        tf.reset_default_graph()
        tf.constant(1.0)
        assert Bench({}).graph().version == 1

    def test_reset_default_graph_starts_the_current_graph_over(self, bench: Bench) -> None:
        bench.run_cell("x = tf.constant(1.0)", graph="a", cell_id="one")
        tf.reset_default_graph()
        assert (bench.graph().version, bench.cells, bench.current) == (0, [], "a")
        assert bench.graph() is tf.get_default_graph()

    def test_a_session_that_was_closed_is_made_anew(self, bench: Bench) -> None:
        bench.run_cell("x = tf.constant(1.0)")
        bench.session().close()
        assert bench.session().run("Const:0") == 1.0

    def test_overview(self, bench: Bench) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        bench.run_cell("v = tf.Variable(x)", cell_id="two")
        bench.run_cell("z = 1", cell_id="one")
        assert str(overview(bench)).splitlines() == [
            "graph   operations  variables  cells",
            "main *  0           0          one, two (stale)",
            "1 graph",
            "two is stale: NameError: name 'x' is not defined (line 1)",
        ]


class TestTheBench:
    """`tfbench.bench()`: the program's one bench."""

    @pytest.fixture(autouse=True)
    def _no_bench_before_or_after(self) -> Any:
        from tfbench.bench import _the_bench
        from tfbench.bench.default_graph import provide_no_session

        _the_bench.clear()
        yield
        _the_bench.clear()
        provide_no_session()

    def test_its_session_is_the_default_one_of_its_current_graph(self) -> None:
        tf.reset_default_graph()
        bench = tf.bench()
        assert tf.bench() is bench
        names: Names = {}
        bench.run_cell("x = tf.constant(2.0)", graph="a", namespace=names)
        assert names["x"].eval() == 2.0
        assert tf.get_default_session() is bench.session()
        with tf.Graph().as_default():
            assert tf.get_default_session() is None
            with pytest.raises(ValueError, match="No default session"):
                tf.constant(1.0).eval()
        with tf.Session() as mine:
            assert tf.get_default_session() is mine

    def test_names_are_the_programs(self) -> None:
        import __main__

        bench = tf.bench()
        assert bench.namespace is vars(__main__)


def test_initialize(bench: Bench, names: Names) -> None:
    bench.run_cell(
        "a = tf.Variable(1.0, name='a')\nb = tf.Variable(a * 2.0, name='b')\n"
        "with tf.variable_scope('s'): c = tf.get_variable('c', [1], initializer=tf.zeros_initializer())\n"
        "d = tf.Variable(1.0, name='d', collections=[])",
    )
    version = bench.graph().version
    assert str(initialize(bench.session(), "s")) == "initialized 1 variable: s/c"
    assert str(initialize(bench.session())) == "initialized 3 variables: a, b, d; 1 had a value already"
    assert bench.session().run([names["a"], names["b"]]) == [1.0, 2.0]
    names["a"].load(7.0, bench.session())
    result = initialize(bench.session(), "a", again=True)
    assert (result.initialized, result.to_dict()["already"]) == (("a",), [])
    assert bench.session().run(names["a"]) == 1.0
    assert bench.graph().version == version
