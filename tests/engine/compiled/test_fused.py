"""Fused regions by themselves: descriptions as text, compiled and compared with NumPy."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest

from tfbench.engine.compiled import tier

pytestmark = pytest.mark.skipif(not tier.installed(), reason="the extra `fast` is not installed")

KINDS = {"f4": np.float32, "f8": np.float64, "i4": np.int32, "i8": np.int64, "b1": np.bool_}


def _run(inputs: list[Any], members: list[Any], outputs: list[Any]) -> list[Any]:
    """What the code for a description makes of these arrays; a member is type, attributes, operands, results."""
    from tfbench.engine.compiled import fused

    kinds = {np.dtype(kind): name for name, kind in KINDS.items()}
    text = json.dumps({
        "inputs": [[kinds[np.asarray(x).dtype], np.shape(x)] for x in inputs],
        "members": members,
        "outputs": outputs,
    })  # fmt: skip
    lowered = fused.Lowered(text)
    made = [np.empty(members[member][3][number][1], KINDS[members[member][3][number][0]]) for member, number in outputs]
    with tier.using(tier.WAIT):
        run = tier.kernel("fused", "region", text).ready(1)
    assert run is not None
    run(*inputs, *made, np.empty(lowered.scratch, np.int8), 0, 1)
    return made


@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 5, 1), (4, 1, 3), (6,), (3, 2, 1, 4)])
def test_reductions_over_any_axes(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape).astype(np.float32), rng.normal(size=shape), rng.integers(-9, 9, shape, np.int32)]
    subsets = [axes for count in range(len(shape) + 1) for axes in itertools.combinations(range(len(shape)), count)]
    members, wanted = [], []
    for number, (array, kind) in enumerate(zip(arrays, ("f4", "f8", "i4"), strict=True)):
        for axes, (name, function) in itertools.product(
            subsets, (("Sum", np.sum), ("Max", np.max), ("Min", np.min))
        ):  # fmt: skip
            result = function(array, axis=axes)
            members.append([name, {"axes": list(axes)}, [["x", number]], [[kind, np.shape(result)]]])
            wanted.append(result)
    made = _run(arrays, members, [[number, 0] for number in range(len(members))])
    for one, two in zip(made, wanted, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("labels", ["i4", "i8"])
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("classes", [1, 7, 40])
def test_losses(kind: str, labels: str, classes: int) -> None:
    rng = np.random.default_rng(0)
    logits = (rng.normal(size=(9, classes)) * 4).astype(KINDS[kind])
    right = rng.integers(0, classes, 9).astype(KINDS[labels])
    result = [[kind, [9]], [kind, [9, classes]]]
    members = [
        ["SparseSoftmaxCrossEntropyWithLogits", {}, [["x", 0], ["x", 1]], result],
        ["Softmax", {}, [["x", 0]], [[kind, [9, classes]]]],
        ["LogSoftmax", {}, [["x", 0]], [[kind, [9, classes]]]],
        ["SoftmaxCrossEntropyWithLogits", {}, [["x", 0], ["t", 1, 0]], result],
    ]
    loss, slope, share, logarithm, other, _ = _run(
        [logits, right], members, [[0, 0], [0, 1], [1, 0], [2, 0], [3, 0], [3, 1]]
    )
    wide = logits.astype(np.float64)
    below = wide - wide.max(1, keepdims=True)
    expected = below - np.log(np.exp(below).sum(1, keepdims=True))
    close: dict[str, Any] = {"rtol": 2e-6, "atol": 2e-6} if kind == "f4" else {"rtol": 1e-12, "atol": 1e-13}
    np.testing.assert_allclose(logarithm, expected, **close)
    np.testing.assert_allclose(share, np.exp(expected), **close)
    np.testing.assert_allclose(loss, -expected[np.arange(9), right], **close)
    np.testing.assert_allclose(slope, np.exp(expected) - np.eye(classes)[right], **close)
    np.testing.assert_allclose(other, -(np.exp(expected) * expected).sum(1), **close)


def test_views_of_inputs_and_of_each_other_are_copied() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    members = [
        ["Identity", {}, [["x", 0]], [["f4", [2, 3]]]],
        ["Reshape", {}, [["x", 0]], [["f4", [3, 2]]]],
        ["Neg", {}, [["x", 0]], [["f4", [2, 3]]]],
        ["Reshape", {}, [["t", 2, 0]], [["f4", [6]]]],
        ["Sum", {"axes": [1]}, [["t", 2, 0]], [["f4", [2, 1]]]],
        ["BroadcastTo", {}, [["t", 4, 0]], [["f4", [2, 3]]]],
        ["Fill", {}, [["c", "f4", 2.5]], [["f4", [2, 3]]]],
    ]
    made = _run([x], members, [[number, 0] for number in range(len(members))])
    wanted = [x, x.reshape(3, 2), -x, -x.reshape(6), -x.sum(1, keepdims=True), None, np.full((2, 3), 2.5)]
    wanted[5] = np.broadcast_to(wanted[4], (2, 3))
    for one, two in zip(made, wanted, strict=True):
        assert np.array_equal(one, two)
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations([x, *made], 2))


def test_other_arrays_than_it_is_for_are_refused() -> None:
    from tfbench.engine.compiled import fused

    text = json.dumps(
        {"inputs": [["f4", [2, 3]]], "members": [["Neg", {}, [["x", 0]], [["f4", [2, 3]]]]], "outputs": [[0, 0]]}
    )
    with tier.using(tier.WAIT):
        run = tier.kernel("fused", "region", text).ready(1)
    assert run is not None
    assert fused.Lowered(text).parts
    out, none = np.full((2, 3), 7, np.float32), np.empty(0, np.int8)
    for wrong in (
        np.zeros((3, 2), np.float32),
        np.zeros(6, np.float32),
        np.zeros((2, 3)),
        np.zeros((3, 2), np.float32).T,
        np.zeros((2, 6), np.float32)[:, ::2],
        np.zeros((2, 3), ">f4"),
    ):
        with pytest.raises(TypeError, match="argument 1"):
            run(wrong, out, none, 0, 1)
    assert (out == 7).all()
    run(np.ones((2, 3), np.float32), out, none, 0, 1)
    assert (out == -1).all()


def test_what_has_no_code_is_refused() -> None:
    from tfbench.engine.compiled import fused

    with pytest.raises(fused.Refused, match="Conv2D"):
        fused.Lowered(
            json.dumps({"inputs": [["f4", [2]]], "members": [["Conv2D", {}, [["x", 0]], [["f4", [2]]]]], "outputs": []})
        )
