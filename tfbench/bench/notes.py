"""What a removed tensor says when it is used, and the summary about it: what replaced it, what to run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfbench.engine.graph import Operation
from tfbench.explain.text import shorten


class Note:
    """The text of one group of removed operations; it is filled in when the change is complete."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def attach(ops: Iterable[Operation], note: Note) -> None:
    """Has removed operations answer with `note` when they are used."""
    for op in ops:
        op.__dict__["_replaced_by"] = note


def detach(ops: Iterable[Operation]) -> None:
    """Takes the notes off operations that are put back."""
    for op in ops:
        op.__dict__.pop("_replaced_by", None)


def run_again(label: str, new_label: str) -> str:
    """The cell that made it was itself run again."""
    as_new = f" (as {new_label})" if new_label != label else ""
    return (
        f"cell {label} was run again{as_new} and replaced it. This Python object belongs to the earlier run: "
        f"run the cell that took it from there again, or get what is there now by its name."
    )


def replayed(label: str, cause: str) -> str:
    """A later cell, which was replayed."""
    return (
        f"{cause}, and cell {label}, which made it, was replayed and replaced it. This Python object belongs to the "
        f"earlier run: run the cell that took it from there again, or get what is there now by its name."
    )


def left_out(label: str, cause: str, reason: str) -> str:
    """A later cell, which is stale now."""
    return f"{cause}, and cell {label}, which made it, is left out since then ({reason}): run cell {label} again."


def plain(ops: Sequence[Operation], cause: str) -> str:
    """Not of a `%%graph` cell at all."""
    where = _cells_of(ops) or "what made it"
    return f"{cause}, which takes back what plain cells had added to the graph after it: run {where} again."


def dropped(label: str, cause: str, deleted: bool) -> str:
    """The graph was started over, or the cell was deleted in the notebook."""
    if deleted:
        return f"cell {label}, which made it, was deleted: run a cell that makes it, and then this one again."
    return f"{cause}, which dropped what cell {label} had added: run cell {label} again."


def lost(ops: Sequence[Operation]) -> str:
    """The warning about operations of plain cells that are gone."""
    names = _few([op.name for op in ops])
    if len(ops) == 1:
        what, are = f"an operation of a plain cell ({names})", "is"
    else:
        what, are = f"{len(ops)} operations of plain cells ({names})", "are"
    where = _cells_of(ops) or "the plain cells that made them"
    return f"{what} came after what was run again and {are} gone: run {where} again"


def still_named(names: Sequence[str]) -> str:
    """The warning about names that no `%%graph` cell binds anew."""
    if len(names) == 1:
        return f"{names[0]} still means what is gone: run the cell that binds it again"
    return f"{_few(names)} still mean what is gone: run the cells that bind them again"


def _few(names: Sequence[str]) -> str:
    return ", ".join(shorten(name, 40) for name in names[:4]) + (", …" if len(names) > 4 else "")


def _cells_of(ops: Sequence[Operation]) -> str:
    """'cell 3', 'cells 3, 4', or '' where the operations were not made in cells."""
    cells = list(dict.fromkeys(found.cell for op in ops if (found := op.source) is not None and found.cell is not None))
    return f"cell{'s' if len(cells) > 1 else ''} {', '.join(cells)}" if cells else ""
