"""What the static map shows: which scopes are open, one box per visible node, and the links between them.

The same reading as the live map (`frontend/src/plan.ts`), smaller: a variable with its initializer, Assign and
read is one pill; an op with the constants named after it is one card; variables and constants are rows on the
cards that use them. How much is opened is bounded, so that the picture of a large graph stays a picture.
"""

from __future__ import annotations

from typing import NamedTuple

from tfbench.snapshot import Scope, Snapshot, is_writer, shorten
from tfbench.widgets.text import leaf, plural, shape_text, under

#: scopes are opened, outermost first, while no more boxes than this are shown
BOXES = 48
#: children of one scope that are drawn
CHILDREN = 32
_ROWS = 4
_BUNDLE = 6
_LABEL = 26
#: share of all operations from which on a scope is looked into
_DOMINANT = 0.75


class Row(NamedTuple):
    """A line on a card: "reads", "writes" or "constant"."""

    kind: str
    label: str
    detail: str


class Node:
    """A box: a scope (open or closed), an operation with what is named after it, a variable, or what was left out."""

    __slots__ = ("children", "first", "kind", "open", "ops", "parent", "rows", "subtitle", "title", "top")

    def __init__(self, kind: str, title: str, ops: list[int], parent: Node | None) -> None:
        self.kind = kind
        self.title = shorten(title, _LABEL)
        self.ops = ops
        self.first = min(ops, default=0)
        self.parent = parent
        self.children: list[Node] = []
        self.open = False
        self.subtitle = ""
        self.rows: list[Row] = []
        #: place of the outermost scope that it is in, for the colour; -1 at the root
        self.top = -1


class Link(NamedTuple):
    """The edges of one kind between two boxes, drawn as one line."""

    source: Node
    target: Node
    kind: str  # "data", "reference" or "control"
    edges: int


class Chart(NamedTuple):
    """All that is drawn: nested boxes, and the links between them."""

    root: Node
    links: list[Link]


def chart(snapshot: Snapshot) -> Chart:
    """The boxes and links of the picture."""
    variables = {info.op: info for info in snapshot.variables}
    root = Node("scope", "", [], None)
    _fill(snapshot, snapshot.scopes, root, set(variables))
    _open(root)
    for place, node in enumerate(_coloured(root, len(snapshot.ops))):
        _colour(node, place)
    seen: dict[int, Node] = {}
    _assign(root, seen)
    links = _links(snapshot, seen)
    _describe(snapshot, root)
    return Chart(root, links)


def _fill(snapshot: Snapshot, scope: Scope, node: Node, variables: set[int]) -> None:
    own: dict[str, int] = {}
    for i in scope.ops:
        name = leaf(snapshot.ops[i].name)
        # In a group, operations of several scopes may have the same last part.
        own[snapshot.ops[i].name if name in own else name] = i
    found: list[Node] = []
    for child in scope.children:
        index = own.pop(child.name, None)
        ops = list(under(child)) + ([] if index is None else [index])
        if index is not None and index in variables:
            made = Node("variable", child.name, [index, *ops[:-1]], node)
        elif index is not None and len(ops) <= _BUNDLE:
            made = Node("op", child.name, [index, *ops[:-1]], node)
        else:
            made = Node("scope", child.name, ops, node)
            _fill(snapshot, child, made, variables)
            if index is not None:
                made.children.append(Node("op", child.name, [index], made))
                made.children.sort(key=lambda n: n.first)
        found.append(made)
    for name, index in own.items():
        found.append(Node("variable" if index in variables else "op", name, [index], node))
    found.sort(key=lambda n: n.first)
    if len(found) > CHILDREN:
        rest = found[CHILDREN - 1 :]
        left_out = Node("rest", f"{len(rest):,} more", [i for n in rest for i in n.ops], node)
        found = [*found[: CHILDREN - 1], left_out]
    node.children = found


def _open(root: Node) -> None:
    root.open = True
    shown = len(root.children)
    queue = [child for child in root.children if child.kind == "scope"]
    while queue:
        node = queue.pop(0)
        if shown + len(node.children) - 1 > BOXES:
            continue
        node.open = True
        shown += len(node.children) - 1
        queue += [child for child in node.children if child.kind == "scope"]


def _coloured(root: Node, total: int) -> list[Node]:
    """The scopes that get a colour each: the outermost, or those inside one that holds nearly everything."""
    scopes = [child for child in root.children if child.kind == "scope"]
    while scopes:
        most = max(scopes, key=lambda node: len(node.ops))
        inner = [child for child in most.children if child.kind == "scope"]
        if len(most.ops) < _DOMINANT * total or not inner:
            break
        at = scopes.index(most)
        scopes[at : at + 1] = inner
    return scopes


