"""`tf.data`: pipelines of elements as nodes of the graph, and iterators that sessions ask for the next element."""

from __future__ import annotations

from tfbench.data import experimental
from tfbench.data.dataset import Dataset
from tfbench.data.experimental import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from tfbench.data.iterators import Iterator, make_initializable_iterator, make_one_shot_iterator
from tfbench.data.options import Options, ThreadingOptions
from tfbench.data.readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from tfbench.data.specs import DatasetSpec, legacy_classes, legacy_shapes, legacy_types
from tfbench.data.transformations import AUTOTUNE

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec", "FixedLengthRecordDataset",
    "Iterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions", "experimental",
    "get_output_classes", "get_output_shapes", "get_output_types", "make_initializable_iterator",
    "make_one_shot_iterator",
]  # fmt: skip


def get_output_types(dataset_or_iterator: Dataset | Iterator) -> object:
    """The types of the components, in the structure of the elements."""
    return legacy_types(dataset_or_iterator.element_spec)


def get_output_shapes(dataset_or_iterator: Dataset | Iterator) -> object:
    """The static shapes of the components, in the structure of the elements."""
    return legacy_shapes(dataset_or_iterator.element_spec)


def get_output_classes(dataset_or_iterator: Dataset | Iterator) -> object:
    """What the components are (Tensor, SparseTensor), in the structure of the elements."""
    return legacy_classes(dataset_or_iterator.element_spec)
