"""TensorFlow's protocol messages as real protobuf classes: `protos.GraphDef`, `protos.DataType`.

The schema is text, in the tables of `proto_graph`, `proto_config`, `proto_stats` and `proto_train`, one
entry for each of TensorFlow's schema files:

    message NodeDef
      name: string = 1; input: repeated string = 3; attr: map<string, AttrValue> = 5
      oneof kind
        ...
      message Nested
        ...
    enum DataType
      DT_INVALID = 0; DT_FLOAT = 1

Indentation nests, `;` separates fields, a field is `name: type = number`. The syntax is proto3, the package
`tensorflow` unless a line `package x` says otherwise. A file's imports are not written down: they follow from
the types it names.

A class is made when it is first asked for, with the files it needs, in a descriptor pool of our own; so a
process that has TensorFlow loaded as well keeps both. Importing this module does not import protobuf. Left
out are messages of TensorFlow 2 alone (SavedObjectGraph, GraphDebugInfo); their bytes survive as unknown
fields.
"""

from __future__ import annotations

import re
import threading
from typing import Any

from tfbench.formats import proto_config, proto_graph, proto_stats, proto_train

_FILES = {**proto_graph.FILES, **proto_config.FILES, **proto_stats.FILES, **proto_train.FILES}

# Google's own schema files, which protobuf brings along.
_GOOGLE = {
    "google.protobuf.Any": "google/protobuf/any.proto",
    "google.protobuf.BoolValue": "google/protobuf/wrappers.proto",
}

_DECLARATION = re.compile(r"^( *)(message|enum|oneof) (\w+)$")
_FIELD = re.compile(r"^(\w+): (repeated )?(?:map<(\w+), ([\w.]+)>|([\w.]+)) = (\d+)$")
# Numbers of protobuf's FieldDescriptorProto.Type.
_SCALARS = {
    "double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed64": 6, "fixed32": 7, "bool": 8,
    "string": 9, "bytes": 12, "uint32": 13, "sfixed32": 15, "sfixed64": 16, "sint32": 17, "sint64": 18,
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """The class of a message, or the wrapper of an enum, made now and kept."""
    with _making:
        if name.startswith("_") or name not in _homes():
            raise AttributeError(f"module {__name__!r} has no message or enum {name!r}")
        made = globals().get(name)
        if made is None:
            made = globals()[name] = _make(name)
        return made


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in _homes() if "." not in name)})


def message_names() -> list[str]:
    """The names of all top-level messages and enums."""
    return sorted(name for name in _homes() if "." not in name)


def files() -> dict[str, tuple[list[str], list[str]]]:
    """TensorFlow's schema files, and the names of the messages and of the enums that each declares."""
    return {
        path: (re.findall(r"^message (\w+)$", text, re.MULTILINE), re.findall(r"^enum (\w+)$", text, re.MULTILINE))
        for path, text in _FILES.items()
    }


_known_homes: dict[str, str] = {}
_pool: Any = None
#: several threads may ask for their first message at once: errors of runs hold one
_making = threading.RLock()
_loaded: set[str] = set()


def _homes() -> dict[str, str]:
    """Which file declares a top-level name."""
    if not _known_homes:
        _known_homes.update(_GOOGLE)
        for path, text in _FILES.items():
            package = re.search(r"^package tensorflow\.(.*)$", text, re.MULTILINE)
            prefix = package[1] + "." if package else ""
            for name in re.findall(r"^(?:message|enum) (\w+)$", text, re.MULTILINE):
                _known_homes[prefix + name] = path
    return _known_homes


def _make(name: str) -> Any:
    global _pool
    from google.protobuf import descriptor_pool, message_factory

    if _pool is None:
        _pool = descriptor_pool.DescriptorPool()
    path = _homes()[name]
    _load(path)
    full_name = "tensorflow." + name
    if re.search(rf"^enum {name}$", _FILES[path], re.MULTILINE):
        from google.protobuf.internal import enum_type_wrapper

        return enum_type_wrapper.EnumTypeWrapper(_pool.FindEnumTypeByName(full_name))
    made = message_factory.GetMessageClass(_pool.FindMessageTypeByName(full_name))
    _adopt(made)
    return made


