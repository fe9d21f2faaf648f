"""Which operations must be on one device, and what each such group as a whole asks for.

Two things tie operations together: an edge that carries a reference or a resource handle (the buffer cannot be
elsewhere), and the class `loc:@name` of a `colocate_with` block. Groups are kept as a forest of parents. A group's
request is merged from its members', part by part; where they contradict each other, TensorFlow's rules hold:

* over a reference edge the side that takes the reference gives way: `assign` follows its variable;
* what makes a variable or a handle asks *firmly*: two of those that contradict each other are an error;
* a class that cannot be honoured is an error, or, with soft placement, is ignored; types and indices that contradict
  each other are then dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tfbench.engine import dtypes
from tfbench.engine.attributes import reference_inputs
from tfbench.engine.device_names import ANY, Parts, merge_parts, requested, unparse
from tfbench.engine.operation import Operation
from tfbench.engine.tensor import Tensor

#: bits for the kinds of device that can run an operation, and for one that is preferred to a GPU
CPU_KIND, GPU_KIND, PREFERS_CPU = 1, 2, 4
ALL_KINDS = CPU_KIND | GPU_KIND

_PARTS = ("jobs", "replicas", "tasks", "types", "ids")

#: types of ops that make a data set, and follow the one they are made from
_DATASET = re.compile(r"Dataset(V\d+)?$|^DatasetFromGraph$")

#: ops that pass handles on to functions, which are placed by themselves
_PASS_HANDLES_ON = frozenset(
    {"Case", "For", "If", "PartitionedCall", "ReduceDataset", "StatefulPartitionedCall", "StatelessCase", "StatelessIf",
     "StatelessWhile", "SymbolicGradient", "While"}
)  # fmt: skip


def bit(kind: str) -> int:
    """The bit of a kind of device."""
    return GPU_KIND if kind == "GPU" else CPU_KIND


class ConflictError(Exception):
    """Two requests that cannot both be met: the operations that tie two groups together, and why that fails."""

    def __init__(self, first: int, second: int, text: str, groups: tuple[int, int]) -> None:
        super().__init__(text)
        self.first = first
        self.second = second
        #: the roots of both groups, and the groups as far as they had been made
        self.groups = groups
        self.found: Groups | None = None


class Groups:
    """The groups of `ops`, numbered by position. `kinds[i]` is a bit mask of the kinds of device that can run op i.

    Raises (when made):
      ConflictError: where two groups cannot be one, or a device string is malformed.
    """

    __slots__ = ("_rank", "_soft", "asked", "firm", "kinds", "number", "ops", "parent")

    def __init__(self, ops: Sequence[Operation], kinds: list[int], soft: bool) -> None:
        self.ops = ops
        self.kinds = kinds
        self._soft = soft
        self.number = {op: i for i, op in enumerate(ops)}
        self.parent = list(range(len(ops)))
        self._rank: dict[int, int] = {}
        #: what the group at a root asks for, and which part of it is firm
        self.asked: list[Parts] = [ANY] * len(ops)
        self.firm: dict[int, Parts] = {}
        try:
            for i, op in enumerate(ops):
                if op.device:
                    self._note_request(i, op)
            for i, op in enumerate(ops):
                if op._inputs:
                    self._along_references(i, op)
            self._by_class()
        except ConflictError as error:
            error.found = self
            raise

    def root(self, i: int) -> int:
        """The operation that stands for the group of operation `i`."""
        parent = self.parent
        root = i
        while parent[root] != root:
            root = parent[root]
        while parent[i] != root:
            parent[i], i = root, parent[i]
        return root

    def members(self, root: int) -> list[int]:
        """All operations of one group, in order."""
        return [i for i in range(len(self.ops)) if self.root(i) == root]

    def request(self, i: int) -> Parts:
        """What operation `i` itself asks for."""
        return requested(self.ops[i].device)

    # -- making groups --------------------------------------------------------------------------------------

    def _note_request(self, i: int, op: Operation) -> None:
        try:
            wanted = requested(op.device)
        except ValueError as error:
            raise ConflictError(i, i, f"{error} in node '{op.name}'", (i, i)) from None
        self.asked[i] = wanted
        if not op._inputs and len(op.outputs_list) == 1:
            dtype = op.outputs_list[0]._dtype
            if dtype._is_ref_dtype or dtype is dtypes.resource:
                self.firm[i] = wanted

    def _along_references(self, i: int, op: Operation) -> None:
        if op.op_def.takes_references:
            for tensor, is_ref in zip(op._inputs, reference_inputs(op.op_def, op.attrs)):
                if is_ref and tensor.op in self.number:
                    self._follow(self.number[tensor.op], i)
        elif op.type not in _PASS_HANDLES_ON:
            for tensor in op._inputs:
                if _ties(tensor, op) and tensor.op in self.number:
                    self._follow(self.number[tensor.op], i)

    def _follow(self, source: int, taker: int) -> None:
        """One group for what makes a reference and what takes it; the taker's request gives way."""
        first, second = self.root(source), self.root(taker)
        if first == second:
            return
        firm = self.firm.get(first, ANY), self.firm.get(second, ANY)
        if _contradiction(*firm) is not None:
            raise ConflictError(
                source,
                taker,
                "Cannot place the graph because a reference or resource edge connects colocation groups with "
                f"incompatible resource devices: {unparse(firm[0])} vs {unparse(firm[1])}. The edge src node is "
                f"{self.ops[source].name}, and the dst node is {self.ops[taker].name}",
                (first, second),
            )
        if _contradiction(self.asked[first], self.asked[second]) is not None:
            self.asked[second] = merge_parts(firm[1], self.asked[first])
        try:
            self._join(source, first, taker, second)
        except ConflictError as error:
            text = (
                "Nodes were connected by a reference connection (requiring them to be on the same device), but the two "
                f"nodes were assigned two different devices: {error}"
            )
            raise ConflictError(error.first, error.second, text, error.groups) from None

    def _by_class(self) -> None:
        leader: dict[str, int] = {}
        for i, op in enumerate(self.ops):
            for name in op.attrs.get("_class") or ():
                if isinstance(name, bytes):
                    name = name.decode()
                if name.startswith("loc:@"):
                    self._join_class(leader, name[5:], i)
            self._join_class(leader, op.name, i)

    def _join_class(self, leader: dict[str, int], name: str, i: int) -> None:
        first = leader.setdefault(name, i)
        if first == i:
            return
        x, y = self.root(i), self.root(first)
        if x != y:
            try:
                self._join(i, x, first, y)
            except ConflictError:
                if not self._soft:
                    raise

    def _join(self, x: int, x_root: int, y: int, y_root: int) -> None:
        """Makes one group of two; nothing changes if that fails."""
        x_rank, y_rank = self._rank.get(x_root, 0), self._rank.get(y_root, 0)
        root, other = (y_root, x_root) if x_rank < y_rank else (x_root, y_root)
        asked, firm = self._merged(x, y, root, other)
        # Who prefers a kind of device prefers it for the whole group.
        kinds = self.kinds[root] & self.kinds[other] & ALL_KINDS
        preference = (self.kinds[root] | self.kinds[other]) & PREFERS_CPU
        if not kinds:
            raise ConflictError(
                x,
                y,
                f"Cannot colocate nodes {{{{colocation_node {self.ops[x].name}}}}} and {{{{colocation_node "
                f"{self.ops[y].name}}}}} because no device type supports both of those nodes and the other nodes "
                "colocated with them.",
                (x_root, y_root),
            )
        if x_rank == y_rank:
            self._rank[root] = x_rank + 1
        self.parent[other] = root
        self.kinds[root] = kinds | preference
        self.asked[root] = asked
        if firm != ANY:
            self.firm[root] = firm

    def _merged(self, x: int, y: int, root: int, other: int) -> tuple[Parts, Parts]:
        """The request of two groups together, and what of it is firm."""
        asked, other_asked = self.asked[root], self.asked[other]
        firm, other_firm = self.firm.get(root, ANY), self.firm.get(other, ANY)
        wrong = _contradiction(firm, other_firm)
        pair = (firm, other_firm)
        if wrong is None:
            wrong, pair = _contradiction(asked, other_asked), (asked, other_asked)
            if wrong is not None and self._soft and wrong >= 3:
                # Types that contradict each other take the index with them.
                asked = (*asked[:3], asked[3] if wrong == 4 else None, None)
                other_asked = (*other_asked[:3], other_asked[3] if wrong == 4 else None, None)
                wrong = None
        if wrong is not None:
            raise ConflictError(
                x,
                y,
                f"Cannot colocate nodes {{{{colocation_node {self.ops[x].name}}}}} and {{{{colocation_node "
                f"{self.ops[y].name}}}}}: Cannot merge devices with incompatible {_PARTS[wrong]}: "
                f"'{unparse(_merged_until(wrong, *pair))}' and '{unparse(pair[1])}'",
                (root, other),
            )
        firm = merge_parts(other_firm, firm)
        return merge_parts(firm, merge_parts(other_asked, asked)), firm


def _ties(tensor: Tensor, op: Operation) -> bool:
    """Whether `op` must be where `tensor` is made: a handle is of no use elsewhere, nor is a part of a data set."""
    if tensor._dtype is dtypes.resource:
        return True
    if tensor._dtype is not dtypes.variant:
        return False
    return _DATASET.search(op.type) is not None and _DATASET.search(tensor.op.type) is not None


def _contradiction(a: Parts, b: Parts) -> int | None:
    """The first part in which two requests contradict each other."""
    if a is not ANY and b is not ANY and a != b:
        for position in range(5):
            if a[position] is not None and b[position] is not None and a[position] != b[position]:
                return position
    return None


def _merged_until(wrong: int, a: Parts, b: Parts) -> Parts:
    """`a` as TensorFlow's message shows it: completed by what `b` says before the part where they disagree."""
    known: Parts = (b[0], b[1] if wrong > 1 else None, b[2] if wrong > 2 else None, b[3] if wrong > 3 else None, None)
    return merge_parts(a, known) if wrong else a
