"""`%trace` in a real shell."""

from __future__ import annotations

import json
from pathlib import Path

from IPython.core.error import UsageError

from tests.magics.conftest import Shell

NET = "%%graph net\nx = tf.placeholder(tf.float32, [2], name='x')\ny = tf.negative(x * 2.0, name='y')\n"


def test_times_and_values(shell: Shell) -> None:
    shell.run(NET, "net")
    traced = shell.run("%trace y --feed x=[1, 2]")
    assert traced.values.tolist() == [-2.0, -4.0]
    assert {row.op for row in traced.steps} == {"mul", "mul/y", "y"}
    assert shell.run("traced = %trace y --feed x=[1, 2]\ntraced.steps['y'].bytes") == 8
    version = shell.bench.graph().version
    assert shell.run("%trace y + 1.0 --feed x=[1, 2]").values.tolist() == [-1.0, -3.0]
    assert shell.bench.graph().version == version


def test_a_file_for_the_viewer(shell: Shell, tmp_path: Path) -> None:
    shell.run(NET, "net")
    path = tmp_path / "step.json"
    shell.run(f"%trace y --feed x=[1, 2] --chrome {path};")
    assert shell.out == f"written: {path}\n"
    assert json.loads(path.read_text())["traceEvents"]


def test_usage(shell: Shell) -> None:
    shell.run(NET, "net")
    error = shell.fail("%trace")
    assert isinstance(error, UsageError)
    assert "what shall be run?" in str(error)
    assert "%trace … --feed x=EXPRESSION" in "\n".join(shell.fail("%trace y").__notes__)
    assert "tf.trace(loss, {images: photo})" in shell.ip.find_line_magic("trace").__doc__
    assert "y" in shell.complete("%trace ")
