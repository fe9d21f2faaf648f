"""How this process gets memory for arrays: glibc told to keep what it has freed.

By default glibc asks the kernel for every large array and gives it back when the array dies. The next run then pays
for each page again - the fault and the zeroing - which costs as much as two passes over the array. Arrays of a graph
come and go in the same sizes run after run, so freed memory is kept for them: up to `KEPT` bytes at the heap's end, and
arrays up to that size come from the heap. Larger ones still go back at once.

`keep_freed_memory` is called when the first session runs, never by `import tfbench`. It does nothing where the C
library is another one, or where the environment already sets glibc's allocator up (MALLOC_*, GLIBC_TUNABLES).
"""

from __future__ import annotations

import os
import sys
import threading

#: The largest array that is taken from the heap, and how much freed memory the heap keeps at its end.
KEPT = 256 << 20

_M_TRIM_THRESHOLD = -1  # mallopt's numbers, from malloc.h
_M_MMAP_THRESHOLD = -3

_lock = threading.Lock()
_outcome: bool | None = None


def keep_freed_memory() -> bool:
    """Sets the allocator up, once. Whether freed memory is kept from now on."""
    global _outcome
    if _outcome is None:
        with _lock:
            if _outcome is None:
                _outcome = _tune()
    return _outcome


def _tune() -> bool:
    if not sys.platform.startswith("linux"):
        return False
    if any(name.startswith("MALLOC_") for name in os.environ) or "malloc" in os.environ.get("GLIBC_TUNABLES", ""):
        return False
    import ctypes

    try:
        library = ctypes.CDLL(None)
        library.gnu_get_libc_version  # noqa: B018 (musl has a mallopt that means something else)
        mallopt = library.mallopt
    except (OSError, AttributeError):
        return False
    mallopt.argtypes = [ctypes.c_int, ctypes.c_int]
    mallopt.restype = ctypes.c_int
    # Both, or neither: setting one of them ends glibc's own adjustment of the other.
    return bool(mallopt(_M_MMAP_THRESHOLD, KEPT)) and bool(mallopt(_M_TRIM_THRESHOLD, KEPT))
