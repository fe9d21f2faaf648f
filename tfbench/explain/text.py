"""Text for tables and messages: one line, short, the same from run to run."""

from __future__ import annotations

from collections.abc import Sequence


def shorten(text: str, limit: int) -> str:
    """`text` on one line (line breaks and control characters written out), its middle cut beyond `limit`."""
    if len(text) > 4 * limit:
        # Escaping works on what will be seen only: a name may be very long.
        text = text[: 2 * limit] + text[-2 * limit :]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    if len(text) <= limit:
        return text
    tail = limit // 3
    return f"{text[: limit - tail - 1]}…{text[len(text) - tail :]}"


def shorten_list(text: str, item_limit: int, limit: int) -> str:
    """A list written with commas: items are shortened one by one, and the list is cut where it goes beyond `limit`."""
    if len(text) <= item_limit or ", " not in text:
        return shorten(text, item_limit)
    kept: list[str] = []
    for item in text[: 100 * limit].split(", "):
        kept.append(shorten(item, item_limit))
        if len(kept) > 1 and sum(map(len, kept)) + 2 * len(kept) > limit:
            return ", ".join([*kept[:-1], "…"])
    return ", ".join(kept)


def count(number: int, noun: str) -> str:
    """'1 cell', '2 cells'."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], limit: int = 48) -> str:
    """Columns lined up under their titles; cells longer than `limit` are cut in the middle."""
    cells = [[shorten(cell, limit) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [header, *cells]]
    return "\n".join(lines)
