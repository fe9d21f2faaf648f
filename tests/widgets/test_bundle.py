"""The committed bundle: built from the sources beside it, small, and self-contained."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

WIDGETS = Path(__file__).parents[2] / "tfbench/widgets"
FRONTEND = WIDGETS / "frontend"
BUNDLE = [WIDGETS / f"static/{name}" for name in ("inspector.js", "inspector.css", "watch.js")]


@pytest.mark.parametrize("file", BUNDLE, ids=lambda file: file.name)
def test_the_bundle_is_built_from_these_sources(file: Path) -> None:
    """A Python-only check of what a rebuild would say (`npm ci && npm run build`, then no difference)."""
    digest = hashlib.sha256()
    sources = [f"src/{path.name}" for path in (FRONTEND / "src").iterdir()]
    for name in sorted([*sources, "build.mjs", "package-lock.json"]):
        digest.update(f"{name}\0".encode() + (FRONTEND / name).read_bytes() + b"\0")
    assert digest.hexdigest() in file.read_text().splitlines()[0], "run `npm run build` in tfbench/widgets/frontend"


def test_the_bundle_is_small() -> None:
    assert (WIDGETS / "static/inspector.js").stat().st_size <= 150_000


@pytest.mark.parametrize("file", BUNDLE, ids=lambda file: file.name)
def test_the_bundle_asks_for_nothing(file: Path) -> None:
    text = file.read_text()
    # XML namespaces are names, not addresses.
    addresses = {url for url in re.findall(r"https?://[^\"'`\s)]+", text) if not url.startswith("http://www.w3.org/")}
    assert addresses == set()
    assert "@import" not in text
    assert "dangerouslySetInnerHTML:" not in text
    assert not re.search(r"\bfetch\(|XMLHttpRequest|importScripts|eval\(", text)


def test_the_bundle_comes_with_its_licences() -> None:
    text = (WIDGETS / "static/LICENSES.txt").read_text()
    for package in json.loads((FRONTEND / "package.json").read_text())["dependencies"]:
        assert package in text
    assert text.count("Permission is hereby granted") == 3


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((FRONTEND / "package-lock.json").read_text())
    assert lock["packages"]
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
    assert all("integrity" in package for name, package in lock["packages"].items() if name)


def test_versions_are_exact() -> None:
    package = json.loads((FRONTEND / "package.json").read_text())
    for version in (package["dependencies"] | package["devDependencies"]).values():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
