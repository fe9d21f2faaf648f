"""A cell's source as something that can be run again: compiled once, its lines numbered as the editor shows them."""

from __future__ import annotations

import ast
import linecache
from types import CodeType
from typing import Any

from tfbench.engine import source as sources


class Code:
    """The compiled source of a cell.

    `first_line` is the number of its first line: 2 under a `%%graph` line. `file` is the name it is compiled
    under; tracebacks and `Operation.source` know the cell by it.

    Raises (when made):
      SyntaxError: with the cell's own line.
    """

    __slots__ = ("_body", "_last", "file", "source")

    def __init__(self, source: str, file: str, first_line: int = 1) -> None:
        self.source = source
        self.file = file
        tree = ast.parse("\n" * (first_line - 1) + source, file)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        self._body: CodeType = compile(tree, file, "exec", dont_inherit=True)
        self._last: CodeType | None = None
        if isinstance(last, ast.Expr):
            self._last = compile(ast.Expression(last.value), file, "eval", dont_inherit=True)

    def run(self, namespace: dict[str, Any]) -> Any:
        """Runs it in `namespace` and returns the value of the last expression, or None."""
        exec(self._body, namespace)
        return None if self._last is None else eval(self._last, namespace)


def remember_lines(file: str, text: str) -> None:
    """Lets tracebacks show the lines of `text`, compiled under the name `file`."""
    linecache.cache[file] = (len(text), None, [line + "\n" for line in text.splitlines()], file)


def register(file: str, label: str) -> None:
    """Says that what is compiled under `file` is the cell `label`."""
    sources.register_cell(file, label)
