"""The plans of a session: what was compiled for which fetches and feeds, and where everything runs.

A plan is valid while the operations that exist keep their inputs; what is added to the graph later may move ops to
other devices, and then all are compiled anew. Several threads may run a session; plans are made one at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any

from numpy import ndarray

from tfbench import errors
from tfbench.engine import memory
from tfbench.engine.devices import DeviceSet
from tfbench.engine.fetches import FetchList, expand_feeds, feed_value
from tfbench.engine.frames import arrange, flattened
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.placement import Placement
from tfbench.engine.placer import Placer
from tfbench.engine.plan import Plan
from tfbench.engine.prune import needed_operations
from tfbench.engine.resources import ResourceStore
from tfbench.engine.run_history import RunHistory
from tfbench.engine.tensor import Tensor

#: kept plans; when full, all are dropped, since a program that makes new fetches all the time gains nothing
_MOST_PLANS = 1_000

#: kept nests: few, since a program that makes new ones all the time loses little
_MOST_NESTS = 16


class Compiled:
    """A plan with the nest that its values are put into."""

    __slots__ = ("_feeds", "_unfeedable", "fetches", "plan", "single")

    def __init__(self, plan: Plan, fetches: FetchList, feeds: list[_Feed] | None = None) -> None:
        self.plan = plan
        self.fetches = fetches
        #: the fetch is one tensor, whose value is the answer
        self.single = False
        self._feeds = [_Feed(tensor) for tensor in plan.feeds] if feeds is None else feeds
        self._unfeedable = -1

    def with_nest(self, fetches: FetchList) -> Compiled:
        """The same for another nest of the same tensors."""
        made = Compiled(self.plan, fetches, self._feeds)
        made._unfeedable = self._unfeedable
        return made

    def fed(self, graph: Graph, values: Iterable[Any]) -> list[Any]:
        """The values of the feeds as arrays, checked as `feed_value` does."""
        arrays = []
        unfeedable = len(graph._unfeedable)
        known = self._unfeedable == unfeedable
        for feed, value in zip(self._feeds, values, strict=True):
            if known and type(value) is ndarray:
                wanted, shape, dtype = feed.last
                if value.shape == shape and value.dtype is dtype and feed.tensor._shape is wanted:
                    arrays.append(value)
                    continue
            arrays.append(feed.value(graph, value))
        self._unfeedable = unfeedable
        return arrays


class _Feed:
    """A tensor that is fed, and what its last value was like: another one like it may be fed, too."""

    __slots__ = ("last", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        #: the tensor's own shape at that time, the value's shape, and its dtype
        self.last: tuple[Any, Any, Any] = None, None, None

    def value(self, graph: Graph, value: Any) -> Any:
        wanted = self.tensor._shape
        array = feed_value(graph, self.tensor, value)
        if array is value and type(value) is ndarray and not value.dtype.hasobject:
            self.last = wanted, value.shape, value.dtype
        return array


class Plans:
    """What one session has compiled."""

    def __init__(self, graph: Graph, config: Any, resources: ResourceStore, devices: DeviceSet) -> None:
        self._graph = graph
        self._config = config
        self._resources = resources
        self._compiling = threading.RLock()
        self._plans: dict[Any, Compiled] = {}
        #: for nests that are no plain lists: the same plans with their values' forms
        self._nests: dict[Any, Compiled] = {}
        self._version = graph.changes_version
        #: how many operations there were when the graph was last placed
        self._placed = 0
        self.history = RunHistory()
        self.use_devices(devices)

    def clear(self) -> None:
        """Forgets all."""
        self._plans.clear()
        self._nests.clear()

    def use_devices(self, devices: DeviceSet) -> None:
        """Makes these the session's devices, and places its graph anew. Values of variables stay."""
        config = self._config
        self.device_set = devices
        self.gpus = bool(devices.gpus)
        log = print if config is not None and config.log_device_placement else None
        soft = bool(config is not None and config.allow_soft_placement)
        self.placer = Placer(devices.devices, soft, log, devices.no_gpu)
        if not devices.gpus:
            # What an earlier set of devices had in a GPU is needed without it.
            for buffer in self._resources.variables().values():
                buffer.settle(None)
        self._place_pruned = config is not None and config.graph_options.place_pruned_graph
        self.clear()
        if log is not None:
            for device in devices.devices:
                if device.description:
                    log(f"Device mapping: {device.name} -> {device.description}")

    def find(self, fetches: Any, feed_dict: Any) -> tuple[Compiled, list[Any]]:
        """The plan for these fetches and feeds, compiled if it is new, and the fed values in its order."""
        graph = self._graph
        if self._version != graph.changes_version:
            self.clear()
            self._version = graph.changes_version
        elif len(graph._nodes) != self._placed and self._placed:
            self._place_again()
        kind = type(fetches)
        given: Any = () if feed_dict is None else feed_dict if type(feed_dict) is dict else None
        if given is not None:
            try:
                if kind is list or kind is tuple:
                    found = self._plans.get((kind, *fetches, None, *given))
                elif kind is dict:
                    found = self._nests.get((kind, *fetches, None, *fetches.values(), None, *given))
                else:
                    found = self._plans.get((fetches, None, *given))
            except TypeError:  # there is something in it that cannot be a key
                found = None
            if found is not None:
                return found, found.fed(graph, feed_dict.values()) if given else []
        feeds = [] if feed_dict is None else expand_feeds(graph, feed_dict)
        if not graph._nodes:
            raise _empty_graph_error(graph, fetches)
        tensors = [tensor for tensor, _ in feeds]
        key = _key(fetches)
        plain = key is not None and kind is not dict and tuple not in map(type, key)
        full_key = (*key, None, *tensors) if key is not None else None
        found = (self._plans if plain else self._nests).get(full_key)
        if found is not None:
            return found, found.fed(graph, [value for _, value in feeds])
        nest = FetchList(graph, fetches)
        # Any nest of the same things has the same plan.
        plan_key = full_key if plain else (FetchList, *nest.elements, None, *tensors)
        found = self._plans.get(plan_key)
        if found is not None:
            found = found.with_nest(nest)
            values = found.fed(graph, [value for _, value in feeds])
        else:
            values = [feed_value(graph, tensor, value) for tensor, value in feeds]
            found = self.compile(nest, tensors)
            found.single = isinstance(fetches, Tensor)
            if len(self._plans) >= _MOST_PLANS:
                self.clear()
            self._plans[plan_key] = found
        if not plain and key is not None:
            if len(self._nests) >= _MOST_NESTS:
                self._nests.clear()
            self._nests[full_key] = found
        return found, values

    def compile(self, nest: FetchList, feeds: list[Tensor], runs: bool = True) -> Compiled:
        """A new plan, which is not kept. `runs` says that it is going to be run, which the history notes."""
        memory.keep_freed_memory()
        feeds = list(dict.fromkeys(feeds))
        with self._compiling:
            placement = self.placement_for(nest.tensors, nest.operations, feeds)
            self._placed = len(self._graph._nodes)
            with self.device_set.computing() if self.gpus else nullcontext():
                plan = Plan(nest.tensors, nest.operations, feeds, placement, self.device_set, self._resources)
        if runs:
            self.history.add(plan.order, feeds, nest.tensors, self._placed)
        return Compiled(plan, nest)

    def placement_for(
        self, fetches: Sequence[Tensor], targets: Sequence[Operation], feeds: Sequence[Tensor]
    ) -> Placement:
        """Where everything runs: the whole graph is placed, or what is left of it (`place_pruned_graph`)."""
        if not self._place_pruned:
            return self.placer.place(self._graph)
        return self.placer.place_only(self._pruned(fetches, targets, feeds))

    def _place_again(self) -> None:
        """The graph has grown since it was placed: all of it is placed again, as in TensorFlow."""
        with self._compiling:
            if not self._place_pruned:
                before = self.placer.last
                if before is not None and before.moves(self.placer.place(self._graph)):
                    self.clear()
            self._placed = len(self._graph._nodes)

    def look_at_placement(
        self, fetches: Sequence[Tensor], targets: Sequence[Operation], feeds: Sequence[Tensor]
    ) -> Placement:
        """As `placement_for`, for somebody who asks: nothing is logged, and no state is bound to its place."""
        pruned = self._place_pruned and (fetches or targets)
        return self.placer.look(self._graph, self._pruned(fetches, targets, feeds) if pruned else None)

    def _pruned(
        self, fetches: Sequence[Tensor], targets: Sequence[Operation], feeds: Sequence[Tensor]
    ) -> list[Operation]:
        fed = set(feeds)
        return flattened(arrange(needed_operations(fetches, targets, fed), fed))


