"""Session: runs parts of a graph and keeps the variables' values between runs.

`run` turns what was asked for into a plan once and keeps it; the second call with the same fetches and the
same feed keys goes straight to the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tfbench import errors
from tfbench.engine import deadlines
from tfbench.engine import evaluate as _evaluate  # noqa: F401 - says what `tensor.eval()` and `op.run()` do
from tfbench.engine.compiling import Compiled, Plans
from tfbench.engine.default_graph import (
    default_graph_stack,
    default_session_scope,
    default_session_stack,
)
from tfbench.engine.devices import Device, DeviceSet, device_set
from tfbench.engine.fetches import FetchList
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.hooks import SessionHook, StepObserver
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.quiet import quiet
from tfbench.engine.partition import partition
from tfbench.engine.placement import Placement
from tfbench.engine.plan import Plan
from tfbench.engine.program import Program
from tfbench.engine.resources import ResourceStore
from tfbench.engine.run_history import RunHistory
from tfbench.engine.tensor import OPERATORS, Tensor
from tfbench.engine.trace import Recorder, Together


class BaseSession:
    """What Session and InteractiveSession share."""

    def __init__(self, target: Any = "", graph: Graph | None = None, config: Any = None) -> None:
        if graph is None:
            graph = default_graph_stack.get()
        elif not isinstance(graph, Graph):
            raise TypeError(f"graph must be a tf.Graph, but got {graph} of type {type(graph).__name__}")
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"')
        if config is not None and not hasattr(config, "allow_soft_placement"):
            raise TypeError(f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"')
        self._graph = graph
        self._target = target or ""
        self._config = config
        self._closed = False
        #: threads that a kernel may use; 0 for as many as there are
        self._threads = int(config.intra_op_parallelism_threads) if config is not None else 0
        #: milliseconds that a run may take where it does not say so itself; 0 for any time
        self._timeout = int(config.operation_timeout_in_ms) if config is not None else 0
        #: variables and other state, by name
        self.resources = ResourceStore()
        #: partial runs by handle; None for those that are over
        self.partial_runs: dict[str, Any] = {}
        #: what was compiled, and where everything runs
        self.plans = Plans(graph, config, self.resources, device_set(config))
        #: who is told what this session does, and may have a say in it; none cost nothing
        self.hooks: list[SessionHook] = []
        graph.sessions.add(self)

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def graph_def(self) -> Any:
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> bytes:
        return self._target.encode() if isinstance(self._target, str) else self._target

    def list_devices(self) -> list[Device]:
        """The devices that ops of this session can be placed on."""
        self._check_not_cancelled()
        return list(self.device_set.devices)

    @property
    def device_set(self) -> DeviceSet:
        return self.plans.device_set

    @property
    def history(self) -> RunHistory:
        """What was run so far, as far as rules ask about it."""
        return self.plans.history

    def use_devices(self, devices: DeviceSet) -> None:
        """Makes these the session's devices, and places its graph anew. Values of variables stay."""
        self.plans.use_devices(devices)

    def look_at_placement(
        self, fetches: Sequence[Tensor], targets: Sequence[Operation], feeds: Sequence[Tensor]
    ) -> Placement:
        """Where these run, for somebody who asks: nothing is logged, and no state is bound to its place."""
        return self.plans.look_at_placement(fetches, targets, feeds)

    def plan(self, fetches: Any, feeds: Any = ()) -> Plan:
        """The plan that `run(fetches, {feed: …})` uses; compiled now if it is new. Nothing runs."""
        self._check_open()
        tensors = [self._graph.as_graph_element(feed, allow_operation=False) for feed in feeds]
        return self.plans.compile(FetchList(self._graph, fetches), tensors, runs=False).plan

    def drop_plans(self) -> None:
        """Forgets compiled plans; needed after resources were taken away from under them."""
        self.plans.clear()

    def as_default(self) -> AbstractContextManager[Any]:
        """Makes this the default session for the length of a block (it is not closed afterwards)."""
        return default_session_scope(self)

    def close(self) -> None:
        """Frees the session's variables and plans. Running it afterwards is an error.

        Runs of other threads that wait (for a queue) raise CancelledError.

        Raises:
          what a hook raises, the first of them; everything is freed all the same.
        """
        self._closed = True
        failures: list[BaseException] = []
        tell = [hook.closed for hook in list(self.hooks)]
        for do in (self.resources.cancel, *tell, self.plans.clear, self.resources.clear):
            try:
                do()
            except BaseException as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session. Make a new one, or close this one later.")

    def _check_not_cancelled(self) -> None:
        """As `_check_open`, for what TensorFlow asks its runtime: the error is the runtime's."""
        if self._closed:
            raise errors.CancelledError(None, None, "Session has been closed. Make a new one, or close it later.")

    # -- running -----------------------------------------------------------------------------------------------

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs what `fetches` needs and returns its values, in the same nest.

        Args:
          fetches: a Tensor, Operation, Variable or name, or a nest of them (lists, tuples, dicts, attrs).
          feed_dict: values by placeholder (or by any feedable tensor, or its name).
          options: a RunOptions message, or None.
          run_metadata: a RunMetadata message that is filled in, or None.

        Returns:
          NumPy arrays (scalars for rank 0), None for operations; later runs never change them.

        Raises:
          RuntimeError: if the session is closed.
          TypeError, ValueError: for fetches and feeds that do not fit; nothing has run then.
          tf.errors.OpError: if an operation fails.
        """
        if options is not None or run_metadata is not None:
            _check_options(options, run_metadata)
        if self.hooks:
            self._before_run()
        self._check_open()
        compiled, values = self.plans.find(fetches, feed_dict)
        timeout = self._timeout if options is None else options.timeout_in_ms or self._timeout
        if timeout > 0:
            with deadlines.within(timeout / 1000):
                return self._run_with_metadata(compiled, values, options, run_metadata)
        if run_metadata is not None:
            return self._run_with_metadata(compiled, values, options, run_metadata)
        return self._run(compiled, values)

    def trace(self, fetches: Any, feed_dict: Any = None) -> tuple[Any, Recorder]:
        """`run`, and what was done when and where."""
        self._before_run()
        self._check_open()
        return self._run_traced(*self.plans.find(fetches, feed_dict))

    def prepare(self, fetches: Any, feed_dict: Any = None) -> tuple[Program, list[Any], Callable[[Any], Any]]:
        """A run that has not begun: its program, the fed values, and a function that runs it under an observer.

        Raises:
          what `run` raises for fetches and feeds that do not fit.
        """
        self._before_run()
        self._check_open()
        compiled, values = self.plans.find(fetches, feed_dict)
        return compiled.plan.program, values, lambda observer: self._run(compiled, values, observer, gated=False)

    def _run_traced(self, compiled: Compiled, values: list[Any]) -> tuple[Any, Recorder]:
        program = compiled.plan.program
        recorder = Recorder(program.placement)
        result = self._run(compiled, values, recorder)
        recorder.add_presets(program)
        return result, recorder

    def _run_with_metadata(self, compiled: Compiled, values: list[Any], options: Any, run_metadata: Any) -> Any:
        if options is None or run_metadata is None:
            return self._run(compiled, values)
        run_metadata.Clear()
        program = compiled.plan.program
        if options.trace_level:
            result, recorder = self._run_traced(compiled, values)
            OPERATORS["fill_step_stats"](run_metadata, recorder)
        else:
            result = self._run(compiled, values)
        if options.output_partition_graphs:
            partitions = partition(program.operations, program.placement, program.feeds)
            OPERATORS["fill_partition_graphs"](run_metadata, partitions, program.placement.devices)
        return result

    def _before_run(self) -> None:
        for hook in list(self.hooks):
            hook.before_run()

    def _run(self, compiled: Compiled, values: list[Any], own: StepObserver | None = None, gated: bool = True) -> Any:
        if own is not None or self.hooks:
            return self._run_observed(compiled, values, own, gated)
        with self._arithmetic():
            results = compiled.plan.run(values)
        if self.hooks:  # put there meanwhile
            return self._finish(compiled, values, results)
        return results[0] if compiled.single else compiled.fetches.build(results)

    def _run_observed(self, compiled: Compiled, values: list[Any], own: StepObserver | None, gated: bool) -> Any:
        """A run that others have a word in: the session's hooks, and an observer of this run alone."""
        plan = compiled.plan
        asked = [hook.gate(plan) for hook in list(self.hooks)] if gated else []
        observers = [found for found in (*asked, own) if found is not None]
        observer = Together(observers) if len(observers) > 1 else observers[0] if observers else None
        with self._arithmetic():
            results = plan.run(values, observer)
        if observer is not None:
            observer.end()
        return self._finish(compiled, values, results)

    def _finish(self, compiled: Compiled, values: list[Any], results: list[Any]) -> Any:
        if self.hooks:
            for hook in list(self.hooks):
                hook.ran(compiled.plan, values, results)
        return results[0] if compiled.single else compiled.fetches.build(results)

    def _arithmetic(self) -> AbstractContextManager[Any]:
        """What a run computes under: no floating-point warnings, and the threads that the config allows."""
        if self.plans.gpus:
            return self._on_gpus()
        if not self._threads:
            return quiet()
        from tfbench.engine.kernels.threads import arithmetic  # only kernels that use threads load it otherwise

        return arithmetic(self._threads)

    @contextmanager
    def _on_gpus(self) -> Iterator[None]:
        from tfbench.engine.kernels.threads import arithmetic

        with arithmetic(self._threads) if self._threads else quiet(), self.device_set.computing():
            yield

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """Announces a run that is to be fed and fetched piece by piece; returns the handle for `partial_run`."""
        from tfbench.engine import partial_run

        self._before_run()
        self._check_open()
        return partial_run.setup(self, fetches, [] if feeds is None else feeds)

    def partial_run(self, handle: str | None, fetches: Any, feed_dict: Any = None) -> Any:
        """Goes on with a partial run: each feed and each fetch that was announced comes once.

        Raises:
          tf.errors.InvalidArgumentError: for what was not announced, comes twice, or cannot be computed yet.
        """
        from tfbench.engine import partial_run

        if handle is None:
            return self.run(fetches, feed_dict)
        self._before_run()
        self._check_open()
        return partial_run.proceed(self, handle, fetches, feed_dict)

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Callable[..., Any]:
        """A function of the values of `feed_list` that runs `fetches`; the signature is worked out once."""
        self._check_not_cancelled()
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}")
        graph = self._graph
        feeds: list[Tensor] = []
        compiled: Compiled | None = None
        version = -1

        def compile_again() -> Compiled:
            nonlocal feeds, version
            feeds = [graph.as_graph_element(feed, allow_operation=False) for feed in feed_list or ()]
            new = self.plans.compile(FetchList(graph, fetches), feeds)
            new.single = isinstance(fetches, Tensor)
            version = graph.changes_version
            return new

        def function(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            nonlocal compiled
            self._check_not_cancelled()
            if self.hooks:
                self._before_run()
            if compiled is None or version != graph.changes_version:
                compiled = compile_again()
            if len(values) != len(feeds):
                missing = ", ".join(repr(tensor.op.name) for tensor in feeds[len(values) :])
                raise invalid(
                    f"The callable expects {len(feeds)} feeds but got {len(values)}"
                    + (f": You must feed a value for {missing}." if missing else ".")
                )
            arrays = compiled.fed(graph, values)
            if options is not None and run_metadata is not None:
                return self._run_with_metadata(compiled, arrays, options, run_metadata)
            return self._run(compiled, arrays)

        compiled = compile_again()
        if accept_options:
            return function
        return lambda *values: function(*values)


class Session(BaseSession):
    """Runs operations of a graph. `with tf.Session() as sess:` makes it the default and closes it at the end."""

    def __init__(self, target: Any = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._entered: list[AbstractContextManager[Any]] = []

    def __enter__(self) -> Session:
        if self._entered:
            raise RuntimeError("Session context managers are not re-entrant. Use `Session.as_default()` instead.")
        graph_scope, session_scope = self._graph.as_default(), self.as_default()
        graph_scope.__enter__()
        session_scope.__enter__()
        self._entered = [session_scope, graph_scope]
        return self

    def __exit__(self, exc_type: Any, exc: Any, traceback: Any) -> None:
        scopes, self._entered = self._entered, []
        for scope in scopes:
            scope.__exit__(None, None, None)
        self.close()

    @staticmethod
    def reset(target: Any, containers: Any = None, config: Any = None) -> None:
        """Clears resource containers on a remote `target`; sessions of this process hold their own."""
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"')


class InteractiveSession(BaseSession):
    """A session that is the default as soon as it is made, for shells; `close()` ends that."""

    def __init__(self, target: Any = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        default_session_stack.items.append(self)
        self._explicit_graph = graph
        if graph is not None:
            default_graph_stack.items.append(graph)

    def close(self) -> None:
        try:
            super().close()
        finally:
            if self in default_session_stack.items:
                default_session_stack.items.remove(self)
            graph = self._explicit_graph
            if graph is not None and graph in default_graph_stack.items:
                default_graph_stack.items.remove(graph)
                self._explicit_graph = None


def _check_options(options: Any, run_metadata: Any) -> None:
    if options is not None and not hasattr(options, "trace_level"):
        raise TypeError(f"options must be a tf.RunOptions, but got {options!r}")
    if run_metadata is not None and not hasattr(run_metadata, "step_stats"):
        raise TypeError(f"run_metadata must be a tf.RunMetadata, but got {run_metadata!r}")


def _node_function(*arguments: Any) -> Any:
    from tfbench.engine.functions import NodeFunction  # only graphs with functions load it

    return NodeFunction(*arguments)


OPERATORS["node_function"] = _node_function
