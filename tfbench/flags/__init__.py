"""`tf.flags` (`tf.app.flags`): a program's options, from the command line. What notebooks need is said in `values`."""

from __future__ import annotations

from typing import Any

from tfbench.flags.defines import (
    DEFINE,
    FLAGS,
    DEFINE_alias,
    DEFINE_bool,
    DEFINE_boolean,
    DEFINE_enum,
    DEFINE_enum_class,
    DEFINE_flag,
    DEFINE_float,
    DEFINE_integer,
    DEFINE_list,
    DEFINE_multi,
    DEFINE_multi_enum,
    DEFINE_multi_enum_class,
    DEFINE_multi_float,
    DEFINE_multi_integer,
    DEFINE_multi_string,
    DEFINE_spaceseplist,
    DEFINE_string,
    mark_flag_as_required,
)
from tfbench.flags.exceptions import (
    CantOpenFlagFileError,
    DuplicateFlagError,
    Error,
    FlagNameConflictsWithMethodError,
    IllegalFlagValueError,
    UnparsedFlagAccessError,
    UnrecognizedFlagError,
    ValidationError,
)
from tfbench.flags.flag import BooleanFlag, EnumClassFlag, EnumFlag, Flag, FlagHolder, MultiEnumClassFlag, MultiFlag
from tfbench.flags.parsers import (
    ArgumentParser,
    ArgumentSerializer,
    BooleanParser,
    CsvListSerializer,
    EnumClassParser,
    EnumClassSerializer,
    EnumParser,
    FloatParser,
    IntegerParser,
    ListParser,
    ListSerializer,
    WhitespaceSeparatedListParser,
)
from tfbench.flags.validators import (
    mark_bool_flags_as_mutual_exclusive,
    mark_flags_as_mutual_exclusive,
    mark_flags_as_required,
    multi_flags_validator,
    register_multi_flags_validator,
    register_validator,
    validator,
)
from tfbench.flags.values import FlagValues

__all__ = [
    "DEFINE", "FLAGS", "ArgumentParser", "ArgumentSerializer", "BooleanFlag", "BooleanParser",
    "CantOpenFlagFileError", "CsvListSerializer", "DEFINE_alias", "DEFINE_bool", "DEFINE_boolean",
    "DEFINE_enum", "DEFINE_enum_class", "DEFINE_flag", "DEFINE_float", "DEFINE_integer", "DEFINE_list",
    "DEFINE_multi", "DEFINE_multi_enum", "DEFINE_multi_enum_class", "DEFINE_multi_float",
    "DEFINE_multi_integer", "DEFINE_multi_string", "DEFINE_spaceseplist", "DEFINE_string",
    "DuplicateFlagError", "EnumClassFlag", "EnumClassParser", "EnumClassSerializer", "EnumFlag", "EnumParser",
    "Error", "Flag", "FlagHolder", "FlagNameConflictsWithMethodError", "FlagValues", "FloatParser",
    "IllegalFlagValueError", "IntegerParser", "ListParser", "ListSerializer", "MultiEnumClassFlag",
    "MultiFlag", "UnparsedFlagAccessError", "UnrecognizedFlagError", "ValidationError",
    "WhitespaceSeparatedListParser", "adopt_module_key_flags", "declare_key_flag", "disclaim_key_flags",
    "flag_dict_to_args", "mark_bool_flags_as_mutual_exclusive", "mark_flag_as_required",
    "mark_flags_as_mutual_exclusive", "mark_flags_as_required", "multi_flags_validator", "override_value",
    "register_multi_flags_validator", "register_validator", "set_default", "validator",
]  # fmt: skip


def set_default(flag_holder: Any, value: Any) -> None:
    """Gives a flag another default."""
    flag_holder._flag_values.set_default(flag_holder.name, value)


def override_value(flag_holder: Any, value: Any) -> None:
    """Gives a flag a value, whatever the command line says."""
    setattr(flag_holder._flag_values, flag_holder.name, value)


def flag_dict_to_args(flag_map: dict[str, Any], multi_flags: Any = None) -> Any:
    """Values by name as arguments of a command line, one after the other."""
    for name, value in flag_map.items():
        if value is None:
            yield f"--{name}"
        elif isinstance(value, bool):
            yield f"--{name}" if value else f"--no{name}"
        elif isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            yield f"--{name}={value}"
        elif multi_flags and name in multi_flags:
            for item in value:
                yield f"--{name}={item}"
        else:
            yield f"--{name}={','.join(str(item) for item in value)}"


def declare_key_flag(flag_name: str, flag_values: FlagValues = FLAGS) -> None:
    """Does nothing: help shows the flags of all modules."""


def adopt_module_key_flags(module: Any, flag_values: FlagValues = FLAGS) -> None:
    """Does nothing: help shows the flags of all modules."""


def disclaim_key_flags() -> None:
    """Does nothing: help shows the flags of all modules."""
