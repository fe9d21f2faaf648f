"""`tfbench inspect FILE`: what is in a graph or a checkpoint, as text, HTML, SVG or PNG, without a notebook.

FILE is a GraphDef (`.pb`, `.pbtxt`), a meta graph (`.meta`), a SavedModel's folder or the prefix of a checkpoint; of a
checkpoint that has its meta graph beside it, the graph is shown too. A graph with ops that tfbench does not have is
shown all the same, without the shapes that only they would know.
"""

from __future__ import annotations

import argparse
import html
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: what a SavedModel's folder has one of
_SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt")


class Trouble(Exception):
    """What cannot be done, in a sentence for the person at the terminal."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; 0 if all went well, 1 if not (the reason is on standard error)."""
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except Trouble as trouble:
        print(f"tfbench: {trouble}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # `tfbench inspect … | head` is no mistake. Python would complain about standard output once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tfbench", description="The TensorFlow 1.x graph API and its workbench.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    inspect = commands.add_parser(
        "inspect",
        help="show a graph or a checkpoint",
        description="Shows a GraphDef (.pb, .pbtxt), a meta graph (.meta), a SavedModel, or a checkpoint (its prefix).",
        epilog="Without --html, --svg or --png it prints text.",
    )
    inspect.add_argument("file", metavar="FILE")
    inspect.add_argument("--text", action="store_true", help="print text (also when files are written)")
    for form, what in (("html", "a page without scripts"), ("svg", "the map"), ("png", "the map")):
        inspect.add_argument(f"--{form}", metavar="OUT", help=f"write {what} to this file")
    inspect.add_argument(
        "--focus", action="append", default=[], metavar="NAME", help="of the graph, this scope or op alone"
    )
    inspect.add_argument("--hide", action="append", default=[], metavar="NAME", help="without this scope or op")
    inspect.add_argument("--needed-by", action="append", default=[], metavar="OP", help="what has to run for this op")
    inspect.add_argument(
        "--near", action="append", default=[], metavar="OP", help="what is within two steps of this op"
    )
    inspect.add_argument("--compare", metavar="FILE", help="a graph: say what differs; a checkpoint against it")
    inspect.set_defaults(run=_inspect)
    return parser


def _inspect(arguments: Any) -> int:
    from tfbench.widgets import static_html, views
    from tfbench.widgets.showing import shown
    from tfbench.widgets.static_svg import map_svg

    path: str = arguments.file
    kind = kind_of(path)
    notes: list[str] = []
    graph: Any = None
    snapshot: Any = None
    listing = ""
    if kind == "checkpoint":
        listing = _tensors(path)
        path = _prefix(path)
        if os.path.isfile(f"{path}.meta"):
            graph, snapshot = load_graph(f"{path}.meta", notes)
    else:
        graph, snapshot = load_graph(path, notes)
    comparison = _compared(arguments.compare, path, kind, graph) if arguments.compare else ""
    rules = _rules(arguments, snapshot)
    if (arguments.svg or arguments.png or rules) and snapshot is None:
        raise Trouble(f"{path} is a checkpoint without its .meta: it holds values, and no graph to draw")
    for note in notes:
        print(f"tfbench: {note}", file=sys.stderr)
    text = [] if snapshot is None else [views.as_text(snapshot, rules=rules)]
    text += [part for part in (listing, comparison) if part]
    if arguments.html:
        parts = [] if snapshot is None else [views.as_html(snapshot, full=True, rules=rules)]
        parts += [f"<pre>{html.escape(part)}</pre>" for part in (listing, comparison) if part]
        _write(
            arguments.html, static_html.page(f"{os.path.basename(path)}: tfbench inspect", "\n".join(parts)).encode()
        )
    if arguments.svg:
        _write(arguments.svg, map_svg(shown(snapshot, rules)).encode())
    if arguments.png:
        from tfbench.widgets.static_png import map_png

        _write(arguments.png, map_png(shown(snapshot, rules)))
    if arguments.text or not (arguments.html or arguments.svg or arguments.png):
        print("\n\n".join(text))
    return 0


def kind_of(path: str) -> str:
    """'graph' (a SavedModel's, too) or 'checkpoint'.

    Raises:
      Trouble: if there is no such file.
    """
    if os.path.isfile(path) and not path.endswith((".index", ".data-00000-of-00001")):
        return "checkpoint" if os.path.basename(path) == "checkpoint" else "graph"
    if os.path.isdir(path):
        return "graph" if any(os.path.isfile(os.path.join(path, name)) for name in _SAVED_MODEL) else "checkpoint"
    if os.path.isfile(f"{_prefix(path)}.index") or os.path.isfile(path):
        return "checkpoint"
    folder = Path(path).parent
    beside = sorted(folder.glob(f"{glob_escaped(Path(path).name)}*.index")) if folder.is_dir() else []
    hint = f"; there is {beside[-1].with_suffix('')}" if beside else ""
    raise Trouble(f"there is no file and no checkpoint {path}{hint}")


