"""`tf.app`: a program that begins with its flags."""

from __future__ import annotations

import sys as _sys
from typing import Any

from tfbench import flags
from tfbench.flags.values import command_line as _command_line
from tfbench.flags.values import in_notebook as _in_notebook

__all__ = ["flags", "run"]


def run(main: Any = None, argv: Any = None) -> None:
    """Parses the command line and calls `main(argv)` with what is no flag; then the program ends with what it returns.

    Flags that are not defined are left in `argv`, for others to parse. `--help` shows the flags. In a notebook or
    IPython's prompt an error is raised as it is, and the program does not end: the next cell can run.

    Args:
      main: the function; by default the one called so in the program.
    """
    main = main or _sys.modules["__main__"].main
    interactive = _in_notebook()
    given = list(_command_line() if argv is None else argv)
    if any(argument.lstrip("-") in ("help", "helpfull", "helpshort") for argument in given[1:] if argument[:1] == "-"):
        text = flags.FLAGS.get_help()
        print(f"{_sys.modules['__main__'].__doc__ or f'USAGE: {given[0]} [flags]'}\n\nflags:\n\n{text}")
        if interactive:
            return
        _sys.exit(1)
    try:
        rest = flags.FLAGS(given, known_only=True)
        # Flags that the program defines with absl's own module, which TensorFlow shares its flags with.
        theirs = getattr(_sys.modules.get("absl.flags"), "FLAGS", None)
        if theirs is not None:
            rest = theirs(rest, known_only=True)
    except flags.Error as error:
        if interactive:
            raise
        print(
            f"FATAL Flags parsing error:\n  {error}\nPass --helpshort or --helpfull to see help on flags.",
            file=_sys.stderr,
        )
        _sys.exit(1)
    result = main(rest)
    if not interactive or result not in (None, 0):
        _sys.exit(result)
