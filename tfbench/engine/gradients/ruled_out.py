"""Op types that TensorFlow knows to have no gradient: there it is None.

Each says why where it is declared. Of the other types that give a reason TensorFlow says nothing: most of them have
results that could not be differentiated anyway, but asking for such a gradient is an error there and here, and programs
may register one.
"""

from __future__ import annotations

RULED_OUT = frozenset(
    [
        "ApproximateEqual", "ArgMax", "ArgMin", "AsString", "Assert", "Assign", "AssignAdd",
        "AssignSub", "AudioSummaryV2", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BroadcastGradientArgs",
        "CTCBeamSearchDecoder", "CTCGreedyDecoder", "Ceil", "ConcatOffset", "Const", "DecodeBase64",
        "DecodeRaw", "DenseToDenseSetOperation", "DenseToSparseSetOperation", "DrawBoundingBoxes",
        "EditDistance", "EncodeBase64", "Equal", "ExtractGlimpse", "FakeQuantWithMinMaxArgsGradient",
        "FakeQuantWithMinMaxVarsGradient", "FakeQuantWithMinMaxVarsPerChannelGradient", "Floor",
        "Greater", "GreaterEqual", "HSVToRGB", "HashTableV2", "HistogramSummary", "ImageSummary",
        "InitializeTableFromTextFileV2", "InitializeTableV2", "Invert", "InvertPermutation",
        "LeftShift", "Less", "LessEqual", "LinSpace", "LogicalAnd", "LogicalNot", "LogicalOr",
        "LookupTableFindV2", "LookupTableInsertV2", "LookupTableSizeV2", "MergeSummary", "Multinomial",
        "MutableDenseHashTableV2", "MutableHashTableOfTensorsV2", "MutableHashTableV2",
        "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionWithOverlaps", "NotEqual",
        "OneHot", "OnesLike", "ParameterizedTruncatedNormal", "ParseTensor", "PopulationCount",
        "PyFunc", "PyFuncStateless", "RandomShuffle", "RandomStandardNormal", "RandomUniform", "Range",
        "Rank", "ReduceDataset", "ReduceJoin", "RegexReplace", "ResizeBilinearGrad", "RightShift",
        "Rint", "Round", "SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2", "ScalarSummary",
        "ScatterAdd", "ScatterDiv", "ScatterMul", "ScatterNdAdd", "ScatterNdSub", "ScatterNdUpdate",
        "ScatterSub", "SerializeTensor", "SetSize", "Shape", "ShapeN", "Size", "SparseAddGrad",
        "SparseConcat", "SparseToSparseSetOperation", "Stack", "StackClose", "StackPop", "StackPush",
        "StatelessMultinomial", "StatelessRandomNormal", "StatelessRandomNormalV2",
        "StatelessRandomPoisson", "StatelessRandomUniform", "StatelessRandomUniformFullInt",
        "StatelessRandomUniformFullIntV2", "StatelessRandomUniformInt", "StatelessRandomUniformIntV2",
        "StatelessRandomUniformV2", "StatelessTruncatedNormal", "StatelessTruncatedNormalV2",
        "StopGradient", "StringJoin", "StringSplit", "StringToHashBucket", "StringToHashBucketFast",
        "StringToHashBucketStrong", "StringToNumber", "TensorArray", "TensorArrayClose",
        "TensorArrayCloseV2", "TensorArrayCloseV3", "TensorArrayGrad", "TensorArrayGradV2",
        "TensorArrayGradV3", "TensorArrayGradWithShape", "TensorArraySize", "TensorArraySizeV2",
        "TensorArraySizeV3", "TensorArrayV2", "TensorArrayV3", "TensorSummary", "TensorSummaryV2",
        "Timestamp", "TruncatedNormal", "VarIsInitializedOp", "VariableShape", "ZerosLike",
    ]
)  # fmt: skip
