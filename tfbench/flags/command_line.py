"""Arguments taken apart, and flags explained to whoever asks with --help."""

from __future__ import annotations

import difflib
import os
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

from tfbench.flags.exceptions import CantOpenFlagFileError, Error, UnrecognizedFlagError
from tfbench.flags.flag import Flag


def parse(flags: dict[str, Flag], arguments: list[str], known_only: bool) -> list[str]:
    """Gives the flags their values; returns what is no flag."""
    rest: list[str] = []
    unknown: list[tuple[str, str]] = []
    allowed: set[str] = set()
    waiting = _without_flag_files(arguments, ())
    at = 0
    while at < len(waiting):
        argument = waiting[at]
        at += 1
        if argument == "--":
            rest.extend([argument, *waiting[at:]] if known_only and unknown else waiting[at:])
            break
        if not argument.startswith("-") or argument == "-":
            rest.append(argument)
            continue
        name, equals, value = argument.lstrip("-").partition("=")

        def following(name: str = name, equals: str = equals, value: str = value) -> str:
            nonlocal at
            if equals:
                return value
            if at >= len(waiting):
                raise Error(f"Missing value for flag --{name}")
            at += 1
            return waiting[at - 1]

        if name == "undefok":
            allowed.update(each.strip() for each in following().split(","))
        elif not _give(flags, name, equals, value, following):
            if known_only:
                rest.append(argument)
            unknown.append((name, argument))
    for name, argument in unknown:
        if not known_only and name not in allowed and not (name.startswith("no") and name[2:] in allowed):
            raise UnrecognizedFlagError(name, argument, difflib.get_close_matches(name, flags, n=3, cutoff=0.7))
    return rest


def _give(flags: dict[str, Flag], name: str, equals: str, value: str, following: Callable[[], str]) -> bool:
    """Gives one flag its value; whether there is such a flag."""
    flag = flags.get(name)
    if flag is None and name.startswith("no"):
        flag = flags.get(name[2:])
        if flag is None or not flag.boolean:
            return False
        if equals:
            raise Error(f"{value} does not take an argument: --{name} is the same as --{name[2:]}=false")
        flag.parse("false")
        return True
    if flag is None:
        return False
    if flag.boolean:
        flag.parse(value if equals else "true")
    else:
        flag.parse(following())
    return True


def _without_flag_files(arguments: list[str], inside: tuple[str, ...]) -> list[str]:
    """The arguments with the contents of the files that --flagfile names in their places."""
    found: list[str] = []
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        at += 1
        if argument == "--":
            return [*found, argument, *arguments[at:]]
        name, equals, path = argument.partition("=")
        if name not in ("--flagfile", "-flagfile"):
            found.append(argument)
            continue
        if not equals:
            if at >= len(arguments):
                raise Error("Missing value for flag --flagfile")
            path = arguments[at]
            at += 1
        path = os.path.expanduser(path.strip())
        if path in inside:
            continue  # a file that names itself
        try:
            with open(path) as file:
                lines = [line.strip() for line in file]
        except OSError as error:
            raise CantOpenFlagFileError(f"ERROR:: Unable to open flagfile: {path}: {error.strerror}") from None
        given = [line for line in lines if line and not line.startswith(("#", "//"))]
        found.extend(_without_flag_files(given, (*inside, path)))
    return found


def help_text(flags: dict[str, Flag]) -> str:
    """Flags with their help, by the module that defines them."""
    modules: dict[str, list[Flag]] = {}
    for name, flag in sorted(flags.items()):
        if name == flag.name:
            modules.setdefault(flag.place[1] or flag.place[0], []).append(flag)
    return "\n\n".join([f"{module}:\n{_flags_of(found)}" for module, found in sorted(modules.items())])


def _flags_of(flags: Iterable[Flag]) -> str:
    lines = []
    for flag in flags:
        short = f"-{flag.short_name}," if flag.short_name else ""
        head = f"{short}--[no]{flag.name}" if flag.boolean else f"{short}--{flag.name}"
        lines.append(textwrap.fill(f"{head}: {flag.help}", 80, initial_indent="  ", subsequent_indent="    "))
        if flag.default_as_str:
            lines.append(f"    (default: {flag.default_as_str})")
        kind: Any = flag.parser.syntactic_help
        if kind:
            lines.append(f"    ({kind})")
    return "\n".join(lines)
