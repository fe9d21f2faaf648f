"""Samples of state, branches and random numbers. Random ops are looked at for shapes and types only."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.ops.sampling import Handle, Ref

Sample = tuple[list[Any], dict[str, Any]]

X = np.array([[1.0, -2.0], [0.5, 3.0], [4.0, 5.0]], np.float32)
LONG = np.array([5, 6, 7])
ROWS = np.array([0, 2], np.int32)
PAIRS = np.array([[0, 1], [2, 0]])
SHAPE = np.array([2, 3], np.int32)
LONG_SHAPE = np.array([2, 3])
SEED = np.array([1, 2], np.int32)
KEY = [np.array([7], np.uint64), np.array([1, 2], np.uint64), np.array(1, np.int32)]
LOGITS = np.log(np.array([[0.2, 0.8], [0.5, 0.5]], np.float32))
SEEDS = {"seed": 1, "seed2": 2}


def scatters(state: type[Ref]) -> list[Sample]:
    """Rows written at a vector of indices, at one index, and nowhere; a scalar for all of them."""
    none = np.zeros((0, 2), np.float32)
    return [
        ([state(X), ROWS, X[:2]], {}),
        ([state(X), np.array(1), X[0]], {}),
        ([state(X), np.zeros(0, np.int32), none], {}),
        ([state(LONG), ROWS, np.array(3)], {}),
    ]


def scatters_nd(state: type[Ref]) -> list[Sample]:
    return [([state(X), PAIRS, X[:2, 0]], {}), ([state(X), ROWS[:, None], X[:2]], {})]


def floats(*inputs: Any, **attrs: Any) -> list[Sample]:
    return [(list(inputs), {"dtype": kind, **attrs}) for kind in ("float16", "bfloat16", "float32", "float64")]


SAMPLES: dict[str, list[Sample]] = {
    "ControlTrigger": [([], {})],
    "RefIdentity": [([Ref(X)], {}), ([Ref(LONG)], {})],
    "IsVariableInitialized": [([Ref(X)], {})],
    "Assign": [([Ref(X), X + 1], {}), ([Ref(X), X], {"validate_shape": False})],
    "CountUpTo": [([Ref(3)], {"limit": 5})],
    "VarHandleOp": [([], {"dtype": "float32", "shape": [2]})],
    "DisableCopyOnRead": [([Handle(X)], {})],
    "VarIsInitializedOp": [([Handle(X)], {})],
    "ReadVariableOp": [([Handle(X)], {"dtype": "float32"}), ([Handle(LONG)], {"dtype": "int64"})],
    "AssignVariableOp": [([Handle(X), X + 1], {})],
    "ResourceGather": [
        ([Handle(X), ROWS], {"dtype": "float32"}),
        ([Handle(X), PAIRS], {"dtype": "float32"}),
    ],
    "VariableShape": [([Handle(X)], {}), ([Handle(X)], {"out_type": "int64"})],
    "ResourceCountUpTo": [([Handle(3)], {"limit": 5, "T": "int64"})],
    "DestroyResourceOp": [([Handle(X)], {})],
    **{type: [([Ref(X), X], {}), ([Ref(LONG), LONG], {})] for type in ("AssignAdd", "AssignSub")},
    **{
        type: [([Handle(X), X], {}), ([Handle(LONG), LONG], {})]
        for type in ("AssignAddVariableOp", "AssignSubVariableOp")
    },
    **{f"Scatter{name}": scatters(Ref) for name in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")},
    **{f"ResourceScatter{name}": scatters(Handle) for name in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")},
    **{f"ScatterNd{name}": scatters_nd(Ref) for name in ("Update", "Add", "Sub")},
    **{f"ResourceScatterNd{name}": scatters_nd(Handle) for name in ("Update", "Add", "Sub")},
    "IdentityN": [([[X, LONG]], {}), ([[np.array(True)]], {})],
    "RandomUniform": [*floats(SHAPE, **SEEDS), *floats(LONG_SHAPE), *floats(np.zeros(0, np.int32))],
    "RandomStandardNormal": [*floats(SHAPE, **SEEDS), *floats(LONG_SHAPE * 0)],
    "TruncatedNormal": floats(SHAPE, **SEEDS),
    "RandomUniformInt": [([SHAPE, np.array(-3, kind), np.array(4, kind)], SEEDS) for kind in (np.int32, np.int64)],
    "RandomShuffle": [([X], SEEDS), ([LONG], {}), ([np.array(3)], {})],
    "Multinomial": [
        ([LOGITS, np.array(5, np.int32)], SEEDS),
        ([LOGITS.astype(np.float64), np.array(0, np.int32)], {"output_dtype": "int32"}),
    ],
    "RandomGamma": [([SHAPE, np.array([0.5, 2.0], kind)], SEEDS) for kind in (np.float16, np.float32, np.float64)],
    "RandomPoissonV2": [
        ([SHAPE, np.array([0.5, 20.0])], SEEDS),
        ([LONG_SHAPE, np.array(3, np.int32)], {"dtype": "float32"}),
    ],
    "ParameterizedTruncatedNormal": [
        ([np.array([2, 4], np.int32), *np.array([[0.0], [1.0], [-2.0], [1.5]], np.float32)], SEEDS),
        ([np.array([2, 4], np.int32), *np.array([[0.0, 5.0], [1.0, 2.0], [-2.0, 1.0], [1.5, 9.0]])], SEEDS),
    ],
    "StatelessRandomGetKeyCounter": [([SEED], {}), ([SEED.astype(np.int64)], {})],
    **{
        name: floats(SHAPE, SEED)
        for name in ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal")
    },
    **{
        f"{name}V2": floats(SHAPE, *KEY)
        for name in ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal")
    },
    "StatelessRandomUniformInt": [([SHAPE, SEED, np.array(-3, np.int32), np.array(4, np.int32)], {"dtype": "int32"})],
    "StatelessRandomUniformIntV2": [([LONG_SHAPE, *KEY, np.array(-3), np.array(4)], {"dtype": "int64"})],
    "StatelessRandomUniformFullInt": [([SHAPE, SEED], {"dtype": kind}) for kind in ("int32", "uint64")],
    "StatelessRandomUniformFullIntV2": [([SHAPE, *KEY], {"dtype": kind}) for kind in ("uint32", "int64")],
    "StatelessMultinomial": [
        ([LOGITS, np.array(5, np.int32), SEED], {}),
        ([LOGITS.astype(np.float64), np.array(2, np.int32), SEED], {"output_dtype": "int32"}),
    ],
    "StatelessRandomGammaV3": [
        ([np.array([4, 2], np.int32), *KEY, np.array([0.5, 2.0], kind)], {}) for kind in (np.float32, np.float64)
    ],
    "StatelessRandomPoisson": [
        ([np.array([4, 2], np.int32), SEED, np.array([0.5, 20.0])], {"dtype": "int64"}),
        ([np.array([4], np.int32), SEED, np.array(3.0, np.float32)], {"dtype": "float32"}),
    ],
}

_LOOPS = "it means something in a loop only; tested in the facts of loops"

NOT_SAMPLED = {
    **dict.fromkeys(["Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration", "LoopCond"], _LOOPS),
    "VariableV2": "it has no value before an Assign; it is the Ref input of the samples of other ops",
    "Switch": "one of its outputs is dead in every run; tested in the facts of control flow",
    "RefSwitch": "one of its outputs is dead in every run; tested in the facts of control flow",
    "Merge": "it takes whichever input is alive, and a sample's are all; tested in the facts of control flow",
    "RefMerge": "it takes whichever input is alive, and a sample's are all; tested in the facts of control flow",
}
