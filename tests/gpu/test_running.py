"""Graphs on GPUs: which memory every value is in, what is copied, and that nothing else changes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.gpu import strict_cupy
from tests.observed import observed
from tfbench.bench import Bench
from tfbench.engine.resources import VariableBuffer
from tfbench.engine.steps import TransferStep, all_steps

RUNS = 3  # step by step, then as a generated function


def copies(session: Any, fetches: Any, feeds: Any = ()) -> list[tuple[str, int, int]]:
    """What a run copies: the tensor, from and to which device."""
    steps = all_steps(session.plan(fetches, feeds).program.steps)
    return [
        (step.transfer.name, step.transfer.source, step.transfer.destination)
        for step in steps
        if isinstance(step, TransferStep)
    ]


def kinds(session: Any, fetches: Any, feed_dict: Any = None) -> dict[str, str]:
    """In which memory the outputs of the operations of a run are."""
    found: dict[str, str] = {}

    def look(step: Any, inputs: Any, results: Any, iterations: Any) -> None:
        if results and not isinstance(step, TransferStep):
            for tensor, value in zip(step.op.outputs, results):
                value = value.array if isinstance(value, VariableBuffer) else value
                found[tensor.name] = "gpu" if isinstance(value, strict_cupy.ndarray) else "host"

    with observed(session, look):
        session.run(fetches, feed_dict)
    return found


def test_feeds_go_to_the_gpu_and_fetches_come_back(one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.nn.relu(x * 2.0, name="y")
    with tf.Session() as session:
        for _ in range(RUNS):
            value = session.run(y, {x: [[1.0, -1.0]]})
            assert isinstance(value, np.ndarray)
            assert value.tolist() == [[2.0, 0.0]]
        assert copies(session, y, [x]) == [("x:0", 0, 1), ("y:0", 1, 0)]
        assert kinds(session, y, {x: [[1.0, 1.0]]}) == {"mul:0": "gpu", "y:0": "gpu"}


def test_scalars_come_back_as_numbers_of_numpy(one_gpu: ModuleType) -> None:
    total = tf.reduce_sum(tf.constant([1.0, 2.0]))
    truth = total > 1.0
    with tf.Session() as session:
        for _ in range(RUNS):
            values = session.run([total, truth, total + 1.0, -total, tf.logical_not(truth)])
            assert [type(value) for value in values] == [np.float32, np.bool_, np.float32, np.float32, np.bool_]
            assert values == [3.0, True, 4.0, -3.0, False]


def test_what_is_fed_and_fetched_is_not_copied(one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [2])
    given = np.array([1.0, 2.0], np.float32)
    with tf.Session() as session:
        assert session.run([x], {x: given})[0] is given
        assert copies(session, x, [x]) == []


@pytest.mark.parametrize("gpus", [0, 1])
def test_a_variable_that_is_a_number_is_fed_in_every_run(gpus: int, one_gpu: ModuleType) -> None:
    v = tf.Variable(1.0)
    twice = v * 2.0
    with tf.Session(config=tf.ConfigProto(device_count={"GPU": gpus})) as session:
        assert [session.run(twice, {v: number}) for number in range(4)] == [0.0, 2.0, 4.0, 6.0]


def test_shapes_and_int32_numbers_stay_in_the_hosts_memory(one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    shape = tf.shape(x, name="shape")
    rows = tf.strided_slice(shape, [0], [1], shrink_axis_mask=1, name="rows")
    size = tf.stack([rows * 3, 1], name="size")
    flat = tf.reshape(x, size, name="flat")
    filled = tf.fill(shape, 7.0, name="filled")
    total = tf.reduce_sum(flat, axis=[0], name="total")
    fetches = [flat, filled, total, shape]
    with tf.Session() as session:
        feed = {x: np.ones((2, 3), np.float32)}
        for _ in range(RUNS):
            assert [value.tolist() for value in session.run(fetches, feed)] == [
                [[1.0]] * 6,
                [[7.0] * 3] * 2,
                [6.0],
                [2, 3],
            ]
        found = kinds(session, fetches, feed)
        placement = session.look_at_placement([], [], [])
        assert {placement.device_of(op).kind for op in x.graph.get_operations()} == {"GPU"}
        host = {name for name, kind in found.items() if kind == "host"}
        assert host == {"shape:0", "ones_like:0", "rows:0", "mul:0", "size:0"}
        assert {name for name, kind in found.items() if kind == "gpu"} == {"flat:0", "filled:0", "total:0"}
        assert [name for name, *_ in copies(session, fetches, [x])] == ["x:0", "flat:0", "filled:0", "total:0"]


def test_constants_are_copied_once_for_a_plan(one_gpu: ModuleType) -> None:
    with tf.device("/cpu:0"):
        c = tf.constant(np.arange(6.0), name="c")
    y = c + 1.0
    with tf.Session() as session:
        session.run(y)
        strict_cupy.waits.clear()
        session.run(y)
        assert copies(session, y) == [("add:0", 1, 0)]
        assert strict_cupy.waits == {"get": 1}


def test_no_step_makes_the_host_wait(one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    w = tf.Variable(np.ones((3, 2), np.float32))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feed = {x: np.ones((4, 3), np.float32)}
        session.run(train, feed)
        session.run(train, feed)
        strict_cupy.waits.clear()
        strict_cupy.hidden_copies.clear()
        session.run(train, feed)
        assert not strict_cupy.waits
        assert not strict_cupy.hidden_copies


@pytest.mark.parametrize("resource", [False, True])
def test_variables_live_in_the_gpus_memory(one_gpu: ModuleType, resource: bool) -> None:
    v = tf.get_variable("v", initializer=np.array([1.0, 2.0], np.float32), use_resource=resource)
    add = v.assign_add([1.0, 1.0])
    with tf.Session() as session:
        session.run(v.initializer)
        (buffer,) = session.resources.variables().values()
        assert isinstance(buffer.array, strict_cupy.ndarray)
        for number in range(RUNS):
            session.run(add)
            assert session.run(v).tolist() == [2.0 + number, 3.0 + number]
        assert buffer.host().tolist() == [4.0, 5.0]
        session.run(v.assign([9.0, 9.0]))
        assert v.eval(session).tolist() == [9.0, 9.0]
        assert isinstance(buffer.array, strict_cupy.ndarray)


def test_a_reference_is_the_buffer_and_a_fetch_is_a_copy(one_gpu: ModuleType) -> None:
    v = tf.Variable([1.0, 2.0], use_resource=False)
    alias = tf.identity(v)
    with tf.control_dependencies([alias]):
        add = tf.assign_add(v, [1.0, 1.0])
    with tf.control_dependencies([add]):
        after = tf.identity(alias, name="after")
    with tf.Session() as session:
        session.run(v.initializer)
        for number in range(RUNS):
            first, second = session.run([alias, after])
            assert first.tolist() == second.tolist() == [2.0 + number, 3.0 + number]
        kept = first.copy()
        session.run(add)
        assert first.tolist() == kept.tolist()


def test_an_int32_variable_is_on_the_cpu(one_gpu: ModuleType) -> None:
    step = tf.Variable(0, name="step")
    with tf.Session() as session:
        session.run(step.initializer)
        assert session.run(tf.assign_add(step, 2)) == 2
        assert session.look_at_placement([], [], []).device_of(step.op).kind == "CPU"
        assert isinstance(next(iter(session.resources.variables().values())).array, np.ndarray)


def test_what_has_no_kernel_for_gpus_is_on_the_cpu_and_its_values_cross(one_gpu: ModuleType) -> None:
    x = tf.constant([1.0, 2.0], name="x")
    y = tf.exp(x * 2.0, name="y")
    text = tf.as_string(y, name="text")
    with tf.Session() as session:
        for _ in range(RUNS):
            assert len(session.run(text)) == 2
        assert copies(session, text) == [("y:0", 1, 0)]
        reason = session.look_at_placement([], [], []).reason(text.op)
        assert tuple(reason) == ("default", "no GPU kernel for AsString of float32")


def test_a_type_that_gpus_do_not_have_here_is_on_the_cpu(one_gpu: ModuleType) -> None:
    x = tf.cast(tf.constant([1.5, 2.5], name="x"), tf.bfloat16)
    y = tf.cast(x + x, tf.float32)
    with tf.Session() as session:
        assert session.run(y).tolist() == [3.0, 5.0]
        assert session.look_at_placement([], [], []).device_of(x.op).kind == "CPU"


def test_an_op_without_a_kernel_that_is_asked_to_be_there_is_refused(one_gpu: ModuleType) -> None:
    with tf.device("/gpu:0"):
        text = tf.as_string(tf.constant([1.0]), name="text")
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(text)
    assert "no supported kernel for GPU devices is available" in str(caught.value)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(text).tolist() == [b"1.000000"]


def test_branches_are_decided_by_the_host(one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    # The predicate is a value of the GPU, and two conds share it.
    large = x > 1.0
    y = tf.cond(large, lambda: x * 2.0, lambda: x - 1.0)
    z = tf.cond(large, lambda: tf.constant([1, 2]), lambda: tf.constant([3, 4]))
    with tf.Session() as session:
        for value, expected in [(3.0, 6.0), (0.0, -1.0), (2.0, 4.0), (1.0, 0.0)]:
            found, numbers = session.run([y, z], {x: value})
            assert found == expected
            assert numbers.tolist() == ([1, 2] if value > 1.0 else [3, 4])


def test_loops_keep_floats_on_the_gpu_and_count_on_the_host(one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")

    def body(i: Any, value: Any) -> Any:
        return i + 1, value * x + 1.0

    _, result = tf.while_loop(lambda i, value: i < 20, body, [0, tf.ones([2])])
    until = tf.while_loop(lambda value: tf.reduce_sum(value) < 100.0, lambda value: value * 2.0, [x])
    with tf.Session() as session:
        for _ in range(RUNS):
            found, grown = session.run([result, until], {x: [0.5, 1.0]})
            assert found.tolist() == [pytest.approx(2.0, abs=1e-4), 21.0]
            assert grown.tolist() == [64.0, 128.0]
        assert kinds(session, result, {x: [0.5, 1.0]})["while/mul:0"] == "gpu"


def test_the_gradient_of_a_loop(one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    _, result = tf.while_loop(lambda i, value: i < 3, lambda i, value: (i + 1, value * x), [0, x])
    (slope,) = tf.gradients(result, x)
    with tf.Session() as session:
        for _ in range(RUNS):
            assert session.run(slope, {x: [1.0, 2.0]}).tolist() == [4.0, 32.0]


def test_a_fed_intermediate_value(one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [2])
    y = x * 2.0
    z = y + 1.0
    with tf.Session() as session:
        for _ in range(RUNS):
            assert session.run([z, y], {y: [5.0, 6.0]})[0].tolist() == [6.0, 7.0]


def test_a_fed_reference(one_gpu: ModuleType) -> None:
    v = tf.Variable([1.0, 2.0], use_resource=False, name="v")
    y = v + 1.0
    reference = tf.get_default_graph().get_tensor_by_name("v:0")
    with tf.Session() as session:
        for _ in range(RUNS):
            assert session.run(y, {reference: [5.0, 6.0]}).tolist() == [6.0, 7.0]


def test_partial_runs(one_gpu: ModuleType) -> None:
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    first = a * 2.0
    second = first + b
    with tf.Session() as session:
        handle = session.partial_run_setup([first, second], [a, b])
        assert session.partial_run(handle, first, {a: 3.0}) == 6.0
        assert session.partial_run(handle, second, {b: 1.0}) == 7.0


def test_callables_and_queues_and_functions_of_the_host(one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [2])
    doubled = tf.py_func(lambda value: value * 2.0, [x + 1.0], tf.float32)
    queue = tf.FIFOQueue(3, tf.float32, [[2]])
    put, taken = queue.enqueue(doubled * 1.0), queue.dequeue()
    with tf.Session() as session:
        call = session.make_callable(doubled, [x])
        for _ in range(RUNS):
            assert call([1.0, 2.0]).tolist() == [4.0, 6.0]
            session.run(put, {x: [1.0, 2.0]})
            assert session.run(taken + 1.0).tolist() == [5.0, 7.0]


def test_a_data_set_feeds_a_gpu(one_gpu: ModuleType) -> None:
    rows = tf.data.Dataset.from_tensor_slices(np.arange(6.0, dtype=np.float32)).map(lambda v: v * 2.0).batch(3)
    total = tf.reduce_sum(rows.make_one_shot_iterator().get_next() * 1.0)
    with tf.Session() as session:
        assert [session.run(total) for _ in range(2)] == [6.0, 24.0]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(total)


def test_a_session_that_is_asked_to_compute_elsewhere_brings_its_variables(one_gpu: ModuleType) -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.Session() as session:
        session.run(v.initializer)
        with tf.simulate_devices(gpu=1):
            from tfbench.engine.devices import device_set

            session.use_devices(device_set())
            assert session.run(v + 1.0).tolist() == [2.0, 3.0]
            (buffer,) = session.resources.variables().values()
            assert isinstance(buffer.array, np.ndarray)
        session.use_devices(device_set())
        assert session.run(v + 1.0).tolist() == [2.0, 3.0]
        assert isinstance(buffer.array, strict_cupy.ndarray)


def test_a_failing_cell_puts_variables_back(one_gpu: ModuleType) -> None:
    bench = Bench({})
    bench.run_cell("import tfbench as tf\nv = tf.Variable([1.0, 2.0], name='v')\n", cell_id="a")
    session = bench.session()
    session.run(bench.namespace["v"].initializer)
    (buffer,) = session.resources.variables().values()
    with pytest.raises(ZeroDivisionError):
        bench.run_cell("v.assign([5.0, 5.0]).eval()\n1 / 0\n", cell_id="b")
    assert session.run(bench.namespace["v"]).tolist() == [1.0, 2.0]
    (buffer,) = session.resources.variables().values()
    assert isinstance(buffer.array, strict_cupy.ndarray)
    # The variable is replaced, and its value stays.
    bench.run_cell("import tfbench as tf\nv = tf.Variable([3.0, 4.0], name='v')\n", cell_id="a")
    assert session.run(bench.namespace["v"]).tolist() == [1.0, 2.0]


def test_an_error_of_cuda_is_internal_and_says_that_it_may_be_late(
    one_gpu: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tf.constant([1.0, 2.0])
    y = tf.expm1(x * 1.0, name="y")

    def fail(*arguments: Any) -> None:
        raise one_gpu.CUDARuntimeError(700, "cudaErrorIllegalAddress: an illegal memory access was encountered")

    monkeypatch.setitem(strict_cupy._made, "expm1", fail)
    with tf.Session() as session, pytest.raises(tf.errors.InternalError, match="cudaErrorIllegalAddress") as caught:
        session.run(y)
    assert caught.value.op is y.op
    assert "may be an earlier operation" in caught.value.message