def glob_escaped(name: str) -> str:
    """`name` for a glob that means it literally."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _prefix(path: str) -> str:
    """The prefix of a checkpoint, also where one of its files or its folder is given."""
    if os.path.basename(path) == "checkpoint" and os.path.isfile(path):
        path = os.path.dirname(path) or "."
    if os.path.isdir(path):
        from tfbench.train.checkpoint_reader import checkpoint_path

        try:
            return str(checkpoint_path(path))
        except Exception as error:
            raise Trouble(f"{path}: {_first_line(error)}") from None
    for ending in (".index", ".data-00000-of-00001"):
        path = path.removesuffix(ending)
    return path


def load_graph(path: str, notes: list[str]) -> tuple[Any, Any]:
    """The graph in a file and its snapshot; where it cannot be imported, None and a snapshot of the nodes alone.

    Raises:
      Trouble: if the file holds no graph.
    """
    from tfbench.bench.graph_files import read_graph
    from tfbench.engine.graph import Graph
    from tfbench.formats.meta_graph import import_scoped_meta_graph
    from tfbench.snapshot import take
    from tfbench.snapshot.from_graph_def import from_graph_def

    message, is_meta = _message(path, notes)
    name = os.path.basename(path.rstrip("/"))
    graph = Graph()
    try:
        if is_meta:
            with graph.as_default():
                import_scoped_meta_graph(message, graph=graph)
        else:
            read_graph(graph, path)
        return graph, take(graph, name=name)
    except Exception as error:
        notes.append(f"shown without what only its ops know (shapes): {_first_line(error)}")
    try:
        return None, from_graph_def(message.graph_def if is_meta else message, name)
    except ValueError as error:
        raise Trouble(f"{path} holds no whole graph: {_first_line(error)}") from None


def _message(path: str, notes: list[str]) -> tuple[Any, bool]:
    """The GraphDef or MetaGraphDef in a file, and whether it is the latter."""
    import tfbench.api  # noqa: F401 - the ops that a graph may have
    from tfbench.formats import meta_graph as files
    from tfbench.formats import protos

    try:
        if os.path.isdir(path) or os.path.basename(path) in _SAVED_MODEL:
            return _of_saved_model(path, notes), True
        if path.endswith(".meta"):
            message: Any = files.read_meta_graph_file(path)
        else:
            message = files.read_message(path, protos.GraphDef())
    except OSError as error:
        what = "no GraphDef, no meta graph, no SavedModel and no checkpoint"
        raise Trouble(f"{path} is {what}: {_first_line(error)}") from None
    is_meta = path.endswith(".meta")
    nodes = message.graph_def.node if is_meta else message.node
    if not nodes or not all(node.name and node.op for node in nodes):
        what = "meta graph" if is_meta else "GraphDef"
        raise Trouble(f"{path} holds no nodes: it is no {what} (a meta graph's name ends in .meta)")
    return message, is_meta


def _of_saved_model(path: str, notes: list[str]) -> Any:
    """The meta graph of a SavedModel that serves, or else its first."""
    from tfbench.saved_model.loader import parse_saved_model

    found = parse_saved_model(path if os.path.isdir(path) else os.path.dirname(path) or ".").meta_graphs
    if not found:
        raise Trouble(f"{path} is a SavedModel without a graph")
    chosen = next((graph for graph in found if "serve" in graph.meta_info_def.tags), found[0])
    if len(found) > 1:
        tags = "; ".join(", ".join(graph.meta_info_def.tags) or "no tags" for graph in found)
        shown = ", ".join(chosen.meta_info_def.tags)
        notes.append(f"{len(found)} graphs in this SavedModel ({tags}); this is the one of {shown}")
    return chosen


def _tensors(path: str) -> str:
    from tfbench.explain.checkpoints import tensors

    try:
        return str(tensors(_prefix(path)))
    except Exception as error:
        raise Trouble(f"{path} cannot be read as a checkpoint: {_first_line(error)}") from None


def _compared(other: str, path: str, kind: str, graph: Any) -> str:
    """What differs: two graphs, or a checkpoint and a graph."""
    from tfbench.explain.checkpoints import checkpoint
    from tfbench.explain.diff import diff

    notes: list[str] = []
    other_kind = kind_of(other)
    if other_kind == "graph":
        second, _ = load_graph(other, notes)
        if second is None:
            raise Trouble(f"{other} cannot be compared: {notes[0]}")
    else:
        second = None
    try:
        if kind == "checkpoint" and second is not None:
            _check_collections(second, other)
            return str(checkpoint(_prefix(path), second))
        if second is None and graph is not None and other_kind == "checkpoint":
            _check_collections(graph, path)
            return str(checkpoint(_prefix(other), graph))
        if graph is not None and second is not None:
            return str(diff(graph, second))
    except Trouble:
        raise
    except Exception as error:
        raise Trouble(f"{path} and {other} cannot be compared: {_first_line(error)}") from None
    raise Trouble(f"{path} and {other} cannot be compared: two graphs can, and a checkpoint and a graph")


def _check_collections(graph: Any, path: str) -> None:
    if not graph.get_collection("variables"):
        raise Trouble(
            f"{path} does not say which variables a Saver would restore (a GraphDef keeps no collections): compare "
            "with a .meta"
        )


def _rules(arguments: Any, snapshot: Any) -> list[dict[str, Any]]:
    """What --focus and its kin say."""
    import difflib

    rules = []
    for do, by, names in (
        ("focus", "name", arguments.focus),
        ("focus", "near", arguments.near),
        ("focus", "needed", arguments.needed_by),
        ("hide", "name", arguments.hide),
    ):
        for name in names:
            name = name.strip("/")
            known = [] if snapshot is None else [info.name for info in snapshot.ops]
            if snapshot is not None and not any(other == name or other.startswith(f"{name}/") for other in known):
                near = difflib.get_close_matches(name, known, n=3)
                hint = f"; did you mean {' or '.join(near)}?" if near else ""
                raise Trouble(f"there is no operation and no scope {name} in {snapshot.name}{hint}")
            rules.append({"do": do, "by": by, "what": [name], **({"steps": 2} if by == "near" else {})})
    return rules


def _write(path: str, content: bytes) -> None:
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise Trouble(f"{path} cannot be written: {error.strerror or error}") from None
    print(f"wrote {path}", file=sys.stderr)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
