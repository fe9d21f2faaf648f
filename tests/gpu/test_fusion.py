"""Chains of elementwise ops as one step: which steps become one, and that nothing but their number changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tfbench as tf
from tests.gpu import host_cuda, strict_cupy
from tests.observed import observed
from tfbench.engine.fusion import Fusion, fusing
from tfbench.engine.kernels import fused_device
from tfbench.engine.steps import LoopStep, all_steps

RUNS = 3  # step by step, then as a generated function

needs_compiler = pytest.mark.skipif(host_cuda.compiler() is None, reason="no C++ compiler to stand in for NVRTC")


def groups(fetches: Any, feeds: Any = ()) -> list[list[str]]:
    """The names of the ops that become one step, in every list of the plan."""
    with tf.Session() as session:
        program = session.plan(fetches, feeds).program
    lists = [program.steps]
    for step in all_steps(program.steps):
        if isinstance(step, LoopStep):
            lists += step.lists()
    fusion = Fusion(program)
    return [
        [steps[member].op.name for member in group.members]
        for steps in lists
        for group in fusion._groups(steps).values()
    ]


def placeholder(*shape: int | None, dtype: Any = tf.float32) -> Any:
    return tf.placeholder(dtype, shape)


# -- which steps become one --------------------------------------------------------------------------------------------


def test_a_chain_is_one_group(one_gpu: ModuleType) -> None:
    x = placeholder(2, 3)
    y = tf.tanh(tf.nn.relu(x * 2.0) - 1.0)
    assert groups(y, [x]) == [["mul", "Relu", "sub", "Tanh"]]


def test_a_tree_is_one_group(one_gpu: ModuleType) -> None:
    x, z = placeholder(4), placeholder(4)
    assert groups(tf.exp(x) * tf.sqrt(z) + 1.0, [x, z]) == [["Exp", "Sqrt", "mul", "add"]]


def test_sizes_need_not_be_known(one_gpu: ModuleType) -> None:
    x = placeholder(None, 3)
    assert groups(tf.exp(-x), [x]) == [["Neg", "Exp"]]


def test_what_comes_from_outside_may_be_broadcast(one_gpu: ModuleType) -> None:
    x, row, column = placeholder(2, 3), placeholder(3), placeholder(2, 1)
    assert groups(tf.square((x - row) / column), [x, row, column]) == [["sub", "truediv", "Square"]]


def test_an_identity_is_part_of_a_chain(one_gpu: ModuleType) -> None:
    x = placeholder(3)
    y = tf.exp(tf.stop_gradient(tf.identity(-x)))
    assert groups(y, [x]) == [["Neg", "Identity", "StopGradient", "Exp"]]


def test_an_op_that_reads_a_value_twice_is_one_reader(one_gpu: ModuleType) -> None:
    x = placeholder(3)
    negative = -x
    assert groups(negative * negative, [x]) == [["Neg", "mul"]]


def two_readers() -> tuple[Any, Any]:
    x = placeholder(3)
    y = x * 2.0
    return [tf.reduce_sum(y), y + 1.0], [x]


def a_fetched_value() -> tuple[Any, Any]:
    x = placeholder(3)
    y = x * 2.0
    return [y, y + 1.0], [x]


def a_fed_value() -> tuple[Any, Any]:
    x = placeholder(3)
    y = x * 2.0
    return y + 1.0, [x, y]


def another_shape() -> tuple[Any, Any]:
    x, y = placeholder(3), placeholder(2, 3)
    return x * 2.0 + y, [x, y]


def unknown_ranks() -> tuple[Any, Any]:
    x = tf.placeholder(tf.float32)
    return tf.exp(-x), [x]


def another_device() -> tuple[Any, Any]:
    x = placeholder(3)
    with tf.device("/cpu:0"):
        y = x * 2.0
    return tf.exp(y), [x]


def the_processor() -> tuple[Any, Any]:
    x = placeholder(3)
    with tf.device("/cpu:0"):
        return tf.exp(-x), [x]


def whole_numbers() -> tuple[Any, Any]:
    x = placeholder(3, dtype=tf.int64)
    return (x + 1) * 2, [x]


def half_precision() -> tuple[Any, Any]:
    x = placeholder(3, dtype=tf.float16)
    return tf.exp(-x), [x]


def a_cast_to_whole_numbers() -> tuple[Any, Any]:
    x = placeholder(3)
    return tf.cast(x * 2.0, tf.int64), [x]


def channels_first() -> tuple[Any, Any]:
    x, bias = placeholder(2, 3, 4, 4), placeholder(3)
    return tf.nn.bias_add(x * 2.0, bias, "NCHW"), [x, bias]


def a_bias_of_unknown_size() -> tuple[Any, Any]:
    x, bias = placeholder(2, 3), placeholder(None)
    return tf.nn.bias_add(x * 2.0, bias), [x, bias]


def a_choice_of_rows() -> tuple[Any, Any]:
    x, rows = placeholder(2, 2), placeholder(2, dtype=tf.bool)
    return tf.where(rows, x * 2.0, x), [x, rows]


def one_op_and_an_identity() -> tuple[Any, Any]:
    x = placeholder(3)
    return tf.exp(tf.identity(x)), [x]


def far_apart() -> tuple[Any, Any]:
    x = placeholder(3)
    y, others = -x, []
    for _ in range(9):
        others.append(tf.reduce_max(x))
    with tf.control_dependencies(others):
        return tf.exp(y), [x]


def written_to() -> tuple[Any, Any]:
    v = tf.Variable([1.0, 2.0])
    before = v * 2.0
    with tf.control_dependencies([before]), tf.control_dependencies([v.assign_add([1.0, 1.0]).op]):
        return before + 1.0, []


@pytest.mark.parametrize(
    "build",
    [
        two_readers, a_fetched_value, a_fed_value, another_shape, unknown_ranks, another_device, the_processor,
        whole_numbers, half_precision, a_cast_to_whole_numbers, channels_first, a_bias_of_unknown_size,
        a_choice_of_rows, one_op_and_an_identity, far_apart, written_to,
    ],
)  # fmt: skip
def test_what_is_left_alone(build: Callable[[], tuple[Any, Any]], one_gpu: ModuleType) -> None:
    fetches, feeds = build()
    assert groups(fetches, feeds) == []


def test_near_enough(one_gpu: ModuleType) -> None:
    x = placeholder(3)
    y = -x
    with tf.control_dependencies([tf.reduce_max(x) for _ in range(8)]):
        assert groups(tf.exp(y), [x]) == [["Neg", "Exp"]]


def test_a_bias_along_the_last_axis(one_gpu: ModuleType) -> None:
    x, bias = placeholder(None, 3), placeholder(3)
    assert groups(tf.nn.relu(tf.nn.bias_add(x, bias)), [x, bias]) == [["BiasAdd", "Relu"]]


def test_two_gpus_are_two_groups(two_gpus: ModuleType) -> None:
    x = placeholder(3)
    with tf.device("/gpu:0"):
        y = tf.exp(-x)
    with tf.device("/gpu:1"):
        z = tf.log(y + 1.0)
    assert groups(z, [x]) == [["Neg", "Exp"], ["add", "Log"]]


def test_long_chains_are_cut(one_gpu: ModuleType) -> None:
    x = y = placeholder(3)
    for _ in range(100):
        y = -y
    assert [len(group) for group in groups(y, [x])] == [48, 48, 4]


def test_constants_are_no_inputs(one_gpu: ModuleType) -> None:
    x = y = placeholder(3)
    for number in range(40):
        y = y + float(number)
    assert [len(group) for group in groups(y, [x])] == [40]


def test_sums_of_many_arrays_are_cut(one_gpu: ModuleType) -> None:
    xs = [placeholder(3) for _ in range(20)]
    total = xs[0]
    for x in xs[1:]:
        total = total + x
    assert [len(group) for group in groups(total, xs)] == [15, 4]


def test_branches_have_groups_of_their_own(one_gpu: ModuleType) -> None:
    x, chosen = placeholder(3), placeholder(dtype=tf.bool)
    y = tf.cond(chosen, lambda: tf.exp(-x), lambda: tf.sqrt(x * 2.0)) + 1.0
    assert groups(y, [x, chosen]) == [["cond/Neg", "cond/Exp"], ["cond/mul", "cond/Sqrt"]]


def test_the_body_of_a_loop(one_gpu: ModuleType) -> None:
    x = placeholder(3)
    y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, tf.tanh(v * 2.0)), [0, -x])[1]
    assert groups(tf.exp(y), [x]) == [["while/Identity_1", "while/mul", "while/Tanh"]]


def test_a_cpu_has_none_of_this() -> None:
    x = placeholder(3)
    with tf.Session() as session:
        assert fusing(session.plan(tf.exp(-x), [x]).program) is None


def test_nor_has_a_simulated_gpu() -> None:
    x = placeholder(3)
    with tf.simulate_devices(gpu=1), tf.Session() as session:
        assert fusing(session.plan(tf.exp(-x), [x]).program) is None


@needs_compiler
def test_the_environment_turns_it_off(one_gpu: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBENCH_FUSE", "0")
    x = placeholder(3)
    y = tf.exp(-x)
    with tf.Session() as session:
        for _ in range(RUNS):
            assert session.run(y, {x: [0.0, 0.0, 0.0]}).tolist() == [1.0, 1.0, 1.0]
    assert not strict_cupy.launches


# -- what they compute -------------------------------------------------------------------------------------------------


def launched() -> int:
    return strict_cupy.launches["tfbench_fused"]


@needs_compiler
def test_one_launch_from_the_second_run_on(one_gpu: ModuleType) -> None:
    x = placeholder(None, 2)
    y = tf.nn.relu(x * [2.0, 3.0] - 1.0)
    with tf.Session() as session:
        for run in range(RUNS):
            assert session.run(y, {x: [[1.0, -1.0]] * (run + 1)}).tolist() == [[1.0, 0.0]] * (run + 1)
            assert launched() == run


@needs_compiler
def test_nothing_is_left_in_memory(one_gpu: ModuleType) -> None:
    x = placeholder(1000)
    y = tf.reduce_sum(tf.exp(-x) + tf.sqrt(x * 2.0))
    with tf.Session() as session:
        used = []
        for _ in range(RUNS + 1):
            session.run(y, {x: np.ones(1000)})
            used.append(one_gpu.used())
    assert len(set(used)) == 1


@needs_compiler
def test_whoever_observes_sees_every_op(one_gpu: ModuleType) -> None:
    x = placeholder(3)
    y = tf.exp(-x, name="y")
    seen: list[str] = []
    with tf.Session() as session:
        for _ in range(RUNS):
            session.run(y, {x: [1.0, 2.0, 3.0]})
        before = launched()
        with observed(session, lambda step, *_: seen.append(step.op.name)):
            session.run(y, {x: [1.0, 2.0, 3.0]})
        assert launched() == before
    assert [name for name in seen if not name.startswith("Placeholder")] == ["Neg", "y", "y"]  # and what is fetched


@needs_compiler
def test_a_trace_names_every_op(one_gpu: ModuleType) -> None:
    x = placeholder(3)
    y = tf.exp(-x, name="y")
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        for _ in range(RUNS):
            session.run(y, {x: [1.0, 2.0, 3.0]})
        session.run(y, {x: [1.0, 2.0, 3.0]}, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
    names = {node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats}
    assert {"Neg", "y"} <= names


@needs_compiler
def test_an_error_names_the_op_that_fails(one_gpu: ModuleType) -> None:
    x, z = placeholder(None), placeholder(None)
    y = tf.exp(tf.add(-x, z, name="sum"))
    with tf.Session() as session:
        for _ in range(RUNS):
            session.run(y, {x: [1.0, 2.0], z: [1.0, 2.0]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]") as caught:
            session.run(y, {x: [1.0, 2.0], z: [1.0, 2.0, 3.0]})
        assert caught.value.op.name == "sum"
        assert session.run(y, {x: [1.0], z: [1.0, 1.0]}).tolist() == [1.0, 1.0]


@needs_compiler
def test_ops_one_by_one_have_the_constants(one_gpu: ModuleType) -> None:
    x, z = placeholder(None), placeholder(None)
    y = tf.add(x * 2.0 + 1.0, z, name="sum") * 3.0
    with tf.Session() as session:
        for _ in range(RUNS):
            session.run(y, {x: [1.0, 2.0], z: [1.0, 2.0]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes") as caught:
            session.run(y, {x: [1.0, 2.0], z: [1.0, 2.0, 3.0]})
        assert caught.value.op.name == "sum"


@needs_compiler
def test_constants_are_part_of_a_kernel(one_gpu: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[int, str]] = []
    kernel = fused_device.kernel

    def remembered(xp: Any, inputs: Any, result: str, body: str) -> Any:
        taken.append((len(inputs), body))
        return kernel(xp, inputs, result, body)

    monkeypatch.setattr(fused_device, "kernel", remembered)
    x = placeholder(2)
    y = (x * 2.5 - np.inf) / [0.5, 0.25] + (tf.constant(1.0) - 3.0)
    with tf.Session() as session:
        values = [session.run(y, {x: [1.0, 2.0]}).tolist() for _ in range(RUNS)]
        assert values == [[-np.inf, -np.inf]] * RUNS
    # Infinity and the vector are inputs; so is the number that another op makes.
    assert taken == [(4, "const float t0 = x0 * float(2.5); const float t1 = t0 - x1; const float t2 = t1 / x2; "
                         "y = t2 + x3;")]  # fmt: skip


@needs_compiler
def test_constants_alone(one_gpu: ModuleType) -> None:
    y = tf.square(tf.constant(1.0) + tf.constant(2.0)) * 0.5
    z = y + placeholder(dtype=tf.float32)
    with tf.Session() as session:
        assert [session.run(y) for _ in range(RUNS)] == [4.5] * RUNS
        assert [session.run(z, {z.op.inputs[1]: 1.0}) for _ in range(RUNS)] == [5.5] * RUNS


@needs_compiler
def test_a_constant_may_be_fed(one_gpu: ModuleType) -> None:
    x, two = placeholder(2), tf.constant(2.0)
    y = (x + 1.0) * two
    with tf.Session() as session:
        for _ in range(RUNS):
            assert session.run(y, {x: [1.0, 2.0]}).tolist() == [4.0, 6.0]
        for number in range(RUNS):
            assert session.run(y, {x: [1.0, 2.0], two: number}).tolist() == [2.0 * number, 3.0 * number]


@needs_compiler
def test_an_error_in_a_loop_says_the_iteration(one_gpu: ModuleType) -> None:
    x = placeholder(None)

    def body(i: Any, v: Any) -> Any:
        with tf.device("/cpu:0"):
            size = tf.where(i < 12, 2, 3)
        return i + 1, tf.tanh(tf.add(-v, tf.fill([size], 1.0), name="sum"))

    y = tf.while_loop(lambda i, _: i < 20, body, [0, x])[1]
    with tf.Session() as session:
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="in iteration 12 of loop 'while/while_context'"
        ) as caught:
            session.run(y, {x: [1.0, 2.0]})
        assert caught.value.op.name == "while/sum"


@needs_compiler
def test_no_memory_is_an_error_of_an_op(one_gpu: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    strict_cupy.install(monkeypatch, memory=64 << 20)
    x = placeholder(None)
    y = tf.exp(tf.negative(x, name="first"))
    with tf.Session() as session:
        for _ in range(RUNS):
            session.run(y, {x: [1.0]})
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            session.run(y, {x: np.ones(5 << 20)})
        assert caught.value.op.name == "first"


@needs_compiler
def test_a_value_read_before_a_write_stays(one_gpu: ModuleType) -> None:
    v = tf.Variable([1.0, 2.0])
    before = v * 2.0
    with tf.control_dependencies([before]), tf.control_dependencies([v.assign_add([1.0, 1.0]).op]):
        y = (before + 1.0) * 1.0
    with tf.Session() as session:
        session.run(v.initializer)
        for run in range(RUNS):
            assert session.run(y).tolist() == [3.0 + 2 * run, 5.0 + 2 * run]
    assert launched()


@needs_compiler
def test_branches_and_loops(one_gpu: ModuleType) -> None:
    x, chosen = placeholder(2), placeholder(dtype=tf.bool)
    y = tf.cond(chosen, lambda: (-x) * 2.0, lambda: (x + 1.0) * 3.0)
    z = tf.while_loop(lambda i, _: i < 20, lambda i, v: (i + 1, v * 0.5 + 1.0), [0, y])[1]
    with tf.Session() as session:
        for run in range(4):
            value, looped = session.run([y, z], {x: [1.0, 2.0], chosen: run % 2 == 0})
            assert value.tolist() == ([-2.0, -4.0] if run % 2 == 0 else [6.0, 9.0])
            np.testing.assert_allclose(looped, 2 + (value - 2) / 2**20, rtol=1e-6)


@needs_compiler
def test_two_gpus(two_gpus: ModuleType) -> None:
    x = placeholder(3)
    with tf.device("/gpu:1"):
        y = tf.sqrt(x * 2.0)
    with tf.device("/gpu:0"):
        z = tf.square(y + 1.0)
    with tf.Session() as session:
        for _ in range(RUNS):
            np.testing.assert_allclose(session.run(z, {x: [0.5, 2.0, 8.0]}), [4.0, 9.0, 25.0])
    assert launched() == 2 * (RUNS - 1)


@needs_compiler
def test_threads_share_a_plan(one_gpu: ModuleType) -> None:
    x = placeholder(None)
    y = tf.square(x + 1.0)
    wrong: list[Any] = []
    with tf.Session() as session:
        for _ in range(RUNS):
            session.run(y, {x: [1.0]})

        def work(number: float) -> None:
            for _ in range(20):
                if session.run(y, {x: [number]}).tolist() != [(number + 1) ** 2]:
                    wrong.append(number)

        threads = [threading.Thread(target=work, args=(float(number),)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


_UNARY = (tf.negative, tf.square, tf.abs, tf.identity, lambda x: x > 0.25, lambda x: x * 0.5, lambda x: 1.0 - x)
_BINARY = (
    tf.add, tf.subtract, tf.multiply, tf.squared_difference, lambda x, y: tf.where(x > y, x, y), tf.div_no_nan,
)  # fmt: skip


@needs_compiler
@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_graphs_give_the_same(data: st.DataObject, one_gpu: ModuleType) -> None:
    """The first run is op by op; the later ones are not, and give the same bits."""
    draw = data.draw
    with tf.Graph().as_default(), tf.Session() as session:
        dtype = draw(st.sampled_from([tf.float32, tf.float64]))
        feeds: dict[Any, Any] = {}
        rng = np.random.default_rng(draw(st.integers(0, 99)))
        for shape in ((2, 3), (2, 3), (3,), (2, 1), ()):
            feeds[placeholder(*shape, dtype=dtype)] = rng.normal(size=shape)
        values = list(feeds)
        for _ in range(draw(st.integers(2, 20))):
            # What was made last, mostly: chains.
            recent = st.one_of(st.just(len(values) - 1), st.integers(0, len(values) - 1))
            if draw(st.booleans()):
                made = draw(st.sampled_from(_UNARY))(values[draw(recent)])
            else:
                x, y = values[draw(recent)], values[draw(recent)]
                function = draw(st.sampled_from(_BINARY))
                made = function(x, y) if x.shape == y.shape or function is not _BINARY[4] else x + y
            values.append(tf.cast(made, dtype))
        fetches = [values[-1], *draw(st.lists(st.sampled_from(values), max_size=2))]
        first, *later = (session.run(fetches, feeds) for _ in range(RUNS))
        for found in later:
            for one, two in zip(found, first, strict=True):
                np.testing.assert_array_equal(one, two)
                assert one.dtype == two.dtype