def _adopt(message: Any) -> None:
    """Makes a class and those nested in it known as this module's, and fit to be pickled.

    protobuf's own pickling looks nested classes up in the process's default pool, where ours are not.
    """
    import copyreg

    from google.protobuf import message_factory

    message.__module__ = __name__
    copyreg.pickle(message, _reduce)
    for nested in message.DESCRIPTOR.nested_types:
        if not nested.GetOptions().map_entry:
            if not hasattr(message, nested.name):  # protobuf's implementation in pure Python
                setattr(message, nested.name, message_factory.GetMessageClass(nested))
            _adopt(getattr(message, nested.name))


def _reduce(message: Any) -> tuple[Any, ...]:
    path = message.DESCRIPTOR.full_name.removeprefix("tensorflow.")
    return _rebuild, (path, message.SerializePartialToString())


def _rebuild(path: str, data: bytes) -> Any:
    first, *rest = path.split(".")
    message = globals().get(first) or __getattr__(first)
    for name in rest:
        message = getattr(message, name)
    return message.FromString(data)


def _load(path: str) -> None:
    """Adds a file, after the files it needs, to the pool."""
    if path in _loaded:
        return
    _loaded.add(path)
    if path not in _FILES:
        from importlib import import_module

        module = import_module(path.removesuffix(".proto").replace("/", ".") + "_pb2")
        _pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
        return
    file = _parse(path)
    for needed in file.dependency:
        _load(needed)
    _pool.AddSerializedFile(file.SerializeToString())


def _parse(path: str) -> Any:
    """The FileDescriptorProto of one entry of the tables."""
    from google.protobuf import descriptor_pb2

    file = descriptor_pb2.FileDescriptorProto(name=path, package="tensorflow", syntax="proto3")
    own: set[str] = set()
    used: set[str] = set()
    # What is open at each indentation: (kind, descriptor, index of the oneof). The fields of a oneof are its
    # message's.
    blocks: list[tuple[str, Any, int | None]] = [("file", file, None)]
    for line in _FILES[path].splitlines():
        declaration = _DECLARATION.match(line)
        depth = (len(line) - len(line.lstrip(" "))) // 2
        del blocks[depth + 1 :]
        kind, owner, oneof = blocks[-1]
        if declaration:
            kind, name = declaration[2], declaration[3]
            if kind == "oneof":
                blocks.append(("message", owner, len(owner.oneof_decl)))
                owner.oneof_decl.add(name=name)
                continue
            own.add(name)
            if kind == "enum":
                siblings = owner.enum_type
            else:
                siblings = owner.message_type if owner is file else owner.nested_type
            blocks.append((kind, siblings.add(name=name), None))
        elif line.startswith("package "):
            file.package = line.removeprefix("package ")
        elif kind == "enum":
            for item in line.split(";"):
                name, number = item.split("=")
                owner.value.add(name=name.strip(), number=int(number))
        else:
            for item in line.split(";"):
                used.update(_add_field(owner, item.strip(), oneof))
    needed = {_homes()[name] for name in used - own}
    file.dependency.extend(sorted(needed - {path}))
    return file


def _add_field(owner: Any, text: str, oneof: int | None) -> list[str]:
    """Adds the field that `text` describes to a message; gives the top-level types it needs."""
    match = _FIELD.match(text)
    if match is None:
        raise ValueError(f"Field {text!r} of message {owner.name} is not 'name: type = number'.")
    name, repeated, key, value, plain, number = match.groups()
    field = owner.field.add(name=name, number=int(number), label=3 if repeated or key else 1)
    if oneof is not None:
        field.oneof_index = oneof
    if key is None:
        return _set_type(field, plain)
    # A map is written as a repeated message of key and value.
    entry = owner.nested_type.add(name="".join([word.capitalize() for word in name.split("_")]) + "Entry")
    entry.options.map_entry = True
    field.type_name = entry.name
    key_field = entry.field.add(name="key", number=1, label=1)
    value_field = entry.field.add(name="value", number=2, label=1)
    return _set_type(key_field, key) + _set_type(value_field, value)


def _set_type(field: Any, name: str) -> list[str]:
    if name in _SCALARS:
        field.type = _SCALARS[name]
        return []
    field.type_name = name  # protobuf finds out whether it is a message or an enum, and in which scope
    return [name if name in _GOOGLE or name in _homes() else name.split(".")[0]]
