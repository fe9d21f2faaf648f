"""Tab completion after tfbench's magics: options, graph names, variables, operations, scopes."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from tfbench.bench.bench import Bench
from tfbench.engine.graph import Operation
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.engine.tensor import Tensor
from tfbench.explain.operations import scopes
from tfbench.variables.base import Variable

_LINE = re.compile(r"\s*(?:\w+\s*=\s*)?(%{1,2})(\w+)\s(.*)", re.DOTALL)
_MOST = 500


class Completion:
    """A matcher for one shell."""

    def __init__(self, shell: Any, bench: Bench, magics: Iterable[str]) -> None:
        self._shell = shell
        self._bench = bench
        self._magics = set(magics)
        self._matcher: Any = None
        #: what the words after a magic, or after an option, are names of
        self._words: dict[str, Callable[[], Iterable[str]]] = {
            "%%graph": lambda: bench.graphs,
            "%graph": self._after_graph,
            "%checkpoint": self._after_checkpoint,
            "%fetch": self._names_and_operations,
            "%order": self._names_and_operations,
            "%why": self._names_and_operations,
            "%races": self._names_and_operations,
            "%lint": lambda: bench.graphs,
            "%tfbench": lambda: bench.graphs,
            "--focus": self._operations_and_scopes,
            "--hide": self._operations_and_scopes,
            "--needed-by": self._operations,
            "--fetch": self._names_and_operations,
            "--gradient-of": self._names_and_operations,
            "%placement": self._names_and_operations,
            "%trace": self._names_and_operations,
            "%watch": self._names_and_operations,
            "%bench": self._names_and_operations,
            "%step": self._names_and_operations,
            "--to": self._operations,
            "--break": lambda: ["nan", *self._operations_and_scopes()],
            "%devices": lambda: ("simulate", "cpu=", "gpu=", "bandwidth=", "latency=", "off"),
            "%activations": self._names_and_operations,
            "%ops": self._operations_and_scopes,
            "%init": self._variables_and_scopes,
            "%vars": self._variables_and_scopes,
            "%filters": self._variables,
            "--scope": self._scopes,
            "--name-scope": self._scopes,
            "--device": self._devices,
            "--feed": lambda: [f"{name}=" for name in self._placeholders()],
            "--fed": self._placeholders,
            "--cell": lambda: [cell.label for cell in bench.cells],
        }

    def register(self) -> None:
        def matcher(context: CompletionContext) -> SimpleMatcherResult:
            word, found = self.complete(context)
            completions = [SimpleCompletion(text, type="param") for text in found]
            # Names of the graph have slashes, where the completer's own idea of a word ends.
            return {"completions": completions, "matched_fragment": word, "suppress": bool(found), "ordered": True}

        self._matcher = context_matcher(identifier="tfbench")(matcher)
        self._shell.Completer.custom_matchers.append(self._matcher)

    def unregister(self) -> None:
        matchers = self._shell.Completer.custom_matchers
        if self._matcher in matchers:
            matchers.remove(self._matcher)

    def complete(self, context: CompletionContext) -> tuple[str, list[str]]:
        """The word at the cursor, and what it may become; nothing outside tfbench's magics."""
        line = _LINE.fullmatch(context.text_until_cursor)
        if line is None or line[2] not in self._magics:
            return context.token, []
        percent, name, rest = line.groups()
        parser = self._shell.find_magic(name, "cell" if percent == "%%" else "line").parser
        words = rest.split(" ")
        word, before = words[-1], words[-2] if len(words) > 1 else ""
        actions = {option: action for action in parser._actions for option in action.option_strings}
        if word.startswith("-"):
            candidates: Iterable[str] = [option for option in actions if option.startswith("--") or len(option) == 2]
        elif before in actions and actions[before].nargs != 0:
            candidates = self._values(before, actions[before])
        else:
            candidates = self._words.get(percent + name.removeprefix("tfbench_"), list)()
        found = (text for text in dict.fromkeys(candidates) if text.startswith(word) and text != word)
        return word, [text for _, text in zip(range(_MOST), found)]

    def _values(self, option: str, action: Any) -> Iterable[str]:
        return action.choices or self._words.get(option, list)()

    def _devices(self) -> Iterable[str]:
        """Those that there are, as people write them; GPUs in any case, for a machine that has them."""
        there = [f"/{d.kind.lower()}:{d.index}" for d in self._bench.session().device_set.devices]
        return [*there, "/gpu:0", "/gpu:1"]

    def _after_graph(self) -> Iterable[str]:
        from tfbench.magics.graph import ACTIONS

        return [*ACTIONS, *self._bench.graphs]

    def _after_checkpoint(self) -> Iterable[str]:
        """What to do, and checkpoints: here, and in the folders that are here."""
        from tfbench.magics.checkpoint import ACTIONS

        yield from ACTIONS
        for found in sorted([*glob.iglob("*.index"), *glob.iglob("*/*.index")]):
            folder = os.path.dirname(found)
            yield from ([f"{folder}/"] if folder else [])
            yield found.removesuffix(".index")

    def _names_and_operations(self) -> Iterable[str]:
        """What an expression may begin with: names of the notebook that hold something of a graph, and operations."""
        for name, value in list(self._bench.namespace.items()):
            if isinstance(value, (Tensor, Operation, Variable)) and not name.startswith("_"):
                yield name
        yield from self._operations()

    def _operations(self) -> Iterable[str]:
        return (op.name for op in self._bench.graph().get_operations())

    def _variables(self) -> Iterable[str]:
        return (op.name for op in self._bench.graph().get_operations() if op.type in VARIABLE_TYPES)

    def _placeholders(self) -> Iterable[str]:
        return [op.name for op in self._bench.graph().get_operations() if op.type.startswith("Placeholder")]

    def _scopes(self) -> Iterable[str]:
        return [row.name for row in scopes(self._bench.graph())[1:]]

    def _variables_and_scopes(self) -> Iterable[str]:
        for name in self._variables():
            yield name
            while "/" in name:
                name = name.rpartition("/")[0]
                yield f"{name}/"

    def _operations_and_scopes(self) -> Iterable[str]:
        yield from self._operations()
        yield from (f"{name}/" for name in self._scopes())
