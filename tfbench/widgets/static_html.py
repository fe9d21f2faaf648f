"""The inspector without scripts: what is left of it where no kernel or no trust is.

An untrusted notebook keeps `<details>`, `<table>`, inline styles and images from data: URLs, and removes inline SVG, so
those are all that is used. Colours are translucent greys that sit on light and dark pages alike. Everything that
comes from a graph passes through `escape`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

from tfbench.snapshot import OpInfo, Snapshot, VariableInfo, shorten
from tfbench.widgets import text
from tfbench.widgets.static_svg import map_svg

#: variables and operations that one page lists; the rest is counted
VARIABLES = 300
OPERATIONS = 3_000
_ROW = "border-bottom:1px solid rgba(128,128,128,.3);white-space:nowrap;vertical-align:top"
_CELL = "text-align:left;padding:3px 12px 3px 0"
_MUTED = "opacity:.65"
_FONT = "font:13px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"


def frame(snapshot: Snapshot, parts: Sequence[str]) -> str:
    """The summary line with the views under it."""
    body = "\n".join(part for part in parts if part)
    return f'<div style="{_FONT}">\n<div>{_e(text.summary(snapshot))}</div>\n{body}\n</div>'


def page(title: str, body: str) -> str:
    """A whole HTML document around `body`."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_e(title)}</title>\n</head>\n"
        f'<body style="max-width:1100px;margin:24px auto;padding:0 16px">\n{body}\n</body>\n</html>\n'
    )


def map_html(snapshot: Snapshot, values: bool = False) -> str:
    """The map as an image, and the scopes as text for those who cannot see it."""
    if not snapshot.ops:
        return ""
    code = base64.b64encode(map_svg(snapshot).encode()).decode()
    scopes = text.scopes_text(snapshot).partition("\n")[2]
    image = (
        f'<img src="data:image/svg+xml;base64,{code}" alt="{_e(text.summary(snapshot))}" '
        'style="max-width:none;margin:0">'
    )
    # Readable rather than small: a tall picture scrolls.
    image = f'<div style="max-height:620px;overflow:auto">{image}</div>'
    tree = f'<pre style="margin:4px 0;overflow:auto">{_e(scopes)}</pre>'
    return _details("Map", image, opened=True) + "\n" + _details("Scopes", tree)


def devices_html(snapshot: Snapshot, values: bool = False) -> str:
    """Which devices are asked for, and by how many operations."""
    asked = text.devices_asked(snapshot)
    if not asked:
        return ""
    rows = [[_e(shorten(device, 60)) or "none", f"{number:,}"] for device, number in asked]
    return _details("Devices asked for", _table(["Device", "Operations"], rows))


def variables_html(snapshot: Snapshot, values: bool = False) -> str:
    """The registry as a table; with `values`, what the variables hold."""
    infos = snapshot.variables
    if not infos:
        return ""
    has_session = any(info.initialized is not None for info in infos)
    has_values = values and any(info.stats for info in infos)
    has_source = values and any(info.created_at for info in infos)
    head = ["Variable", "Shape", "Type", "Size"]
    head += ["State"] if has_session else []
    head += ["Mean", "Spread", "Min", "Max", "Histogram"] if has_values else []
    head += ["Trainable"]
    head += ["Device"] if any(info.device for info in infos) else []
    head += ["Shared"] if any(info.shared_with for info in infos) else []
    head += ["Made in"] if has_source else []
    head += ["Read by", "Written by"]
    rows = [_variable(info, head) for info in infos[:VARIABLES]]
    table = _table(head, rows)
    if len(infos) > VARIABLES:
        table += f'<div style="{_MUTED}">{len(infos) - VARIABLES:,} more variables are not listed.</div>'
    return _details(f"Variables ({len(infos):,})", table, opened=True)


