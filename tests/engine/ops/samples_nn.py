"""Samples of the neural-network family: activations, convolutions, pooling, normalisation, losses, top k, samplers."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfbench as tf

Sample = tuple[list[Any], dict[str, Any]]


def numbers(*shape: int, dtype: Any = np.float32) -> Any:
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 0.7) * 2).astype(dtype).reshape(shape)


def ints(*values: Any, dtype: Any = np.int32) -> Any:
    return np.array(values, dtype)


MATRIX = np.array([[1.0, -2.0, 3.5, 7.0], [0.5, 0.0, -1.0, 6.0]], np.float32)
SCALAR = np.array(-0.75, np.float32)
EMPTY = np.zeros((0, 4), np.float32)
EVERYWHERE = [MATRIX, SCALAR, EMPTY, np.asfortranarray(MATRIX), MATRIX[:, ::2]]
WHOLE = ints([7, -5], [0, 3])

# -- activations ------------------------------------------------------------------------------------------------------


def _activations() -> dict[str, list[Sample]]:
    table: dict[str, list[Sample]] = {}
    for type in ("Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign"):
        table[type] = [([x], {}) for x in EVERYWHERE]
    for type in ("Relu", "Relu6"):
        table[type] += [([WHOLE], {}), ([WHOLE.astype(np.int8)], {}), ([np.abs(WHOLE).astype(np.uint16)], {})]
    table["LeakyRelu"] = [([x], {"alpha": alpha}) for x in EVERYWHERE for alpha in (0.25, 2.0)]
    for type in (
        "ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad", "SigmoidGrad", "TanhGrad",
    ):  # fmt: skip
        table[type] = [([x, x[..., ::-1] if x.ndim else x], {}) for x in EVERYWHERE]
    for type in ("SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"):
        table[type] = [([np.abs(x) + x.dtype.type(0.5), x], {}) for x in EVERYWHERE]
        table[type].append(([MATRIX + np.complex64(0.5 + 1j), MATRIX[::-1] * np.complex64(1 - 0.25j)], {}))
    table["ConcatOffset"] = [
        ([np.int32(axis), [np.array(shape, np.int32) for shape in shapes]], {"N": len(shapes)})
        for axis, shapes in ((0, ([2, 3], [1, 3])), (-1, ([2, 3], [2, 1], [2, 0])))
    ]
    table["ReluGrad"].append(([WHOLE, WHOLE.T], {}))
    table["LeakyReluGrad"] = [([x, -x], {"alpha": 0.25}) for x in EVERYWHERE]
    rows = [MATRIX, EMPTY, numbers(2, 3, 4), np.zeros((3, 0), np.float32), MATRIX[0], np.asfortranarray(MATRIX)]
    table["Softmax"] = table["LogSoftmax"] = [([x], {}) for x in rows]
    return table


# -- convolutions -----------------------------------------------------------------------------------------------------

_CONV_ATTRS: list[dict[str, Any]] = [
    {"strides": [1, 1, 1, 1], "padding": "SAME"},
    {"strides": [1, 2, 1, 1], "padding": "VALID"},
    {"strides": [1, 1, 1, 1], "padding": "SAME", "dilations": [1, 2, 2, 1]},
    {"strides": [1, 2, 2, 1], "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0]},
]
_FIRST = {"strides": [1, 1, 2, 2], "padding": "SAME", "data_format": "NCHW"}


def _out(attrs: dict[str, Any], sizes: tuple[int, int], window: tuple[int, int]) -> list[int]:
    """The sizes of the convolution of `sizes` with `window`."""
    first = attrs.get("data_format") == "NCHW"
    found = []
    for i in (0, 1):
        axis = i + 2 if first else i + 1
        stride, dilation = attrs["strides"][axis], attrs.get("dilations", [1] * 4)[axis]
        extent = (window[i] - 1) * dilation + 1
        pads = sum(attrs.get("explicit_paddings", [0] * 8)[2 * axis : 2 * axis + 2])
        found.append(-(-sizes[i] // stride) if attrs["padding"] == "SAME" else (sizes[i] + pads - extent) // stride + 1)
    return found


def _convolutions() -> dict[str, list[Sample]]:
    table: dict[str, list[Sample]] = {}

    def add(type: str, *inputs: Any, **attrs: Any) -> None:
        table.setdefault(type, []).append((list(inputs), attrs))

    for attrs in [*_CONV_ATTRS, _FIRST]:
        first = attrs.get("data_format") == "NCHW"
        shape = (2, 3, 5, 6) if first else (2, 5, 6, 3)
        x, w, d = numbers(*shape), numbers(3, 2, 3, 4), numbers(3, 2, 3, 2)
        rows, columns = _out(attrs, (5, 6), (3, 2))
        dy, depthwise = (
            numbers(2, depth, rows, columns) if first else numbers(2, rows, columns, depth) for depth in (4, 6)
        )
        add("Conv2D", x, w, **attrs)
        add("Conv2DBackpropInput", ints(*shape), w, dy, **attrs)
        add("Conv2DBackpropFilter", x, ints(3, 2, 3, 4), dy, **attrs)
        add("DepthwiseConv2dNative", x, d, **attrs)
        add("DepthwiseConv2dNativeBackpropInput", ints(*shape), d, depthwise, **attrs)
        add("DepthwiseConv2dNativeBackpropFilter", x, ints(3, 2, 3, 2), depthwise, **attrs)
    same = _CONV_ATTRS[0]
    add("Conv2D", numbers(1, 4, 4, 4), numbers(2, 2, 2, 6), **same)
    add("Conv2D", np.zeros((0, 4, 4, 3), np.float32), numbers(2, 2, 3, 1), **same)
    add("Conv2D", ints(*range(16)).reshape(1, 4, 4, 1), ints(*range(4)).reshape(2, 2, 1, 1), **same)
    add("Conv2DBackpropInput", ints(5, 6), numbers(3, 2, 3, 4), numbers(2, 5, 6, 4), **same)
    spaces: list[tuple[dict[str, Any], tuple[int, ...]]] = [
        ({"strides": [1, 1, 1, 1, 1], "padding": "SAME"}, (1, 3, 4, 5, 3)),
        ({"strides": [1, 1, 2, 1, 1], "padding": "VALID"}, (1, 2, 2, 3, 3)),
    ]
    for space, size in spaces:
        x, w, dy = numbers(1, 3, 4, 5, 2), numbers(2, 2, 3, 2, 3), numbers(*size)
        add("Conv3D", x, w, **space)
        add("Conv3DBackpropInputV2", ints(1, 3, 4, 5, 2), w, dy, **space)
        add("Conv3DBackpropInputV2", ints(1, 3, 4, 5, 2, dtype=np.int64), w, dy, **space)
        add("Conv3DBackpropFilterV2", x, ints(2, 2, 3, 2, 3), dy, **space)
    add("Conv3D", numbers(1, 2, 3, 4, 5), numbers(2, 2, 2, 2, 3), strides=[1] * 5, padding="SAME", data_format="NCDHW")
    for morphology, window in (
        ({"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "SAME"}, (5, 6)),
        ({"strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": "VALID"}, (2, 4)),
    ):
        x, k = numbers(2, 5, 6, 3), numbers(3, 2, 3)
        add("Dilation2D", x, k, **morphology)
        add("Dilation2DBackpropInput", x, k, numbers(2, *window, 3), **morphology)
        add("Dilation2DBackpropFilter", x, k, numbers(2, *window, 3), **morphology)
    add("Dilation2D", *(ints(*range(n)).reshape(s) for n, s in ((16, (1, 4, 4, 1)), (4, (2, 2, 1)))), **morphology)
    return table


# -- pooling ----------------------------------------------------------------------------------------------------------

_WINDOW: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
_OVER: dict[str, Any] = {"ksize": [1, 3, 2, 1], "strides": [1, 1, 1, 1], "padding": "SAME"}
_SPACE: dict[str, Any] = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, 2, 2, 1], "padding": "VALID"}


def _largest(x: Any, rows: Any, columns: Any, overlapping: bool) -> Any:
    """Of the windows between these rows and columns."""
    windows = [list(zip(cuts, cuts[1:] + overlapping)) for cuts in (rows, columns)]
    found = [[x[:, top:end, left:right].max(axis=(1, 2)) for left, right in windows[1]] for top, end in windows[0]]
    return np.array(found).transpose(2, 0, 1, 3)


def _pooling() -> dict[str, list[Sample]]:
    table: dict[str, list[Sample]] = {}

    def add(type: str, *inputs: Any, **attrs: Any) -> None:
        table.setdefault(type, []).append((list(inputs), attrs))

    x, volume = numbers(2, 5, 6, 3), numbers(1, 3, 4, 5, 2)
    for attrs, size in ((_WINDOW, (2, 3)), (_OVER, (5, 6))):
        small = numbers(2, *size, 3)
        index = np.arange(small.size, dtype=np.int64).reshape(small.shape) % 90
        for type in ("MaxPool", "AvgPool", "MaxPoolWithArgmax"):
            add(type, x, **attrs)
        add("MaxPoolWithArgmax", x, include_batch_in_index=True, Targmax=np.int32, **attrs)
        add("MaxPoolGrad", x, small, small + 1, **attrs)
        add("MaxPoolGradGrad", x, small, x * 2, **attrs)
        add("AvgPoolGrad", ints(2, 5, 6, 3), small, **attrs)
        add("MaxPoolGradWithArgmax", x, small, index, **attrs)
        add("MaxPoolGradGradWithArgmax", x, x, index, **attrs)
    for type in ("MaxPool", "AvgPool"):
        add(type, np.zeros((0, 4, 4, 2), np.float32), **_WINDOW)
        add(type, numbers(2, 3, 5, 6), ksize=[1, 1, 2, 2], strides=[1, 1, 1, 2], padding="SAME", data_format="NCHW")
    add("MaxPool", ints(*range(32)).reshape(1, 4, 4, 2), **_WINDOW)
    add("MaxPool", numbers(1, 2, 2, 6), ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding="VALID")
    explicit = {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 1, 0, 0]}
    add("MaxPool", x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], **explicit)
    for type in ("MaxPool3D", "AvgPool3D"):
        add(type, volume, **_SPACE)
    add("MaxPool3DGrad", volume, numbers(1, 2, 2, 2, 2), numbers(1, 2, 2, 2, 2), **_SPACE)
    add("MaxPool3DGradGrad", volume, numbers(1, 2, 2, 2, 2), volume * 2, **_SPACE)
    add("AvgPool3DGrad", ints(1, 3, 4, 5, 2), numbers(1, 2, 2, 2, 2), **_SPACE)
    rows, columns = ints(0, 1, 3, 5, dtype=np.int64), ints(0, 2, 4, 6, dtype=np.int64)
    for overlapping in (False, True):
        add("FractionalMaxPoolGrad", x, _largest(x, rows, columns, overlapping), numbers(2, 3, 3, 3), rows, columns,
            overlapping=overlapping)  # fmt: skip
        add(
            "FractionalAvgPoolGrad", ints(2, 5, 6, 3, dtype=np.int64), numbers(2, 3, 3, 3), rows, columns,
            overlapping=overlapping,
        )  # fmt: skip
    return table


# -- normalisation, losses, biases ------------------------------------------------------------------------------------


def _others() -> dict[str, list[Sample]]:
    table: dict[str, list[Sample]] = {}

    def add(type: str, *inputs: Any, **attrs: Any) -> None:
        table.setdefault(type, []).append((list(inputs), attrs))

    x, nothing = numbers(2, 3, 2, 4), np.zeros(0, np.float32)
    vectors = numbers(4) + 4, numbers(4), numbers(4) * 2, np.abs(numbers(4)) + 0.5
    for version in ("", "V2", "V3"):
        add(f"FusedBatchNorm{version}", x, *vectors[:2], nothing, nothing)
        add(f"FusedBatchNorm{version}", x, *vectors, is_training=False, epsilon=0.01)
        third = [nothing] if version == "V3" else []
        for training in (True, False):
            reserved = vectors[2:]
            add(f"FusedBatchNormGrad{version}", x + 1, x, vectors[0], *reserved, *third, is_training=training)
    add("FusedBatchNormV3", x, *vectors, exponential_avg_factor=0.5)
    add("FusedBatchNormV3", numbers(2, 4, 3, 2), *vectors[:2], nothing, nothing, data_format="NCHW")
    add("FusedBatchNormV3", numbers(1, 2, 3, 2, 4), *vectors[:2], nothing, nothing, data_format="NDHWC")
    for attrs in ({}, {"depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 0.75}):
        add("LRN", x, **attrs)
        add("LRNGrad", x, x * 2, x + 1, **attrs)
    add("BiasAdd", MATRIX, numbers(4))
    add("BiasAdd", x, numbers(4))
    add("BiasAdd", x, numbers(3), data_format="NCHW")
    add("BiasAdd", WHOLE, ints(1, 2))
    add("BiasAdd", EMPTY, numbers(4))
    add("BiasAddV1", x, numbers(4))
    add("BiasAddGrad", x)
    add("BiasAddGrad", x, data_format="NCHW")
    add("BiasAddGrad", WHOLE)
    logits = MATRIX
    labels = np.abs(numbers(2, 4)) / 4
    add("SoftmaxCrossEntropyWithLogits", logits, labels)
    add("SoftmaxCrossEntropyWithLogits", logits, labels[:1])
    add("SoftmaxCrossEntropyWithLogits", EMPTY, EMPTY)
    add("SparseSoftmaxCrossEntropyWithLogits", logits, ints(3, 0))
    add("SparseSoftmaxCrossEntropyWithLogits", logits, ints(1, 2, dtype=np.int64))
    for value in EVERYWHERE:
        add("L2Loss", value)
    add("IdentityN", [MATRIX, WHOLE])
    step = [numbers(2, 4), numbers(2, 3) / 2, numbers(2, 3), numbers(7, 12) / 4, *(numbers(3) / n for n in (2, 3, 4))]
    step.append(numbers(12))
    for peephole in (False, True):
        add("LSTMBlockCell", *step, forget_bias=0.5, cell_clip=-1.0, use_peephole=peephole)
        results = [np.abs(numbers(2, 3)) / n for n in (3, 4, 5, 6, 7, 8, 9, 10)]
        add("LSTMBlockCellGrad", *step, *results, use_peephole=peephole)
    add("LSTMBlockCell", *step, cell_clip=0.5)
    return table


# -- the largest, and samples -----------------------------------------------------------------------------------------


def _choices() -> dict[str, list[Sample]]:
    table: dict[str, list[Sample]] = {}

    def add(type: str, *inputs: Any, **attrs: Any) -> None:
        table.setdefault(type, []).append((list(inputs), attrs))

    rows = np.array([[3.0, 1.0, 3.0, 2.0], [0.0, 0.0, 5.0, -1.0]], np.float32)
    for k in (0, 1, 2, 4):
        add("TopKV2", rows, np.array(k, np.int32))
        add("TopK", rows, k=k)
    add("TopKV2", WHOLE, np.array(1, np.int64), index_type=np.int64)
    add("TopKV2", np.abs(WHOLE).astype(np.uint8), np.array(2, np.int16), index_type=np.int16, sorted=False)
    add("TopKV2", EMPTY, np.array(2, np.int32))
    add("InTopKV2", rows, ints(0, 7), np.array(2, np.int32))
    add("InTopK", rows, ints(3, 2, dtype=np.int64), k=3)
    add("NthElement", rows, np.array(1, np.int32))
    add("NthElement", rows, np.array(0, np.int32), reverse=True)
    add("NthElement", WHOLE, np.array(1, np.int32))
    classes = ints([0, 1], [5, 3], [9, 9], dtype=np.int64)
    sampling = {"num_true": 2, "num_sampled": 4, "seed": 1, "seed2": 2}
    for type in ("Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram"):
        for unique in (True, False):
            add(f"{type}CandidateSampler", classes, range_max=10, unique=unique, **sampling)
    weights = [float(n) for n in range(1, 11)]
    add("FixedUnigramCandidateSampler", classes, range_max=10, unique=True, unigrams=weights, **sampling)
    add("AllCandidateSampler", classes, unique=True, **{**sampling, "num_sampled": 12})
    add("ComputeAccidentalHits", classes, ints(9, 4, 1, dtype=np.int64), num_true=2)
    return table


SAMPLES: dict[str, list[Sample]] = {**_activations(), **_convolutions(), **_pooling(), **_others(), **_choices()}

_TOO_SHORT = "TensorFlow's static shapes of the two sequences, which are kept here, are one too short"
NOT_SAMPLED: dict[str, str] = dict.fromkeys(("FractionalMaxPool", "FractionalAvgPool"), _TOO_SHORT)

_REGIONS = {"pooling_ratio": [1.0, 1.4, 1.7, 1.0], "deterministic": True, "seed": 3, "seed2": 4}


def _apart(*shape: int) -> Any:
    """Numbers of which no two are close, in no order: which is the largest does not change with a small step."""
    count = int(np.prod(shape))
    return (np.arange(count) * 37 % count / 4).astype(np.float32).reshape(shape)


def _differentiated() -> dict[str, list[Sample]]:
    table: dict[str, list[Sample]] = {
        # regions that stay the same
        type: [([numbers(2, 5, 6, 3)], {**_REGIONS, "overlapping": overlapping}) for overlapping in (False, True)]
        for type in ("FractionalMaxPool", "FractionalAvgPool")
    }
    x, small = _apart(1, 4, 6, 3), numbers(1, 2, 3, 3)
    table["MaxPoolGrad"] = [([x, small, small + 1], _WINDOW)]
    table["MaxPoolGradGrad"] = [([x, small, x * 2], _WINDOW)]
    x, small = _apart(1, 3, 4, 5, 2), numbers(1, 2, 2, 2, 2)
    table["MaxPool3D"] = [([x], _SPACE)]
    table["MaxPool3DGrad"] = [([x, small, small + 1], _SPACE)]
    table["MaxPool3DGradGrad"] = [([x, small, x * 2], _SPACE)]
    return table


#: for the test of gradients
DIFFERENTIATED = _differentiated()


def _own_result(pool: Any, window: dict[str, Any]) -> Any:
    """Instead of any result of pooling the one that belongs to the images."""
    sizes = window["ksize"], window["strides"], window["padding"]
    return lambda x, result, dy: [x, pool(x, *sizes) + 0.0 * result, dy]


def _own_statistics(dy: Any, x: Any, scale: Any, mean: Any, variance: Any, *others: Any) -> list[Any]:
    """Mean and variance of the images, as the op in training wants them, and those given as part of them."""
    own = tf.nn.moments(x, [0, 1, 2])
    return [dy, x, scale, own[0] + 0.0 * mean, own[1] + 0.0 * variance, *others]


#: op type -> what is done with the inputs before they are differentiated
PREPARED: dict[str, Any] = {
    **{f"FusedBatchNormGrad{version}": _own_statistics for version in ("", "V2", "V3")},
    **dict.fromkeys(("MaxPoolGrad", "MaxPoolGradGrad"), _own_result(tf.nn.max_pool, _WINDOW)),
    "MaxPool3DGrad": _own_result(tf.nn.max_pool3d, _SPACE),
    "SoftmaxCrossEntropyWithLogits": lambda features, labels: [features, tf.nn.softmax(labels)],
}
