"""Every op in the registry keeps what it declares: static shapes, types, and what it does with memory.

One table for all families: each `samples_*.py` beside this file lists, for its op types, example inputs and attributes.
An op without a sample fails here, unless that file's `NOT_SAMPLED` says why it cannot have one.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.engine.ops.sampling import Node, collect, declared, flat, takes_state
from tfbench.engine import dtypes
from tfbench.engine.dtypes import DType
from tfbench.engine.opdef import OpDef, Preset
from tfbench.engine.shape_math import is_compatible

SAMPLES, EXCUSED = collect()
REGISTRY = declared()
CASES = [(type, i) for type, found in SAMPLES.items() if type in REGISTRY for i in range(len(found))]
#: functions of arrays alone: no variables, no random numbers
PURE = [
    case
    for case in CASES
    if not REGISTRY[case[0]].stateful and not takes_state(SAMPLES[case[0]][case[1]]) and REGISTRY[case[0]].kernels
]
SIGNATURES = json.loads((Path(__file__).parent / "op_signatures.json").read_text())


def case_id(case: Any) -> str:
    return f"{case[0]}-{case[1]}" if isinstance(case, tuple) else str(case)


def test_every_op_has_a_sample() -> None:
    missing = sorted(set(REGISTRY) - set(SAMPLES) - set(EXCUSED))
    assert not missing, f"no sample in tests/engine/ops/samples_*.py for {len(missing)} ops: {', '.join(missing)}"


def test_samples_are_of_known_ops() -> None:
    assert not set(SAMPLES) - set(REGISTRY)
    assert not set(EXCUSED) & set(SAMPLES), "an op has a sample and a reason for having none"
    assert all(len(reason) > 10 for reason in EXCUSED.values())


# -- signatures --------------------------------------------------------------------------------------------------


def described(opdef: OpDef) -> dict[str, Any]:
    """An op's signature in the form in which `record_signatures.py` writes TensorFlow's."""

    def argument(arg: Any) -> list[Any]:
        kind = arg.type_attr or arg.type_list_attr or arg.dtype.name
        return [arg.name, f"{arg.number_attr} * {kind}" if arg.number_attr else kind, arg.is_ref]

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(item) for item in value]
        if isinstance(value, DType):
            return value.name
        if isinstance(value, np.ndarray):
            return value.tolist()
        return str(value) if hasattr(value, "ndims") else value

    attrs = {
        name: [
            attr.kind,
            plain(attr.default) if attr.has_default else "required",
            sorted(map(plain, attr.allowed or [])),
        ]
        for name, attr in opdef.attrs.items()
    }
    return {
        "inputs": [argument(arg) for arg in opdef.inputs],
        "outputs": [argument(arg) for arg in opdef.outputs],
        "attrs": attrs,
        "stateful": opdef.stateful,
    }


@pytest.mark.parametrize("type", sorted(type for type in REGISTRY if SIGNATURES.get(type)))
def test_signature_is_tensorflows(type: str) -> None:
    wanted, found = SIGNATURES[type], described(REGISTRY[type])
    assert found["inputs"] == wanted["inputs"]
    assert found["outputs"] == wanted["outputs"]
    assert found["attrs"].keys() == wanted["attrs"].keys()
    for name, (kind, default, allowed) in wanted["attrs"].items():
        own_kind, own_default, own_allowed = found["attrs"][name]
        assert own_kind == kind, name
        assert own_default == default or own_default == pytest.approx(default), name
        assert own_allowed == allowed, name
    assert found["stateful"] == wanted["stateful"]


def test_every_signature_is_recorded() -> None:
    missing = sorted(set(REGISTRY) - set(SIGNATURES))
    assert not missing, f"{missing}: run tests/engine/ops/record_signatures.py with a Python that has TensorFlow"


def test_ops_that_tensorflow_lacks() -> None:
    """Op types of our own could not be exported to TensorFlow: there are none. One is of `tf.contrib.seq2seq`."""
    assert [type for type, signature in SIGNATURES.items() if signature is None] == ["GatherTree"]


# -- shapes and types -----------------------------------------------------------------------------------------------


def check_outputs(node: Node, results: list[Any]) -> None:
    assert len(results) == len(node.outputs)
    for tensor, result in zip(node.outputs, results):
        # A fetched scalar string is bytes, which NumPy would take for text of one length.
        array = np.asarray(result, object) if isinstance(result, bytes) else np.asarray(result)
        wanted = tensor.dtype.base_dtype
        assert array.dtype == np.dtype(wanted.as_numpy_dtype), f"{tensor} came out as {array.dtype}"
        assert is_compatible(tensor.static_shape, array.shape), f"{tensor} came out as {array.shape}"


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_static_shapes_and_types_are_true(case: tuple[str, int]) -> None:
    node = Node(case[0], SAMPLES[case[0]][case[1]])
    if node.outputs and node.outputs[0].dtype.base_dtype.name in ("resource", "variant"):
        pytest.skip("a handle has no value")
    check_outputs(node, node.run())


#: builds only where all shapes are known, as in TensorFlow
KNOWN_ONLY = {"ParallelConcat"}


@pytest.mark.parametrize("case", [case for case in PURE if case[0] not in KNOWN_ONLY], ids=case_id)
def test_unknown_ranks_build_and_run(case: tuple[str, int]) -> None:
    sample = SAMPLES[case[0]][case[1]]
    node = Node(case[0], sample, unknown=True)
    results = node.run()
    check_outputs(node, results)
    for result, wanted in zip(results, Node(case[0], sample).run()):
        np.testing.assert_array_equal(result, wanted)


# -- memory -----------------------------------------------------------------------------------------------------------


def bound(case: tuple[str, int]) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """The kernel, and fresh copies of the sample's inputs."""
    sample = SAMPLES[case[0]][case[1]]
    kernel = Node(case[0], sample).kernel()
    if isinstance(kernel, Preset):
        pytest.skip("a constant is no step of a run")
    return kernel, [np.array(value) for value in flat(sample[0])]


