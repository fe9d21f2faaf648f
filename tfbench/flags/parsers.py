"""Text on a command line to a flag's value, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


class ArgumentParser:
    """Takes text as it is. Those of other types raise ValueError or TypeError for text that is none."""

    syntactic_help = ""

    def parse(self, argument: Any) -> Any:
        """The value of text; values that are of the type already are themselves."""
        if not isinstance(argument, str):
            raise TypeError(f"flag value must be a string, found {type(argument)}")
        return argument

    def flag_type(self) -> str:
        return "string"

    def convert(self, argument: Any) -> Any:
        return argument


class NumericParser(ArgumentParser):
    """A number between two bounds, either of which may be missing."""

    article, kind = "a", "number"

    def __init__(self, lower_bound: Any = None, upper_bound: Any = None) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        if lower_bound is not None and upper_bound is not None:
            self._bounds = f"in the range [{lower_bound}, {upper_bound}]"
        elif lower_bound is not None:
            self._bounds = f">= {lower_bound}"
        else:
            self._bounds = f"<= {upper_bound}"
        has_bounds = lower_bound is not None or upper_bound is not None
        self.syntactic_help = f"{self.article} {self.kind}" + (f" {self._bounds}" if has_bounds else "")

    def is_outside_bounds(self, value: Any) -> bool:
        below = self.lower_bound is not None and value < self.lower_bound
        return bool(below or (self.upper_bound is not None and value > self.upper_bound))

    def parse(self, argument: Any) -> Any:
        value = self.convert(argument)
        if self.is_outside_bounds(value):
            raise ValueError(f"{value} is not {self.syntactic_help}")
        return value


class FloatParser(NumericParser):
    """A float."""

    def convert(self, argument: Any) -> float:
        if isinstance(argument, (int, float, str)) and not isinstance(argument, bool):
            return float(argument)
        raise TypeError(f"Expect argument to be a string, int, or float, found {type(argument)}")

    def flag_type(self) -> str:
        return "float"


class IntegerParser(NumericParser):
    """An integer; text may be hexadecimal or octal (0x1f, 0o17)."""

    article, kind = "an", "integer"

    def convert(self, argument: Any) -> int:
        if isinstance(argument, int) and not isinstance(argument, bool):
            return argument
        if isinstance(argument, str):
            return int(argument, {"0x": 16, "0o": 8}.get(argument[:2], 10))
        raise TypeError(f"Expect argument to be a string or int, found {type(argument)}")

    def flag_type(self) -> str:
        return "int"


class BooleanParser(ArgumentParser):
    """true, t, 1 or false, f, 0, in either case."""

    def parse(self, argument: Any) -> bool:
        if isinstance(argument, str):
            if argument.lower() in ("true", "t", "1"):
                return True
            if argument.lower() in ("false", "f", "0"):
                return False
            raise ValueError("Non-boolean argument to boolean flag", argument)
        if isinstance(argument, (bool, int)) and argument in (0, 1):
            return bool(argument)
        raise TypeError("Non-boolean argument to boolean flag", argument)

    def flag_type(self) -> str:
        return "bool"


class EnumParser(ArgumentParser):
    """One of some texts."""

    def __init__(self, enum_values: Sequence[str], case_sensitive: bool = True) -> None:
        if not enum_values:
            raise ValueError(f'enum_values cannot be empty, found "{enum_values}"')
        self.enum_values = list(enum_values)
        self.case_sensitive = case_sensitive

    def parse(self, argument: Any) -> str:
        for value in self.enum_values:
            if argument == value or (not self.case_sensitive and str(argument).lower() == value.lower()):
                return value
        raise ValueError(f"value should be one of <{'|'.join(self.enum_values)}>")

    def flag_type(self) -> str:
        return "string enum"


class EnumClassParser(ArgumentParser):
    """A member of an enum class, by name."""

    def __init__(self, enum_class: Any, case_sensitive: bool = True) -> None:
        self.enum_class = enum_class
        self.case_sensitive = case_sensitive

    def parse(self, argument: Any) -> Any:
        if isinstance(argument, self.enum_class):
            return argument
        for member in self.enum_class:
            if argument == member.name or (not self.case_sensitive and str(argument).lower() == member.name.lower()):
                return member
        raise ValueError(f"value should be one of <{'|'.join(member.name for member in self.enum_class)}>")

    def flag_type(self) -> str:
        return "enum class"


class ListParser(ArgumentParser):
    """Texts with commas between them; one in quotes may hold commas."""

    syntactic_help = "a comma separated list"

    def parse(self, argument: Any) -> list[str]:
        if isinstance(argument, list):
            return argument
        if not argument:
            return []
        import csv

        try:
            return [item.strip() for item in next(csv.reader([argument], strict=True))]
        except csv.Error as error:
            raise ValueError(f"Unable to parse the value {argument!r} as a list: {error}") from None

    def flag_type(self) -> str:
        return "comma separated list of strings"


class WhitespaceSeparatedListParser(ArgumentParser):
    """Texts with spaces between them."""

    syntactic_help = "a whitespace separated list"

    def __init__(self, comma_compat: bool = False) -> None:
        self._commas = comma_compat

    def parse(self, argument: Any) -> list[str]:
        if isinstance(argument, list):
            return argument
        return (argument.replace(",", " ") if self._commas else argument).split() if argument else []

    def flag_type(self) -> str:
        return "whitespace separated list of strings"


class ArgumentSerializer:
    """A value as the text that gives it again."""

    def serialize(self, value: Any) -> str:
        return str(value)


class ListSerializer(ArgumentSerializer):
    """A list with something between its items."""

    def __init__(self, list_sep: str) -> None:
        self.list_sep = list_sep

    def serialize(self, value: Iterable[Any]) -> str:
        return self.list_sep.join([str(item) for item in value])


class CsvListSerializer(ListSerializer):
    """A list with commas; items that hold some are in quotes."""

    def serialize(self, value: Iterable[Any]) -> str:
        import csv
        import io

        out = io.StringIO()
        csv.writer(out, delimiter=self.list_sep).writerow([str(item) for item in value])
        return out.getvalue().rstrip("\r\n")


class EnumClassSerializer(ArgumentSerializer):
    """A member's name."""

    def serialize(self, value: Any) -> str:
        return str(value.name)
