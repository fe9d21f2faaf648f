"""The devices of a session, and the switch that simulates more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tfbench as tf
from tfbench.engine import devices


@pytest.fixture(autouse=True)
def _simulation_ends() -> Iterator[None]:
    yield
    tf.simulate_devices.off()


def names(config: Any = None) -> list[str]:
    return [device.short_name for device in tf.Session(graph=tf.Graph(), config=config).list_devices()]


def counted(**counts: int) -> Any:
    return tf.ConfigProto(device_count=counts)


def test_simulation_is_a_switch_and_a_context_manager() -> None:
    assert names() == ["/device:CPU:0"]
    switch = tf.simulate_devices(cpu=2, gpu=1)
    assert names() == ["/device:CPU:0", "/device:CPU:1", "/device:GPU:0"]
    with tf.simulate_devices(gpu=2) as inner:
        assert (inner.cpu, inner.gpu, inner.bandwidth, inner.latency) == (1, 2, None, None)
        assert names() == ["/device:CPU:0", "/device:GPU:0", "/device:GPU:1"]
    assert names() == ["/device:CPU:0", "/device:CPU:1", "/device:GPU:0"]
    tf.simulate_devices.off()
    assert names() == ["/device:CPU:0"]
    with switch:
        assert len(names()) == 3
    assert devices.simulation() is None


def test_an_error_in_the_block_ends_it_too() -> None:
    with pytest.raises(KeyError), tf.simulate_devices(gpu=1):
        raise KeyError("mine")
    assert names() == ["/device:CPU:0"]


def test_gpus_of_a_config_count_only_while_simulation_is_on() -> None:
    assert names(counted(GPU=2)) == ["/device:CPU:0"]
    assert names(counted(CPU=2)) == ["/device:CPU:0", "/device:CPU:1"]
    with tf.simulate_devices():
        assert names(counted(CPU=2, GPU=2)) == ["/device:CPU:0", "/device:CPU:1", "/device:GPU:0", "/device:GPU:1"]
    with tf.simulate_devices(gpu=4):
        assert names(counted(GPU=1)) == ["/device:CPU:0", "/device:GPU:0"]
        assert names(counted(GPU=0)) == ["/device:CPU:0"]


def test_sessions_keep_the_devices_they_were_made_with() -> None:
    with tf.simulate_devices(gpu=1):
        session = tf.Session(graph=tf.Graph())
    assert [device.name for device in session.list_devices()] == [
        "/job:localhost/replica:0/task:0/device:CPU:0",
        "/job:localhost/replica:0/task:0/device:GPU:0",
    ]


def test_what_is_simulated_says_so() -> None:
    with tf.simulate_devices(cpu=2, gpu=1):
        cpu, second, gpu = tf.Session(graph=tf.Graph()).list_devices()
    assert [device.simulated for device in (cpu, second, gpu)] == [False, True, True]
    assert repr(gpu).startswith("_DeviceAttributes(/job:localhost/replica:0/task:0/device:GPU:0, GPU, ")
    assert repr(gpu).endswith(", simulated)")
    assert "simulated" not in repr(cpu)
    assert len({cpu.incarnation, second.incarnation, gpu.incarnation}) == 3
    # Two CPUs that a config asks for are what TensorFlow makes too.
    assert not any(d.simulated for d in tf.Session(graph=tf.Graph(), config=counted(CPU=2)).list_devices())


def test_programs_that_look_for_a_gpu_find_a_simulated_one() -> None:
    assert (tf.test.gpu_device_name(), tf.test.is_gpu_available()) == ("", False)
    with tf.simulate_devices(gpu=1):
        assert (tf.test.gpu_device_name(), tf.test.is_gpu_available()) == ("/device:GPU:0", True)


def test_programs_list_local_devices() -> None:
    from tfbench.python.client import device_lib

    (cpu,) = device_lib.list_local_devices()
    assert (cpu.name, cpu.device_type, cpu.memory_limit, cpu.xla_global_id) == ("/device:CPU:0", "CPU", 268435456, -1)
    assert (cpu.physical_device_desc, cpu.HasField("locality")) == ("", True)
    with tf.simulate_devices(gpu=2):
        found = device_lib.list_local_devices()
    assert [d.name for d in found if d.device_type == "GPU"] == ["/device:GPU:0", "/device:GPU:1"]
    assert found[1].physical_device_desc == "simulated"
    assert len(device_lib.list_local_devices(counted(CPU=2))) == 2


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"gpu": -1}, ValueError, "gpu must be at least 0, but is -1"),
        ({"cpu": 0}, ValueError, "cpu must be at least 1"),
        ({"gpu": 1.5}, TypeError, "gpu is a number of devices, but got 1.5"),
        ({"gpu": True}, TypeError, "gpu is a number of devices"),
        ({"bandwidth": "fast"}, TypeError, "bandwidth is a number of bytes per second or None, but got 'fast'"),
        ({"bandwidth": 0}, ValueError, "bandwidth must be above 0"),
        ({"bandwidth": float("nan")}, ValueError, "bandwidth must be at least 0"),
        ({"latency": -1}, ValueError, "latency must be at least 0 seconds, but is -1"),
    ],
)
def test_arguments_are_checked_and_nothing_is_switched(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        tf.simulate_devices(**arguments)
    assert devices.simulation() is None


def test_a_closed_session_has_no_devices() -> None:
    session = tf.Session(graph=tf.Graph())
    session.close()
    with pytest.raises(tf.errors.CancelledError):
        session.list_devices()


def test_the_log_names_simulated_devices(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default(), tf.simulate_devices(gpu=1):
        x = tf.negative([1.0], name="x")
        with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
            session.run(x)
            session.run(x)
            session.run(x + 1.0)
    prefix = "/job:localhost/replica:0/task:0"
    assert capsys.readouterr().out.splitlines() == [
        f"Device mapping: {prefix}/device:GPU:0 -> simulated",
        f"x: (Neg): {prefix}/device:GPU:0",
        f"x/x: (Const): {prefix}/device:GPU:0",
        f"x: (Neg): {prefix}/device:GPU:0",
        f"add: (AddV2): {prefix}/device:GPU:0",
        f"x/x: (Const): {prefix}/device:GPU:0",
        f"add/y: (Const): {prefix}/device:GPU:0",
    ]
