"""Ops of iterators over data sets: resources of a session (`kernels/datasets/iterators`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, Preset, op
from tfbench.engine.ops.dataset_common import ELEMENTS, BoundFunction, element_shapes, handle_shape

__all__: list[str] = []  # known by op type; `tf.data` makes them

_NAMED = f"shared_name: string; container: string; {ELEMENTS}"
_OPTIONAL = "output_types: list(type) >= 0 = []; output_shapes: list(shape) >= 0 = []"

iterator = op("IteratorV2", "", "handle: resource", _NAMED, stateful=True)
one_shot = op(
    "OneShotIterator",
    "",
    "handle: resource",
    f"dataset_factory: func; {ELEMENTS}; container: string = ''; shared_name: string = ''",
    stateful=True,
)
make_iterator = op("MakeIterator", "dataset: variant, iterator: resource", "", "", stateful=True)
get_next = op("IteratorGetNext", "iterator: resource", "components: output_types", ELEMENTS, stateful=True)
to_string_handle = op("IteratorToStringHandle", "resource_handle: resource", "string_handle: string", "", stateful=True)
from_string_handle = op(
    "IteratorFromStringHandleV2", "string_handle: string", "resource_handle: resource", _OPTIONAL, stateful=True
)
single_element = op(
    "DatasetToSingleElement",
    "dataset: variant",
    "components: output_types",
    f"{ELEMENTS}; metadata: string = ''",
    stateful=True,
)
for _definition in (iterator, one_shot, to_string_handle, from_string_handle):
    _definition.shape(handle_shape)
for _definition in (get_next, single_element):
    _definition.shape(element_shapes)
for _definition in (iterator, one_shot, make_iterator, get_next, to_string_handle, from_string_handle, single_element):
    _definition.no_gradient("data sets have no gradient")

#: what the names of iterators begin with among a session's resources: variables may be called the same
_PREFIX = "<iterator> "


def _resource(context: Any, start: Callable[[], Any] | None = None) -> Preset:
    """The iterator of the node that is being bound. Another node of the same name does not go on with it."""
    from tfbench.engine.kernels.datasets.iterators import IteratorResource, check_signature

    node, attrs, resources = context.op, context.attrs, context.resources
    container, shared = attrs.get("container") or "", attrs.get("shared_name") or ""
    name = _PREFIX + (shared or node.name)
    signature = attrs["output_types"], attrs["output_shapes"]
    found = resources.find(container, name)
    if found is not None and found.op is not node and not shared:
        resources.remove(container, name)
    handle = f"{container}\n{name}".encode()
    held = resources.get(container, name, lambda: IteratorResource(node, handle, signature, start))
    check_signature(signature, held.signature)
    return Preset(held)


@iterator.bind(CPU)
def _iterator_bind(context: Any) -> Preset:
    return _resource(context)


@one_shot.bind(CPU)
def _one_shot_bind(context: Any) -> Preset:
    function = BoundFunction(context, "dataset_factory")

    def start() -> Any:
        from tfbench.engine.kernels.datasets.base import Context, dataset_of

        return dataset_of(function.call(())(Context())()[0])

    return _resource(context, start)


@make_iterator.bind(CPU)
def _make_bind(context: Any) -> Callable[..., None]:
    from tfbench.engine.kernels.datasets.base import dataset_of

    return lambda dataset, resource: resource.initialize(dataset_of(dataset))


@get_next.bind(CPU)
def _get_next_bind(context: Any) -> Callable[..., Any]:
    count = len(context.attrs["output_types"])

    def kernel(resource: Any) -> Any:
        element = resource.get_next()
        if len(element) != count:
            raise invalid(f"Number of components does not match: expected {count} but got {len(element)}.")
        return element

    return kernel


@to_string_handle.bind(CPU)
def _to_string_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.files import string

    return lambda resource: string(resource.handle)


@from_string_handle.bind(CPU)
def _from_string_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.base import scalar
    from tfbench.engine.kernels.datasets.iterators import IteratorResource, check_signature

    resources = context.resources
    signature = context.attrs["output_types"], context.attrs["output_shapes"]

    def find(value: Any) -> Any:
        handle = scalar(value)
        container, _, name = handle.decode(errors="replace").partition("\n")
        found = resources.find(container, name)
        if not isinstance(found, IteratorResource):
            raise invalid(
                f"Attempted create an iterator from handle {handle[:80]!r}, which is none of this session: feed the "
                "value of an iterator's string_handle(), as this session's run returned it."
            )
        check_signature(signature, found.signature)
        return found

    return find


@single_element.bind(CPU)
def _single_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.base import Context, dataset_of

    def kernel(dataset: Any) -> Any:
        elements = dataset_of(dataset).iterate(Context())
        try:
            element = next(elements)
        except StopIteration:
            raise invalid("Dataset was empty.") from None
        for _ in elements:
            raise invalid("Dataset had more than one element.")
        return element

    return kernel
