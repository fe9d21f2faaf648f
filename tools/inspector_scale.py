"""How the inspector bears large graphs: `python -m tools.inspector_scale`. Prints a table; asserts nothing.

Measured in JupyterLab in Chromium, as a person sees it:
  open     from running `panel` to a painted map (kernel, message, layout and painting)
  pan      frames a second while the map is dragged for two seconds, all scopes closed, then opened
  scroll   frames a second while the table of variables is scrolled from end to end
  memory   the page's JavaScript heap after a loop that sends as many updates as an hour at the panel's rate
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat

from tests.browser import harness

BUILD = '''
import time
import numpy as np
import tfbench as tf

def large_graph(size):
    """Towers of layers that share what a first one made, their gradients and Adam, until there are `size` ops."""
    with tf.Graph().as_default() as graph:
        tower = 0
        while len(graph.get_operations()) < size:
            with tf.variable_scope(f"tower_{tower}"):
                h = x = tf.placeholder(tf.float32, [None, 8], name="x")
                for layer in range(10):
                    for again in (None, True):
                        with tf.variable_scope(f"layer_{layer}", reuse=again):
                            w = tf.get_variable("weights", [8, 8])
                            b = tf.get_variable("biases", [8])
                            h = tf.tanh(tf.matmul(h, w) + b)
                loss = tf.reduce_mean(tf.square(h), name="loss")
                tf.train.AdamOptimizer().minimize(loss, name="train")
            tower += 1
    return graph

def many_variables(count):
    with tf.Graph().as_default() as graph:
        for i in range(count):
            with tf.variable_scope(f"scope_{i // 50}"):
                tf.get_variable(f"v{i}", [2, 2], initializer=tf.zeros_initializer())
    return graph
'''

FRAMES = """async ([root, act, seconds]) => {
    const frames = [];
    const start = performance.now();
    const step = (0, eval)("(" + act + ")")(root);
    await new Promise((done) => {
        const tick = (now) => {
            frames.push(now);
            if (now - start > 1000 * seconds) return done();
            step((now - start) / (1000 * seconds));
            requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
    });
    return frames;
}"""

PAN = """(root) => {
    const canvas = root.querySelector('[data-testid="tfb-map"]');
    const box = canvas.getBoundingClientRect();
    const at = (t) => ({
        clientX: box.left + box.width * (0.5 + 0.4 * Math.sin(9 * t)),
        clientY: box.top + box.height * (0.5 + 0.4 * Math.sin(7 * t)),
        pointerId: 1, button: 0, bubbles: true,
    });
    canvas.setPointerCapture = () => {};
    canvas.dispatchEvent(new PointerEvent("pointerdown", at(0)));
    return (t) => canvas.dispatchEvent(new PointerEvent(t < 0.98 ? "pointermove" : "pointerup", at(t)));
}"""

SCROLL = """(root) => {
    const table = root.querySelector('[data-testid="tfb-variables"]');
    return (t) => { table.scrollTop = t * table.scrollHeight; };
}"""


def rate(frames: list[float]) -> str:
    """Frames a second (median and the slowest hundredth) of frame times in milliseconds."""
    gaps = sorted(b - a for a, b in itertools.pairwise(frames))
    slow = gaps[min(len(gaps) - 1, int(0.99 * len(gaps)))]
    return f"{1000 * (len(frames) - 1) / (frames[-1] - frames[0]):.0f} fps, slowest 1 %: {slow:.0f} ms"


class Scale:
    """One notebook with the functions that make large graphs."""

    def __init__(self, notebook: harness.Notebook) -> None:
        self.notebook = notebook
        self.page = notebook.page
        notebook.run(0)

    def value(self, cell: int) -> str:
        return self.notebook.run(cell, timeout=300)

    def root(self, cell: int) -> Any:
        return self.notebook.cell(cell).get_by_test_id("tfb-panel")

    def settle(self, cell: int) -> None:
        handle = self.root(cell).element_handle()
        self.page.wait_for_function(
            "e => e.closest('.tfb').tfbench.settled() && !e.querySelector('[data-testid=tfb-empty]')",
            arg=handle,
            timeout=120_000,
        )

    def opened(self, cell: int) -> float:
        """Seconds from running a cell that shows a panel to a map that is painted."""
        start = time.perf_counter()
        self.notebook.start(cell)
        self.root(cell).wait_for(timeout=120_000)
        self.settle(cell)
        return time.perf_counter() - start

    def frames(self, cell: int, act: str, seconds: float = 2.0) -> list[float]:
        self.root(cell).scroll_into_view_if_needed()
        return self.page.evaluate(FRAMES, [self.root(cell).element_handle(), act, seconds])

    def heap(self) -> float:
        """Megabytes, after a collection."""
        session = self.page.context.new_cdp_session(self.page)
        session.send("HeapProfiler.collectGarbage")
        return session.send("Runtime.getHeapUsage")["usedSize"] / 1e6


CELLS = [
    BUILD,
    "graph = large_graph(10_000); len(graph.get_operations())",
    "from tfbench.snapshot import take\n"
    "times = []\n"
    "for _ in range(5):\n"
    "    start = time.process_time(); take(graph, stats=False); times.append(time.process_time() - start)\n"
    "float(np.median(times))",
    "tf.inspect(graph)",
    "huge = large_graph(100_000); len(huge.get_operations())",
    "tf.inspect(huge)",
    "many = many_variables(10_000); tf.inspect(tf.Session(graph=many), tab='variables')",
    "with tf.Graph().as_default() as small:\n"
    "    step = tf.get_variable('step', initializer=0.0); up = tf.assign_add(step, 1.0)\n"
    "session = tf.Session(graph=small); session.run(step.initializer)\n"
    "live = tf.inspect(session, tab='variables'); live",
    "for _ in range(4_000):\n    session.run(up); live.publisher.look()\n    time.sleep(0.001)",
    "for _ in range(32_000):\n    session.run(up); live.publisher.look()\n    time.sleep(0.001)",
]


def measure(scale: Scale, hour: bool) -> list[tuple[str, str]]:
    rows = [("operations", scale.value(1)), ("snapshot, CPU s (median of 5)", scale.value(2))]
    scale.notebook.run(3)  # the first panel of a page loads the bundle
    rows.append(("open 10,000 ops, s", ", ".join(f"{scale.opened(3):.2f}" for _ in range(3))))
    rows.append(("pan 10,000 ops", rate(scale.frames(3, PAN))))
    scale.root(3).get_by_test_id("tfb-open-all").click()
    scale.settle(3)
    rows.append(("pan 10,000 ops, all open", rate(scale.frames(3, PAN))))
    scale.root(3).get_by_test_id("tfb-fit").click()
    scale.settle(3)
    rows.append(("pan 10,000 ops, all in sight", rate(scale.frames(3, PAN))))
    scale.notebook.run(4, timeout=600)
    rows.append(("open 100,000 ops, s", f"{scale.opened(5):.2f}"))
    rows.append(("pan 100,000 ops", rate(scale.frames(5, PAN))))
    scale.notebook.run(6, timeout=300)
    scale.root(6).get_by_test_id("tfb-variables").wait_for()
    rows.append(("scroll 10,000 variables", rate(scale.frames(6, SCROLL))))
    rows.append(("rows of them in the page", str(scale.root(6).locator("[data-name]").count())))
    if hour:
        scale.notebook.run(7)
        scale.notebook.run(8, timeout=300)
        before = scale.heap()
        scale.notebook.run(9, timeout=600)
        rows.append(("heap after 4,000 and 36,000 updates, MB", f"{before:.1f}, {scale.heap():.1f}"))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--no-hour", action="store_true", help="leave the long loop out")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tfbench-scale-") as folder:
        cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), Path(folder) / "scale.ipynb")
        with harness.jupyter("lab", Path(folder)) as address, harness.chromium_browser() as browser:
            notebook = harness.Notebook(browser, address, "lab", "scale.ipynb", size=(1500, 1000))
            try:
                for name, value in measure(Scale(notebook), not arguments.no_hour):
                    print(f"{name:42} {value}", flush=True)
                for complaint in notebook.complaints():
                    print(complaint, file=sys.stderr)
            finally:
                notebook.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
