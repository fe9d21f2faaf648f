"""`%%graph` in a real kernel: what the front end says about cells, and what those who run notebooks see."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Kernel:
    """A kernel behind `kernel_driver.py`."""

    def __init__(self) -> None:
        driver = Path(__file__).with_name("kernel_driver.py")
        self._process = subprocess.Popen(
            [sys.executable, str(driver)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, **request: Any) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        return json.loads(stdout.readline())

    def run(
        self,
        code: str,
        cell_id: str | None = None,
        deleted: list[str] | None = None,
        person: bool = True,
        interrupt_after: float = 0,
    ) -> tuple[str, list[str]]:
        """What a cell printed, and its text results and errors."""
        metadata = {"cellId": cell_id} if cell_id else {}
        if deleted:
            metadata["deletedCells"] = deleted
        answer = self.ask(do="execute", code=code, metadata=metadata, person=person, interrupt_after=interrupt_after)
        return answer["printed"], answer["results"]

    def close(self) -> None:
        self._process.communicate(timeout=60)


@pytest.fixture(scope="module")
def one_kernel() -> Iterator[Kernel]:
    kernel = Kernel()
    kernel.run("%load_ext tfbench")
    yield kernel
    kernel.close()


@pytest.fixture
def kernel(one_kernel: Kernel) -> Kernel:
    one_kernel.run("%graph reset")
    return one_kernel


def test_a_cell_that_is_run_again_is_known_by_its_id(kernel: Kernel) -> None:
    kernel.run("%%graph --show none\nx = tf.constant(1.0)", "one")
    kernel.run("%%graph --show none\ny = tf.identity(x)", "two")
    printed, _ = kernel.run("%%graph --show none\nx = tf.constant(2.0)", "one")
    assert printed == "main: 1 operation added, 1 cell replayed\n"
    assert kernel.run("float(y.eval())")[1] == ["2.0"]


def test_deleted_cells_take_their_operations_along(kernel: Kernel) -> None:
    kernel.run("%%graph --show none\nx = tf.constant(1.0)", "one")
    kernel.run("%%graph --show none --cell named\nz = tf.constant(1.0)", "two")
    kernel.run("%%graph --show none\ny = tf.identity(x)", "three")
    printed, _ = kernel.run("pass", "four", deleted=["two", "unknown"])
    assert printed == "main: 1 cell dropped (named), 1 cell replayed\n"
    printed, _ = kernel.run("pass", "four", deleted=["one"])
    assert re.match(r"main: 1 cell dropped \(In\[\d+\]\), 1 cell left out \(stale\)\nwarning: cell In\[", printed)
    assert kernel.run("len(tf.get_default_graph().get_operations())")[1] == ["0"]


def test_where_nobody_types_every_run_is_a_cell_of_its_own(kernel: Kernel) -> None:
    for _ in range(2):
        kernel.run("%%graph --show none\nx = tf.constant(1.0)", person=False)
    assert kernel.run("len(tf.get_default_graph().get_operations())")[1] == ["2"]
    kernel.run("%graph reset")
    for _ in range(2):
        kernel.run("%%graph --show none\nx = tf.constant(1.0)", person=True)
    assert kernel.run("len(tf.get_default_graph().get_operations())")[1] == ["1"]


def test_the_inspector_stands_under_the_line(kernel: Kernel) -> None:
    printed, results = kernel.run("%%graph\nx = tf.constant(1.0, name='seen')\n'the value'", "one")
    assert printed == "main: 1 operation added\n"
    assert "seen" in results[0]
    assert results[1] == "'the value'"


def test_an_interrupted_cell_has_not_happened(kernel: Kernel) -> None:
    kernel.run("%%graph --show none\nx = tf.constant(1.0)\nkept = x", "one")
    endless = "%%graph --show none\nx = tf.constant(2.0)\nimport time\nwhile True: time.sleep(0.01)"
    _, results = kernel.run(endless, "one", interrupt_after=1.0)
    assert "KeyboardInterrupt" in results[-1]
    assert kernel.run("x is kept, float(x.eval())")[1] == ["(True, 1.0)"]


def test_the_tab_key_is_answered(kernel: Kernel) -> None:
    kernel.run("%%graph --show none\nweights = tf.get_variable('conv1/weights', [1])", "one")
    content = kernel.ask(do="complete", code="%vars conv1/w")
    assert content["matches"] == ["conv1/weights"]
    assert (content["cursor_start"], content["cursor_end"]) == (6, 13)


#: nbclient leaves sockets and event loops to the garbage collector, so it gets a process of its own
PROGRAM = """
import json, sys
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

cells = [nbformat.v4.new_code_cell(cell) for cell in json.load(sys.stdin)]
notebook = nbformat.v4.new_notebook(cells=cells)
try:
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    failure = None
except CellExecutionError as error:
    failure = [error.ename, error.evalue, error.traceback]
json.dump({"failure": failure, "outputs": [cell.outputs for cell in notebook.cells]}, sys.stdout)
"""


def run_notebook(*cells: str) -> Any:
    """Runs cells as nbconvert and papermill do; returns their outputs and what nbclient raised."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(cells),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(ran.stdout)


def test_nbclient_runs_cells_in_order_and_sees_a_failing_one() -> None:
    same = "%%graph --show none\nx = tf.constant(1.0)"
    failing = "%%graph\nx = tf.constant(1.0)\nraise ValueError('seen by nbclient')"
    ran = run_notebook("%load_ext tfbench", same, same, "%ops", failing)
    assert ran["outputs"][1][0]["text"] == "main: 1 operation added\n"
    table = ran["outputs"][3][0]["data"]["text/plain"]
    assert [line.split()[0] for line in table.splitlines()] == ["name", "Const", "Const_1", "2"]
    assert [line.split()[-1] for line in table.splitlines()[1:3]] == ["In[2]:2", "In[3]:2"]
    name, value, trace = ran["failure"]
    assert (name, value) == ("ValueError", "seen by nbclient")
    text = re.sub(r"\x1b\[[0-9;]*m", "", trace)
    assert "Cell In[5], line 3" in text
    assert "----> 3 raise ValueError('seen by nbclient')" in text
    assert "graph_cell.py" not in text
