"""GatherTree: the sequences of a beam search, read backwards along the parents of their steps.

An op of `tf.contrib.seq2seq`: TensorFlow 2 does not have it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.shape_math import dim_merge, merge, with_rank
from tfbench.engine.shapes import Shape

__all__: list[str] = []

gather_tree = op(
    "GatherTree",
    "step_ids: T, parent_ids: T, max_sequence_lengths: int32, end_token: T",
    "beams: T",
    "T: {int32}",
    fresh=True,
)
gather_tree.no_gradient("ids have no gradient")


@gather_tree.shape
def _shape(node: Operation, steps: Shape, parents: Shape, lengths: Shape, end: Shape) -> list[Shape]:
    merged = with_rank(merge(with_rank(steps, 3), with_rank(parents, 3)), 3)
    batch = dim_merge(merged[1], with_rank(lengths, 1)[0])
    with_rank(end, 0)
    return [(merged[0], batch, merged[2])]


@gather_tree.kernel(CPU)
def _kernel(xp: Any, steps: Any, parents: Any, lengths: Any, end: Any) -> Any:
    if steps.ndim != 3:
        raise invalid(f"step_ids must be a 3-tensor, saw shape: {brackets(steps.shape)}")
    if steps.shape != parents.shape:
        raise invalid(
            "step_ids.shape must match parent_ids.shape, but shapes are "
            f"{brackets(steps.shape)} and {brackets(parents.shape)}"
        )
    times, batch, width = steps.shape
    if lengths.shape != (batch,):
        raise invalid(f"max_sequence_lengths must be a vector of {batch} lengths, saw shape: {brackets(lengths.shape)}")
    beams = np.full_like(steps, end)
    if not steps.size:
        return beams
    # All beams of all sequences at once: which of them are read at a step, and from which parent.
    lengths = np.minimum(lengths, times)
    rows = np.arange(batch)[:, None]
    parent = np.broadcast_to(np.arange(width), (batch, width))
    for time in range(times - 1, -1, -1):
        reading = (time < lengths)[:, None]
        if (reading & ((parent < 0) | (parent >= width))).any():
            raise invalid(
                f"Saw invalid parent id {int(parent[(parent < 0) | (parent >= width)][0])} at time {time + 1}"
            )
        at = np.where(reading, parent, 0)
        beams[time] = np.where(reading, steps[time, rows, at], end)
        parent = np.where(reading, parents[time, rows, at], parent)
    ended = np.logical_or.accumulate(beams == end, axis=0)
    beams[1:][ended[:-1]] = end
    return beams
