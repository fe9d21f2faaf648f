"""Scopes: how often each was opened, against the plain rule (closing one forgets all below it); and sharing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfbench as tf
from tfbench.variable_scope.stack import ScopeStack

#: paths whose parts sort around "/": "a-b" before "a/b", "a0" right after all of "a/…"
_paths = st.lists(st.sampled_from(["a", "a-b", "a0", "b", "", "a.b"]), min_size=1, max_size=3).map("/".join)
_steps = st.lists(st.tuples(st.sampled_from(["open", "close"]), _paths), max_size=40)


@given(_steps)
def test_closing_forgets_what_is_below(steps):
    stack, plain = ScopeStack(), {}
    for what, path in steps:
        if what == "open":
            stack.opened(path)
            plain[path] = plain.get(path, 0) + 1
        else:
            stack.close_below(path)
            plain = {key: times for key, times in plain.items() if path and not key.startswith(f"{path}/")}
        assert stack.counts == plain


@given(_steps, _steps)
def test_reopening_gives_back_what_was(before, after):
    stack = ScopeStack()
    for what, path in before:
        stack.opened(path) if what == "open" else stack.close_below(path)
    saved, counts = stack.opened_so_far(), dict(stack.counts)
    for what, path in after:
        stack.opened(path) if what == "open" else stack.close_below(path)
    stack.reopen(saved)
    assert stack.counts == counts
    stack.close_below("")
    assert stack.counts == {}


@pytest.mark.parametrize(
    ("shape", "dtype", "differs"),
    [
        ([4], tf.float32, r"specified shape \(4,\) and found shape \(3,\)"),
        ([3], tf.int32, "specified dtype int32 and found dtype float32_ref"),
    ],
)
def test_a_variable_that_cannot_be_shared_says_where_it_was_made(
    shape: list[int], dtype: tf.DType, differs: str
) -> None:
    with tf.Graph().as_default(), tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        tf.get_variable("v", [3])
        with pytest.raises(ValueError, match=rf"share variable net/v, but {differs}\. net/v was made at .*\.py:\d+\."):
            tf.get_variable("v", shape, dtype)
