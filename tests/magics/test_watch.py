"""`%watch` in a real shell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.error import UsageError

from tests.magics.conftest import Shell
from tfbench.engine.watching import Tap

NET = """%%graph net
x = tf.placeholder(tf.float32, [], name='x')
v = tf.get_variable('v', initializer=[1.0, 3.0])
loss = tf.reduce_sum(v * x, name='loss')
train = tf.assign_add(v, [1.0, 1.0], name='train')
"""


@pytest.fixture
def net(shell: Shell) -> Iterator[Shell]:
    shell.run(NET, "net")
    shell.run("%init")
    yield shell
    shell.ip.run_cell("%watch --stop")


def test_values_and_curves(net: Shell) -> None:
    net.run("%watch loss, v;")
    net.run("for step in range(8): tf.bench().session().run([train, loss], {x: float(step)})")
    rows = net.run("%watch")
    assert rows["loss"].seen == 8
    assert rows["v"].now == "float32 [9, 11]"
    lines = str(rows).splitlines()
    assert lines[0].split() == ["name", "now", "seen", "curve"]
    assert lines[1].split()[-1][-1] == "█"
    stopped = net.run("%watch --stop")
    net.run("train.eval()")
    assert net.run("%watch") == stopped


def test_a_new_watch_ends_the_old_one(net: Shell) -> None:
    first = net.run("%watch loss")
    second = net.run("%watch v --every 2")
    hooks = net.run("tf.bench().session().hooks")
    assert [hook for hook in hooks if isinstance(hook, Tap)] == [second.tap]
    assert first.stopped


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%watch", "what shall be watched?"),
        ("%watch --stop", "what shall be watched?"),
        ("%watch loss --stop", "give tensors, or --stop"),
        ("%watch loss * 2", "adds operations to the graph"),
        ("%watch lss", "did you mean loss"),
        ("%watch 3.0", "%watch:"),
        ("%watch loss --every 0", "more than 0 seconds"),
        ("%watch loss --evry 1", "did you mean --every?"),
    ],
)
def test_usage(net: Shell, line: str, message: str) -> None:
    version = net.bench.graph().version
    error = net.fail(line)
    assert isinstance(error, UsageError)
    assert message in str(error)
    assert net.bench.graph().version == version


def test_help_and_completion(net: Shell) -> None:
    assert 'tf.watch(loss, "conv1/weights")' in net.ip.find_line_magic("watch").__doc__
    assert net.complete("%watch los") == ["loss"]
