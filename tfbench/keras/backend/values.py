"""Values of variables and tensors, read and set in Keras's session."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.keras.backend.state import get_session


def get_value(x: Any) -> Any:
    """The value of a variable or tensor, as an array."""
    return get_session().run(x)


def batch_get_value(tensors: Any) -> list[Any]:
    """The values of several, from one run."""
    return list(get_session().run(list(tensors))) if tensors else []


def set_value(x: Any, value: Any) -> None:
    """Sets the value of a variable."""
    batch_set_value([(x, value)])


def batch_set_value(tuples: Any) -> None:
    """Sets the values of variables: pairs of a variable and an array.

    The nodes that do it are made once per variable.
    """
    if not tuples:
        return
    feeds, assigned = {}, []
    for variable, value in tuples:
        dtype = variable.dtype.base_dtype
        value = np.asarray(value, dtype=dtype.as_numpy_dtype)
        known = vars(variable).get("_keras_assign")
        if known is None:
            with variable.graph.as_default():
                placeholder = ops.placeholder(dtype, shape=[None] * value.ndim)
                known = variable._keras_assign = placeholder, variable.assign(placeholder).op
        feeds[known[0]] = value
        assigned.append(known[1])
    get_session().run(assigned, feeds)


def count_params(x: Any) -> int:
    """How many numbers the static shape of a variable or tensor says."""
    return int(np.prod(x.shape.as_list()))


def eval(x: Any) -> Any:
    """The value of a variable or tensor."""
    return get_value(x)
