"""Differences between two facts: what TensorFlow made of a program, and what tfbench made of it.

Each function returns None where they agree, else a text that says where they part, TensorFlow's side first.
"""

from __future__ import annotations

import math
import re
from typing import Any

Fact = Any
Tolerance = tuple[float, float]

# (relative, absolute); other dtypes are compared exactly.
TOLERANCE: dict[str, Tolerance] = {
    "float64": (1e-10, 1e-12),
    "float32": (1e-5, 1e-6),
    "float16": (2e-3, 1e-3),
    "bfloat16": (2e-2, 1e-2),
    "complex64": (1e-5, 1e-6),
    "complex128": (1e-10, 1e-12),
}
# A constant in a graph has been rounded once, not computed with.
ATTRIBUTE_TOLERANCE = (2e-7, 1e-12)
# Python's own words for bad input that nobody checked.
ACCIDENT = re.compile(
    "^$|inhomogeneous shape|Cannot convert a symbolic|could not convert string|malformed string|object has no attribute"
    "|unhashable type|is not iterable|not subscriptable|is not callable|invalid literal for|bytes-like object"
    "|unsupported operand type|positional argument|unexpected keyword|not supported between|to unpack|must be str"
    "|cannot be interpreted as an|index out of range|can only concatenate|has no len|not 'NoneType'"
)
# Attributes that count what a process has made: py_func's.
NUMBERED = {"token"}
# Classes that only TensorFlow 2 has.
INSIDE = {"SymbolicTensor", "EagerTensor", "ResourceVariable", "RefVariable"}
DTYPE = re.compile(r"(bfloat|float|u?int|complex|q?u?int)\d+|bool|string|half|double")


def facts(expected: Fact, found: Fact, program: Any) -> str | None:
    """Compare what one program gave."""
    if "error" in expected or "error" in found:
        return _outcome(expected, found, program)
    problem = value(expected["value"], found["value"], program)
    if "graph" in expected:
        nodes, own = expected["graph"], found["graph"]
        if program.oracle == "1.15":
            nodes, own = [_newer(row) for row in nodes], [_newer(row) for row in own]
        differs = graph(nodes, own)
        problem = "\n".join(text for text in (differs, problem) if text) or None
    return problem


def _outcome(expected: Fact, found: Fact, program: Any) -> str | None:
    if "error" not in expected:
        return f"TensorFlow returns a value here; tfbench raised {_say_error(found['error'])}"
    if "error" not in found:
        return f"TensorFlow raises {_say_error(expected['error'])}; tfbench returned {_short(found['value'])}"
    return error(expected["error"], found["error"], program)


# ---- graphs


def graph(expected: list[Fact], found: list[Fact]) -> str | None:
    """First node that differs, and the nodes around it."""
    for at, (want, got) in enumerate(zip(expected, found, strict=False)):
        problem = node(want, got)
        if problem:
            return f"node {at} of {len(expected)}: {problem}{_names(expected, found, at)}"
    if len(expected) != len(found):
        at = min(len(expected), len(found))
        side, rows = ("tfbench lacks", expected) if len(expected) > at else ("tfbench has besides", found)
        return f"{len(expected)} nodes expected, {len(found)} found; {side}: " + ", ".join(
            _say(row) for row in rows[at : at + 6]
        )
    return None


#: what TensorFlow has called `Add` of anything but strings since 2.0, and attributes that ops got later
_ADDED_LATER = {
    "MatMul": {"grad_a": False, "grad_b": False},
    "BatchMatMulV2": {"grad_x": False, "grad_y": False},
    "MaxPool": {"explicit_paddings": []},
    "FusedBatchNormV3": {"exponential_avg_factor": 1.0},
    "DepthwiseConv2dNative": {"explicit_paddings": []},
    "AssignVariableOp": {"validate_shape": False},
    "VarHandleOp": {"allowed_devices": [], "debug_name": ""},
}


def _newer(row: Fact) -> Fact:
    """A node that TensorFlow 1.15 made, as later versions make it."""
    name, kind, inputs, device, attrs = row
    if kind == "Add":
        kind = "AddV2"
    attrs = {**_ADDED_LATER.get(kind, {}), **attrs}
    if kind == "VarHandleOp":
        attrs["debug_name"] = ""  # the variable's name, which its op has too
    return [name, kind, inputs, device, attrs]


def node(expected: Fact, found: Fact) -> str | None:
    """One node's name, type, inputs, device and attributes."""
    problems = []
    for label, want, got in zip(("name", "type", "inputs", "device"), expected, found, strict=False):
        if want != got:
            problems.append(f"{label}: TensorFlow {want!r}, tfbench {got!r}")
    for key in sorted({*expected[4], *found[4]} - NUMBERED):
        want, got = expected[4].get(key, "(absent)"), found[4].get(key, "(absent)")
        if not _same_attribute(want, got):
            problems.append(f"attribute {key}: TensorFlow {_short(want)}, tfbench {_short(got)}")
    return f"{_say(expected)}\n    " + "\n    ".join(problems) if problems else None


