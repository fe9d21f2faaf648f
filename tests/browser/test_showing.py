"""What the map shows, chosen by hand, by key and from Python; feature maps; files; why a name has a number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.panels import Panel, wait_for_colours

pytestmark = pytest.mark.browser

LOCATE = "(e, name) => e.closest('.tfb').tfbench.locate(name)"


def on_map(panel: Panel, name: str) -> bool:
    panel.settle()
    return panel.root.evaluate(LOCATE, name) is not None


def wait_until_gone(panel: Panel, name: str) -> None:
    panel.page.wait_for_function(
        f"([e, name]) => ({LOCATE})(e, name) === null", arg=[panel.root.element_handle(), name]
    )


def test_hide_and_focus_as_chips(shown):
    notebook, panel = shown(
        "panel.focus(needed_by='l1/Tanh')",
        "panel.rules",
        "panel.group('layers', 'l1', 'l2'); panel.selected = 'layers/'",
    )
    chips = panel.find("tfb-chips")
    expect(chips).to_have_count(0)
    panel.fit()
    # By hand: the card's buttons.
    panel.click("l2/MatMul")
    panel.find("tfb-do-hide-type").click()
    expect(chips).to_contain_text("hidden: type MatMul")
    expect(chips).to_contain_text("l2/MatMul is hidden")
    wait_until_gone(panel, "l2/MatMul")
    assert on_map(panel, "l2/Tanh")
    # From Python: what a fetch needs.
    notebook.run(2)
    expect(chips).to_contain_text("only: what l1/Tanh needs")
    wait_until_gone(panel, "l2/Tanh")
    expect(panel.find("tfb-outline")).not_to_contain_text("increment")
    assert "'do': 'hide', 'by': 'type', 'what': ['MatMul']" in notebook.run(3), "the kernel knows what the page did"
    # A chip is taken away, by key.
    chips.get_by_role("button", name=re.compile("hidden: type MatMul")).focus()
    panel.page.keyboard.press("Enter")
    expect(chips.get_by_role("button")).to_have_count(1)
    assert on_map(panel, "l1/MatMul")
    # Grouped from Python; the box can be looked at and taken away.
    notebook.run(4)
    panel.find("tfb-chips").get_by_role("button", name=re.compile("only")).click()
    expect(panel.title).to_have_text("layers/")
    expect(panel.detail).to_contain_text("Scope")
    panel.find("tfb-do-ungroup").click()
    expect(chips).to_have_count(0)
    assert on_map(panel, "increment")


def test_groups_by_hand_and_scopes_without_a_box(shown):
    _, panel = shown()
    panel.fit()
    panel.click("l1/")
    panel.find("tfb-do-group").click()
    panel.find("tfb-group-what").fill("type:tanh")
    panel.find("tfb-group-name").fill("squashes")
    panel.find("tfb-group-make").click()
    expect(panel.find("tfb-chips")).to_contain_text("group squashes: type:tanh")
    expect(panel.find("tfb-outline")).to_contain_text("squashes")
    assert on_map(panel, "squashes/")
    panel.fit()
    panel.click("l2/")
    panel.find("tfb-do-dissolve").click()
    expect(panel.find("tfb-outline")).to_contain_text("l2/weights")
    panel.find("tfb-show-all").click()
    expect(panel.find("tfb-outline")).not_to_contain_text("squashes")


def test_by_keys_alone(shown):
    _, panel = shown()
    keyboard = panel.page.keyboard
    panel.find("tfb-map").focus()
    keyboard.press("/")
    expect(panel.find("tfb-search")).to_be_focused()
    keyboard.type("scope:l1 /^MAT/")
    expect(panel.find("tfb-found").get_by_role("option")).to_have_count(1)
    keyboard.press("Enter")
    expect(panel.title).to_have_text("l1/MatMul")
    panel.find("tfb-search").fill("")
    panel.find("tfb-map").focus()
    keyboard.press("n")
    expect(panel.find("tfb-chips")).to_contain_text("only: what l1/MatMul needs")
    keyboard.press("a")
    expect(panel.find("tfb-chips")).to_have_count(0)
    keyboard.press("f")
    expect(panel.find("tfb-chips")).to_contain_text("within 2 steps of l1/MatMul")
    expect(panel.root.locator(".tfb-speech")).to_contain_text(re.compile(r"^\d+ of \d+ operations are shown"))
    # A step more, a step less.
    some = int(panel.find("tfb-chips").get_by_role("status").inner_text().split()[0])
    panel.find("tfb-chips").get_by_role("button", name="One step less").click()
    expect(panel.find("tfb-chips")).to_contain_text("within 1 step of l1/MatMul")
    assert int(panel.find("tfb-chips").get_by_role("status").inner_text().split()[0]) < some
    panel.find("tfb-map").focus()
    keyboard.press("a")
    keyboard.press("h")
    wait_until_gone(panel, "l1/MatMul")
    keyboard.press("Escape")
    expect(panel.title).to_have_text("net")
    # From the search: what is found, alone; everything hidden says so.
    search = panel.find("tfb-search")
    search.fill("type:variablev2")
    panel.find("tfb-found-focus").click()
    expect(panel.find("tfb-chips")).to_contain_text("only: found by type:variablev2")
    search.fill("*")
    panel.find("tfb-found-hide").click()
    expect(panel.root).to_contain_text("Nothing is left to show")
    panel.root.get_by_role("button", name="Show everything", exact=True).click()
    assert on_map(panel, "l1/MatMul")


def test_why_a_name_has_a_number(shown):
    notebook, panel = shown(
        "with tf.variable_scope('l1', reuse=True): again = layer(x, [4, 8])\n"
        "twice = tf.add(again, 1., name='sum'), tf.add(again, 2., name='sum')\n"
        "panel.selected = 'l1_1/MatMul'",
        "panel.selected = 'sum_1'",
    )
    notebook.run(2)
    expect(panel.find("tfb-naming")).to_contain_text("The variable scope l1 was opened again")
    expect(panel.find("tfb-naming")).to_contain_text("operations go to l1_1/")
    notebook.run(3)
    expect(panel.find("tfb-naming")).to_contain_text("the name sum was taken by an earlier operation (AddV2)")


def test_feature_maps(open_notebook):
    notebook = open_notebook(
        [
            "import numpy as np\n"
            "import tfbench as tf\n"
            "images = tf.placeholder(tf.float32, [None, 20, 30, 3], name='images')\n"
            "numbers = np.linspace(-1, 1, 3 * 3 * 3 * 8).reshape(3, 3, 3, 8).astype('f')\n"
            "kernel = tf.get_variable('kernel', initializer=numbers)\n"
            "conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], 'SAME', name='conv')\n"
            "relu = tf.nn.relu(conv, name='relu')\n"
            "session = tf.Session(); session.run(kernel.initializer)\n"
            "batch = np.random.RandomState(0).rand(4, 20, 30, 3).astype('f')\n"
            "panel = tf.inspect(session, tab='filters')\npanel",
            "session.run(tf.reduce_sum(relu), {images: batch}); 'ran'",
            "panel.feed({images: batch[:2]})",
        ]
    )
    notebook.run(0)
    panel = Panel(notebook, 0)
    panel.find("tfb-filters-variable").select_option("relu")
    expect(panel.title).to_have_text("relu")
    expect(panel.find("tfb-maps-error")).to_contain_text("There is no feed yet: relu needs images")
    notebook.run(1)
    panel.find("tfb-maps-again").click()
    expect(panel.find("tfb-maps-scale")).to_contain_text("From the last run's feed. One scale for all: 0 dark")
    wait_for_colours(panel, "tfb-maps", 50)
    wait_for_colours(panel, "tfb-maps-fed", 50)
    panel.find("tfb-maps-image").fill("3")
    expect(panel.root).to_contain_text("image 3 of 4")
    # One channel alone, by a click; another one by the slider.
    panel.find("tfb-maps").click(position={"x": 20, "y": 20})
    expect(panel.root).to_contain_text("channel 0")
    panel.find("tfb-maps-channel").fill("5")
    expect(panel.find("tfb-maps")).to_have_attribute("aria-label", re.compile("channel 5 of relu"))
    own = set()
    for channel in (5, 7):
        panel.find("tfb-maps-channel").fill(str(channel))
        own.add(panel.find("tfb-maps-scale").inner_text().split(".")[1].split(":")[0].strip())
    # The brightest one has the common scale; the others, alone, their own.
    assert own == {"One scale for all", "A scale of its own"}
    # A feed from Python; and a layer chosen on the map.
    notebook.run(2)
    expect(panel.find("tfb-maps-scale")).to_contain_text("From panel.feed.")
    expect(panel.root).to_contain_text("image 1 of 2")
    panel.tab("map")
    panel.fit()
    panel.click("conv")
    panel.tab("filters")
    expect(panel.find("tfb-filters-variable")).to_have_value("conv")
    expect(panel.find("tfb-maps-scale")).to_contain_text("orange, 0 white")


@pytest.mark.parametrize(("form", "start"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!DOCTYPE html>")])
def test_files_of_the_map(shown, tmp_path: Path, form: str, start: bytes):
    _, panel = shown()
    panel.find("tfb-save").click()
    with panel.page.expect_download() as download:
        panel.find(f"tfb-save-{form}").click()
    assert download.value.suggested_filename == f"net.{form}"
    download.value.save_as(tmp_path / "file")
    content = (tmp_path / "file").read_bytes()
    assert content.startswith(start)
    if form != "png":
        assert b"MatMul" in content
