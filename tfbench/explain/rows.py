"""Answers as tables: frozen rows that print, index, iterate and turn into plain data."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from tfbench.explain.text import count, shorten, shorten_list, table

R = TypeVar("R")

#: longer cells are cut in the middle; lists and tables that are longer, at the end
_LONGEST = 48
_LONGEST_LIST = 100
_LONGEST_SENTENCE = 600
_MOST_ROWS = 500


class Rows(Generic[R]):
    """A frozen list of rows. `rows[0]`, `rows["conv1/weights"]` (by name), `len(rows)`, `for row in rows`."""

    __slots__ = ("_rows",)

    #: what a row is, for the line under the table; and the titles of the table's columns
    noun = "row"
    header: tuple[str, ...] = ()
    #: the columns that hold sentences: what to do must not be cut out of them
    sentences: tuple[str, ...] = ()

    def __init__(self, rows: Sequence[R]) -> None:
        object.__setattr__(self, "_rows", tuple(rows))

    _rows: tuple[R, ...]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    @overload
    def __getitem__(self, key: int | str) -> R: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[R]: ...
    def __getitem__(self, key: int | str | slice) -> R | Sequence[R]:
        if isinstance(key, str):
            for row in self._rows:
                if self.key(row) == key:
                    return row
            raise KeyError(f"no {self.noun} is called {key!r}")
        return self._rows[key]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[R]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._rows == self._rows

    def __hash__(self) -> int:
        return hash((type(self), len(self._rows)))

    # -- what a kind of table says about its rows ---------------------------------------------------------------

    def key(self, row: R) -> str:
        """The name that `rows[name]` looks for."""
        return getattr(row, "name")  # noqa: B009 - rows of this kind have one

    def cells(self, row: R) -> tuple[str, ...]:
        """One row as text, a cell per column of `header`."""
        raise NotImplementedError

    def footer(self) -> str:
        """The last line."""
        return count(len(self._rows), self.noun)

    # -- forms ----------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON takes."""
        return {f"{self.noun}s": [plain(row) for row in self._rows]}

    def __str__(self) -> str:
        if not self._rows:
            return self.footer()
        lines = [[_fitted(cell) for cell in self.cells(row)] for row in self._rows[:_MOST_ROWS]]
        return f"{table(self.header, lines, 2 * _LONGEST_LIST)}\n{self._last_line()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The table for notebooks. Everything in it is data: nothing is rendered as markup."""
        titles = "".join(f'<th style="text-align:left">{html.escape(title)}</th>' for title in self.header)
        whole = [title in self.sentences for title in self.header]
        lines = [f"<tr>{''.join(map(_html_cell, self.cells(row), whole))}</tr>" for row in self._rows[:_MOST_ROWS]]
        body = f"<table><thead><tr>{titles}</tr></thead><tbody>{''.join(lines)}</tbody></table>" if lines else ""
        return f"{body}<div>{html.escape(self._last_line())}</div>"

    def _last_line(self) -> str:
        if len(self._rows) <= _MOST_ROWS:
            return self.footer()
        return f"{self.footer()}; the first {_MOST_ROWS} are shown"


def _fitted(text: str) -> str:
    return shorten_list(text, _LONGEST, _LONGEST_LIST)


def _html_cell(text: str, whole: bool) -> str:
    if whole:
        return f'<td style="text-align:left">{html.escape(shorten(text, _LONGEST_SENTENCE))}</td>'
    short = _fitted(text.lstrip(" "))
    indent = len(text) - len(text.lstrip(" "))
    style = "text-align:left;font-family:monospace" + (f";padding-left:{0.5 + 0.6 * indent:.1f}em" if indent else "")
    # What has no spaces stays on its line; lists may wrap.
    style += "" if ", " in short and not short.startswith("(") else ";white-space:nowrap"
    return f'<td style="{style}">{html.escape(short)}</td>'


def plain(value: Any) -> Any:
    """A row, or what is in one, as dictionaries, lists, strings and numbers."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: plain(item) for key, item in value._asdict().items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value
