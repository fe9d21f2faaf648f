"""Measuring two implementations fairly on a machine that others use too.

Each implementation runs in a process of its own, started once; then bursts of calls alternate, A B A B, so that a busy
minute hurts both. A burst lasts about `BURST` seconds. What is compared is the CPU time of one call in the best burst:
it leaves out the time that other programs had, though not what they did to the caches. Wall time and medians
stand beside it.

Only the standard library is used, so either interpreter can be the parent.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.case import Case, ProcessCase, Suite

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "results"

#: The column of tfbench with compiled kernels.
FAST = "tfbench, fast"

#: Seconds that a burst should last.
BURST = 0.15

#: Settings that a user does not have, so neither have the workers: some pin NumPy's BLAS to older kernels, the last one
#: has Python compile every module again at each start (but those that were compiled when they were installed).
_PINS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "PYTHONDONTWRITEBYTECODE")


class Implementation:
    """A column of the table: a library, the interpreter that has it, and its environment."""

    def __init__(self, name: str, library: str, python: str, **environment: str) -> None:
        self.name = name
        self.library = library
        self.python = python
        self.environment = environment

    def env(self, threads: int) -> dict[str, str]:
        """The environment of its processes."""
        inherited = {name: value for name, value in os.environ.items() if name not in _PINS}
        fixed = {
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "CUDA_VISIBLE_DEVICES": "",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": str(ROOT),
        }
        counts = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS") if threads}
        return {**inherited, **fixed, **counts, **self.environment}


class Worker:
    """The process of one implementation."""

    def __init__(self, implementation: Implementation, suite: str, threads: int) -> None:
        command = [implementation.python, "-m", "benchmarks.worker", implementation.library, suite, str(threads)]
        self.name = implementation.name
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed with the worker); libraries are talkative
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=implementation.env(threads),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self.about = self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            status = self._process.wait()
            self._log.seek(0)
            last = "".join(self._log.readlines()[-15:])
            raise RuntimeError(f"The {self.name} worker died (exit status {status}):\n{last}")
        return json.loads(line)

    def ask(self, request: str, argument: Any) -> Any:
        """Sends one request and waits for the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([request, argument]) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._log.close()


def measure_case(case: Case, workers: list[Worker], rounds: int) -> dict[str, dict[str, Any]]:
    """Bursts of one case in turn on every worker: name -> {"cpu": […], "wall": […]} in seconds a call."""
    calls: dict[str, int] = {}
    found: dict[str, dict[str, Any]] = {}
    for worker in workers:
        once = worker.ask("make", case.name)
        if isinstance(once, dict):
            found[worker.name] = once
            continue
        found[worker.name] = {"cpu": [], "wall": []}
        calls[worker.name] = max(1, min(100_000, round(BURST / max(once, 1e-7))))
    for number in range(rounds + 1):
        for worker in workers:
            if worker.name not in calls:
                continue
            took = worker.ask("burst", calls[worker.name])
            if "error" in took:
                found[worker.name] = took
                del calls[worker.name]
            elif number == 0:  # the first burst warms up and shows how many calls fit
                calls[worker.name] = max(1, min(1_000_000, round(BURST / max(took["wall"], 1e-7))))
            else:
                found[worker.name]["cpu"].append(took["cpu"])
                found[worker.name]["wall"].append(took["wall"])
    return found


_PRELUDE = {
    "tfbench": "import tfbench as tf\n",
    "tensorflow": "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.disable_resource_variables()\n",
}


