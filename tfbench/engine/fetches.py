"""What `Session.run` may be asked for and given: nests of fetches, and feeds, as flat lists of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench.engine import dtypes, nest
from tfbench.engine.convert import to_array
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.shape_math import is_compatible
from tfbench.engine.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterator

#: gives the value of a nest from the flat values, which it takes in order
Rebuild = Callable[["Iterator[Any]"], Any]

#: composite objects (SparseTensor, IndexedSlices, …): type -> (fetch, feed)
#: fetch(obj) -> (list of tensors, function of their values); feed(obj, value) -> list of (tensor, value)
_composites: list[tuple[type, Callable[[Any], Any], Callable[[Any, Any], Any] | None]] = []


def register_composite(
    kind: type,
    fetch_function: Callable[[Any], tuple[list[Any], Callable[[list[Any]], Any]]],
    feed_function: Callable[[Any, Any], list[tuple[Any, Any]]] | None = None,
) -> None:
    """Says how objects of `kind` are fetched and fed, by the tensors that they are made of."""
    _composites.append((kind, fetch_function, feed_function))


class FetchList:
    """The distinct elements of a nest of fetches, and how to put their values back into its form."""

    def __init__(self, graph: Graph, fetches: Any) -> None:
        self.graph = graph
        self.elements: list[Tensor | Operation] = []
        self._index: dict[Any, int] = {}
        self._rebuild = self._add(fetches)
        self.tensors = [item for item in self.elements if isinstance(item, Tensor)]
        self.operations = [item for item in self.elements if not isinstance(item, Tensor)]
        self._flat = self._places(fetches)

    def build(self, tensor_values: list[Any]) -> Any:
        """The nest with the tensors' values; operations give None."""
        if self._flat is not None:
            return [None if place is None else tensor_values[place] for place in self._flat]
        values = iter(tensor_values)
        flat = [next(values) if isinstance(item, Tensor) else None for item in self.elements]
        return self._rebuild(flat)

    def _places(self, fetches: Any) -> list[int | None] | None:
        """Where the value of each item of a plain list is among those of the tensors; None for other nests."""
        if type(fetches) is not list or not all(type(item) is Tensor or type(item) is Operation for item in fetches):
            return None
        place = {tensor: number for number, tensor in enumerate(self.tensors)}
        return [place.get(item) for item in fetches]

    def _add(self, fetch: Any) -> Callable[[list[Any]], Any]:
        if fetch is None:
            raise TypeError(f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". Cannot be None')
        if isinstance(fetch, (list, tuple)):
            parts = [self._add(item) for item in fetch]
            if isinstance(fetch, list):
                return lambda flat: [part(flat) for part in parts]
            kind = type(fetch)
            if hasattr(fetch, "_fields"):
                return lambda flat: kind(*[part(flat) for part in parts])
            return lambda flat: kind([part(flat) for part in parts])
        if isinstance(fetch, Mapping):
            return self._add_mapping(fetch)
        if hasattr(type(fetch), "__attrs_attrs__"):
            names = [attribute.name for attribute in type(fetch).__attrs_attrs__]
            parts = [self._add(getattr(fetch, name)) for name in names]
            kind = type(fetch)
            return lambda flat: kind(*[part(flat) for part in parts])
        for composite, fetch_function, _ in _composites:
            if isinstance(fetch, composite):
                tensors, contract = fetch_function(fetch)
                indices = [self._element(tensor, fetch) for tensor in tensors]
                return lambda flat: contract([flat[index] for index in indices])
        index = self._element(fetch, fetch)
        return lambda flat: flat[index]

    def _add_mapping(self, fetch: Mapping[Any, Any]) -> Callable[[list[Any]], Any]:
        parts = {key: self._add(value) for key, value in fetch.items()}
        kind = type(fetch)

        def rebuild(flat: list[Any]) -> Any:
            values = {key: part(flat) for key, part in parts.items()}
            if kind is dict:
                return values
            default = getattr(fetch, "default_factory", None)
            return kind(default, values) if default is not None else kind(values)  # type: ignore[call-arg]

        return rebuild

    def _element(self, item: Any, fetch: Any) -> int:
        element = graph_element(self.graph, item, fetch)
        if element not in self._index:
            self._index[element] = len(self.elements)
            self.elements.append(element)
        return self._index[element]


class InaccessibleTensorError(ValueError):
    """A fetch is marked as not fetchable. To catch it, catch ValueError: it is no name of `tf.errors`."""


def graph_element(graph: Graph, item: Any, fetch: Any) -> Any:
    """The tensor or operation that one fetch means.

    Raises:
      TypeError, ValueError: naming the fetch.
    """
    from tfbench.errors import ReplacedTensorError

    try:
        element = graph.as_graph_element(item, allow_tensor=True, allow_operation=True)
    except ReplacedTensorError:
        raise
    except TypeError as error:
        raise TypeError(
            f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a string or Tensor. '
            f"({error})"
        ) from None
    except ValueError as error:
        raise ValueError(f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})") from None
    except KeyError as error:
        raise ValueError(f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error.args[0]!r})") from None
    if not graph.is_fetchable(element):
        raise InaccessibleTensorError(_not_fetchable(element.op if isinstance(element, Tensor) else element))
    return element


