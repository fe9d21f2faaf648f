"""One Jupyter server of each kind and one Chromium for the whole run; a fresh page for each notebook.

Nothing here skips: without a browser the tests fail and say how to get one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, expect

from tests.browser import harness
from tests.browser.panels import BUILD, SHOW, Panel

PICTURES = Path(__file__).parent / "failures"

#: opens a notebook made of these cells (or a copy of the file given), runs nothing
OpenNotebook = Callable[[Sequence[str] | Path], harness.Notebook]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with harness.chromium_browser() as browser:
        yield browser


@pytest.fixture(scope="session", params=harness.APPS)
def app(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="session")
def server(app: str, served: Path) -> Iterator[str]:
    with harness.jupyter(app, served) as address:
        yield address


@pytest.fixture
def open_notebook(
    browser: Browser, server: str, app: str, served: Path, request: pytest.FixtureRequest
) -> Iterator[OpenNotebook]:
    """Opens notebooks; afterwards their consoles must be clean and nothing asked of the outside."""
    opened: list[harness.Notebook] = []

    def open_(cells: Sequence[str] | Path) -> harness.Notebook:
        if isinstance(cells, Path):
            content = nbformat.read(cells, as_version=4)
        else:
            content = nbformat.v4.new_notebook(
                cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
                metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},  # else Lab asks which
            )
        file = served / f"{app}-{request.node.name.split('[')[0]}-{len(opened)}.ipynb"
        nbformat.write(content, file)
        notebook = harness.Notebook(browser, server, app, file.name)
        opened.append(notebook)
        return notebook

    yield open_
    failed = getattr(request.node, "failed", False)
    complaints = []
    for i, notebook in enumerate(opened):
        if failed:
            picture = PICTURES / f"{app}-{request.node.originalname}-{i}.png"
            notebook.screenshot(picture)
            print(f"The page when the test failed: {picture}")
        complaints += notebook.complaints()
        notebook.close()
    if not failed:
        assert complaints == []


@pytest.fixture
def shown(open_notebook: OpenNotebook) -> Callable[..., tuple[harness.Notebook, Panel]]:
    """A notebook whose first two cells built a graph and show it; more cells can follow."""

    def show(*more: str) -> tuple[harness.Notebook, Panel]:
        notebook = open_notebook([BUILD, SHOW, *more])
        notebook.page.set_viewport_size({"width": 1500, "height": 1000})
        notebook.run(0)
        notebook.run(1)
        panel = Panel(notebook, 1)
        expect(panel.find("tfb-summary")).to_contain_text("5 variables")
        panel.settle()
        return notebook, panel

    return show


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Lets `open_notebook` know that the test failed, so that it can leave a picture."""
    report = yield
    if report.when == "call":
        item.failed = report.failed
    return report
