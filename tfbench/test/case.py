"""`tf.test.TestCase`: a test case of Python's with a default graph of its own for each test, and sessions."""

from __future__ import annotations

import os
import random
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

import numpy as np

from tfbench.engine.default_graph import get_default_graph, get_default_session, reset_default_graph
from tfbench.engine.graph import Graph
from tfbench.engine.session import Session
from tfbench.test.arrays import ArrayAssertions
from tfbench.test.containers import ContainerAssertions

__all__ = ["TestCase"]

_SEED = 87654321
# unittest shows no frames of a module with this name
__unittest = True


class TestCase(ArrayAssertions, ContainerAssertions):
    """Each test begins with an empty default graph and fixed seeds.

    class MyTest(tf.test.TestCase):
        def testSum(self):
            with self.test_session():
                self.assertAllEqual(tf.add([1, 2], 3), [4, 5])
    """

    __test__ = True

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._cached: Session | None = None
        self._cached_for: tuple[Any, ...] = ()
        self._stack = ExitStack()
        self._threads: list[_CheckedThread] = []
        self._folder: str | None = None

    def setUp(self) -> None:
        super().setUp()
        self._forget_session()
        random.seed(_SEED)
        np.random.seed(_SEED)
        reset_default_graph()
        get_default_graph().seed = _SEED
        self.addCleanup(self._end)

    def _end(self) -> None:
        self._stack.close()
        for thread in self._threads:
            thread.check_termination()
        self._threads = []
        self._forget_session()

    def _forget_session(self) -> None:
        session, self._cached = self._cached, None
        if session is not None:
            session.close()

    # -- sessions -----------------------------------------------------------------------------------------------------

    @contextmanager
    def session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Session]:
        """A new session, the default one in the block with its graph. Nodes made in it are put on the CPU, unless
        `use_gpu`, or `force_gpu`, which puts them on the GPU."""
        with Session(graph=graph, config=config) as session, self._placed(session, use_gpu, force_gpu):
            yield session

    @contextmanager
    def cached_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Session]:
        """The test's session, made by the first call: variables keep their values from block to block.

        Raises:
          ValueError: if it is asked for with other arguments than the first time.
        """
        wanted = graph, config, force_gpu
        if self._cached is None:
            self._cached, self._cached_for = Session(graph=graph, config=config), wanted
        for name, old, new in zip(("graph", "config", "force_gpu"), self._cached_for, wanted, strict=True):
            if old is not new and old != new:
                raise ValueError(
                    f"The {name} used to get the cached session is different than the one that was used to create the "
                    "session. Maybe create a new session with self.session()"
                )
        with self._cached.graph.as_default(), self._cached.as_default(), self._placed(self._cached, use_gpu, force_gpu):
            yield self._cached

    def test_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> AbstractContextManager[Session]:
        """The test's session for its default graph; a new one for a graph that is given."""
        if self._testMethodName == "test_session":  # its name makes it look like a test
            self.skipTest("Not a test.")
        how = self.cached_session if graph is None else self.session
        return how(graph, config, use_gpu, force_gpu)

    def _placed(self, session: Session, use_gpu: bool, force_gpu: bool) -> AbstractContextManager[Any]:
        if force_gpu:
            from tfbench.test import gpu_device_name

            return session.graph.device(gpu_device_name() or "/device:GPU:0")
        return nullcontext() if use_gpu else session.graph.device("/device:CPU:0")

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors (any nest), in the default session or the test's own."""
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.test_session() as session:
            return session.run(tensors)

    # -- what tests need ----------------------------------------------------------------------------------------------

    def get_temp_dir(self) -> str:
        """A folder for the test's files, deleted at the end of the process."""
        if self._folder is None:
            from tfbench.test import get_temp_dir

            name = re.sub(r"\W", "_", self.id().rpartition(".")[2]) + "_"
            self._folder = tempfile.mkdtemp(dir=get_temp_dir(), prefix=name)
        return self._folder

    def enter_context(self, manager: Any) -> Any:
        """Enters a context that ends with the test."""
        return self._stack.enter_context(manager)

    def checkedThread(
        self, target: Callable[..., Any], args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None
    ) -> _CheckedThread:
        """A thread: `start`, then `join`, which fails the test if the thread raised an error."""
        thread = _CheckedThread(self, target, args or (), kwargs or {})
        self._threads.append(thread)
        return thread

    @contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """What is written to a stream of the operating system (sys.stdout, sys.stderr) in the block."""
        stream.flush()
        number = stream.fileno()
        kept = os.dup(number)
        with tempfile.NamedTemporaryFile(dir=self.get_temp_dir(), delete=False) as file:
            os.dup2(file.fileno(), number)
            try:
                yield CapturedWrites(file.name, stream)
            finally:
                stream.flush()
                os.dup2(kept, number)
                os.close(kept)


class CapturedWrites:
    """What has been written so far."""

    def __init__(self, path: str, stream: Any) -> None:
        self._path = path
        self._stream = stream

    def contents(self) -> str:
        self._stream.flush()
        with open(self._path) as file:
            return file.read()


class _CheckedThread:
    """A thread whose error is its test's failure."""

    def __init__(self, case: TestCase, target: Callable[..., Any], args: tuple[Any, ...], kwargs: Any) -> None:
        self._case = case
        self._work = target, args, kwargs
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._error: BaseException | None = None
        self._joined = False

    def _run(self) -> None:
        target, args, kwargs = self._work
        try:
            target(*args, **kwargs)
        except BaseException as error:
            self._error = error

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        """Waits for the thread, and fails the test if it raised an error."""
        self._joined = True
        self._thread.join()
        if self._error is not None:
            self._case.fail(f"Error in checkedThread: {type(self._error).__name__}: {self._error}")

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fails the test if the thread was started and nobody waited for it."""
        if self._thread.ident is None or self._joined:
            return
        if self.is_alive():
            self._case.fail("Thread was not joined with main thread, and is still running when the test finished.")
        self._case.fail("A checked thread was not joined.")


def main(argv: Any = None) -> None:
    """Runs the tests of the program, after its flags have been parsed. A notebook goes on afterwards."""
    import unittest

    from tfbench.flags import FLAGS
    from tfbench.flags.values import command_line, in_notebook

    rest = FLAGS(list(command_line() if argv is None else argv), known_only=True)
    unittest.main(argv=[argument for argument in rest if argument != "--"], exit=not in_notebook())
