"""`%%graph` in a real shell."""

from __future__ import annotations

import pytest
from IPython.core.error import UsageError

import tfbench as tf
from tests.magics.conftest import Shell, new_shell


def test_loading_gives_tf_np_and_a_bench(shell: Shell) -> None:
    assert shell.names["tf"] is tf
    assert shell.names["np"].__name__ == "numpy"
    assert shell.bench.namespace is shell.ip.user_ns
    assert shell.out == ""


def test_loading_leaves_names_that_are_taken_alone(shell: Shell) -> None:
    shell.run("tf = 'mine'\n%reload_ext tfbench")
    assert shell.names["tf"] == "mine"


def test_the_cell_is_ordinary_python(shell: Shell) -> None:
    value = shell.run("%%graph filters --scope s\nx = tf.constant(1.0, name='x')\nprint('hello')\nx")
    assert value is shell.names["x"]
    assert shell.out.splitlines()[:2] == ["hello", "filters: 1 operation added, scope s"]
    assert shell.bench.current == "filters"


def test_the_graph_and_its_session_are_the_defaults_in_every_cell(shell: Shell) -> None:
    shell.run("%%graph filters\nv = tf.Variable(2.0, name='v')\ny = v + 1.0")
    shell.run("v.initializer.run()")
    assert shell.run("y.eval()") == 3.0
    assert shell.run("tf.get_default_graph() is y.graph")


def test_a_session_that_the_person_opened_is_the_default_there_too(shell: Shell) -> None:
    shell.run("%%graph\nv = tf.Variable(1.0)")
    shell.run("mine = tf.InteractiveSession()\nmine.run(v.assign(5.0))")
    assert shell.run("%%graph\nv.eval()") == 5.0
    assert shell.run("%fetch v") == 5.0
    assert shell.run("%vars")[0].initialized is True
    shell.run("mine.close()")
    assert shell.run("%vars")[0].initialized is False


def test_a_semicolon_hides_the_value(shell: Shell) -> None:
    shell.run("%%graph\n1 + 1;")
    assert "2" not in shell.out


def test_magics_work_inside(shell: Shell) -> None:
    shell.run("%%graph\nx = tf.constant(1.0)\nlsmagic = %lsmagic\n%xmode Plain")
    assert "lsmagic" in shell.names


@pytest.mark.parametrize(
    ("above", "below", "line"),
    [("", "", 3), ("", "\n\n", 5), ("\n\n", "", 5), ("", "# a comment\n", 4)],
)
def test_lines_are_the_editors(shell: Shell, above: str, below: str, line: int) -> None:
    error = shell.fail(f"{above}%%graph\n{below}x = tf.constant(1.0)\nraise ValueError('here')")
    assert type(error) is ValueError
    assert f"line {line}" in shell.out
    assert f"----> {line} raise ValueError('here')" in shell.out
    assert "graph_cell.py" not in shell.out
    assert "run_cell" not in shell.out
    shell.run(f"{above}%%graph\n{below}x = tf.constant(1.0)\n")
    source = shell.names["x"].op.source
    assert (source.line, source.text) == (line - 1, "x = tf.constant(1.0)")
    assert source.cell == f"In[{shell.ip.displayhook.prompt_count}]"


def test_a_failure_in_a_function_of_another_cell_shows_both(shell: Shell) -> None:
    shell.run("def broken(x):\n    return tf.reshape(x, [7])")
    shell.fail("%%graph\nx = tf.zeros([2])\ny = broken(x)")
    assert "----> 3 y = broken(x)" in shell.out
    assert "----> 2     return tf.reshape(x, [7])" in shell.out or "return tf.reshape(x, [7])" in shell.out


def test_a_failed_cell_has_not_happened(shell: Shell) -> None:
    shell.run("%%graph\nx = tf.constant(1.0)", "one")
    old = shell.names["x"]
    error = shell.fail("%%graph\nx = tf.constant(2.0)\nprint('printed')\n1 / 0", "one")
    assert type(error) is ZeroDivisionError
    assert shell.out.startswith("printed\n")
    assert shell.names["x"] is old
    assert shell.run("x.eval()") == 1.0


