"""Strings matched and replaced by regular expressions in RE2's syntax, and changed from one encoding to another.

A pattern that is a Python string becomes an attribute (`StaticRegexReplace`) and is compiled once; a tensor does not.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.string_common import each, each_number, raw, same, scalar_string
from tfbench.engine.tensor import Tensor

__all__ = ["regex_replace"]

_GLOBAL = "replace_global: bool = true"
_replace = op("RegexReplace", "input: string, pattern: string, rewrite: string", "output: string", _GLOBAL, fresh=True)
_static_replace = op(
    "StaticRegexReplace", "input: string", "output: string", "pattern: string; rewrite: string;" + _GLOBAL, fresh=True
)
_match = op("RegexFullMatch", "input: string, pattern: string", "output: bool", fresh=True)
_static_match = op("StaticRegexFullMatch", "input: string", "output: bool", "pattern: string", fresh=True)
for _declared in (_replace, _static_replace, _match, _static_match):
    _declared.shape(same)
    _declared.no_gradient("strings have no gradient")


def _compiled(pattern: bytes) -> Any:
    from tfbench.engine.kernels import regex

    try:
        return regex.compile_pattern(pattern)
    except regex.PatternError as error:
        shown = pattern.decode(errors="replace")
        raise invalid(f"Invalid pattern: {shown}, error: {error}") from None


def _replaced(x: Any, pattern: bytes, rewrite: bytes, everywhere: bool) -> Any:
    from tfbench.engine.kernels.regex import replace

    compiled = _compiled(pattern)
    return each(lambda text: replace(compiled, rewrite, text, everywhere), x)


def _matched(x: Any, pattern: bytes) -> Any:
    from tfbench.engine.kernels.regex import decode

    compiled = _compiled(pattern)
    return each_number(lambda text: compiled.fullmatch(decode(text)) is not None, x, np.bool_)


@_replace.kernel(CPU)
def _replace_kernel(xp: Any, x: Any, pattern: Any, rewrite: Any, *, replace_global: bool) -> Any:
    return _replaced(x, scalar_string(pattern, "Pattern"), scalar_string(rewrite, "Rewrite"), replace_global)


@_static_replace.kernel(CPU)
def _static_replace_kernel(xp: Any, x: Any, *, pattern: Any, rewrite: Any, replace_global: bool) -> Any:
    return _replaced(x, raw(pattern), raw(rewrite), replace_global)


@_match.kernel(CPU)
def _match_kernel(xp: Any, x: Any, pattern: Any) -> Any:
    return _matched(x, scalar_string(pattern, "Pattern"))


@_static_match.kernel(CPU)
def _static_match_kernel(xp: Any, x: Any, *, pattern: Any) -> Any:
    return _matched(x, raw(pattern))


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    """Each string with every match of `pattern` (or the first) replaced; `\\0` to `\\9` in `rewrite` are groups."""
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return _static_replace(input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name)
    return _replace(input, pattern, rewrite, replace_global=replace_global, name=name)


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Whether the whole of each string matches `pattern`. (`tf.strings` has this name.)"""
    if isinstance(pattern, (str, bytes)):
        return _static_match(input, pattern=pattern, name=name)
    return _match(input, pattern, name=name)


# -- encodings -----------------------------------------------------------------------------------------------------

_transcode = op(
    "UnicodeTranscode",
    "input: string",
    "output: string",
    "input_encoding: string; output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'};"
    "errors: {'strict', 'replace', 'ignore'} = 'replace'; replacement_char: int = 65533;"
    "replace_control_characters: bool = false",
    fresh=True,
)
_transcode.shape(same)
_transcode.no_gradient("strings have no gradient")


def _decoder(encoding: str) -> Callable[..., tuple[str, int]]:
    # ICU's names have hyphens where Python's have none.
    for name in (encoding, encoding.replace("UTF-16-", "UTF-16").replace("UTF-32-", "UTF-32")):
        try:
            return codecs.lookup(name).decode
        except LookupError:
            continue
    raise invalid(f"Could not create converter for input encoding: {encoding}")


@_transcode.kernel(CPU)
def _transcode_kernel(
    xp: Any,
    x: Any,
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
) -> Any:
    decode = _decoder(input_encoding)
    target = output_encoding.replace("-BE", "BE").lower()
    instead = chr(replacement_char) if errors == "replace" else ""
    keep = "" if errors == "ignore" else instead

    def change(data: bytes) -> bytes:
        try:
            text = decode(data, "strict" if errors == "strict" else "tfbench-mark")[0]
        except UnicodeDecodeError:
            raise invalid("Invalid formatting on input string") from None
        text = text.replace(_MARK, keep)
        if replace_control_characters:
            text = "".join(instead if ord(c) < 32 or 127 <= ord(c) < 160 else c for c in text)
        return text.encode(target)

    return each(change, x)


#: stands for bytes that are no character, until it is known what shall stand there; no text has it
_MARK = "\udcff"
codecs.register_error("tfbench-mark", lambda error: (_MARK, error.end))  # type: ignore[attr-defined]


def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Each string in another encoding. (`tf.strings` has this name.)

    Args:
      errors: what becomes of bytes that are no character: 'replace', 'ignore', or 'strict', which fails the run.
    """
    return _transcode(
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )
