"""Does building stay linear? `python -m benchmarks.linear` prints the time an op takes in graphs of growing size.

Small graphs are cheaper: Python's garbage collector looks through everything whenever a quarter has been added, which a
small graph seldom does. From some 100,000 ops on its share is constant, about half.
"""

from __future__ import annotations

import gc
import time

import tfbench as tf
from benchmarks.bench_graph import _chain

if __name__ == "__main__":
    print("| ops | µs an op | to the first |\n|---|---|---|")
    first = 0.0
    for count in (1_000, 10_000, 100_000, 400_000):
        build = _chain(count)(tf, 1)
        times = []
        for _ in range(3):
            gc.collect()
            begun = time.process_time()
            build()
            times.append((time.process_time() - begun) / count)
        first = first or min(times)
        print(f"| {count:,} | {min(times) * 1e6:.2f} | {min(times) / first:.2f} |")
