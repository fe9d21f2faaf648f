"""`tensorflow.python.util.all_util`: what a module of TensorFlow's gives away."""

from __future__ import annotations

import re
import sys
from typing import Any

__all__ = ["make_all", "remove_undocumented"]


def make_all(module_name: str, doc_string_modules: Any = None) -> list[str]:
    """The names that the texts of some modules (by default its own) name as `@@name`, and that the module has."""
    module = sys.modules[module_name]
    text = "\n".join(each.__doc__ or "" for each in doc_string_modules or [module])
    return sorted(set(re.findall(r"@@(\w+)", text)) & set(vars(module)))


def remove_undocumented(module_name: str, allowed_exception_list: Any = None, doc_string_modules: Any = None) -> None:
    """Takes the names from a module that are neither in its texts (`make_all`), nor in the list, nor private."""
    keep = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    own = vars(sys.modules[module_name])
    for name in [name for name in own if not name.startswith("_") and name not in keep]:
        del own[name]
