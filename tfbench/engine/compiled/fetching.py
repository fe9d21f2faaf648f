"""What loops for Numba say to the processor about memory that they will need next."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, register_jitable

#: bytes of a cache line
_LINE = 64
#: as much is fetched at once, at most: longer runs the processor fetches by itself, and they would not stay
_MOST = 16 << 10


@intrinsic
def _touch(context: Any, address: Any) -> Any:
    """Has the processor fetch the line at an address, which need not be that of anything."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        name, type = "llvm.prefetch.p0", ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        function = builder.module.globals.get(name) or ir.Function(builder.module, type, name)
        builder.call(function, [builder.inttoptr(arguments[0], pointer), word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(types.intp), code


touch: Any = _touch


def _fetch(x: Any, start: int, count: int) -> None:
    """Has `count` values of a contiguous array fetched, from number `start` of them on; nothing, if they are many."""
    size = count * x.itemsize
    if size <= _MOST:
        begin = x.ctypes.data + start * x.itemsize
        for place in range(begin, begin + size, _LINE):
            touch(place)


fetch: Any = register_jitable(_fetch)
