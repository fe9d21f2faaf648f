"""`%races`, `%lint`, `%graph diff`, and the warnings under a `%%graph` cell, in a real shell."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.error import UsageError

from tests.magics.conftest import Shell
from tfbench.explain.diff import Diff
from tfbench.explain.lint import Findings
from tfbench.explain.races import Races

CELL = (
    "%%graph racing\n"
    "x = tf.Variable(0.0, name='x')\n"
    "update = tf.assign(x, 1.0, name='update')\n"
    "y = tf.multiply(x, 2.0, name='y')\n"
    "with tf.control_dependencies([update]):\n"
    "    z = tf.multiply(x, 3.0, name='z')\n"
)


@pytest.fixture
def racing(shell: Shell) -> Shell:
    shell.run(CELL, "first")
    return shell


def test_races(racing: Shell) -> None:
    found = racing.run("%races update, y")
    assert isinstance(found, Races)
    assert [(race.first, race.second) for race in found] == [("update", "y")]
    assert "(cell In[2], line 3)" in racing.out
    assert "`with tf.control_dependencies([update]):` around y" in racing.out
    assert len(racing.run("%races z")) == 0
    assert "no races" in racing.out
    assert len(racing.run("%races update, y --fed y")) == 0
    version = racing.bench.graph().version
    assert len(racing.run("%races update, x * 5.0")) == 1
    assert racing.bench.graph().version == version


def test_lint(racing: Shell) -> None:
    found = racing.run("%lint")
    assert isinstance(found, Findings)
    assert list(found) == []
    racing.run("%fetch tf.constant(1.0)")
    assert racing.run("%lint")["x"].rule == "never-initialized"
    assert "never-initialized: 'x' has no value in this session" in racing.out
    assert len(racing.run("%lint racing --rule unknown-rank")) == 0
    racing.run("%init")
    racing.run("%fetch y")
    assert [row.subject for row in racing.run("%lint --rule unreached")] == ["z"]  # `update` leads there


def test_difference_of_graphs(racing: Shell, tmp_path: Path) -> None:
    path = tmp_path / "before.meta"
    racing.run(f"%graph export {path}")
    racing.run(CELL.replace("3.0", "4.0"), "first")
    found = racing.run(f"%graph diff {path}")
    assert isinstance(found, Diff)
    assert found.changed == (("z/y", ("value 3.0 → 4.0",)),)
    assert "~ z/y: value 3.0 → 4.0" in racing.out
    assert len(racing.run("%graph diff main racing").added) > 3
    assert "is no file" in str(racing.fail("%graph diff nothing"))


def test_a_cell_says_what_is_not_meant(shell: Shell) -> None:
    shell.run(
        "%%graph seed\n"
        "x = tf.Variable(0.0, name='x')\n"
        "update = tf.assign_add(x, 1.0, name='update')\n"
        "with tf.control_dependencies([update]):\n"
        "    y = x\n",
        "first",
    )
    warnings = [line for line in shell.out.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 1
    assert warnings[0].startswith("warning: cell In[2], line 4: this control_dependencies block made no operation")
    shell.run("%%graph seed\nz = tf.identity(x)\n", "second")
    assert "warning" not in shell.out  # that was the other cell
    shell.run("%%graph seed\nx = tf.Variable(0.0, name='x')\nw = tf.get_variable('x', [])\n", "first")
    assert shell.out.count("warning: ") == 1
    assert "mixed-get-variable" in shell.out


def test_what_is_only_unfinished_is_no_warning(racing: Shell) -> None:
    racing.run("%%graph racing\nw = tf.get_variable('w', [])\np = tf.placeholder(tf.float32)\n", "second")
    assert "warning" not in racing.out


def test_wrong_words(racing: Shell) -> None:
    for line in ("%races", "%races nope", "%lint --rule never-initialised", "%lint nope", "%races y --feed x"):
        assert isinstance(racing.fail(line), UsageError)
    assert "did you mean never-initialized" in str(racing.fail("%lint --rule never-initialised"))
    assert "no graph is called 'racin': did you mean 'racing'?" in str(racing.fail("%lint racin"))
    assert "%graph diff takes 1 to 2 names" in str(racing.fail("%graph diff"))


def test_help_and_completion(racing: Shell) -> None:
    racing.run("%races?")
    assert "tf.explain.races([loss, train_op])" in racing.out
    racing.run("%lint?")
    assert "tf.explain.lint()" in racing.out
    assert racing.complete("%races upd")[0] == "update"
    assert racing.complete("%races y --fe") == ["--fed"]
    assert racing.complete("%lint rac") == ["racing"]
    assert racing.complete("%lint --rule never-i") == ["never-initialized"]
    assert "diff" in racing.complete("%graph di")
