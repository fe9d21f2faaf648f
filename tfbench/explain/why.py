"""`explain.why`: what makes an operation run when something is fetched - or why it does not run."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tfbench.engine.empty_blocks import EmptyBlock, EmptyBlocks
from tfbench.engine.fetches import FetchList
from tfbench.engine.frames import Loop, arrange
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.prune import is_fed, needed_operations
from tfbench.engine.tensor import Tensor
from tfbench.explain.defaults import graph_for, graph_of_fetches
from tfbench.explain.places import Place, place_of
from tfbench.explain.rows import plain


class Why(NamedTuple):
    """Whether an operation runs, and why. `path` goes from it to what is fetched; it is empty if it does not run."""

    op: str
    #: None where a predicate decides that is not known before the run
    runs: bool | None
    path: tuple[str, ...]
    #: "needed", "not-an-ancestor", "empty-control-block", "fed", "untaken-branch" or "branch"
    reason: str
    #: what that means here, and the way out
    message: str
    #: the control_dependencies block in which nothing was made, if that is why
    where: Place | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON takes."""
        found: dict[str, Any] = plain(self)
        return found

    def __str__(self) -> str:
        return f"{self.message}\n{_shown(self.path)}" if self.path else self.message

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _shown(path: tuple[str, ...]) -> str:
    names = [*path[:12], f"… {len(path) - 23} more …", *path[-11:]] if len(path) > 24 else list(path)
    return "path: " + " → ".join(names)


def why(op: Any, fetches: Any, feeds: Any = ()) -> Why:
    """What makes `op` run when `fetches` are fetched, or why it does not run. Nothing is run.

    Args:
      op: an operation, a tensor or a variable, or its name.
      fetches: as `Session.run` takes them.
      feeds: tensors (or their names) that will be fed, or a dictionary with their values, as `Session.run` takes it.

    Raises:
      ValueError: if `op` belongs to another graph. KeyError: for names that the graph does not have.
    """
    graph = graph_of_fetches(fetches) or graph_of_fetches(op) or graph_for()
    element = graph.as_graph_element(op)
    asked: Operation = element.op if isinstance(element, Tensor) else element
    nest = FetchList(graph, fetches)
    fed = {graph.as_graph_element(feed, allow_operation=False): None for feed in feeds}
    if isinstance(feeds, Mapping):
        fed = dict(zip(fed, feeds.values(), strict=True))
    needed = needed_operations(nest.tensors, nest.operations, set(fed))
    if asked not in needed:
        return _not_needed(graph, asked, nest, set(fed))
    path = _path(asked, nest, set(fed))
    taken = _taken(asked, fed, needed)
    if taken is not None:
        runs, message = taken
        reason = "branch" if runs is None else "untaken-branch"
        return Why(asked.name, runs, path if runs is None else (), reason, message)
    goal = "it is fetched" if len(path) == 1 else f"{path[-1]!r} is fetched, and {path[1]!r} {_needs(graph, path)}"
    return Why(asked.name, True, path, "needed", f"{asked.name!r} runs: {goal}")


def _needs(graph: Graph, path: tuple[str, ...]) -> str:
    user = graph.get_operation_by_name(path[1])
    takes = any(tensor.op.name == path[0] for tensor in user._inputs)
    return "takes its value" if takes else "waits for it (control dependency)"


def _not_needed(graph: Graph, op: Operation, nest: FetchList, fed: set[Tensor]) -> Why:
    names = ", ".join(repr(each.name) for each in nest.elements)
    if fed and op in needed_operations(nest.tensors, nest.operations, set()):
        feeds = ", ".join(repr(tensor.name) for tensor in fed)
        return Why(op.name, False, (), "fed", f"{op.name!r} does not run: what needs it is fed ({feeds})")
    for block in reversed(_empty_blocks(graph)):
        if op in needed_operations([], block.inputs, fed):
            where = place_of(block.trace)
            place = f" ({where})" if where is not None else ""
            message = (
                f"{op.name!r} does not run: the control_dependencies block that names it{place} made no operation, so "
                "nothing waits for it. `y = x` makes none: write `y = tf.identity(x)` in the block."
            )
            return Why(op.name, False, (), "empty-control-block", message, where)
    message = (
        f"{op.name!r} does not run: nothing that is fetched ({names}) takes its value or waits for it. Fetch it too, "
        "or have something that is fetched wait for it, by tf.control_dependencies."
    )
    return Why(op.name, False, (), "not-an-ancestor", message)


def _empty_blocks(graph: Graph) -> list[EmptyBlock]:
    found = graph._extensions.get("empty_blocks")
    return list(found.found) if isinstance(found, EmptyBlocks) else []


def _path(op: Operation, nest: FetchList, fed: set[Tensor]) -> tuple[str, ...]:
    """The ops of a shortest path from `op` to a fetch, by what takes values and what waits."""
    starts = [tensor.op for tensor in nest.tensors if tensor not in fed] + list(nest.operations)
    came: dict[Operation, Operation | None] = dict.fromkeys(starts)
    queue = list(came)
    for user in queue:  # grows on the way
        if user is op:
            break
        before = [tensor.op for tensor in user._inputs if tensor not in fed]
        before += [other for other in user._control_inputs if not is_fed(other, fed)]
        for other in before:
            if other not in came:
                came[other] = user
                queue.append(other)
    names = []
    at: Operation | None = op
    while at is not None:
        names.append(at.name)
        at = came[at]
    return tuple(names)


def _taken(op: Operation, fed: Mapping[Tensor, Any], needed: set[Operation]) -> tuple[bool | None, str] | None:
    """Where `op` is in a branch or loop that may not be taken: None or False, and why. None if it runs for certain."""
    context = op._control_flow_context
    unknown = ""
    while context is not None:
        if context.IsCondContext() and not _is_switch_of(op, context.pred):
            side = "true" if context.branch else "false"
            value = _known(context.pred, fed)
            here = f"it is in the {side} branch of {context.name!r}, whose predicate {context.pred.name!r}"
            if value is not None and value != bool(context.branch):
                return False, f"{op.name!r} does not run: {here} is {value}"
            if value is None and not unknown:
                unknown = f"whether {op.name!r} runs is not known before the run: {here} decides"
        elif context.IsWhileContext() and not unknown and op in _bodies(needed, set(fed)):
            unknown = (
                f"whether and how often {op.name!r} runs is not known before the run: it is in the body of the loop "
                f"{context.name!r}, whose condition decides"
            )
        context = context.outer_context
    return (None, unknown) if unknown else None


def _is_switch_of(op: Operation, pred: Tensor) -> bool:
    """Whether `op` hands a value to one branch: that runs in any case."""
    return op.type in ("Switch", "RefSwitch") and op._inputs[1] is pred


def _known(pred: Tensor, fed: Mapping[Tensor, Any]) -> bool | None:
    """The value of a predicate where it is constant or fed."""
    if pred in fed:
        return None if fed[pred] is None else bool(fed[pred])
    if fed and needed_operations([pred], [], set()) != needed_operations([pred], [], set(fed)):
        return None
    value = constant_value(pred)
    return None if value is None else bool(value)


def _bodies(needed: set[Operation], fed: set[Tensor]) -> set[Operation]:
    """The ops that run once in each iteration of a loop, and not to test whether there is one."""
    return set(_in_bodies(arrange(needed, fed), False))


def _in_bodies(units: Iterable[Any], inside: bool) -> Iterable[Operation]:
    for unit in units:
        if not isinstance(unit, Loop):
            if inside:
                yield unit
            continue
        for part, member in unit.parts():
            yield from _in_bodies([member], inside or part == "body")
