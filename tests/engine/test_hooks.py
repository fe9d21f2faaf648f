"""Functions that others call, and that keep nobody alive."""

from __future__ import annotations

import gc

from tfbench.engine.hooks import unhook, weakly


class Counter:
    def __init__(self) -> None:
        self.seen: list[tuple[object, ...]] = []

    def count(self, *arguments: object) -> None:
        self.seen.append(arguments)


def test_a_method_is_called_as_long_as_its_object_lives() -> None:
    counter = Counter()
    seen, hook = counter.seen, weakly(counter.count)
    hook()
    hook(1, 2)
    del counter
    gc.collect()
    hook(3)
    assert seen == [(), (1, 2)]


def test_what_is_not_there_any_more_is_taken_out_all_the_same() -> None:
    counter, other = Counter(), Counter()
    hooks, others = [counter.count, other.count], [other.count]
    for _ in range(2):
        unhook((hooks, counter.count), (others, other.count))
    assert hooks == [other.count]
    assert others == []
