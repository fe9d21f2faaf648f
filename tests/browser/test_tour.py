"""The tour as a newcomer runs it, from top to bottom, and what stands on the page then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panels import Panel, wait_for_colours

pytestmark = pytest.mark.browser

TOUR = Path(__file__).parents[2] / "notebooks/00_tour.ipynb"

WIDTH = "e => e.naturalWidth"


def cell_with(notebook: Any, text: str) -> int:
    """The one code cell whose source has `text` in it."""
    (found,) = [
        i for i, cell in enumerate(notebook.cells()) if cell["cell_type"] == "code" and text in "".join(cell["source"])
    ]
    return found


def set_source(notebook: Any, index: int, old: str, new: str) -> None:
    source = "".join(notebook.cells()[index]["source"])
    assert old in source
    notebook.page.evaluate(
        "([index, text]) => "
        "window.jupyterapp.shell.currentWidget.content.widgets[index].model.sharedModel.setSource(text)",
        [index, source.replace(old, new)],
    )


def test_the_tour(open_notebook: Any) -> None:
    notebook = open_notebook(TOUR)
    notebook.page.set_viewport_size({"width": 1500, "height": 1000})
    notebook.run_all()
    build, filters, maps = (cell_with(notebook, text) for text in ("reuse_variables", "%filters", "%activations"))

    # One line says what was built, and the panel shows it.
    assert notebook.text(build).splitlines()[0] == (
        "filters: 38 operations added, 4 variables created, 4 reused, scopes image_filters/{conv1, conv2}"
    )
    panel = Panel(notebook, build)
    expect(panel.find("tfb-summary")).to_contain_text("40 ops")
    expect(panel.find("tfb-summary")).to_contain_text("4 variables")
    panel.settle()
    wait_for_colours(panel, "tfb-map", 20)

    # A variable that is chosen on the map is chosen in the table, with who shares it and where it was made.
    panel.fit()
    panel.click("image_filters/conv1/weights")
    expect(panel.title).to_have_text("image_filters/conv1/weights")
    expect(panel.detail).to_contain_text("5×5×3×16")
    expect(panel.detail).to_contain_text("image_filters/conv1_1/Conv2D")
    panel.tab("variables")
    expect(panel.row("image_filters/conv1/weights")).to_have_attribute("aria-selected", "true")
    expect(panel.row("image_filters/conv1/weights")).to_contain_text("ready")
    panel.row("image_filters/conv2/biases").click()
    panel.tab("map")
    assert panel.locate("image_filters/conv2/biases")["visible"]

    # The search lists the very name first, not the first operation below it.
    panel.find("tfb-search").fill("image_filters/conv1/weights")
    panel.find("tfb-search").press("Enter")
    expect(panel.title).to_have_text("image_filters/conv1/weights")
    panel.find("tfb-search").fill("")

    # Filters and feature maps are there, as pictures with controls; the picture follows a control.
    for index in (filters, maps):
        image = notebook.cell(index).locator('img[src^="data:image/png"]')
        expect(image).to_have_count(1)
        assert image.evaluate(WIDTH) > 500
    cell = notebook.cell(maps)
    layers = cell.locator("select").first.locator("option")
    expect(layers).to_have_count(3)
    before = cell.locator("img").get_attribute("src")
    cell.locator("select").first.select_option("image_filters/conv1/Conv2D")
    expect(cell.locator("img")).not_to_have_attribute("src", before)
    assert "<activations of image_filters/conv1/Conv2D [1, 160, 160, 16], image 0>" in notebook.text(maps)


def test_what_the_last_section_says(open_notebook: Any) -> None:
    """Change the cell that defines the layer, run it alone: the rest is replayed, and the panel follows."""
    notebook = open_notebook(TOUR)
    notebook.page.set_viewport_size({"width": 1500, "height": 1000})
    notebook.run_all()
    define, build = cell_with(notebook, "def conv_relu"), cell_with(notebook, "reuse_variables")
    set_source(notebook, define, "16", "24")
    assert "1 cell replayed" in notebook.run(define)
    panel = Panel(notebook, build)
    expect(panel.find("tfb-summary")).to_contain_text("40 ops")
    panel.tab("variables")
    expect(panel.row("image_filters/conv1/weights")).to_contain_text("24")
    expect(panel.row("image_filters/conv1/weights")).to_contain_text("not set")
    expect(panel.row("image_filters/conv2/biases")).to_contain_text("ready")

    # Without the line that shares the variables: the person's own error, and everything as it was.
    set_source(notebook, build, "    scope.reuse_variables()\n", "")
    text = notebook.run(build, check=False)
    assert "Variable image_filters/conv1/weights already exists" in text
    (error,) = [output for output in notebook.outputs(build) if output["output_type"] == "error"]
    trace = "\n".join(error["traceback"])
    assert "result2" in trace
    assert "tfbench/" not in trace
    assert notebook.run(cell_with(notebook, "%vars")).endswith("4 variables, 3 not initialized")
