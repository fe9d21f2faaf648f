"""Device strings and DeviceSpec, as TensorFlow parses, writes and merges them."""

from __future__ import annotations

import pickle

import pytest

from tfbench.engine.device_names import DeviceSpec, canonical_name, merge, parse, unparse


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("/gpu:0", "/device:GPU:0"),
        ("/cpu:0", "/device:CPU:0"),
        ("/CPU:0", "/device:CPU:0"),
        ("/Gpu:1", "/device:GPU:1"),
        ("gpu:0", "/device:GPU:0"),
        ("/tpu:0", "/device:TPU:0"),
        ("/device:gpu:0", "/device:GPU:0"),
        ("/device:XLA_CPU:0", "/device:XLA_CPU:0"),
        ("/device:Foo_bar:3", "/device:Foo_bar:3"),
        ("/device:tpu:0", "/device:tpu:0"),
        ("/job:ps", "/job:ps"),
        ("/job:ps/replica:0/task:1/cpu:0", "/job:ps/replica:0/task:1/device:CPU:0"),
        ("/task:1/job:a", "/job:a/task:1"),
        ("/cpu:0/job:a", "/job:a/device:CPU:0"),
        ("/job:*", "/job:*"),
        ("/device:CPU:*", "/device:CPU:*"),
        ("/device:*:*", "/device:*:*"),
        ("/device:*:0", "/device:*:0"),
        ("/cpu:*", "/device:CPU:*"),
        ("/gpu", "/device:GPU:*"),
        ("/gpu:01", "/device:GPU:1"),
        ("/gpu:0 ", "/device:GPU:0"),
        ("/job:a/job:b", "/job:b"),
        ("/job:", "/job:"),
        ("/job:a-b", "/job:a-b"),
        ("/task:-1", "/task:-1"),
        ("", ""),
        ("/", ""),
        ("//", ""),
        (None, ""),
    ],
)
def test_canonical(spec, expected):
    assert canonical_name(spec) == expected
    assert DeviceSpec.from_string(spec).to_string() == expected
    assert canonical_name(expected) == expected
    assert unparse(parse(expected)) == expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("/foo:0", "Unknown attribute 'foo' is encountered while parsing the device spec: '/foo:0'"),
        ("foo", "Unknown attribute 'foo'"),
        ("/Job:a", "Unknown attribute 'Job'"),
        ("/DEVICE:GPU:0", "Unknown attribute 'DEVICE'"),
        ("/device:GPU", "Unknown attribute 'device'"),
        ("/device", "Unknown attribute 'device'"),
        ("/job", "Unknown attribute 'job'"),
        ("/gpu:0:1", "Unknown attribute 'gpu'"),
        ("/xla_gpu:0", "Unknown attribute 'xla_gpu'"),
        (" /gpu:0", "Unknown attribute ' '"),
        ("/ gpu:1", "Unknown attribute ' gpu'"),
        ("/gpu:0/gpu:1", "Multiple device types are not allowed while parsing the device spec: /gpu:0/gpu:1"),
        ("/cpu:0/device:GPU:0", "Multiple device types are not allowed"),
        ("/gpu:x", "invalid literal for int"),
        ("/gpu:", "invalid literal for int"),
        ("/task:x", "invalid literal for int"),
        ("/replica:*", "invalid literal for int"),
    ],
)
def test_what_is_no_device(spec, message):
    for call in (canonical_name, DeviceSpec.from_string, lambda one: merge(one, "/cpu:0"), lambda one: merge("", one)):
        with pytest.raises(ValueError) as caught:
            call(spec)
        assert message in str(caught.value)


@pytest.mark.parametrize("value", [5, ["/gpu:0"], b"/gpu:0"])
def test_what_is_no_string(value):
    with pytest.raises(TypeError, match="device"):
        canonical_name(value)
    with pytest.raises(TypeError, match="device spec"):
        DeviceSpec.from_string(value)


