"""Small cases of convolution, pooling and normalisation ops, shared by the recorder and the test.

A case is an op type, its inputs by TensorFlow's names, and its attributes. An input is `(dtype, shape)`, filled by
`fill` with small numbers that repeat (so that windows have ties), or a plain list, taken as int32.
No syntax newer than Python 3.7 and nothing but NumPy: the recorder runs where TensorFlow is.
"""

from __future__ import annotations

import numpy as np


def fill(dtype, shape, seed):
    """Multiples of a quarter (integers for integer types) between -8 and 8, spread by a fixed rule."""
    count = int(np.prod(shape))
    numbers = (np.arange(count) * 37 + 11 * seed) % 41 % 17 - 8
    if np.dtype(dtype).kind == "f":
        return (numbers / 4).reshape(shape).astype(dtype)
    return (np.abs(numbers) if np.dtype(dtype).kind == "u" else numbers).reshape(shape).astype(dtype)


def arrays(case):
    """The input arrays of a case, by name."""
    made = {}
    for seed, (name, spec) in enumerate(case["inputs"].items()):
        if isinstance(spec, list):
            made[name] = np.array(spec, np.int32)
        else:
            made[name] = fill(spec[0], spec[1], seed)
            if name in ("variance", "reserve_space_2", "v"):
                made[name] = np.abs(made[name]) + np.float32(0.5)
    return made


def case(op, inputs, **attrs):
    return {"op": op, "inputs": inputs, "attrs": attrs}


def _convolutions():
    for dtype in ("f4", "f8", "f2", "i4"):
        yield case(
            "Conv2D",
            {"input": (dtype, (2, 5, 6, 3)), "filter": (dtype, (3, 2, 3, 4))},
            strides=[1, 1, 1, 1],
            padding="SAME",
        )
    geometry = [
        dict(strides=[1, 2, 1, 1], padding="VALID"),
        dict(strides=[1, 2, 3, 1], padding="SAME"),
        dict(strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 2, 1, 0, 3, 0, 0]),
        dict(strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 3, 1]),
        dict(strides=[1, 3, 2, 1], padding="VALID", dilations=[1, 1, 2, 1]),
    ]
    for attrs in geometry:
        yield case("Conv2D", {"input": ("f8", (2, 7, 8, 2)), "filter": ("f8", (3, 2, 2, 3))}, **attrs)
    yield case(
        "Conv2D", {"input": ("f8", (2, 4, 4, 4)), "filter": ("f8", (2, 2, 2, 6))}, strides=[1, 1, 1, 1], padding="SAME"
    )
    yield case(
        "Conv2D", {"input": ("f8", (2, 3, 3, 4)), "filter": ("f8", (1, 1, 4, 5))}, strides=[1, 1, 1, 1], padding="VALID"
    )
    for attrs, rows, columns in (
        (dict(strides=[1, 1, 1, 1], padding="SAME"), 7, 8),
        (dict(strides=[1, 2, 3, 1], padding="SAME"), 4, 3),
        (dict(strides=[1, 2, 1, 1], padding="VALID"), 3, 7),
        (dict(strides=[1, 4, 3, 1], padding="VALID"), 2, 3),
        (dict(strides=[1, 2, 2, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 2, 1, 0, 1, 0, 0]), 4, 4),
    ):
        dy = ("f8", (2, rows, columns, 3))
        yield case(
            "Conv2DBackpropInput",
            {"input_sizes": [2, 7, 8, 2], "filter": ("f8", (3, 2, 2, 3)), "out_backprop": dy},
            **attrs,
        )
        yield case(
            "Conv2DBackpropFilter",
            {"input": ("f8", (2, 7, 8, 2)), "filter_sizes": [3, 2, 2, 3], "out_backprop": dy},
            **attrs,
        )
    yield case(
        "Conv2DBackpropInput",
        {"input_sizes": [5, 4], "filter": ("i4", (2, 2, 1, 2)), "out_backprop": ("i4", (1, 3, 2, 2))},
        strides=[1, 2, 2, 1],
        padding="SAME",
    )
    for padding, out in (("SAME", (3, 4, 2)), ("VALID", (2, 3, 1))):
        attrs = dict(strides=[1, 1, 1, 2, 1], padding=padding)
        x, f, dy = ("f8", (2, 3, 4, 3, 2)), ("f8", (2, 2, 2, 2, 3)), ("f8", (2, *out, 3))
        yield case("Conv3D", {"input": x, "filter": f}, **attrs)
        yield case("Conv3DBackpropInputV2", {"input_sizes": list(x[1]), "filter": f, "out_backprop": dy}, **attrs)
        yield case("Conv3DBackpropFilterV2", {"input": x, "filter_sizes": list(f[1]), "out_backprop": dy}, **attrs)
    for attrs, out in (
        (dict(strides=[1, 1, 1, 1], padding="SAME"), (5, 4)),
        (dict(strides=[1, 2, 2, 1], padding="VALID"), (2, 2)),
        (dict(strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0]), (4, 4)),
    ):
        x, f, dy = ("f8", (2, 5, 4, 2)), ("f8", (3, 2, 2, 2)), ("f8", (2, *out, 4))
        op = "DepthwiseConv2dNative"
        yield case(op, {"input": x, "filter": f}, **attrs)
        yield case(op + "BackpropInput", {"input_sizes": list(x[1]), "filter": f, "out_backprop": dy}, **attrs)
        yield case(op + "BackpropFilter", {"input": x, "filter_sizes": list(f[1]), "out_backprop": dy}, **attrs)
    for dtype, strides, rates, padding, out in (
        ("f8", [1, 1, 1, 1], [1, 1, 1, 1], "SAME", (5, 6)),
        ("i4", [1, 2, 1, 1], [1, 1, 2, 1], "VALID", (2, 4)),
    ):
        inputs = {"input": (dtype, (2, 5, 6, 2)), "filter": (dtype, (3, 2, 2))}
        attrs = dict(strides=strides, rates=rates, padding=padding)
        yield case("Dilation2D", inputs, **attrs)
        inputs = dict(inputs, out_backprop=(dtype, (2, *out, 2)))
        yield case("Dilation2DBackpropInput", inputs, **attrs)
        yield case("Dilation2DBackpropFilter", inputs, **attrs)


