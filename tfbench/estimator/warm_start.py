"""Beginning to train from the variables of another model's checkpoint."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_collection
from tfbench.train.checkpoint_reader import load_checkpoint
from tfbench.train.init_from_checkpoint import init_from_checkpoint

__all__ = ["WarmStartSettings", "warm_start"]


class _Settings(NamedTuple):
    ckpt_to_initialize_from: Any
    vars_to_warm_start: Any
    var_name_to_vocab_info: Any
    var_name_to_prev_var_name: Any


class WarmStartSettings(_Settings):
    """From where which variables get their initial values.

    Args:
      ckpt_to_initialize_from: a checkpoint, or a folder with one.
      vars_to_warm_start: a regular expression for names of trainable variables, or a list of expressions for all
        variables or of variables; None: none but those below.
      var_name_to_prev_var_name: names in the checkpoint, by names here, where they differ.

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
        if var_name_to_vocab_info:
            raise ValueError("var_name_to_vocab_info: vocabularies cannot be mapped here; leave it out.")
        return super().__new__(
            cls, ckpt_to_initialize_from, vars_to_warm_start, {}, dict(var_name_to_prev_var_name or {})
        )


def warm_start(settings: WarmStartSettings) -> None:
    """Gives the chosen variables of the default graph new initial values.

    Raises:
      ValueError: if a variable is not in the checkpoint, or a name of the settings is used by no variable.
    """
    renamed = settings.var_name_to_prev_var_name
    chosen = _chosen(settings.vars_to_warm_start)
    names = {variable.op.name for variable in chosen}
    unused = sorted(set(renamed) - names)
    if unused:
        raise ValueError(
            f"You provided the following variables in var_name_to_prev_var_name, but they are not to be warm-started: "
            f"{unused}. Warm-started are: {sorted(names)}"
        )
    there = load_checkpoint(settings.ckpt_to_initialize_from)
    for variable in chosen:
        name = renamed.get(variable.op.name, variable.op.name)
        if not there.has_tensor(name):
            raise ValueError(
                f"Variable '{variable.op.name}' cannot be warm-started: {settings.ckpt_to_initialize_from} has no "
                f"tensor '{name}'. It has: {', '.join(sorted(there.get_variable_to_shape_map())[:20])}"
            )
        init_from_checkpoint(settings.ckpt_to_initialize_from, {name: variable})


def _chosen(wanted: Any) -> list[Any]:
    if wanted is None:
        return []
    if isinstance(wanted, str):
        return [each for each in get_collection(GraphKeys.TRAINABLE_VARIABLES) if re.match(wanted, each.op.name)]
    everything = get_collection(GraphKeys.GLOBAL_VARIABLES)
    if all(isinstance(each, str) for each in wanted):
        return [each for each in everything if any(re.match(pattern, each.op.name) for pattern in wanted)]
    return list(wanted)
