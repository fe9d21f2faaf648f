"""Feature maps for the Filters view: what a layer makes of one image, as thumbnails in one bounded message.

The run that this takes is not the program's own: nobody is told of it, nothing is written, and it has a second or two.
An operation on the way that would change something (a queue, an update of a moving average) is a reason not to run;
random streams are put back where they were. What is fed is what the program fed last, or `panel.feed(...)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine import deadlines
from tfbench.engine.fetches import expand_feeds, feed_value
from tfbench.engine.ops.random_common import STREAMS
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.explain.follower import last_fed
from tfbench.explain.needs import needed_placeholders
from tfbench.snapshot import is_writer

Array = np.ndarray[Any, Any]

#: so many channels are sent, each so many pixels high and wide
CHANNELS, SIDE = 96, 48
#: seconds that the run may take
SECONDS = 2.0
#: bytes of fed values that are kept
MOST_FED = 64 << 20

#: ops with state that this may run: they look, or keep nothing
_LOOKS = VARIABLE_TYPES | {
    "Assert", "IsVariableInitialized", "ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VarIsInitializedOp",
}  # fmt: skip


class Fed:
    """What a run is fed: tensors and values, and in words where they come from."""

    def __init__(self, tensors: Iterable[Any], values: Iterable[Any], words: str) -> None:
        self.tensors = list(tensors)
        self.values = list(values)
        self.words = words


def given(graph: Any, feed_dict: Any) -> Fed | None:
    """A feed that a user gives. Errors as of `Session.run`."""
    if feed_dict is None:
        return None
    pairs = expand_feeds(graph, feed_dict)
    return Fed((tensor for tensor, _ in pairs), (feed_value(graph, *pair) for pair in pairs), "panel.feed")


def latest(session: Any) -> Fed | None:
    """What the program fed last, if that is kept."""
    found = last_fed(session)
    if found is None:
        return None
    tensors, values = found
    if sum(getattr(value, "nbytes", 0) for value in values) > MOST_FED:
        raise ValueError(
            f"The last feed has more than {MOST_FED >> 20} MB and is not run again by itself: panel.feed({{…}}) gives "
            "a smaller one."
        )
    return Fed(tensors, values, "the last run's feed")


def feature_maps(
    fetch: str, image: int, session: Any, fed: Fed | None, live: bool
) -> tuple[dict[str, Any], list[bytes]]:
    """Header and thumbnails of what `fetch` (an operation) makes of image number `image`.

    Raises:
      ValueError: where there is nothing to feed, nothing to show, or a run that would change something.
      tf.errors.OpError: if the run fails or takes too long.
    """
    if session is None:
        raise ValueError("There is no session here: inspect(session) shows values.")
    tensor = _tensor(session.graph, fetch)
    fed = fed or latest(session)
    feeds = [] if fed is None else fed.tensors
    _check_fed(tensor, fed)
    plan = session.plan(tensor, feeds)
    random = _check_harmless(plan.order, live)
    value = np.asarray(_run(session, plan, [] if fed is None else fed.values, random))
    if value.ndim not in (2, 4) or value.dtype.kind not in "fiub":
        raise ValueError(f"{fetch} has shape {value.shape} and type {value.dtype.name}; feature maps have four axes.")
    if not len(value):
        raise ValueError(f"{fetch} has no image: its shape is {value.shape}.")
    image = min(max(image, 0), len(value) - 1)
    maps = value[image] if value.ndim == 4 else value[image][None, None, :]
    header, tiles = _thumbnails(maps)
    header |= {"shape": list(value.shape), "image": image, "fed": "nothing fed" if fed is None else fed.words}
    header["random"] = bool(random)
    picture = _picture(fed, image)
    header["picture"] = [] if picture is None else list(picture.shape)
    return header, [tiles.tobytes(), b"" if picture is None else picture.tobytes()]


def _tensor(graph: Any, fetch: str) -> Any:
    op = graph.get_operation_by_name(fetch)
    if not op.outputs:
        raise ValueError(f"{fetch} ({op.type}) has no output to show.")
    return op.outputs[0]


def _check_fed(tensor: Any, fed: Fed | None) -> None:
    missing = needed_placeholders(tensor, [] if fed is None else fed.tensors)
    if not missing:
        return
    names = ", ".join(list(missing)[:3])
    if fed is None:
        raise ValueError(
            f"There is no feed yet: {tensor.op.name} needs {names}. Run a step that feeds it, or give a batch with "
            "panel.feed({…})."
        )
    raise ValueError(f"{fed.words} has nothing for {names}: give a batch for it with panel.feed({{…}}).")


def _check_harmless(order: Iterable[Any], live: bool) -> list[Any]:
    """The random operations of a run that changes nothing else."""
    random = []
    for op in order:
        if is_writer(op.type):
            raise ValueError(f"Not run: on its way is {op.name} ({op.type}), which changes a variable.")
        if not op.op_def.stateful or op.type in _LOOKS:
            continue
        if "seed" not in op.attrs:
            raise ValueError(
                f"Not run: on its way is {op.name} ({op.type}), which has a state of its own. Feed what comes after "
                "it, with panel.feed({…})."
            )
        random.append(op)
    if random and live:
        raise ValueError(
            f"Not run while a loop runs: {random[0].name} draws random numbers, and the loop would get others. Look "
            "again when it is over."
        )
    return random


def _run(session: Any, plan: Any, values: list[Any], random: list[Any]) -> Any:
    streams = [session.resources.find(STREAMS, op.name) for op in random]
    before = [(stream, stream.snapshot()) for stream in streams if stream is not None]
    try:
        with deadlines.within(SECONDS), session._arithmetic():
            return plan.run(values)[0]
    except errors.DeadlineExceededError:
        raise ValueError(
            f"Not shown: the run took more than {SECONDS:g} s. A smaller batch, with panel.feed({{…}}), may do."
        ) from None
    finally:
        for stream, state in before:
            stream.restore(state)


def _thumbnails(maps: Array) -> tuple[dict[str, Any], Array]:
    """Planes [height, width, channels] as bytes [channels, h, w]: 0 is NaN or infinite, 1 to 255 the scale."""
    count = maps.shape[-1]
    planes = np.moveaxis(maps[..., :CHANNELS], -1, 0).astype(np.float32)
    finite = np.isfinite(maps)
    bounds = np.abs(maps[finite].astype(np.float64)).max() if finite.any() else 0.0
    signed = bool(finite.any() and maps[finite].min() < 0)
    small = smaller(planes)
    scaled = small / np.float32(bounds or 1.0)
    codes = np.where(np.isfinite(scaled), 128 + 127 * scaled if signed else 1 + 254 * scaled, 0)
    header = {
        "channels": count,
        "tiles": list(small.shape),
        "limit": float(bounds),
        "signed": signed,
        "broken": int(maps.size - np.count_nonzero(finite)),
        "dead": int(sum(1 for plane in planes if not plane.any())),
    }
    return header, np.clip(codes, 0, 255).astype(np.uint8)


def smaller(planes: Array) -> Array:
    """Planes [n, height, width], each side at most SIDE: means of blocks; a block with NaN is NaN."""
    for axis in (1, 2):
        size = planes.shape[axis]
        if size > SIDE:
            edges = np.linspace(0, size, SIDE + 1).astype(int)
            counts = np.diff(edges).reshape([-1 if a == axis else 1 for a in range(3)])
            planes = np.add.reduceat(planes, edges[:-1], axis=axis) / counts
    return planes


def _picture(fed: Fed | None, image: int) -> Array | None:
    """The one fed value that is a batch of pictures: its picture as bytes [3 or 1, h, w]."""
    found = []
    for value in [] if fed is None else fed.values:
        array = np.asarray(value)
        if array.ndim == 4 and array.shape[-1] in (1, 3) and array.dtype.kind in "fiub" and image < len(array):
            found.append(array[image])
    if len(found) != 1:
        return None
    planes = np.nan_to_num(smaller(np.moveaxis(found[0], -1, 0).astype(np.float32)), posinf=0, neginf=0)
    low, high = float(planes.min()), float(planes.max())
    low, high = (low, high) if low < 0 else (0.0, 255.0 if 1 < high <= 255 else high)
    return np.clip(255 * (planes - low) / ((high - low) or 1.0), 0, 255).astype(np.uint8)
