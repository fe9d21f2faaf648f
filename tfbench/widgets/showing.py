"""What the map leaves out and how it groups: the rules behind `panel.focus`, `.hide` and `.group`.

A rule is a small dictionary, because the page keeps the same list (`frontend/src/showing.ts` is the other half):
`{"do": "focus" | "hide" | "group" | "dissolve", "by": "name" | "type" | "search" | "near" | "needed", "what": [...]}`,
with `steps` for a neighbourhood and `name` for a group. Here the rules are applied to a snapshot, for the pictures
that need no page.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tfbench.snapshot import Edge, OpInfo, Scope, Snapshot, scope_tree, shorten
from tfbench.widgets.text import plural

Rule = dict[str, Any]

_DO = ("focus", "hide", "group", "dissolve")
#: `type` is an argument's name here
type_of = type
_BY = ("name", "type", "search", "near", "needed")


def check_rules(rules: Sequence[Any]) -> list[Rule]:
    """The rules, if they are some.

    Raises:
      ValueError: for anything else, saying what a rule is.
    """
    for rule in rules:
        good = isinstance(rule, dict) and rule.get("do") in _DO and rule.get("by") in _BY
        what = rule.get("what") if good else None
        if not isinstance(what, (list, tuple)) or not all(isinstance(item, str) for item in what):
            raise ValueError(
                f"{rule!r:.200} is no rule of what the map shows: panel.focus, panel.hide and panel.group make them "
                f"(a rule has 'do' ({', '.join(_DO)}), 'by' ({', '.join(_BY)}) and 'what', a list of names)."
            )
    return [dict(rule) for rule in rules]


def make_rule(
    do: str,
    graph: Any,
    what: Sequence[Any],
    *,
    type: str | Sequence[str] | None = None,
    search: str | None = None,
    needed_by: Any = None,
    steps: int | None = None,
    name: str | None = None,
) -> Rule:
    """The rule that one call of `focus`, `hide` or `group` stands for.

    Raises:
      ValueError: for a name that is not in the graph (naming near ones), or where not exactly one thing is said.
    """
    said = [bool(what), type is not None, search is not None, needed_by is not None]
    if sum(said) != 1:
        raise ValueError(
            f"{do}() takes operations or scopes, or one of type=…, search=… and needed_by=…; "
            f"it got {'none of these' if not any(said) else 'more than one of these'}."
        )
    if steps is not None and (type_of(steps) is not int or steps < 0 or not what):
        raise ValueError(f"steps={steps!r}: how many edges away from the operations given; a number from 0 on.")
    rule: Rule = {"do": do}
    if type is not None:
        rule |= {"by": "type", "what": _types(graph, [type] if isinstance(type, str) else list(type))}
    elif search is not None:
        rule |= {"by": "search", "what": [search]}
    elif needed_by is not None:
        fetches = list(needed_by) if isinstance(needed_by, (list, tuple)) else [needed_by]
        rule |= {"by": "needed", "what": [name_of(graph, item) for item in fetches]}
    else:
        rule |= {"by": "name" if steps is None else "near", "what": [name_of(graph, item) for item in what]}
        if steps is not None:
            rule["steps"] = steps
    if name is not None:
        rule["name"] = name
    return rule


def name_of(graph: Any, item: Any) -> str:
    """The name of an operation or a scope of `graph`: of an Operation, a Tensor, a Variable, or itself.

    Raises:
      ValueError: if there is none of that name, naming near ones. TypeError: for what has no name.
    """
    name = item if isinstance(item, str) else getattr(getattr(item, "op", item), "name", None)
    if not isinstance(name, str):
        raise TypeError(f"Expected an operation, a tensor, a variable or a name, but got {item.__class__.__name__}.")
    name = re.sub(r":\d+$", "", name).strip("/")
    known = {op.name for op in graph.get_operations()}
    if name in known or any(other.startswith(f"{name}/") for other in known):
        return name
    scopes = {"/".join(parts[:i]) for other in known for parts in [other.split("/")] for i in range(1, len(parts))}
    near = difflib.get_close_matches(name, sorted(known | scopes), n=3)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise ValueError(f"There is no operation and no scope {name!r} in this graph.{hint}")


def _types(graph: Any, types: list[str]) -> list[str]:
    known = {op.type for op in graph.get_operations()}
    for type in types:
        if type not in known:
            near = difflib.get_close_matches(type, sorted(known), n=3)
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise ValueError(f"There is no operation of type {type!r} in this graph.{hint}")
    return types


# -- applied to a snapshot ----------------------------------------------------------------------------------------


def shown(snapshot: Snapshot, rules: Sequence[Rule]) -> Snapshot:
    """The part of `snapshot` that the rules leave, grouped as they say."""
    focus = [rule for rule in rules if rule["do"] == "focus"]
    hide = [rule for rule in rules if rule["do"] == "hide"]
    kept = set(range(len(snapshot.ops)))
    if focus:
        kept = set().union(*(meant(snapshot, rule) for rule in focus))
    for rule in hide:
        kept -= meant(snapshot, rule)
    groups = [(rule.get("name") or "group", meant(snapshot, rule)) for rule in rules if rule["do"] == "group"]
    dissolved = {name for rule in rules if rule["do"] == "dissolve" for name in rule["what"]}
    if len(kept) == len(snapshot.ops) and not groups and not dissolved:
        return snapshot
    order = sorted(kept)
    place = {op: i for i, op in enumerate(order)}
    ops = tuple(_moved(snapshot.ops[op], place) for op in order)
    variables = tuple(info._replace(op=place[info.op]) for info in snapshot.variables if info.op in place)
    tree = _without(scope_tree([info.name for info in ops]), dissolved)
    for name, members in groups:
        tree = _grouped(tree, name, {place[op] for op in members if op in place})
    return snapshot._replace(ops=ops, variables=variables, scopes=tree)


def said(rules: Sequence[Rule], part: Snapshot, whole: Snapshot) -> str:
    """The rules in words, as on the panel's chips; '' for none."""
    if not rules:
        return ""
    words = "; ".join(_words(rule) for rule in rules)
    if len(part.ops) == len(whole.ops):
        return f"Shown: {words}"
    return f"Shown: {len(part.ops):,} of {plural(len(whole.ops), 'operation')} ({words})"


