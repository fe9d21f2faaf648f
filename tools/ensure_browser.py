"""Sees to it that there is a Chromium for the browser tests: `python -m tools.ensure_browser`.

Root on a Debian-like system gets the distribution's package, which brings the libraries it needs; anybody
else gets the build that Playwright keeps in the home folder. Says nothing where there is one already.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tests.browser import chromium


def install() -> None:
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        command = ["apt-get", "install", "-y", "-q", "--no-install-recommends"]
        subprocess.run(["apt-get", "update", "-q"], env=quiet, check=True)
        # On Ubuntu the package is only a pointer to a snap; find() below notices and the next way is tried.
        subprocess.run([*command, "chromium"], env=quiet, check=False)
        if chromium.find():
            return
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def main() -> int:
    if chromium.find():
        return 0
    named = os.environ.get("TFBENCH_BROWSER")
    if named:
        print(f"TFBENCH_BROWSER={named} does not run as a Chromium.", file=sys.stderr)
        return 1
    print("No Chromium for the browser tests yet: installing one.", file=sys.stderr)
    install()
    if found := chromium.find():
        print(f"Browser tests will use {found}.", file=sys.stderr)
        return 0
    print(
        "Could not install a Chromium. Install your system's package `chromium` or `google-chrome`, or run\n"
        "`.venv/bin/playwright install --with-deps chromium` as root, or name one that is there:\n"
        "TFBENCH_BROWSER=/path/to/chrome make test",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
