"""Pictures of notebooks as a person sees them: `python -m tools.screenshots notebooks/00_tour.ipynb`.

Runs a copy of each notebook in JupyterLab (or Notebook 7) in Chromium, with the package as it is in the tree, and
saves a PNG of every cell that carries a tag `picture:NAME` as docs/images/NAME.png: the output alone, or with
`picture:NAME:cell` the source and the output. An inspector in it shows its whole graph; with `picture:NAME:cell:OP`
that operation is chosen. `--every DIR` saves one of each cell with an output and one of the
whole page instead, for looking through all there is. A cell that raises ends it, unless it is tagged
`raises-exception`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from tests.browser import harness

ROOT = Path(__file__).resolve().parent.parent
#: pictures and canvases go on drawing after their cell is done
SETTLE_MS = 1500
#: pixels across a picture with a photograph on it
PHOTOGRAPH_WIDTH = 1200


def wanted(cell: dict) -> list[tuple[str, bool, str]]:
    """(name, with the source?, operation to choose) for each picture that the cell's tags ask for."""
    tags = [tag.split(":") for tag in cell.get("metadata", {}).get("tags", []) if tag.startswith("picture:")]
    return [(parts[1], parts[2:3] == ["cell"], "".join(parts[3:4])) for parts in tags]


def prepare(notebook: harness.Notebook, index: int, chosen: str) -> None:
    """Lets an inspector under the cell show its whole graph, with the operation `chosen`."""
    panel = notebook.by_test_id("tfb-panel", index)
    if not panel.count():
        return
    fit = panel.get_by_test_id("tfb-fit")
    if fit.count():  # the map is in front
        fit.click()
    notebook.page.wait_for_timeout(SETTLE_MS)
    if chosen:
        place = panel.evaluate("(e, name) => e.closest('.tfb').tfbench.locate(name)", chosen)
        notebook.page.mouse.click(place["x"], place["y"])
    notebook.page.mouse.move(0, 0)


def shrink(path: Path) -> None:
    """Fewer bytes: a picture with a photograph on it (many colours) gains nothing from double resolution."""
    with Image.open(path) as picture:
        found = picture.convert("RGB")
    if found.getcolors(1 << 15) is None and found.width > PHOTOGRAPH_WIDTH:
        height = round(found.height * PHOTOGRAPH_WIDTH / found.width)
        found = found.resize((PHOTOGRAPH_WIDTH, height), Image.Resampling.LANCZOS)
    found.save(path, optimize=True)


def take(notebook: harness.Notebook, out: Path, every: str | None) -> list[Path]:
    """Runs all cells and saves the pictures; gives their paths."""
    saved = []
    for index in notebook.code_cells():
        cell = notebook.cells()[index]
        may_raise = "raises-exception" in cell.get("metadata", {}).get("tags", [])
        notebook.run(index, check=not may_raise, timeout=300)
        pictures = wanted(cell)
        if every is not None:
            pictures = [(f"{every}-{index:02d}", True, "")] if notebook.outputs(index) else []
        for name, with_source, chosen in pictures:
            if every is None:
                prepare(notebook, index, chosen)
            notebook.page.wait_for_timeout(SETTLE_MS)
            path = out / f"{name}.png"
            notebook.select(0 if index else index + 1)  # the chosen cell has a frame, which is not the picture's
            part = notebook.cell(index)
            notebook.screenshot(path, part if with_source else part.locator(".jp-Cell-outputArea"))
            if every is None:
                shrink(path)
            saved.append(path)
    if every is not None:
        notebook.cell(0).scroll_into_view_if_needed()
        notebook.screenshot(out / f"{every}-page.png")
        saved.append(out / f"{every}-page.png")
    return saved


def shoot(browser: Browser, address: str, path: Path, arguments: argparse.Namespace) -> list[Path]:
    size = (arguments.width, arguments.height)
    notebook = harness.Notebook(browser, address, arguments.app, path.name, size=size, scale=arguments.scale)
    try:
        return take(notebook, arguments.every or arguments.out, path.stem if arguments.every else None)
    finally:
        for complaint in notebook.complaints():
            print(f"{path.name}: {complaint}", file=sys.stderr)
        notebook.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], epilog=__doc__.partition("\n\n")[2])
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "docs/images", help="where named pictures go")
    parser.add_argument("--every", type=Path, metavar="DIR", help="picture every cell with an output, there")
    parser.add_argument("--app", choices=harness.APPS, default="lab")
    parser.add_argument("--width", type=int, default=1300)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--scale", type=float, default=1.6, help="device pixels per CSS pixel")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tfbench-pictures-") as folder:
        copies = [Path(shutil.copy(path, folder)) for path in arguments.notebooks]
        with harness.jupyter(arguments.app, Path(folder)) as address, harness.chromium_browser() as browser:
            for path in copies:
                saved = shoot(browser, address, path, arguments)
                for picture in saved:
                    print(picture)
                if not saved:
                    print(f"{path.name} asks for no picture (tag a cell picture:NAME)", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
