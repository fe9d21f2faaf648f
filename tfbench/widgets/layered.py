"""A small layered layout: boxes in rows, links downwards. For the static map; the page has dagre.

Rows are longest paths along links that point forward in creation order (the others, between scopes that refer to
each other, do not move anything). Boxes in a row are ordered by where their neighbours are, then pushed towards
them without overlapping. Everything is deterministic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

ROW_GAP = 34.0
BOX_GAP = 18.0
_SWEEPS = 6


class Size(NamedTuple):
    """Width and height."""

    w: float
    h: float


class Place(NamedTuple):
    """The top-left corner."""

    x: float
    y: float


def layered(sizes: Sequence[Size], links: Sequence[tuple[int, int]]) -> tuple[list[Place], Size]:
    """Top-left corners of the boxes, and the size of the whole. `links` are pairs of box indices."""
    if not sizes:
        return [], Size(0, 0)
    forward = sorted({(a, b) for a, b in links if a < b})
    row_of = [0] * len(sizes)
    for a, b in forward:
        row_of[b] = max(row_of[b], row_of[a] + 1)
    _pull_down(row_of, forward)
    rows: list[list[int]] = [[] for _ in range(max(row_of) + 1)]
    for box, place in enumerate(row_of):
        rows[place].append(box)
    near: list[list[int]] = [[] for _ in sizes]
    for a, b in forward:
        near[a].append(b)
        near[b].append(a)
    centre = _order(rows, near, sizes)
    left = min(centre[box] - sizes[box].w / 2 for box in range(len(sizes)))
    right = max(centre[box] + sizes[box].w / 2 for box in range(len(sizes)))
    places = [Place(0, 0)] * len(sizes)
    y = 0.0
    for row in rows:
        tallest = max(sizes[box].h for box in row)
        for box in row:
            places[box] = Place(centre[box] - sizes[box].w / 2 - left, y + (tallest - sizes[box].h) / 2)
        y += tallest + ROW_GAP
    return places, Size(right - left, y - ROW_GAP)


def _pull_down(row_of: list[int], links: list[tuple[int, int]]) -> None:
    """Moves a box without sources next to what it feeds: a late input is not drawn at the top."""
    fed = {b for _, b in links}
    users: dict[int, list[int]] = {}
    for a, b in links:
        users.setdefault(a, []).append(b)
    for box, targets in users.items():
        if box not in fed:
            row_of[box] = min(row_of[b] for b in targets) - 1


def _order(rows: list[list[int]], near: list[list[int]], sizes: Sequence[Size]) -> list[float]:
    centre = [0.0] * len(sizes)
    for row in rows:
        _spread(row, centre, sizes, wanted=None)
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            wanted = {box: _middle([centre[n] for n in near[box]], centre[box]) for box in row}
            row.sort(key=lambda box: (wanted[box], box))
            _spread(row, centre, sizes, wanted)
    return centre


def _middle(values: list[float], otherwise: float) -> float:
    if not values:
        return otherwise
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def _spread(row: list[int], centre: list[float], sizes: Sequence[Size], wanted: dict[int, float] | None) -> None:
    """Places a row's boxes side by side, as near to where they want to be as their order allows."""
    if wanted is None:
        x = -sum(sizes[box].w + BOX_GAP for box in row) / 2
        for box in row:
            centre[box] = x + sizes[box].w / 2
            x += sizes[box].w + BOX_GAP
        return
    # Boxes that would overlap move as a block, to the mean of what its members want.
    blocks: list[tuple[list[int], float, float]] = []  # members, left edge, width
    for box in row:
        members, width = [box], sizes[box].w
        left = wanted[box] - width / 2
        while blocks and blocks[-1][1] + blocks[-1][2] + BOX_GAP > left:
            before, before_left, before_width = blocks.pop()
            share = len(before) / (len(before) + len(members))
            width = before_width + BOX_GAP + width
            left = before_left * share + (left - before_width - BOX_GAP) * (1 - share)
            members = before + members
        blocks.append((members, left, width))
    for members, left, _ in blocks:
        for box in members:
            centre[box] = left + sizes[box].w / 2
            left += sizes[box].w + BOX_GAP
