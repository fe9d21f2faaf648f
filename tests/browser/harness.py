"""A Jupyter server, a Chromium and the page of one notebook, for tests and for taking pictures.

Cells are run through the application's own commands, and outputs are read from its notebook model, so the
same code drives JupyterLab and Notebook 7. What a test looks at on the page itself it finds with Playwright's
locators, which wait; by `data-testid`, never by a class name of Jupyter's.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, sync_playwright

from tests.browser import chromium

APPS = ("lab", "notebook")

#: no sandbox: containers run as root. The rest keeps Chromium from talking to anybody but the server.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

#: What the applications put on the console with nothing of ours loaded: (kind, pattern for the text).
ALLOWED_ON_CONSOLE = (
    # Notebook 7.6, while it starts: a plugin's settings are asked for before their schema is there.
    ("pageerror", r"^Cannot read properties of undefined \(reading 'schema'\)$"),
)

#: Lab's defaults that would make pages differ from run to run: a prompt about news, autosave, cells that are
#: only put on the page when they scroll into view.
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "docmanager-extension/plugin": {"autosave": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}

_WIDGET = "window.jupyterapp?.shell?.currentWidget"

_READY = """async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.context.ready;
    await panel.revealed;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
}"""

_SELECT = """
    const cells = window.jupyterapp.shell.currentWidget.content;
    cells.deselectAll();
    cells.activeCellIndex = index;
