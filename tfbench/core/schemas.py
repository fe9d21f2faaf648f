"""A module for each of TensorFlow's schema files: `graph.proto` is `graph_pb2`, with the file's messages and enums.

The classes are those of `formats.protos`, made when they are first asked for; so importing such a module does not
import protobuf.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from tfbench.formats import protos
from tfbench.namespace import Namespace, unknown

#: what lies in a file of its own since, and was part of these files in TensorFlow 1
_MOVED = {"framework.summary_pb2": ("HistogramProto",), "protobuf.config_pb2": ("RPCOptions",)}


class Schema(Namespace):
    """The messages, enums and enums' values of one schema file."""

    def __init__(self, name: str, messages: Iterable[str], enums: Iterable[str]) -> None:
        super().__init__(name, f"The messages of `{name.replace('tfbench', 'tensorflow', 1)}`.")
        self.__dict__.update(_messages=tuple(messages), _enums=tuple(enums))

    def __dir__(self) -> list[str]:
        values = [value for enum in self._enums for value in getattr(protos, enum).keys()]  # noqa: SIM118
        return sorted([*self._messages, *self._enums, *values])

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            if name in self._messages or name in self._enums:
                return getattr(protos, name)
            for enum in self._enums:
                wrapper = getattr(protos, enum)
                if name in wrapper.keys():  # noqa: SIM118
                    return wrapper.Value(name)
        raise unknown(self.__name__, name, () if name.startswith("_") else dir(self)) from None


def install(package: str) -> dict[str, Schema]:
    """The modules of one of the packages, known to the import system from now on."""
    made = {}
    for path, (messages, enums) in protos.files().items():
        folder, _, file = path.removeprefix("tensorflow/core/").rpartition("/")
        if folder == package:
            module = file.removesuffix(".proto") + "_pb2"
            full = f"tfbench.core.{package}.{module}"
            found = Schema(full, [*messages, *_MOVED.get(f"{package}.{module}", ())], enums)
            made[module] = sys.modules[full] = found
    return made
