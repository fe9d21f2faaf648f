"""Samples of the ops that checkpoints are read by, from recorded files; those that write have tests of their own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from tfbench.engine import dtypes

FOLDER = Path(__file__).parents[2] / "data" / "checkpoints"


def s(*values: bytes) -> Any:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def one(value: bytes) -> Any:
    return np.array(value, object)


def i(value: int) -> Any:
    return np.array(value, np.int32)


MIXED, V1 = one(os.fsencode(FOLDER / "mixed")), one(os.fsencode(FOLDER / "v1"))

SAMPLES: dict[str, Any] = {
    "RestoreV2": [
        ([MIXED, s(b"scalar"), s(b"")], {"dtypes": [dtypes.float32]}),
        (
            [MIXED, s(b"parts", b"words", b"empty"), s(b"6 4 1,4:-", b"", b"")],
            {"dtypes": [dtypes.float32, dtypes.string, dtypes.float32]},
        ),
        ([V1, s(b"parts"), s(b"6 4 1,4:-")], {"dtypes": [dtypes.float32]}),
    ],
    "Restore": [([V1, one(b"kinds/int8")], {"dt": dtypes.int8})],
    "RestoreSlice": [([V1, one(b"parts"), one(b"6 4 0,1:2,2")], {"dt": dtypes.float32})],
    "ShardedFilename": [([one(b"a/b"), i(1), i(3)], {})],
    "ShardedFilespec": [([one(b"a/b"), i(3)], {})],
}

_WRITES = "it writes files: tests/formats/test_checkpoint_files.py, tests/oracle/programs/saver.py"
NOT_SAMPLED = dict.fromkeys(("SaveV2", "Save", "SaveSlices", "MergeV2Checkpoints"), _WRITES)
