"""`tf.train.warm_start`: variables whose initial values are those of another model's checkpoint."""

from __future__ import annotations

from typing import Any

from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_collection
from tfbench.train.init_from_checkpoint import init_from_checkpoint
from tfbench.variables import Variable

__all__ = ["warm_start"]


def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Any = None,
    var_name_to_prev_var_name: Any = None,
) -> None:
    """Gives variables of the default graph new initial values, from a checkpoint or the latest one of a folder.

    Args:
      vars_to_warm_start: a regular expression for the names of trainable variables; a list of expressions for those of
        all variables, or of variables; None: none.
      var_name_to_prev_var_name: names in the checkpoint, by names here, where they differ.

    Raises:
      ValueError: if a variable is not in the checkpoint, if a renamed one is not among those chosen, and for
        `var_name_to_vocab_info`: rows are not mapped from one vocabulary to another here.
    """
    if var_name_to_vocab_info:
        raise ValueError("var_name_to_vocab_info: vocabularies cannot be mapped here; leave it out.")
    renamed = dict(var_name_to_prev_var_name or {})
    chosen: dict[str, list[Any]] = {}
    for variable in _chosen(vars_to_warm_start):
        chosen.setdefault(_saved_name(variable), []).append(variable)
    unused = set(renamed) - set(chosen)
    if unused:
        raise ValueError(
            f"var_name_to_prev_var_name names variables that were not used: {unused}. The variables that are warm "
            f"started are {list(chosen)}"
        )
    for name, parts in chosen.items():
        init_from_checkpoint(ckpt_to_initialize_from, {renamed.get(name, name): parts})


def _saved_name(variable: Any) -> str:
    """What a variable is called in checkpoints: the slices of a partitioned one have one name."""
    info = variable._get_save_slice_info()
    return str(variable.op.name if info is None else info.full_name)


def _chosen(wanted: Any) -> list[Any]:
    if wanted is None:
        return []
    if isinstance(wanted, str):
        return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=wanted)
    if not isinstance(wanted, list):
        raise ValueError(f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(wanted)}")
    if all(isinstance(each, str) for each in wanted):
        return [one for pattern in wanted for one in get_collection(GraphKeys.GLOBAL_VARIABLES, scope=pattern)]
    if not all(isinstance(each, Variable) for each in wanted):
        raise ValueError("A list `vars_to_warm_start` holds all `Variable` objects or all `str`, not a mix.")
    return wanted
