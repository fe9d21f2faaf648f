"""What users give as elements, made tensors."""

from __future__ import annotations

import re
from typing import Any

from tfbench.data import specs, structure
from tfbench.engine.composite import SparseTensor, SparseTensorValue
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.tensor import Tensor


def normalized(element: Any) -> Any:
    """The element with tensors, sparse tensors and data sets for components; lists and arrays become constants."""
    components: list[Any] = []
    with name_scope("normalize_element"):
        for i, component in enumerate(structure.flatten(element)):
            if component is None:
                raise ValueError(
                    "Attr 'Toutput_types' of 'TensorDataset' Op passed list of length 0 less than minimum 1: None has "
                    "no component."
                )
            if isinstance(component, (SparseTensor, SparseTensorValue)):
                components.append(SparseTensor.from_value(component))
            elif hasattr(component, "_variant_tensor") or isinstance(component, Tensor):
                components.append(component)
            else:
                components.append(convert_to_tensor(component, name=f"component_{i}"))
    return structure.pack(element, components)


def spec_of(element: Any) -> Any:
    """The spec of a normalised element."""
    return structure.map_structure(specs.spec_of, element)


def returned(value: Any, what: str) -> Any:
    """What a user's function returned, as an element: a list is a tuple.

    Raises:
      TypeError: naming the transformation, if a part of it is no component.
    """
    if isinstance(value, list):
        value = tuple(value)
    if value is None or (structure.is_nested(value) and not structure.flatten(value)):
        op = "".join(part.capitalize() for part in re.findall(r"[a-z]+", what.rpartition(".")[2])) + "Dataset"
        raise ValueError(
            f"Attr 'output_types' of '{op}' Op passed list of length 0 less than minimum 1: the function passed to "
            f"{what} returned {value!r}. Is a `return` missing?"
        )
    components: list[Any] = []
    for component in structure.flatten(value):
        if isinstance(component, (SparseTensor, SparseTensorValue)):
            components.append(SparseTensor.from_value(component))
        elif isinstance(component, Tensor) or hasattr(component, "_variant_tensor"):
            components.append(component)
        else:
            try:
                components.append(convert_to_tensor(component))
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"Unsupported return value from function passed to {what}: {value!r}. ({error})"
                ) from error
    return structure.pack(value, components)
