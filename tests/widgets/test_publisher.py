"""Who is told what, when: with a page that listens, without, and while a loop runs."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from weakref import ref

import numpy as np
import pytest

from tests.widgets.fake_graph import FakeGraph, FakeSession, conv_graph
from tests.widgets.page import Page
from tfbench.explain.follower import PERIOD, follower_of
from tfbench.snapshot import take
from tfbench.value_stats import value_stats
from tfbench.widgets.publisher import Publisher

HELLO = {"v": 1, "kind": "hello"}


class Clock:
    """Time that only moves when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def made() -> Iterator[list[Publisher]]:
    publishers: list[Publisher] = []
    yield publishers
    for publisher in publishers:
        publisher.close()


@pytest.fixture
def start(made: list[Publisher]) -> Callable[..., tuple[Publisher, Page]]:
    def start_(graph: Any, session: Any = None, **options: Any) -> tuple[Publisher, Page]:
        page = Page()
        publisher = Publisher(graph, session, page.send, **options)
        made.append(publisher)
        return publisher, page

    return start_


def wait_for(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


def turn(publisher: Publisher) -> float:
    """What the thread does after a run."""
    assert publisher.follower is not None
    return publisher.follower.tick()


def calm(publisher: Publisher) -> None:
    """What the thread does when there was no run for a while."""
    assert publisher.follower is not None
    publisher.follower.calm()


def test_silent_until_a_page_says_hello(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    publisher, page = start(graph, FakeSession(graph))
    graph.op("NoOp", "late")
    publisher.graph_changed()
    turn(publisher)
    assert page.messages == []
    publisher.receive(HELLO)
    assert page.kinds[:2] == ["snapshot", "stats"]
    assert page.ops[-1] is not None
    assert page.ops[-1]["name"] == "late"


def test_graph_changes_are_sent_as_differences(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    publisher, page = start(graph)
    publisher.receive(HELLO)
    graph.op("NoOp", "late")
    graph.notify()
    graph.notify()
    assert page.kinds == ["snapshot", "delta"]
    assert len(page.ops) == len(graph.get_operations())


def test_a_page_that_missed_a_message_gets_everything(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    publisher, page = start(graph)
    publisher.receive(HELLO)
    publisher.receive({"v": 1, "kind": "resync"})
    assert page.kinds.count("snapshot") == 2


@pytest.mark.parametrize("message", [None, "hello", {}, {"v": 2, "kind": "hello"}, {"v": 1, "kind": "sudo"}])
def test_other_messages_are_dropped(start: Callable[..., tuple[Publisher, Page]], message: Any) -> None:
    publisher, page = start(conv_graph())
    publisher.receive(message)
    assert page.messages == []


def test_a_window_without_a_view_hears_nothing_more(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    publisher, page = start(graph)
    publisher.receive(HELLO)
    publisher.receive({"v": 1, "kind": "bye"})
    assert page.kinds[-1] == "anybody"
    graph.op("NoOp", "late")
    publisher.graph_changed()
    assert page.kinds[-1] == "anybody"
    # Another window still has a view: it says so, and gets what it has missed.
    publisher.receive({"v": 1, "kind": "here"})
    assert page.kinds[-1] == "delta"
    assert [op["name"] for op in page.ops][-1] == "late"


def test_here_without_hello_means_nothing(start: Callable[..., tuple[Publisher, Page]]) -> None:
    publisher, page = start(conv_graph())
    publisher.receive({"v": 1, "kind": "here"})
    assert page.kinds == []
    assert not publisher.listening


def test_values_of_one_look(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    publisher, page = start(graph, session)
    publisher.receive(HELLO)
    assert not page.value("conv1/biases")["initialized"]
    session.assign("conv1/biases", np.full(32, 2.0))
    turn(publisher)
    assert page.value("conv1/biases")["mean"] == 2.0
    assert page.messages[-1]["count"] == 1, "only what changed is sent"
    assert page.state == "live"
    calm(publisher)
    assert page.state == "idle"


def test_unchanged_values_are_not_sent_again(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    session.assign("global_step", 3)
    publisher, page = start(graph, session)
    publisher.receive(HELLO)
    turn(publisher)
    before = len(page.messages)
    turn(publisher)
    assert len(page.messages) == before


def test_history_reaches_a_page_that_comes_later(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    publisher, page = start(graph, session)
    publisher.receive(HELLO)
    for i in range(5):
        session.assign("global_step", i)
        turn(publisher)
    publisher.receive(HELLO)
    index = [v["name"] for v in page.variables].index("global_step")
    assert page.history[index] == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_the_thread_rests_forty_times_as_long_as_it_looks(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    clock = Clock()
    publisher, _ = start(graph, session)
    assert publisher.follower is not None
    publisher.follower._clock = clock
    publisher.receive(HELLO)
    find = session.find

    def slow(container: str, name: str) -> Any:
        clock.now += 0.01
        return find(container, name)

    session.find = slow  # type: ignore[method-assign]
    assert turn(publisher) == pytest.approx(7 * 0.01 * 40)
    session.find = find  # type: ignore[method-assign]
    assert turn(publisher) == PERIOD


def test_panels_on_one_session_look_once(
    start: Callable[..., tuple[Publisher, Page]], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    session.assign("global_step", 0)
    panels = [start(graph, session) for _ in range(5)]
    assert len({id(publisher.follower) for publisher, _ in panels}) == 1
    assert len(session.hooks) == 1
    for publisher, _ in panels:
        publisher.receive(HELLO)
    looked: list[Any] = []

    def counted(value: Any) -> Any:
        looked.append(value)
        session.buffers["global_step"].updates += 1  # the loop goes on while this looks
        return value_stats(value)

    monkeypatch.setattr("tfbench.explain.follower.value_stats", counted)
    session.assign("global_step", 7)
    turn(panels[0][0])
    assert len(looked) == 1
    assert [page.value("global_step")["mean"] for _, page in panels] == [7.0] * 5
    for publisher, _ in panels[:4]:
        publisher.close()
    assert len(session.hooks) == 1
    panels[4][0].close()
    assert session.hooks == []
    assert follower_of(session) is not panels[0][0].follower


def test_a_fast_loop_is_followed_at_a_bounded_rate(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    publisher, page = start(graph, session)
    publisher.receive(HELLO)
    begun = time.monotonic()
    runs = 0
    while time.monotonic() - begun < 0.55:
        session.assign("global_step", runs)
        session.ran()
        runs += 1
        time.sleep(0.0005)
    wait_for(lambda: page.value("global_step")["mean"] == runs - 1)
    sent = page.kinds.count("stats")
    assert publisher.runs == runs
    assert 2 <= sent <= 9, "ten a second at most, and one for the end"
    wait_for(lambda: page.state == "idle")


def test_ran_costs_a_loop_next_to_nothing(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    publisher, _ = start(graph, session)
    publisher.receive(HELLO)
    begun = time.thread_time()
    for _ in range(10_000):
        session.ran()
    assert (time.thread_time() - begun) / 10_000 < 5e-6


def test_removed_variables_are_passed_over(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    publisher, page = start(graph, session)
    publisher.receive(HELLO)
    graph.remove("global_step")
    session.assign("conv1/biases", np.ones(32))
    turn(publisher)
    assert page.value("conv1/biases")["mean"] == 1.0


def test_a_failure_is_said_and_breaks_nothing(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    publisher, page = start(graph, session)
    publisher.receive(HELLO)

    def broken() -> Any:
        raise RuntimeError("no such thing")

    operations = graph.get_operations
    graph.get_operations = broken  # type: ignore[method-assign]
    graph.version += 1
    graph.notify()
    assert page.text == "not up to date: RuntimeError: no such thing"
    graph.get_operations = operations  # type: ignore[method-assign]
    graph.notify()
    assert page.text == ""


def test_closing_says_so_and_unhooks(start: Callable[..., tuple[Publisher, Page]]) -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    publisher, page = start(graph, session)
    publisher.receive(HELLO)
    publisher.close()
    publisher.close()
    assert page.state == "closed"
    assert graph.observers == []
    assert session.hooks == []
    sent = len(page.messages)
    publisher.receive(HELLO)
    session.ran()
    graph.op("NoOp", "late")
    publisher.graph_changed()
    time.sleep(0.05)
    assert len(page.messages) == sent


def test_a_dropped_publisher_ends_its_thread() -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    publisher = Publisher(graph, session, Page().send)
    publisher.receive(HELLO)
    assert publisher.follower is not None
    thread = publisher.follower._thread
    assert thread is not None
    assert thread.daemon
    weak = ref(publisher)
    del publisher
    gc.collect()
    assert weak() is None
    thread.join(5)
    assert not thread.is_alive()
    session.ran()
    graph.notify()


def test_without_a_session_there_is_no_thread(start: Callable[..., tuple[Publisher, Page]]) -> None:
    before = threading.active_count()
    publisher, page = start(FakeGraph())
    publisher.receive(HELLO)
    assert threading.active_count() == before
    assert page.ops == []
    assert page.graph["session"] is False


def test_panels_on_one_graph_take_one_snapshot(
    start: Callable[..., tuple[Publisher, Page]], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = conv_graph()
    panels = [start(graph, name=f"panel {i}") for i in range(4)]
    for publisher, _ in panels:
        publisher.receive(HELLO)
    taken: list[Any] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        taken.append(arguments)
        return take(*arguments, **options)

    monkeypatch.setattr("tfbench.widgets.publisher.take", counted)
    graph.op("NoOp", "late")
    graph.notify()
    assert len(taken) == 1
    for i, (_, page) in enumerate(panels):
        assert page.ops[-1]["name"] == "late"
        assert page.graph["name"] == f"panel {i}"


def test_rename(start: Callable[..., tuple[Publisher, Page]]) -> None:
    publisher, page = start(conv_graph(), name="one")
    publisher.receive(HELLO)
    publisher.rename("two")
    assert page.graph["name"] == "two"
