"""Samples of queues and readers: those that make one. What takes a handle is tested in the facts."""

from __future__ import annotations

from typing import Any

Sample = tuple[list[Any], dict[str, Any]]

_QUEUE: dict[str, Any] = {"component_types": ["float32", "string"], "shapes": [[2], []], "capacity": 3}

SAMPLES: dict[str, list[Sample]] = {
    "FIFOQueueV2": [([], _QUEUE), ([], {"component_types": ["int32"], "shared_name": "shared"})],
    "RandomShuffleQueueV2": [([], {**_QUEUE, "min_after_dequeue": 1, "seed": 1, "seed2": 2})],
    "PaddingFIFOQueueV2": [([], {**_QUEUE, "shapes": [[None], []]})],
    "PriorityQueueV2": [([], _QUEUE)],
    "WholeFileReaderV2": [([], {})],
    "TextLineReaderV2": [([], {"skip_header_lines": 1})],
    "FixedLengthRecordReaderV2": [([], {"record_bytes": 3, "header_bytes": 1, "hop_bytes": 2})],
    "TFRecordReaderV2": [([], {"compression_type": "GZIP"})],
    "IdentityReaderV2": [([], {})],
    "ResourceConditionalAccumulator": [([], {"dtype": "float32", "shape": [2], "reduction_type": "SUM"})],
}

_ON_QUEUES = ["Enqueue", "EnqueueMany", "Dequeue", "DequeueMany", "DequeueUpTo", "Close", "IsClosed", "Size"]
_ON_READERS = [
    "Read", "ReadUpTo", "NumRecordsProduced", "NumWorkUnitsCompleted", "SerializeState", "RestoreState", "Reset",
]  # fmt: skip

_ON_MAPS = ["AddSparseToTensorsMap", "AddManySparseToTensorsMap", "TakeManySparseFromTensorsMap"]

_ON_ACCUMULATORS = [
    *(f"{kind}Accumulator{what}" for kind in ("", "Resource") for what in (
        "ApplyGradient", "TakeGradient", "SetGlobalStep", "NumAccumulated")),
    "SparseAccumulatorApplyGradient", "SparseAccumulatorTakeGradient",
]  # fmt: skip
_BY_NAME = ["ConditionalAccumulator", "SparseConditionalAccumulator"]

NOT_SAMPLED = {
    **dict.fromkeys(_ON_ACCUMULATORS, "it takes an accumulator, which only lives in a session; tested in the facts"),
    **dict.fromkeys(_BY_NAME, "its handle is a reference to the accumulator itself; tested in the facts"),
    **dict.fromkeys(_ON_MAPS, "what it gives depends on what others gave; tested with tf.train.batch in the facts"),
    **{f"Queue{what}V2": "it takes a queue, which has to be filled; tested in the facts" for what in _ON_QUEUES},
    **{f"Reader{what}V2": "it takes a reader, which needs files; tested in the facts" for what in _ON_READERS},
}
