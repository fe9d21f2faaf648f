"""A stand-in for a graph and its session: what `tfbench.snapshot` reads of them, and nothing else.

Views are tested against it because it accepts what the engine refuses (names with markup or line breaks) and
because a snapshot test should fail for reasons of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.hooks import SessionHook
from tfbench.engine.source import register_cell
from tfbench.snapshot import Source


class FakeShape:
    def __init__(self, dims: Sequence[int | None] | None) -> None:
        self.dims = dims

    @property
    def rank(self) -> int | None:
        return None if self.dims is None else len(self.dims)

    def as_list(self) -> list[int | None]:
        return list(self.dims or ())

    def __str__(self) -> str:
        return "<unknown>" if self.dims is None else f"({', '.join('?' if n is None else str(n) for n in self.dims)})"


class FakeDType:
    as_numpy_dtype = np.float32

    def __init__(self, name: str) -> None:
        self.name = name


class FakeTensor:
    def __init__(self, op: FakeOp, value_index: int, dtype: str, shape: Sequence[int | None] | None) -> None:
        self.op = op
        self.value_index = value_index
        self.dtype = FakeDType(dtype)
        self.shape = FakeShape(shape)


class Code:
    """A code object of one line, as `tfbench.engine.source` reads it."""

    co_name = "<module>"

    def __init__(self, source: Source) -> None:
        self.co_filename = source.file
        self.co_firstlineno = source.line
        if source.cell is not None and source.file is not None:
            register_cell(source.file, source.cell)

    def co_lines(self) -> list[tuple[int, int, int | None]]:
        return [(0, 2, self.co_firstlineno)]


class FakeOp:
    def __init__(
        self,
        graph: FakeGraph,
        type: str,
        name: str,
        inputs: Sequence[FakeTensor],
        control: Sequence[FakeOp],
        outputs: Sequence[tuple[str, Sequence[int | None] | None]],
        attrs: dict[str, Any],
        device: str,
        source: Source | None,
    ) -> None:
        self.graph = graph
        self.type = type
        self.name = name
        self.inputs = list(inputs)
        self.control_inputs = list(control)
        self.outputs = [FakeTensor(self, i, dtype, shape) for i, (dtype, shape) in enumerate(outputs)]
        self.attrs = attrs
        self.device = device
        self.trace = () if source is None else (Code(source), 0)


class FakeVariable:
    def __init__(self, op: FakeOp, initializer: FakeOp, read: FakeTensor) -> None:
        self.op = op
        self.name = f"{op.name}:0"
        self.initializer = initializer
        self.read = read
        self.shared_at: list[Any] = []


class FakeGraph:
    def __init__(self) -> None:
        self.version = 0
        self.changes_version = 0
        self._ops: dict[str, FakeOp] = {}
        self._collections: dict[str, list[Any]] = {}
        self._extensions: dict[str, Any] = {}
        self.device = ""
        self.cell: str | None = None
        self.line = 0
        self.observers: list[Callable[..., None]] = []

    def get_operations(self) -> list[FakeOp]:
        return list(self._ops.values())

    def get_operation_by_name(self, name: str) -> FakeOp:
        return self._ops[name]

    def get_all_collection_keys(self) -> list[str]:
        return list(self._collections)

    def get_collection_ref(self, key: str) -> list[Any]:
        return self._collections.setdefault(key, [])

    def notify(self) -> None:
        for callback in list(self.observers):
            callback(self)

    def op(
        self,
        type: str,
        name: str,
        inputs: Sequence[FakeTensor] = (),
        outputs: Sequence[tuple[str, Sequence[int | None] | None]] = (("float32", None),),
        control: Sequence[FakeOp] = (),
        device: str | None = None,
        **attrs: Any,
    ) -> FakeOp:
        self.version += 1
        self.line += 1
        source = Source(self.cell, f"<{self.cell}>", self.line) if self.cell is not None else None
        made = FakeOp(
            self, type, name, inputs, control, outputs, attrs, self.device if device is None else device, source
        )
        self._ops[name] = made
        return made

    def remove(self, name: str) -> None:
        self.changes_version += 1
        del self._ops[name]

    def const(self, name: str, value: Any) -> FakeTensor:
        array = np.asarray(value, dtype=None if not isinstance(value, float) else np.float32)
        dtype = array.dtype.name
        return self.op("Const", name, (), [(dtype, array.shape)], value=array, dtype=FakeDType(dtype)).outputs[0]

    def variable(self, name: str, shape: Sequence[int], trainable: bool = True) -> FakeVariable:
        """A reference variable with an initial value, its Assign and its read, as TensorFlow lays them out."""
        f32 = ("float32", shape)
        size = self.const(f"{name}/Initializer/random_normal/shape", list(shape))
        value = self.op("RandomStandardNormal", f"{name}/Initializer/random_normal", [size], [f32], seed=0).outputs[0]
        op = self.op("VariableV2", name, (), [("float32_ref", shape)], shape=FakeShape(shape), container="")
        ref = op.outputs[0]
        assign = self.op("Assign", f"{name}/Assign", [ref, value], [("float32_ref", shape)], validate_shape=True)
        read = self.op("Identity", f"{name}/read", [ref], [f32], T=FakeDType("float32")).outputs[0]
        made = FakeVariable(op, assign, read)
        self.get_collection_ref("variables").append(made)
        if trainable:
            self.get_collection_ref("trainable_variables").append(made)
        return made


class FakeBuffer:
    def __init__(self, array: Any) -> None:
        self.array = array
        self.updates = 1

    def host(self) -> Any:
        return self.array


class FakeSession:
    """Values by variable op name; a missing one is uninitialized."""

    def __init__(self, graph: FakeGraph) -> None:
        self.graph = graph
        self.buffers: dict[str, FakeBuffer] = {}
        self.hooks: list[SessionHook] = []
        self.resources = self

    def find(self, container: str, name: str) -> FakeBuffer | None:
        return self.buffers.get(name)

    def assign(self, name: str, value: Any) -> None:
        buffer = self.buffers.get(name)
        if buffer is None:
            self.buffers[name] = FakeBuffer(np.asarray(value))
        else:
            buffer.array = np.asarray(value)
            buffer.updates += 1

    def ran(self) -> None:
        for hook in list(self.hooks):
            hook.ran(None, [], [])


def conv_layer(graph: FakeGraph, x: FakeTensor, scope: str, channels: int, shape: Sequence[int | None]) -> FakeTensor:
    """One layer of the seeds' image filter."""
    weights = graph.variable(f"{scope}/weights", (5, 5, x.shape.as_list()[-1] or 1, channels))
    biases = graph.variable(f"{scope}/biases", (channels,))
    return apply_layer(graph, x, scope, weights, biases, shape)


