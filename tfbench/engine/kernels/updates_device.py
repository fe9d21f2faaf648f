"""An optimizer's rule as one kernel for a GPU: every array passes through memory once, in one launch.

The rules of `updates` say their arithmetic with `do(ufunc, operands..., out)`. Here `do` writes down what it is told as
a statement of C: arrays and scratch memory become variables of a thread, which works on one element. What a rule
decides by its numbers it has decided by then, so the statements are a straight line; each line is compiled once.
Products and sums are not fused, so the numbers are those of the calls one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any

_THREADS = 256
OPTIONS = ("--fmad=false", "--std=c++17")

#: ufunc -> what it is in C, for the types f (float) and d (double); the sign of NaN is NaN, as are maxima with it
_EXPRESSIONS = {
    "add": "{0} + {1}",
    "subtract": "{0} - {1}",
    "multiply": "{0} * {1}",
    "divide": "{0} / {1}",
    "square": "{0} * {0}",
    "sqrt": "sqrt{f}({0})",
    "exp": "exp{f}({0})",
    "power": "pow{f}({0}, {1})",
    "abs": "fabs{f}({0})",
    "sign": "({0} > 0 ? T(1) : {0} < 0 ? T(-1) : {0})",
    "maximum": "({0} != {0} || {0} > {1} ? {0} : {1})",
    "minimum": "({0} != {0} || {0} < {1} ? {0} : {1})",
}

#: (array module, source) -> compiled kernel
_kernels: dict[tuple[int, str], Any] = {}
_names: dict[int, dict[int, str]] = {}


class _Variable:
    """What a rule takes for an array of a block: a variable of the kernel."""

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, name: str, dtype: Any, size: int) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = (size,)


class Recorder:
    """Takes the place of `updates.Update`: `do(ufunc, a, b, out)` becomes a statement, and `out` is returned."""

    __slots__ = ("_dtype", "_scratch", "_size", "_ufuncs", "numbers", "statements", "written", "xp")

    def __init__(self, xp: Any, dtype: Any, size: int) -> None:
        self.xp = xp
        self._dtype = dtype
        self._size = size
        self._ufuncs = _ufuncs(xp)
        self._scratch = 0
        self.statements: list[str] = []
        #: the device's numbers that the statements read
        self.numbers: list[Array] = []
        self.written: set[str] = set()

    def __call__(self, ufunc: Any, *operands: Any) -> _Variable:
        *inputs, out = operands
        expression = _EXPRESSIONS[self._ufuncs[id(ufunc)]]
        suffix = "f" if self._dtype == np.float32 else ""
        self.statements.append(f"{out.name} = {expression.format(*map(self._operand, inputs), f=suffix)};")
        self.written.add(out.name)
        target: _Variable = out
        return target

    def scratch(self, like: _Variable) -> _Variable:
        """A variable more."""
        self._scratch += 1
        return _Variable(f"t{self._scratch}", self._dtype, self._size)

    @property
    def temporaries(self) -> list[str]:
        return [f"t{index + 1}" for index in range(self._scratch)]

    def _operand(self, value: Any) -> str:
        if isinstance(value, _Variable):
            return value.name
        if isinstance(value, self.xp.ndarray):
            for index, known in enumerate(self.numbers):
                if known is value:
                    return f"n{index}[0]"
            self.numbers.append(value)
            return f"n{len(self.numbers) - 1}[0]"
        return f"T({float(value)!r})"


def _ufuncs(xp: Any) -> dict[int, str]:
    found = _names.get(id(xp))
    if found is None:
        found = _names[id(xp)] = {id(getattr(xp, name)): name for name in _EXPRESSIONS}
    return found


def source(dtype: Any, arrays: int, recorder: Recorder) -> str:
    """The kernel that makes what was recorded of `arrays` arrays (a0, a1, …) and a gradient (g)."""
    kind = "float" if dtype == np.float32 else "double"
    parameters = [f"{kind}* a{index}_" for index in range(arrays)]
    parameters += [f"const {kind}* g_", *(f"const {kind}* n{index}" for index in range(len(recorder.numbers)))]
    lines = [
        f"typedef {kind} T;",
        f'extern "C" __global__ void update({", ".join(parameters)}, unsigned long long size) {{',
        "  typedef unsigned long long u64;",
        "  u64 step = (u64)gridDim.x * blockDim.x;",
        "  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += step) {",
        *(f"    T a{index} = a{index}_[i];" for index in range(arrays)),
        "    T g = g_[i];",
        *(f"    T {name};" for name in recorder.temporaries),
        *(f"    {statement}" for statement in recorder.statements),
        *(f"    a{index}_[i] = a{index};" for index in range(arrays) if f"a{index}" in recorder.written),
        "  }",
        "}",
    ]
    return "\n".join(lines) + "\n"


def apply(xp: Any, rule: Any, arrays: Sequence[Array], numbers: dict[str, Any], grad: Array) -> bool:
    """Applies `rule` to contiguous vectors of a device in one launch; False where that is not possible.

    It is not where the array module compiles no CUDA, nor for types that CUDA's C has not.
    """
    dtype, size = grad.dtype, grad.shape[0]
    if dtype.char not in "fd" or not hasattr(xp, "RawModule"):
        return False
    recorder = Recorder(xp, dtype, size)
    rule(recorder, *[_Variable(f"a{i}", dtype, size) for i in range(len(arrays))], grad=_Variable("g", dtype, size),
         **numbers)  # fmt: skip
    if not size:
        return True
    code = source(dtype, len(arrays), recorder)
    kernel = _kernels.get((id(xp), code))
    if kernel is None:
        kernel = _kernels[id(xp), code] = xp.RawModule(code=code, options=OPTIONS).get_function("update")
    blocks = min(1 << 16, -(-size // _THREADS))
    kernel((blocks,), (_THREADS,), (*arrays, xp.ascontiguousarray(grad), *recorder.numbers, np.uint64(size)))
    return True
