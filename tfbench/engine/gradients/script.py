"""The gradient of `tf.py_function`: back through the graph of its last call."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.gradients.build import gradients
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.ops.base import constant
from tfbench.engine.ops.eager_script import eager_node, immediate_of


@gradient("EagerPyFunc")
def _py_function(node: Operation, *dys: Any) -> Any:
    function = immediate_of(node)

    def backward(*arrays: Any) -> list[Any]:
        graph, inputs, outputs = function.last
        with graph.as_default():
            given = [constant(array) for array in arrays]
            found = gradients(outputs, inputs, grad_ys=given)
        there = [slope for slope in found if slope is not None]
        values = iter(graph.run(there))
        # A scalar zero, as in TensorFlow, where nothing goes from an input to an output.
        return [
            np.zeros((), x.dtype.as_numpy_dtype) if slope is None else next(values) for x, slope in zip(inputs, found)
        ]

    with control_dependencies([node]):
        made = eager_node(backward, dys, [tensor.dtype.base_dtype for tensor in node.inputs], None)
    for slope, tensor in zip(made.outputs, node.inputs):
        slope.set_shape(tensor.get_shape())
    return list(made.outputs)
