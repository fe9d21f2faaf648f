"""`tf.data.Options`: how a pipeline is to be run.

Here elements are computed one after the other whatever they say; they are kept, merged and written into the graph as
TensorFlow writes them.
"""

from __future__ import annotations

import enum
from typing import Any


class AutoShardPolicy(enum.IntEnum):
    """How a data set is divided among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What is done about state outside of a data set when it is serialised."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How tuning goes about it."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Options:
    """Named settings, each None until it is set. `_FIELDS`: name -> (number in the message, type)."""

    _FIELDS: dict[str, tuple[int, type]] = {}  # noqa: RUF012 - a table

    def __init__(self) -> None:
        values = {name: kind() if issubclass(kind, _Options) else None for name, (_, kind) in self._FIELDS.items()}
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._FIELDS:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        kind = self._FIELDS[name][1]
        if value is not None and not isinstance(value, kind):
            raise TypeError(f'Property "{name}" must be of type {kind}, got: {value!r} (type: {type(value)})')
        self._values[name] = value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._FIELDS})

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self._message())

    def _message(self) -> bytes:
        """The settings as a message."""
        out = b""
        for name, (number, _) in sorted(self._FIELDS.items(), key=lambda item: item[1][0]):
            value = self._values[name]
            if isinstance(value, _Options):
                inner = value._message()
                out += bytes([number << 3 | 2, len(inner)]) + inner
            elif value is not None:
                out += _field(number, value)
        return out

    def _merged(self, other: Any) -> Any:
        """These settings with those of `other` that are set."""
        result = type(self)()
        for name, (_, kind) in self._FIELDS.items():
            mine, theirs = self._values[name], other._values[name]
            if issubclass(kind, _Options):
                result._values[name] = mine._merged(theirs)
            else:
                result._values[name] = mine if theirs is None else theirs
        return result


def _field(number: int, value: Any) -> bytes:
    if isinstance(value, str):
        data = value.encode()
        return bytes([number << 3 | 2]) + _varint(len(data)) + data
    if isinstance(value, enum.Enum):
        value = value.value
    return bytes([number << 3]) + _varint(int(value))


def _varint(value: int) -> bytes:
    value &= 2**64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


class AutotuneOptions(_Options):
    """What is tuned while a pipeline runs."""

    _FIELDS = {  # noqa: RUF012 - a table
        "enabled": (1, bool),
        "cpu_budget": (2, int),
        "ram_budget": (3, int),
        "autotune_algorithm": (4, AutotuneAlgorithm),
        "initial_parallelism": (5, int),
        "min_parallelism": (6, int),
    }


class DistributeOptions(_Options):
    """How a data set is divided among workers."""

    _FIELDS = {"auto_shard_policy": (1, AutoShardPolicy), "num_devices": (2, int)}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self._values["auto_shard_policy"] = AutoShardPolicy.AUTO

    def _message(self) -> bytes:
        out = super()._message()
        # The message has no presence for this field: what is zero is left out.
        return out.removeprefix(b"\x08\x00")


class OptimizationOptions(_Options):
    """Which rewrites of a pipeline are allowed."""

    _FIELDS = {  # noqa: RUF012
        "apply_default_optimizations": (1, bool),
        "filter_fusion": (6, bool),
        "map_and_batch_fusion": (9, bool),
        "map_and_filter_fusion": (10, bool),
        "map_fusion": (11, bool),
        "map_parallelization": (12, bool),
        "noop_elimination": (14, bool),
        "parallel_batch": (15, bool),
        "shuffle_and_repeat_fusion": (17, bool),
        "filter_parallelization": (18, bool),
        "inject_prefetch": (19, bool),
        "seq_interleave_prefetch": (21, bool),
    }

    def _message(self) -> bytes:
        out = b""
        for name, (number, _) in sorted(self._FIELDS.items(), key=lambda item: item[1][0]):
            if self._values[name] is not None:
                out += _varint(number << 3) + _varint(int(self._values[name]))
        return out


class ServiceOptions(_Options):
    """Of the data service."""

    _FIELDS = {"pinned": (1, bool)}  # noqa: RUF012


class ThreadingOptions(_Options):
    """How many threads a pipeline uses."""

    _FIELDS = {"max_intra_op_parallelism": (1, int), "private_threadpool_size": (2, int)}  # noqa: RUF012


#: other names of settings
_ALIASES = {"experimental_deterministic": "deterministic", "experimental_threading": "threading"}


class Options(_Options):
    """How a pipeline is to be run; given to `Dataset.with_options`."""

    _FIELDS = {  # noqa: RUF012
        "deterministic": (1, bool),
        "experimental_distribute": (2, DistributeOptions),
        "experimental_optimization": (3, OptimizationOptions),
        "experimental_slack": (4, bool),
        "threading": (5, ThreadingOptions),
        "experimental_external_state_policy": (6, ExternalStatePolicy),
        "autotune": (7, AutotuneOptions),
        "experimental_symbolic_checkpoint": (8, bool),
        "experimental_warm_start": (9, bool),
        "dataset_name": (10, str),
        "experimental_service": (12, ServiceOptions),
    }

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(_ALIASES.get(name, name))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(_ALIASES.get(name, name), value)

    def merge(self, options: Options) -> Options:
        """These options with those of `options` that are set."""
        if not isinstance(options, Options):
            raise TypeError(f"Options can be merged with Options only, not {options!r}.")
        merged: Options = self._merged(options)
        return merged
