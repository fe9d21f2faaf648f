"""What people write after a magic: expressions of the notebook, or names of the graph."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from IPython.core.error import UsageError

from tfbench import errors
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.explain.text import count, shorten
from tfbench.magics.arguments import split
from tfbench.magics.tracebacks import EXPRESSION

Namespace = dict[str, Any]

#: what IPython puts into the notebook's names
_IPYTHONS = frozenset({"In", "Out", "exit", "get_ipython", "open", "quit"})


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
        return eval(compile(text, EXPRESSION, "eval", dont_inherit=True), namespace)
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
            kind = "None" if value is None else f"a value ({type(value).__name__})"
            raise UsageError(
                f"{shorten(part, 80)!r} is {kind}, not of the graph: give tensors, operations, variables or their names"
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
    part = pattern.strip("*/").lower()
    near = near or [name for name in known if part and part in name.lower()][:3]
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


def _users_names(namespace: Namespace) -> list[str]:
    """What may be meant by a name of the notebook: not what IPython puts beside the user's own."""
    return [key for key in namespace if not key.startswith("_") and key not in _IPYTHONS]


def _unknown(text: str, graph: Any, namespace: Namespace, error: Exception) -> str:
    shown = shorten(text, 80)
    wanted = getattr(error, "name", None) or text
    ops = [op.name for op in graph.get_operations()]
    near = difflib.get_close_matches(text[:200], ops[:20_000], n=2, cutoff=0.6)
    near += difflib.get_close_matches(wanted[:200], _users_names(namespace), n=1)
    means = f": did you mean {' or '.join(dict.fromkeys(near))}?" if near else ""
    if isinstance(error, SyntaxError):
        kind = f" ({error.msg}; several are separated by commas)" if " " in text else f" ({error.msg})"
    else:
        kind = "" if "/" in text else f" (no name {wanted!r} in the notebook)"
    return f"{shown!r} is neither an operation of the graph nor an expression{kind}{means}"


def feeds(entries: list[str] | None, graph: Any, namespace: Namespace) -> dict[Any, Any]:
    """The feed dictionary of `--feed name=expression` entries."""
    found = {}
    for entry in entries or ():
        key, equals, value = (part.strip() for part in entry.partition("="))
        if not equals or not key or not value:
            raise UsageError(f"--feed takes name=expression, e.g. --feed images=photo, but got {shorten(entry, 80)!r}")
        target = meant(key, graph, namespace)
        if not hasattr(target, "dtype"):
            raise UsageError(f"--feed {shorten(key, 80)}: that is {_kind(target)}, and only tensors can be fed")
        try:
            found[target] = eval(compile(value, EXPRESSION, "eval", dont_inherit=True), namespace)
        except (NameError, SyntaxError) as error:
            raise UsageError(f"--feed {shorten(key, 80)}: {_wrong_expression(value, namespace, error)}") from None
    return found


def _kind(value: Any) -> str:
    return f"operation {shorten(value.name, 80)}" if hasattr(value, "node_def") else f"a {type(value).__name__}"


def _wrong_expression(text: str, namespace: Namespace, error: NameError | SyntaxError) -> str:
    """What is wrong with the expression `text`, and which name may be meant."""
    if isinstance(error, SyntaxError):
        return f"{shorten(text, 80)!r} is no expression ({error.msg})"
    near = difflib.get_close_matches(error.name or "", _users_names(namespace), n=1)
    means = f": did you mean {near[0]}?" if near else ""
    return f"{shorten(text, 80)!r} uses {error.name!r}, which is no name of the notebook{means}"


@contextmanager
def saying_how_to_feed(magic: str) -> Iterator[None]:
    """An error about a placeholder or a variable without a value says how it is given one in a notebook."""
    try:
        yield
    except errors.FailedPreconditionError as error:
        if "uninitialized value" in str(error):
            error.add_note("In a notebook: %init initializes the variables that have no value yet")
        raise
    except errors.InvalidArgumentError as error:
        missing = re.search(r"feed a value for placeholder tensor '([^']*)'", str(error))
        if missing is not None:
            error.add_note(f"Feed it: %{magic} … --feed {shorten(missing[1], 80)}=EXPRESSION")
        raise


@contextmanager
def leaving_graphs_alone(graphs: Iterable[Any]) -> Iterator[None]:
    """Operations that an expression adds (`%fetch x + 1`) are taken away again."""
    marks = [(graph, graph.mark()) for graph in graphs]
    try:
        yield
    finally:
        for graph, mark in marks:
            if graph.version != mark.ops:
                graph.roll_back(mark)


@contextmanager
def adding_nothing(graphs: Iterable[Any], magic: str) -> Iterator[None]:
    """As `leaving_graphs_alone`, for what goes on afterwards, and would miss the operations that are taken away.

    Raises:
      UsageError: if an expression adds operations.
    """
    graphs = list(graphs)
    with leaving_graphs_alone(graphs):
        before = [graph.version for graph in graphs]
        yield
        if before != [graph.version for graph in graphs]:
            raise UsageError(
                f"%{magic}: this adds operations to the graph; make them in a cell, and {magic} what they are called"
            )
