"""Frames in a plan: what is a loop, how often what runs, what is refused. Most loops here are made of raw ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.engine.raw_loops import RawLoop, raw_while
from tfbench.engine.opdef import lookup


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def runs(fetches: Any, feeds: dict[Any, Any] | None = None, times: int = 3) -> Any:
    """What a new session makes of it, the same each time: step by step first, then compiled."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = [session.run(fetches, feeds) for _ in range(times)]
    for later in found[1:]:
        np.testing.assert_equal(later, found[0])
    return found[0]


def powers(n: Any) -> list[Any]:
    """(n, 2 ** n)"""
    return raw_while(
        lambda f, i, x: i < f.capture(n), lambda f, i, x: (i + f.constant(1), x * f.constant(2.0)), [0, 1.0]
    )


# ---- what a loop computes


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 30])
def test_variables_go_through_their_iterations(count: int) -> None:
    n = tf.placeholder(tf.int32, [])
    assert runs(powers(n), {n: count}) == [count, 2.0**count]


def test_one_exit_alone() -> None:
    i, x = powers(tf.constant(12))
    assert runs(i) == 12
    assert runs(x) == 4096.0


def test_all_variables_change_at_once() -> None:
    n = tf.placeholder(tf.int32, [])
    _, a, b = raw_while(
        lambda f, i, a, b: i < f.capture(n), lambda f, i, a, b: (i + f.constant(1), b, a + b), [0, 0, 1]
    )
    assert [runs([a, b], {n: count}) for count in (0, 1, 2, 10, 20)] == [
        [0, 1],
        [1, 1],
        [1, 2],
        [55, 89],
        [6765, 10946],
    ]


def test_a_loop_in_a_loop_in_a_loop() -> None:
    n = tf.placeholder(tf.int32, [])

    def level(f: Any, depth: int, total: Any) -> Any:
        def body(g: RawLoop, i: Any, t: Any) -> Any:
            return i + g.constant(1), (level(g, depth - 1, t) if depth else t + g.constant(1))

        zero = f.constant(0) if f else tf.constant(0)
        return raw_while(lambda g, i, t: i < limits[depth](g), body, [zero, total])[1]

    def limit(depth: int) -> Callable[[RawLoop], Any]:
        def inside(g: RawLoop) -> Any:
            # Each frame takes the number from the one around it.
            while len(entered) > 2 - depth + 1:
                entered.pop()
            value = g.capture(entered[-1])
            entered.append(value)
            return value

        return inside

    limits = [limit(depth) for depth in range(3)]
    entered = [n]
    total = level(None, 2, tf.constant(0))
    assert [runs(total, {n: count}) for count in (0, 1, 3, 9)] == [0, 1, 27, 729]


def test_several_loops_one_after_the_other_and_side_by_side() -> None:
    n = tf.placeholder(tf.int32, [])
    first, _ = powers(n)
    second = raw_while(lambda f, i: i < f.capture(first * 10), lambda f, i: i + f.constant(7), [0])[0]
    beside = raw_while(lambda f, i: i > f.capture(-n), lambda f, i: i - f.constant(1), [n])[0]
    assert runs([second, beside, second + beside], {n: 5}) == [56, -5, 51]


def test_the_merges_second_output_says_where_the_value_came_from() -> None:
    f = RawLoop("f")
    enter, total = f.enter(0, False), f.enter(100, False)
    merge, index = lookup("Merge")([enter, enter])
    sums = lookup("Merge")([total, total])[0]
    condition = lookup("LoopCond")(merge < f.capture(4))
    i, s = lookup("Switch")(merge, condition), lookup("Switch")(sums, condition)
    f.pivot = i[1].op
    merge.op._update_input(1, lookup("NextIteration")(i[1] + f.constant(1)))
    sums.op._update_input(1, lookup("NextIteration")(s[1] + lookup("Switch")(index, condition)[1]))
    assert runs(lookup("Exit")(s[0])) == 103  # 0 in the first iteration, 1 in the others


@pytest.mark.parametrize("swapped", [False, True])
def test_a_merge_may_take_the_next_iteration_first(swapped: bool) -> None:
    i, x = powers(tf.constant(5))
    if swapped:
        for op in tf.get_default_graph().get_operations():
            if op.type == "Merge":
                first, second = op.inputs
                op._update_input(0, second)
                op._update_input(1, first)
    assert runs([i, x]) == [5, 32.0]