def test_a_syntax_error_points_at_its_line(shell: Shell) -> None:
    error = shell.fail("%%graph\nx = 1\ny = (")
    assert isinstance(error, SyntaxError)
    assert error.lineno == 3
    assert "line 3" in shell.out
    assert "x" not in shell.names


def test_the_front_ends_cell_id_says_which_cell_it_is(shell: Shell) -> None:
    shell.run("%%graph\nx = tf.constant(1.0)", "one")
    shell.run("%%graph\ny = tf.identity(x)", "two")
    shell.run("%%graph\nx = tf.constant(2.0)", "one")
    assert "1 cell replayed" in shell.out
    assert shell.run("y.eval()") == 2.0
    assert [op.name for op in shell.bench.graph().get_operations()] == ["Const", "Identity"]


def test_two_cells_with_the_same_text_are_two(shell: Shell) -> None:
    for cell_id in ("one", "two"):
        shell.run("%%graph\nx = tf.constant(1.0)", cell_id)
    assert [op.name for op in shell.bench.graph().get_operations()] == ["Const", "Const_1"]
    first, second = shell.bench.graph().get_operations()
    assert first.source is not None
    assert second.source is not None
    assert first.source.cell != second.source.cell


def test_a_label_says_it_where_there_is_no_cell_id(shell: Shell) -> None:
    shell.run("%%graph --cell input\nx = tf.constant(1.0)")
    shell.run("%%graph --cell next\ny = tf.identity(x)")
    shell.run("%%graph --cell input\nzero = tf.constant(0.0)\nx = tf.constant(2.0)")
    assert shell.run("y.eval()") == 2.0
    assert shell.names["x"].op.source.cell == "input"


def test_in_a_terminal_an_edited_input_is_the_same_cell(shell: Shell) -> None:
    shell.run("%%graph\nx = tf.constant(1.0)")
    shell.run("%%graph\ny = tf.identity(x)")
    shell.run("%%graph\nx = tf.constant(2.0)")
    assert "taken as a new version of In[2]" in shell.out
    assert "1 cell replayed" in shell.out
    assert shell.run("y.eval()") == 2.0
    shell.run("%%graph\nx = x + 1.0")
    assert "new version" not in shell.out
    assert shell.run("x.eval()") == 3.0


def test_a_replaced_tensor_says_which_cell_to_run(shell: Shell) -> None:
    shell.run("%%graph\nx = tf.constant(1.0)", "one")
    shell.run("mine = x\ninit = tf.no_op(name='mine')", "plain")
    shell.run("%%graph\nx = tf.constant(2.0)", "one")
    assert "warning: mine still means what is gone" in shell.out
    assert "warning: an operation of a plain cell (mine) came after what was run again and is gone" in shell.out
    assert "run cell In[3] again" in shell.out
    error = shell.fail("mine.eval()", "plain2")
    assert isinstance(error, tf.errors.ReplacedTensorError)
    assert "cell In[2] was run again (as In[4]) and replaced it" in str(error)
    assert "run cell In[3] again" in str(shell.fail("init.run()"))


def test_a_later_cell_that_cannot_run_any_more_is_named(shell: Shell) -> None:
    shell.run("%%graph\nx = tf.constant(1.0)", "one")
    shell.run("%%graph\ny = tf.identity(x)", "two")
    shell.run("%%graph\nz = tf.constant(1.0)", "one")
    assert "1 cell left out (stale)" in shell.out
    assert "warning: cell In[3] is left out: NameError: name 'x' is not defined (line 2)" in shell.out


def test_options(shell: Shell) -> None:
    shell.run(
        "%%graph 'my graph' --scope s --reuse auto --name-scope n --device /cpu:0 --seed 3 --fresh --no-replay "
        "--initializer tf.constant_initializer([1, 2]) --show none\n"
        "v = tf.get_variable('v', [2])"
    )
    assert shell.names["v"].name == "s/v:0"
    assert shell.bench.current == "my graph"
    shell.run("v.initializer.run()")
    assert shell.run("v.eval()").tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--scpoe s", "%%graph: unknown option --scpoe: did you mean --scope?"),
        ("--show mapp", "%%graph: --show cannot be 'mapp': did you mean map?"),
        ("--reuse always", "%%graph: --reuse cannot be 'always'"),
        ("--seed x", "%%graph: --seed takes a whole number, but got 'x'"),
        ("--scope", "%%graph: --scope needs a value"),
        ("a b", "%%graph: unknown argument b"),
        ("--initializer f(1", "')' is missing in"),
        ("--scope 'a", '"\'" is missing in'),
    ],
)
def test_wrong_options_are_named_with_the_nearest_right_one(shell: Shell, line: str, message: str) -> None:
    error = shell.fail(f"%%graph {line}\nx = 1")
    assert isinstance(error, UsageError)
    assert message in str(error)
    assert "x" not in shell.names


