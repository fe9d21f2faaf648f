"""Samples of what fails a run, of what prints on the way, and of Python functions in graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

_X = np.array([[1.0, -2.0], [0.5, 3.0]], np.float32)
_TEXT = np.array(b"text", object)

SAMPLES: dict[str, list[tuple[list[Any], dict[str, Any]]]] = {
    "Assert": [([np.array(True), [_TEXT, _X, np.array([1, 2])]], {"summarize": 2})],
    "CheckNumerics": [([_X], {"message": "bad"}), ([_X.astype(np.float64)], {"message": "bad"})],
    "Print": [([_X, [_TEXT, _X]], {"message": "printed by the registry test: ", "summarize": 1})],
}

NOT_SAMPLED = {
    "PyFunc": "it calls a Python function that only tf.py_func registers; tested in the facts of py_func",
    "PyFuncStateless": "it calls a Python function that only tf.py_func registers; tested in the facts of py_func",
}
