"""The nn kernels themselves, forward and backward, against TensorFlow's ops: what a kernel's author looks at.

tfbench's side calls the kernels on arrays, without graph and session; TensorFlow's side runs one op of a graph. Sizes
are those of the CIFAR model's layers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.bench_conv import SHAPES
from benchmarks.case import Case, Suite, session

Call = Callable[[], object]

#: op type -> the kernel's module and name
KERNELS = {
    "AvgPool": "pool.avg_pool",
    "AvgPoolGrad": "pool.avg_pool_grad",
    "BiasAdd": "norm.bias_add",
    "BiasAddGrad": "norm.bias_add_grad",
    "Conv2D": "conv.conv2d",
    "Conv2DBackpropFilter": "conv.conv2d_backprop_filter",
    "Conv2DBackpropInput": "conv.conv2d_backprop_input",
    "Conv3D": "conv.conv3d",
    "DepthwiseConv2dNative": "depthwise.depthwise_conv2d_native",
    "FusedBatchNormV3": "norm.fused_batch_norm",
    "FusedBatchNormGradV3": "norm.fused_batch_norm_grad",
    "LogSoftmax": "softmax.log_softmax",
    "LRN": "lrn.lrn",
    "LRNGrad": "lrn.lrn_grad",
    "MaxPool": "pool.max_pool",
    "MaxPoolGrad": "pool_argmax.max_pool_grad",
    "ResizeBilinear": "image_resize.resize_bilinear",
    "ResizeBilinearGrad": "image_resize.resize_bilinear_grad",
    "Softmax": "softmax.softmax",
    "SoftmaxCrossEntropyWithLogits": "softmax.softmax_cross_entropy_with_logits",
    "SparseSoftmaxCrossEntropyWithLogits": "softmax.sparse_softmax_cross_entropy_with_logits",
}


def _op(type: str, shapes: dict[str, Any], **attrs: Any) -> Callable[[Any, int], Call]:
    """Runs one op on random arrays of these shapes; a list is an input as it is, an array of integers."""

    def make(tf: Any, threads: int) -> Call:
        import numpy as np

        rng = np.random.default_rng(0)
        arrays = {
            name: np.array(shape, np.int32)
            if isinstance(shape, (list, int))
            else np.abs(rng.standard_normal(shape)).astype(np.float32)
            for name, shape in shapes.items()
        }
        if tf.__name__ == "tfbench":
            return _kernel(type, list(arrays.values()), attrs, threads)
        inputs = {name: array if array.dtype == np.int32 else tf.Variable(array) for name, array in arrays.items()}
        made = getattr(tf.raw_ops, type)(**{name: _tensor(tf, value) for name, value in inputs.items()}, **attrs)
        first = made[0] if isinstance(made, (list, tuple)) else made
        running = session(tf, threads)
        running.run(tf.global_variables_initializer())
        call: Call = running.make_callable(first.op)
        return call

    return make


def _tensor(tf: Any, value: Any) -> Any:
    return value.read_value() if isinstance(value, tf.Variable) else tf.constant(value)


def _kernel(type: str, arrays: list[Any], attrs: dict[str, Any], threads: int) -> Call:
    import importlib

    import numpy as np

    from tfbench.engine import memory
    from tfbench.engine.kernels import threads as pool

    memory.keep_freed_memory()
    if type in KERNELS:
        module, name = KERNELS[type].split(".")
        kernel = getattr(importlib.import_module(f"tfbench.engine.kernels.{module}"), name)
    else:
        from tfbench.engine.opdef import lookup

        kernel = lookup(type).kernels["CPU"].function
    if type == "FusedBatchNormGradV3":
        arrays = arrays[:-1]

    def call() -> object:
        with pool.limit(threads):
            return kernel(np, *arrays, **attrs)

    return call


def _scatter(tf: Any, threads: int) -> Call:
    """Adds rows to a variable's, in a graph on both sides."""
    import numpy as np

    rng = np.random.default_rng(0)
    with tf.Graph().as_default():
        table = tf.Variable(rng.standard_normal((10_000, 64)).astype(np.float32))
        rows = tf.constant(rng.standard_normal((5000, 64)).astype(np.float32))
        added = tf.scatter_add(table, tf.constant(rng.integers(0, 10_000, 5000)), rows)
        running = session(tf, threads)
        running.run(table.initializer)
    call: Call = running.make_callable(added.op)
    return call


