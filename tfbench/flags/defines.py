"""The functions that define flags: `tf.flags.DEFINE_string("name", "default", "help")`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tfbench.flags.flag import BooleanFlag, EnumClassFlag, EnumFlag, Flag, FlagHolder, MultiEnumClassFlag, MultiFlag
from tfbench.flags.parsers import (
    ArgumentParser,
    ArgumentSerializer,
    CsvListSerializer,
    EnumParser,
    FloatParser,
    IntegerParser,
    ListParser,
    ListSerializer,
    WhitespaceSeparatedListParser,
)
from tfbench.flags.values import FlagValues

#: the flags of the program
FLAGS = FlagValues()

#: names of arguments before TensorFlow 1.5
_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}
_REQUIRED = "must have a value other than None."


def _caller() -> tuple[str, str, int]:
    """Module, file and line of whoever defines a flag."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("tfbench.flags"):
        frame = frame.f_back
    if frame is None:
        return "", "", 0
    return frame.f_globals.get("__name__", ""), frame.f_code.co_filename, frame.f_lineno


def DEFINE_flag(
    flag: Flag, flag_values: FlagValues = FLAGS, module_name: str | None = None, required: bool = False
) -> FlagHolder[Any]:
    """Adds a Flag that was made elsewhere."""
    flag.place = _caller() if module_name is None else (module_name, "", 0)
    flag_values._define(flag)
    _check_bounds(flag, flag_values)
    if required:
        mark_flag_as_required(flag.name, flag_values)
    return FlagHolder(flag_values, flag)


def _check_bounds(flag: Flag, flag_values: FlagValues) -> None:
    """Values that the program assigns are compared with the bounds, too."""
    from tfbench.flags.validators import register_validator

    parser = flag.parser
    if getattr(parser, "lower_bound", None) is None and getattr(parser, "upper_bound", None) is None:
        return

    def inside(value: Any) -> bool:
        values = value if isinstance(flag, MultiFlag) else [value]
        if value is not None and any(parser.is_outside_bounds(each) for each in values):
            raise ValueError(f"{value} is not {parser.syntactic_help}")
        return True

    register_validator(flag.name, inside, flag_values=flag_values)


def mark_flag_as_required(flag_name: Any, flag_values: FlagValues = FLAGS) -> None:
    """The command line has to give the flag a value, or the program: None is an error."""
    from tfbench.flags.validators import register_validator

    name = flag_name.name if isinstance(flag_name, FlagHolder) else flag_name
    message = f"Flag --{name} {_REQUIRED}"
    register_validator(name, lambda value: value is not None, message, flag_values)


