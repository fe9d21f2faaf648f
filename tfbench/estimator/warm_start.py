"""What an Estimator's variables start from where it has no checkpoint of its own yet."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["WarmStartSettings"]


class _Settings(NamedTuple):
    ckpt_to_initialize_from: Any
    vars_to_warm_start: Any
    var_name_to_vocab_info: Any
    var_name_to_prev_var_name: Any


class WarmStartSettings(_Settings):
    """The arguments of `tf.train.warm_start`.

    Raises:
      ValueError: if there is no checkpoint named.
    """

    __slots__ = ()

    def __new__(
        cls,
        ckpt_to_initialize_from: Any,
        vars_to_warm_start: Any = ".*",
        var_name_to_vocab_info: Any = None,
        var_name_to_prev_var_name: Any = None,
    ) -> WarmStartSettings:
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        return super().__new__(
            cls,
            ckpt_to_initialize_from,
            vars_to_warm_start,
            var_name_to_vocab_info or {},
            var_name_to_prev_var_name or {},
        )
