"""Large graphs and long loops: what is bounded is counted here; `python -m tools.inspector_scale` measures times."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.panels import Panel, wait_for_colours

pytestmark = pytest.mark.browser

LARGE = """
import numpy as np, time
import tfbench as tf

def large(towers, layers, size):
    with tf.Graph().as_default() as graph:
        for tower in range(towers):
            with tf.name_scope(f"tower_{tower}"):
                for layer in range(layers):
                    with tf.name_scope(f"layer_{layer}"):
                        for _ in range(size):
                            tf.no_op(name="step")
    return graph
"""


def test_a_hundred_thousand_operations_open_collapsed(open_notebook):
    notebook = open_notebook([LARGE, "graph = large(100, 20, 50)", "tf.inspect(graph, name='large')"])
    notebook.run(0)
    notebook.run(1, timeout=240)
    notebook.run(2, timeout=120)
    panel = Panel(notebook, 2)
    expect(panel.find("tfb-summary")).to_contain_text("100,000 ops", timeout=60_000)
    wait_for_colours(panel, "tfb-map", 5)
    assert panel.locate("tower_7/layer_3/step_9") == panel.locate("tower_7/"), "closed"
    assert panel.find("tfb-outline").get_by_role("treeitem").count() < 100
    # It answers: a search, a scope opened, a part alone.
    panel.find("tfb-search").fill("tower_99/layer_19/step_49")
    panel.find("tfb-search").press("Enter")
    expect(panel.title).to_contain_text("step_49")
    assert panel.locate("tower_99/layer_19/step_49") != panel.locate("tower_99/")
    panel.find("tfb-do-near").click()
    expect(panel.find("tfb-chips")).to_contain_text("1 of 100,000 ops")


def test_ten_thousand_variables_scroll(open_notebook):
    notebook = open_notebook(
        [
            "import tfbench as tf\n"
            "with tf.Graph().as_default() as graph:\n"
            "    for i in range(10_000):\n"
            "        with tf.variable_scope(f's{i // 100}'):\n"
            "            tf.get_variable(f'v{i}', [2], initializer=tf.zeros_initializer())\n"
            "tf.inspect(tf.Session(graph=graph), tab='variables')",
        ]
    )
    notebook.run(0, timeout=240)
    panel = Panel(notebook, 0)
    expect(panel.find("tfb-summary")).to_contain_text("10,000 variables", timeout=60_000)
    expect(panel.row("s0/v0")).to_be_visible()
    assert panel.find("tfb-variables").get_by_role("row").count() < 80
    panel.find("tfb-variables").evaluate("e => { e.scrollTop = e.scrollHeight; }")
    expect(panel.row("s99/v9999")).to_be_visible()
    assert panel.find("tfb-variables").get_by_role("row").count() < 80


def test_the_page_keeps_its_size_in_a_long_loop(open_notebook):
    """Six thousand updates: ten minutes at the rate that a panel sends at most."""
    notebook = open_notebook(
        [
            "import time\nimport tfbench as tf\n"
            "with tf.Graph().as_default() as graph:\n"
            "    step = tf.get_variable('step', initializer=0.0)\n"
            "    more = tf.assign_add(step, 1.0)\n"
            "session = tf.Session(graph=graph); session.run(step.initializer)\n"
            "panel = tf.inspect(session, tab='variables'); panel",
            "for _ in range(2_000):\n    session.run(more); panel.publisher.look(); time.sleep(0.001)",
            "for _ in range(6_000):\n    session.run(more); panel.publisher.look(); time.sleep(0.001)",
        ]
    )
    notebook.page.set_viewport_size({"width": 1500, "height": 1000})  # room for the column of means
    notebook.run(0)
    panel = Panel(notebook, 0)
    session = panel.page.context.new_cdp_session(panel.page)

    def heap() -> float:
        session.send("HeapProfiler.collectGarbage")
        return session.send("Runtime.getHeapUsage")["usedSize"] / 1e6

    notebook.run(1, timeout=120)
    expect(panel.row("step").locator(".tfb-c-mean")).to_have_text("2000", timeout=20_000)
    before = heap()
    notebook.run(2, timeout=120)
    expect(panel.row("step").locator(".tfb-c-mean")).to_have_text("8000", timeout=20_000)
    assert heap() - before < 5, "megabytes"
    points = panel.row("step").locator(".tfb-spark path").get_attribute("d")
    assert points is not None
    assert points.count("L") < 121
