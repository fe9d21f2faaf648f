"""Records which names CuPy has, and which parameters they take: `cupy_names.json`.

    python tests/gpu/record_cupy.py

To be run where CuPy is installed (`pip install cupy-cuda12x`); it imports without a GPU, and without a driver. The
stand-in for CuPy (`strict_cupy`) has the names that are recorded here, and no others, so a test that runs with it
fails where a kernel calls what CuPy does not have.
"""

from __future__ import annotations

import inspect
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

FACTS = Path(__file__).with_name("cupy_names.json")

MODULES = (
    "cupy", "cupy.linalg", "cupy.fft", "cupy.random", "cupy.cuda", "cupy.cuda.runtime", "cupy.cuda.memory", "cupyx",
    "cupyx.scipy.special", "cupy.lib.stride_tricks",
)  # fmt: skip
CLASSES = (
    "cupy.ndarray", "cupy.ufunc", "cupy.cuda.Device", "cupy.cuda.Event", "cupy.cuda.MemoryPool",
    "cupy.cuda.MemoryPointer", "cupy.cuda.PinnedMemoryPool", "cupy.cuda.Stream", "cupy.cuda.Graph",
)  # fmt: skip


def parameters(thing: Any) -> str | None:
    """`a, axis, *, out, **`: what may be given, None if that is not known or `thing` cannot be called."""
    if not callable(thing):
        return None
    try:
        found = inspect.signature(thing).parameters.values()
    except (ValueError, TypeError):
        return _documented(thing)
    words = []
    for parameter in found:
        if parameter.kind is parameter.VAR_KEYWORD:
            words.append("**")
        elif parameter.kind is parameter.VAR_POSITIONAL:
            words.append("*")
        else:
            if parameter.kind is parameter.KEYWORD_ONLY and "*" not in words:
                words.append("*")
            words.append(parameter.name)
    return ", ".join(words)


def _documented(thing: Any) -> str | None:
    """The parameters that the first line of a compiled function's documentation has."""
    line = (getattr(thing, "__doc__", None) or "").strip().partition("\n")[0]
    match = re.match(r"[\w.]+\((.*?)\)(?: ->.*)?$", line.replace("\\*", "*"))
    if match is None:
        return None
    words = []
    for item in re.sub(r"\([^()]*\)", "", match.group(1)).split(","):
        word = item.partition("=")[0].split()
        if word and word[-1] != "self":
            words.append(word[-1])
    return ", ".join(words)


def record() -> dict[str, Any]:
    """The names and their parameters, by the module or class that they are in."""
    found: dict[str, Any] = {"cupy": import_module("cupy").__version__}
    names: dict[str, dict[str, Any]] = {}
    for path in (*MODULES, *CLASSES):
        if path in CLASSES:
            module, _, name = path.rpartition(".")
            owner = getattr(import_module(module), name, None) or getattr(import_module("cupy.cuda.graph"), name)
        else:
            owner = import_module(path)
        names[path] = {
            name: parameters(getattr(owner, name, None))
            for name in dir(owner)
            if not name.startswith("_") or (path in CLASSES and name.startswith("__") and name.endswith("__"))
        }
    ufunc = import_module("cupy").ufunc
    found["ufuncs"] = sorted(n for n in names["cupy"] if isinstance(getattr(import_module("cupy"), n), ufunc))
    found["names"] = names
    return found


if __name__ == "__main__":
    facts = record()
    FACTS.write_text(json.dumps(facts, indent=0, sort_keys=True) + "\n", encoding="ascii")
    print(f"{FACTS}: {sum(map(len, facts['names'].values()))} names of CuPy {facts['cupy']}")
