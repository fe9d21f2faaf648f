"""Square root and logarithm of a matrix, by its complex Schur form A = Q T Q^H with T upper triangular.

Functions of T are found from its diagonal outwards, which works for every matrix, also those that have too few
eigenvectors to be diagonalised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def schur(a: Array) -> tuple[Array, Array]:
    """(T, Q) of one matrix: Householder's Hessenberg form, then QR steps with Wilkinson's shift."""
    t = np.array(a, np.complex128)
    n = t.shape[0]
    q = np.eye(n, dtype=np.complex128)
    for k in range(n - 2):
        v = t[k + 1 :, k].copy()
        length = np.linalg.norm(v)
        if length == 0:
            continue
        v[0] += length * (v[0] / abs(v[0]) if v[0] else 1)
        v /= np.linalg.norm(v)
        t[k + 1 :, :] -= 2 * np.outer(v, v.conj() @ t[k + 1 :, :])
        t[:, k + 1 :] -= 2 * np.outer(t[:, k + 1 :] @ v, v.conj())
        q[:, k + 1 :] -= 2 * np.outer(q[:, k + 1 :] @ v, v.conj())
    high = n - 1
    tries = 0
    while high > 0:
        low = high
        while low > 0:
            if abs(t[low, low - 1]) <= np.finfo(np.float64).eps * (abs(t[low, low]) + abs(t[low - 1, low - 1])):
                t[low, low - 1] = 0
                break
            low -= 1
        if low == high:
            high -= 1
            tries = 0
            continue
        tries += 1
        if tries > 300:
            raise np.linalg.LinAlgError("The Schur form of the matrix was not found.")
        _qr_step(t, q, low, high, _shift(t, high, tries))
    return np.triu(t), q


def _shift(t: Array, high: int, tries: int) -> complex:
    """The eigenvalue of the last 2 x 2 block that is nearer to its corner; now and then something else."""
    if tries % 10 == 0:
        return complex(t[high, high] + abs(t[high, high - 1]))
    a, b, c, d = t[high - 1, high - 1], t[high - 1, high], t[high, high - 1], t[high, high]
    half = (a - d) / 2
    root = np.sqrt(half * half + b * c)
    if (half.conjugate() * root).real < 0:
        root = -root
    return complex(d - b * c / (half + root)) if half + root != 0 else complex(d)


def _qr_step(t: Array, q: Array, low: int, high: int, shift: complex) -> None:
    """One QR step on rows and columns `low` to `high`, by rotations of neighbouring rows, then columns."""
    active = slice(low, high + 1)
    t[range(low, high + 1), range(low, high + 1)] -= shift
    rotations = []
    for k in range(low, high):
        x, y = t[k, k], t[k + 1, k]
        length = np.hypot(abs(x), abs(y))
        c, s = (x / length, y / length) if length else (1.0 + 0j, 0j)
        rotation = np.array([[c.conjugate(), s.conjugate()], [-s, c]])
        t[k : k + 2, k:] = rotation @ t[k : k + 2, k:]
        rotations.append((k, rotation.conj().T))
    for k, rotation in rotations:
        stop = min(k + 2, high) + 1
        t[:stop, k : k + 2] = t[:stop, k : k + 2] @ rotation
        q[:, k : k + 2] = q[:, k : k + 2] @ rotation
    t[range(active.start, active.stop), range(active.start, active.stop)] += shift


def _triangular_root(t: Array) -> Array:
    n = t.shape[0]
    root = np.zeros_like(t)
    with np.errstate(all="ignore"):
        root[range(n), range(n)] = np.sqrt(t.diagonal())
        for j in range(1, n):
            for i in range(j - 1, -1, -1):
                inner = root[i, i + 1 : j] @ root[i + 1 : j, j]
                rest = t[i, j] - inner
                root[i, j] = rest / (root[i, i] + root[j, j]) if rest else 0
    return root


def square_root(a: Array) -> Array:
    """The principal square root of one matrix; all NaN for a real matrix whose root is not real."""
    kind = a.dtype
    if a.size and not np.isfinite(a).all():
        return np.full(a.shape, np.nan, kind)
    t, q = schur(a)
    if kind.kind != "c":
        values = t.diagonal()
        scale = np.finfo(np.float64).eps * 100 * max(np.abs(values).max(initial=0), 1e-300)
        if ((values.real < -scale) & (np.abs(values.imag) <= scale)).any():
            return np.full(a.shape, np.nan, kind)
    root = q @ _triangular_root(t) @ q.conj().T
    return (root if kind.kind == "c" else root.real).astype(kind)


def logarithm(a: Array) -> Array:
    """The principal logarithm of one complex matrix: roots until it is near 1, then a rational approximation."""
    if a.size and not np.isfinite(a).all():
        return np.full(a.shape, np.nan, a.dtype)
    t, q = schur(a)
    n = t.shape[0]
    if (t.diagonal() == 0).any():
        return np.full(a.shape, np.nan, a.dtype)
    near, roots = t, 0
    one = np.eye(n)
    while np.linalg.norm(near - one, 1) > 0.25 and roots < 100:
        near = _triangular_root(near)
        roots += 1
    rest = near - one
    nodes, weights = np.polynomial.legendre.leggauss(8)
    # The Gauss rule on [0, 1] for the integral of X / (1 + s X).
    log = sum(
        weight / 2 * np.linalg.solve(one + (node + 1) / 2 * rest, rest)
        for node, weight in zip(nodes, weights, strict=True)
    )
    log = np.triu(log * 2.0**roots)
    log[range(n), range(n)] = np.log(t.diagonal())
    return (q @ log @ q.conj().T).astype(a.dtype)
