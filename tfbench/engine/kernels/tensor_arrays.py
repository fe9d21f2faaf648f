"""What a TensorArray is while a run lasts: a list of arrays, and what has happened to each of them.

The handle that flows from op to op *is* this object. So a TensorArray lives as long as a step of the run may still
need it and not a moment longer, a run that fails leaves nothing behind, and the next run begins with a new one. The
arrays of gradients hang from the array that they are the gradients of: whoever asks again under the same source gets
the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.dtypes import DType
from tfbench.engine.kernel_errors import invalid, unimplemented
from tfbench.engine.shape_math import Shape, debug_string, is_compatible, is_fully_defined, merge

Array = Any

# What has happened to an element.
_WRITTEN, _READ, _CLEARED, _OWNED = 1, 2, 4, 8

#: the flags of elements that have a value to be read
_THERE = bytes([_WRITTEN, _WRITTEN | _READ, _WRITTEN | _OWNED, _WRITTEN | _READ | _OWNED])


class TensorArrayState:
    """The elements of one TensorArray, written once each; those of a gradient's array are added up instead.

    An element that is a tuple stands for zeros of this shape: what a gradient's array holds before anything is written,
    and what is left of an element that was cleared.
    """

    __slots__ = (
        "clears", "closed", "dtype", "dynamic", "flags", "gradients", "identical", "is_gradient", "marked", "name",
        "shape", "values", "xp",
    )  # fmt: skip

    def __init__(
        self, name: str, dtype: DType, size: int, shape: Shape, *, identical: bool, dynamic: bool, clears: bool,
        xp: Any = np,
    ) -> None:  # fmt: skip
        self.name = name
        self.dtype = dtype
        #: the shape of every element, as far as it is known
        self.shape = shape
        #: whether the first element decides the shape of the others
        self.identical = identical
        self.dynamic = dynamic
        self.clears = clears
        #: the module of the elements' arrays
        self.xp = xp
        self.is_gradient = False
        #: how many pieces `split` has made: what the gradient puts together again
        self.marked = 0
        self.closed = False
        self.values: list[Any] = [None] * size
        self.flags = bytearray(size)
        self.gradients: dict[str, TensorArrayState] = {}

    def __repr__(self) -> str:
        written = sum(flag & (_WRITTEN | _CLEARED) == _WRITTEN for flag in self.flags)
        return f"<TensorArray {self.name}: {written} of {len(self.values)} elements, {self.dtype.name}>"

    def check_open(self) -> None:
        """Raises InvalidArgumentError if the array was closed."""
        if self.closed:
            raise invalid(f"TensorArray {self.name} has already been closed.")

    @property
    def size(self) -> int:
        self.check_open()
        return len(self.values)

    def close(self) -> None:
        """Forgets all elements; nothing can be done with the array any more."""
        self.closed = True
        self.values = []
        self.flags = bytearray()

    # -- one element --------------------------------------------------------------------------------------------

    def write(self, index: int, value: Array) -> None:
        """Sets an element, once. In a gradient's array, adds to it."""
        if self.closed:
            self.check_open()
        values, flags = self.values, self.flags
        if not 0 <= index < len(values):
            self._grow(index)
        shape = value.shape
        if shape != self.shape:
            self._fit(index, shape)
        flag = flags[index]
        if not flag:
            values[index] = value
            flags[index] = _WRITTEN
        elif flag & _READ:
            raise self._error(f"Could not write to TensorArray index {index} because it has already been read.")
        elif not self.is_gradient:
            raise self._error(f"Could not write to TensorArray index {index} because it has already been written to.")
        else:
            self._add(index, value)

    def _grow(self, index: int) -> None:
        size = len(self.values)
        if index < 0 or not self.dynamic:
            raise self._error(f"Tried to write to index {index} but array is not resizeable and size is: {size}")
        self.values.extend([None] * (index + 1 - size))
        self.flags.extend(bytes(index + 1 - size))

    def _fit(self, index: int, shape: tuple[int, ...]) -> None:
        if not is_compatible(self.shape, shape):
            raise self._error(
                f"Could not write to TensorArray index {index} because the value shape is {debug_string(shape)} which "
                f"is incompatible with the TensorArray's inferred element shape: {debug_string(self.shape)} (consider "
                "setting infer_shape=False)."
            )
        if self.identical:
            self.shape = shape

    def _add(self, index: int, value: Array) -> None:
        old = self.values[index]
        zeros = type(old) is tuple
        shape = old if zeros else old.shape
        if shape != value.shape:
            raise self._error(
                f"Could not aggregate to TensorArray index {index} because the existing shape is "
                f"{debug_string(shape)} but the new input shape is {debug_string(value.shape)}."
            )
        if zeros:
            self.values[index] = value
        elif self.flags[index] & _OWNED:
            self.xp.add(old, value, out=old)
        else:
            self.values[index] = total = old + value
            if isinstance(total, self.xp.ndarray):
                # Nobody else has seen this sum: the next one may be added to it in place.
                self.flags[index] |= _OWNED

    def read(self, index: int) -> Array:
        """An element; it is gone then if the array clears what is read."""
        if self.closed:
            self.check_open()
        if index < 0 or (index >= len(self.values) and not self.is_gradient):
            raise invalid(f"Tried to read from index {index} but array size is: {len(self.values)}")
        if index >= len(self.values) or not self.flags[index]:
            self._imagine(index)
        flag = self.flags[index]
        if flag & _CLEARED:
            raise self._error(
                f"Could not read index {index} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)."
            )
        value = self.values[index]
        if type(value) is tuple:
            value = self._zeros(value)
            self.values[index] = value
        if self.clears:
            self.values[index] = value.shape
            self.flags[index] = flag | _READ | _CLEARED
        else:
            self.flags[index] = flag | _READ
        return value

    def _imagine(self, index: int) -> None:
        """Makes an element that was never written zeros, if its shape is known."""
        if not is_fully_defined(self.shape):
            raise self._error(
                f"Could not read from TensorArray index {index}.  Furthermore, the element shape is not fully defined: "
                f"{debug_string(self.shape)}.  Nothing was written there: write it before it is read, or give the "
                "full element_shape, then it counts as zeros (also where tf.stop_gradient keeps a gradient from being "
                "written)."
            )
        first = min(index, len(self.values))
        missing = index + 1 - len(self.values)
        if missing > 0:
            self.values.extend([self.shape] * missing)
            self.flags.extend(bytes([_WRITTEN]) * missing)
        else:
            self.values[first] = self.shape
            self.flags[first] = _WRITTEN

    def _zeros(self, shape: tuple[int, ...]) -> Array:
        if self.dtype.name == "string":
            raise invalid("tensor_array::TensorSetZero type not supported: string")
        return self.xp.zeros(shape, self.dtype.as_numpy_dtype)

    def _error(self, message: str) -> errors.InvalidArgumentError:
        return invalid(f"TensorArray {self.name}: {message}")

    # -- several elements -----------------------------------------------------------------------------------------

    def gather(self, indices: Sequence[int], wanted: Shape) -> Array:
        """The elements at `indices`, stacked; `wanted` is what the reader knows of their shape."""
        self.check_open()
        try:
            shape = merge(wanted, self.shape)
        except ValueError as error:
            raise invalid(f"{error} (reading elements of TensorArray {self.name})") from None
        # What the reader knows holds from now on: elements that were never written are zeros of that shape.
        self.shape = shape
        if not indices:
            # As in TensorFlow what the array itself has learned does not count here.
            if not is_fully_defined(wanted):
                raise _empty("element shape", wanted, "packing")
            return self.xp.zeros((0, *(wanted or ())), self.dtype.as_numpy_dtype)
        found = self._read_run(indices)
        if found is None:
            found = [self.read(index) for index in indices]
        first = found[0].shape
        if not is_compatible(wanted, first):
            raise invalid(
                f"TensorArray was passed element_shape {debug_string(wanted)} which does not match the Tensor at "
                f"index 0: {debug_string(first)}"
            )
        for i, value in enumerate(found):
            if value.shape != first:
                raise invalid(
                    f"TensorArray has inconsistent shapes.  Index 0 has shape: {debug_string(first)} but index {i} has "
                    f"shape: {debug_string(value.shape)}"
                )
        return stacked(self.xp, found, self.dtype)

    def _read_run(self, indices: Sequence[int]) -> list[Array] | None:
        """Reads elements that stand side by side, at once; None where one of them needs a closer look."""
        start, end = indices[0], indices[-1] + 1
        flags = self.flags[start:end] if start >= 0 else b""
        if len(flags) != len(indices) or flags.translate(None, _THERE) or list(indices) != list(range(start, end)):
            return None
        found = self.values[start:end]
        if tuple in set(map(type, found)):
            return None
        if self.clears:
            self.values[start:end] = [value.shape for value in found]
            self.flags[start:end] = bytes([_WRITTEN | _READ | _CLEARED]) * len(found)
        else:
            self.flags[start:end] = bytes([_WRITTEN | _READ]) * len(found)
        return found

    def scatter(self, indices: Sequence[int], value: Array) -> None:
        """Writes the rows of `value` to the elements at `indices`."""
        highest = max(indices, default=-1)
        size = self.size
        if highest >= size and not self.dynamic:
            raise invalid(f"Max scatter index must be < array size ({highest} vs. {size})")
        found = rows(self.xp, value)
        start, end = (indices[0], indices[-1] + 1) if indices else (0, 0)
        if 0 <= start < end <= size and not any(self.flags[start:end]) and list(indices) == list(range(start, end)):
            # A run of elements that nothing has happened to: the first one says whether they fit.
            if found[0].shape != self.shape:
                self._fit(start, found[0].shape)
            self.values[start:end] = found
            self.flags[start:end] = bytes([_WRITTEN]) * len(found)
            return
        for index, row in zip(indices, found, strict=True):
            self.write(index, row)

    def split(self, value: Array, lengths: Sequence[int]) -> None:
        """Writes pieces of `value`, so many rows each, to the elements in order."""
        size, count = self.size, len(lengths)
        if size != count and not (self.dynamic and size < count):
            raise invalid(
                f"TensorArray's size is not equal to the size of lengths ({size} vs. {count}), and the TensorArray is "
                "not marked as dynamically resizeable"
            )
        if not self.is_gradient:
            self.marked = count
        whole, start = self.xp.array(value), 0
        for index, length in enumerate(lengths):
            self.write(index, whole[start : start + length])
            start += length

    def concat(self, wanted: Shape) -> tuple[Array, Array]:
        """All elements joined along their first dimension, and how long each one is there."""
        self.check_open()
        count = self.marked if self.is_gradient else len(self.values)
        if not count:
            if not is_fully_defined(wanted):
                raise _empty("element_shape_except0", wanted, "concatenating")
            return self.xp.zeros((0, *(wanted or ())), self.dtype.as_numpy_dtype), np.zeros(0, np.int64)
        found = [self.read(index) for index in range(count)]
        for i, value in enumerate(found):
            if not value.shape:
                raise invalid(
                    f"Concat saw a scalar shape at index {i} but requires at least vectors.  Did you mean to call pack?"
                )
            rest = value.shape[1:]
            if not is_compatible(wanted, rest):
                raise invalid(
                    f"TensorArray was passed element_shape_except0 {debug_string(wanted)} but index {i} has (excepting "
                    f"dimension 0) shape: {debug_string(rest)} which does not match."
                )
            if rest != found[0].shape[1:]:
                raise invalid(
                    "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: "
                    f"{debug_string(found[0].shape[1:])} but index {i} has (excepting dimension 0) shape: "
                    f"{debug_string(rest)}"
                )
        return self.xp.concatenate(found), np.array([len(value) for value in found], np.int64)

    # -- gradients --------------------------------------------------------------------------------------------------

    def gradient(self, source: str, prepend: tuple[int, ...] = ()) -> TensorArrayState:
        """The array of this one's gradients for `source`; from now on this one does not grow.

        `prepend` are sizes before those of each element: those of a Jacobian.
        """
        self.check_open()
        if self.is_gradient:
            raise invalid(
                f"Wrong input container. {self.name} holds gradients: they have no gradients of their own, second "
                "derivatives through a TensorArray are not supported."
            )
        self.dynamic = False
        found = self.gradients.get(source)
        if found is not None:
            return found
        shape = None if self.shape is None else (*prepend, *self.shape)
        made = TensorArrayState(
            f"{self.name}@{source}", self.dtype, len(self.values), shape,
            identical=self.identical, dynamic=False, clears=True, xp=self.xp,
        )  # fmt: skip
        made.is_gradient = True
        made.marked = self.marked
        for index, flag in enumerate(self.flags):
            if flag:
                value = self.values[index]
                made.values[index] = prepend + (value if type(value) is tuple else value.shape)
                made.flags[index] = _WRITTEN
        self.gradients[source] = made
        return made


def stacked(xp: Any, values: Sequence[Array], dtype: DType) -> Array:
    """Arrays of one shape along a new first dimension: `np.stack`, without what it costs for many small ones."""
    shape = values[0].shape
    if shape:
        return xp.concatenate(values).reshape((len(values), *shape))
    if dtype.name == "string":
        result = np.empty(len(values), object)
        result[:] = [value[()] for value in values]
        return result
    return xp.array(values, dtype.as_numpy_dtype) if xp is np else xp.stack(values)


def rows(xp: Any, value: Array) -> list[Array]:
    """The rows of an array as arrays that a later write to it does not change."""
    whole = xp.array(value)
    if whole.ndim == 1 and whole.dtype == object:
        return [whole[i : i + 1].reshape(()) for i in range(len(whole))]
    return list(whole)


def _empty(what: str, shape: Shape, doing: str) -> errors.UnimplementedError:
    return unimplemented(
        f"TensorArray has size zero, but {what} {debug_string(shape)} is not fully defined. Currently only static "
        f"shapes are supported when {doing} zero-size TensorArrays."
    )
