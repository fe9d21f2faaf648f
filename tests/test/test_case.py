"""`tf.test.TestCase` and its company, used as programs use them."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf


def outcome(body: Any, **more: Any) -> unittest.TestResult:
    """What comes of a test case with one test (and perhaps other methods)."""
    case = type("Case", (tf.test.TestCase,), {"testIt": body, **more})
    result = unittest.TestResult()
    case("testIt").run(result)
    return result


def passes(body: Any) -> None:
    result = outcome(body)
    assert result.testsRun == 1
    assert not result.failures + result.errors, (result.failures + result.errors)[0][1]


def fails(body: Any, *words: str) -> None:
    result = outcome(body)
    assert len(result.failures) == 1, result
    for word in words:
        assert word in result.failures[0][1]


T = Any

GOOD: dict[str, Any] = {
    "close": lambda t: t.assertAllClose([1.0, 2], np.array([1.0, 2.0000001])),
    "close nests": lambda t: t.assertAllClose({"a": [1.0], "b": (1, [2, 3])}, {"a": [1.0], "b": (1, [2, 3])}),
    "close ragged": lambda t: t.assertAllClose([[1.0], [1.0, 2]], [[1.0], [1.0, 2]]),
    "close nan": lambda t: t.assertAllClose([np.nan, np.inf], [np.nan, np.inf]),
    "close tensors": lambda t: t.assertAllClose(tf.constant([1.0]), [tf.constant(1.0)]),
    "close half": lambda t: t.assertAllCloseAccordingToType(np.float16([1.0]), np.float32([1.0005])),
    "not close": lambda t: t.assertNotAllClose([1.0], [1.1]),
    "equal": lambda t: t.assertAllEqual([[1, 2]], np.array([[1, 2]])),
    "equal text": lambda t: t.assertAllEqual([b"a", "b"], tf.constant(["a", "b"])),
    "equal nan": lambda t: t.assertAllEqual([np.nan, 1], [np.nan, 1]),
    "equal empty": lambda t: t.assertAllEqual(np.zeros([0, 2]), np.ones([0, 2])),
    "not equal": lambda t: t.assertNotAllEqual([1], [2]),
    "near": lambda t: (
        t.assertNear(1, 1.05, 0.1),
        t.assertNear(np.array([1.0]), 1.05, 0.1),
        t.assertArrayNear([1, 2], [1, 2.05], 0.1),
    ),
    "norm near": lambda t: t.assertNDArrayNear(np.zeros(2), np.ones(2), 2),
    "shape": lambda t: t.assertShapeEqual(np.zeros([1, 2]), tf.zeros([1, 2])),
    "type": lambda t: t.assertDTypeEqual(tf.zeros([1], tf.int64), tf.int64),
    "all": lambda t: (t.assertAllGreater([2, 3], 1), t.assertAllLess([2, 3], 4), t.assertAllInRange([1, 2], 1, 2)),
    "all at least": lambda t: (t.assertAllGreaterEqual([1, 2], 1), t.assertAllLessEqual([1, 2], 2)),
    "in a set": lambda t: t.assertAllInSet([1, 2, 1], {1, 2, 3}),
    "message": lambda t: t.assertProtoEquals("step: 4", tf.Event(step=4)),
    "device": lambda t: t.assertDeviceEqual("/cpu:0", "/device:CPU:0"),
    "containers": lambda t: (t.assertLen([1], 1), t.assertEmpty([]), t.assertNotEmpty("a"), t.assertBetween(1, 0, 1)),
    "texts": lambda t: (
        t.assertStartsWith("abc", "ab"),
        t.assertEndsWith("abc", "bc"),
        t.assertRegexMatch("ab", ["b"]),
    ),
    "orders": lambda t: (t.assertItemsEqual([1, 2], [2, 1]), t.assertContainsInOrder(["a", "c"], "abc")),
    "sets": lambda t: (t.assertSameElements([1, 1], [1]), t.assertContainsSubset([1], [1, 2])),
    "no common": lambda t: (t.assertNoCommonElements([1], [2]), t.assertSequenceStartsWith([1], [1, 2])),
    "dictionaries": lambda t: t.assertDictAlmostEqual({"a": 1.0}, {"a": 1.00000001}),
}

BAD: dict[str, tuple[Any, list[str]]] = {
    "close": (
        lambda t: t.assertAllClose([1.0, 2, 5], [1.0, 2.1, 7], msg="why"),
        [
            "rtol=1e-06, atol=1e-06",
            "a is different from b. why",
            "not close lhs = [2. 5.]",
            "not close rhs = [2.1 7. ]",
        ],
    ),
    "close shape": (lambda t: t.assertAllClose([1.0, 2], [[1.0, 2]]), ["Shape mismatch: expected (2,), got (1, 2)"]),
    "close part": (
        lambda t: t.assertAllClose({"a": [1, [2, 3]]}, {"a": [1, [2, 4]]}),
        ["a[a][1] is different from b[a]"],
    ),
    "close keys": (lambda t: t.assertAllClose({"a": 1.0}, {"b": 1.0}), ["mismatched keys"]),
    "close unsigned": (lambda t: t.assertAllClose(np.uint8([1]), np.uint8([2])), ["not close dif = [1.]"]),
    "equal": (lambda t: t.assertAllEqual([1, 2], [1, 3], msg="why"), ["Arrays are not equal\nwhy", "rhs = [3]"]),
    "equal shape": (lambda t: t.assertAllEqual([1, 2], [1]), ["Shape mismatch: expected (2,), got (1,)"]),
    "not close": (lambda t: t.assertNotAllClose([1.0], [1.0]), ["close at all elements"]),
    "not equal": (lambda t: t.assertNotAllEqual([1], [1]), ["equal at all elements"]),
    "near": (lambda t: t.assertNear(1.0, 1.5, 0.1), ["1.000000 != 1.500000 +/- 0.100000"]),
    "range": (lambda t: t.assertAllInRange([1, 2, 9], 0, 3), ["1 of the 3 element(s)", "[0, 3]", "[2] : 9"]),
    "open range": (lambda t: t.assertAllInRange([0.0, np.nan], 0, 3, True), ["2 of the 2", "(0, 3]"]),
    "set": (lambda t: t.assertAllInSet([1, 2], {1}), ["are not in the set {1}: [2]"]),
    "message": (lambda t: t.assertProtoEquals("step: 3", tf.Event(step=4)), ["- step: 3", "+ step: 4"]),
    "device": (lambda t: t.assertDeviceEqual("/cpu:0", "/device:CPU:1"), ["Devices /device:CPU:0 and /device:CPU:1"]),
    "length": (lambda t: t.assertLen([1], 2), ["[1] has length of 1, expected 2"]),
    "not empty": (lambda t: t.assertEmpty([1]), ["expected 0"]),
    "start": (lambda t: t.assertStartsWith("abc", "x"), ["'abc' does not start with 'x'"]),
    "order": (lambda t: t.assertContainsInOrder(["c", "a"], "abc"), ["Did not find 'a'"]),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_holds(name: str) -> None:
    def body(self: T) -> None:
        GOOD[name](self)

    passes(body)


@pytest.mark.parametrize("name", BAD)
def test_what_does_not_hold(name: str) -> None:
    assertion, words = BAD[name]

    def body(self: T) -> None:
        assertion(self)

    fails(body, *words)


def test_sessions() -> None:
    def body(self: T) -> None:
        v = tf.Variable(3.0)
        self.assertEqual(v.op.device, "")
        with self.test_session() as one:
            self.assertIs(tf.get_default_session(), one)
            self.assertEqual(tf.constant(1).op.device, "/device:CPU:0")
            one.run(v.initializer)
        with self.cached_session(use_gpu=True) as two:
            self.assertIs(one, two)
            self.assertEqual(tf.constant(1).op.device, "")
            self.assertEqual(self.evaluate({"v": v}), {"v": 3.0})
        with self.assertRaisesRegex(ValueError, "config used to get the cached session is different"):
            with self.cached_session(config=tf.ConfigProto()):
                pass
        with self.session() as new:
            self.assertIsNot(new, one)
        other = tf.Graph()
        with self.test_session(graph=other) as foreign:
            self.assertIs(tf.get_default_graph(), other)
            self.assertIs(foreign.graph, other)
        with self.session(force_gpu=True, graph=tf.Graph()):
            self.assertEqual(tf.constant(1).op.device, "/device:GPU:0")

    passes(body)


def test_each_test_begins_anew() -> None:
    seen = []

    def body(self: T) -> None:
        self.assertEqual(len(tf.get_default_graph().get_operations()), 0)
        x = tf.random_uniform([2])
        seen.append((np.random.rand(), self.evaluate(x).tolist()))

    passes(body)
    passes(body)
    assert seen[0] == seen[1]


def test_errors() -> None:
    def good(self: T) -> None:
        with self.test_session() as sess:
            with self.assertRaisesOpError("Integer division by zero"):
                sess.run(tf.constant(1, name="one") // tf.constant(0))
            with self.assertRaisesOpError(lambda error: error.op.name.startswith("floordiv")):
                sess.run(tf.constant(1) // tf.constant(0))
        with self.assertRaisesWithPredicateMatch(ValueError, "shape"):
            raise ValueError("the shape")
        with self.assertRaisesWithLiteralMatch(ValueError, "exactly"):
            raise ValueError("exactly")

    def nothing_raised(self: T) -> None:
        with self.assertRaisesOpError("x"):
            pass

    def another(self: T) -> None:
        with self.assertRaisesWithPredicateMatch(ValueError, lambda error: False):
            raise ValueError("the shape")

    passes(good)
    fails(nothing_raised, "OpError not raised")
    fails(another, "Exception of type <class 'ValueError'>: the shape")


def test_threads() -> None:
    def good(self: T) -> None:
        thread = self.checkedThread(target=lambda: None)
        thread.start()
        thread.join()

    def bad(self: T) -> None:
        thread = self.checkedThread(target=lambda: 1 / 0)
        thread.start()
        thread.join()

    def forgotten(self: T) -> None:
        self.checkedThread(target=lambda: None).start()

    passes(good)
    fails(bad, "Error in checkedThread: ZeroDivisionError")
    fails(forgotten, "joined")


def test_files_and_streams(capfd: pytest.CaptureFixture[str]) -> None:
    def body(self: T) -> None:
        folder = self.get_temp_dir()
        self.assertEqual(folder, self.get_temp_dir())
        self.assertTrue(folder.startswith(tf.test.get_temp_dir()))
        with self.captureWritesToStream(sys.__stderr__) as written:
            print("to the stream", file=sys.__stderr__)
        self.assertEqual(written.contents(), "to the stream\n")

    passes(body)
    assert capfd.readouterr().err == ""


def test_its_own_method_is_no_test() -> None:
    result = unittest.TestResult()
    tf.test.TestCase("test_session").run(result)
    assert [reason for _, reason in result.skipped] == ["Not a test."]


def test_graphs_are_compared() -> None:
    with tf.Graph().as_default() as one:
        tf.constant(1, name="a")
        tf.constant(2, name="b")
    with tf.Graph().as_default() as other:
        tf.constant(2, name="b")
        tf.constant(3, name="a")
    tf.test.assert_equal_graph_def(one.as_graph_def(), one.as_graph_def())
    with pytest.raises(AssertionError, match="Node 'a' differs"):
        tf.test.assert_equal_graph_def(one.as_graph_def(), other.as_graph_def())
    with pytest.raises(AssertionError, match="Node 'a' is only in the expected graph"):
        tf.test.assert_equal_graph_def(tf.GraphDef(), one.as_graph_def())
    with pytest.raises(TypeError, match=r"Expected tf\.GraphDef for actual, got Graph"):
        tf.test.assert_equal_graph_def(one, one.as_graph_def())


def test_benchmarks_and_stubs(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        result = tf.test.Benchmark().run_op_benchmark(sess, tf.constant(1.0) + 2, min_iters=3, name="add", mbs=1)
    assert result["iters"] == 3
    assert result["wall_time"] > 0
    assert capsys.readouterr().out.startswith("add: iters: 3, wall_time: ")
    with tf.test.StubOutForTesting() as stubs:
        stubs.Set(tf.test, "is_built_with_cuda", lambda: "stub")
        assert tf.test.is_built_with_cuda() == "stub"
    assert tf.test.is_built_with_cuda() is False
    assert tf.test.mock.Mock()(3) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tf.test.nothing


PROGRAM = """
import tfbench as tf
tf.flags.DEFINE_integer("number", 1, "")
class SquareTest(tf.test.TestCase):
    def testSquare(self):
        with self.test_session():
            self.assertAllEqual(tf.square([1, 2]), [1, tf.flags.FLAGS.number])
if __name__ == "__main__":
    tf.test.main()
"""


@pytest.mark.parametrize(("number", "code"), [("4", 0), ("5", 1)])
def test_a_program_of_tests(tmp_path: Path, number: str, code: int) -> None:
    path = tmp_path / "square_test.py"
    path.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(path), f"--number={number}", "-v"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == code, done.stderr
    assert "testSquare" in done.stderr
    if code:
        assert "not equal lhs = [4]\nnot equal rhs = [5]" in done.stderr
        assert "arrays.py" not in done.stderr  # no frames of ours
