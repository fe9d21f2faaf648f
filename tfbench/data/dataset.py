"""`tf.data.Dataset`: a handle of a data set in the graph, and what is known of its elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.data import calls, generators, iterators, sources, specs, structure
from tfbench.data import transformations as made
from tfbench.data.options import Options
from tfbench.engine import dtypes
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import dataset_transforms as transform_ops
from tfbench.engine.ops import math_binary as math_ops
from tfbench.engine.ops.dataset_iterators import single_element
from tfbench.engine.ops.shape_queries import shape as shape_of
from tfbench.engine.tensor import Tensor


class Dataset(specs.GivesElements):
    """A sequence of elements, each a structure (tuples, dictionaries) of tensors.

    Methods make another data set of this one; nothing is computed before an iterator is run. Nodes are called like
    their op: an argument `name` is taken, as by TensorFlow 2.21, and names none.
    """

    def __init__(self, variant_tensor: Tensor, element_spec: Any, options: Options | None = None) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._options = Options() if options is None else options

    def _then(self, result: made.Made) -> Dataset:
        """The data set that a transformation of this one made; it keeps its options."""
        return Dataset(*result, self._options)

    # -- what it is ------------------------------------------------------------------------------------------

    def options(self) -> Options:
        """The options that were given to it and to what it is made of."""
        return self._options

    def __repr__(self) -> str:
        return f"<DatasetV1Adapter element_spec={self._element_spec!r}>"

    def __iter__(self) -> Any:
        raise RuntimeError(
            "`tf.data.Dataset` only supports Python-style iteration in eager mode or within tf.function. Make an "
            "iterator (`tf.data.make_one_shot_iterator(dataset)`) and run its `get_next()` in a session."
        )

    def __len__(self) -> int:
        raise TypeError(
            "`tf.data.Dataset` only supports `len` in eager mode. Use `tf.data.Dataset.cardinality()` instead."
        )

    def __bool__(self) -> bool:
        return True

    # -- beginnings ------------------------------------------------------------------------------------------

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """One element."""
        return Dataset(*sources.tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """An element for each entry of dimension 0, which is equally large in all components."""
        return Dataset(*sources.slices(tensors))

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Dataset:
        """The rows of a sparse tensor, as (indices, values, dense_shape)."""
        return Dataset(*sources.sparse_slices(sparse_tensor))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """What a Python function's iterator gives; it is called anew each time that the data set is gone through.

        Args:
          args: tensors whose values `generator` gets.
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        spec = generators.generator_spec(output_types, output_shapes, output_signature)
        return Dataset(*generators.from_generator(Dataset.from_tensors(0), generator, spec, args))

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Dataset:
        """`range(stop)`, `range(start, stop)` or `range(start, stop, step)`, as int64."""
        kwargs.pop("name", None)
        output_type = kwargs.pop("output_type", dtypes.int64)
        if kwargs:
            raise TypeError(f"Dataset.range() got an unexpected keyword argument {next(iter(kwargs))!r}")
        return Dataset(*sources.numbers(args, output_type))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Elements of several data sets side by side, in the structure in which they are given."""
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        if len(args) == 1:
            datasets = args[0]
        elif args:
            datasets = args
        return Dataset(*made.zip_datasets(datasets))

    @staticmethod
    def list_files(file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None) -> Dataset:
        """The names of the files that match a pattern (or several), shuffled unless `shuffle` is False.

        Running it raises InvalidArgumentError if there is none.
        """
        with name_scope("list_files"):
            names = sources.matching_files(file_pattern)
            dataset = Dataset(*sources.file_names(names))
            if shuffle is None or shuffle:
                count = math_ops.maximum(shape_of(names, out_type=dtypes.int64)[0], 1)
                dataset = dataset.shuffle(count, seed=seed)
            return dataset

    # -- with a function -------------------------------------------------------------------------------------

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        synchronous: Any = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """The results of `map_func`; the components of a tuple are its arguments.

        It is called once, to build the graph of what is computed for each element; it may use tensors and variables
        from outside.
        """
        return self._then(calls.map_elements(self, map_func, num_parallel_calls, deterministic))

    def map_with_legacy_function(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: Any = None
    ) -> Dataset:
        """The older name of `map`."""
        return self.map(map_func, num_parallel_calls, deterministic)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the data sets that `map_func` returns, one data set after the other."""
        return self._then(calls.flat_map(self, map_func))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """As `flat_map`, with `cycle_length` data sets in turns, `block_length` elements a turn."""
        return self._then(
            calls.interleave(self, map_func, cycle_length, block_length, num_parallel_calls, deterministic)
        )

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which `predicate` returns True."""
        return self._then(calls.filter_elements(self, predicate))

    filter_with_legacy_function = filter

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """The last state, as tensors: `reduce_func(state, element)` gives the next one."""
        return calls.reduce(self, initial_state, reduce_func)

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """`scan_func(state, element)` gives the next state and an element of the result."""
        return self._then(calls.scan(self, initial_state, scan_func))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first for which `predicate` returns False."""
        return self._then(calls.take_while(self, predicate))

    def apply(self, transformation_func: Callable[[Dataset], Any]) -> Dataset:
        """`transformation_func(self)`, which has to be a data set."""
        result = transformation_func(self)
        if not isinstance(result, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}.")
        return result

    # -- which elements, and in which order ------------------------------------------------------------------

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements; all, for -1."""
        return self._then(made.counted(transform_ops.take, self, count))

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """The elements behind the first `count`."""
        return self._then(made.counted(transform_ops.skip, self, count))

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The elements `count` times; for ever, for None or -1."""
        return self._then(made.counted(transform_ops.repeat, self, count))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Every `num_shards`-th element, from number `index` on."""
        return self._then(made.shard(self, num_shards, index))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """These elements, then those of `dataset`, which are of the same types."""
        return self._then(made.concatenate(self, dataset))

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: Any = True, name: str | None = None
    ) -> Dataset:
        """The elements in random order, each drawn from the next `buffer_size` ones."""
        return self._then(made.shuffle(self, buffer_size, seed, reshuffle_each_iteration))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """(number, element), from `start` on."""
        numbers = Dataset.range(start, made.LARGEST)
        return self._then(made.zip_datasets((Dataset(*made.rewrite(numbers, "replicate_on_split")), self)))

    def unique(self, name: str | None = None) -> Dataset:
        """The elements that have not been there before."""
        return self._then(made.unique(self))

    # -- several as one --------------------------------------------------------------------------------------

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """`batch_size` elements as one, with one more dimension; the last batch may be smaller."""
        return self._then(made.batch(self, batch_size, drop_remainder, num_parallel_calls, deterministic))

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """Batches of elements of several sizes, which are filled up: to the largest where a size is None or -1."""
        return self._then(made.padded_batch(self, batch_size, padded_shapes, padding_values, drop_remainder))

    def unbatch(self, name: str | None = None) -> Dataset:
        """The entries of dimension 0, one after the other."""

        def normalize(*arguments: Any) -> Any:
            element = arguments if len(arguments) > 1 or type(self._element_spec) is tuple else arguments[0]
            return structure.pack(self._element_spec, specs.to_flat_batches(element))

        spec = specs.unbatched(self._element_spec)
        return self._then(made.unbatch(self.map(normalize)._variant_tensor, spec))

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None
    ) -> Dataset:
        """Data sets of `size` elements (one for each component), each `shift` elements (default: `size`) further."""
        return self._then(made.window(self, size, shift, stride, drop_remainder))

    # -- how it is run ---------------------------------------------------------------------------------------

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The same elements. (Here they are computed when they are asked for.)"""
        return self._then(made.prefetch(self, buffer_size))

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """The same elements, computed once and then remembered: in memory, or in files that begin with `filename`."""
        return self._then(made.cache(self, filename))

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same elements, with options."""
        if not isinstance(options, Options):
            raise TypeError(f"`options` must be a tf.data.Options, but got {options!r}.")
        merged = self._options.merge(options)
        return Dataset(*made.with_options(self, options._message()), merged)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements that can be computed."""
        return self._then(made.ignore_errors(self, log_warning))

    def cardinality(self) -> Tensor:
        """How many elements there are, when it is run; -1 for infinitely many, -2 if only counting would say."""
        count: Tensor = transform_ops.cardinality(self._variant_tensor)
        return count

    def get_single_element(self, name: str | None = None) -> Any:
        """The one element, as tensors."""
        flat = single_element(self._variant_tensor, **made.described(self._element_spec))
        return specs.from_flat(self._element_spec, flat)

    # -- iterators -------------------------------------------------------------------------------------------

    def make_initializable_iterator(self, shared_name: str | None = None) -> iterators.Iterator:
        """`tf.data.make_initializable_iterator`."""
        return iterators.make_initializable_iterator(self, shared_name)

    def make_one_shot_iterator(self) -> iterators.Iterator:
        """`tf.data.make_one_shot_iterator`."""
        return iterators.make_one_shot_iterator(self)


specs.make_dataset.append(Dataset)