def _same_attribute(want: Fact, got: Fact) -> bool:
    if want == got:
        return True
    if isinstance(want, dict) and isinstance(got, dict) and want.keys() == got.keys() == {"tensor"}:
        return array(want["tensor"], got["tensor"], ATTRIBUTE_TOLERANCE) is None
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return all(_same_attribute(w, g) for w, g in zip(want, got, strict=True))
    if isinstance(want, float) and isinstance(got, (int, float)):
        return _close(want, got, ATTRIBUTE_TOLERANCE)
    return False


def _names(expected: list[Fact], found: list[Fact], at: int) -> str:
    window = slice(max(0, at - 2), at + 5)
    return (
        "\n    TensorFlow: "
        + ", ".join(map(_say, expected[window]))
        + "\n    tfbench:    "
        + ", ".join(map(_say, found[window]))
    )


def _say(row: Fact) -> str:
    return f"{row[0]} = {row[1]}({', '.join(row[2])})"


# ---- errors


def error(expected: Fact, found: Fact, program: Any) -> str | None:
    """Same class, from the same family, same code, and a message that has the key words of TensorFlow's.

    A class that users cannot name counts as the built-in one it derives from. Where TensorFlow trips over bad input
    inside itself, tfbench may say it better: with the same class, TypeError or ValueError.
    """
    if found["message"].startswith("module 'tfbench"):
        return f"tfbench lacks a name: {_say_error(found)}; TensorFlow raises {_say_error(expected)}"
    if ACCIDENT.search(expected["message"]) and program.messages is None:
        good = found["family"] == "builtin" and found["class"] in (expected["class"], "TypeError", "ValueError")
        return None if good else f"TensorFlow trips over {_say_error(expected)}; tfbench {_say_error(found)}"
    same = (expected["class"], expected["family"]) == (found["class"], found["family"])
    if not same and (found["family"] != "builtin" or found["class"] != expected.get("kind_of")):
        return f"TensorFlow raises {_say_error(expected)}; tfbench {_say_error(found)}"
    if expected.get("code") != found.get("code"):
        return f"error code: TensorFlow {expected.get('code')}, tfbench {found.get('code')}"
    said = _squeeze(found.get("full") or found["message"])
    keys = program.messages
    if keys is None:
        keys = key_words(expected["message"], program.text())
    missing = [key for key in keys if _squeeze(key) not in said]
    if missing:
        return f"the message lacks {missing}\n    TensorFlow: {expected['message']}\n    tfbench:    {found['message']}"
    return None


def key_words(message: str, source: str = "") -> list[str]:
    """What a message must say: short names in quotes, shapes, and the names that the program itself wrote.

    Where TensorFlow goes on with a node definition ("... for '{{node add}} = AddV2[...](x, y)' with input shapes ..."),
    what counts is what stands before, with its numbers, and the node's name. Printed tensors, objects with addresses
    and argument names in back quotes (as 1.x did not write them) do not count.
    """
    head, node_name, _ = (*re.split(r" for '?\{\{node ([^}]*)\}\}", message, maxsplit=1), "", "")[:3]
    plain = re.sub(r"\{\{node ([^}]*)\}\}", r"\1", head)
    plain = re.sub(r"<[^<>]*>|\bTensor\([^()]*(?:\([^()]*\))?[^()]*\)", " ", plain)
    quoted = re.findall(r"""(?<!\w)'([^'\n]{1,60})'|(?<!\w)"([^"\n]{1,60})\"""", plain)
    names = [name for parts in quoted for name in parts if re.fullmatch(r"[\w./:\[\]-]+", name)]
    names = [name for name in names if name not in INSIDE]
    shapes = re.findall(r"(?<!\w)[(\[](?:\d+|\?|None)?(?:, ?(?:\d+|\?|None))*,?[)\]]", plain)
    shapes = [shape for shape in shapes if re.search(r"\d|\?|None", shape)]
    literals = re.findall(r"""'([^'\n]*)'|"([^"\n]*)\"""", source)
    written = {part for parts in literals for part in parts if len(part) > 1 and not DTYPE.fullmatch(part)}
    words = [word.rstrip(".:,") for word in re.findall(r"[\w./:]+", plain)]
    own = [word for word in words if word in written or word.removesuffix(":0") in written]
    numbers = re.findall(r"(?<![\w.,\[(])(?<!Dimension )(?<!-)\d+(?![\w.,\])]*[\])])", plain) if node_name else []
    return list(dict.fromkeys(names + own + shapes + numbers + ([node_name] if node_name else [])))


