"""A signal in overlapping frames, and frames added up to a signal again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench.engine import dtypes, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.slicing import strided_slice
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor


def _if_known(value: Any) -> Any:
    """A tensor as an array where its value is known."""
    found = get_static_value(value)
    return value if found is None else found


def _gcd(a: Any, b: Any) -> Any:
    """The greatest common divisor, with the node that TensorFlow makes for it."""
    with name_scope("gcd"):
        known = get_static_value(a), get_static_value(b)
        if known[0] is None or known[1] is None:
            found = ops.while_loop(
                lambda x, y: ops.greater(y, ops.zeros_like(y)), lambda x, y: [y, ops.mod(x, y, name="mod")], [a, b]
            )
            return found[0]
        return ops.constant(math.gcd(int(known[0]), int(known[1])), dtype=a.dtype)


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Frames of `frame_length`, one beginning every `frame_step`, along an axis that becomes two: [frames, length].

    Args:
      pad_end: a last frame that is not full is filled up with `pad_value` and not left out.
    """
    with name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal, name="signal")
        length: Any = convert_to_tensor(frame_length, name="frame_length")
        step: Any = convert_to_tensor(frame_step, name="frame_step")
        axis = convert_to_tensor(axis, name="axis")
        signal.shape.with_rank_at_least(1)
        for scalar in (length, step, axis):
            scalar.shape.assert_has_rank(0)
        shape = _frame_shape(signal, length, step, pad_end, axis)
        outer: Any
        samples: Any
        inner: Any
        sizes, at = _if_known(ops.shape(signal)), _if_known(axis)
        if isinstance(sizes, np.ndarray) and not isinstance(at, Tensor):
            at = int(at) % len(sizes)
            outer, samples, inner = sizes[:at], int(sizes[at]), sizes[at + 1 :]
        else:
            rank: Any = ops.rank(signal)
            at = ops.range(rank)[at]
            outer, samples, inner = ops.split(sizes, [at, 1, rank - 1 - at])
            samples = ops.reshape(samples, [])
        outer_count, inner_count = ops.size(outer), ops.size(inner)
        if pad_end:
            pad_value = convert_to_tensor(pad_value, signal.dtype)
            frames = -(-samples // step)
            missing = ops.maximum(0, length + step * (frames - 1) - samples)
            paddings = ops.concat(
                [
                    ops.zeros([outer_count, 2], dtype=missing.dtype),
                    convert_to_tensor([[0, missing]]),
                    ops.zeros([inner_count, 2], dtype=missing.dtype),
                ],
                0,
            )
            signal = ops.pad(signal, paddings, constant_values=pad_value)
            sizes = ops.shape(signal)
            samples = sizes[at]
        else:
            frames = ops.maximum(ops.constant(0, dtype=length.dtype), 1 + (samples - length) // step)
        part: Any = _if_known(_gcd(length, step))
        part = part if isinstance(part, Tensor) else int(part)
        per_frame, per_hop, parts = length // part, step // part, samples // part
        slice_shape = ops.concat([outer, [parts * part], inner], 0)
        part_shape = ops.concat([outer, [parts, part], inner], 0)
        pieces = ops.reshape(strided_slice(signal, ops.zeros_like(sizes), slice_shape), part_shape)
        starts = ops.reshape(ops.range(frames) * per_hop, [frames, 1])
        places = ops.reshape(ops.range(per_frame), [1, per_frame])
        selector = starts + places
        outer, inner = convert_to_tensor(outer), convert_to_tensor(inner)
        middle = convert_to_tensor([frames, length])
        found: Tensor = ops.reshape(ops.gather(pieces, selector, axis=at), ops.concat([outer, middle, inner], 0))
        if shape is not None:
            found.set_shape(shape)
        return found


def _frame_shape(signal: Tensor, length: Tensor, step: Tensor, pad_end: bool, axis: Tensor) -> list[int | None] | None:
    """What is known of the shape of the frames."""
    at = get_static_value(axis)
    if signal.shape.ndims is None:
        return None
    sizes = signal.shape.as_list()
    if at is None:
        return [None] * (len(sizes) + 1)
    place = int(at) % len(sizes)
    known_length, known_step = get_static_value(length), get_static_value(step)
    frames: int | None = None
    samples = sizes[place]
    if samples is not None and known_length is not None and known_step is not None:
        if pad_end:
            frames = max(0, -(-samples // int(known_step)))
        else:
            frames = max(0, 1 + (samples - int(known_length)) // int(known_step))
    return [*sizes[:place], frames, None if known_length is None else int(known_length), *sizes[place + 1 :]]


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Frames [..., frames, length] added up, each `frame_step` behind the one before: [..., samples]."""
    with name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = convert_to_tensor(signal, name="signal")
        signal.shape.with_rank_at_least(2)
        step = convert_to_tensor(frame_step, name="frame_step")
        step.shape.assert_has_rank(0)
        if not step.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {step.dtype}")
        step = _number(step)
        sizes = _if_known(ops.shape(signal))
        outer = sizes[:-2]
        outer_rank = _number(ops.size(outer))

        def whole(inner: Any) -> Tensor:
            found: Tensor = ops.concat([outer, inner], 0)
            return found

        length, frames = _number(sizes[-1]), _number(sizes[-2])
        total = length + step * (frames - 1)
        if isinstance(length, int) and length == step:  # side by side
            return ops.reshape(signal, whole([total]), name="fast_path")
        segments = -(-length // step)
        paddings = [[0, segments], [0, segments * step - length]]
        signal = ops.pad(signal, ops.concat([ops.zeros([outer_rank, 2], dtype=dtypes.int32), paddings], 0))
        signal = ops.reshape(signal, whole([frames + segments, segments, step]))
        perm = ops.concat([ops.range(outer_rank), outer_rank + np.array([1, 0, 2], np.int32)], 0)
        signal = ops.transpose(signal, _if_known(perm))
        signal = ops.reshape(signal, whole([(frames + segments) * segments, step]))
        signal = signal[..., : (frames + segments - 1) * segments, :]
        signal = ops.reshape(signal, whole([segments, (frames + segments - 1), step]))
        signal = ops.reduce_sum(signal, -3)
        signal = ops.reshape(signal, whole([(frames + segments - 1) * step]))
        found: Tensor = signal[..., :total]
        return found


def _number(value: Any) -> Any:
    """A scalar as an int where it is known."""
    found = _if_known(value) if isinstance(value, Tensor) else value
    return found if isinstance(found, Tensor) else int(found)
