"""Why tfbench computes some ops on the CPU that TensorFlow has kernels for on GPUs.

Where such an op is asked to be on a GPU, it is placed on a CPU, and this is the reason that the placement gives. Ops
all of whose arguments are in the host's memory are not here: the CPU's kernel computes them, on whatever device.
"""

from __future__ import annotations

_DATA = "data sets and iterators live in the host's memory, and so do the elements that they give"
_QUEUE = "a queue holds arrays in the host's memory"
_BOXES = "boxes are taken one after another, each depending on those before: a GPU would be waited for at each"
_NUMPY = "its kernel is NumPy's alone so far"
_STREAM = "how many random numbers are drawn depends on the numbers, and they are to be those of the CPU"

#: op type -> the reason
REASONS: dict[str, str] = {
    **dict.fromkeys(("GeneratorDataset", "IteratorGetNext", "IteratorV2"), _DATA),
    **dict.fromkeys(("QueueDequeueV2", "QueueEnqueueV2", "QueueIsClosedV2"), _QUEUE),
    **dict.fromkeys(("NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4"), _BOXES),
    **dict.fromkeys(
        ("Multinomial", "ParameterizedTruncatedNormal", "StatelessMultinomial", "StatelessRandomGammaV3"), _STREAM
    ),
    **dict.fromkeys(
        (
            "FakeQuantWithMinMaxArgs",
            "FakeQuantWithMinMaxArgsGradient",
            "FakeQuantWithMinMaxVars",
            "FakeQuantWithMinMaxVarsGradient",
            "FakeQuantWithMinMaxVarsPerChannel",
            "FakeQuantWithMinMaxVarsPerChannelGradient",
            "SparseFillEmptyRows",
            "SparseFillEmptyRowsGrad",
            "SparseSlice",
            "SparseSliceGrad",
            "SparseSplit",
        ),
        _NUMPY,
    ),
    "EagerPyFunc": "a Python function gets its values in the host's memory",
    "IgammaGradA": "CuPy has no such function, and the series is summed until it converges",
    "Lu": "rows change places column by column, too many small steps for a GPU",
    "RandomGammaGrad": "CuPy has no such function, and the series is summed until it converges",
}
