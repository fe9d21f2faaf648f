"""Which earlier cell a source is, where no front end says so: the same text, or an edited form of it.

A person in a terminal recalls an earlier input, changes a line and runs it. That is taken to be the same cell if

* the text is the same; or
* one of the two binds all the names that the other binds (and at least one), and the new text needs none of the names
  that the old one provides - a next step (`x = x + 1`, `y = f(x)`) does.

Of several candidates the last one counts.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from tfbench.bench.cells import Cell


class Names(NamedTuple):
    """The top-level names that a source binds, and those that it needs from outside."""

    bound: frozenset[str]
    needed: frozenset[str]


def same_cell(cells: Sequence[Cell], graph: str, source: str) -> Cell | None:
    """The cell of `graph` that `source` is a new version of, or None."""
    candidates = [cell for cell in cells[::-1] if cell.graph == graph and not cell.id.startswith("label:")]
    for cell in candidates:
        if cell.code.source.strip() == source.strip():
            return cell
    try:
        new = names_of(source)
    except SyntaxError:
        return None
    for cell in candidates:
        old = names_of(cell.code.source)
        nested = old.bound <= new.bound or new.bound <= old.bound
        if old.bound and new.bound and nested and not new.needed & old.bound:
            return cell
    return None


def names_of(source: str) -> Names:
    """Top-level names bound by `source`, and names used in it before (or without) being bound."""
    bound: set[str] = set()
    needed: set[str] = set()
    for statement in ast.parse(source).body:
        here = _bound_by(statement)
        used = {
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            used.add(statement.target.id)
        within = (
            here
            if isinstance(statement, (ast.With, ast.For, ast.If, ast.Try, ast.FunctionDef, ast.ClassDef))
            else set()
        )
        needed |= used - bound - within
        bound |= here
    return Names(frozenset(bound), frozenset(needed))


def _bound_by(statement: ast.stmt) -> set[str]:
    found: set[str] = set()
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
            continue
        if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        stack.extend(ast.iter_child_nodes(node))
    return found
