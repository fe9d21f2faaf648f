"""What all of TensorFlow's namespaces have in common: they list public names only, and say what a wrong name may mean.

Files of a package become its attributes when they are imported (`tf.train.adam`), and so does what a file imports
(`Any`). `dir`, and with it completion in a notebook, is to show neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

#: what programs for TensorFlow 1 ask `tf` for, and do not find here
ABSENT = frozenset(
    {
        "GradientTape", "autograph", "distribute", "distributions", "function",
        "lite", "profiler", "ragged", "tpu", "xla",
    }
)  # fmt: skip


class Namespace(ModuleType):
    """A module that is a part of the API: `tf.train`, `tf.layers`, …"""

    def __dir__(self) -> list[str]:
        """The module's own `__dir__`, else its `__all__`, else what of tfbench's is in it."""
        own = vars(self)
        listing = own.get("__dir__")
        if listing is not None:
            return sorted(listing())
        return sorted(own["__all__"] if "__all__" in own else made_here(own))

    def __getattr__(self, name: str) -> Any:
        # Asked when the module's own `__getattr__`, if it has one, raised; of its error only the words are lost.
        own = vars(self).get("__getattr__")
        if own is not None:
            try:
                return own(name)
            except AttributeError as error:
                if str(error) != f"module {self.__name__!r} has no attribute {name!r}":
                    raise  # it says more
        raise unknown(self.__name__, name, () if name.startswith("_") else dir(self)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType):
            adopt(self, name, value)
        super().__setattr__(name, value)


def adopt(parent: Namespace, name: str, module: ModuleType) -> None:
    """A public part of a namespace (`tf.contrib.slim`) is a namespace, too."""
    if type(module) is ModuleType and module.__name__.startswith("tfbench.") and name in dir(parent):
        module.__class__ = Namespace


def made_here(names: Mapping[str, Any]) -> set[str]:
    """The public functions and classes of tfbench's among a module's names."""
    return {
        name
        for name, value in names.items()
        if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith("tfbench.")
    }


def unknown(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error for a name that `module` does not have; with the nearest of those that it has."""
    if module == "tfbench" and name in ABSENT:
        return AttributeError(
            f"module {module!r} has no attribute {name!r}: TensorFlow has it, tfbench does not (yet); its README lists "
            "what is missing"
        )
    spelled = {near.lower(): near for near in known}
    means = ""
    if spelled:
        import difflib

        near = difflib.get_close_matches(name.lower()[:100], spelled, n=1, cutoff=0.75)
        means = f"; did you mean {spelled[near[0]]!r}?" if near else ""
    return AttributeError(f"module {module!r} has no attribute {name!r}{means}")