def outputs_of(case: tuple[str, int], result: Any) -> list[Any]:
    return list(result) if REGISTRY[case[0]].returns_tuple and result is not None else [result]


@pytest.mark.parametrize("case", PURE, ids=case_id)
def test_kernels_leave_their_inputs_alone(case: tuple[str, int]) -> None:
    kernel, arrays = bound(case)
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    with np.errstate(all="ignore"):
        kernel(*arrays)
    for array, was in zip(arrays, before):
        np.testing.assert_array_equal(array, was)


def broken_promise(opdef: Any, arrays: list[Any], first: list[Any], second: list[Any]) -> str | None:
    """What the results of two calls on the same arrays show to be wrong about an op's flags."""
    shared = [isinstance(out, np.ndarray) and any(np.shares_memory(out, array) for array in arrays) for out in first]
    if opdef.fresh:
        if any(shared):
            return "declared fresh, but returns memory of an input"
        for one, two in zip(first, second):
            if isinstance(one, np.ndarray) and one.ndim:
                if not one.flags.writeable:
                    return "declared fresh, but a fetch could not be written to"
                if np.shares_memory(one, two):
                    return "declared fresh, but two runs share memory"
    if opdef.aliases and arrays[0].size and isinstance(first[0], np.ndarray) and not shared[0]:
        return "declared an alias of its first input, but is a copy"
    if any(shared) and not (opdef.aliases or opdef.views):
        return "returns memory of an input without saying so (aliases=, views=)"
    return None


@pytest.mark.parametrize("case", PURE, ids=case_id)
def test_memory_is_as_declared(case: tuple[str, int]) -> None:
    kernel, arrays = bound(case)
    with np.errstate(all="ignore"):
        first, second = (outputs_of(case, kernel(*arrays)) for _ in range(2))
    assert broken_promise(REGISTRY[case[0]], arrays, first, second) is None


_KEPT = np.zeros(3)


@pytest.mark.parametrize(
    ("flags", "kernel", "problem"),
    [
        ({"fresh": True}, lambda x: x[1:], "memory of an input"),
        ({"fresh": True}, lambda x: _KEPT, "two runs share"),
        ({"fresh": True}, lambda x: np.broadcast_to(1.0, (3,)), "could not be written"),
        ({"fresh": True}, lambda x: x + 1, None),
        ({"aliases": True}, lambda x: x.copy(), "is a copy"),
        ({"aliases": True}, lambda x: x.reshape(3, 1), None),
        ({"views": True}, lambda x: x[::-1], None),
        ({}, lambda x: x[::-1], "without saying so"),
        ({}, lambda x: _KEPT, None),
    ],
)
def test_broken_promises_are_noticed(flags: dict[str, bool], kernel: Any, problem: str | None) -> None:
    opdef = SimpleNamespace(**{"fresh": False, "aliases": False, "views": False, **flags})
    x = np.arange(3.0)
    found = broken_promise(opdef, [x], [kernel(x)], [kernel(x)])
    assert found is None if problem is None else problem in str(found)


# -- numbers ----------------------------------------------------------------------------------------------------------

#: ops whose float results depend on the type itself
_OF_THE_TYPE = {"NextAfter", "Bitcast", "UnsortedSegmentMax", "UnsortedSegmentMin"}


def float_attr(type: str) -> str | None:
    """The type attribute that may be float16, float32 and float64 alike, if the op has one."""
    names = {arg.type_attr for arg in REGISTRY[type].inputs} - {None}
    for name in sorted(names):
        allowed = REGISTRY[type].attrs[name].allowed
        if allowed is None or {"float16", "float32", "float64"} <= {dtype.name for dtype in allowed}:
            return name
    return None