def _words(rule: Rule) -> str:
    names = ", ".join(shorten(name, 40) for name in rule["what"][:3])
    names += f" and {len(rule['what']) - 3} more" if len(rule["what"]) > 3 else ""
    if rule["do"] == "group":
        return f"group {shorten(rule.get('name') or 'group', 40)}: {names}"
    if rule["do"] == "dissolve":
        return f"without its box: {names}"
    verb = "hidden" if rule["do"] == "hide" else "only"
    ways = {
        "near": f"within {plural(rule.get('steps', 1), 'step')} of {names}",
        "needed": f"what {names} needs",
        "search": f"found by {names}",
        "type": f"type {names}",
    }
    return f"{verb}: {ways.get(rule['by'], names)}"


def _moved(info: OpInfo, place: dict[int, int]) -> OpInfo:
    inputs = tuple(Edge(place[edge.op], edge.output) for edge in info.inputs if edge.op in place)
    return info._replace(inputs=inputs, control=tuple(place[op] for op in info.control if op in place))


def meant(snapshot: Snapshot, rule: Rule) -> set[int]:
    """The operations that a rule means."""
    ops, what = snapshot.ops, rule["what"]
    if rule["by"] == "type":
        return {i for i, info in enumerate(ops) if info.type in what}
    if rule["by"] == "search":
        tests = [matcher(query) for query in what]
        return {i for i, info in enumerate(ops) if any(fits(info) for fits in tests)}
    found = {i for i, info in enumerate(ops) for name in what if info.name == name or info.name.startswith(f"{name}/")}
    if rule["by"] == "near":
        found = _spread(snapshot, found, rule.get("steps", 1), both_ways=True)
        # Whose read is near is near: it is drawn as the variable, not as an Identity of nothing.
        variables = {info.name: info.op for info in snapshot.variables}
        around = (ops[i].name.rpartition("/")[0] for i in found)
        return found | {variables[name] for name in around if name in variables}
    if rule["by"] == "needed":
        return _spread(snapshot, found, len(ops), both_ways=False)
    return found


