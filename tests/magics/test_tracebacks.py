"""What a person sees of an error: the cell's own lines and the message, and no frame of the library."""

from __future__ import annotations

import traceback

import pytest

import tfbench as tf
from tests.magics.conftest import Shell
from tfbench.magics.tracebacks import without_library_frames


def library_frames(text: str) -> list[str]:
    return [line for line in text.splitlines() if "tfbench/" in line and "File" in line]


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("%%graph g\nx = tf.constant(1)\ny = tf.get_variable('v')", "----> 3 y = tf.get_variable('v')"),
        ("1 + 1\ntf.get_variable('v')", "----> 2 tf.get_variable('v')"),
        ("%%graph g\ndef f():\n    return tf.reshape([1, 2], [3])\nf()", "----> 3     return tf.reshape([1, 2], [3])"),
        ("p = tf.placeholder(tf.float32)\n\ntf.get_default_session().run(p)", "----> 3 tf.get_default_session()"),
    ],
)
def test_only_the_persons_lines_are_shown(shell: Shell, cell: str, line: str) -> None:
    shell.fail(cell)
    assert line in shell.out
    assert library_frames(shell.out) == []


def test_a_line_magic_shows_its_line_and_what_is_wrong(shell: Shell) -> None:
    shell.run("%%graph\np = tf.placeholder(tf.float32, name='p')\nz = p / 2")
    shell.fail("%fetch z")
    assert "You must feed a value for placeholder tensor 'p'" in shell.out
    assert library_frames(shell.out) == []
    shell.fail("%fetch 1 / 0")
    assert "ZeroDivisionError: division by zero" in shell.out
    assert "Could not get source" not in shell.out


def test_functions_of_the_person_that_the_library_calls_are_shown(shell: Shell) -> None:
    shell.fail(
        "%%graph\ndef getter(getter, name, *args, **kwargs):\n    raise KeyError(name)\n"
        "tf.get_variable('v', [1], custom_getter=getter)"
    )
    assert "----> 4 tf.get_variable" in shell.out
    assert "----> 3     raise KeyError(name)" in shell.out
    assert library_frames(shell.out) == []


def test_verbose_mode_shows_everything(shell: Shell) -> None:
    shell.run("%xmode Verbose")
    shell.fail("tf.get_variable('v')")
    assert library_frames(shell.out)


def test_the_error_keeps_all_its_frames(shell: Shell) -> None:
    error = shell.fail("tf.get_variable('v')")
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    assert any("variable_scope" in file for file in files)
    short = without_library_frames(error.__traceback__)
    assert short is not None
    assert not any("variable_scope" in frame.filename for frame in traceback.extract_tb(short))


def test_unloading_takes_it_back(shell: Shell) -> None:
    shell.run("%unload_ext tfbench")
    assert "get_records" not in vars(shell.ip.InteractiveTB)
    shell.fail("tf.reshape([1, 2], [3])")
    assert library_frames(shell.out)
    tf.load_ipython_extension(shell.ip)
