"""Arguments of layers in the forms that users give them."""

from __future__ import annotations

from typing import Any


def sizes(value: Any, count: int, name: str) -> tuple[int, ...]:
    """`count` integers from one, or from as many.

    Raises:
      ValueError: for anything else.
    """
    if isinstance(value, int):
        return (value,) * count
    message = f"The `{name}` argument must be a tuple of {count} integers. Received: {value}"
    try:
        given = tuple(value)
    except TypeError:
        raise ValueError(message) from None
    if len(given) != count:
        raise ValueError(message)
    for size in given:
        try:
            int(size)
        except (ValueError, TypeError):
            raise ValueError(
                f"{message} including element {size!r} of type {type(size).__name__}, which is no integer"
            ) from None
    return tuple(int(size) for size in given)


def data_format(value: Any) -> str:
    """'channels_first' or 'channels_last', whatever the case of its letters.

    Raises:
      ValueError: for anything else.
    """
    given = value.lower() if isinstance(value, str) else value
    if given not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". Received: ' + str(value)
        )
    return str(given)


def padding(value: Any, causal: bool = False) -> str:
    """'valid' or 'same' (or, where `causal`, 'causal').

    Raises:
      ValueError: for anything else.
    """
    given = value.lower() if isinstance(value, str) else value
    if given not in (("valid", "same", "causal") if causal else ("valid", "same")):
        raise ValueError(
            'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", only for `Conv1D). '
            f"Received: {value}"
        )
    return str(given)


def layout(format: str, rank: int) -> str:
    """The kernels' name for a data format: NWC, NHWC, NDHWC, or with the channels first."""
    space = {3: "W", 4: "HW", 5: "DHW"}[rank]
    return f"N{space}C" if format == "channels_last" else f"NC{space}"


def convolved_length(length: int | None, size: int, padding: str, stride: int, dilation: int = 1) -> int | None:
    """How long an axis is after a convolution or pooling."""
    if length is None:
        return None
    window = size + (size - 1) * (dilation - 1)
    left = length if padding in ("same", "causal") else length - window + 1
    return (left + stride - 1) // stride
