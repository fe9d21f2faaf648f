"""One step of an LSTM in one op, and its gradient up to the gates.

The gates lie in the order i, ci, f, o: what is taken in, the candidate, what is kept, what is shown. With peepholes the
gates look at the memory through the diagonals wci, wcf and wco. Clipping is not seen by the gradient, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any


def _sigmoid(xp: Any, x: Any) -> Any:
    half = x.dtype.type(0.5)
    return half * xp.tanh(half * x) + half


def step(
    xp: Any,
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    *,
    forget_bias: float,
    cell_clip: float,
    use_peephole: bool,
) -> Any:
    """(i, cs, f, o, ci, co, h)."""
    gates = xp.concatenate([x, h_prev], axis=1) @ w + b
    i, ci, f, o = (gates[:, part] for part in _parts(cs_prev.shape[1]))
    f = f + f.dtype.type(forget_bias)
    if use_peephole:
        i, f = i + cs_prev * wci, f + cs_prev * wcf
    i, f, ci = _sigmoid(xp, i), _sigmoid(xp, f), xp.tanh(ci)
    cs = ci * i + cs_prev * f
    if cell_clip > 0:
        cs = xp.clip(cs, cs.dtype.type(-cell_clip), cs.dtype.type(cell_clip))
    o = _sigmoid(xp, o + cs * wco if use_peephole else o)
    co = xp.tanh(cs)
    return i, cs, f, o, ci, co, co * o


def step_gradient(
    xp: Any,
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    i: Any,
    cs: Any,
    f: Any,
    o: Any,
    ci: Any,
    co: Any,
    cs_grad: Any,
    h_grad: Any,
    *,
    use_peephole: bool,
) -> Any:
    """(cs_prev_grad, dicfo, wci_grad, wcf_grad, wco_grad); `dicfo` are the gates' gradients side by side."""
    d_o = o * (1 - o) * h_grad * co
    d_cs = (1 - co * co) * h_grad * o + cs_grad
    if use_peephole:
        d_cs = d_cs + d_o * wco
    d_ci = (1 - ci * ci) * d_cs * i
    d_f = f * (1 - f) * d_cs * cs_prev
    d_i = i * (1 - i) * d_cs * ci
    gates = xp.concatenate([d_i, d_ci, d_f, d_o], axis=1)
    back = d_cs * f
    if not use_peephole:
        return back, gates, xp.zeros_like(wci), xp.zeros_like(wcf), xp.zeros_like(wco)
    back = back + d_i * wci + d_f * wcf
    return back, gates, (d_i * cs_prev).sum(0), (d_f * cs_prev).sum(0), (d_o * cs).sum(0)


def _parts(size: int) -> list[slice]:
    return [slice(gate * size, (gate + 1) * size) for gate in range(4)]
