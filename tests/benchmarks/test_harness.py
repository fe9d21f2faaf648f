"""The measuring harness: ratios, tables and files from given samples, and one real run of each kind. No timings."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import harness
from benchmarks.__main__ import SUITES
from benchmarks.case import Case, ProcessCase, Suite


def result(**samples: dict[str, Any]) -> dict[str, Any]:
    """A result with two cases: the given samples, and one that is twice as fast as TensorFlow."""
    columns = ["tfbench", "TensorFlow"]
    half = {"tfbench": {"cpu": [0.001, 0.002], "wall": [0.003]}, "TensorFlow": {"cpu": [0.002], "wall": [0.002]}}
    cases = [
        {"name": "given", "target": 0.5, "metric": "cpu", "samples": samples},
        {"name": "half", "target": 0.6, "metric": "cpu", "samples": half},
    ]
    return {"suite": "x", "threads": 1, "columns": columns, "cases": cases, "mean_target": 1.0}


def rows(table: str) -> dict[str, list[str]]:
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[0]: row[1:] for row in found[2:]}


def test_the_table_compares_best_with_best_and_judges_by_the_target() -> None:
    ours = {"cpu": [0.004, 0.002, 0.009], "wall": [0.01, 0.02]}
    table = rows(harness.table(result(tfbench=ours, TensorFlow={"cpu": [0.003, 0.001], "wall": [1.0]})))
    assert table["given"] == ["2 ms", "4 ms", "10 ms", "1 ms", "2.00", "≤ 0.5", "**no**"]
    assert table["half"] == ["1 ms", "1.5 ms", "3 ms", "2 ms", "0.50", "≤ 0.6", "yes"]
    assert table["geometric mean"][-3:] == ["1.00", "≤ 1", "yes"]


def test_each_rival_has_a_verdict() -> None:
    two = result(tfbench={"cpu": [2.0], "wall": [2.0]}, TensorFlow={"cpu": [5.0]}, other={"cpu": [2.0]})
    two["columns"].append("other")
    two["cases"] = two["cases"][:1]
    assert rows(harness.table(two))["given"] == [
        "2 s",
        "2 s",
        "2 s",
        "5 s",
        "0.40",
        "2 s",
        "1.00",
        "≤ 0.5",
        "yes / **no**",
    ]


def test_a_failure_is_shown_and_counts_for_nothing() -> None:
    failed = {"error": "AttributeError: no | such name"}
    table = rows(harness.table(result(tfbench=failed, TensorFlow={"cpu": [0.001], "wall": [0.001]})))
    assert table["given"][0] == "AttributeError: no / such name"
    assert table["given"][-3:] == ["–", "≤ 0.5", "–"]  # neither met nor missed
    assert "geometric mean" not in table
    table = rows(harness.table(result(tfbench={"cpu": [0.001], "wall": [0.001]}, TensorFlow=failed)))
    assert table["given"][3:5] == ["AttributeError: no / such name", "–"]


@pytest.mark.parametrize(
    ("value", "metric", "text"),
    [
        (3.2e-9, "cpu", "3.2 ns"),
        (2.5e-5, "cpu", "25 µs"),
        (0.5, "wall", "500 ms"),
        (12.345, "wall", "12.3 s"),
        (123_400_000, "rss", "123 MB"),
        (None, "cpu", "–"),
    ],
)
def test_numbers_have_units(value: Any, metric: str, text: str) -> None:
    assert harness.shown(value, metric) == text


def test_samples_are_kept_with_four_digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "RESULTS", tmp_path / "results")
    path = harness.save(result(tfbench={"cpu": [0.123456789], "wall": []}))
    assert path.name == "x-1.json"
    assert json.loads(path.read_text())["cases"][0]["samples"]["tfbench"]["cpu"] == [0.1235]


def test_workers_do_not_inherit_settings_that_slow_numpy_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("KEPT", "yes")
    one = harness.Implementation("a", "tfbench", sys.executable, EXTRA="1")
    env = one.env(2)
    assert "OPENBLAS_CORETYPE" not in env
    assert (env["KEPT"], env["EXTRA"], env["OMP_NUM_THREADS"]) == ("yes", "1", "2")
    assert "OMP_NUM_THREADS" not in one.env(0) or one.env(0)["OMP_NUM_THREADS"] != "2"


@pytest.mark.parametrize("name", ["import", "graph", "gradients", "session", "conv", "kernels"])
def test_every_suite_has_cases_with_names_of_their_own(name: str) -> None:
    import importlib

    suite = importlib.import_module(f"benchmarks.bench_{name}").SUITE
    assert isinstance(suite, Suite)
    names = [case.name for case in suite.cases]
    assert len(set(names)) == len(names) > 2
    assert all(isinstance(case, (Case, ProcessCase)) for case in suite.cases)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", "--without-tensorflow", "--no-save", "--rounds", "1", *arguments]
    python = ["--python", sys.executable]
    return subprocess.run([*command, *python], cwd=harness.ROOT, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("suite", "only"), [("session", "a constant"), ("import", "wall time"), ("gradients", "mixture, 200")]
)
def test_a_real_run_prints_a_table(suite: str, only: str) -> None:
    done = run(suite, "--only", only)
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if only in line)
    assert any(unit in line for unit in (" ns ", " µs ", " ms ", " s "))


def test_what_cannot_be_run_says_why() -> None:
    done = run("speed")
    assert done.returncode == 2
    assert f"no suite speed; there are {', '.join(SUITES)}" in done.stderr