def test_frames_without_a_condition_are_gone_through_once() -> None:
    f = RawLoop("f")
    enter = f.enter(3.0, False)
    merged, index = lookup("Merge")([enter, enter])
    assert runs(lookup("Exit")(enter + f.capture(1.0))) == 4.0
    assert runs(lookup("Exit")(merged)) == 3.0
    assert runs(enter) == 3.0


def test_ops_between_switch_and_exit_run_once() -> None:
    v = tf.Variable(0)
    f = RawLoop("f")
    enter = f.enter(0, False)
    merge = lookup("Merge")([enter, enter])[0]
    condition = lookup("LoopCond")(merge < f.capture(4))
    leaving, going_on = lookup("Switch")(merge, condition)
    f.pivot = going_on.op
    merge.op._update_input(1, lookup("NextIteration")(going_on + f.constant(1)))
    with tf.control_dependencies([tf.assign_add(f.capture(v._ref()), leaving)]):
        left = lookup("Exit")(leaving * 10)
    with tf.Session() as session:
        session.run(v.initializer)
        for run in (1, 2, 3):
            assert session.run(left) == 40
            assert session.run(v) == 4 * run


# ---- references and side effects


def test_a_captured_variable_is_written_in_each_iteration() -> None:
    v = tf.Variable([1.0, 2.0])
    n = tf.placeholder(tf.int32, [])

    def body(f: RawLoop, i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(f.capture(v._ref()), [f.constant(1.0)] * 2)]):
            return i + f.constant(1)

    i = raw_while(lambda f, i: i < f.capture(n), body, [0])[0]
    with tf.Session() as session:
        session.run(v.initializer)
        for number in (0, 3, 20, 3):
            before = session.run(v)
            assert session.run(i, {n: number}) == number
            np.testing.assert_array_equal(session.run(v), before + number)


def test_a_reference_as_loop_variable() -> None:
    v = tf.Variable(1.0)
    n = tf.placeholder(tf.int32, [])
    _, reference = raw_while(
        lambda f, i, r: i < f.capture(n),
        lambda f, i, r: (i + f.constant(1), tf.assign(r, tf.identity(r) * f.constant(2.0))),
        [0, v._ref()],
    )
    assert [op.type for op in tf.get_default_graph().get_operations() if op.type.startswith("Ref")] == [
        "RefEnter", "RefMerge", "RefSwitch", "RefNextIteration", "RefExit",
    ]  # fmt: skip
    with tf.Session() as session:
        session.run(v.initializer)
        assert [session.run(reference, {n: number}) for number in (0, 3, 10, 1)] == [1.0, 8.0, 8192.0, 16384.0]
        assert session.run(v) == 16384.0


def test_a_loop_variable_that_is_a_variables_memory_follows_it() -> None:
    # As v/read does: nothing copies the value on its way in.
    v = tf.Variable([0.0])

    def body(i: Any, x: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, [1.0])]):
            return i + 1, tf.identity(x)

    x = tf.while_loop(lambda i, _: i < 3, body, [0, v.value()])[1]
    with tf.Session() as session:
        session.run(v.initializer)
        assert [session.run(x).tolist() for _ in range(3)] == [[3.0], [6.0], [9.0]]


def test_views_of_variables_in_loops_are_copies() -> None:
    # A transposed array is a view: it must not see later writes to the variable. The loop variable y is the variable's
    # memory from the second iteration on only.
    v = tf.Variable([[1.0, 2.0]])

    def body(i: Any, x: Any, y: Any) -> Any:
        turned = tf.transpose(y)
        with tf.control_dependencies([turned]):
            written = tf.assign_add(v, [[1.0, 1.0]])
        with tf.control_dependencies([written]):
            return i + 1, tf.identity(turned), v.value()

    x = tf.while_loop(lambda i, *_: i < 3, body, [0, tf.zeros([2, 1]), tf.zeros([1, 2])])[1]
    with tf.Session() as session:
        for _ in range(3):
            session.run(v.initializer)
            assert session.run(x).tolist() == [[3.0], [4.0]]


def test_the_condition_has_its_effects_once_more_than_the_body() -> None:
    tests, bodies = tf.Variable(0, name="tests"), tf.Variable(0, name="bodies")
    n = tf.placeholder(tf.int32, [])

    def cond(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(tests, 1)]):
            return i < n

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(bodies, 1)]):
            return i + 1

    i = tf.while_loop(cond, body, [0])
    with tf.Session() as session:
        for number in (0, 1, 5, 20, 3):
            session.run(tf.global_variables_initializer())
            assert session.run(i, {n: number}) == number
            assert session.run([tests, bodies]) == [number + 1, number]


