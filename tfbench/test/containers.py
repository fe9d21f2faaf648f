"""Assertions about text, containers, messages and devices that TensorFlow's test case has beyond Python's."""

from __future__ import annotations

import re
import unittest
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# unittest shows no frames of a module with this name
__unittest = True


class ContainerAssertions(unittest.TestCase):
    """What `absl.testing` adds to Python's test case, and TensorFlow to that."""

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        """A container has so many items."""
        if len(container) != expected_len:
            self.fail(f"{container!r} has length of {len(container)}, expected {expected_len}. {msg or ''}")

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """A container has no items."""
        if len(container):
            self.fail(f"{container!r} has length of {len(container)}, expected 0. {msg or ''}")

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        """A container has items."""
        if not len(container):
            self.fail(f"{container!r} has length of 0. {msg or ''}")

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: str | None = None) -> None:  # type: ignore[override, unused-ignore]
        """A text begins with another."""
        if not actual.startswith(expected_start):
            self.fail(f"{actual!r} does not start with {expected_start!r}. {msg or ''}")

    def assertEndsWith(self, actual: Any, expected_end: Any, msg: str | None = None) -> None:  # type: ignore[override, unused-ignore]
        """A text ends with another."""
        if not actual.endswith(expected_end):
            self.fail(f"{actual!r} does not end with {expected_end!r}. {msg or ''}")

    def assertItemsEqual(self, first: Any, second: Any, msg: str | None = None) -> None:
        """Two sequences have the same items, in any order."""
        self.assertCountEqual(first, second, msg)

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        """Two sequences have the same items, in any order and number."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertContainsSubset(self, expected_subset: Any, actual_set: Any, msg: str | None = None) -> None:
        """All of one are in the other."""
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self.fail(f"{missing} missing from {actual_set!r}. {msg or ''}")

    def assertNoCommonElements(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        """Nothing is in both."""
        both = set(expected_seq) & set(actual_seq)
        if both:
            self.fail(f"Common elements {both} of {expected_seq!r} and {actual_seq!r}. {msg or ''}")

    def assertContainsInOrder(self, strings: Sequence[str], target: str, msg: str | None = None) -> None:
        """A text holds some others, one behind the other."""
        at = 0
        for text in [strings] if isinstance(strings, str) else strings:
            found = target.find(text, at)
            if found < 0:
                self.fail(f"Did not find {text!r} behind byte {at} of {target!r}. {msg or ''}")
            at = found + len(text)

    def assertSequenceStartsWith(self, prefix: Any, whole: Any, msg: str | None = None) -> None:
        """A sequence begins with another."""
        self.assertEqual(list(prefix), list(whole[: len(prefix)]), msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        """A value lies between two others, or is one of them."""
        if not minv <= value <= maxv:
            self.fail(f"{value!r} unexpectedly not in [{minv!r}, {maxv!r}]. {msg or ''}")

    def assertRegexMatch(self, actual_str: str, regexes: Sequence[str], message: str | None = None) -> None:
        """A text matches one of some patterns."""
        if not any(re.search(regex, actual_str) for regex in regexes):
            self.fail(f"{actual_str!r} matches none of {list(regexes)}. {message or ''}")

    def assertDictAlmostEqual(self, first: Any, second: Any, places: int = 7, msg: str | None = None) -> None:
        """Two dictionaries have the same keys, and numbers that agree to so many places."""
        self.assertCountEqual(first, second, msg)
        for key in first:
            self.assertAlmostEqual(first[key], second[key], places, msg)

    # -- errors -------------------------------------------------------------------------------------------------------

    @contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: str | Callable[[Any], Any]
    ) -> Iterator[None]:
        """The block raises an error whose message matches a pattern, or of which a function says yes."""
        expected = expected_err_re_or_predicate

        def fits(error: Any) -> bool:
            if callable(expected):
                return bool(expected(error))
            op = getattr(error, "op", None)
            text = f"{error}\n" + (f"Caused by op: {op.name}" if op is not None else "")
            return bool(re.search(expected, text))

        try:
            yield
        except exception_type as error:
            if not fits(error):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error
        else:
            name = getattr(exception_type, "__name__", exception_type)
            self.fail(f"{name} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """The block raises a `tf.errors.OpError` whose message matches a pattern."""
        from tfbench.errors import OpError

        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    @contextmanager
    def assertRaisesWithLiteralMatch(self, expected_exception: Any, expected_exception_message: str) -> Iterator[None]:
        """The block raises an error with this message."""
        with self.assertRaises(expected_exception) as caught:
            yield
        self.assertEqual(expected_exception_message, str(caught.exception))

    # -- messages and devices -----------------------------------------------------------------------------------------

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """A message is equal to another, which may be given as text."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            from google.protobuf import text_format

            text = expected.decode() if isinstance(expected, bytes) else expected
            expected = text_format.Parse(text, type(validate_message)())
        if type(expected) is not type(validate_message):
            self.fail(f"Can't compare protos of type {type(expected)} and {type(validate_message)}. {msg or ''}")
        if expected != validate_message:
            self.assertMultiLineEqual(str(expected), str(validate_message), msg)
            self.fail(f"The messages differ, though not as text. {msg or ''}")  # e.g. in unknown fields

    def assertProtoEqualsVersion(
        self,
        expected: str,
        actual: Any,
        producer: int | None = None,
        min_consumer: int | None = None,
        msg: str | None = None,
    ) -> None:
        """A GraphDef is equal to one given as text without its versions."""
        from tfbench import version

        producer = version.GRAPH_DEF_VERSION if producer is None else producer
        consumer = version.GRAPH_DEF_VERSION_MIN_CONSUMER if min_consumer is None else min_consumer
        versions = f"versions {{ producer: {producer} min_consumer: {consumer} }}"
        self.assertProtoEquals(f"{versions}\n{expected}", actual, msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Two device strings mean the same."""
        from tfbench.engine.device_names import DeviceSpec

        one, other = [DeviceSpec.from_string(str(device or "")).to_string() for device in (device1, device2)]
        self.assertEqual(one, other, f"Devices {one} and {other} are not equal. {msg or ''}")
