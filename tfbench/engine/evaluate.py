"""`tensor.eval()` and `op.run()`: runs in the session that is given, else in the default one."""

from __future__ import annotations

from typing import Any

from tfbench.engine.default_graph import get_default_session
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.tensor import OPERATORS


def eval_tensor(tensor: Any, feed_dict: Any, session: Any) -> Any:
    """`tensor.eval()`."""
    return _session_for(tensor.graph, session, "evaluate tensor", "eval", "tensor").run(tensor, feed_dict)


def run_operation(op: Operation, feed_dict: Any, session: Any) -> None:
    """`op.run()`."""
    _session_for(op.graph, session, "execute operation", "run", "operation").run(op, feed_dict)


def _session_for(graph: Graph, session: Any, action: str, method: str, what: str) -> Any:
    given = session is not None
    if not given:
        session = get_default_session()
        if session is None:
            raise ValueError(
                f"Cannot {action} using `{method}()`: No default session is registered. Use "
                f"`with sess.as_default()` or pass an explicit session to `{method}(session=sess)`"
            )
    if session.graph is not graph:
        raise ValueError(
            f"Cannot use the {'given' if given else 'default'} session to {action}: the {what}'s graph is different "
            f"from the session's graph." + ("" if given else f" Pass an explicit session to `{method}(session=sess)`.")
        )
    return session


OPERATORS["eval"] = eval_tensor
OPERATORS["run"] = run_operation