def DEFINE(
    parser: Any,
    name: str,
    default: Any,
    help: str | None,
    flag_values: FlagValues = FLAGS,
    serializer: Any = None,
    module_name: str | None = None,
    required: bool = False,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag whose text a parser makes a value of."""
    return DEFINE_flag(Flag(parser, serializer, name, default, help, **args), flag_values, module_name, required)


def _old_names(define: Callable[..., FlagHolder[Any]]) -> Callable[..., FlagHolder[Any]]:
    """The function with the names that its arguments had before TensorFlow 1.5, too."""

    def call(*arguments: Any, **options: Any) -> FlagHolder[Any]:
        for old, new in _OLD_NAMES.items():
            if old in options:
                options[new] = options.pop(old)
        return define(*arguments, **options)

    call.__name__ = call.__qualname__ = define.__name__
    call.__doc__ = define.__doc__
    return call


@_old_names
def DEFINE_string(
    name: str, default: Any, help: str | None = None, flag_values: FlagValues = FLAGS, **args: Any
) -> FlagHolder[Any]:
    """Defines a flag that is text."""
    return DEFINE(ArgumentParser(), name, default, help, flag_values, ArgumentSerializer(), **args)


@_old_names
def DEFINE_boolean(
    name: str,
    default: Any,
    help: str | None = None,
    flag_values: FlagValues = FLAGS,
    module_name: str | None = None,
    required: bool = False,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that is True (--name) or False (--noname)."""
    return DEFINE_flag(BooleanFlag(name, default, help, **args), flag_values, module_name, required)


DEFINE_bool = DEFINE_boolean


@_old_names
def DEFINE_float(
    name: str,
    default: Any,
    help: str | None = None,
    lower_bound: float | None = None,
    upper_bound: float | None = None,
    flag_values: FlagValues = FLAGS,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that is a float, perhaps between bounds."""
    return DEFINE(FloatParser(lower_bound, upper_bound), name, default, help, flag_values, ArgumentSerializer(), **args)


@_old_names
def DEFINE_integer(
    name: str,
    default: Any,
    help: str | None = None,
    lower_bound: int | None = None,
    upper_bound: int | None = None,
    flag_values: FlagValues = FLAGS,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that is an integer, perhaps between bounds."""
    return DEFINE(
        IntegerParser(lower_bound, upper_bound), name, default, help, flag_values, ArgumentSerializer(), **args
    )


def DEFINE_enum(
    name: str,
    default: Any,
    enum_values: Any,
    help: str | None = None,
    flag_values: FlagValues = FLAGS,
    module_name: str | None = None,
    required: bool = False,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that is one of some texts."""
    return DEFINE_flag(EnumFlag(name, default, help, enum_values, **args), flag_values, module_name, required)


def DEFINE_enum_class(
    name: str,
    default: Any,
    enum_class: Any,
    help: str | None = None,
    flag_values: FlagValues = FLAGS,
    module_name: str | None = None,
    required: bool = False,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that is a member of an enum class."""
    return DEFINE_flag(EnumClassFlag(name, default, help, enum_class, **args), flag_values, module_name, required)


def DEFINE_list(
    name: str, default: Any, help: str | None = None, flag_values: FlagValues = FLAGS, **args: Any
) -> FlagHolder[Any]:
    """Defines a flag that is a list of texts, with commas between them."""
    return DEFINE(ListParser(), name, default, help, flag_values, CsvListSerializer(","), **args)


def DEFINE_spaceseplist(
    name: str,
    default: Any,
    help: str | None = None,
    comma_compat: bool = False,
    flag_values: FlagValues = FLAGS,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that is a list of texts, with spaces between them."""
    parser = WhitespaceSeparatedListParser(comma_compat)
    return DEFINE(parser, name, default, help, flag_values, ListSerializer(" "), **args)


def DEFINE_multi(
    parser: Any,
    serializer: Any,
    name: str,
    default: Any,
    help: str | None = None,
    flag_values: FlagValues = FLAGS,
    module_name: str | None = None,
    required: bool = False,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that may be given several times; its value is the list of what a parser makes of them."""
    return DEFINE_flag(MultiFlag(parser, serializer, name, default, help, **args), flag_values, module_name, required)


def DEFINE_multi_string(
    name: str, default: Any, help: str | None = None, flag_values: FlagValues = FLAGS, **args: Any
) -> FlagHolder[Any]:
    """Defines a flag that is a text each time that it is given."""
    return DEFINE_multi(ArgumentParser(), ArgumentSerializer(), name, default, help, flag_values, **args)


def DEFINE_multi_integer(
    name: str,
    default: Any,
    help: str | None = None,
    lower_bound: int | None = None,
    upper_bound: int | None = None,
    flag_values: FlagValues = FLAGS,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that is an integer each time that it is given."""
    parser = IntegerParser(lower_bound, upper_bound)
    return DEFINE_multi(parser, ArgumentSerializer(), name, default, help, flag_values, **args)


def DEFINE_multi_float(
    name: str,
    default: Any,
    help: str | None = None,
    lower_bound: float | None = None,
    upper_bound: float | None = None,
    flag_values: FlagValues = FLAGS,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that is a float each time that it is given."""
    parser = FloatParser(lower_bound, upper_bound)
    return DEFINE_multi(parser, ArgumentSerializer(), name, default, help, flag_values, **args)


def DEFINE_multi_enum(
    name: str,
    default: Any,
    enum_values: Any,
    help: str | None = None,
    flag_values: FlagValues = FLAGS,
    case_sensitive: bool = True,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that is one of some texts each time that it is given."""
    parser = EnumParser(enum_values, case_sensitive)
    return DEFINE_multi(parser, ArgumentSerializer(), name, default, help, flag_values, **args)


def DEFINE_multi_enum_class(
    name: str,
    default: Any,
    enum_class: Any,
    help: str | None = None,
    flag_values: FlagValues = FLAGS,
    module_name: str | None = None,
    required: bool = False,
    **args: Any,
) -> FlagHolder[Any]:
    """Defines a flag that is a member of an enum class each time that it is given."""
    flag = MultiEnumClassFlag(name, default, help, enum_class, **args)
    return DEFINE_flag(flag, flag_values, module_name, required)


def DEFINE_alias(
    name: str, original_name: str, flag_values: FlagValues = FLAGS, module_name: str | None = None
) -> FlagHolder[Any]:
    """Gives a flag another name."""
    if original_name not in flag_values:
        from tfbench.flags.exceptions import UnrecognizedFlagError

        raise UnrecognizedFlagError(original_name)
    flag = flag_values[original_name]
    flag_values._flags[name] = flag
    return FlagHolder(flag_values, flag)