def apply_layer(
    graph: FakeGraph,
    x: FakeTensor,
    scope: str,
    weights: FakeVariable,
    biases: FakeVariable,
    shape: Sequence[int | None],
) -> FakeTensor:
    out = [("float32", shape)]
    conv = graph.op(
        "Conv2D", f"{scope}/Conv2D", [x, weights.read], out, strides=[1, 1, 1, 1], padding=b"SAME", data_format=b"NHWC"
    )
    add = graph.op("Add", f"{scope}/add", [conv.outputs[0], biases.read], out, T=FakeDType("float32"))
    return graph.op("Relu", f"{scope}/Relu", [add.outputs[0]], out, T=FakeDType("float32")).outputs[0]


def conv_graph() -> FakeGraph:
    """About 60 ops in five scopes: two conv layers shared by two images, a dense layer, a loss, an update."""
    g = FakeGraph()
    g.cell = "3"
    images = g.op("Placeholder", "images", (), [("float32", (None, 32, 32, 3))], shape=FakeShape((None, 32, 32, 3)))
    x = images.outputs[0]
    g.device = "/device:GPU:0"
    g.cell, g.line = "4", 0
    x = conv_layer(g, x, "conv1", 32, (None, 32, 32, 32))
    g.cell, g.line = "5", 0
    x = g.op("MaxPool", "conv2/pool", [x], [("float32", (None, 16, 16, 32))], ksize=[1, 2, 2, 1]).outputs[0]
    x = conv_layer(g, x, "conv2", 64, (None, 16, 16, 64))
    g.cell, g.line, g.device = "6", 0, ""
    flat = g.op(
        "Reshape", "dense/Reshape", [x, g.const("dense/Reshape/shape", [-1, 16384])], [("float32", (None, 16384))]
    )
    w = g.variable("dense/weights", (16384, 10))
    b = g.variable("dense/biases", (10,))
    mul = g.op("MatMul", "dense/MatMul", [flat.outputs[0], w.read], [("float32", (None, 10))], transpose_a=False)
    logits = g.op("BiasAdd", "dense/logits", [mul.outputs[0], b.read], [("float32", (None, 10))]).outputs[0]
    g.cell, g.line = "7", 0
    labels = g.op("Placeholder", "labels", (), [("int64", (None,))]).outputs[0]
    xent = g.op(
        "SparseSoftmaxCrossEntropyWithLogits",
        "loss/xent",
        [logits, labels],
        [("float32", (None,)), ("float32", (None, 10))],
    )
    axis = g.const("loss/Const", [0])
    loss = g.op("Mean", "loss/Mean", [xent.outputs[0], axis], [("float32", ())], keep_dims=False).outputs[0]
    g.cell, g.line = "8", 0
    step = g.variable("global_step", (), trainable=False)
    rate = g.const("train/learning_rate", 0.01)
    updates = []
    for v in list(g.get_collection_ref("trainable_variables")):
        shape = v.op.outputs[0].shape.as_list()
        grad = g.op("Conv2DBackpropFilter", f"train/gradients/{v.op.name}_grad", [loss], [("float32", shape)])
        updates.append(
            g.op(
                "ApplyGradientDescent",
                f"train/update_{v.op.name}/ApplyGradientDescent",
                [v.op.outputs[0], rate, grad.outputs[0]],
                [("float32_ref", shape)],
                use_locking=False,
            )
        )
    update = g.op("NoOp", "train/update", (), (), control=updates)
    one = g.const("train/value", 1)
    g.op("AssignAdd", "train", [step.op.outputs[0], one], [("float32_ref", ())], control=[update])
    g.op("NoOp", "init", (), (), control=[v.initializer for v in g.get_collection_ref("variables")])
    return g
