"""One implementation in a process of its own: `python -m benchmarks.worker LIBRARY SUITE THREADS`.

Speaks lines of JSON. Asked `["make", case]` it sets the case up and answers how long one call takes; asked
`["burst", calls]` it makes that many calls and answers `{"cpu": seconds, "wall": seconds}` for one.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any


def load(library: str) -> Any:
    """The module with the TensorFlow 1.x API."""
    if library == "tfbench":
        return importlib.import_module("tfbench")
    tf = importlib.import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    tf.disable_resource_variables()
    tf.logging.set_verbosity(tf.logging.ERROR)
    return tf


def about(tf: Any) -> dict[str, Any]:
    """Versions, and what the numbers depend on."""
    import numpy as np

    facts: dict[str, Any] = {"python": sys.version.split()[0], "numpy": np.__version__}
    facts["version"] = getattr(tf, "__version__", "")
    with contextlib.suppress(ImportError):
        from tensorflow.python.util import _pywrap_util_port

        facts["onednn"] = bool(_pywrap_util_port.IsMklEnabled())
    if tf.__name__ == "tfbench":
        facts["blas"] = blas_kernel()
        facts["fast"] = importlib.import_module("tfbench.engine.compiled.tier").mode()
    return facts


def blas_kernel() -> str | None:
    """The name of the processor that NumPy's OpenBLAS has chosen its kernels for."""
    import ctypes

    from tfbench.engine.kernels import blas

    name = blas._symbol(blas._library(), "scipy_openblas_get_corename64_", "openblas_get_corename")
    if name is None:
        return None
    name.restype = ctypes.c_char_p
    return str(name().decode())


def burst(call: Callable[[], Any], calls: int, staged: bool = False) -> dict[str, float]:
    """Seconds for one of `calls` calls; `staged`: of what these return."""
    if staged:
        return _staged_burst(call, calls)
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(calls):
        call()
    return {"cpu": (time.process_time() - cpu) / calls, "wall": (time.perf_counter() - wall) / calls}


def _staged_burst(stage: Callable[[], Callable[[], object]], calls: int) -> dict[str, float]:
    cpu = wall = 0.0
    for _ in range(calls):
        call = stage()
        gc.collect()
        cpu_then, wall_then = time.process_time(), time.perf_counter()
        call()
        cpu += time.process_time() - cpu_then
        wall += time.perf_counter() - wall_then
    return {"cpu": cpu / calls, "wall": wall / calls}


def main() -> None:
    library, suite, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not get between the lines
    cases = {case.name: case for case in importlib.import_module(f"benchmarks.bench_{suite}").SUITE.cases}
    tf = load(library)
    call: Callable[[], Any] = int  # until a case is made: nothing to do
    staged = False
    answer: Any = about(tf)
    while True:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        line = sys.stdin.readline()
        if not line:
            return
        request, argument = json.loads(line)
        try:
            if request == "make":
                tf.reset_default_graph()
                call, staged = cases[argument].make(tf, threads), cases[argument].staged
                # The second run makes a function, the third may ask for machine code: what counts comes after.
                for _ in range(4):
                    burst(call, 1, staged)
                answer = burst(call, 1, staged)["wall"]
            else:
                answer = burst(call, argument, staged)
        except Exception as error:  # the parent shows it in the table
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}


if __name__ == "__main__":
    main()