def test_what_nobody_asks_for_does_not_run() -> None:
    v = tf.Variable(0)

    def body(i: Any, x: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, 1)]):
            return i + 1, tf.identity(x)

    i, x = tf.while_loop(lambda i, _: i < 3, body, [0, 0.0])
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(i)
        assert session.run(v) == 3  # the counter is made after the update too
    pruned = raw_while(
        lambda f, i, x: i < f.capture(3),
        lambda f, i, x: (i + f.constant(1), tf.assign_add(f.capture(v._ref()), x)),
        [0, 1],
    )
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(pruned[0])
        assert session.run(v) == 0
        session.run(pruned[1])
        assert session.run(v) == 4  # 1, then 1 + 1, then 2 + 2: the reference is read when it is added


def test_random_numbers_are_new_in_each_iteration() -> None:
    tf.set_random_seed(7)
    _, total = tf.while_loop(
        lambda i, _: i < 5, lambda i, x: (i + 1, tf.concat([x, tf.random_uniform([1])], 0)), [0, tf.zeros([0])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )  # fmt: skip
    with tf.Session() as session:
        values = [session.run(total) for _ in range(2)]
    assert len(set(np.concatenate(values).tolist())) == 10


# ---- branches and loops


@pytest.mark.parametrize("count", [0, 3, 20])
def test_a_loop_in_a_branch_that_is_not_taken_does_not_run(count: int) -> None:
    v = tf.Variable(0)
    taken = tf.placeholder(tf.bool, [])

    def looped() -> Any:
        def body(i: Any) -> Any:
            with tf.control_dependencies([tf.assign_add(v, 1)]):
                return i + 1

        return tf.while_loop(lambda i: i < count, body, [0])

    result = tf.cond(taken, looped, lambda: tf.constant(-1))
    with tf.Session() as session:
        session.run(v.initializer)
        for number, side in enumerate([True, False, True, False, True]):
            assert session.run(result, {taken: side}) == (count if side else -1)
            assert session.run(v) == count * (number // 2 + 1)


def test_an_exit_in_a_branch_that_is_not_taken_is_dead() -> None:
    taken = tf.placeholder(tf.bool, [])
    dead, alive = lookup("Switch")(tf.constant(1.0), taken)
    result = raw_while(lambda f, i: i < f.capture(10.0), lambda f, i: i + f.constant(2.0), [alive])[0]
    with tf.Session() as session:
        for _ in range(2):
            assert session.run(result, {taken: True}) == 11.0
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"Retval\[0\] does not have value"):
                session.run(result, {taken: False})
        assert session.run(lookup("Merge")([result, dead]), {taken: False}) == [1.0, 1]


def test_a_captured_value_may_be_dead() -> None:
    # A constant Enter of the other branch: nothing in the loop that takes it has a value.
    taken = tf.placeholder(tf.bool, [])
    other = lookup("Switch")(tf.constant(5.0), taken)[1]
    result = raw_while(
        lambda f, i: i < f.capture(3.0),
        lambda f, i: lookup("Merge")([i + f.capture(other), i + f.constant(1.0)])[0],
        [0.0],
    )[0]
    assert runs(result, {taken: False}) == 3.0
    assert runs(result, {taken: True}) == 5.0


def test_a_branch_on_what_the_loop_around_it_was_entered_for() -> None:
    # The gradient of a loop in a cond switches by the captured predicate again: inside, it always holds.
    taken = tf.placeholder(tf.bool, [])
    _, alive = lookup("Switch")(tf.constant(1.0), taken)
    result = raw_while(
        lambda f, i: i < f.capture(10.0),
        lambda f, i: lookup("Switch")(i * f.constant(2.0), f.capture(taken))[1],
        [alive],
    )[0]
    assert runs(result, {taken: True}) == 16.0


def test_branches_in_loops_in_branches() -> None:
    n, p = tf.placeholder(tf.int32, []), tf.placeholder(tf.bool, [])

    def body(i: Any, x: Any) -> Any:
        inner = tf.cond(
            tf.equal(i % 3, 0),
            lambda: tf.while_loop(
                lambda j, y: j < i, lambda j, y: (j + 1, tf.cond(p, lambda: y + j, lambda: y - j)), [0, x]
            )[1],
            lambda: tf.cond(p, lambda: x * 2, lambda: x + 1),
        )
        return i + 1, inner

    x = tf.cond(n > 0, lambda: tf.while_loop(lambda i, _: i < n, body, [0, 1])[1], lambda: tf.constant(-7))

    def wanted(count: int, side: bool) -> int:
        value = 1
        for i in range(count):
            if i % 3 == 0:
                for j in range(i):
                    value = value + j if side else value - j
            else:
                value = value * 2 if side else value + 1
        return value if count > 0 else -7

    with tf.Session() as session:
        for count in (0, 1, 4, 20, 7):
            for side in (True, False):
                assert session.run(x, {n: count, p: side}) == wanted(count, side)


# ---- control dependencies


def test_control_dependencies_into_and_out_of_a_loop() -> None:
    v = tf.Variable(1)
    with tf.control_dependencies([tf.assign(v, 10)]):
        begin = tf.identity(v)
    loop = tf.while_loop(lambda i: i < 15, lambda i: i + 1, [begin])
    with tf.control_dependencies([loop]):
        after = tf.assign_add(v, 100)
    with tf.Session() as session:
        session.run(v.initializer)
        for _ in range(3):
            assert session.run([after, loop]) == [110, 15]


def test_a_loop_waits_for_the_block_that_it_is_made_in() -> None:
    v = tf.Variable(1)
    with tf.control_dependencies([tf.assign_add(v, 1)]):
        loop = tf.while_loop(lambda i: i < 3, lambda i: i + v, [0])
    with tf.Session() as session:
        session.run(v.initializer)
        assert [session.run(loop) for _ in range(3)] == [4, 3, 4]


# ---- what is refused


def unfinished(f: RawLoop) -> tuple[Any, Any, list[Any]]:
    """The Merge, the LoopCond and the Switch of a loop without its way back."""
    enter = f.enter(0.0, False)
    merge = lookup("Merge")([enter, enter])[0]
    condition = lookup("LoopCond")(merge < f.capture(5.0))
    return merge, condition, lookup("Switch")(merge, condition)


def from_outside() -> Any:
    f = RawLoop("f")
    return lookup("Exit")(f.enter(1.0, False) + tf.constant(1.0, name="outside"))


def waits_for_outside() -> Any:
    inside = RawLoop("f").enter(1.0, False)
    with tf.control_dependencies([tf.no_op(name="outside")]):
        return lookup("Exit")(tf.exp(inside))


def from_another_loop() -> Any:
    f, g = RawLoop("f"), RawLoop("g")
    return lookup("Exit")(f.enter(1.0, False) + g.enter(1.0, False))


def back_to_another_loop() -> Any:
    merge, _, (leaving, going_on) = unfinished(RawLoop("f"))
    other = unfinished(RawLoop("g"))
    merge.op._update_input(1, lookup("NextIteration")(other[2][1]))
    return lookup("Exit")(leaving)


def two_conditions() -> Any:
    f = RawLoop("f")
    merge, condition, (leaving, going_on) = unfinished(f)
    second = lookup("LoopCond")(merge < f.capture(3.0))
    going_on = lookup("Switch")(going_on, second)[1]
    merge.op._update_input(1, lookup("NextIteration")(going_on))
    return lookup("Exit")(leaving)


def no_condition() -> Any:
    f = RawLoop("f")
    enter = f.enter(0.0, False)
    merge = lookup("Merge")([enter, enter])[0]
    merge.op._update_input(1, lookup("NextIteration")(merge + f.capture(1.0)))
    return lookup("Exit")(merge)


def back_from_the_test() -> Any:
    f = RawLoop("f")
    merge, _, (leaving, _) = unfinished(f)
    merge.op._update_input(1, lookup("NextIteration")(merge + f.capture(1.0)))
    return lookup("Exit")(leaving)


def leaving_from_the_body() -> Any:
    merge, _, (_, going_on) = unfinished(RawLoop("f"))
    merge.op._update_input(1, lookup("NextIteration")(going_on))
    return lookup("Exit")(going_on)


def body_and_tail() -> Any:
    merge, _, (leaving, going_on) = unfinished(RawLoop("f"))
    merge.op._update_input(1, lookup("NextIteration")(going_on))
    return lookup("Exit")(leaving + going_on)


def a_merge_of_three() -> Any:
    f = RawLoop("f")
    enter, other = f.enter(0.0, False), f.enter(0.0, False)
    merge = lookup("Merge")([enter, other, enter])[0]
    leaving, going_on = lookup("Switch")(merge, lookup("LoopCond")(merge < f.capture(5.0)))
    merge.op._update_input(2, lookup("NextIteration")(going_on))
    return lookup("Exit")(leaving)


def the_first_value_in_the_body() -> Any:
    f = RawLoop("f")
    merge, _, (leaving, going_on) = unfinished(f)
    merge.op._update_input(1, lookup("NextIteration")(going_on + merge.op.inputs[0]))
    return lookup("Exit")(leaving)


def leaving_nothing() -> Any:
    return lookup("Exit")(tf.constant(1.0))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (from_outside, r"has inputs from different frames.*Enter.* is in frame 'f'.*outside.* is in frame ''"),
        (waits_for_outside, r"has inputs from different frames.*outside.* is in frame ''"),
        (from_another_loop, r"has inputs from different frames.*'f'.*'g'"),
        (back_to_another_loop, r"Merge.* is in frame 'f'.*NextIteration.* is in frame 'g'"),
        (two_conditions, r"'f' has several LoopConds, 'LoopCond' and 'LoopCond_1'"),
        (no_condition, r"'f' would never end: it has no LoopCond"),
        (back_from_the_test, r"'NextIteration' would go on for ever"),
        (leaving_from_the_body, r"'Exit' would leave the loop 'f' in every iteration"),
        (body_and_tail, r"add.*takes 'Switch:1'.*while it goes on, and 'Switch:0'"),
        (a_merge_of_three, r"'Merge' is no variable of the loop 'f'.*one Enter and one NextIteration"),
        (the_first_value_in_the_body, r"takes 'Enter:0'.*first iteration of 'f' only"),
        (leaving_nothing, r"Exit.* is not in a loop"),
    ],
)
def test_what_is_no_loop_is_refused(make: Callable[[], Any], words: str) -> None:
    result = make()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=words) as caught:
            session.run(result)
        assert caught.value.op is not None
        assert "test_frames.py" in str(caught.value)


