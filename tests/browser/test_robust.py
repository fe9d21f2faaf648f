"""What must not break a panel: a view that fails, a kernel that goes, a second window, a cell that is run again."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser import harness
from tests.browser.panels import INIT, ROOT, Panel

pytestmark = pytest.mark.browser

KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
SAVE = "async () => { await window.jupyterapp.commands.execute('docmanager:save'); }"


def test_a_view_that_fails_leaves_the_others(shown):
    notebook, panel = shown(
        "from tfbench.widgets.protocol import Packet\n"
        "bad = {'kind': 'placement', 'fetch': '', 'count': 0, 'devices': ['/cpu:0'], 'reasons': [],\n"
        "       'transfers': [['x:0', 5, 6, None]]}\n"
        "panel.publisher.post(Packet(bad, [b'']))",
        "panel.publisher.post(Packet({'kind': 'stats', 'runs': 1, 'count': 7, 'bins': 4, 'history': 0}, [b'1'] * 4))",
    )
    panel.tab("devices")
    expect(panel.find("tfb-placement")).to_contain_text("l1/MatMul")
    notebook.run(2)
    failed = panel.root.get_by_role("alert")
    expect(failed).to_contain_text("Devices could not be shown")
    expect(panel.find("tfb-detail")).to_be_visible()
    panel.tab("variables")
    expect(panel.row("l1/weights")).to_be_visible()
    panel.tab("map")
    assert panel.locate("l1/MatMul")
    # The view itself comes back with a new answer.
    panel.tab("devices")
    expect(panel.find("tfb-placement")).to_contain_text("l1/MatMul")
    # A message that makes no sense: the page asks for everything again.
    notebook.run(3)
    panel.tab("variables")
    expect(panel.row("l1/weights")).to_be_visible()
    said = [text for kind, text in notebook.console if kind == "error"]
    assert any("tfbench: message not understood" in text for text in said)
    notebook.console.clear()


def test_a_kernel_that_restarts_and_a_connection_that_breaks(shown):
    notebook, panel = shown("with tf.name_scope('more'): z = tf.tanh(y)", "'alive'")
    notebook.page.evaluate(f"async () => {{ await {KERNEL}.reconnect(); }}")
    notebook.run(2)
    expect(panel.find("tfb-summary")).to_contain_text("30 ops")
    notebook.page.evaluate(f"async () => {{ await {KERNEL}.restart(); }}")
    expect(panel.find("tfb-status")).to_contain_text("kernel gone: this is the last state seen", timeout=20_000)
    # The last state can still be looked at.
    panel.tab("variables")
    panel.row("l1/weights").click()
    expect(panel.title).to_have_text("l1/weights")
    panel.tab("map")
    assert panel.locate("more/Tanh")
    # Run again, it lives.
    assert notebook.run(3) == "'alive'"
    notebook.run(0)
    notebook.run(1)
    again = Panel(notebook, 1)
    expect(again.find("tfb-summary")).to_contain_text("29 ops")
    expect(again.find("tfb-status")).to_contain_text("up to date")


def test_two_windows_on_one_kernel(browser, server, app, shown):
    notebook, panel = shown("panel.hide(type='MatMul')", "with tf.name_scope('more'): z = tf.tanh(y)", "panel.selected")
    notebook.page.evaluate(SAVE)
    path = notebook.page.evaluate("window.jupyterapp.shell.currentWidget.context.path")
    second = harness.Notebook(browser, server, app, path)
    other = Panel(second, 1)
    try:
        expect(other.find("tfb-summary")).to_contain_text("29 ops")
        # What is chosen and what is shown is the same in both; a new graph reaches both.
        panel.fit()
        panel.click("l1/Tanh")
        expect(other.title).to_have_text("l1/Tanh")
        notebook.run(2)
        expect(other.find("tfb-chips")).to_contain_text("hidden: type MatMul")
        notebook.run(3)
        expect(other.find("tfb-summary")).to_contain_text("30 ops")
        expect(panel.find("tfb-summary")).to_contain_text("30 ops")
        other.find("tfb-chips").get_by_role("button").first.click()
        expect(panel.find("tfb-chips")).to_have_count(0)
        assert second.complaints() == []
    finally:
        second.page.context.close()
    # The first one goes on.
    panel.fit()
    panel.click("l2/Tanh")
    assert notebook.run(4) == "'l2/Tanh'"


def test_a_cell_that_is_run_again_leaves_nothing_behind(shown):
    notebook, panel = shown(
        "import gc, tfbench.widgets.inspector as inspector\n"
        "gc.collect(); [sum(p.publisher.listening for p in inspector._panels), len(session.graph.observers)]",
        INIT,
    )
    for _ in range(4):
        notebook.run(1)
        panel = Panel(notebook, 1)
        expect(panel.find("tfb-summary")).to_contain_text("5 variables")
    assert notebook.cell(1).get_by_test_id("tfb-panel").count() == 1
    # Panels without a view ask for nothing after two seconds.
    for _ in range(40):
        listening = json.loads(notebook.run(2))[0]
        if listening == 1:
            break
        notebook.page.wait_for_timeout(200)
    assert listening == 1
    notebook.run(3)
    panel.tab("variables")
    expect(panel.row("l1/weights")).to_contain_text("ready")


def test_saved_state_without_a_kernel(shown, open_notebook, tmp_path):
    """A trusted notebook with the widget's saved state, in a page whose kernel knows nothing of it: not blank."""
    notebook, _ = shown()
    content = notebook.page.evaluate("window.jupyterapp.shell.currentWidget.content.model.toJSON()")
    for cell in content["cells"]:
        cell["metadata"]["trusted"] = True
    copy = tmp_path / "copy.ipynb"
    copy.write_text(json.dumps(content))
    other = open_notebook(copy)
    cell = other.cell(1)
    expect(cell.locator('img[src^="data:image/svg+xml"]')).to_be_visible(timeout=20_000)
    expect(cell).to_contain_text("l1/weights")
    assert "Error" not in cell.inner_text()


