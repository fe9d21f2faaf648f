"""`case`: conditions one inside the other, with checks that what is claimed of the predicates is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine.convert import constant
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_join import stack
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.comparison import less_equal
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.reductions import reduce_sum
from tfbench.engine.tensor import Tensor

__all__ = ["case"]


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the function whose predicate is the first to be true; `default()` if none is.

    Raises:
      TypeError, ValueError: if `pred_fn_pairs` is no list of (bool tensor, callable) pairs or dictionary of them.
    """
    pairs = _checked_pairs(pred_fn_pairs)
    if default is not None and not callable(default):
        raise TypeError(f"default must be callable: a function without arguments, not {default!r}.")
    with name_scope(name, "case", [predicate for predicate, _ in pairs]):
        actions = list(pairs)
        if default is None:
            default, actions = _asserted_default(actions)
        guards: list[Any] = []
        if exclusive:
            # As in TensorFlow, the last predicate is not counted where its action is the default.
            guards = [_at_most(1, [predicate for predicate, _ in actions], "Input error: exclusive=True")]
        result: Callable[[], Any] = default
        for predicate, action in reversed(actions):
            result = _nested(predicate, action, result, strict)
        with get_default_graph().control_dependencies(guards):
            return result()


def _nested(predicate: Any, action: Callable[[], Any], otherwise: Callable[[], Any], strict: bool) -> Callable[[], Any]:
    return lambda: cond(predicate, action, otherwise, strict=strict)


def _checked_pairs(pred_fn_pairs: Any) -> list[Any]:
    if isinstance(pred_fn_pairs, dict):
        pairs = sorted(pred_fn_pairs.items(), key=lambda pair: pair[0].name)
    elif isinstance(pred_fn_pairs, (list, tuple)):
        pairs = list(pred_fn_pairs)
    else:
        raise TypeError("'pred_fn_pairs' must be a list, tuple, or dict.")
    if not pairs:
        raise ValueError("'pred_fn_pairs' must have at least one (predicate, function) pair, but is empty.")
    pair: Any
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        predicate, function = pair
        if isinstance(predicate, Tensor):
            if predicate.dtype.base_dtype.name != "bool":
                raise TypeError(f"pred must be of type bool: {predicate.name}")
        elif not isinstance(predicate, bool):
            raise TypeError(f"pred must be Tensor or python bool: {predicate}")
        if not callable(function):
            raise TypeError(f"fn for pred {predicate} must be callable.")
    return pairs


def _asserted_default(actions: list[Any]) -> tuple[Callable[[], Any], list[Any]]:
    """Without a default the last action is it, behind checks that its predicate is true and no other is."""
    predicates = [predicate for predicate, _ in actions]
    (predicate, action), others = actions[-1], actions[:-1]

    def default() -> Any:
        stacked = stack(predicates, name="preds_c")
        message = (
            f"Implementation error: selected default action #{len(others)} was called, "
            "but some of other predicates are True: "
        )
        checks = [
            _at_most(0, predicates[:-1], message),
            Assert(predicate, ["Input error: None of conditions evaluated as True:", stacked]),
        ]
        with get_default_graph().control_dependencies(checks):
            return action()

    return default, others


def _at_most(limit: int, predicates: list[Any], message: str) -> Any:
    """An assertion that no more than `limit` of the predicates are true."""
    stacked = stack(predicates, name="preds_c")
    count = reduce_sum(cast(stacked, "int32"), name="num_true_conds")
    fits = less_equal(count, constant(limit, name="n_true_conds"))
    names = ", ".join(getattr(predicate, "name", "?") for predicate in predicates)
    text = f"{message}: more than {limit} conditions ({names}) evaluated as True:"
    return Assert(fits, [text, stacked], summarize=len(predicates))
