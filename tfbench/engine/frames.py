"""Loops found in a graph: which ops belong to which frame, and in which order all of it runs.

In TensorFlow's graphs a loop is a *frame*: what lies between the Enters of one `frame_name` and its Exits. An Enter
leads into a frame and an Exit out of it; every other op is in the frame that its inputs come from. A loop variable is
a Merge of an Enter (before the first iteration) and a NextIteration (before every other); a Switch by the LoopCond
hands it to the body or, when the loop ends, to an Exit.

`arrange` contracts each frame to one unit, a `Loop`, that runs as a whole where its parent frame runs; nested
frames are units inside. What runs in a loop is in three parts: the *test* (whatever does not depend on the LoopCond's
outcome; it runs once more than the body), the *body*, and the *tail* (what leads to the Exits; it runs once). Frames
that do not have this form are refused: whatever else TensorFlow's executor makes of them, no program means it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfbench import errors
from tfbench.engine.graph import Operation
from tfbench.engine.prune import dependencies, is_fed, schedule, shapes_early, topological
from tfbench.engine.tensor import Tensor

ENTERS = frozenset({"Enter", "RefEnter"})
EXITS = frozenset({"Exit", "RefExit"})
NEXTS = frozenset({"NextIteration", "RefNextIteration"})
MERGES = frozenset({"Merge", "RefMerge"})
SWITCHES = frozenset({"Switch", "RefSwitch"})
_OF_LOOPS = ENTERS | EXITS | NEXTS | {"LoopCond"}

_TEST, _BODY, _TAIL = "test", "body", "exit"


class Variable:
    """A loop variable: its Merge, and what the Merge takes first and later."""

    __slots__ = ("first", "later", "merge")

    def __init__(self, merge: Operation, first: Tensor, later: Tensor) -> None:
        self.merge = merge
        self.first = first
        self.later = later


class Loop:
    """One frame: its ops in the order in which they run, nested frames as units among them."""

    __slots__ = (
        "body",
        "condition",
        "enters",
        "key",
        "members",
        "name",
        "parent",
        "switches",
        "tail",
        "test",
        "variables",
    )

    def __init__(self, name: str, parent: Loop | None) -> None:
        self.name = name
        self.parent = parent
        self.enters: list[Operation] = []
        self.variables: list[Variable] = []
        #: the LoopCond; None for a frame that is gone through once
        self.condition: Operation | None = None
        #: Switches by the LoopCond: one output goes to the body, the other to the tail
        self.switches: list[Operation] = []
        self.test: list[Unit] = []
        self.body: list[Unit] = []
        self.tail: list[Unit] = []
        #: the ops and nested loops that are directly in this frame
        self.members: list[Unit] = []
        #: the place of the first op among those of the graph: ties are broken by it
        self.key = 0

    def parts(self) -> Iterator[tuple[str, Unit]]:
        """Each unit with the part that it is in, in the order in which they run."""
        yield from (("enter", op) for op in self.enters)
        yield from ((_TEST, variable.merge) for variable in self.variables)
        yield from ((_TEST, unit) for unit in self.test)
        yield from ((_TEST, op) for op in self.switches)
        yield from ((_BODY, unit) for unit in self.body)
        yield from ((_TAIL, unit) for unit in self.tail)

    def operations(self) -> Iterator[Operation]:
        """All ops, those of nested loops included, each once."""
        for _, unit in self.parts():
            if isinstance(unit, Loop):
                yield from unit.operations()
            else:
                yield unit

    def __repr__(self) -> str:
        return f"<Loop '{self.name}'>"


Unit = Operation | Loop


def arrange(needed: set[Operation], fed: set[Tensor]) -> list[Unit]:
    """`needed` in run order, with each loop as one unit.

    Raises:
      ValueError: if ops wait for each other.
      InvalidArgumentError: if inputs come from different frames, or a frame is not a structured loop.
    """
    if not any(op.type in _OF_LOOPS for op in needed):
        return list(schedule(needed, fed))
    return _Frames(needed, fed).arranged()


def flattened(units: list[Unit]) -> list[Operation]:
    """The ops of `units` in run order, each once."""
    result: list[Operation] = []
    for unit in units:
        if isinstance(unit, Loop):
            result.extend(unit.operations())
        else:
            result.append(unit)
    return result


class _Frames:
    """The frames of one plan while they are worked out. None stands for what is in no loop."""

    def __init__(self, needed: set[Operation], fed: set[Tensor]) -> None:
        self._fed = fed
        self._ordered = topological(sorted(needed, key=lambda op: op._id), self._before, lambda op: op._id)
        #: where each op runs; what takes an Exit's output runs a frame further out
        self._home: dict[Operation, Loop | None] = {}
        self._loops: dict[tuple[Loop | None, str], Loop] = {}
        for op in self._ordered:
            self._home[op] = self._find_home(op)
        self._check_back_edges()

    def arranged(self) -> list[Unit]:
        members: dict[Loop | None, list[Unit]] = {None: []}
        for op in self._ordered:
            members.setdefault(self._home[op], []).append(op)
        for loop in reversed(self._loops.values()):  # inner ones were found after those around them
            loop.members = members[loop]
            loop.key = min(unit.key if isinstance(unit, Loop) else unit._id for unit in loop.members)
            members.setdefault(loop.parent, []).append(loop)
            self._arrange_loop(loop)
        return self._sorted(members[None], None)

    # -- which frame -------------------------------------------------------------------------------------------

    def _before(self, op: Operation) -> list[Operation]:
        """What `op` waits for in its first iteration."""
        found = dependencies(op, self._fed)
        if op.type in MERGES:
            return [other for other in found if other.type not in NEXTS]
        return found

    def _find_home(self, op: Operation) -> Loop | None:
        frames: dict[Loop | None, str] = {}
        for tensor in op._inputs:
            if tensor in self._fed:
                frames.setdefault(None, tensor.op.name)
            elif not (op.type in MERGES and tensor.op.type in NEXTS):
                frames.setdefault(self._output_frame(tensor.op), tensor.op.name)
        for other in op._control_inputs:
            frames.setdefault(None if is_fed(other, self._fed) else self._output_frame(other), other.name)
        if len(frames) > 1:
            found = " ".join(
                f"The input {{{{node {name}}}}} is in frame '{loop.name if loop else ''}'."
                for loop, name in frames.items()
            )
            raise _invalid(op, f"{{{{node {op.name}}}}} has inputs from different frames. {found}")
        frame = next(iter(frames), None)
        if op.type in ENTERS:
            name = str(op.attrs["frame_name"])
            loop = self._loops.get((frame, name))
            if loop is None:
                loop = self._loops[frame, name] = Loop(name, frame)
            return loop
        if frame is None and op.type in _OF_LOOPS:
            raise _invalid(
                op, f"{{{{node {op.name}}}}} is not in a loop: nothing that it waits for comes from an Enter."
            )
        return frame

    def _output_frame(self, op: Operation) -> Loop | None:
        home = self._home[op]
        return home.parent if home is not None and op.type in EXITS else home

    def _check_back_edges(self) -> None:
        for op in self._ordered:
            if op.type in MERGES:
                for tensor in op._inputs:
                    if tensor.op.type in NEXTS and tensor not in self._fed and self._home[tensor.op] != self._home[op]:
                        loops = [loop.name if loop else "" for loop in (self._home[op], self._home[tensor.op])]
                        raise _invalid(
                            op,
                            f"{{{{node {op.name}}}}} is in frame '{loops[0]}', but its input "
                            f"{{{{node {tensor.op.name}}}}} is in frame '{loops[1]}': a variable stays in its loop.",
                        )

    # -- the parts of a loop -----------------------------------------------------------------------------------

    def _arrange_loop(self, loop: Loop) -> None:
        rest: list[Unit] = []
        conditions = []
        for unit in loop.members:
            if isinstance(unit, Loop):
                rest.append(unit)
                continue
            if unit.type in ENTERS:
                loop.enters.append(unit)
                continue
            if unit.type == "LoopCond":
                conditions.append(unit)
            variable = self._variable(loop, unit) if unit.type in MERGES else None
            if variable is None:
                rest.append(unit)
            else:
                loop.variables.append(variable)
        loop.enters.sort(key=lambda op: op._id)
        loop.variables.sort(key=lambda variable: variable.merge._id)
        if len(conditions) > 1:
            names = " and ".join(f"'{op.name}'" for op in conditions)
            raise _invalid(
                conditions[1], f"The loop '{loop.name}' has several LoopConds, {names}: only one can end it."
            )
        loop.condition = conditions[0] if conditions else None
        if loop.condition is None and loop.variables:
            raise _invalid(loop.variables[0].merge, f"The loop '{loop.name}' would never end: it has no LoopCond.")
        self._split(loop, self._sorted(rest, loop))

    def _variable(self, loop: Loop, merge: Operation) -> Variable | None:
        later = [tensor for tensor in merge._inputs if tensor.op.type in NEXTS and tensor not in self._fed]
        if not later:
            return None
        first = [tensor for tensor in merge._inputs if tensor not in later]
        if len(later) != 1 or len(first) != 1 or first[0].op.type not in ENTERS or first[0] in self._fed:
            names = ", ".join(f"'{tensor.name}'" for tensor in merge._inputs)
            raise _invalid(
                merge,
                f"The Merge '{merge.name}' is no variable of the loop '{loop.name}': it has to take one Enter and one "
                f"NextIteration, and takes {names}.",
            )
        return Variable(merge, first[0], later[0])

    def _split(self, loop: Loop, units: list[Unit]) -> None:
        """Puts each unit into its part."""
        sides: dict[Unit, str] = {}
        once = {op for op in loop.enters if not op.attrs["is_constant"]}
        switches: set[Operation] = set()
        for unit in units:
            sources: dict[str, str] = {}
            for op in unit.enters if isinstance(unit, Loop) else [unit]:
                for tensor in op._inputs:
                    if tensor.op in once and loop.condition is not None:
                        raise _invalid(
                            op,
                            f"'{op.name}' takes '{tensor.name}', which has a value in the first iteration of "
                            f"'{loop.name}' only: an Enter that is not constant belongs to a variable's Merge.",
                        )
                    if tensor.op in switches:
                        sources[_BODY if tensor.value_index else _TAIL] = tensor.name
                    else:
                        sources[sides.get(self._unit(tensor.op, loop), _TEST)] = tensor.name
                for other in op._control_inputs:
                    sources[sides.get(self._unit(other, loop), _TEST)] = other.name
            if _BODY in sources and _TAIL in sources:
                raise _invalid(
                    unit.enters[0] if isinstance(unit, Loop) else unit,
                    f"{unit!r} takes '{sources[_BODY]}', which the loop '{loop.name}' has while it goes on, and "
                    f"'{sources[_TAIL]}', which it has when it ends.",
                )
            side = sides[unit] = _BODY if _BODY in sources else _TAIL if _TAIL in sources else _TEST
            if isinstance(unit, Operation):
                self._check_side(loop, unit, side)
                if side == _TEST and unit.type in SWITCHES and unit._inputs[1].op is loop.condition:
                    loop.switches.append(unit)
                    switches.add(unit)
                    continue
                if unit.type in EXITS:
                    side = _TAIL
            (loop.body if side == _BODY else loop.tail if side == _TAIL else loop.test).append(unit)

    def _check_side(self, loop: Loop, op: Operation, side: str) -> None:
        if op.type in NEXTS and side != _BODY:
            raise _invalid(op, f"'{op.name}' would go on for ever: what it takes does not depend on the LoopCond.")
        if op.type in EXITS and side != _TAIL and loop.condition is not None:
            raise _invalid(
                op,
                f"'{op.name}' would leave the loop '{loop.name}' in every iteration: take it from a Switch's output 0.",
            )
        if op is loop.condition and side != _TEST:
            raise _invalid(op, f"The LoopCond '{op.name}' depends on its own outcome.")

    # -- order -------------------------------------------------------------------------------------------------

    def _unit(self, op: Operation, loop: Loop | None) -> Unit:
        """What stands for `op` among the units of `loop`: for an Exit of a nested loop, that loop."""
        home = self._home[op]
        return op if home is loop or home is None else home

    def _sorted(self, units: list[Unit], loop: Loop | None) -> list[Unit]:
        def before(unit: Unit) -> list[Any]:
            ops = unit.enters if isinstance(unit, Loop) else [unit]
            found = (self._unit(other, loop) for op in ops for other in self._before(op))
            return [other for other in found if other in known]

        known = set(units)
        return shapes_early(topological(units, before, lambda unit: unit.key if isinstance(unit, Loop) else unit._id))


def _invalid(op: Operation, message: str) -> errors.InvalidArgumentError:
    error = errors.InvalidArgumentError(op.node_def, op, message)
    error.source = op.source
    return error
