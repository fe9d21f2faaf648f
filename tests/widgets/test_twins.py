"""The inspector without a page: text, SVG and HTML. What they show, and what they never do."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.widgets.fake_graph import FakeGraph, FakeSession, conv_graph
from tfbench.snapshot import Snapshot, take
from tfbench.widgets import static_html, static_svg, views
from tfbench.widgets.static_map import BOXES, Node, chart
from tfbench.widgets.static_svg import map_svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)",
    "a\nb\tc\x00\u202e",
    "]]>--><b>",
    "&lt;b&gt;&#60;",
    "n" * 10_000,
]


def test_the_picture_has_the_pages_colours() -> None:
    theme = (Path(static_svg.__file__).parent / "frontend/src/theme.ts").read_text()
    (light,) = re.findall(r"LIGHT = \[(.*?)\];", theme)
    assert [line for line, _ in static_svg.PALETTE] == re.findall(r'"(#\w+)"', light)


def filters() -> Snapshot:
    return take(conv_graph(), name="filters")


def with_values() -> Snapshot:
    graph = conv_graph()
    session = FakeSession(graph)
    session.assign("conv1/weights", np.linspace(-1, 1, 5 * 5 * 3 * 32))
    session.assign("dense/biases", np.array([np.nan] * 3 + [1.0] * 7))
    return take(graph, session, name="filters")


def hostile() -> Snapshot:
    graph = FakeGraph()
    graph.cell = HOSTILE[0]
    for name in HOSTILE:
        graph.variable(f"scope/{name}", (2,))
        graph.op(name, f"op/{name}", attr=name, device=name)
        graph.op("NoOp", name)
    return take(graph, name=HOSTILE[1])


class Tags(HTMLParser):
    """All tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(tag, name) for name, _ in attrs}
        if tag not in ("img", "br", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


# -- text ---------------------------------------------------------------------------------------------------


def test_text_of_a_small_graph() -> None:
    graph = FakeGraph()
    x = graph.op("Placeholder", "x", (), [("float32", (None, 4))]).outputs[0]
    w = graph.variable("net/w", (4, 2))
    graph.op("MatMul", "net/y", [x, w.read], [("float32", (None, 2))])
    graph.variable("count", (), trainable=False)
    assert views.as_text(take(graph, name="tiny"), values=False) == (
        "Graph 'tiny': 12 operations, 2 variables (36 B), 1 scope\n"
        "\n"
        "Scopes\n"
        "  net/  (6 ops, 1 variable)\n"
        "    w/  variable  (5 ops)\n"
        "    y  MatMul\n"
        "  count/  variable  (5 ops)\n"
        "  x  Placeholder\n"
        "\n"
        "Variable                Shape   Type     Size\n"
        "----------------------  ------  -------  ----\n"
        "net/w                   (4, 2)  float32  32 B\n"
        "count  (not trainable)  ()      float32   4 B"
    )


def test_text_is_stable_and_has_no_addresses() -> None:
    first, second = views.as_text(filters()), views.as_text(filters())
    assert first == second
    assert "0x" not in first


def test_text_with_values() -> None:
    text = views.as_text(with_values())
    row = next(line for line in text.splitlines() if line.startswith("dense/biases"))
    assert "3 NaN" in row
    assert "not initialized" in text
    assert "Spread" in text
    assert "Spread" not in views.as_text(with_values(), values=False)


def test_text_of_an_empty_graph_says_so() -> None:
    assert views.as_text(take(FakeGraph(), name="new")) == "Graph 'new': empty"


def test_text_is_bounded() -> None:
    graph = FakeGraph()
    for i in range(3_000):
        graph.op("NoOp", f"s{i}/t/op")
    for i in range(500):
        graph.variable(f"v{i}", (1,))
    text = views.as_text(take(graph))
    assert len(text.splitlines()) < 500
    assert "more scopes" in text
    assert "… 300 more" in text


def test_hostile_names_stay_on_their_line() -> None:
    text = views.as_text(hostile())
    assert all(line.isprintable() for line in text.splitlines())
    assert max(map(len, text.splitlines())) < 260


# -- SVG ----------------------------------------------------------------------------------------------------


def test_svg_shows_scopes_operations_and_variables() -> None:
    root = ElementTree.fromstring(map_svg(filters()))
    words = {element.text for element in root.iter(f"{SVG}text")}
    assert {"conv1", "conv2", "dense", "loss", "Conv2D", "weights", "images"} <= words
    assert "(?, 32, 32, 32)" in words
    assert float(root.get("width", "0")) > 200


def test_svg_is_the_same_every_time() -> None:
    assert map_svg(filters()) == map_svg(filters())


@pytest.mark.parametrize("make", [filters, hostile, lambda: take(FakeGraph())])
def test_svg_is_wellformed_and_inert(make: object) -> None:
    svg = map_svg(make())  # type: ignore[operator]
    root = ElementTree.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {"svg", "rect", "text", "path", "circle"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in attributes if name.startswith("on") or "href" in name]
    assert len(svg) < 150_000


def test_variables_and_constants_are_rows_of_their_users() -> None:
    found = {node.title: node for node in walk(chart(filters()).root)}
    conv = next(n for n in walk(chart(filters()).root) if n.title == "Conv2D" and n.parent.title == "conv1")
    assert [tuple(row) for row in conv.rows] == [("reads", "weights", "(5, 5, 3, 32)")]
    assert [tuple(row) for row in found["Reshape"].rows] == [("constant", "shape", "[-1, 16384]")]
    assert found["Const"].kind == "constant"


def test_no_line_starts_at_a_variable() -> None:
    drawing = chart(filters())
    assert drawing.links
    assert all("variable" not in (link.source.kind, link.target.kind) for link in drawing.links)
    assert {link.kind for link in drawing.links} == {"data", "control"}


def test_a_large_flat_graph_is_a_small_picture() -> None:
    graph = FakeGraph()
    x = graph.const("x", 1.0)
    for i in range(5_000):
        x = graph.op("AddV2", f"add_{i}", [x, x], [("float32", ())]).outputs[0]
    snapshot = take(graph)
    shown = walk(chart(snapshot).root)
    assert len(shown) <= BOXES + 1
    assert shown[-1].title == "4,970 more"
    assert len(map_svg(snapshot)) < 150_000


def walk(node: Node) -> list[Node]:
    return [found for child in node.children for found in (child, *(walk(child) if child.open else []))]


# -- HTML ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [filters, with_values, hostile, lambda: take(FakeGraph())])
def test_html_is_what_an_untrusted_notebook_keeps(make: object) -> None:
    snapshot = make()  # type: ignore[operator]
    page = static_html.page("t", views.as_html(snapshot, full=True))
    tags = Tags(page)
    assert not tags.open
    assert tags.tags <= {
        "html", "head", "meta", "title", "body", "div", "details", "summary", "table", "thead", "tbody", "tr", "th",
        "td", "b", "br", "span", "pre", "img",
    }  # fmt: skip
    assert {name for _, name in tags.attributes} <= {
        "style",
        "open",
        "src",
        "alt",
        "title",
        "lang",
        "charset",
        "name",
        "content",
    }
    assert set(re.findall(r'src="(.*?)[;,]', page)) <= {"data:image/svg+xml"}
    assert "http" not in re.sub(r'src="data:[^"]*"', "", page)


def test_html_shows_names_as_text() -> None:
    page = views.as_html(hostile(), full=True)
    text = Tags(page).text
    assert "<script>alert(1)</script>" in text
    assert "<img src=x onerror=alert(1)>" in text
    assert f'title="scope/{"n" * 10_000}"' in page
    assert "\x00" not in text


def test_html_has_every_operation_with_its_place() -> None:
    page = views.as_html(filters(), full=True)
    text = Tags(page).text
    for op in filters().ops:
        assert op.name in text
    assert "cell 4, line 11" in text
    assert "strides=[1, 1, 1, 1]" in text


def test_html_in_a_saved_notebook_has_nothing_that_changes_between_runs() -> None:
    page = views.as_html(with_values(), values=False)
    assert "cell " not in page
    assert "Spread" not in page
    assert page == views.as_html(with_values(), values=False)


def test_html_image_is_the_map() -> None:
    page = views.as_html(filters())
    (code,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert base64.b64decode(code).decode() == map_svg(filters())


def test_html_is_bounded() -> None:
    graph = FakeGraph()
    for i in range(12_000):
        graph.op("NoOp", f"s{i % 700}/op_{i}")
    page = views.as_html(take(graph), full=True)
    assert len(page) < 3_000_000
    assert "9,000 more operations are not listed." in page
    assert len(views.as_html(take(graph), values=False)) < 200_000


def test_a_failing_view_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(snapshot: Snapshot, values: bool) -> str:
        raise ZeroDivisionError("<oops>")

    monkeypatch.setitem(views.VIEWS, "map", views.VIEWS["map"]._replace(text=broken, html=broken))
    text = views.as_text(filters())
    assert "Map: could not be shown (ZeroDivisionError: <oops>)" in text
    assert "conv1/weights" in text
    page = views.as_html(filters())
    assert "ZeroDivisionError: &lt;oops&gt;" in page
    assert "conv1/weights" in page


def test_a_new_view_slots_in(monkeypatch: pytest.MonkeyPatch) -> None:
    extra = views.View("extra", "Extra", lambda s, v: "Extra\n  first", lambda s, v: "<details></details>")
    monkeypatch.setitem(views.VIEWS, "extra", extra)
    assert views.as_text(filters()).endswith("Extra\n  first")
    assert views.as_html(filters()).endswith("<details></details>\n</div>")
