"""Declaring and reading a magic's line: words as Python reads them, errors that name the nearest right option."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable
from typing import Any, TypeVar

from IPython.core import magic, magic_arguments
from IPython.core.error import UsageError

F = TypeVar("F", bound=Callable[..., Any])

#: IPython's decorators, with types
arguments: Callable[..., Callable[[F], F]] = magic_arguments.magic_arguments
argument: Callable[..., Callable[[F], F]] = magic_arguments.argument
line_magic: Callable[[F], F] = magic.line_magic  # type: ignore[assignment]
cell_magic: Callable[[F], F] = magic.cell_magic  # type: ignore[assignment]
silenced_by_semicolon: Callable[[F], F] = magic.output_can_be_silenced

#: for an option that can be asked for, refused (`--no-…`), or left to what fits
SWITCH = argparse.BooleanOptionalAction

_CLOSING = {"(": ")", "[": "]", "{": "}"}


def split(text: str, at: Callable[[str], bool]) -> list[str]:
    """The non-empty parts of `text` between the characters that `at` is true for, outside quotes and brackets.

    Raises:
      UsageError: if a quote or a bracket is not closed.
    """
    parts, part = [], ""
    quote, open_brackets = "", []
    previous = ""
    for char in text:
        if quote:
            if char == quote and previous != "\\":
                quote = ""
        elif char in "\"'":
            quote = char
        elif char in _CLOSING:
            open_brackets.append(_CLOSING[char])
        elif open_brackets and char == open_brackets[-1]:
            open_brackets.pop()
        elif not open_brackets and at(char):
            parts.append(part)
            part, previous = "", char
            continue
        part, previous = part + char, char
    if quote or open_brackets:
        raise UsageError(f"{(quote or open_brackets[-1])!r} is missing in: {text.strip()}")
    return [found for item in (*parts, part) if (found := item.strip())]


def words(line: str) -> list[str]:
    """`line` at its spaces; an expression with spaces in brackets is one word."""
    return split(line, str.isspace)


def name(word: str) -> str:
    """A name, with or without quotes."""
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word


def parse(function: Any, line: str) -> Any:
    """The arguments of `function` (declared with `@arguments()`) in `line`.

    Raises:
      UsageError: that says what is wrong with which option, and what may be meant.
    """
    parser: argparse.ArgumentParser = function.parser
    parser.allow_abbrev = False
    try:
        # A semicolon at the end only says that no value shall be shown.
        return parser.parse_args(words(line.rstrip().removesuffix(";")))
    except UsageError as error:
        raise UsageError(_explained(str(error), parser)) from None


def _explained(message: str, parser: argparse.ArgumentParser) -> str:
    options = [option for action in parser._actions for option in action.option_strings]
    unknown = re.match(r"unrecognized arguments: (\S+)", message)
    if unknown is not None:
        what = "option" if unknown[1].startswith("-") else "argument"
        known = options if what == "option" else [str(c) for action in parser._actions for c in action.choices or ()]
        message = f"unknown {what} {unknown[1]}{nearest(unknown[1].partition('=')[0], known)}"
        if what == "option" and options:
            message += f" (options: {', '.join(options)})"
    choice = re.match(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", message, re.DOTALL)
    if choice is not None:
        known = [part.strip("' ") for part in choice[3].split(",")]
        message = f"{choice[1]} cannot be {choice[2]!r}{nearest(choice[2], known)} (choose from {', '.join(known)})"
    kind = re.match(r"argument (\S+): invalid int value: (.*)", message, re.DOTALL)
    if kind is not None:
        message = f"{kind[1]} takes a whole number, but got {kind[2]}"
    lone = re.match(r"argument (\S+): expected one argument", message)
    if lone is not None:
        message = f"{lone[1]} needs a value"
    missing = re.match(r"the following arguments are required: (.*)", message)
    if missing is not None:
        message = f"{missing[1]} is missing (%{parser.prog}? shows examples)"
    return f"%{parser.prog}: {message}"


def nearest(wrong: str, known: list[str]) -> str:
    """': did you mean …?' or nothing."""
    near = difflib.get_close_matches(wrong[:200], known, n=1, cutoff=0.5)
    return f": did you mean {near[0]}?" if near else ""
