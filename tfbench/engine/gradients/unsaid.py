"""Op types of whose gradient TensorFlow says nothing: it neither has one nor rules it out.

Most of them have results that could not be differentiated anyway, and each gives its reason where it is declared. But
asking for such a gradient is an error there and here, and programs may register one.
"""

from __future__ import annotations

UNSAID = frozenset(
    [
        "All", "AllCandidateSampler", "Any", "AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp",
        "Bincount", "Bitcast", "BroadcastArgs", "Bucketize", "ComputeAccidentalHits", "ControlTrigger",
        "CountUpTo", "DecodeCSV", "DecodeCompressed", "DenseBincount", "DestroyResourceOp",
        "Dilation2DBackpropFilter", "Dilation2DBackpropInput", "Fingerprint", "FixedUnigramCandidateSampler",
        "FractionalAvgPoolGrad", "FractionalMaxPoolGrad", "GuaranteeConst", "HistogramFixedWidth", "InTopK",
        "InTopKV2", "IsFinite", "IsInf", "IsNan", "IsVariableInitialized", "LRNGrad",
        "LearnedUnigramCandidateSampler", "ListDiff", "LogUniformCandidateSampler", "LowerBound", "Lu",
        "MatchingFiles", "MatrixLogarithm", "MaxPoolGradGradWithArgmax", "MaxPoolGradWithArgmax", "Mod", "NoOp",
        "ParallelConcat", "Placeholder", "PrintV2", "RandomGamma", "RandomPoissonV2", "RandomUniformInt",
        "ReadFile", "RegexFullMatch", "ResourceCountUpTo", "ResourceScatterAdd", "ResourceScatterDiv",
        "ResourceScatterMax", "ResourceScatterMin", "ResourceScatterMul", "ResourceScatterNdAdd",
        "ResourceScatterNdSub", "ResourceScatterNdUpdate", "ResourceScatterSub", "ResourceScatterUpdate",
        "ResourceStridedSliceAssign", "ScatterMax", "ScatterMin", "ScatterUpdate", "SoftsignGrad",
        "StatelessRandomGammaV3", "StatelessRandomGetKeyCounter", "StaticRegexFullMatch", "StaticRegexReplace",
        "StridedSliceAssign", "StringFormat", "StringLength", "StringLower", "StringSplitV2", "StringStrip",
        "StringUpper", "Substr", "ThreadUnsafeUnigramCandidateSampler", "TruncateMod", "UnicodeTranscode",
        "UniformCandidateSampler", "Unique", "UniqueWithCounts", "UnravelIndex", "UnsortedSegmentJoin",
        "UpperBound", "VarHandleOp", "VariableV2", "Where", "WriteFile",
    ]
)  # fmt: skip
