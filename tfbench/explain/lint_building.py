"""Rules of `lint` about how a graph was built: they need no run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfbench.engine.empty_blocks import EmptyBlocks
from tfbench.engine.graph import GraphKeys, Operation
from tfbench.engine.prune import needed_operations
from tfbench.explain.looked_at import ASSIGNS, HANDS_ON, IGNORES_VALUE, Finding, LookedAt, Rule, about, line_of
from tfbench.explain.places import place_of
from tfbench.explain.text import count
from tfbench.variable_scope import get_variable_scope

_NUMBERED = re.compile(r"(.+)_\d+")
_FED = frozenset({"Placeholder", "PlaceholderV2"})
_PLACEHOLDERS = _FED | {"PlaceholderWithDefault"}

#: how many variables of one line are a loop
_LOOP = 3


def empty_control_block(looked: LookedAt) -> Iterator[Finding]:
    """A control_dependencies block in which nothing was made."""
    found = looked.graph._extensions.get("empty_blocks")
    for block in found.found if isinstance(found, EmptyBlocks) else ():
        names = ", ".join(repr(op.name) for op in block.inputs[:3]) + (", …" if len(block.inputs) > 3 else "")
        message = (
            f"this control_dependencies block made no operation, so nothing waits for {names}: `y = x` makes none, "
            "`y = tf.identity(x)` does"
        )
        yield Finding("", block.inputs[0].name, message, place_of(block.trace))


def mixed_get_variable(looked: LookedAt) -> Iterator[Finding]:
    """`tf.get_variable` and `tf.Variable` under one name."""
    by_op = {op: name for name, op in looked.stored.items()}
    for variable in looked.variables:
        asked = by_op.get(variable)
        if asked is not None:
            if asked.rstrip("/") != variable.name and _NUMBERED.fullmatch(variable.name):
                yield about(
                    variable,
                    f"tf.get_variable({asked!r}) made {variable.name!r}, since {asked!r} was taken by something "
                    "else, such as a tf.Variable, which get_variable does not know: two variables, nothing is shared. "
                    "Use tf.get_variable for both",
                )
            continue
        base = _NUMBERED.fullmatch(variable.name)
        if base is not None and base[1] in looked.stored:
            yield about(
                variable,
                f"tf.Variable made {variable.name!r} beside {base[1]!r}, which tf.get_variable made: two "
                "variables, nothing is shared. Use tf.get_variable for both",
            )


def variables_in_a_loop(looked: LookedAt) -> Iterator[Finding]:
    """`tf.Variable` called again and again by one line."""
    lines: dict[object, list[Operation]] = {}
    stored = set(looked.stored.values())
    for variable in looked.variables:
        if variable not in stored and variable.trace:
            base = _NUMBERED.fullmatch(variable.name)
            lines.setdefault((base[1] if base else variable.name, *line_of(variable)), []).append(variable)
    for made in lines.values():
        if len(made) >= _LOOP:
            yield about(
                made[0],
                f"one line made {len(made)} variables, {made[0].name!r} to {made[-1].name!r}: a tf.Variable is a new "
                "one each time. To share it, make it before the loop, or by tf.get_variable with reuse",
            )


def shared_cell(looked: LookedAt) -> Iterator[Finding]:
    """One cell object as several layers."""
    found = looked.graph._extensions.get("shared_cells")
    for shared in found.found if found is not None else ():
        message = (
            f"one cell object, {shared.name!r}, is {shared.layers} layers of this stack, so they have one set of "
            "weights (or cannot be built, where their inputs differ in size): make a cell for each layer, "
            "[make_cell() for _ in range(n)] instead of [cell] * n"
        )
        yield Finding("", shared.name, message, place_of(shared.trace))


def reuse_leak(looked: LookedAt) -> Iterator[Finding]:
    """Reuse that was switched on and never ends."""
    with looked.graph.as_default():
        scope = get_variable_scope()
    if scope.reuse is True:
        name = scope.name or "(root scope)"
        last = looked.ops[-1] if looked.ops else None
        message = (
            f"the variable scope {name} reuses from now on: new variables, an optimizer's slots among them, raise "
            "'does not exist'. Instead of reuse_variables(), open `with tf.variable_scope(..., reuse=True):` around "
            "what shares"
        )
        yield Finding("", name, message, about(last, "").where if last is not None else None)


def never_read(looked: LookedAt) -> Iterator[Finding]:
    """Variables that are set, and that nothing looks at."""
    fetched = looked.history.fetched if looked.history is not None else set()
    for variable in looked.variables:
        reads = False
        names = [variable.outputs_list[0].name]
        for user, tensor in looked.users_of(variable):
            sets = user.type in ASSIGNS and user._inputs[0] is tensor
            if sets or user.type in HANDS_ON:
                names.extend(output.name for output in user.outputs_list)
            elif user.type not in IGNORES_VALUE:
                reads = True
                break
        if not reads and not fetched.intersection(names):
            yield about(variable, f"nothing reads the variable {variable.name!r}: no operation computes with its value")


def outside_var_list(looked: LookedAt) -> Iterator[Finding]:
    """Trainable variables that no optimizer trains, where others are."""
    trained: list[Operation] = []
    left: list[Operation] = []
    for variable in looked.variables:
        if GraphKeys.TRAINABLE_VARIABLES in looked.collections_of(variable):
            applied = any("Apply" in user.type for user, _ in looked.users_of(variable))
            (trained if applied else left).append(variable)
    others = f"{count(len(trained), 'other variable')} {'is' if len(trained) == 1 else 'are'}"
    for variable in left if trained else ():
        yield about(
            variable,
            f"no optimizer trains {variable.name!r}, though it is trainable and {others}: it is not in the var_list, "
            "or the loss does not depend on it (tf.explain.gradient_path says which). If that is meant, make it with "
            "trainable=False",
        )


def dead_summaries(looked: LookedAt) -> Iterator[Finding]:
    """Summaries that need a placeholder which training does not need: it has to be fed for them alone."""
    summaries = [
        op for item in looked.graph.get_collection_ref(GraphKeys.SUMMARIES) if (op := getattr(item, "op", None))
    ]
    if not summaries:
        return
    fed = looked.history.fed if looked.history is not None else set()
    used = looked.needed_to_train if looked.train_ops else _needed_elsewhere(looked, summaries)
    for summary in summaries:
        for op in sorted(needed_operations([], [summary], set()), key=lambda op: op._id):
            if op.type in _FED and op not in used and op.outputs_list[0].name not in fed:
                yield about(
                    summary,
                    f"the summary {summary.name!r} needs the placeholder {op.name!r}, which nothing else needs: "
                    "merging all summaries fails unless it is fed. It may be left over from an earlier version of the "
                    "graph",
                )


def _needed_elsewhere(looked: LookedAt, summaries: list[Operation]) -> set[Operation]:
    """What the newest things that are no summary need: what is left over is older."""
    of_summaries = needed_operations([], summaries, set())
    ends = [op for op in looked.ops if not looked.used(op) and op not in of_summaries and "Summary" not in op.type]
    return needed_operations([], ends, set())


def unknown_rank(looked: LookedAt) -> Iterator[Finding]:
    """Placeholders of which not even the number of axes is known."""
    for op in looked.ops:
        if op.type in _PLACEHOLDERS and op.outputs_list[0]._shape is None:
            yield about(
                op,
                f"the placeholder {op.name!r} has no known rank, so no shape is checked until it is fed: give it a "
                "shape, with None for the axes that vary",
            )


BUILDING_RULES: dict[str, Rule] = {
    "empty-control-block": empty_control_block,
    "mixed-get-variable": mixed_get_variable,
    "variable-in-loop": variables_in_a_loop,
    "shared-cell": shared_cell,
    "reuse-leak": reuse_leak,
    "never-read": never_read,
    "outside-var-list": outside_var_list,
    "dead-summary": dead_summaries,
    "unknown-rank": unknown_rank,
}
