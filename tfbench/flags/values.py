"""`tf.flags.FLAGS`: all flags, and the command line that gives them values.

A flag that is read before the command line was parsed has it parsed then, as TensorFlow 1 does. What a person in a
notebook or a prompt needs is different from a script's needs in two places:

* **A cell that is run again defines its flags again.** What it defines now counts, without an error; so it is for a
  module that is loaded again. Only flags of the same name from two places of a program are an error.
* **The command line of a kernel or a test runner is not the program's.** `-f kernel.json` is not looked at, where
  TensorFlow stops with "Unknown command line flag 'f'".
"""

from __future__ import annotations

import builtins
import difflib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from tfbench.flags.exceptions import (
    DuplicateFlagError,
    FlagNameConflictsWithMethodError,
    IllegalFlagValueError,
    UnrecognizedFlagError,
    ValidationError,
)
from tfbench.flags.flag import Flag

#: what runs programs, and has arguments of its own
_NOT_OURS = ("ipykernel", "ipykernel_launcher", "colab_kernel_launcher", "ipython", "ipython3", "pytest", "py.test")


def in_notebook() -> bool:
    """Whether IPython runs the program: a notebook, or its prompt."""
    return hasattr(builtins, "__IPYTHON__")


def command_line() -> list[str]:
    """The program's own arguments: none where they are those of a kernel, a prompt or a test runner."""
    arguments = sys.argv or [""]
    path = os.path.normpath(arguments[0]).split(os.sep)
    if path[-1] == "__main__.py":  # python -m …
        path.pop()
    launcher = path[-1].removesuffix(".py").removesuffix(".exe").lower() if path else ""
    return arguments[:1] if launcher in _NOT_OURS else list(arguments)


