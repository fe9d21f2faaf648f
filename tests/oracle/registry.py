"""The programs: declared by a decorator, found by area, identified by a hash of their source.

This file runs under tfbench (Python 3.11+) and under TensorFlow 1.15 (Python 3.7): no newer syntax.
"""

from __future__ import annotations

import hashlib
import importlib
import os

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
FACTS = os.path.join(HERE, "facts")

# Part of every hash: raise it when the way facts are written changes, so that all are recorded again.
FORMAT = "1"


class Program:
    """One program with one case: what is run, and how its outcome is compared."""

    __slots__ = (
        "_hash",
        "area",
        "case",
        "function",
        "graph",
        "has_case",
        "messages",
        "name",
        "oracle",
        "random",
        "tol",
    )  # fmt: skip

    def __init__(self, function, name, case, has_case, random, tol, graph, messages, oracle):
        self.area = function.__module__.rpartition(".")[2]
        self.name = name
        self.function = function
        self.case = case
        self.has_case = has_case
        self.random = random
        self.tol = tol
        self.graph = graph
        self.messages = messages
        self.oracle = oracle
        self._hash = None

    def __call__(self, tf):
        return self.function(tf, self.case) if self.has_case else self.function(tf)

    def hash(self):
        """Short digest of what decides the outcome: the program, its cases, and what its file holds beside programs."""
        if self._hash is None:
            module = importlib.import_module(self.function.__module__)
            text = "\n".join([FORMAT, self.text(), _split(module)[1]])
            self._hash = hashlib.sha1(text.encode("utf-8")).hexdigest()[:12]
        return self._hash

    def text(self):
        """The program's source, without its comments."""
        own, _ = _split(importlib.import_module(self.function.__module__))
        return own[self.function.__code__.co_firstlineno]

    def command(self):
        return f"python tests/oracle/record.py {self.area}"


_areas = {}


def program(cases=None, random=False, tol=None, graph=True, messages=None, oracle="2.21"):
    """Register a program; with `cases` (a list, or a dict {id: case}) one for each, called `f(tf, case)`."""

    def register(function):
        area = function.__module__.rpartition(".")[2]
        known = _areas.setdefault(area, {})
        options = (random, tol, graph, messages, oracle)
        if cases is None:
            rows = [(function.__name__, None)]
        else:
            pairs = cases.items() if isinstance(cases, dict) else _named(cases)
            rows = [(f"{function.__name__}[{key}]", case) for key, case in pairs]
        for name, case in rows:
            if name in known:
                raise ValueError(f"tests/oracle/programs/{area}.py declares {name} twice")
            known[name] = Program(function, name, case, cases is not None, *options)
        return function

    return register


def areas():
    """Names of all areas, sorted."""
    return sorted(f[:-3] for f in os.listdir(PROGRAMS) if f.endswith(".py") and f != "__init__.py")


def load(area):
    """The programs of one area: {name: Program}, in the order of the file."""
    importlib.import_module("tests.oracle.programs." + area)
    return _areas.get(area, {})


class Failure:
    """An error as a value (what `attempt` returns)."""

    __slots__ = ("error",)

    def __init__(self, error):
        self.error = error


def attempt(function, *args, **kwargs):
    """Call, and return the result, or the error as a value."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return Failure(error)


def _named(cases):
    """Cases with their ids; an id that comes again gets a number."""
    seen = {}
    for case in cases:
        key = _case_id(case)
        seen[key] = seen.get(key, 0) + 1
        yield (key if seen[key] == 1 else f"{key} #{seen[key]}"), case


def _case_id(case):
    """A readable id: the text of simple cases, the first element of a row."""
    if isinstance(case, (tuple, list)) and case:
        return _case_id(case[0])
    if callable(case):
        return getattr(case, "__name__", "case")
    return str(case)


def _plain(lines):
    """Source without comment lines, blank lines and trailing blanks."""
    kept = (line.rstrip() for line in lines)
    return "\n".join(line for line in kept if line and not line.lstrip().startswith("#"))


def _split(module):
    """Source of a program file as ({first line of a program: its text}, text of everything else)."""
    texts = module.__dict__.get("_program_texts_")
    if texts is None:
        with open(module.__file__, encoding="utf-8") as source:
            lines = source.read().splitlines()
        own, shared, at = {}, [], 0
        while at < len(lines):
            if not lines[at].startswith("@program"):
                shared.append(lines[at])
                at += 1
                continue
            end = at
            while not lines[end].startswith("def "):
                end += 1
            end += 1
            while end < len(lines) and (not lines[end] or lines[end][0] in " )]}#"):
                end += 1
            own[at + 1] = _plain(lines[at:end])
            at = end
        texts = module.__dict__["_program_texts_"] = (own, _plain(shared))
    return texts