def _poolings():
    for dtype in ("f4", "f8", "f2", "i4", "u1"):
        yield case(
            "MaxPool", {"input": (dtype, (2, 5, 6, 2))}, ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1], padding="SAME"
        )
    yield case(
        "MaxPool",
        {"input": ("f8", (1, 4, 4, 2))},
        ksize=[1, 3, 2, 1],
        strides=[1, 2, 1, 1],
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 2, 1, 1, 0, 0, 0],
    )
    yield case("MaxPool", {"input": ("f8", (1, 2, 2, 6))}, ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding="VALID")
    for size, stride, padding, out in (
        ([3, 3], 2, "SAME", (3, 3)),
        ([2, 3], 1, "VALID", (4, 4)),
        ([1, 2], 3, "VALID", (2, 2)),
    ):
        attrs = dict(ksize=[1, *size, 1], strides=[1, stride, stride, 1], padding=padding)
        x, y = ("f8", (2, 5, 6, 2)), ("f8", (2, *out, 2))
        yield case("MaxPoolGrad", {"orig_input": x, "orig_output": y, "grad": y}, **attrs)
        yield case("MaxPoolWithArgmax", {"input": x}, **attrs)
        yield case("MaxPoolWithArgmax", {"input": x}, include_batch_in_index=True, **attrs)
        yield case("AvgPool", {"value": x}, **attrs)
        yield case("AvgPoolGrad", {"orig_input_shape": list(x[1]), "grad": y}, **attrs)
    for padding, out in (("SAME", (2, 2, 3)), ("VALID", (1, 2, 2))):
        attrs = dict(ksize=[1, 2, 2, 3, 1], strides=[1, 2, 2, 2, 1], padding=padding)
        x, y = ("f4", (2, 3, 4, 5, 2)), ("f4", (2, *out, 2))
        yield case("MaxPool3D", {"input": x}, **attrs)
        yield case("AvgPool3D", {"input": x}, **attrs)
        yield case("AvgPool3DGrad", {"orig_input_shape": list(x[1]), "grad": y}, **attrs)


def _normalisations():
    for dtype, radius, beta in (("f4", 2, 0.75), ("f4", 0, 0.5), ("f4", 5, 1.0), ("f2", 1, 0.6)):
        attrs = dict(depth_radius=radius, bias=1.5, alpha=0.25, beta=beta)
        x = (dtype, (2, 2, 1, 6))
        yield case("LRN", {"input": x}, **attrs)
        yield case("LRNGrad", {"input_grads": x, "input_image": x, "output_image": x}, **attrs)
    for dtype, layout, shape in (
        ("f4", "NHWC", (2, 3, 2, 3)),
        ("f4", "NCHW", (2, 3, 3, 2)),
        ("f2", "NHWC", (2, 3, 2, 3)),
    ):
        x, c = (dtype, shape), ("f4", (3,))
        for training in (True, False):
            attrs = dict(epsilon=0.01, data_format=layout, is_training=training)
            inputs = {"x": x, "scale": c, "offset": c, "mean": c, "variance": c}
            yield case("FusedBatchNormV3", inputs, **attrs)
            inputs = {"y_backprop": x, "x": x, "scale": c, "reserve_space_1": c, "reserve_space_2": c}
            if not training:  # in training TensorFlow may take the statistics from x or from what is reserved
                yield case("FusedBatchNormGradV3", dict(inputs, reserve_space_3=("f4", (0,))), **attrs)
    inputs = {"x": ("f4", (2, 3, 2, 3)), "scale": c, "offset": c, "mean": c, "variance": c}
    yield case("FusedBatchNormV3", inputs, epsilon=0.01, exponential_avg_factor=0.25, is_training=True)
    for dtype in ("f4", "f8", "f2"):
        x = (dtype, (4, 5))
        yield case("Softmax", {"logits": x})
        yield case("LogSoftmax", {"logits": x})
        yield case("SoftmaxCrossEntropyWithLogits", {"features": x, "labels": x})
        yield case("SoftmaxCrossEntropyWithLogits", {"features": (dtype, (1, 5)), "labels": x})
        yield case("SparseSoftmaxCrossEntropyWithLogits", {"features": x, "labels": [0, 4, 2, 2]})
    for dtype in ("f4", "i4"):
        yield case("BiasAdd", {"value": (dtype, (2, 3, 4)), "bias": (dtype, (4,))})
        yield case("BiasAdd", {"value": (dtype, (2, 3, 4)), "bias": (dtype, (3,))}, data_format="NCHW")
        yield case("BiasAddGrad", {"out_backprop": (dtype, (2, 3, 4))})
        yield case("BiasAddGrad", {"out_backprop": (dtype, (2, 3, 4))}, data_format="NCHW")


CASES = list(_convolutions()) + list(_poolings()) + list(_normalisations())


def label(case):
    """A name for a case: its op, types, shapes and attributes."""
    parts = [str(spec) if isinstance(spec, list) else f"{spec[0]}{list(spec[1])}" for spec in case["inputs"].values()]
    parts += ["{}={}".format(*item) for item in case["attrs"].items()]
    return ("{} {}".format(case["op"], " ".join(parts))).replace(", ", ",")
