"""Pause, Stop, Step, To here and breakpoints in JupyterLab and Notebook 7, while a cell keeps the kernel busy."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panels import DARK, ROOT, Panel

pytestmark = pytest.mark.browser

BUILD = f"""
import sys
sys.path.insert(0, {ROOT!r})
%load_ext tfbench
import time
"""
GRAPH = """%%graph net --show none
x = tf.placeholder(tf.float32, [2], name="x")
v = tf.get_variable("v", initializer=[4.0, 2.0])
with tf.name_scope("train"):
    y = tf.multiply(x, v, name="y")
    z = tf.log(v, name="z")
    with tf.control_dependencies([y, z]):
        update = tf.assign_sub(v, x, name="update")
"""
SHOW = "%init\npanel = tf.inspect(name='net')\npanel"
LOOP = """
runs, caught = 0, ""
began = time.time()
try:
    while time.time() - began < 60:
        update.eval({x: [0.0, 0.0]})
        runs += 1
        time.sleep(0.005)
except KeyboardInterrupt as error:
    caught = type(error).__name__ + ": " + str(error)
"""


def press(panel: Panel, what: str) -> None:
    panel.find(f"tfb-do-{what}").click()


def held(panel: Panel, text: str | re.Pattern[str]) -> None:
    expect(panel.find("tfb-status")).to_contain_text("waiting for you", timeout=10_000)
    expect(panel.find("tfb-halt")).to_contain_text(text, timeout=10_000)


def runs(panel: Panel) -> int:
    return int(panel.find("tfb-runs").inner_text().split()[0].replace(",", ""))


@pytest.fixture
def looping(open_notebook: Any) -> Any:
    """A notebook that shows a panel and whose fourth cell loops; more cells can follow."""

    def start(*more: str, loop: str = LOOP) -> tuple[Any, Panel]:
        notebook = open_notebook([BUILD, GRAPH, SHOW, loop, *more])
        notebook.page.set_viewport_size({"width": 1500, "height": 1000})
        for cell in range(3):
            notebook.run(cell)
        panel = Panel(notebook, 2)
        expect(panel.find("tfb-do-pause")).to_be_visible()
        notebook.start(3)
        return notebook, panel

    return start


def test_pause_continue_and_stop_while_a_cell_loops(looping: Any) -> None:
    notebook, panel = looping("(runs > 20, caught[:25], v.eval().tolist())")
    expect(panel.find("tfb-status")).to_contain_text("live", timeout=10_000)
    press(panel, "pause")
    held(panel, "Paused between two runs")
    before = -1
    while before != (before := runs(panel)):  # what was seen before the pause is still on its way to a busy page
        time.sleep(1.0)
    time.sleep(0.5)
    assert runs(panel) == before
    press(panel, "go")
    expect(panel.find("tfb-status")).to_contain_text("live", timeout=10_000)
    expect(panel.find("tfb-halt")).to_have_count(0)
    time.sleep(0.5)
    assert runs(panel) > before
    press(panel, "stop")
    # What runs later is not stopped.
    assert notebook.run(4) == "(True, 'Stopped: Stop was pressed', [4.0, 2.0])"


def test_step_through_a_loop_that_is_paused(looping: Any) -> None:
    notebook, panel = looping("caught[:7]")
    press(panel, "pause")
    held(panel, "Paused between two runs")
    press(panel, "step")
    held(panel, "Next: v/read")
    panel.tab("order")
    expect(panel.find("tfb-steps")).to_be_visible()
    press(panel, "step")
    held(panel, "Next: train/y")
    panel.find("tfb-steps").get_by_text("train/update").click()
    press(panel, "to")
    held(panel, "Next: train/update")
    expect(panel.find("tfb-order-slider")).to_have_value("5")
    panel.find("tfb-steps").get_by_text("train/z").click()
    expect(panel.find("tfb-step-value")).to_contain_text("float32 [1.386, 0.6931]")
    press(panel, "go")
    expect(panel.find("tfb-status")).to_contain_text("live", timeout=10_000)
    press(panel, "stop")
    assert notebook.run(4) == "'Stopped'"


def test_the_first_nan_is_named_while_a_cell_loops(looping: Any) -> None:
    loop = LOOP.replace("[0.0, 0.0]", "[0.0, 1.0]").replace("0.005", "0.2")
    notebook, panel = looping("caught[:7]", loop=loop)
    press(panel, "break-nan")
    held(panel, re.compile(r"train/z \(Log, made in cell In\[\d+\], line 6\) gave 1 infinite of 2"))
    expect(panel.find("tfb-halt")).to_contain_text("took v/read:0: float32 [4, 0]")
    press(panel, "stop")
    assert notebook.run(4) == "'Stopped'"


def test_a_graph_is_stepped_through_by_clicking(open_notebook: Any) -> None:
    notebook = open_notebook(
        [BUILD, GRAPH, "%init", "run = %step update --feed x=[1.0, 0.5]\nrun", "(run.state, v.eval().tolist())"]
    )
    notebook.page.set_viewport_size({"width": 1500, "height": 1000})
    for cell in range(4):
        notebook.run(cell)
    panel = Panel(notebook, 3)
    expect(panel.root).to_have_attribute("data-tab", "order")
    held(panel, "Next: v/read")
    press(panel, "step")
    held(panel, "Next: train/y")
    # The Order view, its slider and the card follow.
    expect(panel.title).to_have_text("train/y")
    expect(panel.find("tfb-order-why")).to_contain_text("takes x, v/read")
    expect(panel.find("tfb-steps")).to_contain_text("▶")
    press(panel, "step")
    held(panel, "Next: train/z")
    panel.find("tfb-steps").get_by_text("train/y").click()
    expect(panel.find("tfb-step-value")).to_contain_text("float32 [4, 1]")
    panel.find("tfb-steps").get_by_text("train/update").click()
    press(panel, "break")
    press(panel, "go")
    held(panel, "breakpoint at train/update")
    assert notebook.run(4) == "('waiting', [4.0, 2.0])"
    press(panel, "go")
    expect(panel.find("tfb-halt")).to_contain_text("the run is at its end")
    assert notebook.run(4) == "('done', [3.0, 1.5])"
    # What is saved is the text of the run.
    saved = notebook.outputs(3)[-1]["data"]
    assert "".join(saved["text/plain"]).startswith("next: step 2 of")


def test_dark(looping: Any) -> None:
    notebook, panel = looping()
    notebook.page.evaluate(DARK)
    press(panel, "pause")
    held(panel, "Paused between two runs")
    press(panel, "step")
    held(panel, "Next: v/read")
    press(panel, "stop")


def test_values_are_watched_while_a_cell_loops(open_notebook: Any) -> None:
    loop = LOOP.replace("update.eval({x: [0.0, 0.0]})", "update.eval({x: [0.01, -0.01]})").replace("< 60", "< 3")
    notebook = open_notebook([BUILD, GRAPH, "%init", "%watch train/y, v", loop, "%watch --stop"])
    for cell in range(4):
        notebook.run(cell)
    table = notebook.by_test_id("tfb-watch", 3)
    expect(table).to_contain_text("train/y")
    notebook.start(4)
    row = table.locator('[data-name="train/y"]')
    expect(row.locator(".tfb-spark path")).to_be_visible(timeout=10_000)
    expect(row.locator(".tfb-hist")).to_be_visible()
    expect(table).to_contain_text("live:")
    first = row.inner_text()
    expect(row).not_to_have_text(first, timeout=10_000)
    # The table as it is at the end, as text; the live one says that it is over.
    text = notebook.run(5)
    assert text.splitlines()[0].split() == ["name", "now", "seen", "curve"]
    expect(table).to_contain_text("no longer watched")


def test_a_kernel_that_does_not_hear_can_be_interrupted(open_notebook: Any) -> None:
    loop = LOOP.replace("update.eval", "panel.publisher.controls.receive = lambda content: None\n        update.eval")
    notebook = open_notebook([BUILD, GRAPH, SHOW, loop, "caught[:17]"])
    for cell in range(3):
        notebook.run(cell)
    panel = Panel(notebook, 2)
    expect(panel.find("tfb-do-pause")).to_be_visible()
    notebook.start(3)
    expect(panel.find("tfb-status")).to_contain_text("live", timeout=10_000)
    press(panel, "stop")
    expect(panel.find("tfb-halt")).to_contain_text("The kernel is busy and has not heard it yet.", timeout=10_000)
    panel.find("tfb-interrupt").click()
    assert notebook.run(4) == "'KeyboardInterrupt'"