def _variable(info: VariableInfo, head: Sequence[str]) -> list[str]:
    stats = info.stats
    cells = {
        "Variable": f"<b>{_name(info.name)}</b>",
        "Shape": _e(text.shape_text(info.shape)),
        "Type": _e(info.dtype),
        "Size": _e(text.bytes_text(info.bytes)),
        "State": _e(text.state_text(info)),
        "Mean": _e(text.number_text(stats.mean if stats else None)),
        "Spread": _e(text.number_text(stats.std if stats else None)),
        "Min": _e(text.number_text(stats.low if stats else None)),
        "Max": _e(text.number_text(stats.high if stats else None)),
        "Histogram": _bars(stats.histogram if stats else ()),
        "Trainable": "yes" if info.trainable else "no" if info.collections else "–",
        "Device": _e(shorten(info.device, 40)),
        "Shared": f"×{len(info.shared_with) + 1}" if info.shared_with else "",
        "Made in": _e(shorten(str(info.created_at or ""), 60)),
        "Read by": _names(info.read_by),
        "Written by": _names(info.written_by),
    }
    return [cells[column] for column in head]


def operations_html(snapshot: Snapshot) -> str:
    """Every operation with its inputs, outputs, attributes and place in the source."""
    ops = snapshot.ops
    if not ops:
        return ""
    head = ["Operation", "Type", "Inputs", "Outputs", "Device", "Made in", "Attributes"]
    rows = [_operation(snapshot, info) for info in ops[:OPERATIONS]]
    table = _table(head, rows)
    if len(ops) > OPERATIONS:
        table += f'<div style="{_MUTED}">{len(ops) - OPERATIONS:,} more operations are not listed.</div>'
    return _details(f"Operations ({len(ops):,})", table)


def _operation(snapshot: Snapshot, info: OpInfo) -> list[str]:
    inputs = [f"{snapshot.ops[edge.op].name}:{edge.output}" for edge in info.inputs]
    inputs += [f"^{snapshot.ops[control].name}" for control in info.control]
    outputs = [f"{output.dtype} {text.shape_text(output.shape)}" for output in info.outputs]
    attrs = [f"{key}={value}" for key, value in info.attrs]
    return [
        f"<b>{_name(info.name)}</b>",
        _e(shorten(info.type, 60)),
        _names(inputs, most=8),
        "<br>".join(_e(item) for item in outputs[:8]),
        _e(shorten(info.device, 40)),
        _e(shorten(str(info.source or ""), 60)),
        _names(attrs, most=8, lines=True),
    ]


def failed(title: str, error: Exception) -> str:
    """A view that could not be made says so in its place."""
    return _details(title, f"Could not be shown: {_e(f'{type(error).__name__}: {error}')}", opened=True)


# -- pieces -----------------------------------------------------------------------------------------------------


def _e(value: str) -> str:
    return escape(value, quote=True)


def _name(name: str) -> str:
    """A name, shortened; the full one appears when it is pointed at."""
    short = shorten(name, 60)
    return _e(short) if short == name else f'<span title="{_e(name)}">{_e(short)}</span>'


def _names(names: Iterable[str], most: int = 3, lines: bool = False) -> str:
    names = list(names)
    shown = [_name(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f'<span style="{_MUTED}">{len(names) - most} more</span>')
    return ("<br>" if lines else ", ").join(shown)


def _details(title: str, body: str, opened: bool = False) -> str:
    return (
        f'<details{" open" if opened else ""} style="margin:8px 0">'
        f'<summary style="cursor:pointer;font-weight:600">{_e(title)}</summary>\n'
        f'<div style="overflow-x:auto;padding:4px 0">{body}</div></details>'
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    # Jupyter aligns cells to the right: said again in each, where a row's style cannot reach.
    titles = "".join(f'<th style="{_CELL};font-weight:500;{_MUTED}">{_e(title)}</th>' for title in head)
    body = "".join(
        f'<tr style="{_ROW}">{"".join(f"""<td style="{_CELL}">{cell}</td>""" for cell in row)}</tr>\n' for row in rows
    )
    return (
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums;margin:0">'
        f'<thead><tr style="{_ROW}">{titles}</tr></thead>\n<tbody>\n{body}</tbody></table>'
    )


def _bars(counts: Sequence[int]) -> str:
    """A histogram in block characters: text survives everywhere."""
    most = max(counts, default=0)
    if not most:
        return ""
    return "".join(" " if not n else "▁▂▃▄▅▆▇█"[min(7, n * 8 // (most + 1))] for n in counts)
