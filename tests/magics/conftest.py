"""A real IPython shell with tfbench loaded into it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import tfbench as tf
from tfbench.bench import Bench, _the_bench
from tfbench.bench.default_graph import provide_no_session


class Shell:
    """Runs cells as a front end does, and tells what they printed and returned."""

    def __init__(self, ip: Any, capsys: pytest.CaptureFixture[str]) -> None:
        self.ip = ip
        self.names: dict[str, Any] = ip.user_ns
        self._capsys = capsys
        #: what the last cell printed, to both streams
        self.out = ""

    @property
    def bench(self) -> Bench:
        return tf.bench()

    def run(self, source: str, cell_id: str | None = None) -> Any:
        """Runs a cell that must not fail; returns the value it shows."""
        result = self.ip.run_cell(source, store_history=True, cell_id=cell_id)
        self._take_output()
        result.raise_error()
        return result.result

    def fail(self, source: str, cell_id: str | None = None) -> BaseException:
        """Runs a cell that must fail; returns the error."""
        result = self.ip.run_cell(source, store_history=True, cell_id=cell_id)
        self._take_output()
        error: BaseException | None = result.error_in_exec or result.error_before_exec
        assert error is not None
        return error

    def _take_output(self) -> None:
        captured = self._capsys.readouterr()
        self.out = captured.out + captured.err

    def complete(self, line: str) -> list[str]:
        """What the tab key offers at the end of `line`."""
        with provisionalcompleter():
            return [found.text for found in self.ip.Completer.completions(line, len(line))]


def new_shell() -> Any:
    """A shell that keeps no history."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    InteractiveShell.clear_instance()
    return InteractiveShell.instance(config=config)


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    tf.reset_default_graph()
    _the_bench.clear()
    ip = new_shell()
    shell = Shell(ip, capsys)
    shell.run("%load_ext tfbench")
    yield shell
    tf.unload_ipython_extension(ip)
    InteractiveShell.clear_instance()
    _the_bench.clear()
    provide_no_session()
