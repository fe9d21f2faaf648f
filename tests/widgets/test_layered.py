"""The static map's layout."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tfbench.widgets.layered import BOX_GAP, ROW_GAP, Place, Size, layered


def test_nothing() -> None:
    assert layered([], []) == ([], Size(0, 0))


def test_a_chain_is_a_straight_column() -> None:
    places, size = layered([Size(40, 20), Size(60, 30), Size(20, 10)], [(0, 1), (1, 2)])
    assert [place.x + w / 2 for place, w in zip(places, (40, 60, 20), strict=True)] == [30, 30, 30]
    assert [place.y for place in places] == [0, 20 + ROW_GAP, 50 + 2 * ROW_GAP]
    assert size == Size(60, 60 + 2 * ROW_GAP)


def test_a_late_input_sits_above_its_user() -> None:
    box = Size(10, 10)
    places, _ = layered([box] * 4, [(0, 1), (1, 3), (2, 3)])
    assert places[2].y == places[1].y


def test_links_backwards_move_nothing() -> None:
    box = Size(10, 10)
    assert layered([box] * 3, [(0, 1), (1, 2), (2, 0)])[0] == layered([box] * 3, [(0, 1), (1, 2)])[0]


graphs = st.integers(1, 14).flatmap(
    lambda n: st.tuples(
        st.lists(st.builds(Size, st.integers(10, 90), st.integers(10, 60)), min_size=n, max_size=n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1]), max_size=20),
    )
)


@given(graphs)
def test_boxes_never_overlap_and_links_point_down(graph: tuple[list[Size], list[tuple[int, int]]]) -> None:
    sizes, links = graph
    places, whole = layered(sizes, links)
    assert (places, whole) == layered(sizes, links), "the same graph gives the same picture"
    boxes = list(zip(places, sizes, strict=True))
    for i, (a, size) in enumerate(boxes):
        assert a.x >= -1e-6
        assert a.x + size.w <= whole.w + 1e-6
        assert a.y + size.h <= whole.h + 1e-6
        for b, other in boxes[i + 1 :]:
            assert apart(a, size, b, other)
    for a, b in links:
        if a < b:
            assert places[a].y + sizes[a].h <= places[b].y + max(s.h for s in sizes)


def apart(a: Place, size: Size, b: Place, other: Size) -> bool:
    beside = a.x + size.w + BOX_GAP <= b.x + 1e-6 or b.x + other.w + BOX_GAP <= a.x + 1e-6
    above = a.y + size.h <= b.y + 1e-6 or b.y + other.h <= a.y + 1e-6
    return beside or above