class FlagValues:
    """Flags by name: `FLAGS.learning_rate`, `FLAGS["learning_rate"]` (the Flag), `"learning_rate" in FLAGS`."""

    _flags: dict[str, Flag]
    _parsed: bool
    _checks: list[Any]

    def __init__(self) -> None:
        self.__dict__.update(_flags={}, _parsed=False, _checks=[])

    # -- one flag -----------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Flag:
        return self._flags[name]

    def __setitem__(self, name: str, flag: Flag) -> None:
        self._define(flag, name)

    def _define(self, flag: Flag, name: str | None = None) -> None:
        """Adds a flag, under its name and its short name.

        Raises:
          DuplicateFlagError: if there is one of that name, defined elsewhere in the program.
        """
        name = flag.name if name is None else name
        if not isinstance(flag, Flag):
            raise IllegalFlagValueError(f"Expect Flag instances, found type {type(flag)}.")
        if hasattr(FlagValues, name):
            raise FlagNameConflictsWithMethodError(
                f"A flag cannot be called {name!r}: FLAGS has a method of that name."
            )
        for known in [self._flags.get(each) for each in (name, flag.short_name) if each]:
            if known is not None and not _replaces(flag, known):
                raise DuplicateFlagError(
                    f"The flag '{known.name}' is defined twice. First from {known.place[1] or known.place[0]}, Second "
                    f"from {flag.place[1] or flag.place[0]}.  Description from first occurrence: {known.help}"
                )
        # What was asked of the flag that is replaced is asked of the new one if the program says so again.
        self._checks[:] = [check for check in self._checks if check[0] != (name,)]
        self._flags[name] = flag
        if flag.short_name:
            self._flags[flag.short_name] = flag

    def __getattr__(self, name: str) -> Any:
        if name == "__flags":  # what TensorFlow up to 1.4 had, and programs printed
            self._parse_flags()
            return self.flag_values_dict()
        if name.startswith("__") or name not in self._flags:
            near = difflib.get_close_matches(name, self._flags, n=1)
            raise AttributeError(f"No flag {name!r} is defined" + (f"; did you mean {near[0]!r}?" if near else "."))
        self._parse_flags()
        return self._flags[name].value

    def _parse_flags(self) -> None:
        """Parses the command line unless that was done."""
        if not self._parsed:
            self(command_line())

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._flags:
            near = difflib.get_close_matches(name, self._flags, n=1)
            raise UnrecognizedFlagError(name, suggestions=near)
        flag = self._flags[name]
        before, was_default = flag.value, flag.using_default_value
        flag.value = value
        try:
            self._check(flag)
        except IllegalFlagValueError:
            flag._value, flag.using_default_value = before, was_default
            raise

    def __delattr__(self, name: str) -> None:
        flag = self._flags.get(name)
        if flag is None:
            raise AttributeError(name)
        for key in [key for key, known in self._flags.items() if known is flag]:
            del self._flags[key]

    def __contains__(self, name: object) -> bool:
        return name in self._flags

    has_key = __contains__

    def __iter__(self) -> Iterator[str]:
        return iter(self._flags)

    def __len__(self) -> int:
        return len(self._flags)

    def __dir__(self) -> list[str]:
        return sorted(self._flags)

    def get_flag_value(self, name: str, default: Any) -> Any:
        """A flag's value; `default` if that is None or the flag is not defined."""
        value = getattr(self, name) if name in self._flags else None
        return default if value is None else value

    def set_default(self, name: str, value: Any) -> None:
        """Gives a flag another default, which is its value unless the command line gave one."""
        flag = self._flags.get(name)
        if flag is None:
            raise UnrecognizedFlagError(name)
        given, kept = flag.present, flag.value
        flag._set_default(value)
        if given:
            flag._value, flag.present, flag.using_default_value = kept, given, False
        self._check(flag)

    def flag_values_dict(self) -> dict[str, Any]:
        """The values by name."""
        return {name: flag.value for name, flag in self._flags.items()}

    def find_module_defining_flag(self, name: str, default: Any = None) -> Any:
        return self._flags[name].place[0] if name in self._flags else default

    # -- checks -------------------------------------------------------------------------------------------------------

    def _check(self, *flags: Flag) -> None:
        """Asks the validators of some flags, and those that look at several flags."""
        for names, check, message in self._checks:
            concerned = [self._flags[name] for name in names if name in self._flags]
            if len(concerned) < len(names) or not any(flag in flags for flag in concerned):
                continue
            values = (
                concerned[0].value if isinstance(check, _OneFlag) else {flag.name: flag.value for flag in concerned}
            )
            said = ", ".join([f"{flag.name}={flag.value}" for flag in concerned])
            where = f"flag --{said}" if len(concerned) == 1 else f"flags {said}"
            try:
                good = check(values)
            except (ValidationError, TypeError, ValueError) as error:
                raise IllegalFlagValueError(f"{where}: {error}") from None
            if not good:
                raise IllegalFlagValueError(f"{where}: {message}")

    def validate_all_flags(self) -> None:
        """Asks all validators.

        Raises:
          IllegalFlagValueError: for the first that says no.
        """
        self._check(*self._flags.values())

    def _add_check(self, names: Sequence[str], check: Any, message: str) -> None:
        for name in names:
            if name not in self._flags:
                raise AttributeError(f"No flag {name!r} is defined.")
        # A cell that is run again asks for the same once more.
        self._checks[:] = [kept for kept in self._checks if (kept[0], kept[2]) != (tuple(names), message)]
        self._checks.append((tuple(names), check, message))

    # -- the command line ---------------------------------------------------------------------------------------------

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        """Takes values from arguments: `--name=value`, `--name value`, `--switch`, `--noswitch`; `--` ends the flags.

        Returns:
          The program's name and what is no flag; with `known_only` also flags that are not defined.

        Raises:
          UnrecognizedFlagError: for a flag that is not defined.
          IllegalFlagValueError: for a value that a flag must not have.
        """
        if isinstance(argv, (str, bytes)):
            raise TypeError("argv should be a tuple/list of strings, not bytes or string.")
        if not argv:
            raise ValueError("argv cannot be an empty list, and must contain the program name as the first element.")
        from tfbench.flags.command_line import parse

        rest = parse(self._flags, list(argv[1:]), known_only)
        self.__dict__["_parsed"] = True
        self.validate_all_flags()
        return [argv[0], *rest]

    def is_parsed(self) -> bool:
        """Whether the command line was parsed."""
        return self._parsed

    def mark_as_parsed(self) -> None:
        """Says that there is no command line to parse: flags keep the values that they have."""
        self.__dict__["_parsed"] = True

    def unparse_flags(self) -> None:
        """Back to the defaults; the command line is parsed when a flag is read next."""
        for flag in self._flags.values():
            flag.unparse()
        self.__dict__["_parsed"] = False

    # -- as text ------------------------------------------------------------------------------------------------------

    def get_help(self) -> str:
        """All flags with their help, by module."""
        from tfbench.flags.command_line import help_text

        return help_text(self._flags)

    def main_module_help(self) -> str:
        """The flags of the program itself with their help."""
        from tfbench.flags.command_line import help_text

        return help_text({name: flag for name, flag in self._flags.items() if flag.place[0] == "__main__"})

    def flags_into_string(self) -> str:
        """The flags as a file for --flagfile."""
        texts = [flag.serialize() for name, flag in self._flags.items() if name == flag.name]
        return "".join([f"{text}\n" for text in texts if text])

    def append_flags_into_file(self, filename: str) -> None:
        """Adds the flags to a file for --flagfile."""
        with open(filename, "a") as file:
            file.write(self.flags_into_string())

    def __str__(self) -> str:
        return self.get_help()

    def __repr__(self) -> str:
        return f"<FlagValues: {', '.join(f'{name}={flag.value!r}' for name, flag in self._flags.items())}>"


def _replaces(new: Flag, old: Flag) -> bool:
    """Whether a definition takes another's place: the same line again, a cell run again, or one that says so."""
    if new is old or new.allow_override or old.allow_override or new.place[1:] == old.place[1:]:
        return True
    interactive = in_notebook() or hasattr(sys, "ps1")
    return interactive and new.place[0] == old.place[0] == "__main__"


class _OneFlag:
    """A validator that is given one flag's value."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, value: Any) -> Any:
        return self._function(value)
