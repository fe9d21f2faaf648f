"""Candidate samplers: a few classes, from a stream that a session keeps, and how often each was to be expected."""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, OpDef, op
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.ops.random_common import seed_attrs, stream_of
from tfbench.engine.resources import Resource
from tfbench.engine.shape_math import with_rank

__all__ = [
    "all_candidate_sampler", "compute_accidental_hits", "fixed_unigram_candidate_sampler",
    "learned_unigram_candidate_sampler", "log_uniform_candidate_sampler", "uniform_candidate_sampler",
]  # fmt: skip

_OUTPUTS = "sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float"
_HEAD = "num_true: int >= 1; num_sampled: int >= 1; unique: bool"
_SEEDS = "seed: int = 0; seed2: int = 0"


def _sampler(type: str, attrs: str) -> OpDef:
    opdef = op(type, "true_classes: int64", _OUTPUTS, f"{_HEAD}; {attrs}{_SEEDS}", stateful=True, fresh=True)
    opdef.shape(_sampled_shape)
    opdef.no_gradient("classes are drawn, not computed")
    return opdef


def _sampled_shape(node: Operation, classes: Any) -> Any:
    batch = with_rank(classes, 2)[0]
    count = (node.attrs["num_sampled"],)
    return [count, (batch, node.attrs["num_true"]), count]


_RANGE = "range_max: int >= 1; "
uniform_op = _sampler("UniformCandidateSampler", _RANGE)
log_uniform_op = _sampler("LogUniformCandidateSampler", _RANGE)
learned_unigram_op = _sampler("LearnedUnigramCandidateSampler", _RANGE)
unsafe_unigram_op = _sampler("ThreadUnsafeUnigramCandidateSampler", _RANGE)
fixed_unigram_op = _sampler(
    "FixedUnigramCandidateSampler",
    _RANGE + "vocab_file: string = ''; distortion: float = 1.0; num_reserved_ids: int = 0; num_shards: int >= 1 = 1; "
    "shard: int >= 0 = 0; unigrams: list(float) = []; ",
)
all_op = _sampler("AllCandidateSampler", "")
hits_op = op(
    "ComputeAccidentalHits",
    "true_classes: int64, sampled_candidates: int64",
    "indices: int32, ids: int64, weights: float",
    f"num_true: int; {_SEEDS}",
    fresh=True,
)


@hits_op.shape
def _hits_shape(node: Operation, classes: Any, sampled: Any) -> Any:
    with_rank(classes, 2)
    with_rank(sampled, 1)
    return [(None,)] * 3


hits_op.no_gradient("where classes agree is no number that changes little by little")


# -- kernels ----------------------------------------------------------------------------------------------------------


def _kernels() -> Any:
    return importlib.import_module("tfbench.engine.kernels.candidate_samplers")


def _drawing(context: Any, sampler: Any) -> Callable[[Any], Any]:
    kernels, stream, attrs = _kernels(), stream_of(context), context.attrs
    num_true, count, unique = attrs["num_true"], attrs["num_sampled"], attrs["unique"]
    return lambda classes: kernels.sample(sampler, stream, classes, num_true, count, unique)


@uniform_op.bind(CPU)
def _bind_uniform(context: Any) -> Any:
    return _drawing(context, _kernels().Uniform(context.attrs["range_max"]))


@log_uniform_op.bind(CPU)
def _bind_log_uniform(context: Any) -> Any:
    return _drawing(context, _kernels().LogUniform(context.attrs["range_max"]))


class _Learned(Resource):
    """What a learning sampler of one session has counted, as a resource. Another op of the same name starts anew."""

    __slots__ = ("op", "sampler")

    def __init__(self, op: Operation) -> None:
        self.op = weakref.ref(op)
        self.sampler = _kernels().LearnedUnigram(op.attrs["range_max"])

    def snapshot(self) -> Any:
        return self.sampler.counts.copy()

    def restore(self, counts: Any) -> None:
        self.sampler.counts = np.array(counts)


