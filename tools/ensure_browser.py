"""Sees to it that the browser tests can run: `python -m tools.ensure_browser`. Says nothing where they can.

They need a Chromium, and the program that Playwright drives it with, which wants one system library more than a
bare Debian has. Root on a Debian-like system gets both as packages, with the libraries they need; anybody else
gets the Chromium that Playwright keeps in the home folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tests.browser import chromium

PLAYWRIGHT = [sys.executable, "-m", "playwright"]
PACKAGES = ["chromium", "libatomic1"]


def missing() -> str:
    """What the tests lack, as a sentence; empty where they lack nothing."""
    if chromium.find() is None:
        return "There is no Chromium."
    driver = subprocess.run([*PLAYWRIGHT, "--version"], capture_output=True, text=True, check=False)
    if driver.returncode != 0:
        return f"Playwright's driver does not start: {(driver.stdout + driver.stderr).strip()[-300:]}"
    return ""


def install() -> None:
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        subprocess.run(["apt-get", "update", "-q"], env=quiet, check=False)
        command = ["apt-get", "install", "-y", "-q", "--no-install-recommends"]
        subprocess.run([*command, *PACKAGES], env=quiet, check=False)
    # Still none: no Debian, no root, or Ubuntu, whose package is only a pointer to a snap.
    if chromium.find() is None:
        subprocess.run([*PLAYWRIGHT, "install", "chromium"], check=False)


def main() -> int:
    named = os.environ.get("TFBENCH_BROWSER")
    if named and not chromium.runs(named):  # no other was wanted, so none is installed
        print(f"TFBENCH_BROWSER={named} does not run as a Chromium.", file=sys.stderr)
        return 1
    reason = missing()
    if not reason:
        return 0
    print(f"Browser tests: {reason} Installing what they need.", file=sys.stderr)
    install()
    reason = missing()
    if not reason:
        print(f"Browser tests will use {chromium.find()}.", file=sys.stderr)
        return 0
    print(
        f"Browser tests cannot run here: {reason}\n"
        "Install your system's package `chromium` or `google-chrome`, or run\n"
        "`.venv/bin/playwright install --with-deps chromium` as root, or name a browser that is there:\n"
        "TFBENCH_BROWSER=/path/to/chrome make test",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
