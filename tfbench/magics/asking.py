"""What people write after a magic: expressions of the notebook, or names of the graph."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from IPython.core.error import UsageError

from tfbench.explain.text import count, shorten
from tfbench.explain.variables import VARIABLE_TYPES
from tfbench.magics.arguments import split

Namespace = dict[str, Any]


def meant(text: str, graph: Any, namespace: Namespace) -> Any:
    """The object that `text` means: a name of the graph, or the value of an expression.

    Raises:
      UsageError: if it is neither; with near names. Whatever else the expression raises.
    """
    if "/" in text or ":" in text:
        found = _in_graph(text, graph)
        if found is not None:
            return found
    try:
        return eval(compile(text, "<magic>", "eval", dont_inherit=True), namespace)
    except (NameError, SyntaxError) as error:
        found = _in_graph(text, graph)
        if found is not None:
            return found
        raise UsageError(_unknown(text, graph, namespace, error)) from None


def fetches(text: str, graph: Any, namespace: Namespace) -> Any:
    """What a list of expressions means to `Session.run`: one object, or a tuple of several.

    Raises:
      UsageError: for what cannot be fetched.
    """
    found = []
    for part in split(text, ",".__eq__):
        value = meant(part, graph, namespace)
        if value is None or isinstance(value, (int, float, np.ndarray)):
            raise UsageError(
                f"{shorten(part, 80)} is {type(value).__name__} {shorten(repr(value), 40)}, not of the graph"
            )
        found.append(value)
    return found[0] if len(found) == 1 else tuple(found)


def variable_meant(text: str, graph: Any, namespace: Namespace) -> Any:
    """A variable: its name as it stands, or the value of an expression."""
    op = graph._by_name.get(text.removesuffix(":0"))
    if op is not None and op.type in VARIABLE_TYPES:
        return op.name
    return meant(text, graph, namespace)


def no_such_names(magic: str, kind: str, pattern: str, known: Sequence[str]) -> UsageError:
    """The error for a pattern that nothing matches."""
    near = difflib.get_close_matches(pattern[:200], known[:20_000], n=3, cutoff=0.5)
    means = f": did you mean {', '.join(near)}?" if near else f" (the graph has {count(len(known), kind)})"
    return UsageError(f"%{magic}: no {kind} is called {shorten(pattern, 80)!r}{means}")


def _in_graph(text: str, graph: Any) -> Any:
    try:
        element = graph.as_graph_element(text)
    except (KeyError, ValueError, TypeError):
        return None
    outputs = getattr(element, "outputs", None)
    # An op with one output stands for its value: 'conv1/weights' is what people see in tables.
    return outputs[0] if outputs is not None and len(outputs) == 1 else element


def _unknown(text: str, graph: Any, namespace: Namespace, error: Exception) -> str:
    shown = shorten(text, 80)
    wanted = getattr(error, "name", None) or text
    ops = [op.name for op in graph.get_operations()]
    near = difflib.get_close_matches(text[:200], ops[:20_000], n=2, cutoff=0.6)
    near += difflib.get_close_matches(wanted[:200], [key for key in namespace if not key.startswith("_")], n=1)
    means = f": did you mean {' or '.join(dict.fromkeys(near))}?" if near else ""
    kind = (
        f"{type(error).__name__}: {error}" if isinstance(error, SyntaxError) else f"no name {wanted!r} in the notebook"
    )
    return f"{shown!r} is neither an operation of the graph nor an expression ({kind}){means}"


def feeds(entries: list[str] | None, graph: Any, namespace: Namespace) -> dict[Any, Any]:
    """The feed dictionary of `--feed name=expression` entries."""
    found = {}
    for entry in entries or ():
        key, equals, value = entry.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise UsageError(f"--feed takes name=expression, but got {shorten(entry, 80)!r}")
        found[meant(key.strip(), graph, namespace)] = eval(compile(value.strip(), "<--feed>", "eval"), namespace)
    return found


@contextmanager
def leaving_the_graph_alone(graph: Any) -> Iterator[None]:
    """Operations that an expression adds (`%fetch x + 1`) are taken away again."""
    mark = graph.mark()
    try:
        yield
    finally:
        if graph.version != mark.ops:
            graph.roll_back(mark)
