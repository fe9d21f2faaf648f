"""Work of a thread in the background that nobody is to notice: in small pieces, with rests between them.

While this thread has the GIL, the program has to wait for it. What takes long is therefore done without it
(`load_library`), or in pieces, each followed by a rest that is `REST` times as long: of a training step's time this
thread then takes no more than a tenth. Imports are the most of it: `modules` imports one after the other, `package`
rests between the modules of a package, too. Where somebody waits for the result, nobody rests.

A process that forks takes over what this thread has locked and half made, but not the thread: so a fork waits until the
piece is done.
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import importlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from importlib.machinery import PathFinder
from importlib.util import find_spec
from typing import Any

#: how much longer than a piece the rest behind it is
REST = 9

#: a fork waits for no more than so many seconds
_PATIENCE = 10.0


class Ended(Exception):
    """The process is about to end."""


class Gently:
    """Calls functions as pieces. `hurried()`: somebody waits; `ended` is set when nothing more is to be done."""

    def __init__(self, hurried: Callable[[], bool], ended: threading.Event) -> None:
        self._hurried = hurried
        self._ended = ended
        self._begun = 0.0

    def do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls the function, as one piece; raises Ended when nothing more is to be done."""
        if self._ended.is_set():
            raise Ended
        self._begun = time.thread_time()
        try:
            with _lock:
                return function(*arguments)
        finally:
            self._rest()

    def _rest(self) -> None:
        """Lets others have what it takes; ends a piece and begins the next one."""
        if not self._hurried() and not _forking:
            self._ended.wait(REST * (time.thread_time() - self._begun))
        self._begun = time.thread_time()

    def modules(self, names: Iterable[str]) -> None:
        """Imports modules, each as a piece. Those that are not there are left to who needs them."""
        for name in names:
            if name not in sys.modules:
                with contextlib.suppress(ImportError):
                    self.do(importlib.import_module, name)

    def package(self, name: str) -> Any:
        """Imports a package, as a piece for each module in it."""
        return self.do(self._package, name)

    def _package(self, name: str) -> Any:
        folder = _folder(name)
        if folder is None or name in sys.modules:
            return importlib.import_module(name)
        # The import system keeps a finder for each folder: who imports from another one does not meet this.
        PathFinder.find_spec(f"{name}.nothing", [folder])  # has it made
        finder: Any = sys.path_importer_cache.get(folder)
        if finder is None:
            return importlib.import_module(name)
        sys.path_importer_cache[folder] = _Resting(finder, self._rest)
        try:
            return importlib.import_module(name)
        finally:
            sys.path_importer_cache[folder] = finder

    def load_library(self, path: str) -> None:
        """Loads a shared library without the GIL; an import, or `ctypes.CDLL`, would hold it. It stays loaded."""
        if os.name == "posix":
            self.do(_open_library, path)


class _Resting:
    """A finder of modules that rests first, if the thread that made it asks."""

    def __init__(self, finder: Any, rest: Callable[[], None]) -> None:
        self._finder = finder
        self._rest = rest
        self._thread = threading.get_ident()

    def find_spec(self, name: str, target: Any = None) -> Any:
        if threading.get_ident() == self._thread:
            self._rest()
        return self._finder.find_spec(name, target)

    def invalidate_caches(self) -> None:
        self._finder.invalidate_caches()


def _folder(package: str) -> str | None:
    spec = find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return places[0] if len(places) == 1 else None


def _open_library(path: str) -> None:
    opened = ctypes.CDLL(None).dlopen  # a function that is called through ctypes runs without the GIL
    opened.restype, opened.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int]
    opened(os.fsencode(path), os.RTLD_NOW)


# -- forks -------------------------------------------------------------------------------------------------------------

#: held while a piece is done
_lock = _thread.allocate_lock()
#: how many forks are under way, and the thread of the one that holds the lock
_forking = 0
_forker = 0


def _before_fork() -> None:
    global _forking, _forker
    _forking += 1
    if _lock.acquire(timeout=_PATIENCE):
        _forker = threading.get_ident()


def _after_fork_in_parent() -> None:
    global _forking, _forker
    _forking -= 1
    if _forker == threading.get_ident():
        _forker = 0
        _lock.release()


def _after_fork_in_child() -> None:
    global _lock, _forking, _forker
    _lock, _forking, _forker = _thread.allocate_lock(), 0, 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
