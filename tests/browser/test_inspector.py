"""The inspector in JupyterLab and Notebook 7: it shows the graph, follows it, and lets a person choose."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.panels import DARK, INIT, ROOT, Panel, wait_for_colours

pytestmark = pytest.mark.browser


def test_one_selection_in_all_views(shown):
    notebook, panel = shown("panel.selected", "panel.selected = 'l1/biases'", "(panel.selected, panel.tab)")
    wait_for_colours(panel, "tfb-map", 20)
    panel.fit()
    # What the card says.
    panel.click("l1/weights")
    card = panel.detail
    expect(card).to_contain_text(re.compile(r"Shape\s*4×8"))
    expect(card).to_contain_text(re.compile(r"Read by\s*l1/MatMul"))
    expect(card).to_contain_text(re.compile(r"Written by\s*l1/weights/Assign"))
    expect(card).to_contain_text("Not initialized in this session")
    expect(card).to_contain_text(re.compile(r"Made in\s*\S+"))
    expect(card.locator(".tfb-attrs")).to_contain_text("loc:@l1/weights")
    # The map chooses; card, outline, table and kernel follow.
    panel.click("l1/MatMul")
    expect(panel.title).to_have_text("l1/MatMul")
    expect(panel.detail).to_contain_text("float32 ?×8")
    expect(panel.find("tfb-outline").locator("[aria-selected=true]")).to_contain_text("MatMul")
    assert notebook.run(2) == "'l1/MatMul'"
    # A link in the card chooses, too.
    panel.detail.get_by_role("button", name="l1/weights/read").click()
    expect(panel.title).to_have_text("l1/weights/read")
    # The table chooses; the map shows it.
    panel.tab("variables")
    panel.row("l2/weights").click()
    expect(panel.title).to_have_text("l2/weights")
    expect(panel.row("l2/weights")).to_have_attribute("aria-selected", "true")
    panel.tab("map")
    assert panel.locate("l2/weights")["visible"]
    # The kernel chooses.
    notebook.run(3)
    expect(panel.title).to_have_text("l1/biases")
    panel.tab("variables")
    expect(panel.row("l1/biases")).to_have_attribute("aria-selected", "true")
    assert notebook.run(4) == "('l1/biases', 'variables')"


def test_it_follows_cells_and_runs(shown):
    notebook, panel = shown(
        "with tf.name_scope('more'): z = tf.tanh(y)",
        INIT,
        "for i in range(40):\n    session.run(increment); time.sleep(0.02)",
    )
    before = int(panel.find("tfb-summary").inner_text().split()[0])
    notebook.run(2)
    expect(panel.find("tfb-summary")).to_contain_text(f"{before + 1} ops")
    panel.fit()
    assert panel.locate("more/Tanh")
    panel.tab("variables")
    expect(panel.row("step")).to_contain_text("not set")
    notebook.run(3)
    expect(panel.row("step")).to_contain_text("ready")
    expect(panel.row("l1/weights").locator(".tfb-c-mean")).to_have_text("1")
    # While the loop's cell is still running, values come in.
    notebook.start(4)
    expect(panel.find("tfb-status")).to_contain_text("live")
    expect(panel.row("step").locator(".tfb-c-mean")).to_have_text(re.compile(r"^(?!0$)\d+$"), timeout=5_000)
    expect(panel.row("step").locator(".tfb-c-mean")).to_have_text("40", timeout=10_000)
    expect(panel.row("step").locator(".tfb-spark path")).to_have_count(1)
    expect(panel.find("tfb-status")).to_contain_text("up to date", timeout=5_000)
    expect(panel.find("tfb-runs")).to_have_text("41 runs")


def test_a_busy_kernel_still_answers_a_new_page(shown):
    """The page says hello while a cell runs: the answer must not wait for the cell."""
    notebook, _ = shown("time.sleep(4); print('to the end')")
    notebook.run(1)  # a second panel; its page half starts while the next cell is under way
    notebook.start(2)
    panel = Panel(notebook, 1)
    expect(panel.find("tfb-summary")).to_contain_text("5 variables", timeout=3_000)
    assert notebook.text(2) == "", "the cell is still running"


def test_map_by_pointer_and_keys(shown):
    _, panel = shown()
    page = panel.page
    panel.fit()
    assert panel.locate("l1/Tanh") != panel.locate("l1/MatMul"), "small graphs start open"
    header = panel.locate("l1/")
    panel.page.mouse.dblclick(header["x"], header["y"])
    panel.settle()
    assert panel.locate("l1/Tanh") == panel.locate("l1/")
    closed = panel.locate("l1/")
    assert abs(closed["x"] - header["x"]) < 40, "what was clicked stays in sight"
    assert closed["visible"]
    panel.click("l1/")
    panel.page.keyboard.press("Enter")
    panel.settle()
    assert panel.locate("l1/Tanh") != panel.locate("l1/")
    # Pan and zoom.
    panel.fit()
    scale = "e => e.closest('.tfb').tfbench.scale()"
    start, place = panel.root.evaluate(scale), panel.locate("l2/MatMul")
    page.mouse.move(place["x"], place["y"])
    page.mouse.wheel(0, -200)
    page.wait_for_timeout(200)
    assert panel.root.evaluate(scale) == start, "an unfocused map leaves the wheel to the page"
    panel.fit()
    panel.click("l2/MatMul")
    page.mouse.wheel(0, -200)
    assert panel.root.evaluate(scale) > start * 1.2
    before = panel.locate("l2/MatMul")
    page.mouse.down()
    page.mouse.move(place["x"] + 60, place["y"] + 30, steps=4)
    page.mouse.up()
    after = panel.locate("l2/MatMul")
    assert after["x"] - before["x"] == pytest.approx(60, abs=8)
    assert after["y"] - before["y"] == pytest.approx(30, abs=8)
    expect(panel.title).to_have_text("l2/MatMul")
    page.keyboard.press("0")
    panel.settle()
    assert panel.root.evaluate(scale) == pytest.approx(start)
    page.keyboard.press("ArrowDown")
    expect(panel.title).not_to_have_text("l2/MatMul")
    page.keyboard.press("Escape")
    expect(panel.title).to_have_text("net")


def test_search_and_keyboard_alone(shown):
    notebook, panel = shown()
    search = panel.find("tfb-search")
    search.fill("type:tanh")
    expect(panel.find("tfb-found").get_by_role("option")).to_have_count(2)
    search.press("ArrowDown")
    search.press("ArrowDown")
    search.press("Enter")
    expect(panel.title).to_have_text("l2/Tanh")
    search.fill("nothing like it")
    expect(panel.find("tfb-found")).to_contain_text("No operation fits")
    expect(panel.find("tfb-outline")).to_contain_text("No operation fits")
    panel.tab("variables")
    search.fill("l1/*")
    expect(panel.row("l1/weights")).to_be_visible()
    expect(panel.row("l2/weights")).to_have_count(0)
    search.press("Escape")
    search.press("Escape")
    expect(panel.row("l2/weights")).to_be_visible()
    # No pointer from here on.
    panel.tab("map")
    panel.find("tfb-tab-map").focus()
    panel.page.keyboard.press("ArrowRight")
    expect(panel.root).to_have_attribute("data-tab", "variables")
    grid = panel.find("tfb-variables").get_by_role("treegrid")
    grid.focus()
    for key in "ddx":  # in a notebook these delete cells
        panel.page.keyboard.press(key)
    assert len(notebook.cells()) == 2
    panel.page.keyboard.press("ArrowDown")
    panel.page.keyboard.press("ArrowDown")
    expect(panel.title).to_have_text("l1/weights")
    panel.page.keyboard.press("Home")
    panel.page.keyboard.press("ArrowLeft")
    expect(panel.row("l1/weights")).to_have_count(0)
    panel.tab("map")
    tree = panel.find("tfb-outline").get_by_role("tree")
    tree.focus()
    panel.page.keyboard.press("Home")
    panel.page.keyboard.press("ArrowDown")
    panel.page.keyboard.press("ArrowRight")
    panel.page.keyboard.press("ArrowDown")
    expect(panel.title).to_have_text("l1/weights")


def test_hostile_names_are_text_and_an_empty_graph_says_what_to_do(open_notebook, app):
    notebook = open_notebook(
        [
            "import sys; sys.path.insert(0, {root!r})\n"
            "from tests.widgets.fake_graph import FakeGraph\n"
            "from tfbench.widgets import Inspector\n"
            "graph = FakeGraph()\n"
            "bad = '<img src=x onerror=\"window.hacked=1\">'\n"
            "for name in (bad, bad + '/' + bad, 'two\\nlines', 'n' * 10_000):\n"
            "    graph.variable(name, (2,)); graph.op(bad, name + '.op', attr=bad, device=bad)\n"
            "panel = Inspector(graph, name=bad)\npanel".replace("{root!r}", repr(ROOT)),
            "import tfbench as tf\ntf.inspect(tf.Graph())",
        ]
    )
    notebook.run(0)
    panel = Panel(notebook, 0)
    expect(panel.find("tfb-summary")).to_contain_text("4 variables")
    panel.find("tfb-search").fill("nnnn")
    panel.find("tfb-search").press("Enter")
    expect(panel.title).to_contain_text("nnn…nnn")
    assert len(panel.title.get_attribute("title")) == 10_000
    panel.find("tfb-search").fill("onerror")
    panel.find("tfb-search").press("Enter")
    expect(panel.title).to_contain_text("<img src=x")
    panel.find("tfb-search").fill("")
    panel.tab("variables")
    expect(panel.find("tfb-variables")).to_contain_text("two\\nlines")
    assert notebook.page.evaluate("window.hacked") is None
    assert panel.root.locator("img").count() == 0
    # A graph with nothing in it, in the dark.
    if app == "lab":
        notebook.page.evaluate(DARK)
        canvas = panel.find("tfb-map")
        panel.tab("map")
        notebook.page.wait_for_function(
            "e => e.getContext('2d').getImageData(2, 2, 1, 1).data[0] < 60", arg=canvas.element_handle()
        )
    notebook.run(1)
    empty = Panel(notebook, 1)
    expect(empty.find("tfb-empty")).to_contain_text("This graph is empty")
    empty.tab("variables")
    expect(empty.find("tfb-empty")).to_contain_text("No variables yet")


def test_a_saved_notebook_shows_the_twin_where_it_is_not_trusted(shown, open_notebook, tmp_path):
    notebook, _ = shown()
    content = notebook.page.evaluate("window.jupyterapp.shell.currentWidget.content.model.toJSON()")
    copy = tmp_path / "copy.ipynb"
    copy.write_text(json.dumps(content))
    other = open_notebook(copy)
    image = other.cell(1).locator('img[src^="data:image/svg+xml"]')
    expect(image).to_be_visible(timeout=20_000)
    assert image.evaluate("e => e.naturalWidth") > 100
    expect(other.cell(1).locator("table").first).to_contain_text("l1/weights")
    expect(other.cell(1).locator("summary").nth(1)).to_have_text("Scopes")
    assert other.by_test_id("tfb-panel").count() == 0


def test_order_and_devices(shown):
    """What a fetch runs, step by step; where everything runs, also on simulated devices."""
    notebook, panel = shown(
        "panel.selected = 'l2/Tanh'",
        "import tfbench\n"
        "switch = tfbench.simulate_devices(gpu=1)\n"
        "graph = tf.Graph()\n"
        "with graph.as_default():\n"
        "    with tf.device('/cpu:0'): a = tf.placeholder(tf.float32, [4, 4], name='a')\n"
        "    with tf.device('/gpu:0'): b = tf.tanh(a, name='b')\n"
        "    with tf.device('/cpu:0'): c = tf.add(b, 1.0, name='c')\n"
        "tf.inspect(tf.Session(graph=graph), tab='devices', name='towers')",
    )
    panel.tab("order")
    expect(panel.find("tfb-order-empty")).to_contain_text("What does a fetch run?")
    notebook.run(2)
    steps = panel.find("tfb-steps")
    expect(steps).to_contain_text("l1/MatMul")
    expect(panel.find("tfb-order-why")).to_contain_text("l2/Tanh: takes l2/add")
    last = int(steps.locator("[role=grid]").get_attribute("aria-rowcount")) - 1
    expect(panel.root).to_contain_text(f"step {last} of {last}")
    # A step chooses; the card follows, and the arrow keys go on from there.
    steps.get_by_text("l1/MatMul", exact=True).click()
    expect(panel.title).to_have_text("l1/MatMul")
    expect(panel.find("tfb-order-why")).to_contain_text("takes x, l1/weights/read")
    steps.locator("[role=grid]").press("ArrowUp")
    expect(panel.title).not_to_have_text("l1/MatMul")
    # What does not run says so, and can be fetched instead.
    panel.find("tfb-search").fill("increment")
    panel.find("tfb-search").press("Enter")
    expect(panel.find("tfb-order-why")).to_contain_text("does not run")
    panel.find("tfb-search").fill("")
    panel.find("tfb-order-fetch").click()
    expect(steps).to_contain_text("AssignAdd")
    panel.tab("devices")
    expect(panel.find("tfb-placement")).to_contain_text("/device:CPU:0")
    # Two devices, one of them simulated, and what is copied between them.
    notebook.run(3)
    towers = Panel(notebook, 3)
    expect(towers.find("tfb-device-1")).to_contain_text("simulated")
    expect(towers.find("tfb-transfers")).to_contain_text("a:0")
    expect(towers.find("tfb-transfers")).to_contain_text("64 B")
    towers.find("tfb-device-1").click()
    expect(towers.find("tfb-placement").locator("[role=grid]")).to_have_attribute("aria-rowcount", "2")
    expect(towers.find("tfb-placement")).to_contain_text("asked")


def test_filters_follow_the_values(open_notebook):
    notebook = open_notebook(
        [
            "import numpy as np\n"
            "import tfbench as tf\n"
            "numbers = np.linspace(-1, 1, 5*5*3*8).reshape(5, 5, 3, 8).astype('f')\n"
            "w = tf.get_variable('conv1/weights', initializer=numbers)\n"
            "v = tf.get_variable('conv2/weights', initializer=np.zeros((3, 3, 8, 4), 'f'))\n"
            "double = w.assign(2 * w)\n"
            "session = tf.Session(); session.run(tf.global_variables_initializer())\n"
            "panel = tf.inspect(session, tab='filters')\npanel",
            "session.run(double); 'doubled'",
            "session.run(v.assign(np.ones((3, 3, 8, 4)))); 'ones'",
        ]
    )
    notebook.run(0)
    panel = Panel(notebook, 0)
    expect(panel.find("tfb-filters-scale")).to_contain_text("shown as colour")
    expect(panel.find("tfb-filters-scale")).to_contain_text("white +1.")
    wait_for_colours(panel, "tfb-filters", 100)
    notebook.run(1)
    expect(panel.find("tfb-filters-scale")).to_contain_text("white +2.")
    panel.find("tfb-filters-variable").select_option("conv2/weights")
    expect(panel.title).to_have_text("conv2/weights")
    expect(panel.find("tfb-filters-scale")).to_contain_text("One scale for all")
    expect(panel.root.get_by_label("Input channel")).to_be_visible()
    notebook.run(2)
    corner = "e => e.getContext('2d').getImageData(2, 2, 1, 1).data[0] === 84"
    notebook.page.wait_for_function(corner, arg=panel.find("tfb-filters").element_handle())


def test_what_was_chosen_before_there_was_a_map_is_in_sight(open_notebook) -> None:
    notebook = open_notebook(
        [
            "import tfbench as tf",
            "with tf.name_scope('net'):\n"
            "    y = tf.placeholder(tf.float32, [2], name='x')\n"
            "    for i in range(90):\n"
            "        with tf.name_scope(f'part{i}'):\n"
            "            y = tf.nn.relu(tf.tanh(y, name='bent'), name='out')",
            "panel = tf.inspect(tf.get_default_graph())\npanel.selected = 'net/part85/bent'\npanel",
            "panel.hide(type='Relu')",
        ]
    )
    for cell in range(3):
        notebook.run(cell)
    panel = Panel(notebook, 2)
    expect(panel.title).to_have_text("net/part85/bent")
    assert panel.locate("net/part85/bent")["visible"]
    # Another part of the graph is shown from its beginning, unless that would lose it.
    notebook.run(3)
    expect(panel.find("tfb-chips")).to_contain_text("type Relu")
    assert panel.locate("net/part85/bent")["visible"]


def test_a_view_of_its_own_is_filled(shown) -> None:
    notebook, _ = shown()
    notebook.cell(1).locator(".jp-OutputArea-output").first.click(button="right", position={"x": 4, "y": 200})
    view = notebook.page.get_by_text("Create New View for Cell Output")
    if notebook.app != "lab":
        expect(view).to_have_count(0)
        return
    view.click()
    own = notebook.page.locator(".jp-LinkedOutputView")
    expect(own.get_by_test_id("tfb-status")).to_be_in_viewport(ratio=1)
    assert own.get_by_test_id("tfb-panel").bounding_box()["height"] <= own.bounding_box()["height"]
