"""Device strings: `/job:ps/replica:0/task:1/device:GPU:0`, whole or in part.

A string is parsed once into five parts (job, replica, task, device type, index), any of them open, and
written back in that order, so `/gpu:0` becomes `/device:GPU:0`. A `tf.device` stack merges from the inside
out with `merge`: what the inner string leaves open, the outer one fills. Parsing, canonical form and merging
are cached by string, since a graph of 10,000 operations knows a handful of them.

A device function's answer is stored as it was given, so what a node asks for is read again when the graph is placed
(`requested`), by the rules of TensorFlow's runtime: it knows `/cpu:1`, but neither `/cpu` nor `/device:cpu:1`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

# job, replica, task, device type, device index
Parts = tuple[str | None, int | None, int | None, str | None, int | None]

# The types that may stand without "device:" before them, in any case.
_SHORT_TYPES = frozenset(("CPU", "GPU", "TPU", "CUSTOM"))


@lru_cache(maxsize=4096)
def parse(spec: str) -> Parts:
    """The five parts of a device string, None for those that it leaves out or gives as `*`.

    ValueError for a field that does not exist, a number that is none, or two device types.
    """
    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    index: int | None = None
    for field in spec.split("/"):
        if not field.strip(":"):
            continue
        words = field.split(":")
        count, key = len(words), words[0]
        if count == 2 and key == "job":
            job = words[1]
        elif count == 2 and key == "replica":
            replica = int(words[1])
        elif count == 2 and key == "task":
            task = int(words[1])
        elif (count == 3 and key == "device") or (count <= 2 and key.upper() in _SHORT_TYPES):
            if device_type is not None:
                raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}")
            device_type = _type_name(words[1]) if count == 3 else key.upper()
            index = None if count == 1 or words[-1] == "*" else int(words[-1])
        else:
            raise ValueError(
                f"Unknown attribute {key!r} is encountered while parsing the device spec: {spec!r}. "
                "Expected parts of '/job:NAME/replica:N/task:N/device:TYPE:N', or '/cpu:N', '/gpu:N'."
            )
    return job, replica, task, device_type, index


def unparse(parts: Parts) -> str:
    """The canonical string of five parts. An index without a type says nothing and is dropped."""
    job, replica, task, device_type, index = parts
    result = ""
    if job is not None:
        result = f"/job:{job}"
    if replica is not None:
        result += f"/replica:{replica}"
    if task is not None:
        result += f"/task:{task}"
    if device_type is not None:
        result += f"/device:{device_type}:{'*' if index is None else index}"
    return result


def canonical_name(device: str | DeviceSpec | None) -> str:
    """A device given as a string, a DeviceSpec or None in the one form that graphs store."""
    if device is None:
        return ""
    if isinstance(device, DeviceSpec):
        return device.to_string()
    if not isinstance(device, str):
        raise TypeError(f"A device is a string such as '/gpu:0', a tf.DeviceSpec or None, not {device!r}.")
    return _canonical(device)


@lru_cache(maxsize=4096)
def _canonical(spec: str) -> str:
    return unparse(parse(spec))


#: nothing asked for
ANY: Parts = (None, None, None, None, None)

_FIELD = re.compile(
    r"/job:(?P<job>\*|[A-Za-z0-9]\w*)|/replica:(?P<replica>\*|\d+)|/task:(?P<task>\*|\d+)"
    r"|/(?:device:(?P<type>\*|[A-Za-z]\w*)|(?P<short>cpu|CPU|gpu|GPU)(?=:))(?::(?P<index>\*|\d+))?"
)


@lru_cache(maxsize=4096)
def requested(device: str) -> Parts:
    """The five parts of a node's device string as TensorFlow's placer reads it, case and all.

    ValueError if it is malformed.
    """
    found: dict[str, str] = {}
    position = 0
    while position < len(device):
        field = _FIELD.match(device, position)
        if field is None:
            raise ValueError(f"Malformed device specification '{device}'")
        found.update({name: text for name, text in field.groupdict().items() if text is not None and text != "*"})
        if field["short"]:
            found["type"] = found.pop("short").upper()
        position = field.end()
    numbers = [int(found[name]) if name in found else None for name in ("replica", "task", "index")]
    return found.get("job"), numbers[0], numbers[1], found.get("type"), numbers[2]


def fits(wanted: Parts, device: Parts) -> bool:
    """Whether a device, given in full, is one that `wanted` leaves room for."""
    return all(part is None or part == has for part, has in zip(wanted, device))


@lru_cache(maxsize=4096)
def merge(inner: str, outer: str) -> str:
    """What inner says, completed by outer, in canonical form. ValueError if either cannot be parsed."""
    return unparse(merge_parts(parse(inner), parse(outer)))


def merge_parts(inner: Parts, outer: Parts) -> Parts:
    """What inner says, completed by outer."""
    return (
        outer[0] if inner[0] is None else inner[0],
        outer[1] if inner[1] is None else inner[1],
        outer[2] if inner[2] is None else inner[2],
        outer[3] if inner[3] is None else inner[3],
        outer[4] if inner[4] is None else inner[4],
    )


def _type_name(device_type: str) -> str:
    upper = device_type.upper()
    return upper if upper in ("CPU", "GPU") else device_type


class DeviceSpec:
    """A device, perhaps in part: job, replica, task, device type and index, None where left open."""

    __slots__ = ("_parts",)

    _parts: Parts

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._parts = (
            job,
            None if replica is None else int(replica),
            None if task is None else int(task),
            None if device_type is None else _type_name(device_type),
            None if device_index is None else int(device_index),
        )

    @classmethod
    def from_string(cls, spec: str | None) -> DeviceSpec:
        """The DeviceSpec of a device string; ValueError if it cannot be parsed."""
        return cls().parse_from_string(spec)

    def parse_from_string(self, spec: str | None) -> DeviceSpec:
        """Replaces every part by what the string says, and returns self."""
        if spec is not None and not isinstance(spec, str):
            raise TypeError(f"A device spec is a string such as '/job:ps/task:0/cpu:0', not {spec!r}.")
        self._parts = parse(spec or "")
        return self

    def to_string(self) -> str:
        """The canonical string, '' if every part is open."""
        return unparse(self._parts)

    def merge_from(self, dev: DeviceSpec) -> None:
        """Takes over, in place, every part that `dev` gives."""
        self._parts = merge_parts(_parts_of(dev), self._parts)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """A new DeviceSpec: the parts that `dev` gives, completed by this one's."""
        return type(self)(*merge_parts(_parts_of(dev), self._parts))

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """A new DeviceSpec with the named parts replaced; None opens a part."""
        return type(self)(**{**dict(zip(_FIELDS, self._parts)), **kwargs})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        return "<DeviceSpec(" + ", ".join(f"{name}={value}" for name, value in zip(_FIELDS, self._parts)) + ")>"

    @property
    def job(self) -> str | None:
        """The name of the job, e.g. 'ps'."""
        return self._parts[0]

    @job.setter
    def job(self, job: str | None) -> None:
        self._parts = self.replace(job=job)._parts

    @property
    def replica(self) -> int | None:
        """The number of the replica."""
        return self._parts[1]

    @replica.setter
    def replica(self, replica: int | None) -> None:
        self._parts = self.replace(replica=replica)._parts

    @property
    def task(self) -> int | None:
        """The number of the task."""
        return self._parts[2]

    @task.setter
    def task(self, task: int | None) -> None:
        self._parts = self.replace(task=task)._parts

    @property
    def device_type(self) -> str | None:
        """The type of the device, e.g. 'GPU'."""
        return self._parts[3]

    @device_type.setter
    def device_type(self, device_type: str | None) -> None:
        self._parts = self.replace(device_type=device_type)._parts

    @property
    def device_index(self) -> int | None:
        """The number of the device among those of its type."""
        return self._parts[4]

    @device_index.setter
    def device_index(self, device_index: int | None) -> None:
        self._parts = self.replace(device_index=device_index)._parts


def _parts_of(device: DeviceSpec) -> Parts:
    if not isinstance(device, DeviceSpec):
        raise TypeError(f"Expected a tf.DeviceSpec to merge, found {device!r}.")
    return device._parts


_FIELDS = ("job", "replica", "task", "device_type", "device_index")
