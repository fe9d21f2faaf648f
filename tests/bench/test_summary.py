"""The line under a `%%graph` cell: counts, few names, one line also where names are long."""

from __future__ import annotations

import pytest

from tfbench.bench import CellResult


def line(**fields: object) -> str:
    return str(CellResult("g", "1", **{"added": ("a",), **fields}))  # type: ignore[arg-type]


NESTED = tuple(f"image_filters/conv{i}/{name}" for i in (1, 2) for name in ("weights", "biases"))


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "g: 1 operation added"),
        ({"created": ("w", "b")}, "g: 1 operation added, 2 variables created (w, b)"),
        ({"reused": ("w",)}, "g: 1 operation added, 1 variable reused (w)"),
        (
            {"created": NESTED, "reused": NESTED, "scopes": ("image_filters/conv1", "image_filters/conv2")},
            "g: 1 operation added, 4 variables created, 4 reused, scopes image_filters/{conv1, conv2}",
        ),
        (
            {"created": tuple(f"conv{i}_weights" for i in range(8))},
            "g: 1 operation added, 8 variables created (conv0_weights, conv1_weights, conv2_weights, …)",
        ),
        ({"scopes": ("a", "b", "c", "d")}, "g: 1 operation added, scopes a, b, c, …"),
        ({"scopes": ("net/a", "net/b", "net/c/x", "net/d")}, "g: 1 operation added, scopes net/{a, b, c/x, …}"),
        ({"scopes": ("ab/x", "abc/x")}, "g: 1 operation added, scopes ab/x, abc/x"),
        ({"scopes": ("net", "net/a")}, "g: 1 operation added, scopes net, net/a"),
        (
            {"devices": ("/device:GPU:0",), "replayed": ("2",)},
            "g: 1 operation added, asks for /device:GPU:0, 1 cell replayed",
        ),
    ],
)
def test_line(fields: dict[str, object], text: str) -> None:
    assert line(**fields) == text


def test_hostile_names_stay_one_short_line() -> None:
    names = ("n" * 10_000, "two\nlines/<b>", *(f"deep/{'x' * 300}/{i}" for i in range(50)))
    text = line(created=names, reused=names, scopes=names, devices=names)
    assert "\n" not in text
    assert len(text) < 1000
