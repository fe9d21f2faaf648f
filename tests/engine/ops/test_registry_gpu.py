"""Kernels for GPUs give what the CPU's give: every op, every sample, on the stand-in for CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.engine.ops.on_gpu import CPU, GPU, NotOnGpu, Placed, fetched
from tests.engine.ops.sampling import collect, declared
from tests.gpu import strict_cupy
from tfbench.engine import dtypes, gpu_kernels
from tfbench.engine.cpu_only import REASONS

SAMPLES, _ = collect()
REGISTRY = declared()
CASES = [(type, i) for type in sorted(SAMPLES) if "GPU" in REGISTRY[type].kernels for i in range(len(SAMPLES[type]))]

DRAWN = {"RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt"}


def case_id(case: Any) -> str:
    return f"{case[0]}-{case[1]}"


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_both_devices_agree(case: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    strict_cupy.install(monkeypatch)
    try:
        placed = Placed(case[0], SAMPLES[case[0]][case[1]])
    except NotOnGpu as reason:
        pytest.skip(str(reason))
    wanted, wanted_variables = placed.run(CPU)
    found, variables = placed.run(GPU)
    assert case[0] in WAITS or not strict_cupy.waits, f"the host waits for the device: {dict(strict_cupy.waits)}"
    assert not strict_cupy.hidden_copies, "an index was an array in the host's memory"
    assert len(found) == len(wanted)
    for result, right, host, tensor in zip(found, wanted, placed.results_on_host, placed.op.outputs, strict=True):
        if tensor.dtype.base_dtype.name in ("resource", "variant") or tensor.dtype._is_ref_dtype:
            continue
        if host:
            assert not isinstance(result, strict_cupy.ndarray), "TensorFlow has this output in the host's memory"
        else:
            assert isinstance(result, strict_cupy.ndarray), f"a {type(result).__name__} came out, not a device's array"
        if case[0] in DRAWN and not any(placed.op.attrs.get(name) for name in ("seed", "seed2")):
            assert fetched(result).shape == np.shape(right)  # every run draws other numbers
            continue
        check(fetched(result), np.asarray(right), long=any(np.size(value) > 1000 for value in placed.inputs))
    for variable, right in zip(variables, wanted_variables, strict=True):
        assert isinstance(variable.array, strict_cupy.ndarray)
        check(fetched(variable), fetched(right))
        assert variable.updates == right.updates


#: ops for which the host waits for the device: for sizes, for what decides which way a rule goes, for errors
WAITS = {
    **dict.fromkeys(
        (
            "DynamicPartition", "SparseSegmentMeanGradV2", "SparseSegmentSqrtNGradV2", "SparseSegmentSumGradV2",
            "Unique", "UniqueWithCounts", "Where",
        ),
        "how much comes out depends on the values",
    ),
    **dict.fromkeys(
        (
            "ResourceScatterNdUpdate", "ResourceScatterUpdate", "ScatterNdUpdate", "ScatterUpdate", "SparseToDense",
            "TensorScatterUpdate",
        ),
        "rows that there are not are left out before the others are written",
    ),
    "Dilation2DBackpropInput": "its windows are gone through by the one that won",
    "CheckNumerics": "it is there to raise an error",
    "CropAndResize": "boxes of images that there are not are an error, on TensorFlow's GPUs too",
    "CropAndResizeGradBoxes": "the same",
    "CropAndResizeGradImage": "the same",
    "MatrixInverse": "a matrix without an inverse is an error, on TensorFlow's GPUs too",
    "MatrixSolve": "the same",
    "ReverseSequence": "lengths that are too great are an error, on TensorFlow's GPUs too",
    "SelfAdjointEigV2": "a matrix without eigenvalues is an error, on TensorFlow's GPUs too",
    "Svd": "a matrix without a decomposition becomes NaN",
    **dict.fromkeys(
        ("SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum", "SparseSegmentMean",
         "SparseSegmentSqrtN", "SparseSegmentSum"), "the last id says how many rows come out",
    ),
    **dict.fromkeys(
        ("ScatterMul", "ScatterDiv", "ResourceScatterMul", "ResourceScatterDiv", "UnsortedSegmentProd"),
        "CUDA has no atomic product: repeated rows go round by round",
    ),
    **dict.fromkeys(
        (
            "ApplyFtrl", "ApplyFtrlV2", "ApplyProximalAdagrad", "ResourceApplyFtrl", "ResourceApplyFtrlV2",
            "ResourceApplyProximalAdagrad", "ResourceSparseApplyAdadelta", "ResourceSparseApplyAdagrad",
            "ResourceSparseApplyAdagradV2", "ResourceSparseApplyFtrl", "ResourceSparseApplyFtrlV2",
            "ResourceSparseApplyKerasMomentum", "ResourceSparseApplyProximalAdagrad",
            "SparseApplyAdadelta", "SparseApplyAdagrad", "SparseApplyAdagradV2",
            "SparseApplyFtrl", "SparseApplyFtrlV2", "SparseApplyProximalAdagrad",
        ),
        "whether there is any shrinking, or any row twice, decides which way the rule goes",
    ),
    **dict.fromkeys(
        (
            "StatelessRandomNormalV2", "StatelessRandomUniformFullIntV2", "StatelessRandomUniformIntV2",
            "StatelessRandomUniformV2", "StatelessTruncatedNormalV2",
        ),
        "key and counter are small, and the kernel takes them as numbers",
    ),
}  # fmt: skip


def check(found: Any, wanted: Any, long: bool = False) -> None:
    """The same type, shape and numbers; `long` sums of floats may be added up in another order."""
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    if found.dtype.kind in "fc":
        tolerance = (
            1e-3
            if long
            else {2: 2e-3, 4: 2e-6, 8: 1e-12 if found.dtype.kind == "f" else 2e-6}.get(found.dtype.itemsize, 1e-12)
        )
        scale = float(np.max(np.abs(wanted[np.isfinite(wanted)]), initial=0.0))
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * scale)
    else:
        np.testing.assert_array_equal(found, wanted)


#: ops that are steps of their own, without a kernel
_STEPS = {"Enter", "Exit", "LoopCond", "Merge", "NextIteration", "RefEnter", "RefExit", "RefMerge", "RefNextIteration"}


def test_every_op_of_tensorflows_gpus_is_there_or_has_a_reason() -> None:
    """A kernel, or all arguments in the host's memory, or a line in `cpu_only`."""
    if not gpu_kernels._table:
        gpu_kernels._read()
    theirs = {type for type in REGISTRY if type in gpu_kernels._table}
    without = {type for type in theirs if "GPU" not in REGISTRY[type].kernels} - _STEPS
    on_host = {type for type in without if _always_on_host(type)}
    missing = without - on_host - set(REASONS)
    assert not missing, f"neither a kernel for GPUs nor a reason in cpu_only: {sorted(missing)}"
    wrong = {type for type in REASONS if type in REGISTRY} - (without - on_host)
    assert not wrong, f"a reason in cpu_only, but a kernel: {sorted(wrong)}"
    assert all(len(reason) > 20 for reason in REASONS.values())


def _always_on_host(type: str) -> bool:
    definition = REGISTRY[type]
    rules = gpu_kernels._hosts.get(type, [])
    if len(rules) != 1 or rules[0][0]:
        return False
    handles = {arg.name for arg in (*definition.inputs, *definition.outputs) if str(arg.dtype) in HANDLES}
    return {arg.name for arg in (*definition.inputs, *definition.outputs)} <= rules[0][1] | handles


HANDLES = {str(dtypes.resource), str(dtypes.variant), str(dtypes.string)}


def test_a_placement_gives_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    strict_cupy.install(monkeypatch)
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        with tf.device("/gpu:0"):
            order = tf.linalg.lu(tf.eye(3))[1]
        free = tf.image.non_max_suppression(tf.zeros([1, 4]), tf.zeros([1]), 1)
        assert session.run(order).tolist() == [0, 1, 2]
        placement = session.plans.placer.place(session.graph)
        assert placement.reason(order.op) == ("soft: no kernel", f"Lu of float32 on GPU: {REASONS['Lu']}")
        assert placement.reason(free.op).detail.endswith(f": {REASONS['NonMaxSuppressionV3']}")
