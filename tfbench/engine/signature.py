"""The spelling of an op's inputs, outputs and attributes, parsed.

It is TensorFlow's op registry's: an argument is `name: type`, where type is a dtype, a type attribute, `N * T` or
`Ref(T)`; an attribute is `name: kind`, with what it must be at least, and its default: `N: int >= 1 = 2`.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.shapes import TensorShape

#: Names of TensorFlow's protocol for types, where they differ from the dtype's own name.
_TYPE_NAMES = {"float": "float32", "double": "float64", "half": "float16"}

#: Groups of types that op signatures use again and again.
_TYPE_GROUPS = {
    "numbertype": "float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,"
    "quint16,uint16,complex128,half,uint32,uint64",
    "realnumbertype": "float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64",
    "floattype": "bfloat16,half,float,double",
    "complextype": "complex64,complex128",
    "integertype": "int8,uint8,int16,uint16,int32,uint32,int64,uint64",
    "indextype": "int32,int64",
}

_ATTR = re.compile(r"\s*(\w+)\s*:\s*(.*?)\s*$", re.S)
_BOUND = re.compile(r">=\s*(-?\d+)\s*$")


class ArgDef:
    """One input or output: fixed type or type attribute, possibly a list of N, possibly a reference."""

    __slots__ = ("dtype", "is_ref", "name", "number_attr", "type_attr", "type_list_attr")

    def __init__(self, text: str, attrs: dict[str, AttrDef]) -> None:
        name, _, spec = text.partition(":")
        self.name = name.strip()
        spec = spec.strip()
        self.number_attr: str | None = None
        if "*" in spec:
            number, _, spec = spec.partition("*")
            self.number_attr = number.strip()
            spec = spec.strip()
        self.is_ref = spec.startswith("Ref(")
        if self.is_ref:
            spec = spec[4:-1].strip()
        self.type_attr: str | None = None
        self.type_list_attr: str | None = None
        self.dtype: DType | None = None
        if spec in attrs:
            if attrs[spec].kind == "list(type)":
                self.type_list_attr = spec
            else:
                self.type_attr = spec
        else:
            self.dtype = _type_from(spec)

    @property
    def is_list(self) -> bool:
        return self.number_attr is not None or self.type_list_attr is not None


class AttrDef:
    """One attribute: its kind (`type`, `int`, `list(int)`, …), default, and allowed values."""

    __slots__ = ("allowed", "default", "has_default", "kind", "minimum", "name")

    def __init__(self, name: str, spec: str) -> None:
        self.name = name
        self.default: Any = None
        self.has_default = False
        self.allowed: tuple[Any, ...] | None = None
        self.minimum: int | None = None
        spec, equals, default = _split_default(spec)
        bound = _BOUND.search(spec)
        if bound:
            self.minimum = int(bound.group(1))
            spec = spec[: bound.start()].strip()
        inner = spec[5:-1].strip() if spec.startswith("list(") else spec
        element = inner
        if inner.startswith("{"):
            items = [item.strip() for item in inner[1:-1].split(",")]
            if items[0][:1] in "'\"":
                element = "string"
                self.allowed = tuple(item[1:-1] for item in items)
            else:
                element = "type"
                self.allowed = tuple(_type_from(item) for item in items)
        elif inner in _TYPE_GROUPS:
            element = "type"
            self.allowed = tuple(_type_from(item) for item in _TYPE_GROUPS[inner].split(","))
        self.kind = f"list({element})" if spec.startswith("list(") else element
        if equals:
            self.has_default = True
            self.default = _default_value(default, self.kind)


def _split_default(spec: str) -> tuple[str, bool, str]:
    """Splits 'int >= 1 = 3' at the equals sign that introduces the default."""
    match = re.search(r"(?<![<>=])=(?!=)", spec)
    if match is None:
        return spec.strip(), False, ""
    return spec[: match.start()].strip(), True, spec[match.end() :].strip()


def _type_from(name: str) -> DType:
    name = name.strip()
    if name.startswith("DT_"):
        name = name[3:].lower()
    return as_dtype(_TYPE_NAMES.get(name, name))


def _default_value(text: str, kind: str) -> Any:
    if kind.startswith("list("):
        body = text.strip()[1:-1].strip()
        return [_default_value(item.strip(), kind[5:-1]) for item in body.split(",")] if body else []
    if kind == "type":
        return _type_from(text)
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(text)
    if kind == "bool":
        return text.lower() == "true"
    if kind == "string":
        return text[1:-1]
    if kind == "shape":
        if "unknown_rank" in text:
            return TensorShape(None)
        return TensorShape([int(size) for size in re.findall(r"-?\d+", text)])
    if kind == "tensor":  # `uint8 [255, 0]`
        dtype, _, values = text.partition("[")
        array: Any = np.array([int(value) for value in values.rstrip("] ").split(",")], dtype.strip())
        array.flags.writeable = False
        return array
    raise ValueError(f"No default of kind {kind!r} can be written in an op's declaration: {text!r}")


def parse(inputs: str, outputs: str, attrs: str) -> tuple[tuple[ArgDef, ...], tuple[ArgDef, ...], dict[str, AttrDef]]:
    """The inputs, outputs and attributes that the three parts of a declaration spell."""
    known: dict[str, AttrDef] = {}
    for text in attrs.split(";"):
        match = _ATTR.match(text)
        if match:
            known[match.group(1)] = AttrDef(match.group(1), match.group(2))
    for side in (inputs, outputs):
        # A type or number that the signature uses without declaring it takes any value.
        for first, second in re.findall(r":\s*(?:Ref\()?\s*(\w+)(?:\s*\*\s*(\w+))?", side):
            number, typed = (first, second) if second else ("", first)
            if number and number not in known:
                known[number] = AttrDef(number, "int >= 1")
            if typed.startswith("T") and typed not in known:
                known[typed] = AttrDef(typed, "type")
    return (
        tuple(ArgDef(text, known) for text in _split_args(inputs)),
        tuple(ArgDef(text, known) for text in _split_args(outputs)),
        known,
    )


def _split_args(spec: str) -> list[str]:
    return [part for part in (piece.strip() for piece in spec.split(",")) if part]