def test_many_views_of_one_panel(shown):
    notebook, panel = shown("panel", "panel.tab = 'variables'")
    notebook.run(2)
    second = Panel(notebook, 2)
    panel.fit()
    panel.click("l1/Tanh")
    expect(second.title).to_have_text("l1/Tanh")
    notebook.run(3)
    expect(second.root).to_have_attribute("data-tab", "variables")


def test_hostile_names_in_rules_files_and_layers_are_text(open_notebook):
    """Chips, groups, the choice of layers and the name of a saved file: nothing in them runs."""
    notebook = open_notebook(
        [
            "import sys; sys.path.insert(0, {root!r})\n"
            "from tests.widgets.fake_graph import FakeGraph\n"
            "from tfbench.widgets import Inspector\n"
            "bad = '<img src=x onerror=\"window.hacked=1\">'\n"
            "graph = FakeGraph()\n"
            "graph.op('Relu', bad, (), [('float32', (None, 4, 4, 2))])\n"
            "graph.op('Relu', bad + '_1', (), [('float32', (None, 4, 4, 2))])\n"
            "graph.op('NoOp', 'other')\n"
            "panel = Inspector(graph, name='../' + bad)\n"
            "panel.group(bad.replace('/', ''), bad)\n"
            "panel.hide(type='NoOp')\n"
            "panel.selected = bad + '_1'\npanel".replace("{root!r}", repr(ROOT)),
            "panel.tab = 'filters'",
        ]
    )
    notebook.run(0)
    panel = Panel(notebook, 0)
    expect(panel.find("tfb-chips")).to_contain_text("group <img src=x")
    expect(panel.find("tfb-naming")).to_contain_text("was taken by an earlier operation")
    panel.find("tfb-save").click()
    with panel.page.expect_download() as download:
        panel.find("tfb-save-svg").click()
    assert "/" not in download.value.suggested_filename
    assert "<" not in download.value.suggested_filename
    notebook.run(1)
    expect(panel.find("tfb-filters-variable")).to_contain_text("<img src=x")
    expect(panel.find("tfb-maps-error")).to_contain_text("There is no session here")
    assert notebook.page.evaluate("window.hacked") is None
    assert panel.root.locator("img").count() == 0
