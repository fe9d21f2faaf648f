"""`slim.tfexample_decoder`: what the features of an Example mean: images, boxes, tensors.

A decoder parses a serialized Example once; each *handler* makes one item out of the features that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbench import image as images
from tfbench.engine import dtypes, ops
from tfbench.engine.composite import SparseTensor as Sparse
from tfbench.engine.ops.case import case
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.functional import map_fn
from tfbench.engine.ops.parse_examples import parse_single_example
from tfbench.engine.ops.parse_features import FixedLenFeature
from tfbench.engine.ops.sparse import sparse_tensor_to_dense
from tfbench.engine.ops.sparse_shapes import sparse_reshape
from tfbench.engine.ops.string_convert import decode_raw

__all__ = [
    "BackupHandler", "BoundingBox", "Image", "ItemHandler", "ItemHandlerCallback", "LookupTensor", "SparseTensor",
    "TFExampleDecoder", "Tensor",
]  # fmt: skip

Tensors = dict[str, Any]


class ItemHandler:
    """Makes an item out of the features `keys`. Subclasses say how."""

    def __init__(self, keys: Any) -> None:
        self._keys: list[Any] = list(keys) if isinstance(keys, (list, tuple)) else [keys]

    @property
    def keys(self) -> list[Any]:
        """The features that it needs."""
        return self._keys

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        """The item, from the features by name."""
        raise NotImplementedError


class ItemHandlerCallback(ItemHandler):
    """What a function makes of the features."""

    def __init__(self, keys: Any, func: Callable[[Tensors], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Boxes as rows: ymin, xmin, ymax, xmax, whose features are called so, behind `prefix`.

    Raises:
      ValueError: if there are not four keys.
    """

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = "") -> None:
        if keys is None:
            keys = ["ymin", "xmin", "ymax", "xmax"]
        elif len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        self._full_keys = [prefix + key for key in keys]
        super().__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        sides = []
        for key in self._full_keys:
            side = keys_to_tensors[key]
            sides.append(ops.expand_dims(side.values if isinstance(side, Sparse) else side, 0))
        return ops.transpose(ops.concat(sides, 0))


class Tensor(ItemHandler):
    """A feature as it is, or in a shape: given, or found in other features.

    Raises:
      ValueError: for both kinds of shape.
    """

    def __init__(self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: Any = 0) -> None:
        if shape_keys and shape is not None:
            raise ValueError("Give shape_keys or shape, not both shape_keys and shape.")
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys = shape_keys
        self._shape = shape
        self._default_value = default_value
        super().__init__([tensor_key, *(shape_keys or ())])

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        tensor = keys_to_tensors[self._tensor_key]
        shape = self._shape
        if self._shape_keys:
            sizes = []
            for key in self._shape_keys:
                size = keys_to_tensors[key]
                sizes.append(sparse_tensor_to_dense(size) if isinstance(size, Sparse) else size)
            shape = ops.reshape(ops.stack(sizes), [-1])
        if isinstance(tensor, Sparse):
            if shape is not None:
                tensor = sparse_reshape(tensor, shape)
            return sparse_tensor_to_dense(tensor, self._default_value)
        return tensor if shape is None else ops.reshape(tensor, shape)


class LookupTensor(Tensor):
    """What a table holds for a feature."""

    def __init__(
        self, tensor_key: str, table: Any, shape_keys: Any = None, shape: Any = None, default_value: Any = ""
    ) -> None:
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """What `handler` gives, or, where that is empty, what `backup` gives.

    Raises:
      ValueError: if one of them is no handler.
    """

    def __init__(self, handler: Any, backup: Any) -> None:
        for what, given in (("Primary handler", handler), ("Backup handler", backup)):
            if not isinstance(given, ItemHandler):
                raise ValueError(f"{what} is of type {type(given)} instead of ItemHandler")
        self._handler = handler
        self._backup = backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        item = self._handler.tensors_to_item(keys_to_tensors)
        return cond(
            ops.equal(ops.reduce_prod(ops.shape(item)), 0),
            true_fn=lambda: self._backup.tensors_to_item(keys_to_tensors),
            false_fn=lambda: item,
        )


class SparseTensor(ItemHandler):
    """A SparseTensor out of a feature of indices (of its last axis) and one of values; `densify` makes it dense."""

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        keys = [self._indices_key, self._values_key]
        super().__init__([*keys, shape_key] if shape_key else keys)

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        if self._shape_key:
            shape = keys_to_tensors[self._shape_key]
            if isinstance(shape, Sparse):
                shape = sparse_tensor_to_dense(shape)
        elif self._shape:
            shape = self._shape
        else:
            shape = indices.dense_shape
        rank = ops.shape(indices.indices)[1]
        ids = ops.cast(indices.values, dtypes.int64)
        kept = ops.slice(indices.indices, [0, 0], ops.stack([-1, rank - 1]))
        found = Sparse(ops.concat([kept, ops.reshape(ids, [-1, 1])], 1), values.values, shape)
        return sparse_tensor_to_dense(found, self._default_value) if self._densify else found


class Image(ItemHandler):
    """An image out of its encoded bytes and the name of the format ('jpeg', 'png', 'raw', …).

    Args:
      shape: what the image is reshaped to.
      channels: how many; 0: as in the file.
      dtype: of raw pixels.
      repeated: the feature holds many images.
    """

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Any = None,
        channels: int = 3,
        dtype: Any = dtypes.uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method
        super().__init__([self._image_key, self._format_key])

    def tensors_to_item(self, keys_to_tensors: Tensors) -> Any:
        contents, kind = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            return map_fn(lambda one: self._decode(one, kind), contents, dtype=self._dtype)
        return self._decode(contents, kind)

    def _decode(self, contents: Any, kind: Any) -> Any:
        def any_format() -> Any:
            return images.decode_image(contents, channels=self._channels)

        def jpeg() -> Any:
            return images.decode_jpeg(contents, self._channels, dct_method=self._dct_method)

        def encoded() -> Any:
            return cond(images.is_jpeg(contents), jpeg, any_format, name="cond_jpeg")

        raw = ops.logical_or(ops.equal(kind, "raw"), ops.equal(kind, "RAW"))
        found = case([(raw, lambda: decode_raw(contents, out_type=self._dtype))], default=encoded, exclusive=True)
        found.set_shape([None, None, self._channels])
        return found if self._shape is None else ops.reshape(found, self._shape)


class TFExampleDecoder:
    """Decodes serialized Examples.

    Args:
      keys_to_features: what `tf.parse_single_example` takes.
      items_to_handlers: the handler of each item, by name.
    """

    def __init__(self, keys_to_features: Any, items_to_handlers: Any) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[str]:
        """The names of the items."""
        return list(self._items_to_handlers)

    def decode(self, serialized_example: Any, items: Any = None) -> list[Any]:
        """The items asked for (default: all) of one Example."""
        example = parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, FixedLenFeature):
                example[key] = ops.reshape(example[key], feature.shape)
        found = []
        for item in items or self._items_to_handlers:
            handler = self._items_to_handlers[item]
            found.append(handler.tensors_to_item({key: example[key] for key in handler.keys}))
        return found
