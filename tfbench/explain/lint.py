"""`explain.lint`: what in a graph is probably not meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfbench.explain.defaults import graph_for, plain_session, session_for
from tfbench.explain.lint_building import BUILDING_RULES
from tfbench.explain.lint_running import RUNNING_RULES
from tfbench.explain.looked_at import Finding, LookedAt, Rule
from tfbench.explain.rows import Rows

#: rules whose findings are mistakes whatever comes later, and that cost next to nothing: for every cell
CELL_RULES = ("empty-control-block", "mixed-get-variable", "shared-cell", "reuse-leak")


class Findings(Rows[Finding]):
    """What was found, rule by rule."""

    __slots__ = ()
    noun = "finding"
    header = ("rule", "subject", "where", "what")
    sentences = ("what",)

    def key(self, row: Finding) -> str:
        return row.subject

    def cells(self, row: Finding) -> tuple[str, ...]:
        return (row.rule, row.subject, row.where.short if row.where else "-", row.message)

    def footer(self) -> str:
        if not self:
            return "nothing found"
        rules: dict[str, int] = {}
        for row in self:
            rules[row.rule] = rules.get(row.rule, 0) + 1
        return f"{super().footer()}: {', '.join(f'{number} {rule}' for rule, number in rules.items())}"

    def __str__(self) -> str:
        lines = [str(row) for row in self._rows[:200]]
        more = [f"… {len(self) - 200} more"] if len(self) > 200 else []
        return "\n".join([*lines, *more, self.footer()])

    __repr__ = __str__


def lint(graph: Any = None, session: Any = None, rules: Iterable[str] | None = None) -> Findings:
    """What in `graph` (a Graph or the name of one of the bench's; default: the default graph) is probably not meant.

    Rules that need a run look at what the session has run so far, and say nothing before its first run. Nothing is run.

    Args:
      session: default: the default session or the bench's, if it runs this graph; without one, the graph alone counts.
      rules: only these; default: all (a wrong name gets a list of them).

    Raises:
      ValueError: for a rule that there is not.
    """
    session = plain_session(session)
    wanted = graph_for(graph, session)
    session = session_for(wanted) if session is None else session
    chosen: dict[str, Rule] = ALL_RULES
    if rules is not None:
        names = [rules] if isinstance(rules, str) else list(rules)
        unknown = [name for name in names if name not in ALL_RULES]
        if unknown:
            raise ValueError(f"no rule is called {unknown[0]!r}: there are {', '.join(ALL_RULES)}")
        chosen = {name: rule for name, rule in ALL_RULES.items() if name in names}
    looked = LookedAt(wanted, session)
    return Findings([finding._replace(rule=name) for name, rule in chosen.items() for finding in rule(looked)])


ALL_RULES: dict[str, Rule] = {**BUILDING_RULES, **RUNNING_RULES}


def cell_warnings(graph: Any, label: str) -> list[str]:
    """What the cell called `label` has probably not meant, each with the line that it is about."""
    warnings = []
    for finding in lint(graph, rules=CELL_RULES):
        where = finding.where
        if where is not None and label in (where.cell, *(place.cell for place in where.callers)):
            warnings.append(f"{where}: {finding.message} ({finding.rule})")
    return warnings
