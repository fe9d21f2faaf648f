"""`tf.random`: random numbers under their newer names, and those that come from a seed tensor."""

from __future__ import annotations

from tfbench.engine.ops.nn_sampling import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from tfbench.engine.ops.random import random_normal as normal
from tfbench.engine.ops.random import random_shuffle as shuffle
from tfbench.engine.ops.random import random_uniform as uniform
from tfbench.engine.ops.random import truncated_normal
from tfbench.engine.ops.random_common import get_seed, set_random_seed
from tfbench.engine.ops.random_samples import categorical, multinomial
from tfbench.engine.ops.random_samples import random_gamma as gamma
from tfbench.engine.ops.random_samples import random_poisson as poisson
from tfbench.engine.ops.random_stateless import (
    stateless_categorical,
    stateless_gamma,
    stateless_multinomial,
    stateless_normal,
    stateless_poisson,
    stateless_truncated_normal,
    stateless_uniform,
)

__all__ = [
    "all_candidate_sampler", "categorical", "fixed_unigram_candidate_sampler", "gamma", "get_seed",
    "learned_unigram_candidate_sampler", "log_uniform_candidate_sampler", "multinomial", "normal", "poisson",
    "set_random_seed", "shuffle", "stateless_categorical", "stateless_gamma", "stateless_multinomial",
    "stateless_normal", "stateless_poisson", "stateless_truncated_normal", "stateless_uniform", "truncated_normal",
    "uniform", "uniform_candidate_sampler",
]  # fmt: skip
