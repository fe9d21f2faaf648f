"""What goes wrong with flags."""

from __future__ import annotations

from collections.abc import Iterable


class Error(Exception):
    """A flag that is defined or given wrongly."""


class CantOpenFlagFileError(Error):
    """A file named by --flagfile cannot be read."""


class DuplicateFlagError(Error):
    """Two parts of a program define a flag of the same name."""


class FlagNameConflictsWithMethodError(Error):
    """A flag has the name of a method of FLAGS."""


class IllegalFlagValueError(Error):
    """A flag has a value that it must not have."""


class ValidationError(Error):
    """What a validator raises to say what is wrong with a value."""


class UnparsedFlagAccessError(Error):
    """A flag was read before the command line was parsed."""


class UnrecognizedFlagError(Error):
    """The command line has, or the program sets, a flag that is not defined."""

    def __init__(self, flagname: str, flagvalue: str = "", suggestions: Iterable[str] = ()) -> None:
        self.flagname = flagname
        self.flagvalue = flagvalue
        near = ", ".join(suggestions)
        super().__init__(f"Unknown command line flag '{flagname}'" + (f". Did you mean: {near} ?" if near else ""))
