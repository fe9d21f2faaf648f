"""What layers leave behind: named outputs, and variables in the collections that a call asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.contrib.framework.variables import model_variable
from tfbench.engine.default_graph import add_to_collection, add_to_collections, get_collection, get_collection_ref
from tfbench.engine.infer import constant_value
from tfbench.engine.tensor import Tensor
from tfbench.variables.partitioned import PartitionedVariable

# -- outputs -------------------------------------------------------------------------------------------------------


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Puts `outputs` into collections, under the name `alias`, and returns it."""
    if collections:
        append_tensor_alias(outputs, alias)
        add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Gives a tensor one more name."""
    name = alias[:-1] if alias.endswith("/") else alias
    tensor.aliases = [*getattr(tensor, "aliases", []), name]
    return tensor


def get_tensor_aliases(tensor: Any) -> list[str]:
    """The names of a tensor: those that it was given, or its own without the ":0"."""
    given = getattr(tensor, "aliases", None)
    if given:
        return list(given)
    name: str = tensor.name
    return [name[:-2] if name.endswith(":0") else name]


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> dict[str, Any]:
    """The tensors of a collection by their names."""
    found = {alias: tensor for tensor in get_collection(collection) for alias in get_tensor_aliases(tensor)}
    if clear_collection:
        get_collection_ref(collection).clear()
    return found


# -- variables -----------------------------------------------------------------------------------------------------


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections for the variable `name`: those given for it, or those given for all."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name, None)
    return variables_collections


def add_variable_to_collections(variable: Any, variables_collections: Any, name: str) -> None:
    """Puts a variable (or its parts) into the collections for `name`, where it is not there."""
    parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
    for collection in get_variable_collections(variables_collections, name) or []:
        for part in parts:
            if not any(part is one for one in get_collection(collection)):
                add_to_collection(collection, part)


def as_model_variables(rename: dict[str, str] | None = None) -> Callable[..., Any]:
    """A custom getter that makes model variables, under the names of contrib (`weights` for `kernel`)."""

    def getter(
        getter: Callable[..., Any],
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool = True,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        use_resource: bool | None = None,
        **_: Any,
    ) -> Any:
        *path, short = name.split("/")
        if rename and short in rename:
            name = "/".join([*path, rename[short]])
        return model_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            collections=collections,
            trainable=trainable,
            caching_device=caching_device,
            partitioner=partitioner,
            custom_getter=getter,
            use_resource=use_resource,
        )

    return getter


# -- arguments -----------------------------------------------------------------------------------------------------


def check_data_format(data_format: Any, formats: tuple[str, ...] = ("NCHW", "NHWC")) -> None:
    if data_format not in formats:
        raise ValueError(f"data_format has to be either {' or '.join(formats)}. Found: {data_format}")


def layer_format(data_format: str | None) -> str:
    """The name that the layers of `tf.layers` have for a format."""
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


def known_bool(value: Any) -> bool | None:
    """A bool, if it is known now."""
    if not isinstance(value, Tensor):
        return bool(value)
    found = constant_value(value)
    return None if found is None else bool(found)
