"""From what a user names to an array: variables in their session, tensors through a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_default_graph, get_default_session
from tfbench.engine.resources import REFERENCE_VARIABLES
from tfbench.engine.tensor import Tensor

Array = np.ndarray[Any, Any]


def default_session(session: Any) -> Any:
    """`session`, or the default one.

    Raises:
      ValueError: if there is none.
    """
    session = session if session is not None else get_default_session()
    if session is None:
        raise ValueError(
            "There is no session to take values from: pass session=…, or work inside `with tf.Session():` "
            "(after %load_ext tfbench every notebook has one)."
        )
    return session


def variable_named(variable: Any, graph: Any) -> Any:
    """The variable that is meant: itself, or the one of that name (with or without `:0`).

    Raises:
      ValueError: if there is none of that name, naming near ones. TypeError: for what is no variable.
    """
    if not isinstance(variable, (str, bytes)):
        if not hasattr(variable, "dtype") or not hasattr(variable, "name"):
            raise TypeError(f"{variable!r:.60} (of type {type(variable).__name__}) is no variable and no name of one.")
        return variable
    name = variable.decode() if isinstance(variable, bytes) else variable
    known = {}
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for found in graph.get_collection(key):
            known[found.name.split(":")[0]] = found
    if name.split(":")[0] in known:
        return known[name.split(":")[0]]
    op = graph._by_name.get(name.removesuffix(":0"))
    if op is not None and op.type in REFERENCE_VARIABLES:
        return op.outputs[0]  # one that is in no collection
    import difflib

    near = difflib.get_close_matches(name, known, n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else f" There are: {', '.join(list(known)[:10]) or 'none'}."
    raise ValueError(f"There is no variable {name!r} in this graph.{hint}")


def variable_value(variable: Any, session: Any) -> tuple[str, Array]:
    """Name and value of a variable (object or name).

    Raises:
      ValueError: for an unknown name, naming near ones; for a tensor that needs to be fed.
      FailedPreconditionError: if it is not initialised, saying how to. TypeError: for what is not of a graph.
    """
    session = default_session(session)
    found = variable_named(variable, session.graph)
    try:
        return found.name.split(":")[0], np.asarray(session.run(found))
    except errors.FailedPreconditionError as error:
        raise errors.FailedPreconditionError(
            error.node_def,
            error.op,
            f"{found.name.split(':')[0]} has no value yet: run its initializer (%init, or "
            "session.run(tf.global_variables_initializer())).",
        ) from None
    except errors.InvalidArgumentError as error:
        if "must feed" not in str(error):
            raise
        raise ValueError(
            f"{found.name.removesuffix(':0')} is not a variable: it is computed from what is fed. Filters are values "
            "of variables; activations(tensor, feed_dict) shows what a layer computes (%activations … --feed …)."
        ) from None


def tensor_named(tensor: Any, graph: Any = None) -> Tensor:
    """The tensor that is meant: itself, or the one of that name (`relu1` is `relu1:0`)."""
    graph = get_default_graph() if graph is None else graph
    if isinstance(tensor, str) and ":" not in tensor:
        tensor = f"{tensor}:0"
    return graph.as_graph_element(tensor, allow_operation=False)


def chosen(wanted: Any, count: int, most: int, what: str) -> list[int]:
    """Indices: those asked for, checked, or the first `most` of `count`.

    Raises:
      ValueError: for an index that is not there.
    """
    if wanted is None:
        return list(range(min(count, most)))
    if isinstance(wanted, slice):
        return list(range(count))[wanted]
    indices = [wanted] if isinstance(wanted, (int, np.integer)) else list(wanted)
    for index in indices:
        if not -count <= index < count:
            there = (
                f"there are {count}, 0 to {count - 1}" if count > 1 else "there is only 0" if count else "there is none"
            )
            raise ValueError(f"There is no {what} {index}: {there}.")
    return [int(index) % count for index in indices]
