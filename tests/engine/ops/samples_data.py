"""Why the ops of data sets have no samples: their inputs and outputs are data sets and iterators, not arrays."""

from __future__ import annotations

import tfbench.engine.ops  # noqa: F401 - it declares them
from tfbench.engine.opdef import registry

_ELSEWHERE = "it takes or gives a data set or an iterator: tests/data/, tests/oracle/programs/data.py"

#: those that also make strings are in `samples_sparse`
_SAMPLED = ("SerializeSparse", "SerializeManySparse")

NOT_SAMPLED = {
    type: _ELSEWHERE
    for type, found in registry.items()
    if "/ops/dataset_" in found.declared_at and type not in _SAMPLED
}
