"""`%tfbench`, in a real shell."""

from __future__ import annotations

import pytest
from IPython.core.error import UsageError

from tests.magics.conftest import Shell
from tfbench.widgets import Inspector

CELL = (
    "%%graph net\n"
    "with tf.name_scope('front'): x = tf.constant(1.0, name='x')\n"
    "with tf.name_scope('back'): y = tf.multiply(x, 2.0, name='y')\n"
)


@pytest.fixture
def net(shell: Shell) -> Shell:
    shell.run(CELL, "first")
    return shell


def test_the_panel(net: Shell) -> None:
    panel = net.run("%tfbench")
    assert isinstance(panel, Inspector)
    assert panel.graph is net.bench.graph("net")
    assert panel.session is net.bench.session("net")
    assert (panel.tab, panel.publisher.name) == ("map", "net")
    panel = net.run("%tfbench net --tab variables --needed-by back/y --hide front")
    assert panel.tab == "variables"
    assert panel.rules == [
        {"do": "focus", "by": "needed", "what": ["back/y"]},
        {"do": "hide", "by": "name", "what": ["front"]},
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("%tfbench nets", "did you mean 'net'?"),
        ("%tfbench --tab maps", "did you mean map?"),
        ("%tfbench --focus bck", "Did you mean 'back' or"),
    ],
)
def test_mistakes(net: Shell, line: str, words: str) -> None:
    error = net.fail(line)
    assert isinstance(error, UsageError)
    assert words in str(error)


def test_completion_and_help(net: Shell) -> None:
    assert net.complete("%tfbench n") == ["net"]
    assert "back/y" in net.complete("%tfbench --focus ba")
    net.run("%tfbench?")
    assert "panel.focus" in net.out
