"""One flag: its name, help, value, default, and how text becomes its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from tfbench.flags.exceptions import Error, IllegalFlagValueError
from tfbench.flags.parsers import (
    ArgumentSerializer,
    BooleanParser,
    EnumClassParser,
    EnumClassSerializer,
    EnumParser,
)

T = TypeVar("T")


class Flag:
    """A flag. `value` is what FLAGS gives, `present` how often the command line gave it.

    Raises:
      Error: for a name that cannot be one.
      IllegalFlagValueError: if the default is no value that it may have.
    """

    boolean = False

    def __init__(
        self,
        parser: Any,
        serializer: Any,
        name: str,
        default: Any,
        help_string: str | None,
        short_name: str | None = None,
        boolean: bool = False,
        allow_override: bool = False,
        allow_override_cpp: bool = False,
        allow_hide_cpp: bool = False,
        allow_overwrite: bool = True,
        allow_using_method_names: bool = False,
    ) -> None:
        if not name:
            raise Error("Flag name cannot be empty")
        if " " in name:
            raise Error("Flag name cannot contain a space")
        self.name = name
        self.help = help_string or "(no help available)"
        self.short_name = short_name
        self.boolean = boolean
        self.allow_override = allow_override
        self.allow_overwrite = allow_overwrite
        self.parser = parser
        self.serializer = serializer
        self.validators: list[Any] = []
        self.present = 0
        #: where it was defined: module, file, line
        self.place: tuple[str, str, int] = ("", "", 0)
        self._set_default(default)

    # -- the value ----------------------------------------------------------------------------------------------------

    @property
    def value(self) -> Any:
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        self._value = value
        self.using_default_value = False

    def _set_default(self, value: Any) -> None:
        self.default_unparsed = value
        self.default = None if value is None else self._parse(value)
        self.default_as_str = self._as_text(self.default)
        self.unparse()

    def unparse(self) -> None:
        """Back to the default."""
        self._value = self.default
        self.using_default_value = True
        self.present = 0

    def parse(self, argument: Any) -> None:
        """Takes the value that the command line gives.

        Raises:
          IllegalFlagValueError: if it must not have it.
        """
        self.value = self._parse(argument)
        self.present += 1

    def _parse(self, argument: Any) -> Any:
        try:
            return self.parser.parse(argument)
        except (TypeError, ValueError) as error:
            raise IllegalFlagValueError(f"flag --{self.name}={argument}: {error}") from None

    # -- as text ------------------------------------------------------------------------------------------------------

    def _as_text(self, value: Any) -> str | None:
        if value is None:
            return None
        if self.boolean:
            return repr("true" if value else "false")
        return repr(self.serializer.serialize(value) if self.serializer else str(value))

    def serialize(self) -> str:
        """The flag as a command line gives it; '' if it has no value."""
        if self.value is None:
            return ""
        if self.boolean:
            return f"--{self.name}" if self.value else f"--no{self.name}"
        return f"--{self.name}={self.serializer.serialize(self.value) if self.serializer else self.value}"

    def flag_type(self) -> str:
        """The kind of its values, in words."""
        return str(self.parser.flag_type())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} --{self.name}: {self.value!r}>"


class BooleanFlag(Flag):
    """A flag that is given without a value: --name or --noname."""

    def __init__(
        self, name: str, default: Any, help: str | None, short_name: str | None = None, **args: Any
    ) -> None:  # fmt: skip
        super().__init__(BooleanParser(), ArgumentSerializer(), name, default, help, short_name, True, **args)


class EnumFlag(Flag):
    """A flag that is one of some texts."""

    def __init__(
        self,
        name: str,
        default: Any,
        help: str | None,
        enum_values: Sequence[str],
        short_name: str | None = None,
        case_sensitive: bool = True,
        **args: Any,
    ) -> None:
        parser = EnumParser(enum_values, case_sensitive)
        super().__init__(parser, ArgumentSerializer(), name, default, help, short_name, **args)
        self.help = f"<{'|'.join(enum_values)}>: {self.help}"


class EnumClassFlag(Flag):
    """A flag that is a member of an enum class."""

    def __init__(
        self,
        name: str,
        default: Any,
        help: str | None,
        enum_class: Any,
        short_name: str | None = None,
        case_sensitive: bool = False,
        **args: Any,
    ) -> None:
        parser = EnumClassParser(enum_class, case_sensitive)
        super().__init__(parser, EnumClassSerializer(), name, default, help, short_name, **args)
        self.help = f"<{'|'.join(member.name for member in enum_class)}>: {self.help}"


class MultiFlag(Flag):
    """A flag that may be given several times; its value is the list."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.help += "; repeat this option to specify a list of values"

    def parse(self, argument: Any) -> None:
        """Adds what the command line gives; what it gives first takes the default's place."""
        found = self._parse(argument)
        if self.present:
            self.value = [*self.value, *found]
        else:
            self.value = found
        self.present += len(found)

    def _parse(self, argument: Any) -> list[Any]:
        items = [argument] if isinstance(argument, str) or not hasattr(argument, "__iter__") else list(argument)
        return [super(MultiFlag, self)._parse(item) for item in items]

    def serialize(self) -> str:
        if not self.value:
            return ""
        texts = [self.serializer.serialize(item) if self.serializer else str(item) for item in self.value]
        return "\n".join([f"--{self.name}={text}" for text in texts])

    def _as_text(self, value: Any) -> str | None:
        return None if value is None else repr(",".join([str(item) for item in value]))

    def flag_type(self) -> str:
        return f"multi {self.parser.flag_type()}"


class MultiEnumClassFlag(MultiFlag):
    """Members of an enum class, one each time that the flag is given."""

    def __init__(
        self, name: str, default: Any, help: str | None, enum_class: Any, case_sensitive: bool = False, **args: Any
    ) -> None:
        parser = EnumClassParser(enum_class, case_sensitive)
        super().__init__(parser, EnumClassSerializer(), name, default, help, **args)


class FlagHolder(Generic[T]):
    """What defining a flag gives: the flag by itself, `holder.value`, whatever else is called like it."""

    def __init__(self, flag_values: Any, flag: Flag) -> None:
        self._flag_values = flag_values
        self._name = flag.name

    @property
    def name(self) -> str:
        return self._name

    @property
    def value(self) -> T:
        return getattr(self._flag_values, self._name)

    @property
    def default(self) -> T:
        return self._flag_values[self._name].default

    @property
    def present(self) -> bool:
        return bool(self._flag_values[self._name].present)

    def __bool__(self) -> bool:
        raise TypeError(f"bool() of the holder of flag --{self._name} says nothing: use its .value")

    def __repr__(self) -> str:
        return f"<FlagHolder --{self._name}>"
