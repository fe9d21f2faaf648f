"""Every op in the registry has a gradient that finite differences confirm, or says why it has none.

What is differentiated are the samples beside this file (`samples_*.py`), or, where those lie at a kink or outside the
domain, the ones that `DIFFERENTIATED` of the same files has for the type. `PREPARED` there has functions of the op's
inputs that keep them in the domain. `op_gradients.json` says what TensorFlow's own registry holds: a gradient function,
that there is none, or nothing at all (then asking is an error).
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.engine.ops.differentiation import Differentiated
from tests.engine.ops.sampling import collect, collected, declared, flat
from tfbench.engine.gradients.registry import gradient_function, load
from tfbench.engine.gradients.ruled_out import RULED_OUT

SAMPLES, _ = collect()
SAMPLES.update(collected("DIFFERENTIATED"))
PREPARED = collected("PREPARED")
REGISTRY = declared()
load()
TENSORFLOW: dict[str, str] = json.loads((Path(__file__).parent / "op_gradients.json").read_text())

#: Op types that have neither yet. This list only gets shorter.
MISSING: frozenset[str] = frozenset()

#: whose gradients no difference can show, and what shows them instead
ELSEWHERE: dict[str, str] = {
    **dict.fromkeys(
        (f"FakeQuantWithMinMax{kind}" for kind in ("Args", "Vars", "VarsPerChannel")),
        "on purpose it is not that of a function in steps, but of the line they follow; tested in the facts",
    ),
    **dict.fromkeys(
        ("RandomGamma", "StatelessRandomGammaV3"),
        "samples move along their distribution, not as the generator would draw them; tested in test_special_slopes",
    ),
    "LSTMBlockCell": "two of its seven results are differentiated alone; tested in the facts of rnn_cells",
    "PreventGradient": "it refuses to be differentiated; tested in the facts of array_misc",
    "EagerPyFunc": "it calls a Python function; tested in the facts of py_function",
    "SparseDenseCwiseAdd": "TensorFlow has not implemented it, and says so",
    **dict.fromkeys(
        ("Enter", "Exit", "Merge", "NextIteration", "RefEnter", "RefExit", "RefMerge", "RefNextIteration", "RefSwitch",
         "Switch", "LoopCond"),
        "it has a meaning only within a branch or a loop; tested in the facts of control flow",
    ),
    **dict.fromkeys(
        (f"TensorArray{method}{version}"
         for method in ("Read", "Write", "Gather", "Scatter", "Concat", "Split") for version in ("", "V2", "V3")),
        "it takes a handle, which lives only within a run; tested in the facts of tensor_arrays",
    ),
}  # fmt: skip

#: Inputs (by position) that count as constant in TensorFlow, although the result depends on them. (Of the gradients of
#: the others they may be known to be variables again.)
CONSTANT: dict[str, set[int]] = {
    # a number that only serves to keep the system well-posed
    "MatrixSolveLs": {2},
    # what is written where nothing else is
    "MatrixDiagPartV3": {2},
    "MatrixDiagV3": {4},
    "PadV2": {2},
    # given statistics
    "FusedBatchNorm": {3, 4},
    "FusedBatchNormV2": {3, 4},
    "FusedBatchNormV3": {3, 4},
    # given, or the images' own: then they depend on these, and are not looked at
    "FusedBatchNormGrad": {3, 4},
    "FusedBatchNormGradV2": {3, 4},
    "FusedBatchNormGradV3": {3, 4, 5},
    # a parameter rather than a variable
    "Betainc": {0, 1},
    "Polygamma": {0},
    "Zeta": {0},
}

#: How many of an op's results TensorFlow differentiates, where those after them depend on the inputs too.
RESULTS: dict[str, int] = {
    "CTCLoss": 1,
    "FusedBatchNorm": 1,
    "FusedBatchNormV2": 1,
    "FusedBatchNormV3": 1,
    "SoftmaxCrossEntropyWithLogits": 1,
}

#: whose gradient's own gradient is TensorFlow's, but not the derivative
FIRST_ONLY: dict[str, str] = {
    "CTCLoss": "the second one is refused",
    "SparseAdd": "its gradient counts as having none, though it is linear",
    "SparseSoftmax": "the second one is not implemented",
    "SoftmaxCrossEntropyWithLogits": "it counts as constant in the labels what holds only where they add up to 1",
    "ResizeBilinear": "its gradient counts as having none, though it is linear",
    "Zeta": "its slope in q is a zeta of x, which counts as constant there again",
}

#: whose gradient needs known sizes, as TensorFlow's does: which formula holds depends on them
SIZES_KNOWN = {"ExtractImagePatches", "Qr", "Svd"}

#: samples whose gradient is TensorFlow's, but not the derivative, or refused by both: the difference must show
NOT_THE_DERIVATIVE: dict[str, str] = {
    **dict.fromkeys(
        ("SparseSparseMaximum-0", "SparseSparseMaximum-1", "SparseSparseMinimum-0"), "it counts as constant"
    ),
    **dict.fromkeys(
        ("Eig-2", "SelfAdjointEigV2-2", "Svd-3"),
        "complex vectors are determined but for their phases, and turn with any change",
    ),
    **dict.fromkeys(
        ("MatrixSolveLs-2", "MatrixSolveLs-3"), "the orthogonal decomposition has no gradient, the normal equations do"
    ),
    "Qr-5": "the full q of a matrix that is higher than wide is not determined",
    "MatrixSquareRoot-1": "it transposes complex matrices without a conjugate",
    "Einsum-5": "axes of '...' that the result lacks",
    "Cumprod-4": "it leaves out the conjugate of complex factors",
    "ConcatV2-1": "the axis is int64, and TensorFlow's gradient of it does not build",
    "EuclideanNorm-11": "it divides the complex numbers by their norm, which is complex too, without a conjugate",
    "MulNoNan-6": "it leaves out the conjugate of complex factors",
    "MatrixDeterminant-2": "it leaves out the conjugate of a complex determinant",
    "LogMatrixDeterminant-2": "it counts the sign as constant, which turns if it is complex",
    "MaxPool-5": "pooling over channels has no gradient kernel on the CPU",
    "MaxPool3DGradGrad-0": "for doubles it needs an op that takes none",
    "MaxPool-6": "with explicit paddings there is no second gradient",
    "Sign-6": "a complex sign turns with its number; the gradient is zero",
    "SoftmaxCrossEntropyWithLogits-1": "the gradient of labels that are broadcast has the wrong shape, an error",
    "Xdivy-6": "it leaves out the conjugate of complex factors",
    "TensorScatterUpdate-0": "of updates to the same place each gets the whole gradient",
}


def is_decided(type: str) -> bool:
    if REGISTRY[type].gradient_function is not None:
        return True
    # An op that TensorFlow differentiates may not say that it is not known what its gradient is.
    return REGISTRY[type].no_gradient_reason is not None and (type in RULED_OUT) == (TENSORFLOW[type] != "absent")


def test_every_op_has_a_gradient_or_a_reason() -> None:
    missing = sorted(type for type in REGISTRY if not is_decided(type) and type not in MISSING)
    assert not missing, f"no gradient, and no `.no_gradient(reason)`, for {len(missing)} ops: {', '.join(missing)}"


def test_what_is_missing_is_really_missing() -> None:
    done = sorted(type for type in MISSING if type not in REGISTRY or is_decided(type))
    assert not done, f"take these out of MISSING: {', '.join(done)}"


def test_reasons_say_something() -> None:
    short = [type for type, opdef in REGISTRY.items() if len(opdef.no_gradient_reason or "long enough") < 10]
    assert not short
    both = [type for type, opdef in REGISTRY.items() if opdef.no_gradient_reason and opdef.gradient_function]
    assert not both, "a gradient and a reason for having none"


def test_long_gradients_are_not_in_the_blocks_of_ops() -> None:
    """A block is read in one look: a gradient of more than four lines is in `engine/gradients`."""
    long = []
    for type, opdef in REGISTRY.items():
        function = opdef.gradient_function
        if function is None or ".engine.ops." not in function.__module__:
            continue
        (parsed,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
        assert isinstance(parsed, ast.FunctionDef), type
        body = parsed.body[1:] if ast.get_docstring(parsed) else parsed.body
        if (body[-1].end_lineno or 0) - body[0].lineno >= 4:
            long.append(type)
    assert not long


def test_what_tensorflow_says_is_recorded() -> None:
    missing = sorted(set(REGISTRY) - set(TENSORFLOW))
    assert not missing, f"{missing}: run tests/engine/ops/record_signatures.py with a Python that has TensorFlow"


@pytest.mark.parametrize("type", sorted(set(REGISTRY) - MISSING))
def test_asking_is_answered_as_by_tensorflow(type: str) -> None:
    """A function, None, or an error: which of them makes the difference between no gradient and a mistake."""
    assert answer(type) in ACCEPTED[TENSORFLOW[type]], f"TensorFlow: {TENSORFLOW[type]}"


def answer(type: str) -> str:
    asked: Any = SimpleNamespace(name="asked", type=type, _inputs=(None,), attrs={}, op_def=REGISTRY[type])
    try:
        return "none" if gradient_function(asked) is None else "function"
    except LookupError:
        return "absent"


#: Some functions of TensorFlow's return None whatever comes: here that is a reason.
ACCEPTED = {"function": {"function", "none"}, "none": {"none"}, "absent": {"absent"}}


# -- differences --------------------------------------------------------------------------------------------------


def usable(type: str, sample: Any) -> bool:
    """Whether anything in the sample can be differentiated: finite numbers with a fraction, and not nothing at all."""
    if REGISTRY[type].stateful and "seed" in REGISTRY[type].attrs:
        return False
    arrays = [np.asarray(getattr(value, "value", value)) for value in flat(sample[0])]
    floats = [array for array in arrays if array.dtype.kind in "fcV" and array.dtype.names is None]
    if sum(array.size for array in floats) > 2000:
        return False  # among many numbers some are equal, as far as differences can see
    return any(array.size for array in floats) and all(np.isfinite(array).all() for array in floats)


TYPES = sorted(type for type, opdef in REGISTRY.items() if opdef.gradient_function and type not in ELSEWHERE)
CASES = [(type, i) for type in TYPES for i, sample in enumerate(SAMPLES.get(type, [])) if usable(type, sample)]


def case_id(case: tuple[str, int]) -> str:
    return f"{case[0]}-{case[1]}"


def differentiated(case: tuple[str, int], **options: bool) -> Differentiated:
    type, i = case
    found = Differentiated(type, SAMPLES[type][i], PREPARED.get(type), RESULTS.get(type), **options)
    if not found.ys or not found.finite:
        pytest.skip("the result is not finite, or has no fraction")
    return found


def test_every_gradient_has_a_sample_to_check_it() -> None:
    missing = sorted(set(TYPES) - {type for type, _ in CASES})
    assert not missing, f"no finite sample (DIFFERENTIATED in tests/engine/ops/samples_*.py) for: {', '.join(missing)}"


def marked(case: tuple[str, int]) -> Any:
    reason = NOT_THE_DERIVATIVE.get(case_id(case))
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(case, marks=marks, id=case_id(case))


@pytest.mark.filterwarnings("ignore:Converting sparse")
@pytest.mark.parametrize("case", [marked(case) for case in CASES])
def test_gradients_agree_with_differences(case: tuple[str, int]) -> None:
    one = differentiated(case)
    constant = frozenset(CONSTANT.get(case[0], ()))
    first = one.first()
    assert not [i for i, grad in zip(one.positions, first) if i in constant and grad is not None]
    one.check(one.ys, one.ws, first, one.xs, constant)
    if case[0] in FIRST_ONLY or all(grad is None for grad in first):
        return
    try:
        known, weights, second = one.second(first)
    except LookupError as error:
        # Neither does TensorFlow differentiate this gradient again: the op that is in the way says so.
        (blocking,) = re.findall(r"op type: (\w+)", str(error))
        assert TENSORFLOW[blocking] == "absent" or blocking in MISSING, blocking
        return
    one.check(known, weights, second, [*one.xs, *one.ws], constant, looser=10)


@pytest.mark.filterwarnings("ignore:Converting sparse")
@pytest.mark.parametrize("case", [case for case in CASES if case_id(case) not in NOT_THE_DERIVATIVE], ids=case_id)
def test_gradients_of_unknown_ranks_and_single_precision(case: tuple[str, int]) -> None:
    one = differentiated(case)
    exact = one.run([grad for grad in one.first() if grad is not None])
    for options, tolerance in (({"unknown": True}, 1e-10), ({"single": True}, 1e-4)):
        if "unknown" in options and case[0] in SIZES_KNOWN:
            continue
        other = differentiated(case, **options)
        found = other.run([grad for grad in other.first() if grad is not None])
        assert len(found) == len(exact)
        for a, b in zip(found, exact):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, np.abs(b).max(initial=0.0)))


def test_what_is_not_the_derivative_is_looked_at() -> None:
    assert not set(NOT_THE_DERIVATIVE) - set(map(case_id, CASES))
    assert not (set(ELSEWHERE) | set(FIRST_ONLY) | set(CONSTANT)) - set(REGISTRY)
