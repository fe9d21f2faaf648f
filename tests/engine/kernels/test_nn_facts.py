"""Convolution, pooling and normalisation kernels against what TensorFlow computed for the same small inputs."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.kernels import nn_cases
from tfbench.engine.kernels import conv, depthwise, dilation, lrn, norm, pool, pool_argmax, softmax

KERNELS = {
    "AvgPool": pool.avg_pool,
    "AvgPool3D": pool.avg_pool3d,
    "AvgPool3DGrad": pool.avg_pool3d_grad,
    "AvgPoolGrad": pool.avg_pool_grad,
    "BiasAdd": norm.bias_add,
    "BiasAddGrad": norm.bias_add_grad,
    "Conv2D": conv.conv2d,
    "Conv2DBackpropFilter": conv.conv2d_backprop_filter,
    "Conv2DBackpropInput": conv.conv2d_backprop_input,
    "Conv3D": conv.conv3d,
    "Conv3DBackpropFilterV2": conv.conv3d_backprop_filter,
    "Conv3DBackpropInputV2": conv.conv3d_backprop_input,
    "DepthwiseConv2dNative": depthwise.depthwise_conv2d_native,
    "DepthwiseConv2dNativeBackpropFilter": depthwise.depthwise_conv2d_native_backprop_filter,
    "DepthwiseConv2dNativeBackpropInput": depthwise.depthwise_conv2d_native_backprop_input,
    "Dilation2D": dilation.dilation2d,
    "Dilation2DBackpropFilter": dilation.dilation2d_backprop_filter,
    "Dilation2DBackpropInput": dilation.dilation2d_backprop_input,
    "FusedBatchNormV3": norm.fused_batch_norm,
    "LRN": lrn.lrn,
    "LRNGrad": lrn.lrn_grad,
    "LogSoftmax": softmax.log_softmax,
    "MaxPool": pool.max_pool,
    "MaxPool3D": pool.max_pool3d,
    "MaxPoolGrad": pool_argmax.max_pool_grad,
    "MaxPoolWithArgmax": pool_argmax.max_pool_with_argmax,
    "Softmax": softmax.softmax,
    "SoftmaxCrossEntropyWithLogits": softmax.softmax_cross_entropy_with_logits,
    "SparseSoftmaxCrossEntropyWithLogits": softmax.sparse_softmax_cross_entropy_with_logits,
}

TOLERANCE = {"f2": 5e-3, "f4": 2e-6, "f8": 1e-11}


@functools.cache
def facts() -> Any:
    return json.loads(Path(nn_cases.__file__).with_name("nn_facts.json").read_text())


def compute(case: Any) -> list[np.ndarray[Any, Any]]:
    arrays = nn_cases.arrays(case)
    if case["op"] == "FusedBatchNormGradV3":
        del arrays["reserve_space_3"]
        result: Any = norm.fused_batch_norm_grad(np, *arrays.values(), **case["attrs"])
    else:
        result = KERNELS[case["op"]](np, *arrays.values(), **case["attrs"])
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("case", nn_cases.CASES, ids=nn_cases.label)
def test_kernel_computes_what_tensorflow_computed(case: Any) -> None:
    recorded, outputs = facts()[nn_cases.label(case)], compute(case)
    if case["op"].startswith("FusedBatchNorm"):
        # The last outputs are the op's own business; outside training, TensorFlow leaves the reserved ones unset.
        kept = 5 if case["op"] == "FusedBatchNormV3" and case["attrs"]["is_training"] else 3
        recorded, outputs = recorded[:kept], outputs[:kept]
    assert len(outputs) == len(recorded)
    for output, fact in zip(outputs, recorded):
        assert output.shape == tuple(fact["shape"])
        assert output.dtype == np.dtype(fact["dtype"])
        wanted = np.array(fact["values"], np.float64).reshape(output.shape)
        if output.dtype.kind != "f":
            assert np.array_equal(output, wanted)
            continue
        tolerance = TOLERANCE[fact["dtype"]]
        size = max(1.0, float(np.abs(wanted).max(initial=0)))
        np.testing.assert_allclose(output.astype(np.float64), wanted, rtol=tolerance, atol=tolerance * size)


def test_every_case_is_recorded_and_no_other() -> None:
    assert set(facts()) == {nn_cases.label(case) for case in nn_cases.CASES}
