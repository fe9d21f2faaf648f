"""What a C function that is written as LLVM IR does with NumPy's arrays: it finds out what they are, and where.

As `entry` does for loops: a function that declares arrays gets a table (the array type, then each argument's dtype;
`native.bind`) and the array objects.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfbench.engine.compiled.ir import Function

#: where an object's own data begin; before them is its type
_HEAD = object.__basicsize__


def data(made: Function, name: str, position: int, sizes: Sequence[int] | None) -> str:
    """The address of the data of the argument `name`, the `position`th from 1 on: an array of these sizes, or of any.

    If it is another one, or not C-contiguous, `made` returns `position`.
    """
    word = "load i64, ptr"
    wrong = [
        made.new(f"icmp ne i64 {made.new(f'{word} {at}')}, {made.new(f'{word} {wanted}')}")
        for at, wanted in (
            (made.at(name, _HEAD - 8), "%table"),
            (made.at(name, _HEAD + 40), made.at("%table", 8 * position)),
        )
    ]
    made.leave(made.new(f"or i1 {wrong[0]}, {wrong[1]}"), position)
    rank = made.new(f"load i32, ptr {made.at(name, _HEAD + 8)}")
    flags = made.new(f"load i32, ptr {made.at(name, _HEAD + 48)}")
    strided = made.new(f"xor i1 {made.new(f'trunc i32 {flags} to i1')}, true")
    if sizes is None:
        made.leave(strided, position)
        return made.new(f"load ptr, ptr {made.at(name, _HEAD)}")
    made.leave(made.new(f"or i1 {strided}, {made.new(f'icmp ne i32 {rank}, {len(sizes)}')}"), position)
    axes = made.new(f"load ptr, ptr {made.at(name, _HEAD + 16)}")
    for axis, size in enumerate(sizes):
        found = made.new(f"{word} {made.at(axes, 8 * axis)}")
        made.leave(made.new(f"icmp ne i64 {found}, {size}"), position)
    return made.new(f"load ptr, ptr {made.at(name, _HEAD)}")
