"""What ops that read messages ask of protobuf: TensorProtos in strings, Examples in JSON."""

from __future__ import annotations

from typing import Any

from tfbench.formats import protos


def tensor_proto(data: bytes) -> Any:
    """The TensorProto in a string.

    Raises:
      ValueError: if there is none.
    """
    from google.protobuf.message import DecodeError

    try:
        message = protos.TensorProto.FromString(data)
    except DecodeError as error:
        raise ValueError(str(error)) from None
    if not message.dtype:
        raise ValueError("The message has no type.")
    return message


def example_from_json(text: bytes) -> bytes:
    """An Example written as JSON, serialised.

    Raises:
      ValueError: if it is none.
    """
    from google.protobuf import json_format

    try:
        message = json_format.Parse(text, protos.Example())
    except (json_format.ParseError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from None
    data: bytes = message.SerializeToString(deterministic=True)
    return data
