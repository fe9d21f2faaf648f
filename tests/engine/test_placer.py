"""The placer on simulated GPUs; what TensorFlow does on several CPUs is in the facts of `placement`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine import opdef
from tfbench.engine.gpu_kernels import on_gpu
from tfbench.engine.placement import Placement


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield
    tf.simulate_devices.off()


def place(gpu: int = 2, cpu: int = 1, **options: Any) -> Placement:
    with tf.simulate_devices(cpu=cpu, gpu=gpu), tf.Session(config=tf.ConfigProto(**options)) as session:
        return session.look_at_placement([], [], [])


def where(placement: Placement) -> dict[str, str]:
    return {op.name: placement.device_of(op).short_name for op in tf.get_default_graph().get_operations()}


def why(placement: Placement, name: str) -> tuple[str, str]:
    return tuple(placement.reason(tf.get_default_graph().get_operation_by_name(name)))


def refused(**options: Any) -> str:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        place(**options)
    return str(caught.value)


def test_what_has_a_gpu_kernel_goes_to_the_first_gpu() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.negative(x, name="y")
    tf.Print(y, [y], name="print")
    tf.as_string(y, name="text")
    placed = place()
    assert where(placed) == {
        "x": "/device:GPU:0",
        "y": "/device:GPU:0",
        "print": "/device:CPU:0",
        "text": "/device:CPU:0",
    }
    assert why(placed, "y") == ("default", "")
    assert why(placed, "print") == ("default", "no GPU kernel for Print of float32")


@pytest.mark.parametrize(
    ("dtype", "device"),
    [(tf.float32, "GPU"), (tf.float64, "GPU"), (tf.int64, "GPU"), (tf.int32, "CPU"), (tf.string, "CPU")],
)
def test_variables_that_tensorflow_keeps_on_the_cpu(dtype: Any, device: str) -> None:
    v = tf.get_variable("v", [2], dtype, initializer=tf.zeros_initializer())
    placed = place()
    assert {where(placed)[name] for name in ("v", "v/Assign", "v/read")} == {f"/device:{device}:0"}
    assert v.op.device == ""


def test_a_kernel_that_is_missing() -> None:
    with tf.device("/gpu:1"):
        tf.Variable(1, name="v")
    message = refused()
    assert message.startswith(
        "Cannot assign a device for operation v: Could not satisfy explicit device specification '/device:GPU:1' "
        "because no supported kernel for GPU devices is available."
    )
    assert "v/Assign (Assign): /device:GPU:1, made at" in message
    placed = place(allow_soft_placement=True)
    assert where(placed)["v"] == "/device:CPU:0"
    assert why(placed, "v") == ("soft: no kernel", "VariableV2 of int32 on GPU")
    assert why(placed, "v/read") == ("colocated", "with v")


def test_a_device_that_is_missing() -> None:
    with tf.device("/gpu:7"):
        tf.identity([1.0], name="x")
    message = refused()
    assert (
        "Cannot assign a device for operation x: {{node x}} was explicitly assigned to /device:GPU:7 but available "
        "devices are [ /job:localhost/replica:0/task:0/device:CPU:0, /job:localhost/replica:0/task:0/device:GPU:0, "
        "/job:localhost/replica:0/task:0/device:GPU:1 ]. Make sure the device specification refers to a valid device."
    ) in message
    assert "'x' was made at" in message
    assert "test_placer.py" in message
    assert "simulate_devices" in refused(gpu=0)
    assert "simulate_devices" not in message
    placed = place(allow_soft_placement=True)
    assert where(placed)["x"] == "/device:GPU:0"
    assert why(placed, "x") == ("soft: no device", "there is no /device:GPU:7")


def test_another_machine_is_refused_softly_too() -> None:
    with tf.device("/job:ps/task:3/gpu:0"):
        tf.identity([1.0], name="x")
    for soft in (False, True):
        message = refused(allow_soft_placement=soft)
        assert "{{node x}} was explicitly assigned to /job:ps/task:3/device:GPU:0" in message


def test_requests_that_contradict_each_other_are_both_shown() -> None:
    with tf.device("/gpu:0"):
        a = tf.negative([1.0], name="a")
    with tf.device("/gpu:1"):
        b = tf.negative([1.0], name="b")
    with tf.colocate_with(a.op), tf.colocate_with(b.op):
        tf.add(a, b, name="c")
    message = refused()
    assert (
        "Cannot colocate nodes {{colocation_node c}} and {{colocation_node a}}: Cannot merge devices with incompatible "
        "ids: '/device:GPU:1' and '/device:GPU:0'"
    ) in message
    line = message.splitlines()
    assert any(text.startswith("  a (Neg): /device:GPU:0, made at ") for text in line)
    assert any(text.startswith("  c (AddV2): /device:GPU:1, made at ") for text in line)
    assert "Available devices: [/job:localhost/replica:0/task:0/device:CPU:0, " in message
    # `a` and `c` agree on a GPU, not on which: then `b` decides.
    softly = where(place(allow_soft_placement=True))
    assert (softly["a"], softly["b"], softly["c"]) == ("/device:GPU:1",) * 3


def test_kinds_of_device_that_no_two_share() -> None:
    x = tf.identity([1.0], name="x")
    with tf.device("/gpu:0"), tf.colocate_with(x.op):
        tf.Print(x, [x], name="print")
    placed = place()
    assert where(placed)["x"] == "/device:CPU:0"
    assert why(placed, "x") == ("colocated", "with print")
    tf.get_default_graph().get_operation_by_name("x")._set_device("/gpu:0")
    assert "because no supported kernel for GPU devices is available. Identity of float32" in refused()


def test_a_write_follows_its_variable_and_says_so() -> None:
    with tf.device("/gpu:1"):
        v = tf.Variable([1.0], name="v")
    with tf.device("/cpu:0"):
        tf.assign_add(v, [2.0], name="add")
        tf.get_default_graph().get_operation_by_name("add")._set_device("/cpu:0")
    placed = place()
    assert where(placed)["add"] == "/device:GPU:1"
    assert where(placed)["add/value"] == "/device:CPU:0"
    assert why(placed, "add") == ("colocated", "with v")
    assert why(placed, "add/value") == ("asked", "")


def test_constants_go_with_their_consumers_and_say_so() -> None:
    one = tf.constant([1.0], name="one")
    with tf.device("/gpu:1"):
        tf.negative(one, name="a")
    placed = place()
    assert where(placed)["one"] == "/device:GPU:1"
    assert why(placed, "one") == ("default", "beside a, which takes it")
    with tf.device("/cpu:0"):
        tf.negative(one, name="b")
    assert where(place())["one"] == "/device:GPU:0"


def test_state_stays_where_it_is_when_the_graph_grows() -> None:
    with tf.simulate_devices(gpu=2), tf.Session() as session:
        v = tf.Variable([1.0], name="v")
        session.run(v.initializer)
        with tf.device("/gpu:1"), tf.colocate_with(v.op):
            w = tf.negative([1.0], name="w")
        w.op._set_device("/gpu:1")
        session.run(w)
        placed = session.plans.placer.place(session.graph)
        assert placed.device_of(v.op).short_name == "/device:GPU:0"
    assert where(place())["v"] == "/device:GPU:1"


def test_asking_binds_nothing() -> None:
    with tf.simulate_devices(gpu=2), tf.Session() as session:
        v = tf.Variable([1.0], name="v")
        assert tf.explain.placement(session=session).ops["v"].assigned == "/device:GPU:0"
        with tf.device("/gpu:1"), tf.colocate_with(v.op):
            tf.negative([1.0], name="w").op._set_device("/gpu:1")
        session.run(v.initializer)
        assert session.plans.placer.place(session.graph).device_of(v.op).short_name == "/device:GPU:1"


def test_a_loop_is_placed() -> None:
    with tf.device("/gpu:1"):
        tf.while_loop(lambda i: i < 3.0, lambda i: i + 1.0, [tf.constant(0.0)], name="loop")
    assert set(where(place()).values()) == {"/device:GPU:1"}


def test_one_device_and_nothing_asked_is_not_worked_out() -> None:
    x = tf.identity([1.0]) + 1.0
    with tf.Session() as session:
        session.run(x)
        assert session.plans.placer.place(session.graph).groups is None
        with tf.device("/job:localhost/cpu:0"):
            y = x * 2.0
        session.run(y)
        assert session.plans.placer.place(session.graph).groups is None
        with tf.device("/cpu:1"):
            z = y * 2.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device for operation mul_1"):
            session.run(y)
        assert z.op.device == "/device:CPU:1"


def test_every_op_that_has_a_gpu_kernel_here_is_known_by_tensorflow_or_stays_on_the_cpu() -> None:
    """The table has an answer for any op with any types."""
    x = tf.constant(np.zeros([2], np.float32))
    for op in tf.get_default_graph().get_operations():
        assert on_gpu(op) is True
    assert "PyFunc" in opdef.registry
    y = tf.py_func(lambda a: a, [x], tf.float32, name="python")
    assert on_gpu(y.op) is False


@pytest.mark.parametrize("size", [500, 4000])
def test_long_chains_and_large_groups_are_no_deep_recursion(size: int) -> None:
    v = tf.Variable([1.0], name="v")
    x = v
    for _ in range(size):
        with tf.colocate_with(x.op):
            x = tf.negative(x)
    placed = place()
    assert set(where(placed).values()) == {"/device:GPU:0"}
