"""The inspector in a terminal: the scopes with their counts, the variables as a table.

The text is the same for the same graph: no addresses, no times, and no cell ids (they differ between the tools
that run a notebook). Values are shown only on request, because random initial values differ from run to run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfbench.snapshot import Scope, Shape, Snapshot, VariableInfo, shorten

NAME = 48
_MAX_SCOPES = 200
_MAX_VARIABLES = 200
#: a scope's own operations are listed where there are no more than this
_FEW = 12


def summary(snapshot: Snapshot) -> str:
    """One line: what the graph is called and how much it holds."""
    ops, variables = snapshot.ops, snapshot.variables
    title = f"Graph {shorten(snapshot.name, NAME)!r}" if snapshot.name else "Graph"
    if not ops:
        return f"{title}: empty"
    parts = [plural(len(ops), "operation")]
    if variables:
        known = [info.bytes for info in variables if info.bytes is not None]
        some = "at least " if len(known) < len(variables) else ""
        parts.append(f"{plural(len(variables), 'variable')} ({some}{bytes_text(sum(known))})")
    held = {info.name for info in variables}
    scopes = [child for child in snapshot.scopes.children if child.path not in held]
    if scopes:
        parts.append(plural(len(scopes), "scope"))
    devices = sorted({op.device for op in ops if op.device})
    if devices:
        parts.append(f"asked for {', '.join(shorten(device, 40) for device in devices[:4])}")
    return f"{title}: {', '.join(parts)}"


def scopes_text(snapshot: Snapshot, values: bool = False) -> str:
    """The tree of scopes with the operations in each."""
    if not snapshot.ops:
        return ""
    lines: list[str] = ["Scopes"]
    variables = {info.op for info in snapshot.variables}
    hidden = _walk(snapshot, snapshot.scopes, "  ", lines, variables)
    if hidden:
        lines.append(f"  … {plural(hidden, 'more scope')}")
    return "\n".join(lines)


def devices_asked(snapshot: Snapshot) -> list[tuple[str, int]]:
    """How many operations ask for each device; '' is for none. Empty where nobody asks."""
    counts: dict[str, int] = {}
    for info in snapshot.ops:
        counts[info.device] = counts.get(info.device, 0) + 1
    return sorted(counts.items()) if set(counts) - {""} else []


def devices_text(snapshot: Snapshot, values: bool = False) -> str:
    """Which devices are asked for. Where everything runs is `explain.placement`'s to say: it asks a session."""
    asked = devices_asked(snapshot)
    if not asked:
        return ""
    lines = [f"  {shorten(device, NAME) or 'none'}  ({plural(number, 'operation')})" for device, number in asked]
    return "\n".join(["Devices asked for", *lines])


def elsewhere(snapshot: Snapshot, values: bool = False) -> str:
    """Nothing: an order is that of a fetch, and filters are values. `%order` and `%filters` have them as text."""
    return ""


def _walk(snapshot: Snapshot, scope: Scope, indent: str, lines: list[str], variables: set[int]) -> int:
    """Writes `scope`'s contents; returns how many scopes found no place."""
    hidden = 0
    inner = {child.name for child in scope.children}
    for child in scope.children:
        if len(lines) > _MAX_SCOPES:
            hidden += 1
            continue
        own = [i for i in scope.ops if leaf(snapshot.ops[i].name) == child.name]
        what = f"  {snapshot.ops[own[0]].type}" if own else ""
        held = sum(1 for i in under(child) if i in variables) + sum(1 for i in own if i in variables)
        if own and own[0] in variables:
            what, held = "  variable", held - 1
        counts = plural(child.total + len(own), "op") + (f", {plural(held, 'variable')}" if held else "")
        lines.append(f"{indent}{shorten(child.name, NAME)}/{what}  ({counts})")
        if not (own and own[0] in variables):
            hidden += _walk(snapshot, child, indent + "  ", lines, variables)
    ops = [i for i in scope.ops if leaf(snapshot.ops[i].name) not in inner]
    shown = ops if len(ops) <= _FEW else ops[: _FEW - 1]
    for i in shown:
        info = snapshot.ops[i]
        name = leaf(info.name)
        kind = "variable" if i in variables else info.type
        lines.append(f"{indent}{shorten(name, NAME)}{'' if kind == name else f'  {kind}'}")
    if len(ops) > len(shown):
        lines.append(f"{indent}… {plural(len(ops) - len(shown), 'more operation')}")
    return hidden


