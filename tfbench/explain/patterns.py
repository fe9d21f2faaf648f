"""Names by pattern: a glob, or without wildcards a name or a scope."""

from __future__ import annotations

import fnmatch


def matches(name: str, pattern: str | None) -> bool:
    """Whether `name` is meant by `pattern`; None means every name. `*` goes across slashes."""
    if not pattern:
        return True
    if any(wildcard in pattern for wildcard in "*?["):
        return fnmatch.fnmatchcase(name, pattern)
    plain = pattern.removesuffix(":0").rstrip("/")
    return name == plain or name.startswith(f"{plain}/")
