"""Machine code on disk, one file a kernel, named by a digest of all that it depends on.

That is: the processor and its features, the versions of Python, llvmlite, Numba, NumPy and tfbench, the sources of this
package, and the kernel's name with its parameters. A file begins with a digest of its content, so that a damaged one is
noticed and made again. Nothing here raises: without a cache kernels are compiled once per process.

The folder is `TFBENCH_CACHE_DIR`, else `tfbench/compiled` in the user's cache folder. Files are code that will be run,
so what belongs to another user is not read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

#: So many kernels are kept; the ones longest unused go first.
KEPT = 2_000

#: How the name of a file begins that is being written, and the seconds after which nobody writes it any more.
_NEW, _WRITING = "new-", 3600

_DIGEST = hashlib.sha256().digest_size


class Compiled:
    """A compiled kernel: its machine code as an object file, the function's name in it, and its arguments."""

    __slots__ = ("arguments", "image", "name")

    def __init__(self, name: str, arguments: tuple[str, ...], image: bytes) -> None:
        self.name = name
        self.arguments = arguments
        self.image = image

    def pack(self) -> bytes:
        """As bytes."""
        header = json.dumps([self.name, self.arguments]).encode()
        body = len(header).to_bytes(4, "little") + header + self.image
        return hashlib.sha256(body).digest() + body

    @classmethod
    def unpack(cls, data: bytes) -> Compiled:
        """From bytes; ValueError if they are damaged."""
        digest, body = data[:_DIGEST], data[_DIGEST:]
        if hashlib.sha256(body).digest() != digest:
            raise ValueError("The digest of a compiled kernel does not match its content.")
        end = 4 + int.from_bytes(body[:4], "little")
        name, arguments = json.loads(body[4:end])
        return cls(name, tuple(arguments), body[end:])


def folder() -> Path | None:
    """Where kernels are kept, or None if there is no such place."""
    given = os.environ.get("TFBENCH_CACHE_DIR")
    if given:
        return Path(given)
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "tfbench" / "compiled"


def sources_digest() -> str:
    """A digest of this package's sources."""
    total = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def key(world: str, request: Any) -> str:
    """The name of a kernel's file: `world` is what all kernels depend on, `request` what only this one does."""
    return hashlib.sha256(f"{world}\0{request!r}".encode()).hexdigest()


def read(name: str) -> Compiled | None:
    """The kernel of that name, or None if there is none that can be used."""
    place = folder()
    if place is None:
        return None
    path = place / name
    try:
        if hasattr(os, "getuid") and path.stat().st_uid != os.getuid():
            return None
        found = Compiled.unpack(path.read_bytes())
    except (OSError, ValueError):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return found


def write(place: Path, name: str, compiled: Compiled) -> None:
    """Keeps a kernel in that folder, if that can be; whoever reads meanwhile sees all of it or nothing."""
    temporary = None
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=place, prefix=_NEW)
        with os.fdopen(handle, "wb") as file:
            file.write(compiled.pack())
        os.replace(temporary, place / name)
        _forget_old(place)
    except OSError:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _forget_old(place: Path) -> None:
    """Removes the kernels that were used longest ago, and what processes left that ended while they wrote."""
    kept = []
    for entry in os.scandir(place):
        with contextlib.suppress(OSError):  # another process may have removed it
            if not entry.is_file():
                continue
            changed = entry.stat().st_mtime
            if not entry.name.startswith(_NEW):
                kept.append((changed, entry.path))
            elif changed < time.time() - _WRITING:
                os.unlink(entry.path)
    for _, path in sorted(kept)[:-KEPT]:
        with contextlib.suppress(OSError):
            os.unlink(path)