def _not_fetchable(op: Operation) -> str:
    """Why `op` is not fetched, and what is instead: what its loop or its branch hands out."""
    place = f" (made at {op.source})" if op.source else ""
    context = op._control_flow_context
    loop = None if context is None else context.GetWhileContext()
    if loop is not None:
        why = f"it runs in each iteration of the loop '{loop.name}'. Fetch what tf.while_loop returned."
    else:
        why = "it is part of a tf.cond, and runs only where its branch is taken. Fetch what tf.cond returned."
    return f"Operation {op.name} has been marked as not fetchable{place}: {why}"


def expand_feeds(graph: Graph, feed_dict: Any) -> list[tuple[Tensor, Any]]:
    """The (tensor, value) pairs of a feed dictionary; composites are taken apart, names looked up.

    Raises:
      TypeError, ValueError: naming the key.
    """
    if not isinstance(feed_dict, (dict, Mapping)):
        raise TypeError(
            f"feed_dict must be a dictionary mapping tensors to values, but got {feed_dict!r} "
            f"of type '{type(feed_dict).__name__}'."
        )
    pairs: dict[Tensor, Any] = {}
    nodes = graph._nodes
    for key, value in feed_dict.items():
        if type(key) is Tensor and key.op.graph is graph and key.op._id < len(nodes) and nodes[key.op._id] is key.op:
            pairs[key] = value
            continue
        # The last of several keys for one tensor counts.
        pairs.update(_expand_nested(graph, key, value) if isinstance(key, tuple) else _expand_one(graph, key, value))
    return list(pairs.items())


def _expand_nested(graph: Graph, keys: tuple[Any, ...], values: Any) -> list[tuple[Tensor, Any]]:
    flat_keys, flat_values = nest.flatten(keys), nest.flatten(values)
    if len(flat_keys) != len(flat_values):
        raise ValueError(
            f"Could not flatten dictionary. Key had {len(flat_keys)} elements, but value had {len(flat_values)} "
            f"elements. Key: {keys}, value: {values}. A list inside counts as its elements: give it as a NumPy array."
        )
    pairs = zip(flat_keys, flat_values, strict=True)
    return [pair for key, value in pairs for pair in _expand_one(graph, key, value)]


def _expand_one(graph: Graph, key: Any, value: Any) -> list[tuple[Tensor, Any]]:
    from tfbench.errors import ReplacedTensorError

    for composite, _, feed_function in _composites:
        if isinstance(key, composite) and feed_function is not None:
            return [pair for part in feed_function(key, value) for pair in _expand_one(graph, *part)]
    try:
        tensor = graph.as_graph_element(key, allow_operation=False)
    except ReplacedTensorError:
        raise
    except Exception as error:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error.args[0]}") from None
    return [(tensor, value)]


def feed_value(graph: Graph, tensor: Tensor, value: Any) -> Any:
    """A fed value as an array of the tensor's type.

    Raises:
      TypeError, ValueError: if it is a tensor, does not fit the dtype, or has another shape.
    """
    if isinstance(value, Tensor):
        raise TypeError(
            f"A feed cannot be a tf.Tensor object: {tensor} was given {value}. Feed what it holds: a number, a "
            "string, a list, a NumPy array or a TensorHandle (run it first to get the array)."
        )
    dtype = tensor._dtype.base_dtype
    if dtype is dtypes.string:
        array = to_array(value, dtype)[0]
    elif type(value) is np.ndarray and value.dtype == dtype.as_numpy_dtype:
        array = value
    elif dtype is dtypes.resource or dtype is dtypes.variant:
        return value
    else:
        wanted = dtype.as_numpy_dtype
        if isinstance(value, int) and not isinstance(value, bool) and not _int_fits(value, wanted):
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type {wanted} of "
                f"'{tensor.name}'. Make the fed tensor of a larger type, as int64."
            )
        try:
            array = np.asarray(value, dtype=wanted)
        except (OverflowError, ValueError, TypeError, NotImplementedError) as error:
            array = _cut(value, wanted, error)
            if array is None:
                kind = ValueError if isinstance(error, NotImplementedError) else type(error)
                raise kind(f"{error} (fed to '{tensor.name}' of type {dtype.name} and shape {tensor.shape})") from None
    if not is_compatible(tensor._shape, array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape {tensor.shape}"
        )
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor.name} may not be fed.")
    return array


def _cut(value: Any, wanted: Any, error: Exception) -> Any:
    """Numbers that do not fit (NaN to an int, complex to a float), cut as a C cast would; None for anything else."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, NotImplementedError):
        return None
    if array.dtype.kind not in "fc" and not isinstance(error, OverflowError):
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(wanted)


def _int_fits(value: int, wanted: Any) -> bool:
    try:
        return bool(np.array(value).astype(wanted) == value)
    except (OverflowError, TypeError, ValueError):
        return False
