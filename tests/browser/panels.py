"""An inspector on a page: what tests and the tools that measure and take pictures do with one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

ROOT = str(Path(__file__).parents[2])

BUILD = """
import numpy as np, time
import tfbench as tf

def layer(x, shape):
    w = tf.get_variable("weights", shape, initializer=tf.ones_initializer())
    b = tf.get_variable("biases", [shape[-1]], initializer=tf.zeros_initializer())
    return tf.tanh(tf.matmul(x, w) + b)

x = tf.placeholder(tf.float32, [None, 4], name="x")
with tf.variable_scope("l1"):
    h = layer(x, [4, 8])
with tf.variable_scope("l2"):
    y = layer(h, [8, 2])
step = tf.Variable(0, name="step", trainable=False)
increment = tf.assign_add(step, 1, name="increment")
session = tf.Session()
"""
SHOW = "panel = tf.inspect(session, name='net')\npanel"
INIT = "session.run([v.initializer for v in tf.get_collection('variables')]); 'ready'"
DARK = "async () => { await window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'}); }"


class Panel:
    """One view of an inspector on the page."""

    def __init__(self, notebook: Any, cell: int) -> None:
        self.notebook = notebook
        self.page = notebook.page
        self.root: Locator = notebook.cell(cell).get_by_test_id("tfb-panel")
        expect(self.root).to_be_visible(timeout=20_000)

    def find(self, test_id: str) -> Locator:
        return self.root.get_by_test_id(test_id)

    @property
    def detail(self) -> Locator:
        return self.find("tfb-detail")

    @property
    def title(self) -> Locator:
        return self.detail.locator("h3")

    def settle(self) -> None:
        """Waits until the map stands still."""
        handle = self.root.element_handle()
        self.page.wait_for_function("e => e.closest('.tfb').tfbench.settled()", arg=handle, timeout=10_000)

    def locate(self, name: str) -> dict[str, Any]:
        """Where an operation or scope is drawn, scrolled into the window."""
        self.find("tfb-map").scroll_into_view_if_needed()
        self.settle()
        place = self.root.evaluate("(e, name) => e.closest('.tfb').tfbench.locate(name)", name)
        assert place is not None, f"{name} is not on the map"
        return place

    def click(self, name: str) -> None:
        place = self.locate(name)
        assert place["visible"], f"{name} is outside the map's window"
        self.page.mouse.click(place["x"], place["y"])

    def tab(self, name: str) -> None:
        self.find(f"tfb-tab-{name}").click()
        expect(self.root).to_have_attribute("data-tab", name)

    def row(self, name: str) -> Locator:
        return self.find("tfb-variables").locator(f'[data-name="{name}"]')

    def fit(self) -> None:
        self.find("tfb-fit").click()
        self.settle()


def painted(panel: Panel, test_id: str) -> int:
    """How many colours a canvas has: a blank one has one."""
    return panel.find(test_id).evaluate(
        """canvas => {
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const seen = new Set();
            for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
            return seen.size;
        }"""
    )


def wait_for_colours(panel: Panel, test_id: str, count: int) -> None:
    for _ in range(100):
        if painted(panel, test_id) > count:
            return
        panel.page.wait_for_timeout(50)
    raise AssertionError(f"{test_id} has only {painted(panel, test_id)} colours")