def variables_text(snapshot: Snapshot, values: bool = False) -> str:
    """The variables as a table."""
    if not snapshot.variables:
        return ""
    with_session = any(info.initialized is not None for info in snapshot.variables)
    with_values = values and any(info.stats for info in snapshot.variables)
    head = ["Variable", "Shape", "Type", "Size"]
    head += ["State"] if with_session else []
    head += ["Mean", "Spread"] if with_values else []
    head += ["Device"] if any(info.device for info in snapshot.variables) else []
    head += ["Shared"] if any(info.shared_with for info in snapshot.variables) else []
    rows = [_variable_row(info, head) for info in snapshot.variables[:_MAX_VARIABLES]]
    lines = table(head, rows, right={"Size", "Mean", "Spread", "Shared"})
    if len(snapshot.variables) > _MAX_VARIABLES:
        lines.append(f"… {len(snapshot.variables) - _MAX_VARIABLES} more")
    return "\n".join(lines)


def _variable_row(info: VariableInfo, head: Sequence[str]) -> list[str]:
    stats = info.stats
    cells = {
        # A GraphDef keeps no collections: nothing is known then.
        "Variable": shorten(info.name, NAME) + ("" if info.trainable or not info.collections else "  (not trainable)"),
        "Shape": shape_text(info.shape),
        "Type": info.dtype,
        "Size": bytes_text(info.bytes),
        "State": state_text(info),
        "Mean": number_text(stats.mean if stats else None),
        "Spread": number_text(stats.std if stats else None),
        "Device": shorten(info.device, 40),
        "Shared": f"×{len(info.shared_with) + 1}" if info.shared_with else "",
    }
    return [cells[column] for column in head]


# -- the words ------------------------------------------------------------------------------------------------


def leaf(name: str) -> str:
    """The last part of a name."""
    return name.rpartition("/")[2]


def under(scope: Scope) -> Iterable[int]:
    """The indices of all operations below a scope."""
    pending = [scope]
    while pending:
        node = pending.pop()
        yield from node.ops
        pending.extend(node.children)


def plural(count: int, noun: str) -> str:
    """'1 scope', '1,200 scopes'."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def shape_text(shape: Shape) -> str:
    """As TensorFlow prints static shapes."""
    if shape is None:
        return "<unknown>"
    sizes = ["?" if size is None else str(size) for size in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def bytes_text(count: int | None) -> str:
    """A number of bytes, rounded: '9.6 kB', '120 MB'."""
    if count is None:
        return "?"
    if count < 1000:
        return f"{count} B"
    value, units = count / 1000, ["kB", "MB", "GB", "TB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        del units[0]
    return f"{value:.1f} {units[0]}" if value < 9.95 else f"{value:.0f} {units[0]}"


def number_text(value: float | None) -> str:
    """Four digits, or nothing."""
    return "" if value is None else f"{value:.4g}"


def state_text(info: VariableInfo) -> str:
    """Whether the variable has a value, and what is wrong with it."""
    if info.initialized is None:
        return ""
    if not info.initialized:
        return "not initialized"
    stats = info.stats
    if stats and (stats.nans or stats.infs):
        return ", ".join(f"{n:,} {word}" for n, word in ((stats.nans, "NaN"), (stats.infs, "inf")) if n)
    return "ready"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: set[str]) -> list[str]:
    """Columns as wide as their widest cell, two spaces apart."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if title in right else cell.ljust(width)
            for cell, width, title in zip(cells, widths, head)
        ]
        return "  ".join(padded).rstrip()

    return [line(head), "  ".join("-" * width for width in widths), *(line(row) for row in rows)]