def measure_process(case: ProcessCase, implementations: list[Implementation], rounds: int) -> dict[str, dict[str, Any]]:
    """Whole processes in turn: name -> {"cpu": […], "wall": […], "rss": […]}, in seconds and bytes."""
    found: dict[str, dict[str, Any]] = {one.name: {"cpu": [], "wall": [], "rss": []} for one in implementations}
    for number in range(rounds + 1):
        for one in implementations:
            program = _PRELUDE[one.library] + case.program
            begun = time.perf_counter()
            process = subprocess.Popen(
                [one.python, "-c", program],
                cwd=ROOT,
                env=one.env(0),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            assert process.stderr is not None
            complaint = process.stderr.read().decode(errors="replace")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            took = time.perf_counter() - begun
            if process.returncode:
                found[one.name] = {"error": complaint.strip().splitlines()[-1] if complaint.strip() else "failed"}
            elif number and "error" not in found[one.name]:  # the first start reads the files from disk
                scale = 1 if sys.platform == "darwin" else 1024
                found[one.name]["wall"].append(took)
                found[one.name]["cpu"].append(usage.ru_utime + usage.ru_stime)
                found[one.name]["rss"].append(usage.ru_maxrss * scale)
    return found


def measure(
    name: str, suite: Suite, implementations: list[Implementation], threads: int, rounds: int, only: str = ""
) -> dict[str, Any]:
    """Measures a suite and returns everything that is known about it, ready for JSON."""
    cases = [case for case in suite.cases if only in case.name]
    result: dict[str, Any] = {
        "suite": name,
        "title": suite.title,
        "threads": threads,
        "rounds": rounds,
        "machine": machine(),
        "columns": [one.name for one in implementations],
        "about": {},
        "cases": [],
    }
    workers: list[Worker] = []
    try:
        if any(isinstance(case, Case) for case in cases):
            workers = [Worker(one, name, threads) for one in implementations]
            result["about"] = {worker.name: worker.about for worker in workers}
        for case in cases:
            if isinstance(case, Case):
                samples = measure_case(case, workers, rounds)
                line = {"metric": "cpu", "work": case.work, "unit": case.unit, "fast": case.fast}
            else:
                samples = measure_process(case, implementations, rounds)
                line = {"metric": case.metric, "work": 1, "unit": ""}
            result["cases"].append({"name": case.name, "target": case.target, "samples": samples, **line})
            print(f"  {case.name}", file=sys.stderr, flush=True)
    finally:
        for worker in workers:
            worker.close()
    result["mean_target"] = suite.mean_target if not only else None
    return result


def machine() -> dict[str, Any]:
    """What the numbers depend on besides the code; nothing that names the machine."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"processor": model, "cores": os.cpu_count(), "system": platform.system(), "load": os.getloadavg()[0]}


# -- tables --------------------------------------------------------------------------------------------------


def best(case: dict[str, Any], column: str, metric: str = "") -> float | None:
    """The best sample of a column, or None if it failed."""
    samples = case["samples"].get(column, {}).get(metric or case["metric"])
    return min(samples) if samples else None


def ratio(case: dict[str, Any], ours: str, theirs: str) -> float | None:
    """Our best against their best."""
    first, second = best(case, ours), best(case, theirs)
    return first / second if first is not None and second else None


def shown(value: float | None, metric: str) -> str:
    """A number with its unit, three digits."""
    if value is None:
        return "–"
    if metric == "rss":
        return f"{value / 1e6:.0f} MB"
    for factor, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms")):
        if value * factor < 1000:
            return f"{value * factor:.3g} {unit}"
    return f"{value:.3g} s"


def table(result: dict[str, Any], ours: str = "") -> str:
    """The result as a Markdown table: our time, then for each rival its time and our ratio to it.

    `ours` is the first column if nothing else is said. That with compiled kernels is no rival of the one without.
    """
    ours = ours or result["columns"][0]
    rivals = [column for column in result["columns"] if column != ours and not (ours != FAST and column == FAST)]
    goal = "fast" if ours == FAST else "target"
    head = ["", f"{ours}: best", "median", "wall"]
    for rival in rivals:
        head += [f"{rival}: best", "ratio"]
    head += ["target", ""]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for case in result["cases"]:
        metric = case["metric"]
        samples = case["samples"].get(ours, {})
        median = statistics.median(samples[metric]) if samples.get(metric) else None
        wall = best(case, ours, "wall")
        row = [case["name"], shown(best(case, ours), metric), shown(median, metric), shown(wall, "wall")]
        if "error" in samples:
            row[1] = samples["error"][:60].replace("|", "/")
        for rival in rivals:
            compared = ratio(case, ours, rival)
            failed = case["samples"].get(rival, {}).get("error", "")
            row += [failed[:40].replace("|", "/") or shown(best(case, rival), metric), number(compared)]
        row += _verdict([ratio(case, ours, rival) for rival in rivals], case.get(goal))
        lines.append("| " + " | ".join(row) + " |")
    means = [geometric_mean(result, ours, rival) for rival in rivals]
    if any(mean is not None for mean in means) and len(result["cases"]) > 1:
        row = ["geometric mean", "", "", ""]
        for mean in means:
            row += ["", number(mean)]
        row += _verdict(means, result.get("mean_target") if goal == "target" else None)
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def _verdict(values: list[float | None], target: float | None) -> list[str]:
    """The target, and for each rival whether it is met."""
    if target is None:
        return ["", ""]
    met = ["–" if value is None else "yes" if value <= target else "**no**" for value in values]
    return [f"≤ {target:g}", " / ".join(met)]


def number(value: float | None) -> str:
    """A ratio."""
    return "–" if value is None else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def geometric_mean(result: dict[str, Any], ours: str, rival: str) -> float | None:
    """The geometric mean of the ratios, None if one is missing."""
    ratios = [ratio(case, ours, rival) for case in result["cases"]]
    if not ratios or any(value is None for value in ratios):
        return None
    return statistics.geometric_mean(value for value in ratios if value is not None)


def save(result: dict[str, Any]) -> Path:
    """Writes all samples to results/SUITE-THREADS.json, rounded to what means something."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{result['suite']}-{result['threads']}.json"
    text = json.dumps(_rounded(result), indent=1, ensure_ascii=False)
    path.write_text(text + "\n")
    return path


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return value
