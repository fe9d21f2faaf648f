"""Rules of `lint` about what runs: they look at what a session has run, or without one at what can be seen of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfbench.engine.graph import GraphKeys, Operation
from tfbench.engine.prune import needed_operations
from tfbench.explain.looked_at import Finding, LookedAt, Rule, about, line_of
from tfbench.explain.text import count, shorten

#: how often a line must have added to the graph between runs
_GROWTHS = 3

_AVERAGE = re.compile(r"(?:.*/)?AssignMovingAvg(_\d+)?")
_SAVING = frozenset({"SaveV2", "RestoreV2", "ShardedFilename", "MergeV2Checkpoints"})
_TRIFLES = frozenset({"Const", "NoOp"})


def never_initialized(looked: LookedAt) -> Iterator[Finding]:
    """Variables without a value; without a session, those that no initializer op covers."""
    if looked.session is not None:
        for variable in looked.variables if looked.has_run else ():
            if not looked.has_value(variable):
                yield about(
                    variable, f"{variable.name!r} has no value in this session: run {_initializer(looked, variable)}"
                )
        return
    for variable in looked.variables:
        initializer = looked.initializer_of(variable)
        if initializer is None:
            yield about(
                variable, f"nothing initializes {variable.name!r}: it has no initializer, so assign or restore it"
            )
        elif initializer not in looked.waiting and initializer not in looked.initializers_used:
            yield about(
                variable,
                f"no initializer op covers {variable.name!r}: make {_initializer(looked, variable)} after the last "
                "variable",
            )


def _initializer(looked: LookedAt, variable: Operation) -> str:
    local = GraphKeys.LOCAL_VARIABLES in looked.collections_of(variable)
    return "tf.local_variables_initializer()" if local else "tf.global_variables_initializer()"


def initializer_never_run(looked: LookedAt) -> Iterator[Finding]:
    """An initializer that is there, but that the session has not run although something waits for it."""
    if not looked.has_run:
        return
    for item in looked.graph.get_collection_ref(GraphKeys.TABLE_INITIALIZERS):
        op = getattr(item, "op", item)
        if isinstance(op, Operation) and not looked.ran(op):
            yield about(op, f"the table initializer {op.name!r} was never run: run tf.tables_initializer()")
    for op in looked.ops:
        covered = [other for other in op._control_inputs if other in looked.initializers] if op.type == "NoOp" else []
        if covered and len(covered) == len(op._control_inputs) and not looked.ran(op):
            waiting = [v for v in looked.variables if looked.initializer_of(v) in covered and not looked.has_value(v)]
            if waiting:
                yield about(
                    op, f"{op.name!r} was never run, and {count(len(waiting), 'variable')} it initializes have no value"
                )


def updates_never_run(looked: LookedAt) -> Iterator[Finding]:
    """Update ops (of batch normalization and the like) that training does not run."""
    for op in _not_trained_with(looked, looked.update_ops):
        yield about(
            op,
            f"the update op {op.name!r} is never run: make the train op in `with tf.control_dependencies("
            "tf.get_collection(tf.GraphKeys.UPDATE_OPS)):`",
        )


def averages_never_run(looked: LookedAt) -> Iterator[Finding]:
    """Moving averages (of losses, of variables) that are never updated."""
    averages = [op for op in looked.ops if _AVERAGE.fullmatch(op.name) and op.type.startswith("AssignSub")]
    if not averages:
        return
    updates = needed_operations([], looked.update_ops, set())
    ends: dict[Operation, None] = {}
    for average in averages:
        end = average
        while (waiting := looked.waiting.get(end)) and waiting[-1].type == "NoOp":
            end = waiting[-1]
        if average not in updates:
            ends[end] = None
    for op in _not_trained_with(looked, list(ends)):
        yield about(
            op,
            f"the moving averages of {op.name!r} are never updated: fetch it with the train op, or make the train op "
            "in `with tf.control_dependencies([...]):`",
        )


def _not_trained_with(looked: LookedAt, ops: list[Operation]) -> list[Operation]:
    """Those of `ops` that training has not run; without a session, those that no train op needs."""
    if looked.session is not None:
        return [op for op in ops if not looked.ran(op)] if looked.has_run and looked.has_trained else []
    return [op for op in ops if op not in looked.needed_to_train] if looked.train_ops else []


def unreached(looked: LookedAt) -> Iterator[Finding]:
    """Lines of the program of which nothing has run, and whose results go nowhere."""
    if not looked.has_run or not looked.has_computed:
        return
    lines: dict[object, list[Operation]] = {}
    for op in looked.ops:
        if op.trace:
            lines.setdefault(line_of(op), []).append(op)
    machinery = looked.machinery
    fed = looked.history.fed if looked.history is not None else set()
    for made in lines.values():
        if any(looked.ran(op) or op.type in _SAVING for op in made):
            continue
        if any(tensor.name in fed for op in made for tensor in op.outputs_list):
            continue
        ends = [op for op in made if op not in machinery and op.type not in _TRIFLES and not looked.used(op)]
        if ends:
            more = f" (and {count(len(made) - 1, 'operation')} with it)" if len(made) > 1 else ""
            yield about(
                ends[-1],
                f"nothing that was run so far needs {shorten(ends[-1].name, 80)!r}{more}: fetch it, or leave it out",
            )


def graph_grows(looked: LookedAt) -> Iterator[Finding]:
    """A line that adds operations between one run and the next, over and over."""
    growths = looked.history.growths if looked.history is not None else []
    if len(growths) < _GROWTHS:
        return
    lines: dict[object, list[Operation]] = {}
    for start, end in growths:
        seen = set()
        for op in looked.ops[start:end]:
            key = line_of(op)
            if key and key not in seen:
                seen.add(key)
                lines.setdefault(key, []).append(op)
    told = set()
    for made in lines.values():
        where = made[0].source
        if len(made) >= _GROWTHS and where not in told:
            told.add(where)
            yield about(
                made[-1],
                f"this line added operations before {len(made)} runs ({made[0].name!r} to {made[-1].name!r}): the "
                "graph grows from run to run, and each run is planned anew. Build before the loop, and feed what "
                "changes",
            )


RUNNING_RULES: dict[str, Rule] = {
    "never-initialized": never_initialized,
    "initializer-never-run": initializer_never_run,
    "updates-never-run": updates_never_run,
    "averages-never-run": averages_never_run,
    "unreached": unreached,
    "graph-grows": graph_grows,
}
