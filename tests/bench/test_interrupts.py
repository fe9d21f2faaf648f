"""Interrupts are let through only where they are allowed."""

from __future__ import annotations

import signal
import threading

import pytest

from tfbench.bench.interrupts import held


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_held_and_raised_where_it_is_allowed_next() -> None:
    with held() as interrupts:
        interrupt()
        reached = "after the interrupt"
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            reached = "never"
    assert reached == "after the interrupt"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_raised_at_once_where_it_is_allowed() -> None:
    with held() as interrupts:
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            interrupt()
        interrupt()
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
        interrupts.check()


def test_one_that_comes_when_all_is_done_is_forgotten() -> None:
    with held():
        interrupt()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_that_the_user_sets_stays() -> None:
    seen = []

    def mine(*_: object) -> None:
        seen.append(1)

    try:
        with held() as interrupts, interrupts.allowed():
            signal.signal(signal.SIGINT, mine)
        interrupt()
        assert seen == [1]
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_other_threads_leave_signals_alone() -> None:
    seen = []

    def run() -> None:
        with held() as interrupts, interrupts.allowed():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