def test_a_value_that_does_not_fit_names_its_option(shell: Shell) -> None:
    error = shell.fail("%%graph new --device /gpuu:0\nx = 1")
    assert type(error) is ValueError
    assert "option device='/gpuu:0'" in shell.out
    assert "bench.py" not in shell.out
    assert list(shell.bench.graphs) == ["main"]


def test_the_help_has_an_example_and_the_python_form(shell: Shell) -> None:
    shell.run("%%graph?")
    for text in ("%%graph [--scope SCOPE]", "Example::", "In Python::", "tf.bench().run_cell(", "--no-replay"):
        assert text in shell.out


@pytest.mark.parametrize(
    ("view", "shown"),
    [
        ("map", "Scopes"),
        ("vars", "s/v"),
        ("order", "steps on /device:CPU:0"),
        ("devices", "/device:CPU:0  1 operation"),
        ("none", ""),
    ],
)
def test_views(shell: Shell, view: str, shown: str) -> None:
    shell.run(
        f"%%graph --show {view} --scope s\nv = tf.get_variable('v', [1])\nwith tf.device('/cpu:0'): y = tf.identity(v)"
    )
    rest = shell.out.partition("scope s")[2]
    assert shown in rest
    assert (rest.count("\n") > 1) is (view != "none")


def test_in_a_terminal_only_the_line_is_shown(shell: Shell) -> None:
    shell.run("%%graph\nx = tf.constant(1.0)")
    assert shell.out == "main: 1 operation added\n"


def test_running_a_cell_again_closes_its_panel(shell: Shell) -> None:
    shell.run("%%graph --show map\nx = tf.constant(1.0)", "one")
    notebook = shell.ip.magics_manager.magics["cell"]["graph"].__self__.notebook
    first = notebook.panels["one"]
    shell.run("%%graph --show map\nx = tf.constant(1.0)", "one")
    assert notebook.panels["one"] is not first
    assert first.comm is None


def test_reset_default_graph_in_a_plain_cell_starts_over(shell: Shell) -> None:
    shell.run("%%graph\nx = tf.constant(1.0)")
    shell.run("tf.reset_default_graph()\nx = tf.constant(5.0)")
    assert shell.run("x.eval()") == 5.0
    assert shell.run("x.op.name") == "Const"


def test_unloading_takes_everything_back(shell: Shell) -> None:
    shell.run("%%graph\nx = tf.constant(1.0)")
    shell.run("%unload_ext tfbench")
    assert shell.ip.find_cell_magic("graph") is None
    assert shell.ip.find_line_magic("vars") is None
    with pytest.raises(ValueError, match="No default session"):
        shell.names["x"].eval()
    shell.run("%load_ext tfbench")
    assert shell.run("x.eval()") == 1.0


def test_another_extensions_magic_is_not_shadowed(shell: Shell) -> None:
    shell.run("%unload_ext tfbench")
    shell.ip.register_magic_function(lambda line: "theirs", "line", "vars")
    shell.run("%load_ext tfbench")
    assert "%vars is another extension's: tfbench's is called %tfbench_vars" in shell.out
    assert shell.run("%vars") == "theirs"
    assert str(shell.run("%tfbench_vars")) == "0 variables"


def test_no_name_of_ipythons_own_is_taken() -> None:
    from tfbench.magics.extension import MAGICS

    plain = new_shell()
    try:
        for magics in MAGICS:
            for kind, functions in magics.magics.items():
                for name in functions:
                    assert plain.find_magic(name, kind) is None
    finally:
        plain.clear_instance()
