"""Where every operation runs: TensorFlow's rules, and for each decision its reason.

Operations that must be together form groups (`colocation`). A group goes to the first device that its request leaves
room for and whose kind has kernels for all of it: GPUs before CPUs, then by name. Where nothing decides, some kinds of
operation look at their neighbours. What makes a value from nothing (a constant, a random number) goes where its
consumers are, if those are on one device. What looks at a shape alone (Shape, Size, Rank), and an identity between two
operations that ask for the same, goes where its input is. With soft placement a request for a type or an index that is
not there, or has no kernel, is dropped; a request for another job never is.

The whole graph is placed, whatever is fetched. State stays where it is: what a session has placed once is not moved by
what is added to the graph later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbench.engine.colocation import ALL_KINDS, CPU_KIND, PREFERS_CPU, ConflictError, Groups, bit
from tfbench.engine.device_names import ANY, Parts, fits, requested
from tfbench.engine.gpu_kernels import computes, on_gpu, prefers_cpu
from tfbench.engine.operation import Operation
from tfbench.engine.placement import Placement
from tfbench.engine.placement_errors import conflict_error, no_device_error
from tfbench.engine.prune import topological

_METADATA = frozenset({"Shape", "Size", "Rank"})


class Placer:
    """Places a session's graph; remembers the placement as long as the graph stays as it is.

    Args:
      devices: those that there are, in full.
      soft: whether a device that is not there, or cannot run an operation, may be replaced by another.
      log: called with a line of text for each operation whenever a graph is placed.
      no_gpu: why there is no GPU, where there is none: said where one is asked for.
    """

    def __init__(
        self,
        devices: Sequence[Any],
        soft: bool = False,
        log: Callable[[str], None] | None = None,
        no_gpu: str = "",
    ) -> None:
        self.devices = tuple(devices)
        self._no_gpu = no_gpu
        self._soft = soft
        self._log = log
        #: numbers of the devices in the order in which they are taken
        self._order = sorted(
            range(len(self.devices)), key=lambda i: (self.devices[i].kind == "CPU", self.devices[i].name)
        )
        self._gpus = [device for device in self.devices if device.kind == "GPU"]
        self._found: dict[tuple[Parts, Parts, int], list[int]] = {}
        #: device strings that the only device there is can honour
        self._fine: set[str] = {""}
        self._version = (-1, -1)
        #: the graph's placement when it was placed last
        self.last: Placement | None = None
        #: where this session has put what has state
        self._kept: dict[Operation, int] = {}

    def place(self, graph: Any) -> Placement:
        """The placement of a whole graph.

        Raises:
          InvalidArgumentError: where a request cannot be met, or two contradict each other.
        """
        version = (graph.changes_version, len(graph._nodes))
        if self.last is None or version != self._version:
            self.last = self._place_graph(graph, version)
            self._version = version
        return self.last

    def place_only(self, ops: Sequence[Operation]) -> Placement:
        """The placement of some operations as if there were no others (`place_pruned_graph`)."""
        placement = self._place(ops)
        self._write_log(placement)
        return placement

    def look(self, graph: Any, ops: Sequence[Operation] | None = None) -> Placement:
        """The placement of a graph, or of `ops` alone, with all its reasons. It is neither logged nor remembered."""
        return self._place(_inputs_first(graph._nodes) if ops is None else ops)

    def _place_graph(self, graph: Any, version: tuple[int, int]) -> Placement:
        nodes = graph._nodes
        if len(self.devices) == 1 and self._log is None:
            # Everything is on the one device, unless somebody asks for another.
            start = self._version[1] if version[0] == self._version[0] and version[1] >= self._version[1] else 0
            if all(op.device in self._fine or self._is_fine(op.device) for op in nodes[max(start, 0) :]):
                return Placement(self.devices)
        self._kept = {op: index for op, index in self._kept.items() if graph.owns(op)}
        placement = self._place(_inputs_first(nodes))
        self._write_log(placement)
        if len(self.devices) > 1:
            self._kept.update((op, placement.index_of(op)) for op in nodes if op.op_def.stateful)
        return placement

    def _is_fine(self, device: str) -> bool:
        try:
            wanted = requested(device)
        except ValueError:
            return False
        found = fits((*wanted[:3], None, None) if self._soft else wanted, self.devices[0].parts)
        if found:
            self._fine.add(device)
        return found

    def _place(self, ops: Sequence[Operation]) -> Placement:
        kinds = self._kinds(ops)
        try:
            groups = Groups(ops, list(kinds), self._soft)
        except ConflictError as error:
            raise conflict_error(error, ops, self.devices) from None
        assigned = [-1] * len(ops)
        chosen: dict[int, int] = {}
        for op, index in self._kept.items():
            if op in groups.number:
                chosen[groups.root(groups.number[op])] = index
        beside: dict[int, str] = {}
        generators, consumers = self._find_consumers(ops, groups.number)
        parent, number = groups.parent, groups.number
        for i, op in enumerate(ops):
            if i in generators:
                continue
            root = parent[i]
            if parent[root] != root:
                root = groups.root(i)
            index = chosen.get(root, -1)
            if index < 0:
                candidates = self._candidates(groups, root, i)
                index = candidates[0]
                if op.type in _METADATA or (i in consumers and _passes_on(op, [ops[j] for j in consumers[i]])):
                    source = op._inputs[0].op
                    place = assigned[number[source]] if source in number else -1
                    if place in candidates and place != index:
                        index = place
                        beside[i] = f"{source.name}, whose {'value' if op.type == 'Identity' else 'shape'} it takes"
                chosen[root] = index
            assigned[i] = index
        for i in generators:
            root = groups.root(i)
            index = chosen.get(root, -1)
            if index < 0:
                candidates = self._candidates(groups, root, i)
                index = candidates[0]
                takers = consumers.get(i)
                place = assigned[takers[0]] if takers else -1
                if takers and place in candidates and place != index and all(assigned[j] == place for j in takers):
                    index = place
                    beside[i] = f"{ops[takers[0]].name}, which takes it"
                chosen[root] = index
            assigned[i] = index
        order = [i for i in range(len(ops)) if i not in generators]
        return Placement(self.devices, groups, assigned, kinds, beside, [*order, *generators])

    def _write_log(self, placement: Placement) -> None:
        if self._log is not None:
            for op, device in placement.decisions():
                self._log(f"{op.name}: ({op.type}): {device.name}")

    def _kinds(self, ops: Sequence[Operation]) -> list[int]:
        """For each operation the kinds of device that it can run on, as a bit mask."""
        if not self._gpus:
            return [CPU_KIND] * len(ops)
        if any(gpu.simulated for gpu in self._gpus):
            return [_kinds_of(op) for op in ops]
        kinds = [_kinds_of(op) for op in ops]
        return [CPU_KIND if kind != CPU_KIND and not computes(op) else kind for kind, op in zip(kinds, ops)]

    def _find_consumers(
        self, ops: Sequence[Operation], number: dict[Operation, int]
    ) -> tuple[dict[int, None], dict[int, list[int]]]:
        """The operations that make a value from nothing; and for them, and for identities, who takes or awaits them."""
        generators: dict[int, None] = {}
        consumers: dict[int, list[int]] = {}
        for i, op in enumerate(ops):
            if not op._inputs:
                if len(op.outputs_list) == 1 and not op.outputs_list[0]._dtype._is_ref_dtype:
                    generators[i] = None
                    consumers[i] = []
            elif op.type == "Identity" and not op.device:
                consumers[i] = []
        if len(self.devices) > 1:
            for i, op in enumerate(ops):
                for tensor in op._inputs:
                    found = consumers.get(number.get(tensor.op, -1))
                    if found is not None:
                        found.append(i)
                for control in op._control_inputs:
                    found = consumers.get(number.get(control, -1))
                    if found is not None:
                        found.append(i)
        return generators, consumers

    def _candidates(self, groups: Groups, root: int, i: int) -> list[int]:
        """The devices that a group can be on, best first.

        Raises:
          InvalidArgumentError: if there is none.
        """
        asked, firm, kinds = groups.asked[root], groups.firm.get(root, ANY), groups.kinds[root]
        key = (asked, firm, kinds)
        found = self._found.get(key)
        if found is None:
            found = self._matching(asked, kinds)
            if not found and self._soft:
                kind = None if firm[3] is None else asked[3]
                index = None if firm[4] is None else asked[4]
                found = self._matching((*asked[:3], kind, index), kinds) or self._matching(
                    (*asked[:3], None, None), kinds
                )
            if not found:
                raise no_device_error(groups, root, i, self.devices, self._no_gpu)
            self._found[key] = found
        return found

    def _matching(self, asked: Parts, kinds: int) -> list[int]:
        devices = self.devices
        found = [i for i in self._order if kinds & bit(devices[i].kind) and fits(asked, devices[i].parts)]
        return sorted(found, key=lambda i: devices[i].kind != "CPU") if kinds & PREFERS_CPU else found


def _kinds_of(op: Operation) -> int:
    """The kinds of device that TensorFlow has kernels of `op` for."""
    if not on_gpu(op):
        return CPU_KIND
    return ALL_KINDS | PREFERS_CPU if prefers_cpu(op) else ALL_KINDS


def _passes_on(op: Operation, takers: list[Operation]) -> bool:
    """Whether an identity that asks for nothing hands a value from one operation to another that asks for the same."""
    if op.device or op._control_inputs or len(takers) > 1:
        return False
    return op._inputs[0].op.device == (takers[0].device if takers else "")


def _inputs_first(nodes: list[Operation]) -> list[Operation]:
    """The order in which TensorFlow places: what an operation takes comes before it, but for the way back in a loop."""
    if all(other._id < op._id for op in nodes for other in _before(op)):
        return list(nodes)
    try:
        return topological(nodes, _before, lambda op: op._id)
    except ValueError:
        # Operations that wait for each other can be anywhere: whoever runs them is told.
        return list(nodes)


def _before(op: Operation) -> list[Operation]:
    found = [tensor.op for tensor in op._inputs]
    if op.type in ("Merge", "RefMerge"):
        found = [other for other in found if other.type not in ("NextIteration", "RefNextIteration")]
    return [*found, *op._control_inputs] if op._control_inputs else found
