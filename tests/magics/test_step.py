"""`%step` in a real shell: begin, go on, look, stop; the same text from run to run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.error import UsageError

from tests.magics.conftest import Shell

NET = """%%graph net
x = tf.placeholder(tf.float32, [2], name='x')
v = tf.get_variable('v', initializer=[1.0, 2.0])
with tf.name_scope('l1'):
    y = tf.multiply(x, v, name='y')
z = tf.log(y - 1.0, name='z')
with tf.control_dependencies([z]):
    update = tf.assign_add(v, x, name='update')
"""


@pytest.fixture
def net(shell: Shell) -> Iterator[Shell]:
    shell.run(NET, "net")
    shell.run("%init")
    yield shell
    shell.ip.run_cell("%step --stop")


def test_step_by_step(net: Shell) -> None:
    stepper = net.run("stepper = %step update --feed x=[2, 3] --break l1/\nstepper")
    assert str(stepper).splitlines()[:3] == [
        "next: step 2 of 7, v/read (Identity on /device:CPU:0)",
        "  takes v:0",
        "  why here: nothing has run yet",
    ]
    assert net.run("%step").current.op == "l1/y"
    assert net.run("%step -n 2").current.op == "z"
    assert net.run("%step --to update").current.op == "update"
    assert net.run("stepper.values['l1/y'].tolist()") == [2.0, 6.0]
    assert net.run("%step --finish").done
    assert net.run("v.eval().tolist()") == [3.0, 5.0]
    assert "done: 5 steps" in str(net.run("%step --stop"))


def test_text(net: Shell) -> None:
    def both(line: str) -> Any:
        return [str(net.run(line)) for _ in range(2)]

    first, second = both("%step z --feed x=[2, 3] --to z")
    assert first == second
    assert first.splitlines() == [
        "next: step 6 of 6, z (Log on /device:CPU:0)",
        "  takes sub:0",
        "  why here: this is where it was to run to",
        "step  op      type      value",
        "2     v/read  Identity  float32 [1, 2]",
        "3     l1/y    Mul       float32 [2, 6]",
        "5     sub     Sub       float32 [1, 5]",
    ]


def test_the_first_nan(net: Shell) -> None:
    stepper = net.run("%step update --feed x=[0, 3] --break nan --finish")
    assert "z (Log, made in cell In[" in stepper.current.why
    assert "], line 6) gave 1 NaN of 2" in stepper.current.why
    assert "took sub:0: float32 [-1, 5]" in str(stepper)
    net.run("%step -n 1")


def test_errors_are_those_of_the_run_and_say_what_to_do(net: Shell) -> None:
    error = net.fail("%step z --finish")
    assert "%step … --feed x=EXPRESSION" in "\n".join(error.__notes__)
    net.run("%%graph other --show none\nw = tf.get_variable('w', [1]) + 1.0")
    assert "Attempting to use uninitialized value w" in str(net.fail("%step w --finish"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%step --to z", "what shall be run?"),
        ("%step z --break lq/", "did you mean l1/?"),
        ("%step z --feed x=[1, 2] --to other", "other"),
        ("%step z --feed x=[1, 2] --to v", "v (VariableV2) needs no step"),
        ("%step z --feed x=[1, 2] --finish --stop", "one of --to, -n, --finish and --stop"),
        ("%step z --feed x=[1, 2] -n 0", "-n must be at least 1"),
        ("%step z + 1.0 --feed x=[1, 2]", "adds operations to the graph"),
        ("%step z --finsh", "did you mean --finish?"),
    ],
)
def test_usage(net: Shell, line: str, message: str) -> None:
    version = net.bench.graph().version
    error = net.fail(line)
    assert isinstance(error, UsageError)
    assert message in str(error)
    assert net.bench.graph().version == version
    net.run("%step z --feed x=[1, 2] --stop")


def test_what_is_written_is_evaluated_once(net: Shell) -> None:
    net.run("asked = []")
    net.run("%step (asked.append(1), z)[1] --feed x=[2, 3]")
    assert net.run("asked") == [1]


def test_a_run_that_is_over(net: Shell) -> None:
    net.run("%step z --feed x=[2, 3] --finish;")
    assert "at its end" in str(net.fail("%step"))


def test_a_changed_graph_ends_it(net: Shell) -> None:
    stepper = net.run("%step z --feed x=[2, 3]")
    net.run(NET.replace("- 1.0", "- 2.0"), "net")
    stepper.run.join()
    assert "the graph was changed" in str(stepper)
    net.run("%step z --feed x=[3, 3] --finish")
    net.run("stepper = %step z --feed x=[3, 3]")
    net.run("%graph reset")
    net.names["stepper"].run.join()
    assert net.names["stepper"].state == "stopped"


def test_help_and_completion(net: Shell) -> None:
    assert "tf.step(train_op, {images: photo}" in net.ip.find_line_magic("step").__doc__
    assert net.complete("%step upd") == ["update"]
    assert "l1/y" in net.complete("%step z --to ")
    assert net.complete("%step z --break na") == ["nan"]
    assert "l1/" in net.complete("%step z --break l")