def _draws(type: str, size: int, times: int = 1) -> Callable[[Any, int], Call]:
    """So many draws of float32 numbers, in a graph on both sides."""

    def make(tf: Any, threads: int) -> Call:
        op = getattr(tf.raw_ops, type)
        with tf.Graph().as_default():
            drawn = [op(shape=[size // 64, 64], dtype=tf.float32, seed=1, seed2=n) for n in range(times)]
            running = session(tf, threads)
            done = tf.group(*drawn) if times > 1 else drawn[0].op
        call: Call = running.make_callable(done)
        return call

    return make


def _update(optimizer: Callable[[Any], Any]) -> Callable[[Any, int], Call]:
    """One update of a variable, in a graph on both sides."""

    def make(tf: Any, threads: int) -> Call:
        import numpy as np

        rng = np.random.default_rng(0)
        with tf.Graph().as_default():
            variable = tf.Variable(rng.standard_normal((1024, 1024)).astype(np.float32))
            gradient = tf.constant(rng.standard_normal((1024, 1024)).astype(np.float32) * np.float32(1e-3))
            step = optimizer(tf).apply_gradients([(gradient, variable)])
            running = session(tf, threads)
            running.run(tf.global_variables_initializer())
        call: Call = running.make_callable(step)
        return call

    return make


def _convolutions() -> list[Case]:
    cases = []
    for name, x, filter, stride in SHAPES:
        dy = (x[0], -(-x[1] // stride), -(-x[2] // stride), filter[3])
        attrs: dict[str, Any] = {"strides": [1, stride, stride, 1], "padding": "SAME"}
        short = name.split(",")[0]
        cases += [
            Case(f"{short}: forward", _op("Conv2D", {"input": x, "filter": filter}, **attrs)),
            Case(
                f"{short}: dX",
                _op(
                    "Conv2DBackpropInput",
                    {"input_sizes": list(x), "filter": filter, "out_backprop": dy},
                    **attrs,
                ),
            ),
            Case(
                f"{short}: dW",
                _op(
                    "Conv2DBackpropFilter",
                    {"input": x, "filter_sizes": list(filter), "out_backprop": dy},
                    **attrs,
                ),
            ),
        ]
    return cases


def _others() -> list[Case]:
    x, pooled, channels = (128, 24, 24, 64), (128, 12, 12, 64), (64,)
    window: dict[str, Any] = {"ksize": [1, 3, 3, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    lrn: dict[str, Any] = {"depth_radius": 4, "bias": 1.0, "alpha": 0.001 / 9, "beta": 0.75}
    norm = {"x": x, "scale": channels, "offset": channels, "mean": channels, "variance": channels}
    reserved = {"reserve_space_1": channels, "reserve_space_2": channels, "reserve_space_3": (0,)}
    resized: dict[str, Any] = {"align_corners": False, "half_pixel_centers": True}
    classes = [row * 7 % 1000 for row in range(2048)]
    return [
        Case("max_pool 3x3/2", _op("MaxPool", {"input": x}, **window)),
        Case(
            "max_pool gradient", _op("MaxPoolGrad", {"orig_input": x, "orig_output": pooled, "grad": pooled}, **window)
        ),
        Case("avg_pool 3x3/2", _op("AvgPool", {"value": x}, **window)),
        Case("avg_pool gradient", _op("AvgPoolGrad", {"orig_input_shape": list(x), "grad": pooled}, **window)),
        Case("LRN", _op("LRN", {"input": x}, **lrn)),
        Case("LRN gradient", _op("LRNGrad", {"input_grads": x, "input_image": x, "output_image": x}, **lrn)),
        Case("batch norm, training", _op("FusedBatchNormV3", norm, is_training=True)),
        Case("batch norm, inference", _op("FusedBatchNormV3", norm, is_training=False)),
        Case(
            "batch norm gradient",
            _op("FusedBatchNormGradV3", {"y_backprop": x, "x": x, "scale": channels, **reserved}, is_training=True),
        ),
        Case("bias add", _op("BiasAdd", {"value": x, "bias": channels})),
        Case("bias gradient", _op("BiasAddGrad", {"out_backprop": x})),
        Case("softmax 2048x1000", _op("Softmax", {"logits": (2048, 1000)})),
        Case(
            "softmax cross entropy 2048x1000",
            _op("SoftmaxCrossEntropyWithLogits", {"features": (2048, 1000), "labels": (2048, 1000)}),
        ),
        Case(
            "sparse cross entropy 2048x1000",
            _op("SparseSoftmaxCrossEntropyWithLogits", {"features": (2048, 1000), "labels": classes}),
        ),
        Case("log softmax 2048x1000", _op("LogSoftmax", {"logits": (2048, 1000)})),
        Case("relu gradient", _op("ReluGrad", {"gradients": x, "features": x})),
        Case("exp, a million", _op("Exp", {"x": (1024, 1024)})),
        Case("sigmoid, a million", _op("Sigmoid", {"x": (1024, 1024)})),
        Case("resize 112→224", _op("ResizeBilinear", {"images": (8, 112, 112, 3), "size": [224, 224]}, **resized)),
        Case(
            "resize 112→224, gradient",
            _op("ResizeBilinearGrad", {"grads": (8, 224, 224, 3), "original_image": (8, 112, 112, 3)}, **resized),
        ),
        Case(
            "segment sum, 5000 rows of 64",
            _op(
                "UnsortedSegmentSum",
                {
                    "data": (5000, 64),
                    "segment_ids": [row * 7919 % 10_000 for row in range(5000)],
                    "num_segments": 10_000,
                },
            ),
        ),
        Case("scatter add, 5000 rows of 64", _scatter),
        Case("random uniform, a million", _draws("RandomUniform", 1 << 20)),
        Case("random uniform, 4,096, 100 times", _draws("RandomUniform", 4096, 100)),
        Case("random truncated normal, a million", _draws("TruncatedNormal", 1 << 20)),
        *[
            Case(f"{name}, a million parameters", _update(make))
            for name, make in (
                ("gradient descent", lambda tf: tf.train.GradientDescentOptimizer(0.01)),
                ("momentum", lambda tf: tf.train.MomentumOptimizer(0.01, 0.9)),
                ("Adam", lambda tf: tf.train.AdamOptimizer()),
                ("RMSProp", lambda tf: tf.train.RMSPropOptimizer(0.01)),
            )
        ],
        Case(
            "depthwise 3x3",
            _op(
                "DepthwiseConv2dNative",
                {"input": x, "filter": (3, 3, 64, 1)},
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
        ),
        Case(
            "conv3d 3x3x3, 16→16",
            _op(
                "Conv3D",
                {"input": (8, 16, 16, 16, 16), "filter": (3, 3, 3, 16, 16)},
                strides=[1, 1, 1, 1, 1],
                padding="SAME",
            ),
        ),
        Case(
            "3x3, 512→512, 14x14, batch 16",
            _op(
                "Conv2D",
                {"input": (16, 14, 14, 512), "filter": (3, 3, 512, 512)},
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
        ),
    ]


SUITE = Suite(
    "Kernels",
    [*_convolutions(), *_others()],
    note="CPU time. tfbench: the kernel alone, on arrays; TensorFlow: one op of a graph through make_callable.",
)
