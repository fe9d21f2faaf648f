"""Rule 1: a graph is what a clean run of its cells gives; and rule 3: what was replaced says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.bench import Bench

Names = dict[str, Any]


def ops(bench: Bench, graph: str | None = None) -> list[str]:
    return [op.name for op in bench.graph(graph).get_operations()]


def test_running_a_cell_again_replaces_what_it_added(bench: Bench, names: Names) -> None:
    bench.run_cell("a = tf.constant(1.0)\nb = tf.identity(a)", cell_id="one")
    result = bench.run_cell("a = tf.constant(5.0)", cell_id="one")
    assert ops(bench) == ["Const"]
    assert result.added == ("Const",)
    assert "b" not in names
    assert bench.session().run(names["a"]) == 5.0


def test_later_cells_are_replayed_so_that_names_are_as_in_a_clean_run(bench: Bench, names: Names) -> None:
    bench.run_cell("x = tf.constant(1.0)", cell_id="one")
    bench.run_cell("y = tf.identity(x)", cell_id="two")
    bench.run_cell("z = tf.identity(y)", cell_id="three")
    result = bench.run_cell("first = tf.constant(0.0)\nx = tf.constant(2.0)", cell_id="one")
    assert result.replayed == ("two", "three")
    assert ops(bench) == ["Const", "Const_1", "Identity", "Identity_1"]
    assert names["z"].op.inputs[0] is names["y"]
    assert bench.session().run(names["z"]) == 2.0


def test_a_cell_that_rebinds_its_own_input_starts_from_the_earlier_value(bench: Bench, names: Names) -> None:
    bench.run_cell("x = tf.constant(1.0)\nn = 1", cell_id="one")
    bench.run_cell("x = tf.identity(x)\nn = n + 1", cell_id="two")
    for _ in range(3):
        bench.run_cell("x = tf.identity(x)\nn = n + 1", cell_id="two")
    assert ops(bench) == ["Const", "Identity"]
    assert names["n"] == 2


def test_a_list_that_an_earlier_cell_made_is_emptied_of_what_a_cell_appended(bench: Bench, names: Names) -> None:
    bench.run_cell("layers = []\nsizes = {}", cell_id="one")
    bench.run_cell("layers.append(tf.constant(1.0))\nsizes['a'] = 1", cell_id="two")
    kept = names["layers"]
    bench.run_cell("layers.append(tf.constant(2.0))\nsizes['b'] = 2", cell_id="two")
    assert names["layers"] is kept
    assert bench.session().run(names["layers"]) == [2.0]
    assert names["sizes"] == {"b": 2}


def test_what_a_person_appended_meanwhile_stays(bench: Bench, names: Names) -> None:
    bench.run_cell("losses = []", cell_id="one")
    bench.run_cell("losses.append(1)", cell_id="two")
    names["losses"].append(99)
    bench.run_cell("losses.append(2)", cell_id="two")
    assert names["losses"] == [1, 99, 2]


def test_a_name_that_a_person_bound_meanwhile_stays(bench: Bench, names: Names) -> None:
    bench.run_cell("a = tf.constant(1.0)\nb = 1", cell_id="one")
    names["b"] = "mine"
    bench.run_cell("a = tf.constant(2.0)", cell_id="one")
    assert names["b"] == "mine"


def test_get_variable_is_no_conflict_with_the_cells_own_earlier_run(bench: Bench, names: Names) -> None:
    source = "with tf.variable_scope('conv1'):\n    w = tf.get_variable('weights', [2, 2])"
    bench.run_cell(source, cell_id="one")
    result = bench.run_cell(source, cell_id="one")
    assert result.created == ("conv1/weights",)
    assert names["w"].name == "conv1/weights:0"
    with pytest.raises(ValueError, match="Variable conv1/weights already exists"):
        bench.run_cell(source, cell_id="two")


def test_reuse_in_a_later_cell_is_counted_and_goes_with_it(bench: Bench, names: Names) -> None:
    bench.run_cell("with tf.variable_scope('s'): v = tf.get_variable('v', [1])", cell_id="one")
    source = "with tf.variable_scope('s', reuse=True): again = tf.get_variable('v', [1])"
    assert bench.run_cell(source, cell_id="two").reused == ("s/v",)
    assert names["again"] is names["v"]
    assert len(names["v"].shared_at) == 1
    bench.run_cell("pass", cell_id="two")
    assert names["v"].shared_at == []


def test_a_captured_scope_is_as_it_was_before_the_cell_that_changed_it(bench: Bench, names: Names) -> None:
    bench.run_cell("with tf.variable_scope('s') as s: v = tf.get_variable('v', [1])", cell_id="one")
    bench.run_cell("s.reuse_variables()", cell_id="two")
    assert names["s"].reuse is True
    bench.run_cell("pass", cell_id="two")
    assert names["s"].reuse is False


def test_a_template_first_called_in_a_cell_makes_its_variables_again(bench: Bench, names: Names) -> None:
    bench.run_cell("f = tf.make_template('f', lambda: tf.get_variable('v', [1]))", cell_id="one")
    for _ in range(2):
        result = bench.run_cell("v = f()", cell_id="two")
        assert result.created == ("f/v",)


def test_collections_and_seeds_go_back(bench: Bench, names: Names) -> None:
    bench.run_cell("tf.set_random_seed(3)\ntf.add_to_collection('c', 1)", cell_id="one")
    bench.run_cell("tf.add_to_collection('c', 2)", cell_id="two")
    bench.run_cell("pass", cell_id="one")
    assert bench.graph().get_collection("c") == [2]
    assert bench.graph().seed is None


class TestValues:
    """Variables whose name, shape and dtype stay the same keep their values."""

    def run(self, bench: Bench, source: str, cell_id: str = "one") -> Any:
        return bench.run_cell(source, cell_id=cell_id)

    def test_kept(self, bench: Bench, names: Names) -> None:
        self.run(bench, "v = tf.get_variable('v', [2])")
        names["v"].load([3.0, 4.0], bench.session())
        self.run(bench, "other = tf.constant(1.0)\nv = tf.get_variable('v', [2], initializer=tf.zeros_initializer())")
        np.testing.assert_array_equal(bench.session().run(names["v"]), [3.0, 4.0])

    def test_kept_while_the_cell_itself_looks(self, bench: Bench, names: Names) -> None:
        self.run(bench, "v = tf.Variable([1.0, 2.0], name='v')")
        names["v"].load([3.0, 4.0], bench.session())
        result = self.run(bench, "v = tf.Variable([1.0, 2.0], name='v')\nv.eval()")
        np.testing.assert_array_equal(result.value, [3.0, 4.0])

    @pytest.mark.parametrize("changed", ["tf.get_variable('v', [3])", "tf.get_variable('v', [2], tf.int32)"])
    def test_another_shape_or_dtype_starts_without_a_value(self, bench: Bench, names: Names, changed: str) -> None:
        self.run(bench, "v = tf.get_variable('v', [2], initializer=tf.zeros_initializer())")
        bench.session().run(names["v"].initializer)
        self.run(bench, f"v = {changed}")
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
            bench.session().run(names["v"])
        bench.session().run(names["v"].initializer)
        assert bench.session().run(names["v"]).shape == names["v"].shape

    def test_a_variable_that_is_gone_does_not_come_back_with_its_value(self, bench: Bench, names: Names) -> None:
        self.run(bench, "v = tf.get_variable('v', [2])")
        names["v"].load([3.0, 4.0], bench.session())
        self.run(bench, "w = tf.get_variable('w', [2])")
        self.run(bench, "v = tf.get_variable('v', [2])")
        with pytest.raises(tf.errors.FailedPreconditionError):
            bench.session().run(names["v"])

    def test_a_replayed_cell_that_initializes_does_not_undo_training(self, bench: Bench, names: Names) -> None:
        self.run(bench, "v = tf.get_variable('v', [2], initializer=tf.zeros_initializer())")
        self.run(bench, "w = tf.get_variable('w', [2], initializer=tf.ones_initializer())", "two")
        self.run(bench, "tf.global_variables_initializer().run()", "three")
        names["v"].load([3.0, 4.0], bench.session())
        self.run(bench, "v = tf.get_variable('v', [2])\nnew = tf.Variable(7.0, name='new')")
        np.testing.assert_array_equal(bench.session().run(names["v"]), [3.0, 4.0])
        np.testing.assert_array_equal(bench.session().run(names["w"]), [1.0, 1.0])
        assert bench.session().run(names["new"]) == 7.0

    def test_values_of_a_left_out_cell_wait_for_it(self, bench: Bench, names: Names) -> None:
        self.run(bench, "n = 2")
        self.run(bench, "v = tf.get_variable('v', [n])", "two")
        names["v"].load([3.0, 4.0], bench.session())
        bench.run_cell("n = 2  # the same", cell_id="one", replay=False)
        self.run(bench, "v = tf.get_variable('v', [n])", "two")
        np.testing.assert_array_equal(bench.session().run(names["v"]), [3.0, 4.0])

    def test_sessions_that_the_person_made_are_treated_alike(self, bench: Bench, names: Names) -> None:
        self.run(bench, "v = tf.get_variable('v', [2])")
        mine = tf.Session(graph=bench.graph())
        names["v"].load([3.0, 4.0], mine)
        self.run(bench, "v = tf.get_variable('v', [2])")
        np.testing.assert_array_equal(mine.run(names["v"]), [3.0, 4.0])
        self.run(bench, "v = tf.get_variable('v', [3])")
        with pytest.raises(tf.errors.FailedPreconditionError):
            mine.run(names["v"])

    def test_random_streams_of_replaced_operations_start_anew(self, bench: Bench, names: Names) -> None:
        source = "tf.set_random_seed(1)\nr = tf.random_uniform([3])"
        self.run(bench, source)
        first = bench.session().run(names["r"])
        assert not np.array_equal(bench.session().run(names["r"]), first)
        self.run(bench, source)
        np.testing.assert_array_equal(bench.session().run(names["r"]), first)


class TestLeftOut:
    """Cells that fail in their replay, and `--no-replay`."""

    def start(self, bench: Bench) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        bench.run_cell("y = tf.identity(x)", cell_id="two")
        bench.run_cell("z = tf.constant(3.0)", cell_id="three")

    def test_a_replay_that_fails_leaves_it_and_those_after_it_out(self, bench: Bench, names: Names) -> None:
        self.start(bench)
        result = bench.run_cell("w = tf.constant(1.0)", cell_id="one")
        assert result.stale == ("two", "three")
        assert ops(bench) == ["Const"]
        assert names["w"].name == "Const:0"
        assert result.warnings == ("cell two is left out: NameError: name 'x' is not defined (line 1)",)
        assert [cell.stale for cell in bench.cells] == [
            None,
            "NameError: name 'x' is not defined (line 1)",
            "cell two before it failed",
        ]

    def test_names_of_left_out_cells_say_which_cell_to_run(self, bench: Bench, names: Names) -> None:
        self.start(bench)
        bench.run_cell("w = tf.constant(1.0)", cell_id="one")
        with pytest.raises(tf.errors.ReplacedTensorError, match=r"cell one was run again.*run cell two again"):
            bench.session().run(names["y"])

    def test_a_cell_cannot_use_such_a_name_and_is_told_whose_it_is(self, bench: Bench, names: Names) -> None:
        self.start(bench)
        bench.run_cell("w = tf.constant(1.0)", cell_id="one")
        with pytest.raises(NameError) as caught:
            bench.run_cell("tf.add_to_collection('c', y)", cell_id="four")
        assert caught.value.__notes__ == [
            "cell two had bound y, but is left out (NameError: name 'x' is not defined (line 1)): run it again."
        ]
        assert "y" in names

    def test_they_come_back_with_the_next_run_that_makes_them_possible(self, bench: Bench, names: Names) -> None:
        self.start(bench)
        bench.run_cell("w = tf.constant(1.0)", cell_id="one")
        result = bench.run_cell("x = tf.constant(4.0)", cell_id="one")
        assert result.replayed == ("two", "three")
        assert result.stale == ()
        assert bench.session().run(names["y"]) == 4.0

    def test_no_replay(self, bench: Bench, names: Names) -> None:
        self.start(bench)
        result = bench.run_cell("x = tf.constant(9.0)", cell_id="one", replay=False)
        assert (result.stale, result.replayed) == (("two", "three"), ())
        result = bench.run_cell("z = tf.constant(3.0)", cell_id="three")
        assert ops(bench) == ["Const", "Const_1"]
        result = bench.run_cell("y = tf.identity(x)", cell_id="two")
        assert result.replayed == ("three",)
        assert ops(bench) == ["Const", "Identity", "Const_1"]

    def test_a_name_of_an_active_cell_is_not_hidden_by_a_left_out_one(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        bench.run_cell("x = tf.identity(x)", cell_id="two")
        bench.run_cell("x = tf.constant(2.0)", cell_id="one", replay=False)
        assert bench.session().run(names["x"]) == 2.0

    def test_what_replayed_cells_print_is_not_shown_again(self, bench: Bench, capsys: Any) -> None:
        bench.run_cell("x = 1", cell_id="one")
        bench.run_cell("print('from two')", cell_id="two")
        capsys.readouterr()
        bench.run_cell("print('from one')", cell_id="one")
        assert capsys.readouterr().out == "from one\n"


class TestDeleted:
    def test_a_deleted_cell_takes_what_it_added_with_it(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        bench.run_cell("y = tf.constant(2.0)", cell_id="two")
        old = names["x"]
        result = bench.drop_cells(["one", "never seen"])
        assert (result.dropped, result.replayed) == (("one",), ("two",))
        assert ops(bench) == ["Const"]
        assert "x" not in names
        with pytest.raises(tf.errors.ReplacedTensorError, match="cell one, which made it, was deleted"):
            bench.session().run(old)

    def test_cells_that_needed_it_are_left_out(self, bench: Bench) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        bench.run_cell("y = tf.identity(x)", cell_id="two")
        assert bench.drop_cells(["one"]).stale == ("two",)

    def test_unknown_cells_change_nothing(self, bench: Bench) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        before = bench.graph().get_operations()
        assert str(bench.drop_cells(["nope"])) == "main: nothing changed"
        assert bench.graph().get_operations() == before


class TestReplaced:
    """Using what is gone says which cell replaced it and which to run."""

    def test_of_the_cell_itself(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one", label="In[3]")
        old = names["x"]
        bench.run_cell("x = tf.constant(2.0)", cell_id="one", label="In[7]")
        for use in (
            lambda: bench.session().run(old),
            lambda: tf.identity(old),
            lambda: bench.session().run(names["x"], {old: 1.0}),
            lambda: bench.session().make_callable(old),
        ):
            with pytest.raises(tf.errors.ReplacedTensorError, match=r"cell In\[3\] was run again \(as In\[7\]\)"):
                use()

    def test_inside_the_new_run_too(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        names["mine"] = names["x"]
        with pytest.raises(tf.errors.ReplacedTensorError, match="cell one was run again"):
            bench.run_cell("y = tf.identity(mine)", cell_id="one")
        assert bench.session().run(names["mine"]) == 1.0

    def test_of_a_replayed_cell(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        bench.run_cell("y = tf.identity(x)", cell_id="two")
        old = names["y"]
        bench.run_cell("x = tf.constant(2.0)", cell_id="one")
        with pytest.raises(tf.errors.ReplacedTensorError, match=r"cell one was run again, and cell two.*was replayed"):
            bench.session().run(old)

    def test_a_callable_made_before_says_so_as_well(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        call = bench.session().make_callable(names["x"])
        bench.run_cell("x = tf.constant(2.0)", cell_id="one")
        with pytest.raises(tf.errors.ReplacedTensorError):
            call()

    def test_names_outside_cells_that_still_mean_it_are_listed(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        names["layers"], names["alias"] = [names["x"]], names["x"]
        result = bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        assert result.warnings == ("layers, alias still mean what is gone: run the cells that bind them again",)


class TestPlainCells:
    """Operations that no `%%graph` cell added."""

    def test_they_stay_while_cells_come_after_them(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        names["plain"] = tf.identity(names["x"])
        assert bench.run_cell("y = tf.identity(x)", cell_id="two").warnings == ()
        assert ops(bench) == ["Const", "Identity", "Identity_1"]
        bench.run_cell("y = tf.identity(x)", cell_id="two")
        assert bench.session().run(names["plain"]) == 1.0

    def test_they_go_when_something_before_them_runs_again(self, bench: Bench, names: Names) -> None:
        bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        names["init"] = tf.no_op(name="mine")
        result = bench.run_cell("x = tf.constant(1.0)", cell_id="one")
        assert len(result.warnings) == 1
        assert "an operation of a plain cell (mine) came after what was run again and is gone" in result.warnings[0]
        with pytest.raises(tf.errors.ReplacedTensorError, match="takes back what plain cells had added"):
            bench.session().run(names["init"])
