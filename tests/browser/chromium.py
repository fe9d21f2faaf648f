"""Which Chromium the browser tests drive.

The first that runs: the one that $TFBENCH_BROWSER names, one on the PATH, Chrome where macOS keeps it, the
one that Playwright manages. "Runs" is asked of the program itself, because some distributions put a script
there that only says how to install the real one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
HOW_TO_GET_ONE = (
    "no Chromium or Chrome found for the browser tests. `python -m tools.ensure_browser` installs one "
    "(`make browser` does that by itself); TFBENCH_BROWSER=/path/to/chrome names one that is elsewhere."
)


def candidates() -> Iterator[str]:
    named = os.environ.get("TFBENCH_BROWSER")
    if named:
        yield named  # and no other: a wrong name must be noticed
        return
    for name in ON_PATH:
        if path := shutil.which(name):
            yield path
    yield ON_MACOS
    cache = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    homes = (
        [Path(cache)] if cache else [Path.home() / ".cache/ms-playwright", Path.home() / "Library/Caches/ms-playwright"]
    )
    # Looked up in the file system: asking Playwright starts its driver, which takes half a second.
    for home in homes:
        for build in sorted(home.glob("chromium-*"), reverse=True):
            yield from map(str, sorted(build.glob("chrome-*/chrome")))
            yield from map(str, sorted(build.glob("chrome-*/*.app/Contents/MacOS/*")))


def runs(path: str) -> bool:
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and b"Chrom" in answer.stdout


def find() -> str | None:
    return next((path for path in candidates() if runs(path)), None)