_LEARNED = "<learned samplers>"


def _bind_learned(context: Any) -> Any:
    node, resources = context.op, context.resources
    found = resources.find(_LEARNED, node.name)
    if found is not None and found.op() is not node:
        resources.remove(_LEARNED, node.name)
    held: _Learned = resources.get(_LEARNED, node.name, lambda: _Learned(node))
    return _drawing(context, held.sampler)


learned_unigram_op.bind(CPU)(_bind_learned)
unsafe_unigram_op.bind(CPU)(_bind_learned)


@fixed_unigram_op.bind(CPU)
def _bind_fixed(context: Any) -> Any:
    kernels, attrs = _kernels(), context.attrs
    made: list[Any] = []

    def sample(classes: Any) -> Any:
        # Made by the first run, so that what is wrong with the weights is an error of that run.
        if not made:
            names = ("unigrams", "vocab_file", "distortion", "num_reserved_ids", "num_shards", "shard")
            weights = kernels.unigram_weights(*(attrs[name] for name in names))
            if len(weights) != attrs["range_max"]:
                raise kernels.invalid(f"range is {attrs['range_max']} must be equal to weights size  {len(weights)}")
            made.append(_drawing(context, kernels.FixedUnigram(attrs["range_max"], weights)))
        return made[0](classes)

    return sample


@all_op.bind(CPU)
def _bind_all(context: Any) -> Any:
    kernels, attrs = _kernels(), context.attrs
    return lambda classes: kernels.every_class(classes, attrs["num_true"], attrs["num_sampled"])


@hits_op.bind(CPU)
def _bind_hits(context: Any) -> Any:
    kernels, num_true = _kernels(), context.attrs["num_true"]
    return lambda classes, sampled: kernels.accidental_hits(classes, sampled, num_true)


# -- public functions -------------------------------------------------------------------------------------------------


def _ranged(opdef: OpDef, how: str) -> Callable[..., Any]:
    def sampler(
        true_classes: Any,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int,
        seed: Any = None,
        name: str | None = None,
    ) -> Any:
        outputs = opdef(
            true_classes,
            num_true=num_true,
            num_sampled=num_sampled,
            unique=unique,
            range_max=range_max,
            name=name,
            **seed_attrs(seed),
        )
        return named_outputs(opdef, outputs)

    sampler.__doc__ = f"""`num_sampled` of the classes 0 … range_max-1, {how}.

    Returns (sampled_candidates, true_expected_count, sampled_expected_count). With `unique`, no class comes twice.
    `true_classes` is `(batch, num_true)`.
    """
    return sampler


uniform_candidate_sampler = _ranged(uniform_op, "each as likely as the others")
log_uniform_candidate_sampler = _ranged(log_uniform_op, "low numbers more often, as words sorted by frequency come")
learned_unigram_candidate_sampler = _ranged(
    learned_unigram_op, "as often as they were true classes so far in the session, plus one"
)


def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Any = (),
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """`num_sampled` of the classes 0 … range_max-1, by the weights `unigrams` (or those behind the commas of a file).

    Weights are raised to the power `distortion`; the first `num_reserved_ids` classes are never drawn.
    """
    outputs = fixed_unigram_op(
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
        vocab_file=vocab_file,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=unigrams,
        name=name,
        **seed_attrs(seed),
    )
    return named_outputs(fixed_unigram_op, outputs)


def all_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: Any = None, name: str | None = None
) -> Any:
    """All classes 0 … num_sampled-1 in order: to compare a sampled loss with the whole one."""
    outputs = all_op(
        true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique, name=name, **seed_attrs(seed)
    )
    return named_outputs(all_op, outputs)


def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: int, seed: Any = None, name: str | None = None
) -> Any:
    """(indices, ids, weights): the rows and sample positions where a sampled class is one of the row's true ones."""
    outputs = hits_op(true_classes, sampled_candidates, num_true=num_true, name=name, **seed_attrs(seed))
    return named_outputs(hits_op, outputs)
