"""`%devices` and `%placement` in a real shell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.error import UsageError

import tfbench as tf
from tests.magics.conftest import Shell

TOWERS = (
    "%%graph towers\n"
    "x = tf.placeholder(tf.float32, [8, 4], name='x')\n"
    "with tf.device('/gpu:0'):\n"
    "    a = tf.matmul(x, tf.ones([4, 4]), name='a')\n"
    "with tf.device('/gpu:1'):\n"
    "    b = tf.negative(a, name='b')\n"
    "    c = tf.exp(a, name='c')\n"
)


@pytest.fixture(autouse=True)
def _simulation_ends() -> Iterator[None]:
    yield
    tf.simulate_devices.off()


def test_devices_are_those_of_the_machine(shell: Shell) -> None:
    rows = shell.run("%devices")
    assert [(row.name, row.kind, row.simulated) for row in rows] == [("/device:CPU:0", "CPU", False)]
    assert str(rows) == (
        "device         kind                  operations\n/device:CPU:0  CPU   this machine's  0\n1 device\n"
        "no GPU: tests that are not marked gpu run without"
    )


def test_simulated_devices_are_marked_everywhere(shell: Shell) -> None:
    shell.run("%devices simulate gpu=2")
    assert shell.out == "3 devices: /device:CPU:0, /device:GPU:0 (simulated), /device:GPU:1 (simulated)\n"
    shell.run(TOWERS, "towers")
    rows = shell.run("%devices")
    assert [(row.name, row.simulated, row.operations) for row in rows] == [
        ("/device:CPU:0", False, 0),
        ("/device:GPU:0", True, 3),
        ("/device:GPU:1", True, 2),
    ]
    assert str(rows).endswith("3 devices, 2 simulated")
    answer = shell.run("%placement")
    assert {row.assigned: row.simulated for row in answer.ops} == {"/device:GPU:0": True, "/device:GPU:1": True}
    assert "/device:GPU:1 (simulated)" in str(answer)
    assert "/device:GPU:1 (simulated)" in answer._repr_html_()


def test_show_devices_under_a_cell(shell: Shell) -> None:
    cell = TOWERS.replace("%%graph towers", "%%graph towers --show devices")
    shell.run(cell, "towers")
    assert shell.out.splitlines()[1:] == [
        "asked for      assigned  how many      operations",
        "(none)         ?         1 operation   x",
        "/device:GPU:0  ?         2 operations  ones, a",
        "/device:GPU:1  ?         2 operations  b, c",
    ]
    shell.run("%devices simulate gpu=2")
    shell.run(cell, "towers")
    assert shell.out.splitlines()[1:] == [
        "asked for      assigned                   how many      operations",
        "(none)         /device:GPU:0 (simulated)  1 operation   x",
        "/device:GPU:0  /device:GPU:0 (simulated)  2 operations  ones, a",
        "/device:GPU:1  /device:GPU:1 (simulated)  2 operations  b, c",
    ]


def test_a_session_that_is_there_already_gets_them_too(shell: Shell) -> None:
    session = shell.bench.session()
    shell.run("tf.simulate_devices(gpu=1)")
    assert [device.kind for device in session.list_devices()] == ["CPU", "GPU"]
    shell.run("%devices simulate off")
    assert shell.out == "1 device: /device:CPU:0\n"
    assert [device.kind for device in session.list_devices()] == ["CPU"]


def test_placement_of_a_fetch_and_what_crosses(shell: Shell) -> None:
    shell.run("%devices simulate gpu=2")
    shell.run(TOWERS, "towers")
    answer = shell.run("%placement b, c")
    assert [(row.op, row.requested, row.assigned, row.reason) for row in answer.ops] == [
        ("x", "", "/device:GPU:0", "default"),
        ("ones", "/device:GPU:0", "/device:GPU:0", "asked"),
        ("a", "/device:GPU:0", "/device:GPU:0", "asked"),
        ("b", "/device:GPU:1", "/device:GPU:1", "asked"),
        ("c", "/device:GPU:1", "/device:GPU:1", "asked"),
    ]
    assert [tuple(row)[:4] for row in answer.transfers] == [("a:0", "/device:GPU:0", "/device:GPU:1", 128)]
    assert str(answer.transfers) == (
        "tensor  from           to             bytes\n"
        "a:0     /device:GPU:0  /device:GPU:1  128\n"
        "1 transfer, 128 bytes (simulated devices)"
    )
    assert [row.op for row in shell.run("%placement b --fed a").ops] == ["b"]
    version = shell.bench.graph().version
    assert shell.run("%placement b + 1.0").ops[-1].op == "add"
    assert shell.bench.graph().version == version
    assert [row.device for row in shell.run("%order b")] == ["/device:GPU:0"] * 3 + ["/device:GPU:1"]


def test_a_device_that_is_not_there_is_an_error_with_its_line(shell: Shell) -> None:
    shell.run(TOWERS, "towers")
    error = shell.fail("%placement")
    assert isinstance(error, tf.errors.InvalidArgumentError)
    assert "Cannot assign a device for operation a: {{node a}} was explicitly assigned to /device:GPU:0" in str(error)
    assert "cell In[2], line 4" in str(error)
    assert [row.operations for row in shell.run("%devices")] == [None]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%devices simulate", "what? Give gpu=2, cpu=2, … or off"),
        ("%devices simulate gpus=2", "unknown setting 'gpus=2': did you mean gpu?"),
        ("%devices simulate gpu=two", "gpu takes a whole number, but got 'two'"),
        ("%devices simulate latency=soon", "latency takes a number, but got 'soon'"),
        ("%devices simulate gpu=-1", "gpu must be at least 0, but is -1"),
        ("%devices simulate cpu=0", "cpu must be at least 1, but is 0"),
        ("%devices simulate bandwidth=0", "bandwidth must be above 0"),
        ("%devices stimulate gpu=1", "did you mean simulate?"),
        ("%placement nothing_like_it", "neither an operation of the graph nor an expression"),
    ],
)
def test_usage(shell: Shell, line: str, message: str) -> None:
    error = shell.fail(line)
    assert isinstance(error, UsageError)
    assert message in str(error)
    assert tf.simulate_devices is not None
    assert [device.kind for device in tf.Session().list_devices()] == ["CPU"]


def test_help_and_completion(shell: Shell) -> None:
    assert "tf.simulate_devices(gpu=2)" in shell.ip.find_line_magic("devices").__doc__
    shell.run(TOWERS, "towers")
    assert "simulate" in shell.complete("%devices sim")
    assert "gpu=" in shell.complete("%devices simulate g")
    assert "ones" in shell.complete("%placement on")
    shell.run("%devices simulate gpu=2")
    assert "/gpu:1" in shell.complete("%%graph --device /gpu:")


def test_log_device_placement_prints_into_the_running_cell(shell: Shell) -> None:
    shell.run(
        "with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(log_device_placement=True)) as sess:\n"
        "    sess.run(tf.constant(1.0, name='one') + 1.0)"
    )
    assert shell.out.splitlines() == [
        "add: (AddV2): /job:localhost/replica:0/task:0/device:CPU:0",
        "one: (Const): /job:localhost/replica:0/task:0/device:CPU:0",
        "add/y: (Const): /job:localhost/replica:0/task:0/device:CPU:0",
    ]