FLOATS = [
    case
    for case in PURE
    if case[0] not in _OF_THE_TYPE
    and float_attr(case[0])
    and any(np.asarray(value).dtype == np.float32 for value in flat(SAMPLES[case[0]][case[1]][0]))
]


@pytest.mark.parametrize("case", FLOATS, ids=case_id)
def test_float_types_agree(case: tuple[str, int]) -> None:
    inputs, attrs = SAMPLES[case[0]][case[1]]
    if any(getattr(value, "name", value) == "float32" for value in attrs.values()):
        pytest.skip("the attributes say float32")
    results = {}
    # A long running sum loses all digits of a float16, in TensorFlow as here.
    long = any(np.size(value) > 1000 for value in flat(inputs))
    for dtype in (np.float32, np.float64) if long else (np.float16, np.float32, np.float64):
        # Inputs of a fixed type stay what they are.
        own = [arg.type_attr or arg.type_list_attr for arg in REGISTRY[case[0]].inputs]
        sample = ([_as(value, dtype) if typed else value for value, typed in zip(inputs, own)], attrs)
        try:
            results[dtype] = Node(case[0], sample).run()
        except Exception as error:
            if "No OpKernel" in str(error):
                continue
            raise
    exact = results[np.float64]
    for dtype, tolerance in ((np.float32, 1e-4), (np.float16, 3e-2)):
        for result, wanted in zip(results.get(dtype, exact), exact):
            wanted = np.asarray(wanted)
            if wanted.dtype.kind in "fc":
                scale = float(np.max(np.abs(wanted[np.isfinite(wanted)]), initial=1.0))
                result = np.asarray(result, wanted.dtype)
                fine = np.isclose(result, wanted, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
                # What float16 cannot hold is infinite there.
                assert (fine | (np.isinf(result) & (np.abs(wanted) > 6e4))).all(), f"{dtype}: {result}, {wanted}"
            else:
                np.testing.assert_array_equal(result, wanted)


def _as(value: Any, dtype: Any) -> Any:
    if isinstance(value, list):
        return [_as(item, dtype) for item in value]
    array = np.asarray(value)
    return array.astype(dtype) if array.dtype == np.float32 else array


# -- Python operators in compiled plans -------------------------------------------------------------------------------

OPERATORS = sorted(type for type, opdef in REGISTRY.items() if opdef.operator is not None)
_SCALARS: dict[str, list[Any]] = {
    "f": [0.0, -0.0, 1.5, -2.0, 3e38, np.inf, -np.inf, np.nan],
    "i": [0, 1, -1, 7, 127, -128],
    "u": [0, 1, 7, 255],
    "b": [True, False],
    "c": [0j, 1 + 2j, -1.5j],
}


@pytest.mark.parametrize("type", OPERATORS)
def test_the_operator_means_what_the_kernel_does(type: str) -> None:
    """On every pair of scalars of every type that the op takes: same value, same type."""
    opdef = REGISTRY[type]
    kernel, operator = opdef.kernels["CPU"], str(opdef.operator)
    attrs = {name: opdef.defaults[name] for name in kernel.attrs if name in opdef.defaults}
    expression = "x" + operator + "y" if len(opdef.inputs) == 2 else operator + "x"
    tried = 0
    for dtype in _scalar_types(opdef):
        with np.errstate(all="ignore"):
            values = [np.dtype(dtype).type(value) for value in _SCALARS[np.dtype(dtype).kind]]
        for x in values:
            for y in values if len(opdef.inputs) == 2 else values[:1]:
                with np.errstate(all="ignore"):
                    try:
                        wanted = kernel.function(np, *([x, y] if len(opdef.inputs) == 2 else [x]), **attrs)
                    except Exception:
                        # Where the kernel refuses, a first run has refused before there is compiled code, or
                        # the operator does so itself.
                        continue
                    found = eval(expression, {"x": x, "y": y})
                assert found.dtype == wanted.dtype, (dtype, x, y)
                np.testing.assert_array_equal(found, wanted, err_msg=f"{x!r} {operator} {y!r}")
                tried += 1
    assert tried > 1


def _scalar_types(opdef: OpDef) -> list[Any]:
    attr = next((arg.type_attr for arg in opdef.inputs if arg.type_attr), None)
    allowed = opdef.attrs[attr].allowed if attr else tuple(arg.dtype for arg in opdef.inputs[:1])
    # An op of any type at all is tried on a type of each kind.
    any_type = (dtypes.float32, dtypes.int32, dtypes.uint8, dtypes.bool, dtypes.complex64)
    return [dtype.as_numpy_dtype for dtype in allowed or any_type if dtype.name not in ("bfloat16", "string")]
