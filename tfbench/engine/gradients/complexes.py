"""Gradients of complex numbers and their parts.

That of a real function f of z = x + iy is df/dx + i df/dy, so that a step against it is the steepest descent.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.gradients.broadcast import summed
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation


@gradient("Real")
def _real(node: Operation, dy: Any) -> Any:
    return [ops.complex(dy, ops.constant(0, dtype=dy.dtype))]


@gradient("Imag")
def _imag(node: Operation, dy: Any) -> Any:
    return [ops.complex(ops.constant(0, dtype=dy.dtype), dy)]


@gradient("Conj")
def _conj(node: Operation, dy: Any) -> Any:
    return [ops.conj(dy)]


@gradient("Complex")
def _complex(node: Operation, dz: Any) -> Any:
    x, y = node.inputs
    dx = ops.real(dz)
    return summed(x, y, dx, ops.imag(dz))


@gradient("Angle")
def _angle(node: Operation, dy: Any) -> Any:
    z = node.inputs[0]
    with control_dependencies([dy]):
        x = ops.real(z)
        inverse = ops.reciprocal(ops.complex(ops.imag(z), x))
        return [-ops.complex(dy, ops.constant(0, dtype=dy.dtype)) * inverse]


@gradient("ComplexAbs")
def _complex_abs(node: Operation, dy: Any) -> Any:
    """z / |z|, and 0 at 0."""
    y = node.outputs_list[0]
    scaled: Any = ops.complex(dy, ops.zeros_like(dy)) * node.inputs[0]
    return [ops.div_no_nan(scaled, ops.complex(y, ops.zeros_like(y)))]
