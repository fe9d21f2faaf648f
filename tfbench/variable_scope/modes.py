"""Two switches: what `reuse` may be, and which kind of variable is made where nothing is said."""

from __future__ import annotations


class ReuseMode:
    """What `reuse` may be besides True, False and None."""

    def __repr__(self) -> str:
        return "<_ReuseMode.AUTO_REUSE: 1>"


#: reuse a variable that exists, make one that does not
AUTO_REUSE = ReuseMode()

_use_resource_by_default = False


def enable_resource_variables() -> None:
    """Makes resource variables the default."""
    global _use_resource_by_default
    _use_resource_by_default = True


def disable_resource_variables() -> None:
    """Makes reference variables the default, as in 1.x."""
    global _use_resource_by_default
    _use_resource_by_default = False


def resource_variables_enabled() -> bool:
    """Whether variables are resource variables where nothing else is said."""
    return _use_resource_by_default
