"""Regular expressions in RE2's syntax, matched by Python's `re`.

The two agree on nearly everything that RE2 allows. What differs is translated: `$` and `\\z` mean the very end,
`\\Q…\\E` is literal, `[[:alpha:]]` names a class, `\\d` and its kin are ASCII; an empty match right after a match
does not count. What RE2 refuses (looking around, back references) is refused with its words.
"""

from __future__ import annotations

import re
from typing import Any

_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ", "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip


class PatternError(ValueError):
    """A pattern that RE2, or this translation, does not take."""


def compile_pattern(pattern: bytes) -> re.Pattern[str]:
    """The Python pattern for one of RE2's. PatternError with RE2's words if it is none."""
    text = decode(pattern)
    try:
        return re.compile(_translate(text), re.ASCII)
    except re.error as error:
        reason = str(error.msg)
        if reason.startswith("missing )"):
            reason = f"missing ): {text}"
        raise PatternError(reason) from None


def decode(data: bytes) -> str:
    """UTF-8 as text; bytes that are none are kept apart."""
    return data.decode(errors="surrogateescape")


def encode(text: str) -> bytes:
    """What `decode` was given."""
    return text.encode(errors="surrogateescape")


def _translate(text: str) -> str:
    many_lines = re.search(r"\(\?[a-z]*m[a-z]*(-[a-z]+)?[:)]", text) is not None
    out: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            piece, at = _escape(text, at)
            out.append(piece)
        elif char == "[":
            piece, at = _bracket(text, at)
            out.append(piece)
        elif char == "$" and not many_lines:
            out.append(r"\Z")
            at += 1
        elif text.startswith("(?", at):
            found = re.match(r"\(\?(<?[=!]|[(>])", text[at:])
            if found:
                raise PatternError(f"invalid perl operator: {found.group()}")
            named = text.startswith("(?<", at)
            out.append("(?P<" if named else "(?")
            at += 3 if named else 2
        else:
            out.append(char)
            at += 1
    return "".join(out)


def _escape(text: str, at: int) -> tuple[str, int]:
    """The translation of the escape at `at`, and what follows it."""
    if at + 1 == len(text):
        raise PatternError("trailing \\")
    char = text[at + 1]
    if char == "Q":
        end = text.find("\\E", at + 2)
        literal = text[at + 2 :] if end < 0 else text[at + 2 : end]
        return re.escape(literal), len(text) if end < 0 else end + 2
    if char == "z":
        return r"\Z", at + 2
    if char == "C":
        return "(?s:.)", at + 2
    if char in "123456789Z" or (char.isalpha() and char not in "AbBdDsSwWaftnrvxpP"):
        raise PatternError(f"invalid escape sequence: \\{char}")
    if char in "pP":
        return _unicode_class(text, at)
    if char == "x" and text.startswith("{", at + 2):
        end = text.find("}", at)
        try:
            return re.escape(chr(int(text[at + 3 : end], 16))), end + 1
        except ValueError:
            raise PatternError(f"invalid escape sequence: {text[at:]}") from None
    return text[at : at + 2], at + 2


def _unicode_class(text: str, at: int) -> tuple[str, int]:
    """`\\pL` and `\\PL`, `\\pN` and `\\PN` (also in braces), as far as Python's classes say them."""
    end = text.find("}", at) + 1 if text.startswith("{", at + 2) else at + 3
    name = text[at + 2 : end].strip("{}")
    negative = text[at + 1] == "P"
    known = {"L": r"(?u:[^\W\d_])", "N": r"(?u:\d)"}
    if name not in known or negative:
        raise PatternError(f"character class {text[at:end]} is not supported by tfbench")
    return known[name], end


def _bracket(text: str, at: int) -> tuple[str, int]:
    """The translation of the bracket expression at `at`, and what follows it."""
    out = ["["]
    start = at
    at += 1
    if text.startswith("^", at):
        out.append("^")
        at += 1
    first = True
    while at < len(text) and (text[at] != "]" or first):
        first = False
        named = re.match(r"\[:(\^?)(\w+):\]", text[at:])
        if named:
            if named.group(2) not in _CLASSES or named.group(1):
                raise PatternError(f"invalid character class range: {named.group()}")
            out.append(_CLASSES[named.group(2)])
            at += named.end()
        elif text[at] == "\\" and at + 1 < len(text):
            piece, at = _escape(text, at)
            if len(piece) > 2 and piece.startswith("("):
                raise PatternError(f"character class {text[start:]} is not supported by tfbench")
            out.append(piece)
        else:
            # Python warns of what may come to be an operator inside brackets.
            out.append("\\" + text[at] if text[at] in "[]&~|" else text[at])
            at += 1
    if at >= len(text):
        raise PatternError(f"missing ]: {text[start:]}")
    return "".join([*out, "]"]), at + 1


def replace(pattern: re.Pattern[str], rewrite: bytes, data: bytes, everywhere: bool) -> bytes:
    """`data` with its first match (or every match) replaced by `rewrite`, where \\0 to \\9 stand for groups."""
    parts = _rewrite_parts(decode(rewrite))
    if any(isinstance(part, int) and part > pattern.groups for part in parts):
        return data
    text = decode(data)
    out: list[str] = []
    at, last_end = 0, -1
    while at <= len(text):
        match = pattern.search(text, at)
        if match is None:
            break
        out.append(text[at : match.start()])
        if match.start() == match.end() == last_end:
            out.append(text[last_end : last_end + 1])
            at = last_end + 1
            last_end = -1
            continue
        out.extend((match.group(part) or "") if isinstance(part, int) else part for part in parts)
        at = last_end = match.end()
        if not everywhere:
            break
    out.append(text[at:])
    return encode("".join(out))


def _rewrite_parts(rewrite: str) -> list[Any]:
    parts: list[Any] = []
    at = 0
    while at < len(rewrite):
        if rewrite[at] != "\\":
            parts.append(rewrite[at])
            at += 1
            continue
        following = rewrite[at + 1 : at + 2]
        if following.isdigit():
            parts.append(int(following))
        elif following == "\\":
            parts.append("\\")
        else:
            break  # RE2 complains in its log and writes nothing more
        at += 2
    return parts