def _colour(node: Node, place: int) -> None:
    node.top = place
    for child in node.children:
        _colour(child, place)


def _assign(node: Node, seen: dict[int, Node]) -> None:
    for child in node.children:
        if child.open:
            _assign(child, seen)
        else:
            for op in child.ops:
                seen[op] = child


def _links(snapshot: Snapshot, seen: dict[int, Node]) -> list[Link]:
    """Links between boxes. What comes from a variable or a lone constant becomes a row of the box that uses it."""
    found: dict[tuple[int, int], Link] = {}
    for target, info in enumerate(snapshot.ops):
        to = seen[target]
        for slot, edge in enumerate(info.inputs):
            source = seen[edge.op]
            if source is to:
                _own_constant(snapshot, edge.op, target, to)
            elif source.kind == "variable":
                if to.kind != "variable":
                    writes = slot == 0 and is_writer(info.type)
                    _row(to, Row("writes" if writes else "reads", _near(source, to), _shape(snapshot, source.ops[0])))
            elif to.kind != "variable" and _is_constant(snapshot, source) and source.parent is to.parent:
                _row(to, Row("constant", source.title, constant_text(snapshot, edge.op)))
                source.kind = "constant"
            else:
                dtype = snapshot.ops[edge.op].outputs[edge.output].dtype
                _link(found, source, to, "reference" if dtype.endswith("_ref") or dtype == "resource" else "data")
        for control in info.control:
            source = seen[control]
            if source is not to and "variable" not in (source.kind, to.kind):
                _link(found, source, to, "control")
    # A constant that something else uses as well stays a box; if all its users have it as a row, it goes.
    linked = {id(link.source) for link in found.values()}
    for node in {id(n): n for n in seen.values()}.values():
        if node.kind == "constant" and id(node) in linked:
            node.kind = "op"
    return [link for link in found.values() if "variable" not in (link.source.kind, link.target.kind)]


def _link(found: dict[tuple[int, int], Link], source: Node, target: Node, kind: str) -> None:
    key = (id(source), id(target))
    known = found.get(key)
    if known is None:
        found[key] = Link(source, target, kind, 1)
    else:
        found[key] = Link(source, target, kind if known.kind == "control" else known.kind, known.edges + 1)


def _row(node: Node, row: Row) -> None:
    if not node.open and row not in node.rows:
        node.rows.append(row)


def _near(source: Node, target: Node) -> str:
    """A variable's name as seen from where it is used: with its scope where that is another one."""
    parent = source.parent
    if parent is None or not parent.title or parent is target.parent:
        return source.title
    return shorten(f"{parent.title}/{source.title}", _LABEL)


def _is_constant(snapshot: Snapshot, node: Node) -> bool:
    return node.kind in ("op", "constant") and len(node.ops) == 1 and snapshot.ops[node.ops[0]].type == "Const"


def _own_constant(snapshot: Snapshot, source: int, target: int, node: Node) -> None:
    if node.kind == "op" and target == node.ops[0] and snapshot.ops[source].type == "Const":
        _row(node, Row("constant", leaf(snapshot.ops[source].name), constant_text(snapshot, source)))


def constant_text(snapshot: Snapshot, op: int) -> str:
    """A constant's value, short."""
    return next((value for key, value in snapshot.ops[op].attrs if key == "value"), "")


def _shape(snapshot: Snapshot, op: int) -> str:
    outputs = snapshot.ops[op].outputs
    return shape_text(outputs[0].shape) if outputs and outputs[0].dtype != "resource" else ""


def _describe(snapshot: Snapshot, node: Node) -> None:
    for child in node.children:
        if child.kind == "scope":
            child.subtitle = plural(len(child.ops), "op")
            _describe(snapshot, child)
        elif child.kind == "rest":
            child.subtitle = plural(len(child.ops), "op")
        elif child.kind == "variable":
            child.subtitle = _shape(snapshot, child.ops[0])
        else:
            info = snapshot.ops[child.ops[0]]
            shape = _shape(snapshot, child.ops[0]) if info.outputs and info.outputs[0].shape is not None else ""
            same = info.type.rstrip("V234").lower() == child.title.rstrip("_0123456789").lower()
            child.subtitle = shape if same else f"{shorten(info.type, _LABEL)} {shape}".rstrip()
        if len(child.rows) > _ROWS:
            child.rows = [*child.rows[: _ROWS - 1], Row("more", f"{len(child.rows) - _ROWS + 1} more", "")]
        child.rows = [Row(row.kind, shorten(row.label, _LABEL), shorten(row.detail, 18)) for row in child.rows]
