"""tfbench calls nothing that CuPy has not: every name and keyword in its source, against the recorded ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.gpu import record_cupy
from tests.gpu.strict_cupy import FACTS, NAMES

ROOT = Path(__file__).parents[2] / "tfbench"


def chain(node: ast.AST) -> list[str]:
    """`["xp", "linalg", "inv"]` for `xp.linalg.inv`; [] where it begins with something else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return [node.id, *names] if isinstance(node, ast.Name) else []


def uses(path: Path) -> Iterator[tuple[list[str], tuple[str, ...], int]]:
    """What a file uses of an array module that may be CuPy's: the names after it, keywords of a call, the line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or id(node) in inner:
            continue
        names = chain(node)
        if names[:2] == ["self", "cupy"] or names[:2] == ["found", "cupy"]:
            names = names[1:]
        if len(names) < 2 or names[0] not in ("xp", "cupy"):
            continue
        call = calls.get(id(node))
        keywords = tuple(word.arg for word in call.keywords if word.arg) if call is not None else ()
        yield names[1:], keywords, node.lineno


def problem(names: list[str], keywords: tuple[str, ...]) -> str | None:
    """What CuPy lacks of a use, or None."""
    owner, name = ".".join(["cupy", *names[:-1]]), names[-1]
    if owner not in NAMES:
        # A method of what a name stands for (`xp.add.at`, `xp.pi.real`): the name itself has to be there.
        return problem(names[:-1], ()) if len(names) > 1 else f"no {owner}"
    if name not in NAMES[owner] and f"{owner}.{name}" not in NAMES:
        return f"{owner} has no {name}"
    takes = NAMES[owner].get(name)
    if takes is None or not keywords:
        return None
    words = [word.strip() for word in takes.split(",")]
    if any(word.startswith("**") for word in words):
        return None
    wrong = [word for word in keywords if word not in words]
    return f"{owner}.{name} takes no {wrong[0]} but ({takes})" if wrong else None


FILES = sorted(path for path in (ROOT / "engine").rglob("*.py") if "xp." in path.read_text(encoding="utf-8"))
FILES += [ROOT / "engine" / "cuda.py", ROOT / "engine" / "captures.py"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_is_called_is_there(path: Path) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for names, keywords, line in uses(path)
        if (text := problem(names, keywords)) is not None
    ]
    assert not found, "\n".join(found)


def test_there_is_something_to_look_at() -> None:
    in_cuda = [".".join(names) for names, _, _ in uses(ROOT / "engine" / "cuda.py")]
    assert {"cuda.MemoryPool", "cuda.Device", "cuda.runtime.memGetInfo", "array", "empty"} <= set(in_cuda)
    assert len(FILES) > 30


def test_only_one_file_imports_cupy() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): sorted(
            set(re.findall(r"import cupy\w*|import_module\(\"(cupy[\w.]*)", text))
        )
        for path in ROOT.rglob("*.py")
        if "node_modules" not in path.parts and "cupy" in (text := path.read_text(encoding="utf-8"))
    }
    assert {path: names for path, names in found.items() if names} == {
        "engine/cuda.py": ["cupy", "cupyx"],
        # Called with an array of CuPy's: it is loaded by then.
        "engine/kernels/special_device.py": ["cupyx.scipy.special"],
    }


@pytest.mark.parametrize(
    ("names", "keywords"),
    [
        (["nothing_of_the_kind"], ()),
        (["cuda", "Devices"], ()),
        (["clip"], ("where",)),
        (["cuda", "Event"], ("timing",)),
    ],
)
def test_a_name_that_is_not_there_is_found(names: list[str], keywords: tuple[str, ...]) -> None:
    assert problem(names, keywords) is not None


@pytest.mark.skipif(
    find_spec("cupy") is None, reason="CuPy is not installed: nothing to compare the recorded names with"
)
def test_the_installed_cupy_has_the_recorded_names() -> None:
    import cupy

    if cupy.__version__.split(".")[0] != FACTS["cupy"].split(".")[0]:
        pytest.skip(f"names were recorded from CuPy {FACTS['cupy']}, installed is {cupy.__version__}")
    there = record_cupy.record()["names"]
    gone = [f"{owner}.{name}" for owner, names in NAMES.items() for name in names if name not in there[owner]]
    assert not gone