def _squeeze(text: str) -> str:
    """Lower case, without blanks, with one bracket for shapes and one quote: `[2, 3]` is `(2,3)`."""
    text = re.sub(r"\s+", "", text.lower()).replace("[", "(").replace("]", ")").replace(",)", ")")
    return text.replace("none", "?").translate({ord('"'): "'", ord("`"): "'"})


def _say_error(fact: Fact) -> str:
    return f"{fact['class']}: {fact['message'][:200]}"


# ---- values


def value(expected: Fact, found: Fact, program: Any, path: str = "value") -> str | None:
    """Compare two encoded values; the text names the place in the nest."""
    if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
        (kind,) = expected
        want, got = expected[kind], found[kind]
        if kind in ("array", "scalar"):
            problem = array(want, got, program.tol, program.random)
            return f"{path}: {problem}" if problem else None
        if kind == "float":
            same = program.random or _close(want, got, _tolerance("float64", program.tol))
            return None if same else _differ(path, want, got)
        if kind == "error":
            problem = error(want, got, program)
            return f"{path}: {problem}" if problem else None
        if kind == "graph":
            problem = graph(want, got)
            return f"{path}: {problem}" if problem else None
        if kind == "dict":
            want, got = [part for pair in want for part in pair], [part for pair in got for part in pair]
        if kind == "namedtuple":
            if want[0] != got[0]:
                return _differ(path, want[0], got[0])
            want, got = want[1], got[1]
        return _parts(want, got, program, path)
    return _parts(expected, found, program, path)


def _parts(want: Fact, got: Fact, program: Any, path: str) -> str | None:
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for at, (one, other) in enumerate(zip(want, got, strict=True)):
            problem = value(one, other, program, f"{path}[{at}]")
            if problem:
                return problem
        return None
    if isinstance(want, dict) and isinstance(got, dict) and want.keys() == got.keys() and len(want) != 1:
        for key in want:
            problem = value(want[key], got[key], program, f"{path}.{key}")
            if problem:
                return problem
        return None
    return None if want == got and type(want) is type(got) else _differ(path, want, got)


def array(want: Fact, got: Fact, tol: Any = None, random: bool = False) -> str | None:
    """Compare two encoded arrays by dtype, shape, and data within the dtype's tolerance."""
    if want[0] != got[0]:
        return f"dtype: TensorFlow {want[0]}, tfbench {got[0]}"
    if want[1] != got[1]:
        return f"shape: TensorFlow {want[1]}, tfbench {got[1]}"
    if random:
        return None
    tolerance = _tolerance(want[0], tol)
    if isinstance(want[2], list):
        return _elements(want[2], got[2], tolerance)
    if want[2]["sha1"] == got[2]["sha1"]:
        return None
    if tolerance == (0, 0):
        samples = _elements(want[2]["samples"], got[2]["samples"], tolerance)
        return f"not bit for bit the same; {samples or 'the samples agree'}"
    problem = _elements(want[2]["samples"], got[2]["samples"], tolerance)
    if problem:
        return f"samples: {problem}"
    slack = (0.0, tolerance[0] * max(_finite(want[2]["norm"]), 1.0) + tolerance[1] * math.prod(want[1]) ** 0.5)
    for one, other in zip(want[2]["sums"], got[2]["sums"], strict=True):
        if not _close(one, other, slack):
            return f"checksum: TensorFlow {one}, tfbench {other} (the samples agree)"
    return None


def _elements(want: list[Fact], got: list[Fact], tolerance: Tolerance) -> str | None:
    wrong = [at for at, (one, other) in enumerate(zip(want, got, strict=True)) if not _close(one, other, tolerance)]
    if not wrong:
        return None
    at = wrong[0]
    return (
        f"{len(wrong)} of {len(want)} elements differ, first [{at}]: TensorFlow {want[at]!r}, tfbench {got[at]!r}"
        f"\n    TensorFlow: {_short(want)}\n    tfbench:    {_short(got)}"
    )


def _tolerance(dtype: str, tol: Any) -> Tolerance:
    if tol is not None:
        return (tol, tol) if isinstance(tol, (int, float)) else (tol[0], tol[1])
    return TOLERANCE.get(dtype, (0, 0))


def _close(want: Fact, got: Fact, tolerance: Tolerance) -> bool:
    if isinstance(want, list):
        return all(_close(one, other, tolerance) for one, other in zip(want, got, strict=True))
    if isinstance(want, (bool, str)) or isinstance(got, (bool, str)):
        return want == got and type(want) is type(got)
    return abs(want - got) <= tolerance[1] + tolerance[0] * abs(want)


def _finite(number: Fact) -> float:
    return float(number) if isinstance(number, (int, float)) else 0.0


def _differ(path: str, want: Fact, got: Fact) -> str:
    return f"{path}: TensorFlow {_short(want)}, tfbench {_short(got)}"


def _short(fact: Fact) -> str:
    text = repr(fact)
    return text if len(text) <= 300 else text[:300] + "..."
