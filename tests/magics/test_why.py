"""`%why` in a real shell."""

from __future__ import annotations

import pytest
from IPython.core.error import UsageError

from tests.magics.conftest import Shell
from tfbench.explain.gradient_path import GradientPath
from tfbench.explain.why import Why

CELLS = (
    "%%graph seed\n"
    "x = tf.Variable(0.0, name='x')\n"
    "update = tf.assign_add(x, 1.0, name='update')\n"
    "with tf.control_dependencies([update]):\n"
    "    y = x\n"
    "with tf.control_dependencies([update]):\n"
    "    z = tf.identity(x, name='z')\n",
    "%%graph seed\n"
    "weights = tf.Variable([1.0, 2.0], name='weights')\n"
    "stopped = tf.stop_gradient(weights * 2.0, name='stopped')\n"
    "loss = tf.reduce_sum(stopped, name='loss')\n"
    "right = tf.reduce_sum(weights, name='right')\n",
)


@pytest.fixture
def seed(shell: Shell) -> Shell:
    shell.run(CELLS[0], "first")
    shell.run(CELLS[1], "second")
    return shell


def test_why_an_update_does_not_run(seed: Shell) -> None:
    found = seed.run("%why update --fetch y")
    assert isinstance(found, Why)
    assert (found.runs, found.reason) == (False, "empty-control-block")
    assert found.where is not None
    assert (found.where.cell, found.where.line) == ("In[2]", 4)
    assert "tf.identity(x)" in seed.out
    assert "cell In[2], line 4" in seed.out


def test_why_it_runs(seed: Shell) -> None:
    assert seed.run("%why update --fetch z").path == ("update", "z")
    assert "path: update → z" in seed.out
    assert seed.run("%why x --fetch (y, z)").runs is True
    assert seed.run("%why weights/read --fetch loss --fed stopped").reason == "fed"
    assert seed.run("%why weights/read --fetch loss --feed stopped=[1.0, 2.0]").reason == "fed"


def test_why_a_gradient_is_none(seed: Shell) -> None:
    version = seed.bench.graph().version
    found = seed.run("%why weights --gradient-of loss")
    assert isinstance(found, GradientPath)
    assert (found.connected, found.blocked_by, found.reason) == (False, "stopped", "stop_gradient")
    assert found.where is not None
    assert (found.where.cell, found.where.line) == ("In[3]", 3)
    assert "(cell In[3], line 3)" in seed.out
    assert seed.run("%why weights --gradient-of right").connected
    assert seed.run("%why weights --gradient-of tf.exp(right)").connected
    assert seed.bench.graph().version == version


def test_one_question_at_a_time(seed: Shell) -> None:
    for line in ("%why x", "%why x --fetch y --gradient-of z"):
        error = seed.fail(line)
        assert isinstance(error, UsageError)
        assert "--fetch FETCH" in str(error)
        assert "--gradient-of Y" in str(error)


def test_wrong_words(seed: Shell) -> None:
    assert "did you mean update" in str(seed.fail("%why updat --fetch y"))
    assert "did you mean --gradient-of" in str(seed.fail("%why x --gradient y"))
    assert "op is missing" in str(seed.fail("%why --fetch y"))


def test_help_and_completion(seed: Shell) -> None:
    seed.run("%why?")
    assert "Example::" in seed.out
    assert "tf.explain.gradient_path(loss, weights)" in seed.out
    assert seed.complete("%why upd")[0] == "update"
    assert seed.complete("%why x --grad") == ["--gradient-of"]
    assert seed.complete("%why x --gradient-of lo") == ["loss"]
    assert seed.complete("%why x --fetch righ") == ["right"]


def test_a_cell_that_registers_a_gradient_can_be_run_again(shell: Shell) -> None:
    source = (
        "%%graph registers\n"
        "@tf.RegisterGradient('OfACell')\n"
        "def of_a_cell(op, dy):\n"
        "    return dy * 3.0\n"
        "x = tf.constant(1.0)\n"
        "with tf.get_default_graph().gradient_override_map({'Square': 'OfACell'}):\n"
        "    dx, = tf.gradients(tf.square(x), x)\n"
    )
    for factor in ("3.0", "4.0"):
        shell.run(source.replace("3.0", factor), "one")
        assert shell.run("%fetch dx") == float(factor)
