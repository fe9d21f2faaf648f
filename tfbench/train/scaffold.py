"""`tf.train.Scaffold`: the pieces of a graph that a monitored session needs, made where the program has made none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench import logging
from tfbench.engine import dtypes
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import constant
from tfbench.engine.default_graph import add_to_collection, device, get_collection, get_default_graph
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_join import concat, stack
from tfbench.engine.ops.array_select import boolean_mask
from tfbench.engine.ops.base import no_op
from tfbench.engine.ops.comparison import logical_not
from tfbench.engine.ops.grouping import group
from tfbench.summary import merge_all
from tfbench.train.saver import Saver
from tfbench.variables.functions import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)

__all__ = ["Scaffold"]


class Scaffold:
    """What initialises a graph, says whether it is ready, summarises and saves it.

    What is not given is taken from the graph's collections (INIT_OP, READY_OP, LOCAL_INIT_OP, SUMMARY_OP, SAVERS, …) or
    made by `finalize`. `init_fn(scaffold, session)` is called after `init_op`.

    Raises:
      TypeError: if `copy_from_scaffold` is none.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[..., Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def given(value: Any, name: str) -> Any:
            return value if value is not None or copy_from_scaffold is None else getattr(copy_from_scaffold, name)

        self._init_op = given(init_op, "init_op")
        self._init_feed_dict = given(init_feed_dict, "init_feed_dict")
        self._user_init_fn = given(init_fn, "_user_init_fn")
        self._ready_op = given(ready_op, "ready_op")
        self._ready_for_local_init_op = given(ready_for_local_init_op, "ready_for_local_init_op")
        self._local_init_op = given(local_init_op, "local_init_op")
        self._local_init_feed_dict = given(local_init_feed_dict, "local_init_feed_dict")
        self._summary_op = given(summary_op, "summary_op")
        self._saver = given(saver, "saver")

    def finalize(self) -> Scaffold:
        """Makes what is missing, and closes the graph to changes.

        Raises:
          RuntimeError: if a collection has several candidates.
        """
        get = Scaffold.get_or_default
        if self._init_op is None:
            self._init_op = get("init_op", GraphKeys.INIT_OP, _default_init_op)
        if self._ready_op is None:
            self._ready_op = get("ready_op", GraphKeys.READY_OP, _default_ready_op)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = get(
                "ready_for_local_init_op", GraphKeys.READY_FOR_LOCAL_INIT_OP, _default_ready_for_local_init_op
            )
        if self._local_init_op is None:
            self._local_init_op = get("local_init_op", GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
        if self._summary_op is None:
            self._summary_op = get("summary_op", GraphKeys.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = default_saver()
        self._saver.build()
        get_default_graph().finalize()
        logging.info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """A function of the session, or None."""
        user = self._user_init_fn
        return None if user is None else lambda session: user(self, session)

    @property
    def init_op(self) -> Any:
        return self._init_op

    @property
    def ready_op(self) -> Any:
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> Any:
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Any:
        return self._summary_op

    @property
    def saver(self) -> Any:
        return self._saver

    @property
    def init_feed_dict(self) -> Any:
        return self._init_feed_dict

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Callable[[], Any]) -> Any:
        """What the collection has, or else what is made now and added to it."""
        found = get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which one to use by passing '
                f"it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to use)"
            )
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """An operation that initialises local variables, tables and local resources."""
        return group(
            local_variables_initializer(),
            tables_initializer(),
            initialize_resources(get_collection(GraphKeys.LOCAL_RESOURCES)),
        )


def default_saver() -> Any:
    """The Saver in the graph's collection, or a new one for everything. RuntimeError if there are several."""
    found = get_collection(GraphKeys.SAVERS)
    if len(found) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by passing it to "
            "the constructor."
        )
    if found:
        return found[0]
    saver = Saver(sharded=True, allow_empty=True)
    add_to_collection(GraphKeys.SAVERS, saver)
    return saver


def _default_init_op() -> Any:
    return group(
        global_variables_initializer(),
        initialize_resources(get_collection(GraphKeys.RESOURCES)),
        get_collection("saved_model_initializers"),
    )


def _default_ready_op() -> Any:
    missing = report_uninitialized_variables()
    resources = [*get_collection(GraphKeys.RESOURCES), *get_collection(GraphKeys.LOCAL_RESOURCES)]
    return concat([missing, report_uninitialized_resources(resources)], 0)


def _default_ready_for_local_init_op() -> Any:
    missing = report_uninitialized_variables(global_variables())
    return concat([missing, report_uninitialized_resources(get_collection(GraphKeys.RESOURCES))], 0)


def initialize_resources(resource_list: list[Any], name: str = "init") -> Any:
    """An operation that makes these resources (objects with `create` and `is_initialized`)."""
    if resource_list:
        return group(*[resource.create for resource in resource_list], name=name)
    return no_op(name=name)


def report_uninitialized_resources(resource_list: list[Any], name: str = "report_uninitialized_resources") -> Any:
    """The names of those resources that are not made yet."""
    with name_scope(name), device("/cpu:0"):
        if not resource_list:
            return constant([], dtype=dtypes.string)
        missing = logical_not(stack([resource.is_initialized for resource in resource_list]))
        return boolean_mask(constant([resource.handle.name for resource in resource_list]), missing)
