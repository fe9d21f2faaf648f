"""What a model's losses are, and their sum."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import add_to_collection, get_collection


def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Keeps `loss` in a collection, unless that is None."""
    if loss_collection:
        add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """The losses of a collection; with `scope`, those whose name matches it from the start."""
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The penalties on weights and activations, of REGULARIZATION_LOSSES."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Any:
    """The sum of the penalties, 0 if there are none."""
    losses = get_regularization_losses(scope)
    return ops.add_n(losses, name=name) if losses else ops.constant(0.0)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None) -> Any:
    """The sum of all losses, with the penalties unless told otherwise. ValueError if there are none."""
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    return ops.add_n(losses, name=name)
