"""Which GPUs a session has: what CuPy sees, what the config leaves of it, and why there is none."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

import tfbench as tf
from tests.gpu import strict_cuda, strict_cupy
from tfbench.engine import cuda
from tfbench.engine.devices import device_set

GIB = 1 << 30


def names(**options: Any) -> list[str]:
    with tf.Session(config=tf.ConfigProto(**options)) as session:
        return [device.short_name for device in session.list_devices()]


def refused(device: str = "/gpu:0", **options: Any) -> str:
    with tf.device(device):
        x = tf.negative([1.0], name="x")
    with (
        tf.Session(config=tf.ConfigProto(**options)) as session,
        pytest.raises(tf.errors.InvalidArgumentError) as found,
    ):
        session.run(x)
    return str(found.value)


def look_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "_found", None)


def test_a_session_has_the_gpus_that_cupy_sees(two_gpus: ModuleType) -> None:
    assert names() == ["/device:CPU:0", "/device:GPU:0", "/device:GPU:1"]
    assert names(device_count={"GPU": 1}) == ["/device:CPU:0", "/device:GPU:0"]
    assert names(device_count={"GPU": 0}) == ["/device:CPU:0"]
    assert names(device_count={"GPU": 5, "CPU": 2})[1:] == ["/device:CPU:1", "/device:GPU:0", "/device:GPU:1"]


def test_a_gpu_says_what_it_is(one_gpu: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    from tfbench.python.client import device_lib

    _, found = device_lib.list_local_devices()
    assert (found.name, found.device_type) == ("/device:GPU:0", "GPU")
    assert found.physical_device_desc == (
        "device: 0, name: Stand-in, pci bus id: 0000:00:00.0, compute capability: 9.0"
    )
    assert (tf.test.gpu_device_name(), tf.test.is_gpu_available()) == ("/device:GPU:0", True)
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)):
        pass
    assert "device:GPU:0 -> device: 0, name: Stand-in" in capsys.readouterr().out


def test_visible_device_list_chooses_and_orders(two_gpus: ModuleType) -> None:
    options = tf.GPUOptions(visible_device_list="1,0")
    with tf.Session(config=tf.ConfigProto(gpu_options=options)) as session:
        _, first, second = session.device_set.devices
    assert [(device.short_name, device.number) for device in (first, second)] == [
        ("/device:GPU:0", 1),
        ("/device:GPU:1", 0),
    ]
    assert names(gpu_options=tf.GPUOptions(visible_device_list=" 1 ")) == ["/device:CPU:0", "/device:GPU:0"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"visible_device_list": "x"}, "Could not parse entry in 'visible_device_list': 'x'"),
        ({"visible_device_list": "0,,1"}, "Could not parse entry in 'visible_device_list': ''"),
        ({"visible_device_list": "2"}, "listed an invalid Device id '2' but visible device count is 2"),
        ({"visible_device_list": "1,1"}, "visible_device_list contained a duplicate entry: 1,1"),
        ({"per_process_gpu_memory_fraction": 1.5}, "per_process_gpu_memory_fraction must be from 0 to 1, but is 1.5"),
        ({"per_process_gpu_memory_fraction": -0.1}, "per_process_gpu_memory_fraction must be from 0 to 1"),
    ],
)
def test_what_cannot_be_is_refused(two_gpus: ModuleType, options: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(**options)))


def test_a_memory_limit_is_a_fraction_or_what_is_free_less_a_reserve(one_gpu: ModuleType) -> None:
    def limit(**options: Any) -> int:
        with tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(**options))) as session:
            return session.list_devices()[1].memory_limit_bytes

    assert limit() == 4 * GIB - (300 << 20)
    assert limit(allow_growth=True) == 4 * GIB - (300 << 20)
    assert limit(per_process_gpu_memory_fraction=0.25) == GIB
    # The pool is the process's: what was decided stays, until a session asks for something else.
    assert limit() == GIB


def test_without_cupy_the_reason_is_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    look_again(monkeypatch)
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    monkeypatch.setattr(cuda, "find_spec", lambda name: None)
    assert names() == ["/device:CPU:0"]
    message = refused()
    assert "Cannot assign a device for operation x" in message
    assert "CuPy is not installed: pip install tfbench[cuda12]" in message
    assert "allow_soft_placement" in message
    assert str(tf.explain.devices()).endswith("or tfbench[cuda13], by the driver's CUDA version)")


def test_a_cupy_that_does_not_load_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    look_again(monkeypatch)
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    monkeypatch.setattr(cuda, "find_spec", lambda name: object())

    def fail(name: str) -> None:
        raise ImportError("libcudart.so.12: cannot open shared object file\nand more")

    monkeypatch.setattr(cuda.importlib, "import_module", fail)
    assert device_set().no_gpu == (
        "CuPy is installed but cannot be loaded: ImportError: libcudart.so.12: cannot open shared object file"
    )


def test_without_a_driver_or_a_visible_device_the_reason_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    module = strict_cupy.install(monkeypatch, devices=1)
    module.break_down(strict_cuda.CUDARuntimeError(35))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert device_set().no_gpu == (
        "CUDA finds no GPU: CUDARuntimeError: cudaErrorInsufficientDriver: CUDA driver version is insufficient"
    )
    module.reset(devices=0)
    look_again(monkeypatch)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert device_set().no_gpu.endswith("no CUDA-capable device is detected (CUDA_VISIBLE_DEVICES is '-1')")
    assert names() == ["/device:CPU:0"]


def test_a_gpu_that_is_not_there_is_an_error_or_placed_softly(one_gpu: ModuleType) -> None:
    message = refused("/gpu:1")
    assert "explicitly assigned to /device:GPU:1 but available devices are" in message
    assert "device:GPU:0" in message
    x = tf.get_default_graph().get_tensor_by_name("x:0")
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(x).tolist() == [-1.0]
        assert session.look_at_placement([], [], []).device_of(x.op).short_name == "/device:GPU:0"


def test_no_device_count_no_gpu_and_the_error_says_who_asked_for_that(one_gpu: ModuleType) -> None:
    assert "device_count asks for 0 GPUs" in refused(device_count={"GPU": 0})


def test_while_devices_are_simulated_there_are_no_others(one_gpu: ModuleType) -> None:
    with tf.simulate_devices(cpu=2):
        assert names() == ["/device:CPU:0", "/device:CPU:1"]
        assert "devices are simulated here, and no GPU is among them" in refused()
    with tf.simulate_devices(gpu=2), tf.Session() as session:
        assert [device.simulated for device in session.list_devices()] == [False, True, True]
    assert names() == ["/device:CPU:0", "/device:GPU:0"]


def test_an_import_and_a_graph_do_not_look_for_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    look_again(monkeypatch)
    monkeypatch.setattr(cuda, "look", lambda: pytest.fail("looked for GPUs"))
    tf.add(tf.constant(1.0), 2.0)


def test_a_gpu_that_does_not_compute_is_not_there(one_gpu: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any) -> None:
        raise RuntimeError("CuPy failed to load libnvrtc.so.12: OSError: cannot open shared object file")

    monkeypatch.setitem(strict_cupy._made, "ones", fail)
    assert names() == ["/device:CPU:0"]
    assert names() == ["/device:CPU:0"]
    message = refused()
    assert "CuPy sees a GPU but cannot compute on it: RuntimeError: CuPy failed to load libnvrtc.so.12" in message
    assert "extras cuda12 and cuda13" in message


def test_a_gpu_that_is_full_is_there(one_gpu: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any) -> None:
        raise strict_cuda.OutOfMemoryError(512, 0)

    monkeypatch.setitem(strict_cupy._made, "ones", fail)
    assert names() == ["/device:CPU:0", "/device:GPU:0"]


def test_virtual_devices_are_refused(one_gpu: ModuleType) -> None:
    config = tf.ConfigProto()
    config.gpu_options.experimental.virtual_devices.add(memory_limit_mb=[100, 100])
    with pytest.raises(tf.errors.UnimplementedError, match="virtual_devices: a GPU is one device here"):
        tf.Session(config=config)