"""

_RUN_CELL = f"""async ([index, wait]) => {{
    {_SELECT}
    const done = window.jupyterapp.commands.execute("notebook:run-cell");
    if (wait) await done;
}}"""

_RUN_ALL = "async () => { await window.jupyterapp.commands.execute('notebook:run-all-cells'); }"

_SHUTDOWN = "async () => { await window.jupyterapp.shell.currentWidget.sessionContext.shutdown(); }"

_OUTPUTS = """index => {
    const outputs = window.jupyterapp.shell.currentWidget.content.widgets[index].model.outputs;
    return Array.from({length: outputs.length}, (_, i) => outputs.get(i).toJSON());
}"""


@contextlib.contextmanager
def jupyter(app: str, root: Path, *, startup: float = 60.0) -> Iterator[str]:
    """Runs JupyterLab ("lab") or Notebook 7 ("notebook") on files in `root`; gives its address.

    It knows nothing of the user's own configuration, and its kernels are gone when the block ends.
    """
    home = Path(tempfile.mkdtemp(prefix="tfbench-jupyter-"))
    for name, values in SETTINGS.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    environment = dict(
        os.environ,
        JUPYTER_CONFIG_DIR=str(home / "config"),
        JUPYTER_DATA_DIR=str(home / "data"),
        JUPYTER_RUNTIME_DIR=str(home / "runtime"),
        JUPYTERLAB_SETTINGS_DIR=str(home / "settings"),
        JUPYTERLAB_WORKSPACES_DIR=str(home / "workspaces"),
        IPYTHONDIR=str(home / "ipython"),
    )
    options = [
        "--no-browser",
        "--allow-root",
        "--ServerApp.port=0",
        f"--ServerApp.root_dir={root}",
        "--IdentityProvider.token=",  # it listens on this machine's loopback only
        "--ServerApp.disable_check_xsrf=True",
        f"--{'LabApp' if app == 'lab' else 'JupyterNotebookApp'}.expose_app_in_browser=True",
    ]
    log = home / "server.log"
    with log.open("wb") as sink:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyter", app, *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        address = _wait_for_address(server, home / "runtime", log, startup)
        yield address
        _stop_kernels(address)
    finally:
        # The group: `jupyter` may stand before the server, and a kernel may have outlived the request above.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
        shutil.rmtree(home, ignore_errors=True)


def _wait_for_address(server: subprocess.Popen[bytes], runtime: Path, log: Path, seconds: float) -> str:
    """The address the server wrote down: asking the system for a free port first would be a race."""
    deadline = time.monotonic() + seconds
    while server.poll() is None and time.monotonic() < deadline:
        for file in runtime.glob("jpserver-*.json"):
            with contextlib.suppress(ValueError, OSError):  # half written; not listening yet
                address = f"http://127.0.0.1:{json.loads(file.read_text())['port']}"
                urllib.request.urlopen(f"{address}/api/status", timeout=5).close()
                return address
        time.sleep(0.1)
    what = "ended" if server.poll() is not None else f"did not answer within {seconds:.0f} s"
    raise RuntimeError(f"The Jupyter server {what}. Its last words:\n{log.read_text()[-3000:]}")


def _stop_kernels(address: str) -> None:
    with urllib.request.urlopen(f"{address}/api/kernels", timeout=10) as answer:
        kernels = json.load(answer)
    for kernel in kernels:
        request = urllib.request.Request(f"{address}/api/kernels/{kernel['id']}", method="DELETE")
        urllib.request.urlopen(request, timeout=10).close()


@contextlib.contextmanager
def chromium_browser() -> Iterator[Browser]:
    path = chromium.find()
    if path is None:
        raise RuntimeError(chromium.HOW_TO_GET_ONE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


class Notebook:
    """One notebook, open in one application."""

    def __init__(
        self,
        browser: Browser,
        address: str,
        app: str,
        path: str,
        *,
        size: tuple[int, int] = (1300, 900),
        scale: float = 1.0,
    ):
        self.app = app
        self.address = address
        self.console: list[tuple[str, str]] = []
        self.requests: list[str] = []
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, device_scale_factor=scale)
        self.page = context.new_page()
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.console.append(("pageerror", str(error))))
        self.page.on("request", lambda request: self.requests.append(request.url))
        # Lab restores its workspace's tabs, and with them somebody else's notebook: each page gets its own.
        place = f"lab/workspaces/{uuid.uuid4().hex}/tree" if app == "lab" else "notebooks"
        self.page.goto(f"{address}/{place}/{path}")
        self.page.wait_for_function(f"path => {_WIDGET}?.context?.path === path", arg=path, timeout=60_000)
        self._await(_READY, None, 60, "the kernel to be ready (does the notebook name a kernel that exists?)")

    def _await(self, function: str, argument: object, seconds: float, what: str) -> None:
        """Calls an async function on the page. Playwright's own `evaluate` would wait for ever."""
        self.page.evaluate(
            """([f, argument, ms, message]) => Promise.race([
                (0, eval)("(" + f + ")")(argument),
                new Promise((_, no) => setTimeout(() => no(new Error(message)), ms)),
            ])""",
            [function, argument, seconds * 1000, f"waited {seconds:g} s for {what}"],
        )

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            where = message.location.get("url", "")
            self.console.append(("error", f"{message.text} [{where}]" if where else message.text))

    # ---- running -------------------------------------------------------------------------------------------

    def run(self, index: int, *, check: bool = True, timeout: float = 60) -> str:
        """Runs cell `index` (markdown cells count), waits until it is done, and gives its output as text."""
        self._await(_RUN_CELL, [index, True], timeout, f"cell {index} to end")
        if check:
            self._raise_errors(index)
        return self.text(index)

    def start(self, index: int) -> None:
        """Starts cell `index` and does not wait; see `text` and the locators for what becomes of it."""
        self.page.evaluate(_RUN_CELL, [index, False])

    def run_all(self, *, check: bool = True, timeout: float = 120) -> None:
        self._await(_RUN_ALL, None, timeout, "all cells to end")
        if check:
            for index in self.code_cells():
                self._raise_errors(index)

    def _raise_errors(self, index: int) -> None:
        for output in self.outputs(index):
            if output["output_type"] == "error":
                trace = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output["traceback"]))
                raise AssertionError(f"Cell {index} raised {output['ename']}: {output['evalue']}\n{trace}")

    # ---- looking -------------------------------------------------------------------------------------------

    def cells(self) -> list[dict[str, Any]]:
        """The notebook's cells as nbformat has them."""
        return self.page.evaluate(f"{_WIDGET}.content.model.toJSON().cells")

    def code_cells(self) -> list[int]:
        return [i for i, cell in enumerate(self.cells()) if cell["cell_type"] == "code"]

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """The outputs of code cell `index` as nbformat has them."""
        return self.page.evaluate(_OUTPUTS, index)

    def text(self, index: int) -> str:
        """What cell `index` printed and returned, as text; an error as `Name: message`."""
        parts = []
        for output in self.outputs(index):
            match output["output_type"]:
                case "stream":
                    part = output["text"]
                case "error":
                    part = f"{output['ename']}: {output['evalue']}\n"
                case _:
                    part = output["data"].get("text/plain", "")
                    part = [*([part] if isinstance(part, str) else part), "\n"]
            parts.append(part if isinstance(part, str) else "".join(part))
        return "".join(parts).rstrip("\n")

    def cell(self, index: int) -> Locator:
        return self.page.locator(f".jp-Notebook >> visible=true >> .jp-Cell >> nth={index}")

    def by_test_id(self, test_id: str, cell: int | None = None) -> Locator:
        """What carries `data-testid`, visible, in the whole page or in one cell."""
        within = self.page if cell is None else self.cell(cell)
        return within.get_by_test_id(test_id).locator("visible=true")

    def select(self, index: int) -> None:
        self.page.evaluate(f"index => {{ {_SELECT} }}", index)

    def screenshot(self, path: Path, of: Locator | None = None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if of is None:
            self.page.screenshot(path=path)
        else:
            of.scroll_into_view_if_needed()
            of.screenshot(path=path)

    # ---- what must not happen ------------------------------------------------------------------------------

    def complaints(self) -> list[str]:
        """Console errors but for the application's own, and requests to anybody but this server."""
        found = [
            f"{kind}: {text}"
            for kind, text in self.console
            if not any(kind == k and re.search(pattern, text) for k, pattern in ALLOWED_ON_CONSOLE)
        ]
        ours = (self.address, self.address.replace("http", "ws", 1), "data:", "blob:")
        found += [f"external request: {url}" for url in self.requests if not url.startswith(ours)]
        return found

    def close(self) -> None:
        """Stops the notebook's kernel and closes its page."""
        with contextlib.suppress(Error):  # the page may have crashed, which is the test's to report
            self._await(_SHUTDOWN, None, 10, "the kernel to stop")
        self.page.context.close()
