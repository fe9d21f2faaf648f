"""The panel's buttons: commands with ids come in, the state of the run goes out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

import tfbench as tf
from tests.widgets.page import Page
from tfbench.engine.stepping import Stopped
from tfbench.explain.control import control
from tfbench.widgets import stepping
from tfbench.widgets.publisher import Publisher


def wait_for(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


class Shown:
    """A session that is looped over, a panel on it, and a page that shows the panel."""

    def __init__(self, session: Any, ops: Any) -> None:
        self.session, self.ops = session, ops
        self.page = Page()
        self.publisher = Publisher(session.graph, session, self.page.send)
        self.publisher.receive({"v": 1, "kind": "hello"})
        self.runs = 0
        self.error: BaseException | None = None
        self.thread: threading.Thread | None = None
        self._numbers = count()
        self._end = False

    def command(self, what: str, op: str = "", id: str = "") -> None:
        id = id or f"c{next(self._numbers)}"
        self.publisher.receive({"v": 1, "kind": "command", "id": id, "what": what, "op": op})
        assert self.page.control["heard"] == id

    def loop(self) -> None:
        def work() -> None:
            try:
                while not self._end:
                    self.session.run(self.ops["second"], {self.ops["x"]: 4.0})
                    self.runs += 1
            except BaseException as error:
                self.error = error

        self.thread = threading.Thread(target=work)
        self.thread.start()
        wait_for(lambda: self.runs > 3)

    @property
    def at(self) -> str:
        index = self.page.control["at"]
        return self.page.ops[index]["name"] if index >= 0 else ""

    def wait(self, state: str, at: str | None = None) -> None:
        wait_for(lambda: self.page.control["state"] == state and (at is None or self.at == at))

    def end(self) -> None:
        self._end = True
        self.publisher.close()
        if self.thread is not None:
            self.thread.join(10)
            assert not self.thread.is_alive()


@pytest.fixture
def shown() -> Iterator[Shown]:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [], name="x")
        v = tf.get_variable("v", [2], initializer=tf.zeros_initializer())
        with tf.name_scope("train/"):
            first = tf.assign_add(v, tf.ones([2]) * x, name="first")
            with tf.control_dependencies([first]):
                second = tf.negative(x, name="second")
        session.run(tf.global_variables_initializer())
        found = Shown(session, {"x": x, "first": first, "second": second})
        yield found
        found.end()


def test_pause_and_go_on(shown: Shown) -> None:
    assert shown.page.control["state"] == "free"
    shown.loop()
    shown.command("pause")
    shown.wait("held", "")
    runs = shown.runs
    time.sleep(0.05)
    assert shown.runs == runs
    shown.command("go")
    wait_for(lambda: shown.runs > runs)
    assert shown.page.control["state"] == "free"


def test_a_command_that_comes_twice_is_done_once(shown: Shown) -> None:
    shown.loop()
    shown.command("pause")
    shown.wait("held")
    shown.command("step", id="again")
    shown.wait("held", "train/mul")
    steps = control(shown.session).count
    shown.publisher.receive({"v": 1, "kind": "command", "id": "again", "what": "step"})
    time.sleep(0.05)
    assert (shown.at, control(shown.session).count) == ("train/mul", steps)


def test_steps_values_and_the_order_of_a_loop(shown: Shown) -> None:
    shown.loop()
    shown.command("pause")
    shown.wait("held")
    assert shown.page.control["order"] == ""
    shown.command("step")
    shown.wait("held", "train/mul")
    shown.command("to", "train/second")
    shown.wait("held", "train/second")
    assert shown.page.done == ["train/mul", "train/first"]
    shown.command("value", "train/mul")
    assert shown.page.said == ("train/mul", ["float32 [4, 4]"])
    label = shown.page.control["order"]
    shown.publisher.receive({"v": 1, "kind": "ask", "what": "order", "fetch": label})
    content, table = shown.page.answers["order"]
    names = [shown.page.ops[index]["name"] for index in table.reshape(-1, 4)[:, 0]]
    assert names == [row.op for row in tf.explain.order("train/second", shown.session, ["x:0"])]
    assert content["fetch"] == label
    shown.command("go")
    shown.wait("free")


def test_stop(shown: Shown) -> None:
    shown.loop()
    shown.command("stop")
    wait_for(lambda: shown.error is not None)
    assert isinstance(shown.error, Stopped)
    assert "Stop was pressed" in str(shown.error)
    shown.session.run("train/first", {"x:0": 1.0})


def test_breakpoints(shown: Shown) -> None:
    shown.loop()
    shown.command("break", "train/")
    assert shown.page.control["breakpoints"] == ["train/"]
    shown.wait("held", "train/mul")
    assert shown.page.control["why"] == "breakpoint at scope train/"
    shown.command("break", "train/")
    assert shown.page.control["breakpoints"] == []
    shown.command("break", "trian/first")
    assert "did you mean train/first?" in shown.page.control["error"]
    shown.command("go")
    shown.wait("free")


def test_a_panel_that_is_closed_lets_everything_go(shown: Shown) -> None:
    shown.loop()
    shown.command("break", "train/first")
    shown.wait("held")
    runs = shown.runs
    shown.publisher.close()
    wait_for(lambda: shown.runs > runs)
    assert shown.session.hooks == []


def test_a_stepped_run(shown: Shown) -> None:
    stepper = tf.step(shown.ops["second"], {shown.ops["x"]: 3.0}, shown.session, breakpoints=["nan"])
    assert shown.publisher.controls is not None
    shown.publisher.controls.attach(stepper)
    assert (shown.page.control["what"], shown.page.control["state"], shown.at) == ("step", "held", "train/mul")
    assert shown.page.control["breakpoints"] == ["nan"]
    shown.command("step")
    shown.wait("held", "train/first")
    shown.command("go")
    shown.wait("over")
    assert shown.page.control["why"] == "the run is at its end"
    assert shown.page.done == ["train/mul", "train/first", "train/second"]
    assert stepper.result == -3.0
    # Then the buttons are the loop's again.
    shown.loop()
    shown.command("pause")
    shown.wait("held")
    assert shown.page.control["what"] == "loop"


def test_a_stepped_run_that_is_stopped_or_fails(shown: Shown) -> None:
    controls = shown.publisher.controls
    assert controls is not None
    controls.attach(tf.step(shown.ops["second"], {shown.ops["x"]: 3.0}, shown.session))
    shown.command("stop")
    shown.wait("over")
    assert shown.page.control["why"] == "stopped: as asked"
    controls.attach(tf.step(shown.ops["second"], session=shown.session))
    shown.command("go")
    shown.wait("over")
    assert "InvalidArgumentError" in shown.page.control["why"]


def test_in_a_notebook_nothing_waits_for_a_loop_that_is_not_there(shown: Shown, monkeypatch: Any) -> None:
    monkeypatch.setitem(stepping._cells, "busy", False)
    shown.command("pause")
    assert shown.page.control["error"] == "nothing runs this session now"
    shown.session.run(shown.ops["second"], {shown.ops["x"]: 1.0})
    # A cell that runs and does not run the session is not held afterwards.
    stepping.cell_begins()
    shown.command("pause")
    assert shown.page.control["state"] == "asked"
    control(shown.session).thread = threading.main_thread().ident
    stepping.cell_ended([shown.publisher.controls])
    stepping.cell_begins()
    shown.session.run(shown.ops["second"], {shown.ops["x"]: 1.0})
    # A loop in a thread waits, and cells run.
    shown.loop()
    shown.command("pause")
    shown.wait("held")
    stepping.cell_ended([shown.publisher.controls])
    stepping.cell_begins()
    assert shown.session.run(shown.ops["second"], {shown.ops["x"]: 1.0}) == -1.0
    assert shown.page.control["state"] == "held"


def test_the_control_channel_of_a_kernel(shown: Shown) -> None:
    kernel = SimpleNamespace(control_handlers={})
    assert stepping.hear_control(kernel, {"the panel": shown.publisher.receive}.get)
    assert stepping.hear_control(kernel, None)
    shown.loop()
    content = {"v": 1, "kind": "command", "id": "a", "what": "pause", "op": "", "panel": "the panel"}
    kernel.control_handlers[stepping.MESSAGE](None, b"", {"content": {**content, "panel": "another"}})
    assert shown.page.control["heard"] == ""
    kernel.control_handlers[stepping.MESSAGE](None, b"", {"content": content})
    shown.wait("held")
    assert not stepping.hear_control(None, {}.get)


@pytest.mark.parametrize(
    "content", [{"id": 3, "what": "pause"}, {"id": "x", "what": "launch"}, {"what": "stop"}, {"id": "x", "op": 5}]
)
def test_what_is_not_understood_is_dropped(shown: Shown, content: dict[str, Any]) -> None:
    before = len(shown.page.messages)
    shown.publisher.receive({"v": 1, "kind": "command", **content})
    assert len(shown.page.messages) == before
