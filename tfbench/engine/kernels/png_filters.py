"""PNG's filters: each row of bytes is written as differences from the row above and the pixel before.

Two of the five kinds depend on the pixel before, above, and before that one above, so that neither rows nor columns can
be restored at once; the pixels of an anti-diagonal can, since all that they depend on lies on the two diagonals before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
NONE, SUB, UP, AVERAGE, PAETH = range(5)


def _paeth(left: Array, up: Array, corner: Array) -> Array:
    """Which of the three is nearest to left + up - corner."""
    to_left, to_up = np.abs(up - corner), np.abs(left - corner)
    to_corner = np.abs(left + up - 2 * corner)
    nearest = np.where(to_up <= to_corner, up, corner)
    return np.where((to_left <= to_up) & (to_left <= to_corner), left, nearest)


def restore(kinds: Array, rows: Array, pixel: int) -> Array:
    """The bytes of an image from its filtered rows, `pixel` bytes each a pixel."""
    height, width = rows.shape
    out = np.empty((height, width), np.uint8)
    slow = np.flatnonzero(kinds >= AVERAGE)
    first, last = (int(slow[0]), int(slow[-1]) + 1) if len(slow) else (height, height)
    above = np.zeros(width, np.uint8)
    for i in (*range(first), *range(last, height)):
        if i == last < height and i > 0:
            above = _by_diagonals(kinds, rows, out, first, last, pixel)
        row = rows[i]
        if kinds[i] == SUB:
            row = np.add.accumulate(row.reshape(-1, pixel), axis=0, dtype=np.uint8).reshape(-1)
        elif kinds[i] == UP:
            row = row + above
        out[i] = above = row
    if first < last == height:
        _by_diagonals(kinds, rows, out, first, last, pixel)
    return out


def _by_diagonals(kinds: Array, rows: Array, out: Array, first: int, last: int, pixel: int) -> Array:
    """Restores the rows from `first` to `last` into `out`; returns the last of them.

    Pixel (row, column) is kept at [row + column, row], where a diagonal lies in one piece, and left, upper and corner
    neighbours in pieces beside.
    """
    height, columns = last - first, rows.shape[1] // pixel
    kinds = kinds[first:last]
    # A row above and a pixel before each row: both zeros, but for the row above if there is one.
    skewed = np.zeros((height + columns + 1, height + 1, pixel), np.int16)
    line, place, _ = skewed.strides
    square = np.lib.stride_tricks.as_strided(
        skewed[1:], (height + 1, columns, pixel), (line + place, line, skewed.itemsize)
    )
    if first:
        square[0] = out[first - 1].reshape(columns, pixel)
    square[1:] = rows[first:last].reshape(height, columns, pixel)
    takes = [(kinds == kind)[:, None] for kind in range(5)]
    several = [kind for kind in range(5) if takes[kind].any()]
    for diagonal in range(height + columns - 1):
        top, bottom = max(0, diagonal - columns + 1), min(height, diagonal + 1)
        before, here = skewed[diagonal + 1], skewed[diagonal + 2]
        left, up = before[top + 1 : bottom + 1], before[top:bottom]
        guess: Any = 0
        for kind in several:
            if kind == SUB:
                found = left
            elif kind == UP:
                found = up
            elif kind == AVERAGE:
                found = (left + up) >> 1
            elif kind == PAETH:
                found = _paeth(left, up, skewed[diagonal, top:bottom])
            else:
                continue
            guess = found if len(several) == 1 else np.where(takes[kind][top:bottom], found, guess)
        restored = here[top + 1 : bottom + 1]
        restored += guess
        restored &= 255
    out[first:last] = square[1:].reshape(height, columns * pixel)
    return out[last - 1]


def choose(rows: Array, pixel: int) -> tuple[Array, Array]:
    """(the kind for each row, the filtered rows): the kind whose bytes, as signed numbers, are smallest in sum."""
    height, width = rows.shape
    image = rows.astype(np.int16)
    up = np.zeros_like(image)
    up[1:] = image[:-1]
    left, corner = np.zeros_like(image), np.zeros_like(image)
    left[:, pixel:], corner[:, pixel:] = image[:, :-pixel], up[:, :-pixel]
    guesses = {NONE: np.zeros_like(image)}
    if width > pixel:
        guesses[SUB] = left
    if height > 1:
        guesses[UP] = up
    if width > pixel and height > 1:
        guesses[AVERAGE] = (left + up) >> 1
        guesses[PAETH] = _paeth(left, up, corner)
    filtered = np.stack([((image - guess) & 255).astype(np.uint8) for guess in guesses.values()])
    sizes = np.minimum(filtered, 256 - filtered.astype(np.int16)).sum(axis=2, dtype=np.int64)
    best = np.argmin(sizes, axis=0)
    return np.array(list(guesses), np.uint8)[best], filtered[best, np.arange(height)]
