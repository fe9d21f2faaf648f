"""Assertions about arrays and tensors: `tf.test.TestCase.assertAllClose` and its relatives.

Anything that becomes an array can be compared; tensors are evaluated first, in the test's session. Sequences and
dictionaries are compared part by part where they are no rectangular arrays, and the message says which part differs.
"""

from __future__ import annotations

import unittest
from collections.abc import Mapping
from typing import Any

import numpy as np

Array = Any


# unittest shows no frames of a module with this name
__unittest = True


class ArrayAssertions(unittest.TestCase):
    """Needs `evaluate`, which gives a tensor's value."""

    def evaluate(self, tensors: Any) -> Any:
        raise NotImplementedError

    def _array(self, value: Any) -> Array:
        """The array of a value, of a tensor, or of a list with tensors in it."""
        if isinstance(value, np.ndarray):
            return value
        if hasattr(value, "graph") or (
            isinstance(value, (list, tuple)) and any(hasattr(item, "graph") for item in value)
        ):
            value = self.evaluate(value)
        array = np.asarray(value)
        if array.dtype.kind in "US" or (
            array.dtype == object and array.size and isinstance(array.flat[0], (str, bytes))
        ):
            flat = [item.encode() if isinstance(item, str) else item for item in array.ravel().tolist()]
            out = np.empty(len(flat), object)
            out[:] = flat
            return out.reshape(array.shape)
        return array

    # -- close --------------------------------------------------------------------------------------------------------

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:  # fmt: skip
        """Arrays, or nests of them, differ by at most `atol + rtol * |b|`; two NaN are close."""
        self._close(a, b, rtol, atol, [], msg)

    def _close(self, a: Any, b: Any, rtol: float, atol: float, path: list[Any], msg: str | None) -> None:
        where = "".join(f"[{step}]" for step in path)
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{where} vs b{where}. {msg or ''}")
        if isinstance(a, Mapping):
            text = f"mismatched keys: a{where} has keys {a.keys()}, but b{where} has keys {b.keys()}. {msg or ''}"
            self.assertCountEqual(a.keys(), b.keys(), msg=text)
            for key in a:
                self._close(a[key], b[key], rtol, atol, [*path, key], msg)
            return
        if isinstance(a, (list, tuple)):
            try:
                arrays = self._array(a), self._array(b)
            except ValueError:  # ragged
                arrays = None
            if arrays is None or arrays[0].dtype == object:
                text = f"Mismatched length: a{where} has {len(a)} items, but b{where} has {len(b)} items. {msg or ''}"
                self.assertEqual(len(a), len(b), text)
                for i, (one, other) in enumerate(zip(a, b, strict=True)):
                    self._close(one, other, rtol, atol, [*path, i], msg)
                return
            a, b = arrays
        self._arrays_close(a, b, rtol, atol, f"Mismatched value: a{where} is different from b{where}. {msg or ''}")

    def _arrays_close(self, a: Any, b: Any, rtol: float, atol: float, msg: str) -> None:
        a, b = self._array(a), self._array(b)
        self._same_shape(a, b, msg)
        a, b = _computable(a), _computable(b)
        if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            return
        with np.errstate(invalid="ignore"):
            apart = ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        at = np.argwhere(apart)
        found, wanted = a[apart] if a.ndim else a, b[apart] if b.ndim else b
        self.fail(
            f"\nNot equal to tolerance rtol={rtol:g}, atol={atol:g}\n{msg}\nnot close where = {_few(at.tolist())}\n"
            f"not close lhs = {_few(found)}\nnot close rhs = {_few(wanted)}\n"
            f"not close dif = {_few(abs(found - wanted))}\n"
            f"not close tol = {_few(atol + rtol * abs(wanted))}\ndtype = {a.dtype}, shape = {a.shape}"
        )

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """As `assertAllClose`; where one side has lower precision, with its tolerances."""
        a, b = self._array(a), self._array(b)
        names = {str(a.dtype), str(b.dtype)}
        for kinds, more in (
            (("float32", "complex64"), (float_rtol, float_atol)),
            (("float16",), (half_rtol, half_atol)),
            (("bfloat16",), (bfloat16_rtol, bfloat16_atol)),
        ):
            if names & set(kinds):
                rtol, atol = max(rtol, more[0]), max(atol, more[1])
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:  # fmt: skip
        """Some elements differ by more."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(f"The two values are close at all elements. {msg or ''}")

    def assertNear(self, f1: Any, f2: Any, err: Any, msg: str | None = None) -> None:
        """Two numbers (or arrays of one) differ by at most `err`."""
        f1, f2, err = (number.item() if isinstance(number, np.ndarray) else number for number in (f1, f2, err))
        text = f"{f1:f} != {f2:f} +/- {err:f} (difference: {abs(f1 - f2):g})"
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{text}: {msg}" if msg else text)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """Two lists of numbers differ by at most `err` each."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for one, other in zip(farray1, farray2, strict=True):
            self.assertNear(float(one), float(other), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """The norm of the difference is less than `err`."""
        difference = np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2))
        self.assertTrue(difference < err, msg or f"the norm of the difference is {difference}, not less than {err}")

    # -- equal --------------------------------------------------------------------------------------------------------

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Arrays have the same shape and elements; NaN is equal to NaN."""
        a, b = self._array(a), self._array(b)
        self._same_shape(a, b, msg or "")
        same = np.asarray(a == b)
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = same | (np.isnan(a) & np.isnan(b))
        if same.all():
            return
        apart = ~same
        self.fail(
            f"\nArrays are not equal\n{msg or ''}\nnot equal where = {_few(np.argwhere(apart).tolist())}\n"
            f"not equal lhs = {_few(a[apart] if a.ndim else a)}\nnot equal rhs = {_few(b[apart] if b.ndim else b)}"
        )

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Some elements differ."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(f"The two values are equal at all elements. {msg or ''}")

    def _same_shape(self, a: Array, b: Array, msg: str) -> None:
        text = f"Shape mismatch: expected {a.shape}, got {b.shape} with contents {_few(b)}. {msg}"
        self.assertEqual(a.shape, b.shape, text)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """An array and a tensor (or two of either) have the same shape."""
        shapes = [
            tuple(value.shape.as_list()) if hasattr(value.shape, "as_list") else value.shape
            for value in (input_a, input_b)
        ]
        self.assertEqual(shapes[0], shapes[1], msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """A tensor or an array has a type."""
        wanted = np.dtype(getattr(expected_dtype, "as_numpy_dtype", expected_dtype))
        self.assertEqual(self._array(target).dtype, wanted)

    # -- every element ------------------------------------------------------------------------------------------------

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """All elements are greater than a number."""
        self.assertGreater(np.min(self._array(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """All elements are less than a number."""
        self.assertLess(np.max(self._array(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are at least a number."""
        self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are at most a number."""
        self.assertLessEqual(np.max(self._array(a)), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """All elements lie between two numbers; an open bound itself is outside, and so is NaN."""
        array = self._array(target)
        above = array > lower_bound if open_lower_bound else array >= lower_bound
        below = array < upper_bound if open_upper_bound else array <= upper_bound
        outside = np.argwhere(~(above & below))
        if len(outside):
            left, right = "(" if open_lower_bound else "[", ")" if open_upper_bound else "]"
            lines = [f"  {place.tolist()} : {array[tuple(place)]}" for place in outside[:20]]
            self.fail(
                f"{len(outside)} of the {array.size} element(s) are outside the range "
                f"{left}{lower_bound}, {upper_bound}{right}. Subscript(s) and value(s) of the offending elements:\n"
                + "\n".join(lines)
            )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """All elements are in a set."""
        others = np.setdiff1d(np.unique(self._array(target)), list(expected_set))
        if others.size:
            self.fail(f"{others.size} unique element(s) are not in the set {expected_set}: {_few(others)}")


def _computable(array: Array) -> Array:
    """The array in a type that differences can be taken in."""
    if array.dtype.kind in "iub":
        return array.astype(np.float64) if array.dtype.kind != "b" else array.astype(np.int64)
    return array.astype(np.float32) if array.dtype.itemsize < 4 and array.dtype != object else array


def _few(values: Any) -> str:
    """Values as text, shortened."""
    return (
        np.array2string(np.asarray(values), threshold=20, edgeitems=5)
        if not isinstance(values, list)
        else (str(values) if len(values) <= 20 else f"{str(values[:20])[:-1]}, … {len(values)} in all]")
    )
