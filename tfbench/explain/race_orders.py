"""Legal orders of a run's events in which two are neighbours: early and late, writes first and last, by chance."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfbench.explain.effects import SET
from tfbench.explain.events import Event

#: orders that are made by chance, for each pair
_CHANCES = 24


class Orders:
    """The orders of one run."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        #: the events that wait for each
        self._after: dict[int, list[int]] = {}
        for event in events:
            for index in event.waits:
                self._after.setdefault(index, []).append(event.index)

    def setting_first(self) -> list[int]:
        """An order in which variables are set as early as can be."""
        return self._order(set(range(len(self._events))), (), self._rank(SET), self._rank(SET))[0]

    def around(self, first: Event, second: Event) -> Iterator[tuple[list[int], int]]:
        """Legal orders with `first` and then `second`, neighbours, at the position that is given, too."""
        pair = (first.index, second.index)
        needed = self._closure(pair, lambda event: event.waits)
        later = self._closure(pair, lambda event: self._after.get(event.index, ()))
        everything = set(range(len(self._events)))
        early, late = needed - set(pair), everything - later
        chance = random.Random(0)
        ranks = [self._rank(SET), self._rank(""), lambda event: (0, event.index)]
        for rank_before in ranks:
            for rank_after in ranks:
                for prefix in (early, late):
                    yield self._order(prefix, pair, rank_before, rank_after)
        for _ in range(_CHANCES):
            rest = sorted(late - early)
            some = set(early)
            for index in chance.sample(rest, chance.randrange(len(rest) + 1)):
                some |= self._closure((index,), lambda event: event.waits)
            numbers = [chance.random() for _ in self._events]

            def by_chance(event: Event, numbers: list[float] = numbers) -> tuple[float, int]:
                return numbers[event.index], event.index

            yield self._order(some, pair, by_chance, by_chance)

    def _rank(self, first: str) -> Callable[[Event], tuple[float, int]]:
        """Those that set come first, or those that only look do."""

        def rank(event: Event) -> tuple[float, int]:
            sets = any(use.changes == SET for use in event.uses.values())
            looks = any(use.looks and not use.changes for use in event.uses.values())
            wanted, unwanted = (sets, looks) if first == SET else (looks, sets)
            return (0 if wanted else 2 if unwanted else 1, event.index)

        return rank

    def _closure(self, start: tuple[int, ...], following: Callable[[Event], Any]) -> set[int]:
        found = set(start)
        stack = list(start)
        while stack:
            for index in following(self._events[stack.pop()]):
                if index not in found:
                    found.add(index)
                    stack.append(index)
        return found

    def _order(
        self,
        prefix: set[int],
        pair: tuple[int, ...],
        rank_before: Callable[[Event], Any],
        rank_after: Callable[[Event], Any],
    ) -> tuple[list[int], int]:
        waiting = [len(event.waits) for event in self._events]
        order: list[int] = []

        def go(members: set[int] | None, rank: Callable[[Event], Any]) -> None:
            ready = [
                (rank(event), event.index)
                for event in self._events
                if waiting[event.index] == 0 and (members is None or event.index in members)
            ]
            heapq.heapify(ready)
            while ready:
                _, index = heapq.heappop(ready)
                take(index)
                for user in self._after.get(index, ()):
                    if waiting[user] == 0 and (members is None or user in members):
                        heapq.heappush(ready, (rank(self._events[user]), user))

        def take(index: int) -> None:
            order.append(index)
            waiting[index] = -1
            for user in self._after.get(index, ()):
                waiting[user] -= 1

        go(prefix, rank_before)
        position = len(order)
        for index in pair:
            take(index)
        go(None, rank_after)
        return order, position