def _spread(snapshot: Snapshot, found: set[int], steps: int, *, both_ways: bool) -> set[int]:
    """`found` and what is up to `steps` edges away."""
    near: list[list[int]] = [[] for _ in snapshot.ops]
    for i, info in enumerate(snapshot.ops):
        for other in (*(edge.op for edge in info.inputs), *info.control):
            near[i].append(other)
            if both_ways:
                near[other].append(i)
    rim = found = set(found)
    for _ in range(steps):
        rim = {other for op in rim for other in near[op]} - found
        if not rim:
            break
        found = found | rim
    return found


def matcher(query: str) -> Callable[[OpInfo], bool]:
    """Whether an operation fits a search, read as the search box reads it."""
    tests = [_word(word) for word in query.split()]
    return lambda info: all(fits(info) for fits in tests)


def _word(word: str) -> Callable[[OpInfo], bool]:
    found = re.fullmatch(r"(?:(type|device|scope|name):)?(.*)", word, re.DOTALL | re.IGNORECASE)
    field, text = (found[1] or "").lower() if found else "", found[2] if found else word
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        try:
            pattern = re.compile(text[1:-1], re.IGNORECASE | re.DOTALL)
        except re.error:
            return lambda info: False
    else:
        body = ".*".join(re.escape(part) for part in re.split(r"\*+", text.lower()))
        whole = f"^{body.removesuffix('/')}/" if field == "scope" else f"^{body}$" if "*" in text else body
        pattern = re.compile(whole, re.DOTALL)

    def fits(info: OpInfo) -> bool:
        places: Iterable[str] = (info.name, info.type)
        if field:
            places = (getattr(info, field if field in ("type", "device") else "name"),)
        return any(pattern.search(place.lower()) for place in places)

    return fits


def _without(scope: Scope, dissolved: set[str]) -> Scope:
    """The tree in which some scopes have no box: what is in them is in the scope around."""
    ops, children = list(scope.ops), list[Scope]()
    for child in scope.children:
        inner = _without(child, dissolved)
        if child.path in dissolved:
            ops += inner.ops
            children += inner.children
        else:
            children.append(inner)
    return scope._replace(ops=tuple(ops), children=tuple(children))


def _grouped(tree: Scope, name: str, members: set[int]) -> Scope:
    """The tree with one scope more, which holds what of it lies in `members` as a whole."""
    taken: list[Scope] = []
    loose: list[int] = []
    homes: list[str] = []

    def take(scope: Scope) -> Scope:
        children = []
        for child in scope.children:
            if _all_of(child) <= members:
                taken.append(child)
                homes.append(scope.path)
            else:
                children.append(take(child))
        out = [op for op in scope.ops if op in members]
        if out:
            loose.extend(out)
            homes.append(scope.path)
        kept = tuple(op for op in scope.ops if op not in members)
        return Scope(scope.path, kept, tuple(children), len(kept) + sum(child.total for child in children))

    rest = take(tree)
    if not homes:
        return tree
    parts = [home.split("/") if home else [] for home in homes]
    around: list[str] = []
    for step in zip(*parts, strict=False):
        if len(set(step)) > 1:
            break
        around.append(step[0])
    path = "/".join([*around, name])
    group = Scope(path, tuple(loose), tuple(taken), len(loose) + sum(child.total for child in taken))
    return _put(rest, "/".join(around), group)


def _all_of(scope: Scope) -> set[int]:
    return set(scope.ops).union(*(_all_of(child) for child in scope.children))


def _put(scope: Scope, path: str, group: Scope) -> Scope:
    if scope.path == path:
        children: tuple[Scope, ...] = (*scope.children, group)
    else:
        inside = [child for child in scope.children if path == child.path or path.startswith(f"{child.path}/")]
        children = tuple(_put(child, path, group) if child in inside else child for child in scope.children)
    return Scope(scope.path, scope.ops, children, len(scope.ops) + sum(child.total for child in children))
