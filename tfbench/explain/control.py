"""`explain.control`: pause, step and stop whatever runs a session - a loop in another thread, or in another cell."""

from __future__ import annotations

from functools import partial
from typing import Any

from tfbench.engine.breakpoints import Breakpoints
from tfbench.engine.stepping import Control
from tfbench.explain.defaults import graph_for, plain_session, session_for
from tfbench.explain.stepper import breakpoint_name


def control(session: Any = None) -> Control:
    """The one control of a session, for other threads than the one that runs it; the inspector's buttons use it.

    `pause()` holds a loop before its next run, or before the next step of a run whose steps are looked at; `step()`
    goes one step on, `to(op)` to an operation, `go()` to the next of the `breakpoints`, or for good. `stop()` has
    the next run raise an error that is a KeyboardInterrupt, before it does anything. `breakpoints` are names of
    operations, scopes ("tower/") and "nan"; while there are any, runs go step by step. Where nobody could say how
    to go on, a breakpoint ends the loop with an error that says what was found.

    Args:
      session: default: the default session, or the bench's of the current graph.

    Raises:
      ValueError: if there is no session.
    """
    session = plain_session(session) or session_for(graph_for())
    if session is None:
        raise ValueError("There is no session to control: use `with tf.Session():` or pass session=…")
    found = next((hook for hook in session.hooks if isinstance(hook, Control)), None)
    return found or Control(session, Breakpoints((), partial(breakpoint_name, session.graph)))