# (outermost, ..., innermost), and the device of a node made there: `with tf.device(a), tf.device(b): ...`
STACKS = [
    (("/job:ps/task:1", "/gpu:0"), "/job:ps/task:1/device:GPU:0"),
    (("/gpu:0", "/job:ps/task:1"), "/job:ps/task:1/device:GPU:0"),
    (("/job:ps/gpu:0", "/cpu:0"), "/job:ps/device:CPU:0"),
    (("/cpu:0", "/gpu:1"), "/device:GPU:1"),
    (("/gpu:0", ""), "/device:GPU:0"),
    (("/job:a/task:3", "/job:b"), "/job:b/task:3"),
    (("/job:a", "/job:*"), "/job:*"),
    (("/gpu:2", "/device:GPU:*"), "/device:GPU:2"),
    (("/device:GPU:*", "/gpu:2"), "/device:GPU:2"),
    (("/gpu:2", "/cpu:*"), "/device:CPU:2"),
    (("/job:a", "/task:1", "/replica:2", "/cpu:0"), "/job:a/replica:2/task:1/device:CPU:0"),
]


@pytest.mark.parametrize(("stack", "expected"), STACKS)
def test_merging_a_stack(stack, expected):
    device = ""
    for outer in reversed(stack):
        device = merge(device, outer)
    assert device == expected
    spec = DeviceSpec.from_string(stack[0])
    for inner in stack[1:]:
        merged = spec.make_merged_spec(DeviceSpec.from_string(inner))
        spec.merge_from(DeviceSpec.from_string(inner))
        assert merged == spec
    assert spec.to_string() == expected


def test_spec_parts():
    spec = DeviceSpec("ps", 0, 1, "gpu", 2)
    assert (spec.job, spec.replica, spec.task, spec.device_type, spec.device_index) == ("ps", 0, 1, "GPU", 2)
    assert spec.to_string() == "/job:ps/replica:0/task:1/device:GPU:2"
    spec = DeviceSpec.from_string("/job:*/task:3/gpu:*")
    assert (spec.job, spec.task, spec.device_type, spec.device_index) == ("*", 3, "GPU", None)
    assert DeviceSpec(task="2").task == 2
    assert DeviceSpec(device_type="foo").device_type == "foo"
    assert DeviceSpec(device_type="gpu").to_string() == "/device:GPU:*"
    assert DeviceSpec(device_index=3).to_string() == ""
    assert DeviceSpec(device_type="*", device_index=3).to_string() == "/device:*:3"
    with pytest.raises(ValueError, match="invalid literal for int"):
        DeviceSpec(device_index="*")


def test_spec_can_be_changed():
    spec = DeviceSpec(job="x")
    spec.job, spec.replica, spec.task, spec.device_type, spec.device_index = "y", 0, 3, "gpu", 1
    assert spec.to_string() == "/job:y/replica:0/task:3/device:GPU:1"
    assert spec.parse_from_string("/job:a/cpu:1") is spec
    assert spec.to_string() == "/job:a/device:CPU:1"
    other = spec.replace(job=None, task=2)
    assert (other.to_string(), spec.to_string()) == ("/task:2/device:CPU:1", "/job:a/device:CPU:1")
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        spec.replace(foo=2)
    with pytest.raises(TypeError, match=r"Expected a tf\.DeviceSpec to merge, found '/gpu:0'"):
        spec.make_merged_spec("/gpu:0")
    with pytest.raises(ValueError):
        spec.task = "a"
    assert spec.to_string() == "/job:a/device:CPU:1"


def test_spec_equality_and_text():
    spec = DeviceSpec.from_string("/gpu:0")
    assert spec == DeviceSpec(device_type="gpu", device_index=0)
    assert hash(spec) == hash(DeviceSpec(device_type="GPU", device_index=0))
    assert spec != "/device:GPU:0"
    assert spec != DeviceSpec()
    assert repr(spec) == "<DeviceSpec(job=None, replica=None, task=None, device_type=GPU, device_index=0)>"
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert canonical_name(spec) == "/device:GPU:0"
