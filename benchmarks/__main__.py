"""`python -m benchmarks [SUITE …]`: measure, print Markdown tables, keep the samples as JSON.

Suites: import, graph, gradients, session, control, training, arrays, data, memory, devices, conv, kernels, checkpoint,
records, explain, swap. TensorFlow is taken from the interpreter given by --oracle-python (default: this one if it has
TensorFlow, else .venv-oracle), tfbench from --python (default: .venv, else this one). The suites memory, devices,
explain and swap measure tfbench alone: against what its plans need, targets, what a person waits for, and notices.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import subprocess
import sys

from benchmarks import harness

SUITES = (
    "import",
    "graph",
    "gradients",
    "session",
    "control",
    "training",
    "arrays",
    "data",
    "memory",
    "devices",
    "conv",
    "kernels",
    "checkpoint",
    "records",
    "explain",
    "swap",
)

#: suites of tfbench alone
_ALONE = ("memory", "devices", "explain", "swap")

#: suites that are about arithmetic: for each number of threads, with oneDNN switched off as well, and tfbench with its
#: compiled kernels and without
_THREADED = ("conv", "kernels", "training")


def _interpreter(folder: str) -> str | None:
    path = harness.ROOT / folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    return str(path) if path.exists() else None


def _oracle(given: str | None) -> str:
    if given:
        return given
    if importlib.util.find_spec("tensorflow") is not None:
        return sys.executable
    found = _interpreter(".venv-oracle")
    if found is None:
        raise SystemExit(
            "No TensorFlow to compare with: run `make bench`, which installs it in .venv-oracle, "
            "or name an interpreter that has it with --oracle-python."
        )
    return found


def main() -> None:
    summary, _, details = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=summary, epilog=details)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"any of {', '.join(SUITES)} (default: all)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], help="threads to compute with (default: 1)")
    parser.add_argument("--rounds", type=int, default=9, help="bursts of each side that count (default: 9)")
    parser.add_argument("--only", default="", metavar="WORD", help="only cases whose name contains WORD")
    parser.add_argument("--python", metavar="PATH", help="interpreter for tfbench")
    parser.add_argument("--oracle-python", metavar="PATH", help="interpreter with TensorFlow")
    parser.add_argument("--without-tensorflow", action="store_true", help="measure tfbench alone")
    parser.add_argument("--no-save", action="store_true", help="print only")
    options = parser.parse_args()
    unknown = [name for name in options.suites if name not in SUITES]
    if unknown:
        parser.error(f"no suite {', '.join(unknown)}; there are {', '.join(SUITES)}")

    python = options.python or _interpreter(".venv") or sys.executable
    columns = [harness.Implementation("tfbench", "tfbench", python)]
    if not options.without_tensorflow:
        oracle = _oracle(options.oracle_python)
        columns.append(harness.Implementation("TensorFlow", "tensorflow", oracle))
    for name in options.suites or SUITES:
        if name in _ALONE:
            command = [python, "-m", f"benchmarks.bench_{name}"]
            command += ["--no-save"] if options.no_save and name in ("memory", "devices") else []
            subprocess.run(command, cwd=harness.ROOT, check=True)
            continue
        suite = importlib.import_module(f"benchmarks.bench_{name}").SUITE
        rivals = list(columns)
        if name in _THREADED:
            fast = harness.Implementation(harness.FAST, "tfbench", python, TFBENCH_FAST="wait")
            rivals[:1] = [harness.Implementation("tfbench", "tfbench", python, TFBENCH_FAST="0"), fast]
            if not options.without_tensorflow:
                rivals.append(harness.Implementation("TF, no oneDNN", "tensorflow", oracle, TF_ENABLE_ONEDNN_OPTS="0"))
        for threads in options.threads if name in _THREADED else options.threads[:1]:
            result = harness.measure(name, suite, rivals, threads, options.rounds, options.only)
            print(f"\n### {suite.title} ({threads} thread{'s' if threads > 1 else ''})\n")
            print(harness.table(result))
            if harness.FAST in result["columns"]:
                print(f"\nWith the extra `fast`:\n\n{harness.table(result, harness.FAST)}")
            if suite.note:
                print(f"\n{suite.note}")
            for column, facts in result["about"].items():
                print(f"\n{column}: " + ", ".join(f"{key} {value}" for key, value in facts.items() if value != ""))
            if not options.no_save and not options.only:
                print(f"\nsamples: {harness.save(result).relative_to(harness.ROOT)}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
