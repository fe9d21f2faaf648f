"""`%load_ext tfbench`: the magics, the notebook's bench, `tf` and `np`."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from IPython.core.magic import Magics

from tfbench.bench import default_graph, the_bench
from tfbench.explain.stepper import Stepper
from tfbench.explain.watch import Watch
from tfbench.magics.activations import ActivationsMagic
from tfbench.magics.bench import BenchMagic
from tfbench.magics.checkpoint import CheckpointMagic
from tfbench.magics.completion import Completion
from tfbench.magics.devices import DevicesMagic
from tfbench.magics.fetch import FetchMagic
from tfbench.magics.filters import FiltersMagic
from tfbench.magics.graph import GraphMagic
from tfbench.magics.graph_cell import GraphCellMagic
from tfbench.magics.init import InitMagic
from tfbench.magics.lint import LintMagic
from tfbench.magics.notebook import Notebook
from tfbench.magics.ops import OpsMagic
from tfbench.magics.order import OrderMagic
from tfbench.magics.panel import PanelMagic
from tfbench.magics.placement import PlacementMagic
from tfbench.magics.races import RacesMagic
from tfbench.magics.scopes import ScopesMagic
from tfbench.magics.show import stepped, watched
from tfbench.magics.step import StepMagic
from tfbench.magics.trace import TraceMagic
from tfbench.magics.tracebacks import ShortTracebacks
from tfbench.magics.vars import VarsMagic
from tfbench.magics.watch import WatchMagic
from tfbench.magics.why import WhyMagic

MAGICS: tuple[type[Any], ...] = (
    GraphCellMagic,
    GraphMagic,
    FetchMagic,
    InitMagic,
    VarsMagic,
    ScopesMagic,
    OpsMagic,
    OrderMagic,
    WhyMagic,
    RacesMagic,
    LintMagic,
    PlacementMagic,
    DevicesMagic,
    TraceMagic,
    StepMagic,
    WatchMagic,
    BenchMagic,
    FiltersMagic,
    ActivationsMagic,
    CheckpointMagic,
    PanelMagic,
)

#: what was loaded into which shell
_loaded: dict[int, _Loaded] = {}


class _Loaded:
    """All that loading changed in one shell, so that it can be taken back."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        bench = the_bench()
        default_graph.provide_session(bench.default_session)
        self.notebook = Notebook(shell, bench)
        self.magics: list[tuple[str, str]] = []
        for kind in MAGICS:
            self._register(kind(self.notebook))
        shell.events.register("pre_run_cell", self.notebook.before_cell)
        self.completion = Completion(shell, bench, [name for _, name in self.magics])
        self.completion.register()
        self.tracebacks = ShortTracebacks(shell)
        if self.notebook.in_kernel:
            Stepper.present = staticmethod(partial(stepped, self.notebook))
            Watch.present = staticmethod(partial(watched, self.notebook))
        for name, module in (("tf", "tfbench"), ("np", "numpy")):
            shell.user_ns.setdefault(name, sys.modules[module])

    def _register(self, magics: Magics) -> None:
        """Registers a magic; where IPython or another extension has its name already, under `tfbench_` and the name."""
        for kind, functions in magics.magics.items():
            for name, method in functions.items():
                existing = self.shell.find_magic(name, kind)
                free = existing is None or getattr(existing, "__module__", "").startswith("tfbench.")
                under = name if free else f"tfbench_{name}"
                if not free:
                    print(f"%{name} is another extension's: tfbench's is called %{under}")
                function = getattr(magics, method) if isinstance(method, str) else method
                self.shell.register_magic_function(function, kind, under)
                self.magics.append((kind, under))

    def take_back(self) -> None:
        for kind, name in self.magics:
            self.shell.magics_manager.magics[kind].pop(name, None)
        self.shell.events.unregister("pre_run_cell", self.notebook.before_cell)
        self.completion.unregister()
        self.tracebacks.take_back()
        Stepper.present = Watch.present = None
        default_graph.provide_no_session()


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext tfbench` does; loading again starts with fresh magics and keeps the bench."""
    unload_ipython_extension(shell)
    _loaded[id(shell)] = _Loaded(shell)


def unload_ipython_extension(shell: Any) -> None:
    """What `%unload_ext tfbench` does. Graphs and sessions stay."""
    loaded = _loaded.pop(id(shell), None)
    if loaded is not None:
        loaded.take_back()