def _key(fetches: Any) -> tuple[Any, ...] | None:
    """What a nest is kept under, or None for one of other things than lists, tuples and dictionaries with names.

    Objects hash by identity here; a variable counts as its tensor.
    """
    kind = type(fetches)
    if kind is list or kind is tuple:
        parts = [_part(item) for item in fetches]
        return None if None in parts else (kind, *parts)
    if kind is dict:
        parts = [_part(item) for item in fetches.values()]
        named = all(type(name) is str for name in fetches)
        return (kind, *fetches, None, *parts) if named and None not in parts else None
    part = _part(fetches)
    return None if part is None else (part,)


def _part(fetch: Any) -> Any:
    kind = type(fetch)
    if kind is Tensor or kind is Operation or kind is str:
        return fetch
    if kind is list or kind is tuple or kind is dict:
        return _key(fetch)
    convert = getattr(fetch, "_as_graph_element", None)
    element = convert() if convert is not None else None
    return element if type(element) is Tensor else None


def _empty_graph_error(graph: Graph, fetches: Any) -> Exception:
    """What is raised where nothing can run; a fetch from before the graph was emptied says so itself."""
    why = ""
    try:
        FetchList(graph, fetches)
    except errors.ReplacedTensorError as error:
        return error
    except (TypeError, ValueError) as error:
        why = f" This is also wrong with the fetch: {error}"
    message = "The Session graph is empty: there is nothing to run. Add operations to it first."
    elsewhere = getattr(fetches, "graph", None)
    if isinstance(elsewhere, Graph) and elsewhere is not graph:
        why = f" {fetches!r} is in another graph: run it in a session of that one, tf.Session(graph=x.graph)."
    return RuntimeError(message + why)