def test_a_cycle_around_a_loop_names_who_waits() -> None:
    a = tf.constant(1.0, name="a")
    result = raw_while(lambda f, i: i < f.capture(5.0), lambda f, i: i + f.constant(1.0), [a])[0]
    result.op.graph.get_operation_by_name("Enter")._add_control_input((result + 1.0).op)
    with tf.Session() as session, pytest.raises(ValueError, match="cycle through"):
        session.run(result)


def test_values_inside_cannot_be_fetched() -> None:
    i = powers(tf.constant(3))[0]
    inside = tf.get_default_graph().get_tensor_by_name("Identity:0")
    with tf.Session() as session:
        with pytest.raises(
            tf.errors.InternalError, match=r"Retval\[0\] has already been set: 'Identity:0'.*loop 'loop'"
        ):
            session.run(inside)
        with pytest.raises(tf.errors.InvalidArgumentError, match="different frames"):
            session.run(i, {inside: 3})
        with tf.control_dependencies([inside]):
            outside = tf.constant(3)
        with pytest.raises(tf.errors.InternalError, match=r"Retval\[0\] has already been set"):
            session.run(outside)
    loop = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], name="built")
    with tf.Session() as session:
        with pytest.raises(
            ValueError, match=r"not fetchable \(made at .*\): it runs in each iteration of the loop 'built/"
        ):
            session.run("built/add:0")
        assert session.run(loop) == 3


def test_a_condition_of_a_wrong_shape() -> None:
    p = tf.placeholder(tf.bool, None)
    loop = raw_while(lambda f, i: f.capture(p), lambda f, i: i + f.constant(1), [0])[0]
    with tf.Session() as session:
        assert session.run(loop, {p: False}) == 0
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be a scalar, but it has shape \[2\]"):
                session.run(loop, {p: [True, False]})


@pytest.mark.parametrize("when", [0, 3, 20])
def test_a_variable_that_has_no_value_in_an_iteration(when: int) -> None:
    n = tf.placeholder(tf.int32, [])
    loop = raw_while(
        lambda f, i: i < f.capture(30), lambda f, i: lookup("Switch")(i + f.constant(1), i < f.capture(n))[1], [0]
    )[0]
    with tf.Session() as session:
        for _ in range(2):
            assert session.run(loop, {n: 100}) == 30
            with pytest.raises(tf.errors.InvalidArgumentError, match="has no value") as caught:
                session.run(loop, {n: when})
            assert caught.value.iterations == (("loop", when),)
