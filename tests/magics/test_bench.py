"""`%bench` in a real shell."""

from __future__ import annotations

import pytest
from IPython.core.error import UsageError

from tests.magics.conftest import Shell

NET = "%%graph net\nx = tf.placeholder(tf.float32, [2], name='x')\nv = tf.get_variable('v', initializer=[1.0, 2.0])\n"


def test_times(shell: Shell) -> None:
    shell.run(NET + "update = tf.assign_add(v, x, name='update')\n", "net")
    shell.run("%init")
    timed = shell.run("%bench update --feed x=[1, 2] -n 5")
    assert str(timed).startswith("5 runs after 3 to warm up: median ")
    assert {row.op for row in timed.ops} >= {"update"}
    assert shell.run("v.eval().tolist()") == [1.0, 2.0]
    version = shell.bench.graph().version
    shell.run("timed = %bench v + x --feed x=[1, 2] -n 1\ntimed.median")
    assert shell.bench.graph().version == version


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%bench", "what shall be run?"),
        ("%bench v -n 0", "-n must be at least 1"),
        ("%bench v -n many", "-n takes a whole number"),
        ("%bench v --fed x=1", "did you mean --feed?"),
    ],
)
def test_usage(shell: Shell, line: str, message: str) -> None:
    shell.run(NET, "net")
    error = shell.fail(line)
    assert isinstance(error, UsageError)
    assert message in str(error)


def test_errors_help_and_completion(shell: Shell) -> None:
    shell.run(NET + "y = tf.negative(x, name='y')", "net")
    assert "%bench … --feed x=EXPRESSION" in "\n".join(shell.fail("%bench y").__notes__)
    assert "tf.explain.timing([loss, train_op]" in shell.ip.find_line_magic("bench").__doc__
    assert "y" in shell.complete("%bench ")
